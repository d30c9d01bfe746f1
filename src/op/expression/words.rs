//! Messages about expressions that are wrong: in words of the expression, with its place.

use crate::element::Dtype;
use crate::error::Error;
use std::ops::Range;
use wgpu::naga::BinaryOperator;

/// Characters of a text that errors show, at most.
const SHOWN: usize = 120;

/// The error at these bytes of the text.
pub(super) fn refused(text: &str, at: Range<usize>, message: impl Into<String>) -> Error {
    let characters = |bytes: usize| text.get(..bytes.min(text.len())).unwrap_or(text).chars().count();
    let begin = characters(at.start);
    let length = characters(at.end).saturating_sub(begin).max(1);
    // Of a long text what stands around the place.
    let from = begin.saturating_sub(SHOWN / 2);
    let expression: String = text.chars().skip(from).take(SHOWN).collect();
    let marks = format!("{}{}", " ".repeat(begin - from), "^".repeat(length.min(SHOWN - (begin - from))));
    Error::BadExpression { expression: expression.replace(['\n', '\r', '\t'], " "), marks, message: message.into() }
}

/// The front end's message, in words of the expression.
pub(super) fn said(message: &str, arguments: &[(&str, Dtype)]) -> String {
    let message = message.lines().next().unwrap_or_default().trim();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (message, &quoted[..]) {
        _ if message.starts_with("expected expression") => {
            "something is missing: a number, a name or a function was expected here".into()
        }
        ("expected `)`, found \";\"", _) => "a ( is not closed".into(),
        _ if message.starts_with("expected `)`") => {
            "an operator is missing before this, or a comparison needs brackets: a < b, c > d is read as types".into()
        }
        (_, [name]) if message.starts_with("no definition in scope") => {
            let names: Vec<&str> = arguments.iter().map(|&(name, _)| name).collect();
            format!("{name} is no name here; there are {} and the functions of WGSL", names.join(", "))
        }
        (_, [from, to]) if message.starts_with("automatic conversions cannot") => {
            format!("{from} stands where {to} is wanted; {to}(…) makes one")
        }
        (_, [to, value]) if message.starts_with("the concrete type") => format!("{value} does not fit {to}"),
        (_, [name]) if message.starts_with("declaration of") => format!("{name} is no name here"),
        _ if message.contains("recursion") || message.starts_with("internal") => {
            "this is nested too deeply; say it in fewer levels".into()
        }
        (_, ["f16"]) => SHORT.into(),
        (_, ["*"]) => POWER.into(),
        (_, ["&"]) => NOT_COMPUTED.into(),
        _ if message.starts_with("Incompatible operands: Logical") => "&& and || take two comparisons".into(),
        _ if message.starts_with("Incompatible operands") => MIXED.into(),
        ("failed to convert expression to a concrete type", _) => MIXED.into(),
        _ => message.into(),
    }
}

pub(super) const SHORT: &str = "there are no numbers of 16 bits here";
const MIXED: &str = "numbers of different types meet here, or one does not fit its type; make them alike: 1.0, f32(i)";
const POWER: &str = "there is no such operator; powers are pow(x, 2.0)";
pub(super) const NOT_COMPUTED: &str =
    "this is not computed of single numbers; use their operators, comparisons, select and functions";

/// The sign of an operator in an expression.
pub(super) fn sign_of(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}
