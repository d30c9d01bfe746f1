//! Inputs of many answers: which elements belong to which.

use super::{Axes, By, DeviceCount, Dim, Input, Offsets, Ranges, Strided};
use crate::element::Element;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// Elements on the device, and how they are divided among many answers: see [`Input::rows`], [`Input::over`],
/// [`Input::segments`] and [`Input::counted`].
#[derive(Clone, Debug)]
pub struct Each<'a, T> {
    pub(crate) input: Input<'a, T>,
    pub(crate) division: Division<'a>,
    pub(crate) count: Option<DeviceCount<'a>>,
}

/// Keys that 32 bits tell apart.
const KEYS: u64 = 1 << 32;

/// The division of elements among answers.
#[derive(Clone, Debug)]
pub(crate) enum Division<'a> {
    /// All to one.
    Whole,
    /// Contiguous rows of so many elements.
    Rows(u64),
    /// Axes of a view.
    Axes(Axes),
    /// Dimensions of a view.
    Strided(Strided),
    /// Segments by offsets.
    Segments(Offsets<'a>),
    /// By keys below a number.
    Groups(Ranges<'a>, u64),
}

impl<'a, T: Element> Each<'a, T> {
    /// Inputs of one buffer, all of one length and at one distance, as rows; `None` of others.
    pub(crate) fn in_step(inputs: &[Input<'a, T>]) -> Option<Self> {
        let element = T::DTYPE.bytes();
        let at = |number: usize| inputs.get(number)?.ranges.single();
        let ((buffer, first), (_, second)) = (at(0)?, at(1)?);
        let (size, step) = (first.end.checked_sub(first.start)?, second.start.checked_sub(first.start)?);
        let is_row = |number: usize| {
            let start = step.checked_mul(number as u64)?.checked_add(first.start)?;
            let row = (buffer, start..start.checked_add(size)?);
            (at(number)? == row).then_some(row.1.end)
        };
        let ends = (0..inputs.len()).map(is_row).collect::<Option<Vec<u64>>>()?;
        if size == 0 || size % element > 0 || step % element > 0 {
            return None;
        }
        let rows = Dim { length: inputs.len() as u64, stride: i64::try_from(step / element).ok()? };
        let reduced = vec![Dim { length: size / element, stride: 1 }];
        let division = Division::Strided(Strided { first: 0, kept: vec![rows], reduced }.collapsed());
        Some(Each { input: Input::bytes(buffer, first.start..*ends.last()?), division, count: None })
    }

    /// Of the rows or segments the first, as many as the device says when the commands run, and no more than there are. Their
    /// answers are dense; behind the last of them the output holds nothing of meaning.
    ///
    /// ```no_run
    /// # fn f(samples: &wgpu::Buffer, bursts: &wgpu::Buffer, norm: &treefold::Reducer<f32, treefold::ops::Norm2>, norms: &wgpu::Buffer,
    /// # encoder: &mut wgpu::CommandEncoder) -> treefold::Result<()> {
    /// use treefold::{Input, Output};
    /// norm.record_each(encoder, Input::from(samples).rows(64).counted(bursts), Output::bare(norms))?;
    /// # Ok(()) }
    /// ```
    pub fn counted(self, count: impl Into<DeviceCount<'a>>) -> Self {
        Each { count: Some(count.into()), ..self }
    }

    /// Number of answers; the most, where the device counts them.
    ///
    /// # Errors
    /// [`Error::NoOffsets`], [`Error::OffsetsFall`], [`Error::OffsetsOutside`]; [`Error::Unequal`] where there are not as many keys as elements; [`Error::RaggedRows`] where the elements are no whole rows; [`Error::ViewOutside`] where a view reads what is not there.
    pub fn count(&self) -> Result<u64> {
        let elements = self.input.elements();
        match &self.division {
            Division::Whole => Ok(1),
            Division::Rows(length) if *length > 0 && elements.is_multiple_of(*length) => Ok(elements / length),
            Division::Rows(length) => Err(Error::RaggedRows { elements, length: *length }),
            Division::Axes(axes) => axes.check(elements).map(|()| axes.answers()),
            Division::Strided(strided) => strided.check(elements).map(|()| strided.answers()),
            Division::Segments(offsets) => offsets.segments(elements),
            Division::Groups(keys, _) if keys.elements() != elements => {
                Err(Error::Unequal { left: elements, right: keys.elements() })
            }
            Division::Groups(_, groups) if *groups > KEYS => {
                Err(Error::GroupsTooMany { elements, groups: *groups, most: KEYS })
            }
            Division::Groups(_, groups) => Ok(*groups),
        }
    }

    /// The same, of so many answers at most.
    pub(crate) fn divided(&self, answers: u64) -> Result<Divided<'_, 'a>> {
        let strided = match (&self.division, &self.count) {
            (Division::Segments(offsets), count) => {
                return Ok(Divided::Segments(Segments {
                    by: SegmentsBy::Offsets(offsets),
                    answers,
                    count: count.as_ref(),
                }));
            }
            (Division::Rows(length), Some(count)) => return Ok(Divided::counted(By::Rows(*length), answers, count)),
            (Division::Whole, Some(count)) => return Ok(Divided::counted(By::Elements, answers, count)),
            (Division::Groups(keys, groups), None) => return Ok(Divided::Groups(keys, *groups)),
            (Division::Axes(_) | Division::Strided(_) | Division::Groups(..), Some(_)) => {
                return Err(Error::AxesCounted);
            }
            (Division::Whole, None) => Cow::Owned(Strided::rows(1, self.input.elements())),
            (Division::Rows(length), None) => Cow::Owned(Strided::rows(answers, *length)),
            (Division::Axes(axes), None) => Cow::Borrowed(&axes.strided),
            (Division::Strided(strided), None) => Cow::Borrowed(strided),
        };
        Ok(Divided::Strided(strided))
    }
}

/// Elements by answer: by strides, or from one end to the next.
#[derive(Debug)]
pub(crate) enum Divided<'d, 'a> {
    Strided(Cow<'d, Strided>),
    Segments(Segments<'d, 'a>),
    /// By keys, in so many groups.
    Groups(&'d Ranges<'a>, u64),
}

/// Segments, or what is reduced as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segments<'d, 'a> {
    pub by: SegmentsBy<'d, 'a>,
    /// Answers, at most.
    pub answers: u64,
    pub count: Option<&'d DeviceCount<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentsBy<'d, 'a> {
    Offsets(&'d Offsets<'a>),
    /// Rows of so many elements, from the first one on.
    Rows(u64),
    /// As the device counts them.
    Counted(By),
}

impl<'d, 'a> Divided<'d, 'a> {
    /// Rows of so many elements that lie one behind another, as segments.
    pub fn rows(length: u64, answers: u64) -> Self {
        Divided::Segments(Segments { by: SegmentsBy::Rows(length), answers, count: None })
    }

    fn counted(by: By, answers: u64, count: &'d DeviceCount<'a>) -> Self {
        Divided::Segments(Segments { by: SegmentsBy::Counted(by), answers, count: Some(count) })
    }
}

impl<'a> Segments<'_, 'a> {
    /// The ranges that are read beside the elements.
    pub fn reads(&self) -> impl Iterator<Item = &Ranges<'a>> {
        let offsets = if let SegmentsBy::Offsets(offsets) = self.by { offsets.there() } else { None };
        offsets.into_iter().chain(self.count.map(|count| &count.0))
    }
}
