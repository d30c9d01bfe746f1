//! The words of a text, line by line: those that it must and must not hold, and the names that it declares.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What a line says, its comment aside.
struct Line {
    /// Those of [`WORDS`] that it has.
    words: Vec<&'static str>,
    /// Those that it makes the name of a value.
    named: Vec<&'static str>,
    /// Whether it has operations or numbers of subgroups.
    subgroups: bool,
    /// The name that it declares at the top level; an error where it is none.
    declares: Option<Result<String, String>>,
}

/// Words that some texts may not have.
const WORDS: [&str; 11] =
    ["enable", "requires", "diagnostic", "f64", "f16", "isNan", "isInf", "inf", "nan", "i64", "u64"];

impl Line {
    fn of(line: &str) -> Line {
        let code = line.split("//").next().unwrap_or("");
        let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let speaks = ["@builtin(subgroup", "@builtin(num_subgroups", "subgroupShuffle"];
        Line {
            words: words.filter_map(|word| WORDS.into_iter().find(|known| *known == word)).collect(),
            named: WORDS.into_iter().filter(|word| code.contains(&format!("let {word} ="))).collect(),
            subgroups: speaks.iter().any(|word| code.contains(word)),
            declares: declares(code),
        }
    }
}

/// The lines of a text. Texts have most of them in common: each is gone through once by a thread.
fn lines(text: &str) -> Vec<Rc<Line>> {
    thread_local!(static KNOWN: RefCell<HashMap<String, Rc<Line>>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| {
        let line = |line: &str| match known.get(line) {
            Some(found) => found.clone(),
            None => known.entry(line.to_string()).or_insert(Rc::new(Line::of(line))).clone(),
        };
        text.lines().map(line).collect()
    })
}

fn says(text: &str, words: &[&str]) -> bool {
    lines(text).iter().any(|line| line.words.iter().any(|word| words.contains(word)))
}

/// Whether a text uses 64-bit integers, which `spelled` allows only in kernels that are said to.
pub fn wide(text: &str) -> bool {
    says(text, &["i64", "u64"])
}

pub fn doubles(text: &str) -> bool {
    says(text, &["f64"])
}

/// Checks the words that the text itself must and must not hold.
pub fn spelled(text: &str, subgroups: bool, wide: bool, float64: bool) -> Result<(), String> {
    let lines = lines(text);
    if lines.iter().any(|line| line.subgroups) != subgroups {
        return Err(format!("subgroups should be {subgroups}"));
    }
    let mut speaks = false;
    for word in lines.iter().flat_map(|line| &line.words) {
        match *word {
            "i64" | "u64" => speaks = true,
            "f64" if float64 => {}
            // A variable of that name is none of the language's.
            _ if lines.iter().any(|line| line.named.contains(word)) => {}
            _ => return Err(format!("holds the word {word}")),
        }
    }
    if speaks == wide { Ok(()) } else { Err(format!("64-bit integers should be {wide}")) }
}

/// The name that a line declares at the top level.
fn declares(line: &str) -> Option<Result<String, String>> {
    if line.is_empty() || line.starts_with([' ', '}', ')']) {
        return None;
    }
    // Attributes of a binding, or of the entry, come first.
    let from = ["fn ", "struct ", "alias ", "const ", "override ", "var<"].iter().filter_map(|word| {
        let at = if line.starts_with('@') { line.find(word)? } else { line.starts_with(word).then_some(0)? };
        Some((at, line[at..].find(if *word == "var<" { "> " } else { " " })?))
    });
    let (at, length) = from.min()?;
    let rest = line[at + length..].trim_start_matches(['>', ' ']);
    let name: &str = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    Some(if name.is_empty() { Err(format!("no name: {line}")) } else { Ok(name.to_string()) })
}

/// Names that a text declares at its top level: each once.
pub fn declared_once(text: &str, fewest: usize) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in lines(text).iter().filter_map(|line| line.declares.clone()) {
        if let Some(again) = seen.replace(name?) {
            return Err(format!("{again} twice"));
        }
    }
    if seen.len() < fewest { Err(format!("{} names only", seen.len())) } else { Ok(()) }
}
