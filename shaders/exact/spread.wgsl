// The squared distances of n elements from their mean, times n: n·Q - S², for their sum S and the sum Q of their squares. No step
// rounds. Its quotient by n·(n - ddof) (exact/divisor.wgsl) is the variance.
//
// Expects: Limbs (exact/natural.wgsl), which holds n·Q; sum_of(acc), the size of S in SUM_LIMBS words, and squares_of(acc)
// (exact/powers_*.wgsl).

fn spread_of(acc: Acc, count: vec2<u32>) -> Limbs {
    var sum = sum_of(acc);
    var squares = squares_of(acc);
    var spread = Limbs();
    let squares_span = span_of(&squares);
    add_product(&spread, count.x, &squares, squares_span, 0u);
    add_product(&spread, count.y, &squares, squares_span, 1u);
    let sum_span = span_of(&sum);
    for (var i = sum_span.x; i < sum_span.y; i++) { subtract_product(&spread, sum[i], &sum, sum_span, i); }
    return spread;
}

// The words from the first that is not 0 to behind the last.
fn span_of(number: ptr<function, Limbs>) -> vec2<u32> {
    var span = vec2<u32>(LIMBS, 0u);
    for (var i = 0u; i < LIMBS; i++) {
        if (*number)[i] != 0u { span = vec2<u32>(min(span.x, i), i + 1u); }
    }
    return span;
}

// total += factor · other · 2^(32·at), for the words of the other that are not 0.
fn add_product(total: ptr<function, Limbs>, factor: u32, other: ptr<function, Limbs>, span: vec2<u32>, at: u32) {
    if factor == 0u { return; }
    var carry = 0u;
    for (var i = at + span.x; (i < LIMBS) & ((i < at + span.y) | (carry != 0u)); i++) {
        let product = add64(multiply32(factor, (*other)[i - at]), vec2<u32>(carry, 0u));
        let sum = add64(product, vec2<u32>((*total)[i], 0u));
        (*total)[i] = sum.x;
        carry = sum.y;
    }
}

// total -= factor · other · 2^(32·at)
fn subtract_product(total: ptr<function, Limbs>, factor: u32, other: ptr<function, Limbs>, span: vec2<u32>, at: u32) {
    if factor == 0u { return; }
    var carry = 0u;
    for (var i = at + span.x; (i < LIMBS) & ((i < at + span.y) | (carry != 0u)); i++) {
        let product = add64(multiply32(factor, (*other)[i - at]), vec2<u32>(carry, 0u));
        let word = (*total)[i];
        (*total)[i] = word - product.x;
        carry = product.y + select(0u, 1u, word < product.x);
    }
}
