//! Reductions by runs of equal keys.

use super::cpu::Cpu;
use super::reducer::{Reducer, claimed};
use super::segments::ensure_apart;
use crate::device::{Prepared, RunsTo, SEAL, Words, download, may_block};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{DeviceCount, Input, Offsets, Output, Segments, SegmentsBy};
use crate::op::Op;
use half::f16;
use wgpu::BufferUsages;

/// An element that can be a key: [`f32`], [`i32`], [`u32`], [`f64`], [`i64`] or [`u64`]; on the CPU [`f16`](half::f16), too.
///
/// Integers are the same key where they are equal; floats likewise, the two zeros among them, and every NaN is the same key as
/// every other.
pub trait Key: Element {
    /// Whether two keys are one.
    fn same(self, other: Self) -> bool {
        // A key that is not equal to itself is NaN.
        #[expect(clippy::eq_op, reason = "only NaN is not equal to itself")]
        let nan = self != self && other != other;
        self == other || nan
    }
}

impl Key for f32 {}
impl Key for i32 {}
impl Key for u32 {}
impl Key for f64 {}
impl Key for i64 {}
impl Key for u64 {}
impl Key for f16 {}

/// The outputs of [`Reducer::record_by_key`], on the device. Where the outputs have room for fewer runs than there are,
/// they get the first ones, and the number says how many there are all the same.
#[derive(Clone, Debug)]
pub struct ByKey<'a> {
    /// The answer of each run, dense.
    pub answers: Output<'a>,
    /// The first key of each run, dense: 4 or 8 bytes each.
    pub keys: Output<'a>,
    /// The number of runs, one u32: what [`Input::counted`] and indirect dispatches read.
    pub number: Output<'a>,
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// Records the reduction of each run of equal neighbouring keys: key i belongs to value i. The order is kept, so that operators need
    /// not be commutative. Answers, keys and the number of runs stay on the device.
    ///
    /// ```no_run
    /// # fn f(stations: &wgpu::Buffer, rain: &wgpu::Buffer, to: [&wgpu::Buffer; 3], sum: &treefold::Reducer<f32, treefold::ops::FastSum>,
    /// # encoder: &mut wgpu::CommandEncoder) -> treefold::Result<()> {
    /// use treefold::{ByKey, Input, Output};
    /// let [answers, keys, number] = to;
    /// let to = ByKey { answers: Output::bare(answers), keys: keys.into(), number: number.into() };
    /// sum.record_by_key(encoder, Input::<u32>::from(stations), rain, to)?;
    /// # Ok(()) }
    /// ```
    ///
    /// Sources: heads, a scan and segments, as in CUB's `DeviceReduce::ReduceByKey` and `DeviceRunLengthEncode`.
    ///
    /// # Errors
    /// As for [`Reducer::record_each`]; [`Error::Unequal`] where there are not as many keys as values; [`Error::KeysApart`],
    /// [`Error::NarrowKeys`]; [`Error::OutputsOverlap`]; [`Error::LimitTooSmall`] where no binding has room for the keys.
    pub fn record_by_key<'i, K: Key>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        keys: impl Into<Input<'i, K>>,
        values: impl Into<Input<'i, T>>,
        to: ByKey<'_>,
    ) -> Result<()> {
        self.prepare_by_key(keys, values, to)?.record(encoder)
    }

    /// Makes ready what [`Reducer::record_by_key`] would record.
    ///
    /// # Errors
    /// As for [`Reducer::record_by_key`].
    pub fn prepare_by_key<'i, K: Key>(
        &self,
        keys: impl Into<Input<'i, K>>,
        values: impl Into<Input<'i, T>>,
        to: ByKey<'_>,
    ) -> Result<Prepared> {
        let (keys, values) = (keys.into(), values.into());
        let recorder = self.by_segments()?;
        let context = &recorder.context;
        let count = equally_many(&keys, &values)?;
        values.ranges.pieces()?;
        // Refuses operators without an answer.
        claimed(&recorder.op, &to.answers, 0)?;
        let each = 4 * (self.answer_words() as u64 + u64::from(to.answers.counted));
        let bytes = |output: &Output<'_>| output.bytes.end.saturating_sub(output.bytes.start);
        let room = count.min(bytes(&to.answers) / each).min(bytes(&to.keys) / K::DTYPE.bytes());
        // Gives the bytes of an output, which is written before the values are read: it may overlap neither input.
        let words = |output: &Output<'_>, words: u64| {
            let bytes = Output::bare(output.clone()).claim("the runs of equal keys", words as usize, 1)?;
            values.ranges.reads(output.buffer, &bytes)?;
            ensure_apart([&keys.ranges], output.buffer, &bytes)?;
            Ok(bytes)
        };
        let (keys_to, number_to) = (words(&to.keys, room * K::DTYPE.bytes() / 4)?, words(&to.number, 1)?);
        let answers_to = claimed(&recorder.op, &to.answers, room)?;
        let outputs = [(&to.answers, &answers_to), (&to.keys, &keys_to), (&to.number, &number_to)];
        for (at, (one, one_bytes)) in outputs.iter().enumerate() {
            for (other, other_bytes) in &outputs[..at] {
                if one.buffer == other.buffer && one_bytes.start < other_bytes.end && other_bytes.start < one_bytes.end
                {
                    return Err(Error::OutputsOverlap { one: (**one_bytes).clone(), other: (**other_bytes).clone() });
                }
            }
        }
        let offsets = context.offsets(4 * (room + 1))?;
        let to_runs = RunsTo {
            offsets: Words { buffer: &offsets, bytes: 0..4 * (room + 1) },
            keys: Words { buffer: to.keys.buffer, bytes: keys_to },
            number: Words { buffer: to.number.buffer, bytes: number_to.clone() },
            room,
            seal: None,
        };
        let runs = context.runs(K::DTYPE, keys_of(&keys)?.as_ref(), &to_runs)?;
        if room == 0 {
            return Ok(runs);
        }
        let offsets = Offsets::from(Input::range(&offsets, 0..room + 1));
        let number = DeviceCount::from(Input::range(to.number.buffer, number_to.start / 4..number_to.end / 4));
        let segments = Segments { by: SegmentsBy::Offsets(&offsets), answers: room, count: Some(&number) };
        Ok(runs.and(&self.prepare_segments(&values.ranges, &segments, &to.answers)?))
    }

    /// The first key and the answer of each run of equal neighbouring keys, in their order.
    ///
    /// # Errors
    /// As for [`Reducer::record_by_key`], and [`Reducer::reduce_each`].
    pub fn reduce_by_key<'i, K: Key>(
        &self,
        keys: impl Into<Input<'i, K>>,
        values: impl Into<Input<'i, T>>,
    ) -> Result<Vec<(K, O::Output)>> {
        may_block("Reducer::reduce_by_key", "Reducer::record_by_key")?;
        let (keys, values) = (keys.into(), values.into());
        let context = &self.recorder.context;
        let count = equally_many(&keys, &values)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let (usage, bytes) = (BufferUsages::STORAGE | BufferUsages::COPY_SRC, count * K::DTYPE.bytes());
        let offsets = context.buffer("offsets of runs", 4 * (count + 1), usage)?;
        let (found, number) =
            (context.buffer("keys of runs", bytes, usage)?, context.buffer("number of runs", 8, usage)?);
        let to = RunsTo {
            offsets: Words { buffer: &offsets, bytes: 0..4 * (count + 1) },
            keys: Words { buffer: &found, bytes: 0..bytes },
            number: Words { buffer: &number, bytes: 0..8 },
            room: count,
            seal: Some(SEAL),
        };
        context.runs(K::DTYPE, keys_of(&keys)?.as_ref(), &to)?.submit()?;
        let runs = match download::<u32>(context, &number, 2)?[..] {
            [runs, SEAL] if u64::from(runs) <= count => u64::from(runs),
            _ => return Err(Error::ResultMissing),
        };
        let answers = self.reduce_each(values.segments(Input::range(&offsets, 0..runs + 1)))?;
        let keys = download::<K>(context, &found, runs)?;
        Ok(keys.into_iter().zip(answers).collect())
    }
}

impl Cpu {
    /// The first key and the answer of each run of equal neighbouring keys, in their order; key i belongs to element i.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Sum};
    /// let rain = Cpu::new().reduce_by_key(Sum, &[7u32, 7, 9, 7], &[1i32, 2, 3, 4])?;
    /// assert_eq!(rain, [(7, 3), (9, 3), (7, 4)]); // runs, not groups
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unequal`] where there are not as many keys as elements; what [`Op::finish`] says.
    pub fn reduce_by_key<K: Key, T: Element, O: Op<T>>(
        &self,
        op: O,
        keys: &[K],
        elements: &[T],
    ) -> Result<Vec<(K, O::Output)>> {
        let (left, right) = (keys.len() as u64, elements.len() as u64);
        if left != right {
            return Err(Error::Unequal { left, right });
        }
        let begins = |at: &usize| *at == 0 || !keys[*at].same(keys[*at - 1]);
        let firsts: Vec<usize> = (0..keys.len()).filter(begins).collect();
        let offsets: Vec<u64> = firsts.iter().map(|&first| first as u64).chain([left]).collect();
        let answers = if firsts.is_empty() { Vec::new() } else { self.reduce_segments(op, elements, &offsets)? };
        Ok(firsts.into_iter().map(|first| keys[first]).zip(answers).collect())
    }
}

/// The number of keys, which must be that of the values.
fn equally_many<K: Element, T: Element>(keys: &Input<'_, K>, values: &Input<'_, T>) -> Result<u64> {
    let (left, right) = (keys.elements(), values.elements());
    if left == right { Ok(left) } else { Err(Error::Unequal { left, right }) }
}

/// The one range that has the keys; none where there are none.
fn keys_of<'a, K: Key>(keys: &Input<'a, K>) -> Result<Option<Words<'a>>> {
    if K::DTYPE.bytes() < 4 {
        return Err(Error::NarrowKeys { dtype: K::DTYPE.name() });
    }
    let (pieces, buffers) = keys.ranges.pieces()?;
    let mut there = pieces.iter().zip(buffers).filter(|(piece, _)| piece.elements > 0);
    match (there.next(), there.count() as u64) {
        (None, _) => Ok(None),
        (Some((piece, buffer)), 0) => {
            let bytes = piece.first * K::DTYPE.bytes()..(piece.first + piece.elements) * K::DTYPE.bytes();
            Ok(Some(Words { buffer, bytes }))
        }
        (Some(_), more) => Err(Error::KeysApart { ranges: 1 + more }),
    }
}
