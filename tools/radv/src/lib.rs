//! Statistics of AMD's compiler for WGSL texts, without an AMD GPU.
//!
//! Mesa's RADV opens a GPU that is not there where `RADV_FORCE_FAMILY` names one. It compiles real pipelines and tells what
//! they take; it runs nothing. The variable is read once in a process, so each family has a process of its own: [`measure`]
//! starts it, [`answer`] is what it does.
//!
//! ```text
//! text ─► naga ─► SPIR-V, as wgpu asks for it ─► RADV ─► VK_KHR_pipeline_executable_properties ─► Statistics
//! ```

mod compiler;
// The generator of the library's tests.
#[path = "../../../tests/texts/every.rs"]
mod every;
mod texts;

pub use compiler::Compiler;
pub use texts::texts;

use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub type Error = Box<dyn std::error::Error>;
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One generation of GPUs.
#[derive(Debug)]
pub struct Family {
    /// As Mesa calls it.
    pub name: &'static str,
    /// As AMD calls its architecture.
    pub architecture: &'static str,
    /// The fewest lanes of a subgroup.
    pub lanes_min: u32,
}

/// The families that Debian's Mesa knows.
pub const FAMILIES: [Family; 2] = [
    Family { name: "navi21", architecture: "RDNA2", lanes_min: 32 },
    Family { name: "vega10", architecture: "GCN", lanes_min: 64 },
];

/// Resources that a pipeline takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Vector registers of an invocation.
    pub vgprs: u64,
    /// Scalar registers of a wave.
    pub sgprs: u64,
    /// Vector registers that did not fit.
    pub spilled_vgprs: u64,
    /// Scalar registers that did not fit.
    pub spilled_sgprs: u64,
    /// Bytes of memory of a wave: spilled registers, and arrays by indices that the compiler does not know.
    pub scratch_bytes: u64,
    /// Bytes of workgroup memory.
    pub lds_bytes: u64,
    /// Waves that a SIMD holds at a time.
    pub waves: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Time of the driver's compiler.
    pub compile_ms: f64,
}

/// A text, and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The text's name.
    pub name: String,
    /// Statistics of its pipeline, or why there is none.
    pub outcome: Result<Statistics, String>,
}

/// The driver's manifest, where it is installed.
pub fn manifest() -> Option<PathBuf> {
    let folders = ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];
    let names = [format!("radeon_icd.{}.json", std::env::consts::ARCH), "radeon_icd.json".into()];
    let mut files = folders.iter().flat_map(|folder| names.iter().map(move |name| Path::new(folder).join(name)));
    files.find(|file| file.exists())
}

/// What is compiled.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// The library's own texts.
    All,
    /// Fewer of them: of those for large inputs half, of which the other family has the others, and half of the rest but for segments.
    Some,
    /// WGSL files.
    Files(&'a [String]),
}

/// Starts `program`, which calls [`answer`], for one family.
///
/// # Errors
/// No RADV here, or one that does not know the family.
pub fn measure(program: &Path, family: &Family, wanted: Wanted<'_>) -> Result<Vec<Row>> {
    let manifest = manifest().ok_or("no RADV here: no radeon_icd.json in the loader's folders")?;
    let arguments = match wanted {
        Wanted::All => vec![],
        Wanted::Some => vec![SOME.into()],
        Wanted::Files(files) => files.to_vec(),
    };
    let output = Command::new(program)
        .arg(format!("--family={}", family.name))
        .args(arguments)
        .env("RADV_FORCE_FAMILY", family.name)
        .env("VK_DRIVER_FILES", &manifest)
        .env("VK_ICD_FILENAMES", &manifest)
        // Compile times, not the cache's.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", family.name, output.status).into());
    }
    output.stdout.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

/// The argument that asks for some texts.
const SOME: &str = "--some";

/// Compiles for the family that this process was started for, as [`measure`] asks; a line of JSON for each text.
///
/// # Errors
/// A driver that does not open, or a file that cannot be read.
pub fn answer(family: &Family, files: &[String]) -> Result<()> {
    let compiler = Compiler::open(family.name)?;
    let some = files == [SOME];
    let texts = if some || files.is_empty() {
        texts(family, some)
    } else {
        let text = |file: &String| match std::fs::read_to_string(file) {
            Ok(text) => Ok((file.clone(), text)),
            Err(error) => Err(format!("{file}: {error}")),
        };
        files.iter().map(text).collect::<Result<_, _>>()?
    };
    for (name, text) in texts {
        let outcome = compiler.compile(&text).map_err(|error| error.to_string());
        println!("{}", serde_json::to_string(&Row { name, outcome })?);
    }
    Ok(())
}
