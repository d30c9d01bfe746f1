//! Groups by the key of each element.

use super::Piece;

/// Groups, and where the keys of the elements are, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups<'a> {
    /// The keys, u32, as many as there are elements.
    pub keys: &'a [Piece],
    /// The key of the first group.
    pub first: u64,
    /// Groups.
    pub groups: u64,
}
