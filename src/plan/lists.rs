//! The k best elements of each of many answers: a team of invocations for an answer, which reads it once, and again where it rises.

use super::Tuning;
use super::axes::PASSES_MAX;
use super::digits::DigitRules;
use super::edge::{EDGE_BYTES, edge_trips, sort_trips};
use super::teams::{ALL, FEW, SHORT, SIZE, TEAMS, long_room};
use super::windows::Lie;
use crate::error::{Error, Result};
use crate::input::{Dim, Piece, Strided};
use crate::limits::{Limits, TRIPS_MAX};
use std::ops::Range;

/// Invocations below which nothing is planned.
const SIZE_MIN: u32 = 16;
/// Candidates of a team, at least.
const ROOM_MIN: u32 = 64;
/// Eighths of what has been read that are read within one bound, at most: lists are short then, of few wanted elements.
const MORE: u32 = 16;
/// Storage buffers of the kernel.
const BUFFERS: u32 = 3;

/// Dimensions of answers and of their elements, at most, all together.
pub(crate) const DIMS_MAX: usize = 16;

/// What puts the list of a team in order, of which it is cut to what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Each candidate is compared with all others.
    Pairs,
    /// It is cut by digits of ranks, and sorted in the end.
    Digits,
}

/// All that the texts depend on besides the elements' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListRules {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Invocations of a team, which finds an answer.
    pub team: u32,
    /// Candidates of a team that workgroup memory holds.
    pub room: u32,
    /// Elements that an invocation has under way.
    pub loads: u32,
    /// Groups of a team whose best elements give a bound; 0: none.
    pub groups: u32,
    /// Elements of the first stretch.
    pub first: u32,
    /// Eighths of what has been read that are read within one bound; 0: all that is left, where the room is hardly more than is wanted.
    pub more: u32,
    /// Room for what a list is cut to, where candidates are compared with each other.
    pub kept: u32,
    /// How a list is put in order.
    pub cut: Cut,
    /// Bytes of a rank: 4 or 8.
    pub rank_bytes: u64,
    /// Elements that are wanted.
    pub wanted: u32,
    /// Elements of an answer, neighbours, of which the kernel tells anything.
    pub longest: u64,
    /// What finds answers whose lists had no room; none of answers that have room whatever they hold.
    pub digits: Option<DigitRules>,
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
    /// Workgroups that look for answers whose lists had no room, and the answers of each; 0 where none is as long as that.
    pub digits: (u32, u32),
}

impl ListRules {
    /// For so many elements of each answer, by teams of a kind, where a workgroup may have as many invocations.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, tuning: &Tuning, wanted: u32, rank_bytes: u64, kind: usize) -> Result<ListRules> {
        let small = |limit, value: u64, needs: u64| Err(Error::LimitTooSmall { limit, value, needs });
        if limits.storage_buffers_max < BUFFERS {
            let limit = "max_storage_buffers_per_shader_stage";
            return small(limit, limits.storage_buffers_max.into(), BUFFERS.into());
        }
        let team = TEAMS[kind.min(TEAMS.len() - 1)];
        let short = kind == ALL;
        let cut = match wanted {
            _ if short => Cut::Pairs,
            ..=FEW => Cut::Pairs,
            _ => Cut::Digits,
        };
        let most = 1 << SIZE.min(limits.invocations_max).max(1).ilog2();
        if most < SIZE_MIN {
            return small("max_compute_invocations_per_workgroup", most.into(), SIZE_MIN.into());
        }
        let size = if cut == Cut::Pairs { team.workgroup } else { team.invocations };
        let mut rules = ListRules {
            workgroup_size: size.min(most),
            team: team.invocations.min(most),
            room: 0,
            loads: 0,
            groups: 0,
            first: 0,
            more: 0,
            kept: if short { SHORT as u32 } else { wanted.next_power_of_two() },
            cut,
            rank_bytes,
            wanted,
            longest: 0,
            digits: if short { None } else { Some(DigitRules::of(limits, wanted, rank_bytes)?) },
            dispatch_bytes: tuning.dispatch_bytes_max,
        };
        rules.room = match cut {
            _ if short => SHORT as u32,
            Cut::Pairs => (4 * rules.kept).max(rules.team).max(ROOM_MIN),
            Cut::Digits => long_room(wanted),
        };
        let least = |rules: &ListRules| if short { SHORT as u32 } else { rules.kept.max(rules.team) };
        while rules.bytes() > limits.workgroup_bytes_max {
            match () {
                () if rules.workgroup_size > rules.team.max(SIZE_MIN) => rules.workgroup_size /= 2,
                () if rules.room > least(&rules) => rules.room /= 2,
                () if rules.team > SIZE_MIN => {
                    (rules.team, rules.workgroup_size) = (rules.team / 2, rules.team / 2);
                }
                () => {
                    let limit = "max_compute_workgroup_storage_size";
                    return small(limit, limits.workgroup_bytes_max, rules.bytes());
                }
            }
        }
        rules.groups = if short || cut != Cut::Pairs { 0 } else { rules.bounding() };
        rules.loads = team.loads;
        rules.first = if rules.groups == 0 { rules.room } else { rules.team * rules.loads };
        // Three fifths of the room are for those that are expected, as many as are wanted in each stretch as long as what has been read.
        let expected = 8 * u64::from(rules.room - rules.wanted.min(rules.room)) * 3 / 5;
        rules.more = match (expected / u64::from(wanted.max(1))) as u32 {
            0..2 => 0,
            more => more.min(MORE),
        };
        let size = rules.workgroup_size;
        // The longest that is found within the trips of an invocation.
        let (mut low, mut high) = (u64::from(rules.room), 1 << 32);
        if rules.trips(low, (0, 0)) > TRIPS_MAX {
            return small("max_compute_invocations_per_workgroup", size.into(), 2 * u64::from(size));
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if rules.trips(middle, (0, 0)) > TRIPS_MAX { high = middle } else { low = middle }
        }
        rules.longest = if short { SHORT } else { low };
        Ok(rules)
    }

    /// Teams of a workgroup.
    pub fn teams(&self) -> u32 {
        self.workgroup_size / self.team
    }

    /// Groups whose bests give a bound, some times as many as are wanted; 0 where a team has fewer invocations.
    fn bounding(&self) -> u32 {
        let groups = (2 * self.wanted).next_power_of_two().max(8);
        if groups <= self.team { groups } else { 0 }
    }

    /// Bytes of workgroup memory: candidates with their places, a best one of each invocation or counters of digits, single words.
    fn bytes(&self) -> u64 {
        let (size, teams) = (u64::from(self.workgroup_size), u64::from(self.teams()));
        // With alignment.
        let entry = 2 * self.rank_bytes;
        let single = match self.cut {
            Cut::Pairs => (teams * u64::from(self.kept) + size + teams) * entry,
            Cut::Digits => EDGE_BYTES,
        };
        teams * u64::from(self.room) * (self.rank_bytes + 4) + single + 4 * teams + 128
    }

    /// Loop trips of an invocation for an answer of so many elements, which lie by so many dimensions of answers and of elements besides the
    /// outermost.
    pub fn trips(&self, length: u64, (kept, reduced): (u64, u64)) -> u64 {
        // Nobody has trips for so many.
        if length > 1 << 40 {
            return u64::MAX;
        }
        let [team, room, loads, groups] = [self.team, self.room, self.loads, self.groups].map(u64::from);
        let (together, place) = (team * loads, 1 + reduced);
        let bound = team.checked_div(groups).map_or(0, |each| each + groups);
        let edge = |each: u64| edge_trips(self.workgroup_size, self.rank_bytes, each);
        let each = room.div_ceil(team);
        let (cut, finish) = match self.cut {
            Cut::Pairs => {
                let cut = each * (1 + room.div_ceil(4)) + u64::from(self.kept).div_ceil(team);
                (cut, cut)
            }
            Cut::Digits => (edge(each), edge(each) + sort_trips(self.team, self.room)),
        };
        let read = |elements: u64| elements.div_ceil(together) * (1 + loads * reduced);
        let (mut seen, mut stretches) = (0, 0);
        while seen < length {
            let next = match (seen, self.more) {
                (0, _) => self.first.into(),
                (_, 0) => length,
                (_, more) => seen + seen / 8 * u64::from(more),
            };
            stretches += 1 + read(next.min(length) - seen) + if seen > 0 { cut } else { 0 };
            seen = next;
        }
        let left = u64::from(self.wanted).div_ceil(team) * place;
        let once = 1 + kept + loads * reduced + bound + stretches + finish + left;
        if length <= room {
            return once;
        }
        (once + 2 + bound + read(length)).max(self.digit_trips(length, (kept, reduced)))
    }

    /// Those where its list had no room.
    fn digit_trips(&self, length: u64, dims: (u64, u64)) -> u64 {
        self.digits.map_or(0, |digits| digits.trips(self.wanted, self.rank_bytes, length, dims))
    }

    /// Loop trips of an invocation for an answer of a view.
    pub fn trips_of(&self, strided: &Strided) -> u64 {
        self.trips(strided.length(), dims_of(strided))
    }

    /// Answers that one dispatch finds, at most, of so many trips and bytes each, read twice where they rise. Those that are found digit by digit
    /// besides take longer.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where no binding holds one.
    fn together(&self, limits: &Limits, trips: u64, read_bytes: u64, answer_bytes: u64) -> Result<u64> {
        let loops = (TRIPS_MAX / trips.max(1)).max(1);
        let by_digits = self.digits.map_or(u64::MAX, |digits| digits.together(limits, trips));
        // A binding begins aligned, before the first of them.
        let bound = limits.binding_bytes_max.saturating_sub(limits.storage_alignment) / answer_bytes;
        if bound == 0 {
            let (limit, value) = ("max_storage_buffer_binding_size", limits.binding_bytes_max);
            return Err(Error::LimitTooSmall { limit, value, needs: answer_bytes + limits.storage_alignment });
        }
        let quick = (self.dispatch_bytes / read_bytes.saturating_mul(2).max(1)).max(1);
        Ok((u64::from(limits.workgroups()) * u64::from(self.teams()) * loops).min(bound).min(quick).min(by_digits))
    }

    /// Workgroups for so many answers.
    fn workgroups(&self, limits: &Limits, answers: u64) -> u32 {
        answers.div_ceil(self.teams().into()).min(u64::from(limits.workgroups())) as u32
    }

    /// Workgroups that look for answers without a list among so many, of so many elements at most, and the answers of each.
    fn digit_workgroups(&self, limits: &Limits, answers: u64, length: u64, trips: u64) -> (u32, u32) {
        let digits = self.digits.filter(|_| length > self.room.into());
        digits.map_or((0, 0), |digits| digits.workgroups(limits, answers, trips))
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
                let trips = self.trips_of(&part);
                let together = self.together(limits, trips, length.saturating_mul(element_bytes), answer_bytes)?;
                if fits && answers <= together && part.kept.len() + part.reduced.len() <= DIMS_MAX {
                    passes.push(ListPass {
                        buffer: piece.buffer,
                        first: (lie.at(lowest) as i128 + i128::from(part.first) - low) as u32,
                        bytes,
                        answers: first..first + answers,
                        length,
                        lies: Lies::Strides { kept: part.kept, reduced: part.reduced },
                        workgroups: self.workgroups(limits, answers),
                        digits: self.digit_workgroups(limits, answers, length, trips),
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
                workgroups: self.workgroups(limits, many),
                digits: self.digit_workgroups(limits, many, longest, trips),
                answers,
            }
        };
        Ok((0..all.div_ceil(together)).map(pass).collect())
    }
}

/// Dimensions of answers and of elements besides the outermost, which is what is left of an index.
fn dims_of(strided: &Strided) -> (u64, u64) {
    let within = |dims: &[Dim]| (dims.len() as u64).saturating_sub(1);
    (within(&strided.kept), if is_adjacent(&strided.reduced) { 0 } else { within(&strided.reduced) })
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
