//! Missing values: empty fields, nulls. What becomes of them, how many there were, and where.

use super::told;
use crate::format::Stored;
use crate::options::MissingPolicy;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The treatment of missing values of some inputs, and what is known of them.
#[derive(Debug, Default)]
pub struct Record {
    policy: MissingPolicy,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Number of values that were met; `None` where no input can lack values.
    met: Option<u64>,
    /// Elements of the inputs that are read to their end.
    before: u64,
    /// Why none may be left out.
    refused: Option<&'static str>,
    /// Whether they are of a file beside the inputs, which `--missing` is not told.
    beside: bool,
    gaps: Gaps,
}

/// Places of values that were left out, as far as they are wanted.
#[derive(Debug, Default)]
pub struct Gaps {
    /// Room for so many.
    pub room: usize,
    gaps: Vec<Gap>,
}

/// Values that were left out one behind another.
#[derive(Debug)]
struct Gap {
    /// Elements before them.
    at: u64,
    /// Number of values left out up to here, these included.
    left_out: u64,
}

impl Gaps {
    /// With room in so many bytes.
    pub fn within(bytes: u64) -> Gaps {
        Gaps { room: usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<Gap>(), gaps: vec![] }
    }

    /// Remembers values behind so many elements, where that is wanted; whether there is room.
    pub fn add(&mut self, at: u64, values: u64) -> bool {
        let len = self.gaps.len();
        match self.gaps.last_mut() {
            _ if self.room == 0 => (),
            Some(last) if last.at == at => last.left_out += values,
            last if len < self.room => {
                let left_out = last.map_or(0, |last| last.left_out) + values;
                self.gaps.push(Gap { at, left_out });
            }
            _ => return false,
        }
        true
    }

    /// The place among all values of an element whose place among those that are left is this.
    pub fn place(&self, index: u64) -> u64 {
        let behind = self.gaps.partition_point(|gap| gap.at <= index);
        index + behind.checked_sub(1).map_or(0, |last| self.gaps[last].left_out)
    }
}

impl Record {
    /// This becomes of them.
    pub fn new(policy: MissingPolicy) -> Record {
        Record { policy, ..Record::default() }
    }

    /// The same for another reading of the inputs.
    pub fn again(&self) -> Record {
        let again = Record::new(self.policy);
        {
            let (mut again, known) = (again.known(), self.known());
            (again.refused, again.beside) = (known.refused, known.beside);
        }
        again
    }

    /// That none may be left out, for this reason.
    pub fn refuse(&self, why: &'static str) {
        self.known().refused = Some(why);
    }

    /// That none may be left out of a file beside the inputs.
    pub fn refuse_beside(&self) {
        self.refuse("these numbers go with those of another input");
        self.known().beside = true;
    }

    /// That places among all values are wanted; what they take is at most so many bytes.
    pub fn keep_places(&self, bytes: u64) {
        self.known().gaps = Gaps::within(bytes);
    }

    /// An input that may lack values is there.
    pub fn expect(&self) {
        self.known().met.get_or_insert(0);
    }

    /// So many values one behind another are missing, behind `at` elements of an input: whether they become NaN. `place` says
    /// where in its file the first of them stands.
    pub fn meet(&self, at: u64, values: u64, stored: Stored, place: impl Fn() -> String) -> std::io::Result<bool> {
        let mut known = self.known();
        *known.met.get_or_insert(0) += values;
        match (self.policy, known.refused) {
            (MissingPolicy::Error, _) => {
                Err(told(format!("{} is missing; --missing skip leaves such values out", place())))
            }
            (MissingPolicy::Nan, _) if stored.parse("nan", &mut vec![]) => Ok(true),
            (MissingPolicy::Nan, _) => Err(told(format!(
                "{} is missing, and {} has no NaN; read floats, or leave out --missing nan",
                place(),
                stored.name()
            ))),
            (MissingPolicy::Skip, Some(why)) => {
                Err(told(format!("{} is missing, and {why}; {}", place(), instead(stored, known.beside))))
            }
            (MissingPolicy::Skip, None) => {
                let at = known.before + at;
                match known.gaps.add(at, values) {
                    true => Ok(false),
                    false => Err(told(format!(
                        "{} is missing, and there is no room to remember more than {} such places, among which positions \
                         count; raise --memory, or {}",
                        place(),
                        known.gaps.room,
                        instead(stored, known.beside)
                    ))),
                }
            }
        }
    }

    /// Makes the numbers of rows of which some have no value, behind those that were made before: `put` appends the numbers of rows that
    /// have one, and `place` says where a row's value stands.
    pub fn rows(
        &self,
        present: &[bool],
        stored: Stored,
        (elements, made): (&mut u64, &mut Vec<u8>),
        place: impl Fn(usize) -> String,
        mut put: impl FnMut(Range<usize>, &mut Vec<u8>),
    ) -> std::io::Result<()> {
        let mut row = 0;
        for run in present.chunk_by(|a, b| a == b) {
            let (rows, many) = (row..row + run.len(), run.len() as u64);
            row = rows.end;
            if run.first() == Some(&true) {
                put(rows, made);
                *elements += many;
            } else if self.meet(*elements, many, stored, || place(rows.start))? {
                for _ in 0..many {
                    stored.parse("nan", made);
                }
                *elements += many;
            }
        }
        Ok(())
    }

    /// An input of so many elements is read to its end.
    pub fn passed(&self, elements: u64) {
        self.known().before += elements;
    }

    /// The place among all values, missing ones too, of an element whose place among the others is this.
    pub fn place(&self, index: u64) -> u64 {
        self.known().gaps.place(index)
    }

    /// Number of missing values, and whether they were left out; `None` where no input can lack values.
    pub fn found(&self) -> Option<FoundMissing> {
        self.known().met.map(|count| FoundMissing { count, skipped: self.policy == MissingPolicy::Skip })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Advice where values cannot be left out.
fn instead(stored: Stored, beside: bool) -> &'static str {
    if !beside && stored.parse("nan", &mut vec![]) { "pass --missing nan" } else { "write a number in its place" }
}

/// Number and treatment of missing values.
#[derive(Clone, Copy, Debug)]
pub struct FoundMissing {
    pub count: u64,
    /// Whether they were left out; else they were taken as NaN.
    pub skipped: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_what_was_left_out() {
        let stored = Stored::raw("f32").unwrap();
        let missing = Record::default();
        missing.keep_places(1 << 10);
        // _ a _ _ b | c _ d
        for (at, passed) in [(0, 0), (1, 0), (1, 2), (1, 2)] {
            assert!(!missing.meet(at, 1, stored, || "line 1".into()).unwrap());
            missing.passed(passed);
        }
        assert_eq!((0..4).map(|at| missing.place(at)).collect::<Vec<_>>(), [1, 4, 5, 7]);
        assert_eq!(missing.found().unwrap().count, 4);
        let again = missing.again();
        assert!(again.found().is_none() && again.place(3) == 3);
    }
}
