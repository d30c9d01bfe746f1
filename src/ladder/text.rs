//! Kernel texts, completed at run time as the Khronos sample does it: what a stage leaves open is added at its end.

use super::stages::{Data, Stage, Width};
use super::{Operator, stages::Needs};

/// Workgroups in a row of a dispatch. A dimension ends at 65,535, so longer grids have rows, and the last row a dispatch
/// of its own: `P.row` rows lie before it.
pub(super) const ROW: u32 = 32_768;

/// The whole text of a stage's kernel.
pub(super) fn complete(stage: &Stage, source: &str, workgroup_size: u32, operator: Operator) -> String {
    let size = match stage.width {
        Width::Fixed(_) => String::new(),
        Width::Any(_) | Width::Free(_) => format!("const WG = {workgroup_size}u;\n"),
    };
    let (element, identity) = match (stage.data, least_or_most(stage, operator)) {
        (Data::Ints, None) => ("i32", "0"),
        (Data::Ints, Some(false)) => ("i32", "2147483647"),
        (Data::Ints, Some(true)) => ("i32", "-2147483647"),
        (_, None) => ("f32", "0.0"),
        (_, Some(false)) => ("f32", "3.40282347e+38"),
        (_, Some(true)) => ("f32", "-3.40282347e+38"),
    };
    let (combine, built_in) = match least_or_most(stage, operator) {
        None => ("a + b", "subgroupAdd"),
        Some(false) => ("select(a, b, b < a)", "subgroupMin"),
        Some(true) => ("select(a, b, b > a)", "subgroupMax"),
    };
    let subgroup = match stage.needs {
        Needs::Subgroups => format!("fn subgroup_combine(a: T) -> T {{ return {built_in}(a); }}\n"),
        _ => String::new(),
    };
    format!(
        "{source}
// Added at run time:
alias T = {element};
const IDENTITY = T({identity});
fn combine(a: T, b: T) -> T {{ return {combine}; }}
{subgroup}{size}
struct Params {{ size: u32, middle: u32, extra: u32, row: u32 }}
fn group(id: vec3<u32>) -> u32 {{ return id.x + (id.y + P.row) * {ROW}u; }}
"
    )
}

/// `Some(false)` where the stage wants the smallest, `Some(true)` the largest, `None` where it adds.
pub(super) fn least_or_most(stage: &Stage, operator: Operator) -> Option<bool> {
    match stage.operator {
        "sum|min" => (operator == Operator::Min).then_some(false),
        "min" => Some(false),
        "max" => Some(true),
        _ => None,
    }
}

/// The bits that change nothing, for padding.
pub(super) fn identity_bits(stage: &Stage, operator: Operator) -> u32 {
    match (stage.data, least_or_most(stage, operator)) {
        (_, None) => 0,
        (Data::Ints, Some(least)) => (if least { -i32::MAX } else { i32::MAX }) as u32,
        (_, Some(false)) => f32::MAX.to_bits(),
        (_, Some(true)) => f32::MIN.to_bits(),
    }
}
