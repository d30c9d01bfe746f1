//! Axes of an n-dimensional view: which elements belong to which answer. Plain data.

use crate::error::{Error, Result};

/// One dimension of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Indices along it.
    pub length: u64,
    /// Elements from one index to the next; negative ones go backwards, 0 stays.
    pub stride: i64,
}

/// A strided view of an array, and the axes of it that are reduced: one answer for each index along the others, in C order.
///
/// The rules are NumPy's: negative axes count from the end, no axis leaves every element its own answer. A position (of `argmax`,
/// say) is the index along the reduced axis, or the flat index in C order where there are several.
///
/// ```
/// use treefold::Axes;
/// let columns = Axes::of(&[4, 3], &[0])?; // 4 rows of 3: an answer for each of the 3 columns
/// assert_eq!((columns.answers(), columns.length(), columns.shape(false)), (3, 4, vec![3]));
/// let last = Axes::of(&[2, 5, 7], &[-1])?;
/// assert_eq!((last.answers(), last.shape(true)), (10, vec![2, 5, 1]));
/// assert!(Axes::of(&[4, 3], &[2]).is_err());
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes {
    shape: Vec<u64>,
    reduces: Vec<bool>,
    pub(crate) strided: Strided,
}

impl Axes {
    /// The axes of an array of this shape whose elements lie one behind another in C order, the last axis innermost.
    ///
    /// # Errors
    /// [`Error::NoSuchAxis`], [`Error::AxisTwice`]; [`Error::ViewTooLarge`] where the elements are more than 2^63.
    pub fn of(shape: &[u64], axes: &[i64]) -> Result<Axes> {
        let mut strides = vec![0; shape.len()];
        let mut next = 1i64;
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = next;
            next = next.saturating_mul(i64::try_from(length.max(1)).unwrap_or(i64::MAX));
        }
        Axes::strided(0, shape, &strides, axes)
    }

    /// The axes of any view: its first element, and the elements from one index to the next along each axis. Strides may be
    /// negative or 0; views may read an element more than once.
    ///
    /// ```
    /// use treefold::{Axes, Cpu, ops::Sum};
    /// // The second field of an array of structs of three floats.
    /// let field = Axes::strided(1, &[4], &[3], &[0])?;
    /// let structs: Vec<f32> = (0..12).map(|i| i as f32).collect();
    /// assert_eq!(Cpu::new().reduce_axes(Sum, &structs, &field)?, [22.0]); // 1 + 4 + 7 + 10
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Axes::of`]; [`Error::UnequalView`] where there are more or fewer strides than axes.
    pub fn strided(first: u64, shape: &[u64], strides: &[i64], axes: &[i64]) -> Result<Axes> {
        if shape.len() != strides.len() {
            return Err(Error::UnequalView { axes: shape.len(), strides: strides.len() });
        }
        let mut reduces = vec![false; shape.len()];
        for &axis in axes {
            let from_the_end = if axis < 0 { axis.saturating_add_unsigned(shape.len() as u64) } else { axis };
            let at = usize::try_from(from_the_end).ok().filter(|&at| at < shape.len());
            let at = at.ok_or_else(|| Error::NoSuchAxis { axis, shape: shape.to_vec() })?;
            if std::mem::replace(&mut reduces[at], true) {
                return Err(Error::AxisTwice { axis, shape: shape.to_vec() });
            }
        }
        let dims = || shape.iter().zip(strides).zip(&reduces);
        let of = |which: bool| -> Vec<Dim> {
            let dims = dims().filter(|&(_, &reduces)| reduces == which);
            dims.map(|((&length, &stride), _)| Dim { length, stride }).collect()
        };
        let strided = Strided { first, kept: of(false), reduced: of(true) };
        // Counts and places stay within what 64 bits with a sign hold.
        let most = i128::from(i64::MAX);
        let product = |dims: &[Dim]| dims.iter().try_fold(1i128, |n, dim| n.checked_mul(dim.length.into()));
        let elements = product(&strided.kept).zip(product(&strided.reduced)).and_then(|(a, b)| a.checked_mul(b));
        let answers = product(&strided.kept);
        let fits = |n: Option<i128>| n.is_some_and(|n| n <= most);
        let (low, high) = strided.span();
        if !fits(elements) || !fits(answers) || low < -most || high > most {
            return Err(Error::ViewTooLarge { shape: shape.to_vec() });
        }
        Ok(Axes { shape: shape.to_vec(), reduces, strided: strided.collapsed() })
    }

    /// Answers: the product of the lengths of the axes that are kept.
    pub fn answers(&self) -> u64 {
        self.strided.answers()
    }

    /// Elements of each answer: the product of the lengths of the axes that are reduced.
    pub fn length(&self) -> u64 {
        self.strided.length()
    }

    /// The shape of the answers; with `keepdims`, axes that are reduced have length 1 in it instead of being left out.
    pub fn shape(&self, keepdims: bool) -> Vec<u64> {
        let lengths = self.shape.iter().zip(&self.reduces);
        lengths.filter_map(|(&length, &reduced)| if reduced { keepdims.then_some(1) } else { Some(length) }).collect()
    }

    /// Its dimensions, as few as say it.
    #[doc(hidden)]
    pub fn dims(&self) -> &Strided {
        &self.strided
    }

    /// The places that the view reads lie within so many elements.
    pub(crate) fn check(&self, elements: u64) -> Result<()> {
        self.strided.check(elements)
    }
}

/// Elements by their strides: `answers` × `length` of them, in two lists of dimensions, the outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strided {
    /// Place of the element that is first in both orders.
    pub first: u64,
    /// Dimensions of the answers.
    pub kept: Vec<Dim>,
    /// Dimensions of what belongs to one answer.
    pub reduced: Vec<Dim>,
}

impl Strided {
    /// Contiguous rows of one length.
    pub fn rows(count: u64, length: u64) -> Strided {
        let kept = vec![Dim { length: count, stride: length as i64 }];
        Strided { first: 0, kept, reduced: vec![Dim { length, stride: 1 }] }.collapsed()
    }

    /// Answers.
    pub fn answers(&self) -> u64 {
        product(&self.kept)
    }

    /// Elements of each.
    pub fn length(&self) -> u64 {
        product(&self.reduced)
    }

    /// Lowest and highest place that is read, counted from element 0; meaningless where nothing is.
    pub fn span(&self) -> (i128, i128) {
        let first = i128::from(self.first);
        self.kept.iter().chain(&self.reduced).fold((first, first), |(low, high), dim| {
            let reach = i128::from(dim.stride) * (i128::from(dim.length) - 1);
            if reach < 0 { (low + reach, high) } else { (low, high + reach) }
        })
    }

    /// The length of rows that lie one behind another from the first element on, where these are such.
    pub fn row_length(&self) -> Option<u64> {
        match (&self.kept[..], &self.reduced[..]) {
            (&[kept], &[Dim { length, stride: 1 }]) if self.first == 0 && i64::try_from(length) == Ok(kept.stride) => {
                Some(length)
            }
            _ => None,
        }
    }

    /// Whether neighbouring answers lie nearer than the neighbours of one, as those of columns.
    pub fn across(&self) -> bool {
        let nearer = |(kept, reduced): (&Dim, &Dim)| kept.stride.unsigned_abs() < reduced.stride.unsigned_abs();
        self.kept.last().zip(self.reduced.last()).is_some_and(nearer)
    }

    /// Whether nothing is read.
    pub fn is_empty(&self) -> bool {
        self.answers() == 0 || self.length() == 0
    }

    /// The same with as few dimensions as say it: those of one index are left out, and neighbours that one stride covers are one.
    pub fn collapsed(self) -> Strided {
        Strided { first: self.first, kept: collapsed(self.kept), reduced: collapsed(self.reduced) }
    }

    /// The same elements of each answer in the order in which they lie, for folds that do not tell orders apart.
    pub fn by_place(mut self) -> Strided {
        self.reduced.sort_by_key(|dim| std::cmp::Reverse(dim.stride.unsigned_abs()));
        self.collapsed()
    }

    /// Indices `from..from + count` of the outermost dimension that is kept.
    pub fn kept_part(&self, from: u64, count: u64) -> Strided {
        let (first, kept) = part(self.first, &self.kept, from, count);
        Strided { first, kept, reduced: self.reduced.clone() }.collapsed()
    }

    /// Indices `from..from + count` of the outermost dimension that is reduced, which are neighbours in C order.
    pub fn reduced_part(&self, from: u64, count: u64) -> Strided {
        let (first, reduced) = part(self.first, &self.reduced, from, count);
        Strided { first, kept: self.kept.clone(), reduced }.collapsed()
    }

    /// The first place and the length of rows that lie one behind another, where it is that.
    pub fn contiguous(&self) -> Option<(u64, u64)> {
        let length = self.length();
        let within = match self.reduced[..] {
            [] => true,
            [dim] => dim.stride == 1,
            _ => false,
        };
        let rows = match self.kept[..] {
            [] => true,
            [dim] => dim.stride == length as i64,
            _ => false,
        };
        (within && rows && length > 0).then_some((self.first, length))
    }

    /// The place of the first element of an answer.
    pub fn place(&self, answer: u64) -> u64 {
        self.first.wrapping_add_signed(offset(&self.kept, answer))
    }

    /// The places that are read lie within so many elements.
    pub fn check(&self, elements: u64) -> Result<()> {
        let (low, high) = self.span();
        match self.is_empty() || (low >= 0 && high < i128::from(elements)) {
            true => Ok(()),
            false => Err(Error::ViewOutside { low, high, elements }),
        }
    }
}

/// Room for something of each answer.
///
/// # Errors
/// [`Error::TooManyAnswers`] where there is none.
pub(crate) fn room<A>(answers: u64) -> Result<Vec<A>> {
    let mut room = Vec::new();
    let there = usize::try_from(answers).is_ok_and(|answers| room.try_reserve_exact(answers).is_ok());
    let bytes = u128::from(answers) * size_of::<A>() as u128;
    if there { Ok(room) } else { Err(Error::TooManyAnswers { answers, bytes }) }
}

/// From place 0 to the n-th element in C order.
pub fn offset(dims: &[Dim], index: u64) -> i64 {
    let (mut at, mut rest) = (0i64, index);
    for dim in dims.iter().rev() {
        at = at.wrapping_add(((rest % dim.length.max(1)) as i64).wrapping_mul(dim.stride));
        rest /= dim.length.max(1);
    }
    at
}

/// Elements of all dimensions.
pub fn product(dims: &[Dim]) -> u64 {
    dims.iter().map(|dim| dim.length).product()
}

fn part(first: u64, dims: &[Dim], from: u64, count: u64) -> (u64, Vec<Dim>) {
    let mut dims = dims.to_vec();
    let Some(outermost) = dims.first_mut() else { return (first, dims) };
    outermost.length = count;
    (first.wrapping_add_signed((from as i64).wrapping_mul(outermost.stride)), dims)
}

fn collapsed(dims: Vec<Dim>) -> Vec<Dim> {
    if dims.iter().any(|dim| dim.length == 0) {
        return vec![Dim { length: 0, stride: 0 }];
    }
    let mut few: Vec<Dim> = Vec::new();
    for dim in dims.into_iter().filter(|dim| dim.length > 1) {
        match few.last_mut() {
            Some(outer) if i128::from(outer.stride) == i128::from(dim.stride) * i128::from(dim.length) => {
                *outer = Dim { length: outer.length * dim.length, stride: dim.stride };
            }
            _ => few.push(dim),
        }
    }
    few
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All places of each answer, by the plain definition.
    fn places(first: u64, shape: &[u64], strides: &[i64], reduces: &[bool]) -> Vec<Vec<i64>> {
        let mut answers: std::collections::BTreeMap<Vec<u64>, Vec<i64>> = Default::default();
        let mut index = vec![0; shape.len()];
        for _ in 0..shape.iter().product::<u64>() {
            let kept = index.iter().zip(reduces).filter(|(_, reduced)| !**reduced).map(|(&i, _)| i).collect();
            let at = index.iter().zip(strides).map(|(&i, stride)| i as i64 * stride).sum::<i64>() + first as i64;
            answers.entry(kept).or_default().push(at);
            for (i, length) in index.iter_mut().zip(shape).rev() {
                *i += 1;
                if *i < *length {
                    break;
                }
                *i = 0;
            }
        }
        answers.into_values().collect()
    }

    fn of(strided: &Strided) -> Vec<Vec<i64>> {
        let answer = |a| (0..strided.length()).map(|e| strided.place(a) as i64 + offset(&strided.reduced, e)).collect();
        (0..strided.answers()).map(answer).collect()
    }

    #[test]
    fn every_set_of_axes() {
        for shape in [vec![4], vec![2, 3], vec![3, 1, 2], vec![2, 3, 2, 5], vec![1, 1], vec![2, 2, 2]] {
            let n = shape.len();
            let contiguous: Vec<i64> = (0..n).map(|d| shape[d + 1..].iter().product::<u64>() as i64).collect();
            let fortran: Vec<i64> = (0..n).map(|d| shape[..d].iter().product::<u64>() as i64).collect();
            let odd: Vec<i64> = (0..n).map(|d| [-3, 7, 0, 30][d]).collect();
            for set in 0..1u32 << n {
                let axes: Vec<i64> = (0..n as i64).filter(|d| set >> d & 1 == 1).collect();
                let reduces: Vec<bool> = (0..n).map(|d| set >> d & 1 == 1).collect();
                for strides in [&contiguous, &fortran, &odd] {
                    let view = Axes::strided(90, &shape, strides, &axes).expect("axes");
                    assert_eq!(
                        of(&view.strided),
                        places(90, &shape, strides, &reduces),
                        "{shape:?} {strides:?} {axes:?}"
                    );
                    let (kept, reduced) = (view.strided.kept.len(), view.strided.reduced.len());
                    assert!(strides != &contiguous || kept + reduced <= n, "{view:?}");
                    // The order of an answer's elements is all that changes.
                    let sorted = |mut all: Vec<Vec<i64>>| {
                        all.iter_mut().for_each(|places| places.sort_unstable());
                        all
                    };
                    assert_eq!(sorted(of(&view.strided.clone().by_place())), sorted(of(&view.strided)));
                    let behind: Vec<i64> = axes.iter().map(|axis| axis - n as i64).collect();
                    assert_eq!(Axes::strided(90, &shape, strides, &behind).expect("axes"), view);
                }
            }
        }
    }

    #[test]
    fn contiguous_dimensions_are_one() {
        let rows = Axes::of(&[5, 4, 3, 2], &[2, 3]).expect("axes");
        assert_eq!(rows.strided, Strided::rows(20, 6));
        assert_eq!(rows.strided.contiguous(), Some((0, 6)));
        let columns = Axes::of(&[5, 4, 3, 2], &[0, 1]).expect("axes").strided;
        assert_eq!(
            (columns.kept, columns.reduced),
            (vec![Dim { length: 6, stride: 1 }], vec![Dim { length: 20, stride: 6 }])
        );
    }

    #[test]
    fn parts_are_neighbours() {
        let strided = Axes::of(&[4, 3, 5], &[1]).expect("axes").strided;
        let both = [of(&strided.kept_part(0, 1)), of(&strided.kept_part(1, 3))].concat();
        assert_eq!(both, of(&strided));
        let front = of(&strided.reduced_part(0, 2));
        let whole: Vec<Vec<i64>> =
            front.into_iter().zip(of(&strided.reduced_part(2, 1))).map(|(a, b)| [a, b].concat()).collect();
        assert_eq!(whole, of(&strided));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let text = |shape: &[u64], axes: &[i64]| Axes::of(shape, axes).expect_err("an error").to_string();
        assert!(text(&[4, 3], &[2]).contains("axis 2"));
        assert!(text(&[4, 3], &[-3]).contains("axis -3"));
        assert!(text(&[4, 3], &[1, -1]).contains("twice"));
        assert!(text(&[1 << 40, 1 << 40], &[0]).contains("2^63"));
        assert!(text(&[0, u64::MAX, u64::MAX], &[0]).contains("2^63"));
        assert!(Axes::strided(0, &[4], &[1, 1], &[0]).is_err());
        assert!(Axes::strided(0, &[4, 2], &[i64::MAX, i64::MIN], &[0]).is_err());
        let view = Axes::strided(1, &[4], &[3], &[0]).expect("a view");
        assert!(view.check(11).is_ok());
        assert!(view.check(10).expect_err("outside").to_string().contains("10"));
        assert!(Axes::strided(2, &[4], &[-1], &[0]).expect("a view").check(100).is_err());
        // Nothing is read.
        assert!(Axes::strided(99, &[0, 4], &[1, 1], &[0]).expect("a view").check(0).is_ok());
    }
}
