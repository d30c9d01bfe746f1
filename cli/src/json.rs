//! JSON values that keep their order, and floats their width.

use anyhow::{Context, Result};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use treefold::Value;

/// A JSON value.
#[derive(Clone, Debug)]
pub enum Json {
    /// One value of an answer; floats that JSON cannot write become strings, nothing becomes null.
    Value(Value),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object; its members keep their order.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A number or a truth value, or null.
    pub fn value<V: Into<Value>>(value: V) -> Json {
        Json::Value(value.into())
    }

    /// A string.
    pub fn text(text: &str) -> Json {
        Json::Text(text.into())
    }

    /// A measured number, in six digits; null where it is unknown.
    pub fn figure(x: impl Into<Option<f64>>) -> Json {
        Json::value(x.into().map(|x| format!("{x:.5e}").parse().unwrap_or(x)))
    }

    /// An object on one line. Its integers beyond 2^53, which many readers round, stand as strings in a last member
    /// `strings`, under their names and in their shape.
    pub fn line(mut self) -> Result<String> {
        let strings = self.strings();
        if let (Json::Object(members), Some(strings)) = (&mut self, strings) {
            members.push(("strings", strings));
        }
        let text = serde_json::to_string(&self).context("JSON")?;
        // Control characters that are left stand in strings.
        if !text.contains(char::is_control) {
            return Ok(text + "\n");
        }
        let letter = |c: char| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
        Ok(text.chars().map(letter).collect::<String>() + "\n")
    }

    /// The integers beyond 2^53 as strings; of a list with such ones all, in their places.
    fn strings(&self) -> Option<Json> {
        let text = |x: String, size: u128| (size > 1 << 53).then_some(Json::Text(x));
        match self {
            Json::Value(Value::I64(x)) => text(x.to_string(), x.unsigned_abs().into()),
            Json::Value(Value::U64(x)) => text(x.to_string(), (*x).into()),
            Json::Value(Value::I128(x)) => text(x.to_string(), x.unsigned_abs()),
            Json::Value(Value::U128(x)) => text(x.to_string(), *x),
            Json::Value(_) | Json::Text(_) => None,
            Json::List(items) => items.iter().any(|item| item.strings().is_some()).then(|| self.in_text()),
            Json::Object(members) => {
                let members = members.iter().filter_map(|(name, value)| Some((*name, value.strings()?)));
                let members: Vec<_> = members.collect();
                (!members.is_empty()).then_some(Json::Object(members))
            }
        }
    }

    /// Every integer as a string, and null in the place of what is none.
    fn in_text(&self) -> Json {
        match self {
            Json::Value(Value::I64(x)) => Json::Text(x.to_string()),
            Json::Value(Value::U64(x)) => Json::Text(x.to_string()),
            Json::Value(Value::I128(x)) => Json::Text(x.to_string()),
            Json::Value(Value::U128(x)) => Json::Text(x.to_string()),
            Json::Value(_) | Json::Text(_) => Json::Value(Value::None),
            Json::List(items) => Json::List(items.iter().map(Json::in_text).collect()),
            Json::Object(members) => {
                Json::Object(members.iter().map(|(name, value)| (*name, value.in_text())).collect())
            }
        }
    }
}

/// `nan`, `inf` or `-inf`; `None` for finite numbers.
fn strange(x: f64) -> Option<&'static str> {
    match x {
        _ if x.is_nan() => Some("nan"),
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        _ => None,
    }
}

/// A complex number, as the list of its parts.
fn pair<S: Serializer>(to: S, re: Value, im: Value) -> Result<S::Ok, S::Error> {
    [re, im].map(Json::Value).serialize(to)
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Value(Value::None) => to.serialize_unit(),
            Json::Value(Value::Bool(x)) => to.serialize_bool(*x),
            Json::Value(Value::I64(x)) => to.serialize_i64(*x),
            Json::Value(Value::U64(x)) => to.serialize_u64(*x),
            Json::Value(Value::I128(x)) => to.serialize_i128(*x),
            Json::Value(Value::U128(x)) => to.serialize_u128(*x),
            Json::Value(Value::F32(x)) => match strange(f64::from(*x)) {
                Some(text) => to.serialize_str(text),
                // As every reader has it who knows f64 only.
                None => to.serialize_f64(f64::from(*x)),
            },
            Json::Value(Value::F64(x)) => match strange(*x) {
                Some(text) => to.serialize_str(text),
                None => to.serialize_f64(*x),
            },
            Json::Value(Value::C64(z)) => pair(to, Value::F32(z.re), Value::F32(z.im)),
            Json::Value(Value::C128(z)) => pair(to, Value::F64(z.re), Value::F64(z.im)),
            Json::Text(text) => to.serialize_str(text),
            Json::List(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Json::Object(members) => {
                let mut map = to.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(members: Vec<(&'static str, Json)>) -> String {
        Json::Object(members).line().expect("a line")
    }

    #[test]
    fn integers_that_readers_round_stand_as_strings_too() {
        let (edge, over) = (1u64 << 53, (1u64 << 53) + 1);
        assert_eq!(line(vec![("a", Json::value(edge))]), "{\"a\":9007199254740992}\n");
        assert_eq!(
            line(vec![("a", Json::value(over)), ("b", Json::value(-(over as i64))), ("c", Json::value(1u64))]),
            "{\"a\":9007199254740993,\"b\":-9007199254740993,\"c\":1,\
             \"strings\":{\"a\":\"9007199254740993\",\"b\":\"-9007199254740993\"}}\n"
        );
        // What is no integer keeps its place.
        let lists = vec![
            Json::List(vec![Json::value(over), Json::Value(Value::None), Json::value(1u64)]),
            Json::List(vec![]),
            Json::List(vec![Json::value(2.5f64)]),
        ];
        let told = line(vec![("a", Json::List(lists))]);
        assert!(told.ends_with("\"strings\":{\"a\":[[\"9007199254740993\",null,\"1\"],[],[null]]}}\n"), "{told}");
        let bins = Json::Object(vec![("bins", Json::List(vec![Json::value(1u64), Json::value(over)]))]);
        let told = line(vec![("value", bins)]);
        assert!(told.ends_with("\"strings\":{\"value\":{\"bins\":[\"1\",\"9007199254740993\"]}}}\n"), "{told}");
    }

    #[test]
    fn figures_have_no_noise_and_f32_every_digit() {
        let members = vec![
            ("ms", Json::figure(0.1 + 0.2)),
            ("none", Json::figure(None)),
            ("tenth", Json::value(0.1f32)),
            ("name", Json::text("\u{1b}\u{9b}\u{7f}")),
        ];
        let want = "{\"ms\":0.3,\"none\":null,\"tenth\":0.10000000149011612,\"name\":\"\\u001b\\u009b\\u007f\"}\n";
        assert_eq!(line(members), want);
    }
}
