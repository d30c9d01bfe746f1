//! All devices of a host: which adapters they are, each once.

use super::environment::may_block;
use super::gpu::{Gl, Gpu, hardware, not_found, ranked};
use crate::error::{Error, Result};
use wgpu::AdapterInfo;

impl Gpu {
    /// Opens every device of this machine that is hardware and not behind OpenGL, the best first, each once: two adapters with the same address
    /// on the PCI bus are one device behind two drivers or APIs, of which the better is opened; where an address is not known, adapters
    /// of two APIs count as one device. What does not open is left out, with a warning in the log, as long as another one does.
    ///
    /// ```no_run
    /// use treefold::{Engine, Gpu, Team, ops::Sum};
    /// let engine = Engine::Team(Team::of(Gpu::all()?, None)); // Engine::all has the CPU engine take part, too
    /// assert_eq!(engine.reduce(Sum, &[1.0f32, 2.0])?, 3.0);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SoftwareOnly`], [`Error::NoAdapter`], [`Error::UnknownBackend`]; [`Error::DeviceRefused`] where none opens.
    pub fn all() -> Result<Vec<Gpu>> {
        Gpu::up_to(usize::MAX)
    }

    /// The first of them, at most so many that open.
    pub(crate) fn up_to(most: usize) -> Result<Vec<Gpu>> {
        may_block("Gpu::all", "Gpu::new_async")?;
        pollster::block_on(async {
            let adapters = ranked(Gl::IfAsked).await?;
            let infos: Vec<AdapterInfo> = adapters.iter().map(wgpu::Adapter::get_info).collect();
            hardware(&infos)?;
            let taken = devices(&infos);
            let (mut opened, mut refused) = (Vec::new(), None);
            for (adapter, _) in adapters.into_iter().zip(taken).filter(|(_, taken)| *taken) {
                if opened.len() == most {
                    break;
                }
                match Gpu::open(adapter).await {
                    Ok(gpu) => opened.push(gpu),
                    Err(error) => {
                        log::warn!("{error}");
                        refused = Some(error);
                    }
                }
            }
            match refused {
                Some(error) if opened.is_empty() => Err(error),
                _ => Ok(opened),
            }
        })
    }

    /// Opens the adapters of a list of numbers, `0,1`, in its order, software and OpenGL included; `None` where the text is no such list: digits
    /// and at least one comma.
    pub(crate) async fn numbered(wanted: &str) -> Option<Result<Vec<Gpu>>> {
        if is_list(wanted) { Some(Gpu::open_numbers(wanted.trim()).await) } else { None }
    }

    async fn open_numbers(list: &str) -> Result<Vec<Gpu>> {
        let mut adapters: Vec<_> = ranked(Gl::Too).await?.into_iter().map(Some).collect();
        let infos: Vec<AdapterInfo> = adapters.iter().flatten().map(wgpu::Adapter::get_info).collect();
        let mut opened = Vec::new();
        for word in list.split(',') {
            let number = word.parse().ok().filter(|&number: &usize| number < adapters.len());
            let place = number.and_then(|number| adapters.get_mut(number));
            let adapter = place.ok_or_else(|| not_found(list, &infos))?.take();
            opened.push(Gpu::open(adapter.ok_or_else(|| Error::AdapterTwice { wanted: list.into() })?).await?);
        }
        Ok(opened)
    }
}

/// Whether a text is a list of adapters' numbers.
pub(crate) fn is_list(wanted: &str) -> bool {
    let list = wanted.trim();
    list.contains(',') && list.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Which of the adapters, the best first, are devices of their own that are hardware.
fn devices(ranked: &[AdapterInfo]) -> Vec<bool> {
    let mut taken: Vec<&AdapterInfo> = Vec::new();
    let own = |info: &AdapterInfo, taken: &[&AdapterInfo]| {
        hardware(std::slice::from_ref(info)).is_ok() && !taken.iter().any(|other| same(info, other))
    };
    let mut all = Vec::new();
    for info in ranked {
        let one = own(info, &taken);
        taken.extend(one.then_some(info));
        all.push(one);
    }
    all
}

/// Whether two adapters may be one device: by its address where both tell it, else by their API.
fn same(one: &AdapterInfo, other: &AdapterInfo) -> bool {
    let addresses = [&one.device_pci_bus_id, &other.device_pci_bus_id];
    if addresses.iter().any(|address| address.is_empty()) {
        return one.backend != other.backend;
    }
    addresses[0] == addresses[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::{Backend, DeviceType};

    #[test]
    fn each_device_is_taken_once() {
        let adapter = |backend, device_type, address: &str| {
            let mut info = AdapterInfo::new(device_type, backend);
            info.device_pci_bus_id = address.into();
            info
        };
        let discrete = |backend, address| adapter(backend, DeviceType::DiscreteGpu, address);
        let (vulkan, dx12) = (Backend::Vulkan, Backend::Dx12);
        for (list, taken) in [
            (vec![], &[][..]),
            (vec![discrete(vulkan, "01:00.0"), discrete(vulkan, "02:00.0")], &[true, true]),
            // One device behind two APIs, and behind two drivers of one API.
            (vec![discrete(vulkan, "01:00.0"), discrete(dx12, "01:00.0")], &[true, false]),
            (vec![discrete(vulkan, "01:00.0"), discrete(vulkan, "01:00.0")], &[true, false]),
            // Without addresses two of one API are two, and those of another API may be the same.
            (vec![discrete(vulkan, ""), discrete(vulkan, ""), discrete(dx12, "")], &[true, true, false]),
            (vec![discrete(vulkan, ""), discrete(dx12, "01:00.0")], &[true, false]),
            (vec![discrete(vulkan, "01:00.0"), discrete(vulkan, "")], &[true, true]),
            (vec![adapter(vulkan, DeviceType::Cpu, ""), discrete(dx12, "01:00.0")], &[false, true]),
            (vec![adapter(Backend::Gl, DeviceType::DiscreteGpu, "")], &[false]),
            (vec![discrete(vulkan, "01:00.0"), adapter(vulkan, DeviceType::IntegratedGpu, "00:02.0")], &[true, true]),
        ] {
            assert_eq!(devices(&list), taken, "{list:?}");
        }
    }
}
