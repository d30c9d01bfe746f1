//! Every operator and element type on the adapter, against a plain fold, over the boundaries of several launch shapes.

use crate::common::*;
use treefold::half::f16;
use treefold::{Dtype, Gpu, Tuning, ops};

/// The types that the operators take, by their pages; one that is not here is tested over those that it says itself.
const TYPES: &[(&str, &[Dtype])] = {
    use Dtype::*;
    const NUMBERS: &[Dtype] = &[F32, I32, U32, F64, I64, U64];
    const ORDERED: &[Dtype] = &[F32, I32, U32, F16, F64, I64, U64];
    const FLOATS: &[Dtype] = &[F32];
    const INTEGERS: &[Dtype] = &[I32, U32, I64, U64];
    &[
        ("sum", ORDERED),
        ("mean", ORDERED),
        ("fast_sum", FLOATS),
        ("fast_mean", FLOATS),
        ("fast_variance", FLOATS),
        ("fast_stats", FLOATS),
        ("variance", NUMBERS),
        ("std", NUMBERS),
        ("product", &[F32, I32, U32, I64, U64]),
        ("min", ORDERED),
        ("max", ORDERED),
        ("minmax", ORDERED),
        ("argmin", ORDERED),
        ("argmax", ORDERED),
        ("count_nonzero", ORDERED),
        ("count_nan", ORDERED),
        ("any", ORDERED),
        ("all", ORDERED),
        ("and", INTEGERS),
        ("or", INTEGERS),
        ("xor", INTEGERS),
        ("stats", NUMBERS),
        ("dot", &[F32x2, F64x2, I64x2, U64x2]),
        ("sumsq", NUMBERS),
        ("norm2", NUMBERS),
        ("logsumexp", FLOATS),
        ("histogram", NUMBERS),
        ("histogram2d", &[F32x2, F64x2, I64x2, U64x2]),
    ]
};

/// Of the types that an operator takes.
#[derive(Clone, Copy)]
enum Types {
    All,
    /// Of elements of 64 bits, those alone that stand for others.
    Standing,
    /// None of 64 bits.
    Short,
    /// Of those, each type for one operator of so many, in turn; and one at least. All turns have all.
    Part {
        turn: usize,
        of: usize,
    },
}

impl Types {
    fn of(self, name: &str) -> Vec<Dtype> {
        let all: Vec<Dtype> = Dtype::WITH_PAIRS.into_iter().filter(|&dtype| on_devices(name, dtype)).collect();
        let stands = |name: &str, dtype| on_devices(name, dtype) && stands_for_others(name, dtype);
        let standing: Vec<Dtype> = all.iter().copied().filter(|&dtype| stands(name, dtype)).collect();
        match self {
            Types::All => all,
            Types::Standing => standing,
            Types::Short => all.into_iter().filter(|dtype| dtype.bytes() <= 4).collect(),
            Types::Part { turn, of } => {
                let before = || ops::names().into_iter().take_while(|other| *other != name);
                let number = |dtype| before().filter(|other| stands(other, dtype)).count();
                let mut part = standing.clone();
                part.retain(|&dtype| number(dtype) % of == turn);
                if part.is_empty() && !standing.is_empty() {
                    part.push(standing[(before().count() + turn) % standing.len()]);
                }
                part
            }
        }
    }
}

/// The types of an operator; where not every combination is wanted, and not all are, one that is soon compiled in place of one that takes seconds.
fn soon(name: &str, types: Types) -> Vec<Dtype> {
    let is_short = |dtype: &Dtype| !is_long(name, *dtype);
    let of = types.of(name);
    match types {
        Types::Part { of: 3.., .. } if !all() && !of.iter().all(is_short) => {
            Types::Standing.of(name).into_iter().find(is_short).into_iter().collect()
        }
        _ => of,
    }
}

/// Operators over some of their types, each on a context of its own, so that pipelines do not pile up: answers on the device, on the host, or,
/// of elements of up to 32 bits, both.
fn compare(gpu: &Gpu, shape: Tuning, names: &[&str], types: Types, device: Option<bool>) -> Vec<String> {
    let lengths = lengths(&shape);
    let mut failures = Vec::new();
    for (number, &name) in names.iter().enumerate() {
        let gpu = gpu.with_tuning(shape).expect("a launch shape");
        let one_way = |device| Compare::one_way(&gpu, &lengths, device);
        let mut both = device.map_or_else(|| Compare::new(&gpu, &lengths), one_way);
        // Of several types of 64 bits each one way, the other way that of the next operator.
        let mut ways = [false, true].map(|way| one_way(device.unwrap_or(way)));
        for (turn, dtype) in soon(name, types).into_iter().enumerate() {
            let compare = if dtype.bytes() >= 8 { &mut ways[(number + turn) % 2] } else { &mut both };
            ops::visit(name, dtype, compare);
        }
        ways.iter_mut().for_each(|way| both.failures.append(&mut way.failures));
        let known = TYPES.iter().find(|(operator, _)| *operator == name);
        known.inspect(|(_, types)| assert_eq!(*types, Types::All.of(name), "{name}"));
        failures.append(&mut both.failures);
    }
    failures
}

fn check(gpu: &Gpu, shape: Tuning, names: &[&str], types: Types, device: Option<bool>) {
    let failures = compare(gpu, shape, names, types, device);
    assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
}

#[test]
fn every_index_once_and_in_order() {
    for shape in shapes() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let mut failures = coverage::<u32>(&gpu, &lengths(&shape));
        failures.extend(coverage::<f16>(&gpu, &lengths(&shape)));
        failures.extend(coverage::<u64>(&gpu, &lengths(&shape)));
        assert!(failures.is_empty(), "{shape:?}: {}", some(&failures));
    }
}

/// A turn of so many where every combination is wanted, else one type of each operator.
fn part(turn: usize, of: usize) -> Types {
    Types::Part { turn, of: if all() { of } else { usize::MAX } }
}

/// Every operator and type where every combination is wanted, else every other type of each operator, answers on the device; in processes
/// with other numbers of lanes every operator, in one of two of them, and types in turn: of 4 lanes the answers on the device, of others those on the host.
#[test]
fn every_operator_and_type_by_subgroups() {
    let (mut types, mut device) = match all() {
        true => (Types::All, None),
        false => (Types::Part { turn: 0, of: 2 }, Some(true)),
    };
    let mut names = ops::names();
    if let Ok(lanes) = std::env::var("TREEFOLD_TEST_LANES") {
        let four = lanes == "4";
        (types, device, names) = (part(usize::from(!four), 3), Some(four), every_other(four.into(), &names));
        assert_eq!(gpu().info().subgroup_min_size.to_string(), lanes, "the driver did not take the number of lanes");
        let failures = coverage::<u32>(&gpu().with_tuning(small()).expect("a launch shape"), &lengths(&small()));
        assert!(failures.is_empty(), "{}", some(&failures));
    }
    check(&gpu(), small(), &names, types, device);
}

/// With the processes of other numbers of lanes all turns, where every combination is wanted; else answers on the device alone, by kernels that
/// are soon compiled: others run by subgroups or as the adapter runs them.
#[test]
fn every_operator_without_subgroups() {
    check(&gpu(), shapes()[4], &ops::names(), part(2, 3), Some(true));
}

/// On hardware every pair; on software adapters, whose compilers take most of the time, those that do not run there by subgroups, in small
/// launches.
#[test]
fn every_operator_and_type_as_the_adapter_runs_it() {
    let software = gpu().info().device_type == treefold::wgpu::DeviceType::Cpu;
    let types = if software { Types::Part { turn: 1, of: 2 } } else { Types::Standing };
    check(&gpu(), *gpu().tuning(), &ops::names(), types, software.then_some(false));
}

/// Every operator is in each turn, every type too, and all pairs of them in all turns together.
#[test]
fn turns_have_every_type_together() {
    for name in ops::names() {
        assert_eq!(soon(name, part(2, 3)).is_empty(), Types::Standing.of(name).is_empty(), "{name} is in no such turn");
    }
    for of in [2, 3, 6] {
        let mut types = vec![Vec::new(); of];
        for name in ops::names() {
            let turns: Vec<_> = (0..of).map(|turn| Types::Part { turn, of }.of(name)).collect();
            let together = Types::Standing.of(name);
            // Some operators are the host's alone.
            assert!(turns.iter().all(|turn| turn.is_empty() == together.is_empty()), "{name}: {turns:?}");
            assert!(together.iter().all(|dtype| turns.iter().any(|turn| turn.contains(dtype))), "{name}: {turns:?}");
            types.iter_mut().zip(turns).for_each(|(all, turn)| all.extend(turn));
        }
        let every = |all: &Vec<Dtype>| Dtype::ALL.iter().chain(&[Dtype::F32x2]).all(|dtype| all.contains(dtype));
        // Of six, those that run where not every combination is wanted.
        assert!(types.iter().take(4).all(every), "{types:?}");
    }
}

/// lavapipe takes its subgroup size from the width of the vectors it compiles for, once in a process.
#[test]
fn every_operator_at_other_subgroup_sizes() {
    if !gpu().info().name.contains("llvmpipe") {
        return tell(
            "skipped: only lavapipe can change its subgroup size; this adapter has one, which the other tests cover",
        );
    }
    for (width, lanes) in [(128, 4), (256, 8), (512, 16)] {
        if gpu().info().subgroup_min_size == lanes {
            continue;
        }
        let this = std::env::current_exe().expect("this program");
        let output = std::process::Command::new(this)
            .args(["--exact", "kernels::every_operator_and_type_by_subgroups"])
            .env("LP_NATIVE_VECTOR_WIDTH", width.to_string())
            .env("TREEFOLD_TEST_LANES", lanes.to_string())
            .output()
            .expect("a process");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{lanes} lanes: {text}");
    }
}

/// The program widens f16; the library takes them as they are.
#[test]
fn halves_are_compared_as_they_are() {
    for shape in [small(), shapes()[4]] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let lengths = lengths(&shape);
        let mut compare = Compare::new(&gpu, &lengths);
        compare.all::<f16, _>(&ops::Min);
        compare.all::<f16, _>(&ops::Max);
        compare.all::<f16, _>(&ops::MinMax);
        compare.all::<f16, _>(&ops::ArgMin);
        compare.all::<f16, _>(&ops::ArgMax);
        compare.all::<f16, _>(&ops::CountNonzero);
        compare.all::<f16, _>(&ops::CountNan);
        compare.all::<f16, _>(&ops::Any);
        compare.all::<f16, _>(&ops::All);
        assert!(compare.failures.is_empty(), "{shape:?}: {}", some(&compare.failures));
    }
}

#[test]
fn short_bindings_small_workgroups_no_features() {
    let gpu = small_gpu(4096);
    let shape = small().groups(256, 3, 1024);
    // A binding ends at 1024 elements, less what its offset is rounded down by.
    let mut lengths = lengths(&small());
    lengths.extend([1023, 1024, 1025, 2047, 2048, 2049, 3071, 3072, 3073, 10_000]);
    let failures = coverage::<u32>(&gpu.with_tuning(shape).expect("a launch shape"), &lengths);
    assert!(failures.is_empty(), "{}", some(&failures));
    let failures = compare(&gpu, shape, &["fast_sum", "argmax", "fast_stats"], Types::All, None);
    assert!(failures.is_empty(), "{}", some(&failures));
    // Partials of exact operators are wider. Those of f64 squares, whose bins have no room here, take a compiler minutes.
    let gpu = small_gpu(1 << 15);
    let mut failures = compare(&gpu, shape, &["sum"], Types::Standing, None);
    failures.extend(compare(&gpu, shape, &["stats"], Types::Short, None));
    assert!(failures.is_empty(), "{}", some(&failures));
}
