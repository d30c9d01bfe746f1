//! Every operator over every type, packed ones among them, by each treatment of NaN, on the CPU engine, against a reference that is none of the
//! library's: `reference`.

use crate::common::*;
use crate::reference::{self, Answer, numbers_of};
use std::any::Any;
use treefold::half::{bf16, f16};
use treefold::ops::{Numbers, TABLE, Visitor, WithoutNan, visit_with};
use treefold::{Answer as _, Cpu, Dtype, DynAnswer, DynOp, Element, Error, Narrow, Part, Scalar, Widened};

/// Ordinary small numbers, which compare, cancel and tie with each other.
fn ordinary<T: Element>() -> Vec<T> {
    let numbers = match numbers::<T>() {
        Dtype::F32 => [0x3f80_0000, 0xbf80_0000, 0x4040_0000, 0x3f00_0000, 0x4120_0000, 0x3e80_0000u64].to_vec(),
        Dtype::BF16 => [0x3f80, 0xbf80, 0x4040, 0x3f00, 0x4120, 0x3e80].to_vec(),
        Dtype::F16 => [0x3c00, 0xbc00, 0x4200, 0x3800, 0x4900, 0x3400].to_vec(),
        Dtype::F64 => [1.0f64, -1.0, 3.0, 0.5, 10.0, 0.25].map(f64::to_bits).to_vec(),
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => vec![1, 2, 3, 5, 10, 0],
        _ => vec![1, u64::MAX, 3, 2, 10, 0],
    };
    let beside = |shift: usize| (0..numbers.len()).map(move |at| (at, shift));
    (0..3)
        .flat_map(beside)
        .map(|(at, shift)| of_numbers(&[numbers[at], numbers[(at + shift) % numbers.len()]]))
        .collect()
}

/// An element of these numbers, as many as it has.
fn of_numbers<T: Element>(patterns: &[u64; 2]) -> T {
    let each = size_of::<T>().min(numbers::<T>().bytes() as usize);
    let bytes: Vec<u8> = patterns.iter().flat_map(|bits| bits.to_le_bytes()[..each].to_vec()).collect();
    bytemuck::pod_read_unaligned(&bytes[..size_of::<T>()])
}

/// Inputs of a length: ordinary numbers; those with a special one somewhere; random ones, and special ones alone.
fn inputs<T: Element>(n: usize, random: &mut Random) -> Vec<Vec<T>> {
    let (ordinary, special) = (ordinary::<T>(), extremes::<T>());
    let some = |from: &[T], random: &mut Random| -> Vec<T> {
        (0..n).map(|_| from[random.below(from.len() as u64) as usize]).collect()
    };
    let plain = some(&ordinary, random);
    let mut one = plain.clone();
    if let Some(place) = (n > 0).then(|| random.below(n as u64) as usize) {
        one[place] = special[random.below(special.len() as u64) as usize];
    }
    let kinds = vec![plain, one, random.elements(n), some(&special, random)];
    kinds.into_iter().take(if n == 0 { 1 } else { 4 }).collect()
}

/// Boundaries of vectors, lanes and blocks of the host.
const LENGTHS: [usize; 19] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 129, 257];

/// An operator against the reference.
struct Judge<'a> {
    name: &'static str,
    failures: &'a mut Vec<String>,
    judged: &'a mut usize,
}

impl Visitor for Judge<'_> {
    type Out = ();

    fn visit<T: Element>(self, op: DynOp<T>) {
        match T::DTYPE {
            Dtype::F32 => self.packed::<T, f32, bf16>(&op).packed::<T, f32, f16>(&op).scalars::<T, f32>(op),
            Dtype::I32 => self.packed::<T, i32, i8>(&op).packed::<T, i32, i16>(&op).scalars::<T, i32>(op),
            Dtype::U32 => self.packed::<T, u32, u8>(&op).packed::<T, u32, u16>(&op).scalars::<T, u32>(op),
            Dtype::F16 => self.scalars::<T, f16>(op),
            Dtype::F64 => self.scalars::<T, f64>(op),
            Dtype::I64 => self.scalars::<T, i64>(op),
            Dtype::U64 => self.scalars::<T, u64>(op),
            _ => {
                let mut this = self;
                this.policies(&op, None);
            }
        }
    }
}

/// The same operator by the type that it is over.
fn over<T: Element, S: Element>(op: &DynOp<T>) -> DynOp<S> {
    let op: Box<dyn Any> = Box::new(op.clone());
    *op.downcast().expect("one type")
}

impl Judge<'_> {
    fn scalars<T: Element, S: Scalar>(mut self, op: DynOp<T>) {
        let op = over::<T, S>(&op);
        let strict = DynOp::of(WithoutNan(op.clone()));
        self.policies(&op, Some(&strict));
    }

    /// Of a packed type; the reference has the numbers as the wide ones.
    fn packed<T: Element, W: Scalar, N: Narrow<Wide = W>>(mut self, op: &DynOp<T>) -> Self {
        let op = over::<T, W>(op);
        let widened = DynOp::<N>::of(Widened(op));
        let mut random = Random(3);
        for n in LENGTHS {
            for elements in inputs::<N>(n, &mut random) {
                let wide: Vec<W> = elements.iter().map(|x| x.widened()).collect();
                let got = Cpu::with_threads(2).reduce(widened.clone(), &elements);
                self.judge("packed", &elements, got, reference::answer(self.name, &wide), None);
            }
        }
        self
    }

    /// NaN as the operator takes it, left out, and as an error.
    fn policies<T: Element>(&mut self, op: &DynOp<T>, strict: Option<&DynOp<T>>) {
        let not_nan = Numbers { not_nan: true, compare: None };
        let ignoring = not_nan.filter(op.clone()).expect("an operator over numbers");
        let (cpu, mut random) = (Cpu::with_threads(2), Random(5));
        let is_nan = |x: &T| numbers_of(x).iter().any(|x| x.is_nan());
        for n in LENGTHS {
            for elements in inputs::<T>(n, &mut random) {
                self.judge(
                    "as it is",
                    &elements,
                    cpu.reduce(op.clone(), &elements),
                    reference::answer(self.name, &elements),
                    None,
                );
                let places: Vec<u64> = (0..n as u64).filter(|&at| !is_nan(&elements[at as usize])).collect();
                // A fingerprint tells places apart otherwise than by finding them.
                let kept: Vec<T> = elements.iter().filter(|x| !is_nan(x)).copied().collect();
                let want = reference::answer(self.name, &kept);
                self.judge("NaN left out", &elements, cpu.reduce(ignoring.clone(), &elements), want, Some(&places));
                let Some(strict) = strict else { continue };
                let got = cpu.reduce(strict.clone(), &elements);
                match (elements.iter().position(is_nan), got) {
                    (Some(first), Err(Error::IsNan { index, .. })) if index == first as u64 => *self.judged += 1,
                    (Some(first), got) => self.failures.push(format!(
                        "{} over {} of {n}: a NaN at {first}, got {got:?}",
                        self.name,
                        T::DTYPE
                    )),
                    (None, got) => {
                        self.judge("NaN refused", &elements, got, reference::answer(self.name, &elements), None)
                    }
                }
            }
        }
    }

    /// `places`: of the elements that are not left out.
    fn judge<T: Element>(
        &mut self,
        way: &str,
        elements: &[T],
        got: treefold::Result<DynAnswer>,
        want: Answer,
        places: Option<&[u64]>,
    ) {
        let Some(want) = want else { return };
        *self.judged += 1;
        let right = match (&got, &want) {
            (Ok(got), Ok(want)) => {
                let mut parts: Vec<Part> = got.parts();
                let left_out = places.map(|places| (elements.len() - places.len()) as u64);
                let told = left_out.is_none_or(|count| parts.pop() == Some(Part::new("left_out", count)));
                let place = |at: u64| places.map_or(Some(at), |places| places.get(at as usize).copied());
                let is = |(part, (name, want, index)): (&Part, &reference::Told)| {
                    part.name == *name && want.is(part.value) && part.index == index.and_then(place)
                };
                told && parts.len() == want.len() && parts.iter().zip(want).all(is)
            }
            (Err(Error::Overflow { .. }), Err(_)) => true,
            _ => false,
        };
        if !right {
            let some: Vec<_> = elements.iter().take(9).collect();
            let got = got.map(|got| got.parts());
            let text = format!(
                "{} over {} of {} ({some:?}), {way}: got {got:?}, want {want:?}",
                self.name,
                T::DTYPE,
                elements.len()
            );
            self.failures.push(text.chars().take(900).collect());
        }
    }
}

/// Of two operators each is not what the reference says of the other.
#[test]
fn wrong_answers_are_noticed() {
    const PAIRS: [(&str, &str); 12] = [
        ("min", "max"),
        ("argmin", "argmin_last"),
        ("argmax", "argmax_last"),
        ("find_first", "find_last"),
        ("fast_mean", "fast_sum"),
        ("sum", "sumsq"),
        ("product", "wrapping_product"),
        ("variance", "std"),
        ("count", "count_nonzero"),
        ("any", "all"),
        ("log_mean", "harmonic_mean"),
        ("skewness", "kurtosis"),
    ];
    for (one, other) in PAIRS {
        for entry in TABLE.iter().filter(|entry| {
            entry.name == one && entry.dtype.pair_of().is_none() && !matches!(entry.dtype, Dtype::C64 | Dtype::C128)
        }) {
            if !TABLE.iter().any(|known| known.name == other && known.dtype == entry.dtype) {
                continue;
            }
            let (mut failures, mut judged) = (vec![], 0);
            let judge = Judge { name: other, failures: &mut failures, judged: &mut judged };
            visit_with(one, entry.dtype, reference::options(one), judge).expect("options that there are");
            assert!(!failures.is_empty(), "{one} over {} passes for {other}", entry.dtype);
        }
    }
}

#[test]
fn every_operator_and_type_by_each_treatment_of_nan() {
    let (mut failures, mut judged) = (vec![], 0);
    for entry in TABLE {
        let before = judged;
        let judge = Judge { name: entry.name, failures: &mut failures, judged: &mut judged };
        let visited = visit_with(entry.name, entry.dtype, reference::options(entry.name), judge);
        assert!(visited.expect("options that there are").is_some(), "{} over {}", entry.name, entry.dtype);
        assert!(judged > before + LENGTHS.len(), "{} over {}: next to nothing was compared", entry.name, entry.dtype);
    }
    assert!(failures.is_empty(), "of {judged}: {}", some(&failures));
}
