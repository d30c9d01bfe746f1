//! Launch shapes: one row per class of adapter, with the measurement beside each number.

use crate::error::{Error, Result};

/// Which elements an invocation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A workgroup reads a tile at a time, neighbouring invocations neighbouring quads, so that a subgroup's loads coalesce. For
    /// GPUs.
    Strided,
    /// Each invocation reads a block of its own. For CPUs, and for operators whose order is strict.
    Blocked,
}

/// The shape of a reduction's dispatches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// Invocations of a workgroup in the first of two passes; a power of two.
    pub workgroup_size: u32,
    /// Invocations of the one workgroup that reduces small inputs and partials; a power of two.
    pub single_workgroup_size: u32,
    /// Workgroups of a dispatch, at most.
    pub workgroups_max: u32,
    /// 16-byte loads that an invocation has under way before it uses the first: 1 to 16.
    pub loads_in_flight: u32,
    /// Inputs of up to this many elements are reduced by one workgroup in one dispatch.
    pub single_elements_max: u64,
    /// The same, where it is less, for kernels that keep bins. H200, exact_sum, `measure -- operator=exact_sum log2=15,16 single_log2=…`: one
    /// workgroup 6.8, 10.1 µs, two dispatches 6.7, 6.7.
    pub bins_single_elements_max: u64,
    /// How invocations share the input.
    pub layout: Layout,
    /// Whether to finish by subgroup shuffles where the device has them.
    pub subgroups: bool,
    /// Whether exact operators begin with bins in workgroup memory, or with each invocation's own words.
    pub bins: bool,
    /// `loads_in_flight` of kernels that keep bins, whose registers are scarce. H200, exact_sum of 2^28 f32, `measure --
    /// operator=exact_sum log2=28 loads=…`: 1: 246.7, 2: 241.4, 3: 245.7, 4: 247.0 µs.
    pub bins_loads_in_flight: u32,
    /// Bytes that one dispatch reads at most, so that none runs longer than about 100 ms.
    pub dispatch_bytes_max: u64,
}

impl Tuning {
    /// GPUs of which nothing more is known. 100 ms at 20 GB/s are 2 GB; integrated GPUs read faster than that.
    pub const GPU: Tuning = Tuning {
        workgroup_size: 256,
        single_workgroup_size: 256,
        workgroups_max: 512,
        loads_in_flight: 4,
        single_elements_max: 1 << 14,
        bins_single_elements_max: 1 << 14,
        layout: Layout::Strided,
        subgroups: true,
        bins: true,
        bins_loads_in_flight: 2,
        dispatch_bytes_max: 1 << 30,
    };

    /// NVIDIA's discrete GPUs. H200, 2^28 f32, `cargo run --release --example measure -- operator=… log2=28`: argmin 244.2,
    /// variance 237.1 µs (docs/performance.md has a sweep of shapes). One workgroup of 1024 takes 4.1 µs for 2^16 elements, two
    /// dispatches 5.9 (`operator=sum log2=16 single_log2=10`).
    pub const NVIDIA: Tuning = Tuning {
        workgroup_size: 1024,
        single_workgroup_size: 1024,
        workgroups_max: 264,
        loads_in_flight: 4,
        single_elements_max: 1 << 16,
        bins_single_elements_max: 1 << 15,
        dispatch_bytes_max: 1 << 31,
        ..Tuning::GPU
    };

    /// Software adapters on a CPU. lavapipe on two cores, 2^24 f32, `measure -- log2=24 window_log2=25 groups=8`: 7.5 GB/s;
    /// with `layout=strided` 1.6. Groups of 8 to 64 invocations and 8 to 16 groups differ by less than its noise.
    pub const CPU: Tuning = Tuning {
        workgroup_size: 32,
        single_workgroup_size: 32,
        workgroups_max: 16,
        loads_in_flight: 4,
        single_elements_max: 1 << 12,
        bins_single_elements_max: 1 << 12,
        layout: Layout::Blocked,
        subgroups: false,
        bins: false,
        bins_loads_in_flight: 4,
        dispatch_bytes_max: 64 << 20,
    };

    /// The row of an adapter.
    pub fn of(info: &wgpu::AdapterInfo) -> Tuning {
        const NVIDIA: u32 = 0x10de;
        match info.device_type {
            wgpu::DeviceType::Cpu => Tuning::CPU,
            wgpu::DeviceType::DiscreteGpu if info.vendor == NVIDIA => Tuning::NVIDIA,
            _ => Tuning::GPU,
        }
    }

    /// # Errors
    /// [`Error::BadTuning`] names the first number that no plan could keep.
    pub(crate) fn check(&self) -> Result<()> {
        let numbers = [
            ("workgroup_size", self.workgroup_size.into(), self.workgroup_size.is_power_of_two(), "a power of two"),
            (
                "single_workgroup_size",
                self.single_workgroup_size.into(),
                self.single_workgroup_size.is_power_of_two(),
                "a power of two",
            ),
            ("workgroups_max", self.workgroups_max.into(), (1..=65535).contains(&self.workgroups_max), "1 to 65535"),
            ("loads_in_flight", self.loads_in_flight.into(), (1..=16).contains(&self.loads_in_flight), "1 to 16"),
            (
                "bins_loads_in_flight",
                self.bins_loads_in_flight.into(),
                (1..=16).contains(&self.bins_loads_in_flight),
                "1 to 16",
            ),
            ("dispatch_bytes_max", self.dispatch_bytes_max, self.dispatch_bytes_max >= 1024, "at least 1024"),
        ];
        match numbers.into_iter().find(|&(_, _, good, _)| !good) {
            Some((what, value, _, rule)) => Err(Error::BadTuning { what, value, rule }),
            None => Ok(()),
        }
    }
}
