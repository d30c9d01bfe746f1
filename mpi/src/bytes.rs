//! Bytes of partials through MPI: an operation of one's own where all have as many bytes, a gathering where they have not.

use crate::error::{Error, Result};
use crate::ranks::Ranks;
use mpi::collective::UnsafeUserOperation;
use mpi::datatype::{MutView, PartitionMut, UserDatatype, View};
use mpi::ffi::MPI_Datatype;
use mpi::traits::{AsRaw, CommunicatorCollectives, Equivalence, Root};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// The bytes of the left ranks' partial followed by the right one's, or why there are none; as many as either has.
pub type Merge = Arc<dyn Fn(&[u8], &[u8]) -> std::result::Result<Vec<u8>, String> + Send + Sync>;

/// The result of a call, by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToAll,
    To(i32),
    /// Of the ranks up to each.
    Inclusive,
    /// Of the ranks before each.
    Exclusive,
}

impl Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Way::ToAll => f.write_str("for all ranks"),
            Way::To(root) => write!(f, "for rank {root}"),
            Way::Inclusive => f.write_str("up to each rank"),
            Way::Exclusive => f.write_str("before each rank"),
        }
    }
}

/// Room for the words of an error in place of a partial.
const WORDS: usize = 255;
/// The first byte of a frame that holds a partial, and of one that holds an error.
const GOOD: u8 = 1;
const FAILED: u8 = 0;

/// The merges under way, by the datatype of their frames, which is all that MPI hands to an operation.
static MERGES: Mutex<BTreeMap<usize, UnderWay>> = Mutex::new(BTreeMap::new());

#[derive(Clone)]
struct UnderWay {
    /// Bytes of a partial.
    length: usize,
    merge: Merge,
}

/// Bytes of the frame of a partial: what it is, then the partial or an error.
fn frame_bytes(length: usize) -> usize {
    1 + length.max(WORDS)
}

impl UnderWay {
    /// Puts the two frames together in the place of the right one.
    fn combine(&self, left: &[u8], right: &mut [u8]) {
        let failed = [left, right].into_iter().find(|frame| frame.first() != Some(&GOOD)).map(<[u8]>::to_vec);
        if let Some(failed) = failed {
            right.copy_from_slice(&failed);
            return;
        }
        let (from, to) = (1, 1 + self.length);
        match (self.merge)(&left[from..to], &right[from..to]) {
            Ok(merged) if merged.len() == self.length => right[from..to].copy_from_slice(&merged),
            Ok(merged) => fail(right, &format!("a merge of {} bytes each has {}", self.length, merged.len())),
            Err(message) => fail(right, &message),
        }
    }

    /// The partial or the error of a frame.
    fn read(&self, frame: &[u8]) -> std::result::Result<Vec<u8>, String> {
        match frame.first() {
            Some(&GOOD) => Ok(frame[1..1 + self.length].to_vec()),
            _ => Err(String::from_utf8_lossy(&frame[1..]).trim_end_matches('\0').into()),
        }
    }
}

fn fail(frame: &mut [u8], message: &str) {
    frame.fill(FAILED);
    let end = message.len().min(frame.len() - 1);
    frame[1..=end].copy_from_slice(&message.as_bytes()[..end]);
}

/// The operation: `right[i] = left[i]` followed by `right[i]`.
///
/// # Safety
/// As MPI calls it: both have `count` elements of the datatype, which are as many frames of a merge under way.
unsafe extern "C" fn operation(left: *mut c_void, right: *mut c_void, count: *mut c_int, datatype: *mut MPI_Datatype) {
    // SAFETY: MPI hands over pointers to both numbers.
    let (count, datatype) = unsafe { (*count as usize, (*datatype).0 as usize) };
    let merges = MERGES.lock().unwrap_or_else(PoisonError::into_inner);
    // MPI keeps to the datatypes of the calls that are under way.
    let Some(under_way) = merges.get(&datatype).cloned() else { return };
    drop(merges);
    let frame = frame_bytes(under_way.length);
    // SAFETY: so many contiguous bytes are `count` elements of the datatype; the two do not overlap.
    let (left, right) = unsafe {
        (
            std::slice::from_raw_parts(left.cast::<u8>(), count * frame),
            std::slice::from_raw_parts_mut(right.cast::<u8>(), count * frame),
        )
    };
    for (left, right) in left.chunks_exact(frame).zip(right.chunks_exact_mut(frame)) {
        under_way.combine(left, right);
    }
}

impl<C: CommunicatorCollectives> Ranks<'_, C> {
    /// Merges the bytes of all ranks, which have agreed on their number, in the ranks' order; `None` on ranks that get nothing.
    pub(crate) fn combine(&self, way: Way, own: &[u8], merge: Merge) -> Result<Option<Vec<u8>>> {
        let (length, bytes) = (own.len(), frame_bytes(own.len()));
        let count = i32::try_from(bytes).map_err(|_| Error::TooLarge { what: "a partial", bytes: bytes as u64 })?;
        let mut sent = vec![GOOD];
        sent.extend(own);
        sent.resize(bytes, 0);
        let mut got = vec![0; bytes];
        let frame = UserDatatype::contiguous(count, &u8::equivalent_datatype());
        let key = frame.as_raw().0 as usize;
        let under_way = UnderWay { length, merge };
        MERGES.lock().unwrap_or_else(PoisonError::into_inner).insert(key, under_way.clone());
        self.combine_frames(way, &sent, &mut got, &frame);
        MERGES.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        let nothing = match way {
            Way::ToAll | Way::Inclusive => false,
            Way::To(root) => self.rank() != root,
            Way::Exclusive => self.rank() == 0,
        };
        let outcome = if nothing { Ok(None) } else { under_way.read(&got).map(Some) };
        // The others do not see what one sees.
        self.agree(outcome.as_ref().map(|_| "").map_err(String::as_str))?;
        Ok(outcome.unwrap_or_default())
    }

    fn combine_frames(&self, way: Way, sent: &Vec<u8>, got: &mut Vec<u8>, frame: &UserDatatype) {
        // SAFETY: the function upholds what MPI asks of one, for frames of this datatype; merges are associative.
        let operation = unsafe { UnsafeUserOperation::associative(operation) };
        let operation = &operation;
        // SAFETY: either has the bytes of one frame.
        let (sent, mut got) =
            unsafe { (View::with_count_and_datatype(sent, 1, frame), MutView::with_count_and_datatype(got, 1, frame)) };
        let (sent, got) = (&sent, &mut got);
        let what = "the partials of other ranks";
        mpi::request::scope(|scope| match way {
            Way::ToAll => self.wait(what, self.comm.immediate_all_reduce_into(scope, sent, got, operation)),
            Way::Inclusive => self.wait(what, self.comm.immediate_scan_into(scope, sent, got, operation)),
            Way::Exclusive => self.wait(what, self.comm.immediate_exclusive_scan_into(scope, sent, got, operation)),
            Way::To(root) => {
                let process = self.comm.process_at_rank(root);
                if self.rank() == root {
                    self.wait(what, process.immediate_reduce_into_root(scope, sent, got, operation));
                } else {
                    self.wait(what, process.immediate_reduce_into(scope, sent, operation));
                }
            }
        });
    }

    /// The bytes of each rank, in their order, on rank `root`; `None` on the others.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Failed`] where no rank has that number.
    pub fn gather(&self, root: i32, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        self.ensure_rank(root).map_err(|message| Error::Failed { rank: self.rank(), message })?;
        let (what, own_length) = ("what ranks have", [own.len() as u64]);
        let mut lengths = vec![0u64; self.size() as usize];
        mpi::request::scope(|scope| {
            self.wait(what, self.comm.immediate_all_gather_into(scope, &own_length, &mut lengths[..]));
        });
        let all = lengths.iter().fold(0u64, |all, &length| all.saturating_add(length));
        i32::try_from(all).map_err(|_| Error::TooLarge { what, bytes: all })?;
        let process = self.comm.process_at_rank(root);
        if self.rank() != root {
            mpi::request::scope(|scope| self.wait(what, process.immediate_gather_varcount_into(scope, own)));
            return Ok(None);
        }
        let counts: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
        let begin = |all: &mut i32, &count: &i32| Some(std::mem::replace(all, *all + count));
        let begins: Vec<i32> = counts.iter().scan(0, begin).collect();
        let mut bytes = vec![0; all as usize];
        let mut parts = PartitionMut::new(&mut bytes[..], &counts[..], &begins[..]);
        mpi::request::scope(|scope| {
            self.wait(what, process.immediate_gather_varcount_into_root(scope, own, &mut parts));
        });
        let part = |(&begin, &count): (&i32, &i32)| bytes[begin as usize..(begin + count) as usize].to_vec();
        Ok(Some(begins.iter().zip(&counts).map(part).collect()))
    }
}
