//! Kernel texts, completed at run time as the Khronos sample does it: element type, identity, operator and workgroup size
//! follow the stage's own text.

use super::Operator;
use super::stage::{GroupSize, InputKind, Quantity, Requirement, Stage};

/// Workgroups in a row of a dispatch. A dimension ends at 65,535, so longer grids have rows, and the last row is a dispatch
/// of its own, with `P.row` rows before it.
pub(super) const ROW: u32 = 32_768;

/// The whole text of a stage's kernel.
pub(super) fn complete(stage: &Stage, source: &str, workgroup_size: u32, operator: Operator) -> String {
    let size = match stage.group_size {
        GroupSize::Fixed(_) => String::new(),
        _ => format!("const WG = {workgroup_size}u;\n"),
    };
    let computes = stage.computes.chosen(operator);
    // Hexadecimal: the usual decimal digits of the largest f32 exceed it before rounding, and browsers refuse them.
    let (element, identity) = match (stage.input, computes) {
        (InputKind::Ints, Quantity::Min) => ("i32", "2147483647"),
        (InputKind::Ints, Quantity::Max) => ("i32", "-2147483647"),
        (InputKind::Ints, _) => ("i32", "0"),
        (_, Quantity::Min) => ("f32", "0x1.fffffep+127"),
        (_, Quantity::Max) => ("f32", "-0x1.fffffep+127"),
        (_, _) => ("f32", "0.0"),
    };
    let (combine, built_in) = match computes {
        Quantity::Min => ("select(a, b, b < a)", "subgroupMin"),
        Quantity::Max => ("select(a, b, b > a)", "subgroupMax"),
        _ => ("a + b", "subgroupAdd"),
    };
    let subgroup = match stage.needs {
        Requirement::Subgroups => format!("fn subgroup_combine(a: T) -> T {{ return {built_in}(a); }}\n"),
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

/// The bits of the identity, for padding.
pub(super) fn identity_bits(stage: &Stage, operator: Operator) -> u32 {
    match (stage.input, stage.computes.chosen(operator)) {
        (InputKind::Ints, Quantity::Min) => i32::MAX as u32,
        (InputKind::Ints, Quantity::Max) => -i32::MAX as u32,
        (_, Quantity::Min) => f32::MAX.to_bits(),
        (_, Quantity::Max) => f32::MIN.to_bits(),
        _ => 0,
    }
}
