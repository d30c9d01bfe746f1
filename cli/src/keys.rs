//! Keys of elements, from files: the runs of equal ones, and the groups that they name.

use crate::error::{Usage, shown_path, usage};
use crate::input::Inputs;
use crate::reading::{feed, numbers};
use crate::source::Sizes;
use anyhow::{Context, Result, ensure};
use half::f16;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use treefold::{Dtype, Element, Error, Key, Value};

/// A file with a key for each element.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// Its name.
    name: String,
    /// Its keys.
    elements: u64,
    /// Bytes that are held of them.
    pub held: u64,
}

impl Keyed {
    /// Refuses another number of elements.
    pub fn ensure_as_many(&self, elements: u64, names: &str) -> Result<()> {
        if elements == self.elements {
            return Ok(());
        }
        let unequal = Error::Unequal { left: self.elements, right: elements };
        Err(unequal).with_context(|| format!("{} and {names}", self.name))
    }
}

/// Runs of equal keys: where they begin, and behind the last where that ends; the first key of each.
#[derive(Clone, Debug)]
pub struct Runs {
    pub offsets: Vec<u64>,
    pub keys: Rc<Vec<Value>>,
}

/// Bytes that a run takes: its offset and its key.
const RUN_BYTES: u64 = (size_of::<u64>() + size_of::<Value>()) as u64;

/// The runs of the keys that a file holds.
pub fn runs(path: &Path, memory: u64) -> Result<(Runs, Keyed)> {
    let file = open(path, "--by")?;
    match file.dtype {
        Dtype::U32 => runs_of(file, memory, |x: u32| Value::I64(x.into())),
        Dtype::I32 => runs_of(file, memory, |x: i32| Value::I64(x.into())),
        Dtype::U64 => runs_of(file, memory, Value::U64),
        Dtype::I64 => runs_of(file, memory, Value::I64),
        Dtype::F16 => runs_of(file, memory, |x: f16| Value::F32(x.to_f32())),
        Dtype::F32 => runs_of(file, memory, Value::F32),
        Dtype::F64 => runs_of(file, memory, Value::F64),
        other => Err(usage(format!("{}: --by is for numbers, but it holds {other}", file.names()))),
    }
}

fn runs_of<K: Key>(file: Inputs, memory: u64, value: impl Fn(K) -> Value) -> Result<(Runs, Keyed)> {
    let (name, sizes) = (file.names(), Sizes::within(1 << 20, size_of::<K>(), memory));
    let (mut offsets, mut keys) = (vec![], vec![]);
    let (mut last, mut elements) = (None, 0);
    feed(file, true, sizes, &mut |_, _, part: &[K]| {
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
    offsets.push(elements);
    let held = keys.len() as u64 * RUN_BYTES;
    Ok((Runs { offsets, keys: Rc::new(keys) }, Keyed { name, elements, held }))
}

/// The group of each element; `u32::MAX` is none.
pub fn groups(path: &Path, memory: u64) -> Result<(Rc<Vec<u32>>, Keyed)> {
    let file = open(path, "--group-by")?;
    let (name, repair) = (file.names(), "save the keys as int32, or reduce runs of equal ones with --by");
    let held = ensure_room(&file, "keys", size_of::<u32>() as u64, memory)?;
    let keys = whole_numbers(file, "--group-by", repair, memory, |_, key| Ok(u32::try_from(key).unwrap_or(u32::MAX)))?;
    let elements = keys.len() as u64;
    Ok((Rc::new(keys), Keyed { name, elements, held }))
}

/// The .npy file of numbers about elements that an option names.
pub fn open(path: &Path, option: &str) -> Result<Inputs> {
    let raw = |error: anyhow::Error| match error.is::<Usage>() && path.as_os_str() != "-" {
        // --dtype says what the elements are.
        true => usage(format!("{}: is no .npy file; {option} reads one, which says its own type", shown_path(path))),
        false => error,
    };
    Inputs::open(&[PathBuf::from(path)], None).map_err(raw)
}

/// The bytes that all numbers of a file take in memory, so many each, where there is room for them.
pub fn ensure_room(file: &Inputs, what: &str, each: u64, memory: u64) -> Result<u64> {
    let count = file.count().unwrap_or(0);
    ensure!(
        count.saturating_mul(each) <= memory,
        "{}: {count} {what} take {each} bytes each, more than --memory of {memory}; raise it, or reduce a part in each call",
        file.names()
    );
    Ok(count * each)
}

/// All numbers of a file of any integer type, as `of` makes them of their place and each.
pub fn whole_numbers<N>(
    file: Inputs,
    option: &str,
    repair: &str,
    memory: u64,
    of: impl Fn(usize, i128) -> Result<N>,
) -> Result<Vec<N>> {
    fn all<T: Element + Into<i128>, N>(
        file: Inputs,
        sizes: Sizes,
        of: impl Fn(usize, i128) -> Result<N>,
    ) -> Result<Vec<N>> {
        numbers(file, sizes, |at, x: T| of(at, x.into()))
    }
    let sizes = Sizes::within(1 << 20, 8, memory);
    match file.dtype {
        Dtype::U32 => all::<u32, N>(file, sizes, of),
        Dtype::U64 => all::<u64, N>(file, sizes, of),
        Dtype::I32 => all::<i32, N>(file, sizes, of),
        Dtype::I64 => all::<i64, N>(file, sizes, of),
        other => Err(usage(format!("{}: {option} is for whole numbers, but it holds {other}; {repair}", file.names()))),
    }
}
