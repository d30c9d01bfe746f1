//! What figures were measured on: engines, their clocks, the cap on their power, as far as the system tells.

use super::peers::within;
use crate::adapters::driver;
use crate::json::Json;
use std::process::Command;
use std::time::Duration;
use treefold::{Cpu, Engine};

/// What nvidia-smi tells of a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Clocks {
    /// Of the multiprocessors, and of the memory, in MHz.
    pub sm_mhz: Option<f64>,
    pub memory_mhz: Option<f64>,
    /// Watts drawn, and at most.
    pub watts: Option<f64>,
    pub watts_most: Option<f64>,
}

/// NVIDIA's number among the makers of devices.
const NVIDIA: u32 = 0x10de;

impl Clocks {
    /// Those of an engine, now: of NVIDIA's GPUs alone.
    pub fn of(engine: &Engine) -> Option<Clocks> {
        let Engine::Gpu(gpu) = engine else { return None };
        let info = gpu.info();
        if info.vendor != NVIDIA {
            return None;
        }
        let mut command = Command::new("nvidia-smi");
        command
            .arg("--query-gpu=pci.bus_id,clocks.sm,clocks.mem,power.draw,power.limit")
            .arg("--format=csv,noheader,nounits");
        let ended = within(&mut command, Duration::from_secs(5)).ok().flatten()?;
        Clocks::told(&ended.output, &info.device_pci_bus_id)
    }

    /// From lines of such numbers, those of the GPU at this place, or of the only one.
    fn told(text: &str, place: &str) -> Option<Clocks> {
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').map(str::trim).collect()).collect();
        let own = |row: &&Vec<&str>| {
            let (row, place) = (row.first().map_or("", |id| id), place);
            !place.is_empty() && row.to_ascii_lowercase().ends_with(&place.to_ascii_lowercase())
        };
        let row = rows.iter().find(own).or_else(|| rows.first().filter(|_| rows.len() == 1))?;
        let number = |at: usize| row.get(at).and_then(|text: &&str| text.parse().ok());
        Some(Clocks { sm_mhz: number(1), memory_mhz: number(2), watts: number(3), watts_most: number(4) })
    }

    fn text(&self) -> String {
        let one = |name: &str, x: Option<f64>, unit: &str| x.map(|x| format!("{name} {x} {unit}"));
        let cap = self.watts_most.map_or(String::new(), |most| format!(" of {most}"));
        let power = self.watts.map(|watts| format!("{watts}{cap} W"));
        let all = [one("SM at", self.sm_mhz, "MHz"), one("memory at", self.memory_mhz, "MHz"), power];
        all.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn json(&self) -> Json {
        Json::Object(vec![
            ("sm_mhz", Json::figure(self.sm_mhz)),
            ("memory_mhz", Json::figure(self.memory_mhz)),
            ("watts", Json::figure(self.watts)),
            ("watts_most", Json::figure(self.watts_most)),
        ])
    }
}

/// An engine for people, with its clocks now.
pub fn told(engine: &Engine) -> String {
    let of = match engine {
        Engine::Gpu(gpu) => {
            let info = gpu.info();
            format!("{} ({}, {})", info.name, info.backend.to_str(), driver(&info))
        }
        _ => {
            let (model, threads) = (processor().unwrap_or_else(|| "processor".into()), Cpu::new().threads());
            format!("{} of {model}", if threads == 1 { "1 thread".into() } else { format!("{threads} threads") })
        }
    };
    let clocks = Clocks::of(engine).map_or(String::new(), |clocks| format!(", {}", clocks.text()));
    format!("{}: {of}{clocks}", engine.name())
}

/// The same as JSON.
pub fn json(engine: &Engine) -> Json {
    let mut members = vec![("engine", Json::text(&engine.name())), ("backend", Json::text(engine.backend()))];
    match engine {
        Engine::Gpu(gpu) => {
            members.push(("driver", Json::Text(driver(&gpu.info()))));
        }
        _ => {
            members.push(("processor", Json::Text(processor().unwrap_or_default())));
            members.push(("threads", Json::value(Cpu::new().threads() as u64)));
        }
    }
    members.extend(Clocks::of(engine).map(|clocks| ("clocks", clocks.json())));
    Json::Object(members)
}

/// The processor's name, where Linux tells it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start_matches([' ', '\t', ':']).trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_those_of_the_gpu_at_its_place() {
        let text = "00000000:0A:00.0, 1980, 3201, 641.5, 700.00\n00000000:1B:00.0, 345, [N/A], 70.1, 700.00\n";
        let second = Clocks::told(text, "0000:1b:00.0").unwrap();
        assert_eq!((second.sm_mhz, second.memory_mhz, second.watts), (Some(345.0), None, Some(70.1)));
        assert_eq!(Clocks::told(text, ""), None);
        let only = Clocks::told("00000000:0A:00.0, 1980, 3201, 641.5, 700.00\n", "").unwrap();
        assert_eq!(only.text(), "SM at 1980 MHz, memory at 3201 MHz, 641.5 of 700 W");
        assert_eq!(Clocks::told("", ""), None);
    }
}
