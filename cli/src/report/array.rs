//! Answers as arrays: .npy files, alone or by their names in a .npz file.

use super::many::KEYS;
use super::{Answered, Many};
use crate::files::npy;
use crate::format::Number;
use crate::npz;
use anyhow::{Context, Result, bail, ensure};
use half::f16;
use std::path::Path;
use treefold::{Dtype, Part, Value};

/// The bytes of a file of answers: a .npz file of an array for each operator, or each part of its answers, where it is named so, else the
/// one array as .npy.
pub fn arrays(path: &Path, found: &[Answered]) -> Result<Vec<u8>> {
    let (mut arrays, named) = (vec![], npz::is_named(path));
    let many = found.first().and_then(|found| found.many.as_ref());
    if let Some((many, keys)) = many.and_then(|many| Some((many, many.keys()?))) {
        arrays.push((KEYS.into(), file(Number::Of(keys.dtype), &many.shape, keys.values.iter().copied(), KEYS)?));
    }
    for found in found {
        arrays.extend(found.arrays(named)?);
    }
    if named {
        let members = arrays.into_iter().map(|(name, npy)| (format!("{name}.npy"), npy));
        return npz::file(&members.collect::<Vec<_>>());
    }
    let one = arrays.len() == 1;
    arrays.pop().filter(|_| one).map(|(_, npy)| npy).context("several arrays for one file")
}

impl Answered {
    /// The .npy files of its answers: by its name that of the one part, positions where it has some, or that of its bins; of several
    /// parts by the name of each. A list is its values, where several arrays are `named` its positions too.
    fn arrays(&self, named: bool) -> Result<Vec<(String, Vec<u8>)>> {
        let (alone, axes) = ([self.parts.clone()], vec![]);
        let (answers, shape) = match &self.many {
            Some(Many { answers, shape, .. }) => (&answers[..], shape),
            // One alone has no axes.
            None => (&alone[..], &axes),
        };
        let operator = self.operator;
        if let Some(number) = self.bin {
            let bins = self.bins();
            let shape = [&shape[..], &self.bins_shape()].concat();
            let values = answers.iter().flat_map(|answer| answer.iter().take(bins)).map(|part| part.value);
            return Ok(vec![(operator.into(), file(number, &shape, values, operator)?)]);
        }
        if self.list {
            let number = self.named.first().map_or(Number::Of(Dtype::F64), |named| named.number);
            let own = self.own_shape();
            let longest = own.iter().product::<u64>() as usize;
            let shape = [&shape[..], &own].concat();
            let all = || answers.iter().flat_map(|answer| (0..longest).map(|at| answer.get(at)));
            let values = all().map(value);
            let mut arrays = vec![(operator.into(), file(number, &shape, values, operator)?)];
            if named {
                let name = format!("{operator}.index");
                arrays.push((name.clone(), file(Number::Of(Dtype::I64), &shape, all().map(place), &name)?));
            }
            return Ok(arrays);
        }
        let mut arrays = vec![];
        for (at, named) in self.named.iter().enumerate() {
            let all = || answers.iter().map(|answer| answer.get(at));
            let alone = self.named.len() == 1;
            let name = if alone { operator.into() } else { format!("{operator}.{}", named.name) };
            if !(alone && named.indexed) {
                arrays.push((name.clone(), file(named.number, shape, all().map(value), &name)?));
            }
            if named.indexed {
                let name = if alone { name } else { format!("{name}.index") };
                arrays.push((name.clone(), file(Number::Of(Dtype::I64), shape, all().map(place), &name)?));
            }
        }
        Ok(arrays)
    }
}

/// The number of an answer, where there is one.
fn value(part: Option<&Part>) -> Value {
    part.map_or(Value::None, |part| part.value)
}

/// The position of an answer; -1 where none is found.
fn place(part: Option<&Part>) -> Value {
    part.and_then(|part| part.index).map_or(Value::I64(-1), Value::from)
}

/// Numbers of one type as a .npy file; `name` is theirs.
fn file(number: Number, shape: &[u64], values: impl Iterator<Item = Value>, name: &str) -> Result<Vec<u8>> {
    // The format has no bf16.
    let number = if number == Number::Of(Dtype::BF16) { Number::Of(Dtype::F32) } else { number };
    let descr = match number {
        Number::Bool => "|b1",
        Number::Of(dtype) => dtype.npy(),
    };
    let mut bytes = npy::header(descr, shape);
    for (at, value) in values.enumerate() {
        match (number, value) {
            (Number::Of(Dtype::F16), Value::None) => bytes.extend(f16::NAN.to_le_bytes()),
            (Number::Of(Dtype::F32), Value::None) => bytes.extend(f32::NAN.to_le_bytes()),
            (Number::Of(Dtype::C64), Value::None) => bytes.extend([f32::NAN; 2].map(f32::to_le_bytes).concat()),
            (Number::Of(Dtype::C128), Value::None) => bytes.extend([f64::NAN; 2].map(f64::to_le_bytes).concat()),
            (Number::Of(Dtype::F64), Value::None) => bytes.extend(f64::NAN.to_le_bytes()),
            (_, Value::None) => {
                bail!(
                    "{name}: answer {at} is none, because there are no elements or none is found, and a .npy file of integers has no number \
                     for that; take --json"
                );
            }
            (Number::Bool, Value::Bool(x)) => bytes.push(x.into()),
            (Number::Of(Dtype::F16), Value::F32(x)) => bytes.extend(f16::from_f32(x).to_le_bytes()),
            (Number::Of(Dtype::F32), Value::F32(x)) => bytes.extend(x.to_le_bytes()),
            (Number::Of(Dtype::F64), Value::F64(x)) => bytes.extend(x.to_le_bytes()),
            (Number::Of(Dtype::C64), Value::C64(z)) => bytes.extend([z.re, z.im].map(f32::to_le_bytes).concat()),
            (Number::Of(Dtype::C128), Value::C128(z)) => bytes.extend([z.re, z.im].map(f64::to_le_bytes).concat()),
            (_, Value::I64(x)) => whole(number, x.into(), name, &mut bytes)?,
            (_, Value::U64(x)) => whole(number, x.into(), name, &mut bytes)?,
            (_, Value::I128(x)) => whole(number, x, name, &mut bytes)?,
            (_, Value::U128(x)) => whole(number, i128::try_from(x).unwrap_or(i128::MAX), name, &mut bytes)?,
            (_, value) => bail!("{name}: {value:?} is no number of its array's type"),
        }
    }
    Ok(bytes)
}

/// Adds the bytes of an integer, which must not leave those of its type.
fn whole(number: Number, x: i128, name: &str, bytes: &mut Vec<u8>) -> Result<()> {
    let (fits, length) = match number {
        Number::Of(Dtype::I8) => (i8::try_from(x).is_ok(), 1),
        Number::Of(Dtype::U8) => (u8::try_from(x).is_ok(), 1),
        Number::Of(Dtype::I16) => (i16::try_from(x).is_ok(), 2),
        Number::Of(Dtype::U16) => (u16::try_from(x).is_ok(), 2),
        Number::Of(Dtype::I32) => (i32::try_from(x).is_ok(), 4),
        Number::Of(Dtype::U32) => (u32::try_from(x).is_ok(), 4),
        Number::Of(Dtype::U64) => (u64::try_from(x).is_ok(), 8),
        Number::Of(Dtype::I64) => (i64::try_from(x).is_ok(), 8),
        _ => bail!("{name}: {x} is no number of its array's type"),
    };
    ensure!(fits, "{name}: {x} leaves the {} bits of its array, and .npy files end at 64; take --json", 8 * length);
    bytes.extend(&x.to_le_bytes()[..length]);
    Ok(())
}
