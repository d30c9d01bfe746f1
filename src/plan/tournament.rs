//! The k best elements: rounds of tiles, of which only those with the best elements go on.

use super::edge::{EDGE_BYTES, taking_trips};
use super::windows::windows;
use super::{Resource, Tuning};
use crate::error::{Error, Result};
use crate::input::Piece;
use crate::limits::{Limits, TRIPS_MAX};
use std::ops::Range;

/// Invocations of a workgroup, where there may be so many; and of the one that chooses.
const SIZE: u32 = 256;
/// Of 2^28 f32 on an H200 (`treefold bench 'top(10)' --size 2^28`, with these changed) the best 10 of one run take 309 µs, with
/// 256 or 1024 invocations 319, 316; with 2048, 8192 or 16,384 candidates 321, 319, 358; the best 100 among 4096, 8192, 16,384 with 1024
/// take 371, 354, 373. All digits of a rank were looked for then; of those that differ alone, and without guards against endless loops, they take
/// 286 and 313.
const CHOOSE_SIZE: u32 = 512;
/// Candidates among which one workgroup chooses, where few are wanted and where many are; and at most, where tiles of those would be long.
const CANDIDATES: [u64; 3] = [1 << 12, 1 << 13, 1 << 14];
/// The most that are few.
const FEW: u32 = 32;
/// Elements of a tile that is long. Half and twice as many differ by less than 1 percent in that run.
const LONG: u64 = 1 << 17;
/// Candidates for each invocation of that workgroup, at most. Half as many differ by less than 1 percent.
const CANDIDATES_EACH: u64 = 64;
/// Storage buffers of the pass that has most.
const BUFFERS: u32 = 4;

/// All that the texts of a tournament depend on besides the elements' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Invocations of the workgroup that chooses.
    pub choose_size: u32,
    /// Elements that an invocation has under way.
    pub loads: u32,
    /// Bytes of a rank: 4 or 8.
    pub rank_bytes: u64,
    /// Candidates among which one workgroup chooses, unless the input has more parts.
    pub candidates: u64,
    /// Bytes that a dispatch reads at most.
    pub window_bytes: u64,
}

/// Elements of one binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrants {
    /// The buffer, by its number.
    pub buffer: usize,
    /// The bytes of it that are bound.
    pub bytes: Range<u64>,
    /// The first element, counted from there.
    pub first: u32,
    /// Elements.
    pub elements: u32,
    /// Elements of the input before these.
    pub before: u64,
}

/// The best of tiles of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Elements of a tile, a power of two.
    pub size: u32,
    /// Invocations that share one.
    pub lanes: u32,
    /// Tiles of each one that the round before has chosen; 0 in the first round, where they are those of the windows.
    pub parts: u32,
    /// For each window: its tiles, or in later rounds those of all; the place of the first among the candidates; workgroups.
    pub passes: Vec<(u32, u32, u32)>,
    /// Candidates, those at which no element is included.
    pub candidates: u32,
    /// Number of candidates that go on.
    pub chosen: u32,
}

/// The k best elements of an input: the best of each tile, the k best of these, and so on within their tiles, down to single elements.
///
/// All that holds one of the k best elements is among the k tiles with the best ones, so that no other needs a second look; what is read
/// behind the first round is little, whatever the order of the elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tournament {
    /// The rules that the texts depend on.
    pub rules: Rules,
    /// The windows of the input, in the order of its elements.
    pub windows: Vec<Entrants>,
    /// The rounds; none of an empty input.
    pub rounds: Vec<Round>,
    /// Elements that are found.
    pub found: u32,
    /// Bytes of the candidates' ranks, and where their starts begin behind them, aligned; all of it.
    pub candidates: (u64, u64, u64),
    /// The same of the list of those that go on: starts, and where their ranks begin.
    pub list: (u64, u64, u64),
    /// Loop trips of the busiest invocation.
    pub trips: u64,
}

impl Rules {
    /// Workgroups that bring so many elements in their order.
    pub fn ordering(&self, room: u32) -> u32 {
        room.div_ceil(self.workgroup_size).max(1)
    }

    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, tuning: &Tuning, rank_bytes: u64) -> Result<Rules> {
        if limits.storage_buffers_max < BUFFERS {
            let (limit, value) = ("max_storage_buffers_per_shader_stage", limits.storage_buffers_max.into());
            return Err(Error::LimitTooSmall { limit, value, needs: BUFFERS.into() });
        }
        let memory = limits.workgroup_bytes_max;
        if memory < EDGE_BYTES + 4 {
            let limit = "max_compute_workgroup_storage_size";
            return Err(Error::LimitTooSmall { limit, value: memory, needs: EDGE_BYTES + 4 });
        }
        // A rank for each invocation of a tile; of those that choose a sum beside what finds the edge.
        let fitting = |size: u32, room: u64| {
            let room = room.clamp(1, size.into()) as u32;
            1u32 << room.min(limits.invocations_max).max(1).ilog2()
        };
        let workgroup_size = fitting(SIZE, memory / rank_bytes);
        let choose_size = fitting(CHOOSE_SIZE, (memory - EDGE_BYTES) / 4);
        // Each has a start of 8 bytes.
        let candidates = CANDIDATES[2].min(CANDIDATES_EACH * u64::from(choose_size)).min(limits.binding_bytes_max / 8);
        let window_bytes = limits.binding_bytes_max.min(tuning.dispatch_bytes_max).max(2 * limits.storage_alignment);
        let loads = if rank_bytes == 8 { 8 } else { 16 };
        Ok(Rules { workgroup_size, choose_size, loads, rank_bytes, candidates, window_bytes })
    }

    /// Loop trips of choosing among so many.
    fn choosing(&self, candidates: u64) -> u64 {
        taking_trips(self.choose_size, self.rank_bytes, candidates.div_ceil(self.choose_size.into()))
    }
}

impl Tournament {
    /// The best `k` of some pieces, whose elements have so many bytes.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, rules: Rules, pieces: &[Piece], element_bytes: u64, k: u32) -> Result<Tournament> {
        let (mut entrants, mut before) = (Vec::new(), 0);
        let short = Limits { binding_bytes_max: rules.window_bytes, ..*limits };
        for window in windows(pieces, &short, element_bytes) {
            if let Some(Resource::Input { buffer, bytes }) = window.bindings.get(1).map(|binding| &binding.resource) {
                let (first, elements) = (window.first as u32, window.elements as u32);
                entrants.push(Entrants { buffer: *buffer, bytes: bytes.clone(), first, elements, before });
            }
            before += window.elements;
        }
        let elements: u64 = entrants.iter().map(|window| u64::from(window.elements)).sum();
        let enough = CANDIDATES[usize::from(k > FEW)].max(elements / LONG);
        let most = rules.candidates.min(enough);
        let small = |limit, value: u64, needs: u64| Err(Error::LimitTooSmall { limit, value, needs });
        // Each round at least halves the tiles of k.
        let wanted = 2 * u64::from(k);
        if most < wanted && limits.binding_bytes_max / 8 < wanted {
            return small("max_storage_buffer_binding_size", limits.binding_bytes_max, 8 * wanted);
        }
        if most < wanted {
            let (value, needs) = (limits.invocations_max.into(), wanted.div_ceil(CANDIDATES_EACH));
            return small("max_compute_invocations_per_workgroup", value, needs);
        }
        // Each window has a tile at least.
        let most_tiles = most.max(entrants.len() as u64);
        let tiles = |size: u64| entrants.iter().map(|window| u64::from(window.elements).div_ceil(size)).sum::<u64>();
        let mut size = 1u64;
        while tiles(size) > most_tiles {
            size *= 2;
        }
        let (mut rounds, mut trips) = (Vec::<Round>::new(), u64::from(k));
        let workgroups_max = u64::from(limits.workgroups().max(1));
        while !entrants.is_empty() {
            let parts = rounds.last().map_or(0, |before| before.size / size as u32);
            let listed = rounds.last().map(|before| u64::from(before.chosen * parts));
            let lanes = (size / u64::from(rules.loads)).clamp(1, rules.workgroup_size.into());
            let together = u64::from(rules.workgroup_size) / lanes;
            let (mut passes, mut at) = (Vec::new(), 0);
            for window in &entrants {
                let tiles = listed.unwrap_or(u64::from(window.elements).div_ceil(size));
                let workgroups = tiles.div_ceil(together).min(workgroups_max);
                let tile = size.div_ceil(lanes * u64::from(rules.loads)) + u64::from(lanes.ilog2()) + 2;
                trips = trips.max(tiles.div_ceil(together * workgroups) * tile);
                passes.push((tiles as u32, at as u32, workgroups as u32));
                at += if listed.is_some() { 0 } else { tiles };
            }
            let candidates = listed.unwrap_or(at);
            trips = trips.max(rules.choosing(candidates));
            let chosen = tiles(size).min(k.into()) as u32;
            let (lanes, candidates) = (lanes as u32, candidates as u32);
            rounds.push(Round { size: size as u32, lanes, parts, passes, candidates, chosen });
            if size == 1 {
                break;
            }
            let mut next = 1;
            while u64::from(chosen) * (size / next) > most {
                next *= 2;
            }
            size = next;
        }
        if trips > TRIPS_MAX {
            let (value, size) = (limits.invocations_max.into(), u64::from(rules.workgroup_size));
            return small(
                "max_compute_invocations_per_workgroup",
                value,
                (2 * size).max(trips.div_ceil(TRIPS_MAX) * size),
            );
        }
        let regions = |count: u64, bytes: [u64; 2]| {
            let [first, second] = bytes.map(|bytes| count.max(1) * bytes);
            let at = first.next_multiple_of(limits.storage_alignment);
            (first, at, at + second)
        };
        let candidates = rounds.iter().map(|round| round.candidates).max().unwrap_or(0);
        let candidates = regions(candidates.into(), [rules.rank_bytes, 8]);
        let list = regions(k.into(), [8, rules.rank_bytes]);
        let needs = [candidates, list].into_iter().map(|(first, at, all)| first.max(all - at)).max().unwrap_or(0);
        if needs > limits.binding_bytes_max {
            return small("max_storage_buffer_binding_size", limits.binding_bytes_max, needs);
        }
        let found = rounds.last().map_or(0, |round| round.chosen);
        Ok(Tournament { rules, windows: entrants, rounds, found, candidates, list, trips })
    }
}
