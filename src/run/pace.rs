//! The faster of two ways to do pieces of work, as the pieces before tell: by one member of a team alone, and by all together. Others that take
//! their elements through the same memory may well make both slower.

/// How fast pieces were done in each way.
#[derive(Debug, Default)]
pub(super) struct Pace {
    alone: Rate,
    together: Rate,
    /// Pieces since the slower way was tried.
    since: usize,
}

/// Elements a second, of the last pieces most, and how many pieces tell.
#[derive(Debug, Default)]
struct Rate {
    speed: f64,
    pieces: usize,
}

/// Pieces of each way to begin with: in the first one buffers are made.
const FIRST: usize = 2;
/// Pieces that are done in the faster way before the slower one is tried again.
const TRIED_EVERY: usize = 32;

impl Pace {
    /// Whether the next piece is the first member's alone.
    pub fn is_alone(&mut self) -> bool {
        if self.together.pieces < FIRST || self.alone.pieces < FIRST {
            return self.together.pieces >= FIRST;
        }
        let alone = self.alone.speed > self.together.speed;
        self.since += 1;
        if self.since < TRIED_EVERY {
            return alone;
        }
        self.since = 0;
        !alone
    }

    /// Notes how many elements a second a piece was done at.
    pub fn note(&mut self, alone: bool, speed: f64) {
        let rate = if alone { &mut self.alone } else { &mut self.together };
        rate.speed = if rate.pieces < FIRST { speed } else { (rate.speed + speed) / 2.0 };
        rate.pieces += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of pieces that take so long in each way, most are done in the faster one; the other is tried, and taken once it is the faster.
    #[test]
    fn the_faster_way_is_taken() {
        for (alone, together) in [(1.0, 2.0), (2.0, 1.0)] {
            let mut pace = Pace::default();
            let mut done = |pieces: usize, [alone, together]: [f64; 2]| {
                let mut count = [0; 2];
                for _ in 0..pieces {
                    let way = pace.is_alone();
                    pace.note(way, if way { alone } else { together });
                    count[usize::from(way)] += 1;
                }
                count
            };
            let count = done(320, [alone, together]);
            let faster = count[usize::from(alone > together)];
            assert!((300..=318).contains(&faster), "{count:?}");
            // The tables turn.
            let count = done(640, [together, alone]);
            assert!(count[usize::from(together > alone)] > 500, "{count:?}");
        }
    }
}
