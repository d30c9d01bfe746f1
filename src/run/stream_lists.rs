//! Lists of the best elements of many answers over elements that come in parts, on a device.

use super::jobs::few_answers;
use super::rank::Contest;
use super::rank_each::{ListsBy, PendingLists};
use super::stream_each::PartView;
use crate::device::may_block;
use crate::element::Element;
use crate::error::Result;
use crate::input::{Dim, Input, Ranges, offset, product};

/// Elements of a list, at most: a part of long rows, or of a few columns, has lists enough for a device then.
const LIST: u64 = 1 << 16;
/// Bytes of lists that are fetched at a time.
const FETCHED_BYTES: u64 = 16 << 20;

impl Contest {
    /// Finds the best elements of each answer of a box in a part that begins at this place; `put` gets the answer and the words of an accumulator.
    pub fn of_box<T: Element>(
        &self,
        input: &Input<'_, T>,
        begin: u64,
        whole: &PartView,
        put: &mut dyn FnMut(u64, Vec<u32>),
    ) -> Result<()> {
        let strided = whole.strided(begin);
        let together = self.together(self.room(&ListsBy::Strided(&strided)));
        let mut longest = LIST.min(self.longest(&ListsBy::Strided(&strided))?);
        let boxes = loop {
            let boxes = whole.clone().in_lists(longest);
            // Elements that lie in several dimensions take more trips, those that lie far apart a longer binding.
            let fit = boxes.iter().try_fold(true, |all, one| Ok(all && self.fits(&one.strided(begin))?))?;
            if fit || longest == 1 {
                break boxes;
            }
            longest /= 2;
        };
        for one in boxes {
            let mut numbers = 0..;
            for block in few_answers(one.strided(begin), together) {
                let (lists, room) = self.fetched(&input.ranges, &ListsBy::Strided(&block), block.answers())?;
                // A number is taken for a list that is there.
                for (words, list) in lists.iter().zip(numbers.by_ref()) {
                    let first = one.position.wrapping_add_signed(offset(&one.positions, list));
                    let answer = one.answer.wrapping_add_signed(offset(&one.answers, list));
                    put(answer, (self.ranks.accumulator)(room, words, first));
                }
            }
        }
        Ok(())
    }

    /// The words of an accumulator of each segment of a part; the first segment's elements have this place and the next ones.
    pub fn of_segments<T: Element>(
        &self,
        input: &Input<'_, T>,
        offsets: &[u64],
        position: u64,
    ) -> Result<Vec<Vec<u32>>> {
        let mut all = Vec::new();
        let (segments, most) = (offsets.len() - 1, self.together(self.room(&ListsBy::Slice(offsets))) as usize);
        for first in (0..segments).step_by(most) {
            let here = &offsets[first..=(first + most).min(segments)];
            let (lists, room) = self.fetched(&input.ranges, &ListsBy::Slice(here), here.len() as u64 - 1)?;
            let place = |segment: usize| if segment == 0 { position } else { 0 };
            let words = (first..).zip(&lists);
            all.extend(words.map(|(segment, words)| (self.ranks.accumulator)(room, words, place(segment))));
        }
        Ok(all)
    }

    /// Lists of so much room that are fetched at a time.
    fn together(&self, room: u32) -> u64 {
        let bytes = FETCHED_BYTES.min(self.context.device.limits().max_buffer_size);
        // With a seal.
        (bytes / (4 * (self.list_words(room) as u64 + 1))).max(1)
    }

    /// The lists of answers, and the room of each.
    fn fetched(&self, input: &Ranges<'_>, divided: &ListsBy<'_>, answers: u64) -> Result<(Vec<Vec<u32>>, u32)> {
        may_block("a stream of lists", "Ranker::reduce_each_async")?;
        let PendingLists { pending, room, .. } = self.submit_each(input, divided, answers)?;
        Ok((pending.wait(&self.context)?, room))
    }
}

impl PartView {
    /// The same as boxes of no more elements of an answer: what is left of one stands beside it, as another answer that is merged with it.
    fn in_lists(mut self, longest: u64) -> Vec<PartView> {
        if self.positions.is_empty() {
            self.positions = self.kept.iter().map(|dim| Dim { stride: 0, ..*dim }).collect();
        }
        if product(&self.reduced) <= longest {
            return vec![self];
        }
        let outer = self.reduced.remove(0);
        let inner = product(&self.reduced);
        let step = (longest / inner.max(1)).clamp(1, outer.length);
        let (count, rest) = (outer.length / step, outer.length % step);
        let lists = [(0, count, step), (count * step, 1, rest)].into_iter().filter(|&(_, _, length)| length > 0);
        let boxes = lists.map(|(first, count, length)| {
            let mut one = self.clone();
            one.place += first * outer.stride as u64;
            one.position += first * inner;
            one.reduced.insert(0, Dim { length, stride: outer.stride });
            one.kept.insert(0, Dim { length: count, stride: outer.stride * length as i64 });
            one.answers.insert(0, Dim { length: count, stride: 0 });
            one.positions.insert(0, Dim { length: count, stride: (inner * length) as i64 });
            one.reduced.retain(|dim| dim.length > 1);
            one
        });
        boxes.flat_map(|one| one.in_lists(longest)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists have every element of a box once, of its own answer and at its place there, and are no longer and no more than they may be.
    #[test]
    fn lists_have_every_element() {
        let dim = |length, stride| Dim { length, stride };
        // A box of 3 x 5 x 4 x 7 elements; of each dimension whether it is kept.
        let lengths = [3u64, 5, 4, 7];
        for kept in 0..16u32 {
            let mut view = PartView { place: 1000, answer: 50, position: 70, ..PartView::default() };
            let (mut place, mut answer, mut position) = (1i64, 1i64, 1i64);
            let mut dims = vec![];
            for (at, &length) in lengths.iter().enumerate().rev() {
                let is_kept = kept >> at & 1 == 1;
                dims.push((length, place, is_kept, if is_kept { answer } else { position }));
                *if is_kept { &mut answer } else { &mut position } *= length as i64;
                place *= length as i64;
            }
            for &(length, place, is_kept, along) in dims.iter().rev() {
                if is_kept {
                    view.kept.push(dim(length, place));
                    view.answers.push(dim(length, along));
                } else {
                    view.reduced.push(dim(length, place));
                }
            }
            let all = |view: &PartView, answers: u64| {
                let (mut all, mut list) = (vec![], 0);
                for block in few_answers(view.strided(0), answers) {
                    assert!(block.answers() <= answers, "{block:?}");
                    for at in 0..block.answers() {
                        let first = view.position as i64 + offset(&view.positions, list);
                        for index in 0..block.length() {
                            let place = block.place(at) as i64 + offset(&block.reduced, index);
                            all.push((place, view.answer as i64 + offset(&view.answers, list), first + index as i64));
                        }
                        list += 1;
                    }
                }
                all
            };
            let mut want = all(&view, 1000);
            want.sort_unstable();
            for (longest, answers) in [(1000, 1000), (1, 1000), (1000, 1), (1, 1), (6, 11), (29, 2), (7, 3)] {
                let boxes = view.clone().in_lists(longest);
                assert!(boxes.iter().all(|one| one.strided(0).length() <= longest), "{boxes:?}");
                let mut got: Vec<_> = boxes.iter().flat_map(|one| all(one, answers)).collect();
                got.sort_unstable();
                assert_eq!(got, want, "{kept:b} {longest} {answers}");
            }
        }
    }
}
