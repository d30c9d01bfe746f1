//! An input that is read beside another one: a thread reads it, and hands its numbers over part by part.

use anyhow::{Context, Result, anyhow};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use treefold::Error;

/// Parts in memory at once, at most: one is read, one waits, one is taken.
pub const PARTS: u64 = 3;

/// Function that takes the numbers of an input, part by part.
pub type Hand<'a, N> = &'a mut dyn FnMut(Vec<N>) -> Result<()>;

/// Function that takes numbers of two inputs, as many of each.
pub type TakeBoth<'a, A, B> = &'a mut dyn FnMut(&[A], &[B]) -> Result<()>;

/// Refuses an input of other than as many numbers as others, of these names, have elements.
pub fn ensure_as_many(name: &str, numbers: u64, names: &str, elements: u64) -> Result<()> {
    if numbers == elements {
        return Ok(());
    }
    Err(Error::Unequal { left: numbers, right: elements }).with_context(|| format!("{name} and {names}"))
}

/// An input that is read beside another one: the part at hand, and the thread that reads the others.
#[derive(Debug)]
pub struct Beside<N> {
    name: String,
    parts: Receiver<Vec<N>>,
    part: Vec<N>,
    /// Numbers of the part that are taken.
    at: usize,
    reading: JoinHandle<Result<()>>,
}

impl<N: Send + 'static> Beside<N> {
    /// Begins to read the input of this name: `read` hands over its parts, two ahead at most.
    pub fn begin(name: String, read: impl FnOnce(Hand<N>) -> Result<()> + Send + 'static) -> Beside<N> {
        let (sender, parts) = sync_channel(1);
        let reading =
            std::thread::spawn(move || read(&mut |part| sender.send(part).map_err(|_| anyhow!("nobody listens"))));
        Beside { name, parts, part: vec![], at: 0, reading }
    }

    /// Whether there is more; waits for it.
    pub fn more(&mut self) -> bool {
        while self.at == self.part.len() {
            let Ok(part) = self.parts.recv() else { return false };
            (self.part, self.at) = (part, 0);
        }
        true
    }

    /// Hands elements to `take` with as many numbers of this input; how many are left where it ends before them.
    pub fn zip<T>(&mut self, mut elements: &[T], take: TakeBoth<T, N>) -> Result<usize> {
        while !elements.is_empty() && self.more() {
            let begin = self.at;
            self.at += elements.len().min(self.part.len() - begin);
            let (now, later) = elements.split_at(self.at - begin);
            take(now, &self.part[begin..self.at])?;
            elements = later;
        }
        Ok(elements.len())
    }

    /// Waits for the end of an input of which all is taken: an error, where its reading ended with one. One that goes on is left
    /// alone, because a pipe may take long to end.
    pub fn end(mut self) -> Result<()> {
        if self.more() {
            return Ok(());
        }
        self.reading.join().unwrap_or_else(|_| Err(anyhow!("{}: its reader stopped", self.name)))
    }
}
