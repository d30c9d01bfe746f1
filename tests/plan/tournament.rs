//! Tournaments: every element once in the first round, the k best at the end, within every limit. The rounds are followed as the
//! kernels of shaders/top read and write.

use crate::cases::{BYTES_MAX, limits, some_limits};
use std::collections::BTreeMap;
use treefold::internals::{Limits, Piece, Rules, TRIPS_MAX, Tournament};
use treefold::{Error, Tuning};

const NOWHERE: (u32, u32) = (u32::MAX, u32::MAX);

/// A candidate: its rank, its start, and whether an element is there.
type Candidate = Option<(u32, (u32, u32))>;

/// The places of the best elements; `rank` is that of the element of this place in the whole input.
fn followed(plan: &Tournament, alignment: u64, rank: impl Fn(u64) -> u32) -> Vec<u64> {
    let mut list: Vec<(u32, (u32, u32))> = Vec::new();
    for (number, round) in plan.rounds.iter().enumerate() {
        let mut candidates: Vec<Option<Candidate>> = vec![None; round.candidates as usize];
        let mut read = BTreeMap::new();
        for (w, (window, &(tiles, at, workgroups))) in plan.windows.iter().zip(&round.passes).enumerate() {
            assert!(window.bytes.start.is_multiple_of(alignment));
            assert!(window.bytes.end - window.bytes.start <= plan.rules.window_bytes);
            assert!(
                (u64::from(window.first) + u64::from(window.elements)) * 4 <= window.bytes.end - window.bytes.start
            );
            let together = plan.rules.workgroup_size / round.lanes;
            assert!(round.lanes.is_power_of_two() && round.lanes <= plan.rules.workgroup_size);
            // Workgroups take so many tiles in turn.
            let mut taken = vec![false; tiles as usize];
            for workgroup in 0..workgroups {
                for before in (workgroup * together..tiles).step_by((workgroups * together) as usize) {
                    for tile in before..(before + together).min(tiles) {
                        assert!(!std::mem::replace(&mut taken[tile as usize], true), "tile {tile} twice");
                    }
                }
            }
            assert!(taken.into_iter().all(|taken| taken));
            for tile in 0..tiles {
                let (start, here) = match round.parts {
                    0 => (tile * round.size, true),
                    parts => {
                        let of = list[(tile / parts) as usize].1;
                        (of.1.wrapping_add(tile % parts * round.size), of.0 == w as u32)
                    }
                };
                if !here {
                    continue;
                }
                let count = window.elements.saturating_sub(start).min(round.size);
                let places = window.before + u64::from(start)..window.before + u64::from(start) + u64::from(count);
                places.clone().for_each(|place| *read.entry(place).or_insert(0) += 1);
                let lowest = places.clone().map(&rank).min();
                let start = if round.size == 1 {
                    (places.start as u32, (places.start >> 32) as u32)
                } else {
                    (w as u32, start)
                };
                let place = &mut candidates[(at + tile) as usize];
                assert!(place.is_none(), "a candidate is written twice");
                *place = Some(lowest.map(|lowest| (lowest, start)));
            }
        }
        assert!(read.values().all(|&times| times == 1), "an element is read twice in a round");
        if number == 0 {
            let all: u64 = plan.windows.iter().map(|window| u64::from(window.elements)).sum();
            assert_eq!(read.len() as u64, all, "every element in the first round");
        }
        let candidates: Vec<Candidate> =
            candidates.into_iter().map(|c| c.expect("a candidate that is not written")).collect();
        // A stable choice of the lowest, without those at which no element is.
        let mut order: Vec<usize> = (0..candidates.len()).filter(|&c| candidates[c].is_some()).collect();
        assert!(order.len() >= round.chosen as usize, "fewer candidates than are chosen");
        order.sort_by_key(|&c| candidates[c].expect("an element").0);
        order.truncate(round.chosen as usize);
        order.sort_unstable();
        list = order.into_iter().map(|c| candidates[c].expect("an element")).collect();
        assert!(list.iter().all(|&(_, start)| start != NOWHERE));
    }
    // The best first, of equal ones the first.
    list.sort_by_key(|&(rank, _)| rank);
    list.into_iter().map(|(_, (low, high))| u64::from(low) | u64::from(high) << 32).collect()
}

fn fitting(plan: &Tournament, limits: &Limits, k: u32) {
    let rules = &plan.rules;
    assert!(plan.trips <= TRIPS_MAX);
    assert!(rules.workgroup_size.max(rules.choose_size) <= limits.invocations_max);
    // Sums over invocations; counters of a digit, sums of those, what has been found.
    let choosing = u64::from(rules.choose_size) * 4 + 256 * 4 + 16 * 4 + 16;
    let tiles = u64::from(rules.workgroup_size) * rules.rank_bytes;
    assert!(choosing.max(tiles) <= limits.workgroup_bytes_max, "{rules:?} in {}", limits.workgroup_bytes_max);
    for round in &plan.rounds {
        assert!(round.passes.iter().all(|&(_, _, workgroups)| (1..=limits.workgroups_max).contains(&workgroups)));
        assert!(round.chosen <= k && round.chosen <= round.candidates);
        assert!(u64::from(round.candidates) * rules.rank_bytes <= plan.candidates.0);
        assert!(plan.candidates.1 + u64::from(round.candidates) * 8 <= plan.candidates.2);
    }
    assert!(plan.rounds.last().is_none_or(|round| round.size == 1 && round.chosen == plan.found));
    for (first, at, all) in [plan.candidates, plan.list] {
        assert!(first.max(all - at) <= limits.binding_bytes_max && first <= at);
    }
    assert!([plan.candidates.1, plan.list.1].iter().all(|at| at.is_multiple_of(limits.storage_alignment)));
}

#[test]
fn the_best_of_every_input() {
    let wide = limits(1 << 18, 256, None, 16384);
    let small = Limits { invocations_max: 16, workgroups_max: 3, ..limits(1 << 17, 32, None, 2048) };
    // Counters of a digit, sums of those, what has been found, sums of 64 invocations.
    let least = Limits { workgroup_bytes_max: 256 * 4 + 16 * 4 + 16 + 64 * 4, ..wide };
    let less = Limits { workgroup_bytes_max: 256, ..wide };
    assert!(matches!(Rules::of(&less, &Tuning::GPU, 4), Err(Error::LimitTooSmall { value: 256, needs: 1108, .. })));
    for limits in [wide, small, least] {
        let rules = Rules::of(&limits, &Tuning::GPU, 4).expect("rules");
        for k in [1, 2, 10, 100] {
            for cut in [&[0u64][..], &[1], &[3, 0, 700], &[5000, 1, 33_000], &[90_000, 20_000]] {
                let pieces: Vec<Piece> =
                    cut.iter().enumerate().map(|(b, &elements)| Piece::of(b, 3 * b as u64, elements)).collect();
                let n: u64 = cut.iter().sum();
                let plan = match Tournament::of(&limits, rules, &pieces, 4, k) {
                    Err(Error::LimitTooSmall { limit: "max_compute_invocations_per_workgroup", value, needs }) => {
                        assert!(limits.invocations_max == 16 && needs > value, "{k} {cut:?}");
                        continue;
                    }
                    plan => plan.expect("a plan"),
                };
                fitting(&plan, &limits, k);
                for rank in [
                    (|place| (place.wrapping_mul(0x9e37_79b9) >> 7) as u32 % 1000) as fn(u64) -> u32,
                    |place| place as u32,
                    |place| !(place as u32),
                    |_| u32::MAX,
                    |place| if place.is_multiple_of(3) { u32::MAX } else { u32::MAX - 1 },
                ] {
                    let mut want: Vec<u64> = (0..n).collect();
                    want.sort_by_key(|&place| rank(place));
                    want.truncate(k as usize);
                    assert_eq!(followed(&plan, limits.storage_alignment, rank), want, "{k} {cut:?}");
                    assert_eq!(u64::from(plan.found), n.min(k.into()));
                }
            }
        }
    }
}

#[test]
fn limits_are_kept() {
    let large = limits(BYTES_MAX, 256, None, 16384);
    for rank_bytes in [4, 8] {
        let rules = Rules::of(&large, &Tuning::NVIDIA, rank_bytes).expect("rules");
        for k in [1, 10, 1024] {
            for n in [1, 1 << 14, (1 << 14) + 1, 1 << 28, (1 << 36) + 5] {
                let plan = Tournament::of(&large, rules, &[Piece::of(0, 7, n)], rank_bytes, k).expect("a plan");
                fitting(&plan, &large, k);
                let all: u64 = plan.windows.iter().map(|window| u64::from(window.elements)).sum();
                assert_eq!(all, n);
                assert!(plan.rounds.len() < 12 && plan.rounds[0].candidates <= 1 << 14);
                assert!(plan.rounds.windows(2).all(|pair| pair[1].size < pair[0].size));
            }
        }
    }
    for limits in some_limits() {
        let Ok(rules) = Rules::of(&limits, &Tuning::GPU, 8) else { continue };
        if let Ok(plan) = Tournament::of(&limits, rules, &[Piece::of(0, 0, 3000)], 8, 5) {
            fitting(&plan, &limits, 5);
        }
    }
    let rules = Rules::of(&large, &Tuning::NVIDIA, 4).expect("rules");
    let few = Limits { storage_buffers_max: 3, ..large };
    assert!(matches!(Rules::of(&few, &Tuning::GPU, 4), Err(Error::LimitTooSmall { needs: 4, .. })));
    let parts: Vec<Piece> = (0..20_000).map(|part| Piece::of(0, part, 1)).collect();
    let plan = Tournament::of(&large, rules, &parts, 4, 5).expect("a plan of many parts");
    fitting(&plan, &large, 5);
    assert_eq!((plan.rounds[0].candidates, plan.rounds.len()), (20_000, 1));
}
