//! Messages of the program when something goes wrong: one line, and the exit status.

use crate::streams::{say, shown};
use anyhow::anyhow;
use std::borrow::Cow;
use std::fmt;
use std::io::ErrorKind;
use treefold::Error;

/// An error of whoever wrote the command line: exit status 2.
#[derive(Debug)]
pub struct Usage(String, Vec<String>);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error that says this.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    anyhow!(Usage(text.into(), vec![]))
}

/// The same with lines below it.
pub fn below(text: impl Into<String>, lines: Vec<String>) -> anyhow::Error {
    anyhow!(Usage(text.into(), lines))
}

/// Whether it is an error of whoever wrote the command line.
pub fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>()
}

/// clap's several lines in one, without the usage text.
pub fn clap_usage(error: &clap::Error, program: &str) -> anyhow::Error {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines.take_while(|line| !line.starts_with("Usage:"));
    let told = told.map(|line| line.trim_start_matches("error: ").trim_start_matches("tip: "));
    let told: Vec<&str> = told.filter(|line| !line.starts_with("For more information")).collect();
    // A list stands behind its colon.
    usage(format!("{}; see {program} --help", told.join("; ").replace(":; ", ": ")))
}

/// Says what went wrong; the exit status.
pub fn say_error(error: &anyhow::Error) -> u8 {
    let (line, status) = told(error);
    say(&line);
    error.downcast_ref().into_iter().for_each(|Usage(_, lines)| lines.iter().for_each(|line| say(line)));
    status
}

/// A fault in the content of an input, told by who reads it.
#[derive(Debug)]
pub struct ToldError(pub String);

impl fmt::Display for ToldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ToldError {}

/// One line for an input that cannot be opened or read.
pub fn unreadable(name: &str, error: &std::io::Error) -> anyhow::Error {
    match error.kind() {
        _ if error.get_ref().is_some_and(|inner| inner.is::<ToldError>()) => anyhow!("{name}: {error}"),
        ErrorKind::NotFound => anyhow!("{name}: no such file; check the name"),
        ErrorKind::PermissionDenied => anyhow!("{name}: cannot be read: permission denied; check its mode and owner"),
        _ => anyhow!("{name}: cannot be read: {error}"),
    }
}

/// The one line, and the exit status.
pub fn told(error: &anyhow::Error) -> (String, u8) {
    let text = format!("{error:#}");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flag = error.chain().find_map(|cause| cause.downcast_ref().and_then(flag));
    let flag = flag.map_or(String::new(), |flag: Cow<str>| format!(" (here: {flag})"));
    (shown(&format!("treefold: {line}{flag}")), if is_usage(error) { 2 } else { 1 })
}

/// The flag of this program that does what an error of the library advises.
fn flag(error: &Error) -> Option<Cow<'static, str>> {
    let flag = match error {
        Error::SoftwareOnly { number, .. } => return Some(format!("--adapter {number}").into()),
        Error::NoAdapter | Error::HostOnly { .. } | Error::NoExactKernel { .. } | Error::NotBySegments { .. } => {
            "--adapter cpu"
        }
        Error::AdapterNotFound { .. } | Error::DeviceRefused { .. } => "--adapter NAME|NUMBER|cpu",
        Error::OutOfMemory { .. } => "--memory SIZE, or --adapter NAME|NUMBER|cpu",
        Error::OrderOfGroups => "--by KEYS",
        Error::BadPartial { reason } if reason.contains("to_bytes") => "--partial OUT",
        _ => return None,
    };
    Some(flag.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_library_name_the_flag() {
        let memory = Error::OutOfMemory { what: "a slot", bytes: 1, message: "full".into() };
        let (line, status) = told(&anyhow::Error::from(memory).context("x.npy"));
        assert!(line.starts_with("treefold: x.npy: no memory") && line.contains("--memory"), "{line}");
        assert_eq!(status, 1);
        assert!(told(&Error::NoAdapter.into()).0.contains("--adapter cpu"));
        let passed = Error::SoftwareOnly { number: 3, adapter: "llvmpipe".into() };
        assert!(told(&passed.into()).0.ends_with("(here: --adapter 3)"));
        assert!(told(&Error::NoExactKernel { operator: "sum" }.into()).0.contains("--adapter cpu"));
        assert!(
            told(&Error::NotBySegments { operator: "histogram" }.into()).0.ends_with("knows (here: --adapter cpu)")
        );
        assert!(told(&Error::OrderOfGroups.into()).0.ends_with("equal keys (here: --by KEYS)"));
        let (line, status) = told(&usage("two\nlines").context("x"));
        assert_eq!((line.as_str(), status), ("treefold: x: two lines", 2));
        let (line, _) = told(&anyhow!("\u{1b}[2Jx\u{9b}\r\u{7}.npy: é"));
        assert_eq!(line, "treefold: \\u{1b}[2Jx\\u{9b} \\u{7}.npy: é");
    }
}
