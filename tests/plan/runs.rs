//! Runs of equal keys: the three passes, followed on the host by their launch.

use crate::cases::{BYTES_MAX, limits, some_limits};
use treefold::Error;
use treefold::internals::{Limits, Runs, TRIPS_MAX};

/// The outputs of the passes: offsets and keys in so much room, and the number of runs.
fn followed(plan: &Runs, keys: &[u64], room: usize) -> (Vec<Option<usize>>, Vec<Option<u64>>, usize) {
    let (size, tiles) = (plan.workgroup_size as usize, plan.tiles as usize);
    let mut bits = vec![None; (plan.bits_bytes / 4) as usize];
    let mut counts = vec![None; ((plan.scratch_bytes - plan.counts_at) / 4) as usize];
    let (mut offsets, mut found) = (vec![None; room + 1], vec![None; room]);
    for workgroup in 0..plan.workgroups as usize {
        for tile in (workgroup..tiles).step_by(plan.workgroups as usize) {
            let mut marks = vec![0u32; size];
            for here in 0..32 * size {
                let i = tile * 32 * size + here;
                if i < keys.len() && (i == 0 || keys[i] != keys[i - 1]) {
                    marks[here / 32] |= 1 << (here % 32);
                }
            }
            let number = marks.iter().map(|mark| mark.count_ones() as usize).sum::<usize>();
            assert!(counts[tile].replace(number).is_none(), "tile {tile} is counted twice");
            for (local, mark) in marks.into_iter().enumerate() {
                assert!(bits[tile * size + local].replace(mark).is_none(), "a word is written twice");
            }
        }
    }
    let scan = plan.scan_size as usize;
    let each = tiles.div_ceil(scan);
    let mut before = 0;
    for local in 0..scan {
        for count in &mut counts[(local * each).min(tiles)..((local + 1) * each).min(tiles)] {
            before += count.replace(before).expect("a tile that is not counted");
        }
    }
    if before <= room {
        offsets[before] = Some(keys.len());
    }
    for (tile, count) in counts.iter().enumerate().take(tiles) {
        let mut run = count.expect("a count");
        for local in 0..size {
            let word = tile * size + local;
            for bit in (0..32).filter(|bit| bits[word].expect("a word") >> bit & 1 == 1) {
                let i = word * 32 + bit;
                if run <= room {
                    assert!(offsets[run].replace(i).is_none(), "offset {run} is written twice");
                }
                if run < room {
                    assert!(found[run].replace(keys[i]).is_none(), "key {run} is written twice");
                }
                run += 1;
            }
        }
    }
    (offsets, found, before)
}

#[test]
fn every_run_once() {
    for limits in some_limits() {
        let limits = Limits { binding_bytes_max: BYTES_MAX, storage_buffers_max: 8, ..limits };
        for n in [0, 1, 2, 31, 32, 33, 511, 512, 513, 5000, 20_000] {
            for length in [1, 2, 7, 100, 9000] {
                let keys: Vec<u64> = (0..n).map(|i| (i / length * 7 % 5) as u64).collect();
                let plan = Runs::of(&limits, n as u64, 8).expect("a plan");
                assert!(plan.workgroup_size <= limits.invocations_max && plan.trips <= TRIPS_MAX);
                assert!(
                    u64::from(9 * plan.workgroup_size).max(u64::from(plan.scan_size)) * 4 <= limits.workgroup_bytes_max
                );
                assert!(plan.scan_size <= limits.invocations_max);
                assert!((1..=limits.workgroups_max).contains(&plan.workgroups));
                assert!(plan.counts_at.is_multiple_of(limits.storage_alignment));
                let want: Vec<usize> = (0..n).filter(|&i| i == 0 || keys[i] != keys[i - 1]).collect();
                for room in [want.len(), want.len() + 3, want.len().saturating_sub(2)] {
                    let (offsets, found, number) = followed(&plan, &keys, room);
                    assert_eq!(number, want.len());
                    let there = number.min(room);
                    let all: Vec<usize> = want.iter().copied().chain([n]).collect();
                    let got: Vec<Option<usize>> = all[..=there].iter().copied().map(Some).collect();
                    assert_eq!(offsets[..=there], got);
                    assert_eq!(found[..there], want[..there].iter().map(|&i| Some(keys[i])).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn limits_are_kept() {
    let large = limits(BYTES_MAX, 256, None, 16384);
    let plan = Runs::of(&large, (1 << 29) - 300, 4).expect("a plan");
    assert!(plan.workgroups <= 65_535 && plan.trips <= TRIPS_MAX && plan.tiles == 1 << 16);
    let tested: [(Limits, u64, &str); 3] = [
        (large, 1 << 29, "max_storage_buffer_binding_size"),
        (Limits { storage_buffers_max: 4, ..large }, 9, "max_storage_buffers_per_shader_stage"),
        (Limits { invocations_max: 4, ..large }, 1 << 28, "max_compute_invocations_per_workgroup"),
    ];
    for (limits, keys, limit) in tested {
        match Runs::of(&limits, keys, 4) {
            Err(Error::LimitTooSmall { limit: found, value, needs }) => assert!(found == limit && needs > value),
            other => panic!("{other:?}"),
        }
    }
}
