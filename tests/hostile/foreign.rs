//! Buffers, queues and encoders of another device and of another wgpu instance.

use super::common::{adapter, gpu, upload};
use super::noop::{buffer, heard, instance, nothing_heard, plain};
use treefold::ops::{FastSum, Max, Sum};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Error, Gpu, Input, Reducer};

fn foreign<R: std::fmt::Debug>(outcome: Result<R, Error>, what: &str) {
    assert!(matches!(outcome, Err(Error::Foreign { .. })), "{what}: {outcome:?}");
}

/// Two devices of one instance, and two of different ones.
#[test]
fn a_queue_of_another_device() {
    let (one, other) = (instance(), instance());
    let (a, b, c) = (plain(&one), plain(&one), plain(&other));
    for (queue, of) in [(&b.1, "the same instance"), (&c.1, "another instance")] {
        foreign(Reducer::<f32, _>::new(&a.0, queue, Max), of);
        foreign(Gpu::from_device(&a.0, queue), of);
    }
    // A handler of the program's own, which does not panic, hides nothing.
    let handlers = [heard(&b.0), heard(&c.0)];
    for (queue, of) in [(&b.1, "the same instance"), (&c.1, "another instance")] {
        foreign(Reducer::<f32, _>::new(&a.0, queue, Max), of);
    }
    drop(handlers);
    let own = heard(&a.0);
    Reducer::<f32, _>::new(&a.0, &a.1, Max).expect("its own queue");
    nothing_heard(&own, &"its own queue");
}

/// Whatever number the queue's buffers have, those of the other instance are left as they are.
#[test]
fn a_queue_of_another_instance_where_numbers_collide() {
    for before in 0..6 {
        let (a, b) = (plain(&instance()), plain(&instance()));
        let live: Vec<_> = (0..before * 4).map(|_| buffer(&b.0, 64)).collect();
        foreign(Reducer::<f32, _>::new(&a.0, &b.1, Max), &format!("{before} live buffers"));
        drop(live);
    }
}

#[test]
fn a_buffer_of_another_device() {
    let (one, other) = (instance(), instance());
    let (a, b, c) = (plain(&one), plain(&one), plain(&other));
    let handlers = [heard(&a.0), heard(&b.0), heard(&c.0)];
    let reducer = Reducer::<f32, _>::new(&a.0, &a.1, FastSum).expect("a reducer");
    let (mine, place) = (buffer(&a.0, 64), buffer(&a.0, 64));
    // Numbers that no buffer of the first instance has.
    let many: Vec<_> = (0..200).map(|_| buffer(&c.0, 64)).collect();
    let far = many.last().expect("a buffer");
    let near = buffer(&b.0, 64);
    for (theirs, of) in [(&near, "the same instance"), (far, "another instance")] {
        let mut encoder = a.0.create_command_encoder(&Default::default());
        foreign(reducer.record(&mut encoder, theirs, &place), of);
        foreign(reducer.record(&mut encoder, &mine, theirs), of);
        foreign(reducer.reduce(theirs), of);
        foreign(reducer.reduce_each(Input::from(theirs).rows(4)), of);
        foreign(reducer.partial(theirs), of);
        foreign(pollster::block_on(reducer.reduce_async(theirs)), of);
        // The encoder and the reducer are as good as before.
        reducer.record(&mut encoder, &mine, &place).expect("a record");
        a.1.submit([encoder.finish()]);
    }
    handlers.iter().for_each(|handler| nothing_heard(handler, &"buffers of another device"));
}

#[test]
fn an_encoder_of_another_instance() {
    let (a, b) = (plain(&instance()), plain(&instance()));
    let reducer = Reducer::<f32, _>::new(&a.0, &a.1, FastSum).expect("a reducer");
    let (mine, place) = (buffer(&a.0, 64), buffer(&a.0, 64));
    let mut encoder = b.0.create_command_encoder(&Default::default());
    foreign(reducer.record(&mut encoder, &mine, &place), "an encoder");
    b.1.submit([encoder.finish()]);
}

/// All `Gpu`s share an instance, so that wgpu knows whose each buffer is: no number stands for two of them.
#[test]
fn buffers_of_another_gpu() {
    let (one, other) = (gpu(), Gpu::named(&gpu().info().name).expect("the adapter under test"));
    let wanted: Vec<u32> = (0..1000).collect();
    let (mine, theirs) = (upload(&one, &wanted), upload(&other, &[7u32; 1000]));
    let sum = one.reducer::<u32, _>(Sum).expect("a reducer");
    foreign(sum.reduce(&theirs), "a buffer of another Gpu");
    foreign(Reducer::<u32, _>::new(one.device(), other.queue(), Sum), "a queue of another Gpu");
    assert_eq!(sum.reduce(&mine).expect("a sum"), 499_500);
}

/// A program's own instance beside the library's: an error wherever numbers do not collide.
#[test]
fn buffers_of_a_programs_own_instance() {
    let (device, queue) = pollster::block_on(adapter().request_device(&Default::default())).expect("a device");
    let size =
        |size| wgpu::BufferDescriptor { label: None, size, usage: BufferUsages::STORAGE, mapped_at_creation: false };
    let many: Vec<_> = (0..5000).map(|_| device.create_buffer(&size(16))).collect();
    let sum = gpu().reducer::<u32, _>(Sum).expect("a reducer");
    foreign(sum.reduce(many.last().expect("a buffer")), "a buffer of another instance");
    foreign(Reducer::<u32, _>::new(gpu().device(), &queue, Sum), "a queue of another instance");
}
