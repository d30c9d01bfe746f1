//! Facts that files tell of elements: runs of equal keys, groups by key, offsets of segments.

use crate::beside::{Beside, Hand, PARTS, TakeBoth, ensure_as_many};
use crate::division::GROUP_BY;
use crate::error::usage;
use crate::input::Inputs;
use crate::reading::{Progress, feed};
use crate::report::RunKeys;
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use half::f16;
use std::path::Path;
use std::sync::Arc;
use treefold::{Dtype, Element, Key, Offsets, Value};

/// A file with a key for each element.
#[derive(Debug)]
pub struct Keyed {
    /// Its name.
    name: String,
    /// Its keys.
    elements: u64,
    /// Bytes that are held of them.
    pub held: u64,
    /// The group of each element, where those are read beside the elements; `u32::MAX` is none.
    groups: Option<Beside<u32>>,
    /// Keys that elements came to.
    taken: u64,
}

impl Keyed {
    /// Refuses another number of elements.
    pub fn ensure_as_many(&self, elements: u64, names: &str) -> Result<()> {
        ensure_as_many(&self.name, self.elements, names, elements)
    }

    /// Hands elements to `take` with the group of each, where there are groups. Those behind the last key are let go: the end says how
    /// many there are.
    pub fn zip<T>(&mut self, elements: &[T], take: TakeBoth<T, u32>) -> Result<()> {
        let Some(groups) = &mut self.groups else { return take(elements, &[]) };
        let left = groups.zip(elements, take)?;
        self.taken += (elements.len() - left) as u64;
        if left > 0 && self.taken < self.elements {
            // The reading has ended too early.
            self.groups.take().map_or(Ok(()), Beside::end)?;
        }
        Ok(())
    }

    /// Checks, when all elements are read, that they were as many as keys.
    pub fn end(mut self, elements: u64, names: &str) -> Result<()> {
        self.ensure_as_many(elements, names)?;
        self.groups.take().map_or(Ok(()), Beside::end)
    }
}

/// Runs of equal keys: where they begin, and behind the last where that ends; the first key of each.
#[derive(Clone, Debug)]
pub struct Runs {
    pub offsets: Vec<u64>,
    pub keys: RunKeys,
}

/// Bytes that an offset takes.
pub const OFFSET_BYTES: u64 = size_of::<u64>() as u64;

/// Bytes that a run takes: its offset and its key.
const RUN_BYTES: u64 = OFFSET_BYTES + size_of::<Value>() as u64;

/// The runs of the keys that a file holds; how far it is is `shown`.
pub fn runs(path: &Path, memory: u64, shown: bool) -> Result<(Runs, Keyed)> {
    let file = Inputs::open_beside(path, "--by")?;
    match file.dtype {
        Dtype::U32 => runs_of(file, memory, shown, |x: u32| Value::I64(x.into())),
        Dtype::I32 => runs_of(file, memory, shown, |x: i32| Value::I64(x.into())),
        Dtype::U64 => runs_of(file, memory, shown, Value::U64),
        Dtype::I64 => runs_of(file, memory, shown, Value::I64),
        Dtype::F16 => runs_of(file, memory, shown, |x: f16| Value::F32(x.to_f32())),
        Dtype::F32 => runs_of(file, memory, shown, Value::F32),
        Dtype::F64 => runs_of(file, memory, shown, Value::F64),
        other => Err(usage(format!("{}: --by is for numbers, but it holds {other}", file.names()))),
    }
}

fn runs_of<K: Key>(file: Inputs, memory: u64, shown: bool, value: impl Fn(K) -> Value) -> Result<(Runs, Keyed)> {
    let (name, sizes) = (file.names(), Sizes::within(1 << 20, size_of::<K>(), memory));
    let (mut offsets, mut keys) = (vec![], vec![]);
    let (mut last, mut elements) = (None, 0);
    let mut progress = Progress::new(shown, file.bytes());
    feed(file, true, sizes, &mut |name_here, size, part: &[K]| {
        progress.push(name_here, size * part.len(), || Ok(()))?;
        for &key in part {
            if !last.is_some_and(|last: K| key.same(last)) {
                let number = keys.len() as u64 + 1;
                ensure!(
                    number.saturating_mul(RUN_BYTES) <= memory,
                    "{name}: {number} runs of keys and more take {RUN_BYTES} bytes each, more than --memory of {memory}; raise it, or \
                     reduce a part in each call"
                );
                offsets.push(elements);
                keys.push(value(key));
            }
            last = Some(key);
            elements += 1;
        }
        Ok(())
    })?;
    progress.done();
    offsets.push(elements);
    let held = keys.len() as u64 * RUN_BYTES;
    let keys = RunKeys { values: Arc::new(keys), dtype: K::DTYPE };
    Ok((Runs { offsets, keys }, Keyed { name, elements, held, groups: None, taken: 0 }))
}

/// The groups of the inputs' elements, which a file says, to be read beside them.
pub fn groups(path: &Path, memory: u64, inputs: &Inputs) -> Result<Keyed> {
    let file = Inputs::open_beside(path, GROUP_BY)?.beside(inputs);
    ensure_whole(&file, GROUP_BY, "save the keys as int32, or reduce runs of equal ones with --by")?;
    let (name, elements) = (file.names(), file.counted(GROUP_BY)?);
    let sizes = Sizes::within(4 << 20, 8, memory / 4);
    let held = PARTS * (sizes.part_elements * size_of::<u32>()) as u64;
    let group = |_, key| Ok(u32::try_from(key).unwrap_or(u32::MAX));
    let reading = move |hand: Hand<u32>| whole_numbers(file, sizes, group, |_, _, part| hand(part));
    Ok(Keyed { groups: Some(Beside::begin(name.clone(), reading)), name, elements, held, taken: 0 })
}

/// The offsets that a file holds, of so many elements where that is known; how far it is is `shown`.
pub fn offsets(path: &Path, elements: Option<u64>, memory: u64, shown: bool) -> Result<Vec<u64>> {
    let file = Inputs::open_beside(path, "--segments")?;
    ensure_whole(&file, "--segments", "save the offsets as int64")?;
    let (name, count) = (file.names(), file.count().unwrap_or(0));
    let held = count.saturating_mul(OFFSET_BYTES);
    ensure!(
        held <= memory,
        "{name}: {count} offsets take {OFFSET_BYTES} bytes each, {held} in all, more than --memory of {memory}; raise it, or reduce \
         a part in each call"
    );
    let mut progress = Progress::new(shown, file.bytes());
    let mut offsets: Vec<u64> = vec![];
    offsets.try_reserve_exact(count as usize).with_context(|| name.clone())?;
    let offset = |at, offset: i128| {
        u64::try_from(offset)
            .map_err(|_| anyhow!("{name}: offset {at} is {offset}; offsets count elements from 0, so none is negative"))
    };
    whole_numbers(file, Sizes::within(1 << 20, 8, memory), offset, |name, bytes, part| {
        offsets.extend(part);
        progress.push(name, bytes, || Ok(()))
    })?;
    progress.done();
    Offsets::check(&offsets, elements.unwrap_or(u64::MAX)).map_err(|error| anyhow::Error::from(error).context(name))?;
    Ok(offsets)
}

/// Refuses a file of other than whole numbers.
fn ensure_whole(file: &Inputs, option: &str, repair: &str) -> Result<()> {
    let (names, dtype) = (file.names(), file.dtype);
    ensure!(
        matches!(dtype, Dtype::U32 | Dtype::U64 | Dtype::I32 | Dtype::I64),
        usage(format!("{names}: {option} is for whole numbers, but it holds {dtype}; {repair}"))
    );
    Ok(())
}

/// Function that takes numbers part by part: the name of their file, the bytes of the part there, the values made of them.
type TakeParts<'a, N> = &'a mut dyn FnMut(&str, usize, Vec<N>) -> Result<()>;

/// Hands on all numbers of a file of any integer type, part by part, as `of` makes them of their place and each; with the name of the
/// file, and the bytes of the part there.
fn whole_numbers<N>(
    file: Inputs,
    sizes: Sizes,
    of: impl Fn(u64, i128) -> Result<N>,
    mut hand: impl FnMut(&str, usize, Vec<N>) -> Result<()>,
) -> Result<()> {
    fn all<T: Element + Into<i128>, N>(
        file: Inputs,
        sizes: Sizes,
        of: impl Fn(u64, i128) -> Result<N>,
        hand: TakeParts<N>,
    ) -> Result<()> {
        let mut begin = 0;
        feed(file, true, sizes, &mut |name, size, part: &[T]| {
            let made = (begin..).zip(part).map(|(at, &x)| of(at, x.into())).collect::<Result<Vec<N>>>()?;
            begin += part.len() as u64;
            hand(name, size * part.len(), made)
        })
    }
    match file.dtype {
        Dtype::U32 => all::<u32, N>(file, sizes, of, &mut hand),
        Dtype::U64 => all::<u64, N>(file, sizes, of, &mut hand),
        Dtype::I32 => all::<i32, N>(file, sizes, of, &mut hand),
        Dtype::I64 => all::<i64, N>(file, sizes, of, &mut hand),
        other => Err(anyhow!("{}: holds {other}, where whole numbers are wanted", file.names())),
    }
}
