//! `treefold adapters`: what there is to compute on, and what treefold uses of it.

use crate::cache::CacheFile;
use crate::error::usage;
use crate::json::Json;
use crate::report;
use anyhow::Result;
use indicatif::BinaryBytes;
use treefold::wgpu::{AdapterInfo, DeviceType, Features};
use treefold::{Cpu, Engine, Gpu, Listed, Order};

/// The list, as a table or as one JSON object on one line.
pub fn list(json: bool) -> Result<String> {
    let adapters = Gpu::adapters()?;
    let cpu_is_default = !adapters.iter().any(|listed| listed.default);
    if json {
        let mut list: Vec<Json> = adapters.iter().map(adapter_json).collect();
        list.push(cpu_json(cpu_is_default));
        return Json::Object(vec![("adapters", Json::List(list))]).line();
    }
    let mut table = report::table();
    table.set_header([
        "",
        "--adapter",
        "name",
        "type",
        "backend",
        "driver",
        "subgroups",
        "max binding",
        "treefold uses",
    ]);
    for listed in &adapters {
        let info = &listed.info;
        table.add_row([
            star(listed.default),
            listed.index.to_string(),
            info.name.clone(),
            device_type(info.device_type).into(),
            info.backend.to_str().into(),
            driver(&listed.info),
            subgroups(listed),
            BinaryBytes(listed.limits.max_storage_buffer_binding_size).to_string(),
            uses(listed),
        ]);
    }
    let cpu = format!("{} threads", Cpu::new().threads());
    let row = ["cpu", "CPU engine", "cpu", "cpu", "", "", "", &cpu].map(String::from);
    table.add_row([star(cpu_is_default)].into_iter().chain(row));
    let narrow = report::fit(&mut table, &["treefold uses", "driver", "max binding", "subgroups", "backend", "type"]);
    let note = match (cpu_is_default, adapters.is_empty()) {
        (false, _) if Engine::asked(None).is_some() => "* is used where no --adapter is given",
        (false, _) => {
            "* is the best: what is not shared runs there, or on the CPU engine where it is little; every GPU joins the CPU engine where more \
             than a second of work is left"
        }
        (true, true) => "* is used where no --adapter is given",
        (true, false) => {
            "* is used where no --adapter is given; software and OpenGL by --adapter only (explain and ladder, which have kernels \
             alone, take software too)"
        }
    };
    Ok(format!("{table}\n{narrow}{note}\n"))
}

/// The adapter of this name, or the best, for what only an adapter has: kernels.
pub fn with_kernels(name: Option<&str>, what: &str) -> Result<Gpu> {
    match Engine::asked(name) {
        Some(asked) if asked.trim().eq_ignore_ascii_case("cpu") => {
            let by = if name.is_some() { "--adapter cpu" } else { "WGPU_ADAPTER_NAME=cpu" };
            Err(usage(format!(
                "{by} has no kernels {what}; name an adapter, hardware or software: --adapter NAME|NUMBER (see treefold adapters)"
            )))
        }
        Some(asked) if Engine::is_several(&asked) => Err(usage(format!(
            "{asked} is several adapters, of which one is wanted {what}; name it: --adapter NAME|NUMBER (see treefold adapters)"
        ))),
        Some(asked) => Ok(ready(Gpu::named(&asked)?)),
        None => Ok(ready(Gpu::new()?)),
    }
}

/// A device that launches as in other calls: by what `treefold tune` has kept of it.
fn ready(gpu: Gpu) -> Gpu {
    drop(CacheFile::load(&gpu, false));
    gpu
}

fn star(default: bool) -> String {
    if default { "*".into() } else { String::new() }
}

fn device_type(device_type: DeviceType) -> &'static str {
    match device_type {
        DeviceType::DiscreteGpu => "discrete GPU",
        DeviceType::IntegratedGpu => "integrated GPU",
        DeviceType::VirtualGpu => "virtual GPU",
        DeviceType::Cpu => "software",
        DeviceType::Other => "other",
    }
}

/// The driver's name and version.
pub fn driver(info: &AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info).trim().to_string()
}

fn has_subgroups(listed: &Listed) -> bool {
    listed.features.contains(Features::SUBGROUP)
}

fn subgroups(listed: &Listed) -> String {
    let (least, most) = (listed.info.subgroup_min_size, listed.info.subgroup_max_size);
    match has_subgroups(listed) {
        false => "none".into(),
        true if least == most => least.to_string(),
        true => format!("{least} to {most}"),
    }
}

fn order(order: Order) -> &'static str {
    match order {
        Order::Striped => "striped",
        Order::Blocked => "blocked",
    }
}

fn uses(listed: &Listed) -> String {
    format!("{:#}", listed.tuning.with(|tuning| tuning.subgroups &= has_subgroups(listed)))
}

fn adapter_json(listed: &Listed) -> Json {
    let (info, tuning) = (&listed.info, &listed.tuning);
    let index = Json::value(listed.index as u64);
    Json::Object(vec![
        ("adapter", index),
        ("name", Json::text(&info.name)),
        ("type", Json::text(device_type(info.device_type))),
        ("backend", Json::text(info.backend.to_str())),
        ("driver", Json::Text(driver(info))),
        ("subgroup_min_size", Json::value(has_subgroups(listed).then_some(info.subgroup_min_size))),
        ("subgroup_max_size", Json::value(has_subgroups(listed).then_some(info.subgroup_max_size))),
        ("max_binding_bytes", Json::value(listed.limits.max_storage_buffer_binding_size)),
        ("default", Json::value(listed.default)),
        (
            "uses",
            Json::Object(vec![
                ("workgroup_size", Json::value(tuning.fold.workgroup_size)),
                ("workgroups_max", Json::value(tuning.fold.workgroups_max)),
                ("loads_in_flight", Json::value(tuning.fold.loads_in_flight)),
                ("order", Json::text(order(tuning.order))),
                ("subgroups", Json::value(tuning.subgroups && has_subgroups(listed))),
            ]),
        ),
    ])
}

fn cpu_json(default: bool) -> Json {
    Json::Object(vec![
        ("adapter", Json::text("cpu")),
        ("name", Json::text("CPU engine")),
        ("type", Json::text("cpu")),
        ("backend", Json::text("cpu")),
        ("default", Json::value(default)),
        ("uses", Json::Object(vec![("threads", Json::value(Cpu::new().threads() as u64))])),
    ])
}
