//! Two inputs side by side: the first numbers of both, the second numbers of both, and so on, as pairs too, in bounded memory.
//!
//! Each input is read as ever, the second one beside the first.

use crate::beside::{Beside, TakeBoth};
use crate::input::{Inputs, Opened};
use crate::source::{Sizes, Take};
use anyhow::{Result, anyhow, bail, ensure};
use treefold::{Dtype, Element};

/// Hands the pairs of two inputs to `take`, in C order if `ordered`; `T` is a type of pairs.
pub fn feed<T: Element>(inputs: Inputs, ordered: bool, sizes: Sizes, take: Take<T>) -> Result<()> {
    match T::DTYPE.pair_of() {
        Some(Dtype::F32) => feed_of::<f32, T>(inputs, ordered, sizes, take),
        Some(Dtype::F64) => feed_of::<f64, T>(inputs, ordered, sizes, take),
        Some(Dtype::I64) => feed_of::<i64, T>(inputs, ordered, sizes, take),
        Some(Dtype::U64) => feed_of::<u64, T>(inputs, ordered, sizes, take),
        _ => bail!("{} is no type of pairs", T::DTYPE),
    }
}

/// The same of pairs of `N`.
fn feed_of<N: Element, T: Element>(inputs: Inputs, ordered: bool, sizes: Sizes, take: Take<T>) -> Result<()>
where
    [N; 2]: Element,
{
    let (first, second) = inputs.two()?;
    // Where both are stored in one order, that order pairs the same numbers.
    let ordered = ordered || first.fortran() != second.fortran();
    let (name, count, mut pairs) = (first.name.clone(), first.count, vec![]);
    let feed = |take: Take<'_, N>| first.feed(ordered, sizes, take);
    together((&name, count), Box::new(feed), second, ordered, sizes, &mut |xs: &[N], ys: &[N]| {
        pairs.clear();
        pairs.extend(xs.iter().zip(ys).map(|(&x, &y)| [x, y]));
        take(bytemuck::try_cast_slice(&pairs).map_err(|error| anyhow!("pairs: {error}"))?)
    })
}

/// Function that reads the numbers of an input.
pub type Feed<'a, A> = Box<dyn FnOnce(Take<'_, A>) -> Result<()> + 'a>;

/// Hands the numbers of an input, whose name and length these are and which `feed` reads, and as many of the second to `take`; those in
/// C order if `ordered`, else as they are stored.
pub fn together<A: Element, B: Element>(
    (name, count): (&str, Option<u64>),
    feed: Feed<'_, A>,
    second: Opened,
    ordered: bool,
    sizes: Sizes,
    take: TakeBoth<A, B>,
) -> Result<()> {
    if let (Some(left), Some(right)) = (count, second.count) {
        ensure!(left == right, unequal(name, &left.to_string(), &second.name, &right.to_string()));
    }
    let other = second.name.clone();
    let mut others =
        Beside::begin(other.clone(), move |hand| second.feed(ordered, sizes, &mut |part: &[B]| hand(part.to_vec())));
    let mut count = 0;
    let zipped = feed(&mut |part: &[A]| {
        let left = others.zip(part, &mut |now, found| {
            count += now.len();
            take(now, found)
        })?;
        ensure!(left == 0, Short);
        Ok(())
    });
    let short = match zipped {
        Ok(()) if others.more() => {
            return Err(unequal(name, &count.to_string(), &other, &format!("more than {count}")));
        }
        Ok(()) => false,
        Err(error) if error.is::<Short>() => true,
        Err(error) => return Err(error),
    };
    others.end()?;
    ensure!(!short, unequal(name, &format!("more than {count}"), &other, &count.to_string()));
    Ok(())
}

fn unequal(first: &str, left: &str, second: &str, right: &str) -> anyhow::Error {
    anyhow!("{first} has {left} elements, but {second} has {right}; two inputs that go together need equal length")
}

/// The first input goes on where the second has ended.
#[derive(Debug)]
struct Short;

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the second input is shorter")
    }
}

impl std::error::Error for Short {}
