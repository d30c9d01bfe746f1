//! Two inputs as one of pairs: the first numbers of both, the second numbers of both, and so on, in bounded memory.
//!
//! Each input is read as ever; a thread reads the second one and hands its parts over.

use crate::input::Inputs;
use crate::source::{Sizes, Take};
use anyhow::{Context, Result, anyhow, ensure};
use std::sync::mpsc::{Receiver, sync_channel};
use treefold::Element;

/// Hands the pairs of two inputs to `take`; `T` is a pair of `f32`.
pub fn feed<T: Element>(inputs: Inputs, sizes: Sizes, take: Take<T>) -> Result<()> {
    let (first, second) = inputs.two()?;
    if let (Some(left), Some(right)) = (first.count, second.count) {
        ensure!(left == right, unequal(&first.name, &left.to_string(), &second.name, &right.to_string()));
    }
    // Where both are stored in one order, that order pairs the same numbers.
    let ordered = first.fortran() != second.fortran();
    let names = (first.name.clone(), second.name.clone());
    let (sender, parts) = sync_channel::<Vec<f32>>(1);
    let reading = std::thread::spawn(move || {
        second.feed(ordered, sizes, &mut |part: &[f32]| sender.send(part.to_vec()).context("nobody listens"))
    });
    let mut others = Others { parts, part: vec![], at: 0 };
    let (mut count, mut pairs) = (0, vec![]);
    let zipped = first.feed(ordered, sizes, &mut |mut part: &[f32]| {
        while !part.is_empty() && others.more() {
            let found = others.up_to(part.len());
            let (now, later) = part.split_at(found.len());
            pairs.clear();
            pairs.extend(now.iter().zip(found).map(|(&x, &y)| [x, y]));
            count += pairs.len() as u64;
            take(bytemuck::try_cast_slice(&pairs).map_err(|error| anyhow!("pairs: {error}"))?)?;
            part = later;
        }
        ensure!(part.is_empty(), Short);
        Ok(())
    });
    // Where the second goes on, its thread is left alone: a pipe may take long to end.
    let short = match zipped {
        Ok(()) if others.more() => {
            return Err(unequal(&names.0, &count.to_string(), &names.1, &format!("more than {count}")));
        }
        Ok(()) => false,
        Err(error) if error.is::<Short>() => true,
        Err(error) => return Err(error),
    };
    // The second has ended: by an error, or because it is no longer.
    reading.join().unwrap_or_else(|_| Err(anyhow!("{}: its reader stopped", names.1)))?;
    ensure!(!short, unequal(&names.0, &format!("more than {count}"), &names.1, &count.to_string()));
    Ok(())
}

fn unequal(first: &str, left: &str, second: &str, right: &str) -> anyhow::Error {
    anyhow!("{first} has {left} elements, but {second} has {right}; pairs need two inputs of equal length")
}

/// The first input goes on where the second has ended.
#[derive(Debug)]
struct Short;

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the second input is shorter")
    }
}

impl std::error::Error for Short {}

/// What has come of the second input.
struct Others {
    parts: Receiver<Vec<f32>>,
    part: Vec<f32>,
    /// How much of the part is taken.
    at: usize,
}

impl Others {
    /// Whether there is more; waits for it.
    fn more(&mut self) -> bool {
        while self.at == self.part.len() {
            let Ok(part) = self.parts.recv() else { return false };
            (self.part, self.at) = (part, 0);
        }
        true
    }

    /// The next of the part, so many at most.
    fn up_to(&mut self, most: usize) -> &[f32] {
        let begin = self.at;
        self.at += most.min(self.part.len() - begin);
        &self.part[begin..self.at]
    }
}
