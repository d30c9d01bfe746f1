//! Several elements of an input as the answer: too many for the accumulator of an invocation, so that devices find them by tournaments.

/// What a tournament is told of an operator and of the type of its elements.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// Number of elements that are wanted.
    pub wanted: u32,
    /// Words of a rank, and of an element that a tournament leaves.
    pub words: usize,
    /// The WGSL of `rank`, of which the lowest are wanted, and of `unrank`.
    pub wgsl: String,
    /// The words of an accumulator from those that a tournament leaves (elements, then their indices, then their number), where its first
    /// element has this place in the whole input.
    pub accumulator: fn(wanted: u32, left: &[u32], first: u64) -> Vec<u32>,
}

impl Ranks {
    /// Words of the elements and of their indices.
    pub fn output_words(&self) -> usize {
        self.wanted as usize * (self.words + 2)
    }
}
