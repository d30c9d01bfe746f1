//! Teams of invocations that find the best elements of an answer: how many they are, by what is wanted of how long answers.

/// Invocations that find an answer together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamShape {
    /// Of the team.
    pub invocations: u32,
    /// Of a workgroup, where one may have as many and teams are several; those wait for each other.
    pub workgroup: u32,
    /// Elements that each has under way.
    pub loads: u32,
}

/// Teams of each kind: of short answers of which many elements are wanted, of short ones, of middling ones; of answers across each other; of
/// those of which many are wanted; of long ones.
///
/// Of 2^26 f32 on an H200 (`treefold bench 'top(10)' --shape 262144x256,16384x4096,4096x16384 --axis 1 --adapter 0`, and `--shape 4096x16384 --axis 0`,
/// with these changed, with guards against endless loops, which take up to a tenth more) rows of 256 take 407 µs by 32 invocations with 8 loads,
/// 682 with 2; rows of 4096 144 by 128, 150 by 64, 147 by two times 32 in a workgroup; rows of 16,384 97, 100, 112 by 128, 64, 256; columns of
/// 4096 470 by four times 64 in a workgroup, 543 by eight times 32, 907 by 64 alone. The best 100, without guards, of rows of 4096 441 by 64,
/// 518 by 128, of rows of 16,384 249, 345; of 2^28 in rows of 65,536 552, 968, 504 by 64, 128, 256.
pub const TEAMS: [TeamShape; 7] = [
    TeamShape { invocations: 16, workgroup: 64, loads: 4 },
    TeamShape { invocations: 32, workgroup: 64, loads: 2 },
    TeamShape { invocations: 32, workgroup: 64, loads: 8 },
    TeamShape { invocations: 64, workgroup: 256, loads: 8 },
    TeamShape { invocations: 64, workgroup: 64, loads: 16 },
    TeamShape { invocations: 128, workgroup: 128, loads: 16 },
    TeamShape { invocations: 256, workgroup: 256, loads: 16 },
];
/// Places in it: of short answers that are wholly in the list; of those of which few elements are wanted; of those across each other, of which
/// few are wanted; of those of which many are; the first of long ones; the largest.
pub(super) const ALL: usize = 0;
const SMALL: usize = 1;
const ACROSS: usize = 3;
const MANY: usize = 4;
const LONG: usize = 5;
const LARGEST: usize = TEAMS.len() - 1;
/// Elements of a short answer, and of a middling one, at most.
pub(super) const SHORT: u64 = 64;
const MIDDLING: u64 = 2047;
/// Invocations of a workgroup, at most.
pub(super) const SIZE: u32 = 256;
/// Wanted elements that are few: each candidate is compared with all others. The list of more is cut by digits.
pub(super) const FEW: u32 = 32;
/// Candidates to an invocation, where many elements are wanted.
const CANDIDATES: u32 = 8;
/// Elements of an invocation, at least, of teams that are larger than they have to be; and where many are wanted.
const EACH: u64 = 1024;
const EACH_OF_MANY: u64 = 256;
/// Workgroups that a device is to have, where there are answers enough.
const WORKGROUPS: u64 = 1024;

/// The kind of team that finds so many elements each of answers, of so many elements, that are neighbours or not.
pub fn kind_of(wanted: u32, answers: u64, length: u64, adjacent: bool) -> usize {
    let up = |invocations: u64| invocations.min(SIZE.into()).next_power_of_two() as u32;
    // Groups of which each has a best element are to be twice as many as are wanted.
    let small = 2 * wanted <= TEAMS[SMALL].invocations;
    let of_answers = up((WORKGROUPS * u64::from(SIZE)).div_ceil(answers.max(1)));
    match length {
        0..=SHORT if !small => return ALL,
        0..=SHORT => return SMALL,
        _ if !adjacent && wanted <= FEW && of_answers <= 64 => return ACROSS,
        ..=MIDDLING if small && of_answers <= 32 => return SMALL + 1,
        _ => {}
    }
    let (of_wanted, each) = match wanted <= FEW {
        true => (up(4 * u64::from(wanted)), EACH),
        false => (up((long_room(wanted) / CANDIDATES).into()), EACH_OF_MANY),
    };
    let least = of_wanted.max(of_answers).max(up((length / each).max(1)));
    match wanted <= FEW {
        true => (LONG..LARGEST).find(|&kind| TEAMS[kind].invocations >= least).unwrap_or(LARGEST),
        false if least <= TEAMS[MANY].invocations => MANY,
        false => LARGEST,
    }
}

/// A kind of larger teams, for answers for which invocations of this one have no trips.
pub fn larger(kind: usize) -> Option<usize> {
    let next = (kind + 1).max(LONG);
    (next < TEAMS.len()).then_some(next)
}

/// Candidates of a team, where many elements are wanted.
pub(super) fn long_room(wanted: u32) -> u32 {
    (2 * wanted.next_power_of_two()).max(512)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that were measured above, and what lies at an end of a rule.
    #[test]
    fn each_list_has_the_team_that_was_measured() {
        for (wanted, answers, length, adjacent, kind) in [
            (40, 1 << 20, 64, true, ALL),
            (16, 1 << 20, 64, true, SMALL),
            (16, 1 << 20, 64, false, SMALL),
            (10, 1 << 20, 256, true, SMALL + 1),
            (16, 1 << 20, 2047, true, SMALL + 1),
            (17, 1 << 20, 2047, true, LONG),
            (10, 1 << 16, 4096, true, LONG),
            (10, 1 << 12, 65_536, true, LONG),
            (10, 1 << 11, 65_536, true, LONG),
            (10, 1 << 10, 65_536, true, LARGEST),
            (32, 1 << 16, 4096, true, LONG),
            (33, 1 << 16, 4096, true, MANY),
            (100, 1 << 14, 4096, true, MANY),
            (100, 1 << 12, 16_384, true, MANY),
            (100, 1 << 12, 65_536, true, LARGEST),
            (1000, 1 << 12, 65_536, true, LARGEST),
            (10, 1 << 16, 4096, false, ACROSS),
            (40, 1 << 16, 4096, false, MANY),
            (10, 1 << 10, 4096, false, LARGEST),
            (1, 1, 1 << 20, true, LARGEST),
        ] {
            let found = kind_of(wanted, answers, length, adjacent);
            assert_eq!(found, kind, "{wanted} of {answers} answers of {length}, neighbours: {adjacent}");
        }
        assert_eq!(
            (0..TEAMS.len()).map(larger).collect::<Vec<_>>(),
            [Some(5); 5].into_iter().chain([Some(6), None]).collect::<Vec<_>>()
        );
    }
}
