// The squared distances of n elements from their mean, times n: n·Q - S², for their sum S and the sum Q of their squares. No step
// rounds. Its quotient by n·(n - ddof) (exact/divisor.wgsl) is the variance. Its words come one by one, from the lowest up, and S,
// Q and what products carry move down by a word for each, so that all stay in registers. A line that ends in `for K` is repeated
// for each K.
//
// Expects: exact/top.wgsl; sum_of(acc), the size of S in SUM_LIMBS words and 0 behind them; squares_of(acc), Q in SQUARES_LIMBS
// words and 0 behind them (exact/powers_*.wgsl).

fn product_sum(a: u32, b: u32, c: u32, d: u32) -> vec2<u32> {
    return add64(add64(multiply32(a, b), vec2<u32>(c, 0u)), vec2<u32>(d, 0u));
}

fn spread_of(acc: Acc, count: vec2<u32>) -> Top {
    let sum = sum_of(acc);
    var left = sum;                             // words of S that are still to come
    var squares = squares_of(acc);              // and of Q
    var square = array<u32, SUM_LIMBS + 1u>();  // S² from here on, of the words of S that were taken
    var words = 0u;
    words = select(words, K + 3u, squares[K] != 0u);  // for K in 0..SQUARES_LIMBS
    var before = 0u;
    var carry = vec2<u32>();
    var borrow = 0u;
    var seen = Words();
    var all = Words();
    var end = 0i;
    for (var i = 0u; i < words; i++) {
        // n·Q: two products of a word and what they carry have 65 bits.
        let low = add64(multiply32(count.x, squares[0]), carry);
        let high = multiply32(count.y, before);
        let product = add64(low, high);
        carry = vec2<u32>(product.y, select(0u, 1u, less64(product, high)));
        before = squares[0];
        squares[K] = squares[K + 1u];  // for K in 0..SQUARES_LIMBS

        let factor = left[0];
        left[K] = left[K + 1u];  // for K in 0..SUM_LIMBS
        if factor != 0u {
            var next = vec2<u32>();
            next = product_sum(factor, sum[K], square[K], next.y); square[K] = next.x;  // for K in 0..SUM_LIMBS
            square[SUM_LIMBS] = next.y;
        }
        let less = product.x - square[0];
        let word = less - borrow;
        borrow = select(0u, 1u, (product.x < square[0]) | (less < borrow));
        square[K] = square[K + 1u];  // for K in 0..SUM_LIMBS
        square[SUM_LIMBS] = 0u;

        seen = topped(seen, word);
        if word != 0u {
            all = seen;
            end = 32i * i32(i) + 32i;
        }
    }
    return top_of_words(all, end);
}
