//! Launch policies: one row per class of adapter, with the measurement beside each number.

use crate::error::{Error, Result};
use std::fmt;

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
    /// 16-byte loads that an invocation has under way before it uses the first: 1 to 16. Exact sums of f64 in bins, those of bf16 in an f64 and
    /// counts of thousands of bins may have twice as many, where the order is striped; exact sums in f64 beside places, as `stats` has them, half.
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
    /// Whether vectors are loaded as words of 64 bits where the device has them.
    pub words64: bool,
    /// Whether exact sums may stay in an f64 of each invocation as long as it holds them, where the device has `SHADER_F64` and
    /// `SHADER_INT64`: for GPUs that add those at half the rate of f32, which are few. An f64 holds
    /// many f16 whatever they are; of other data whose sizes span more powers of two than it holds together this takes longer
    /// (docs/performance.md). Where bins take what sums leave, a multiprocessor has registers for one workgroup, so that they are half as many as a
    /// policy has at most.
    pub float64: bool,
    /// Bins of an exact operator that each invocation may keep in words of its own; where there are more, a workgroup shares them.
    pub own_bins_max: u64,
    /// Many rows and columns of up to this many elements, of an exact sum of which a workgroup could hold bins only (of f64), are each found by
    /// one invocation, in words of its own.
    pub own_rows_max: u64,
    /// Slices of a histogram that has more bins than workgroup memory holds, at most: each is read for once, from the cache where it can.
    /// Where more were needed, counters lie in the device's memory, or, of a histogram beside others, in the slices of [`Tuning::GPU`].
    pub slices_max: u32,
    /// Bytes that one dispatch reads at most, so that none runs longer than about 100 ms.
    pub dispatch_bytes_max: u64,
}

/// 16-byte loads that an invocation may have under way.
pub(super) const LOADS_MAX: u32 = 16;

/// Slices of a histogram's bins on a GPU, at most: all that were measured and, but for a search, may be. An H200, `treefold bench
/// 'histogram(range=0:1,bins=16384),…' --size 2^28 --launch slices_max=44,1`: 16,384 bins (2 slices) 435, 2769 µs; 131,072 (11) 2305,
/// 8255; 524,288 (43) 8426, 12,411.
const SLICES_MAX: u32 = 44;

/// Words in the names of NVIDIA's GPUs that add f64 at half the rate of f32 (CUDA C++ Programming Guide, throughput of native arithmetic
/// instructions, compute capabilities 6.0, 7.0, 8.0, 9.0 and 10.0).
const FLOAT64_NVIDIA: [&str; 12] =
    ["P100", "V100", "V100S", "GV100", "A100", "A800", "A30", "H100", "H200", "H800", "GH200", "B200"];

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
        words64: false,
        float64: false,
        own_bins_max: 0,
        own_rows_max: 1 << 12,
        slices_max: SLICES_MAX,
        dispatch_bytes_max: 1 << 30,
    };

    /// NVIDIA's discrete GPUs; each figure of an H200, `treefold bench … --size …`.
    /// `fold`, 2^28 f32: argmin 248.9, fast_variance 243.1 µs; one workgroup of 1024
    /// takes 4.8 µs for 2^16 elements, two dispatches 6.1 (`fast_sum --size 2^16 --launch single_elements_max=1024`). `bins`, sum of 2^28 f32
    /// by loads in flight: 1: 251.0, 2: 246.3, 3: 249.9, 4: 251.3 µs; of 2^15 and 2^16 in one workgroup 6.9, 10.2 µs, in two
    /// dispatches 6.7, 6.7. `counts`, histogram of 2^28 f32 by loads in flight, 2, 3 and 4: with 256 bins 247.2, 246.9 and 246.5, 4096 250.5,
    /// 252.4 and 251.4; by workgroups, 132, 264 and 528 (`--launch workgroups_max=132,264,528`), 8192 bins 276.5, 269.5 and 263.1. By workgroups, on an
    /// H100, 132, 264, 396 and 528: 256 bins 368, 356, 386, 349, 4096 377, 362, 387, 356.
    /// `short_rows_max`, fast_sum of 2^28 f32 in rows, each by a workgroup and by a few invocations, `fast_sum --shape … --axis 1
    /// --launch short_rows_max=32,1024`: 2097152x128 1360.5 and 250.8 µs, 1048576x256 681.3 and 245.7, 524288x512 343.9 and 242.0. Of `bins`, on an
    /// H100, by `sum` in the same way with 1024 and 16384: 65536x4096 724 and 393 µs, 32768x8192 440 and 368, 16384x16384 347 and 367.
    /// `own_rows_max`: figures in run/segments.rs.
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
            short_rows_max: 1 << 13,
        },
        counts: Launch {
            workgroup_size: 1024,
            workgroups_max: 528,
            loads_in_flight: 4,
            single_elements_max: 1 << 15,
            short_rows_max: 1 << 10,
        },
        single_workgroup_size: 1024,
        dispatch_bytes_max: 1 << 31,
        ..Tuning::GPU
    };

    /// NVIDIA's GPUs for data centres, which add f64 at half the rate of f32; others have a 32nd or a 64th of it.
    pub const NVIDIA_FLOAT64: Tuning = Tuning { float64: true, ..Tuning::NVIDIA };

    /// Software adapters on a CPU. lavapipe on two cores, 2^24 f32, `treefold bench fast_sum --size 2^24 --pool 128M --launch
    /// workgroups_max=8 --launch words64=false`: 7.5 GB/s; with `order=striped` 1.6. Groups of 8 to 64 invocations and 8 to 16
    /// groups differ by less than its noise. `loads_in_flight`: by 1, 2 and 4 with 2^24 f32 (`treefold bench
    /// fast_sum,min,sum,argmax,variance --size 2^24 --pool 128M --adapter 0 --launch loads_in_flight=1,2,4`) 4.9, 4.9, 5.0 ms; 5.0, 5.0, 5.1; 37.9, 37.8,
    /// 37.6; 6.6, 6.6, 6.6; 70.8, 69.4, 70.3; but each is a copy of the operator, for a compiler that takes seconds over bins.
    /// Two of `fold` halve the dispatches of inputs whose loop trips end them, so that 2^40 elements still have a plan. `own_bins_max`: `MESA_SHADER_CACHE_DISABLE=true treefold bench
    /// sum,norm2,variance --dtype f64 --size 100000 --adapter 0 --launch own_bins_max=64,400 --json`, each alone, compiles for 0.6, 1.9 and 2.7 s;
    /// where each invocation has words of its own, 2.4, 8.9 and 11.5. `own_rows_max`: `treefold bench sum --dtype f64 --shape 4096x64
    /// --axis 1 --launch own_rows_max=0,1024` takes 85.5 and 4.0 ms, but the self-test of that kernel compiles as long. `slices_max`:
    /// workgroup memory is memory like any other there, so that what is read again is not made up for.
    pub const CPU: Tuning = Tuning {
        fold: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 2,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        bins: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 1,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        counts: Launch {
            workgroup_size: 32,
            workgroups_max: 16,
            loads_in_flight: 1,
            single_elements_max: 1 << 12,
            short_rows_max: 1 << 9,
        },
        single_workgroup_size: 32,
        order: Order::Blocked,
        subgroups: false,
        words64: true,
        float64: false,
        own_bins_max: 64,
        own_rows_max: 0,
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

    /// All of it as numbers, in a fixed order.
    pub(crate) fn numbers(&self) -> [u64; 24] {
        let Tuning { fold, bins, counts, .. } = self;
        let mut numbers = [0; 24];
        for (to, launch) in numbers.chunks_exact_mut(5).zip([fold, bins, counts]) {
            let words = [launch.workgroup_size, launch.workgroups_max, launch.loads_in_flight].map(u64::from);
            to[..3].copy_from_slice(&words);
            to[3..].copy_from_slice(&[launch.single_elements_max, launch.short_rows_max]);
        }
        numbers[15..].copy_from_slice(&[
            self.single_workgroup_size.into(),
            (self.order == Order::Blocked).into(),
            self.subgroups.into(),
            self.own_bins_max,
            self.slices_max.into(),
            self.dispatch_bytes_max,
            self.words64.into(),
            self.own_rows_max,
            self.float64.into(),
        ]);
        numbers
    }

    /// That of such numbers; `None` where no plan could keep it.
    pub(crate) fn of_numbers(numbers: &[u64]) -> Option<Tuning> {
        let launch = |at: usize| {
            let word = |n: usize| u32::try_from(numbers[5 * at + n]).ok();
            Some(Launch {
                workgroup_size: word(0)?,
                workgroups_max: word(1)?,
                loads_in_flight: word(2)?,
                single_elements_max: numbers[5 * at + 3],
                short_rows_max: numbers[5 * at + 4],
            })
        };
        if numbers.len() != 24 {
            return None;
        }
        let tuning = Tuning {
            fold: launch(0)?,
            bins: launch(1)?,
            counts: launch(2)?,
            single_workgroup_size: numbers[15].try_into().ok()?,
            order: if numbers[16] == 1 { Order::Blocked } else { Order::Striped },
            subgroups: numbers[17] == 1,
            own_bins_max: numbers[18],
            slices_max: numbers[19].try_into().ok()?,
            dispatch_bytes_max: numbers[20],
            words64: numbers[21] == 1,
            own_rows_max: numbers[22],
            float64: numbers[23] == 1,
        };
        tuning.check().is_ok().then_some(tuning)
    }

    /// The row of an adapter.
    pub fn of(info: &wgpu::AdapterInfo) -> Tuning {
        const NVIDIA: u32 = 0x10de;
        match info.device_type {
            wgpu::DeviceType::Cpu => Tuning::CPU,
            wgpu::DeviceType::DiscreteGpu if info.vendor == NVIDIA => {
                let mut words = info.name.split(|letter: char| !letter.is_ascii_alphanumeric());
                // The bits of an f64 become one by a cast that naga writes for Vulkan alone: its HLSL has one of 32 bits in its place.
                let vulkan = info.backend == wgpu::Backend::Vulkan;
                let fast = vulkan && words.any(|word| FLOAT64_NVIDIA.contains(&word));
                if fast { Tuning::NVIDIA_FLOAT64 } else { Tuning::NVIDIA }
            }
            _ => Tuning::GPU,
        }
    }

    /// # Errors
    /// [`Error::BadTuning`] names the first number that no plan could keep.
    pub(crate) fn check(&self) -> Result<()> {
        let power = |n: u32| (u64::from(n), n.is_power_of_two(), "a power of two");
        let loads = |n: u32| (u64::from(n), (1..=LOADS_MAX).contains(&n), "1 to 16");
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

/// The policy of the kernel that reads elements into values, and what is one for all; on two lines with `{:#}`.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Launch { workgroup_size, workgroups_max, loads_in_flight, .. } = self.fold;
        let order = match self.order {
            Order::Striped => "striped",
            Order::Blocked => "blocked",
        };
        let subgroups = if self.subgroups { "subgroups" } else { "no subgroups" };
        let between = if f.alternate() { "\n" } else { ", " };
        write!(
            f,
            "workgroups of {workgroup_size}, up to {workgroups_max}{between}{loads_in_flight} loads in flight, {order}, {subgroups}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By name, where Vulkan runs it.
    #[test]
    fn who_adds_f64_fast() {
        let of = |name: &str, backend| {
            let info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, backend);
            Tuning::of(&wgpu::AdapterInfo { name: name.into(), vendor: 0x10de, ..info })
        };
        for name in ["NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA A100-SXM4-40GB", "Tesla V100S-PCIE-32GB"] {
            assert_eq!(of(name, wgpu::Backend::Vulkan), Tuning::NVIDIA_FLOAT64, "{name}");
            assert_eq!(of(name, wgpu::Backend::Dx12), Tuning::NVIDIA, "{name}");
        }
        for name in ["NVIDIA GeForce RTX 4090", "NVIDIA RTX A1000", "NVIDIA L40S", "Quadro P1000"] {
            assert_eq!(of(name, wgpu::Backend::Vulkan), Tuning::NVIDIA, "{name}");
        }
    }

    #[test]
    fn numbers_come_back() {
        let rows = [Tuning::GPU, Tuning::NVIDIA, Tuning::NVIDIA_FLOAT64, Tuning::CPU];
        for row in rows {
            assert_eq!(Tuning::of_numbers(&row.numbers()), Some(row));
        }
        // Each of them counts.
        let base = Tuning::NVIDIA.numbers();
        for at in 0..base.len() {
            let mut other = base;
            // Powers of two stay such, and what is true or false becomes the other.
            other[at] = if matches!(at, 16 | 17 | 23) { 1 - base[at] } else { (base[at] / 2).max(1) };
            let other = Tuning::of_numbers(&other);
            assert!(base[at] < 2 && at == 18 || other.is_some_and(|other| other != Tuning::NVIDIA), "number {at}");
        }
        assert_eq!(Tuning::of_numbers(&base[1..]), None);
        let mut bad = base;
        bad[2] = 17;
        assert_eq!(Tuning::of_numbers(&bad), None);
        bad[2] = 1 << 32;
        assert_eq!(Tuning::of_numbers(&bad), None);
    }
}
