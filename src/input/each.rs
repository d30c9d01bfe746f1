//! Inputs of many answers: which elements belong to which.

use super::{Axes, Input, Offsets, Strided};
use crate::element::Element;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// Elements on the device, and how they are divided among many answers: see [`Input::rows`], [`Input::over`] and
/// [`Input::segments`].
#[derive(Clone, Debug)]
pub struct Each<'a, T> {
    pub(crate) input: Input<'a, T>,
    pub(crate) division: Division<'a>,
}

/// Which elements belong to which answer.
#[derive(Clone, Debug)]
pub(crate) enum Division<'a> {
    /// Contiguous rows of so many elements.
    Rows(u64),
    /// Axes of a view.
    Axes(Axes),
    /// Dimensions of a view.
    Strided(Strided),
    /// Segments by offsets.
    Segments(Offsets<'a>),
}

impl<T: Element> Each<'_, T> {
    /// How many answers there are.
    ///
    /// # Errors
    /// [`Error::NoOffsets`], [`Error::OffsetsFall`], [`Error::OffsetsOutside`]; [`Error::RaggedRows`] where the elements are no whole rows; [`Error::ViewOutside`] where a view reads what is not there.
    pub fn count(&self) -> Result<u64> {
        let elements = self.input.elements();
        match &self.division {
            Division::Rows(length) if *length > 0 && elements.is_multiple_of(*length) => Ok(elements / length),
            Division::Rows(length) => Err(Error::RaggedRows { elements, length: *length }),
            Division::Axes(axes) => axes.check(elements).map(|()| axes.answers()),
            Division::Strided(strided) => strided.check(elements).map(|()| strided.answers()),
            Division::Segments(offsets) => offsets.segments(elements),
        }
    }
}

/// The same, of so many answers.
#[derive(Debug)]
pub(crate) enum Divided<'d, 'a> {
    Strided(Cow<'d, Strided>),
    Segments(&'d Offsets<'a>),
}

impl<'a> Division<'a> {
    pub fn of(&self, answers: u64) -> Divided<'_, 'a> {
        Divided::Strided(match self {
            Division::Rows(length) => Cow::Owned(Strided::rows(answers, *length)),
            Division::Axes(axes) => Cow::Borrowed(&axes.strided),
            Division::Strided(strided) => Cow::Borrowed(strided),
            Division::Segments(offsets) => return Divided::Segments(offsets),
        })
    }
}
