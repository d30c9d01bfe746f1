//! `treefold bench`: times of reductions on this machine, beside other libraries. Every answer is checked.

mod against;
mod args;
mod arranged;
mod best;
pub(crate) mod clock;
pub(crate) mod data;
mod figure;
pub(crate) mod kernels;
mod launch;
mod machine;
mod peers;
mod table;

pub(crate) use args::What;
pub(crate) use figure::median;

use crate::error::{is_usage, usage};
use crate::json::Json;
use crate::operators::{Chosen, needed, value};
use crate::output::Output;
use crate::plot::{BenchCurve, BenchPage, bench_svg};
use crate::stored::{AsStored, OverStored};
use crate::streams::{self, print, say};
use against::Saved;
use anyhow::{Context, Result, anyhow};
use args::{BenchArgs, Benched};
use arranged::{Arranged, Arrangement, one_by_one};
use clock::Sampling;
use figure::{Figure, Subject, WHOLE};
use indicatif::ProgressBar;
use kernels::{Inquired, Measured, Resident};
use launch::{Changes, changed, combinations};
use peers::{Found, Peer, Question, block_file};
use std::cell::RefCell;
use std::process::ExitCode;
use std::time::Duration;
use tempfile::NamedTempFile;
use treefold::ops::{FastSum, Visitor};
use treefold::wgpu::DeviceType;
use treefold::{Answer, Cpu, Dtype, DynOp, Element, Engine, Expression, Fold, Gpu, Op, Value};

/// Runs the command; exit status 1 if an answer was wrong.
pub fn run() -> Result<ExitCode> {
    let Some(args) = BenchArgs::read()? else {
        return Ok(ExitCode::SUCCESS);
    };
    if args.map.is_some() && !args.peer.is_empty() {
        return Err(usage("--map is treefold's own, and no --peer computes it; leave one of them out"));
    }
    let questions = questions(&args)?;
    let launches = combinations(&args.launch)?;
    let saved = args.against.as_deref().map(Saved::read).transpose()?;
    let picture = args.plot.as_deref().map(|path| Output::file("--plot", path, args.force)).transpose()?;
    let (peers, inputs) = (Peer::all(&args)?, Arranged::all(&args)?);
    let engines = args.engines()?;
    if !args.launch.is_empty() && engines.iter().all(|engine| matches!(engine, Engine::Cpu(_))) {
        return Err(usage(
            "--launch is a policy of adapters, and only cpu is asked for; leave it out, or pass --adapter",
        ));
    }
    if args.json {
        print(&machine_line(&engines)?)?;
    }
    let figures_each =
        engines.iter().map(|engine| args.whats(engine).count()).sum::<usize>() * launches.len() + peers.len();
    let bar = streams::steps(!args.json, questions.len() * inputs.len() * figures_each);
    let sampling = Sampling { samples: args.samples as usize, warm: Duration::from_millis(args.warm) };
    let mut bench = Bench {
        args: &args,
        engines: &engines,
        peers,
        inputs,
        launches,
        sampling,
        saved,
        bar,
        figures: vec![],
        failed: RefCell::default(),
    };
    for (asked, dtype, chosen) in &questions {
        bench.ask(asked, *dtype, chosen)?;
    }
    bench.bar.finish_and_clear();
    let figures = &bench.figures;
    if !args.json {
        let noted: Vec<String> = engines.iter().map(machine::told).collect();
        print(&table::text(figures, &noted, args.markdown))?;
    }
    if let Some(picture) = picture {
        picture.write(bench_svg(&page(&engines, figures, sampling)?)?.as_bytes())?;
    }
    let wrong = figures.iter().any(|figure| figure.right == Some(false) && !figure.is_peer);
    Ok(if wrong || !bench.failed.borrow().is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Operators over types, each as it will be made: what is not there is an error before anything is measured.
fn questions(args: &BenchArgs) -> Result<Vec<(Benched, Dtype, Chosen)>> {
    let mut all = vec![];
    for asked in args.operators() {
        for &dtype in args.dtypes() {
            let map = args.map.as_ref().map(|map| Expression::of_element(map, dtype)).transpose();
            let map = map.map_err(|error| usage(format!("--map: {error}")))?;
            // What is not over f16 itself is over f32, to which they are widened as they are read.
            let there = |dtype| Chosen::named(asked.name, dtype).is_some();
            let widens = dtype == Dtype::F16 && !there(dtype) && there(Dtype::F32);
            let wide = if widens { Dtype::F32 } else { dtype.wide().unwrap_or(dtype) };
            let over = map.as_ref().map_or(wide, Expression::makes);
            let read = map.as_ref().map_or(over, Expression::takes);
            let Some(chosen) = Chosen::named(asked.name, over) else {
                let takes = treefold::ops::TABLE.iter().filter(|entry| entry.name == asked.name);
                let takes: Vec<&str> = takes.map(|entry| entry.dtype.name()).collect();
                let name = asked.name;
                return Err(usage(format!("{name} takes no {over}; pass --dtype, one of {}", takes.join(", "))));
            };
            let needed = needed(asked.name).filter(|needed| value(&asked.told, needed).is_none());
            if let Some(option) = needed {
                let name = asked.name;
                return Err(usage(format!("{name} says little without {option}; write '{name}({option}=VALUE)'")));
            }
            let chosen = Chosen { dtype: read, map, ..chosen };
            chosen.visit(&asked.told, Nothing)?;
            all.push((asked.clone(), dtype, chosen));
        }
    }
    Ok(all)
}

/// Why neither a reducer nor a ranker computes it on a device, where that is so.
fn cpu_alone<T: Element, O: Op<T>>(op: &O) -> Option<&'static str> {
    op.fold().host_only().filter(|_| op.fold().ranks().is_none())
}

/// Takes an operator and does nothing with it.
struct Nothing;

impl Visitor for Nothing {
    type Out = ();
    fn visit<T: Element>(self, _: DynOp<T>) {}
}

/// What is measured, and what was.
struct Bench<'a> {
    args: &'a BenchArgs,
    engines: &'a [Engine],
    peers: Vec<Peer>,
    inputs: Vec<Arrangement>,
    launches: Vec<Changes>,
    sampling: Sampling,
    saved: Option<Saved>,
    bar: ProgressBar,
    figures: Vec<Figure>,
    /// Peers that have failed, and are asked no more; and engines.
    failed: RefCell<Vec<String>>,
}

/// What is measured of an operator.
struct Measure<'b, 'a> {
    bench: &'b mut Bench<'a>,
    asked: &'b Benched,
}

impl OverStored for Measure<'_, '_> {
    type Out = ();
    fn over<T: Element, O: Op<T, Output: Answer>>(self, op: &O) -> Result<()> {
        self.bench.measure(op, self.asked)
    }
}

/// Elements that every window and every slice repeats: no power of two, so that windows differ.
pub(crate) const BLOCK: usize = (1 << 20) - 4;

/// Elements of which the answer is computed one by one, to be checked with.
const ONE_BY_ONE: u64 = 1 << 20;

impl Bench<'_> {
    fn ask(&mut self, asked: &Benched, stored: Dtype, chosen: &Chosen) -> Result<()> {
        let told = asked.told.clone();
        chosen.visit(&told, AsStored { dtype: stored, then: Measure { bench: self, asked } })?
    }

    /// All figures of an operator.
    fn measure<T: Element, O: Op<T, Output: Answer>>(&mut self, op: &O, asked: &Benched) -> Result<()> {
        let block: Vec<T> = data::elements(BLOCK, self.args.data, self.args.seed);
        let longest = usize::try_from(self.inputs.iter().map(|&(n, _)| n).max().unwrap_or(1))?;
        let mut host: Vec<T> = vec![];
        host.try_reserve_exact(longest).with_context(|| format!("{longest} elements of {}", T::DTYPE))?;
        host.extend(block.iter().copied().cycle().take(longest));
        let alone = cpu_alone(op);
        if let Some(why) = alone.filter(|_| self.engines.iter().any(|engine| !engine.gpus().is_empty())) {
            say(&format!("treefold: note: {} over {} is the CPU engine's: {why}", op.signature(), T::DTYPE));
        }
        let resident = |engine| if alone.is_some() { None } else { self.resident(engine, &block, longest as u64) };
        let residents: Vec<Option<Resident>> = self.engines.iter().map(resident).collect();
        let file = if self.peers.is_empty() { None } else { Some(block_file(bytemuck::cast_slice(&block))?) };
        for at in 0..self.inputs.len() {
            let (n, arranged) = &self.inputs[at];
            let host = &host[..*n as usize];
            let want = arranged.is_none().then(|| self.obvious(op, host)).transpose()?;
            let asking = Inquired { host, arranged: arranged.as_ref(), want: want.as_ref() };
            let subject = Subject {
                operator: op.signature(),
                dtype: T::DTYPE.name().into(),
                elements: *n,
                input: arranged.as_ref().map_or(WHOLE.into(), Arranged::name),
                data: self.args.data_name(),
                engine: String::new(),
                what: What::Slice,
                launch: vec![],
            };
            let mut figures = self.own(op, (asked, &block), &asking, &residents, &subject)?;
            if let Some(file) = &file {
                let numbers = want.as_ref().map(|want| AnswerNumbers::of(&want.parts()));
                figures.extend(self.of_peers(&subject, file, numbers.as_ref(), T::DTYPE.bytes()));
            }
            figures.into_iter().try_for_each(|figure| self.add(figure))?;
        }
        Ok(())
    }

    /// The figures of this machine's engines over one input.
    fn own<T: Element, O: Op<T, Output: Answer>>(
        &self,
        op: &O,
        (asked, block): (&Benched, &[T]),
        asking: &Inquired<'_, T, O::Output>,
        residents: &[Option<Resident>],
        subject: &Subject,
    ) -> Result<Vec<Figure>> {
        let mut found = vec![];
        for ((engine, resident), name) in self.engines.iter().zip(residents).zip(names(self.engines)) {
            // The CPU engine has no kernels.
            let on_cpu = matches!(engine, Engine::Cpu(_));
            if !on_cpu && cpu_alone(op).is_some() {
                continue;
            }
            let launches = if on_cpu { vec![vec![]] } else { self.launches.clone() };
            for what in self.args.whats(engine) {
                for launch in &launches {
                    let of = Subject { engine: name.clone(), what, launch: launch.clone(), ..subject.clone() };
                    self.bar.set_message(format!("{} of {} on {}", of.operator, of.elements, of.engine));
                    let measured =
                        self.on_engine(op, (asked, block), asking, (engine, resident.as_ref()), (what, launch));
                    match measured {
                        Ok(Measured { samples, right, compile_ms, clock_mhz }) => {
                            let (right, bytes) = (Some(right), of.elements * T::DTYPE.bytes());
                            let (is_peer, change) = (false, None);
                            found.push(Figure { of, bytes, samples, right, is_peer, compile_ms, clock_mhz, change });
                        }
                        Err(error) if is_usage(&error) => return Err(error),
                        // What was measured is not lost for that.
                        Err(error) => {
                            say(&format!("treefold: {} of {} on {name}: {error:#}", of.operator, of.elements));
                            self.failed.borrow_mut().push(name.clone());
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn on_engine<T: Element, O: Op<T, Output: Answer>>(
        &self,
        op: &O,
        (asked, block): (&Benched, &[T]),
        asking: &Inquired<'_, T, O::Output>,
        (engine, resident): (&Engine, Option<&Resident>),
        (what, launch): (What, &Changes),
    ) -> Result<Measured> {
        let Engine::Gpu(gpu) = engine else { return self.slice(engine, op, asking) };
        let gpu = gpu.with_tuning(changed(gpu.tuning(), launch)?)?;
        if what == What::Slice {
            return self.slice(&Engine::Gpu(gpu), op, asking);
        }
        let length = asking.host.len() as u64;
        let timing = (what, self.sampling, self.pool(&gpu));
        let best = match self.args.map {
            None => best::best(&gpu, asked, (block, length, asking.arranged), timing)?,
            Some(_) => None,
        };
        match (best, resident) {
            (Some(measured), _) => Ok(measured),
            (None, Some(resident)) => resident.measure(&gpu, op, asking, (what, self.sampling)),
            (None, None) => Err(anyhow!("its memory has no room for the elements; pass a smaller --size or --pool")),
        }
    }

    /// The figures of peers over one input.
    fn of_peers(
        &self,
        subject: &Subject,
        file: &NamedTempFile,
        numbers: Option<&AnswerNumbers>,
        element_bytes: u64,
    ) -> Vec<Figure> {
        let mut found = vec![];
        for peer in self.peers.iter().filter(|peer| !self.failed.borrow().contains(&peer.name)) {
            self.bar.set_message(format!("{} of {} by {}", subject.operator, subject.elements, peer.name));
            let Subject { operator, dtype, elements, input, .. } = subject;
            let (sampling, pool) = (self.sampling, self.args.pool.unwrap_or(POOL));
            let question = Question { operator, dtype, elements: *elements, input, sampling, pool };
            match peer.ask(question, file) {
                Ok(Some(Found { name, what, samples, answer })) => found.push(Figure {
                    of: Subject { engine: name, what, ..subject.clone() },
                    bytes: elements * element_bytes,
                    samples,
                    right: numbers.zip(answer).map(|(own, other)| own.are(&other)),
                    is_peer: true,
                    compile_ms: None,
                    clock_mhz: None,
                    change: None,
                }),
                Ok(None) => (),
                Err(error) => {
                    say(&format!("treefold: {error:#}; it is asked no more"));
                    self.failed.borrow_mut().push(peer.name.clone());
                }
            }
        }
        found
    }

    /// The answer that others are checked with: of few elements one by one; of many that of the CPU engine, on one thread where it is
    /// measured itself.
    fn obvious<T: Element, O: Op<T>>(&self, op: &O, host: &[T]) -> Result<O::Output> {
        let measured = self.engines.iter().any(|engine| matches!(engine, Engine::Cpu(_)));
        match host.len() as u64 {
            ..=ONE_BY_ONE => one_by_one(op, host),
            _ if measured => Ok(Cpu::with_threads(1).reduce(op.clone(), host)?),
            _ => Ok(Cpu::new().reduce(op.clone(), host)?),
        }
    }

    /// Takes a figure.
    fn add(&mut self, mut figure: Figure) -> Result<()> {
        self.bar.inc(1);
        figure.change = self.saved.as_ref().and_then(|saved| saved.change(&figure));
        if self.args.json {
            print(&figure.line()?)?;
        }
        if figure.right == Some(false) && !figure.is_peer {
            let of = &figure.of;
            say(&format!(
                "treefold: the answer of {} over {} {} on {} is wrong",
                of.operator, of.elements, of.dtype, of.engine
            ));
        }
        self.figures.push(figure);
        Ok(())
    }

    /// The elements on a device, where it keeps them and has room.
    fn resident<T: Element>(&self, engine: &Engine, block: &[T], longest: u64) -> Option<Resident> {
        let Engine::Gpu(gpu) = engine else { return None };
        let keeps = self.args.whats(engine).any(|what| what != What::Slice);
        keeps.then(|| Resident::new(gpu, block, longest, self.pool(gpu)))?.ok()
    }

    fn pool(&self, gpu: &Gpu) -> u64 {
        let own = if gpu.info().device_type == DeviceType::Cpu { SOFTWARE_POOL } else { POOL };
        self.args.pool.unwrap_or(own)
    }

    /// Over a slice in host memory.
    fn slice<T: Element, O: Op<T, Output: Answer>>(
        &self,
        engine: &Engine,
        op: &O,
        asked: &Inquired<'_, T, O::Output>,
    ) -> Result<Measured> {
        let Inquired { host, arranged, want } = *asked;
        let sampling = self.sampling;
        match (engine, arranged) {
            (Engine::Cpu(cpu), Some(arranged)) => {
                let samples = sampling.on_host(|| arranged.on_cpu(cpu, op, host).map(drop))?;
                let answers = arranged.on_cpu(cpu, op, host)?;
                let own = cell(answers);
                Ok(Measured::on_host(samples, arranged.right(op, host, own)?))
            }
            (engine, None) => {
                let right = op.close(&engine.reduce(op.clone(), host)?, want.context("no answer")?, host, false);
                // What one thread finds is found as all find it: the first elements are looked at one by one.
                let first = &host[..host.len().min(ONE_BY_ONE as usize)];
                let right = right
                    && (first.len() == host.len()
                        || op.close(&engine.reduce(op.clone(), first)?, &one_by_one(op, first)?, first, false));
                let samples = sampling.on_host(|| Ok(engine.reduce(op.clone(), host).map(drop)?))?;
                Ok(Measured::on_host(samples, right))
            }
            _ => Err(usage(format!("{} divides no slices; pass --adapter cpu, or --what kernel", engine.name()))),
        }
    }
}

/// Each of these answers, once.
fn cell<A>(answers: Vec<A>) -> impl Fn(usize, usize) -> Result<A> {
    let answers: Vec<_> = answers.into_iter().map(|answer| RefCell::new(Some(answer))).collect();
    move |at, _| answers.get(at).and_then(|answer| answer.borrow_mut().take()).context("an answer that is taken twice")
}

/// Memory over which windows rotate.
const POOL: u64 = 2 << 30;
const SOFTWARE_POOL: u64 = 256 << 20;

/// The numbers of an answer: values, and places.
struct AnswerNumbers {
    values: Vec<f64>,
    places: Vec<f64>,
}

impl AnswerNumbers {
    fn of(parts: &[treefold::Part]) -> AnswerNumbers {
        let value = |value: Value| match value {
            Value::Bool(truth) => Some(f64::from(u8::from(truth))),
            value => value.to_f64(),
        };
        AnswerNumbers {
            values: parts.iter().filter_map(|part| value(part.value)).collect(),
            places: parts.iter().filter_map(|part| part.index.map(|index| index as f64)).collect(),
        }
    }

    /// Whether a peer's numbers are the places, or, as closely as sums in f32 are alike, the first of the values.
    fn are(&self, others: &[f64]) -> bool {
        let near = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-3 * a.abs().max(b.abs());
        let values = || others.len() <= self.values.len() && others.iter().zip(&self.values).all(|(&a, &b)| near(a, b));
        !others.is_empty() && if self.places.is_empty() { values() } else { self.places == others || values() }
    }
}

/// The engines' names, those of equal ones with a number.
fn names(engines: &[Engine]) -> Vec<String> {
    let all: Vec<String> = engines.iter().map(Engine::name).collect();
    let before = |at: usize| all[..at].iter().filter(|name| **name == all[at]).count();
    let each = all.iter().enumerate().map(|(at, name)| match before(at) {
        0 => name.clone(),
        before => format!("{name} #{}", before + 1),
    });
    each.collect()
}

/// The line in front of all figures: what they are measured on.
fn machine_line(engines: &[Engine]) -> Result<String> {
    let engines = engines.iter().map(machine::json).collect();
    let version = Json::text(concat!("treefold ", env!("CARGO_PKG_VERSION")));
    Json::Object(vec![("program", version), ("engines", Json::List(engines))]).line()
}

/// The picture's content: lines of all figures that differ in nothing but the length, and the rates at which memory is read.
fn page(engines: &[Engine], figures: &[Figure], sampling: Sampling) -> Result<BenchPage> {
    let mut curves: Vec<(String, BenchCurve)> = vec![];
    for figure in figures {
        let Subject { operator, dtype, input, engine, what, launch, .. } = &figure.of;
        let mut label = format!("{operator} {dtype} {}", what.name());
        label += &if input == WHOLE { String::new() } else { format!(", {input}") };
        launch.iter().for_each(|(key, value)| label += &format!(", {key}={value}"));
        label += &format!(", {engine}");
        let point = figure.us().zip(figure.gb_per_s()).map(|(us, rate)| (figure.of.elements as f64, us, rate));
        let known = curves.iter_mut().find(|(known, _)| *known == label);
        match known {
            Some((_, curve)) => curve.points.extend(point),
            None => {
                let points = point.into_iter().collect();
                curves.push((label.clone(), BenchCurve { name: label, points }));
            }
        }
    }
    let bytes = figures.iter().map(|figure| figure.bytes).max().unwrap_or(0).clamp(64 << 20, 1 << 30);
    let mut roofs = vec![];
    for engine in engines {
        roofs.extend(roof(engine, bytes, sampling)?.map(|rate| (format!("memory of {}", engine.name()), rate)));
    }
    let notes = engines.iter().map(machine::told).collect();
    let curves = curves.into_iter().map(|(_, curve)| curve).collect();
    Ok(BenchPage { title: "Reductions, measured".into(), notes, curves, roofs })
}

/// Gigabytes a second at which an engine reads so many bytes and does next to nothing with them.
fn roof(engine: &Engine, bytes: u64, sampling: Sampling) -> Result<Option<f64>> {
    let elements = bytes / 4;
    let rate = match engine {
        Engine::Gpu(gpu) => {
            let ladder = treefold::ladder::Ladder::new(gpu, elements, treefold::ladder::Operator::Sum)?;
            return Ok(ladder.read_bandwidth()?.map(|rate| rate / 1e9));
        }
        _ => {
            let host = vec![1f32; usize::try_from(elements)?];
            let samples = sampling.on_host(|| Ok(engine.reduce(FastSum, &host).map(drop)?))?;
            samples.first().map(|us| bytes as f64 / us / 1e3)
        }
    };
    Ok(rate)
}
