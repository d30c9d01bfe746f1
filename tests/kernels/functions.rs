//! Operators that call functions, find or fingerprint, against obvious references, on the CPU engine and, where they have a device half, the adapter.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::{
    Correlation, Cosine, Count, Covariance, Entropy, FindFirst, FindLast, HarmonicMean, Hash, Index, Kurtosis, LogMean,
    LogProduct, LogSumExp, Norm, Norm1, Parity, Product, Skewness, SoftmaxTerms, WeightedMean, WrappingProduct,
};
use treefold::{Cpu, Element, Engine, Error, Op, Partial};

fn engines() -> [Engine; 2] {
    [Engine::Cpu(Cpu::with_threads(3)), Engine::Gpu(gpu())]
}

/// Numbers of either sign, of sizes from 2^-20 to 2^20.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let mut next = || f64::from(random.below(1 << 24) as u32 + 1);
    (0..n)
        .map(|_| {
            (next() / 2f64.powi(24) + 0.5)
                * 2f64.powi((next() as i32) % 40 - 20)
                * if next() % 2.0 == 0.0 { 1.0 } else { -1.0 }
        })
        .collect()
}

const LENGTHS: [usize; 9] = [0, 1, 2, 3, 63, 1000, 4096, 4097, 20_000];

/// The CPU engine's answer, which parts that meet have too, to within `slack` of its size.
fn on_host<T: Element, O: Op<T, Output = Option<F>>, F: Copy + Into<f64> + std::fmt::Debug>(
    op: &O,
    elements: &[T],
    slack: f64,
) -> Option<f64> {
    let cpu = Cpu::with_threads(3);
    let whole = cpu.reduce(op.clone(), elements).expect("an answer").map(Into::into);
    let middle = elements.len() / 3;
    let part = |elements: &[T]| {
        Partial::from_bytes(op.clone(), &cpu.partial(op.clone(), elements).to_bytes().expect("bytes")).expect("a part")
    };
    let merged = part(&elements[..middle])
        .merge(part(&elements[middle..]))
        .expect("neighbours")
        .finish()
        .expect("an answer")
        .map(Into::into);
    match (whole, merged) {
        (None, None) => (),
        (Some(whole), Some(merged)) => {
            assert!(near(merged, whole, slack), "{}: {merged} of parts, {whole}", op.signature())
        }
        other => panic!("{}: {other:?}", op.signature()),
    }
    whole
}

fn near(got: f64, want: f64, slack: f64) -> bool {
    got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= slack * want.abs().max(1e-2)
}

/// Floats of both widths and the device against a function of f64.
fn floats<O>(op: &O, elements: &[f64], slack: f64, want: impl Fn(&[f64]) -> Option<f64>)
where
    O: Op<f32, Output = Option<f32>> + Op<f64, Output = Option<f64>>,
{
    let name = Op::<f32>::signature(op);
    let agree = |got: Option<f64>, want: Option<f64>, slack: f64| match (got, want) {
        (Some(got), Some(want)) => assert!(near(got, want, slack), "{name} of {}: {got}, {want}", elements.len()),
        (got, want) => assert_eq!(got, want, "{name} of {}", elements.len()),
    };
    agree(on_host::<f64, _, _>(op, elements, slack), want(elements), slack);
    let short: Vec<f32> = elements.iter().map(|&x| x as f32).collect();
    let wide: Vec<f64> = short.iter().map(|&x| f64::from(x)).collect();
    agree(on_host::<f32, _, _>(op, &short, 2e-7), want(&wide), slack.max(1e-7));
    let device = gpu().reduce(op.clone(), &short).expect("an answer").map(f64::from);
    agree(device, want(&wide), 3e-5);
}

#[test]
fn means_of_other_kinds() {
    for n in LENGTHS {
        let some = |sum: f64| (n > 0).then_some(sum);
        let positive: Vec<f64> = numbers(n, 3).into_iter().map(f64::abs).collect();
        let count = n as f64;
        floats(&LogMean, &positive, 1e-12, |x| some((x.iter().map(|x| x.ln()).sum::<f64>() / count).exp()));
        floats(&HarmonicMean, &positive, 1e-12, |x| some(count / x.iter().map(|x| 1.0 / x).sum::<f64>()));
        // Of one weight it is 0, and rounding is all there is.
        if n != 1 {
            floats(&Entropy, &positive, 1e-9, |x| {
                let sum: f64 = x.iter().sum();
                some(x.iter().map(|x| -(x / sum) * (x / sum).ln()).sum())
            });
        }
    }
}

#[test]
fn logarithms_of_products() {
    for n in LENGTHS {
        let close_to_e: Vec<f64> = numbers(n, 4).into_iter().map(|x| 2.0 + x.abs().fract()).collect();
        floats(&LogProduct, &close_to_e, 1e-12, |x| Some(x.iter().map(|x| x.ln()).sum()));
    }
}

#[test]
fn special_numbers_of_means() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let tiny = f32::from_bits(1);
    // The mean of logarithms, the harmonic mean and the entropy of a few elements.
    let cases: [(&[f32], [f32; 3]); 9] = [
        (&[1.0, 0.0], [0.0, 0.0, 0.0]),
        (&[1.0, -0.0], [0.0, 0.0, 0.0]),
        (&[1.0, nan], [nan, nan, nan]),
        (&[2.0, -1.0], [nan, -4.0, nan]),
        (&[1.0, inf], [inf, 2.0, nan]),
        (&[0.0, inf], [nan, 0.0, nan]),
        (&[-inf, 1.0], [nan, 2.0, nan]),
        (&[0.0, 0.0], [0.0, 0.0, nan]),
        (&[1.0, -1.0], [nan, inf, nan]),
    ];
    for (elements, wants) in cases {
        for engine in engines() {
            let got = engine.reduce((LogMean, HarmonicMean, Entropy), elements).expect("answers");
            let got = [got.0, got.1, got.2].map(|answer| answer.expect("some"));
            for (got, want) in got.into_iter().zip(wants) {
                let same = got == want || (got.is_nan() && want.is_nan());
                assert!(same, "{elements:?} on {}: {got}, {want}", engine.name());
            }
        }
    }
    // Of one weight it is none at all, however it is rounded.
    for weight in [5.9296875f32, 0.3, 7e20, 1e-20] {
        for engine in engines() {
            let got = engine.reduce(Entropy, &[weight]).expect("an answer").expect("some");
            assert!((0.0..1e-4).contains(&got), "{weight} on {}: {got}", engine.name());
        }
        let got = Cpu::new().reduce(Entropy, &[f64::from(weight)]).expect("an answer").expect("some");
        assert!((0.0..1e-14).contains(&got), "{weight}: {got}");
    }
    for engine in engines() {
        let got = engine.reduce(LogMean, &[tiny, tiny, tiny]).expect("an answer").expect("some");
        assert!(got == tiny || (got == 0.0 && engine.backend() != "cpu"), "{got}");
        assert_eq!(engine.reduce((LogMean, LogProduct), &[] as &[f32]).expect("answers"), (None, Some(0.0)));
    }
}

#[test]
fn norms_of_any_index() {
    let cpu = Cpu::with_threads(3);
    for n in LENGTHS {
        for p in [0.5, 1.0, 2.0, 3.0, 20.0] {
            let norm = Norm { p: Index::new(p).expect("an index") };
            let elements = numbers(n, 5);
            let want = elements.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(1.0 / p);
            assert!(near(cpu.reduce(norm, &elements).expect("a norm"), want, 1e-11), "{n} {p}");
            let short: Vec<f32> = elements.iter().map(|&x| x as f32).collect();
            for engine in engines() {
                let got: f32 = engine.reduce(norm, &short).expect("a norm");
                assert!(near(got.into(), want, 1e-4), "{n} {p} on {}: {got}, {want}", engine.name());
            }
        }
    }
    let flat = Norm { p: Index::new(0.01).expect("an index") };
    assert!(near(cpu.reduce(flat, &[1e-300f64; 10_000]).expect("a norm"), 1e100, 1e-10));
    // Quotients that no f64 holds have powers that count.
    let apart: Vec<f64> = std::iter::once(1e20).chain([1e-308; 1000]).collect();
    assert!(near(cpu.reduce(flat, &apart).expect("a norm"), 2.096_528_701_141_190_5e38, 1e-10));
    assert!(near(cpu.reduce(flat, &apart[..2]).expect("a norm"), 1e20 * (1.0 + 10f64.powf(-3.28)).powi(100), 1e-10));
    assert_eq!(
        cpu.reduce(Norm { p: Index::new(1000.0).expect("an index") }, &[f64::MAX, 3.0]).expect("a norm"),
        f64::MAX
    );
    for engine in engines() {
        assert!(near(engine.reduce(flat, &[1e-20f32; 3]).expect("a norm").into(), 3f64.powi(100) * 1e-20, 1e-2));
    }
    let norm = Norm { p: Index::new(3.0).expect("an index") };
    for engine in engines() {
        let of = |elements: &[f32]| engine.reduce(norm, elements).expect("a norm");
        assert_eq!((of(&[]), of(&[0.0, -0.0]), of(&[f32::NEG_INFINITY, 1.0])), (0.0, 0.0, f32::INFINITY));
        assert!(of(&[f32::NAN, f32::INFINITY]).is_nan());
        assert!(near(of(&[3e38, 0.0]).into(), f64::from(3e38f32), 1e-5));
    }
    assert_eq!(["0", "-1", "inf", "nan", "x", ""].map(|text| text.parse::<Index>().is_err()), [true; 6]);
}

#[test]
fn moments() {
    for n in LENGTHS {
        let elements: Vec<f64> = numbers(n, 6).into_iter().map(|x| 1000.0 + x.fract()).collect();
        let mean = elements.iter().sum::<f64>() / n as f64;
        let power = |p: i32| elements.iter().map(|x| (x - mean).powi(p)).sum::<f64>() / n as f64;
        let (want, flat) = (power(3) / power(2).powf(1.5), power(4) / power(2).powi(2) - 3.0);
        let got = on_host(&Skewness, &elements, 1e-6);
        assert!(
            n == 0 && got.is_none()
                || got.is_some_and(|got| near(got, want, 1e-7) || (got - want).abs() < 1e-7 || n == 1),
            "{n} {got:?} {want}"
        );
        let got = on_host(&Kurtosis, &elements, 1e-6);
        assert!(
            n == 0 && got.is_none() || got.is_some_and(|got| near(got, flat, 1e-7) || n == 1),
            "{n} {got:?} {flat}"
        );
    }
    let cpu = Cpu::new();
    // scipy.stats.skew and kurtosis of [2, 8, 0, 4, 1, 9, 9, 0].
    let some = [2i64, 8, 0, 4, 1, 9, 9, 0];
    assert!(near(cpu.reduce(Skewness, &some).expect("one").expect("some"), 0.265_055_412_269_857_3, 1e-12));
    assert!(near(cpu.reduce(Kurtosis, &some).expect("one").expect("some"), -1.666_001_075_283_850_8, 1e-12));
    assert!(cpu.reduce(Kurtosis, &[0.1f64; 10]).expect("one").expect("some").is_nan());
    for elements in [&[1.0f32, f32::NAN][..], &[1.0, f32::INFINITY], &[5.0, 5.0]] {
        assert!(cpu.reduce(Skewness, elements).expect("one").expect("some").is_nan());
    }
}

#[test]
fn pairs_have_to_do_with_each_other() {
    let cpu = Cpu::with_threads(3);
    for n in LENGTHS.into_iter().filter(|&n| n > 2) {
        let pairs: Vec<[f32; 2]> = numbers(n, 7)
            .into_iter()
            .zip(numbers(n, 8))
            .map(|(x, y)| [(1e3 + x.fract()) as f32, (x.fract() + y.fract()) as f32])
            .collect();
        let [xs, ys] = [0, 1].map(|of| pairs.iter().map(|pair| f64::from(pair[of])).collect::<Vec<f64>>());
        let mean = |x: &[f64]| x.iter().sum::<f64>() / n as f64;
        let (x, y) = (mean(&xs), mean(&ys));
        let cross = |a: &[f64], b: &[f64], x, y| a.iter().zip(b).map(|(a, b)| (a - x) * (b - y)).sum::<f64>();
        let (xy, xx, yy) = (cross(&xs, &ys, x, y), cross(&xs, &xs, x, x), cross(&ys, &ys, y, y));
        let close = |got: Option<f64>, want: f64, slack: f64| {
            assert!(got.is_some_and(|got| near(got, want, slack)), "{n}: {got:?} {want}")
        };
        close(cpu.reduce(Covariance { ddof: 1 }, &pairs).expect("one"), xy / (n as f64 - 1.0), 1e-9);
        close(cpu.reduce(Correlation, &pairs).expect("one"), xy / (xx * yy).sqrt(), 1e-9);
        let weighted = xs.iter().zip(&ys).map(|(x, y)| x * y).sum::<f64>() / ys.iter().sum::<f64>();
        close(cpu.reduce(WeightedMean, &pairs).expect("one").map(f64::from), weighted, 1e-6);
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let cosine = xs.iter().zip(&ys).map(|(x, y)| x * y).sum::<f64>() / (norm(&xs) * norm(&ys));
        close(cpu.reduce(Cosine, &pairs).expect("one").map(f64::from), cosine, 1e-6);
        // Parts that meet.
        let part = |pairs: &[[f32; 2]]| cpu.partial(Correlation, pairs);
        close(
            part(&pairs[..2]).merge(part(&pairs[2..])).expect("one").finish().expect("one"),
            xy / (xx * yy).sqrt(),
            1e-8,
        );
    }
    assert_eq!(cpu.reduce(Covariance { ddof: 1 }, &[[1.0f32, 2.0]]).expect("one"), None);
    assert_eq!(cpu.reduce(WeightedMean, &[] as &[[f64; 2]]).expect("one"), None);
    // f64 and integers as f32 of the same values, and where f32 and f64 would have no room.
    for n in LENGTHS.into_iter().filter(|&n| n > 2) {
        let whole = |seed| numbers(n, seed).into_iter().map(|x| (x.fract() * 1000.0).trunc());
        let pairs: Vec<[f64; 2]> = whole(5).zip(whole(6)).map(|(x, y)| [x, y.abs() + 1.0]).collect();
        let answers = (Covariance { ddof: 1 }, Correlation, WeightedMean, Cosine);
        let floats = cpu.reduce(answers, &pairs).expect("answers");
        let single: Vec<[f32; 2]> = pairs.iter().map(|pair| pair.map(|x| x as f32)).collect();
        let (covariance, correlation, weighted, cosine) = cpu.reduce(answers, &single).expect("answers");
        assert_eq!((floats.0, floats.1), (covariance, correlation), "{n}");
        assert_eq!((floats.2.map(|x| x as f32), floats.3.map(|x| x as f32)), (weighted, cosine), "{n}");
        let signed: Vec<[i64; 2]> = pairs.iter().map(|pair| pair.map(|x| x as i64)).collect();
        assert_eq!(cpu.reduce(answers, &signed).expect("answers"), floats, "{n}");
        let sizes: Vec<[u64; 2]> = signed.iter().map(|pair| pair.map(i64::unsigned_abs)).collect();
        let positive: Vec<[f64; 2]> = pairs.iter().map(|pair| pair.map(f64::abs)).collect();
        assert_eq!(cpu.reduce(answers, &sizes).expect("answers"), cpu.reduce(answers, &positive).expect("answers"));
        // By powers of two: the same digits.
        for power in [-900, -500, 500, 900] {
            let scaled: Vec<[f64; 2]> =
                pairs.iter().map(|&[x, y]| [x * 2f64.powi(power), y * 2f64.powi(power)]).collect();
            let (weighted, cosine) = cpu.reduce((WeightedMean, Cosine), &scaled).expect("answers");
            assert_eq!((weighted, cosine), (floats.2.map(|x| x * 2f64.powi(power)), floats.3), "{n}, 2^{power}");
        }
    }
    let far = [[i64::MAX, i64::MAX], [i64::MIN, i64::MAX], [i64::MAX, 1]];
    let mean = cpu.reduce(WeightedMean, &far).expect("one").expect("some");
    // (-(2^63 - 1) + 2^63 - 1) / (2^64 - 1)
    assert_eq!(mean, 0.0);
    assert_eq!(cpu.reduce(WeightedMean, &[[f64::MAX, 0.5], [f64::MAX, 1.5]]).expect("one"), Some(f64::MAX));
    let correlation = cpu.reduce(Correlation, &[[1e-120f64, 2e-120], [3e-120, 6e-120]]).expect("one").expect("some");
    assert!(near(correlation, 1.0, 1e-15), "{correlation}");
    spread_far_from_0(&cpu);
    for special in [f64::NAN, f64::INFINITY] {
        assert!(cpu.reduce(Cosine, &[[special, 1.0], [1.0, 1.0]]).expect("one").expect("some").is_nan());
    }
    assert!(cpu.reduce(WeightedMean, &[[1.0f32, 0.0]]).expect("one").expect("some").is_nan());
}

/// Numbers far closer to each other than to 0, blocks of them that are merged; and where squares leave the range of f64.
fn spread_far_from_0(cpu: &Cpu) {
    let relations = (Covariance { ddof: 0 }, Correlation);
    for n in [3usize, 2048, 2049, 5000, 20_000] {
        // Whole numbers that are not above 1000, which integers relate exactly.
        let mut random = Random(n as u64);
        let mut below = |most: u64| random.below(most) as i64;
        let whole: Vec<[i64; 2]> =
            (0..n).map(|_| below(1000)).collect::<Vec<_>>().into_iter().map(|x| [x, 3 * x - below(2000)]).collect();
        let sum = |of: &dyn Fn(&[i64; 2]) -> i128| whole.iter().map(of).sum::<i128>();
        let (x, y) = (sum(&|pair| pair[0].into()), sum(&|pair| pair[1].into()));
        let times = |of: usize, other: usize| sum(&|pair| i128::from(pair[of]) * i128::from(pair[other]));
        let n_squared = (n * n) as f64;
        let of = |products: i128, sums: i128| (n as i128 * products - sums) as f64;
        let (xy, xx, yy) = (of(times(0, 1), x * y), of(times(0, 0), x * x), of(times(1, 1), y * y));
        let (covariance, correlation) = (xy / n_squared, xy / (xx.sqrt() * yy.sqrt()));
        let size = (xx.sqrt() * yy.sqrt()) / n_squared;
        let check = |found: (Option<f64>, Option<f64>), unit: f64, what: &str| {
            let (Some(got), Some(ratio)) = found else { panic!("no answer: {what} of {n}") };
            assert!((got / unit - covariance).abs() <= 1e-14 * size, "{what} of {n}: {got} {covariance}");
            assert!((ratio - correlation).abs() <= 1e-14, "{what} of {n}: {ratio} {correlation}");
        };
        let doubles = |far: f64, unit: f64| -> Vec<[f64; 2]> {
            whole.iter().map(|pair| pair.map(|x| far + x as f64 * unit)).collect()
        };
        check(cpu.reduce(relations, &whole).expect("answers"), 1.0, "integers");
        let far: Vec<[i64; 2]> = whole.iter().map(|pair| pair.map(|x| i64::MAX - 5000 + x)).collect();
        check(cpu.reduce(relations, &far).expect("answers"), 1.0, "integers at the top");
        let far: Vec<[u64; 2]> = whole.iter().map(|pair| pair.map(|x| (1u64 << 63).wrapping_add_signed(x))).collect();
        check(cpu.reduce(relations, &far).expect("answers"), 1.0, "integers without sign");
        check(cpu.reduce(relations, &doubles(2f64.powi(52), 1.0)).expect("answers"), 1.0, "2^52 and up");
        check(cpu.reduce(relations, &doubles(1.0, 2f64.powi(-52))).expect("answers"), 2f64.powi(-104), "1 and up");
        for power in [-1000, -900, -400, 400, 500, 900] {
            let unit = 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
            let ratio = cpu.reduce(relations, &doubles(0.0, unit)).expect("answers");
            // A covariance that leaves the range itself is not asked for.
            let own = if power.abs() < 500 { ratio } else { (Some(covariance), ratio.1) };
            check(own, if power.abs() < 500 { unit * unit } else { 1.0 }, &format!("times 2^{power}"));
        }
        let mixed: Vec<[f64; 2]> =
            whole.iter().map(|&[x, y]| [x as f64 * 2f64.powi(800), y as f64 * 2f64.powi(-800)]).collect();
        check(cpu.reduce(relations, &mixed).expect("answers"), 1.0, "of unlike sizes");
        // Parts of one pair each.
        let one_by_one = doubles(1.0, 2f64.powi(-52)).into_iter().take(50).collect::<Vec<_>>();
        let all = cpu.reduce(Covariance { ddof: 0 }, &one_by_one).expect("one").expect("some");
        let parts = one_by_one.iter().map(|&pair| cpu.partial(Covariance { ddof: 0 }, &[pair]));
        let merged =
            parts.reduce(|a, b| a.merge(b).expect("neighbours")).expect("parts").finish().expect("one").expect("some");
        assert!((all - merged).abs() <= 1e-13 * 1e6 * 2f64.powi(-104), "{n}: {all} {merged}");
    }
}

#[test]
fn exponentials_in_f64() {
    for n in LENGTHS {
        let elements: Vec<f64> = numbers(n, 9).into_iter().map(|x| 2000.0 + x.fract() * 30.0).collect();
        let peak = elements.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = elements.iter().map(|x| (x - peak).exp()).sum();
        let got = on_host(&LogSumExp::default(), &elements, 1e-13);
        assert!(n == 0 && got.is_none() || got.is_some_and(|got| near(got, peak + sum.ln(), 1e-13)), "{n} {got:?}");
        let found = Cpu::new().reduce(SoftmaxTerms::default(), &elements).expect("one");
        assert!(n == 0 || found.is_some_and(|found| found.max == peak && near(found.sum, sum, 1e-12)), "{n} {found:?}");
    }
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (elements, want) in [(&[inf, 1.0][..], inf), (&[-inf, -inf], -inf), (&[nan, inf], nan), (&[-inf, 3.0], 3.0)] {
        let got = Cpu::new().reduce(LogSumExp::default(), elements).expect("one").expect("some");
        assert!(got == want || got.is_nan() && want.is_nan(), "{elements:?}: {got}");
    }
}

#[test]
fn no_device_computes_functions_of_f64() {
    let gpu = gpu();
    let refused = [
        gpu.reduce(LogSumExp::default(), &[1.0f64]).map(|_| ()),
        gpu.reduce(LogMean, &[1.0f64]).map(|_| ()),
        gpu.reduce(Entropy, &[1i64]).map(|_| ()),
        gpu.reduce(Norm::default(), &[1.0f64]).map(|_| ()),
        gpu.reduce(Skewness, &[1.0f64]).map(|_| ()),
        gpu.reduce((LogSumExp::default(), Product), &[1.0f64]).map(|_| ()),
        gpu.reduce(Kurtosis, &[1i64]).map(|_| ()),
    ];
    for outcome in refused {
        let error = outcome.expect_err("no device half");
        assert!(matches!(error, Error::HostOnly { .. }), "{error}");
        assert!(error.to_string().contains("is computed on the CPU alone"), "{error}");
    }
}

#[test]
fn products_of_wide_integers_and_floats() {
    for engine in engines() {
        let fits = [3i64, -5, 1 << 40, 1, -1, 7];
        assert_eq!(engine.reduce(Product, &fits).expect("it fits"), 105 << 40, "{}", engine.name());
        assert_eq!(engine.reduce(Product, &[i64::MIN, 1]).expect("it fits"), i64::MIN);
        assert!(matches!(engine.reduce(Product, &[i64::MIN, -1]), Err(Error::Overflow { .. })));
        assert_eq!(engine.reduce(Product, &[u64::MAX, 1]).expect("it fits"), u64::MAX);
        assert!(matches!(engine.reduce(Product, &[1u64 << 33, 1 << 33]), Err(Error::Overflow { .. })));
        assert_eq!(engine.reduce(Product, &[1u64 << 63, 1 << 63, 0]).expect("it fits"), 0);
        let odd: Vec<u64> = Random(11).elements::<u64>(1000).into_iter().map(|x| x | 1).collect();
        let want = odd.iter().fold(1u64, |all, &x| all.wrapping_mul(x));
        assert_eq!(engine.reduce(WrappingProduct, &odd).expect("one"), want, "{}", engine.name());
        let short: Vec<i32> = odd.iter().map(|&x| x as i32).collect();
        assert_eq!(engine.reduce(WrappingProduct, &short).expect("one"), want as i32);
        assert_eq!(engine.reduce(WrappingProduct, &[] as &[i64]).expect("one"), 1);
    }
    let cpu = Cpu::with_threads(3);
    let (huge, tiny) = (2f64.powi(1000), 2f64.powi(-1000));
    assert_eq!(cpu.reduce(Product, &[huge, huge, tiny, tiny, -3.0]).expect("one"), -3.0);
    let least = f64::from_bits(1);
    assert_eq!(cpu.reduce(Product, &[least, 2f64.powi(1000), 2f64.powi(74)]).expect("one"), 1.0);
    assert_eq!(cpu.reduce(Product, &[1.5, least]).expect("one"), 1.5 * least);
    assert_eq!(cpu.reduce(Product, &[huge, huge]).expect("one"), f64::INFINITY);
    assert_eq!(cpu.reduce(Product, &[-huge, huge]).expect("one"), f64::NEG_INFINITY);
    assert_eq!(cpu.reduce(Product, &[tiny, tiny]).expect("one"), 0.0);
    assert!(cpu.reduce(Product, &[0.0, f64::INFINITY]).expect("one").is_nan());
    assert_eq!(cpu.reduce(Product, &[] as &[f64]).expect("one"), 1.0);
}

#[test]
fn sizes_are_summed_exactly() {
    let floats: Vec<f32> = Random(12).elements(5000);
    let finite: Vec<f32> = floats.into_iter().filter(|x| x.is_finite()).collect();
    let sizes: Vec<f32> = finite.iter().map(|x| x.abs()).collect();
    let halves: Vec<f16> = finite.iter().map(|&x| f16::from_f32((x % 100.0).clamp(-100.0, 100.0))).collect();
    let doubles: Vec<f64> = numbers(3000, 13);
    for engine in engines() {
        let name = engine.name();
        assert_eq!(
            engine.reduce(Norm1, &finite).expect("one"),
            engine.reduce(treefold::ops::Sum, &sizes).expect("one"),
            "{name}"
        );
        let want: f64 = halves.iter().map(|x| x.to_f64().abs()).sum();
        assert_eq!(engine.reduce(Norm1, &halves).expect("one"), want as f32, "{name}");
        let sizes: Vec<f64> = doubles.iter().map(|x| x.abs()).collect();
        let want = engine.reduce(treefold::ops::Sum, &sizes).expect("one");
        assert_eq!(engine.reduce(Norm1, &doubles).expect("one").to_bits(), want.to_bits(), "{name}");
        assert_eq!(engine.reduce(Norm1, &[i32::MIN, -1, 1]).expect("one"), (1 << 31) + 2, "{name}");
        assert_eq!(engine.reduce(Norm1, &[i64::MIN, i64::MIN, 5]).expect("one"), (1 << 64) + 5, "{name}");
        assert_eq!(engine.reduce(Norm1, &[u64::MAX; 3]).expect("one"), 3 * u128::from(u64::MAX), "{name}");
        assert_eq!(engine.reduce(Norm1, &[u32::MAX; 3]).expect("one"), 3 * u128::from(u32::MAX), "{name}");
        assert_eq!(engine.reduce(Norm1, &[-0.0f32]).expect("one").to_bits(), 0, "{name}");
        assert_eq!(engine.reduce(Norm1, &[f32::NEG_INFINITY, f32::INFINITY]).expect("one"), f32::INFINITY, "{name}");
        assert!(engine.reduce(Norm1, &[f32::NAN, 1.0]).expect("one").is_nan(), "{name}");
    }
}

#[test]
fn counts_and_parity() {
    for engine in engines() {
        assert_eq!(engine.reduce((Count, Parity), &[0.0f32, -0.0, f32::NAN]).expect("two"), (3, true));
        assert_eq!(engine.reduce((Count, Parity), &[] as &[i64]).expect("two"), (0, false));
        let many = vec![1u32; 100_001];
        assert_eq!(engine.reduce((Count, Parity), &many).expect("two"), (100_001, true));
    }
}

#[test]
fn first_and_last_that_compare_so() {
    for n in [0usize, 1, 5, 64, 1000, 70_000] {
        let elements: Vec<i32> =
            Random(n as u64).elements::<u32>(n).into_iter().map(|x| (x % 1000) as i32 - 500).collect();
        let wide: Vec<u64> = elements.iter().map(|&x| (x + 500) as u64).collect();
        for (text, holds) in [
            ("> 498", (|x| x > 498) as fn(i32) -> bool),
            ("== -500", |x| x == -500),
            ("< -600", |_| false),
            ("!= 7", |x| x != 7),
        ] {
            let compare = text.parse().expect("a comparison");
            let first = elements.iter().position(|&x| holds(x));
            let last = elements.iter().rposition(|&x| holds(x));
            for engine in engines() {
                let found = engine.reduce((FindFirst { compare }, FindLast { compare }), &elements).expect("answers");
                let got = [found.0, found.1].map(|found| found.map(|found| (found.index as usize, found.value)));
                let want = [first, last].map(|at| at.map(|at| (at, elements[at])));
                assert_eq!(got, want, "{n} {text} on {}", engine.name());
            }
        }
        let compare = ">= 999".parse().expect("a comparison");
        let (first, last) = (wide.iter().position(|&x| x >= 999), wide.iter().rposition(|&x| x >= 999));
        for engine in engines() {
            let found = engine.reduce((FindFirst { compare }, FindLast { compare }), &wide).expect("answers");
            assert_eq!([found.0, found.1].map(|found| found.map(|found| found.index as usize)), [first, last], "{n}");
        }
    }
    // A NaN is unequal to everything, and comes back as it is; parts count on.
    let compare = "!= 1".parse().expect("a comparison");
    let cpu = Cpu::new();
    let part = |elements: &[f32]| cpu.partial(FindFirst { compare }, elements);
    let found = part(&[1.0, 1.0]).merge(part(&[1.0, f32::NAN])).expect("neighbours").finish().expect("one");
    assert!(found.is_some_and(|found| found.index == 3 && found.value.is_nan()), "{found:?}");
}

#[test]
fn fingerprints_change_with_every_bit_and_the_order() {
    let elements: Vec<u32> = Random(14).elements(10_007);
    let wide: Vec<u64> = Random(15).elements(5003);
    let cpu = Cpu::with_threads(1);
    let one = |elements: &[u32]| cpu.reduce(Hash, elements).expect("one");
    // The number of the digits, one after another.
    let reference = |digits: &[u16]| {
        let [first, second] = [793_234_511u64, 1_430_287_019].map(|base| {
            digits.iter().fold(0u64, |hash, &digit| (hash * base + u64::from(digit) + 1) % ((1 << 31) - 1))
        });
        first << 31 | second
    };
    let digits: Vec<u16> = elements.iter().flat_map(|&x| [x as u16, (x >> 16) as u16]).collect();
    let wide_digits: Vec<u16> = wide.iter().flat_map(|&x| [0, 16, 32, 48].map(|at| (x >> at) as u16)).collect();
    for engine in engines() {
        assert_eq!(engine.reduce(Hash, &elements).expect("one"), reference(&digits), "{}", engine.name());
        assert_eq!(engine.reduce(Hash, &wide).expect("one"), reference(&wide_digits), "{}", engine.name());
        assert_eq!(engine.reduce(Hash, &[] as &[f32]).expect("one"), 0);
    }
    let mut other = elements.clone();
    for at in [0, 1, 5000, 10_006] {
        for bit in [0, 15, 16, 31] {
            other[at] ^= 1 << bit;
            assert_ne!(one(&other), one(&elements), "{at} {bit}");
            other[at] ^= 1 << bit;
        }
    }
    other.swap(3, 4);
    assert_ne!(one(&other), one(&elements));
    assert_ne!(one(&elements[1..]), one(&elements));
}
