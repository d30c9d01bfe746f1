//! Accumulators: words that both the device and the host can hold.

/// A value that a reduction carries from element to element: words that both the device and the host can hold.
///
/// Implemented for `u32`, `i32`, `f32`, for `u64`, `i64`, `f64` (in WGSL a struct of `low` and `high`), for tuples of accumulators, and by
/// [`accumulator!`](crate::accumulator) for structs of the first three.
pub trait Accumulator: Clone + Send + Sync + 'static {
    /// 32-bit words on the device; 0 where only the operator knows.
    const WORDS: usize;
    /// The declaration of `Acc` in WGSL.
    const WGSL: &'static str;
    /// The members of `Acc` in order; one without a name where `Acc` is a scalar.
    const MEMBERS: &'static [Member];
    /// Writes the words, `words.len() == WORDS`.
    fn write(&self, words: &mut [u32]);
    /// Reads the words back, `words.len() == WORDS`.
    fn read(words: &[u32]) -> Self;
    /// Whether the words hold all of it; some accumulators are wider on the host.
    #[doc(hidden)]
    fn fits(&self) -> bool {
        true
    }
}

/// One member of an accumulator in WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; empty for the accumulator itself.
    pub name: &'static str,
    /// `u32`, `i32`, `f32`, or `array` for an array of `u32`.
    pub of: &'static str,
    /// Its 32-bit words.
    pub words: usize,
}

/// Words of an array that functions copy line by line; those of a longer one in a loop.
pub(crate) const LINES_MAX: usize = 20;

impl Member {
    /// Loop trips of copying it.
    #[doc(hidden)]
    pub fn loop_trips(&self) -> u64 {
        if self.of == "array" && self.words > LINES_MAX { self.words as u64 } else { 0 }
    }

    /// A word.
    pub(crate) const fn word(name: &'static str) -> Member {
        Member { name, of: "u32", words: 1 }
    }
}

/// A number of 64 bits from its words, the low one first; words that are not there are 0.
#[inline(always)]
pub(crate) fn join(words: &[u32]) -> u64 {
    let word = |w: usize| words.get(w).map_or(0, |&word| u64::from(word));
    word(0) | word(1) << 32
}

/// Writes the low bits of a number into one or two words, the low one first.
#[inline(always)]
pub(crate) fn split(bits: u64, words: &mut [u32]) {
    for (word, part) in words.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
        *word = part;
    }
}

/// Numbers of 64 bits, as two words.
macro_rules! wide_accumulator {
    ($($type:ident $to:expr, $from:expr;)*) => {$(
        impl Accumulator for $type {
            const WORDS: usize = 2;
            const WGSL: &'static str = "struct Acc { low: u32, high: u32, }";
            const MEMBERS: &'static [Member] = &[Member::word("low"), Member::word("high")];
            fn write(&self, words: &mut [u32]) {
                split($to(*self), words);
            }
            fn read(words: &[u32]) -> Self {
                $from(join(words))
            }
        }
    )*};
}

wide_accumulator! {
    u64 |x| x, |x| x;
    i64 |x| x as u64, |x| x as i64;
    f64 f64::to_bits, f64::from_bits;
}

macro_rules! scalar_accumulator {
    ($($type:ident $to:expr, $from:expr;)*) => {$(
        impl Accumulator for $type {
            const WORDS: usize = 1;
            const WGSL: &'static str = concat!("alias Acc = ", stringify!($type), ";");
            const MEMBERS: &'static [Member] = &[Member { name: "", of: stringify!($type), words: 1 }];
            fn write(&self, words: &mut [u32]) {
                words[0] = $to(*self);
            }
            fn read(words: &[u32]) -> Self {
                $from(words[0])
            }
        }
    )*};
}

scalar_accumulator! {
    u32 |x| x, |w| w;
    i32 |x| x as u32, |w| w as i32;
    f32 f32::to_bits, f32::from_bits;
}

/// Declares an accumulator: a struct of `u32`, `i32` and `f32` members, in Rust and in WGSL at once.
///
/// In WGSL the struct is called `Acc` and has the same members in the same order.
///
/// ```
/// treefold::accumulator! {
///     /// A sum and how many went into it.
///     pub struct Tally { sum: f32, count: u32 }
/// }
/// use treefold::Accumulator;
/// assert_eq!(Tally::WORDS, 2);
/// assert_eq!(Tally::WGSL, "struct Acc { sum: f32, count: u32, }");
/// ```
#[macro_export]
macro_rules! accumulator {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($(#[$member_doc:meta])* $member:ident: $type:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name { $($(#[$member_doc])* pub $member: $type),+ }

        impl $crate::Accumulator for $name {
            const WORDS: usize = [$(stringify!($member)),+].len();
            const WGSL: &'static str =
                concat!("struct Acc { ", $(stringify!($member), ": ", stringify!($type), ", ",)+ "}");
            const MEMBERS: &'static [$crate::Member] =
                &[$($crate::Member { name: stringify!($member), of: stringify!($type), words: 1 }),+];
            fn write(&self, words: &mut [u32]) {
                let mut words = words.iter_mut();
                $(if let Some(word) = words.next() {
                    <$type as $crate::Accumulator>::write(&self.$member, std::slice::from_mut(word));
                })+
            }
            fn read(words: &[u32]) -> Self {
                let mut words = words.iter();
                let mut next = || words.next().copied().unwrap_or_default();
                $(let $member = <$type as $crate::Accumulator>::read(&[next()]);)+
                $name { $($member),+ }
            }
        }
    };
}
