//! Terms that are products of two numbers: of pairs, of one number of each, and the third and fourth powers of elements.

use super::exact::{
    AMOUNT, Linked, PAIRS, PRODUCT_FLAGS, SCATTER_128, SQUARE_64, Terms, levels_f64, long, multiply, naturals,
    products, scattered,
};
use crate::exact::{LongAccumulator, PRODUCTS_F64, flag, products_f32, products_f64};
use crate::op::{Device, Keep, Trips};

const PRODUCT_128: &str = include_str!("../../shaders/exact/product128.wgsl");
const QUADS: &str = include_str!("../../shaders/vector/quads.wgsl");

/// The products of the numbers at two places of each pair: of both, or of one with itself.
#[derive(Clone, Copy, Debug)]
pub struct ProductsOf<const A: usize, const B: usize>;

/// The products of both numbers of pairs.
pub type Products = ProductsOf<0, 1>;

/// `factors` in WGSL, which takes four words: of two pairs of 32 bits, or of one of 64.
fn factors(narrow: bool, places: [usize; 2]) -> &'static str {
    match (narrow, places) {
        (true, [0, 0]) => "fn factors(pairs: vec4<u32>) -> vec4<u32> { return pairs.xxzz; }\n",
        (true, [1, 1]) => "fn factors(pairs: vec4<u32>) -> vec4<u32> { return pairs.yyww; }\n",
        (false, [0, 0]) => "fn factors(pair: vec4<u32>) -> vec4<u32> { return pair.xyxy; }\n",
        (false, [1, 1]) => "fn factors(pair: vec4<u32>) -> vec4<u32> { return pair.zwzw; }\n",
        _ => "fn factors(pairs: vec4<u32>) -> vec4<u32> { return pairs; }\n",
    }
}

impl<const A: usize, const B: usize> Terms<[f32; 2]> for ProductsOf<A, B> {
    const LIMBS: u64 = 20;
    const UNIT: i32 = -300;
    type Acc = LongAccumulator<20>;

    #[inline(always)]
    fn sum(elements: &[[f32; 2]]) -> LongAccumulator<20> {
        products_f32(elements, |pair| pair[A], |pair| pair[B])
    }
    fn device(keep: Keep) -> Device {
        let factors = factors(true, [A, B]);
        if let Keep::Bins { replicas, words64, .. } = keep {
            let shared = include_str!("../../shaders/exact/dot_shared.wgsl");
            // More gain nothing: an H200, `treefold bench dot --dtype f32x2 --size 2^27`, with this changed, 8: 260.1 µs, 16: 260.3.
            let replicas = replicas.min(8);
            // What is multiplied by itself has no sign.
            let linked = Linked { replicas, limbs: 20, places: 64, per_limb: 4, words: 3, signed: A != B };
            return Device::Bins(linked.bins(&[factors, AMOUNT, multiply(words64), PRODUCT_FLAGS, shared]));
        }
        let dot = include_str!("../../shaders/exact/dot.wgsl");
        products(keep, &[factors, dot, PAIRS], (&[factors, dot, PAIRS], Trips::default()))
    }
}

impl<const A: usize, const B: usize> Terms<[f64; 2]> for ProductsOf<A, B> {
    const LIMBS: u64 = 134;
    const UNIT: i32 = PRODUCTS_F64;
    type Acc = LongAccumulator<134>;

    #[inline(always)]
    fn sum(elements: &[[f64; 2]]) -> LongAccumulator<134> {
        products_f64(elements, |pair| pair[A], |pair| pair[B])
    }
    fn device(keep: Keep) -> Device {
        const REST: &str = include_str!("../../shaders/exact/product_f64_rest.wgsl");
        const LEVELS: &str = include_str!("../../shaders/exact/product_f64_levels.wgsl");
        let factors = [factors(false, [A, B])];
        if let Keep::Bins { replicas, float64: true, .. } = keep {
            return Device::Bins(levels_f64(replicas, &[&factors, &put(keep)[..], &[REST, LEVELS]].concat()));
        }
        scattered(keep, 134, A != B, (&[&factors, &put(keep)[..], &[PRODUCT_F64, QUADS]].concat(), 0))
    }
}

/// Products of two f64, one at a time, of factors that the text before it makes of elements.
const PRODUCT_F64: &str = include_str!("../../shaders/exact/product_f64.wgsl");

/// What adds such a product to bins.
fn put(keep: Keep) -> [&'static str; 4] {
    const PRODUCT: &str = include_str!("../../shaders/exact/product_f64_put.wgsl");
    [multiply(keep.words64()), PRODUCT_128, SCATTER_128, PRODUCT]
}

/// Four neighbours, in a loop: with a copy of a product for each, lavapipe compiles for many seconds.
const FOUR: &str = "fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    var all = state;
    for (var k = 0u; k < 4u; k++) { all = accumulate(all, vector[k], index + k); }
    return all;
}
";

/// Powers of elements, the third or the fourth: products of the square and the number, or of the square and itself.
#[derive(Clone, Copy, Debug)]
pub struct RaisedTo<const POWER: usize>;

impl<const POWER: usize> Terms<f32> for RaisedTo<POWER> {
    const LIMBS: u64 = 134;
    const UNIT: i32 = PRODUCTS_F64;
    type Acc = LongAccumulator<134>;

    #[inline(always)]
    fn sum(elements: &[f32]) -> LongAccumulator<134> {
        // 48 bits.
        let square = |x: f32| widened(x) * widened(x);
        products_f64(elements, square, |x| if POWER == 3 { widened(x) } else { square(x) })
    }
    fn device(keep: Keep) -> Device {
        const FACTORS: &str = include_str!("../../shaders/exact/powers_f32.wgsl");
        const CUBE: &str =
            "fn factors(bits: u32) -> vec4<u32> { return vec4<u32>(square_of(bits), number_of(bits)); }\n";
        const FOURTH: &str = "fn factors(bits: u32) -> vec4<u32> { return square_of(bits).xyxy; }\n";
        let factors = [AMOUNT, FACTORS, if POWER == 3 { CUBE } else { FOURTH }];
        // Levels of f64 gain nothing: an H200, `treefold bench skewness,kurtosis --size 2^28 --what answer`, 2.9 and 4.7 ms; with them 3.1 and 6.5.
        scattered(keep, 134, POWER == 3, (&[&factors, &put(keep)[..], &[PRODUCT_F64, FOUR]].concat(), 4))
    }
}

/// An f32 as an f64, by its digits where it is subnormal, which a thread's processor may have been told to flush.
#[inline(always)]
fn widened(x: f32) -> f64 {
    let (digits, sign) = (x.to_bits() & 0x7f_ffff, x.to_bits() >> 31);
    let small = f64::from(digits) * f64::from_bits((1023 - 149) << 52) * if sign == 1 { -1.0 } else { 1.0 };
    if x.to_bits() & 0x7f80_0000 == 0 { small } else { x.into() }
}

/// Products of whole numbers of 64 bits go as they are into integers of 192.
macro_rules! whole_products {
    ($($type:ty, $signs:expr, |$factors:ident| $sum:expr;)+) => {$(
        impl<const A: usize, const B: usize> Terms<[$type; 2]> for ProductsOf<A, B> {
            const LIMBS: u64 = 6;
            const UNIT: i32 = 0;
            type Acc = LongAccumulator<6>;

            #[inline(always)]
            fn sum(pairs: &[[$type; 2]]) -> LongAccumulator<6> {
                let $factors = pairs.iter().map(|pair| (pair[A], pair[B]));
                $sum
            }
            fn device(_: Keep) -> Device {
                let lift = if A == B {
                    "let number = factors(bits).xy;
let sign = above_of(number.y);
let square = square64(add64(number ^ vec2<u32>(sign), vec2<u32>(sign & 1u, 0u)));
return Acc(FLAG_OTHER, array<u32, 6>(square.x, square.y, square.z, square.w, 0u, 0u));"
                } else {
                    "let pair = factors(bits);
let product = product64(pair.xy, pair.zw);
let above = above_of(product.w);
return Acc(FLAG_OTHER, array<u32, 6>(product.x, product.y, product.z, product.w, above, above));"
                };
                const PRODUCT_64: &str = include_str!("../../shaders/exact/product64.wgsl");
                let texts: &[&str] = if A == B { &[SQUARE_64] } else { &[PRODUCT_128, PRODUCT_64] };
                let wgsl = long(6, lift, Trips::default()).helpers($signs).helpers(factors(false, [A, B]));
                Device::Value(texts.iter().fold(wgsl.helpers(multiply(false)), |wgsl, &text| wgsl.helpers(text)))
            }
        }
    )+};
}

whole_products! {
    u64, "fn above_of(word: u32) -> u32 { return 0u; }\n",
        |factors| naturals(factors.map(|(x, y)| u128::from(x) * u128::from(y)));
    i64, "fn above_of(word: u32) -> u32 { return bitcast<u32>(bitcast<i32>(word) >> 31u); }\n", |factors| {
        // Both halves of products apart, so that neither sum overflows.
        let (mut low, mut high, mut flags) = (0u128, 0i128, 0);
        for (x, y) in factors {
            let product = i128::from(x) * i128::from(y);
            (low, high, flags) = (low + u128::from(product as u64), high + (product >> 64), flag::OTHER);
        }
        LongAccumulator::natural(low, 0, flags).plus(LongAccumulator::integer(high, 0).up_by_64())
    };
}
