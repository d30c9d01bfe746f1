//! Vectors of four f64, and what processors have for them.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as x86;

/// Whether this processor multiplies and adds in one instruction.
#[inline(always)]
pub(super) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}

/// Four f64 side by side.
pub(super) trait Four: Copy {
    fn new(lanes: [f64; 4]) -> Self;
    fn lanes(self) -> [f64; 4];
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// The product with one less another, rounded once.
    fn times_minus(self, factor: Self, other: Self) -> Self;
}

impl Four for [f64; 4] {
    #[inline(always)]
    fn new(lanes: [f64; 4]) -> Self {
        lanes
    }
    #[inline(always)]
    fn lanes(self) -> [f64; 4] {
        self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        [self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3]]
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        [self[0] - other[0], self[1] - other[1], self[2] - other[2], self[3] - other[3]]
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        [self[0] * other[0], self[1] * other[1], self[2] * other[2], self[3] * other[3]]
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, other: Self) -> Self {
        [
            self[0].mul_add(factor[0], -other[0]),
            self[1].mul_add(factor[1], -other[1]),
            self[2].mul_add(factor[2], -other[2]),
            self[3].mul_add(factor[3], -other[3]),
        ]
    }
}

/// In a register of AVX. Only functions that are compiled for processors with AVX2 and FMA, and called where [`fuses`], make any.
#[cfg(target_arch = "x86_64")]
impl Four for x86::__m256d {
    // SAFETY: every function of this implementation runs on such a processor, as above.
    #[inline(always)]
    fn new(lanes: [f64; 4]) -> Self {
        unsafe { x86::_mm256_loadu_pd(lanes.as_ptr()) }
    }
    #[inline(always)]
    fn lanes(self) -> [f64; 4] {
        let mut lanes = [0.0; 4];
        unsafe { x86::_mm256_storeu_pd(lanes.as_mut_ptr(), self) };
        lanes
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        unsafe { x86::_mm256_add_pd(self, other) }
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        unsafe { x86::_mm256_sub_pd(self, other) }
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        unsafe { x86::_mm256_mul_pd(self, other) }
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, other: Self) -> Self {
        unsafe { x86::_mm256_fmsub_pd(self, factor, other) }
    }
}

/// Runs work compiled for AVX2 where this processor has it: as a function of its own, since within others the compiler makes no whole vectors.
#[inline(always)]
pub(super) fn in_vectors<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        #[inline(never)]
        fn in_avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        if fuses() {
            // SAFETY: the processor has what the function was compiled for.
            return unsafe { in_avx2(work) };
        }
    }
    work()
}
