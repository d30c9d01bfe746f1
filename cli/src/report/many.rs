//! Many answers as they are told: a table, nested JSON, lines, an array.

use super::{Answered, BIN, plain, table};
use crate::error::usage;
use crate::json::Json;
use crate::npy;
use anyhow::{Result, anyhow, bail, ensure};
use comfy_table::CellAlignment;
use std::fmt::Write;
use std::rc::Rc;
use treefold::{Answer, Part, Value};

/// Answers that a table shows; of more, the first and the last.
const SHOWN: usize = 24;

/// The name of keys beside answers.
pub const KEYS: &str = "keys";

/// Over which elements each of many answers is.
#[derive(Debug)]
pub enum Over {
    /// All that there are.
    All,
    /// So many.
    Length(u64),
    /// A segment.
    Segment,
    /// A run of equal keys, which are these.
    Run(Rc<Vec<Value>>),
    /// A group by keys from 0; so many of each, and of none.
    Groups { counts: Vec<u64>, outside: u64 },
}

/// The answers of many, in C order.
#[derive(Debug)]
pub struct Many {
    /// Their shape.
    pub shape: Vec<u64>,
    /// The elements of each.
    pub over: Over,
    /// The parts of each.
    pub answers: Vec<Vec<Part>>,
}

impl Many {
    pub fn new<O: Answer>(shape: Vec<u64>, over: Over, answers: Vec<O>) -> Many {
        Many { shape, over, answers: answers.into_iter().map(|answer| answer.parts()).collect() }
    }

    /// The shape of answers that are not known.
    pub fn none(shape: Vec<u64>, over: Over) -> Many {
        Many { shape, over, answers: vec![] }
    }

    /// The shape as Python writes it.
    pub fn shown_shape(&self) -> String {
        let lengths: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
    }

    /// The shape as a list.
    pub fn json_shape(&self) -> Json {
        Json::List(self.shape.iter().map(|&length| Json::value(length)).collect())
    }

    /// The keys of runs.
    fn keys(&self) -> Option<&[Value]> {
        if let Over::Run(keys) = &self.over { Some(keys) } else { None }
    }

    /// The keys of runs as a list.
    pub fn json_keys(&self) -> Option<Json> {
        Some(Json::List(self.keys()?.iter().map(|&key| Json::Value(key)).collect()))
    }

    /// The bytes of a .npy file of the keys of runs.
    pub fn npy_keys(&self) -> Option<Result<Vec<u8>>> {
        Some(numbers(&self.shape, self.keys()?, KEYS))
    }

    /// How many elements each group has, as a list.
    pub fn json_counts(&self) -> Option<Json> {
        let Over::Groups { counts, .. } = &self.over else { return None };
        Some(Json::List(counts.iter().map(|&count| Json::value(count)).collect()))
    }

    /// How many elements have keys of no group, where there are groups.
    pub fn outside(&self) -> Option<u64> {
        if let Over::Groups { outside, .. } = self.over { Some(outside) } else { None }
    }

    /// What `of` says of the one part of all answers, nested as they are, or an object of what it says of each part.
    pub fn json(&self, indexed: &[bool], of: impl Fn(&Part, bool) -> Option<Json>) -> Option<Json> {
        let Some(first) = self.answers.first() else { return Some(Json::List(vec![])) };
        let bins = first.iter().take_while(|part| part.name == BIN).count();
        let one = |part: usize| -> Option<Json> {
            let items = self.answers.iter().map(|answer| of(&answer[part], indexed[part])).collect::<Option<_>>()?;
            Some(nested(&self.shape, items))
        };
        if first.len() == 1 {
            return one(0);
        }
        let counts = || -> Option<Json> {
            let list = |answer: &Vec<Part>| -> Option<Json> {
                Some(Json::List(answer[..bins].iter().map(|part| of(part, false)).collect::<Option<_>>()?))
            };
            Some(nested(&self.shape, self.answers.iter().map(list).collect::<Option<_>>()?))
        };
        let counts = if bins > 0 { counts().map(|counts| ("bins", counts)) } else { None };
        let others = (bins..first.len()).filter_map(|part| Some((first[part].name, one(part)?)));
        let members: Vec<_> = counts.into_iter().chain(others).collect();
        (!members.is_empty()).then_some(Json::Object(members))
    }

    /// A line an answer: the key of a run, the values of its parts, each with its index behind it.
    pub fn bare(&self) -> String {
        let mut text = String::new();
        for (at, answer) in self.answers.iter().enumerate() {
            let word = |part: &Part| plain(part.value) + &part.index.map_or(String::new(), |index| format!(" {index}"));
            // Writing to a string does not fail.
            let key = self.keys().map(|keys| plain(keys[at]));
            let _ = writeln!(text, "{}", key.into_iter().chain(answer.iter().map(word)).collect::<Vec<_>>().join(" "));
        }
        text
    }

    /// The key or the indices of an answer.
    fn place(&self, at: u64) -> String {
        if let Some(keys) = self.keys() {
            return plain(keys[at as usize]);
        }
        let (mut rest, mut indices) = (at, vec![]);
        for &length in self.shape.iter().rev() {
            indices.push((rest % length).to_string());
            rest /= length;
        }
        indices.reverse();
        indices.join(", ")
    }

    /// Refuses an array of answers of several parts, by those of one; bins are counts of one kind.
    pub fn ensure_array(parts: &[Part], operator: &str) -> Result<()> {
        let several = parts.len();
        ensure!(
            several == 1 || parts.first().is_some_and(|part| part.name == BIN),
            usage(format!(
                "--output holds one number for each answer, and {operator} gives {several}; take --json, or one operator a call"
            ))
        );
        Ok(())
    }

    /// The bytes of a .npy file: one number an answer, or its counts; of an operator that `ensure_array` lets pass.
    pub fn npy(&self, operator: &str, indexed: &[bool]) -> Result<Vec<u8>> {
        let bins = self.answers.first().map_or(0, |first| first.iter().take_while(|part| part.name == BIN).count());
        if bins > 0 {
            let shape = [&self.shape[..], &[bins as u64]].concat();
            let values = self.answers.iter().flat_map(|answer| &answer[..bins]).map(|part| part.value);
            return numbers(&shape, &values.collect::<Vec<_>>(), operator);
        }
        let position = indexed == [true];
        let value = |part: &Part| match (position, part.index) {
            (false, _) => Ok(part.value),
            (true, Some(index)) => {
                i64::try_from(index).map(Value::I64).map_err(|_| anyhow!("position {index} leaves 64 bits"))
            }
            (true, None) => bail!(
                "{operator}: there is no answer where there are no elements, and a .npy file holds numbers only; take --json"
            ),
        };
        let values = self.answers.iter().map(|answer| value(&answer[0])).collect::<Result<Vec<_>>>()?;
        numbers(&self.shape, &values, operator)
    }
}

/// A table of the first and the last answers, of one operator or of several of one shape.
pub fn text(all: &[Answered]) -> String {
    let with_many: Vec<_> = all.iter().filter_map(|found| Some((found, found.many.as_ref()?))).collect();
    let Some(&(_, one)) = with_many.first() else { return String::new() };
    let mut table = table();
    let place = match one.over {
        Over::Run(_) | Over::Groups { .. } => "key",
        _ if one.shape.len() > 1 => "at",
        _ => "row",
    };
    let mut header = vec![place];
    let mut columns = vec![];
    for (found, many) in with_many {
        let parts = many.answers.first().map_or(&[][..], Vec::as_slice);
        let named: Vec<_> = parts.iter().enumerate().filter(|(_, part)| part.name != BIN).collect();
        for &(number, part) in &named {
            let indexed = found.indexed[number];
            header.push(if named.len() == 1 { found.operator } else { part.name });
            header.extend(indexed.then_some("index"));
            columns.push((many, number, indexed));
        }
    }
    table.set_header(header);
    let count = one.answers.len();
    let shown = (0..count).filter(|&at| count <= SHOWN || at < SHOWN / 2 || at >= count - SHOWN / 2);
    for at in shown {
        if count > SHOWN && at == count - SHOWN / 2 {
            table.add_row(vec!["…"]);
        }
        let mut row = vec![one.place(at as u64)];
        for &(many, number, indexed) in &columns {
            let part = &many.answers[at][number];
            row.push(plain(part.value));
            row.extend(indexed.then(|| part.index.map_or("none".into(), |index| index.to_string())));
        }
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let each = match one.over {
        Over::All => "all elements".into(),
        Over::Length(length) => format!("{length} elements"),
        Over::Segment => "a segment".into(),
        Over::Run(_) => "a run of equal keys".into(),
        Over::Groups { .. } => "a group".into(),
    };
    format!("{table}\n{count} answers of shape {}, each over {each}", one.shown_shape())
}

/// Values in lists of lists, as deep as the shape.
fn nested(shape: &[u64], items: Vec<Json>) -> Json {
    let Some((_, inner)) = shape.split_first() else { return items.into_iter().next().unwrap_or(Json::List(vec![])) };
    let each = inner.iter().product::<u64>() as usize;
    if inner.is_empty() || each == 0 {
        return Json::List(items);
    }
    let mut items = items.into_iter();
    let mut list = vec![];
    loop {
        let now: Vec<Json> = items.by_ref().take(each).collect();
        if now.is_empty() {
            return Json::List(list);
        }
        list.push(nested(inner, now));
    }
}

/// Values of one kind as a .npy file.
fn numbers(shape: &[u64], values: &[Value], operator: &str) -> Result<Vec<u8>> {
    let kind = values.iter().find(|value| !matches!(value, Value::None)).copied().unwrap_or(Value::F64(f64::NAN));
    let mut bytes = Vec::with_capacity(8 * values.len());
    let none = || {
        anyhow!(
            "{operator}: there is no answer where there are no elements, and a .npy file of integers has no such number; take --json"
        )
    };
    let wide = || anyhow!("{operator}: an answer leaves 64 bits, which .npy files end at; take --json");
    for &value in values {
        match (kind, value) {
            (Value::F32(_), Value::None) => bytes.extend(f32::NAN.to_le_bytes()),
            (Value::F64(_), Value::None) => bytes.extend(f64::NAN.to_le_bytes()),
            (_, Value::None) => return Err(none()),
            (_, Value::F32(x)) => bytes.extend(x.to_le_bytes()),
            (_, Value::F64(x)) => bytes.extend(x.to_le_bytes()),
            (_, Value::Bool(x)) => bytes.push(x.into()),
            (_, Value::I64(x)) => bytes.extend(x.to_le_bytes()),
            (_, Value::U64(x)) => bytes.extend(x.to_le_bytes()),
            (_, Value::I128(x)) => bytes.extend(i64::try_from(x).map_err(|_| wide())?.to_le_bytes()),
            (_, Value::U128(x)) => bytes.extend(u64::try_from(x).map_err(|_| wide())?.to_le_bytes()),
        }
    }
    let descr = match kind {
        Value::F32(_) => "<f4",
        Value::F64(_) | Value::None => "<f8",
        Value::Bool(_) => "|b1",
        Value::I64(_) | Value::I128(_) => "<i8",
        Value::U64(_) | Value::U128(_) => "<u8",
    };
    Ok([npy::header(descr, shape), bytes].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_deep_as_the_shape() {
        let items = |n: u64| (0..n).map(Json::value).collect::<Vec<_>>();
        let text = |shape: &[u64], n| serde_json::to_string(&nested(shape, items(n))).expect("JSON");
        assert_eq!(text(&[2, 3], 6), "[[0,1,2],[3,4,5]]");
        assert_eq!(text(&[4], 4), "[0,1,2,3]");
        assert_eq!(text(&[2, 1, 2], 4), "[[[0,1]],[[2,3]]]");
        assert_eq!(text(&[], 1), "0");
        assert_eq!(text(&[0], 0), "[]");
    }
}
