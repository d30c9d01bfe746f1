// The squared distances of n elements from their mean, times n: n·Q - S², for their sum S and the sum Q of their squares. No step
// rounds. Its quotient by n·(n - ddof) is the variance, whose bits come one by one.
//
// Expects: Limbs (exact/natural.wgsl), which holds n·Q; sum_of(acc), the size of S in SUM_LIMBS words, and squares_of(acc)
// (exact/powers_*.wgsl).

fn spread_of(acc: Acc, count: vec2<u32>) -> Limbs {
    var sum = sum_of(acc);
    var squares = squares_of(acc);
    var spread = Limbs();
    add_product(&spread, count.x, &squares, 0u);
    add_product(&spread, count.y, &squares, 1u);
    var square = Limbs();
    for (var i = 0u; i < SUM_LIMBS; i++) { add_product(&square, sum[i], &sum, i); }
    var borrow = 0u;
    for (var i = 0u; i < LIMBS; i++) {
        let less = spread[i] - square[i];
        let borrows = (spread[i] < square[i]) | (less < borrow);
        spread[i] = less - borrow;
        borrow = select(0u, 1u, borrows);
    }
    return spread;
}

// total += factor · other · 2^(32·at)
fn add_product(total: ptr<function, Limbs>, factor: u32, other: ptr<function, Limbs>, at: u32) {
    var carry = 0u;
    for (var i = at; i < LIMBS; i++) {
        let product = add64(multiply32(factor, (*other)[i - at]), vec2<u32>(carry, 0u));
        let sum = add64(product, vec2<u32>((*total)[i], 0u));
        (*total)[i] = sum.x;
        carry = sum.y;
    }
}

// n·(n - ddof)
fn divisor_of(count: vec2<u32>, ddof: u32) -> vec4<u32> {
    var n = Limbs();
    n[0] = count.x;
    n[1] = count.y;
    var product = Limbs();
    add_product(&product, count.x - ddof, &n, 0u);
    add_product(&product, count.y - select(0u, 1u, count.x < ddof), &n, 1u);
    return vec4<u32>(product[0], product[1], product[2], product[3]);
}

struct Division { rest: vec4<u32>, digit: u32 }

// Takes one more bit into the remainder, and whether the divisor fits.
fn divide_bit(rest: vec4<u32>, bit: u32, divisor: vec4<u32>) -> Division {
    let taken = (rest << vec4<u32>(1u)) | vec4<u32>(bit, rest.xyz >> vec3<u32>(31u));
    let low = subtract64(taken.xy, divisor.xy, 0u);
    let high = subtract64(taken.zw, divisor.zw, low.z);
    let fits = (rest.w >> 31u == 1u) | (high.z == 0u);
    return Division(select(taken, vec4<u32>(low.xy, high.xy), fits), select(0u, 1u, fits));
}

// a - b - borrow, and the next borrow.
fn subtract64(a: vec2<u32>, b: vec2<u32>, borrow: u32) -> vec3<u32> {
    let low = a.x - b.x;
    let low_borrow = select(0u, 1u, (a.x < b.x) | (low < borrow));
    let high = a.y - b.y;
    let high_borrow = select(0u, 1u, (a.y < b.y) | (high < low_borrow));
    return vec3<u32>(low - borrow, high - low_borrow, high_borrow);
}
