//! Places of results: standard output for who asks for it, and files that are written aside and take their name when they are whole.

use crate::error::usage;
use crate::interrupt;
use crate::streams::{STDOUT, print_bytes, shown_path};
use anyhow::{Result, anyhow, ensure};
use std::io::{Error, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that was written.
#[derive(Debug)]
pub struct Written {
    /// The file's name.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
}

/// A result's place, which can be written: found out before the work.
pub struct Output {
    /// The option that names it.
    option: &'static str,
    /// The name for people.
    name: String,
    to: To,
}

/// Options whose files have one form each, and endings of other forms.
const FORMS: [(&str, &str, &str, &[&str]); 3] = [
    ("--plot", "an SVG picture", "svg", &["png", "jpg", "jpeg", "gif", "webp", "pdf", "html", "gz", "zst"]),
    ("--partial", "a partial answer", "part", &["gz", "zst"]),
    (
        "--output",
        "NumPy arrays",
        "npy",
        &[
            "csv",
            "tsv",
            "txt",
            "json",
            "parquet",
            "arrow",
            "feather",
            "safetensors",
            "bin",
            "raw",
            "dat",
            "h5",
            "gz",
            "zst",
        ],
    ),
];

/// Refuses a name that says another form than the option writes.
fn ensure_form(option: &str, path: &Path) -> Result<()> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    for (of, form, right, others) in FORMS {
        let wrong = ending.as_deref().filter(|ending| of == option && others.contains(ending));
        if let Some(ending) = wrong {
            // What is packed keeps the name that it has inside, where that is one.
            let bare = path.with_extension("");
            let is_right = bare.extension().is_some_and(|inner| inner == right || inner == "npz");
            let better = if is_right { bare } else { path.with_extension(right) };
            let (name, better) = (shown_path(path), shown_path(&better));
            return Err(usage(format!(
                "{option} {name}: {option} writes {form}, which no .{ending} file is; name it {better}"
            )));
        }
    }
    Ok(())
}

enum To {
    Standard,
    File { path: PathBuf, force: bool, aside: NamedTempFile },
}

impl Output {
    /// Standard output.
    pub fn standard(option: &'static str) -> Result<Output> {
        if std::io::stdout().is_terminal() {
            return Err(usage(format!("{option} -: {STDOUT} is a terminal; pipe it on, or name a file")));
        }
        Ok(Output { option, name: STDOUT.into(), to: To::Standard })
    }

    /// A file of this name; one that exists is replaced only by `force`.
    pub fn file(option: &'static str, path: &Path, force: bool) -> Result<Output> {
        ensure_form(option, path)?;
        let name = shown_path(path);
        let folder = folder(path);
        ensure!(folder.is_dir(), "{name}: there is no folder {}; make it first", shown_path(folder));
        ensure!(path.file_name().is_some(), "{name}: is a folder's name; name a file");
        // A link stays one: what it leads to is written.
        let path = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => std::fs::canonicalize(path)
                .map_err(|error| anyhow!("{name}: is a link that leads nowhere ({error}); name another file"))?,
            _ => path.into(),
        };
        if let Ok(found) = std::fs::metadata(&path) {
            ensure!(found.is_file(), "{name}: is no ordinary file; name another one for {option}");
            ensure!(force, exists(option, &name));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".treefold-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let aside = builder.tempfile_in(self::folder(&path)).map_err(|error| unwritable(&name, &error))?;
        interrupt::remove(aside.path().into());
        Ok(Output { option, name, to: To::File { path, force, aside } })
    }

    /// Writes all of it, or leaves nothing of the file behind.
    pub fn write(self, bytes: &[u8]) -> Result<Written> {
        let Output { option, name, to } = self;
        let length = bytes.len() as u64;
        match to {
            To::Standard => print_bytes(bytes)?,
            To::File { path, force, mut aside } => {
                let done = aside.write_all(bytes).and_then(|()| aside.as_file().sync_all());
                done.map_err(|error| unwritable(&name, &error))?;
                let kept = if force { aside.persist(&path) } else { aside.persist_noclobber(&path) };
                if let Err(error) = kept {
                    let there = error.error.kind() == ErrorKind::AlreadyExists;
                    return Err(if there { exists(option, &name) } else { unwritable(&name, &error.error) });
                }
            }
        }
        Ok(Written { path: name, bytes: length })
    }

    /// Refuses one file for two results.
    pub fn ensure_apart(&self, other: &Output) -> Result<()> {
        if let (Some(place), Some(there)) = (self.place(), other.place())
            && place == there
        {
            let (name, first, second) = (&self.name, self.option, other.option);
            return Err(usage(format!("{first} and {second} both name {name}; give each a file of its own")));
        }
        Ok(())
    }

    /// The file's name without detours.
    fn place(&self) -> Option<PathBuf> {
        let To::File { path, .. } = &self.to else { return None };
        Some(std::fs::canonicalize(folder(path)).ok()?.join(path.file_name()?))
    }
}

/// The folder that a file lies in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn exists(option: &str, name: &str) -> anyhow::Error {
    anyhow!("{name}: exists already; name another file for {option}, or replace it with --force")
}

fn unwritable(name: &str, error: &Error) -> anyhow::Error {
    // Without the name of the file aside, which nobody has chosen.
    let cause = error.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    anyhow!("{name}: cannot be written: {}", cause.unwrap_or_else(|| error.to_string()))
}
