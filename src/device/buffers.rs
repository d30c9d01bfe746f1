//! Buffers of a device: scratch that all records share, and constants that nothing changes.

use super::context::{Context, lock};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Mutex;
use wgpu::BufferUsages;

impl Context {
    pub fn buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        self.create_buffer(what, size, usage, false)
    }

    /// A buffer that is mapped for writing from the start.
    pub fn mapped_buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        self.create_buffer(what, size, usage, true)
    }

    fn create_buffer(&self, what: &'static str, size: u64, usage: BufferUsages, mapped: bool) -> Result<wgpu::Buffer> {
        let most = self.device.limits().max_buffer_size;
        if size > most {
            return Err(Error::LimitTooSmall { limit: "max_buffer_size", value: most, needs: size });
        }
        let label = format!("treefold: {what}");
        self.guarded(what, size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&label),
                size,
                usage,
                mapped_at_creation: mapped,
            })
        })
    }

    /// The partials of the reduction that is being recorded. One buffer serves all: each record writes and reads it within
    /// its own few dispatches, and what is recorded elsewhere runs before or after those.
    pub fn partials(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(0, "partials", bytes)
    }

    /// The accumulators of rows whose answers take several; as for partials.
    pub fn accumulators(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(1, "accumulators", bytes)
    }

    /// The marks of runs of equal keys, and the numbers of tiles; as for partials.
    pub fn marks(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(2, "marks of runs", bytes)
    }

    /// The offsets of runs of equal keys; as for partials.
    pub fn offsets(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(3, "offsets of runs", bytes)
    }

    fn scratch(&self, number: usize, what: &'static str, bytes: u64) -> Result<wgpu::Buffer> {
        let scratch = &mut lock(&self.scratch)[number];
        match scratch {
            Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
            _ => {
                let size = bytes.next_power_of_two().max(4096).min(self.device.limits().max_buffer_size).max(bytes);
                let buffer = self.buffer(what, size, BufferUsages::STORAGE)?;
                *scratch = Some(buffer.clone());
                Ok(buffer)
            }
        }
    }

    /// A uniform buffer with these contents, from the cache where it was made before. Nothing ever changes it.
    pub fn parameters(&self, bytes: Vec<u8>) -> Result<wgpu::Buffer> {
        // Those of long plans are large, and seldom the same.
        const KEPT_BYTES: usize = 16 << 10;
        if bytes.len() > KEPT_BYTES {
            return self.filled("parameters", &bytes, BufferUsages::UNIFORM);
        }
        self.constant(&self.parameters, bytes, "parameters", BufferUsages::UNIFORM)
    }

    /// A storage buffer with an operator's table, from the cache where it was made before. Nothing ever changes it.
    pub fn table(&self, words: Vec<u32>) -> Result<wgpu::Buffer> {
        self.constant(&self.tables, words, "a table", BufferUsages::STORAGE)
    }

    /// A buffer with these contents.
    pub fn filled(&self, what: &'static str, bytes: &[u8], usage: BufferUsages) -> Result<wgpu::Buffer> {
        let buffer = self.mapped_buffer(what, bytes.len() as u64, usage)?;
        fill(&buffer, 0, bytes).map_err(|error| self.diagnosed(error))?;
        buffer.unmap();
        Ok(buffer)
    }

    fn constant<W: bytemuck::Pod + Eq + std::hash::Hash>(
        &self,
        cache: &Mutex<HashMap<Vec<W>, wgpu::Buffer>>,
        contents: Vec<W>,
        what: &'static str,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer> {
        const KEPT: usize = 1024;
        if let Some(buffer) = lock(cache).get(&contents) {
            return Ok(buffer.clone());
        }
        let buffer = self.filled(what, bytemuck::cast_slice(&contents), usage)?;
        let mut cache = lock(cache);
        if cache.len() >= KEPT {
            cache.clear();
        }
        cache.insert(contents, buffer.clone());
        Ok(buffer)
    }
}

/// Writes bytes into a mapped buffer.
pub(crate) fn fill(buffer: &wgpu::Buffer, at: u64, bytes: &[u8]) -> Result<()> {
    let refused = |error: wgpu::MapRangeError| Error::Refused { what: "mapped memory", message: error.to_string() };
    // A mapped range begins at a multiple of 8 and has a multiple of 4 bytes.
    let (before, end) = ((at % 8) as usize, at + bytes.len() as u64);
    let mut view = buffer.get_mapped_range_mut(at - at % 8..end.next_multiple_of(4)).map_err(refused)?;
    view.slice(before..before + bytes.len()).copy_from_slice(bytes);
    Ok(())
}
