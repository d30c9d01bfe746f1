//! Counts of what compares so with a number, against comparisons of the language.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::{Comparison, CountIf, Relation};
use treefold::{Cpu, Element, Gpu, Input, Scalar};

const RELATIONS: [Relation; 6] =
    [Relation::Less, Relation::AtMost, Relation::Greater, Relation::AtLeast, Relation::Equal, Relation::Unequal];

fn holds<X: PartialOrd>(relation: Relation, x: X, number: X) -> bool {
    match relation {
        Relation::Less => x < number,
        Relation::AtMost => x <= number,
        Relation::Greater => x > number,
        Relation::AtLeast => x >= number,
        Relation::Equal => x == number,
        Relation::Unequal => x != number,
    }
}

/// Numbers next to and beyond those of all types.
const NUMBERS: [f64; 22] = [
    f64::NEG_INFINITY,
    -1e300,
    -9.3e18,
    -2147483649.0,
    -2147483648.0,
    -2.5,
    -1.0,
    -1e-300,
    -0.0,
    0.0,
    5e-324,
    0.1,
    1.0,
    2.5,
    65504.0,
    16777217.0,
    2147483647.0,
    4294967295.0,
    4294967295.5,
    1.9e19,
    3.5e38,
    f64::INFINITY,
];

/// Every relation to these numbers: each element alone on the host, all of them on the device.
fn all<T: Scalar>(
    gpu: &Gpu,
    elements: &[T],
    compare: &dyn Fn(Relation, usize) -> Comparison,
    want: &dyn Fn(Relation, usize, T) -> bool,
    numbers: usize,
) {
    let buffer = upload(gpu, elements);
    let mut reducer = gpu.reducer::<T, _>(CountIf::default()).expect("a reducer");
    for relation in RELATIONS {
        for number in 0..numbers {
            let op = CountIf { compare: compare(relation, number) };
            let mut holding = 0;
            for &x in elements {
                let count = Cpu::new().reduce(op, &[x]).expect("a count");
                assert_eq!(count, u64::from(want(relation, number, x)), "{} {:?} {}", T::DTYPE, x, op.compare);
                holding += count;
            }
            assert_eq!(Cpu::new().reduce(op, elements).expect("a count"), holding);
            reducer.set_op(op).expect("another parameter");
            let input = Input::range(&buffer, 0..elements.len() as u64);
            assert_eq!(reducer.reduce(input).expect("a count"), holding, "{} {}", T::DTYPE, op.compare);
        }
    }
}

/// Extremes, what lies next to the numbers, and ordinary ones.
fn elements<T: Element>(near: impl Iterator<Item = T>) -> Vec<T> {
    extremes::<T>().into_iter().chain(near).chain(Random(3).elements(40)).collect()
}

#[test]
fn floats_with_numbers_of_their_type() {
    let gpu = gpu();
    let real = |relation, number: usize| Comparison::new(relation, NUMBERS[number]).expect("a number");
    let near = NUMBERS.iter().map(|&number| number as f32);
    all::<f32>(&gpu, &elements(near), &real, &|relation, at, x| holds(relation, x, NUMBERS[at] as f32), NUMBERS.len());
    all::<f64>(
        &gpu,
        &elements(NUMBERS.into_iter()),
        &real,
        &|relation, at, x| holds(relation, x, NUMBERS[at]),
        NUMBERS.len(),
    );
    let near = NUMBERS.iter().map(|&number| f16::from_f64(number));
    let half = |relation, at: usize, x| holds(relation, x, f16::from_f64(NUMBERS[at]));
    all::<f16>(&gpu, &elements(near), &real, &half, NUMBERS.len());
}

#[test]
fn integers_with_real_numbers() {
    let gpu = gpu();
    let real = |relation, number: usize| Comparison::new(relation, NUMBERS[number]).expect("a number");
    let near = NUMBERS.iter().map(|&number| number as i32);
    all::<i32>(&gpu, &elements(near), &real, &|relation, at, x| holds(relation, x.into(), NUMBERS[at]), NUMBERS.len());
    let near = NUMBERS.iter().map(|&number| number as u32);
    all::<u32>(&gpu, &elements(near), &real, &|relation, at, x| holds(relation, x.into(), NUMBERS[at]), NUMBERS.len());
}

#[test]
fn integers_with_whole_numbers() {
    let gpu = gpu();
    let mut wholes = vec![0i128, 1, -1, i128::MAX, i128::MIN];
    for edge in [i64::MIN.into(), i64::MAX.into(), u64::MAX.into(), 1i128 << 32, 1 << 53] {
        wholes.extend([edge - 1, edge, edge + 1]);
    }
    let whole = |relation, number: usize| Comparison::whole(relation, wholes[number]);
    let near = wholes.iter().map(|&number| number as i64);
    all::<i64>(&gpu, &elements(near), &whole, &|relation, at, x| holds(relation, x.into(), wholes[at]), wholes.len());
    let near = wholes.iter().map(|&number| number as u64);
    all::<u64>(&gpu, &elements(near), &whole, &|relation, at, x| holds(relation, x.into(), wholes[at]), wholes.len());
    // Between two integers lies none.
    let none = Comparison::new(Relation::Equal, 2.5).expect("a number");
    assert_eq!(Cpu::new().reduce(CountIf { compare: none }, &[2i64, 3]).expect("a count"), 0);
}

#[test]
fn nothing_compares_with_nan() {
    assert!(Comparison::new(Relation::Less, f64::NAN).is_none());
}
