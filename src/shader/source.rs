//! The text of a shader as it grows, and which of its lines came from an operator.

use super::members::member;
use crate::op::DeviceOp;
#[cfg(not(target_arch = "wasm32"))]
use crate::op::unclosed;
use crate::plan::Variant;
use std::fmt::Write;

/// The text of a shader, and which of its lines are whose.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The WGSL.
    pub text: String,
    pieces: Vec<PieceOfText>,
}

/// Lines that came from an operator's piece.
#[derive(Clone, Debug)]
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "the browser's compiler says where an error is"))]
struct PieceOfText {
    name: &'static str,
    /// Its first line in the text, counted from 0.
    line: usize,
    lines: Vec<String>,
}

impl Source {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push_str("\n\n");
    }

    /// A text of several pieces, in which those with a name came from the operator.
    pub(super) fn push_pieces(&mut self, pieces: &Pieces, text: &str) {
        let base = self.text.lines().count();
        let pieces = pieces.named.iter().map(|(name, line, lines)| PieceOfText {
            name,
            line: base + line,
            lines: lines.lines().map(String::from).collect(),
        });
        self.pieces.extend(pieces);
        self.push(text);
    }

    /// The texts of these folds.
    pub(super) fn push_members(&mut self, op: &DeviceOp, folds: impl IntoIterator<Item = usize>, variant: &Variant) {
        for fold in folds {
            let (pieces, text) = member(op, fold, variant);
            self.push_pieces(&pieces, &text);
        }
    }

    /// The line of the text, counted from 1, in which a comment of a piece begins that has no end there: it would take what follows with it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn unclosed(&self) -> Option<u32> {
        self.pieces
            .iter()
            .find_map(|piece| unclosed(&piece.lines.join("\n")).map(|line| (piece.line + line) as u32 + 1))
    }

    /// The piece that a line of the text came from, the line in it, and its words.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn piece(&self, line: usize) -> Option<(&'static str, usize, &str)> {
        // An error of a compiler about a function as a whole has the line of the head, which stands before the first line.
        let within =
            |piece: &&PieceOfText| (piece.line.saturating_sub(1)..piece.line + piece.lines.len()).contains(&line);
        // What is missing at a piece's end is missed in the line behind it.
        let behind = |piece: &&PieceOfText| line == piece.line + piece.lines.len();
        let found = self.pieces.iter().find(within).or_else(|| self.pieces.iter().find(behind))?;
        let at = line.saturating_sub(found.line).min(found.lines.len().saturating_sub(1));
        Some((found.name, at + 1, found.lines.get(at).map_or("", |line| line.trim())))
    }
}

/// A text that grows by pieces and knows their lines.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) text: String,
    named: Vec<(&'static str, usize, String)>,
}

impl Pieces {
    /// The library's own lines.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// The body of a function, from the operator.
    pub(super) fn body(&mut self, name: &'static str, head: &str, body: &str) {
        let _ = writeln!(self.text, "{head} {{");
        self.named.push((name, self.text.lines().count(), body.into()));
        for line in body.trim_end().lines() {
            let _ = writeln!(self.text, "    {line}");
        }
        self.text.push_str("}\n");
    }

    /// Declarations from an element type.
    pub(super) fn brought(&mut self, text: &str) {
        self.named.push(("the element type", self.text.lines().count(), text.into()));
        self.add(text);
    }

    /// Declarations from the operator.
    pub(super) fn helpers(&mut self, text: &str) {
        self.named.push(("a helper", self.text.lines().count(), text.into()));
        self.add(text);
    }
}
