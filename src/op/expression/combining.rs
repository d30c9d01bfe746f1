//! Operators of which every part is an expression.

use super::Expression;
use crate::element::{Dtype, Scalar};
use crate::error::{Error, Result};
use crate::op::{Accumulator, Answer, DeviceAnswer, Fold, Op, Wgsl, WordType};

/// The operator of an expression of two accumulators, over all elements from left to right: `a + b`, `max(a, b)`,
/// `select(b, a, b == 0)`.
///
/// The expression must be associative, `combine(combine(a, b), c)` what `combine(a, combine(b, c))` is up to rounding, and must leave what it
/// combines with the identity as it is; [`check`](crate::check) looks for both on some elements. Of no elements the answer is the identity. The order is kept, unless
/// [`Combining::commutative`] frees it. A function of each element stands before it: [`Expression::map`].
///
/// ```
/// use treefold::{Combining, Cpu, Dtype, Expression};
/// let last = Combining::new(0, Expression::of_accumulators("select(b, a, b == 0)", Dtype::I32)?)?;
/// assert_eq!(Cpu::new().reduce(last, &[3, 1, 4, 0, 0])?, 4);
/// let add = Combining::new(0.0, Expression::of_accumulators("a + b", Dtype::F64)?)?;
/// let squares = Expression::of_element("x * x", Dtype::F64)?.map::<f64, f64, _>(add)?;
/// assert_eq!(Cpu::new().reduce(squares, &[3.0, 4.0])?, 25.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Combining<U> {
    identity: U,
    combine: Expression,
    commutative: bool,
}

impl<U: Scalar> Combining<U> {
    /// The operator of that identity.
    ///
    /// # Errors
    /// [`Error::OtherType`] where the expression is not over accumulators of type `U`; [`Error::BadOption`] where the identity is NaN.
    pub fn new(identity: U, combine: Expression) -> Result<Combining<U>> {
        if identity.is_nan() {
            let (operator, option, value) = ("reduce".into(), "identity".into(), identity.to_string());
            let rule = "a number, for devices do not promise what becomes of NaN".into();
            return Err(Error::BadOption { operator, option, value, rule });
        }
        combine.ensure(combine.takes(), U::DTYPE)?;
        combine.ensure(combine.makes(), U::DTYPE)?;
        Ok(Combining { identity, combine, commutative: false })
    }

    /// The same of elements in any order: for `combine(a, b)` that is `combine(b, a)`.
    pub fn commutative(self) -> Combining<U> {
        Combining { commutative: true, ..self }
    }

    /// The accumulators that the expression makes of pairs.
    fn pairs(&self, a: &[U], b: &[U]) -> Vec<U> {
        let mut made = vec![self.identity; a.len().min(b.len())];
        self.combine.fill(a, b, &mut made);
        made
    }
}

/// Neighbours are cut into so many parts, which go side by side.
const PARTS: usize = 512;

impl<U: Scalar + Accumulator> Fold<U> for Combining<U> {
    type Acc = U;

    fn identity(&self) -> U {
        self.identity
    }
    fn lift(&self, x: U, _: u64) -> U {
        x
    }
    fn combine(&self, a: U, b: U) -> U {
        self.pairs(&[a], &[b]).pop().unwrap_or(a)
    }
    /// In parts of neighbours, each from left to right; then neighbouring parts, until one is left.
    fn accumulate(&self, elements: &[U], _: u64) -> U {
        let steps = (elements.len() / PARTS).max(1);
        let firsts: Vec<U> = elements.iter().step_by(steps).copied().collect();
        let mut parts = firsts;
        for step in 1..steps {
            let next: Vec<U> = elements.iter().skip(step).step_by(steps).copied().collect();
            let made = self.pairs(&parts, &next);
            parts[..made.len()].copy_from_slice(&made);
        }
        while parts.len() > 1 {
            let left: Vec<U> = parts.iter().step_by(2).copied().collect();
            let right: Vec<U> = parts.iter().skip(1).step_by(2).copied().collect();
            let mut made = self.pairs(&left, &right);
            made.extend(&left[made.len()..]);
            parts = made;
        }
        parts.first().map_or(self.identity, |&all| self.combine(self.identity, all))
    }
    fn is_commutative(&self) -> bool {
        self.commutative
    }
    fn host_only(&self) -> Option<&'static str> {
        self.combine.host_only()
    }
    fn is_heavy(&self) -> bool {
        self.combine.program.is_heavy()
    }
    fn params(&self) -> Vec<u32> {
        vec![self.identity.pattern() as u32]
    }
    fn kind(&self) -> String {
        format!("{} {}", self.commutative, self.combine)
    }
    fn wgsl(&self) -> Wgsl {
        let of = |bits: &str| match U::DTYPE {
            Dtype::U32 => format!("return {bits};"),
            dtype => format!("return bitcast<{dtype}>({bits});"),
        };
        Wgsl::new(of("param(0u)"), of("bits"), self.combine.body())
    }
}

impl<U: Scalar + Accumulator + Answer> Op<U> for Combining<U> {
    type Fold = Combining<U>;
    type Output = U;
    const NAME: &'static str = "reduce";
    const ABOUT: &'static str = "What an expression makes of all elements, from left to right";

    fn fold(&self) -> Combining<U> {
        self.clone()
    }
    fn finish(&self, acc: U, _: u64) -> Result<U> {
        Ok(acc)
    }
    fn is_exact(&self) -> bool {
        !self.combine.rounds()
    }
    fn is_shareable(&self) -> bool {
        self.is_exact() && U::DTYPE.is_integer()
    }
    fn signature(&self) -> String {
        format!("reduce(identity={}, combine={})", self.identity, self.combine)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let (of, bits) = match U::DTYPE {
            Dtype::F32 => (WordType::F32, "bitcast<u32>(acc)"),
            Dtype::I32 => (WordType::I32, "bitcast<u32>(acc)"),
            _ => (WordType::U32, "acc"),
        };
        Some(DeviceAnswer::new([("value", of)], format!("return array<u32, 1>({bits});")))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<U> {
        Ok(U::from_pattern(words.first().copied().unwrap_or_default().into()))
    }
}
