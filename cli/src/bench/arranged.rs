//! Inputs of many answers: axes, segments, runs of equal keys, groups by key, lengths that a device knows. Some of their answers are
//! checked against the elements that they are of, one by one.

use super::args::BenchArgs;
use super::data::{fill, random, zeros};
use anyhow::{Context, Result, bail};
use treefold::wgpu;
use treefold::{Axes, ByKey, Cpu, Each, Element, Gpu, Input, Op, Output, Prepared, Reducer};

/// The elements of many answers, or those of one that is not told how many they are.
pub enum Arranged {
    /// Axes of an array of this shape.
    Axes { axes: Axes, reduced: Vec<i64>, shape: Vec<u64> },
    /// Segments by offsets.
    Segments { kind: String, offsets: Vec<u64> },
    /// Runs of equal keys, which begin at offsets.
    Runs { kind: String, offsets: Vec<u64>, keys: Vec<u32> },
    /// Groups by keys that are not sorted.
    Groups { groups: u32, keys: Vec<u32> },
    /// As many elements as a word says: all of them.
    Counted { elements: u64 },
}

/// What a device has beside the elements.
pub struct OnDevice {
    /// Offsets, keys or the number of elements.
    there: Option<wgpu::Buffer>,
    /// Room for the keys of runs, and for their number.
    room: Option<[wgpu::Buffer; 2]>,
}

/// An input of this many elements, arranged or whole.
pub type Arrangement = (u64, Option<Arranged>);

/// Answers that are checked; of groups fewer, for all keys are looked through for each.
const CHECKED: usize = 100;
const CHECKED_GROUPS: usize = 4;

impl Arranged {
    /// All that a command line asks for.
    pub fn all(args: &BenchArgs) -> Result<Vec<Arrangement>> {
        let mut all: Vec<Arrangement> = vec![];
        for shape in args.shapes() {
            let (axes, reduced) = (Axes::of(shape, args.axes())?, args.axes().to_vec());
            all.push((axes.answers() * axes.length(), Some(Arranged::Axes { axes, reduced, shape: shape.clone() })));
        }
        if !all.is_empty() {
            return Ok(all);
        }
        for &n in args.lengths() {
            if !args.is_divided() {
                all.push((n, None));
            }
            for kind in &args.segments {
                all.push((n, Some(Arranged::Segments { kind: kind.clone(), offsets: offsets(n, kind)? })));
            }
            for kind in &args.runs {
                let offsets = offsets(n, kind)?;
                let keys = offsets.windows(2).enumerate();
                let keys = keys.flat_map(|(run, ends)| std::iter::repeat_n(key(run), (ends[1] - ends[0]) as usize));
                let keys = keys.collect();
                all.push((n, Some(Arranged::Runs { kind: kind.clone(), offsets, keys })));
            }
            for &groups in &args.groups {
                let mut fraction = fractions();
                let keys = (0..n).map(|_| (fraction() * f64::from(groups)) as u32).collect();
                all.push((n, Some(Arranged::Groups { groups, keys })));
            }
            if args.counted {
                all.push((n, Some(Arranged::Counted { elements: n })));
            }
        }
        Ok(all)
    }

    /// Its name in a figure.
    pub fn name(&self) -> String {
        match self {
            Arranged::Axes { reduced, shape, .. } => {
                let text = |numbers: Vec<String>, between| numbers.join(between);
                let shape = text(shape.iter().map(ToString::to_string).collect(), "x");
                format!("axis {} of {shape}", text(reduced.iter().map(ToString::to_string).collect(), ","))
            }
            Arranged::Segments { kind, .. } => format!("segments of {kind}"),
            Arranged::Runs { kind, .. } => format!("runs of {kind}"),
            Arranged::Groups { groups, .. } => format!("{groups} groups"),
            Arranged::Counted { .. } => "counted".into(),
        }
    }

    /// Number of answers.
    pub fn answers(&self) -> u64 {
        match self {
            Arranged::Axes { axes, .. } => axes.answers(),
            Arranged::Segments { offsets, .. } | Arranged::Runs { offsets, .. } => offsets.len() as u64 - 1,
            Arranged::Groups { groups, .. } => u64::from(*groups),
            Arranged::Counted { .. } => 1,
        }
    }

    /// Hands a device what it needs beside the elements.
    pub fn upload(&self, gpu: &Gpu) -> OnDevice {
        let words = |words: &[u32]| Some(fill(gpu, words, words.len() as u64));
        let narrow = |offsets: &[u64]| offsets.iter().map(|&offset| offset as u32).collect::<Vec<u32>>();
        match self {
            Arranged::Axes { .. } => OnDevice { there: None, room: None },
            Arranged::Segments { offsets, .. } => OnDevice { there: words(&narrow(offsets)), room: None },
            Arranged::Runs { offsets, keys, .. } => {
                OnDevice { there: words(keys), room: Some([zeros(gpu, offsets.len() as u64), zeros(gpu, 1)]) }
            }
            Arranged::Groups { keys, .. } => OnDevice { there: words(keys), room: None },
            Arranged::Counted { elements } => OnDevice { there: words(&[*elements as u32]), room: None },
        }
    }

    /// The input, divided so; runs of keys are found on the device.
    pub fn each<'i, T: Element>(&self, beside: &'i OnDevice, input: Input<'i, T>) -> Result<Each<'i, T>> {
        let there = || beside.there.as_ref().context("nothing beside the elements");
        Ok(match self {
            Arranged::Axes { axes, .. } => input.over(axes.clone()),
            Arranged::Segments { .. } => input.segments(there()?),
            Arranged::Groups { groups, .. } => input.groups(there()?, u64::from(*groups)),
            Arranged::Counted { .. } => input.counted(there()?),
            Arranged::Runs { .. } => bail!("runs of keys are no division that the host knows; take segments"),
        })
    }

    /// Makes ready its answers over an input, without count words.
    pub fn prepare<T: Element, O: Op<T>>(
        &self,
        beside: &OnDevice,
        reducer: &Reducer<T, O>,
        input: Input<'_, T>,
        output: &wgpu::Buffer,
    ) -> Result<Prepared> {
        let answers = Output::bare(output);
        if let (Arranged::Runs { .. }, Some(there), Some([keys, number])) = (self, &beside.there, &beside.room) {
            let to = ByKey { answers, keys: keys.into(), number: number.into() };
            return Ok(reducer.prepare_by_key(Input::<u32>::from(there), input, to)?);
        }
        Ok(reducer.prepare_each(self.each(beside, input)?, answers)?)
    }

    /// The answers on the CPU engine.
    pub fn on_cpu<T: Element, O: Op<T>>(&self, cpu: &Cpu, op: &O, host: &[T]) -> Result<Vec<O::Output>> {
        let op = op.clone();
        Ok(match self {
            Arranged::Axes { axes, .. } => cpu.reduce_axes(op, host, axes)?,
            Arranged::Segments { offsets, .. } => cpu.reduce_segments(op, host, offsets)?,
            Arranged::Runs { keys, .. } => {
                cpu.reduce_by_key(op, keys, host)?.into_iter().map(|(_, answer)| answer).collect()
            }
            Arranged::Groups { groups, keys } => cpu.reduce_groups(op, keys, host, u64::from(*groups))?.answers,
            Arranged::Counted { .. } => vec![cpu.reduce(op, host)?],
        })
    }

    /// Whether some of the answers are those over their elements, one by one; what an answer is of how many elements is read so.
    pub fn right<T: Element, O: Op<T>>(
        &self,
        op: &O,
        host: &[T],
        read: impl Fn(usize, usize) -> Result<O::Output>,
    ) -> Result<bool> {
        let all = self.answers() as usize;
        let most = if matches!(self, Arranged::Groups { .. }) { CHECKED_GROUPS } else { CHECKED };
        let step = all.div_ceil(most).max(1);
        let some = (0..all).step_by(step).chain(all.checked_sub(1).filter(|last| last % step > 0));
        for at in some {
            let elements = self.of(at, host);
            if !op.close(&read(at, elements.len())?, &one_by_one(op, &elements)?, &elements, true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The keys and the number of runs that a device has found; whether they are right.
    pub fn found_runs(&self, gpu: &Gpu, beside: &OnDevice) -> Result<bool> {
        let (Arranged::Runs { offsets, .. }, Some([keys, number])) = (self, &beside.room) else { return Ok(true) };
        let (number, found) = (gpu.download(number)?, gpu.download(keys)?);
        let runs = offsets.len() - 1;
        let alike = found.iter().take(runs).enumerate().all(|(run, &found)| found == key(run));
        Ok(number.first() == Some(&(runs as u32)) && alike)
    }

    /// The elements of an answer.
    fn of<T: Element>(&self, answer: usize, host: &[T]) -> Vec<T> {
        match self {
            Arranged::Axes { reduced, shape, .. } => along(shape, reduced, answer, host),
            Arranged::Segments { offsets, .. } | Arranged::Runs { offsets, .. } => {
                host[offsets[answer] as usize..offsets[answer + 1] as usize].to_vec()
            }
            Arranged::Groups { keys, .. } => {
                let own = keys.iter().zip(host).filter(|&(&key, _)| key as usize == answer);
                own.map(|(_, &x)| x).collect()
            }
            Arranged::Counted { .. } => host.to_vec(),
        }
    }
}

/// The answer over elements, by the operator's own lift and combine: the obvious one.
pub fn one_by_one<T: Element, O: Op<T>>(op: &O, elements: &[T]) -> Result<O::Output> {
    use treefold::Fold;
    let fold = op.fold();
    let mut acc = fold.identity();
    elements.iter().enumerate().for_each(|(index, &x)| fold.add(&mut acc, x, index as u64));
    Ok(op.finish(acc, elements.len() as u64)?)
}

/// The elements of one answer of an array in C order, some axes of which are reduced.
fn along<T: Element>(shape: &[u64], reduced: &[i64], answer: usize, host: &[T]) -> Vec<T> {
    let is_reduced = |axis: usize| reduced.iter().any(|&at| at.rem_euclid(shape.len() as i64) == axis as i64);
    // The place of the answer's first element, and the steps of each reduced axis.
    let (mut stride, mut rest, mut first, mut steps) = (1usize, answer, 0usize, vec![]);
    for axis in (0..shape.len()).rev() {
        let length = shape[axis] as usize;
        if is_reduced(axis) {
            steps.push((stride, length));
        } else {
            first += rest % length * stride;
            rest /= length;
        }
        stride *= length;
    }
    let mut places = vec![first];
    for &(stride, length) in steps.iter().rev() {
        places = places.into_iter().flat_map(|place| (0..length).map(move |at| place + at * stride)).collect();
    }
    places.into_iter().map(|place| host[place]).collect()
}

/// Runs after which keys begin again.
const RUNS_OF_A_BLOCK: usize = 1 << 12;

/// The key of a run.
fn key(run: usize) -> u32 {
    ((run % RUNS_OF_A_BLOCK) as u32).wrapping_mul(0x9e37_79b1)
}

/// Numbers in [0, 1), always the same.
fn fractions() -> impl FnMut() -> f64 {
    let mut state = random(1);
    move || (state() >> 11) as f64 / (1u64 << 53) as f64
}

/// Offsets of segments of `N` elements, or of 1 to N by `mixN`.
fn offsets(n: u64, kind: &str) -> Result<Vec<u64>> {
    let most: u64 = kind.trim_start_matches("mix").parse()?;
    let mut fraction = fractions();
    let mut length = || if kind.starts_with("mix") { ((most as f64).powf(fraction()) as u64).max(1) } else { most };
    let mut offsets = vec![0];
    let mut at = 0;
    while at < n {
        at = (at + length()).min(n);
        offsets.push(at);
    }
    Ok(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treefold::ops::Sum;

    #[test]
    fn elements_of_answers_along_axes() {
        let host: Vec<i32> = (0..24).collect();
        assert_eq!(along(&[2, 3, 4], &[1], 5, &host), [13, 17, 21]);
        assert_eq!(along(&[2, 3, 4], &[0, -1], 1, &host), [4, 5, 6, 7, 16, 17, 18, 19]);
        assert_eq!(along(&[2, 3, 4], &[-3], 11, &host), [11, 23]);
    }

    #[test]
    fn wrong_answers_are_seen() {
        let host: Vec<i32> = (0..1000).collect();
        let keys = (0..1000).map(|at| at % 7).collect();
        let axes = Axes::of(&[10, 100], &[0]).unwrap();
        let all = [
            Arranged::Axes { axes, reduced: vec![0], shape: vec![10, 100] },
            Arranged::Segments { kind: "mix90".into(), offsets: offsets(1000, "mix90").unwrap() },
            Arranged::Groups { groups: 7, keys },
            Arranged::Counted { elements: 1000 },
        ];
        for arranged in all {
            let sums = arranged.on_cpu(&Cpu::new(), &Sum, &host).unwrap();
            assert_eq!(sums.len() as u64, arranged.answers());
            let last = sums.len() - 1;
            assert!(arranged.right(&Sum, &host, |at, _| Ok(sums[at])).unwrap(), "{}", arranged.name());
            let off = |at: usize, _| Ok(sums[at] + i64::from(at == last));
            assert!(!arranged.right(&Sum, &host, off).unwrap(), "{}", arranged.name());
        }
    }
}
