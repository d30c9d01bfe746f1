//! Every text that the library builds, by name: those that plans ask for, over several machines.
#![allow(dead_code)]

#[path = "../common/cover.rs"]
mod cover;
#[path = "../common/own.rs"]
pub mod own;

pub use cover::{on_devices, stands_for_others};
use own::{SetHash, TextHash, WeightedSum};
use std::collections::HashSet;
use std::sync::Arc;
use treefold::half::{bf16, f16};
use treefold::internals::{
    Arrangement, By, Cost, DeviceOp, Ends, Grid, Groups, Keep, Kernel, Limits, Piece, Plan, Planner, Request, Rules,
    Runs, Slots, Store, Strided, Texel, Variant, assemble, runs_texts, slots_text, tournament_texts,
};
use treefold::ops::{
    self, ArgMax, ArgMin, Bottom, CountNonzero, Dot, FastMean, FastSum, FastVariance, Histogram, Histogram2d, Max,
    Mean, Min, MinMax, Norm2, Product, Stats, Std, Sum, SumOfSquares, Top, Variance, Visitor,
};
use treefold::{Axes, Dtype, DynOp, Element, Op, Order, OrderKey, Scalar, Tuning, Value, Widened};

/// All that texts depend on besides the operator.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub name: &'static str,
    pub limits: Limits,
    pub tuning: Tuning,
    /// Whether shaders may have 64-bit integers.
    pub wide: bool,
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
};
const NATIVE: Limits = Limits { invocations_max: 1024, workgroup_bytes_max: 49_152, ..BROWSER };

/// Machines without subgroups first: browsers; then others.
pub fn machines() -> [Machine; 8] {
    let machine = |name, limits, tuning, wide| Machine { name, limits, tuning, wide };
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
            Limits { lanes: Some((8, 8)), ..NATIVE },
            Tuning::CPU.with(|tuning| tuning.subgroups = true),
            true,
        ),
    ]
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
}

impl Text {
    pub fn made(&self) -> &Made {
        self.made.as_ref().expect("an operator's text")
    }
}

/// The operators over the types that they take; of those of 64 bits those that stand for the others.
pub fn operators(visit: &mut impl Each) {
    for name in ops::names() {
        let dtypes = Dtype::ALL.into_iter().chain([Dtype::F32x2]);
        for dtype in dtypes.filter(|&dtype| stands_for_others(name, dtype) && on_devices(name, dtype)) {
            ops::visit(name, dtype, Seen(visit));
        }
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

/// All texts, each once, with a name that tells how it came about.
pub fn texts() -> Vec<Text> {
    let others = || {
        let mut all = Texts::default();
        all.tuples();
        all.quads();
        all.narrow();
        all.runs();
        all.slots();
        all.tournaments();
        #[cfg(feature = "ladder")]
        all.ladder();
        all
    };
    std::thread::scope(|scope| {
        let others = scope.spawn(others);
        let mut all = Texts::default();
        operators(&mut all);
        for Text { name, text, web, made } in others.join().expect("a thread").texts {
            all.add(name, text, web, made);
        }
        all.texts
    })
}

/// A collection in which every text is once.
#[derive(Default)]
pub struct Texts {
    /// The turn of the machines: an operator meets some of each kind, its neighbours others.
    turn: usize,
    seen: HashSet<String>,
    pub texts: Vec<Text>,
}

impl Each for Texts {
    fn each<T: Element, O: Op<T>>(&mut self, op: &O) {
        let machines = machines();
        let (browsers, others) = machines.split_at(4);
        let turn = self.turn;
        self.turn += 1;
        for machine in
            [0, 1].map(|k| browsers[(turn + k) % 4]).into_iter().chain([0, 1].map(|k| others[(turn + k) % 4]))
        {
            self.on::<T, O>(op, &machine);
        }
    }
}

/// All ways to keep accumulators on a machine.
pub fn keeps(machine: &Machine) -> Vec<Keep> {
    let bins = [1, 8, 32].map(|replicas| Keep::Bins { replicas });
    bins.into_iter().chain([Keep::Registers]).chain(machine.wide.then_some(Keep::Registers64)).collect()
}

impl Texts {
    /// The texts of an operator on a machine: of small and large inputs and rows, for the host and for the device.
    pub fn on<T: Element, O: Op<T>>(&mut self, op: &O, machine: &Machine) {
        // Only counts lie in the device's memory.
        let memory = op.name().starts_with("histogram").then_some(Keep::Memory);
        for keep in keeps(machine).into_iter().chain([Keep::Cells]).chain(memory) {
            let op = Arc::new(DeviceOp::new::<T, O>(op, keep).expect("names"));
            // Not every number of replicas has room.
            let Ok(planner) = Planner::new(machine.limits, machine.tuning, Cost::of(&op)) else { continue };
            if keep == Keep::Cells && !op.has_cells() {
                continue;
            }
            for (variant, what) in variants(&planner, &op) {
                // The others are those of registers.
                if keep == Keep::Cells && !variant.kernel.has_cells() {
                    continue;
                }
                let text = assemble(&op, &variant).text;
                let name = format!("{} {} {keep:?} {}, {what}: {variant:?}", op.name, op.dtype, machine.name);
                let web = variant.lanes_min.is_none() && keep != Keep::Registers64;
                self.add(name, text, web, Some(Made { op: op.clone(), variant, machine: *machine }));
            }
        }
    }

    /// On every machine.
    pub fn everywhere<T: Element, O: Op<T>>(&mut self, op: &O) {
        machines().iter().for_each(|machine| self.on::<T, O>(op, machine));
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

    /// Over elements that are read as wider ones.
    pub fn narrow(&mut self) {
        self.everywhere::<u8, _>(&WeightedSum);
        self.everywhere::<i16, _>(&TextHash);
        self.each::<u8, _>(&Widened((Sum, ArgMin)));
        self.each::<i8, _>(&Widened(Variance::default()));
        self.each::<u16, _>(&Widened(Histogram::integers(0, 9).expect("a histogram")));
        self.each::<bf16, _>(&Widened(Sum));
        self.each::<bf16, _>(&Widened((FastSum, Max)));
    }

    /// Of runs of equal keys.
    fn runs(&mut self) {
        for dtype in [Dtype::U32, Dtype::F32, Dtype::I64, Dtype::F64] {
            for machine in machines() {
                let Ok(plan) = Runs::of(&machine.limits, 1000, dtype.bytes()) else { continue };
                for (label, text) in runs_texts(dtype, &plan) {
                    self.add(format!("{label} of {dtype} {}", machine.name), text, true, None);
                }
            }
        }
    }

    /// Of the bins of elements as keys.
    fn slots(&mut self) {
        let (equal, given) = (Histogram::new(100, -1.0, 1.0).expect("a range"), Histogram::of_edges(&[0.0, 0.5, 2.0]));
        for op in [equal, given.expect("edges")] {
            for machine in machines() {
                let Ok(plan) = Slots::of(&machine.limits, &machine.tuning, &[], 26) else { continue };
                for (dtype, (text, ..)) in
                    [("f32", op.finding::<f32>()), ("i32", op.finding::<i32>()), ("u32", op.finding::<u32>())]
                {
                    self.add(format!("slots of {dtype} {}", machine.name), slots_text(&text, &plan), true, None);
                }
            }
        }
    }

    /// Of the best elements.
    fn tournaments(&mut self) {
        fn of<T: Scalar + Into<Value>>(all: &mut Texts) {
            for machine in machines() {
                let Ok(rules) = Rules::of(&machine.limits, &machine.tuning, 4 * T::Key::WORDS as u64) else { continue };
                let ranks =
                    [Op::<T>::fold(&Top::default()).ranks::<T>(), Op::<T>::fold(&Bottom::default()).ranks::<T>()];
                for ranks in ranks {
                    for (label, text) in tournament_texts(T::DTYPE, &rules, &ranks) {
                        all.add(format!("{label} of {} {}", T::DTYPE, machine.name), text, true, None);
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
                        self.add(
                            format!("{} of {} {operator:?} by {size}", launch.file, stage.id),
                            launch.wgsl,
                            web,
                            None,
                        );
                    }
                }
            }
        }
    }

    fn add(&mut self, name: String, text: String, web: bool, made: Option<Made>) {
        if self.seen.insert(text.clone()) {
            self.texts.push(Text { name, text, web, made });
        }
    }
}

const KEYS: &[Piece] = &[Piece::of(3, 0, 100_000)];

/// The arrangement that is asked for without a view, by its name.
fn divided(what: &str) -> Arrangement<'static> {
    let offsets = Ends::of(Piece::of(2, 0, 1000));
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
    let counted = Store::Answer { counted: true };
    let bare = Store::Answer { counted: false };
    let large = planner.launch().single_elements_max * 4 + 100_000;
    let rows = |count: u64, length: u64| Some(Strided::rows(count, length));
    let view = |shape: &[u64], axes: &[i64]| Some(Axes::of(shape, axes).expect("axes").dims().clone());
    let requests: [(&str, u64, Option<Strided>, Store); 20] = [
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
    ];
    let mut seen = Vec::<(Variant, &str)>::new();
    let mut see = |plan: Plan, what: &'static str| {
        for pass in plan.passes {
            if seen.iter().all(|(variant, _)| *variant != pass.variant) {
                seen.push((pass.variant, what));
            }
        }
    };
    for zipped in [false, true] {
        // Only pairs are zipped.
        if zipped && op.dtype != Dtype::F32x2 {
            continue;
        }
        for (what, elements, view, store) in &requests {
            let (what, elements, store) = (*what, *elements, *store);
            if matches!(store, Store::Answer { .. }) && op.answers.is_empty() {
                continue;
            }
            let pieces = [Piece { other: zipped.then_some((1, 3)), ..Piece::of(0, 1, elements) }];
            let each = match view {
                None => divided(what),
                Some(view) => Arrangement::Strided(view),
            };
            let request = Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 };
            let Ok(plan) = planner.plan(&request) else { continue };
            see(plan, what);
        }
    }
    for (elements, texel, store) in textures(op, large) {
        let grid = Some(Grid { width: 1920, texel, weights: [1, 2, 3, 4] });
        let pieces = [Piece { grid, ..Piece::of(0, 0, elements) }];
        let request = Request { pieces: &pieces, each: Arrangement::Whole, start: 0, direct: true, store, output: 0 };
        let Ok(plan) = planner.plan(&request) else { continue };
        see(plan, "a texture");
    }
    seen
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
