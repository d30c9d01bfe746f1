//! Answers that once were wrong: by hand, on the adapter and on the CPU.

use crate::common::{gpu, upload};
use treefold::ops::*;
use treefold::{Cpu, Element, Engine, Input, Op};

/// The answers of the adapter and of the CPU engine.
fn both<T: Element, O: Op<T>>(op: O, elements: &[T]) -> [O::Output; 2] {
    let engines = [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(3))];
    engines.map(|engine| engine.reduce(op.clone(), elements).expect("an answer"))
}

fn floats(bits: &[u32]) -> Vec<f32> {
    bits.iter().copied().map(f32::from_bits).collect()
}

/// A reproducible sequence.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as u32
    }
    /// Of mean 0 and deviation 1, nearly: twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| f64::from(self.next()) / 4294967296.0).sum::<f64>() - 6.0
    }
}

#[test]
fn a_product_with_an_infinity_is_infinite() {
    let tiny: Vec<f32> = [f32::INFINITY].into_iter().chain([1e-6; 8]).collect();
    for elements in [tiny, floats(&[0x7f80_0000, 1, 1]), floats(&[1, 1, 0x7f80_0000])] {
        assert_eq!(both(Product, &elements), [f32::INFINITY; 2], "{elements:?}");
    }
    assert!(both(Product, &[f32::INFINITY, 0.0]).iter().all(|product| product.is_nan()));
}

#[test]
fn the_exponent_of_a_product_has_64_bits() {
    let small = vec![f32::from_bits(1); 12_700_000];
    let large = vec![2f32.powi(127); 14_900_000];
    let all = [small, large].concat();
    assert_eq!(both(Product, &all), [1.0; 2]);
    assert_eq!(both(Product, &all[..14_500_000]), [0.0; 2]);
    assert_eq!(both(Product, &all[12_700_000..]), [f32::INFINITY; 2]);
}

#[test]
fn two_factors_give_the_nearest_product() {
    let mut random = Sequence(1);
    let mut pairs = floats(&[0x1ca3_dfd3, 0x20f5_829c, 0x0080_0000, 0x3f7f_ffff, 0x0000_0003, 0x3f00_0000]);
    for i in 0..20_000 {
        let (a, b) = (random.next(), random.next());
        // Products about the subnormals, and everywhere.
        let near = (a & 0x807f_ffff) | (1 + (a >> 23) % 127) << 23;
        let fill = 128u32.saturating_sub(near >> 23 & 255).saturating_sub(b % 30).max(1);
        let other = (b & 0x807f_ffff) | fill << 23;
        pairs.extend(floats(&if i % 2 == 0 { [near, other] } else { [a, b] }));
    }
    let want: Vec<u32> = pairs
        .chunks(2)
        .map(|pair| (f64::from(pair[0]) * f64::from(pair[1])) as f32)
        .map(|product| if product.is_nan() { 0x7fc0_0000 } else { product.to_bits() })
        .collect();
    let bits = |product: f32| if product.is_nan() { 0x7fc0_0000 } else { product.to_bits() };
    let reducer = gpu().reducer::<f32, _>(Product).expect("a reducer");
    let buffer = upload(&gpu(), &pairs);
    let rows = Input::<f32>::range(&buffer, 0..pairs.len() as u64).rows(2);
    let device: Vec<u32> = reducer.reduce_each(rows).expect("answers").into_iter().map(bits).collect();
    for (i, pair) in pairs.chunks(2).enumerate() {
        let host = bits(Cpu::with_threads(1).reduce(Product, pair).expect("an answer"));
        assert_eq!((device[i], host), (want[i], want[i]), "{:08x} {:08x}", pair[0].to_bits(), pair[1].to_bits());
    }
}

#[test]
fn variances_far_from_zero_keep_their_digits() {
    let mut random = Sequence(7);
    let far: Vec<f32> = (0..1 << 20).map(|_| (1e6 + random.normal()) as f32).collect();
    let coarse: Vec<f32> = (0..3000).map(|i| 16777216.0 + 2.0 * (i % 3) as f32).collect();
    let tiny: Vec<f32> = (0..1 << 16).map(|_| (1e-24 * random.normal()) as f32).collect();
    for elements in [&far, &coarse, &tiny] {
        let n = elements.len() as f64;
        let mean = elements.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let want = elements.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n;
        let [device, host] = both(Variance::default(), elements).map(Option::unwrap);
        assert_eq!(device.to_bits(), host.to_bits());
        assert!((device / want - 1.0).abs() < 1e-9, "{device} {want}");
        let [device, host] = both(FastVariance::default(), elements).map(Option::unwrap);
        assert!((host / want - 1.0).abs() < 1e-9, "{host} {want}");
        // NumPy in f32 is off by 4e-6 on the first, and its squares vanish on the last.
        assert!((device - want).abs() <= 4e-6 * want + 1e-37, "{device} {want}");
    }
    // The first element is where a device measures from: far outside the rest it costs digits, as the page says.
    for (first, mean) in [(0.0f32, 1e6), (1e4, 0.0), (-1e3, 1.0)] {
        let rest = (1..1 << 20).map(|_| (mean + random.normal()) as f32);
        let elements: Vec<f32> = [first].into_iter().chain(rest).collect();
        let [device, host] = both(FastVariance::default(), &elements).map(Option::unwrap);
        assert!((device / host - 1.0).abs() < 3e-4, "{device} {host}");
    }
    assert_eq!(both(Variance::default(), &[16777216.0f32, 16777218.0, 16777220.0]), [Some(8.0 / 3.0); 2]);
}

#[test]
fn variances_and_deviations_are_rounded_once() {
    let std = both(Std::default(), &[i32::MIN, i32::MIN, i32::MAX]).map(|std| std.unwrap().to_bits());
    assert_eq!(std, [0x41de_2b7d_dde0_cee8; 2]);
    let stats = both(Stats::default(), &[i32::MIN, i32::MIN, i32::MAX]).map(|stats| stats.std.unwrap().to_bits());
    assert_eq!(stats, [0x41de_2b7d_dde0_cee8; 2]);
    // A deviation of f32 is that of Stats, and none of what is not finite.
    let elements = [0.1f32, 0.2, 0.7, 1e-30, -3.5e7];
    let [stats, _] = both(Stats { ddof: 2 }, &elements);
    assert_eq!(both(Std { ddof: 2 }, &elements), [stats.std; 2]);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(both(Variance::default(), &[1.0, x]).iter().all(|variance| variance.unwrap().is_nan()));
    }
    assert_eq!(both(Variance { ddof: 2 }, &[1.0f32, 2.0]), [None, None]);
    assert_eq!(both(Std::default(), &[] as &[u32]), [None, None]);
}

#[test]
fn means_of_integers_are_rounded_once() {
    let mut elements = vec![i32::MAX; 8_388_612];
    elements.push(1);
    let want = [Some(0x41df_ffff_bfc0_0281); 2];
    assert_eq!(both(Mean, &elements).map(|mean| mean.map(f64::to_bits)), want);
    assert_eq!(both(Stats::default(), &elements).map(|stats| stats.mean.map(f64::to_bits)), want);
    let unsigned: Vec<u32> = elements.iter().map(|&x| x as u32).collect();
    assert_eq!(both(Mean, &unsigned).map(|mean| mean.map(f64::to_bits)), want);
    let negative: Vec<i32> = elements.iter().map(|&x| -x).collect();
    assert_eq!(both(Mean, &negative).map(|mean| mean.map(|mean| (-mean).to_bits())), want);
}

#[test]
fn finite_floats_have_no_nan_for_a_sum() {
    let mut few = vec![0.0f32; 128];
    (few[0], few[32]) = (f32::MAX, f32::MAX);
    (few[1], few[33]) = (-f32::MAX, -f32::MAX);
    let halves: Vec<f32> = (0..32768).map(|i| if i < 16384 { f32::MAX } else { -f32::MAX }).collect();
    let turns: Vec<f32> = (0..1 << 18).map(|i| if i / 64 % 2 == 0 { f32::MAX } else { -f32::MAX }).collect();
    for elements in [few, halves, turns] {
        for sum in both(FastSum, &elements) {
            assert!(!sum.is_nan(), "of {} elements", elements.len());
        }
        for mean in both(FastMean, &elements) {
            assert!(!mean.unwrap().is_nan(), "of {} elements", elements.len());
        }
        assert!(both(FastStats::default(), &elements).iter().all(|stats| !stats.sum.is_nan()));
    }
    assert!(both(FastSum, &[f32::MAX, f32::NAN]).iter().all(|sum| sum.is_nan()));
    assert!(both(FastSum, &[f32::INFINITY, f32::NEG_INFINITY]).iter().all(|sum| sum.is_nan()));
}

/// A number that the words of a partial cannot hold is an error, and not another number.
#[test]
fn partials_that_are_wider_than_their_words() {
    let cpu = Cpu::with_threads(1);
    let mut partial = cpu.partial(Variance::default(), &[u32::MAX; 1024]);
    for _ in 0..23 {
        partial = partial.clone().merge(partial).expect("a merge");
    }
    assert_eq!(partial.finish().expect("a variance"), Some(0.0));
    assert!(partial.to_bytes().is_err());
    let partial = cpu.partial(FastVariance::default(), &[1e20, -1e20]);
    assert!(partial.finish().expect("a variance").is_some_and(|variance| (variance / 1e40 - 1.0).abs() < 1e-6));
    assert!(partial.to_bytes().is_err());
}
