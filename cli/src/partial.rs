//! Partials: reductions that stop before their last step, in files that merge to the answer over everything.

use crate::args::{Args, usage};
use crate::feed::unreadable;
use crate::input::STDIN;
use crate::operators::{self, Chosen};
use crate::report::{Report, Seconds, Written};
use anyhow::{Context, Result, anyhow, ensure};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, Element, Header, Op, Part, Partial};

/// Longer files are no partials.
const BYTES_MAX: u64 = 1 << 20;

/// The adapter's name in reports of merged partials.
pub const MERGED: &str = "merged";

/// The file that a partial goes to.
pub struct Target {
    path: PathBuf,
    force: bool,
}

impl Target {
    /// Where `--partial` says, after a look whether it could be written there.
    pub fn of(args: &Args) -> Result<Option<Target>> {
        let Some(path) = args.partial.clone() else { return Ok(None) };
        let (name, folder) = (path.display(), folder(&path));
        ensure!(folder.is_dir(), "{name}: there is no folder {}; make it first", folder.display());
        if let Ok(metadata) = std::fs::metadata(&path) {
            ensure!(metadata.is_file(), "{name}: is no ordinary file; name another one for the partial");
            ensure!(args.force, exists(&path));
        }
        Ok(Some(Target { path, force: args.force }))
    }

    /// Writes all or nothing: a temporary file beside it first, which then takes its name.
    fn write(&self, bytes: &[u8]) -> Result<Written> {
        let name = self.path.display().to_string();
        let failed = |error: std::io::Error| anyhow!("{name}: cannot be written: {error}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".treefold-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder(&self.path)).map_err(failed)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        let kept = if self.force { file.persist(&self.path) } else { file.persist_noclobber(&self.path) };
        match kept {
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(exists(&self.path)),
            Err(error) => Err(failed(error.error)),
            Ok(_) => Ok(Written { path: name, bytes: bytes.len() as u64 }),
        }
    }
}

/// The folder that a file lies in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn exists(path: &Path) -> anyhow::Error {
    anyhow!("{}: exists already; name another file for the partial, or replace it with --force", path.display())
}

/// Whether partials of this operator merge to the same bits, however the input was cut.
pub fn ensure_mergeable<T: Element, O: Op<T>>(chosen: &Chosen, sample: &[Part]) -> Result<()> {
    let (name, dtype) = (chosen.typed(), chosen.dtype);
    let most = "partials are for operators that merge to the same answer in any order";
    ensure!(
        O::COMMUTATIVE && sample.iter().all(|part| part.index.is_none()),
        "{name} finds places in its input, and a part does not know where in the whole it begins; {most}"
    );
    let integers = matches!(dtype, Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64);
    let (fast, repair) = match chosen.method {
        Some(_) => (" --fast", "without --fast it is one"),
        None => ("", "name all files in one call"),
    };
    ensure!(
        O::EXACT || integers,
        "{name}{fast} over {dtype} rounds on the way, so its parts do not merge to the bits of the whole; {most}; {repair}"
    );
    Ok(())
}

/// The answer's parts, or what was written instead of it.
pub fn conclude<T: Element, O: Op<T, Output: Answer>>(
    partial: Partial<T, O>,
    target: Option<&Target>,
) -> Result<(Vec<Part>, Option<Written>)> {
    match target {
        None => Ok((partial.finish()?.parts(), None)),
        Some(target) => Ok((vec![], Some(target.write(&partial.to_bytes()?)?))),
    }
}

/// Merges the partials that the command line names.
pub fn merge(args: &Args) -> Result<Report> {
    let start = Instant::now();
    let target = Target::of(args)?;
    let files = args.files.iter().map(|path| Found::read(path)).collect::<Result<Vec<Found>>>()?;
    let first = files.first().context("no partials")?;
    let shown = &first.header;
    for found in &files {
        let header = &found.header;
        ensure!(
            (&header.operator, &header.dtype) == (&shown.operator, &shown.dtype),
            "{} is a partial {}, but {} is a partial {}; merge like with like",
            first.name,
            first.what(),
            found.name,
            found.what()
        );
    }
    let unknown = || anyhow!("{}: is a partial {}, which this treefold does not have", first.name, first.what());
    let dtype = operators::dtype_named(&shown.dtype).ok_or_else(unknown)?;
    let chosen = Chosen::named(&shown.operator, dtype).ok_or_else(unknown)?;
    let ddof = args.ddof.unwrap_or(0);
    if ddof > 0 && !operators::has_ddof(chosen.typed()) {
        return Err(usage(format!("--ddof is for variance; {} is a partial {}", first.name, first.what())));
    }
    let merge = Merge { files: &files, chosen, target, start };
    operators::visit(chosen.name, dtype, ddof, merge).ok_or_else(unknown)?
}

/// A partial's file.
struct Found {
    name: String,
    bytes: Vec<u8>,
    header: Header,
}

impl Found {
    fn read(path: &Path) -> Result<Found> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { STDIN.into() } else { path.display().to_string() };
        let mut bytes = vec![];
        let opened: std::io::Result<Box<dyn Read>> =
            if stdin { Ok(Box::new(std::io::stdin())) } else { File::open(path).map(|file| Box::new(file) as _) };
        let read = opened.and_then(|from| from.take(BYTES_MAX).read_to_end(&mut bytes));
        read.map_err(|error| unreadable(&name, &error))?;
        let header = Header::read(&bytes).with_context(|| name.clone())?;
        Ok(Found { name, bytes, header })
    }

    /// What it says it is.
    fn what(&self) -> String {
        let name = &self.header.operator;
        let way = if name.starts_with("exact_") { "exact " } else { "" };
        format!("{way}{} of {}", name.trim_start_matches("exact_"), self.header.dtype)
    }
}

struct Merge<'a> {
    files: &'a [Found],
    chosen: Chosen,
    target: Option<Target>,
    start: Instant,
}

impl Visitor for Merge<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Result<Report> {
        let Merge { files, chosen, target, start } = self;
        let sample = op.finish(op.lift(T::ZERO, 0), 1)?.parts();
        let names = match files {
            [only] => only.name.clone(),
            all => format!("{} partials ({} ...)", all.len(), all[0].name),
        };
        ensure_mergeable::<T, O>(&chosen, &sample).with_context(|| names.clone())?;
        let mut all = Partial::empty(op.clone());
        for found in files {
            let partial = Partial::from_bytes(op.clone(), &found.bytes);
            all = partial.and_then(|partial| all.merge(partial)).with_context(|| found.name.clone())?;
        }
        let read = start.elapsed();
        let count = all.count();
        let (parts, written) = conclude(all, target.as_ref()).with_context(|| names.clone())?;
        Ok(Report {
            operator: chosen.typed().into(),
            names,
            dtype: T::DTYPE,
            count,
            bytes: 0,
            parts,
            indexed: vec![false; sample.len()],
            written,
            exact: O::EXACT,
            method: chosen.method,
            adapter: MERGED.into(),
            backend: "cpu",
            seconds: Seconds { read, upload: None, kernel: None, total: start.elapsed() },
        })
    }
}
