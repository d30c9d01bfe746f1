//! The elements that the stages reduce, on the host.

use super::Operator;
use super::stage::InputKind;
use std::cell::OnceCell;

/// Host copies of a stage's input.
#[derive(Clone, Copy)]
pub(super) enum HostElements<'a> {
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    FloatPairs(&'a [f32], &'a [f32]),
    /// The integers below the length.
    Candidates(u64),
}

/// One of the arrays of floats.
#[derive(Clone, Copy)]
pub(super) enum FloatArray {
    First,
    /// The second of a product.
    Second,
    /// Elements whose sum needs no rounding.
    Unrounded,
}

/// All elements of one length, each array made at its first use.
pub(super) struct ElementStore {
    pub count: u64,
    operator: Operator,
    ints: OnceCell<Vec<i32>>,
    floats: [OnceCell<Vec<f32>>; 3],
}

impl ElementStore {
    pub fn new(count: u64, operator: Operator) -> ElementStore {
        ElementStore { count, operator, ints: OnceCell::new(), floats: Default::default() }
    }

    pub fn ints(&self) -> &[i32] {
        self.ints.get_or_init(|| ints(self.count, self.operator))
    }

    pub fn floats(&self, array: FloatArray) -> &[f32] {
        self.floats[array as usize].get_or_init(|| match array {
            FloatArray::First => floats(self.count, 1),
            FloatArray::Second => floats(self.count, 2),
            FloatArray::Unrounded => unrounded(self.count),
        })
    }

    pub fn of(&self, input: InputKind) -> HostElements<'_> {
        match input {
            InputKind::Ints => HostElements::Ints(self.ints()),
            InputKind::Floats => HostElements::Floats(self.floats(FloatArray::First)),
            InputKind::FloatPairs => {
                HostElements::FloatPairs(self.floats(FloatArray::First), self.floats(FloatArray::Second))
            }
            InputKind::Candidates => HostElements::Candidates(self.count),
        }
    }

    /// The same kind of input from elements whose sum needs no rounding.
    pub fn unrounded(&self, input: InputKind) -> HostElements<'_> {
        let floats = self.floats(FloatArray::Unrounded);
        match input {
            InputKind::FloatPairs => HostElements::FloatPairs(floats, floats),
            _ => HostElements::Floats(floats),
        }
    }
}

/// A well-mixed function of the index (splitmix64).
fn mixed(i: u64, seed: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// For sums: small, as in the tutorial's program, with a minimum at the very end and a maximum in the middle. For minima: all
/// different.
fn ints(count: u64, operator: Operator) -> Vec<i32> {
    let scattered = |i: u64| (i as u32).wrapping_mul(2_654_435_761);
    if operator == Operator::Min {
        return (0..count).map(|i| scattered(i).wrapping_add(0x1234_5678) as i32).collect();
    }
    let mut ints: Vec<i32> = (0..count).map(|i| (scattered(i) >> 24) as i32).collect();
    let middle = ints.len() / 2;
    ints.get_mut(middle).into_iter().for_each(|x| *x = 1000);
    ints.last_mut().into_iter().for_each(|x| *x = -7);
    ints
}

/// Units of the floats in 1.
pub(super) const UNITS: i64 = 1 << 24;

/// In (0, 1), multiples of 2^-24, so that their exact sum is a sum of integers.
fn floats(count: u64, seed: u64) -> Vec<f32> {
    let units = |i| ((mixed(i, seed) >> 40) as u32).max(1);
    (0..count).map(|i| units(i) as f32 / UNITS as f32).collect()
}

/// Small integers, mostly zeros, whose sum stays below 2^24: no order of additions rounds, so a kernel that adds every
/// element once must find the sum exactly, however many there are.
fn unrounded(count: u64) -> Vec<f32> {
    let sparse = (count >> 20).max(1);
    let value = |i| {
        let bits = mixed(i, 77);
        if (bits >> 8).is_multiple_of(sparse) { (bits % 3 + 1) as f32 } else { 0.0 }
    };
    (0..count).map(value).collect()
}
