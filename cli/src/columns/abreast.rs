//! Columns of a text side by side: a thread reads it once and makes the numbers of all, and each column is reduced by a thread of its own.

use super::{alone, of};
use crate::args::Args;
use crate::error::{ToldError, unreadable};
use crate::files::{self, Ask, ListedColumn, Reader, abreast as several, take};
use crate::input::{FoundInput, Inputs, telling};
use crate::report::{Column, Report};
use crate::run::{Engines, reduce};
use crate::source::{Look, Source};
use anyhow::{Context, Result, anyhow};
use std::fs::File;
use std::io::{Error, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of numbers that are handed over at a time, but for what a block of rows has beyond them, and the share of a column's memory that they
/// take.
const PART_BYTES: u64 = 64 << 10;
const PART_SHARE: u64 = 32;

/// A text that is read in passes.
pub struct Text {
    pub name: String,
    path: PathBuf,
    from: From,
}

enum From {
    File(Look),
    Pipe(Reader),
    Waiting,
}

impl Text {
    pub fn all(found: Vec<(String, FoundInput)>, paths: &[PathBuf]) -> Vec<Text> {
        let text = |((name, found), path): ((String, FoundInput), &PathBuf)| {
            let from = match found {
                FoundInput::File(_, look) => From::File(look),
                FoundInput::Pipe(pipe) => From::Pipe(pipe),
                FoundInput::Waiting => From::Waiting,
            };
            Text { name, path: path.clone(), from }
        };
        found.into_iter().zip(paths).map(text).collect()
    }

    /// The columns of a text, which is there once more.
    pub fn columns(name: &str, found: &mut FoundInput, path: &Path, ask: &Ask) -> Result<Vec<ListedColumn>> {
        let opened = |file: std::io::Result<File>| file.map_err(|error| unreadable(name, &error));
        let text: Reader = match std::mem::replace(found, FoundInput::Waiting) {
            FoundInput::File(file, look) => {
                let text = opened(file.try_clone())?;
                *found = FoundInput::File(file, look);
                return Ok(several::columns_of_text(name, Some(path), Box::new(text), ask)?.0);
            }
            FoundInput::Pipe(pipe) => pipe,
            FoundInput::Waiting => Box::new(opened(File::open(path))?),
        };
        let (listed, text) = several::columns_of_text(name, telling(path), text, ask)?;
        *found = FoundInput::Pipe(text);
        Ok(listed)
    }

    /// The same files for another pass.
    pub fn again(texts: &[Text]) -> Vec<Text> {
        let again = |text: &Text| match text.from {
            From::File(look) => Some(Text { name: text.name.clone(), path: text.path.clone(), from: From::File(look) }),
            _ => None,
        };
        texts.iter().filter_map(again).collect()
    }

    pub fn is_file(&self) -> bool {
        matches!(self.from, From::File(_))
    }

    /// Hands the numbers of its columns on.
    fn read(self, asks: &[Ask], put: several::Put) -> Result<Vec<Vec<u8>>> {
        let Text { name, path, from } = self;
        let pass = |text: Reader, put: several::Put| several::pass(&name, telling(&path), text, asks, put);
        match from {
            From::File(look) => {
                let source = Source::open(&name, &path, look, &[])?;
                // Bytes that were added since are not read.
                let left = pass(Box::new(source.file()?.take(look.length)), put)?;
                source.close()?;
                Ok(left)
            }
            From::Pipe(pipe) => pass(pipe, put),
            From::Waiting => {
                let file = File::open(&path).map_err(|error| unreadable(&name, &error))?;
                pass(Box::new(file), put)
            }
        }
    }
}

/// A message from the reader to a column.
enum AbreastPart {
    Numbers(Vec<u8>),
    /// The end of a text.
    End,
}

/// A column's end of the channels to the reader.
struct Way {
    parts: Receiver<AbreastPart>,
    /// Until the column is read.
    begun: Option<Sender<()>>,
}

/// Reduces these columns in one pass over the texts.
pub fn reduce_all(args: &Args, names: &[String], texts: Vec<Text>, engines: &Engines) -> Result<Vec<Column>> {
    let of_each: Vec<Args> = (0..names.len()).map(|at| of_one(args, names, at)).collect();
    let asks: Vec<Ask> = of_each.iter().map(Args::ask).collect();
    let (begun, begins) = channel();
    let (mut to, mut inputs) = (vec![], vec![]);
    for ask in &asks {
        let (sender, parts) = sync_channel(1);
        let from = Arc::new(Mutex::new(Way { parts, begun: Some(begun.clone()) }));
        let numbers = |text: &Text| -> (String, Reader) {
            (text.name.clone(), Box::new(NumbersAbreast { from: from.clone(), made: vec![], taken: 0, ended: false }))
        };
        inputs.push(Inputs::made(texts.iter().map(numbers).collect(), files::text_type(ask)?, ask.clone()));
        to.push(sender);
    }
    drop(begun);
    let part_bytes = (args.memory / names.len().max(1) as u64 / PART_SHARE).min(PART_BYTES) as usize;
    let (handed, reduced): (Result<()>, Vec<Result<Report>>) = std::thread::scope(|scope| {
        let asks = &asks;
        let handing = scope.spawn(move || {
            // The treatment of missing values is settled when a column is read; all of them are, or have ended before.
            begins.iter().for_each(drop);
            hand_over(texts, asks, to, part_bytes)
        });
        let reducing = |(args, inputs): (&'_ Args, Inputs)| {
            let args = args.clone();
            scope.spawn(move || reduce(&args, inputs, None, engines))
        };
        let reducing: Vec<_> = of_each.iter().zip(inputs).map(reducing).collect();
        let reduced =
            reducing.into_iter().map(|one| one.join().unwrap_or_else(|_| Err(anyhow!("its reduction stopped"))));
        let reduced = reduced.collect();
        (handing.join().unwrap_or_else(|_| Err(anyhow!("the reader of the text stopped"))), reduced)
    });
    // An error of the text is the same for all columns.
    handed?;
    let column = |(name, report): (&String, Result<Report>)| {
        Ok(Column { name: name.clone(), report: report.with_context(|| of(name))? })
    };
    names.iter().zip(reduced).map(column).collect()
}

/// The command line of one column; what all have in common is told by the first.
fn of_one(args: &Args, names: &[String], at: usize) -> Args {
    let mut one = alone(args, &names[at], names.len());
    if at > 0 {
        (one.quiet, one.verbose) = (true, false);
    }
    one
}

/// Reads texts, one behind another, and hands their columns over, until the reduction of one has failed.
fn hand_over(texts: Vec<Text>, asks: &[Ask], to: Vec<SyncSender<AbreastPart>>, part_bytes: usize) -> Result<()> {
    let hand = |at: usize, part: AbreastPart| to[at].send(part).is_ok();
    for text in texts {
        let mut put = |made: &mut [Vec<u8>]| {
            let mut wanted = true;
            for (at, made) in made.iter_mut().enumerate().filter(|(_, made)| made.len() >= part_bytes) {
                let next = Vec::with_capacity(made.capacity());
                wanted &= hand(at, AbreastPart::Numbers(std::mem::replace(made, next)));
            }
            wanted
        };
        let left = text.read(asks, &mut put)?;
        for (at, left) in left.into_iter().enumerate() {
            hand(at, AbreastPart::Numbers(left));
            hand(at, AbreastPart::End);
        }
    }
    Ok(())
}

/// The numbers of a column in one of the texts.
struct NumbersAbreast {
    from: Arc<Mutex<Way>>,
    made: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl Read for NumbersAbreast {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made.len() && !self.ended {
            let mut from = self.from.lock().unwrap_or_else(PoisonError::into_inner);
            from.begun = None;
            match from.parts.recv() {
                Ok(AbreastPart::Numbers(made)) => (self.made, self.taken) = (made, 0),
                Ok(AbreastPart::End) => self.ended = true,
                Err(_) => return Err(Error::other(ToldError("its reader stopped".into()))),
            }
        }
        Ok(take(&self.made, &mut self.taken, space))
    }
}
