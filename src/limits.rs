//! Limits of a device as plain data.

use crate::error::{Error, Result};

/// Loop trips of one invocation at most, all its loops together. Software adapters stop silently at 65,535.
pub const TRIPS_MAX: u64 = 16_384;

/// The limits of a device that a plan must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bytes that one storage binding may cover.
    pub binding_bytes_max: u64,
    /// Alignment of the offset of a storage binding; a multiple of 16.
    pub storage_alignment: u64,
    /// Alignment of the offset of a uniform binding.
    pub uniform_alignment: u64,
    /// Invocations of a workgroup at most.
    pub invocations_max: u32,
    /// Workgroups of a dispatch along one dimension at most.
    pub workgroups_max: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes_max: u64,
    /// Storage buffers of one shader.
    pub storage_buffers_max: u32,
    /// Fewest and most lanes of a subgroup; `None` without subgroup operations.
    pub lanes: Option<(u32, u32)>,
    /// Whether shaders have integers of 64 bits.
    pub words64: bool,
}

impl Limits {
    /// Workgroups of a dispatch that a plan may have: as many as every browser takes, on whatever device.
    pub(crate) fn workgroups(&self) -> u32 {
        self.workgroups_max.min(65_535)
    }

    /// Whether kernels may have integers of 64 bits, in the order in which they are tried: with them first, where shaders have them.
    pub(crate) fn ways64(&self) -> &'static [bool] {
        if self.words64 { &[true, false] } else { &[false] }
    }

    /// Reads them off a device.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where no plan could keep the device's limits.
    pub fn of(device: &wgpu::Device) -> Result<Limits> {
        let (limits, info) = (device.limits(), device.adapter_info());
        let subgroups = device.features().contains(wgpu::Features::SUBGROUP) && info.subgroup_min_size >= 4;
        let storage_alignment = u64::from(limits.min_storage_buffer_offset_alignment).max(16);
        let needs = [
            ("max_storage_buffers_per_shader_stage", u64::from(limits.max_storage_buffers_per_shader_stage), 3),
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size, 2 * storage_alignment),
            ("max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup.into(), 1),
            ("max_compute_workgroup_size_x", limits.max_compute_workgroup_size_x.into(), 1),
            ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension.into(), 1),
            ("max_compute_workgroup_storage_size", limits.max_compute_workgroup_storage_size.into(), 256),
            ("max_compute_workgroup_size_y", limits.max_compute_workgroup_size_y.into(), 1),
            ("max_compute_workgroup_size_z", limits.max_compute_workgroup_size_z.into(), 1),
            ("max_bind_groups", limits.max_bind_groups.into(), 1),
            ("max_bindings_per_bind_group", limits.max_bindings_per_bind_group.into(), 4),
            ("max_uniform_buffers_per_shader_stage", limits.max_uniform_buffers_per_shader_stage.into(), 1),
            ("max_buffer_size", limits.max_buffer_size, 2 * storage_alignment),
        ];
        if let Some(&(limit, value, needs)) = needs.iter().find(|&&(_, value, needs)| value < needs) {
            return Err(Error::LimitTooSmall { limit, value, needs });
        }
        Ok(Limits {
            // Vulkan and DX12 end at 2^31 - 4 bytes; Metal has computed wrongly past 2^32.
            binding_bytes_max: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min((1 << 31) - 4)
                / storage_alignment
                * storage_alignment,
            storage_alignment,
            uniform_alignment: u64::from(limits.min_uniform_buffer_offset_alignment).max(16),
            invocations_max: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
            workgroups_max: limits.max_compute_workgroups_per_dimension,
            workgroup_bytes_max: limits.max_compute_workgroup_storage_size.into(),
            storage_buffers_max: limits.max_storage_buffers_per_shader_stage,
            lanes: subgroups.then_some((info.subgroup_min_size, info.subgroup_max_size)),
            words64: device.features().contains(wgpu::Features::SHADER_INT64),
        })
    }
}
