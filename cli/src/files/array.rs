//! An array inside a file: its shape, its order, where it begins.

use crate::format::Stored;
use anyhow::anyhow;

/// What a file says of one of its arrays.
#[derive(Clone, Debug)]
pub struct Array {
    /// The type of its numbers.
    pub stored: Stored,
    /// Numbers in the array; they end within 63 bits of bytes.
    pub count: u64,
    /// What the file begins with, which tells whether it is another one.
    pub header: Vec<u8>,
    /// Bytes before the first number.
    pub data_at: u64,
    /// The lengths of the axes longer than 1 where they are stored in Fortran order and there is more than one.
    pub fortran: Option<Vec<u64>>,
    /// The lengths of all axes.
    pub axes: Vec<u64>,
    /// Whether they are stored in Fortran order.
    pub fortran_order: bool,
    /// The shape as Python writes it, in short.
    pub shape: String,
}

impl Array {
    /// Bytes of the array.
    pub fn data_bytes(&self) -> u64 {
        self.count * self.stored.size() as u64
    }

    /// The error of a file that ends too early.
    pub fn truncated(&self, name: &str, has: u64) -> anyhow::Error {
        let (shape, needs) = (&self.shape, self.data_at + self.data_bytes());
        anyhow!("{name}: truncated: has {has} bytes, but its shape {shape} needs {needs}; copy or save it again")
    }
}
