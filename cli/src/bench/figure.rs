//! A figure: what was measured, its samples, and whether the answer was right; as a line of JSON, and read from one.

use super::args::What;
use super::launch::Changes;
use crate::json::Json;
use anyhow::{Context, Result, anyhow};
use serde_json::Value;

/// What a figure is of: figures of two runs are of the same where all of this is equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The operator's signature.
    pub operator: String,
    pub dtype: String,
    pub elements: u64,
    /// The elements of many answers; `whole`.
    pub input: String,
    /// The values of the elements.
    pub data: String,
    /// The engine or the peer.
    pub engine: String,
    pub what: What,
    /// Policies in place of the engine's own.
    pub launch: Changes,
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    pub of: Subject,
    /// Bytes of the elements.
    pub bytes: u64,
    /// Microseconds, sorted; none, where there is no such time.
    pub samples: Vec<f64>,
    /// Whether the answer was right; unknown where a peer gave none.
    pub right: Option<bool>,
    /// Whether it is a peer's.
    pub is_peer: bool,
    /// Milliseconds until the pipelines were there.
    pub compile_ms: Option<f64>,
    /// The multiprocessors' clock behind the last sample, in MHz.
    pub clock_mhz: Option<f64>,
    /// The same figure of a run before.
    pub change: Option<Change>,
}

/// A figure over the same one of a run before.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The median before, in microseconds.
    pub before: f64,
    pub ratio: f64,
    /// The interval of 95 percent, where samples are enough for one.
    pub interval: Option<(f64, f64)>,
}

/// The input of one answer.
pub const WHOLE: &str = "whole";

impl Figure {
    /// The median, in microseconds.
    pub fn us(&self) -> Option<f64> {
        median(&self.samples)
    }

    /// Gigabytes (1e9 bytes) of elements a second.
    pub fn gb_per_s(&self) -> Option<f64> {
        Some(self.bytes as f64 / self.us()? / 1e3)
    }

    /// The same question to another: all but the engine, its policies and whether elements are its own.
    pub fn asks_as(&self, other: &Figure) -> bool {
        let (one, other) = (&self.of, &other.of);
        (&one.operator, &one.dtype, one.elements, &one.input, one.what)
            == (&other.operator, &other.dtype, other.elements, &other.input, other.what)
    }

    /// A line of JSON.
    pub fn line(&self) -> Result<String> {
        let Figure { of, samples, change, .. } = self;
        let launch = of.launch.iter().map(|(key, value)| Json::Text(format!("{key}={value}"))).collect();
        let mut members = vec![
            ("operator", Json::text(&of.operator)),
            ("dtype", Json::text(&of.dtype)),
            ("elements", Json::value(of.elements)),
            ("bytes", Json::value(self.bytes)),
            ("input", Json::text(&of.input)),
            ("data", Json::text(&of.data)),
            ("engine", Json::text(&of.engine)),
            ("what", Json::text(of.what.name())),
            ("launch", Json::List(launch)),
            ("us", Json::figure(self.us())),
            ("low", Json::figure(samples.first().copied())),
            ("high", Json::figure(samples.last().copied())),
            ("gb_per_s", Json::figure(self.gb_per_s())),
            ("right", Json::value(self.right)),
            ("peer", Json::value(self.is_peer)),
            ("compile_ms", Json::figure(self.compile_ms)),
            ("clock_mhz", Json::figure(self.clock_mhz)),
            ("samples", Json::List(samples.iter().map(|&us| Json::figure(us)).collect())),
        ];
        if let Some(Change { before, ratio, interval }) = *change {
            let (low, high) = interval.unzip();
            let all = [("us", Some(before)), ("ratio", Some(ratio)), ("low", low), ("high", high)];
            members.push(("against", Json::Object(all.map(|(name, x)| (name, Json::figure(x))).into())));
        }
        Json::Object(members).line()
    }

    /// The subject and the samples of a line; `None` for a line of something else.
    pub fn saved(line: &str) -> Result<Option<(Subject, Vec<f64>)>> {
        let value: Value = serde_json::from_str(line)?;
        if value.get("operator").is_none() {
            return Ok(None);
        }
        let text = |name: &str| {
            let found = value.get(name).and_then(Value::as_str);
            found.map(String::from).with_context(|| format!("no {name}"))
        };
        let list = |name: &str| value.get(name).and_then(Value::as_array).with_context(|| format!("no {name}"));
        let what = text("what")?;
        let what = [What::Kernel, What::Answer, What::Slice].into_iter().find(|known| known.name() == what);
        let launch = list("launch")?.iter().map(|item| item.as_str().and_then(|item| item.split_once('=')));
        let launch = launch.map(|pair| pair.map(|(key, value)| (key.into(), value.into())));
        let samples: Option<Vec<f64>> = list("samples")?.iter().map(Value::as_f64).collect();
        let of = Subject {
            operator: text("operator")?,
            dtype: text("dtype")?,
            elements: value.get("elements").and_then(Value::as_u64).context("no elements")?,
            input: text("input")?,
            data: text("data")?,
            engine: text("engine")?,
            what: what.context("no such time")?,
            launch: launch.collect::<Option<_>>().context("no launch")?,
        };
        let mut samples = samples.ok_or_else(|| anyhow!("samples that are no numbers"))?;
        samples.sort_by(f64::total_cmp);
        Ok(Some((of, samples)))
    }
}

/// The median of sorted samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    samples.get(samples.len() / 2).copied()
}
