//! An operator as plans and shaders see it: its folds, flat and without repetition, and its answers; data without types.

use super::names::{check_element, check_names};
use super::wgsl::Cell;
use super::{Accumulator, DeviceAnswer, Fold, Member, Op, Text, Trips, Wgsl};
use crate::element::{Dtype, Element};
use crate::error::{Error, Result};
use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The way in which a fold with several kernels keeps its accumulator while it reads: the same bits whichever is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// In bins that a workgroup shares, added to by atomics, in so many replicas that neighbouring lanes do not meet. For GPUs. Sums that
    /// an f64 holds, of f16, have none.
    Bins {
        /// Replicas of every bin: 1 to 32, a power of two.
        replicas: u32,
        /// Whether products are those of 64-bit integers: the device has `SHADER_INT64`.
        words64: bool,
        /// Whether sums may stay in an f64 meanwhile, as long as it holds them exactly: the device has `SHADER_F64`, and it is fast.
        float64: bool,
    },
    /// In each invocation's own words. For CPUs, and where workgroup atomics fail.
    Registers,
    /// The same with one 64-bit integer, where the device has `SHADER_INT64`.
    Registers64,
    /// In values that lanes exchange, of which an invocation may hold several: for many answers.
    Values {
        /// Whether they may be integers of 64 bits: the device has `SHADER_INT64`.
        words64: bool,
    },
    /// In cells of workgroup memory, one for each of many groups and replica, added to by atomics.
    Cells,
    /// Counts of bins in so many bytes of workgroup memory, a slice of them: neighbouring workgroups read the same elements and count
    /// in other slices. Where one workgroup has no room for all bins.
    Slices {
        /// Bytes of the counters of a workgroup.
        bytes: u32,
    },
    /// Counts of bins in the device's memory, a partial for each workgroup: where slices of them would be too many.
    Memory,
}

impl Keep {
    /// Whether its kernels may have 64-bit integers.
    pub fn words64(self) -> bool {
        matches!(self, Keep::Registers64 | Keep::Bins { words64: true, .. } | Keep::Values { words64: true })
    }
}

/// The kernel of a fold.
#[derive(Clone, Debug)]
pub enum Device {
    /// An accumulator in each invocation, combined within the workgroup.
    Value(Wgsl),
    /// Counters that a workgroup shares.
    Bins(Bins),
}

/// A fold into counters in workgroup memory: see shaders/bins/.
#[derive(Clone, Debug)]
pub struct Bins {
    /// Constants that its texts use, in WGSL.
    pub constants: String,
    /// Declarations that answers may use too.
    pub helpers: Vec<&'static str>,
    /// The text that makes sums of columns, in both passes, where they are carried.
    pub settle: Option<&'static str>,
    /// Texts of the pass that reads elements: `State`, `accumulate`, `column_of_bins`, ….
    pub read: Vec<Text>,
    /// `settle_bins`, where one workgroup has read everything.
    pub settle_bins: &'static str,
    /// `settle_columns`, behind the sums of all partials, where they are carried: counts are added as they are.
    pub settle_columns: Option<&'static str>,
    /// Counters of one replica; of a slice, where there are slices.
    pub bins: u64,
    /// Replicas; 0: counters lie in the device's memory.
    pub replicas: u32,
    /// Slices of the bins, each counted by workgroups of its own; 0: every workgroup counts in all bins.
    pub slices: u32,
    /// Whether a counter has 64 bits.
    pub wide: bool,
    /// Counters that are the words of one number, each of which takes what the one before carries; 1 where none does.
    pub words: u64,
    /// Whether the upper half counts what is negative.
    pub signed: bool,
    /// Columns of four words that a partial has.
    pub columns: u64,
    /// Whether one workgroup must settle all columns, in [`Bins::settle_bytes`] of its memory.
    pub carries: bool,
    /// Loop trips of adding the elements of a vector; 0: those of each.
    pub vector_trips: u64,
    /// Loop trips of adding one element, of settling, and of one column.
    pub trips: (u64, u64, u64),
    /// Elements that one replica of a counter takes without overflow.
    pub elements_max: u64,
    /// Whether twice as many loads as a launch policy has in flight are better.
    pub more_loads: bool,
    /// Folds with bins that an operator must have for sums to be faster that stay in an f64 meanwhile; none where they are never.
    pub float64: Option<usize>,
    /// Whether its texts take vectors in pairs: shaders/exact/float64_pair.wgsl.
    pub pairs: bool,
    /// Whether many answers are found as quickly by accumulators of invocations, which need no workgroup each.
    pub many_by_value: bool,
    /// Whether answers that have a text for it take a narrow sum (shaders/exact/narrow.wgsl) of what all invocations have carried.
    pub narrow: bool,
}

impl Bins {
    /// 64-bit sums that the replicas are folded to.
    pub fn sums(&self) -> u64 {
        if self.signed { self.bins / 2 } else { self.bins }
    }

    /// Whether the sums that replicas are folded to have 64 bits.
    pub fn wide_sums(&self) -> bool {
        self.wide || self.signed || self.words > 1
    }

    /// Bytes of workgroup memory of settling: columns; of narrow sums limbs too, of which there may be one more, and four bits for each.
    pub fn settle_bytes(&self) -> u64 {
        let limbs = if self.narrow { self.columns + 1 } else { 0 };
        16 * self.columns + 4 * limbs + 16 * limbs.div_ceil(32)
    }

    /// Bytes of workgroup memory, flags included.
    pub fn workgroup_bytes(&self) -> u64 {
        if self.slices > 0 {
            return 4 * self.bins;
        }
        let counters = self.bins * u64::from(self.replicas) * if self.wide { 8 } else { 4 };
        let sums = if self.wide_sums() { 8 * self.sums() } else { 8 };
        counters + sums + 8 + if self.carries { self.settle_bytes() } else { 0 }
    }
}

/// The properties that folds must share to be one on the device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FoldKey {
    fold: TypeId,
    dtype: Dtype,
    kind: String,
}

/// Finds the canonical words of a slice of elements, given as bytes.
type Expect = Arc<dyn Fn(&[u8]) -> Vec<u32> + Send + Sync>;

/// One fold of an operator.
#[derive(Clone)]
pub struct Leaf {
    /// The key that makes it one with others.
    pub key: FoldKey,
    /// Its kernel.
    pub device: Device,
    /// The declaration of its accumulator in WGSL.
    pub declaration: &'static str,
    /// The accumulator's members.
    pub members: &'static [Member],
    /// The accumulator's words.
    pub words: usize,
    /// Whether its order is free.
    pub commutative: bool,
    /// Whether `lift` reads positions.
    pub reads_position: bool,
    /// Parameters.
    pub params: Vec<u32>,
    /// A table.
    pub table: Vec<u32>,
    /// Whether its kernel must pass a self-test.
    pub tested: bool,
    /// The words that the self-test expects.
    pub expect: Expect,
    /// Its kernel over elements that are read as wider ones.
    pub device_over: Arc<dyn Fn(Dtype) -> Device + Send + Sync>,
    /// The map that makes its elements of those that are read.
    pub map: Option<Arc<ElementMap>>,
    /// The test of those that it takes, where it does not take all that are read.
    pub test: Option<Arc<ElementTest>>,
}

/// The map that makes the elements of a fold of those that are read, as text.
#[derive(Debug)]
pub struct ElementMap {
    /// The type that is read, or that narrow elements are widened to.
    pub from: Dtype,
    /// The type that the fold is over: of 32 bits, unless it makes bits.
    pub to: Dtype,
    /// The body of `fn map_element(x: X) -> Y`; with `place`, of `fn map_element(x: X, i: u32) -> Y`; with `reads_bits`, of one that makes
    /// bits of bits.
    pub body: Text,
    /// Whether it asks for the bits; it is the library's own then.
    pub reads_bits: bool,
    /// Whether it asks for the element's place.
    pub place: bool,
    /// An upper bound of its loop trips.
    pub trips: u64,
    /// The fold over what is made.
    pub bare: Leaf,
}

/// The test of the elements that a fold takes, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementTest {
    /// The type that is read, or that narrow elements are widened to.
    pub of: Dtype,
    /// The body of `fn keep_element(x: X) -> bool`; with `reads_bits`, of `fn keep_element(bits: Bits) -> bool`.
    pub body: Text,
    /// Whether it asks for the bits.
    pub reads_bits: bool,
    /// Whether the text is the library's own: its loops end, and every NaN is as good as any other to it.
    pub own: bool,
    /// An upper bound of its loop trips.
    pub trips: u64,
    /// The kind of the fold over all elements.
    pub kind: String,
}

impl ElementMap {
    /// Whether the neighbours of a load become a load of what is made of them.
    pub fn word_by_word(&self) -> bool {
        self.from.bytes() == 4 && self.to.bytes() == 4
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaf").field("key", &self.key).field("words", &self.words).finish_non_exhaustive()
    }
}

impl Leaf {
    /// Whether the place of an element decides what becomes of it.
    pub fn places(&self) -> bool {
        self.reads_position || self.map.as_ref().is_some_and(|map| map.place)
    }

    /// Whether places in the input show in what is folded.
    pub fn has_positions(&self) -> bool {
        self.places() || self.value().is_some_and(|wgsl| wgsl.offset.is_some())
    }

    /// A fold that is no tuple.
    pub fn of<T: Element, F: Fold<T>>(fold: &F, keep: Keep) -> Leaf {
        let (expecting, over) = (fold.clone(), fold.clone());
        Leaf {
            key: FoldKey { fold: TypeId::of::<F>(), dtype: T::DTYPE, kind: fold.kind() },
            device: fold.device(keep),
            declaration: F::Acc::WGSL,
            members: F::Acc::MEMBERS,
            words: fold.acc_words(),
            commutative: fold.is_commutative(),
            reads_position: fold.needs_position(),
            params: fold.params(),
            table: fold.table(),
            tested: F::TESTED,
            expect: Arc::new(move |bytes| {
                let elements: &[T] = bytemuck::cast_slice(bytes);
                let acc = expecting.canonical(expecting.accumulate(elements, 0));
                let mut words = vec![0; expecting.acc_words()];
                expecting.write_acc(&acc, &mut words);
                words
            }),
            device_over: Arc::new(move |read| over.device_over(keep, read)),
            map: None,
            test: None,
        }
    }

    /// Makes it one of those elements only that pass a test, which is told the kind of the fold over all.
    pub(super) fn sift(&mut self, test: impl FnOnce(String) -> ElementTest) {
        let test = test(self.key.kind.clone());
        self.key.kind = format!("{} where {:?} {}", self.key.kind, test.of, test.body);
        self.test = Some(Arc::new(test));
    }

    /// The same over what the map makes of other elements.
    pub(super) fn behind(self, map: impl FnOnce(Leaf) -> ElementMap) -> Leaf {
        let map = map(self.clone());
        // All of the type that is read: two of a program's own may share a name.
        let kind = format!("{} {:?} {} {} {}", self.key.kind, map.from, map.to, map.place, map.body);
        Leaf { key: FoldKey { kind, ..self.key.clone() }, map: Some(Arc::new(map)), ..self }
    }

    /// The same over elements of another type, of which `widen` makes those that it is over.
    pub(super) fn over(&mut self, dtype: Dtype, widen: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) {
        self.key.dtype = dtype;
        if self.map.is_none() {
            self.device = (self.device_over)(dtype);
        }
        let expect = self.expect.clone();
        self.expect = Arc::new(move |bytes| expect(&widen(bytes)));
    }

    /// Upper bounds of its loops.
    pub fn trips(&self) -> Trips {
        let own = match &self.device {
            Device::Value(wgsl) => wgsl.trips,
            Device::Bins(bins) => Trips { lift: bins.trips.0, vector: bins.vector_trips, ..Trips::default() },
        };
        let map = self.map.as_ref().map_or(0, |map| map.trips);
        let test = self.test.as_ref().map_or(0, |test| test.trips);
        let lift = own.lift.saturating_add(map).saturating_add(test);
        // Elements that pass are taken one at a time.
        let vector =
            if self.test.is_some() || own.vector == 0 { 0 } else { own.vector.saturating_add(map.saturating_mul(4)) };
        Trips { lift, vector, ..own }
    }

    /// Whether it asks nothing of elements.
    fn is_blind(&self) -> bool {
        self.value().is_some_and(|wgsl| wgsl.blind)
    }

    /// The type of what it is over, where elements of this type are read.
    pub fn over_type(&self, read: Dtype) -> Dtype {
        self.map.as_ref().map_or(read.wide().unwrap_or(read), |map| map.to)
    }

    /// Whether all loops of its text are known to end: natively a map without declared ones has none.
    fn ends(&self) -> bool {
        let map = self.map.as_ref().is_none_or(|map| map.trips == 0);
        let test = self.test.as_ref().is_none_or(|test| test.trips == 0);
        map && test && self.value().is_none_or(|wgsl| wgsl.checked)
    }

    /// Whether all of its text is the library's own.
    fn checked(&self) -> bool {
        let own = self.map.as_ref().is_none_or(|map| map.reads_bits) && self.test.as_ref().is_none_or(|test| test.own);
        own && self.value().is_none_or(|wgsl| wgsl.checked)
    }

    /// Whether every NaN is as good as any other to it; bins have one flag or one slot for all of them.
    pub fn takes_any_nan(&self) -> bool {
        self.map.is_none()
            && self.test.as_ref().is_none_or(|test| test.own)
            && self.value().is_none_or(|wgsl| wgsl.any_nan || wgsl.blind)
    }

    /// Whether both fold alike: parameters and tables included.
    fn is(&self, other: &Leaf) -> bool {
        self.key == other.key && self.params == other.params && self.table == other.table
    }

    /// Whether its accumulator is counts of bins, which are copied and not finished.
    pub fn counts(&self) -> bool {
        self.bins().is_some_and(|bins| !bins.carries)
    }

    /// Whether it takes vectors as they are read, not the elements of each by themselves.
    fn takes_vectors(&self) -> bool {
        self.test.is_none() && self.map.as_ref().is_none_or(|map| map.word_by_word())
    }

    /// Whether it has an f64 in place of bins.
    pub fn keeps_float64(&self) -> bool {
        self.value().is_some_and(|wgsl| wgsl.float64)
    }

    /// Its kernel, where it adds to bins.
    pub fn bins(&self) -> Option<&Bins> {
        match &self.device {
            Device::Bins(bins) => Some(bins),
            Device::Value(_) => None,
        }
    }

    /// Its form that invocations share, where it has one.
    pub(crate) fn cell(&self) -> Option<&Cell> {
        self.value().filter(|_| !self.places()).and_then(|wgsl| wgsl.cell.as_ref())
    }

    /// Its texts, where it is a value.
    pub fn value(&self) -> Option<&Wgsl> {
        match &self.device {
            Device::Value(wgsl) => Some(wgsl),
            Device::Bins(_) => None,
        }
    }
}

/// Folds whose partials lie together and are combined in one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldGroup {
    /// Values: these folds as one accumulator.
    Values(Vec<usize>),
    /// The bins of this fold.
    Bins(usize),
}

impl FoldGroup {
    /// The folds in it.
    pub fn folds(&self) -> &[usize] {
        match self {
            FoldGroup::Values(folds) => folds,
            FoldGroup::Bins(fold) => std::slice::from_ref(fold),
        }
    }
}

/// An operator without its host half.
#[derive(Clone, Debug)]
pub struct DeviceOp {
    /// Its name.
    pub name: &'static str,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Every fold once.
    pub folds: Vec<Leaf>,
    /// The folds of a tuple in its order, by their numbers.
    pub order: Vec<usize>,
    /// The folds of each answer, and the answer; empty where one of them is missing.
    pub answers: Vec<(Vec<usize>, DeviceAnswer)>,
    /// The way in which the folds keep their accumulators.
    pub keep: Keep,
    /// Whether the device's own conversion widens f16.
    pub unpacks: bool,
}

impl DeviceOp {
    /// Whether an invocation may hold several states of it, and has none in an f64, in whose place there are smaller ones for many answers.
    pub fn holds_many(&self) -> bool {
        self.folds.iter().all(|fold| fold.value().is_some_and(|wgsl| !wgsl.own_memory && !wgsl.float64))
    }

    /// # Errors
    /// [`Error::HostOnly`], [`Error::ReservedName`], [`Error::BadElement`].
    pub fn new<T: Element, O: Op<T>>(op: &O, keep: Keep) -> Result<DeviceOp> {
        if let Some(why) = op.fold().host_only() {
            return Err(Error::HostOnly { operator: op.name(), dtype: T::DTYPE.name(), why });
        }
        let (dtype, bytes, size) = (T::DTYPE.name(), T::DTYPE.bytes(), size_of::<T>() as u64);
        if bytes != size || matches!(T::DTYPE, Dtype::Own(_)) && !matches!(bytes, 4 | 8 | 12 | 16) {
            return Err(Error::BadElement { dtype, bytes, size });
        }
        if let Some(text) = T::DTYPE.brought() {
            check_element(dtype, text)?;
        }
        let (mut leaves, mut answers) = (Vec::new(), Vec::new());
        op.fold().leaves(keep, &mut leaves);
        op.answers(0, &mut answers);
        DeviceOp::of(op.name(), op.fold().reads(), keep, leaves, answers)
    }

    fn of(
        name: &'static str,
        dtype: Dtype,
        keep: Keep,
        leaves: Vec<Leaf>,
        answers: Vec<(Range<usize>, Option<DeviceAnswer>)>,
    ) -> Result<DeviceOp> {
        let (mut folds, mut order): (Vec<Leaf>, Vec<usize>) = (Vec::new(), Vec::new());
        for leaf in leaves {
            let known = folds.iter().position(|fold| fold.is(&leaf));
            order.push(known.unwrap_or(folds.len()));
            if known.is_none() {
                folds.push(leaf);
            }
        }
        for leaf in &folds {
            if let Some(wgsl) = leaf.value().filter(|wgsl| !wgsl.checked) {
                check_names(name, &wgsl.helpers)?;
            }
        }
        // Those that may call functions of elements, of which a text has one type's.
        let over = folds.iter().filter(|fold| !fold.is_blind()).map(|fold| fold.over_type(dtype));
        let mut over = over.filter(|over| !over.wgsl().is_empty());
        let first = over.next();
        if over.any(|other| Some(other) != first) {
            let why = "operators of one read are over numbers of different types, which kernels do not take (a map makes another than the elements' own, or two maps differ); reduce them one by one";
            return Err(Error::HostOnly { operator: name, dtype: dtype.name(), why });
        }
        for answer in answers.iter().filter_map(|(_, answer)| answer.as_ref()).filter(|answer| !answer.checked) {
            check_names(name, &answer.helpers)?;
        }
        let answer = |(leaves, answer): (Range<usize>, Option<DeviceAnswer>)| {
            let of = order[leaves].to_vec();
            let finished = of.len() == 1 || of.iter().all(|&fold| !folds[fold].counts());
            answer.filter(|_| finished).map(|answer| (of, answer))
        };
        let answers: Option<Vec<_>> = answers.into_iter().map(answer).collect();
        Ok(DeviceOp { name, dtype, folds, order, answers: answers.unwrap_or_default(), keep, unpacks: false })
    }

    /// Workgroups that read the same elements, each for a slice of the bins; 0: none do.
    pub fn slices(&self) -> u32 {
        self.folds.iter().filter_map(|fold| fold.bins()).map(|bins| bins.slices).max().unwrap_or(0)
    }

    /// Whether sums of a fold stay in float64, and are faster so.
    pub fn has_float64(&self) -> bool {
        let bins = || self.folds.iter().filter(|fold| fold.takes_vectors()).filter_map(Leaf::bins);
        bins().any(|one| one.float64.is_some_and(|least| bins().count() >= least))
            || self.folds.iter().any(|fold| fold.takes_vectors() && fold.keeps_float64())
    }

    /// Whether an invocation has memory of its own for what it adds up.
    pub fn has_own_memory(&self) -> bool {
        self.folds.iter().any(|fold| fold.value().is_some_and(|wgsl| wgsl.own_memory))
    }

    /// Whether its accumulators are too long for segments and groups, which combine them by value: more than two sums of many words, one of them
    /// longer than half of a lane's 256 registers. RADV (Mesa 22.3) spills up to 1482 registers over them, or ends with a fault.
    pub fn too_long_by_value(&self) -> bool {
        let is_long = |fold: &&Leaf| fold.members.iter().any(|member| member.of == "array");
        let words: Vec<usize> = self.folds.iter().filter(is_long).map(|fold| fold.words).collect();
        words.len() > 2 && words.iter().any(|&words| words > 128)
    }

    /// Whether all answers are over one fold that has narrow sums, which they finish.
    pub fn is_narrow(&self) -> bool {
        let [fold] = &self.folds[..] else { return false };
        (fold.value().is_some_and(|wgsl| wgsl.narrow) || fold.bins().is_some_and(|bins| bins.narrow))
            && self.answers.iter().all(|(_, answer)| !answer.narrow.is_empty())
    }

    /// Whether an answer takes the accumulators of several folds, so that a pass of its own may finish all answers.
    pub fn joined(&self) -> bool {
        self.answers.iter().any(|(folds, _)| folds.len() > 1)
    }

    /// The prefix of the names of an answer: none, where no other answer or fold declares them.
    pub fn answer_prefix(&self, number: usize) -> String {
        let (folds, answer) = &self.answers[number];
        let both = !answer.params.is_empty() && folds.iter().any(|&fold| !self.folds[fold].params.is_empty());
        // Nor need a program know the names of the library's folds.
        let apart = !answer.checked && folds.iter().any(|&fold| self.folds[fold].checked());
        if self.answers.len() > 1 || both || apart || self.joined() { format!("a{number}_") } else { String::new() }
    }

    /// Whether the other one has the same kinds of folds behind the same maps, whatever their parameters.
    pub(crate) fn is_alike(&self, other: &DeviceOp) -> bool {
        let kind = |leaf: &Leaf| {
            let map = leaf.map.as_ref().map(|map| (map.from, map.to, map.body.clone(), map.place, map.trips));
            let test = leaf.test.as_ref().map(|test| (test.of, test.body.clone(), test.trips));
            (leaf.key.fold, leaf.key.dtype, map, test)
        };
        let kinds = |op: &DeviceOp| op.order.iter().map(|&fold| kind(&op.folds[fold])).collect::<Vec<_>>();
        kinds(self) == kinds(other)
    }

    /// Whether all its folds have forms that invocations share.
    pub fn has_cells(&self) -> bool {
        self.keep == Keep::Cells && self.folds.iter().all(|fold| fold.cell().is_some())
    }

    /// One fold of it without its map and its test, as an operator without an answer.
    pub fn alone(&self, fold: usize) -> DeviceOp {
        let leaf = &self.folds[fold];
        let (leaf, dtype) = leaf.map.as_ref().map_or((leaf, self.dtype), |map| (&map.bare, map.to));
        let mut leaf = leaf.clone();
        if let Some(test) = leaf.test.take() {
            leaf.key.kind = test.kind.clone();
        }
        DeviceOp { dtype, folds: vec![leaf], order: vec![0], answers: Vec::new(), ..self.clone() }
    }

    /// The type of the elements that its folds are over; of several that one which has functions in WGSL.
    pub fn over_type(&self) -> Dtype {
        let asking = || self.folds.iter().filter(|fold| !fold.is_blind()).map(|fold| fold.over_type(self.dtype));
        asking().find(|over| !over.wgsl().is_empty()).or_else(|| asking().next()).unwrap_or(self.dtype)
    }

    /// Whether the order of all folds is free.
    pub fn commutative(&self) -> bool {
        self.folds.iter().all(|fold| fold.commutative)
    }

    /// The folds whose partials lie together: all values, then each fold with bins.
    pub fn groups(&self) -> Vec<FoldGroup> {
        let (values, bins): (Vec<usize>, Vec<usize>) =
            (0..self.folds.len()).partition(|&fold| self.folds[fold].value().is_some());
        let values = (!values.is_empty()).then_some(FoldGroup::Values(values));
        values.into_iter().chain(bins.into_iter().map(FoldGroup::Bins)).collect()
    }

    /// Words of the accumulators of a group.
    pub fn group_words(&self, group: &FoldGroup) -> usize {
        group.folds().iter().map(|&fold| self.folds[fold].words).sum()
    }

    /// Words of a result for the host: each group's accumulators and a seal.
    pub fn sealed_words(&self) -> usize {
        self.groups().iter().map(|group| self.group_words(group) + 1).sum()
    }

    /// Words of an answer, without a count word; 0 where there is none.
    pub fn answer_words(&self) -> usize {
        self.answers.iter().map(|(_, answer)| answer.words.len()).sum()
    }

    /// The word of a result at which each fold's accumulator begins, with so many words behind each group.
    pub fn places(&self, behind: usize) -> Vec<usize> {
        let mut at = vec![0; self.folds.len()];
        let mut next = 0;
        for group in self.groups() {
            for &fold in group.folds() {
                at[fold] = next;
                next += self.folds[fold].words;
            }
            next += behind;
        }
        at
    }

    /// The accumulators' words in the tuple's order, from a result for the host without its seals.
    pub fn expand(&self, words: &[u32]) -> Vec<u32> {
        let at = self.places(0);
        self.order.iter().flat_map(|&fold| &words[at[fold]..at[fold] + self.folds[fold].words]).copied().collect()
    }

    /// All parameters: of the folds, then of the answers; and where each begins.
    pub fn params(&self) -> Vec<u32> {
        let folds = self.folds.iter().flat_map(|fold| &fold.params);
        folds.chain(self.answers.iter().flat_map(|(_, answer)| &answer.params)).copied().collect()
    }

    /// The table of its folds; those of several folds one after another.
    pub fn table(&self) -> Vec<u32> {
        self.folds.iter().flat_map(|fold| &fold.table).copied().collect()
    }

    /// The identity of the folds' texts: the key of each fold, and the way in which they keep accumulators.
    pub fn key(&self) -> (Vec<FoldKey>, Keep) {
        (self.folds.iter().map(|fold| fold.key.clone()).collect(), self.keep)
    }

    /// Whether its texts are the library's own, whose loops are declared and end.
    pub fn checked(&self) -> bool {
        self.dtype.brought().is_none()
            && self.folds.iter().all(Leaf::checked)
            && self.answers.iter().all(|(_, answer)| answer.checked)
    }

    /// Whether a device's own conversion of f16, which may leave any NaN for one, is of use to it.
    pub fn may_unpack(&self) -> bool {
        self.dtype == Dtype::WideF16 && self.folds.iter().all(Leaf::takes_any_nan)
    }

    /// Whether its shaders are compiled without guards against endless loops. The guards keep compilers from unrolling: an
    /// exact sum's last pass takes three times as long with them, while plain operators lose 0.1 µs without (H200). `finishes`: the
    /// shader has answers.
    pub fn unguarded(&self, finishes: bool) -> bool {
        let long = |fold: &Leaf| fold.value().is_none_or(|wgsl| wgsl.state || wgsl.trips.combine > 0);
        let finish = finishes && self.answers.iter().any(|(_, answer)| answer.trips > 0);
        let ends = self.answers.iter().all(|(_, answer)| answer.checked) && self.folds.iter().all(Leaf::ends);
        ends && (finish || self.folds.iter().any(long))
    }
}
