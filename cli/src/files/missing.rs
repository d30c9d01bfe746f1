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

/// Places of values that were left out, as far as they are wanted: runs of them, two numbers each, of seven bits a byte.
#[derive(Debug, Default)]
pub struct Gaps {
    /// Bytes that they may take; 0: none is wanted.
    room: usize,
    /// The runs but the last one: elements between a run and the one before, values of the run.
    bytes: Vec<u8>,
    /// One run in so many, and the byte behind it.
    marks: Vec<(Gap, usize)>,
    runs: u64,
    last: Gap,
    /// Of the run before the last one.
    before: Gap,
}

/// Values that were left out one behind another.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    /// Elements before them.
    at: u64,
    /// Number of values left out up to here, these included.
    left_out: u64,
}

/// Runs from one mark to the next.
const MARKED: u64 = 256;

impl Gaps {
    /// With room in so many bytes.
    pub fn within(bytes: u64) -> Gaps {
        Gaps { room: usize::try_from(bytes).unwrap_or(usize::MAX), ..Gaps::default() }
    }

    /// Whether they are wanted.
    pub fn is_wanted(&self) -> bool {
        self.room > 0
    }

    /// The runs of values that it has.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Remembers values behind so many elements, where that is wanted; whether there is room.
    pub fn add(&mut self, at: u64, values: u64) -> bool {
        if self.room == 0 {
            return true;
        }
        if self.runs > 0 && self.last.at == at {
            self.last.left_out += values;
            return true;
        }
        if self.runs > 0 {
            if self.bytes.len() + self.marks.len() * size_of::<(Gap, usize)>() > self.room {
                return false;
            }
            for number in [self.last.at - self.before.at, self.last.left_out - self.before.left_out] {
                put(&mut self.bytes, number);
            }
            if self.runs.is_multiple_of(MARKED) {
                self.marks.push((self.last, self.bytes.len()));
            }
            self.before = self.last;
        }
        self.last = Gap { at, left_out: self.last.left_out + values };
        self.runs += 1;
        true
    }

    /// The place among all values of an element whose place among those that are left is this.
    pub fn place(&self, index: u64) -> u64 {
        if self.runs > 0 && self.last.at <= index {
            return index + self.last.left_out;
        }
        let marked = self.marks.partition_point(|(gap, _)| gap.at <= index).checked_sub(1);
        let (mut gap, mut from) = marked.map_or((Gap::default(), 0), |mark| self.marks[mark]);
        while from < self.bytes.len() {
            let (elements, values) = (take(&self.bytes, &mut from), take(&self.bytes, &mut from));
            if gap.at + elements > index {
                break;
            }
            gap = Gap { at: gap.at + elements, left_out: gap.left_out + values };
        }
        index + gap.left_out
    }
}

/// Appends a number, seven bits a byte, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The number that begins at this byte, which goes behind it.
fn take(bytes: &[u8], from: &mut usize) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let Some(&byte) = bytes.get(*from) else { break };
        *from += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
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
                        known.gaps.runs(),
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

    /// Runs of all lengths, near and far, of which some fall on marks.
    #[test]
    fn places_are_those_that_counting_gives() {
        let mut gaps = Gaps::within(1 << 20);
        let (mut state, mut at, mut left_out) = (7u64, 0u64, 0u64);
        let mut want = vec![];
        for run in 0..3000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let elements = if run == 0 { 0 } else { 1 + (state >> 40) % if run % 50 == 3 { 3000 } else { 3 } };
            want.extend((at..at + elements).map(|index| (index, index + left_out)));
            at += elements;
            for values in [1 + (state >> 20) % if run % 70 == 5 { 1 << 40 } else { 2 }, run % 2] {
                assert!(values == 0 || gaps.add(at, values));
                left_out += values;
            }
        }
        want.push((at, at + left_out));
        want.push((at + 100, at + 100 + left_out));
        for (index, place) in want {
            assert_eq!(gaps.place(index), place, "{index}");
        }
        let mut few = Gaps::within(100);
        let held = (0..1000).take_while(|&at| few.add(2 * at, 1)).count() as u64;
        assert!((40..60).contains(&held) && few.runs() == held, "{held}");
        assert_eq!((few.place(0), few.place(3), Gaps::default().add(1, 1)), (1, 5, true));
    }
}
