//! A device's cache: pipelines that its driver has compiled, verdicts of self-tests and launch policies, from one process to the next.

use super::context::{Context, lock};
use super::knowledge::{Digest, Knowledge};
use crate::error::{Error, Result};
use crate::plan::Tuning;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use wgpu::Features;

/// What is kept, once a program asks for it.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Option<Learned>>);

struct Learned {
    identity: String,
    pipelines: wgpu::PipelineCache,
    verdicts: BTreeMap<u128, bool>,
    tuning: Option<Tuning>,
    /// Length and checksum of the bytes that were taken.
    taken: Option<(usize, u32)>,
}

impl Context {
    /// Begins to keep what is learned, with what these bytes say; where they are refused, with nothing.
    ///
    /// # Safety
    /// They must be what [`Context::cache`] gave, or fail their checks.
    pub unsafe fn load_cache(&self, bytes: &[u8]) -> Result<()> {
        let none = |why: &str| Error::NoCache { adapter: self.device.adapter_info().name, why: why.into() };
        if self.patch.is_some() {
            return Err(none("its texts are patched"));
        }
        if !self.device.features().contains(Features::PIPELINE_CACHE) {
            return Err(none("it was opened without Features::PIPELINE_CACHE, or has not got it"));
        }
        // SAFETY: no bytes are given.
        let empty = unsafe { self.pipeline_cache(None) }?;
        let build = empty.get_data().and_then(|data| self.build(&data));
        let build = build.ok_or_else(|| none("its driver does not say which build it is"))?;
        let identity = self.identity(&build).ok_or_else(|| none("wgpu has no key for its backend"))?;
        let read = if bytes.is_empty() { Ok(Knowledge::default()) } else { Knowledge::read(bytes, &identity) };
        let (Knowledge { verdicts, tuning, pipelines: data }, refused) = match read {
            Ok(known) => (known, None),
            Err(why) => (Knowledge::default(), Some(Error::CacheRefused { bytes: bytes.len(), why })),
        };
        log::debug!("cache: {} verdicts and {} bytes of the driver's", verdicts.len(), data.len());
        let pipelines = match data.is_empty() {
            true => empty,
            // SAFETY: the caller promises that wgpu gave them, and they are whole and of this build of the driver.
            false => unsafe { self.pipeline_cache(Some(&data)) }.unwrap_or(empty),
        };
        let taken = refused.is_none() && !bytes.is_empty();
        let taken = taken.then(|| (bytes.len(), crc32fast::hash(bytes)));
        if let Some(tuning) = tuning {
            // The first one stays, as plans may have been made by it.
            log::info!("launch policies that were kept: {tuning:?}");
            let _ = self.tuned.set(tuning);
        }
        *lock(&self.cache.0) = Some(Learned { identity, pipelines, verdicts, tuning, taken });
        refused.map_or(Ok(()), Err)
    }

    /// What is kept, in at most so many bytes: the driver's where there is room for them, too. `None` where nothing is kept, or no
    /// more than was taken.
    pub fn cache(&self, bytes_max: usize) -> Option<Vec<u8>> {
        let (identity, handle, verdicts, tuning, taken) = {
            let kept = lock(&self.cache.0);
            let kept = kept.as_ref()?;
            (kept.identity.clone(), kept.pipelines.clone(), kept.verdicts.clone(), kept.tuning, kept.taken)
        };
        let mut known = Knowledge { verdicts, tuning, pipelines: handle.get_data()? };
        let mut bytes = known.to_bytes(&identity);
        if bytes.len() > bytes_max {
            // Nothing can be taken out of the driver's: it begins anew.
            known.pipelines.clear();
            bytes = known.to_bytes(&identity);
        }
        (bytes.len() <= bytes_max && taken != Some((bytes.len(), crc32fast::hash(&bytes)))).then_some(bytes)
    }

    /// Keeps launch policies for other processes, or forgets them.
    pub fn keep_tuning(&self, tuning: Option<Tuning>) -> Result<()> {
        match &mut *lock(&self.cache.0) {
            Some(kept) => kept.tuning = tuning,
            None => {
                let why = "nothing is kept until Gpu::load_cache says so".into();
                return Err(Error::NoCache { adapter: self.device.adapter_info().name, why });
            }
        }
        Ok(())
    }

    /// A name that a file of this device's cache can have, the same for all versions of its driver and of this crate.
    pub fn cache_name(&self) -> Option<String> {
        let info = self.device.adapter_info();
        let key = wgpu::util::pipeline_cache_key(&info)?;
        let parts = [&info.name, &info.driver, info.backend.to_str()];
        let digest = parts.iter().fold(Digest::new(), |digest, part| digest.and(part.as_bytes())).number();
        Some(format!("{key}_{digest:032x}"))
    }

    /// The driver's cache, for what is compiled.
    pub(super) fn pipelines_kept(&self) -> Option<wgpu::PipelineCache> {
        lock(&self.cache.0).as_ref().map(|kept| kept.pipelines.clone())
    }

    /// Whether verdicts are kept.
    pub(super) fn keeps(&self) -> bool {
        lock(&self.cache.0).is_some()
    }

    /// The verdict of a self-test of this digest.
    pub(super) fn verdict(&self, of: u128) -> Option<bool> {
        lock(&self.cache.0).as_ref()?.verdicts.get(&of).copied()
    }

    pub(super) fn keep_verdict(&self, of: u128, right: bool) {
        if let Some(kept) = &mut *lock(&self.cache.0) {
            kept.verdicts.insert(of, right);
        }
    }

    /// # Safety
    /// The bytes must be what wgpu gave for this build of the driver.
    unsafe fn pipeline_cache(&self, data: Option<&[u8]>) -> Result<wgpu::PipelineCache> {
        let descriptor = wgpu::PipelineCacheDescriptor { label: Some("treefold"), data, fallback: true };
        // SAFETY: what the caller promises.
        self.guarded("a pipeline cache", 0, || unsafe { self.device.create_pipeline_cache(&descriptor) })
    }

    /// The build of the driver, in the header that Vulkan gives every pipeline cache: its length, 32; its version, 1; vendor; device;
    /// and 16 bytes that are others whenever the driver's compiler may be another. Distributions mend drivers without another version.
    fn build(&self, data: &[u8]) -> Option<String> {
        let info = self.device.adapter_info();
        let before: Vec<u8> = [32, 1, info.vendor, info.device].into_iter().flat_map(u32::to_le_bytes).collect();
        let at = data.windows(before.len()).position(|here| here == before)?;
        let build = data.get(at + before.len()..)?.first_chunk::<16>()?;
        Some(format!("{:032x}", u128::from_be_bytes(*build)))
    }

    /// All that what is kept is true of, a line each.
    fn identity(&self, build: &str) -> Option<String> {
        let (info, features) = (self.device.adapter_info(), self.device.features());
        let mut all = format!("treefold {}\n", env!("CARGO_PKG_VERSION"));
        let key = wgpu::util::pipeline_cache_key(&info)?;
        let (wgpu::AdapterInfo { name, driver, driver_info, .. }, backend) = (&info, info.backend);
        for line in [&key, name, backend.to_str(), driver, driver_info, build] {
            // A driver's text stays on its line.
            writeln!(all, "{}", line.escape_debug()).ok()?;
        }
        writeln!(all, "{:?}, {} bits", features.bits(), usize::BITS).ok()?;
        Some(all)
    }
}
