//! The edges of a histogram's bins: those of equal bins over a range, or edges that are given.

use super::Rule;
use crate::{Error, Result};
use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

/// The numbers of bins that there may be.
pub(super) const BINS: std::ops::RangeInclusive<u32> = 1..=1 << 24;

/// A number of bins.
#[derive(Clone, Copy, Debug)]
pub struct BinCount(pub(super) u32);

impl FromStr for BinCount {
    type Err = ();
    fn from_str(text: &str) -> std::result::Result<BinCount, ()> {
        text.parse().ok().filter(|bins| BINS.contains(bins)).map(BinCount).ok_or(())
    }
}

impl Rule for BinCount {
    const RULE: &'static str = "a whole number from 1 to 16777216";
}

/// A range `low..=high`; written `LOW:HIGH`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl FromStr for Interval {
    type Err = ();
    fn from_str(text: &str) -> std::result::Result<Interval, ()> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let ends = text.split_once(':').and_then(|(low, high)| Some((number(low)?, number(high)?)));
        match ends {
            Some((low, high)) if low < high && (high - low).is_finite() => Ok(Interval { low, high }),
            _ => Err(()),
        }
    }
}

impl Rule for Interval {
    const RULE: &'static str = "LOW:HIGH, two numbers, the first one smaller and a finite distance below";
}

/// A bin for each whole number from the first to the second, in place of equal bins over a range; written `LOW:HIGH`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integers(Option<(i64, i64)>);

impl Integers {
    /// Numbers beyond this have no edges half a unit away.
    const FAR: i64 = 1 << 51;

    /// # Errors
    /// [`Error::BadIntegers`].
    pub(super) fn new(low: i64, high: i64) -> Result<Integers> {
        let near = (-Integers::FAR..=Integers::FAR).contains(&low) && (low..=Integers::FAR).contains(&high);
        match near && high - low < i64::from(*BINS.end()) {
            true => Ok(Integers(Some((low, high)))),
            false => Err(Error::BadIntegers { low, high }),
        }
    }

    /// The lowest and the highest, where there are some.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        self.0
    }

    /// The number of these whole numbers, and the range of their bins: each is the middle of its own.
    pub(super) fn bins(&self) -> Option<(u32, Interval)> {
        let (low, high) = self.0?;
        Some(((high - low + 1) as u32, Interval { low: low as f64 - 0.5, high: high as f64 + 0.5 }))
    }
}

impl FromStr for Integers {
    type Err = ();
    fn from_str(text: &str) -> std::result::Result<Integers, ()> {
        let number = |text: &str| text.trim().parse().map_err(drop);
        let (low, high) = text.split_once(':').ok_or(())?;
        Integers::new(number(low)?, number(high)?).map_err(drop)
    }
}

impl Rule for Integers {
    const RULE: &'static str = "LOW:HIGH, two whole numbers of at most 2^51, the first one not larger, with at most 16777216 from one to the other";
}

/// Edges that are given, in place of equal bins; written `E0,E1,…` or, as in signatures, `E0:E1:…`.
#[derive(Clone, Debug, Default)]
pub struct Given(Option<Arc<[f64]>>);

impl Given {
    /// # Errors
    /// [`Error::EdgeCount`], [`Error::BadEdge`].
    pub(super) fn new(edges: &[f64]) -> Result<Given> {
        if !u32::try_from(edges.len()).is_ok_and(|count| count > 0 && BINS.contains(&(count - 1))) {
            return Err(Error::EdgeCount { edges: edges.len() });
        }
        let before = |place: usize| place.checked_sub(1).map(|before| edges[before]);
        let bad =
            |place: usize| !edges[place].is_finite() || before(place).is_some_and(|before| before >= edges[place]);
        match (0..edges.len()).find(|&place| bad(place)) {
            Some(place) => Err(Error::BadEdge { place, value: edges[place], before: before(place) }),
            None => Ok(Given(Some(edges.into()))),
        }
    }

    /// The edges, where there are some.
    pub(super) fn edges(&self) -> Option<&[f64]> {
        self.0.as_deref()
    }

    /// As signatures write them: every one of them, each as short as it reads back.
    pub(super) fn text(&self) -> Option<String> {
        let (first, others) = self.edges()?.split_first()?;
        let mut text = first.to_string();
        for edge in others {
            // Writing to a string does not fail.
            let _ = write!(text, ":{edge}");
        }
        Some(text)
    }
}

impl FromStr for Given {
    type Err = ();
    fn from_str(text: &str) -> std::result::Result<Given, ()> {
        let edges: Option<Vec<f64>> = text.split([',', ':']).map(|edge| edge.trim().parse().ok()).collect();
        Given::new(&edges.ok_or(())?).map_err(drop)
    }
}

impl Rule for Given {
    const RULE: &'static str = "two numbers or more, with commas, each larger than the one before";
}
