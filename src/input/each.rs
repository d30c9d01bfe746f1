//! Inputs of many answers: which elements belong to which.

use super::{Axes, Input, Strided};
use crate::element::Element;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// Elements on the device, and how they are divided among many answers: see [`Input::rows`] and [`Input::over`].
#[derive(Clone, Debug)]
pub struct Each<'a, T> {
    pub(crate) input: Input<'a, T>,
    pub(crate) division: Division,
}

/// Which elements belong to which answer.
#[derive(Clone, Debug)]
pub(crate) enum Division {
    /// Contiguous rows of so many elements.
    Rows(u64),
    /// Axes of a view.
    Axes(Axes),
    /// Dimensions of a view.
    Strided(Strided),
}

impl<T: Element> Each<'_, T> {
    /// How many answers there are.
    ///
    /// # Errors
    /// [`Error::RaggedRows`] where the elements are no whole rows; [`Error::ViewOutside`] where a view reads what is not there.
    pub fn count(&self) -> Result<u64> {
        let elements = self.input.elements();
        match &self.division {
            Division::Rows(length) if *length > 0 && elements.is_multiple_of(*length) => Ok(elements / length),
            Division::Rows(length) => Err(Error::RaggedRows { elements, length: *length }),
            Division::Axes(axes) => axes.check(elements).map(|()| axes.answers()),
            Division::Strided(strided) => strided.check(elements).map(|()| strided.answers()),
        }
    }
}

impl Division {
    /// The same by strides, of so many answers.
    pub fn strided(&self, answers: u64) -> Cow<'_, Strided> {
        match self {
            Division::Rows(length) => Cow::Owned(Strided::rows(answers, *length)),
            Division::Axes(axes) => Cow::Borrowed(&axes.strided),
            Division::Strided(strided) => Cow::Borrowed(strided),
        }
    }
}
