//! The k best elements of each of many answers on the device.

use super::futures::AnswerFuture;
use super::rank::{Contest, Ranker, found_in};
use super::segments::{cut, ensure_apart, together};
use crate::device::{BestTo, ListTexts, Pending, Prepared, Readback, Waiting, Words, may_block};
use crate::element::Scalar;
use crate::error::{Error, Result};
use crate::input::{Divided, Each, Offsets, OffsetsIn, Output, Piece, Ranges, Segments, SegmentsBy, Strided, Taken};
use crate::limits::TRIPS_MAX;
use crate::ops::Ranked;
use crate::plan::{ListRules, is_adjacent, kind_of, larger};
use std::ops::Range;

/// The kernels of many answers.
#[derive(Debug)]
pub(super) struct Lists {
    rules: ListRules,
    texts: ListTexts,
}

/// Answers that are so long that each has rounds of its own, at most.
const LONG_MAX: u64 = 1 << 12;

/// Elements, by the ranges that hold them.
struct Spans<'e> {
    pieces: &'e [Piece],
    buffers: &'e [&'e wgpu::Buffer],
}

/// Divisions among answers that have lists.
pub(super) enum ListsBy<'d> {
    Strided(&'d Strided),
    Buffer(&'d Ranges<'d>),
    Slice(&'d [u64]),
}

impl<'d> ListsBy<'d> {
    fn of(divided: &'d Divided<'_, '_>) -> Result<Self> {
        match divided {
            Divided::Strided(strided) => Ok(ListsBy::Strided(strided)),
            Divided::Segments(Segments { by: SegmentsBy::Offsets(Offsets(offsets)), count: None, .. }) => {
                Ok(match offsets {
                    OffsetsIn::Device(there) => ListsBy::Buffer(there),
                    OffsetsIn::Host(offsets) => ListsBy::Slice(offsets),
                })
            }
            _ => Err(Error::NotListed),
        }
    }

    /// Elements of the longest answer, as far as the host knows.
    fn longest(&self) -> u64 {
        match self {
            ListsBy::Strided(strided) => strided.length(),
            ListsBy::Slice(offsets) => longest_of(offsets),
            ListsBy::Buffer(_) => u64::MAX,
        }
    }
}

impl Contest {
    /// The kernels by a kind of teams.
    fn by_teams(&self, kind: usize) -> Result<&Lists> {
        let (made, limits) = (&self.lists[kind], &self.context.limits);
        if let Some(lists) = made.get() {
            return Ok(lists);
        }
        let (wanted, bytes) = (self.ranks.wanted, 4 * self.ranks.words as u64);
        let rules = ListRules::of(limits, self.context.tuning(), wanted, bytes, kind)?;
        let texts = ListTexts::of(self.dtype, &rules, &self.ranks.wgsl);
        Ok(made.get_or_init(|| Lists { rules, texts }))
    }

    /// The kernels for these answers.
    fn lists(&self, by: &ListsBy<'_>) -> Result<&Lists> {
        let (wanted, longest) = (self.ranks.wanted, by.longest());
        let (answers, adjacent) = match by {
            ListsBy::Strided(strided) => (strided.answers(), is_adjacent(&strided.reduced)),
            ListsBy::Slice(offsets) => (offsets.len() as u64 - 1, true),
            ListsBy::Buffer(_) => (1, true),
        };
        let mut kind = kind_of(wanted, answers, longest, adjacent);
        loop {
            let lists = self.by_teams(kind)?;
            let fits = match by {
                ListsBy::Strided(strided) => lists.rules.trips_of(strided) <= TRIPS_MAX,
                ListsBy::Slice(_) | ListsBy::Buffer(_) => lists.rules.longest >= longest,
            };
            match larger(kind).filter(|_| !fits) {
                Some(larger) => kind = larger,
                None => return Ok(lists),
            }
        }
    }

    /// Makes ready what leaves the best elements of each answer, dense.
    fn prepared_each(&self, input: &Ranges<'_>, answers: &ListsBy<'_>, to: &BestTo<'_>) -> Result<Prepared> {
        let (pieces, buffers) = input.pieces()?;
        let elements = Spans { pieces: &pieces, buffers: &buffers };
        match answers {
            ListsBy::Strided(strided) => self.strided(&elements, strided, to),
            ListsBy::Buffer(offsets) => self.by_buffer(&elements, offsets, to),
            ListsBy::Slice(offsets) => self.by_slice(&elements, offsets, to),
        }
    }

    /// Elements of an answer that are neighbours, at most, by the kernels for these answers.
    pub fn longest(&self, by: &ListsBy<'_>) -> Result<u64> {
        Ok(self.lists(by)?.rules.longest)
    }

    /// Whether an invocation has the trips for an answer of this view, and a binding the room.
    pub fn fits(&self, strided: &Strided) -> Result<bool> {
        let limits = &self.context.limits;
        let (low, high) = Strided { kept: vec![], ..strided.clone() }.span();
        let bytes = (high - low + 1) * i128::from(self.dtype.bytes()) + 2 * i128::from(limits.storage_alignment);
        let trips = self.lists(&ListsBy::Strided(strided))?.rules.trips_of(strided);
        Ok(trips <= TRIPS_MAX && bytes <= limits.binding_bytes_max.into())
    }

    /// Elements that a list has room for: as many as are wanted, or as an answer has at most.
    pub fn room(&self, divided: &ListsBy<'_>) -> u32 {
        divided.longest().clamp(1, self.ranks.wanted.into()) as u32
    }

    /// Words of a list with so much room, and its count.
    pub fn list_words(&self, room: u32) -> usize {
        room as usize * (self.ranks.words + 2) + 1
    }

    /// Submits what finds the best elements of each answer.
    pub fn submit_each(&self, input: &Ranges<'_>, divided: &ListsBy<'_>, answers: u64) -> Result<PendingLists> {
        let room = self.room(divided);
        let words = self.list_words(room);
        // With a seal.
        let bytes = u128::from(answers) * (words as u128 + 1) * 4;
        if bytes > self.context.device.limits().max_buffer_size.into() {
            return Err(Error::TooManyAnswers { answers, bytes });
        }
        let readback = Readback::new(&self.context, answers, vec![words])?;
        let (to, _) = readback.destination(0);
        let words = Words { buffer: to.buffer, bytes: 0..to.buffer.size() };
        let to = BestTo { room, ..self.to(words, true, Some(to.seal)) };
        let prepared = self.prepared_each(input, divided, &to)?;
        let longest = self.longest(divided)?;
        Ok(PendingLists { pending: self.context.sent(&prepared, readback)?, room, longest })
    }

    /// Bytes of an element, and of an answer.
    fn sizes(&self, to: &BestTo<'_>) -> (u64, u64) {
        (self.dtype.bytes(), to.bytes(4 * self.ranks.words as u64))
    }

    fn strided(&self, elements: &Spans<'_>, strided: &Strided, to: &BestTo<'_>) -> Result<Prepared> {
        let (answers, length) = (strided.answers(), strided.length());
        let Lists { rules, texts } = self.lists(&ListsBy::Strided(strided))?;
        let refused = match rules.trips_of(strided) <= TRIPS_MAX {
            true => match rules.strided(&self.context.limits, elements.pieces, strided, self.sizes(to)) {
                Ok(passes) => return self.context.lists((texts, rules), &passes, elements.buffers, to),
                Err(error) => error,
            },
            false => Error::ListTooLong { answer: 0, most: rules.longest },
        };
        // Long rows, and few that no binding holds or that end in another buffer.
        if answers > LONG_MAX || !is_adjacent(&strided.reduced) {
            return Err(refused);
        }
        let row = |answer: u64| (answer, strided.place(answer)..strided.place(answer) + length);
        let all = self.long(elements, (0..answers).map(row), to)?;
        Ok(Prepared::all(self.context.clone(), &all))
    }

    /// Each of these answers, of elements that are neighbours, by rounds of its own.
    fn long(
        &self,
        elements: &Spans<'_>,
        answers: impl Iterator<Item = (u64, Range<u64>)>,
        to: &BestTo<'_>,
    ) -> Result<Vec<Prepared>> {
        let (_, each) = self.sizes(to);
        let one = |(answer, places): (u64, Range<u64>)| {
            let mut taken = Taken::default();
            taken.skip(elements.pieces, places.start);
            let pieces = taken.take(elements.pieces, places.end - places.start);
            let start = to.words.bytes.start + answer * each;
            let to = BestTo { words: Words { buffer: to.words.buffer, bytes: start..start + each }, ..to.clone() };
            self.prepared_to(&pieces, elements.buffers, &to)
        };
        answers.map(one).collect()
    }

    /// Segments by offsets that the device alone sees.
    fn by_buffer(&self, elements: &Spans<'_>, offsets: &Ranges<'_>, to: &BestTo<'_>) -> Result<Prepared> {
        let (found, at) = offsets.pieces()?;
        let [piece] = found[..] else { return Err(Error::OffsetsApart { ranges: found.len() as u64 }) };
        let Lists { rules, texts } = self.lists(&ListsBy::Buffer(offsets))?;
        let passes = rules.segments(&self.context.limits, elements.pieces, piece, u64::MAX, self.sizes(to))?;
        self.context.lists((texts, rules), &passes, &[elements.buffers, &at].concat(), to)
    }

    /// Segments by offsets of the host: neighbours in one range together, as many elements as a binding holds; by rounds those that are long, that
    /// no binding holds, or that end in another range.
    fn by_slice(&self, elements: &Spans<'_>, offsets: &[u64], to: &BestTo<'_>) -> Result<Prepared> {
        let limits = &self.context.limits;
        let Lists { rules, texts } = self.lists(&ListsBy::Slice(offsets))?;
        let (element, each) = self.sizes(to);
        let bound = (limits.binding_bytes_max - limits.storage_alignment) / element;
        let most = bound.min((self.context.device.limits().max_buffer_size / 4).saturating_sub(1));
        let mut ends = vec![];
        elements.pieces.iter().fold(0, |before, piece| {
            ends.push(before + piece.elements);
            before + piece.elements
        });
        let (mut all, mut long) = (vec![], vec![]);
        for batch in together(offsets, most) {
            let mut first = batch.start;
            while first < batch.end {
                let begin = offsets[first];
                let end = ends.get(ends.partition_point(|&end| end <= begin)).copied().unwrap_or(begin);
                let fit = offsets[first + 1..=batch.end].partition_point(|&offset| offset <= end);
                let alone = fit == 0 || offsets[first + 1] - begin > rules.longest.min(bound);
                let count = if alone { 1 } else { fit };
                let here = &offsets[first..=first + count];
                if alone {
                    long.push((first as u64, here[0]..here[1]));
                } else {
                    let longest = longest_of(here);
                    let (pieces, buffer) = cut(&self.context, elements.pieces, here)?;
                    let of_offsets = Piece::of(0, 0, here.len() as u64);
                    let passes = rules.segments(limits, &pieces, of_offsets, longest, self.sizes(to))?;
                    let at = |segment: usize| to.words.bytes.start + segment as u64 * each;
                    let words = Words { buffer: to.words.buffer, bytes: at(first)..at(first + count) };
                    let buffers = [elements.buffers, &[&buffer]].concat();
                    all.push(self.context.lists((texts, rules), &passes, &buffers, &BestTo { words, ..to.clone() })?);
                    // Of those among them that are long the kernel has told nothing.
                    let told = (first as u64..).zip(here.windows(2));
                    let longer = told.filter(|(_, pair)| pair[1] - pair[0] > rules.longest);
                    long.extend(longer.map(|(segment, pair)| (segment, pair[0]..pair[1])));
                }
                first += count;
            }
        }
        if long.len() as u64 > LONG_MAX {
            return Err(Error::ViewTooScattered { most: LONG_MAX as usize });
        }
        all.extend(self.long(elements, long.into_iter(), to)?);
        Ok(Prepared::all(self.context.clone(), &all))
    }
}

impl<T: Scalar> Ranker<T> {
    /// Records what finds the best elements of each of [rows](crate::Input::rows), [axes](crate::Input::over) or
    /// [segments](crate::Input::segments); the answers are dense in `output`, each as [`Ranker::record`] leaves one, its indices those in the
    /// row, the axis or the segment.
    ///
    /// A team of 16 to 256 invocations finds an answer, reading its elements once: the first give a bound, and of the others few are within it. Where
    /// they rise, or more than 32 are wanted and many are equal, so that a list has no room for those that are, it reads them again; where that is of
    /// no use either, a second kernel reads them once for each eight bits of a rank and three times more, at most. Rows, and segments whose offsets
    /// are a slice, that are longer than an invocation has loop trips for (360,000 to 590,000 elements, by the bytes of a rank; where a workgroup
    /// has 64 invocations a quarter of that), that no binding holds
    /// or that end in another buffer have rounds of their own, as whole inputs do. Of segments by a buffer of offsets none may be so long, and one
    /// binding must hold the input: all words of a longer one are ones, its count too.
    ///
    /// Source: a list behind a bound, as in Faiss (J. Johnson, M. Douze, H. Jégou, Billion-scale similarity search with GPUs, 2017), whose queues
    /// stand in registers; radix selection, as for whole inputs, where more than 32 elements are wanted.
    ///
    /// ```no_run
    /// # fn frame(top: &treefold::Ranker<f32>, encoder: &mut wgpu::CommandEncoder, logits: &wgpu::Buffer, best: &wgpu::Buffer)
    /// # -> treefold::Result<()> {
    /// use treefold::Input;
    /// top.record_each(encoder, Input::from(logits).rows(50_257), best)?; // the best tokens of each of them
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Ranker::record`]; [`Error::RaggedRows`], [`Error::ViewOutside`]; [`Error::ViewTooScattered`] of views and segments that lie in several
    /// buffers, or more than 4096 answers that take rounds; [`Error::ListTooLong`] of columns and their like; of segments [`Error::NoOffsets`],
    /// [`Error::OffsetsFall`], [`Error::OffsetsOutside`], [`Error::OffsetsApart`]; [`Error::SegmentsInPlace`] of an output in a buffer that is read;
    /// [`Error::TooManyAnswers`]; [`Error::NotListed`] of groups, and of what the device counts.
    pub fn record_each<'i>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        each: Each<'_, T>,
        output: impl Into<Output<'i>>,
    ) -> Result<()> {
        self.prepare_each(each, output)?.record(encoder)
    }

    /// Makes ready what [`Ranker::record_each`] would record.
    ///
    /// # Errors
    /// As for [`Ranker::record_each`].
    pub fn prepare_each<'i>(&self, each: Each<'_, T>, output: impl Into<Output<'i>>) -> Result<Prepared> {
        let (answers, output) = (each.count()?, output.into());
        let bytes = output.claim(self.operator, self.output_words(), answers)?;
        let divided = each.divided(answers)?;
        let offsets = if let Divided::Segments(segments) = &divided { Some(segments.reads()) } else { None };
        ensure_apart(std::iter::once(&each.input.ranges).chain(offsets.into_iter().flatten()), output.buffer, &bytes)?;
        if answers == 0 {
            return Ok(Prepared::nothing(self.contest.context.clone()));
        }
        let to = self.contest.to(Words { buffer: output.buffer, bytes }, output.counted, None);
        self.contest.prepared_each(&each.input.ranges, &ListsBy::of(&divided)?, &to)
    }

    /// Submits it; nothing is pending where there are no answers.
    fn submit_each(&self, each: &Each<'_, T>) -> Result<Option<PendingLists>> {
        let answers = each.count()?;
        if answers == 0 {
            return Ok(None);
        }
        let divided = each.divided(answers)?;
        self.contest.submit_each(&each.input.ranges, &ListsBy::of(&divided)?, answers).map(Some)
    }

    /// Submits it and waits for the elements of each answer.
    ///
    /// # Errors
    /// As for [`Ranker::record_each`]; [`Error::Timeout`], [`Error::DeviceLost`]; [`Error::ResultMissing`]; [`Error::ListTooLong`] of a segment by a buffer of offsets.
    pub fn reduce_each(&self, each: Each<'_, T>) -> Result<Vec<Ranked<T>>> {
        may_block("Ranker::reduce_each", "Ranker::reduce_each_async")?;
        match self.submit_each(&each)? {
            Some(PendingLists { pending, room, longest }) => {
                ranked_each(&pending.wait(&self.contest.context)?, room, longest)
            }
            None => Ok(vec![]),
        }
    }

    /// Submits it; the future brings the elements of each answer.
    ///
    /// # Errors
    /// As for [`Ranker::reduce_each`].
    pub fn reduce_each_async(&self, each: Each<'_, T>) -> AnswerFuture<Vec<Ranked<T>>> {
        let (submitted, context) = (self.submit_each(&each), self.contest.context.clone());
        Box::pin(async move {
            match submitted? {
                Some(PendingLists { pending, room, longest }) => {
                    ranked_each(&pending.results(&context, Waiting::Yielding).await?, room, longest)
                }
                None => Ok(vec![]),
            }
        })
    }
}

/// Lists under way.
pub(super) struct PendingLists {
    pub pending: Pending,
    /// Elements that each has room for.
    pub room: u32,
    /// Elements of the longest answer of which anything is told.
    longest: u64,
}

/// Elements of the longest segment.
fn longest_of(offsets: &[u64]) -> u64 {
    offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
}

/// The elements of each of many answers, by lists of so much room; of one that was too long its count is all ones.
fn ranked_each<T: Scalar>(results: &[Vec<u32>], room: u32, most: u64) -> Result<Vec<Ranked<T>>> {
    let one = |(answer, words): (u64, &Vec<u32>)| match words.last() {
        Some(&u32::MAX) => Err(Error::ListTooLong { answer, most }),
        _ => found_in(words, room),
    };
    (0..).zip(results).map(one).collect()
}
