//! Devices that do nothing, with limits as a test wants them, and whatever wgpu reports to a program's own handler.

use std::sync::{Arc, Mutex};
use treefold::wgpu::{self, BufferUsages, Features, Limits};

pub type On = (wgpu::Device, wgpu::Queue);

/// With every feature that a device here may have, and subgroups of 8 to 32.
pub fn instance() -> wgpu::Instance {
    instance_of(wgpu::NoopBackendOptions {
        features: Some(Features::all_webgpu_mask() | Features::SUBGROUP | Features::MAPPABLE_PRIMARY_BUFFERS),
        subgroup_min_size: Some(8),
        subgroup_max_size: Some(32),
        ..wgpu::NoopBackendOptions::enabled()
    })
}

pub fn instance_of(options: wgpu::NoopBackendOptions) -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop = options;
    wgpu::Instance::new(descriptor)
}

pub fn open(instance: &wgpu::Instance, features: Features, limits: Limits) -> On {
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).expect("the noop adapter");
    let wanted = wgpu::DeviceDescriptor { required_features: features, required_limits: limits, ..Default::default() };
    pollster::block_on(adapter.request_device(&wanted)).expect("a noop device")
}

pub fn plain(instance: &wgpu::Instance) -> On {
    open(instance, Features::empty(), Limits::downlevel_defaults())
}

pub fn buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// The errors that a program's own handler hears of a device, from now on.
pub fn heard(device: &wgpu::Device) -> Arc<Mutex<Vec<String>>> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let theirs = heard.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        theirs.lock().expect("a list").push(error.to_string());
    }));
    heard
}

pub fn nothing_heard(heard: &Mutex<Vec<String>>, after: &dyn std::fmt::Display) {
    let heard = heard.lock().expect("a list");
    assert!(heard.is_empty(), "{after}: {heard:?}");
}
