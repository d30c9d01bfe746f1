//! Floats as integers.

use super::accumulator::flag;
use super::host::LimbSums;

/// A float's sign, significand and exponent as integers, and whether it is finite.
#[derive(Clone, Copy)]
pub(crate) struct Unpacked {
    pub negative: bool,
    pub significand: u64,
    /// At least 1, that of subnormals too.
    pub exponent: u32,
    pub finite: bool,
    pub nan: bool,
}

impl Unpacked {
    /// Of a float with so many bits of exponent and of fraction.
    #[inline(always)]
    pub fn of(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Unpacked {
        let most = (1u64 << exponent_bits) - 1;
        let exponent = bits >> fraction_bits & most;
        let fraction = bits & ((1 << fraction_bits) - 1);
        Unpacked {
            negative: bits >> (exponent_bits + fraction_bits) & 1 == 1,
            significand: fraction | u64::from(exponent > 0) << fraction_bits,
            exponent: exponent.max(1) as u32,
            finite: exponent < most,
            nan: exponent == most && fraction != 0,
        }
    }
    #[inline(always)]
    pub fn f32(x: f32) -> Unpacked {
        Unpacked::of(x.to_bits().into(), 8, 23)
    }
    #[inline(always)]
    pub fn f64(x: f64) -> Unpacked {
        Unpacked::of(x.to_bits(), 11, 52)
    }
    /// The same with another significand.
    #[inline(always)]
    pub fn with_size(self, significand: u64) -> Unpacked {
        Unpacked { significand, ..self }
    }
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.significand == 0
    }
    /// The flags of a sum of this alone.
    #[inline(always)]
    pub fn flags(&self) -> u32 {
        match (self.finite, self.nan) {
            (true, _) if self.zero() && self.negative => 0,
            (true, _) => flag::OTHER,
            (false, true) => flag::OTHER | flag::NAN,
            (false, false) => flag::OTHER | if self.negative { flag::MINUS } else { flag::PLUS },
        }
    }
    /// The product with another, exactly.
    #[inline(always)]
    pub fn times(&self, other: &Unpacked) -> Unpacked {
        let finite = self.finite && other.finite;
        let nan = self.nan || other.nan || (!finite && (self.zero() || other.zero()));
        Unpacked {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
            finite,
            nan,
        }
    }
    /// Adds it to limb_sums whose unit is that of exponent 0.
    #[inline(always)]
    pub fn add_to<const L: usize>(&self, limb_sums: &mut LimbSums<L>) {
        limb_sums.see(self.flags());
        if self.finite {
            limb_sums.add(self.significand, self.exponent, self.negative);
        }
    }
}
