//! Limits shrunk to WebGPU's and below, each alone: what does not fit is told by `new`, or before anything is submitted, by the
//! limit's name; what `new` takes, it reduces.

use super::common::{Random, adapter, all, on_devices, plain_fold};
use super::noop::{On, buffer, heard, instance, nothing_heard, open};
use std::time::{Duration, Instant};
use treefold::ops::{self, Visitor};
use treefold::wgpu::{self, Features, Limits};
use treefold::{Dtype, DynAnswer, DynOp, Element, Error, Gpu, Input, Op, Output, Reducer, StreamOptions};

/// The limits that a kernel could meet.
macro_rules! limits {
    ($($name:ident),*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        fn value(limits: &Limits, name: &str) -> u64 {
            match name {
                $(stringify!($name) => u64::from(limits.$name),)*
                _ => unreachable!("{name}"),
            }
        }

        fn with(limits: &Limits, name: &str, value: u64) -> Limits {
            let mut limits = limits.clone();
            match name {
                $(stringify!($name) => limits.$name = value.try_into().expect("a small number"),)*
                _ => unreachable!("{name}"),
            }
            limits
        }
    };
}

limits!(
    max_bind_groups,
    max_bindings_per_bind_group,
    max_storage_buffers_per_shader_stage,
    max_uniform_buffers_per_shader_stage,
    max_uniform_buffer_binding_size,
    max_storage_buffer_binding_size,
    max_buffer_size,
    max_compute_workgroup_storage_size,
    max_compute_invocations_per_workgroup,
    max_compute_workgroup_size_x,
    max_compute_workgroup_size_y,
    max_compute_workgroup_size_z,
    max_compute_workgroups_per_dimension
);

/// Everything that can be asked of an operator on a device whose one limit is small.
struct Door<'a> {
    on: &'a On,
    limit: &'a str,
    value: u64,
    /// Whether the device does what it is told.
    real: bool,
}

impl Door<'_> {
    /// The answer. A limit that is too small may be told, by its name; nothing else may go wrong.
    fn fine<R>(&self, what: &str, op: &str, outcome: Result<R, Error>) -> Option<R> {
        let Door { limit: of, value: to, .. } = *self;
        match outcome {
            Ok(answer) => Some(answer),
            Err(Error::ResultMissing) if !self.real => None,
            Err(Error::LimitTooSmall { limit, value, needs }) => {
                assert!(needs > value, "{what} of {op}, {of} {to}: {value} is too small for {needs}");
                // A binding lies in a buffer, so that the smaller of their limits is told; so of invocations.
                let alike = |name: &str| {
                    name.replace("max_buffer_size", "max_storage_buffer_binding_size")
                        .replace("max_compute_workgroup_size_x", "max_compute_invocations_per_workgroup")
                };
                assert_eq!(alike(limit), alike(of), "{what} of {op}, {of} {to}: {value} for {needs}");
                None
            }
            // Of small workgroups, and of bindings that are so short that there are very many.
            Err(Error::TooManyTrips { .. } | Error::TooManyPartials { .. }) => None,
            Err(error) => panic!("{what} of {op}, {of} {to}: {error}"),
        }
    }
}

impl Visitor for Door<'_> {
    type Out = ();

    fn visit<T: Element>(self, op: DynOp<T>) {
        let (device, queue) = self.on;
        let name = format!("{} over {}", op.name(), T::DTYPE);
        let made = Reducer::<T, _>::new(device, queue, op.clone());
        let Some(reducer) = self.fine("new", &name, made) else { return };
        let limits = device.limits();
        let bytes = limits.max_buffer_size.min(4 * limits.max_storage_buffer_binding_size).min(1 << 14) / 16 * 16;
        let elements: Vec<T> = Random(self.value).elements((bytes / T::DTYPE.bytes()) as usize);
        let data = buffer(device, bytes);
        queue.write_buffer(&data, 0, bytemuck::cast_slice(&elements));
        let right = |what: &str, outcome: Result<DynAnswer, Error>, here: &[T], finished| {
            let want = plain_fold(&op, here);
            if let (Err(Error::Overflow { .. }), Err(Error::Overflow { .. })) = (&outcome, &want) {
                return;
            }
            let Some(answer) = self.fine(what, &name, outcome).filter(|_| self.real) else { return };
            let want = want.unwrap_or_else(|error| panic!("{what} of {name}: {answer:?}, not {error}"));
            let at = format!("{what} of {} elements, {name}, {} {}", here.len(), self.limit, self.value);
            assert!(op.close(&answer, &want, here, finished), "{at}: {answer:?}, not {want:?}");
        };
        for n in [0, 1, elements.len().min(100), elements.len()] {
            let (input, here) = (|| Input::<T>::range(&data, 0..n as u64), &elements[..n]);
            right("reduce", reducer.reduce(input()), here, false);
            if reducer.answer_words() > 0 && reducer.answer_bytes() <= limits.max_buffer_size {
                let place = buffer(device, reducer.answer_bytes());
                let mut encoder = device.create_command_encoder(&Default::default());
                self.fine("record", &name, reducer.record(&mut encoder, input(), Output::from(&place)));
                queue.submit([encoder.finish()]);
            }
        }
        let gpu = Gpu::from_device(device, queue).expect("the reducer was made");
        let here = &elements[..elements.len().min(1000)];
        let stream = gpu.stream::<T, _>(op.clone(), &StreamOptions::default());
        let Some(mut stream) = self.fine("stream", &name, stream) else { return };
        let pushed = stream.push(here).and_then(|()| stream.finish().map(|finished| finished.output));
        right("a stream", pushed, here, false);
    }
}

/// The values of a limit: WebGPU's default, then smaller ones.
fn values(name: &str, default: u64) -> Vec<u64> {
    let few = match name {
        "max_storage_buffer_binding_size" | "max_buffer_size" => vec![1 << 16, 4096, 1024, 512, 508, 256, 16, 0],
        "max_compute_workgroup_storage_size" => vec![4096, 1024, 512, 256, 252, 16, 0],
        "max_uniform_buffer_binding_size" => vec![1024, 128, 80, 64, 60, 16, 0],
        _ => vec![default / 2, 8, 5, 4, 3, 2, 1, 0],
    };
    few.into_iter().filter(|&value| value < default).collect()
}

/// Every limit and value with every `part`-th operator.
fn sweep(part: usize, real: bool, open: impl Fn(Limits) -> On) {
    let default = Limits::downlevel_defaults();
    let mut turn = 0;
    for name in NAMES {
        for value in values(name, value(&default, name)) {
            let on = open(with(&default, name, value));
            let handler = heard(&on.0);
            for (operator, dtype) in ops::names()
                .into_iter()
                .flat_map(|name| Dtype::WITH_PAIRS.into_iter().map(move |of| (name, of)))
                .filter(|&(name, of)| on_devices(name, of))
            {
                turn += 1;
                if turn % part == 0 {
                    ops::visit(operator, dtype, Door { on: &on, limit: name, value, real });
                    nothing_heard(&handler, &format_args!("{operator} over {dtype}, {name} {value}"));
                }
            }
        }
    }
}

/// One operator in so many. Every one with every limit and value would be some 24,000 reducers, each of kernels of its own.
fn part(few: usize, more: usize) -> usize {
    if all() { more } else { few }
}

/// The verdict of wgpu on all that is recorded. Exact operators, which are tried before they are used, are not made here.
#[test]
fn each_limit_alone_on_a_device_that_does_nothing() {
    let start = Instant::now();
    let instance = instance();
    sweep(part(401, 19), false, |limits| open(&instance, Features::empty(), limits));
    assert!(start.elapsed() < Duration::from_secs(3600), "{:?}", start.elapsed());
}

/// And what is answered.
#[test]
fn each_limit_alone_on_the_adapter() {
    let start = Instant::now();
    let adapter = adapter();
    sweep(part(401, 61), true, |limits| {
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        pollster::block_on(adapter.request_device(&descriptor)).expect("a device with small limits")
    });
    assert!(start.elapsed() < Duration::from_secs(3600), "{:?}", start.elapsed());
}
