//! Shares of the inputs: what each of several processes reads, in order. Files of numbers are cut; others, which are read from their begin
//! to their end, go to one process each.

use super::{Body, Input, Inputs, Opened};
use crate::beside::ensure_as_many;
use crate::files::{Array, Numbers};
use anyhow::Result;
use std::ops::Range;

/// Elements that stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// So many, one behind another, in all inputs as one.
    Rows(u64),
    /// All of an index of the first axis, in the one array.
    FirstAxis,
    /// Those at one place of both inputs.
    Pairs,
    /// Each alone, with what stands at its place in files beside the inputs.
    Beside,
}

/// The share of one process among equal ones, of so many things in order; the first have one more.
pub fn dealt(things: u64, (number, shares): (u64, u64)) -> Range<u64> {
    let begin = |number: u64| (u128::from(things) * u128::from(number)).div_ceil(u128::from(shares.max(1))) as u64;
    begin(number)..begin(number + 1)
}

/// A part of an input.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    All,
    Nothing,
    Elements(Range<u64>),
}

impl Piece {
    fn of(elements: Range<u64>) -> Piece {
        if elements.is_empty() { Piece::Nothing } else { Piece::Elements(elements) }
    }
}

impl Inputs {
    /// The share of process `number` among so many, which are cut with files `beside` them; an empty one still says its type and shape.
    pub fn share(mut self, place: (u64, u64), cut: Cut, beside: &[Inputs]) -> Result<Inputs> {
        let lengths = |inputs: &[Input]| inputs.iter().map(Input::cuttable).collect::<Option<Vec<u64>>>();
        let known = lengths(&self.inputs).filter(|_| beside.iter().all(|file| lengths(&file.inputs).is_some()));
        let cut_up = known.map_or(Ok(None), |lengths| self.cut(&lengths, place, cut, beside))?;
        let (pieces, own) = cut_up.unwrap_or_else(|| self.whole(place, cut));
        self.piece = own;
        let mut all: Vec<Input> = std::mem::take(&mut self.inputs);
        let kept = pieces.iter().filter(|piece| !matches!(piece, Piece::Nothing)).count();
        for (input, piece) in all.iter_mut().zip(&pieces) {
            input.take_piece(piece, cut);
        }
        let keep =
            |at: usize, piece: &Piece| cut == Cut::Pairs || !matches!(piece, Piece::Nothing) || kept == 0 && at == 0;
        let kept = all.into_iter().zip(&pieces).enumerate().filter(|(at, (_, piece))| keep(*at, piece));
        self.inputs = kept.map(|(_, (input, _))| input).collect();
        if let [only] = &self.inputs[..] {
            self.shown_by = only.name();
        }
        Ok(self)
    }

    /// Of numbers that stand beside the elements of others, those at the places of the others' share.
    pub fn beside(mut self, others: &Inputs) -> Inputs {
        self.inputs.iter_mut().for_each(|input| input.take_piece(&others.piece, Cut::Beside));
        self
    }

    /// Equal shares of the elements: the piece of each input, and of all as one; `None` where these inputs cannot be cut so.
    fn cut(
        &self,
        lengths: &[u64],
        place: (u64, u64),
        cut: Cut,
        beside: &[Inputs],
    ) -> Result<Option<(Vec<Piece>, Piece)>> {
        let Some((length, unit)) = self.units(lengths, cut) else { return Ok(None) };
        for file in beside {
            ensure_as_many(&file.names(), file.count().unwrap_or(0), &self.names(), length)?;
        }
        let Range { start, end } = dealt(length / unit, place);
        let (start, end) = (start * unit, end * unit);
        let mut before = 0;
        let piece = |&length: &u64| {
            let part = |at: u64| at.clamp(before, before + length) - before;
            let elements = part(start)..part(end);
            before += if cut == Cut::Pairs { 0 } else { length };
            Piece::of(elements)
        };
        Ok(Some((lengths.iter().map(piece).collect(), Piece::of(start..end))))
    }

    /// The elements that are cut, and how many stay together; `None` where these inputs cannot be cut so.
    fn units(&self, lengths: &[u64], cut: Cut) -> Option<(u64, u64)> {
        let all = lengths.iter().try_fold(0u64, |all, &length| all.checked_add(length))?;
        let (length, unit) = match (cut, lengths, self.only()) {
            (Cut::Rows(row), ..) => (all, row),
            (Cut::FirstAxis, _, Some(Opened { array: Some(array), .. })) => {
                (all, array.axes.get(1..)?.iter().product())
            }
            (Cut::Pairs, [x, y], _) if x == y => (*x, 1),
            (Cut::Beside, ..) => (all, 1),
            _ => return None,
        };
        (unit > 0 && length.is_multiple_of(unit)).then_some((length, unit))
    }

    /// Whole inputs: to one process each, or all to the first where they belong together.
    fn whole(&self, place: (u64, u64), cut: Cut) -> (Vec<Piece>, Piece) {
        let files = self.inputs.len() as u64;
        let mine = match cut {
            Cut::Rows(1) => dealt(files, place),
            _ if place.0 == 0 => 0..files,
            _ => 0..0,
        };
        let piece = |mine: bool| if mine { Piece::All } else { Piece::Nothing };
        ((0..files).map(|file| piece(mine.contains(&file))).collect(), piece(!mine.is_empty()))
    }
}

impl Input {
    /// Number of its elements, where any range of them can be read alone, in their order in C.
    fn cuttable(&self) -> Option<u64> {
        let Input::Ready(opened) = self else { return None };
        let ranges = matches!(opened.body, Body::File(_, _, Numbers::Range(_))) && opened.fortran().is_none();
        opened.count.filter(|_| ranges)
    }

    fn take_piece(&mut self, piece: &Piece, cut: Cut) {
        let nothing = 0..0;
        let elements = match piece {
            Piece::All => return,
            Piece::Nothing => &nothing,
            Piece::Elements(elements) => elements,
        };
        let nothing = || Body::Pipe(Box::new(std::io::empty()));
        let Input::Ready(opened) = self else { return };
        match &mut opened.body {
            Body::File(_, _, Numbers::Range(at)) if !elements.is_empty() => {
                *at += elements.start * opened.stored.size() as u64;
            }
            body => *body = nothing(),
        }
        let count = elements.end - elements.start;
        opened.count = Some(count);
        if let Some(array) = &mut opened.array {
            array.cut_to(count, cut);
        }
    }
}

impl Array {
    /// So many of its elements, in their order in C.
    fn cut_to(&mut self, count: u64, cut: Cut) {
        if cut == Cut::FirstAxis {
            let inner: u64 = self.axes.iter().skip(1).product();
            self.axes.iter_mut().take(1).for_each(|length| *length = count / inner.max(1));
        } else {
            self.axes = vec![count];
        }
        self.count = count;
        (self.fortran, self.fortran_order) = (None, self.fortran_order && count > 0);
    }
}
