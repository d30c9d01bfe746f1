//! Other libraries, measured beside treefold by programs of their own: NumPy and PyTorch by a script, whatever else by a command.

use super::args::{BenchArgs, What};
use super::clock::Sampling;
use crate::error::usage;
use crate::streams::shown;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

const SCRIPT: &str = include_str!("peer.py");

/// Another library.
pub struct Peer {
    /// Its name on the command line.
    pub name: String,
    command: Vec<String>,
}

/// What a peer has measured.
pub struct Found {
    /// Its name with its version, where it says that.
    pub name: String,
    pub what: What,
    /// Microseconds, sorted.
    pub samples: Vec<f64>,
    /// The numbers of its answer.
    pub answer: Option<Vec<f64>>,
}

/// The status of a peer that does not compute something.
const NOT_COMPUTED: i32 = 3;

/// Time that a peer has beside its samples.
const PATIENCE: Duration = Duration::from_secs(300);

/// The question to a peer.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub operator: &'a str,
    pub dtype: &'a str,
    pub elements: u64,
    pub input: &'a str,
    pub sampling: Sampling,
    pub pool: u64,
}

impl Peer {
    /// Those of the command line.
    pub fn all(args: &BenchArgs) -> Result<Vec<Peer>> {
        args.peer.iter().map(|text| Peer::of(text)).collect()
    }

    fn of(text: &str) -> Result<Peer> {
        let script = |name: &str| ["python3", "-c", SCRIPT, name].map(String::from).to_vec();
        let (name, command) = match text.split_once('=') {
            Some((name, command)) => (name, command.split_whitespace().map(String::from).collect()),
            None if ["numpy", "torch"].contains(&text) => (text, script(text)),
            None => return Err(usage(format!("--peer {text}: there are numpy and torch; others are NAME=COMMAND"))),
        };
        ensure!(!command.is_empty() && !name.is_empty(), usage(format!("--peer {text}: write NAME=COMMAND")));
        Ok(Peer { name: name.into(), command })
    }

    /// Asks it; `None`, where it does not compute that. `block` is a file of elements, to be repeated.
    pub fn ask(&self, of: Question<'_>, block: &NamedTempFile) -> Result<Option<Found>> {
        let (program, before) = self.command.split_first().context("no command")?;
        let mut command = Command::new(program);
        command.args(before).args([of.operator, of.dtype, &of.elements.to_string(), of.input]);
        command.env("TREEFOLD_BLOCK", block.path()).env("TREEFOLD_SAMPLES", of.sampling.samples.to_string());
        command.env("TREEFOLD_WARM_MS", of.sampling.warm.as_millis().to_string());
        command.env("TREEFOLD_POOL_BYTES", of.pool.to_string());
        let told = || format!("peer {}", self.name);
        let most = of.sampling.warm + PATIENCE;
        let ended = within(&mut command, most).with_context(told)?;
        let ended = ended.with_context(|| format!("{} took longer than {most:?} and was ended", told()))?;
        match ended.status {
            Some(0) => self.found(&ended.output).with_context(told).map(Some),
            Some(NOT_COMPUTED) => Ok(None),
            _ => bail!("{}: {} {}: {}", told(), of.operator, of.dtype, shown(ended.error.trim())),
        }
    }

    fn found(&self, output: &str) -> Result<Found> {
        let line = output.lines().next_back().unwrap_or_default();
        let value: Value = serde_json::from_str(line).with_context(|| format!("{line:?} is no JSON object"))?;
        let numbers = |name: &str| value.get(name)?.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
        let mut samples = numbers("us").filter(|samples| !samples.is_empty()).context("no list of numbers \"us\"")?;
        samples.sort_by(f64::total_cmp);
        let what = value.get("what").and_then(Value::as_str);
        let what = [What::Kernel, What::Slice].into_iter().find(|known| Some(known.name()) == what);
        Ok(Found {
            name: value.get("name").and_then(Value::as_str).unwrap_or(&self.name).into(),
            what: what.context("\"what\" is neither kernel nor slice")?,
            samples,
            answer: numbers("answer"),
        })
    }
}

/// A file of a block, for peers.
pub fn block_file(bytes: &[u8]) -> Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("treefold-bench-").tempfile()?;
    crate::interrupt::remove(file.path().into());
    file.write_all(bytes)?;
    Ok(file)
}

/// The end of a program.
pub struct ProcessEnd {
    /// None, where a signal has ended it.
    pub status: Option<i32>,
    pub output: String,
    pub error: String,
}

/// Runs a program; `None`, where it took longer than that and was ended.
pub fn within(command: &mut Command, time: Duration) -> Result<Option<ProcessEnd>> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Threads of their own, so that neither pipe fills.
    fn all(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
        let (to, text) = channel();
        std::thread::spawn(move || {
            let mut bytes = vec![];
            // What cannot be read is not there; nobody may wait for it any more.
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            drop(to.send(String::from_utf8_lossy(&bytes).into_owned()));
        });
        text
    }
    let (output, error) = (all(child.stdout.take()), all(child.stderr.take()));
    loop {
        if let Some(status) = child.try_wait()? {
            // Its own children may hold the pipes open.
            let text =
                |from: Receiver<String>| from.recv_timeout(Duration::from_secs(5)).context("its output does not end");
            return Ok(Some(ProcessEnd { status: status.code(), output: text(output)?, error: text(error)? }));
        }
        if begun.elapsed() > time {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(command: &str) -> Result<Option<Found>> {
        let peer = Peer { name: "echo".into(), command: ["sh", "-c", command].map(String::from).into() };
        let sampling = Sampling { samples: 1, warm: Duration::ZERO };
        let question = Question { operator: "sum", dtype: "f32", elements: 4, input: "whole", sampling, pool: 1 << 20 };
        peer.ask(question, &block_file(b"1234").unwrap())
    }

    #[test]
    fn peers_answer_in_json() {
        let found = ask("echo note; echo '{\"what\":\"slice\",\"us\":[3,1.5],\"answer\":[7]}'").unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.samples, found.answer), ("echo", vec![1.5, 3.0], Some(vec![7.0])));
        assert!(ask("exit 3").unwrap().is_none());
        let told = ask("test $(cat $TREEFOLD_BLOCK) = 1234 && test $0 = sum && test $1 = f32 && exit 3; exit 1");
        assert!(told.unwrap().is_none());
        for (command, why) in [("echo no", "no JSON"), ("echo '{}'", "us"), ("echo a reason >&2; exit 1", "a reason")] {
            let error = ask(command).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(error.contains(why), "{command}: {error}");
        }
        let error = Peer::of("scipy").err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("NAME=COMMAND")));
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let begun = Instant::now();
        let ended = within(Command::new("sleep").arg("60"), Duration::from_millis(50)).unwrap();
        assert!(ended.is_none() && begun.elapsed() < Duration::from_secs(30));
    }
}
