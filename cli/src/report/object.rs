//! A report as JSON.

use super::many::{KEYS, nested};
use super::{Answered, Many, Report};
use crate::format::Number;
use crate::json::Json;
use crate::operators::{EDGES, EDGES_Y, INTEGERS, INTEGERS_Y};
use crate::output::Written;
use std::time::Duration;
use treefold::half::f16;
use treefold::{BinAxis, Dtype, Part, Value};

/// Members of a JSON object; those that say nothing are left out.
pub type Members = Vec<(&'static str, Option<Json>)>;

fn object(members: Members) -> Json {
    Json::Object(members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

impl Report {
    /// One JSON object.
    pub fn json(&self) -> Json {
        self.json_of(&self.found, vec![])
    }

    /// One JSON object of these of its answers, behind other members.
    pub fn json_of(&self, found: &[Answered], before: Members) -> Json {
        let seconds = |time: Duration| Json::value(time.as_secs_f64());
        let maybe = |time: Option<Duration>| Json::value(time.map(|time| time.as_secs_f64()));
        let output = if self.is_array { "output" } else { "partial" };
        let written = |written: &Option<Written>| written.as_ref().map(|written| Json::text(&written.path));
        let mut head: Members = vec![
            ("dtype", Some(Json::text(self.stored.name()))),
            ("count", Some(Json::value(self.count))),
            ("missing", self.missing.map(|found| Json::value(found.count))),
            ("nan_left_out", self.left_out.nan.map(Json::value)),
            ("others_left_out", self.left_out.others.map(Json::value)),
            ("shape", self.many().map(Many::json_shape)),
            (KEYS, self.many().and_then(Many::json_keys)),
            ("counts", self.many().and_then(Many::json_counts)),
            ("left_out", self.many().and_then(Many::json_left_out)),
            ("outside", self.many().and_then(Many::outside).map(Json::value)),
        ];
        let files: Members = vec![(output, written(&self.written)), ("plot", written(&self.plotted))];
        let times = vec![
            ("read", seconds(self.seconds.read)),
            ("upload", maybe(self.seconds.upload)),
            ("kernel", maybe(self.seconds.kernel)),
            ("total", seconds(self.seconds.total)),
        ];
        let mut tail = self.computed.members();
        tail.push(("seconds", Some(Json::Object(times))));
        let answer = |found: &Answered| found.answer(self.is_partial());
        let parts = match found {
            [found] => {
                head.insert(0, ("operator", Some(Json::text(found.operator))));
                vec![before, head, answer(found), files, found.manner(), tail]
            }
            all => {
                let each = |found: &Answered| (found.operator, object([answer(found), found.manner()].concat()));
                let names = all.iter().map(|found| Json::text(found.operator)).collect();
                head.insert(0, ("operators", Some(Json::List(names))));
                head.push(("answers", Some(Json::Object(all.iter().map(each).collect()))));
                vec![before, head, files, tail]
            }
        };
        object(parts.concat())
    }
}

impl Answered {
    /// The answer as members of a JSON object.
    fn answer(&self, is_partial: bool) -> Members {
        let known = |value: Option<Json>| value.filter(|_| !is_partial);
        let axes = if self.many.is_some() || !self.parts.is_empty() { &self.axes[..] } else { &[] };
        let along = |axis: usize| axes.get(axis).map(|bins| bins_along(bins, axis));
        let bins = |axis: usize| along(axis).map_or((EDGES, None), |(name, places)| (name, Some(places)));
        let shape = self.bins_shape().into_iter().map(Json::value).collect();
        let shape = (axes.len() > 1).then_some(Json::List(shape));
        vec![
            ("value", known(self.each(|part, _| Some(Json::Value(part.value))))),
            ("shape", shape),
            bins(0),
            bins(1),
            ("weights", self.weights.as_deref().map(Json::text)),
            ("index", known(self.each(|part, indexed| indexed.then(|| Json::value(part.index))))),
            ("bits", known(self.each(|part, _| bits(part.value, self.number_of(part)).map(Json::Text)))),
            ("type", known(self.types())),
        ]
    }

    /// The type of a part; that of lists is one.
    fn number_of(&self, part: &Part) -> Option<Number> {
        let named = self.named.iter().find(|named| named.name == part.name).or(self.named.first());
        named.map(|named| named.number)
    }

    /// The type of its numbers, of each by its name where there are several types.
    fn types(&self) -> Option<Json> {
        let bins = self.bin.map(|number| ("bins", number.name()));
        let all: Vec<_> = bins.into_iter().chain(self.named.iter().map(|part| (part.name, part.of))).collect();
        let &(_, first) = all.first()?;
        Some(match all.iter().all(|&(_, of)| of == first) {
            true => Json::text(first),
            false => Json::Object(all.into_iter().map(|(name, of)| (name, Json::text(of))).collect()),
        })
    }

    /// Its expressions, exactness and method, as members of a JSON object.
    fn manner(&self) -> Members {
        let method = self.method.map(|method| Json::text(method.name()));
        let text = |text: &Option<String>| text.as_deref().map(Json::text);
        vec![
            ("map", text(&self.map)),
            ("combine", text(&self.combine)),
            ("identity", text(&self.identity)),
            ("exact", Some(Json::value(self.exact))),
            ("method", method),
        ]
    }

    /// JSON that `of` makes of the one part, or an object of what it makes of each, all bins in one list, of two axes in lists of
    /// lists; `None` where it makes nothing.
    fn each(&self, of: impl Fn(&Part, bool) -> Option<Json>) -> Option<Json> {
        if self.list {
            // Of no parts that is told which is of one.
            let sample = self.named.first()?.sample();
            of(&sample, true)?;
            return match &self.many {
                Some(many) => many.json_lists(|part| of(part, true)),
                None => Some(Json::List(self.parts.iter().map(|part| of(part, true)).collect::<Option<_>>()?)),
            };
        }
        if let Some(many) = &self.many {
            return many.json(self.bins(), &self.named, of);
        }
        let mut parts = self.parts.iter().zip(&self.indexed).map(|(part, &indexed)| (part.name, of(part, indexed)));
        if self.parts.len() == 1 {
            return parts.next()?.1;
        }
        let bins: Vec<Json> = parts.by_ref().take(self.bins()).filter_map(|(_, value)| value).collect();
        let bins = (!bins.is_empty()).then_some(("bins", nested(&self.bins_shape(), bins)));
        let members: Vec<_> = bins.into_iter().chain(parts.filter_map(|(name, value)| Some((name, value?)))).collect();
        (!members.is_empty()).then_some(Json::Object(members))
    }
}

/// The places of the bins along the axis of this number: their edges, or the whole numbers that they are of.
fn bins_along(axis: &BinAxis, number: usize) -> (&'static str, Json) {
    let [integers, edges] = if number == 0 { [INTEGERS, EDGES] } else { [INTEGERS_Y, EDGES_Y] };
    let bins = axis.edges.len().saturating_sub(1) as i64;
    match axis.lowest {
        Some(lowest) => (integers, Json::List((lowest..lowest + bins).map(Json::value).collect())),
        None => (edges, Json::List(axis.edges.iter().map(|&edge| Json::value(edge)).collect())),
    }
}

/// A float's bits, most significant first.
fn bits(value: Value, number: Option<Number>) -> Option<String> {
    match value {
        Value::F32(x) if number == Some(Number::Of(Dtype::F16)) => Some(format!("{:04x}", f16::from_f32(x).to_bits())),
        Value::F32(x) if number == Some(Number::Of(Dtype::BF16)) => Some(format!("{:04x}", x.to_bits() >> 16)),
        Value::F32(x) => Some(format!("{:08x}", x.to_bits())),
        Value::F64(x) => Some(format!("{:016x}", x.to_bits())),
        // The real part's first.
        Value::C64(z) => Some(format!("{:08x}{:08x}", z.re.to_bits(), z.im.to_bits())),
        Value::C128(z) => Some(format!("{:016x}{:016x}", z.re.to_bits(), z.im.to_bits())),
        _ => None,
    }
}
