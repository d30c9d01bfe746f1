//! Every shader text that the library builds is valid and translates to SPIR-V, MSL, HLSL and back to WGSL.

use naga::back::{hlsl, msl, spv, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::collections::{BTreeMap, HashSet};
use treefold::half::f16;
use treefold::ops::{
    self, ArgMax, CountNonzero, ExactMean, ExactNormL2, ExactStats, ExactSum, ExactSumOfSquares, Max, Mean, Min,
    MinMax, Sum, Visitor,
};
use treefold::shader::{self, Exact, Finish, Kernel, Store, Variant};
use treefold::{Accumulator, Answer, Dtype, Element, Layout, Op, Reducer, Tuning, accumulator, wgpu};

const KERNELS: [Kernel; 2] = [Kernel::Reduce, Kernel::Combine];
/// How operators finish that fold a workgroup themselves.
const GATHERED: [Finish; 2] = [Finish::Gathered { lanes_min: None }, Finish::Gathered { lanes_min: Some(4) }];
const LAYOUTS: [Layout; 2] = [Layout::Strided, Layout::Blocked];
const FINISHES: [Finish; 3] = [Finish::Tree, Finish::Subgroups { lanes_min: 4 }, Finish::Subgroups { lanes_min: 32 }];
const SIZES: [(u32, u32); 9] =
    [(256, 8), (32, 4), (1024, 1), (32, 1), (1024, 8), (256, 1), (256, 4), (32, 8), (1024, 4)];

fn stores<T: Element, O: Op<T>>() -> Vec<Store> {
    let answer = (O::ANSWER_WORDS > 0).then_some(Store::Answer);
    [Store::Partial, Store::Sealed].into_iter().chain(answer).collect()
}

/// Whether a text uses 64-bit integers, which `spelled` allows in one kernel only.
fn wide(text: &str) -> bool {
    words(&code(text)).contains("i64")
}

/// A text without its comments.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn words(code: &str) -> HashSet<&str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

/// Parses and validates; the message says where and why not.
fn validated(text: &str, subgroups: bool) -> Result<(naga::Module, ModuleInfo), String> {
    let mut capabilities = if subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    capabilities.set(Capabilities::SHADER_INT64, wide(text));
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    info.map(|info| (module, info)).map_err(|error| error.emit_to_string(text))
}

/// Translates a text to every language; the message says which one refused.
fn translated(original: &str, subgroups: bool) -> Result<naga::Module, String> {
    let (module, info) = validated(original, subgroups)?;
    // What wgpu asks of devices with subgroup operations: Vulkan 1.1, Metal 2.4, DX12 with wave intrinsics.
    let vulkan = spv::Options { lang_version: (1, 3), ..Default::default() };
    spv::write_vec(&module, &info, &vulkan, None).map_err(|error| format!("SPIR-V: {error}"))?;

    let metal = msl::Options { lang_version: (2, 4), ..Default::default() };
    let (text, names) = msl::write_string(&module, &info, &metal, &msl::PipelineOptions::default())
        .map_err(|error| format!("MSL: {error}"))?;
    if text.is_empty() || names.entry_point_names.iter().any(Result::is_err) {
        return Err(format!("MSL: {:?}", names.entry_point_names));
    }

    let model = if subgroups || wide(original) { hlsl::ShaderModel::V6_0 } else { hlsl::ShaderModel::V5_1 };
    let direct_x = hlsl::Options { shader_model: model, ..Default::default() };
    let mut text = String::new();
    let names = hlsl::Writer::new(&mut text, &direct_x, &hlsl::PipelineOptions::default())
        .write(&module, &info, None)
        .map_err(|error| format!("HLSL: {error}"))?;
    if text.is_empty() || names.entry_point_names.iter().any(Result::is_err) {
        return Err(format!("HLSL: {:?}", names.entry_point_names));
    }

    let again =
        wgsl::write_string(&module, &info, wgsl::WriterFlags::empty()).map_err(|error| format!("WGSL: {error}"))?;
    validated(&again, subgroups).map_err(|error| format!("WGSL, second time: {error}\n{again}"))?;
    Ok(module)
}

/// What the text itself must and must not hold.
fn spelled(text: &str, subgroups: bool, wide: bool) -> Result<(), String> {
    let code = code(text);
    let speaks = ["@builtin(subgroup", "@builtin(num_subgroups", "subgroupShuffle"];
    if speaks.iter().any(|word| code.contains(word)) != subgroups {
        return Err(format!("subgroups should be {subgroups}"));
    }
    let words = words(&code);
    for word in ["enable", "requires", "diagnostic", "f64", "f16", "isNan", "isInf", "inf", "nan"] {
        // A variable of that name is none of the language's.
        if words.contains(word) && !code.contains(&format!("let {word} =")) {
            return Err(format!("holds the word {word}"));
        }
    }
    let speaks = ["i64", "u64"].map(|word| words.contains(word)).contains(&true);
    if speaks == wide { Ok(()) } else { Err(format!("64-bit integers should be {wide}")) }
}

/// No constant is an infinity or a NaN: WGSL has none, and drivers assume that there are none.
fn finite(module: &naga::Module) -> Result<(), String> {
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let locals = functions.chain(entries).flat_map(|function| function.expressions.iter());
    for (_, expression) in module.global_expressions.iter().chain(locals) {
        if let naga::Expression::Literal(naga::Literal::F32(x)) = expression {
            if !x.is_finite() {
                return Err(format!("holds the constant {x}"));
            }
        }
    }
    Ok(())
}

/// Bytes from one `Acc` to the next in an array of them.
fn stride(module: &naga::Module) -> u32 {
    let binding = |number: u32| {
        let bound = |global: &naga::GlobalVariable| global.binding.is_some_and(|b| b.binding == number);
        module.global_variables.iter().find(|(_, global)| bound(global)).map(|(_, global)| global.ty)
    };
    let array = binding(3).expect("results at binding 3");
    let naga::TypeInner::Array { stride, .. } = module.types[array].inner else { panic!("binding 3 is no array") };
    stride
}

/// Runs every check on the variants of an operator.
struct Translate<'a> {
    /// Which of the sizes comes next: each text takes another.
    turn: &'a mut usize,
    texts: &'a mut usize,
    failures: &'a mut Vec<String>,
}

/// Whether an operator is f32's own, whose windows differ from all others.
fn has_windows<T: Element, O: Op<T>>(op: &O) -> bool {
    T::DTYPE == Dtype::F32 && matches!(op.name(), "exact_sum" | "exact_mean")
}

/// Whether the operator folds its workgroup in bins. f16 needs none.
fn gathers<T: Element, O: Op<T>>(exact: Exact) -> bool {
    O::TESTED && matches!(exact, Exact::Bins { .. }) && T::DTYPE != Dtype::F16
}

impl Translate<'_> {
    fn one<T: Element, O: Op<T>>(&mut self, op: &O, variant: &Variant, exact: Exact, wide: bool) {
        let text = shader::text::<T, O>(op, variant, exact);
        let subgroups = variant.finish.subgroups();
        let words = O::Acc::WORDS as u32;
        let checked = spelled(&text, subgroups, wide).and_then(|()| translated(&text, subgroups)).and_then(|module| {
            finite(&module)?;
            let want = match variant.store {
                // Columns of 96 bits, with the flags behind.
                Store::Partial if matches!(variant.finish, Finish::Gathered { .. }) => 16,
                Store::Partial => words * 4,
                Store::Sealed => (words + 1) * 4,
                Store::Answer => 4,
            };
            if stride(&module) == want {
                Ok(())
            } else {
                Err(format!("a result takes {} bytes, not {want}", stride(&module)))
            }
        });
        *self.texts += 1;
        if let Err(error) = checked {
            self.failures.push(format!("{} {} {variant:?} {exact:?}: {error}", op.name(), T::DTYPE));
        }
    }

    /// Everything that reducers make of an operator, with one kernel of its exact sums.
    fn with<T: Element, O: Op<T>>(&mut self, op: &O, exact: Exact, wide: bool) {
        let finishes = if gathers::<T, O>(exact) { &GATHERED[..] } else { &FINISHES };
        for kernel in KERNELS {
            for store in stores::<T, O>() {
                // The last pass of bins leaves no partial.
                if (kernel, store, finishes) == (Kernel::Combine, Store::Partial, &GATHERED) {
                    continue;
                }
                for &finish in finishes {
                    let (workgroup_size, loads_in_flight) = SIZES[*self.turn % SIZES.len()];
                    let layout = LAYOUTS[*self.turn % LAYOUTS.len()];
                    *self.turn += 1;
                    let variant =
                        Variant { kernel, store, finish, workgroup_size, loads_in_flight, layout, zipped: false };
                    self.one::<T, O>(op, &variant, exact, wide);
                    if T::DTYPE == Dtype::F32x2 && kernel == Kernel::Reduce {
                        self.one::<T, O>(op, &Variant { zipped: true, ..variant }, exact, wide);
                    }
                }
            }
        }
        // The next operator meets other finishes at the same sizes.
        *self.turn += 1;
    }

    fn all<T: Element, O: Op<T>>(&mut self, op: &O) {
        self.with::<T, O>(op, Exact::Window, false);
        if O::TESTED {
            self.every_kernel::<T, O>(op, has_windows::<T, O>(op));
        }
    }

    /// The other kernels; `wide`: one of them needs 64-bit integers.
    fn every_kernel<T: Element, O: Op<T>>(&mut self, op: &O, wide: bool) {
        for copies in [1, 32] {
            self.with::<T, O>(op, Exact::Bins { copies }, false);
        }
        if wide {
            return self.with::<T, O>(op, Exact::Window64, true);
        }
        let dialect = |exact| treefold::shader::Dialect { subgroups: false, exact };
        let [narrow, other] = [Exact::Window, Exact::Window64].map(|exact| format!("{:?}", op.module(dialect(exact))));
        assert_eq!(narrow, other, "{} {}: windows of 64 bits that are tested nowhere", op.name(), T::DTYPE);
    }
}

impl Visitor for &mut Translate<'_> {
    type Out = ();
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) {
        self.all::<T, O>(&op);
    }
}

fn verdict(texts: usize, failures: &[String]) {
    println!("{texts} texts");
    let few: Vec<&str> = failures.iter().take(4).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {texts} texts, such as\n{}", failures.len(), few.join("\n\n"));
}

fn translate(run: impl FnOnce(&mut Translate)) {
    let (mut turn, mut texts, mut failures) = (0, 0, Vec::new());
    run(&mut Translate { turn: &mut turn, texts: &mut texts, failures: &mut failures });
    verdict(texts, &failures);
}

#[test]
fn every_operator_translates() {
    let mut seen = BTreeMap::new();
    translate(|translate| {
        for name in ops::names() {
            for dtype in Dtype::ALL.into_iter().chain([Dtype::F32x2]) {
                if ops::visit(name, dtype, &mut *translate).is_some() {
                    *seen.entry(name).or_insert(0) += 1;
                }
            }
        }
    });
    for (name, types) in seen {
        let want = match name {
            "sum" => 5,
            "and" | "or" | "xor" => 2,
            "exact_dot" | "exact_sumsq" | "exact_norm2" | "exact_stats" => 1,
            _ => 3,
        };
        assert_eq!(types, want, "{name}");
    }
}

#[test]
fn every_size_translates() {
    translate(|translate| {
        for workgroup_size in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] {
            for loads_in_flight in [1, 2, 3, 4, 8, 16] {
                for (finish, layout) in FINISHES.into_iter().flat_map(|finish| LAYOUTS.map(|layout| (finish, layout))) {
                    let variant = Variant {
                        kernel: Kernel::Reduce,
                        store: Store::Partial,
                        finish,
                        workgroup_size,
                        loads_in_flight,
                        layout,
                        zipped: false,
                    };
                    translate.one::<u32, _>(&Max, &variant, Exact::Window, false);
                }
            }
        }
    });
}

accumulator! {
    /// As many names as fragments use themselves.
    pub struct Awkward { acc: u32, q: i32, left: f32, x: u32, m0: u32 }
}

/// An operator of a program's own, whose members are called as the kernels' variables are.
#[derive(Clone)]
struct Own;

impl Op<u32> for Own {
    type Acc = Awkward;
    type Output = u32;
    const COMMUTATIVE: bool = false;
    const ANSWER_WORDS: usize = 1;

    fn name(&self) -> &'static str {
        "own"
    }
    fn identity(&self) -> Awkward {
        Awkward { acc: 0, q: 0, left: 0.0, x: 0, m0: 0 }
    }
    fn lift(&self, x: u32, _: u64) -> Awkward {
        Awkward { acc: x, ..self.identity() }
    }
    fn combine(&self, a: Awkward, b: Awkward) -> Awkward {
        Awkward { acc: a.acc ^ b.acc, ..a }
    }
    fn finish(&self, acc: Awkward, _: u64) -> treefold::Result<u32> {
        Ok(acc.acc)
    }
    fn wgsl(&self) -> String {
        "
fn identity() -> Acc { return Acc(0u, 0i, 0.0, 0u, 0u); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(bits, 0i, 0.0, 0u, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.acc ^ b.acc, a.q, a.left, a.x, a.m0); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return array<u32, 1>(acc.acc); }"
            .into()
    }
}

/// An operator whose accumulator is a scalar.
#[derive(Clone)]
struct Bare;

impl Op<f32> for Bare {
    type Acc = f32;
    type Output = f32;
    const ANSWER_WORDS: usize = 1;

    fn name(&self) -> &'static str {
        "bare"
    }
    fn identity(&self) -> f32 {
        0.0
    }
    fn lift(&self, x: f32, _: u64) -> f32 {
        x
    }
    fn combine(&self, a: f32, b: f32) -> f32 {
        a + b
    }
    fn finish(&self, acc: f32, _: u64) -> treefold::Result<f32> {
        Ok(acc)
    }
    fn wgsl(&self) -> String {
        "
fn identity() -> Acc { return 0.0; }
fn lift(bits: u32, index: u32) -> Acc { return value(bits); }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return array<u32, 1>(bitcast<u32>(acc)); }"
            .into()
    }
}

#[test]
fn tuples_and_own_operators_translate() {
    translate(|translate| {
        translate.all::<f32, _>(&Bare);
        translate.all::<f32, _>(&(Bare, Sum));
        translate.all::<u32, _>(&Own);
        translate.all::<u32, _>(&(Own, Own));
        translate.all::<f32, _>(&(Mean, MinMax));
        translate.all::<i32, _>(&(Sum, Min, Max));
        translate.all::<u32, _>(&(ArgMax, ArgMax, Mean, CountNonzero));
        translate.all::<f32, _>(&((Sum, Min), (ArgMax, Mean)));
        translate.all::<f32, _>(&(Sum, Min, Max, Mean, ArgMax, MinMax));
        translate.every_kernel::<f32, _>(&(ExactSum, MinMax), true);
        translate.every_kernel::<f32, _>(&(ExactSum, ExactMean, ExactSumOfSquares, ExactNormL2), true);
        translate.every_kernel::<f32, _>(&ExactStats::default(), true);
        translate.every_kernel::<f64, _>(&(ExactMean, ExactSum), false);
        translate.every_kernel::<f16, _>(&(ExactMean, ExactSum), false);
        translate.every_kernel::<i64, _>(&(Sum, Sum), false);
    });
}

/// The checks themselves notice what they are there for.
#[test]
fn wrong_texts_are_noticed() {
    let variant = |finish| Variant {
        kernel: Kernel::Reduce,
        store: Store::Sealed,
        finish,
        workgroup_size: 64,
        loads_in_flight: 2,
        layout: Layout::Strided,
        zipped: false,
    };
    let tree = shader::text::<f32, _>(&Mean, &variant(Finish::Tree), Exact::Window);
    let shuffles = shader::text::<f32, _>(&Mean, &variant(Finish::Subgroups { lanes_min: 4 }), Exact::Window);
    let passes = |text: &str, subgroups: bool| {
        spelled(text, subgroups, false)
            .and_then(|()| translated(text, subgroups))
            .and_then(|module| finite(&module))
            .is_ok()
    };
    assert!(passes(&tree, false) && passes(&shuffles, true));
    assert!(!passes(&tree, true) && !passes(&shuffles, false));
    assert!(validated(&shuffles, false).is_err(), "naga lets subgroups pass where there are none");
    let changes = [
        ("var mine = begin(who);", "var mine = 0u;"),
        ("fn rebase(", "fn unbase("),
        ("const WORKGROUP_SIZE = 64u;", "enable subgroups;\nconst WORKGROUP_SIZE = 64u;"),
        ("params.base", "params.place"),
        ("let end = ", "let end = u32(1.0 / 0.0) + "),
    ];
    let wide = shader::text::<f32, _>(&ExactSum, &variant(Finish::Tree), Exact::Window64);
    assert!(spelled(&wide, false, true).is_ok() && spelled(&wide, false, false).is_err());
    assert!(spelled(&tree, false, true).is_err(), "a kernel without 64-bit integers passes for one that has them");
    for (from, to) in changes {
        assert!(tree.contains(from), "{from}");
        assert!(!passes(&tree.replacen(from, to, 1), false), "{to} goes unnoticed");
    }
}

/// `text` tells what reducers run: those texts that a reducer shows are the same.
#[test]
fn reducers_build_these_texts() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_features: wgpu::Features::SUBGROUP,
        ..Default::default()
    });
    for tuning in [Tuning::GPU, Tuning::CPU, Tuning::NVIDIA] {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 1 << 20,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let reducer = Reducer::<f32, _>::with_tuning(&device, &queue, Mean, tuning).expect("a reducer");
        let plan = reducer.plan(&buffer).expect("a plan");
        assert_eq!(plan.passes.len(), 2);
        for (pass, shown) in plan.passes.iter().zip(reducer.shaders(&plan)) {
            let loads_in_flight = tuning.loads_in_flight;
            let workgroup_size = pass.workgroup_size;
            let store = if pass.kernel == Kernel::Combine { Store::Sealed } else { Store::Partial };
            let texts = FINISHES.map(|finish| {
                let (kernel, layout) = (pass.kernel, tuning.layout);
                let variant = Variant { kernel, store, finish, workgroup_size, loads_in_flight, layout, zipped: false };
                shader::text::<f32, _>(&Mean, &variant, Exact::Window)
            });
            let same = texts.iter().position(|text| *text == shown);
            assert_eq!(
                same,
                Some(usize::from(tuning.subgroups && workgroup_size >= 128)),
                "{tuning:?} {:?}",
                pass.kernel
            );
        }
    }
}

#[test]
fn files_are_short_and_begin_with_their_idea() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("shaders/") {
        let path = entry.expect("an entry").path();
        // The ladder's texts have a test of their own.
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("// ") && first.len() > 20, "{name} begins with {first:?}");
        assert!(text.lines().count() <= 80, "{name} has {} lines", text.lines().count());
        assert!(text.lines().all(|line| line.len() <= 132 && !line.contains('\t')), "{name} has long lines");
        names.push(name);
    }
    names.sort();
    for kernel in ["combine.wgsl", "finish_subgroup.wgsl", "finish_tree.wgsl", "reduce.wgsl"] {
        assert!(names.iter().any(|name| name == kernel), "{kernel}");
    }
}
