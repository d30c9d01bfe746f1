//! What a reduction has found, and how programs read it: JSON, or bare values.

use crate::json::{Json, strange};
use crate::operators::Method;
use std::fmt::Write;
use std::time::Duration;
use treefold::{Dtype, Part, Value};

/// Where the time went.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// Reading, mapping and converting the input, and copying it to staging memory.
    pub read: Duration,
    /// The copies to the device, by its clock.
    pub upload: Option<Duration>,
    /// The kernels.
    pub kernel: Option<Duration>,
    /// All together.
    pub total: Duration,
}

/// A file that a partial went to.
#[derive(Debug)]
pub struct Written {
    /// Its name.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

/// An answer, or a partial that was written, and how it came about.
#[derive(Debug)]
pub struct Report {
    /// The operator's name.
    pub operator: String,
    /// The inputs' names in short.
    pub names: String,
    /// The element type.
    pub dtype: Dtype,
    /// How many elements there were.
    pub count: u64,
    /// How many bytes they had in the files.
    pub bytes: u64,
    /// The answer; no parts where a partial was written.
    pub parts: Vec<Part>,
    /// Whether each part has an index where there is an answer.
    pub indexed: Vec<bool>,
    /// The partial that was written in place of an answer.
    pub written: Option<Written>,
    /// Whether the answer is exact.
    pub exact: bool,
    /// Exact or fast, where there is or would be a choice.
    pub method: Option<Method>,
    /// The adapter's name.
    pub adapter: String,
    /// Its backend.
    pub backend: &'static str,
    /// Where the time went.
    pub seconds: Seconds,
}

impl Report {
    /// One JSON object.
    pub fn json(&self) -> Json {
        let seconds = |time: Duration| Json::value(time.as_secs_f64());
        let maybe = |time: Option<Duration>| Json::value(time.map(|time| time.as_secs_f64()));
        let members = [
            ("operator", Some(Json::text(&self.operator))),
            ("dtype", Some(Json::text(self.dtype.name()))),
            ("count", Some(Json::value(self.count))),
            ("value", self.each(|part, _| Some(Json::Value(part.value)))),
            ("index", self.each(|part, indexed| indexed.then(|| Json::value(part.index)))),
            ("bits", self.each(|part, _| bits(part.value).map(Json::Text))),
            ("partial", self.written.as_ref().map(|written| Json::text(&written.path))),
            ("exact", Some(Json::value(self.exact))),
            ("method", self.method.map(|method| Json::text(method.name()))),
            ("adapter", Some(Json::text(&self.adapter))),
            ("backend", Some(Json::text(self.backend))),
            (
                "seconds",
                Some(Json::Object(vec![
                    ("read", seconds(self.seconds.read)),
                    ("upload", maybe(self.seconds.upload)),
                    ("kernel", maybe(self.seconds.kernel)),
                    ("total", seconds(self.seconds.total)),
                ])),
            ),
        ];
        Json::Object(members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// What `of` says of the one part, or an object of what it says of each; `None` where it says nothing.
    fn each(&self, of: impl Fn(&Part, bool) -> Option<Json>) -> Option<Json> {
        let parts = || self.parts.iter().zip(&self.indexed);
        if self.parts.len() == 1 {
            return parts().find_map(|(part, &indexed)| of(part, indexed));
        }
        let members: Vec<_> = parts().filter_map(|(part, &indexed)| Some((part.name, of(part, indexed)?))).collect();
        (!members.is_empty()).then_some(Json::Object(members))
    }

    /// The value only: a line for each part, its name before it where there are several, its index behind it.
    pub fn bare(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let name = if self.parts.len() > 1 { format!("{} ", part.name) } else { String::new() };
            let index = part.index.map_or(String::new(), |index| format!(" {index}"));
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}{}{index}", plain(part.value));
        }
        text
    }
}

/// A float's bits, most significant first.
fn bits(value: Value) -> Option<String> {
    match value {
        Value::F32(x) => Some(format!("{:08x}", x.to_bits())),
        Value::F64(x) => Some(format!("{:016x}", x.to_bits())),
        _ => None,
    }
}

/// A value as people write it; floats as short as they parse back.
pub fn plain(value: Value) -> String {
    let float = |x: f64, fixed: String, scientific: String| match strange(x) {
        Some(text) => text.into(),
        None if x == 0.0 || (1e-5..1e16).contains(&x.abs()) => fixed,
        None => scientific,
    };
    match value {
        Value::None => "none".into(),
        Value::Bool(x) => x.to_string(),
        Value::I64(x) => x.to_string(),
        Value::U64(x) => x.to_string(),
        Value::I128(x) => x.to_string(),
        Value::U128(x) => x.to_string(),
        Value::F32(x) => float(x.into(), format!("{x}"), format!("{x:e}")),
        Value::F64(x) => float(x, format!("{x}"), format!("{x:e}")),
    }
}
