//! Operators over elements whose flags say which count.

use super::filtered::{Filtered, Numbers, Passing};
use crate::element::{Flaggable, Flagged, Scalar};
use crate::op::{Condition, Map, Mapped, Test, Text};

/// The condition that an element's flag is set, and one on its number beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flags {
    /// What is asked of the numbers; nothing by default.
    pub numbers: Numbers,
}

/// The numbers of flagged elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Values;

/// [`Flags`] of one type.
#[derive(Clone, Copy, Debug)]
pub struct FlagTest<K> {
    numbers: Option<Passing<K>>,
}

impl<O> Filtered<Flags, Mapped<Values, O>> {
    /// The operator over those elements whose flags are set: numbers with a mask beside them.
    ///
    /// Elements are [`Flagged`]: on a device [`Input::masked`](crate::Input::masked) reads numbers and flags from two buffers, in rows, axes,
    /// segments and groups too; on the host [`MaskedSlice`](crate::MaskedSlice) reads them from two slices. Places are those among all elements.
    /// Narrow numbers are widened, as [`Widened`](crate::Widened) has it. No device answer: for `reduce`, not `record`. A function of the numbers,
    /// or another condition within, has no device half: for what is asked of the numbers there is [`Filtered::and`].
    ///
    /// ```
    /// use treefold::{Engine, MaskedSlice, ops::{ArgMax, Filtered, Sum}};
    /// let engine = Engine::named("cpu")?;
    /// let (levels, valid) = ([3u8, 250, 7, 90], [1u8, 0, 1, 1]);
    /// let found = engine.reduce_from(Filtered::masked((Sum, ArgMax)), &MaskedSlice::bytes(&levels, &valid)?, 0..4)?;
    /// assert_eq!((found.answer.0, found.left_out), (100, 1));
    /// assert_eq!(found.answer.1.map(|found| (found.value, found.index)), Some((90, 3)));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn masked(op: O) -> Self {
        Filtered::by(Flags::default(), Mapped::by(Values, op))
    }

    /// The same of those alone whose numbers pass too: what is NaN, say, does not count either.
    ///
    /// ```
    /// use treefold::{Cpu, Flagged, ops::{Filtered, Max, Numbers}};
    /// let numbers = Numbers { not_nan: true, compare: Some("< 100".parse()?) };
    /// let all = [(1.0f32, true), (f32::NAN, true), (7.0, false), (200.0, true)].map(|(x, counts)| Flagged::new(x, counts));
    /// let largest = Cpu::new().reduce(Filtered::masked(Max).and(numbers), &all)?;
    /// assert_eq!((largest.answer, largest.left_out), (Some(1.0), 3));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    #[must_use]
    pub fn and(self, numbers: Numbers) -> Self {
        self.on(Flags { numbers })
    }
}

impl<T: Flaggable> Map<Flagged<T>> for Values {
    type To = T::Wide;

    fn wgsl(&self) -> Text {
        format!("return {};", T::WGSL[0]).into()
    }
    #[inline(always)]
    fn map(&self, x: Flagged<T>, _: u64) -> T::Wide {
        x.value.wide()
    }
    fn is_exact(&self) -> bool {
        true
    }
    fn reads_bits(&self) -> bool {
        true
    }
    fn title(&self) -> String {
        "values".into()
    }
}

impl<T: Flaggable> Condition<Flagged<T>> for Flags {
    type Test = FlagTest<<T::Wide as Scalar>::Key>;

    fn test(&self) -> Self::Test {
        let asked = self.numbers != Numbers::default();
        FlagTest { numbers: asked.then(|| Condition::<T::Wide>::test(&self.numbers)) }
    }
    fn title(&self) -> String {
        let numbers = Condition::<T::Wide>::title(&self.numbers);
        if numbers.is_empty() { "flagged".into() } else { format!("flagged and {numbers}") }
    }
}

impl<T: Flaggable> Test<Flagged<T>> for FlagTest<<T::Wide as Scalar>::Key> {
    const READS_BITS: bool = true;
    const OWN: bool = true;

    #[inline(always)]
    fn passes(&self, x: Flagged<T>) -> bool {
        x.counts() && self.numbers.is_none_or(|numbers| numbers.passes(x.value.wide()))
    }
    fn wgsl(&self) -> Text {
        let [value, counts] = T::WGSL;
        let Some(numbers) = &self.numbers else { return format!("return {counts};").into() };
        let numbers = Test::<T::Wide>::wgsl(numbers);
        format!("if !({counts}) {{ return false; }}\n{{\n    let bits = {value};\n{numbers}\n}}").into()
    }
}
