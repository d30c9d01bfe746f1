//! `treefold explain`: how an operator is computed, as the plan in words and the WGSL of each pass.

use crate::adapters::with_kernels;
use crate::args::{command, elements, helped, told};
use crate::edges::settle;
use crate::error::{clap_usage, usage};
use crate::list::{self, ListedOperators, Words};
use crate::operators::{self, Chosen, REDUCE, Told};
use crate::options::Making;
use crate::stored::{AsStored, OverStored};
use crate::together::{MayShare, over, sharing, together};
use anyhow::{Context, Result, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{FromArgMatches, Parser};
use treefold::ops::Visitor;
use treefold::wgpu::{self, Backends, Features, Limits};
use treefold::{Answer, Dtype, DynOp, Element, Explanation, Expression, Fold, Gpu, Op, Tuning};

const EXAMPLES: &str = "\
Examples:
  treefold explain sum                       the plan here for 2^24 f32, why it is so, and the kernels
  treefold explain max --dtype i32 --size 1000 --wgsl
  treefold explain 'histogram(bins=64,range=-1:1)'
  treefold explain 'mean,std(ddof=1),top(10)' --dtype f64
  treefold explain mean --wgsl --web         the texts that a browser gets
  treefold explain reduce --identity 0 --combine 'a + b' --map 'x * x'

Each pass begins with a line `// pass N: kernel, workgroups`.";

/// Explain how operators are computed: the plan in words, and the WGSL of each pass.
#[derive(Parser, Debug)]
#[command(name = "treefold explain", bin_name = "treefold explain", after_help = EXAMPLES, max_term_width = 110)]
struct ExplainArgs {
    /// The operator, or several with commas, with options in parentheses: 'mean,std(ddof=1)'
    #[arg(value_name = "OPERATOR", value_parser = words(), hide_possible_values = true, required = true)]
    listed: ListedOperators,

    /// Type of the elements
    #[arg(long, value_name = "TYPE", default_value = "f32", value_parser = PossibleValuesParser::new(stored().map(Dtype::name)))]
    dtype: String,

    /// The function of elements, and the operator of reduce
    #[command(flatten)]
    making: Option<Making>,

    /// The adapter: a part of its name, its number (see `treefold adapters`), or auto: the best, software too. [env:
    /// WGPU_ADAPTER_NAME] [default: auto]
    #[arg(long, value_name = "auto|NUMBER|NAME")]
    adapter: Option<String>,

    /// Elements: 2^24, 16M, 1000000 (K, M and G are powers of 1024)
    #[arg(long, value_name = "N", default_value = "2^24", value_parser = elements)]
    size: u64,

    /// The accumulation in f32 rather than the exact one
    #[arg(long)]
    fast: bool,

    /// The WGSL only
    #[arg(long)]
    wgsl: bool,

    /// As a browser has it: no subgroups, no 64-bit types, no float atomics, WebGPU's default limits
    #[arg(long)]
    web: bool,
}

impl ExplainArgs {
    /// The type of the elements as they are stored.
    fn stored(&self) -> Dtype {
        stored().find(|dtype| dtype.name() == self.dtype).unwrap_or(Dtype::F32)
    }

    /// The same for an operator: f16 that it widens are explained as what it makes of them.
    fn stored_of(&self, chosen: &Chosen) -> Dtype {
        if self.stored().wide().is_some() { self.stored() } else { chosen.dtype }
    }
}

/// Types that may be explained.
fn stored() -> impl Iterator<Item = Dtype> {
    Dtype::ALL.into_iter().chain(Dtype::NARROW)
}

/// The text that the command line behind the word `explain` asks for; `None` after printing a help text.
pub fn run() -> Result<Option<String>> {
    let words = std::env::args_os().enumerate().filter(|&(at, _)| at != 1).map(|(_, word)| word);
    let mut command = command::<ExplainArgs>();
    let matches = match command.try_get_matches_from_mut(words) {
        Ok(matches) => matches,
        Err(error) => return helped(&error, command.get_name()).map(|_| None),
    };
    let args = ExplainArgs::from_arg_matches(&matches).map_err(|error| clap_usage(&error, command.get_name()))?;
    let names = &args.listed.names;
    if names.len() > 1 {
        list::check(names, None)?;
    }
    let mut told = [told(&matches), args.listed.told.clone()].concat();
    operators::check_names(names, &told)?;
    settle(&mut told, names)?;
    let asked = names.iter().map(|name| {
        let told = operators::told_to(name, &told);
        operators::check(name, &told)?;
        Ok((asked(&args, name, &told)?, told))
    });
    explained(&args, &asked.collect::<Result<Vec<_>>>()?).map(Some)
}

/// One of the operators that are named, over elements of the type that is, or over what a map makes of them.
fn asked(args: &ExplainArgs, name: &String, told: &Told) -> Result<Chosen> {
    let dtype = args.stored().wide().unwrap_or(args.stored());
    let making = args.making.clone().unwrap_or_default();
    if args.making.is_some() || name == REDUCE {
        let pairs = operators::takes_pairs(name).then_some(name.as_str());
        making.check(std::slice::from_ref(name), pairs, false, false)?;
    }
    let chosen = match name == REDUCE {
        true => making.choose(std::slice::from_ref(name), dtype, &args.dtype, args.fast)?.pop(),
        false => named(args, name, &making, dtype).map(Some)?,
    };
    let chosen = chosen.context("no operator")?;
    let stored = args.stored_of(&chosen);
    if let Some(why) = chosen.host_only()
        && !chosen.visit(told, AsStored { dtype: stored, then: IsRanked })??
    {
        return Err(usage(format!("{name} over {stored} has no kernel to explain: {why}; the CPU engine computes it")));
    }
    Ok(chosen)
}

/// Whether it is a list of the best elements, which has kernels of its own.
struct IsRanked;

impl OverStored for IsRanked {
    type Out = bool;
    fn over<T: Element, O: Op<T, Output: Answer>>(self, op: &O) -> Result<bool> {
        Ok(op.fold().ranks().is_some())
    }
}

/// What is asked for of these operators, the passes of all of them in one count.
fn explained(args: &ExplainArgs, asked: &[(Chosen, Told)]) -> Result<String> {
    let gpu = with_kernels(args.adapter.as_deref(), "to explain")?;
    let gpu = if args.web { as_in_a_browser(&gpu)? } else { gpu };
    let on = format!(" on {}{}", gpu.info().name, if args.web { ", as in a browser" } else { "" });
    let (mut parts, mut texts) = (vec![], vec![]);
    for (together, explanation) in explanations(args, asked, &gpu)? {
        let before = texts.len();
        texts.extend(explanation.passes.iter().enumerate().map(|(n, pass)| pass.text(before + n)));
        let names: Vec<&str> = together.iter().map(|chosen| chosen.name).collect();
        let first = together.first().context("no operator")?;
        let by = first.combine.as_ref().map_or(String::new(), |by| format!(" by {}", by.combine));
        let of = first.map.as_ref().map_or(String::new(), |map| format!(" of {map}"));
        let of = format!("{}{by}{of} over {}", names.join(", "), args.stored_of(first));
        let plan = told_once(&explanation.lines);
        let own: String = texts[before..].iter().map(|text| format!("\n{text}\n")).collect();
        parts.push((of, format!("{plan}{own}")));
    }
    if args.wgsl {
        return Ok(texts.join("\n\n") + "\n");
    }
    if let [(of, part)] = &parts[..] {
        return Ok(format!("{of}{on}\n{part}"));
    }
    let parts: String = parts.iter().map(|(of, part)| format!("\n{of}\n{part}")).collect();
    Ok(format!(
        "{} operators{on}, each over every part of an input, which is read once: {} passes\n{parts}",
        asked.len(),
        texts.len()
    ))
}

/// How these operators are computed: those that share elements together, each other by itself.
fn explanations<'a>(
    args: &ExplainArgs,
    asked: &'a [(Chosen, Told)],
    gpu: &Gpu,
) -> Result<Vec<(Vec<&'a Chosen>, Explanation)>> {
    let explain = |places: &[usize]| {
        let members: Vec<&(Chosen, Told)> = places.iter().map(|&at| &asked[at]).collect();
        let (chosen, told) = members.first().context("no operator")?;
        let then = Explain { gpu, elements: args.size };
        let then = AsStored { dtype: args.stored_of(chosen), then };
        chosen.visit(told, Together { members: &members, then })?
    };
    let may = asked.iter().map(|(chosen, told)| chosen.visit(told, MayShare)).collect::<Result<Vec<bool>>>()?;
    let dtype = args.stored().wide().unwrap_or(args.stored());
    let together = sharing(asked.iter().map(|(chosen, _)| chosen), dtype, |at| may[at]);
    // What is too much for one reduction is explained by itself, as it is then computed.
    let mut found: Vec<(Vec<usize>, Explanation)> =
        together.into_iter().filter_map(|places| explain(&places).ok().map(|explained| (places, explained))).collect();
    for at in 0..asked.len() {
        if !found.iter().any(|(places, _)| places.contains(&at)) {
            found.push((vec![at], explain(&[at])?));
        }
    }
    found.sort_by_key(|(places, _)| places.first().copied());
    let chosen = |places: Vec<usize>| places.into_iter().map(|at| &asked[at].0).collect();
    Ok(found.into_iter().map(|(places, explained)| (chosen(places), explained)).collect())
}

/// Hands operators on as one, where they are several.
struct Together<'a, V> {
    members: &'a [&'a (Chosen, Told)],
    then: V,
}

impl<V: Visitor<Out = Result<Explanation>>> Visitor for Together<'_, V> {
    type Out = Result<Explanation>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Result<Explanation> {
        let Together { members, then } = self;
        let several = members.iter().map(|(chosen, told)| over(chosen, told));
        then.visit(match members {
            [_] => op,
            _ => together(several.collect::<Result<Vec<DynOp<T>>>>()?),
        })
    }
}

/// The operator of this name over elements of that type, or over what a map makes of them.
fn named(args: &ExplainArgs, name: &str, making: &Making, dtype: Dtype) -> Result<Chosen> {
    let map = making.map_of(dtype)?;
    let over = map.as_ref().map_or(dtype, Expression::makes);
    let chosen = operators::choose(name, over, args.fast).ok_or_else(|| {
        let takes: Vec<&str> = operators::takes(name).into_iter().map(Dtype::name).collect();
        match &map {
            Some(map) => usage(format!("{map} makes {over}, but {name} takes {}", takes.join(", "))),
            None => usage(format!("{name} takes no {dtype}; pass --dtype, one of {}", takes.join(", "))),
        }
    })?;
    if args.stored() != dtype && chosen.dtype != over {
        return Err(usage(format!(
            "{name} makes pairs of {dtype}, which {} are not; pass --dtype {dtype}",
            args.dtype
        )));
    }
    Ok(match map {
        Some(map) => Chosen { dtype: map.takes(), map: Some(map), ..chosen },
        None => chosen,
    })
}

/// Words that may be explained: operators of the library, and reduce.
fn words() -> Words {
    Words::new(operators::names().into_iter().chain([REDUCE]).map(PossibleValue::new))
}

/// Lines, of equal neighbours one, with their number.
fn told_once(lines: &[String]) -> String {
    let each = lines.chunk_by(|a, b| a == b).map(|equal| match equal.len() {
        1 => format!("{}\n", equal[0]),
        n => format!("{n} times {}\n", equal[0]),
    });
    each.collect()
}

struct Explain<'a> {
    gpu: &'a Gpu,
    elements: u64,
}

impl OverStored for Explain<'_> {
    type Out = Explanation;
    fn over<T: Element, O: Op<T, Output: Answer>>(self, op: &O) -> Result<Explanation> {
        Ok(self.gpu.explain::<T, _>(op.clone(), self.elements)?)
    }
}

/// The same adapter, opened with no feature and the default limits, and planned for as a GPU of which nothing is known.
fn as_in_a_browser(gpu: &Gpu) -> Result<Gpu> {
    let info = gpu.info();
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = Backends::from(info.backend);
    let instance = wgpu::Instance::new(descriptor);
    let adapters = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    let same = |adapter: &wgpu::Adapter| {
        let other = adapter.get_info();
        (&other.name, other.device, &other.device_pci_bus_id) == (&info.name, info.device, &info.device_pci_bus_id)
    };
    let adapter = adapters.into_iter().find(same).with_context(|| format!("{}: not found again", info.name))?;
    let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("treefold as in a browser"),
        required_features: Features::empty(),
        required_limits: Limits::default(),
        ..Default::default()
    }));
    let (device, queue) =
        opened.map_err(|error| anyhow!("{}: has less than a browser asks for: {error}", info.name))?;
    Ok(Gpu::from_device(&device, &queue)?.with_tuning(Tuning::GPU)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_stands_twice() {
        command::<ExplainArgs>().debug_assert();
    }

    #[test]
    fn equal_lines_are_counted() {
        let lines = ["a", "b", "b", "a"].map(String::from);
        assert_eq!(told_once(&lines), "a\n2 times b\na\n");
    }
}
