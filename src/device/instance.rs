//! One wgpu instance for the whole process: wgpu numbers buffers, queues and encoders instance by instance, so that those of two
//! instances could be taken for each other.

#[cfg(not(target_arch = "wasm32"))]
use super::presence::caught;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::OnceLock;
use wgpu::{Backends, Instance, InstanceDescriptor};

/// Every adapter of these backends. Those of OpenGL come from an instance of their own, which is made only where they are
/// asked for, because its libraries may complain on standard error.
pub(super) async fn adapters(backends: Backends) -> Vec<wgpu::Adapter> {
    let mut adapters = Vec::new();
    for part in [backends - Backends::GL, backends & Backends::GL] {
        if !part.is_empty() {
            adapters.extend(found(part).await);
        }
    }
    adapters
}

/// The adapters of these backends. Where there is no memory for it wgpu panics; then there are none.
#[cfg(not(target_arch = "wasm32"))]
async fn found(backends: Backends) -> Vec<wgpu::Adapter> {
    let adapters = || pollster::block_on(instance(backends).enumerate_adapters(backends));
    caught("finding adapters", adapters).unwrap_or_else(|error| {
        log::warn!("{error}");
        Vec::new()
    })
}

#[cfg(target_arch = "wasm32")]
async fn found(backends: Backends) -> Vec<wgpu::Adapter> {
    instance(backends).enumerate_adapters(backends).await
}

/// The process's instance of OpenGL, or of all other backends. In browsers, whose objects stay in their thread, a new one:
/// there they have no numbers.
fn instance(backends: Backends) -> Instance {
    let new = |backends| {
        let descriptor = InstanceDescriptor::new_without_display_handle_from_env();
        Instance::new(InstanceDescriptor { backends, ..descriptor })
    };
    #[cfg(target_arch = "wasm32")]
    return new(backends);
    #[cfg(not(target_arch = "wasm32"))]
    {
        static GL: OnceLock<Instance> = OnceLock::new();
        static OTHERS: OnceLock<Instance> = OnceLock::new();
        match backends.contains(Backends::GL) {
            true => GL.get_or_init(|| new(Backends::GL)).clone(),
            false => OTHERS.get_or_init(|| new(Backends::all() - Backends::GL)).clone(),
        }
    }
}
