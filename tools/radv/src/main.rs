//! A table of what AMD's compiler makes of the library's texts, or of WGSL files.

use treefold_radv::{FAMILIES, Result, Row, Wanted, answer, measure};

const HELP: &str = "\
treefold-radv [FILE.wgsl ...]

What AMD's compiler makes of the library's kernels, or of WGSL files, as a table in Markdown.
Needs Mesa's RADV (Debian: mesa-vulkan-drivers), no AMD GPU.";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "-h" || argument == "--help") {
        println!("{HELP}");
        return Ok(());
    }
    if let Some(name) = arguments.first().and_then(|first| first.strip_prefix("--family=")) {
        let family = FAMILIES.iter().find(|family| family.name == name).ok_or("no such family")?;
        return answer(family, &arguments[1..]);
    }
    let program = std::env::current_exe()?;
    let wanted = if arguments.is_empty() { Wanted::All } else { Wanted::Files(&arguments) };
    println!("| text | GPU | VGPRs | SGPRs | spilled | scratch B | LDS B | waves | code B | ms |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for family in &FAMILIES {
        for row in measure(&program, family, wanted)? {
            println!("{}", line(family.architecture, &row));
        }
    }
    Ok(())
}

fn line(architecture: &str, row: &Row) -> String {
    match &row.outcome {
        Ok(s) => format!(
            "| {} | {architecture} | {} | {} | {} | {} | {} | {} | {} | {:.0} |",
            row.name,
            s.vgprs,
            s.sgprs,
            s.spilled_vgprs + s.spilled_sgprs,
            s.scratch_bytes,
            s.lds_bytes,
            s.waves,
            s.code_bytes,
            s.compile_ms
        ),
        Err(error) => format!("| {} | {architecture} | {} | | | | | | | |", row.name, error.replace(['\n', '|'], " ")),
    }
}
