//! Columns of elements that lie side by side.

/// Columns whose elements of one row are neighbours in memory.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a, T> {
    elements: &'a [T],
    rows: &'a [usize],
    columns: usize,
}

impl<'a, T: Copy> Columns<'a, T> {
    /// So many columns, of rows that begin at these places.
    pub fn of(elements: &'a [T], rows: &'a [usize], columns: usize) -> Self {
        Columns { elements, rows, columns }
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.columns
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// A row: an element of each column.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &'a [T] {
        &self.elements[self.rows[row]..][..self.columns]
    }

    /// So many rows, from this one on.
    #[inline(always)]
    pub fn some_rows<const K: usize>(&self, first: usize) -> [&'a [T]; K] {
        std::array::from_fn(|k| self.row(first + k))
    }

    /// All rows.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = &'a [T]> {
        (0..self.height()).map(|row| self.row(row))
    }

    /// The elements of a column, from the first row to the last.
    pub fn column(&self, column: usize) -> impl Iterator<Item = T> {
        self.rows.iter().map(move |&row| self.elements[row + column])
    }

    /// Some of its columns, in some of its rows.
    pub fn part(&self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Columns<'a, T> {
        Columns { elements: &self.elements[columns.start..], rows: &self.rows[rows], columns: columns.len() }
    }
}
