//! The inputs that the command line names: what each of them is, that all are of one type, and from their bytes to elements
//! in bounded memory, from places in a file or from a pipe.

mod shares;

use shares::Piece;
pub use shares::{Cut, dealt};

use crate::error::{unreadable, usage};
use crate::files::{self, Array, Ask, Make, Missing, Numbers, Reader, Shown, Streamed};
use crate::format::{Number, Stored, becomes, common, whole_numbers};
use crate::gather::Fortran;
use crate::source::{Look, Sizes, Source, Take, aligned, fill, warn_trailing};
use crate::streams::STDIN;
use anyhow::{Result, anyhow, ensure};
use bytemuck::cast_slice_mut;
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use treefold::{Dtype, Element, ReadAt};

enum Input {
    /// Its header is read.
    Ready(Opened),
    /// A pipe or device, opened when its turn comes, because its writer may write to another one before.
    Waiting(PathBuf),
}

/// All inputs, in order.
pub struct Inputs {
    inputs: Vec<Input>,
    ask: Ask,
    /// The one element type.
    pub dtype: Dtype,
    /// The type that a number is rounded to with which elements compare: that of the files, where it is one and narrower.
    pub compared: Dtype,
    /// The type of the numbers in the files, where it is one and known, which may be narrower; else that of the elements.
    number: Number,
    /// The name of the input that has shown it.
    pub shown_by: String,
    /// The piece of files beside them that is theirs, where they are a share.
    piece: Piece,
}

/// The one value of all, where they are alike.
fn alike<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

impl Inputs {
    /// Looks at all that `paths` name (standard input for none and for `-`).
    pub fn open(paths: &[PathBuf], ask: Ask) -> Result<Inputs> {
        let stdin = [PathBuf::from("-")];
        let paths = if paths.is_empty() { &stdin } else { paths };
        let of_each = paths.iter().enumerate().map(|(number, path)| look(path, &ask.of(number)));
        let mut inputs = of_each.collect::<Result<Vec<Input>>>()?;
        let none_ready = !inputs.iter().any(|input| matches!(input, Input::Ready(_)));
        if let (true, Some(first)) = (none_ready, inputs.first_mut()) {
            first.ready(&ask.of(0))?;
        }
        let ready = inputs.iter().filter_map(|input| match input {
            Input::Ready(opened) => Some((opened.stored.dtype(), opened.name.clone())),
            Input::Waiting(_) => None,
        });
        let ready: Vec<(Dtype, String)> = ready.collect();
        // Among f32, f16 is widened.
        let wider = ready.iter().find(|(dtype, _)| *dtype != Dtype::F16).or(ready.first());
        let (mut dtype, shown_by) = wider.cloned().unwrap_or((Dtype::F32, STDIN.into()));
        if ask.pairs {
            dtype = ready.iter().fold(dtype, |all, (other, _)| common(all, *other).unwrap_or(all));
        }
        for (other, name) in &ready {
            same(dtype, &shown_by, *other, name, ask.pairs)?;
        }
        let stored = inputs.iter().map(|input| match input {
            Input::Ready(opened) => Some(opened.stored),
            Input::Waiting(_) => None,
        });
        let compared = alike(stored.clone().flatten().map(Stored::compared)).unwrap_or(dtype);
        // Of what waits nothing is known.
        let number = alike(stored.map(|stored| stored.map(Stored::number))).flatten().unwrap_or(Number::Of(dtype));
        Ok(Inputs { inputs, ask, dtype, compared, number, shown_by, piece: Piece::All })
    }

    /// Looks at the file of numbers about elements that an option names.
    pub fn open_beside(path: &Path, option: &'static str) -> Result<Inputs> {
        Inputs::open(&[path.to_path_buf()], Ask::beside(option))
    }

    /// Numbers of one type that are made as they are read, one input behind another; what is known of missing ones stands in `ask`.
    pub fn made(readers: Vec<(String, Reader)>, stored: Stored, ask: Ask) -> Inputs {
        let shown_by = readers.first().map_or(String::new(), |(name, _)| name.clone());
        let opened = |(name, made): (String, Reader)| {
            let missing = Missing::default();
            Input::Ready(Opened { name, stored, array: None, count: None, missing, body: Body::Pipe(made) })
        };
        let inputs = readers.into_iter().map(opened).collect();
        let (dtype, compared, number) = (stored.dtype(), stored.compared(), stored.number());
        Inputs { inputs, ask, dtype, compared, number, shown_by, piece: Piece::All }
    }

    /// The type of the numbers that elements of this type are stored as: what several numbers make together, and f16 that is read as f32, are of their
    /// own.
    pub fn stored_as(&self, dtype: Dtype) -> Number {
        if dtype == self.dtype { self.number } else { Number::Of(dtype) }
    }

    /// Tells elements of their own type, whatever their numbers are stored as.
    pub fn tell_elements(&mut self) {
        self.number = Number::Of(self.dtype);
    }

    /// Treatment of missing values.
    pub fn missing(&self) -> &Missing {
        &self.ask.missing
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
        let ask = self.ask.with(self.ask.missing.again());
        let again = |input: &Input| match input {
            Input::Ready(Opened { body: Body::Pipe(_), .. }) | Input::Waiting(_) => None,
            Input::Ready(Opened { name, stored, array, count, body: Body::File(path, look, numbers), .. }) => {
                let body = Body::File(path.clone(), *look, numbers.clone());
                let (name, array, missing) = (name.clone(), array.clone(), ask.missing.clone());
                Some(Input::Ready(Opened { name, stored: *stored, array, count: *count, missing, body }))
            }
        };
        let inputs = self.inputs.iter().map(again).collect::<Option<_>>()?;
        let (shown_by, piece) = (self.shown_by.clone(), self.piece.clone());
        Some(Inputs { inputs, ask, shown_by, piece, ..*self })
    }

    /// Each of the inputs alone.
    pub fn alone(self) -> Vec<Inputs> {
        let Inputs { inputs, ask, dtype, compared, number, .. } = self;
        let alone = |input: Input| {
            let shown_by = input.name();
            Inputs { inputs: vec![input], ask: ask.clone(), dtype, compared, number, shown_by, piece: Piece::All }
        };
        inputs.into_iter().map(alone).collect()
    }

    /// Number of numbers that must be known before, as they are read beside elements.
    pub fn counted(&self, option: &str) -> Result<u64> {
        self.count().ok_or_else(|| {
            usage(format!(
                "{}: {option} wants a file that says how many numbers it has, which pipes and text do not; save them as .npy",
                self.names()
            ))
        })
    }

    /// Elements of all inputs together, missing ones too, where that is known.
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
        match (self.inputs.len(), &self.ask.columns) {
            (1, _) => self.shown_by.clone(),
            (2, Some([x, y])) => {
                let of = |column: &String, at: usize| format!("{column} of {}", self.inputs[at].name());
                in_short(&[of(x, 0), of(y, 1)])
            }
            _ => in_short(&self.inputs.iter().map(Input::name).collect::<Vec<_>>()),
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

    /// The one input that there is.
    pub fn one(self) -> Result<Opened> {
        self.each().next().unwrap_or_else(|| Err(usage("no input")))
    }

    /// Whether all are stored in the order of their elements in C, or the one of them in the order of `other`.
    pub fn ordered_as(&self, other: &Opened) -> bool {
        let mut ready =
            self.inputs.iter().map(|input| if let Input::Ready(opened) = input { opened.fortran() } else { None });
        match self.inputs.len() {
            1 => ready.next().flatten() == other.fortran(),
            _ => ready.all(|axes| axes.is_none()) && other.fortran().is_none(),
        }
    }

    /// The inputs, each opened when it is asked for.
    pub fn each(self) -> impl Iterator<Item = Result<Opened>> {
        let Inputs { inputs, ask, dtype, shown_by, .. } = self;
        inputs.into_iter().enumerate().map(move |(number, mut input)| {
            input.ready(&ask.of(number))?;
            let Input::Ready(opened) = input else { anyhow::bail!("an input vanished") };
            same(dtype, &shown_by, opened.stored.dtype(), &opened.name, ask.pairs)?;
            Ok(opened)
        })
    }
}

/// Names in short.
pub fn in_short(names: &[String]) -> String {
    match names {
        [first, _, _, ..] => format!("{} files ({first} ...)", names.len()),
        few => few.join(" and "),
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
    fn ready(&mut self, ask: &Ask) -> Result<()> {
        if let Input::Waiting(path) = self {
            let name = path.display().to_string();
            let file = File::open(&path).map_err(|error| unreadable(&name, &error))?;
            *self = Input::Ready(open_pipe(name, Some(path), Box::new(file), ask)?);
        }
        Ok(())
    }
}

/// The input that a path leads to.
pub enum FoundInput {
    /// A file of known length.
    File(File, Look),
    /// An input that is read once: standard input, or a file of no known length.
    Pipe(Reader),
    /// A pipe or device that is yet to be opened.
    Waiting,
}

/// The input that a path leads to, and its name for people.
pub fn find(path: &Path) -> Result<(String, FoundInput)> {
    if path.as_os_str() == "-" {
        if std::io::stdin().is_terminal() {
            return Err(usage(
                "standard input is a terminal; name a file, or pipe numbers in (treefold sum < data.npy)",
            ));
        }
        return Ok((STDIN.into(), FoundInput::Pipe(Box::new(std::io::stdin()))));
    }
    let name = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&name, &error))?;
    ensure!(!metadata.is_dir(), "{name}: is a directory; name the files in it ({})", path.join("*.npy").display());
    if !metadata.is_file() {
        return Ok((name, FoundInput::Waiting));
    }
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let look = Look::of(&file.metadata().map_err(|error| unreadable(&name, &error))?);
    let found = if look.holds(&file) { FoundInput::File(file, look) } else { FoundInput::Pipe(Box::new(file)) };
    Ok((name, found))
}

/// The name of a path that says what the file holds.
pub fn telling(path: &Path) -> Option<&Path> {
    Some(path).filter(|path| path.as_os_str() != "-")
}

fn look(path: &Path, ask: &Ask) -> Result<Input> {
    let (name, found) = find(path)?;
    let (file, look) = match found {
        FoundInput::File(file, look) => (file, look),
        FoundInput::Pipe(pipe) => return open_pipe(name, telling(path), pipe, ask).map(Input::Ready),
        FoundInput::Waiting => return Ok(Input::Waiting(path.to_path_buf())),
    };
    let Shown { stored, array, count, numbers } = files::look(&name, path, file, look.length, ask)?;
    let (body, missing) = (Body::File(path.to_path_buf(), look, numbers), ask.missing.clone());
    let array = array.map(Box::new);
    Ok(Input::Ready(Opened { name, stored, array, count, missing, body }))
}

fn open_pipe(name: String, path: Option<&Path>, pipe: Reader, ask: &Ask) -> Result<Opened> {
    let Streamed { stored, array, numbers } = files::stream(&name, path, pipe, ask)?;
    let (count, array) = (array.as_ref().map(|array| array.count), array.map(Box::new));
    Ok(Opened { name, stored, array, count, missing: ask.missing.clone(), body: Body::Pipe(numbers) })
}

/// Refuses an input of another type; `pairs`: two inputs of one type that both become will do.
fn same(dtype: Dtype, shown_by: &str, other: Dtype, name: &str, pairs: bool) -> Result<()> {
    if pairs {
        ensure!(
            common(other, dtype) == Some(dtype),
            "{shown_by} holds {dtype}, but {name} holds {other}; there is no type that has the numbers of both exactly: save one of them \
             as the other's type"
        );
        return Ok(());
    }
    ensure!(
        becomes(other, dtype),
        "{shown_by} holds {dtype}, but {name} holds {other}; files of one call must be of one type: reduce each type in a \
         call of its own"
    );
    Ok(())
}

/// The place that the numbers come from.
pub enum Body {
    /// A file that can be read again, as it was when its header was read; opened again when its turn comes.
    File(PathBuf, Look, Numbers),
    /// Anything else: what is left behind the header.
    Pipe(Reader),
}

/// One input whose header is read.
pub struct Opened {
    /// The file's name.
    pub name: String,
    /// The type of its numbers.
    pub stored: Stored,
    /// Its array, where the file says that it is one.
    pub array: Option<Box<Array>>,
    /// Count of the numbers, missing ones too, where it is known.
    pub count: Option<u64>,
    /// Treatment of those that are missing.
    missing: Missing,
    body: Body,
}

impl Opened {
    /// The axes of an array that is in Fortran order; `None` where that is no other than C order.
    pub fn fortran(&self) -> Option<&[u64]> {
        self.array.as_ref()?.fortran.as_deref()
    }

    /// Whether the elements lie in a file one behind another, in C order if they are to be `ordered`.
    pub fn is_in_place(&self, ordered: bool) -> bool {
        matches!(self.body, Body::File(.., Numbers::Range(_))) && !(ordered && self.fortran().is_some())
    }

    /// Has `take` read elements that are in place, so many of them; `seen` is told of bytes that are read.
    pub fn read<T: Element>(self, seen: &(dyn Fn(u64) + Sync), take: TakeFrom<T>) -> Result<()> {
        let Opened { name, stored, array, count, missing, body } = self;
        let Body::File(path, look, numbers @ Numbers::Range(data_at)) = body else {
            anyhow::bail!("{name}: is not in place")
        };
        let source = Source::open(&name, &path, look, header(array.as_deref(), &numbers))?;
        let (numbers, elements) = (source.numbers(data_at, stored, seen), count.unwrap_or(0));
        let read = take(&numbers, elements);
        numbers.end(read)?;
        source.close()?;
        missing.passed(elements);
        Ok(())
    }

    /// Hands all elements to `take`; in C order if `ordered`, else as they are stored.
    pub fn feed<T: Element>(self, ordered: bool, sizes: Sizes, take: Take<T>) -> Result<()> {
        let Opened { name, stored, array, count, missing, body } = self;
        let mut elements = 0;
        let take: Take<T> = &mut |part| {
            elements += part.len() as u64;
            take(part)
        };
        let fortran = array.as_ref().and_then(|array| array.fortran.as_deref()).filter(|_| ordered);
        match (body, fortran) {
            (Body::File(path, look, numbers), fortran) => {
                let source = Source::open(&name, &path, look, header(array.as_deref(), &numbers))?;
                match (numbers, fortran) {
                    (Numbers::Range(data_at), Some(axes)) => {
                        Fortran { file: &source, data_at, stored, axes }.feed(sizes, take)?;
                    }
                    (Numbers::Range(data_at), None) => {
                        let bytes = count.unwrap_or(0) * stored.size() as u64;
                        source.feed(data_at..data_at + bytes, stored, sizes, take)?;
                    }
                    (Numbers::Made(_), Some(_)) => return Err(not_ordered(&name, "packed file")),
                    (Numbers::Made(make), None) => {
                        let mut made = made(&name, &make, source.file()?, &missing)?;
                        feed_pipe(&name, &mut made, stored, array.as_deref(), sizes, take)?;
                    }
                }
                source.close()?;
            }
            (Body::Pipe(_), Some(_)) => return Err(not_ordered(&name, "pipe")),
            (Body::Pipe(mut pipe), None) => feed_pipe(&name, &mut *pipe, stored, array.as_deref(), sizes, take)?,
        }
        missing.passed(elements);
        Ok(())
    }
}

/// Function that reads elements: so many, from the first place on.
pub type TakeFrom<'a, T> = &'a mut dyn FnMut(&dyn ReadAt<T>, u64) -> treefold::Result<()>;

/// The bytes before the numbers of a file; none of numbers that are made of it, which begin otherwise.
fn header<'a>(array: Option<&'a Array>, numbers: &Numbers) -> &'a [u8] {
    array.filter(|_| matches!(numbers, Numbers::Range(_))).map_or(&[], |array| &array.header)
}

fn made(name: &str, make: &Make, file: File, missing: &Missing) -> Result<Reader> {
    make(file, missing).map_err(|error| match error.downcast::<std::io::Error>() {
        Ok(error) => unreadable(name, &error),
        Err(error) => error,
    })
}

fn not_ordered(name: &str, what: &str) -> anyhow::Error {
    anyhow!(
        "{name}: is in Fortran order, and an index counts in C order, which a {what} cannot give in bounded memory; name \
         a file of the array alone instead"
    )
}

fn feed_pipe<T: Element>(
    name: &str,
    pipe: &mut dyn Read,
    stored: Stored,
    array: Option<&Array>,
    sizes: Sizes,
    take: Take<T>,
) -> Result<()> {
    let size = stored.size();
    let mut left = array.map_or(u64::MAX, Array::data_bytes);
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
    match array {
        None => whole_numbers(name, total, stored),
        Some(array) if left > 0 => Err(array.truncated(name, array.data_at + total)),
        Some(_) => {
            if fill(pipe, &mut [0]).map_err(|error| unreadable(name, &error))? > 0 {
                warn_trailing(name, "bytes");
            }
            Ok(())
        }
    }
}
