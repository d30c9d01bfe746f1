//! JSON values that keep their order, and floats their width.

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
                None => to.serialize_f32(*x),
            },
            Json::Value(Value::F64(x)) => match strange(*x) {
                Some(text) => to.serialize_str(text),
                None => to.serialize_f64(*x),
            },
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
