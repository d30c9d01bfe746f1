//! The file in which an adapter's cache lies from one call of the program to the next. It saves time and decides nothing: whatever is
//! wrong with it is told with --verbose alone.

use crate::streams::{say, shown_path};
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use treefold::Gpu;

/// The largest file that is read or written.
const FILE_BYTES: u64 = 16 << 20;

/// All files of the folder; the oldest go first.
const FOLDER_BYTES: u64 = 64 << 20;

/// How the names of its files end.
const ENDING: &str = "treefold-cache";

/// A device, and the file of its cache.
pub struct CacheFile {
    gpu: Gpu,
    path: PathBuf,
    verbose: bool,
}

impl CacheFile {
    /// Gives the device what its file says; `None` where there can be no file of it.
    pub fn load(gpu: &Gpu, verbose: bool) -> Option<CacheFile> {
        let tell = |what: &str| {
            if verbose {
                say(&format!("cache: {what}"))
            }
        };
        let name = gpu.cache_name().or_else(|| {
            tell("this adapter has none");
            None
        })?;
        let Some(folder) = folder() else {
            tell("there is no folder for it: neither XDG_CACHE_HOME nor a home is set");
            return None;
        };
        let path = folder.join(name).with_extension(ENDING);
        let shown = shown_path(&path);
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => vec![],
            Err(error) => {
                tell(&format!("{shown} is not read: {error}"));
                vec![]
            }
        };
        // SAFETY: the file is this user's, and nobody else may write it; it has a checksum; and this program writes there what
        // the library gives it.
        match unsafe { gpu.load_cache(&bytes) } {
            Ok(()) => tell(&format!("{} bytes of {shown}", bytes.len())),
            Err(error @ treefold::Error::CacheRefused { .. }) => tell(&format!("{shown} is replaced: {error}")),
            Err(error) => {
                tell(&error.to_string());
                return None;
            }
        }
        Some(CacheFile { gpu: gpu.clone(), path, verbose })
    }

    /// Writes the file anew where there is something new; whether it holds all that is known.
    pub fn keep(&self) -> bool {
        let Some(bytes) = self.gpu.cache(FILE_BYTES as usize) else { return true };
        let (path, tell) = (shown_path(&self.path), |what: String| {
            if self.verbose {
                say(&what)
            }
        });
        if let Err(error) = write(&self.path, &bytes) {
            tell(format!("cache: {path} is not written: {error}"));
            return false;
        }
        tell(format!("cache: {} bytes written to {path}", bytes.len()));
        if let Err(error) = make_room(&self.path) {
            tell(format!("cache: older files beside {path} stay: {error}"));
        }
        true
    }
}

/// The folder for it, where the platform has such folders: it need not be there.
fn folder() -> Option<PathBuf> {
    let absolute = |name: OsString| Some(PathBuf::from(name)).filter(|path| path.is_absolute());
    let told = |variable: &str, under: &str| std::env::var_os(variable).and_then(absolute).map(|path| path.join(under));
    let own = match () {
        () if cfg!(windows) => told("LOCALAPPDATA", ""),
        () if cfg!(target_os = "macos") => told("HOME", "Library/Caches"),
        () => told("HOME", ".cache"),
    };
    Some(told("XDG_CACHE_HOME", "").or(own)?.join("treefold"))
}

fn wrong(what: &str) -> Error {
    Error::other(what.to_string())
}

/// The bytes of a file that only this user can have written.
fn read(path: &Path) -> Result<Vec<u8>> {
    ensure_own(&std::fs::symlink_metadata(parent(path))?, Metadata::is_dir, "its folder")?;
    // What is no ordinary file may never end, or wait; a link leads elsewhere.
    ensure_own(&std::fs::symlink_metadata(path)?, Metadata::is_file, "it")?;
    let file = File::open(path)?;
    let found = file.metadata()?;
    ensure_own(&found, Metadata::is_file, "it")?;
    if found.len() > FILE_BYTES {
        return Err(wrong(&format!("it has {} bytes, and {FILE_BYTES} are the most", found.len())));
    }
    let mut bytes = vec![];
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses what is of another kind, another user's, or for others to write.
fn ensure_own(found: &Metadata, kind: impl Fn(&Metadata) -> bool, what: &str) -> Result<()> {
    if !kind(found) {
        return Err(wrong(&format!("{what} is something else, or a link")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // SAFETY: it reads a number.
        let user = unsafe { libc::geteuid() };
        if found.uid() != user {
            return Err(wrong(&format!("{what} belongs to user {}, and this is {user}", found.uid())));
        }
        if found.mode() & 0o022 != 0 {
            return Err(wrong(&format!("others may write {what}: its mode is {:o}", found.mode() & 0o7777)));
        }
    }
    Ok(())
}

/// Writes a file aside, for this user alone, and gives it its name: who reads meanwhile reads the old one whole.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = parent(path);
    make(folder)?;
    ensure_own(&std::fs::symlink_metadata(folder)?, Metadata::is_dir, "its folder")?;
    let ending = format!(".{ENDING}");
    let mut aside = tempfile::Builder::new().prefix(".aside-").suffix(&ending).tempfile_in(folder)?;
    crate::interrupt::remove(aside.path().into());
    aside.write_all(bytes)?;
    aside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The folder, for this user alone where it is new.
fn make(folder: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes the files beside this one that were written longest ago, until all that stay have room.
fn make_room(written: &Path) -> Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = vec![];
    for entry in std::fs::read_dir(parent(written))? {
        let path = entry?.path();
        // Another process may have removed it.
        let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
        if found.is_file() && path.extension().is_some_and(|ending| ending == ENDING) {
            files.push((found.modified()?, found.len(), path));
        }
    }
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, length, path) in files.into_iter().filter(|(.., path)| path != written) {
        if bytes <= FOLDER_BYTES {
            break;
        }
        drop(std::fs::remove_file(path));
        bytes -= length;
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
