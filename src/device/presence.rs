//! Whether a device is still there, whether a queue is its own, and what wgpu says of objects of another device: by itself it
//! tells none of these in time.

use crate::error::Error;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use wgpu::{BufferUsages, DeviceLostReason, ErrorFilter};

/// Why a device was lost, as wgpu tells its callback.
#[derive(Debug, Default)]
pub(crate) struct Loss(OnceLock<String>);

impl Loss {
    /// Of a device that this crate opened itself; on an app's own, the callback is the app's.
    pub fn of(device: &wgpu::Device) -> Arc<Loss> {
        let loss = Arc::new(Loss::default());
        let told = loss.clone();
        device.set_device_lost_callback(move |reason, message| {
            let reason = match reason {
                DeviceLostReason::Destroyed => "it was destroyed (Device::destroy)",
                DeviceLostReason::Unknown => "its driver gave it up",
            };
            let message = if message.is_empty() { reason.into() } else { format!("{reason}: {message}") };
            // wgpu tells once.
            let _ = told.0.set(message);
        });
        loss
    }

    pub fn reason(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Whether the device is there. wgpu keeps silent about every error of a lost device; so one that it must report tells. No
/// handler of the program hears of it. In browsers an error is a promise, and this is not asked.
pub(super) fn is_there(device: &wgpu::Device) -> bool {
    let no_usage =
        wgpu::BufferDescriptor { label: None, size: 4, usage: BufferUsages::empty(), mapped_at_creation: false };
    cfg!(target_arch = "wasm32") || hears(device, || drop(device.create_buffer(&no_usage)))
}

/// Whether the queue is the device's own. `constant` is a buffer of the device without `COPY_DST`: the refusal of a write of
/// nothing to it is heard by the queue's own device. Ids may collide between instances, so that wgpu takes another buffer
/// for it; then, too, this device hears nothing. Where wgpu panics instead, the panic ends here.
pub(super) fn owns(device: &wgpu::Device, queue: &wgpu::Queue, constant: &wgpu::Buffer) -> bool {
    let heard = || hears(device, || queue.write_buffer(constant, 0, &[]));
    cfg!(target_arch = "wasm32") || catch_unwind(AssertUnwindSafe(heard)).unwrap_or(false)
}

/// Whether a scope of the device hears an error of these calls.
fn hears(device: &wgpu::Device, calls: impl FnOnce()) -> bool {
    let scope = device.push_error_scope(ErrorFilter::Validation);
    calls();
    pollster::block_on(scope.pop()).is_some()
}

/// Calls that may be given objects of another wgpu instance, whose ids mean nothing here or mean something else: wgpu panics
/// then, and nothing tells such an object beforehand. The panic becomes an error, unless the program is built to abort; in
/// browsers there is none.
pub(super) fn caught<R>(what: &'static str, calls: impl FnOnce() -> R) -> Result<R, Error> {
    catch_unwind(AssertUnwindSafe(calls)).map_err(|panic| refusal(what, text(&*panic)))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("wgpu panicked: {}", text.unwrap_or("without a text"))
}

/// A message of wgpu as an error: its two ways to say that an object is another device's have one of their own.
pub(super) fn refusal(what: &'static str, message: String) -> Error {
    match message.contains("doesn't match Device") || message.contains("Cannot get ") {
        true => Error::Foreign { what, message },
        false => Error::Refused { what, message },
    }
}
