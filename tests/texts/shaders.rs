//! Every shader text that the library builds is valid, translates to SPIR-V, MSL, HLSL and back to WGSL, names nothing twice,
//! and loops only where plans know of it.

use crate::every::{
    Each, Made, OPERATORS, SEVERAL, Text, Texts, all, combines, machines, on_devices, operators, stands_for_others,
};
use crate::spelling::{declared_once, doubles, spelled, wide};
use naga::back::{hlsl, msl, spv, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use treefold::internals::{Cost, Device, DeviceOp, FoldGroup, Keep, Kernel, Rows, Store};
use treefold::ops::{self, ArgMax, Entry, FastMean, Max, Sum, TABLE};
use treefold::{Element, Fold, Op, Order, Reducer, Trips, Tuning, Wgsl, WordType, accumulator, wgpu};

/// Parses and validates; the message says where and why not.
fn validated(text: &str, subgroups: bool) -> Result<(naga::Module, ModuleInfo), String> {
    let mut capabilities = if subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    capabilities.set(Capabilities::SHADER_INT64, wide(text));
    capabilities.set(Capabilities::FLOAT64, doubles(text));
    // Those for Vulkan alone, which has it.
    capabilities.set(Capabilities::SHADER_FLOAT16_IN_FLOAT32, doubles(text) || text.contains("unpack2x16float"));
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    info.map(|info| (module, info)).map_err(|error| error.emit_to_string(text))
}

/// The languages that texts are translated to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Language {
    SpirV,
    Msl,
    Hlsl,
    /// And read again.
    Wgsl,
}

const LANGUAGES: [Language; 4] = [Language::SpirV, Language::Msl, Language::Hlsl, Language::Wgsl];

/// Validates a text and translates it to these languages; the message says which one refused.
fn translated(original: &str, subgroups: bool, to: &[Language]) -> Result<naga::Module, String> {
    let (module, info) = validated(original, subgroups)?;
    for language in to {
        let written = match language {
            Language::SpirV => spir_v(&module, &info),
            Language::Msl => msl(&module, &info),
            Language::Hlsl => hlsl(&module, &info, subgroups || wide(original)),
            Language::Wgsl => wgsl(&module, &info, subgroups),
        };
        written.map_err(|error| format!("{language:?}: {error}"))?;
    }
    Ok(module)
}

// Versions that wgpu asks of devices with subgroup operations: Vulkan 1.1, Metal 2.4, DX12 with wave intrinsics.

fn spir_v(module: &naga::Module, info: &ModuleInfo) -> Result<(), String> {
    let vulkan = spv::Options { lang_version: (1, 3), ..Default::default() };
    spv::write_vec(module, info, &vulkan, None).map(drop).map_err(|error| error.to_string())
}

fn msl(module: &naga::Module, info: &ModuleInfo) -> Result<(), String> {
    let metal = msl::Options { lang_version: (2, 4), ..Default::default() };
    let (text, names) =
        msl::write_string(module, info, &metal, &msl::PipelineOptions::default()).map_err(|error| error.to_string())?;
    named(&text, names.entry_point_names.iter().all(Result::is_ok))
}

fn hlsl(module: &naga::Module, info: &ModuleInfo, waves: bool) -> Result<(), String> {
    let model = if waves { hlsl::ShaderModel::V6_0 } else { hlsl::ShaderModel::V5_1 };
    let direct_x = hlsl::Options { shader_model: model, ..Default::default() };
    let mut text = String::new();
    let names = hlsl::Writer::new(&mut text, &direct_x, &hlsl::PipelineOptions::default())
        .write(module, info, None)
        .map_err(|error| error.to_string())?;
    named(&text, names.entry_point_names.iter().all(Result::is_ok))
}

fn wgsl(module: &naga::Module, info: &ModuleInfo, subgroups: bool) -> Result<(), String> {
    let again = wgsl::write_string(module, info, wgsl::WriterFlags::empty()).map_err(|error| error.to_string())?;
    validated(&again, subgroups).map(drop).map_err(|error| format!("second time: {error}\n{again}"))
}

/// That something was written, and that entries have names.
fn named(text: &str, entries: bool) -> Result<(), String> {
    if text.is_empty() || !entries { Err("no text, or no name of an entry".into()) } else { Ok(()) }
}

/// No constant is an infinity or a NaN: WGSL has none, and drivers assume that there are none.
fn finite(module: &naga::Module) -> Result<(), String> {
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let locals = functions.chain(entries).flat_map(|function| function.expressions.iter());
    for (_, expression) in module.global_expressions.iter().chain(locals) {
        if let naga::Expression::Literal(naga::Literal::F32(x)) = expression
            && !x.is_finite()
        {
            return Err(format!("holds the constant {x}"));
        }
    }
    Ok(())
}

/// Whether a function has a loop, or calls one that has.
fn loops(module: &naga::Module, block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        naga::Statement::Loop { .. } => true,
        naga::Statement::Block(block) => loops(module, block),
        naga::Statement::If { accept, reject, .. } => loops(module, accept) || loops(module, reject),
        naga::Statement::Switch { cases, .. } => cases.iter().any(|case| loops(module, &case.body)),
        naga::Statement::Call { function, .. } => loops(module, &module.functions[*function].body),
        _ => false,
    })
}

/// Trips of a fold that plans know of, by function.
fn declared(op: &DeviceOp, number: usize, state: bool) -> Vec<(&'static str, u64)> {
    let leaf = &op.folds[number];
    let trips = leaf.trips();
    if let Device::Bins(bins) = &leaf.device {
        let column = bins.trips.2;
        return vec![
            ("accumulate", trips.lift),
            ("accumulate_vector", if trips.vector > 0 { trips.vector } else { trips.lift }),
            ("init_state", 0),
            ("flags_of", 0),
            ("column_of_bins", column),
            ("low_of", column),
            ("high_of", column),
            ("flags_of_column", column),
            ("settle_bins", bins.trips.1),
            ("settle_columns", bins.trips.1),
        ];
    }
    let arrays: u64 = leaf.members.iter().map(|member| member.loop_trips()).sum();
    // Of a value alone, an invocation once moves positions, writes arrays, and does what is fixed.
    let fixed = Cost::of(&op.alone(number)).once_trips - trips.offset - arrays;
    let element = if state { trips.lift } else { trips.lift + trips.combine };
    vec![
        ("identity", 0),
        ("lift", trips.lift),
        ("lift_position", trips.lift),
        ("combine", trips.combine),
        ("init_state", 0),
        ("accumulate", element),
        // Where no trips of its own are declared, those of its elements are.
        ("accumulate_vector", if trips.vector > 0 { trips.vector } else { element }),
        ("accumulate_vector_position", if trips.vector > 0 { trips.vector } else { element }),
        ("offset", trips.offset),
        ("shuffle", trips.shuffle + arrays),
        ("to_acc", fixed),
        ("write_acc", arrays),
    ]
}

/// Trips of an answer that plans know of.
fn declared_of_answer(op: &DeviceOp, number: usize) -> u64 {
    let with = |answers: Vec<_>| Cost::of(&DeviceOp { answers, ..op.clone() }).once_trips;
    let words = op.answers[number].1.words().len().min(256) as u64;
    // As if over one fold: over several, a pass of its own has the trips.
    let (folds, answer) = &op.answers[number];
    with(vec![(folds[..1].to_vec(), answer.clone())]) - with(vec![]) - words
}

/// Functions that loop where their operator says that they do not.
fn loops_declared(module: &naga::Module, made: &Made) -> Result<(), String> {
    let (op, variant) = (&made.op, &made.variant);
    let find = |name: &str| module.functions.iter().find(|(_, f)| f.name.as_deref() == Some(name)).map(|(_, f)| f);
    let check = |name: String, trips: u64| match find(&name) {
        Some(function) if trips == 0 && loops(module, &function.body) => Err(format!("{name} loops, undeclared")),
        _ => Ok(()),
    };
    for (number, leaf) in op.folds.iter().enumerate() {
        let alone = op.folds.len() == 1 || combines(variant) && leaf.bins().is_some();
        let prefix = if alone { String::new() } else { format!("m{number}_") };
        let state = find(&format!("{prefix}lift")).is_none();
        for (name, trips) in declared(op, number, state) {
            check(format!("{prefix}{name}"), trips)?;
        }
    }
    for number in 0..op.answers.len() {
        let name = format!("{}finish", op.answer_prefix(number));
        check(name, declared_of_answer(op, number))?;
    }
    Ok(())
}

/// Bytes from one partial to the next, where a combine pass reads accumulators.
fn stride(module: &naga::Module, made: &Made) -> Result<(), String> {
    let groups = made.op.groups();
    let Kernel::Combine { group } = made.variant.kernel else { return Ok(()) };
    let want = match &groups[group] {
        FoldGroup::Values(_) => 4 * made.op.group_words(&groups[group]) as u32,
        FoldGroup::Bins(_) => 16,
    };
    let bound = |global: &naga::GlobalVariable| global.binding.is_some_and(|b| b.binding == 0);
    let partials = module.global_variables.iter().find(|(_, global)| bound(global)).ok_or("no partials")?.1;
    match module.types[partials.ty].inner {
        naga::TypeInner::Array { stride, .. } if stride == want => Ok(()),
        ref other => Err(format!("partials are {other:?}, not {want} bytes apart")),
    }
}

/// Whether every binding, and every one of workgroup memory's bytes, is what the machine has.
fn fits(module: &naga::Module, made: &Made) -> Result<(), String> {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
    let shared = module.global_variables.iter().filter(|(_, global)| global.space == naga::AddressSpace::WorkGroup);
    let bytes: u64 = shared.map(|(_, global)| u64::from(layouter[global.ty].size.next_multiple_of(16))).sum();
    let most = made.machine.limits.workgroup_bytes_max;
    let size: u32 = module.entry_points[0].workgroup_size.iter().product();
    if size > made.machine.limits.invocations_max || size != made.variant.workgroup_size {
        return Err(format!("{size} invocations"));
    }
    if bytes > most { Err(format!("{bytes} bytes of workgroup memory, {most} at most")) } else { Ok(()) }
}

/// Everything that is asked of a text, which goes to these languages.
fn checked(text: &Text, to: &[Language]) -> Result<(), String> {
    let made = text.made();
    let subgroups = made.variant.lanes_min.is_some() && text.text.contains("subgroupShuffle");
    let has64 = made.variant.words64 || made.op.keep.words64() && wide(&text.text);
    let float64 = matches!(made.op.keep, Keep::Bins { float64: true, .. });
    spelled(&text.text, made.variant.lanes_min.is_some(), has64, float64)?;
    // Only Vulkan is given them (Tuning::of).
    let vulkan = !float64 || !doubles(&text.text);
    let to: Vec<_> = to.iter().copied().filter(|to| vulkan || !matches!(to, Language::Msl | Language::Hlsl)).collect();
    // A kernel that clears has no operator.
    declared_once(&text.text, if made.variant.kernel == Kernel::Clear { 7 } else { 8 })?;
    let module = translated(&text.text, subgroups || made.variant.lanes_min.is_some(), &to)?;
    finite(&module)?;
    stride(&module, made)?;
    fits(&module, made)?;
    loops_declared(&module, made)
}

/// The languages that each text goes to: all of them where every combination is wanted, or where there are few of its kernel; else one, in
/// turn among those of its kernel.
fn languages(texts: &[Text]) -> Vec<&'static [Language]> {
    let mut by_kernel: HashMap<Kernel, Vec<usize>> = HashMap::new();
    texts.iter().enumerate().for_each(|(at, text)| by_kernel.entry(text.made().variant.kernel).or_default().push(at));
    let mut to = vec![&LANGUAGES[..]; texts.len()];
    for of_one in by_kernel.values().filter(|of_one| !all() && of_one.len() >= 4 * LANGUAGES.len()) {
        of_one.iter().enumerate().for_each(|(number, &at)| {
            let turn = number % LANGUAGES.len();
            to[at] = &LANGUAGES[turn..=turn];
        });
    }
    to
}

/// Checks all texts, by as many threads as there are; the first few failures are told.
fn verdict(texts: &[Text]) {
    let pairs: Vec<_> = texts.iter().zip(languages(texts)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let part = || {
        let mut failures = Vec::new();
        while let Some((text, to)) = pairs.get(next.fetch_add(1, Relaxed)) {
            failures.extend(checked(text, to).err().map(|error| format!("{}: {error}", text.name)));
        }
        failures
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|_| scope.spawn(part)).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a thread")).collect()
    });
    println!("{} texts", texts.len());
    let few: Vec<&str> = failures.iter().take(4).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {} texts, such as\n{}", failures.len(), texts.len(), few.join("\n\n"));
}

#[derive(Default)]
struct Types(BTreeMap<&'static str, usize>);

impl Each for Types {
    fn each<T: Element, O: Op<T>>(&mut self, op: &O) {
        *self.0.entry(op.name()).or_insert(0) += 1;
    }
}

#[test]
fn every_operator_translates() {
    verdict(&OPERATORS.texts);
    let kinds: HashSet<_> =
        OPERATORS.texts.iter().map(|text| (text.made().variant.store, combines(&text.made().variant))).collect();
    // Partials and, from either kernel, sealed results and answers with and without a count.
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    let mut seen = Types::default();
    operators(&mut seen);
    for name in ops::names() {
        let stands = |entry: &&Entry| {
            entry.name == name && stands_for_others(name, entry.dtype) && on_devices(name, entry.dtype)
        };
        assert_eq!(seen.0.get(name).copied().unwrap_or(0), TABLE.iter().filter(stands).count(), "{name}");
    }
    assert_eq!(["sum", "mean", "dot"].map(|name| seen.0[name]), [9, 8, 4]);
}

#[test]
fn every_size_translates() {
    let mut all = Texts::default();
    let [browser, .., nvidia, _, lanes4, _] = machines();
    for workgroup_size in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] {
        for loads_in_flight in [1, 2, 3, 4, 8, 16] {
            for (mut machine, order) in [
                (browser, Order::Striped),
                (browser, Order::Blocked),
                (nvidia, Order::Striped),
                (lanes4, Order::Striped),
            ] {
                machine.tuning = machine.tuning.with(|tuning| {
                    tuning.order = order;
                    tuning.fold.workgroup_size = workgroup_size;
                    tuning.fold.loads_in_flight = loads_in_flight;
                });
                all.on::<u32, _>(&Max, &machine);
            }
        }
    }
    verdict(&all.texts);
    assert!(all.texts.len() > 200, "{}", all.texts.len());
}

accumulator! {
    /// As many names as fragments use themselves.
    pub struct Awkward { acc: u32, state: i32, left: f32, vector: u32, m0: u32 }
}

/// An operator of a program's own, whose members are called as the kernels' variables are.
#[derive(Clone)]
struct Own;

impl Fold<u32> for Own {
    type Acc = Awkward;
    const COMMUTATIVE: bool = false;

    fn identity(&self) -> Awkward {
        Awkward { acc: 0, state: 0, left: 0.0, vector: 0, m0: 0 }
    }
    fn lift(&self, x: u32, _: u64) -> Awkward {
        Awkward { acc: x, ..self.identity() }
    }
    fn combine(&self, a: Awkward, b: Awkward) -> Awkward {
        Awkward { acc: a.acc ^ b.acc, ..a }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0u, 0i, 0.0, 0u, 0u);",
            "return Acc(mixed(bits), 0i, 0.0, 0u, 0u);",
            "return Acc(a.acc ^ b.acc, a.state, a.left, a.vector, a.m0);",
        )
        .helpers("const SALT = 0u; // of mixed\nfn mixed(row: u32) -> u32 { return row ^ SALT; }")
    }
}

impl Op<u32> for Own {
    type Fold = Own;
    type Output = u32;
    const NAME: &'static str = "own";

    fn fold(&self) -> Own {
        Own
    }
    fn finish(&self, acc: Awkward, _: u64) -> treefold::Result<u32> {
        Ok(acc.acc)
    }
    fn answer(&self) -> Option<treefold::DeviceAnswer> {
        let finish = "let combine = mixed(twice(acc.acc));\nreturn array<u32, 1>(combine + param(0u) + param(1u));";
        let answer = treefold::DeviceAnswer::new([("own", WordType::U32)], finish).params([1, 2]);
        Some(answer.helpers("fn twice(x: u32) -> u32 { return x + x; }"))
    }
}

/// An operator whose accumulator is a scalar.
#[derive(Clone)]
struct Bare;

impl Fold<f32> for Bare {
    type Acc = f32;

    fn identity(&self) -> f32 {
        0.0
    }
    fn lift(&self, x: f32, _: u64) -> f32 {
        x
    }
    fn combine(&self, a: f32, b: f32) -> f32 {
        a + b
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return 0.0;", "return value(bits);", "return a + b;")
    }
}

impl Op<f32> for Bare {
    type Fold = Bare;
    type Output = f32;
    const NAME: &'static str = "bare";

    fn fold(&self) -> Bare {
        Bare
    }
    fn finish(&self, acc: f32, _: u64) -> treefold::Result<f32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<treefold::DeviceAnswer> {
        Some(treefold::DeviceAnswer::new([("bare", WordType::F32)], "return array<u32, 1>(bitcast<u32>(acc));"))
    }
}

/// An operator with every piece that there is, loops in all of them, and positions.
#[derive(Clone)]
struct Everything<const LIFT: u64>;

impl<T: Element, const LIFT: u64> Fold<T> for Everything<LIFT> {
    type Acc = u32;
    const READS_POSITION: bool = true;

    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, _: T, index: u64) -> u32 {
        index as u32
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a ^ b
    }
    fn params(&self) -> Vec<u32> {
        vec![LIFT as u32]
    }
    fn wgsl(&self) -> Wgsl {
        let turns = "fn turns(n: u32, x: u32) -> u32 {\n    var y = x;\n    for (var i = 0u; i < n; i++) { y ^= i; }\n    return y;\n}";
        let wgsl = Wgsl::new("return 0u;", "return turns(param(0u), index.x);", "return turns(2u, a ^ b);")
            .helpers(turns)
            .offset("return turns(2u, acc + by.x);")
            .shuffle("return turns(1u, subgroupShuffleXor(acc, mask));")
            .trips(Trips { lift: LIFT, combine: 2, vector: 4 * LIFT + 8, offset: 2, shuffle: 1 });
        let four = "var all = acc;\nfor (var k = 0u; k < 4u; k++) { all = combine(all, turns(param(0u), index.x + k)); }\nreturn all;";
        if T::DTYPE.bytes() == 4 { wgsl.vector(four) } else { wgsl }
    }
}

impl<T: Element, const LIFT: u64> Op<T> for Everything<LIFT> {
    type Fold = Everything<LIFT>;
    type Output = u32;
    const NAME: &'static str = "everything";

    fn fold(&self) -> Everything<LIFT> {
        self.clone()
    }
    fn finish(&self, acc: u32, _: u64) -> treefold::Result<u32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<treefold::DeviceAnswer> {
        let words = [("low", WordType::Part), ("high", WordType::Part)];
        Some(treefold::DeviceAnswer::new(words, "return array<u32, 2>(turns(7u, acc), count.x);").trips(7))
    }
}

#[test]
fn elements_of_several_numbers_translate() {
    let (several, tuples) = &*SEVERAL;
    verdict(&several.texts[*tuples..]);
    let mut all = Texts::default();
    all.each::<[f32; 4], _>(&Everything::<3>);
    verdict(&all.texts);
    for piece in
        ["vectors[e]", "textureLoad(texels, texel_place(v), 0)", "accumulate_vector(state: State, vector: vec4<u32>"]
    {
        assert!(several.texts.iter().chain(&all.texts).any(|text| text.text.contains(piece)), "{piece}");
    }
}

#[test]
fn tuples_and_own_operators_translate() {
    let (several, tuples) = &*SEVERAL;
    verdict(&several.texts[..*tuples]);
    let mut all = Texts::default();
    all.each::<f32, _>(&Bare);
    all.each::<f32, _>(&(Bare, FastMean));
    all.each::<u32, _>(&Own);
    all.each::<u32, _>(&(Own, Own));
    all.everywhere::<u32, _>(&(Own, ArgMax, Everything::<3>));
    all.everywhere::<f32, _>(&(Sum, Everything::<3>, Bare));
    all.everywhere::<f32, _>(&Everything::<3>);
    all.everywhere::<f64, _>(&Everything::<300>);
    let before = all.texts.len();
    // So many trips that elements are loaded one at a time.
    all.everywhere::<u32, _>(&Everything::<8000>);
    all.everywhere::<[f32; 2], _>(&Everything::<8000>);
    let one = |text: &Text| combines(&text.made().variant) || text.made().variant.load.one();
    assert!(all.texts.len() > before && all.texts[before..].iter().all(one));
    verdict(&all.texts);
}

/// The text of a variant that matches, on the machine of that name.
fn of<T: Element, O: Op<T>>(op: &O, machine: &str, wanted: impl Fn(&Made) -> bool) -> Text {
    let mut all = Texts::default();
    let machine = machines().into_iter().find(|one| one.name == machine).expect("a machine");
    all.on::<T, O>(op, &machine);
    all.texts.into_iter().find(|text| wanted(text.made())).expect("such a variant")
}

/// The checks themselves notice what they are there for.
#[test]
fn wrong_texts_are_noticed() {
    let sealed =
        |made: &Made| !combines(&made.variant) && made.variant.store == Store::Sealed && made.variant.rows == Rows::One;
    let answers = |made: &Made| combines(&made.variant) && made.variant.store == Store::Answer { counted: true };
    let tree = of::<f32, _>(&FastMean, "browser", sealed);
    let shuffles = of::<f32, _>(&FastMean, "nvidia", sealed);
    let wide = of::<f32, _>(&Sum, "nvidia", |made| made.op.keep == Keep::Registers64 && sealed(made));
    for right in [&tree, &shuffles, &wide] {
        assert_eq!(checked(right, &LANGUAGES), Ok(()));
    }
    assert!(spelled(&tree.text, true, false, false).is_err() && spelled(&shuffles.text, false, false, false).is_err());
    assert!(validated(&shuffles.text, false).is_err(), "naga lets subgroups pass where there are none");
    assert!(spelled(&wide.text, true, false, false).is_err());
    assert!(
        spelled(&tree.text, false, true, false).is_err(),
        "a kernel without 64-bit integers passes for one that has them"
    );
    let size = format!("const WORKGROUP_SIZE = {}u;", tree.made().variant.workgroup_size);
    let looping = "fn combine(a: Acc, b: Acc) -> Acc { for (var i = 0u; i < 3u; i++) { if i == 2u { break; } }";
    let combine = "fn combine(a: Acc, b: Acc) -> Acc {";
    let changes = [
        ("var state = init_state(id);", "var state = 0u;"),
        ("fn finish_workgroup(", "fn unfinish_workgroup("),
        (&size, &format!("enable subgroups;\n{size}")),
        (&size, &format!("{size}\nfn element_again() {{}}\nfn element_again() {{}}")),
        (&size, &format!("{size}\nvar<workgroup> much: array<vec4<u32>, 1024>;")),
        (&size, "const WORKGROUP_SIZE = 512u;"),
        ("params.count", "params.counts"),
        ("let end = ", "let end = u32(1.0 / 0.0) + "),
        (combine, looping),
    ];
    for (from, to) in changes {
        assert!(tree.text.contains(from), "{from}\n{}", tree.text);
        let mut changed = tree.clone();
        changed.text = changed.text.replacen(from, to, 1);
        // Declarations that are not used are not there for naga: the memory needs a use.
        if to.contains("much") {
            changed.text =
                changed.text.replace("var state = init", "much[id.local] = vec4<u32>();\n    var state = init");
        }
        assert!(checked(&changed, &LANGUAGES).is_err(), "{to} goes unnoticed");
    }
    assert!(declared_once("fn a() {}\nconst a = 1u;\n", 8).is_err());
    // A value may have the name of a type; a comment names none.
    assert!(spelled("let f16 = 1u;\nlet b = f16;\n", false, false, false).is_ok());
    assert!(spelled("let b = f16(1u);  // let f16 = 1u;\n", false, false, false).is_err());
    let loops = of::<u32, _>(&Everything::<3>, "browser", answers);
    assert_eq!(checked(&loops, &LANGUAGES), Ok(()));
    let mut silent = loops.clone();
    let made = silent.made.as_mut().expect("an operator's text");
    let mut op = (*made.op).clone();
    op.answers[0].1 = op.answers[0].1.clone().trips(0);
    made.op = op.into();
    assert!(checked(&silent, &LANGUAGES).is_err_and(|error| error.contains("finish loops")));
}

/// `assemble` tells what reducers run: those texts that a reducer shows are the same.
#[test]
fn reducers_build_these_texts() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_features: wgpu::Features::SUBGROUP,
        ..Default::default()
    });
    for tuning in [Tuning::GPU, Tuning::CPU, Tuning::NVIDIA] {
        let reducer = Reducer::<f32, _>::with_tuning(&device, &queue, FastMean, tuning).expect("a reducer");
        let op = DeviceOp::new::<f32, _>(&FastMean, Keep::Registers).expect("names");
        let limits = treefold::internals::Limits::of(&device).expect("limits");
        let planner = treefold::internals::Planner::new(limits, tuning, Cost::of(&op)).expect("a plan");
        let variants = crate::every::variants(&planner, &op);
        for (elements, passes) in [(10, 1), (1 << 20, 2)] {
            let shown = reducer.explain(elements).expect("a plan").passes;
            assert_eq!(shown.len(), passes);
            for pass in shown {
                let same = |text: String| text.trim_end() == pass.wgsl.trim_end();
                let found = variants.iter().any(|(variant, _)| same(treefold::internals::assemble(&op, variant).text));
                assert!(found, "{tuning:?} {}", pass.wgsl);
            }
        }
    }
}

#[test]
fn files_are_short_and_begin_with_their_idea() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let (mut folders, mut names) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("shaders/") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                // The ladder's texts have a test of their own.
                folders.extend((!path.ends_with("ladder")).then_some(path));
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.strip_prefix(&root).expect("a file of shaders/").to_string_lossy().replace('\\', "/");
            let first = text.lines().next().unwrap_or("");
            assert!(first.starts_with("// ") && first.len() > 20, "{name} begins with {first:?}");
            assert!(text.lines().count() <= 80, "{name} has {} lines", text.lines().count());
            assert!(text.lines().all(|line| line.len() <= 132 && !line.contains('\t')), "{name} has long lines");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name} ends with no line end, or with several");
            names.push(name);
        }
    }
    for kernel in [
        "combine.wgsl",
        "bins/combine.wgsl",
        "histogram/combine.wgsl",
        "workgroup/subgroup.wgsl",
        "workgroup/tree.wgsl",
        "reduce.wgsl",
    ] {
        assert!(names.iter().any(|name| name == kernel), "{kernel}");
    }
    // Every file is in a text.
    let sources = [
        "src/shader/mod.rs",
        "src/shader/members.rs",
        "src/device/runs.rs",
        "src/device/slots.rs",
        "src/device/tournament.rs",
        "src/device/lists.rs",
        "src/device/halves.rs",
        "src/element/vectors.rs",
    ]
    .map(|file| root.join("..").join(file));
    let ops = std::fs::read_dir(root.join("../src/ops")).expect("src/ops").map(|entry| entry.expect("an entry").path());
    let element = root.join("../src/element.rs");
    let all: String = sources
        .into_iter()
        .chain(ops)
        .chain([element])
        .map(|file| std::fs::read_to_string(file).expect("a file"))
        .collect();
    for name in names {
        assert!(all.contains(&format!("shaders/{name}")), "{name} is in no text");
    }
}
