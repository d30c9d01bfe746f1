//! Elements of every type: ordinary ones, ones, and those at the edges.

use treefold::half::f16;
use treefold::{Dtype, Element};

/// An element of 32 bits.
pub fn from_bits<T: Element>(bits: u32) -> T {
    T::from_pattern(bits.into())
}

/// The element of the low bits; one of 128 bits has those of both.
fn of<T: Element>(first: u64, second: u64) -> T {
    bytemuck::try_cast([first, second]).unwrap_or_else(|_| T::from_pattern(first))
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
        let bits = self.next();
        let single = |bits: u64| ((bits >> 40) as f32 / (1u64 << 23) as f32) - 1.0;
        let pair = |bits: u64| u64::from(single(bits).to_bits()) | u64::from(single(bits << 24).to_bits()) << 32;
        let first = match T::DTYPE {
            Dtype::F32 => single(bits).to_bits().into(),
            Dtype::BF16 => single(bits).to_bits().into(),
            Dtype::F16 => f16::from_f32(single(bits)).to_bits().into(),
            Dtype::F64 => ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0).to_bits(),
            Dtype::F32x2 | Dtype::F32x4 => pair(bits),
            Dtype::I64 | Dtype::U64 => bits >> (self.next() >> 58),
            _ => u64::from((bits as u32) >> (bits >> 59)),
        };
        of(first, pair(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
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
    let patterns: Vec<u64> = match T::DTYPE {
        Dtype::F32 | Dtype::BF16 => SINGLE.to_vec(),
        // Each beside another one, zero beside infinity among them.
        Dtype::F32x2 | Dtype::F32x4 => {
            let beside =
                |k: usize| SINGLE.iter().enumerate().map(move |(at, x)| x | SINGLE[(at + k) % SINGLE.len()] << 32);
            beside(1).chain(beside(2)).chain(beside(7)).collect()
        }
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
    patterns.iter().zip(patterns.iter().cycle().skip(5)).map(|(&first, &second)| of(first, second)).collect()
}

pub fn one<T: Element>() -> T {
    let single = u64::from(1.0f32.to_bits());
    let pair = single | single << 32;
    let first = match T::DTYPE {
        Dtype::F32 | Dtype::BF16 => single,
        Dtype::F32x2 | Dtype::F32x4 => pair,
        Dtype::F16 => f16::ONE.to_bits().into(),
        Dtype::F64 => 1.0f64.to_bits(),
        _ => 1,
    };
    of(first, pair)
}
