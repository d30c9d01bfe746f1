//! What can go wrong, the same on every rank.

/// The error of a call in which all ranks take part: every rank gets it, with the same words.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank had nothing to give.
    #[error("rank {rank}: {message}")]
    Failed {
        /// The first rank that failed.
        rank: i32,
        /// Its reason.
        message: String,
    },
    /// Ranks came with what does not go together.
    #[error("rank {rank} has {has}, but rank {other} has {others}; let all ranks reduce alike")]
    Differs {
        /// Rank 0.
        rank: i32,
        /// Its operator, type and shape.
        has: String,
        /// The first rank that has another.
        other: i32,
        /// Its own.
        others: String,
    },
    /// More bytes than a message of MPI has.
    #[error("{bytes} bytes of {what}, more than the 2^31 - 1 of a message; reduce fewer answers in each call")]
    TooLarge {
        /// What they are.
        what: &'static str,
        /// How many there are.
        bytes: u64,
    },
    /// A partial that the own library does not read back.
    #[error(transparent)]
    Treefold(#[from] treefold::Error),
}

/// A result on every rank.
pub type Result<T> = std::result::Result<T, Error>;
