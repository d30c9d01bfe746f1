//! The k best elements of each of many answers: a workgroup for an answer, which reads it twice, or once more for each digit of a rank.

use super::Tuning;
use super::axes::PASSES_MAX;
use super::windows::Lie;
use crate::error::{Error, Result};
use crate::input::{Dim, Piece, Strided};
use crate::limits::{Limits, TRIPS_MAX};
use std::ops::Range;

/// Invocations of a workgroup, where there may be so many; and of one that finds short answers.
const SIZE: u32 = 256;
const SHORT_SIZE: u32 = 32;
/// Elements of a short answer, at most.
pub(crate) const SHORT: u64 = 64;
/// Invocations below which nothing is planned.
const SIZE_MIN: u32 = 16;
/// Candidates that workgroup memory holds, at least: of few wanted elements.
const ROOM_MIN: u32 = 256;
/// Elements that an invocation has under way.
const LOADS: u32 = 4;
/// Storage buffers of the kernel.
const BUFFERS: u32 = 3;

/// Dimensions of answers and of their elements, at most, all together.
pub(crate) const DIMS_MAX: usize = 16;

/// All that the texts depend on besides the elements' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListRules {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Bits of a digit.
    pub bits: u32,
    /// Candidates that workgroup memory holds.
    pub room: u32,
    /// Elements that an invocation has under way.
    pub loads: u32,
    /// Bytes of a rank: 4 or 8.
    pub rank_bytes: u64,
    /// Elements that are wanted.
    pub wanted: u32,
    /// Elements of an answer, neighbours, of which the kernel tells anything.
    pub longest: u64,
    /// Bytes that a dispatch reads, where one answer does not take more.
    pub dispatch_bytes: u64,
}

/// What finds where an answer lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lies {
    /// Dimensions of the answers, then those of the elements of one.
    Strides {
        /// Of the answers, the outermost first.
        kept: Vec<Dim>,
        /// Of the elements of one.
        reduced: Vec<Dim>,
    },
    /// From one offset of a buffer to the next.
    Offsets {
        /// Bytes of the offsets that are bound.
        bytes: Range<u64>,
        /// The word of the first in them.
        word: u32,
    },
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPass {
    /// The buffer of the elements, by its number.
    pub buffer: usize,
    /// The bytes of it that are bound; none of no elements.
    pub bytes: Range<u64>,
    /// The first element, counted from there.
    pub first: u32,
    /// Answers, by their numbers.
    pub answers: Range<u64>,
    /// Elements of an answer; of segments those of the input.
    pub length: u64,
    /// Where answers lie.
    pub lies: Lies,
    /// Workgroups.
    pub workgroups: u32,
}

impl ListRules {
    /// For so many elements of each answer; `short`: of answers of few elements.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, tuning: &Tuning, wanted: u32, rank_bytes: u64, short: bool) -> Result<ListRules> {
        let small = |limit, value: u64, needs: u64| Err(Error::LimitTooSmall { limit, value, needs });
        if limits.storage_buffers_max < BUFFERS {
            let limit = "max_storage_buffers_per_shader_stage";
            return small(limit, limits.storage_buffers_max.into(), BUFFERS.into());
        }
        let room = if short { SHORT as u32 } else { wanted.next_power_of_two().max(ROOM_MIN) };
        // Candidates with their places; of each invocation a best one and a sum; counters of digits, no more than invocations; single words.
        let bytes = |size: u64| u64::from(room) * (rank_bytes + 4) + size * (rank_bytes + 8) + 64;
        let size = if short { SHORT_SIZE } else { SIZE };
        let mut size = 1 << size.min(limits.invocations_max).max(1).ilog2();
        while size > SIZE_MIN && bytes(size.into()) > limits.workgroup_bytes_max {
            size /= 2;
        }
        if size < SIZE_MIN {
            return small("max_compute_invocations_per_workgroup", size.into(), SIZE_MIN.into());
        }
        if bytes(size.into()) > limits.workgroup_bytes_max {
            let limit = "max_compute_workgroup_storage_size";
            return small(limit, limits.workgroup_bytes_max, bytes(size.into()));
        }
        let bits = if size >= 256 { 8 } else { 4 };
        let rules = ListRules {
            workgroup_size: size,
            bits,
            room,
            loads: LOADS,
            rank_bytes,
            wanted,
            longest: 0,
            dispatch_bytes: tuning.dispatch_bytes_max,
        };
        // The longest whose digits are found within the trips of an invocation.
        let (mut low, mut high) = (u64::from(room), 1 << 32);
        if rules.trips(low, (0, 0)) > TRIPS_MAX {
            return small("max_compute_invocations_per_workgroup", size.into(), 2 * u64::from(size));
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if rules.trips(middle, (0, 0)) > TRIPS_MAX { high = middle } else { low = middle }
        }
        Ok(ListRules { longest: if short { SHORT } else { low }, ..rules })
    }

    /// Loop trips of an invocation for an answer of so many elements, which lie by so many dimensions of answers and of elements.
    pub fn trips(&self, length: u64, (kept, reduced): (u64, u64)) -> u64 {
        let (size, room, loads) = (u64::from(self.workgroup_size), u64::from(self.room), u64::from(self.loads));
        let (some, place) = (length.min(room), 1 + reduced);
        let last = some.div_ceil(size) * (some + place) + u64::from(self.wanted).div_ceil(size);
        let read = length.div_ceil(size * loads) * (1 + loads * reduced);
        let fixed = 1 + kept + 2 * read + size + last;
        if length <= room {
            return fixed;
        }
        let (each, scan) = (length.div_ceil(size) * place, u64::from(self.workgroup_size.ilog2()) + 1);
        let digits = 8 * self.rank_bytes / u64::from(self.bits);
        fixed + digits * (4 + each + scan) + 2 * (each + scan) + length.div_ceil(size) * reduced
    }

    /// Loop trips of an invocation for an answer of a view.
    pub fn trips_of(&self, strided: &Strided) -> u64 {
        let reduced = if is_adjacent(&strided.reduced) { 0 } else { strided.reduced.len() as u64 };
        self.trips(strided.length(), (strided.kept.len() as u64, reduced))
    }

    /// Answers that one dispatch finds, at most, of so many trips and bytes each, read twice.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where no binding holds one.
    fn together(&self, limits: &Limits, trips: u64, read_bytes: u64, answer_bytes: u64) -> Result<u64> {
        let loops = (TRIPS_MAX / trips.max(1)).max(1);
        // A binding begins aligned, before the first of them.
        let bound = limits.binding_bytes_max.saturating_sub(limits.storage_alignment) / answer_bytes;
        if bound == 0 {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: answer_bytes + limits.storage_alignment });
        }
        let quick = (self.dispatch_bytes / read_bytes.saturating_mul(2).max(1)).max(1);
        Ok((u64::from(limits.workgroups_max.min(65_535)) * loops).min(bound).min(quick))
    }

    /// The dispatches of a view, whose answers have `answer_bytes` each in the output.
    ///
    /// # Errors
    /// [`Error::ViewTooScattered`], [`Error::LimitTooSmall`].
    pub fn strided(
        &self,
        limits: &Limits,
        pieces: &[Piece],
        strided: &Strided,
        (element_bytes, answer_bytes): (u64, u64),
    ) -> Result<Vec<ListPass>> {
        let (lie, mut passes) = (Lie::of(8 * element_bytes, limits), Vec::new());
        for (piece, strided, before) in parts(pieces, strided)? {
            let mut waiting = vec![(strided, before)];
            while let Some((part, first)) = waiting.pop() {
                if passes.len() + waiting.len() > PASSES_MAX {
                    return Err(Error::ViewTooScattered { most: PASSES_MAX });
                }
                let (answers, length) = (part.answers(), part.length());
                let (low, high) = part.span();
                let lowest = piece.first + low as u64;
                let bytes = if part.is_empty() { 0..0 } else { lie.bytes(lowest, (high - low) as u64 + 1) };
                let fits = bytes.end - bytes.start <= limits.binding_bytes_max;
                let together =
                    self.together(limits, self.trips_of(&part), length.saturating_mul(element_bytes), answer_bytes)?;
                if fits && answers <= together && part.kept.len() + part.reduced.len() <= DIMS_MAX {
                    passes.push(ListPass {
                        buffer: piece.buffer,
                        first: (lie.at(lowest) as i128 + i128::from(part.first) - low) as u32,
                        bytes,
                        answers: first..first + answers,
                        length,
                        lies: Lies::Strides { kept: part.kept, reduced: part.reduced },
                        workgroups: answers.min(limits.workgroups_max.min(65_535).into()) as u32,
                    });
                    continue;
                }
                let Some(&outermost) = part.kept.first().filter(|outermost| outermost.length > 1) else {
                    let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
                    return match fits {
                        true => Err(Error::ViewTooScattered { most: PASSES_MAX }),
                        false => Err(Error::LimitTooSmall { limit, value, needs: bytes.end - bytes.start }),
                    };
                };
                let half = outermost.length / 2;
                let before = answers / outermost.length * half;
                // The first half is the next.
                waiting.push((part.kept_part(half, outermost.length - half), first + before));
                waiting.push((part.kept_part(0, half), first));
            }
        }
        Ok(passes)
    }

    /// The dispatches of segments by offsets, which lie in the buffer behind those of the elements; the longest has `longest` elements.
    ///
    /// # Errors
    /// [`Error::ViewTooScattered`] of elements in several ranges, [`Error::LimitTooSmall`] of more than a binding holds.
    pub fn segments(
        &self,
        limits: &Limits,
        pieces: &[Piece],
        offsets: Piece,
        longest: u64,
        (element_bytes, answer_bytes): (u64, u64),
    ) -> Result<Vec<ListPass>> {
        let piece = match &there(pieces)[..] {
            [] => Piece::of(0, 0, 0),
            [piece] => *piece,
            _ => return Err(Error::ViewTooScattered { most: PASSES_MAX }),
        };
        let (lie, lie_of_offsets) = (Lie::of(8 * element_bytes, limits), Lie::of(32, limits));
        let bytes = if piece.elements == 0 { 0..0 } else { lie.bytes(piece.first, piece.elements) };
        if bytes.end - bytes.start > limits.binding_bytes_max {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: bytes.end - bytes.start });
        }
        let all = offsets.elements.saturating_sub(1);
        let bound = ((limits.binding_bytes_max - limits.storage_alignment) / 4).saturating_sub(1).max(1);
        // Those of a dispatch read what they are of on an average.
        let average = (piece.elements / all.max(1)).max(1) * element_bytes;
        let trips = self.trips(longest.min(self.longest), (0, 0));
        let together = self.together(limits, trips, average, answer_bytes)?.min(bound);
        let pass = |number: u64| {
            let answers = number * together..((number + 1) * together).min(all);
            let (from, many) = (offsets.first + answers.start, answers.end - answers.start);
            let of_offsets = lie_of_offsets.bytes(from, many + 1);
            ListPass {
                buffer: piece.buffer,
                bytes: bytes.clone(),
                first: lie.at(piece.first) as u32,
                length: piece.elements,
                lies: Lies::Offsets { word: lie_of_offsets.at(from) as u32, bytes: of_offsets },
                workgroups: many.min(limits.workgroups_max.min(65_535).into()) as u32,
                answers,
            }
        };
        Ok((0..all.div_ceil(together)).map(pass).collect())
    }
}

/// Whether neighbours in an answer are neighbours in the buffer.
pub(crate) fn is_adjacent(reduced: &[Dim]) -> bool {
    matches!(reduced, [] | [Dim { stride: 1, .. }])
}

/// The ranges that have elements.
fn there(pieces: &[Piece]) -> Vec<Piece> {
    pieces.iter().copied().filter(|piece| piece.elements > 0).collect()
}

/// A view by the ranges that hold whole answers: of rows each range has some, else one has all.
fn parts(pieces: &[Piece], strided: &Strided) -> Result<Vec<(Piece, Strided, u64)>> {
    let pieces = there(pieces);
    match (&pieces[..], strided.contiguous()) {
        ([], _) => Ok(vec![(Piece::of(0, 0, 0), strided.clone(), 0)]),
        ([piece], _) => Ok(vec![(*piece, strided.clone(), 0)]),
        (_, Some((0, length))) if pieces.iter().all(|piece| piece.elements.is_multiple_of(length)) => {
            let (mut before, answers) = (0, strided.answers());
            let part = |piece: &Piece| {
                let rows = (piece.elements / length).min(answers - before);
                before += rows;
                (*piece, Strided::rows(rows, length), before - rows)
            };
            Ok(pieces.iter().map(part).filter(|(_, rows, _)| rows.answers() > 0).collect())
        }
        _ => Err(Error::ViewTooScattered { most: PASSES_MAX }),
    }
}
