//! Launch policies: one row per class of adapter, with the measurement beside each number.

use crate::error::{Error, Result};

/// The order in which an invocation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// A workgroup reads a tile at a time, neighbouring invocations neighbouring vectors, so that a subgroup's loads coalesce.
    /// For GPUs.
    Striped,
    /// Each invocation reads a block of its own. For CPUs, and for operators whose order is strict.
    Blocked,
}

/// The launch policy of one kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Launch {
    /// Invocations of a workgroup; a power of two.
    pub workgroup_size: u32,
    /// Workgroups of a dispatch, at most.
    pub workgroups_max: u32,
    /// 16-byte loads that an invocation has under way before it uses the first: 1 to 16.
    pub loads_in_flight: u32,
    /// Inputs of up to this many elements are reduced by one workgroup in one dispatch.
    pub single_elements_max: u64,
    /// Rows of up to this many elements are read by a few invocations each, many rows to a workgroup.
    pub short_rows_max: u64,
}

/// The launch policies of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tuning {
    /// The kernel that reads elements into values.
    pub fold: Launch,
    /// The kernel that reads elements into the bins of exact sums.
    pub bins: Launch,
    /// The kernel that counts elements in bins.
    pub counts: Launch,
    /// Invocations of the one workgroup that reduces small inputs and partials; a power of two.
    pub single_workgroup_size: u32,
    /// The order in which invocations read.
    pub order: Order,
    /// Whether workgroups reduce by subgroup shuffles where the device has them.
    pub subgroups: bool,
    /// Bins of an exact operator that each invocation may keep in words of its own; where there are more, a workgroup shares them.
    pub own_bins_max: u64,
    /// Slices of a histogram that has more bins than workgroup memory holds, at most: each is read for once, from the cache where it can.
    /// Where more were needed, counters lie in the device's memory.
    pub slices_max: u32,
    /// Bytes that one dispatch reads at most, so that none runs longer than about 100 ms.
    pub dispatch_bytes_max: u64,
}

/// Slices of a histogram's bins on a GPU, at most: all that were measured and, but for a search, may be. An H200, `measure --
/// operator=histogram range=0:1 log2=28 bins=16384,…`, in slices and with `slices_max=1`: 16,384 bins (2 slices) 561, 5295 µs; 65,536 (6)
/// 1739, 6287; 262,144 (22) 6480, 14,959; 524,288 (43) 12,637, 19,246.
const SLICES_MAX: u32 = 44;

impl Tuning {
    /// GPUs of which nothing more is known. 100 ms at 20 GB/s are 2 GB; integrated GPUs read faster than that.
    pub const GPU: Tuning = Tuning {
        fold: Launch {
            workgroup_size: 256,
            workgroups_max: 512,
            loads_in_flight: 4,
            single_elements_max: 1 << 14,
            short_rows_max: 1 << 9,
        },
        bins: Launch {
            workgroup_size: 256,
            workgroups_max: 512,
            loads_in_flight: 2,
            single_elements_max: 1 << 14,
            short_rows_max: 1 << 9,
        },
        counts: Launch {
            workgroup_size: 256,
            workgroups_max: 512,
            loads_in_flight: 4,
            single_elements_max: 1 << 14,
            short_rows_max: 1 << 9,
        },
        single_workgroup_size: 256,
        order: Order::Striped,
        subgroups: true,
        own_bins_max: 0,
        slices_max: SLICES_MAX,
        dispatch_bytes_max: 1 << 30,
    };

    /// NVIDIA's discrete GPUs; each figure of an H200, `cargo run --release --example measure -- operator=… log2=…`.
    /// `fold`, 2^28 f32: argmin 248.9, fast_variance 243.1 µs; one workgroup of 1024
    /// takes 4.8 µs for 2^16 elements, two dispatches 6.1 (`operator=fast_sum log2=16 single_log2=10`). `bins`, sum of 2^28 f32
    /// by loads in flight: 1: 251.0, 2: 246.3, 3: 249.9, 4: 251.3 µs; of 2^15 and 2^16 in one workgroup 6.9, 10.2 µs, in two
    /// dispatches 6.7, 6.7. `counts`, histogram of 2^28 f32 by loads in flight, 2 and 4: with 256 bins 253.1 and 253.1, 4096 269.6 and
    /// 263.4, 8192 359.5 and 303.2 µs; 6: 298.4, 8: 309.9.
    /// `short_rows_max`, fast_sum of 2^28 f32 in rows, each by a workgroup and by a few invocations, `operator=fast_sum axis=1
    /// short_log2=5,10 shape=…`: 2097152x128 1360.5 and 250.8 µs, 1048576x256 681.3 and 245.7, 524288x512 343.9 and 242.0.
    pub const NVIDIA: Tuning = Tuning {
        fold: Launch {
            workgroup_size: 1024,
            workgroups_max: 264,
            loads_in_flight: 4,
            single_elements_max: 1 << 16,
            short_rows_max: 1 << 10,
        },
        bins: Launch {
            workgroup_size: 1024,
            workgroups_max: 264,
            loads_in_flight: 2,
            single_elements_max: 1 << 15,
            short_rows_max: 1 << 10,
        },
        counts: Launch {
            workgroup_size: 1024,
            workgroups_max: 264,
            loads_in_flight: 4,
            single_elements_max: 1 << 15,
            short_rows_max: 1 << 10,
        },
        single_workgroup_size: 1024,
        dispatch_bytes_max: 1 << 31,
        ..Tuning::GPU
    };

    /// Software adapters on a CPU. lavapipe on two cores, 2^24 f32, `measure -- operator=fast_sum log2=24 window_log2=25
    /// groups=8`: 7.5 GB/s; with `order=striped` 1.6. Groups of 8 to 64 invocations and 8 to 16 groups differ by less than its
    /// noise. `own_bins_max`: `MESA_SHADER_CACHE_DISABLE=true treefold OPERATOR --dtype f64 --adapter 0` over 100,000 numbers takes 1.3 s
    /// for a sum, 4.9 for a norm and 11.3 for a variance; where each invocation had bins of its own, 10, 35 and more than a minute.
    /// `slices_max`: workgroup memory is memory like any other there, so that what is read again is not made up for.
    pub const CPU: Tuning = Tuning {
        fold: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 4,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        bins: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 4,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        counts: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 4,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        single_workgroup_size: 32,
        order: Order::Blocked,
        subgroups: false,
        own_bins_max: 64,
        slices_max: 1,
        dispatch_bytes_max: 64 << 20,
    };

    /// The same with changes: `Tuning::GPU.with(|tuning| tuning.fold.loads_in_flight = 8)`.
    pub fn with(mut self, change: impl FnOnce(&mut Tuning)) -> Tuning {
        change(&mut self);
        self
    }

    /// The same with every launch policy changed.
    pub fn each(mut self, change: impl Fn(&mut Launch)) -> Tuning {
        [&mut self.fold, &mut self.bins, &mut self.counts].into_iter().for_each(change);
        self
    }

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
        let power = |n: u32| (u64::from(n), n.is_power_of_two(), "a power of two");
        let loads = |n: u32| (u64::from(n), (1..=16).contains(&n), "1 to 16");
        let groups = |n: u32| (u64::from(n), (1..=65535).contains(&n), "1 to 65535");
        let bytes = self.dispatch_bytes_max;
        let numbers = [
            ("fold.workgroup_size", power(self.fold.workgroup_size)),
            ("bins.workgroup_size", power(self.bins.workgroup_size)),
            ("counts.workgroup_size", power(self.counts.workgroup_size)),
            ("single_workgroup_size", power(self.single_workgroup_size)),
            ("fold.workgroups_max", groups(self.fold.workgroups_max)),
            ("bins.workgroups_max", groups(self.bins.workgroups_max)),
            ("counts.workgroups_max", groups(self.counts.workgroups_max)),
            ("fold.loads_in_flight", loads(self.fold.loads_in_flight)),
            ("bins.loads_in_flight", loads(self.bins.loads_in_flight)),
            ("counts.loads_in_flight", loads(self.counts.loads_in_flight)),
            ("slices_max", (self.slices_max.into(), (1..=65535).contains(&self.slices_max), "1 to 65535")),
            ("dispatch_bytes_max", (bytes, bytes >= 1024, "at least 1024")),
        ];
        match numbers.into_iter().find(|&(_, (_, good, _))| !good) {
            Some((what, (value, _, rule))) => Err(Error::BadTuning { what, value, rule }),
            None => Ok(()),
        }
    }
}
