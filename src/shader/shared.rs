//! Accumulators in workgroup memory. Long ones are copied and added in loops over their limbs: by value each would take a register a word.

use super::members::prefix;
use crate::op::{DeviceOp, LINES_MAX};
use crate::plan::Variant;
use std::fmt::Write;

/// One fold's part of an accumulator: where it stands in that, and what stands before the fold's names.
struct MemberAt {
    path: String,
    prefix: String,
    /// A sum of flags and limbs that loops go over.
    long: bool,
}

impl MemberAt {
    /// Leaves in one place what stands in the other.
    fn copied(&self, to: &str, from: &str) -> String {
        let MemberAt { path, prefix, long } = self;
        if !long {
            return format!("    {to}{path} = {from}{path};\n");
        }
        format!(
            "    {to}{path}.flags = {from}{path}.flags;
    for (var i = 0u; i < {prefix}LIMBS; i++) {{ {to}{path}.limbs[i] = {from}{path}.limbs[i]; }}\n"
        )
    }

    /// Leaves what both places have together in the first or, where that is `behind`, in the second.
    fn joined(&self, a: &str, b: &str, behind: bool) -> String {
        let MemberAt { path, prefix, long } = self;
        let to = if behind { b } else { a };
        if !long {
            return format!("    {to}{path} = {prefix}combine({a}{path}, {b}{path});\n");
        }
        let other = if behind { a } else { b };
        format!(
            "    {to}{path}.flags |= {other}{path}.flags;
    var {prefix}carry = 0u;
    for (var i = 0u; i < {prefix}LIMBS; i++) {{
        let sum = {prefix}limb_sum({to}{path}.limbs[i], {other}{path}.limbs[i], {prefix}carry);
        {to}{path}.limbs[i] = sum.x;
        {prefix}carry = sum.y;
    }}\n"
        )
    }
}

fn parts(op: &DeviceOp, folds: &[usize], variant: &Variant) -> Vec<MemberAt> {
    let part = |&fold: &usize| MemberAt {
        path: if op.folds.len() == 1 { String::new() } else { format!(".m{fold}") },
        prefix: prefix(op, fold, variant),
        long: op.folds[fold].value().is_some_and(|wgsl| wgsl.own_memory) && op.folds[fold].words > LINES_MAX + 1,
    };
    folds.iter().map(part).collect()
}

/// Whether an accumulator is so long that a function over it should stand in a text once.
pub(super) fn any_long(op: &DeviceOp, folds: &[usize], variant: &Variant) -> bool {
    parts(op, folds, variant).iter().any(|part| part.long)
}

/// What a tree calls: the accumulator of place b behind that of place a.
pub(super) fn tree(op: &DeviceOp, folds: &[usize], variant: &Variant) -> String {
    let mut out = "fn join_shared(a: u32, b: u32) {\n".to_string();
    for part in parts(op, folds, variant) {
        out += &part.joined("shared_acc[a]", "shared_acc[b]", false);
    }
    out + "}\n"
}

/// What leaves accumulators to the pass that carries: the head, and the tail that lies in workgroup memory.
pub(super) fn leaving(op: &DeviceOp, folds: &[usize], variant: &Variant) -> String {
    let parts = parts(op, folds, variant);
    let all = |to: &str, from: &str| parts.iter().map(|part| part.copied(to, from)).collect::<String>();
    let (head, tail) = (all("carries[slot].head", "(*acc)"), all("carries[slot].tail", "shared_acc[at]"));
    format!(
        "fn leave_head(slot: u32, acc: ptr<function, Acc>) {{\n{head}}}
fn leave_tail(slot: u32, at: u32) {{\n{tail}}}\n"
    )
}

/// What a scan calls: an accumulator into a place, out of it, and behind it.
pub(super) fn scan(op: &DeviceOp, folds: &[usize], variant: &Variant) -> String {
    let mut out = String::new();
    let mut function = |name: &str, line: &dyn Fn(&MemberAt) -> String| {
        let _ = writeln!(out, "fn {name}(at: u32, acc: ptr<function, Acc>) {{");
        parts(op, folds, variant).iter().for_each(|part| out += &line(part));
        out += "}\n";
    };
    let (there, here) = ("shared_acc[at]", "(*acc)");
    function("put_shared", &|part| part.copied(there, here));
    function("get_shared", &|part| part.copied(here, there));
    function("join_behind", &|part| part.joined(there, here, true));
    out
}
