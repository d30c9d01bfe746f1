//! The inputs that the command line names: what each of them is, that all are of one type, and from their bytes to elements
//! in bounded memory, from places in a file or from a pipe.

use crate::error::{STDIN, unreadable, usage, warn};
use crate::format::{Stored, becomes, whole_numbers};
use crate::gather::Fortran;
use crate::npy::{MAGIC, Npy};
use crate::source::{Look, Sizes, Source, Take, aligned};
use anyhow::{Result, bail, ensure};
use bytemuck::cast_slice_mut;
use std::fs::File;
use std::io::{Cursor, ErrorKind, IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use treefold::{Dtype, Element};

enum Input {
    /// Its header is read.
    Ready(Opened),
    /// A pipe or device, opened when its turn comes, because its writer may write to another one before.
    Waiting(PathBuf),
}

/// All inputs, in order.
pub struct Inputs {
    inputs: Vec<Input>,
    raw: Option<Stored>,
    /// The one element type.
    pub dtype: Dtype,
    /// The name of the input that has shown it.
    pub shown_by: String,
}

impl Inputs {
    /// Looks at all that `paths` name (standard input for none and for `-`); `raw` is the type of raw files.
    pub fn open(paths: &[PathBuf], raw: Option<Stored>) -> Result<Inputs> {
        let stdin = [PathBuf::from("-")];
        let paths = if paths.is_empty() { &stdin } else { paths };
        let mut inputs = paths.iter().map(|path| look(path, raw)).collect::<Result<Vec<Input>>>()?;
        let none_ready = !inputs.iter().any(|input| matches!(input, Input::Ready(_)));
        if let (true, Some(first)) = (none_ready, inputs.first_mut()) {
            first.ready(raw)?;
        }
        let ready = inputs.iter().filter_map(|input| match input {
            Input::Ready(opened) => Some((opened.stored.dtype(), opened.name.clone())),
            Input::Waiting(_) => None,
        });
        let ready: Vec<(Dtype, String)> = ready.collect();
        // Among f32, f16 is widened.
        let wider = ready.iter().find(|(dtype, _)| *dtype != Dtype::F16).or(ready.first());
        let (dtype, shown_by) = wider.cloned().unwrap_or((Dtype::F32, STDIN.into()));
        for (other, name) in &ready {
            same(dtype, &shown_by, *other, name)?;
        }
        Ok(Inputs { inputs, raw, dtype, shown_by })
    }

    /// The one input, where it is one whose header is read.
    pub fn only(&self) -> Option<&Opened> {
        match &self.inputs[..] {
            [Input::Ready(opened)] => Some(opened),
            _ => None,
        }
    }

    /// The same inputs to be read once more; `None` where one of them can be read only once.
    pub fn again(&self) -> Option<Inputs> {
        let again = |input: &Input| match input {
            Input::Ready(Opened { name, stored, npy, count, body: Body::File(path, look) }) => {
                let (name, npy, body) = (name.clone(), npy.clone(), Body::File(path.clone(), *look));
                Some(Input::Ready(Opened { name, stored: *stored, npy, count: *count, body }))
            }
            _ => None,
        };
        let inputs = self.inputs.iter().map(again).collect::<Option<_>>()?;
        Some(Inputs { inputs, raw: self.raw, dtype: self.dtype, shown_by: self.shown_by.clone() })
    }

    /// Elements of all inputs together, where that is known.
    pub fn count(&self) -> Option<u64> {
        let count = |input: &Input| if let Input::Ready(opened) = input { opened.count } else { None };
        total(self.inputs.iter().map(count))
    }

    /// Bytes of all numbers together, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        let bytes = |input: &Input| match input {
            Input::Ready(opened) => opened.count.map(|count| count * opened.stored.size() as u64),
            Input::Waiting(_) => None,
        };
        total(self.inputs.iter().map(bytes))
    }

    /// The inputs' names in short.
    pub fn names(&self) -> String {
        match self.inputs.len() {
            1 => self.shown_by.clone(),
            2 => self.inputs.iter().map(Input::name).collect::<Vec<_>>().join(" and "),
            n => format!("{n} files ({} ...)", self.inputs.first().map_or(String::new(), Input::name)),
        }
    }

    /// Bytes in the files of one number of each input together, where that is known.
    pub fn pair_bytes(&self) -> usize {
        let size = |input: &Input| if let Input::Ready(opened) = input { opened.stored.size() } else { 0 };
        self.inputs.iter().map(size).sum()
    }

    /// The two inputs of an operator over pairs.
    pub fn two(self) -> Result<(Opened, Opened)> {
        let mut each = self.each();
        match (each.next(), each.next(), each.next()) {
            (Some(first), Some(second), None) => Ok((first?, second?)),
            _ => Err(usage("pairs need two inputs")),
        }
    }

    /// The inputs, each opened when it is asked for.
    pub fn each(self) -> impl Iterator<Item = Result<Opened>> {
        let Inputs { inputs, raw, dtype, shown_by } = self;
        inputs.into_iter().map(move |mut input| {
            input.ready(raw)?;
            let Input::Ready(opened) = input else { anyhow::bail!("an input vanished") };
            same(dtype, &shown_by, opened.stored.dtype(), &opened.name)?;
            Ok(opened)
        })
    }
}

/// The sum, where all are known; what does not fit 64 bits is no more than a claim.
fn total(mut counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.try_fold(0u64, |sum, count| sum.checked_add(count?))
}

impl Input {
    fn name(&self) -> String {
        match self {
            Input::Ready(opened) => opened.name.clone(),
            Input::Waiting(path) => path.display().to_string(),
        }
    }

    /// Opens it if it is waiting.
    fn ready(&mut self, raw: Option<Stored>) -> Result<()> {
        if let Input::Waiting(path) = self {
            let name = path.display().to_string();
            let file = File::open(&path).map_err(|error| unreadable(&name, &error))?;
            *self = Input::Ready(open_pipe(name, is_npy(path), Box::new(file), raw)?);
        }
        Ok(())
    }
}

fn look(path: &Path, raw: Option<Stored>) -> Result<Input> {
    if path.as_os_str() == "-" {
        if std::io::stdin().is_terminal() {
            return Err(usage(
                "standard input is a terminal; name a file, or pipe numbers in (treefold sum < data.npy)",
            ));
        }
        return open_pipe(STDIN.into(), false, Box::new(std::io::stdin()), raw).map(Input::Ready);
    }
    let name = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&name, &error))?;
    ensure!(!metadata.is_dir(), "{name}: is a directory; name the files in it ({})", path.join("*.npy").display());
    if !metadata.is_file() {
        return Ok(Input::Waiting(path.to_path_buf()));
    }
    let mut file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let look = Look::of(&file.metadata().map_err(|error| unreadable(&name, &error))?);
    if !look.holds(&file) {
        return open_pipe(name, is_npy(path), Box::new(file), raw).map(Input::Ready);
    }
    let length = look.length;
    let mut head = [0; MAGIC.len()];
    let got = fill(&mut file, &mut head).map_err(|error| unreadable(&name, &error))?;
    file.rewind().map_err(|error| unreadable(&name, &error))?;
    let (npy, stored) = header(&name, &head[..got], is_npy(path), raw, &mut file)?;
    if let Some(npy) = &npy {
        let needs = npy.data_at() + npy.data_bytes();
        if length < needs {
            return Err(npy.truncated(&name, length));
        }
        if length > needs {
            warn_trailing(&name, &format!("{} bytes", length - needs));
        }
    }
    let count = match &npy {
        Some(npy) => npy.count,
        None => {
            whole_numbers(&name, length, stored)?;
            length / stored.size() as u64
        }
    };
    Ok(Input::Ready(Opened { name, stored, npy, count: Some(count), body: Body::File(path.to_path_buf(), look) }))
}

fn open_pipe(name: String, is_npy: bool, mut pipe: Box<dyn Read + Send>, raw: Option<Stored>) -> Result<Opened> {
    let mut head = vec![0; MAGIC.len()];
    let got = fill(&mut pipe, &mut head).map_err(|error| unreadable(&name, &error))?;
    head.truncate(got);
    let mut pipe: Box<dyn Read + Send> = Box::new(Cursor::new(head.clone()).chain(pipe));
    let (npy, stored) = header(&name, &head, is_npy, raw, &mut pipe)?;
    let count = npy.as_ref().map(|npy| npy.count);
    Ok(Opened { name, stored, npy, count, body: Body::Pipe(pipe) })
}

/// The header of an input that begins with `head`, none for a raw one, and the type of its numbers.
fn header(
    name: &str,
    head: &[u8],
    is_npy: bool,
    raw: Option<Stored>,
    from: &mut dyn Read,
) -> Result<(Option<Npy>, Stored)> {
    if let (true, false, Some(raw)) = (head.is_empty(), is_npy, raw) {
        // No numbers, as an empty part of many has none.
        return Ok((None, raw));
    }
    ensure!(!head.is_empty(), "{name}: is empty (0 bytes); a .npy file has a header even where its array is empty");
    if head == MAGIC {
        let npy = Npy::read(name, from)?;
        if let Some(raw) = raw.filter(|&raw| !npy.stored.may_be_called(raw)) {
            bail!("{name}: is a .npy file of {}, but --dtype says {}; leave it out", npy.stored.name(), raw.name());
        }
        let stored = npy.stored;
        return Ok((Some(npy), stored));
    }
    ensure!(
        !is_npy,
        "{name}: is no .npy file, though named so: it does not begin with \\x93NUMPY; if it holds raw numbers, rename it \
         and pass --dtype"
    );
    match raw {
        Some(raw) => Ok((None, raw)),
        None => {
            let names = Stored::names().join(", ");
            Err(usage(format!("{name}: is no .npy file; for raw little-endian numbers pass --dtype, one of {names}")))
        }
    }
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

fn same(dtype: Dtype, shown_by: &str, other: Dtype, name: &str) -> Result<()> {
    ensure!(
        becomes(other, dtype),
        "{shown_by} holds {dtype}, but {name} holds {other}; files of one call must be of one type: reduce each type in a \
         call of its own"
    );
    Ok(())
}

/// Where the bytes come from.
pub enum Body {
    /// A file that can be read from any place, as it was when its header was read; opened again when its turn comes.
    File(PathBuf, Look),
    /// Anything else: what is left behind the header.
    Pipe(Box<dyn Read + Send>),
}

/// One input whose header is read.
pub struct Opened {
    /// The file's name.
    pub name: String,
    /// The type of its numbers.
    pub stored: Stored,
    /// Its header, where it is a .npy file.
    pub npy: Option<Npy>,
    /// How many numbers there are, where that is known.
    pub count: Option<u64>,
    /// The numbers.
    pub body: Body,
}

impl Opened {
    /// The axes of an array that is in Fortran order; `None` where that is no other than C order.
    pub fn fortran(&self) -> Option<&[u64]> {
        self.npy.as_ref()?.fortran.as_deref()
    }

    /// Hands all elements to `take`; in C order if `ordered`, else as they are stored.
    pub fn feed<T: Element>(self, ordered: bool, sizes: Sizes, take: Take<T>) -> Result<()> {
        let fortran = self.fortran().filter(|_| ordered).map(<[u64]>::to_vec);
        match (self.body, fortran) {
            (Body::File(path, look), fortran) => {
                let (npy, stored) = (self.npy.as_ref(), self.stored);
                let header = npy.map_or(&[][..], |npy| &npy.header);
                let (source, data_at) = (Source::open(&self.name, &path, look, header)?, header.len() as u64);
                match fortran {
                    Some(axes) => Fortran { file: &source, data_at, stored, axes: &axes }.feed(sizes, take)?,
                    None => {
                        let bytes = self.count.unwrap_or(0) * stored.size() as u64;
                        source.feed(data_at..data_at + bytes, stored, sizes, take)?;
                    }
                }
                source.close()
            }
            (Body::Pipe(_), Some(_)) => bail!(
                "{}: is in Fortran order, and an index counts in C order, which a pipe cannot give in bounded memory; \
                 name a file instead",
                self.name
            ),
            (Body::Pipe(mut pipe), None) => {
                feed_pipe(&self.name, &mut *pipe, self.stored, self.npy.as_ref(), sizes, take)
            }
        }
    }
}

fn feed_pipe<T: Element>(
    name: &str,
    pipe: &mut dyn Read,
    stored: Stored,
    npy: Option<&Npy>,
    sizes: Sizes,
    take: Take<T>,
) -> Result<()> {
    let size = stored.size();
    let mut left = npy.map_or(u64::MAX, Npy::data_bytes);
    let mut total = 0;
    let mut part = aligned(left.min((sizes.part_elements * size) as u64) as usize);
    let mut space = vec![];
    loop {
        let part = cast_slice_mut::<u64, u8>(&mut part);
        let wanted = left.min((part.len() / size * size) as u64) as usize;
        let got = fill(pipe, &mut part[..wanted]).map_err(|error| unreadable(name, &error))?;
        total += got as u64;
        left -= got as u64;
        let whole = got / size * size;
        if whole > 0 {
            take(stored.elements(&part[..whole], &mut space))?;
        }
        if got < wanted || left == 0 {
            break;
        }
    }
    match npy {
        None => whole_numbers(name, total, stored),
        Some(npy) if left > 0 => Err(npy.truncated(name, npy.data_at() + total)),
        Some(_) => {
            if fill(pipe, &mut [0]).map_err(|error| unreadable(name, &error))? > 0 {
                warn_trailing(name, "bytes");
            }
            Ok(())
        }
    }
}

/// Reads until the space is full or the input ends.
pub fn fill(reader: &mut dyn Read, space: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < space.len() {
        match reader.read(&mut space[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Says that more follows behind the array.
pub fn warn_trailing(name: &str, what: &str) {
    warn(&format!("{name}: ignored {what} behind the end of its array"));
}
