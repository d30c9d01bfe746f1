//! The rounding of exact sums on the device: texts of shaders/exact/ that make answers of them.

use crate::op::{DeviceAnswer, WordType, unroll};

/// The rounding of an exact sum, on the device: a function of shaders/exact/ and what it needs.
pub(crate) struct Rounding {
    call: &'static str,
    helpers: &'static [&'static str],
    /// The words of the answer.
    f64: bool,
    /// Loop trips: so many times its limbs, and so many more.
    trips: (u64, u64),
}

pub(super) const TOP: &str = include_str!("../../shaders/exact/top.wgsl");
const PACK_F64: &str = include_str!("../../shaders/exact/pack_f64.wgsl");
pub(super) const ROUND_F64: &str =
    concat!(include_str!("../../shaders/exact/pack_f64.wgsl"), include_str!("../../shaders/exact/round_f64.wgsl"));
pub(super) const DIGIT: &str = include_str!("../../shaders/exact/digit.wgsl");
pub(super) const ROOT: &str = include_str!("../../shaders/exact/root.wgsl");
const SUM_TOP: &str = include_str!("../../shaders/exact/sum_top.wgsl");
const SPECIALS: &str = include_str!("../../shaders/exact/specials.wgsl");
const ROUND: &str = include_str!("../../shaders/exact/round.wgsl");
const SPECIALS_F64: &str = include_str!("../../shaders/exact/specials_f64.wgsl");
/// Quotients by numbers of 128 bits; up to 24 loop trips.
pub(super) const QUOTIENT_F64: &str = concat!(
    include_str!("../../shaders/exact/words128.wgsl"),
    include_str!("../../shaders/exact/divide.wgsl"),
    include_str!("../../shaders/exact/quotient_f64.wgsl")
);

impl Rounding {
    pub const SUM: Rounding = Rounding {
        call: "return array<u32, 1>(rounded_f32(acc, count));",
        helpers: &[SPECIALS, ROUND],
        f64: false,
        trips: (0, 0),
    };
    pub const MEAN: Rounding = Rounding {
        call: "return array<u32, 1>(quotient_f32(acc, count));",
        helpers: &[SPECIALS, ROUND, DIGIT, include_str!("../../shaders/exact/quotient.wgsl")],
        f64: false,
        trips: (0, 40),
    };
    pub const ROOT: Rounding = Rounding {
        call: "return array<u32, 1>(root_f32(acc));",
        helpers: &[SPECIALS, ROUND, ROOT, include_str!("../../shaders/exact/root_f32.wgsl")],
        f64: false,
        trips: (0, 0),
    };
    /// In memory, where the sum of many segments is: by the upper end that means have (exact/sum_top.wgsl) an H200 took 1474 µs in place of
    /// 993 (`treefold bench sum --dtype f64 --size 2^26 --segments 4096`).
    pub const SUM_F64: Rounding = Rounding {
        call: "return rounded_f64(acc, count);",
        helpers: &[
            SPECIALS,
            SPECIALS_F64,
            include_str!("../../shaders/exact/natural.wgsl"),
            include_str!("../../shaders/exact/size.wgsl"),
            PACK_F64,
            include_str!("../../shaders/exact/sum_f64.wgsl"),
        ],
        f64: true,
        trips: (3, 0),
    };
    pub const MEAN_F64: Rounding = Rounding {
        call: "return mean_f64(acc, count);",
        helpers: &[
            SPECIALS,
            TOP,
            SUM_TOP,
            ROUND_F64,
            SPECIALS_F64,
            QUOTIENT_F64,
            include_str!("../../shaders/exact/mean_f64.wgsl"),
        ],
        f64: true,
        trips: (1, 12),
    };

    /// The answer of terms of so many limbs; `exponent_min`: the place of the answer's last digit at least.
    pub fn answer(&self, name: &'static str, limbs: u64, exponent_min: i32) -> DeviceAnswer {
        let words: &[(&'static str, WordType)] =
            if self.f64 { &[("low", WordType::Part), ("high", WordType::Part)] } else { &[("", WordType::F32)] };
        let named = words.iter().map(|&(word, of)| (if word.is_empty() { name } else { word }, of));
        let answer = DeviceAnswer::checked(named, self.call)
            .helpers(format!("const EXPONENT_MIN = {exponent_min}i;\n"))
            .trips(self.trips.0 * limbs + self.trips.1);
        let answer =
            self.helpers.iter().fold(answer, |answer, &text| answer.helpers(unroll(text, &[("LIMBS", limbs as u32)])));
        if !self.f64 {
            return answer;
        }
        let least = format!(
            "var<private> EXPONENT_MIN: i32;\nfn place_narrow(base: u32) {{ EXPONENT_MIN = {exponent_min}i - i32(32u * base); }}\n"
        );
        answer.narrow([least]).narrow(self.helpers.iter().copied())
    }
}
