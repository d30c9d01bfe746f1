//! Inputs and outputs of a reduction on the device: buffer ranges, textures, rows, axes, and all of their validation.

mod axes;
mod count;
mod each;
mod groups;
mod mask;
mod read_at;
mod segments;
mod texture;

pub(crate) use axes::room;
pub use axes::{Axes, Dim, Strided, offset, product};
pub use count::DeviceCount;
pub use each::Each;
pub(crate) use each::{Divided, Division, Segments, SegmentsBy};
pub use groups::Groups;
pub use mask::{Mask, MaskedSlice};
pub use read_at::ReadAt;
pub(crate) use read_at::{ToFold, earlier};
pub(crate) use segments::OffsetsIn;
pub use segments::{By, Ends, Offsets};
pub(crate) use texture::Texels;
pub use texture::{Channel, Grid, Texel};

use crate::element::Element;
use crate::error::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;
use wgpu::BufferUsages;

/// A part of the input as plain data: so many elements from an element on, in the n-th buffer or texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Number of the buffer, or of the texture.
    pub buffer: usize,
    /// Its first element, counted from the start of the buffer.
    pub first: u64,
    /// Elements.
    pub elements: u64,
    /// The second input, where elements are read from two.
    pub other: Option<Beside>,
    /// Of a texture: how its texels lie.
    pub grid: Option<Grid>,
}

impl Piece {
    /// Elements of one buffer.
    pub const fn of(buffer: usize, first: u64, elements: u64) -> Piece {
        Piece { buffer, first, elements, other: None, grid: None }
    }

    /// So many of its elements from its n-th on.
    pub fn part(&self, from: u64, elements: u64) -> Piece {
        let other = self.other.map(|other| other.after(from));
        Piece { first: self.first + from, elements, other, ..*self }
    }
}

/// What the second of two inputs has for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A word, the second of a pair.
    Word,
    /// A byte that is 0 where an element does not count.
    Byte,
    /// A bit that says whether it counts.
    Bit,
}

impl Unit {
    /// Each of them.
    pub const ALL: [Unit; 3] = [Unit::Word, Unit::Byte, Unit::Bit];

    /// Its bits.
    pub const fn bits(self) -> u64 {
        match self {
            Unit::Word => 32,
            Unit::Byte => 8,
            Unit::Bit => 1,
        }
    }

    /// The bytes of so many, from one on.
    fn bytes(self, first: u64, many: u64) -> Range<u64> {
        let at = |unit: u64| unit.saturating_mul(self.bits());
        at(first) / 8..at(first.saturating_add(many)).div_ceil(8)
    }
}

/// A part of the second input, as long as that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Number of the buffer.
    pub buffer: usize,
    /// Its first unit, counted from the start of the buffer.
    pub first: u64,
    /// Its units.
    pub unit: Unit,
    /// Bytes that the first input has for an element.
    pub bytes: u64,
}

impl Beside {
    /// The second halves of pairs of words.
    pub const fn words(buffer: usize, first: u64) -> Beside {
        Beside { buffer, first, unit: Unit::Word, bytes: 4 }
    }

    /// The same behind so many elements.
    #[must_use]
    pub fn after(self, elements: u64) -> Beside {
        Beside { first: self.first + elements, ..self }
    }
}

/// The place up to which the elements of some pieces are taken.
#[derive(Default)]
pub(crate) struct Taken {
    piece: usize,
    done: u64,
}

impl Taken {
    pub fn skip(&mut self, pieces: &[Piece], elements: u64) {
        self.take(pieces, elements);
    }

    /// The next elements, as pieces.
    pub fn take(&mut self, pieces: &[Piece], elements: u64) -> Vec<Piece> {
        let mut taken = Vec::new();
        let mut left = elements;
        while let Some(piece) = pieces.get(self.piece).filter(|_| left > 0) {
            let now = left.min(piece.elements - self.done);
            if now > 0 {
                taken.push(piece.part(self.done, now));
            }
            left -= now;
            self.done += now;
            if self.done == piece.elements {
                (self.piece, self.done) = (self.piece + 1, 0);
            }
        }
        taken
    }
}

/// Elements on the device: ranges of one or more buffers, and [textures](Input::texture), read one after another as one array.
///
/// The buffers must be of the device that reduces them. One of another device is [`Error::Foreign`], one of another wgpu
/// instance too, unless its number there is that of a live buffer here: **then nothing can tell, and that buffer is read
/// instead.** Make one `wgpu::Instance` in a program; [`Gpu`](crate::Gpu) does.
///
/// ```no_run
/// # fn f(positions: &wgpu::Buffer, more: &wgpu::Buffer) {
/// use treefold::Input;
/// let whole: Input<f32> = positions.into();
/// let part: Input<f32> = Input::range(positions, 100..200); // elements, not bytes
/// let both: Input<f32> = Input::concat([whole, more.into()]);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Input<'a, T> {
    pub(crate) ranges: Ranges<'a>,
    element: PhantomData<T>,
}

/// The buffer or texture in which elements lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    Buffer(&'a wgpu::Buffer),
    Texture(Texels<'a>),
}

impl<'a> Origin<'a> {
    /// The buffer; an error of a texture, where buffers alone do.
    pub fn buffer(self) -> Result<&'a wgpu::Buffer> {
        match self {
            Origin::Buffer(buffer) => Ok(buffer),
            Origin::Texture(_) => Err(Error::TextureInParts),
        }
    }

    /// The view to bind, of a texture.
    pub fn view(&self) -> Option<wgpu::TextureView> {
        if let Origin::Texture(texels) = self { Some(texels.view()) } else { None }
    }
}

/// Ranges of buffers, in bytes; of textures as if their elements stood in buffers.
#[derive(Clone, Debug)]
pub(crate) struct Ranges<'a> {
    ranges: Vec<(Origin<'a>, Range<u64>)>,
    /// Where elements are read from two inputs: the places of the second's parts, which are as long as the first's, one by one.
    others: Vec<Second<'a>>,
    /// From one element to the next.
    stride: u64,
}

/// The place of a part of the second input: a buffer, and the first unit in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Second<'a> {
    buffer: &'a wgpu::Buffer,
    first: u64,
    unit: Unit,
}

impl<'a> Input<'a, [f32; 2]> {
    /// The pairs of two inputs: the first elements of both, the second elements of both, and so on.
    ///
    /// ```no_run
    /// # fn f(x: &wgpu::Buffer, y: &wgpu::Buffer, dot: &treefold::Reducer<[f32; 2], treefold::ops::Dot>) -> treefold::Result<()> {
    /// let product: f32 = dot.reduce(treefold::Input::zip(x, y)?)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unequal`] where they do not have the same number of elements; [`Error::MissingUsage`], [`Error::OutOfRange`],
    /// [`Error::Misaligned`].
    pub fn zip(first: impl Into<Input<'a, f32>>, second: impl Into<Input<'a, f32>>) -> Result<Self> {
        let (first, second) = (first.into().ranges, second.into().ranges);
        // Before the cuts below, which would hide what is ragged.
        first.pieces()?;
        second.pieces()?;
        let (left, right) = (first.elements(), second.elements());
        if left != right {
            return Err(Error::Unequal { left, right });
        }
        let (mut ranges, mut others) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (first.ranges.into_iter(), second.ranges.into_iter());
        let (mut x, mut y) = (a.next(), b.next());
        // Cuts both where either ends.
        while let (Some((buffer, left)), Some((other, right))) = (&mut x, &mut y) {
            let bytes = (left.end.saturating_sub(left.start)).min(right.end.saturating_sub(right.start));
            ranges.push((*buffer, left.start..left.start + bytes));
            others.push(Second { buffer: other.buffer()?, first: right.start / 4, unit: Unit::Word });
            left.start += bytes;
            right.start += bytes;
            let (left_done, right_done) = (left.start >= left.end, right.start >= right.end);
            if left_done {
                x = a.next();
            }
            if right_done {
                y = b.next();
            }
        }
        Ok(Self::of(ranges, others, 4))
    }
}

impl<'a, T: Element> Input<'a, T> {
    /// Elements `range` of a buffer, counted from its start. A range that ends before it begins is an error of the call that
    /// reads it.
    pub fn range(buffer: &'a wgpu::Buffer, range: Range<u64>) -> Self {
        let bytes = T::DTYPE.bytes();
        Self::bytes(buffer, range.start.saturating_mul(bytes)..range.end.saturating_mul(bytes))
    }

    /// Several inputs as one, in their order. Its indices count through them all.
    pub fn concat(parts: impl IntoIterator<Item = Self>) -> Self {
        let (mut ranges, mut others, mut stride) = (Vec::new(), Vec::new(), T::DTYPE.bytes());
        for part in parts {
            stride = if part.ranges.others.is_empty() { stride } else { part.ranges.stride };
            ranges.extend(part.ranges.ranges);
            others.extend(part.ranges.others);
        }
        Self::of(ranges, others, stride)
    }

    /// The same elements in rows of so many, one behind another: each row has an answer of its own.
    pub fn rows(self, length: u64) -> Each<'a, T> {
        self.each(Division::Rows(length))
    }

    /// The elements of a view, by the axes of it that are reduced.
    ///
    /// ```no_run
    /// # fn f(logits: &wgpu::Buffer, largest: &treefold::Reducer<f32, treefold::ops::Max>) -> treefold::Result<()> {
    /// use treefold::{Axes, Input};
    /// let over_the_vocabulary = Axes::of(&[32, 50_257], &[-1])?;
    /// let answers = largest.reduce_each(Input::from(logits).over(over_the_vocabulary))?; // 32 of them
    /// # Ok(()) }
    /// ```
    pub fn over(self, axes: Axes) -> Each<'a, T> {
        self.each(Division::Axes(axes))
    }

    /// The elements in segments, each from one offset to the next; see [`Offsets`].
    pub fn segments(self, offsets: impl Into<Offsets<'a>>) -> Each<'a, T> {
        self.each(Division::Segments(offsets.into()))
    }

    /// The first elements, as many as the device says when the commands run, and no more than there are: one answer. Particles that are
    /// alive, say, whose number the host never asks for.
    ///
    /// Source: the kernel of segments, of which this is one.
    ///
    /// ```no_run
    /// # fn f(depths: &wgpu::Buffer, alive: &wgpu::Buffer, extent: &treefold::Reducer<f32, treefold::ops::MinMax>, answer: &wgpu::Buffer,
    /// # encoder: &mut wgpu::CommandEncoder) -> treefold::Result<()> {
    /// use treefold::Input;
    /// extent.record_each(encoder, Input::from(depths).counted(alive), answer)?; // min, max, and how many there were
    /// # Ok(()) }
    /// ```
    pub fn counted(self, count: impl Into<DeviceCount<'a>>) -> Each<'a, T> {
        self.each(Division::Whole).counted(count)
    }

    fn each(self, division: Division<'a>) -> Each<'a, T> {
        Each { input: self, division, count: None }
    }

    /// The elements by the key of each, which need not be sorted: element i belongs to the group that key i says, below `groups`. Elements
    /// of other keys belong to none. A position is the place in the whole input.
    ///
    /// ```no_run
    /// # fn f(temperatures: &wgpu::Buffer, stations: &wgpu::Buffer, mean: &treefold::Reducer<f32, treefold::ops::Mean>) -> treefold::Result<()> {
    /// use treefold::Input;
    /// let of_each_station = mean.reduce_each(Input::from(temperatures).groups(stations, 3))?;
    /// # Ok(()) }
    /// ```
    pub fn groups(self, keys: impl Into<Input<'a, u32>>, groups: u64) -> Each<'a, T> {
        self.each(Division::Groups(keys.into().ranges, groups))
    }

    /// The elements of a view.
    pub(crate) fn strided(self, strided: Strided) -> Each<'a, T> {
        self.each(Division::Strided(strided))
    }

    fn bytes(buffer: &'a wgpu::Buffer, bytes: Range<u64>) -> Self {
        Self::of(vec![(Origin::Buffer(buffer), bytes)], Vec::new(), T::DTYPE.bytes())
    }

    fn of(ranges: Vec<(Origin<'a>, Range<u64>)>, others: Vec<Second<'a>>, stride: u64) -> Self {
        Input { ranges: Ranges { ranges, others, stride }, element: PhantomData }
    }

    /// Elements in all.
    pub fn elements(&self) -> u64 {
        self.ranges.elements()
    }
}

impl<'a> Ranges<'a> {
    /// Elements in all.
    pub fn elements(&self) -> u64 {
        self.ranges.iter().map(|(_, bytes)| self.elements_of(bytes)).sum()
    }

    /// Ranges of buffers, and textures, that are read.
    pub fn count(&self) -> u64 {
        self.ranges.len() as u64
    }

    fn elements_of(&self, bytes: &Range<u64>) -> u64 {
        bytes.end.saturating_sub(bytes.start) / self.stride
    }

    /// The bytes of the second input's parts.
    fn bytes_of_others(&self) -> impl Iterator<Item = (&'a wgpu::Buffer, Unit, Range<u64>)> {
        let parts = self.others.iter().zip(&self.ranges);
        parts.map(|(other, (_, bytes))| {
            (other.buffer, other.unit, other.unit.bytes(other.first, self.elements_of(bytes)))
        })
    }

    /// Checks every range and names it for a plan.
    pub fn origins(&self) -> Result<(Vec<Piece>, Vec<Origin<'a>>)> {
        let stride = self.stride;
        let alike = self.others.iter().all(|other| other.unit == self.others[0].unit);
        if !alike || !self.others.is_empty() && self.others.len() != self.ranges.len() {
            return Err(Error::MixedPairs);
        }
        for (origin, bytes) in &self.ranges {
            if let Origin::Buffer(buffer) = origin {
                check(buffer, bytes, stride, "the input")?;
            }
        }
        for (buffer, unit, bytes) in self.bytes_of_others() {
            let (multiple, what) = if unit == Unit::Word { (4, "the input") } else { (1, "the mask") };
            check(buffer, &bytes, multiple, what)?;
        }
        let mut pieces = Vec::new();
        for (at, (origin, bytes)) in self.ranges.iter().enumerate() {
            let beside = |&Second { first, unit, .. }: &Second| {
                let buffer = self.ranges.len() + at;
                Beside { buffer, first, unit, bytes: stride }
            };
            let other = self.others.get(at).map(beside);
            let grid = if let Origin::Texture(texels) = origin { Some(texels.grid) } else { None };
            pieces.push(Piece { other, grid, ..Piece::of(at, bytes.start / stride, self.elements_of(bytes)) });
        }
        let origins = self.ranges.iter().map(|(origin, _)| *origin);
        Ok((pieces, origins.chain(self.others.iter().map(|other| Origin::Buffer(other.buffer))).collect()))
    }

    /// The same where buffers alone do.
    pub fn pieces(&self) -> Result<(Vec<Piece>, Vec<&'a wgpu::Buffer>)> {
        let (pieces, origins) = self.origins()?;
        Ok((pieces, origins.into_iter().map(Origin::buffer).collect::<Result<_>>()?))
    }

    /// The buffer and its bytes, of one range.
    fn single(&self) -> Option<(&'a wgpu::Buffer, Range<u64>)> {
        match &self.ranges[..] {
            [(Origin::Buffer(buffer), bytes)] if self.others.is_empty() => Some((*buffer, bytes.clone())),
            _ => None,
        }
    }

    /// Whether a buffer is among those that are read; an error where a range of it is.
    pub fn reads(&self, output: &wgpu::Buffer, output_bytes: &Range<u64>) -> Result<bool> {
        let mut reads = false;
        let others = self.bytes_of_others().map(|(buffer, _, bytes)| (buffer, bytes));
        let buffers = self.ranges.iter().filter_map(|(origin, bytes)| Some((origin.buffer().ok()?, bytes.clone())));
        for (_, bytes) in buffers.chain(others).filter(|(buffer, _)| *buffer == output) {
            reads = true;
            if bytes.start < output_bytes.end && output_bytes.start < bytes.end {
                return Err(Error::Overlap {
                    output_begin: output_bytes.start,
                    output_end: output_bytes.end,
                    input_begin: bytes.start,
                    input_end: bytes.end,
                });
            }
        }
        Ok(reads)
    }
}

impl<'a, T: Element> From<&'a wgpu::Buffer> for Input<'a, T> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Self::bytes(buffer, 0..buffer.size())
    }
}

impl<'a, T: Element> From<wgpu::BufferSlice<'a>> for Input<'a, T> {
    fn from(slice: wgpu::BufferSlice<'a>) -> Self {
        Self::bytes(slice.buffer(), slice.offset()..slice.offset() + slice.size())
    }
}

impl<'a, T: Element> From<&Input<'a, T>> for Input<'a, T> {
    fn from(input: &Input<'a, T>) -> Self {
        input.clone()
    }
}

/// Place of answers on the device: from a byte of a buffer on, dense.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) bytes: Range<u64>,
    pub(crate) counted: bool,
}

impl<'a> From<&'a wgpu::Buffer> for Output<'a> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Output { buffer, bytes: 0..buffer.size(), counted: true }
    }
}

impl<'a> From<wgpu::BufferSlice<'a>> for Output<'a> {
    fn from(slice: wgpu::BufferSlice<'a>) -> Self {
        Output { buffer: slice.buffer(), bytes: slice.offset()..slice.offset() + slice.size(), counted: true }
    }
}

impl<'a> Output<'a> {
    /// Answers without count words: an `array<f32>` for the next shader, say.
    pub fn bare(place: impl Into<Output<'a>>) -> Self {
        Output { counted: false, ..place.into() }
    }

    /// The bytes that so many answers of so many words take, their count words included.
    pub(crate) fn claim(&self, operator: &'static str, words: usize, answers: u64) -> Result<Range<u64>> {
        let each = (words as u64 + u64::from(self.counted)) * 4;
        let needs = each.saturating_mul(answers);
        let bytes = self.bytes.end.saturating_sub(self.bytes.start);
        if bytes < needs {
            let words = (each / 4) as usize;
            return Err(Error::OutputTooSmall { operator, bytes, needs, words, answers });
        }
        let claimed = self.bytes.start..self.bytes.start + needs;
        check(self.buffer, &claimed, 4, "the output")?;
        Ok(claimed)
    }
}

fn check(buffer: &wgpu::Buffer, bytes: &Range<u64>, multiple: u64, what: &'static str) -> Result<()> {
    if !buffer.usage().contains(BufferUsages::STORAGE) {
        let has = buffer.usage().iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ");
        return Err(Error::MissingUsage { what, missing: "STORAGE", has });
    }
    // Kernels read whole words.
    let end = bytes.end.checked_next_multiple_of(4).unwrap_or(u64::MAX);
    if bytes.start > bytes.end {
        return Err(Error::Backwards { what, begin: bytes.start, end: bytes.end });
    }
    if end > buffer.size() {
        return Err(Error::OutOfRange { what, begin: bytes.start, end, size_bytes: buffer.size() });
    }
    let ragged = [bytes.start, bytes.end].into_iter().find(|byte| byte % multiple != 0);
    match ragged {
        Some(offset_bytes) => Err(Error::Misaligned { what, offset_bytes, multiple }),
        None => Ok(()),
    }
}
