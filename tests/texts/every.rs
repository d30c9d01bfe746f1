//! Every text that the library builds, by name: those that plans ask for, over several machines.
#![allow(dead_code)]

#[path = "../common/cover.rs"]
mod cover;
#[path = "../common/own.rs"]
pub mod own;
#[path = "../common/parts.rs"]
mod parts;

#[allow(unused_imports)]
pub use cover::{on_devices, stands_for_others};
use own::{SetHash, TextHash, WeightedSum};
pub use parts::all;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};
use treefold::half::{bf16, f16};
use treefold::internals::{
    Arrangement, Beside, By, Cost, DeviceOp, Ends, Grid, Groups, Keep, Kernel, Limits, ListRules, Piece, Plan, Planner,
    Request, Rules, Runs, Slots, Store, Strided, Texel, Unit, Variant, assemble, halves_text, list_texts, runs_texts,
    slots_text, tournament_texts,
};
use treefold::ops::{
    self, ArgMax, ArgMin, Bottom, CountNonzero, Dot, FastMean, FastSum, FastVariance, Filtered, Histogram, Histogram2d,
    LogSumExp, Max, Mean, Min, MinMax, Norm2, Numbers, Product, Stats, Std, Sum, SumOfSquares, TABLE, Top, Variance,
    Visitor,
};
use treefold::{
    Axes, Complex, Components, Dtype, DynOp, Element, Expression, Flagged, Mapped, Op, Order, OrderKey, Padded, Scalar,
    Tuning, Value, Widened,
};

/// All that texts depend on besides the operator.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub name: &'static str,
    pub limits: Limits,
    pub tuning: Tuning,
    /// Whether shaders may have 64-bit integers.
    pub wide: bool,
    /// Whether accumulators are kept only as a reducer would keep them where every self-test passes; else in all ways.
    pub chosen: bool,
    /// Whether an operator of this turn asks there for what [`variants`] calls so.
    pub asks: fn(usize, &str) -> bool,
}

/// Limits that every browser allows.
const BROWSER: Limits = Limits {
    binding_bytes_max: 128 << 20,
    storage_alignment: 256,
    uniform_alignment: 256,
    invocations_max: 256,
    workgroups_max: 65_535,
    workgroup_bytes_max: 16_384,
    storage_buffers_max: 8,
    lanes: None,
    words64: false,
};
const NATIVE: Limits = Limits { invocations_max: 1024, workgroup_bytes_max: 49_152, ..BROWSER };

/// Machines without subgroups first: browsers; then others.
pub fn machines() -> [Machine; 8] {
    let machine = |name, limits, tuning, wide| Machine { name, limits, tuning, wide, chosen: false, asks: |_, _| true };
    let lanes = |least, most| Limits { lanes: Some((least, most)), ..NATIVE };
    let roomy = Limits { workgroup_bytes_max: 32_768, ..BROWSER };
    let small = Limits { invocations_max: 64, workgroup_bytes_max: 4096, ..BROWSER };
    let heavy = Tuning::GPU.with(|tuning| {
        (tuning.fold.loads_in_flight, tuning.bins.loads_in_flight) = (8, 1);
        (tuning.fold.workgroup_size, tuning.bins.workgroup_size, tuning.single_workgroup_size) = (128, 64, 64);
        tuning.counts = tuning.bins;
    });
    let one = Tuning::GPU.with(|tuning| {
        (tuning.fold.loads_in_flight, tuning.bins.loads_in_flight) = (1, 3);
        tuning.counts = tuning.bins;
        tuning.fold.workgroup_size = 1;
        tuning.order = Order::Blocked;
    });
    [
        machine("browser", BROWSER, Tuning::GPU, false),
        machine("roomy browser", roomy, heavy, false),
        machine("browser on a CPU", BROWSER, Tuning::CPU, false),
        machine("small", small, one, false),
        machine("nvidia", lanes(32, 32), Tuning::NVIDIA, true),
        machine("gcn", lanes(64, 64), Tuning::GPU, true),
        machine("any lanes", lanes(4, 128), Tuning::GPU, false),
        machine(
            "lavapipe",
            Limits { lanes: Some((8, 8)), words64: true, ..NATIVE },
            Tuning::CPU.with(|tuning| tuning.subgroups = true),
            true,
        ),
    ]
}

/// Whether a request is the one for a large input, whatever becomes of the answer.
pub fn is_large(what: &str) -> bool {
    what.starts_with("large")
}

/// A text and what it was made of.
#[derive(Clone, Debug)]
pub struct Text {
    pub name: String,
    pub text: String,
    /// Whether it is meant for browsers.
    pub web: bool,
    pub made: Option<Made>,
}

/// The operator, the variant and the machine that a text was made of; none of the ladder's.
#[derive(Clone, Debug)]
pub struct Made {
    pub op: Arc<DeviceOp>,
    pub variant: Variant,
    pub machine: Machine,
    /// The first request for it.
    pub what: &'static str,
}

impl Text {
    pub fn made(&self) -> &Made {
        self.made.as_ref().expect("an operator's text")
    }
}

/// The operators over the types that they take; of those of 64 bits those that stand for the others.
pub fn operators(visit: &mut impl Each) {
    each_of(stands_for_others, visit);
}

/// The operators over the types of a kind.
fn each_of(kind: fn(&str, Dtype) -> bool, visit: &mut impl Each) {
    for entry in TABLE.iter().filter(|entry| entry.host_only.is_none() && kind(entry.name, entry.dtype)) {
        ops::visit(entry.name, entry.dtype, Seen(visit));
    }
}

/// A visitor of each operator.
pub trait Each {
    fn each<T: Element, O: Op<T>>(&mut self, op: &O);
}

struct Seen<'a, E>(&'a mut E);

impl<E: Each> Visitor for Seen<'_, E> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        self.0.each::<T, _>(&op);
    }
}

/// The texts of the operators over the types that they take, for all machines: made once for all tests of a suite.
pub static OPERATORS: LazyLock<Texts> = LazyLock::new(|| operators_on(&machines()));
/// Those of tuples, and behind so many of these those of elements of several numbers and of narrow ones.
pub static SEVERAL: LazyLock<(Texts, usize)> = LazyLock::new(|| several_on(&machines()));

fn operators_on(machines: &[Machine]) -> Texts {
    let mut all = Texts::of(machines);
    operators(&mut all);
    all
}

fn several_on(machines: &[Machine]) -> (Texts, usize) {
    let mut all = Texts::of(machines);
    all.tuples();
    let tuples = all.texts.len();
    all.quads();
    all.vectors();
    all.narrow();
    (all, tuples)
}

/// All texts, each once, with a name that tells how it came about.
pub fn texts() -> Vec<Text> {
    joined(&machines(), || OPERATORS.clone(), || SEVERAL.0.clone())
}

/// All texts of these machines; of the operators and types that others stand for, those of large reductions on the first of them.
pub fn texts_of(machines: &[Machine]) -> Vec<Text> {
    joined(machines, || operators_on(machines), || several_on(machines).0)
}

fn joined(
    machines: &[Machine],
    operators: impl FnOnce() -> Texts,
    several: impl FnOnce() -> Texts + Send,
) -> Vec<Text> {
    let others = || {
        let mut all = several();
        all.maps();
        all.flags();
        all.runs();
        all.slots();
        all.tournaments();
        all.halves();
        #[cfg(feature = "ladder")]
        all.ladder();
        all
    };
    std::thread::scope(|scope| {
        let others = scope.spawn(others);
        let mut all = operators();
        let first = Machine { chosen: true, asks: |_, what| is_large(what), ..machines[0] };
        let mut rest = Texts::of(&[first]);
        each_of(|name, dtype| !stands_for_others(name, dtype), &mut rest);
        let others = others.join().expect("a thread").texts;
        for Text { name, text, web, made } in rest.texts.into_iter().chain(others) {
            all.add(text, web, || (name, made));
        }
        all.texts
    })
}

/// A collection in which every text is once.
#[derive(Clone)]
pub struct Texts {
    /// The machines that the texts are for.
    machines: Vec<Machine>,
    /// The turn of the machines: an operator meets some of each kind, its neighbours others.
    turn: usize,
    seen: HashSet<String>,
    pub texts: Vec<Text>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts::of(&machines())
    }
}

impl Each for Texts {
    fn each<T: Element, O: Op<T>>(&mut self, op: &O) {
        let (browsers, others): (Vec<_>, Vec<_>) = self.machines.iter().partition(|one| one.limits.lanes.is_none());
        for kind in [browsers, others] {
            // Where every combination is wanted two of each kind.
            for k in 0..kind.len().min(if all() { 2 } else { 1 }) {
                self.on::<T, O>(op, &kind[(self.turn + k) % kind.len()]);
            }
        }
        self.turn += 1;
    }
}

/// Whether a reducer keeps accumulators so for a request, where every self-test passes; `first` is how it keeps those of whole inputs.
/// `values`: how it keeps values of which an invocation holds several, where there are such.
fn chosen(first: &DeviceOp, op: &DeviceOp, values: Option<Keep>, what: &str) -> bool {
    let bins: Vec<_> = first.folds.iter().filter_map(|fold| fold.bins()).collect();
    let values = match (first.holds_many(), values) {
        (true, _) => first.keep,
        (false, Some(values)) => values,
        (false, None) => Keep::Registers,
    };
    let quick = bins.iter().all(|bins| bins.many_by_value) && !bins.is_empty();
    let rows = if quick { values } else { first.keep };
    // Of how many elements rows are short is the planner's to say: both may be asked for.
    let exact = bins.iter().all(|bins| bins.carries);
    match what.split([' ', ',']).next() {
        // Where there are cells, those of registers are not asked for either.
        Some("groups") if op.keep == Keep::Cells => true,
        Some("groups" | "segments" | "elements" | "rows") => op.keep == values,
        Some("long") => op.keep == rows,
        Some("short" | "columns" | "few" | "a" | "two") if what != "a texture" => {
            op.keep == rows || (matches!(op.keep, Keep::Values { .. }) && op.keep == values && exact)
        }
        _ => op.keep == first.keep,
    }
}

/// All ways to keep accumulators on a machine, the most replicas first.
pub fn keeps(machine: &Machine) -> Vec<Keep> {
    let bins = [32, 8, 1].into_iter().flat_map(|replicas| {
        // Most texts have no product: those of both kinds are alike, and browsers may have them.
        let words: &[bool] = if machine.wide { &[false, true] } else { &[false] };
        let ways = words.iter().map(|&words64| (words64, false)).chain(machine.wide.then_some((true, true)));
        ways.map(move |(words64, float64)| Keep::Bins { replicas, words64, float64 })
    });
    let wide = [Keep::Registers64, Keep::Values { words64: true }];
    let own = [Keep::Registers, Keep::Values { words64: false }];
    bins.chain(own).chain(wide.into_iter().filter(|_| machine.wide)).collect()
}

impl Texts {
    /// None yet, for these machines.
    pub fn of(machines: &[Machine]) -> Self {
        Texts { machines: machines.to_vec(), turn: 0, seen: HashSet::new(), texts: Vec::new() }
    }

    /// The texts of an operator on a machine: of small and large inputs and rows, for the host and for the device.
    pub fn on<T: Element, O: Op<T>>(&mut self, op: &O, machine: &Machine) {
        // Only counts lie in the device's memory.
        let memory = op.name().starts_with("histogram").then_some(Keep::Memory);
        // Slices of 16 bins, where there are bins to count in.
        let slices = Keep::Slices { bytes: 64 };
        let values = Keep::Values { words64: machine.wide };
        let values = DeviceOp::new::<T, O>(op, values).expect("names").holds_many().then_some(values);
        let mut first = None;
        for keep in keeps(machine).into_iter().chain([Keep::Cells]).chain(memory).chain([slices]) {
            let op = Arc::new(DeviceOp::new::<T, O>(op, keep).expect("names"));
            // Not every number of replicas has room.
            let Ok(planner) = Planner::new(machine.limits, machine.tuning, Cost::of(&op)) else { continue };
            if keep == Keep::Cells && !op.has_cells() || keep == slices && op.slices() == 0 {
                continue;
            }
            let first = first.get_or_insert_with(|| op.clone());
            let asks =
                |what: &str| (machine.asks)(self.turn, what) && (!machine.chosen || chosen(first, &op, values, what));
            for (variant, what) in variants_of(&planner, &op, asks) {
                // The others are those of registers.
                if keep == Keep::Cells && !variant.kernel.has_cells() {
                    continue;
                }
                let mut texts = vec![assemble(&op, &variant).text];
                if op.may_unpack() {
                    texts.push(assemble(&DeviceOp { unpacks: true, ..(*op).clone() }, &variant).text);
                }
                // What f64 of invocations have left is combined and carried as it is everywhere.
                let combines = matches!(keep, Keep::Bins { float64: true, .. })
                    && matches!(variant.kernel, Kernel::Combine { .. } | Kernel::Carry);
                let web = variant.lanes_min.is_none() && (combines || !keep.words64()) && !variant.words64;
                for text in texts {
                    self.add(text, web, || {
                        let name = format!("{} {} {keep:?} {}, {what}: {variant:?}", op.name, op.dtype, machine.name);
                        (name, Some(Made { op: op.clone(), variant, machine: *machine, what }))
                    });
                }
            }
        }
    }

    /// On every machine.
    pub fn everywhere<T: Element, O: Op<T>>(&mut self, op: &O) {
        self.machines.clone().iter().for_each(|machine| self.on::<T, O>(op, machine));
    }

    /// Tuples: of one fold and of several, of values, of bins and of both, with answers and without.
    pub fn tuples(&mut self) {
        let histogram = Histogram::new(100, -1.0, 1.0).expect("a range");
        self.each::<f32, _>(&(FastMean, MinMax));
        self.each::<i32, _>(&(Sum, Min, Max));
        self.each::<u32, _>(&(ArgMax, ArgMax, Mean, CountNonzero));
        self.each::<f32, _>(&((Sum, Min), (ArgMax, Mean)));
        self.each::<f32, _>(&(FastSum, Min, Max, FastMean, ArgMax, MinMax));
        self.each::<f32, _>(&(Sum, MinMax));
        self.each::<f32, _>(&(Sum, Mean, SumOfSquares, Norm2));
        self.each::<f32, _>(&(FastVariance { ddof: 1 }, FastVariance { ddof: 0 }, Stats::default()));
        self.each::<f32, _>(&(histogram.clone(), Sum, Max));
        self.each::<i32, _>(&(histogram.clone(), Product, Histogram::default(), Variance { ddof: 1 }));
        self.each::<f32, _>(&(Variance { ddof: 1 }, Max, Sum));
        self.each::<f32, _>(&(histogram.clone(), Std::default()));
        self.each::<f64, _>(&(Mean, Sum));
        self.each::<f16, _>(&(Mean, Sum));
        self.each::<i64, _>(&(Sum, Sum));
        self.each::<[f32; 2], _>(&(Dot, Dot));
        self.each::<[f32; 2], _>(&(Histogram2d::default(), Dot));
    }

    /// Over four numbers an element: no operator of the library is.
    pub fn quads(&mut self) {
        self.everywhere::<[f32; 4], _>(&WeightedSum);
        self.each::<[f32; 4], _>(&TextHash);
        self.each::<[f32; 4], _>(&(SetHash, TextHash));
    }

    /// Over vectors, whole and number by number, and over what functions and conditions make of them.
    pub fn vectors(&mut self) {
        self.everywhere::<[f32; 3], _>(&WeightedSum);
        self.each::<[u32; 3], _>(&(SetHash, TextHash));
        self.everywhere::<[f32; 3], _>(&Components(Sum));
        self.each::<Padded<f32>, _>(&Components((ArgMax, Mean)));
        self.each::<[i32; 2], _>(&Components(Sum));
        self.each::<[f16; 2], _>(&Components(Sum));
        self.each::<[f16; 4], _>(&Components(Max));
        let largest = |x: Padded<f16>| x.numbers.map(f16::to_f32).into_iter().fold(0.0, f32::max);
        self.each::<Padded<f16>, _>(&Mapped::new("return max(x.x, max(x.y, x.z));", largest, (Sum, MinMax)));
        let sum = Mapped::new("return x.x + x.z;", |x: [i32; 3]| x[0] + x[2], Max);
        self.each::<[i32; 3], _>(&Filtered::new("return x.y > 2;", |x: [i32; 3]| x[1] > 2, sum));
        self.each::<Complex<f32>, _>(&Filtered::not_nan(Components(FastSum)));
        self.each::<Complex<f64>, _>(&Filtered::not_nan(Components(MinMax)));
    }

    /// Over elements that are read as wider ones.
    pub fn narrow(&mut self) {
        self.everywhere::<u8, _>(&WeightedSum);
        self.everywhere::<i16, _>(&TextHash);
        self.each::<u8, _>(&Widened((Sum, ArgMin)));
        self.each::<i8, _>(&Widened(Variance::default()));
        self.each::<u16, _>(&Widened(Histogram::integers(0, 9).expect("a histogram")));
        self.each::<bf16, _>(&Widened(Sum));
        self.each::<bf16, _>(&Widened((FastSum, Max)));
        self.each::<f16, _>(&Widened((Norm2, LogSumExp::default())));
        self.each::<f16, _>(&Widened(FastSum));
    }

    /// Over what functions make of elements, and over those that pass a condition, by values, by bins and by cells.
    pub fn maps(&mut self) {
        let of = |text: &str, takes| Expression::of_element(text, takes).expect("an expression");
        let not_nan = Numbers { not_nan: true, compare: None };
        let above = Numbers { not_nan: false, compare: Some("> 7".parse().expect("a comparison")) };
        let root = || of("sqrt(abs(x)) * 2.0", Dtype::F32);
        self.each::<f32, _>(&root().map::<f32, f32, _>(Sum).expect("types"));
        self.each::<f32, _>(&root().map::<f32, f32, _>((FastMean, ArgMax)).expect("types"));
        self.each::<f32, _>(&of("x > 0.5", Dtype::F32).map::<f32, u32, _>(Mean).expect("types"));
        self.each::<u32, _>(&of("f32(x ^ i)", Dtype::U32).map::<u32, f32, _>(MinMax).expect("types"));
        self.each::<i32, _>(&of("x / 3", Dtype::I32).map::<i32, i32, _>(Product).expect("types"));
        self.each::<[f32; 2], _>(&Mapped::new("return x.x * x.y;", |x: [f32; 2]| x[0] * x[1], Sum));
        self.each::<[f32; 4], _>(&Mapped::new("return x.x - x.w;", |x: [f32; 4]| x[0] - x[3], Max));
        let histogram = Histogram::new(100, -1.0, 1.0).expect("a range");
        self.each::<f32, _>(&root().map::<f32, f32, _>(histogram.clone()).expect("types"));
        self.each::<f32, _>(&Filtered::by(not_nan, histogram));
        self.each::<f32, _>(&Filtered::by(not_nan, Sum));
        self.each::<f32, _>(&Filtered::by(not_nan, (ArgMax, FastMean)));
        self.each::<f32, _>(&Filtered::by(above, root().map::<f32, f32, _>(Max).expect("types")));
        self.each::<u32, _>(&Filtered::by(above, TextHash));
        self.each::<u64, _>(&Filtered::by(above, Sum));
        self.each::<f64, _>(&Filtered::by(not_nan, Mean));
        self.each::<f16, _>(&Filtered::by(not_nan, MinMax));
        self.each::<[f32; 2], _>(&Filtered::by(not_nan, Dot));
    }

    /// Over elements whose flags say which count, by values, by bins and by cells.
    pub fn flags(&mut self) {
        let not_nan = Numbers { not_nan: true, compare: None };
        let above = Numbers { not_nan: false, compare: Some("> 7".parse().expect("a comparison")) };
        self.each::<Flagged<f32>, _>(&Filtered::masked(Sum));
        self.each::<Flagged<f32>, _>(&Filtered::masked((ArgMax, FastMean)).and(not_nan));
        self.each::<Flagged<u8>, _>(&Filtered::masked(Mean));
        self.each::<Flagged<i16>, _>(&Filtered::masked(TextHash));
        self.each::<Flagged<f16>, _>(&Filtered::masked(MinMax));
        self.each::<Flagged<f32>, _>(&Filtered::masked(Histogram::new(100, -1.0, 1.0).expect("a range")));
        self.each::<Flagged<f64>, _>(&Filtered::masked(Sum).and(above));
    }

    /// Of runs of equal keys.
    fn runs(&mut self) {
        for dtype in [Dtype::U32, Dtype::F32, Dtype::I64, Dtype::F64] {
            for machine in self.machines.clone() {
                let Ok(plan) = Runs::of(&machine.limits, 1000, dtype.bytes()) else { continue };
                for (label, text) in runs_texts(dtype, &plan) {
                    self.add(text, true, || (format!("{label} of {dtype} {}", machine.name), None));
                }
            }
        }
    }

    /// Of the bins of elements as keys.
    fn slots(&mut self) {
        let (equal, given) = (Histogram::new(100, -1.0, 1.0).expect("a range"), Histogram::of_edges(&[0.0, 0.5, 2.0]));
        for op in [equal, given.expect("edges")] {
            for machine in self.machines.clone() {
                let Ok(plan) = Slots::of(&machine.limits, &machine.tuning, &[], 26) else { continue };
                for (dtype, (text, ..)) in
                    [("f32", op.finding::<f32>()), ("i32", op.finding::<i32>()), ("u32", op.finding::<u32>())]
                {
                    let name = || format!("slots of {dtype} {}", machine.name);
                    self.add(slots_text(&text, &plan), true, || (name(), None));
                }
            }
        }
    }

    /// Of what tries conversions of f16.
    fn halves(&mut self) {
        self.add(halves_text().into(), true, || ("conversions of f16".into(), None));
    }

    /// Of the best elements.
    fn tournaments(&mut self) {
        fn of<T: Scalar + Into<Value>>(all: &mut Texts) {
            for machine in all.machines.clone() {
                let Ok(rules) = Rules::of(&machine.limits, &machine.tuning, 4 * T::Key::WORDS as u64) else { continue };
                let ranks = [
                    Op::<T>::fold(&Top::default()).listed::<T>().wgsl,
                    Op::<T>::fold(&Bottom::default()).listed::<T>().wgsl,
                ];
                for ranks in ranks {
                    for (label, text) in tournament_texts(T::DTYPE, &rules, &ranks) {
                        all.add(text, true, || (format!("{label} of {} {}", T::DTYPE, machine.name), None));
                    }
                    for (k, kind) in [(10, 0), (10, 1), (10, 6), (30, 3), (1024, 6)] {
                        let Ok(rules) = ListRules::of(&machine.limits, &machine.tuning, k, rules.rank_bytes, kind)
                        else {
                            continue;
                        };
                        for (label, text) in list_texts(T::DTYPE, &rules, &ranks) {
                            all.add(text, true, || (format!("{label}, {k} of {} {}", T::DTYPE, machine.name), None));
                        }
                    }
                }
            }
        }
        of::<f32>(self);
        of::<i32>(self);
        of::<f16>(self);
        of::<f64>(self);
        of::<u64>(self);
    }

    #[cfg(feature = "ladder")]
    fn ladder(&mut self) {
        use treefold::ladder::{Operator, stages};
        // Subgroup operations, 64-bit types, f32 atomics.
        const NATIVE: [&str; 4] =
            ["ladder/subgroup.wgsl", "ladder/workgroup.wgsl", "ladder/atomic_f32.wgsl", "ladder/cas_f64.wgsl"];
        for stage in stages() {
            let sizes = [32, 256, stage.workgroup_size()].into_iter().filter(|&size| stage.takes_workgroup_size(size));
            for size in sizes {
                for operator in [Operator::Sum, Operator::Min].into_iter().filter(|&operator| stage.takes(operator)) {
                    for launch in stage.launches(1 << 20, Some(size), operator) {
                        let web = !NATIVE.contains(&launch.file);
                        let name = || format!("{} of {} {operator:?} by {size}", launch.file, stage.id);
                        self.add(launch.wgsl, web, || (name(), None));
                    }
                }
            }
        }
    }

    /// A text, unless it is there; `told` says its name and what it was made of.
    fn add(&mut self, text: String, web: bool, told: impl FnOnce() -> (String, Option<Made>)) {
        if self.seen.insert(text.clone()) {
            let (name, made) = told();
            self.texts.push(Text { name, text, web, made });
        }
    }
}

const KEYS: &[Piece] = &[Piece::of(3, 0, 100_000)];

/// The arrangement that is asked for without a view, by its name.
fn divided(what: &str) -> Arrangement<'static> {
    // More than are finished together.
    let offsets = Ends::of(Piece::of(2, 0, if what.contains("many short") { 8 << 20 } else { 1000 }));
    let count = what.contains("as many as").then_some(Piece::of(3, 0, 1));
    match what.split([' ', ',']).next() {
        Some("segments") => Arrangement::Segments(Ends { count, ..offsets }),
        Some("rows") => Arrangement::Segments(Ends { by: By::Rows(100), count, ..offsets }),
        Some("groups") => Arrangement::Groups(Groups { keys: KEYS, first: 0, groups: 40 }),
        Some("elements") => Arrangement::Segments(Ends { by: By::Elements, count, segments: 1, first: 0 }),
        _ => Arrangement::Whole,
    }
}

/// The variants that plans of an operator ask for, each once, and what first asked for it.
pub fn variants(planner: &Planner, op: &DeviceOp) -> Vec<(Variant, &'static str)> {
    variants_of(planner, op, |_| true)
}

/// Those of some requests.
fn variants_of(planner: &Planner, op: &DeviceOp, asks: impl Fn(&str) -> bool) -> Vec<(Variant, &'static str)> {
    let counted = Store::Answer { counted: true };
    let bare = Store::Answer { counted: false };
    let large = planner.launch().single_elements_max * 4 + 100_000;
    let rows = |count: u64, length: u64| Some(Strided::rows(count, length));
    let view = |shape: &[u64], axes: &[i64]| Some(Axes::of(shape, axes).expect("axes").dims().clone());
    let requests: [(&str, u64, Option<Strided>, Store); 22] = [
        ("large", large, None, Store::Sealed),
        ("large, counted", large, None, counted),
        ("small", 100, None, Store::Sealed),
        ("small, counted", 100, None, counted),
        ("small, bare", 100, None, bare),
        ("short rows", 1000, rows(100, 10), Store::Sealed),
        ("short rows, bare", 7680, rows(10, 768), bare),
        ("long rows, bare", 3 * large, rows(3, large), bare),
        ("long rows, counted", 3 * large, rows(3, large), counted),
        ("columns", 1 << 16, view(&[1 << 10, 64], &[0]), Store::Sealed),
        ("few columns, bare", 3 * large, view(&[large, 3], &[0]), bare),
        ("a middle axis, counted", 1 << 15, view(&[32, 64, 16], &[1]), counted),
        ("segments", large, None, Store::Sealed),
        ("segments, counted", large, None, counted),
        ("segments, as many as the device says", large, None, Store::Sealed),
        ("rows, as many as the device says, counted", 100_000, None, counted),
        ("groups", 100_000, None, Store::Sealed),
        ("groups, counted", 100_000, None, counted),
        ("elements, as many as the device says", large, None, counted),
        ("two axes of four", 1 << 12, view(&[8, 8, 8, 8], &[0, 2]), Store::Sealed),
        ("rows, joined, counted", 7000, rows(1000, 7), counted),
        ("segments, joined, many short, counted", 20 << 20, None, counted),
    ];
    // Of several accumulators only what finishes them at once is another text.
    let asks = |what: &str| asks(what) && (op.joined() || !what.contains("joined"));
    let mut seen = Vec::<(Variant, &str)>::new();
    let mut see = |plan: Plan, what: &'static str| {
        for pass in plan.passes {
            if seen.iter().all(|(variant, _)| *variant != pass.variant) {
                seen.push((pass.variant, what));
            }
        }
    };
    for other in besides(op.dtype) {
        for (what, elements, view, store) in requests.iter().filter(|(what, ..)| asks(what)) {
            let (what, elements, store) = (*what, *elements, *store);
            if matches!(store, Store::Answer { .. }) && op.answers.is_empty() {
                continue;
            }
            let pieces = [Piece { other, ..Piece::of(0, 1, elements) }];
            let each = match view {
                None => divided(what),
                Some(view) => Arrangement::Strided(view),
            };
            let request = Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 };
            let Ok(plan) = planner.plan(&request) else { continue };
            see(plan, what);
        }
    }
    for (elements, texel, store) in textures(op, large).into_iter().filter(|_| asks("a texture")) {
        let grid = Some(Grid { width: 1920, texel, weights: [1, 2, 3, 4] });
        let pieces = [Piece { grid, ..Piece::of(0, 0, elements) }];
        let request = Request { pieces: &pieces, each: Arrangement::Whole, start: 0, direct: true, store, output: 0 };
        let Ok(plan) = planner.plan(&request) else { continue };
        see(plan, "a texture");
    }
    seen
}

/// The second inputs that elements may have: pairs are zipped, flags are bytes or bits.
fn besides(dtype: Dtype) -> Vec<Option<Beside>> {
    let flags = |unit| {
        let bytes = if dtype.bytes() == 4 { 1 } else { dtype.bytes() / 2 };
        Some(Beside { buffer: 1, first: 3, unit, bytes })
    };
    match dtype {
        Dtype::F32x2 => vec![None, Some(Beside::words(1, 3))],
        Dtype::Own(_) if dtype.name().starts_with("flagged") => vec![None, flags(Unit::Byte), flags(Unit::Bit)],
        _ => vec![None],
    }
}

/// Textures that an operator can take: texels, what is made of each, and where to.
fn textures(op: &DeviceOp, large: u64) -> Vec<(u64, Texel, Store)> {
    let answer = if op.answers.is_empty() { Store::Sealed } else { Store::Answer { counted: true } };
    match op.dtype {
        Dtype::F32 => vec![(large, Texel::Weighted, Store::Sealed), (1000, Texel::Number(0), answer)],
        Dtype::U32 | Dtype::I32 => vec![(large, Texel::Number(3), answer)],
        Dtype::F32x4 => vec![(large, Texel::Whole, Store::Sealed), (1000, Texel::Whole, answer)],
        _ => Vec::new(),
    }
}

/// Whether a variant combines what others left.
pub fn combines(variant: &Variant) -> bool {
    matches!(variant.kernel, Kernel::Combine { .. } | Kernel::Carry)
}
