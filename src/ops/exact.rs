//! What the exact operators share: how each kind of element becomes part of a wide integer, in WGSL and in Rust.

use crate::exact::{Columns, Fixed, Pieces, sum_f32};
use crate::half::f16;
use crate::plan::Gathered;
use crate::shader::{self, Dialect, Exact, Module};
use crate::{Accumulator, Element};

/// What is summed: elements, products of pairs, or squares.
pub trait Terms<T: Element> {
    /// The accumulator.
    type Acc: Accumulator;
    /// The exponent of the accumulator's unit.
    const UNIT: i32;
    /// The sum of a slice.
    fn sum(elements: &[T]) -> Self::Acc;
    /// The kernel's text in parts, how many bins it has, and how many limbs those bins reach.
    fn parts(exact: Exact) -> (Vec<&'static str>, u64, u64);

    /// The complete text for an operator with this `finish`; `at_min` is the place of the answer's last digit at least.
    fn module(dialect: Dialect, finish: &[&str], at_min: i32) -> Module {
        let (parts, bins, columns) = Self::parts(dialect.exact);
        let copies = match dialect.exact {
            Exact::Bins { copies } if bins > 0 => copies,
            _ => 1,
        };
        let limbs = Self::Acc::WORDS as u64 - 1;
        let sums = (bins / 2).max(2 * columns);
        let shared = matches!(dialect.exact, Exact::Bins { .. }) && bins > 0;
        let mut text = format!("const AT_MIN = {at_min}i;\nconst BINS = {bins}u;\nconst COPIES = {copies}u;\n");
        text.push_str(include_str!("../../shaders/exact.wgsl"));
        let shuffle = dialect.subgroups.then_some(include_str!("../../shaders/exact_shuffle.wgsl"));
        let meet = shared.then_some(if dialect.subgroups { MEET_SUBGROUP } else { MEET_MEMORY });
        for part in parts.into_iter().chain(meet).chain(shuffle).chain(finish.iter().copied()) {
            text.push('\n');
            text.push_str(part);
        }
        Module {
            text: shader::complete::<Self::Acc>(&text, T::DTYPE, dialect),
            // Columns take 16 bytes each.
            counters: if shared { bins * u64::from(copies) + sums + 2 * columns } else { 0 },
            gathered: shared.then_some(Gathered { columns, sums, copies }),
            heavy: !shared && bins > 0,
            ends: true,
            combine_trips: limbs,
            trips: 6 * limbs + 160,
        }
    }
}

const SHARED: &str = include_str!("../../shaders/exact_shared.wgsl");
const OWN: &str = include_str!("../../shaders/exact_own.wgsl");
const MEET_SUBGROUP: &str = include_str!("../../shaders/exact_meet_subgroup.wgsl");
const MEET_MEMORY: &str = include_str!("../../shaders/exact_meet_memory.wgsl");
const SCATTER: &str = include_str!("../../shaders/exact_scatter.wgsl");
const LIMB_COLUMNS: &str = include_str!("../../shaders/exact_columns_limbs.wgsl");
const LOCAL: &str = include_str!("../../shaders/exact_local.wgsl");

/// The parts of terms that go straight into a bin for each limb.
fn scattered(exact: Exact, limbs: u64, element: &[&'static str]) -> (Vec<&'static str>, u64, u64) {
    let place = match exact {
        Exact::Bins { .. } => [LIMB_COLUMNS, SHARED].as_slice(),
        Exact::Window | Exact::Window64 => [OWN].as_slice(),
    };
    ([SCATTER, LOCAL].iter().chain(place).chain(element).copied().collect(), 2 * limbs, limbs)
}

/// The elements themselves.
#[derive(Clone, Copy, Debug)]
pub struct Elements;

impl Terms<f32> for Elements {
    type Acc = Fixed<11>;
    const UNIT: i32 = -150;

    fn sum(elements: &[f32]) -> Fixed<11> {
        sum_f32(elements)
    }
    fn parts(exact: Exact) -> (Vec<&'static str>, u64, u64) {
        let flags = include_str!("../../shaders/exact_f32_flags.wgsl");
        let columns = include_str!("../../shaders/exact_columns_bytes.wgsl");
        let shared = include_str!("../../shaders/exact_f32_shared.wgsl");
        let window = include_str!("../../shaders/exact_f32_window.wgsl");
        let window64 = include_str!("../../shaders/exact_f32_window64.wgsl");
        match exact {
            Exact::Bins { .. } => (vec![columns, SHARED, shared, flags], 64, 8),
            Exact::Window => (vec![SCATTER, OWN, window, flags], 22, 11),
            Exact::Window64 => (vec![SCATTER, OWN, window64, flags], 22, 11),
        }
    }
}

impl Terms<f16> for Elements {
    type Acc = Fixed<4>;
    const UNIT: i32 = -56;

    fn sum(elements: &[f16]) -> Fixed<4> {
        let mut all = Fixed::ZERO;
        // 41 bits a value: 2^20 of them stay within 63.
        for block in elements.chunks(1 << 20) {
            let (mut sum, mut flags) = (0i64, 0);
            for x in block {
                let pieces = Pieces::of(x.to_bits().into(), 5, 10);
                flags |= pieces.flags();
                let amount = (pieces.significand << (pieces.exponent - 1)) as i64;
                sum += if pieces.finite { if pieces.negative { -amount } else { amount } } else { 0 };
            }
            all = all.plus(Fixed::integer(i128::from(sum) << 32, flags));
        }
        all
    }
    fn parts(_: Exact) -> (Vec<&'static str>, u64, u64) {
        (vec![include_str!("../../shaders/exact_f16.wgsl")], 0, 0)
    }
}

impl Terms<f64> for Elements {
    type Acc = Fixed<68>;
    const UNIT: i32 = -1075;

    fn sum(elements: &[f64]) -> Fixed<68> {
        columns(elements, |x| Pieces::of(x.to_bits(), 11, 52))
    }
    fn parts(exact: Exact) -> (Vec<&'static str>, u64, u64) {
        scattered(exact, 68, &[include_str!("../../shaders/exact_f64.wgsl")])
    }
}

const PRODUCT: &str = include_str!("../../shaders/exact_product.wgsl");

/// The products of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Products;

impl Terms<[f32; 2]> for Products {
    type Acc = Fixed<20>;
    const UNIT: i32 = -300;

    fn sum(elements: &[[f32; 2]]) -> Fixed<20> {
        columns(elements, |[x, y]| Pieces::f32(x).times(&Pieces::f32(y)))
    }
    fn parts(exact: Exact) -> (Vec<&'static str>, u64, u64) {
        scattered(exact, 20, &[PRODUCT, include_str!("../../shaders/exact_dot.wgsl")])
    }
}

/// The squares of elements.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl Terms<f32> for Squares {
    type Acc = Fixed<20>;
    const UNIT: i32 = -300;

    fn sum(elements: &[f32]) -> Fixed<20> {
        columns(elements, |x| Pieces::f32(x).times(&Pieces::f32(x)))
    }
    fn parts(exact: Exact) -> (Vec<&'static str>, u64, u64) {
        scattered(exact, 20, &[PRODUCT, include_str!("../../shaders/exact_square.wgsl")])
    }
}

#[inline(always)]
fn columns<T: Copy, const L: usize>(elements: &[T], pieces: impl Fn(T) -> Pieces) -> Fixed<L> {
    let mut all = Fixed::ZERO;
    for block in elements.chunks(1 << 30) {
        let mut columns = Columns::ZERO;
        for &x in block {
            pieces(x).add_to(&mut columns);
        }
        all = all.plus(columns.sum());
    }
    all
}

/// What follows the bins: the text that rounds, after the one that looks at the sum's size.
pub(crate) mod finish {
    const SIZE: &str = include_str!("../../shaders/exact_size.wgsl");
    const QUOTIENT_F64: &str = include_str!("../../shaders/exact_quotient_f64.wgsl");
    const DIVIDE: &str = include_str!("../../shaders/exact_quotient.wgsl");

    pub const SUM: &[&str] = &[SIZE, include_str!("../../shaders/exact_round.wgsl")];
    pub const MEAN: &[&str] = &[
        SIZE,
        DIVIDE,
        "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return quotient_f32(acc, count); }\n",
    ];
    pub const ROOT: &[&str] = &[SIZE, include_str!("../../shaders/exact_root.wgsl")];
    pub const SUM_F64: &[&str] = &[
        SIZE,
        DIVIDE,
        QUOTIENT_F64,
        "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> { return quotient_f64(acc, vec2<u32>(1u, 0u), count); }\n",
    ];
    pub const MEAN_F64: &[&str] = &[
        SIZE,
        DIVIDE,
        QUOTIENT_F64,
        "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> { return quotient_f64(acc, count, count); }\n",
    ];
}

/// An exact operator over one type of element: its terms, its answer, and how both halves finish.
macro_rules! exact_operator {
    ($name:ident, $text:literal, $about:literal, $type:ty, $terms:ty, $output:ty, $words:literal, $finish_wgsl:expr, $at_min:expr,
     |$acc:ident, $count:ident| $finish:expr) => {
        impl crate::Op<$type> for $name {
            type Acc = <$terms as crate::ops::exact::Terms<$type>>::Acc;
            type Output = $output;
            const ANSWER_WORDS: usize = $words;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;
            const TESTED: bool = true;
            /// A bin of 64 bits takes up to 32 of each element.
            const ELEMENTS_MAX: u64 = 1 << 32;

            fn name(&self) -> &'static str {
                $text
            }
            fn identity(&self) -> Self::Acc {
                crate::exact::Fixed::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Self::Acc {
                <$terms as crate::ops::exact::Terms<$type>>::sum(&[x])
            }
            #[inline(always)]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.plus(b)
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], _: u64) -> Self::Acc {
                <$terms as crate::ops::exact::Terms<$type>>::sum(elements)
            }
            fn finish(&self, $acc: Self::Acc, $count: u64) -> crate::Result<$output> {
                Ok($finish)
            }
            fn canonical(&self, acc: Self::Acc) -> Self::Acc {
                acc.canonical()
            }
            /// Nothing of its own; `module` chooses among the kernels.
            fn wgsl(&self) -> String {
                String::new()
            }
            fn module(&self, dialect: crate::shader::Dialect) -> crate::shader::Module {
                <$terms as crate::ops::exact::Terms<$type>>::module(dialect, $finish_wgsl, $at_min)
            }
        }
    };
}
pub(crate) use exact_operator;
