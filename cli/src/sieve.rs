//! The choice of elements that count: what becomes of NaN, comparisons that they must pass, masks.

use crate::beside::{Beside, Hand, ensure_as_many};
use crate::division::GROUP_BY;
use crate::error::usage;
use crate::files::missing::Gaps;
use crate::input::Inputs;
use crate::options::{NanPolicy, Sifting};
use crate::reading::feed;
use crate::report::LeftOut;
use crate::source::Sizes;
use anyhow::{Result, bail, ensure};
use half::f16;
use std::path::{Path, PathBuf};
use treefold::ops::{Comparison, Numbers};
use treefold::{Dtype, Element, Error, Scalar};

/// The options that name files.
const MASK: &str = "--mask";
const WHERE: &str = "--where";

/// A `--where` in its parts.
enum Condition<'a> {
    /// Of the elements themselves.
    Own(Comparison),
    /// Of the numbers of another file.
    Of(&'a Path, Comparison),
}

impl Sifting {
    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.named().map(|(path, _)| path)
    }

    /// The same, each with its option.
    pub fn named(&self) -> impl Iterator<Item = (PathBuf, &'static str)> {
        let other = match self.condition() {
            Ok(Some(Condition::Of(path, _))) => Some((path.to_path_buf(), WHERE)),
            _ => None,
        };
        self.mask.clone().map(|path| (path, MASK)).into_iter().chain(other)
    }

    /// Whether elements may be left out.
    pub fn leaves_out(&self) -> bool {
        self.nan == NanPolicy::Ignore || self.mask.is_some() || self.condition.is_some()
    }

    /// Whether elements must come in their order.
    pub fn is_ordered(&self) -> bool {
        self.nan == NanPolicy::Error || self.files().next().is_some()
    }

    /// The condition on a number itself, by which an operator leaves some out and all keep their places.
    /// `compared`: the type of the numbers in the inputs.
    pub fn numbers(&self, compared: Dtype) -> Result<Numbers> {
        if let Some(option) = self.beside()? {
            return Err(usage(format!(
                "what is computed goes by the places of numbers, and {option} leaves some out by other files; leave it out, or reduce a file \
                 that has only those that count"
            )));
        }
        let compare = match self.condition()? {
            Some(Condition::Own(compare)) => Some(compare.rounded(compared)),
            _ => None,
        };
        Ok(Numbers { not_nan: self.nan == NanPolicy::Ignore, compare })
    }

    /// The option by which another file leaves elements out.
    fn beside(&self) -> Result<Option<&'static str>> {
        Ok(match (&self.mask, self.condition()?) {
            (Some(_), _) => Some(MASK),
            (None, Some(Condition::Of(..))) => Some("--where with a FILE"),
            (None, _) => None,
        })
    }

    /// Checks it before anything is read; `division`: the option that divides the elements; `pairs`: the operator that takes two files.
    pub fn check(&self, division: Option<&str>, pairs: Option<&str>) -> Result<()> {
        let condition = self.condition()?;
        if let (Some(option), Some(beside)) = (division.filter(|&option| option != GROUP_BY), self.beside()?) {
            return Err(usage(format!(
                "{option} goes by the places of numbers, and {beside} leaves some out by those of another file; reduce a file that has only \
                 those that count"
            )));
        }
        match (pairs, condition) {
            (Some(operator), Some(Condition::Own(compare))) => Err(usage(format!(
                "--where '{compare}' compares single numbers, and {operator} takes pairs; name the file: --where 'FILE {compare}'"
            ))),
            _ => Ok(()),
        }
    }

    fn condition(&self) -> Result<Option<Condition<'_>>> {
        let Some(text) = &self.condition else { return Ok(None) };
        let at = text.find(['<', '>', '=', '!']).unwrap_or(text.len());
        let (file, compare) = (text[..at].trim(), &text[at..]);
        let compare: Comparison = compare.parse().map_err(|error| {
            let rule = if let Error::BadOption { rule, .. } = error { rule } else { error.to_string() };
            usage(format!("--where is {text:?}: {rule}; a FILE may stand before it"))
        })?;
        Ok(Some(if file.is_empty() { Condition::Own(compare) } else { Condition::Of(Path::new(file), compare) }))
    }
}

/// Whether each of some elements holds.
type Judge<T> = Box<dyn Fn(&[T], &mut [bool])>;

/// Lets those elements through that count.
pub struct Sieve<T> {
    nan: NanPolicy,
    own: Option<Judge<T>>,
    /// Flags of other files, for each element.
    others: Vec<Other>,
    active: bool,
    /// Whether the operators leave out what this one only counts.
    in_place: bool,
    elements: u64,
    found: LeftOut,
    /// Of the elements under way, which count.
    counting: Vec<bool>,
    kept: Vec<T>,
    kept_keys: Vec<u32>,
    /// Places at which elements were left out.
    gaps: Gaps,
}

struct Other {
    name: String,
    elements: u64,
    flags: Beside<bool>,
}

impl<T: Element> Sieve<T> {
    /// As it is asked for, of the inputs' elements; other files are read within so much memory.
    pub fn new(sifting: &Sifting, memory: u64, inputs: &Inputs) -> Result<Sieve<T>> {
        let mut others = vec![];
        let mut own = None;
        if let Some(path) = &sifting.mask {
            others.push(Other::open(path, MASK, Comparison::default(), memory, inputs)?);
        }
        match sifting.condition()? {
            Some(Condition::Of(path, compare)) => others.push(Other::open(path, WHERE, compare, memory, inputs)?),
            Some(Condition::Own(compare)) => {
                let order = || {
                    usage(format!("--where '{compare}' compares numbers, and {} have no order; leave it out", T::DTYPE))
                };
                // As the file has them, to whatever they are widened.
                own = Some(judge(compare.rounded(inputs.compared)).ok_or_else(order)?);
            }
            None => (),
        }
        let counts_nan = (sifting.nan == NanPolicy::Ignore).then_some(0);
        let counts_others = (sifting.mask.is_some() || sifting.condition.is_some()).then_some(0);
        Ok(Sieve {
            nan: sifting.nan,
            own,
            others,
            active: sifting.leaves_out() || sifting.nan == NanPolicy::Error,
            in_place: false,
            elements: 0,
            found: LeftOut { nan: counts_nan, others: counts_others },
            counting: vec![],
            kept: vec![],
            kept_keys: vec![],
            gaps: Gaps::default(),
        })
    }

    /// Whether other files say which elements count.
    pub fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// That all elements are passed on, in their places, and the operators leave out what does not count.
    pub fn pass_all(&mut self) {
        self.in_place = true;
    }

    /// That places among all elements are wanted; what they take is at most so many bytes.
    pub fn keep_places(&mut self, bytes: u64) {
        self.gaps = Gaps::within(bytes);
    }

    /// Looks at the next elements, which `pass` hands on after that, part by part.
    pub fn look(&mut self, elements: &[T], names: &str) -> Result<()> {
        if !self.active {
            return Ok(());
        }
        self.counting.clear();
        self.counting.resize(elements.len(), true);
        if let Some(own) = &self.own {
            own(elements, &mut self.counting);
        }
        for other in 0..self.others.len() {
            let mut at = 0;
            let Other { elements: all, flags, .. } = &mut self.others[other];
            let left = flags.zip(elements, &mut |_, flags: &[bool]| {
                for (counts, &flag) in self.counting[at..].iter_mut().zip(flags) {
                    *counts &= flag;
                }
                at += flags.len();
                Ok(())
            })?;
            // Flags that it lacks are told at the end, when all are counted; unless its reading has ended too early.
            if left > 0 && at as u64 + self.elements < *all {
                let Other { name, flags, .. } = self.others.remove(other);
                flags.end()?;
                bail!("{name}: it was not read to its end");
            }
        }
        let before = self.found.all();
        let unmatched = self.counting.iter().filter(|&&counts| !counts).count() as u64;
        self.found.others = self.found.others.map(|others| others + unmatched);
        if self.nan != NanPolicy::Propagate {
            self.look_for_nan(elements, names)?;
        }
        if self.gaps.is_wanted() && self.found.all() > before {
            let mut kept = self.elements - before;
            for &counts in &self.counting {
                let room = counts || self.gaps.add(kept, 1);
                kept += u64::from(counts);
                ensure!(
                    room,
                    "numbers are left out at more than {} places, for which there is no room, and a place among all of them is asked for; \
                     raise --memory",
                    self.gaps.runs()
                );
            }
        }
        self.elements += elements.len() as u64;
        Ok(())
    }

    /// Leaves out, or refuses, those NaN that would count.
    fn look_for_nan(&mut self, elements: &[T], names: &str) -> Result<()> {
        for (at, (counts, &x)) in self.counting.iter_mut().zip(elements).enumerate() {
            let nan = *counts && is_nan(x);
            ensure!(
                !nan || self.nan == NanPolicy::Ignore,
                "{names}: number {} of all that are read, counted from 0, is NaN; --nan ignore leaves such out",
                self.elements + at as u64
            );
            *counts &= !nan;
            self.found.nan = self.found.nan.map(|all| all + u64::from(nan));
        }
        Ok(())
    }

    /// Those that count of elements that were looked at, from the one of number `at` of these on, with the keys beside them.
    pub fn pass<'a>(&'a mut self, at: usize, elements: &'a [T], keys: &'a [u32]) -> (&'a [T], &'a [u32]) {
        let here = self.counting.get(at..at + elements.len()).unwrap_or_default();
        if !self.active || self.in_place || here.iter().all(|&counts| counts) {
            return (elements, keys);
        }
        self.kept.clear();
        self.kept.extend(elements.iter().zip(here).filter(|&(_, &counts)| counts).map(|(&x, _)| x));
        self.kept_keys.clear();
        self.kept_keys.extend(keys.iter().zip(here).filter(|&(_, &counts)| counts).map(|(&key, _)| key));
        (&self.kept, &self.kept_keys)
    }

    /// Checks, when all elements are read, that other files had as many; how many were left out, and where.
    pub fn end(self, names: &str) -> Result<(LeftOut, Gaps)> {
        for Other { name, elements, flags } in self.others {
            ensure_as_many(&name, elements, names, self.elements)?;
            flags.end()?;
        }
        Ok((self.found, self.gaps))
    }
}

impl Other {
    /// Whether the numbers of a file compare so, to be read beside the inputs' elements.
    fn open(path: &Path, option: &'static str, compare: Comparison, memory: u64, inputs: &Inputs) -> Result<Other> {
        let file = Inputs::open_beside(path, option)?.beside(inputs);
        let name = file.names();
        let (elements, compare) = (file.counted(option)?, compare.rounded(file.compared));
        let sizes = Sizes::within(4 << 20, 8, memory / 4);
        let flags = match file.dtype {
            Dtype::F32 => flags::<f32>(file, compare, sizes),
            Dtype::F16 => flags::<f16>(file, compare, sizes),
            Dtype::F64 => flags::<f64>(file, compare, sizes),
            Dtype::I32 => flags::<i32>(file, compare, sizes),
            Dtype::U32 => flags::<u32>(file, compare, sizes),
            Dtype::I64 => flags::<i64>(file, compare, sizes),
            Dtype::U64 => flags::<u64>(file, compare, sizes),
            other => bail!("{name}: {option} is for numbers, but it holds {other}"),
        };
        Ok(Other { name, elements, flags })
    }
}

/// Whether each number of a file compares so, as it is read.
fn flags<S: Scalar>(file: Inputs, compare: Comparison, sizes: Sizes) -> Beside<bool> {
    Beside::begin(file.names(), move |hand: Hand<bool>| {
        let holds = compare.picks::<S>();
        feed(file, true, sizes, &mut |_, _, part: &[S]| hand(part.iter().map(|&x| holds(x)).collect()))
    })
}

/// A comparison of elements of any type; `None` of those that have no order.
fn judge<T: Element>(compare: Comparison) -> Option<Judge<T>> {
    fn of<S: Scalar, T: Element>(compare: Comparison) -> Judge<T> {
        let holds = compare.picks::<S>();
        Box::new(move |elements, counting| {
            let elements: &[S] = bytemuck::cast_slice(elements);
            for (counts, &x) in counting.iter_mut().zip(elements) {
                *counts &= holds(x);
            }
        })
    }
    Some(match T::DTYPE {
        Dtype::F32 => of::<f32, T>(compare),
        Dtype::F16 => of::<f16, T>(compare),
        Dtype::F64 => of::<f64, T>(compare),
        Dtype::I32 => of::<i32, T>(compare),
        Dtype::U32 => of::<u32, T>(compare),
        Dtype::I64 => of::<i64, T>(compare),
        Dtype::U64 => of::<u64, T>(compare),
        _ => return None,
    })
}

/// Whether it is a NaN, or a pair or a complex number that has one.
fn is_nan<T: Element>(x: T) -> bool {
    let bits = x.pattern();
    match T::DTYPE {
        Dtype::F32 => f32::from_bits(bits as u32).is_nan(),
        Dtype::F16 => f16::from_bits(bits as u16).is_nan(),
        Dtype::F64 => f64::from_bits(bits).is_nan(),
        Dtype::F32x2 | Dtype::C64 => {
            f32::from_bits(bits as u32).is_nan() || f32::from_bits((bits >> 32) as u32).is_nan()
        }
        Dtype::C128 | Dtype::F64x2 => bytemuck::pod_collect_to_vec::<T, f64>(&[x]).into_iter().any(f64::is_nan),
        _ => false,
    }
}
