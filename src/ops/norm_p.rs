//! The norm of any index.

use super::Rule;
use super::doubles::{Doubles, NO_FUNCTIONS, near_answers, no_wgsl};
use crate::op::{Member, WordType};
use crate::{Accumulator, DeviceAnswer, Error, Fold, Op, Result, Wgsl};
use std::fmt;
use std::str::FromStr;

/// The norm of index p, (Σ|x|^p)^(1/p); the largest size is taken out before anything is raised to a power, so that nothing overflows on the way.
///
/// [`Norm1`](super::Norm1), [`Norm2`](super::Norm2) and [`NormInf`](super::NormInf) are rounded once; this one is not.
///
/// - **Answer**: of f32 an f32, of the others an f64. **Rounding**: powers are added in f64 on the host, in f32 on a device; the relative error is
///   about 10^-14, of f32 2^-24 and on a device n·2^-23 + (1 + p)·10^-5 at most; for p below 1 it grows with 1/p. On a device sizes below 2^-126 count as 0.
/// - **Order**: commutative. **Empty**: 0. **NaN**: NaN if there is a NaN; else infinite if there is an infinity.
/// - **On the device**: f32 1 word. Other types on the CPU engine alone.
///
/// ```
/// use treefold::{Cpu, ops::Norm};
/// let norm = Norm { p: "3".parse()? };
/// assert_eq!(Cpu::new().reduce(norm, &[3.0f32, 4.0, -5.0])?, 6.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm {
    /// The index; 2 unless set.
    pub p: Index,
}

/// The index of a norm: a positive number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Index(f64);

impl Index {
    /// Of a number from 0.01 to 1000; `None` of others.
    pub fn new(p: f64) -> Option<Index> {
        (0.01..=1000.0).contains(&p).then_some(Index(p))
    }
}

impl Default for Index {
    fn default() -> Self {
        Index(2.0)
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Rule for Index {
    const RULE: &'static str = "a number from 0.01 to 1000; norminf is the largest size";
}

impl FromStr for Index {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            let (option, value, rule) = ("p".into(), text.into(), Self::RULE.into());
            Error::BadOption { operator: "norm".into(), option, value, rule }
        };
        text.trim().parse().ok().and_then(Index::new).ok_or_else(refused)
    }
}

/// Powers as the largest size and their sum relative to its own; f64 on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakSum {
    peak: f64,
    sum: f64,
    /// Bit 0: a NaN. Bit 1: an infinity.
    flags: u32,
}

/// (size / peak)^p, of a quotient that may be less than any normal number: its power need not be.
#[inline(always)]
fn relative_power(size: f64, peak: f64, p: f64) -> f64 {
    let quotient = size / peak;
    // Above 1 both powers may be infinite, and that of such a quotient counts for nothing.
    if quotient >= f64::MIN_POSITIVE || p > 1.0 { quotient.powf(p) } else { size.powf(p) / peak.powf(p) }
}

impl PeakSum {
    const NONE: PeakSum = PeakSum { peak: 0.0, sum: 0.0, flags: 0 };

    fn of(x: f64) -> PeakSum {
        match x.abs() {
            size if size.is_nan() => PeakSum { flags: 1, ..PeakSum::NONE },
            f64::INFINITY => PeakSum { flags: 2, ..PeakSum::NONE },
            0.0 => PeakSum::NONE,
            size => PeakSum { peak: size, sum: 1.0, flags: 0 },
        }
    }

    #[inline(always)]
    fn merge(self, other: PeakSum, p: f64) -> PeakSum {
        let peak = self.peak.max(other.peak);
        let relative = |a: PeakSum| if a.peak == peak { a.sum } else { a.sum * relative_power(a.peak, peak, p) };
        PeakSum { peak, sum: relative(self) + relative(other), flags: self.flags | other.flags }
    }

    /// Those of a block: its largest size first.
    #[inline(always)]
    fn block<T: Copy>(block: &[T], number: impl Fn(T) -> f64, p: f64) -> PeakSum {
        let sizes = || block.iter().map(|&x| number(x).abs());
        let flags = sizes().fold(0, |flags, size| flags | PeakSum::of(size).flags);
        let peak = sizes().filter(|size| size.is_finite()).fold(0.0, f64::max);
        let finite = sizes().filter(|&size| size.is_finite() && size > 0.0);
        PeakSum { peak, sum: finite.map(|size| relative_power(size, peak, p)).sum(), flags }
    }

    fn value(self, p: f64) -> f64 {
        match self.flags {
            0 if self.sum == 0.0 => 0.0,
            0 => {
                let factor = self.sum.powf(1.0 / p);
                // The factor may leave the range where the norm does not.
                if factor.is_finite() { self.peak * factor } else { (self.peak.ln() + self.sum.ln() / p).exp() }
            }
            2 => f64::INFINITY,
            _ => f64::NAN,
        }
    }
}

impl Accumulator for PeakSum {
    const WORDS: usize = 3;
    const WGSL: &'static str = "struct Acc { peak: f32, sum: f32, flags: u32, }";
    const MEMBERS: &'static [Member] = &[
        Member { name: "peak", of: "f32", words: 1 },
        Member { name: "sum", of: "f32", words: 1 },
        Member { name: "flags", of: "u32", words: 1 },
    ];
    fn write(&self, words: &mut [u32]) {
        words.copy_from_slice(&[(self.peak as f32).to_bits(), (self.sum as f32).to_bits(), self.flags]);
    }
    fn read(words: &[u32]) -> Self {
        let [peak, sum] = [0, 1].map(|w| f32::from_bits(words[w]).into());
        PeakSum { peak, sum, flags: words[2] }
    }
}

/// The host half: what is one's own of a type is how words hold an accumulator.
macro_rules! host_half {
    ($type:ty, $acc:ty, $of:expr, $x:ident => $number:expr) => {
        type Acc = $acc;

        fn identity(&self) -> $acc {
            $of(PeakSum::NONE)
        }
        fn lift(&self, $x: $type, _: u64) -> $acc {
            $of(PeakSum::of($number))
        }
        fn combine(&self, a: $acc, b: $acc) -> $acc {
            $of(PeakSum::from(a).merge(PeakSum::from(b), self.p.0))
        }
        fn accumulate(&self, elements: &[$type], _: u64) -> $acc {
            let blocks = elements.chunks(1024).map(|block| PeakSum::block(block, |$x: $type| $number, self.p.0));
            $of(blocks.fold(PeakSum::NONE, |a, b| a.merge(b, self.p.0)))
        }
    };
}

impl Fold<f32> for Norm {
    host_half!(f32, PeakSum, |found| found, x => f64::from(x));

    fn is_heavy(&self) -> bool {
        true
    }
    fn params(&self) -> Vec<u32> {
        vec![(self.p.0 as f32).to_bits()]
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0.0, 0.0, 0u);",
            "let size = bits & 0x7fffffffu;
if size >= 0x7f800000u { return Acc(0.0, 0.0, select(1u, 2u, size == 0x7f800000u)); }
if size < 0x00800000u { return Acc(0.0, 0.0, 0u); }
return Acc(bitcast<f32>(size), 1.0, 0u);",
            "let peak = max(a.peak, b.peak);
return Acc(peak, relative(a, peak) + relative(b, peak), a.flags | b.flags);",
        )
        .helpers(
            "// The sum of powers relative to a peak that is no smaller.
fn relative(a: Acc, peak: f32) -> f32 {
    if a.peak == peak { return a.sum; }
    if a.peak == 0.0 { return 0.0; }
    return a.sum * pow(a.peak / peak, bitcast<f32>(param(0u)));
}
",
        )
        .checked().any_nan()
    }
}

const ABOUT: &str = "Norm of index p, (Σ|x|^p)^(1/p)";

impl Op<f32> for Norm {
    type Fold = Norm;
    type Output = f32;
    const NAME: &'static str = "norm";
    const ABOUT: &'static str = ABOUT;

    fn signature(&self) -> String {
        format!("norm(p={})", self.p)
    }
    fn fold(&self) -> Norm {
        *self
    }
    fn finish(&self, acc: PeakSum, _: u64) -> Result<f32> {
        Ok(acc.value(self.p.0) as f32)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "if (acc.flags & 1u) != 0u { return array<u32, 1>(0x7fc00000u); }
if acc.flags != 0u { return array<u32, 1>(0x7f800000u); }
if acc.sum == 0.0 { return array<u32, 1>(0u); }
let index = bitcast<f32>(param(0u));
// The factor may leave the range where the norm does not.
if log(acc.sum) / index > 80.0 { return array<u32, 1>(bitcast<u32>(exp(log(acc.peak) + log(acc.sum) / index))); }
return array<u32, 1>(bitcast<u32>(acc.peak * pow(acc.sum, 1.0 / index)));";
        Some(DeviceAnswer::checked([("norm", WordType::F32)], finish).params([(self.p.0 as f32).to_bits()]))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<f32> {
        Ok(f32::from_bits(words[0]))
    }
    fn close(&self, device: &f32, host: &f32, elements: &[f32], _: bool) -> bool {
        let n = elements.len() as f64;
        let slack = |size: f64| size * (n * f64::from(f32::EPSILON) + 1e-5 * (1.0 + self.p.0 + (n.ln().abs() + 90.0) / self.p.0.min(1.0))) + n * f64::from(f32::MIN_POSITIVE);
        near_answers(Some((*device).into()), Some((*host).into()), slack)
    }
}

impl From<Doubles<3>> for PeakSum {
    fn from(acc: Doubles<3>) -> PeakSum {
        let [peak, sum, flags] = acc.0;
        PeakSum { peak, sum, flags: flags as u32 }
    }
}

macro_rules! on_host {
    ($($type:ty),+) => {$(
        impl Fold<$type> for Norm {
            const HOST_ONLY: Option<&'static str> = Some(NO_FUNCTIONS);
            host_half!($type, Doubles<3>, |found: PeakSum| Doubles([found.peak, found.sum, found.flags.into()]), x => x as f64);

            fn params(&self) -> Vec<u32> {
                let bits = self.p.0.to_bits();
                vec![bits as u32, (bits >> 32) as u32]
            }
            fn wgsl(&self) -> Wgsl {
                no_wgsl()
            }
        }

        impl Op<$type> for Norm {
            type Fold = Norm;
            type Output = f64;
            const NAME: &'static str = "norm";
            const ABOUT: &'static str = ABOUT;

            fn signature(&self) -> String {
                format!("norm(p={})", self.p)
            }
            fn fold(&self) -> Norm {
                *self
            }
            fn finish(&self, acc: Doubles<3>, _: u64) -> Result<f64> {
                Ok(PeakSum::from(acc).value(self.p.0))
            }
        }
    )+};
}

on_host!(f64, i32, u32, i64, u64);
