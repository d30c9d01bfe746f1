//! Element types beside [`Dtype`]'s single numbers: a program's own, and vectors.

use super::Dtype;

/// An element type that a program brings along: [`Dtype::Own`] of one is the type of its [`Element`](super::Element).
///
/// | said | is |
/// |---|---|
/// | name | what errors, labels and partials call it: partials of another name are not merged with it |
/// | bytes | of an element: 4, 8, 12 or 16, the size of the Rust type; kernels read the words as they lie |
/// | [`value`](OwnType::value) | the number or vector that functions and conditions in WGSL take, and `fn value`, which makes it of the bits |
/// | [`npy`](OwnType::npy) | the name that NumPy has for it |
///
/// The bits are `u32`, or `vec2<u32>`, `vec3<u32>`, `vec4<u32>`, the first word first. The text may declare other functions besides, which
/// operators' texts may call as they call `value`; none may loop.
///
/// ```
/// use treefold::{Cpu, Dtype, Element, Mapped, OwnType, ops::Max};
/// /// Numbers in 65536ths.
/// #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
/// #[repr(transparent)]
/// struct Fixed(i32);
/// # unsafe impl bytemuck::Zeroable for Fixed {}
/// # unsafe impl bytemuck::Pod for Fixed {}
///
/// impl Element for Fixed {
///     const DTYPE: Dtype = Dtype::Own(
///         &OwnType::new("q16.16", 4)
///             .npy("<i4")
///             .value("f32", "fn value(bits: u32) -> f32 { return f32(bitcast<i32>(bits)) / 65536.0; }"),
///     );
///     const ZERO: Fixed = Fixed(0);
///     fn pattern(self) -> u64 {
///         u64::from(self.0 as u32)
///     }
///     fn from_pattern(pattern: u64) -> Fixed {
///         Fixed(pattern as u32 as i32)
///     }
/// }
///
/// let largest = Mapped::new("return x;", |x: Fixed| x.0 as f32 / 65536.0, Max);
/// assert_eq!(Cpu::new().reduce(largest, &[Fixed(65536), Fixed(98304), Fixed(-65536)])?, Some(1.5));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnType {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
    pub(super) npy: &'static str,
    number: &'static str,
    wgsl: &'static str,
    numbers: Option<Dtype>,
    built_in: bool,
}

impl OwnType {
    /// A type of that name, of so many bytes: a device refuses those of other sizes than 4, 8, 12 and 16.
    pub const fn new(name: &'static str, bytes: u64) -> OwnType {
        let npy = match bytes {
            4 => "|V4",
            8 => "|V8",
            12 => "|V12",
            _ => "|V16",
        };
        OwnType { name, bytes, npy, number: "", wgsl: "", numbers: None, built_in: false }
    }

    /// Its name in NumPy's notation, `<i4` or `(3,)<f4`; without one raw bytes.
    pub const fn npy(self, npy: &'static str) -> OwnType {
        OwnType { npy, ..self }
    }

    /// The WGSL type that functions and conditions take (`f32`, `vec3<f32>`, …), and the text with `fn value(bits: Bits)`, which makes it.
    pub const fn value(self, number: &'static str, wgsl: &'static str) -> OwnType {
        OwnType { number, wgsl, ..self }
    }

    /// The type of the numbers that it is made of, one behind another: [`check`](crate::check) fills it with such ones, else with bits of
    /// all kinds.
    pub const fn of(self, numbers: Dtype) -> OwnType {
        OwnType { numbers: Some(numbers), ..self }
    }

    /// One of the library's.
    pub(super) const fn built_in(self) -> OwnType {
        OwnType { built_in: true, ..self }
    }

    /// The WGSL type that functions take; empty where there is none.
    pub(crate) const fn number(&self) -> &'static str {
        self.number
    }

    /// The text of its functions.
    pub(crate) const fn wgsl(&self) -> &'static str {
        self.wgsl
    }

    /// The type of its numbers, where it is told.
    pub const fn numbers(&self) -> Option<Dtype> {
        self.numbers
    }

    /// Whether its text is the library's own.
    pub(crate) const fn is_built_in(&self) -> bool {
        self.built_in
    }
}
