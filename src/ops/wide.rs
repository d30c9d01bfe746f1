//! Integer accumulators that are wider on the host than on the device.

use crate::element::Dtype;
use crate::op::{Member, Text, WordType, join, split};
use crate::{Accumulator, DeviceAnswer, Wgsl};
use std::marker::PhantomData;
use std::ops::Add;

/// An exact integer sum: 64 bits on the device, which 2^32 elements cannot overflow, and 128 bits on the host,
/// where the sums of many devices, chunks and threads meet. `W` is `i64` or `u64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum64<W>(i128, PhantomData<W>);

impl<W> Sum64<W> {
    pub(crate) const ZERO: Self = Sum64(0, PhantomData);
    #[inline(always)]
    pub(crate) fn new(total: i128) -> Self {
        Sum64(total, PhantomData)
    }
    pub(crate) fn total(self) -> i128 {
        self.0
    }
    /// The sum of a slice, in 64-bit lanes that up to 2^32 elements cannot overflow.
    #[inline(always)]
    pub(crate) fn of<T: Copy>(elements: &[T]) -> Self
    where
        W: From<T> + std::iter::Sum<W> + Into<i128>,
    {
        let blocks = elements.chunks(1 << 30);
        Self::new(blocks.map(|block| block.iter().map(|&x| W::from(x)).sum::<W>().into()).sum())
    }
}

impl<W> Add for Sum64<W> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

/// The form of such a sum that invocations share.
const SUM64_CELL: [&str; 1] = [include_str!("../../shaders/cells/sum64.wgsl")];

macro_rules! sum64_words {
    ($wide:ty) => {
        impl Accumulator for Sum64<$wide> {
            const WORDS: usize = 2;
            const WGSL: &'static str = u64::WGSL;
            const MEMBERS: &'static [Member] = u64::MEMBERS;
            fn write(&self, words: &mut [u32]) {
                split(self.0 as u64, words);
            }
            fn fits(&self) -> bool {
                <$wide>::try_from(self.0).is_ok()
            }
            fn read(words: &[u32]) -> Self {
                Self::new(i128::from(join(words) as $wide))
            }
        }
    };
}

sum64_words!(i64);
sum64_words!(u64);

/// The WGSL of a fold into two words that are one sum; `lift` gives the words of an element.
pub(super) fn sum64_wgsl(lift: impl Into<Text>) -> Wgsl {
    let combine = "let sum = add64(vec2<u32>(a.low, a.high), vec2<u32>(b.low, b.high));\nreturn Acc(sum.x, sum.y);";
    Wgsl::new("return Acc(0u, 0u);", lift, combine).cell(2, SUM64_CELL).checked()
}

/// The same of counts, of elements of this type: those of a vector are added before any is carried. `none` says of a vector of words
/// that none counts, where that is less to ask.
pub(super) fn count_wgsl(lift: impl Into<Text>, of: Dtype, none: &str) -> Wgsl {
    let wgsl = sum64_wgsl(lift);
    match of.bytes() {
        4 => wgsl.vector(format!(
            "{none}let front = lift(vector.x, index).low + lift(vector.y, index + 1u).low;
let back = lift(vector.z, index + 2u).low + lift(vector.w, index + 3u).low;
return combine(acc, Acc(front + back, 0u));"
        )),
        8 => wgsl.vector("return combine(acc, Acc(lift(vector.xy, index).low + lift(vector.zw, index + 1u).low, 0u));"),
        _ => wgsl,
    }
}

/// The answer of an operator that counts: how it finishes, on the host and on the device, and how words are read back.
macro_rules! count_answer {
    () => {
        fn finish(&self, acc: crate::ops::wide::Sum64<u64>, _: u64) -> crate::Result<u64> {
            Ok(acc.total() as u64)
        }
        fn answer(&self) -> Option<crate::DeviceAnswer> {
            Some(crate::ops::wide::sum64_answer())
        }
        fn read(&self, words: &[u32], _: u64) -> crate::Result<u64> {
            Ok(crate::op::join(words))
        }
    };
}
pub(super) use count_answer;

/// Both words as an answer.
pub(super) fn sum64_answer() -> DeviceAnswer {
    DeviceAnswer::checked(
        [("low", WordType::Part), ("high", WordType::Part)],
        "return array<u32, 2>(acc.low, acc.high);",
    )
}
