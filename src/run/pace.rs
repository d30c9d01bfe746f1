//! The fastest of three ways to do pieces of work, as the pieces before tell: by the first member of a team, by the others, by all together.
//! Members that take their elements through the same memory, or on the same cores, may well make one another slower.

/// Who does a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doer {
    First,
    Others,
    All,
}

/// How fast pieces were done in each way.
#[derive(Debug, Default)]
pub(super) struct Pace {
    rates: [Rate; 3],
    /// Pieces since slower ways were tried, and the one that was tried last.
    since: usize,
    tried: usize,
}

/// Elements a second, of the last pieces most, and how many pieces tell.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    speed: f64,
    pieces: usize,
}

const WAYS: [Doer; 3] = [Doer::All, Doer::Others, Doer::First];
/// Pieces of each way to begin with: in the first one buffers are made.
const FIRST: usize = 2;
/// Pieces that are done in the fastest way before a slower one is tried again.
const TRIED_EVERY: usize = 32;

impl Pace {
    /// Where the first member was alone so far, at so many elements a second; 0: it has done nothing.
    pub fn of_first(speed: f64) -> Pace {
        let first = if speed > 0.0 { Rate { speed, pieces: FIRST } } else { Rate::default() };
        Pace { rates: WAYS.map(|way| if way == Doer::First { first } else { Rate::default() }), ..Pace::default() }
    }

    /// Who is to do the next piece.
    pub fn next(&mut self) -> Doer {
        if let Some(new) = self.rates.iter().position(|rate| rate.pieces < FIRST) {
            return WAYS[new];
        }
        let by_speed = |a: &usize, b: &usize| self.rates[*a].speed.total_cmp(&self.rates[*b].speed);
        let fastest = (0..WAYS.len()).max_by(by_speed).unwrap_or(0);
        self.since += 1;
        if self.since < TRIED_EVERY {
            return WAYS[fastest];
        }
        self.since = 0;
        self.tried =
            (0..WAYS.len()).map(|step| (self.tried + 1 + step) % WAYS.len()).find(|way| *way != fastest).unwrap_or(0);
        WAYS[self.tried]
    }

    /// Elements a second of the fastest way, where all are known and the next piece is done in it.
    pub fn known(&self) -> Option<f64> {
        let known = self.rates.iter().all(|rate| rate.pieces >= FIRST) && self.since + 1 < TRIED_EVERY;
        known.then(|| self.rates.iter().map(|rate| rate.speed).fold(0.0, f64::max))
    }

    /// Notes at how many elements a second a piece was done.
    pub fn note(&mut self, by: Doer, speed: f64) {
        for (rate, _) in self.rates.iter_mut().zip(WAYS).filter(|(_, way)| *way == by) {
            rate.speed = if rate.pieces < FIRST { speed } else { (rate.speed + speed) / 2.0 };
            rate.pieces += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of pieces that take so long in each way, most are done in the fastest one; others are tried, and taken once they are the fastest.
    #[test]
    fn the_fastest_way_is_taken() {
        let mut pace = Pace::default();
        let mut done = |pieces: usize, speeds: [f64; 3]| {
            let mut count = [0; 3];
            for _ in 0..pieces {
                let way = pace.next();
                let at = WAYS.iter().position(|other| *other == way).expect("a way");
                pace.note(way, speeds[at]);
                count[at] += 1;
            }
            count
        };
        let count = done(320, [1.0, 2.0, 3.0]);
        assert!((300..=312).contains(&count[2]) && count.iter().all(|&count| count > FIRST), "{count:?}");
        // The tables turn.
        for (fastest, speeds) in [(0, [4.0, 2.0, 3.0]), (1, [1.0, 5.0, 3.0]), (2, [1.0, 1.0, 6.0])] {
            let count = done(960, speeds);
            assert!(count[fastest] > 700, "{count:?}");
        }
    }
}
