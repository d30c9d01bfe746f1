//! Dot products of f64 that stay in four f64 of each invocation as long as these hold them: the host's bits, whatever the data.

use super::float64::{Cases, MANTISSA, SIGN, all, has_float64, is_float64, sets_f64, with_float64};
use crate::common::*;
use treefold::ops::Dot;
use treefold::{Gpu, Tuning};

/// The bits of two numbers of these exponents' product's exponent, where there are such.
fn pair(first: u64, product: u64, digits: [u64; 2]) -> Option<[u64; 2]> {
    let second = (product + 0x3ff).checked_sub(first)?;
    let fits = (1..=2046).contains(&first) && (1..=2046).contains(&second);
    fits.then_some([first << 52 | digits[0] & (SIGN | MANTISSA), second << 52 | digits[1] & (SIGN | MANTISSA)])
}

fn sets() -> Vec<Vec<[u64; 2]>> {
    let mut random = Random(68);
    let mut next = || random.next() << 32 ^ random.next();
    // Factors of all sizes whose products are of a few.
    let factors = [1, 40, 63, 64, 65, 500, 1023, 1600, 1999, 2000, 2001, 2046].into_iter();
    let factors: Vec<Vec<[u64; 2]>> = factors
        .map(|first| {
            let of = |i: u64| pair(first, 1087 + i % 9, [if i.is_multiple_of(3) { MANTISSA } else { next() }, next()]);
            (0..9001).filter_map(of).collect()
        })
        .collect();
    // Products at the ends of what windows may lie in.
    let ends = [20, 60, 89, 90, 100, 118, 119, 127, 128, 129, 137, 138, 139, 2005, 2010, 2011, 2019, 2020, 2030];
    let ends: Vec<Vec<[u64; 2]>> = ends
        .into_iter()
        .map(|product| {
            let of = |i: u64| pair((product + 0x3ff) / 2, product + i % 9, [next(), next()]);
            (0..5001).filter_map(of).collect()
        })
        .collect();
    // Behind ones, which choose the window, the largest of it, which cancel; among them others of the least, or of less.
    let digits = [37, 38, 39, 40, 60].map(|below: u64| {
        let of = |i: u64| match i {
            0..4096 => Some([0x3ff << 52 | i << 63, 0x3ff << 52]),
            4096..50_600 if i % 122 == 120 => pair(0x3ff, 0x3ff + 9 - below, [MANTISSA, MANTISSA]),
            4096..50_600 => pair(0x3ff + 4, 0x3ff + 8, [0xfffffd8342fa7, MANTISSA - 256]),
            _ => pair(0x3ff + 4, 0x3ff + 8, [SIGN | 0xfffffd8342fa7, MANTISSA - 256]),
        };
        (0..97_105).filter_map(of).collect()
    });
    let ones = |other: [u64; 2]| {
        (0..9000).map(move |i| if i % 997 == 500 { other } else { [0x3ff << 52 | i << 63, 0x3ff << 52] })
    };
    // Of a low window what the roundings leave of its least, behind larger ones that cancel, and so that these cancel, too: in stretches, so that
    // an invocation has all in this order.
    let (one, two) = (0x3ff - 464, 0x3ff - 465);
    let low = [110, 127, 128, 135, 143, 144, 150].map(|top: u64| {
        let largest = [(top - 10) / 2 + 0x200, (top - 10).div_ceil(2) + 0x200 - 1];
        let least = [largest[0] - 14, largest[1] - 12];
        let pairs = [(0, largest, [0, 0]), (SIGN, largest, [0, 0]), (0, least, [1, 1]), (SIGN, least, [2, 0])];
        let of = |(sign, exponents, digits): (u64, [u64; 2], [u64; 2])| {
            [sign | exponents[0] << 52 | digits[0], exponents[1] << 52 | digits[1]]
        };
        pairs.into_iter().flat_map(|pair| std::iter::repeat_n(of(pair), 4096)).collect::<Vec<_>>()
    });
    let told = [[0, one + 14, one + 11], [SIGN, one + 14, one + 11]].map(|[sign, x, y]| [sign | x << 52, y << 52]);
    let told = [told[0], told[1], [one << 52 | 1, two << 52 | 1], [SIGN | one << 52 | 2, two << 52]];
    let told: Vec<[u64; 2]> = told.into_iter().flat_map(|pair| std::iter::repeat_n(pair, 4096)).collect();
    // What no f64 holds, in either number or in the product; and zeros.
    let inf = 0x7ff << 52;
    let others = [
        [423, 423].map(|exponent: u64| exponent << 52),
        [inf, 0],
        [0, inf | SIGN],
        [inf, 7],
        [1, 1],
        [MANTISSA, 2000 << 52],
    ];
    let zeros = |one: [u64; 2]| (0..5000).map(|i| if i == 4001 { one } else { [SIGN, i] }).collect();
    // Those of the sums, each beside itself, its neighbour, a power of two.
    let beside = |set: Vec<u64>, other: fn(&[u64], usize) -> u64| {
        (0..set.len()).map(|at| [set[at], other(&set, at)]).collect::<Vec<_>>()
    };
    let sums = sets_f64().into_iter().enumerate().map(|(turn, set)| match turn % 3 {
        0 => beside(set, |set, at| set[(at * 7 + 1) % set.len()]),
        1 => beside(set, |set, at| set[at] ^ SIGN),
        _ => beside(set, |_, at| (0x3fe + at as u64 % 3) << 52),
    });
    let sums: Vec<_> = sums.collect();
    sums.into_iter()
        .chain(factors)
        .chain(ends)
        .chain(digits)
        .chain(low)
        .chain([told])
        .chain(others.map(|other| ones(other).collect()))
        .chain([zeros([SIGN, 1]), zeros([0, 1]), zeros([SIGN, SIGN])])
        .collect()
}

fn cases() -> Cases<[f64; 2], Dot> {
    Cases::new(Dot, all(sets(), |bits: [u64; 2]| bits.map(f64::from_bits)))
}

#[test]
fn dots_have_the_bits_of_the_hosts() {
    if !has_float64() {
        return;
    }
    let cases = cases();
    for shape in [small(), Tuning::GPU] {
        let (kernel, wrong) = cases.wrong(&gpu().with_tuning(with_float64(shape)).expect("a launch shape"));
        assert!(is_float64(kernel), "{kernel:?}");
        assert_eq!(wrong, None, "a set");
    }
}

/// The self-test puts a wrong kernel aside, or a set notices it; each compiles.
#[test]
fn wrong_kernels_are_noticed() {
    if !has_float64() {
        return;
    }
    let cases = cases();
    let noticed = |gpu: &Gpu| !cases.passes(gpu) || cases.wrong(gpu).1.is_some();
    let changes = [
        ("const WINDOW = 38u;", "const WINDOW = 45u;"),
        ("const ROOM = 64u;", "const ROOM = 6400u;"),
        ("const LEAST_TOP = 144u;", "const LEAST_TOP = 128u;"),
        ("const MOST = 2000u << 20u;", "const MOST = 2047u << 20u;"),
        (">> FIELD) + 8u", ">> FIELD) + 1u"),
        (">> FIELD) + 8u", ">> FIELD) + 12u"),
        (">> FIELD) - 45u", ">> FIELD) - 40u"),
        (">> FIELD) - 45u", ">> FIELD) - 55u"),
        ("put_number(state.sum.high - start_of(state), state.replica);", ""),
        ("put_number(state.sum.low, state.replica);", ""),
        ("put_number(state.rest.high - start_of_rest(state), state.replica);", ""),
        ("put_number(state.rest.low, state.replica);", ""),
        ("levels.low + (x - (sum - levels.high))", "levels.low"),
        ("+ (x * y_low + x_low * y))", "+ x * y_low)"),
        ("+ x_low * y_low;", ";"),
        ("bits.x + 0x4000000u", "bits.x"),
        ("+ select(0u, 1u, low < bits.x)", ""),
        (
            "select(max(f64_size(words_of(rounded_product(vector))), 1u), 0u,",
            "select(f64_size(words_of(rounded_product(vector))), 0u,",
        ),
        ("return select(size, 1u, apart);", "return size;"),
        ("    all.flags |= product_flags(vector.xy, vector.zw);\n", "    all.flags |= FLAG_OTHER;\n"),
        ("    all.flags |= put(vector.xy, vector.zw, all.replica);\n", "    put(vector.xy, vector.zw, all.replica);\n"),
        ("all.rest = with_one(all.rest,", "with_one(all.rest,"),
        ("(a.y ^ b.y) >> 31u == 1u, replica)", "false, replica)"),
        ("product_of(a.x, b.y), vec2<u32>(low.y, 0u)", "product_of(a.x, b.y), vec2<u32>()"),
        ("product_of(a.y, b.x), vec2<u32>(one.x, 0u)", "product_of(a.y, b.x), vec2<u32>()"),
        ("vec4<u32>(0u, over.xyz)", "vec4<u32>(0u, over.xy, 0u)"),
        ("if moved.x != 0u { bin_add(bin, replica, moved.x); }", ""),
        ("if moved.y != 0u { bin_add(bin + 1u, replica, moved.y); }", ""),
        ("if over.w != 0u { bin_add(bin + 4u, replica, over.w); }", ""),
        ("max(size >> vec2<u32>(20u), vec2<u32>(1u))", "(size >> vec2<u32>(20u))"),
        ("| (zero & (largest == 0x7ff00000u))", ""),
        ("let largest = max(size.x | some.x, size.y | some.y);", "let largest = size.x | some.x;"),
    ];
    assert_noticed(with_float64(small()), &one_in(4, &changes), noticed);
}
