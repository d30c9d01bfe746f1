//! The comparison of an operator's two halves, for those who write one.

use super::cpu::Cpu;
use super::reducer::Reducer;
use super::stream::StreamOptions;
use crate::device::{Gpu, may_block};
use crate::element::{Dtype, Element};
use crate::error::{Error, Result};
use crate::input::{Input, Output};
use crate::op::{Acc, DeviceOp, Fold, Keep, Op};
use crate::plan::{Order, Tuning};
use wgpu::BufferUsages;
use wgpu::util::DeviceExt;

/// Compares the two halves of an operator on a device: over lengths around every boundary of small launch shapes, from
/// unaligned places, in several buffers and dispatches, by streams and partials; its identity, associativity and declared
/// order on accumulators of random slices; NaN and extremes where the type has them.
///
/// Exact operators must agree in their canonical words, others within [`Op::close`]; device answers are read by [`Op::read`].
///
/// ```no_run
/// treefold::check::<f32, _>(&treefold::Gpu::new()?, &treefold::ops::Max)?;
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// # Errors
/// [`Error::Disagrees`] says where; what [`Reducer::new`] says of the operator's text and loops; what the device says.
pub fn check<T: Element, O: Op<T>>(gpu: &Gpu, op: &O) -> Result<()> {
    may_block("treefold::check", "it natively, where the operator's halves are the same")?;
    let check = Check { op, fold: op.fold(), random: Random(7) };
    check.laws()?;
    for tuning in shapes(*gpu.tuning()) {
        check.on(&gpu.with_tuning(tuning)?)?;
    }
    Ok(())
}

/// Launch shapes whose boundaries lie within a few thousand elements, and the device's own.
fn shapes(own: Tuning) -> Vec<Tuning> {
    let few = Tuning::GPU.each(|launch| {
        (launch.workgroup_size, launch.workgroups_max) = (32, 3);
        (launch.loads_in_flight, launch.single_elements_max) = (2, 100);
    });
    let small = few.with(|tuning| {
        tuning.single_workgroup_size = 64;
    });
    let blocked = small.with(|tuning| {
        (tuning.order, tuning.subgroups) = (Order::Blocked, false);
        // Many dispatches: 1 KiB each.
        tuning.dispatch_bytes_max = 1024;
    });
    vec![small, blocked, own]
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Ordinary elements, of floats in (-1, 1) and integers of all sizes.
fn ordinary<T: Element>(n: usize, random: &mut Random) -> Vec<T> {
    let single = |bits: u64| (((bits >> 40) as f32 / (1u64 << 23) as f32) - 1.0).to_bits();
    let number = |random: &mut Random| {
        let bits = random.next();
        match T::DTYPE.numbers() {
            Some(Dtype::F32 | Dtype::BF16) => single(bits).into(),
            Some(Dtype::F16) => half::f16::from_f32(f32::from_bits(single(bits))).to_bits().into(),
            Some(Dtype::F64) => ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0).to_bits(),
            Some(Dtype::I64 | Dtype::U64) => bits >> (random.next() >> 58),
            _ => u64::from(bits as u32 >> (bits >> 59)),
        }
    };
    (0..n).map(|_| of(|| number(random))).collect()
}

/// An element of these numbers, one behind another; without numbers, of words.
fn of<T: Element>(mut number: impl FnMut() -> u64) -> T {
    let each = T::DTYPE.numbers().map_or(4, Dtype::bytes) as usize;
    let count = size_of::<T>() / each.max(1);
    if count <= 1 && size_of::<T>() <= 8 {
        return T::from_pattern(number());
    }
    let bytes: Vec<u8> = (0..count).flat_map(|_| number().to_le_bytes().into_iter().take(each)).collect();
    bytemuck::try_pod_read_unaligned(&bytes).unwrap_or(T::ZERO)
}

/// Values at the edges of a type, NaN among them where it has any, each beside others in what has several.
fn extremes<T: Element>() -> Vec<T> {
    const SINGLE: [u64; 8] = [0x7fc0_0000, 0xff80_0000, 0x7f80_0000, 0, 0x8000_0000, 1, 0x7f7f_ffff, 0xff7f_ffff];
    let patterns: Vec<u64> = match T::DTYPE.numbers() {
        Some(Dtype::F32 | Dtype::BF16) => SINGLE.to_vec(),
        Some(Dtype::F16) => vec![0x7e00, 0xfc00, 0x7c00, 0, 0x8000, 1, 0x7bff, 0xfbff],
        Some(Dtype::F64) => SINGLE.iter().map(|&bits| f64::from(f32::from_bits(bits as u32)).to_bits()).collect(),
        Some(Dtype::I64 | Dtype::U64) => vec![0, 1, i64::MAX as u64, i64::MIN as u64, u64::MAX],
        // Narrow integers have the lower bits.
        _ => vec![0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f, 0x80, 0x8000],
    };
    let element = |first: usize| {
        let mut at = patterns.iter().cycle().skip(first);
        of(|| at.next().copied().unwrap_or(0))
    };
    (0..patterns.len()).map(element).collect()
}

struct Check<'a, T: Element, O: Op<T>> {
    op: &'a O,
    fold: O::Fold,
    random: Random,
}

impl<T: Element, O: Op<T>> Check<'_, T, O> {
    fn disagrees(&self, what: &'static str, at: String, device: String, host: String) -> Error {
        Error::Disagrees { operator: self.op.signature(), what, at, device, host }
    }

    /// Whether two answers agree: an error that says where, if not.
    fn same(
        &self,
        what: &'static str,
        at: &dyn Fn() -> String,
        got: Result<O::Output>,
        want: Result<O::Output>,
        elements: &[T],
        finished: bool,
    ) -> Result<()> {
        let agree = match (&got, &want) {
            (Ok(got), Ok(want)) => self.op.close(got, want, elements, finished),
            (Err(got), Err(want)) => got.to_string() == want.to_string(),
            _ => false,
        };
        match agree {
            true => Ok(()),
            false => Err(self.disagrees(what, at(), show(&got), show(&want))),
        }
    }

    /// The same of accumulators: canonical words where the operator is exact, else what they finish to.
    fn same_acc(
        &self,
        what: &'static str,
        at: &dyn Fn() -> String,
        (got, want): (Acc<T, O>, Acc<T, O>),
        elements: &[T],
    ) -> Result<()> {
        if self.op.is_exact() {
            let words = |acc: &Acc<T, O>| {
                let mut words = vec![0; self.fold.acc_words()];
                self.fold.write_acc(&self.fold.canonical(acc.clone()), &mut words);
                words
            };
            let (got, want) = (words(&got), words(&want));
            return match got == want {
                true => Ok(()),
                false => Err(self.disagrees(what, at(), format!("words {got:x?}"), format!("words {want:x?}"))),
            };
        }
        let n = elements.len() as u64;
        self.same(what, at, self.op.finish(got, n), self.op.finish(want, n), elements, false)
    }

    /// One element after another, from the first on, so that a wrong identity cannot hide in what it is compared with.
    fn plain(&self, elements: &[T], first: u64) -> Acc<T, O> {
        // Wide accumulators, a histogram's, take too long one by one; short slices have compared the two ways.
        if self.fold.acc_words() > 100 && elements.len() > 64 {
            return self.fold.accumulate(elements, first);
        }
        let lifted = elements.iter().zip(first..).map(|(&x, i)| self.fold.lift(x, i));
        lifted.reduce(|a, b| self.fold.combine(a, b)).unwrap_or_else(|| self.fold.identity())
    }

    /// Identity, associativity, declared order, index offset and the form for slices, on the host.
    fn laws(&self) -> Result<()> {
        let fold = &self.fold;
        let mut random = Random(self.random.0);
        let special = extremes::<T>();
        for round in 0..60 {
            let mut slice = |at: u64| {
                let mut elements = ordinary::<T>((random.next() % 7) as usize, &mut random);
                if round % 3 == 2 {
                    elements.push(special[round % special.len()]);
                }
                (self.plain(&elements, at), elements)
            };
            let (a, front) = slice(0);
            let (b, middle) = slice(front.len() as u64);
            let (c, back) = slice((front.len() + middle.len()) as u64);
            let all = [front.clone(), middle.clone(), back].concat();
            let at = || format!("slices of {all:?}");
            let identity = (fold.combine(fold.identity(), a.clone()), a.clone());
            self.same_acc("its identity on the left", &at, identity, &front)?;
            let identity = (fold.combine(a.clone(), fold.identity()), a.clone());
            self.same_acc("its identity on the right", &at, identity, &front)?;
            let left = fold.combine(fold.combine(a.clone(), b.clone()), c.clone());
            let right = fold.combine(a.clone(), fold.combine(b.clone(), c));
            self.same_acc("associativity", &at, (left, right), &all)?;
            if self.op.fold().is_commutative() {
                let both = [front.clone(), middle.clone()].concat();
                let swapped = (fold.combine(b.clone(), a.clone()), fold.combine(a.clone(), b.clone()));
                self.same_acc("its order, which is declared free (COMMUTATIVE)", &at, swapped, &both)?;
            }
            if has_offset::<T, O>(self.op)? && !self.op.fold().needs_position() {
                let here = self.plain(&middle, 0);
                let moved = (fold.offset(here, front.len() as u64), self.plain(&middle, front.len() as u64));
                self.same_acc("the index offset", &at, moved, &middle)?;
            }
            let sliced = (fold.accumulate(&all, 3), self.plain(&all, 3));
            self.same_acc("the form for slices (accumulate)", &at, sliced, &all)?;
        }
        Ok(())
    }

    fn on(&self, gpu: &Gpu) -> Result<()> {
        let reducer = gpu.reducer::<T, O>(self.op.clone())?;
        let mut random = Random(11);
        let elements = ordinary::<T>(3100, &mut random);
        let buffer = upload(gpu, &elements);
        let special = extremes::<T>();
        // Lengths around vectors, subgroups, workgroups, tiles, grids and dispatches, from unaligned places.
        let edges = [1usize, 4, 8, 16, 32, 64, 100, 128, 256, 512, 768, 1536, 3000];
        let lengths = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
        let cases: Vec<_> = lengths.enumerate().map(|(turn, n)| (turn % 5, n)).collect();
        let range = |&(first, n): &(usize, usize)| Input::<T>::range(&buffer, first as u64..(first + n) as u64);
        let got = reducer.accumulate(&cases.iter().map(range).collect::<Vec<_>>(), 0)?;
        for (&(first, n), (acc, _)) in cases.iter().zip(got) {
            let here = &elements[first..first + n];
            let at = || format!("{n} elements from {first} on");
            self.same_acc("a whole input", &at, (acc, self.plain(here, 0)), here)?;
        }
        self.answers(gpu, &reducer, &elements, &buffer, &cases)?;
        self.in_parts(gpu, &reducer, &elements, &buffer)?;
        // A special value in every position of a few vectors.
        let n = 21;
        let mut all = Vec::new();
        for &x in &special {
            for at in 0..n {
                let mut here = elements[..n].to_vec();
                here[at] = x;
                all.extend(here);
            }
        }
        let buffer = upload(gpu, &all);
        let rows: Vec<_> = (0..all.len() / n).map(|row| (row * n, n)).collect();
        let range = |&(first, n): &(usize, usize)| Input::<T>::range(&buffer, first as u64..(first + n) as u64);
        let got = reducer.accumulate(&rows.iter().map(range).collect::<Vec<_>>(), 0)?;
        for (&(first, n), (acc, _)) in rows.iter().zip(got) {
            let here = &all[first..first + n];
            let at = || format!("{here:?}");
            let count = n as u64;
            let (got, want) = (self.op.finish(acc, count), self.op.finish(self.plain(here, 0), count));
            self.same("special values", &at, got, want, here, false)?;
        }
        let got = reducer.reduce_each(Input::range(&buffer, 0..all.len() as u64).rows(n as u64));
        let want = all.chunks(n).map(|here| self.op.finish(self.plain(here, 0), n as u64)).collect::<Result<Vec<_>>>();
        match (got, want) {
            (Ok(got), Ok(want)) => {
                for (row, ((got, want), here)) in got.into_iter().zip(want).zip(all.chunks(n)).enumerate() {
                    self.same("rows", &|| format!("row {row}, {here:?}"), Ok(got), Ok(want), here, false)?;
                }
            }
            (Err(got), Err(want)) if got.to_string() == want.to_string() => {}
            (got, want) => return Err(self.disagrees("rows", "all".into(), show(&got), show(&want))),
        }
        Ok(())
    }

    /// Device answers, read back.
    fn answers(
        &self,
        gpu: &Gpu,
        reducer: &Reducer<T, O>,
        elements: &[T],
        buffer: &wgpu::Buffer,
        cases: &[(usize, usize)],
    ) -> Result<()> {
        let words = reducer.answer_words();
        if words == 0 {
            return Ok(());
        }
        let size = (cases.len() * words * 4) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let device = gpu.device();
        let answers =
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let mut encoder = device.create_command_encoder(&Default::default());
        for (number, &(first, n)) in cases.iter().enumerate() {
            let at = (number * words * 4) as u64;
            let output = Output::bare(answers.slice(at..at + words as u64 * 4));
            reducer.record(&mut encoder, Input::range(buffer, first as u64..(first + n) as u64), output)?;
        }
        gpu.queue().submit([encoder.finish()]);
        let found = gpu.download(&answers)?;
        for (&(first, n), words) in cases.iter().zip(found.chunks(words)) {
            let here = &elements[first..first + n];
            let at = || format!("{n} elements from {first} on");
            let want = self.op.finish(self.plain(here, 0), n as u64);
            // Words that stand for no answer are the operator's own business.
            if n > 0 || want.as_ref().is_ok_and(|want| !format!("{want:?}").contains("None")) {
                self.same("the device answer", &at, self.op.read(words, n as u64), want, here, true)?;
            }
        }
        Ok(())
    }

    /// Several buffers, a stream, and partials of device and host.
    fn in_parts(&self, gpu: &Gpu, reducer: &Reducer<T, O>, elements: &[T], buffer: &wgpu::Buffer) -> Result<()> {
        let n = 1501;
        let here = &elements[1..1 + n];
        let want = || self.plain(here, 0);
        let cut = 700;
        let other = upload(gpu, &here[cut..]);
        let both = [
            Input::<T>::range(buffer, 1..1 + cut as u64),
            Input::range(&other, 0..10),
            Input::range(&other, 10..(n - cut) as u64),
        ];
        let got = reducer.accumulate(&[Input::concat(both)], 0)?.pop().ok_or(Error::ResultMissing)?;
        self.same_acc("several buffers", &|| format!("{n} elements in three parts"), (got.0, want()), here)?;
        let mut options = StreamOptions::default();
        (options.memory_bytes, options.elements_hint) = (1 << 20, Some(100));
        let mut stream = gpu.stream::<T, O>(self.op.clone(), &options)?;
        for part in here.chunks(233) {
            stream.push(part)?;
        }
        let got = stream.finish().map(|finished| finished.output);
        let finish = |acc| self.op.finish(acc, n as u64);
        self.same("a stream", &|| format!("{n} elements in parts of 233"), got, finish(want()), here, false)?;
        let front = reducer.partial_at(Input::range(buffer, 1..1 + cut as u64), 0)?;
        let back = Cpu::with_threads(1).partial_at(self.op.clone(), &here[cut..], cut as u64);
        let got = front.merge(back)?.finish();
        self.same("merged partials", &|| format!("{n} elements, cut at {cut}"), got, finish(want()), here, false)
    }
}

fn show<R: std::fmt::Debug>(result: &Result<R>) -> String {
    match result {
        Ok(output) => format!("{output:?}"),
        Err(error) => error.to_string(),
    }
}

/// Whether the operator's accumulator holds positions.
fn has_offset<T: Element, O: Op<T>>(op: &O) -> Result<bool> {
    let op = DeviceOp::new::<T, O>(op, Keep::Registers)?;
    Ok(op.folds.iter().any(|fold| fold.value().is_some_and(|wgsl| wgsl.offset.is_some())))
}

fn upload<T: Element>(gpu: &Gpu, elements: &[T]) -> wgpu::Buffer {
    let mut contents: Vec<u8> = bytemuck::cast_slice(elements).to_vec();
    contents.resize(contents.len().next_multiple_of(4).max(4), 0);
    let (label, usage) = (Some("treefold: check"), BufferUsages::STORAGE);
    gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents: &contents, usage })
}
