//! Reductions of arrays whose shards are on the ranks, by any operator whose partials merge.

use crate::bytes::{Merge, Way};
use crate::error::{Error, Result};
use crate::ranks::Ranks;
use mpi::collective::SystemOperation;
use mpi::traits::CommunicatorCollectives;
use std::fmt::Display;
use std::sync::Arc;
use treefold::{Element, Header, Op, Partial, Partials};

/// A reduction that is not finished: of one answer or of many.
pub trait Unfinished<T: Element, O: Op<T>>: Sized {
    /// Its bytes.
    ///
    /// # Errors
    /// Those of [`Partials::to_bytes`].
    fn to_bytes(&self) -> treefold::Result<Vec<u8>>;
    /// It, of its bytes.
    ///
    /// # Errors
    /// Those of [`Partials::from_bytes`].
    fn from_bytes(op: O, bytes: &[u8]) -> treefold::Result<Self>;
    /// Its elements followed by those of the other.
    ///
    /// # Errors
    /// Those of [`Partials::merge`].
    fn merge(self, other: Self) -> treefold::Result<Self>;
}

macro_rules! unfinished {
    ($($partial:ident)*) => { $(
        impl<T: Element, O: Op<T>> Unfinished<T, O> for $partial<T, O> {
            fn to_bytes(&self) -> treefold::Result<Vec<u8>> {
                $partial::to_bytes(self)
            }
            fn from_bytes(op: O, bytes: &[u8]) -> treefold::Result<Self> {
                $partial::from_bytes(op, bytes)
            }
            fn merge(self, other: Self) -> treefold::Result<Self> {
                $partial::merge(self, other)
            }
        }
    )* };
}
unfinished!(Partial Partials);

/// What all ranks must have alike, of the bytes of a partial; of rows that are stacked, all but how many there are.
fn description(bytes: &[u8], stacked: bool) -> treefold::Result<String> {
    let header = Header::read(bytes)?;
    let (title, dtype, version) = (header.title(), &header.dtype, env!("CARGO_PKG_VERSION"));
    let shape = match (stacked, &header.shape[..]) {
        (false, []) => String::new(),
        (false, shape) if header.grouped => format!(", groups of shape {shape:?}"),
        (false, shape) => format!(", answers of shape {shape:?}"),
        (true, shape) => {
            format!(", rows of shape {:?} over {} elements", shape.get(1..).unwrap_or_default(), header.count)
        }
    };
    Ok(format!("{title} over {dtype}{shape}, treefold {version}"))
}

/// The bytes of a partial and their description, or the words of an error.
type Told = std::result::Result<(Vec<u8>, String), String>;

fn told<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
    local: std::result::Result<P, E>,
    stacked: bool,
) -> Told {
    let bytes = local.map_err(|error| error.to_string())?.to_bytes().map_err(|error| error.to_string())?;
    let description = description(&bytes, stacked).map_err(|error| error.to_string())?;
    Ok((bytes, description))
}

/// Each call is made by all ranks. `local` is what the rank has of its own shard, or the error that it met; where any met one, all get it,
/// and nobody waits for the others. The order of elements is that of the ranks; equal bits come out whatever their number, where
/// partials of the operator merge to the bits of the whole.
impl<C: CommunicatorCollectives> Ranks<'_, C> {
    /// The partial of all shards, on every rank.
    ///
    /// ```no_run
    /// use mpi::traits::Communicator;
    /// use treefold::{Cpu, Partial, ops::Mean};
    /// use treefold_mpi::{Error, Ranks};
    /// let universe = mpi::initialize().expect("MPI");
    /// let world = universe.world();
    /// let shard = [world.rank() as f32; 1000];
    /// let own: Result<_, treefold::Error> = Ok(Cpu::new().partial(Mean, &shard));
    /// let mean = Ranks::new(&world).all_reduce(Mean, own)?.finish()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// On every rank alike [`Error::Failed`] where any had an error or partials do not merge, [`Error::Differs`] where operators, parameters, types or
    /// shapes differ.
    pub fn all_reduce<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
        &self,
        op: O,
        local: std::result::Result<P, E>,
    ) -> Result<P> {
        self.merged(Way::ToAll, &op, local)?.ok_or(Error::Treefold(treefold::Error::ResultMissing))
    }

    /// The partial of all shards on rank `root`, `None` on the others.
    ///
    /// # Errors
    /// As for [`Ranks::all_reduce`].
    pub fn reduce_to<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
        &self,
        root: i32,
        op: O,
        local: std::result::Result<P, E>,
    ) -> Result<Option<P>> {
        self.merged(Way::To(root), &op, local)
    }

    /// The partial of the shards up to and with the rank's own.
    ///
    /// # Errors
    /// As for [`Ranks::all_reduce`].
    pub fn inclusive_scan<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
        &self,
        op: O,
        local: std::result::Result<P, E>,
    ) -> Result<P> {
        self.merged(Way::Inclusive, &op, local)?.ok_or(Error::Treefold(treefold::Error::ResultMissing))
    }

    /// The partial of the shards before the rank's own; `None` on rank 0.
    ///
    /// # Errors
    /// As for [`Ranks::all_reduce`].
    pub fn exclusive_scan<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
        &self,
        op: O,
        local: std::result::Result<P, E>,
    ) -> Result<Option<P>> {
        self.merged(Way::Exclusive, &op, local)
    }

    /// The answers of all ranks on rank `root`, those of rank 0 first along the first axis; `None` on the others. For rows of an array, where
    /// each rank has some of them whole.
    ///
    /// # Errors
    /// As for [`Ranks::all_reduce`], and [`Error::TooLarge`].
    pub fn stack_to<T: Element, O: Op<T>, E: Display>(
        &self,
        root: i32,
        op: O,
        local: std::result::Result<Partials<T, O>, E>,
    ) -> Result<Option<Partials<T, O>>> {
        let stack = |parts: Vec<Vec<u8>>| {
            let mut parts = parts.iter().map(|bytes| Partials::from_bytes(op.clone(), bytes));
            let first = parts.next().unwrap_or(Err(treefold::Error::ResultMissing))?;
            parts.try_fold(first, |all, part| all.stack(part?))
        };
        self.gathered(root, told(local, true), |parts| stack(parts).map_err(|error| error.to_string()))
    }

    /// The place of the rank's first element in the whole: the sum of the counts of the ranks before.
    pub fn place_of(&self, count: u64) -> u64 {
        let (count, mut before, operation) = ([count], [0], SystemOperation::sum());
        mpi::request::scope(|scope| {
            let request = self.comm.immediate_exclusive_scan_into(scope, &count, &mut before, operation);
            self.wait("the counts of other ranks", request);
        });
        // MPI leaves it open on the first one.
        if self.rank() == 0 { 0 } else { before[0] }
    }

    fn merged<T: Element, O: Op<T>, P: Unfinished<T, O>, E: Display>(
        &self,
        way: Way,
        op: &O,
        local: std::result::Result<P, E>,
    ) -> Result<Option<P>> {
        let by = op.clone();
        let merge = move |left: &[u8], right: &[u8]| {
            P::from_bytes(by.clone(), left)?.merge(P::from_bytes(by.clone(), right)?)?.to_bytes()
        };
        let merge: Merge = Arc::new(move |left, right| merge(left, right).map_err(|error| error.to_string()));
        let bytes = self.merged_bytes(way, told(local, false), merge)?;
        Ok(bytes.map(|bytes| P::from_bytes(op.clone(), &bytes)).transpose()?)
    }

    fn merged_bytes(&self, way: Way, local: Told, merge: Merge) -> Result<Option<Vec<u8>>> {
        let bytes = self.alike(way, local)?;
        self.combine(way, &bytes, merge)
    }

    /// The own bytes, where all ranks have such, and want the same of them.
    fn alike(&self, way: Way, local: Told) -> Result<Vec<u8>> {
        let known = if let Way::To(root) = way { self.ensure_rank(root) } else { Ok(()) };
        let local = local.and_then(|(bytes, description)| known.map(|()| (bytes, format!("{description}, {way}"))));
        self.agree(local.as_ref().map(|(_, description)| description.as_str()).map_err(String::as_str))?;
        Ok(local.unwrap_or_default().0)
    }

    /// The bytes of all ranks on rank `root`, merged by `merge`; all have as many of them where they have the same description.
    ///
    /// # Errors
    /// As for [`Ranks::all_reduce`].
    #[doc(hidden)]
    pub fn reduce_bytes_to(&self, root: i32, local: Told, merge: Merge) -> Result<Option<Vec<u8>>> {
        self.merged_bytes(Way::To(root), local, merge)
    }

    /// What `all` makes of the bytes of all ranks on rank `root`.
    ///
    /// # Errors
    /// As for [`Ranks::stack_to`].
    #[doc(hidden)]
    pub fn gathered<R>(
        &self,
        root: i32,
        local: Told,
        all: impl FnOnce(Vec<Vec<u8>>) -> std::result::Result<R, String>,
    ) -> Result<Option<R>> {
        let made = self.gather(root, &self.alike(Way::To(root), local)?)?.map(all).transpose();
        self.agree(made.as_ref().map(|_| "").map_err(String::as_str))?;
        Ok(made.unwrap_or_default())
    }
}
