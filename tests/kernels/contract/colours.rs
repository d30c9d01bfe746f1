//! Operators over four numbers an element, as a program would write them.

use treefold::{DeviceAnswer, Fold, Op, Result, Wgsl, WordType, accumulator};

/// The largest absolute value among all numbers, by their bits: exact, whatever they are.
#[derive(Clone, Copy, Debug)]
pub struct LargestNumber;

impl Fold<[f32; 4]> for LargestNumber {
    type Acc = u32;
    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: [f32; 4], _: u64) -> u32 {
        x.map(|x| x.to_bits() & 0x7fff_ffff).into_iter().fold(0, u32::max)
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.max(b)
    }
    fn wgsl(&self) -> Wgsl {
        let lift = "let x = bits & vec4<u32>(0x7fffffffu);\nreturn max(max(x.x, x.y), max(x.z, x.w));";
        Wgsl::new("return 0u;", lift, "return max(a, b);")
    }
}

impl Op<[f32; 4]> for LargestNumber {
    type Fold = LargestNumber;
    type Output = u32;
    const NAME: &'static str = "largest_number";
    const EXACT: bool = true;

    fn fold(&self) -> LargestNumber {
        LargestNumber
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("largest", WordType::U32)], "return array<u32, 1>(acc);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u32> {
        Ok(words[0])
    }
}

accumulator! {
    /// Sums of each number.
    pub struct Colours { r: f32, g: f32, b: f32, a: f32 }
}

/// The mean of each number, in f32.
#[derive(Clone, Copy, Debug)]
pub struct MeanColour;

impl Fold<[f32; 4]> for MeanColour {
    type Acc = Colours;
    fn identity(&self) -> Colours {
        Colours { r: 0.0, g: 0.0, b: 0.0, a: 0.0 }
    }
    fn lift(&self, [r, g, b, a]: [f32; 4], _: u64) -> Colours {
        Colours { r, g, b, a }
    }
    fn combine(&self, x: Colours, y: Colours) -> Colours {
        Colours { r: x.r + y.r, g: x.g + y.g, b: x.b + y.b, a: x.a + y.a }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0.0, 0.0, 0.0, 0.0);",
            "let x = value(bits);\nreturn Acc(x.r, x.g, x.b, x.a);",
            "return Acc(a.r + b.r, a.g + b.g, a.b + b.b, a.a + b.a);",
        )
    }
}

impl Op<[f32; 4]> for MeanColour {
    type Fold = MeanColour;
    type Output = Option<[f32; 4]>;
    const NAME: &'static str = "mean_colour";

    fn fold(&self) -> MeanColour {
        MeanColour
    }
    fn finish(&self, Colours { r, g, b, a }: Colours, count: u64) -> Result<Option<[f32; 4]>> {
        Ok((count > 0).then(|| [r, g, b, a].map(|sum| sum / count as f32)))
    }
    fn close(&self, device: &Self::Output, host: &Self::Output, _: &[[f32; 4]], _: bool) -> bool {
        match (device, host) {
            (Some(device), Some(host)) => device.iter().zip(host).all(|(x, y)| (x - y).abs() < 1e-5),
            (device, host) => device == host,
        }
    }
}
