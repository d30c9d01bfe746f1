//! An element type of a program's own, and operators over it: colours packed as 10, 10, 10 and 2 bits in a word, as swapchains and HDR images
//! have them (`rgb10a2unorm`).
//!
//! `cargo run --release --example 11_own_element`

use treefold::ops::{Max, MinMax, Sum};
use treefold::{Accumulator, Cpu, Dtype, Element, Fold, Gpu, Mapped, Op, OwnType, Result, Wgsl, accumulator, check};

/// The element: its bits, as Rust and buffers hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Rgb10A2(pub u32);

impl Rgb10A2 {
    /// Red, green and blue, from 0 to 1, and alpha, in steps of a third.
    pub fn numbers(self) -> [f32; 4] {
        let ten = |shift: u32| ((self.0 >> shift) & 1023) as f32 / 1023.0;
        [ten(0), ten(10), ten(20), (self.0 >> 30) as f32 / 3.0]
    }
}

/// What a device makes of the bits: the twin of `numbers`.
const VALUE: &str = "
fn ten_bits(bits: u32, shift: u32) -> f32 { return f32((bits >> shift) & 1023u) / 1023.0; }
fn value(bits: u32) -> vec4<f32> {
    return vec4<f32>(ten_bits(bits, 0u), ten_bits(bits, 10u), ten_bits(bits, 20u), f32(bits >> 30u) / 3.0);
}
";

impl Element for Rgb10A2 {
    const DTYPE: Dtype = Dtype::Own(&OwnType::new("rgb10a2", 4).npy("<u4").value("vec4<f32>", VALUE));
    const ZERO: Self = Rgb10A2(0);
    fn pattern(self) -> u64 {
        self.0.into()
    }
    fn from_pattern(pattern: u64) -> Self {
        Rgb10A2(pattern as u32)
    }
}

accumulator! {
    /// The least and the largest of each colour.
    pub struct Extent { low_r: u32, low_g: u32, low_b: u32, high_r: u32, high_g: u32, high_b: u32 }
}

/// An operator over the bits: the box of all colours, in steps of 1/1023; of none an empty one.
#[derive(Clone, Copy, Debug)]
pub struct ColourBox;

impl Fold<Rgb10A2> for ColourBox {
    type Acc = Extent;
    fn identity(&self) -> Extent {
        Extent { low_r: 1023, low_g: 1023, low_b: 1023, high_r: 0, high_g: 0, high_b: 0 }
    }
    fn lift(&self, Rgb10A2(bits): Rgb10A2, _: u64) -> Extent {
        let [r, g, b] = [0, 10, 20].map(|shift| (bits >> shift) & 1023);
        Extent { low_r: r, low_g: g, low_b: b, high_r: r, high_g: g, high_b: b }
    }
    fn combine(&self, a: Extent, b: Extent) -> Extent {
        Extent {
            low_r: a.low_r.min(b.low_r),
            low_g: a.low_g.min(b.low_g),
            low_b: a.low_b.min(b.low_b),
            high_r: a.high_r.max(b.high_r),
            high_g: a.high_g.max(b.high_g),
            high_b: a.high_b.max(b.high_b),
        }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(1023u, 1023u, 1023u, 0u, 0u, 0u);",
            "let r = bits & 1023u; let g = (bits >> 10u) & 1023u; let b = (bits >> 20u) & 1023u;\nreturn Acc(r, g, b, r, g, b);",
            "return Acc(min(a.low_r, b.low_r), min(a.low_g, b.low_g), min(a.low_b, b.low_b),
    max(a.high_r, b.high_r), max(a.high_g, b.high_g), max(a.high_b, b.high_b));",
        )
    }
}

impl Op<Rgb10A2> for ColourBox {
    type Fold = ColourBox;
    type Output = Extent;
    const NAME: &'static str = "colour_box";
    const EXACT: bool = true;

    fn fold(&self) -> ColourBox {
        ColourBox
    }
    fn finish(&self, acc: Extent, _: u64) -> Result<Extent> {
        Ok(acc)
    }
}

/// The library's operators over a number that is made of a colour.
pub fn luminance<O: Op<f32>>(
    op: O,
) -> Mapped<treefold::ByFunction<impl Fn(Rgb10A2) -> f32 + Clone + Send + Sync + 'static>, O> {
    let text = "return dot(x.rgb, vec3<f32>(0.2126, 0.7152, 0.0722));";
    let host = |colour: Rgb10A2| {
        let [r, g, b, _] = colour.numbers();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    Mapped::new(text, host, op).within(1e-5, 1e-5)
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::new()?;
    let image: Vec<Rgb10A2> = (0..640 * 480u32).map(|i| Rgb10A2(i.wrapping_mul(2_654_435_761) >> 2)).collect();

    let extent = gpu.reduce(ColourBox, &image)?;
    println!("box of {} colours in {} words: {extent:?}", image.len(), Extent::WORDS);
    assert_eq!(extent, Cpu::new().reduce(ColourBox, &image)?);

    let (ends, sum) = gpu.reduce((luminance(MinMax), luminance(Sum)), &image)?;
    println!("luminance: {ends:?}, mean {}", sum / image.len() as f32);

    // Both halves of all of it, at lengths around every boundary of the launch, in streams, rows and partials.
    check::<Rgb10A2, _>(&gpu, &ColourBox)?;
    check::<Rgb10A2, _>(&gpu, &luminance(Max))?;

    // Partials know whose they are: u32 with the same bits are refused.
    let bytes = Cpu::new().partial(ColourBox, &image).to_bytes()?;
    println!("a partial over {}", treefold::Header::read(&bytes)?.dtype);
    Ok(())
}
