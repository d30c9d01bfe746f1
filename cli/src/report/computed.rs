//! What an answer was computed on.

use super::object::Members;
use crate::json::Json;
use treefold::wgpu::Features;
use treefold::{Engine, Gpu, Share};

/// The adapter's name in reports of merged partials.
const MERGED: &str = "merged";

/// The engine that computed an answer, or several that shared the work.
#[derive(Debug)]
pub struct Computed {
    /// The adapter's name, or `cpu` and its threads; of several all of them.
    adapter: String,
    backend: &'static str,
    /// The launch policies of an adapter.
    launch: Option<String>,
    /// What each of several has done.
    shares: Vec<Share>,
}

impl Computed {
    /// By an engine, of which a team tells what each of its members has done.
    pub fn by(engine: &Engine) -> Computed {
        let shares = engine.shares();
        match &shares[..] {
            [] => {
                let launch = engine.gpus().first().map(launch);
                Computed { launch, ..Computed::named(engine.name(), engine.backend()) }
            }
            [only] => {
                let own = engine.gpus().iter().find(|gpu| gpu.info().name == only.engine);
                Computed { launch: own.map(launch), ..Computed::named(only.engine.clone(), only.backend) }
            }
            all => {
                let names: Vec<&str> = all.iter().map(|share| &share.engine[..]).collect();
                Computed { shares: shares.clone(), ..Computed::named(names.join(" and "), "team") }
            }
        }
    }

    /// By engines that are named together, each on its own share.
    pub fn named(adapter: String, backend: &'static str) -> Computed {
        Computed { adapter, backend, launch: None, shares: vec![] }
    }

    /// Its backend; `team` of several.
    pub fn backend(&self) -> &'static str {
        self.backend
    }

    /// The adapter's name, or those of several.
    pub fn adapter(&self) -> &str {
        &self.adapter
    }

    /// By nobody: merged.
    pub fn merged() -> Computed {
        Computed::named(MERGED.into(), "cpu")
    }

    /// Whether nobody computed it.
    pub fn is_merged(&self) -> bool {
        self.adapter == MERGED
    }

    /// The adapter, and its backend where the name does not say it; of several the share of each.
    pub fn shown(&self) -> String {
        let Computed { adapter, backend, shares, .. } = self;
        let all: u64 = shares.iter().map(|share| share.elements).sum();
        let part =
            |share: &Share| format!("{} ({:.1} %)", share.engine, 100.0 * share.elements as f64 / all.max(1) as f64);
        match &shares[..] {
            [] if adapter.starts_with(backend) => adapter.clone(),
            [] => format!("{adapter}, {backend}"),
            shares => shares.iter().map(part).collect::<Vec<_>>().join(" and "),
        }
    }

    /// The same as members of a JSON object.
    pub fn members(&self) -> Members {
        let share = |share: &Share| {
            Json::Object(vec![
                ("adapter", Json::text(&share.engine)),
                ("backend", Json::text(share.backend)),
                ("elements", Json::value(share.elements)),
            ])
        };
        let shares = Json::List(self.shares.iter().map(share).collect());
        vec![
            ("adapter", Some(Json::text(&self.adapter))),
            ("backend", Some(Json::text(self.backend))),
            ("launch", self.launch.as_deref().map(Json::text)),
            ("shares", Some(shares).filter(|_| !self.shares.is_empty())),
        ]
    }
}

/// The launch policies of a device, as far as it has what they ask for.
fn launch(gpu: &Gpu) -> String {
    let subgroups = gpu.device().features().contains(Features::SUBGROUP);
    gpu.tuning().with(|tuning| tuning.subgroups &= subgroups).to_string()
}
