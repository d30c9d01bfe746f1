//! Operators that stand for others, where every text or every launch shape is gone through.

use treefold::Dtype;
use treefold::ops::TABLE;

/// Whether devices compute it, too.
pub fn on_devices(name: &str, dtype: Dtype) -> bool {
    TABLE.iter().any(|entry| (entry.name, entry.dtype) == (name, dtype) && entry.host_only.is_none())
}

/// Whether an operator over elements of 64 bits has pieces that no other one has; those of fewer bits all count. Its texts are put together
/// from shaders/element, the pieces of one operator, and the same kernels.
pub fn stands_for_others(name: &str, dtype: Dtype) -> bool {
    match dtype {
        Dtype::F64 => {
            ["sum", "mean", "minmax", "norminf", "argmin", "count_nan", "norm2", "find_first"].contains(&name)
        }
        Dtype::I64 => [
            "sum",
            "wrapping_sum",
            "mean",
            "max",
            "range",
            "norminf",
            "argmax",
            "variance",
            "sumsq",
            "and",
            "hash",
            "product",
            "find_last",
        ]
        .contains(&name),
        Dtype::U64 => ["sum", "min", "std", "sem", "any", "norm1", "wrapping_product", "parity"].contains(&name),
        _ => true,
    }
}
