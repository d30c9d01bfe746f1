//! Inputs that lie on several devices, a shard on each: one answer, or many.

use super::futures::AnswerFuture;
use super::jobs::submit;
use super::reduce::{Counted, accs, finished};
use super::reducer::Reducer;
use crate::device::{Gpu, may_block};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Division, Each, Input};
use crate::op::{Acc, Fold, Op, Partial, Span};

/// One operator on several devices, over inputs of which each device holds a shard.
///
/// The whole input is the first shard's elements followed by the second one's, and so on: positions count through all of them. Shard n lies on device n,
/// in one buffer or more ([`Input::concat`]); a shard may be empty, of any length, or left out behind the last one. All devices work at
/// the same time; accumulators merge on the host, in the order of shards. Exact operators so answer with the same bits as one device does; fast ones
/// are rounded in another tree, the same each time for the same shards.
///
/// A device that fails is an error, because what it held is lost. For elements in host memory see [`Team`](crate::Team).
///
/// ```no_run
/// # fn f(front: &treefold::wgpu::Buffer, back: &treefold::wgpu::Buffer) -> treefold::Result<()> {
/// use treefold::{Gpu, Input, Sharded, ops::{ArgMax, Sum}};
/// let gpus = Gpu::all()?;
/// let both = Sharded::<f32, _>::new(&gpus, (Sum, ArgMax))?;
/// let (sum, largest) = both.reduce(&[Input::from(front), Input::from(back)])?; // buffers of gpus[0] and of gpus[1]
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Sharded<T: Element, O: Op<T>> {
    reducers: Vec<Reducer<T, O>>,
    op: O,
}

/// A shard, with the reducer of its device before it and the place of its first element behind it.
type Placed<'r, 's, T, O, S> = (&'r Reducer<T, O>, &'s S, u64);

impl<T: Element, O: Op<T>> Sharded<T, O> {
    /// On these devices, each of which compiles its kernels at the same time.
    ///
    /// # Errors
    /// As for [`Reducer::new`]; [`Error::NoDevices`].
    pub fn new(gpus: &[Gpu], op: O) -> Result<Self> {
        may_block("Sharded::new", "Sharded::of")?;
        Self::of(beside(gpus, |gpu| gpu.reducer(op.clone()))?)
    }

    /// Of reducers of one operator, an app's own for example; they are told apart by their place.
    ///
    /// # Errors
    /// [`Error::NoDevices`] where there are none; [`Error::OtherOperator`] where one has another operator than the first.
    pub fn of(reducers: Vec<Reducer<T, O>>) -> Result<Self> {
        let op = reducers.first().ok_or(Error::NoDevices)?.op().clone();
        match reducers.iter().find(|reducer| reducer.op().signature() != op.signature()) {
            Some(other) => Err(Error::OtherOperator { operator: op.name(), other: other.op().name() }),
            None => Ok(Sharded { reducers, op }),
        }
    }

    /// The reducer of each device.
    pub fn reducers(&self) -> &[Reducer<T, O>] {
        &self.reducers
    }

    /// The answer over all shards.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`]; [`Error::TooManyShards`].
    pub fn reduce(&self, shards: &[Input<'_, T>]) -> Result<O::Output> {
        may_block("Sharded::reduce", "Sharded::reduce_async")?;
        let (acc, count) = self.accumulate(shards)?;
        self.op.finish(acc, count)
    }

    /// The accumulator over all shards: a part of a reduction that is finished elsewhere.
    ///
    /// # Errors
    /// As for [`Sharded::reduce`].
    pub fn partial(&self, shards: &[Input<'_, T>]) -> Result<Partial<T, O>> {
        may_block("Sharded::partial", "Reducer::partial_async for each shard")?;
        let (acc, count) = self.accumulate(shards)?;
        Ok(Partial::of(self.op.clone(), acc, Span { count, first: None }))
    }

    /// Submits the reductions of all shards; the future brings the answer.
    ///
    /// # Errors
    /// As for [`Sharded::reduce`].
    pub fn reduce_async(&self, shards: &[Input<'_, T>]) -> AnswerFuture<O::Output> {
        let coming = self.placed(shards, |shard| Ok(shard.elements())).map(|placed| {
            let submitted = placed.into_iter().map(|(reducer, shard, first)| reducer.accumulate_async(shard, first));
            submitted.collect::<Vec<_>>()
        });
        let op = self.op.clone();
        Box::pin(async move {
            let (fold, mut all) = (op.fold(), Vec::new());
            for shard in coming? {
                all.push(shard.await?);
            }
            let (acc, count) = merged::<T, _>(&fold, all);
            op.finish(acc, count)
        })
    }

    /// Answers of which each lies on one device, [rows](Input::rows) or [segments](Input::segments) of each shard: those of the first shard, then
    /// those of the second, and so on.
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`]; [`Error::TooManyShards`].
    pub fn reduce_each(&self, shards: Vec<Each<'_, T>>) -> Result<Vec<O::Output>> {
        may_block("Sharded::reduce_each", "Reducer::reduce_each_async for each shard")?;
        let found = self.accumulate_each(&shards, |_| Ok(0))?;
        finished(&self.op, found.into_iter().flatten().collect())
    }

    /// Answers of which each has elements in all shards: [axes](Input::over) of parts of an array that is cut along the outermost axis that is
    /// reduced, or [groups](Input::groups) of parts of an input.
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`]; [`Error::TooManyShards`]; [`Error::ShardsDiffer`] where the shards have not as many answers each;
    /// [`Error::NoPartialsOfSegments`] of segments, and of what a word on the device counts.
    pub fn reduce_across(&self, shards: Vec<Each<'_, T>>) -> Result<Vec<O::Output>> {
        may_block("Sharded::reduce_across", "Reducer::partials_each_async for each shard")?;
        let many = shards.iter().map(Each::count).collect::<Result<Vec<_>>>()?;
        if let Some((shard, &answers)) = many.iter().enumerate().find(|(_, answers)| **answers != many[0]) {
            return Err(Error::ShardsDiffer { shard, answers, first: many[0] });
        }
        // Their answers and positions go by what only the device knows.
        if shards.iter().any(|each| each.count.is_some()) {
            return Err(Error::NoPartialsOfSegments);
        }
        let length = |each: &Each<'_, T>| match &each.division {
            Division::Rows(length) => Ok(*length),
            Division::Axes(axes) => Ok(axes.length()),
            Division::Strided(strided) => Ok(strided.length()),
            Division::Whole | Division::Groups(..) => Ok(each.input.elements()),
            Division::Segments(_) => Err(Error::NoPartialsOfSegments),
        };
        let mut found = self.accumulate_each(&shards, length)?.into_iter();
        let Some(mut all) = found.next() else { return Ok(Vec::new()) };
        let fold = self.op.fold();
        for shard in found {
            for (place, (acc, count)) in all.iter_mut().zip(shard) {
                fold.merge(&mut place.0, acc);
                place.1 += count;
            }
        }
        finished(&self.op, all)
    }

    /// Each shard with its device and the place of its first element, behind those that `length` tells of the shards before.
    fn placed<'s, S>(
        &self,
        shards: &'s [S],
        length: impl Fn(&S) -> Result<u64>,
    ) -> Result<Vec<Placed<'_, 's, T, O, S>>> {
        let (shard, device) = (shards.len(), self.reducers.len());
        if shard > device {
            return Err(Error::TooManyShards { shards: shard, devices: device });
        }
        let mut first = 0u64;
        let with_place = self.reducers.iter().zip(shards).map(|(reducer, shard)| {
            let here = first;
            first = first.wrapping_add(length(shard)?);
            Ok((reducer, shard, here))
        });
        with_place.collect()
    }

    /// All are submitted, and then waited for.
    fn accumulate(&self, shards: &[Input<'_, T>]) -> Result<(Acc<T, O>, u64)> {
        let placed = self.placed(shards, |shard| Ok(shard.elements()))?;
        let submitted = placed.into_iter().map(|(reducer, shard, first)| {
            Ok((reducer, submit(&reducer.recorder, &[&shard.ranges], reducer.elements_max(), first)?))
        });
        let mut all = Vec::new();
        for (reducer, submitted) in submitted.collect::<Result<Vec<_>>>()? {
            all.extend(accs::<T, O>(&self.op, &submitted.wait(&reducer.recorder)?));
        }
        Ok(merged::<T, _>(&self.op.fold(), all))
    }

    /// Many answers come in more than one submission, each asked for when the one before it is there: so each device has a thread.
    fn accumulate_each(
        &self,
        shards: &[Each<'_, T>],
        length: impl Fn(&Each<'_, T>) -> Result<u64>,
    ) -> Result<Vec<Counted<T, O>>> {
        let placed = self.placed(shards, length)?;
        beside(placed, |(reducer, shard, first)| reducer.accumulate_each(shard, first))
    }
}

/// Does a work of each: the first on this thread, every other one on its own, where there are threads.
fn beside<I: wgpu::WasmNotSend, R: wgpu::WasmNotSend>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    #[cfg(target_arch = "wasm32")]
    return items.into_iter().map(work).collect();
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::scope(|scope| {
        let (mut items, work) = (items.into_iter(), &work);
        let first = items.next();
        let others: Vec<_> = items.map(|item| scope.spawn(move || work(item))).collect();
        let first = first.map(work);
        let others = others.into_iter().map(|one| one.join().unwrap_or_else(|it| std::panic::resume_unwind(it)));
        first.into_iter().chain(others).collect()
    })
}

/// One accumulator of those of shards, and of how many elements.
fn merged<T: Element, F: Fold<T>>(fold: &F, all: Vec<(F::Acc, u64)>) -> (F::Acc, u64) {
    all.into_iter()
        .fold((fold.identity(), 0), |(acc, count), (more, elements)| (fold.combine(acc, more), count + elements))
}
