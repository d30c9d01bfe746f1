//! The first and the last element that compare in some way with a number.

use super::located::{Found, Located, before_wgsl, moved_wgsl, place_order};
use super::count_if::{Comparison, Within, holds_wgsl};
use super::extreme::{element_of, words_of};
use crate::element::{OrderKey, Scalar};
use crate::op::{WordType, join};
use crate::{DeviceAnswer, Fold, Op, Result, Wgsl};

/// The first element that compares in this way with a number, and its index.
///
/// - **Comparison**: as for [`CountIf`](super::CountIf). **Order**: any. **None that compares so**: `None`.
/// - **On the device**: the element (1 word, 2 of 64 bits), then the index (low, high); all ones where there is none.
///
/// ```
/// use treefold::{Cpu, ops::FindFirst};
/// let warm = FindFirst { compare: "> 30".parse()? };
/// let found = Cpu::new().reduce(warm, &[21.5f32, 30.5, 31.0])?;
/// assert_eq!(found.map(|found| (found.value, found.index)), Some((30.5, 1)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FindFirst {
    /// The comparison of the element that is looked for; `!= 0` where nothing else is said.
    pub compare: Comparison,
}

/// The last element that compares in this way with a number, and its index; all else is as for [`FindFirst`].
///
/// ```
/// use treefold::{Cpu, ops::FindLast};
/// let found = Cpu::new().reduce(FindLast::default(), &[1i32, 2, 0])?;
/// assert_eq!(found.map(|found| (found.value, found.index)), Some((2, 1)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FindLast {
    /// The comparison of the element that is looked for; `!= 0` where nothing else is said.
    pub compare: Comparison,
}

/// The fold of both.
#[derive(Clone, Copy, Debug)]
pub struct Finding<K> {
    within: Within<K>,
    last: bool,
}

impl<T: Scalar> Fold<T> for Finding<T::Key> {
    type Acc = Located<T::Key>;

    fn identity(&self) -> Self::Acc {
        Located::NOWHERE
    }
    #[inline(always)]
    fn lift(&self, x: T, index: u64) -> Self::Acc {
        if self.within.holds(x) { Located { key: x.key(), index } } else { Located::NOWHERE }
    }
    #[inline(always)]
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        let rank = |place: &Self::Acc| place_order(place.index, self.last);
        if rank(&b) < rank(&a) { b } else { a }
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[T], index: u64) -> Self::Acc {
        let holds = |&x: &T| self.within.holds(x);
        let at = if self.last { elements.iter().rposition(holds) } else { elements.iter().position(holds) };
        at.map_or(Located::NOWHERE, |at| Located { key: elements[at].key(), index: index.wrapping_add(at as u64) })
    }
    fn offset(&self, acc: Self::Acc, by: u64) -> Self::Acc {
        acc.moved(by)
    }
    fn kind(&self) -> String {
        if self.last { "last".into() } else { "first".into() }
    }
    fn params(&self) -> Vec<u32> {
        Fold::<T>::params(&self.within)
    }
    fn wgsl(&self) -> Wgsl {
        let holds = holds_wgsl::<T::Key>();
        let other = before_wgsl(self.last);
        let (identity, lifted, combined) = match T::Key::WORDS {
            1 => (
                "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu);",
                "return Acc(key(bits), index, 0u);",
                "select(a.key, b.key, other)",
            ),
            _ => (
                "return Acc(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);",
                "let found = key(bits);\nreturn Acc(found.x, found.y, index, 0u);",
                "select(a.key, b.key, other), select(a.key_high, b.key_high, other)",
            ),
        };
        Wgsl::new(
            identity,
            format!("{holds}\nif !holds {{ {identity} }}\n{lifted}"),
            format!(
                "let other = {other};\nreturn Acc({combined}, select(a.low, b.low, other), select(a.high, b.high, other));"
            ),
        )
        .offset(moved_wgsl::<T::Key>())
        .checked()
    }
}

macro_rules! finding {
    ($name:ident = $text:literal, $about:literal, $last:literal) => {
        impl<T: Scalar> Op<T> for $name {
            type Fold = Finding<T::Key>;
            type Output = Option<Found<T>>;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn signature(&self) -> String {
                format!("{}(compare={})", $text, self.compare)
            }
            fn fold(&self) -> Self::Fold {
                Finding { within: self.compare.within::<T>(), last: $last }
            }
            fn picks(&self) -> bool {
                true
            }
            fn finish(&self, acc: Located<T::Key>, _: u64) -> Result<Option<Found<T>>> {
                Ok((acc != Located::NOWHERE).then(|| Found { value: T::unkey(acc.key), index: acc.index }))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let words = words_of::<T>("value").into_iter();
                Some(DeviceAnswer::checked(
                    words.chain([("index, low", WordType::Part), ("index, high", WordType::Part)]),
                    match T::Key::WORDS {
                        1 => "return array<u32, 3>(select(unkey(acc.key), 0xffffffffu, acc.high == 0xffffffffu), acc.low, acc.high);",
                        _ => {
                            "let bits = select(unkey(vec2<u32>(acc.key, acc.key_high)), vec2<u32>(0xffffffffu), acc.high == 0xffffffffu);
return array<u32, 4>(bits.x, bits.y, acc.low, acc.high);"
                        }
                    },
                ))
            }
            fn read(&self, words: &[u32], _: u64) -> Result<Option<Found<T>>> {
                let index = join(words.get(T::Key::WORDS..).unwrap_or_default());
                Ok((index != u64::MAX).then(|| Found { value: element_of(words), index }))
            }
        }
    };
}

finding!(FindFirst = "find_first", "First element that compares so with a number, and its index", false);
finding!(FindLast = "find_last", "Last element that compares so with a number, and its index", true);
