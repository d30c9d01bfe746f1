//! The surroundings of a process: whether a call may wait there, and the adapter and the backends that its environment asks for.

use crate::error::{Error, Result};
use wgpu::Backends;

/// The first line of every call that waits: refuses it in browsers.
pub(crate) fn may_block(call: &'static str, instead: &'static str) -> Result<()> {
    if cfg!(target_arch = "wasm32") { Err(Error::WouldBlock { call, instead }) } else { Ok(()) }
}

/// Whether this asks for what is used where nothing is named.
pub(crate) fn is_auto(wanted: &str) -> bool {
    wanted.trim().eq_ignore_ascii_case("auto")
}

/// The text of an environment variable; `None` where it is blank or not set.
fn told(variable: &str) -> Option<String> {
    let text = std::env::var_os(variable)?.to_string_lossy().trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// The adapter that `WGPU_ADAPTER_NAME` asks for.
pub(crate) fn name_asked() -> Option<String> {
    told("WGPU_ADAPTER_NAME")
}

/// An error where the environment asks for a backend that there is not.
pub(crate) fn check_environment() -> Result<()> {
    backends_asked().map(drop)
}

/// The backends that `WGPU_BACKEND` asks for, by wgpu's names.
pub(super) fn backends_asked() -> Result<Option<Backends>> {
    let text = told("WGPU_BACKEND").unwrap_or_default();
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(named_backend).try_fold(None, |all: Option<Backends>, one| Ok(Some(all.unwrap_or_default() | one?)))
}

fn named_backend(name: &str) -> Result<Backends> {
    let backend = Backends::from_comma_list(name);
    if backend.is_empty() {
        return Err(Error::UnknownBackend { wanted: name.into(), known: "vulkan, metal, dx12, gl" });
    }
    Ok(backend)
}
