//! Many answers as they are told: a table, nested JSON, lines, an array.

use super::{Answered, add_some_rows, hide, numbers, plain, table};
use crate::json::Json;
use crate::parts::NamedPart;
use std::fmt::Write;
use std::sync::Arc;
use treefold::{Dtype, Element, Op, Part, Partials, Value};

/// Elements of each list that a table shows.
const LISTED: usize = 4;

/// The name of keys beside answers.
pub const KEYS: &str = "keys";

/// The key of each run, and of which type they are.
#[derive(Clone, Debug)]
pub struct RunKeys {
    pub values: Arc<Vec<Value>>,
    pub dtype: Dtype,
}

/// Over which elements each of many answers is.
#[derive(Clone, Debug)]
pub enum Over {
    /// So many.
    Length(u64),
    /// A column of a matrix, of so many.
    Column(u64),
    /// A segment.
    Segment,
    /// A run of equal keys, which are these.
    Run(RunKeys),
    /// A group by keys from 0; so many of each, and of none.
    Groups { counts: Vec<u64>, outside: u64 },
}

impl Over {
    /// Those of partials.
    pub fn of<T: Element, O: Op<T>>(partials: &Partials<T, O>) -> Over {
        let length = partials.length();
        match partials.counts() {
            Some(counts) => {
                // A partial has no more of all groups together.
                let outside = length - counts.iter().sum::<u64>();
                Over::Groups { counts: counts.to_vec(), outside }
            }
            None => Over::Length(length),
        }
    }
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
    /// Number of elements that each leaves out, where it says so.
    left_out: Option<Vec<Value>>,
}

impl Many {
    pub fn new(shape: Vec<u64>, over: Over, answers: Vec<Vec<Part>>) -> Many {
        Many { shape, over, answers, left_out: None }
    }

    /// The shape of answers that are not known.
    pub fn none(shape: Vec<u64>, over: Over) -> Many {
        Many { shape, over, answers: vec![], left_out: None }
    }

    /// That the last part of each answer is how many elements it leaves out.
    pub fn take_left_out(&mut self) {
        let last = self.answers.iter_mut().map(|answer| answer.pop().map_or(Value::None, |part| part.value));
        self.left_out = Some(last.collect());
    }

    /// Number of elements that each leaves out, nested as they are.
    pub fn json_left_out(&self) -> Option<Json> {
        Some(nested(&self.shape, self.left_out.as_ref()?.iter().map(|&count| Json::Value(count)).collect()))
    }

    /// The shape as a list.
    pub fn json_shape(&self) -> Json {
        Json::List(self.shape.iter().map(|&length| Json::value(length)).collect())
    }

    /// The keys of runs.
    pub fn keys(&self) -> Option<&RunKeys> {
        if let Over::Run(keys) = &self.over { Some(keys) } else { None }
    }

    /// The keys of runs as a list.
    pub fn json_keys(&self) -> Option<Json> {
        Some(Json::List(self.keys()?.values.iter().map(|&key| Json::Value(key)).collect()))
    }

    /// Number of elements of each group, as a list.
    pub fn json_counts(&self) -> Option<Json> {
        let Over::Groups { counts, .. } = &self.over else { return None };
        Some(Json::List(counts.iter().map(|&count| Json::value(count)).collect()))
    }

    /// Number of elements with keys of no group, where there are groups.
    pub fn outside(&self) -> Option<u64> {
        if let Over::Groups { outside, .. } = self.over { Some(outside) } else { None }
    }

    /// JSON that `of` makes of the one part of all answers, nested as they are, or an object of what it makes of each part; `bins`
    /// of them come before those with names.
    pub fn json(&self, bins: usize, named: &[NamedPart], of: impl Fn(&Part, bool) -> Option<Json>) -> Option<Json> {
        let one = |part: usize| -> Option<Json> {
            let (sample, indexed) = (named[part - bins].sample(), named[part - bins].indexed);
            // Of no answers that is told which is of one.
            of(&sample, indexed)?;
            let items = self.answers.iter().map(|answer| of(&answer[part], indexed)).collect::<Option<_>>()?;
            Some(nested(&self.shape, items))
        };
        if bins + named.len() == 1 {
            return one(0);
        }
        let counts = || -> Option<Json> {
            let list = |answer: &Vec<Part>| -> Option<Json> {
                Some(Json::List(answer[..bins].iter().map(|part| of(part, false)).collect::<Option<_>>()?))
            };
            Some(nested(&self.shape, self.answers.iter().map(list).collect::<Option<_>>()?))
        };
        let counts = if bins > 0 { counts().map(|counts| ("bins", counts)) } else { None };
        let others = named.iter().zip(bins..).filter_map(|(named, part)| Some((named.name, one(part)?)));
        let members: Vec<_> = counts.into_iter().chain(others).collect();
        (!members.is_empty()).then_some(Json::Object(members))
    }

    /// JSON that `of` makes of each part of all answers, which are lists, nested as these are.
    pub fn json_lists(&self, of: impl Fn(&Part) -> Option<Json>) -> Option<Json> {
        let lists = self.answers.iter().map(|answer| Some(Json::List(answer.iter().map(&of).collect::<Option<_>>()?)));
        Some(nested(&self.shape, lists.collect::<Option<_>>()?))
    }

    /// A line an answer: the key of a run, the values of its parts, each with its index behind it.
    pub fn bare(&self) -> String {
        let mut text = String::new();
        for (at, answer) in self.answers.iter().enumerate() {
            let word = |part: &Part| plain(part.value) + &part.index.map_or(String::new(), |index| format!(" {index}"));
            // Writing to a string does not fail.
            let key = self.keys().map(|keys| plain(keys.values[at]));
            let _ = writeln!(text, "{}", key.into_iter().chain(answer.iter().map(word)).collect::<Vec<_>>().join(" "));
        }
        text
    }

    /// What its key, or each of its indices, is.
    pub fn place_names(&self) -> Vec<String> {
        let alone = match self.over {
            Over::Run(_) | Over::Groups { .. } => return vec!["key".into()],
            Over::Column(_) => "column",
            Over::Segment => "segment",
            Over::Length(_) => "row",
        };
        match self.shape.len() {
            1 => vec![alone.into()],
            axes => (0..axes).map(|axis| format!("at{axis}")).collect(),
        }
    }

    /// The key or the indices of an answer.
    fn place(&self, at: u64) -> String {
        self.places(at).join(", ")
    }

    /// Its key alone, or each of its indices.
    pub fn places(&self, at: u64) -> Vec<String> {
        if let Some(keys) = self.keys() {
            return vec![plain(keys.values[at as usize])];
        }
        let (mut rest, mut indices) = (at, vec![]);
        for &length in self.shape.iter().rev() {
            indices.push((rest % length).to_string());
            rest /= length;
        }
        indices.reverse();
        indices
    }
}

/// A table of the first and the last answers, of one operator or of several of one shape.
pub fn text(all: &[Answered]) -> String {
    let with_many: Vec<_> = all.iter().filter_map(|found| Some((found, found.many.as_ref()?))).collect();
    let Some(&(_, one)) = with_many.first() else { return String::new() };
    let mut table = table();
    let names = one.place_names();
    let mut header = vec![if let [name] = &names[..] { name } else { "at" }];
    let mut columns = vec![];
    for (found, many) in with_many {
        for (named, number) in found.named.iter().zip(found.bins()..) {
            header.push(if found.named.len() == 1 { found.operator } else { named.name });
            header.extend(named.indexed.then_some("index"));
            columns.push((many, number, named.indexed, found.list));
        }
    }
    let last = header.len();
    table.set_header(header);
    let count = one.answers.len();
    add_some_rows(&mut table, count, |at| {
        let mut row = vec![one.place(at as u64)];
        for &(many, number, indexed, list) in &columns {
            let answer = &many.answers[at];
            if list {
                row.extend(list_cells(answer));
                continue;
            }
            let part = &answer[number];
            row.push(plain(part.value));
            row.extend(indexed.then(|| index(part)));
        }
        row
    });
    numbers(&mut table, 0..last);
    let hidden = hide(&mut table, (1..last).rev());
    let each = match one.over {
        Over::Length(length) | Over::Column(length) => format!("{length} elements"),
        Over::Segment => "a segment".into(),
        Over::Run(_) => "a run of equal keys".into(),
        Over::Groups { .. } => "a group".into(),
    };
    let binned = all.iter().any(|found| found.many.is_some() && found.bins() > 0);
    let bins = if binned { "\nbins are in --json, --csv, --quiet and --output" } else { "" };
    format!("{table}\n{hidden}{count} answers of shape {}, each over {each}{bins}", shown_shape(&one.shape))
}

/// The index of a part in words.
pub fn index(part: &Part) -> String {
    part.index.map_or("none".into(), |index| index.to_string())
}

/// A list in two cells of a table: elements, and their indices.
pub fn list_cells(parts: &[Part]) -> [String; 2] {
    [listed(parts, |part| plain(part.value)), listed(parts, index)]
}

/// The first of a list in words.
fn listed(parts: &[Part], word: impl Fn(&Part) -> String) -> String {
    let more = (parts.len() > LISTED).then(|| "…".into());
    parts.iter().take(LISTED).map(word).chain(more).collect::<Vec<_>>().join(" ")
}

/// A shape as Python writes it.
pub fn shown_shape(shape: &[u64]) -> String {
    let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
}

/// Values in lists of lists, as deep as the shape.
pub fn nested(shape: &[u64], items: Vec<Json>) -> Json {
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
