//! Headers of .npy files: read with care, because a damaged one can claim anything.

use crate::input::STDIN;
use crate::stored::Stored;
use anyhow::{Context, Result, anyhow, bail, ensure};
use npyz::{NpyHeader, Order};
use std::io::Read;

/// What every .npy file begins with.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// numpy itself writes headers of this order for arrays of numbers, and distrusts longer ones.
const TEXT_MAX: usize = 64 << 10;
const NESTING_MAX: usize = 32;

/// What a .npy header says.
#[derive(Clone, Debug)]
pub struct Npy {
    /// The type of its numbers.
    pub stored: Stored,
    /// Numbers in the array.
    pub count: u64,
    /// Bytes before the first of them.
    pub data_at: u64,
    /// The lengths of the axes longer than 1 where they are stored in Fortran order and there is more than one.
    pub fortran: Option<Vec<u64>>,
    /// The shape as Python writes it.
    pub shape: String,
}

impl Npy {
    /// Reads a header; `name` is the file's, for errors.
    pub fn read(name: &str, reader: &mut dyn Read) -> Result<Npy> {
        let mut bytes = vec![];
        take(name, reader, &mut bytes, MAGIC.len() + 2)?;
        let length_bytes = if bytes[MAGIC.len()] == 1 { 2 } else { 4 };
        take(name, reader, &mut bytes, length_bytes)?;
        let length = bytes[MAGIC.len() + 2..].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
        ensure!(
            length <= TEXT_MAX,
            "{name}: its .npy header claims {length} bytes, more than {TEXT_MAX}; the file is damaged, save it again"
        );
        let text_at = bytes.len();
        take(name, reader, &mut bytes, length)?;
        let shape = plausible(&bytes[text_at..])
            .with_context(|| format!("{name}: its .npy header is damaged; save the array again with numpy.save"))?;
        let header = NpyHeader::from_reader(&bytes[..]).map_err(|error| {
            anyhow!("{name}: its .npy header cannot be read ({error}); save the array again with numpy.save")
        })?;
        let stored = Stored::of(&header.dtype()).map_err(|unsupported| {
            let (what, repair) = (unsupported.what, unsupported.repair);
            let pickle = if header.uses_pickled_array() { ", allow_pickle=True" } else { "" };
            let file = if name == STDIN { "data.npy" } else { name };
            anyhow!(
                "{name}: its dtype is {what}, but treefold reads integers and floats of up to 64 bits; convert it: python3 -c 'import \
                 numpy as np; np.save(\"converted.npy\", np.load(\"{file}\"{pickle}){repair})'"
            )
        })?;
        let long: Vec<u64> = header.shape().iter().copied().filter(|&length| length != 1).collect();
        let fortran = (header.order() == Order::Fortran && long.len() > 1 && header.len() > 0).then_some(long);
        Ok(Npy { stored, count: header.len(), data_at: bytes.len() as u64, fortran, shape })
    }

    /// Bytes of the array.
    pub fn data_bytes(&self) -> u64 {
        self.count * self.stored.size() as u64
    }
}

/// Reads exactly so many more bytes.
fn take(name: &str, reader: &mut dyn Read, bytes: &mut Vec<u8>, more: usize) -> Result<()> {
    let needs = bytes.len() + more;
    reader.take(more as u64).read_to_end(bytes).with_context(|| name.to_string())?;
    let has = bytes.len();
    ensure!(
        has == needs,
        "{name}: truncated: its .npy header needs at least {needs} bytes, but the file has {has}; copy or save it again"
    );
    Ok(())
}

/// Refuses what the parser would not survive: deep nesting, and shapes of more elements than any file.
/// Gives the text of the shape.
fn plausible(text: &[u8]) -> Result<String> {
    let mut depth = 0usize;
    for &byte in text {
        depth = match byte {
            b'(' | b'[' | b'{' => depth + 1,
            b')' | b']' | b'}' => depth.saturating_sub(1),
            _ => depth,
        };
        ensure!(depth <= NESTING_MAX, "brackets nested more than {NESTING_MAX} deep");
    }
    let text = String::from_utf8_lossy(text);
    let shape = ["'shape':", "\"shape\":"].iter().find_map(|key| text.split_once(key)).map(|(_, rest)| rest);
    let shape = shape.and_then(|rest| rest.find([')', ']']).map(|end| rest[..=end].trim()));
    let Some(shape) = shape else { bail!("no shape") };
    // Room for the width of a number, and for many files in one sum.
    let mut product = 1u64 << 20;
    for length in shape.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        let length = length.parse::<u64>().ok();
        let longer = length.and_then(|length| product.checked_mul(length.max(1)));
        product = longer.with_context(|| format!("the shape {shape} has more elements than any file"))?;
    }
    Ok(shape.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked_before_they_are_multiplied() {
        assert_eq!(plausible(b"{'descr': '<f4', 'shape': (3, 0), }").unwrap(), "(3, 0)");
        assert_eq!(plausible(b"{'shape': (), }").unwrap(), "()");
        for bad in ["{'shape': (4294967296, 4294967296)}", "{'shape': (99999999999999999999,)}", "{}"] {
            assert!(plausible(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(plausible("(".repeat(40).as_bytes()).is_err());
    }
}
