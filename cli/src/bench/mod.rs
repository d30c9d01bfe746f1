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

use crate::error::{say, usage};
use crate::interrupt;
use crate::json::Json;
use crate::operators::{Chosen, needed, value};
use crate::output::{Output, print};
use crate::plot::{BenchCurve, BenchPage, bench_svg};
use against::Saved;
use anyhow::{Context, Result};
use args::{BenchArgs, Benched};
use arranged::{Arranged, Arrangement, one_by_one};
use clock::Sampling;
use figure::{Figure, Subject, WHOLE};
use indicatif::{ProgressBar, ProgressStyle};
use kernels::{Inquired, Measured, Resident};
use launch::{Changes, changed, combinations};
use machine::Clocks;
use peers::{Found, Peer, Question, block_file};
use std::any::Any;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;
use treefold::half::bf16;
use treefold::ops::{FastSum, Visitor};
use treefold::wgpu::DeviceType;
use treefold::{Answer, Cpu, Dtype, DynOp, Element, Engine, Expression, Gpu, Narrow, Op, Value, Widened};

/// Runs the command; exit status 1 if an answer was wrong.
pub fn run() -> Result<ExitCode> {
    let Some(args) = BenchArgs::read()? else {
        return Ok(ExitCode::SUCCESS);
    };
    let questions = questions(&args)?;
    let launches = combinations(&args.launch)?;
    let saved = args.against.as_deref().map(Saved::read).transpose()?;
    let picture = args.plot.as_deref().map(|path| Output::file("--plot", path, args.force)).transpose()?;
    let (peers, inputs) = (Peer::all(&args)?, Arranged::all(&args)?);
    let engines = args.engines()?;
    if args.json {
        print(&machine_line(&engines)?)?;
    }
    let figures_each =
        engines.iter().map(|engine| args.whats(engine).count()).sum::<usize>() * launches.len() + peers.len();
    let bar = bar(questions.len() * inputs.len() * figures_each, !args.json);
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
        failed: vec![],
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
    Ok(if wrong || !bench.failed.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Operators over types, each as it will be made: what is not there is an error before anything is measured.
fn questions(args: &BenchArgs) -> Result<Vec<(Benched, Dtype, Chosen)>> {
    let mut all = vec![];
    for asked in args.operators() {
        for &dtype in args.dtypes() {
            let map = args.map.as_ref().map(|map| Expression::of_element(map, dtype)).transpose();
            let map = map.map_err(|error| usage(format!("--map: {error}")))?;
            let over = map.as_ref().map_or(dtype.wide().unwrap_or(dtype), Expression::makes);
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
    /// Peers that have failed, and are asked no more.
    failed: Vec<String>,
}

/// An operator over elements as they are stored.
struct OverStored<'b, 'a> {
    bench: &'b mut Bench<'a>,
    asked: &'b Benched,
    stored: Dtype,
}

impl Visitor for OverStored<'_, '_> {
    type Out = Result<()>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Result<()> {
        fn over<N: Narrow>(op: &dyn Any, of: OverStored<'_, '_>) -> Result<()> {
            let op: &DynOp<N::Wide> = op.downcast_ref().context("an operator over another type")?;
            of.bench.measure::<N, _>(&Widened(op.clone()), of.asked)
        }
        match self.stored {
            Dtype::BF16 => over::<bf16>(&op, self),
            Dtype::I8 => over::<i8>(&op, self),
            Dtype::U8 => over::<u8>(&op, self),
            Dtype::I16 => over::<i16>(&op, self),
            Dtype::U16 => over::<u16>(&op, self),
            _ => self.bench.measure(&op, self.asked),
        }
    }
}

/// Elements that every window and every slice repeats: no power of two, so that windows differ.
pub(crate) const BLOCK: usize = (1 << 20) - 4;

/// Elements of which the answer is computed one by one, to be checked with.
const ONE_BY_ONE: u64 = 1 << 20;

impl Bench<'_> {
    fn ask(&mut self, asked: &Benched, stored: Dtype, chosen: &Chosen) -> Result<()> {
        let told = asked.told.clone();
        chosen.visit(&told, OverStored { bench: self, asked, stored })?
    }

    /// All figures of an operator.
    fn measure<T: Element, O: Op<T, Output: Answer>>(&mut self, op: &O, asked: &Benched) -> Result<()> {
        let block: Vec<T> = data::elements(BLOCK, self.args.data, self.args.seed);
        let longest = self.inputs.iter().map(|&(n, _)| n).max().unwrap_or(1);
        let host: Vec<T> = block.iter().copied().cycle().take(usize::try_from(longest)?).collect();
        let residents = self.engines.iter().map(|engine| self.resident(engine, &block, longest));
        let residents = residents.collect::<Result<Vec<Option<Resident>>>>()?;
        let file = if self.peers.is_empty() { None } else { Some(block_file(bytemuck::cast_slice(&block))?) };
        for at in 0..self.inputs.len() {
            let (n, arranged) = &self.inputs[at];
            let (n, host) = (*n, &host[..*n as usize]);
            let want = arranged.is_none().then(|| self.obvious(op, host)).transpose()?;
            let asking = Inquired { host, arranged: arranged.as_ref(), want: want.as_ref() };
            let input = arranged.as_ref().map_or(WHOLE.into(), Arranged::name);
            let subject = |engine: String, what, launch: &Changes| Subject {
                operator: op.signature(),
                dtype: T::DTYPE.name().into(),
                elements: n,
                input: input.clone(),
                engine,
                what,
                launch: launch.clone(),
            };
            let mut found = vec![];
            for (engine, resident) in self.engines.iter().zip(&residents) {
                for what in self.args.whats(engine) {
                    for launch in self.launches.iter().filter(|_| !matches!(engine, Engine::Cpu(_))).chain(none(engine))
                    {
                        let of = subject(engine.name(), what, launch);
                        self.bar.set_message(format!("{} of {n} on {}", of.operator, of.engine));
                        let measured = match (engine, resident) {
                            (Engine::Gpu(gpu), Some(resident)) => {
                                let gpu = gpu.with_tuning(changed(gpu.tuning(), launch)?)?;
                                let timing = (what, self.sampling, self.pool(&gpu));
                                match best::best(&gpu, asked, (&block, n), timing)? {
                                    Some(measured) => measured,
                                    None if what == What::Slice => self.slice(&Engine::Gpu(gpu), op, &asking)?,
                                    None => resident.measure(&gpu, op, &asking, (what, self.sampling))?,
                                }
                            }
                            (engine, _) => self.slice(engine, op, &asking)?,
                        };
                        let clock_mhz = Clocks::of(engine).and_then(|clocks| clocks.sm_mhz);
                        let Measured { samples, right, compile_ms } = measured;
                        let (right, bytes) = (Some(right), n * T::DTYPE.bytes());
                        found.push(Figure {
                            of,
                            bytes,
                            samples,
                            right,
                            is_peer: false,
                            compile_ms,
                            clock_mhz,
                            change: None,
                        });
                    }
                }
            }
            let numbers = want.as_ref().map(|want| numbers(&want.parts()));
            for peer in &self.peers {
                self.bar.set_message(format!("{} of {n} by a peer", op.signature()));
                let pool = self.args.pool.unwrap_or(POOL);
                let sampling = self.sampling;
                let (operator, dtype) = (&op.signature(), T::DTYPE.name());
                let question = Question { operator, dtype, elements: n, input: &input, sampling, pool };
                let Some(file) = &file else { continue };
                if self.failed.contains(&peer.name) {
                    continue;
                }
                let asked = peer.ask(question, file).unwrap_or_else(|error| {
                    // What was measured is not lost for that.
                    say(&format!("treefold: {error:#}; it is asked no more"));
                    self.failed.push(peer.name.clone());
                    None
                });
                let Some(Found { name, what, samples, answer }) = asked else { continue };
                let (of, bytes) = (subject(name, what, &vec![]), n * T::DTYPE.bytes());
                let right = numbers.as_ref().zip(answer).map(|(own, other)| alike(own, &other));
                let (compile_ms, clock_mhz, change) = (None, None, None);
                found.push(Figure { of, bytes, samples, right, is_peer: true, compile_ms, clock_mhz, change });
            }
            found.into_iter().try_for_each(|figure| self.add(figure))?;
        }
        Ok(())
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

    /// The elements on a device, where it keeps them.
    fn resident<T: Element>(&self, engine: &Engine, block: &[T], longest: u64) -> Result<Option<Resident>> {
        let Engine::Gpu(gpu) = engine else { return Ok(None) };
        let keeps = self.args.whats(engine).any(|what| what != What::Slice);
        keeps.then(|| Resident::new(gpu, block, longest, self.pool(gpu))).transpose()
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
                Ok(Measured { samples, right: arranged.right(op, host, own)?, compile_ms: None })
            }
            (engine, None) => {
                let right = op.close(&engine.reduce(op.clone(), host)?, want.context("no answer")?, host, false);
                let samples = sampling.on_host(|| Ok(engine.reduce(op.clone(), host).map(drop)?))?;
                Ok(Measured { samples, right, compile_ms: None })
            }
            _ => Err(usage(format!("{} divides no slices; pass --adapter cpu, or --what kernel", engine.name()))),
        }
    }
}

/// Each of these answers, once.
fn cell<A>(answers: Vec<A>) -> impl Fn(usize, usize) -> Result<A> {
    let answers: Vec<_> = answers.into_iter().map(|answer| std::cell::RefCell::new(Some(answer))).collect();
    move |at, _| answers.get(at).and_then(|answer| answer.borrow_mut().take()).context("an answer that is taken twice")
}

/// The one launch of an engine that has no kernels.
fn none(engine: &Engine) -> Option<&'static Changes> {
    static NONE: Changes = vec![];
    matches!(engine, Engine::Cpu(_)).then_some(&NONE)
}

/// Memory over which windows rotate.
const POOL: u64 = 2 << 30;
const SOFTWARE_POOL: u64 = 256 << 20;

/// The numbers of an answer, each behind its place where it has one.
fn numbers(parts: &[treefold::Part]) -> Vec<f64> {
    let value = |value: Value| match value {
        Value::Bool(truth) => Some(f64::from(u8::from(truth))),
        value => value.to_f64(),
    };
    let each = |part: &treefold::Part| [part.index.map(|index| index as f64), value(part.value)];
    parts.iter().flat_map(each).flatten().collect()
}

/// Whether a peer's numbers are among these, as closely as sums in f32 are alike.
fn alike(own: &[f64], others: &[f64]) -> bool {
    let near = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-3 * a.abs().max(b.abs());
    others.iter().all(|&other| own.iter().any(|&own| near(own, other)))
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

/// A bar for figures: on a terminal, and only there.
fn bar(figures: usize, wanted: bool) -> ProgressBar {
    if !wanted || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(figures as u64);
    let style = ProgressStyle::with_template("{bar:32.cyan/dim} {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
    interrupt::clear(&bar);
    bar
}
