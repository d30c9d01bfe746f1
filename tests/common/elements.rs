//! Elements of every type: ordinary ones, ones, and those at the edges.

use treefold::half::f16;
use treefold::{Dtype, Element};

/// An element of 32 bits.
pub fn from_bits<T: Element>(bits: u32) -> T {
    T::from_pattern(bits.into())
}

/// The type of the numbers that an element is made of.
pub fn numbers<T: Element>() -> Dtype {
    match T::DTYPE {
        Dtype::F32x4 | Dtype::C64 => Dtype::F32,
        Dtype::C128 => Dtype::F64,
        Dtype::Own(own) => own.numbers().unwrap_or(Dtype::U32),
        other => other.pair_of().unwrap_or(other),
    }
}

/// An element of these numbers.
fn of<T: Element>(mut number: impl FnMut() -> u64) -> T {
    let each = numbers::<T>().bytes() as usize;
    if size_of::<T>() <= each {
        return T::from_pattern(number());
    }
    let bytes: Vec<u8> =
        (0..size_of::<T>() / each).flat_map(|_| number().to_le_bytes().into_iter().take(each)).collect();
    bytemuck::pod_read_unaligned(&bytes)
}

/// A small generator of reproducible numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    /// Ordinary values: floats in (-1, 1), integers of all sizes.
    pub fn element<T: Element>(&mut self) -> T {
        of(|| self.number(numbers::<T>()))
    }
    fn number(&mut self, dtype: Dtype) -> u64 {
        let bits = self.next();
        let single = |bits: u64| ((bits >> 40) as f32 / (1u64 << 23) as f32) - 1.0;
        match dtype {
            Dtype::F32 | Dtype::BF16 => single(bits).to_bits().into(),
            Dtype::F16 => f16::from_f32(single(bits)).to_bits().into(),
            Dtype::F64 => ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0).to_bits(),
            Dtype::I64 | Dtype::U64 => bits >> (self.next() >> 58),
            _ => u64::from((bits as u32) >> (bits >> 59)),
        }
    }
    pub fn elements<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| self.element()).collect()
    }
}

/// Values at the edges of a type, NaN of both signs among them.
pub fn extremes<T: Element>() -> Vec<T> {
    const SINGLE: [u64; 13] = [
        0x7fc0_0000,
        0xffc0_0000,
        0x7f80_0001,
        0x7f80_0000,
        0xff80_0000,
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x3f80_0000,
    ];
    let patterns: Vec<u64> = match numbers::<T>() {
        Dtype::F32 | Dtype::BF16 => SINGLE.to_vec(),
        Dtype::F16 => {
            vec![0x7e00, 0xfe00, 0x7c01, 0x7c00, 0xfc00, 0, 0x8000, 1, 0x8001, 0x03ff, 0x7bff, 0xfbff, 0x3c00]
        }
        Dtype::F64 => SINGLE
            .iter()
            .map(|&bits| f64::from(f32::from_bits(bits as u32)).to_bits())
            .chain([0x7ff0_0000_0000_0001, 1, 1 << 63 | 1, 0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff])
            .collect(),
        Dtype::I64 | Dtype::U64 => vec![0, 1, i64::MAX as u64, i64::MIN as u64, u64::MAX, u64::from(u32::MAX), 1 << 32],
        Dtype::I32 | Dtype::U32 => vec![0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff],
        // Of narrow integers the lower bits.
        _ => vec![0, 1, 0x7f, 0x80, 0x81, 0x7fff, 0x8000, 0x8001, 0xffff_ffff],
    };
    // Each beside others where there are several, zero beside infinity among them.
    let apart: &[usize] = if size_of::<T>() as u64 > numbers::<T>().bytes() { &[1, 2, 7] } else { &[1] };
    let beside = |step: usize| {
        let patterns = &patterns;
        (0..patterns.len()).map(move |first| {
            let mut at = (first..).step_by(step).map(|at| patterns[at % patterns.len()]);
            of(|| at.next().unwrap_or(0))
        })
    };
    apart.iter().flat_map(|&step| beside(step)).collect()
}

pub fn one<T: Element>() -> T {
    let one = match numbers::<T>() {
        Dtype::F32 | Dtype::BF16 => 1.0f32.to_bits().into(),
        Dtype::F16 => f16::ONE.to_bits().into(),
        Dtype::F64 => 1.0f64.to_bits(),
        _ => 1,
    };
    of(|| one)
}
