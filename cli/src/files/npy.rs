//! Headers of .npy files, read once and strictly, because a damaged one can claim anything.
//!
//! A header is a Python literal. What numpy reads is read, but for two points: a number is decimal digits, and a key
//! stands once.

use super::Array;
use super::choice::NoNumbers;
use crate::format::{Descr, Stored};
use crate::streams::STDIN;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::io::Read;

/// The first bytes of every .npy file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// numpy itself writes headers of this order for arrays of numbers, and distrusts longer ones.
const TEXT_MAX: usize = 64 << 10;
const NESTING_MAX: usize = 32;
/// Letters of a header that an error quotes.
const QUOTED_MAX: usize = 60;

/// Reads a header; `name` is the file's, for errors.
pub fn read(name: &str, reader: &mut dyn Read) -> Result<Array> {
    let mut header = vec![];
    take(name, reader, &mut header, MAGIC.len() + 2)?;
    let (major, minor) = (header[MAGIC.len()], header[MAGIC.len() + 1]);
    ensure!(
        (1..=3).contains(&major) && minor == 0,
        "{name}: its .npy header is of version {major}.{minor}, but there are 1.0, 2.0 and 3.0; save the array again with \
         numpy.save"
    );
    take(name, reader, &mut header, if major == 1 { 2 } else { 4 })?;
    let length = header[MAGIC.len() + 2..].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    ensure!(
        length <= TEXT_MAX,
        "{name}: its .npy header claims {length} bytes, more than {TEXT_MAX}; the file is damaged, save it again"
    );
    let text_at = header.len();
    take(name, reader, &mut header, length)?;
    let damaged = |error: anyhow::Error| {
        anyhow!("{name}: its .npy header is damaged: {error}; save the array again with numpy.save")
    };
    let said = Said::read(major, &header[text_at..]).map_err(damaged)?;
    let stored = said.stored(name)?;
    let count = said.count(stored, header.len()).map_err(damaged)?;
    let long: Vec<u64> = said.shape.iter().copied().filter(|&length| length != 1).collect();
    let fortran = (said.fortran && long.len() > 1 && count > 0).then_some(long);
    let (shape, fortran_order) = (said.shown(), said.fortran);
    let data_at = header.len() as u64;
    Ok(Array { stored, count, header, data_at, fortran, axes: said.shape, fortran_order, shape })
}

/// The bytes before the numbers of a .npy file in C order.
pub fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let lengths = if shape.len() == 1 { lengths.trim_end() } else { lengths.trim_end_matches(", ") };
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // The numbers begin at a multiple of 64 bytes.
    let before = MAGIC.len() + 4;
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    let padded = format!("{text:<width$}\n", width = length - 1);
    [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), padded.as_bytes()].concat()
}

/// Reads exactly so many more bytes.
fn take(name: &str, reader: &mut dyn Read, bytes: &mut Vec<u8>, more: usize) -> Result<()> {
    let needs = bytes.len() + more;
    reader.take(more as u64).read_to_end(bytes).with_context(|| name.to_string())?;
    let has = bytes.len();
    ensure!(
        has == needs,
        "{name}: truncated: its .npy header needs at least {needs} bytes, but the file has {has}; copy or save it again"
    );
    Ok(())
}

/// Some words of a header, for an error.
fn quoted(text: &str) -> String {
    let text: String = text.escape_debug().collect();
    match text.char_indices().nth(QUOTED_MAX) {
        None => text,
        Some(_) => text.chars().take(QUOTED_MAX - 3).chain("...".chars()).collect(),
    }
}

/// The three values of a header.
struct Said {
    descr: Literal,
    fortran: bool,
    shape: Vec<u64>,
}

impl Said {
    fn read(major: u8, text: &[u8]) -> Result<Said> {
        let text = match major {
            3 => String::from_utf8(text.to_vec()).map_err(|_| anyhow!("its text is no UTF-8"))?,
            _ => text.iter().map(|&byte| char::from(byte)).collect(),
        };
        let mut literals = Literals { text: &text, at: 0, long: major < 3 };
        let whole = literals.next(0)?;
        literals.skip_blanks();
        ensure!(literals.rest().is_empty(), "{:?} behind its end", quoted(literals.rest()));
        let Literal::Dict(members) = whole else { bail!("it is no dictionary") };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        for (key, value) in members {
            let Literal::Text(key) = key else { bail!("a key that is no string") };
            let place = match key.as_str() {
                "descr" => &mut descr,
                "fortran_order" => &mut fortran,
                "shape" => &mut shape,
                _ => bail!("the unknown key '{}'", quoted(&key)),
            };
            ensure!(place.is_none(), "the key '{key}' stands twice, which treefold does not take, though numpy does");
            *place = Some(value);
        }
        let descr = descr.context("no key 'descr'")?;
        let fortran = match fortran.context("no key 'fortran_order'")? {
            Literal::Bool(fortran) => fortran,
            _ => bail!("'fortran_order' is neither True nor False"),
        };
        let Literal::Tuple(lengths) = shape.context("no key 'shape'")? else { bail!("'shape' is no tuple") };
        let length = |length| match length {
            Literal::Number(length) => Ok(length),
            _ => bail!("a length in 'shape' is no number of decimal digits, which is all that treefold takes"),
        };
        let shape = lengths.into_iter().map(length).collect::<Result<Vec<u64>>>()?;
        Ok(Said { descr, fortran, shape })
    }

    /// Numbers in the array, if a file could hold them behind so long a header.
    fn count(&self, stored: Stored, header: usize) -> Result<u64> {
        let product = |count: u64, &length: &u64| count.checked_mul(length);
        let count = match self.shape.iter().any(|&length| i64::try_from(length).is_err()) {
            true => None,
            // Two long axes beside one of no length are an empty array, as for numpy.
            false if self.shape.contains(&0) => Some(0),
            false => self.shape.iter().try_fold(1, product),
        };
        let fits = |&count: &u64| {
            let bytes = count.checked_mul(stored.size() as u64).and_then(|bytes| bytes.checked_add(header as u64));
            bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok())
        };
        count.filter(fits).with_context(|| format!("the shape {} has more elements than any file", self.shown()))
    }

    /// The shape as Python writes it, in short.
    fn shown(&self) -> String {
        let lengths: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        quoted(&format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" }))
    }

    /// The type of the numbers.
    fn stored(&self, name: &str) -> Result<Stored> {
        let what = match &self.descr {
            Literal::Text(text) => match Descr::parse(text) {
                Some(descr) => match Stored::of(&descr) {
                    Some(stored) => return Ok(stored),
                    None => format!("{}, '{}'", descr.what(), quoted(text)),
                },
                None => format!("'{}', which is no type of numpy's", quoted(text)),
            },
            Literal::List(_) => "structured".into(),
            Literal::Tuple(_) => "an array type".into(),
            _ => "neither a string nor a list".into(),
        };
        let advice = self.advice(name).unwrap_or_default();
        Err(anyhow!(NoNumbers {
            what: format!("{name}: its dtype is {what}"),
            advice: format!(
                "treefold reads bool, integers and floats of up to 64 bits, and complex numbers of two floats{advice}"
            ),
        }))
    }

    /// A command that loses nothing, where there is one.
    fn advice(&self, name: &str) -> Option<String> {
        let file = python(if name == STDIN { "data.npy" } else { name })?;
        let (why, work) = match &self.descr {
            Literal::List(fields) => {
                let field = python(fields.iter().find_map(Literal::readable_field)?)?;
                ("one field is an array", format!("np.save(\"field.npy\", np.load({file})[{field}])"))
            }
            _ => return None,
        };
        Some(format!("; {why}: python3 -c 'import numpy as np; {work}'"))
    }
}

/// A string of Python's that a shell leaves alone within single quotes, and an error message in its one line; none where
/// the letters are not known.
fn python(text: &str) -> Option<String> {
    let plain = |letter: char| letter.is_alphanumeric() || "_-+=.,:/@%()[]{}<>~#&;$`!?*|^".contains(letter);
    let letters = text.chars().map(|letter| match letter as u32 {
        _ if plain(letter) => letter.to_string(),
        code @ ..=0xff => format!("\\x{code:02x}"),
        code => format!("\\U{code:08x}"),
    });
    (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| format!("\"{}\"", letters.collect::<String>()))
}

/// A value in a header.
enum Literal {
    Text(String),
    Number(u64),
    Bool(bool),
    Nothing,
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// The name of a field, where treefold reads what it holds.
    fn readable_field(&self) -> Option<&str> {
        let Literal::Tuple(members) = self else { return None };
        let [Literal::Text(name), Literal::Text(descr), ..] = &members[..] else { return None };
        let descr = Descr::parse(descr)?;
        Stored::of(&descr).map(|_| name.as_str())
    }
}

/// A reader of Python's literals, as far as headers have them.
struct Literals<'a> {
    text: &'a str,
    at: usize,
    /// Whether a number may end with Python 2's L.
    long: bool,
}

impl Literals<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Takes this where it stands next.
    fn accept(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// So much of what comes as the letters are of that kind.
    fn run(&mut self, of: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let run = rest[..rest.find(|letter| !of(letter)).unwrap_or(rest.len())].to_string();
        self.at += run.len();
        run
    }

    fn skip_blanks(&mut self) {
        loop {
            self.run(|letter| " \t\r\n\x0c".contains(letter));
            if !self.accept("#") {
                break;
            }
            self.run(|letter| !"\r\n".contains(letter));
        }
    }

    fn next(&mut self, depth: usize) -> Result<Literal> {
        ensure!(depth <= NESTING_MAX, "brackets nested more than {NESTING_MAX} deep");
        self.skip_blanks();
        match self.rest().chars().next().context("it ends too early")? {
            '{' => self.dict(depth),
            '(' => {
                let (mut items, comma) = self.items(")", depth)?;
                match (comma, items.pop()) {
                    (false, Some(only)) if items.is_empty() => Ok(only),
                    (_, last) => Ok(Literal::Tuple(items.into_iter().chain(last).collect())),
                }
            }
            '[' => Ok(Literal::List(self.items("]", depth)?.0)),
            '0'..='9' => self.number(),
            '"' | '\'' => self.strings(),
            letter if letter.is_alphabetic() => self.word(),
            _ => bail!("{:?}, where a value is expected", quoted(self.rest())),
        }
    }

    /// Values between brackets, and whether there is a comma.
    fn items(&mut self, close: &str, depth: usize) -> Result<(Vec<Literal>, bool)> {
        self.at += 1;
        let (mut items, mut comma) = (vec![], false);
        loop {
            self.skip_blanks();
            if self.accept(close) {
                return Ok((items, comma));
            }
            ensure!(items.is_empty() || comma, "{:?}, where a comma or {close} is expected", quoted(self.rest()));
            items.push(self.next(depth + 1)?);
            self.skip_blanks();
            let more = self.accept(",");
            comma |= more;
            ensure!(
                more || self.rest().starts_with(close),
                "{:?}, where a comma or {close} is expected",
                quoted(self.rest())
            );
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Literal> {
        self.at += 1;
        let mut members = vec![];
        loop {
            self.skip_blanks();
            if self.accept("}") {
                return Ok(Literal::Dict(members));
            }
            let key = self.next(depth + 1)?;
            self.skip_blanks();
            ensure!(self.accept(":"), "{:?}, where a colon is expected", quoted(self.rest()));
            members.push((key, self.next(depth + 1)?));
            self.skip_blanks();
            let more = self.accept(",");
            ensure!(more || self.rest().starts_with('}'), "{:?}, where a comma or }} is expected", quoted(self.rest()));
        }
    }

    fn number(&mut self) -> Result<Literal> {
        let from = self.at;
        let digits = self.run(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
        let plain = if self.long { digits.strip_suffix('L').unwrap_or(&digits) } else { &digits };
        let split: Vec<&str> = plain.split('_').collect();
        let decimal = split.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let bare = split.concat();
        let zeros = bare.starts_with('0') && bare.bytes().any(|byte| byte != b'0');
        ensure!(
            decimal && !zeros,
            "{:?}: treefold takes numbers of decimal digits only, also where numpy takes more",
            quoted(&self.text[from..])
        );
        let number = bare.parse::<u64>().ok();
        number.map(Literal::Number).with_context(|| format!("{}, more elements than any file", quoted(&digits)))
    }

    fn word(&mut self) -> Result<Literal> {
        let from = self.at;
        let word = self.run(|letter| letter.is_alphanumeric() || letter == '_');
        match word.as_str() {
            "True" => Ok(Literal::Bool(true)),
            "False" => Ok(Literal::Bool(false)),
            "None" => Ok(Literal::Nothing),
            "u" | "U" | "r" | "R" if self.rest().starts_with(['"', '\'']) => {
                self.at = from;
                self.strings()
            }
            _ => bail!("{:?}, where a value is expected", quoted(&word)),
        }
    }

    /// Strings side by side are one.
    fn strings(&mut self) -> Result<Literal> {
        let mut text = String::new();
        loop {
            let prefix = self.run(|letter| "uUrR".contains(letter));
            text += &self.string(prefix.eq_ignore_ascii_case("r"))?;
            let behind = self.at;
            self.skip_blanks();
            let again = self.rest().trim_start_matches(['u', 'U', 'r', 'R']);
            if !again.starts_with(['"', '\'']) || self.rest().len() > again.len() + 1 {
                self.at = behind;
                return Ok(Literal::Text(text));
            }
        }
    }

    /// One string in quotes; of escapes, those that hide a letter of ASCII.
    fn string(&mut self, raw: bool) -> Result<String> {
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let Some(quote) = quotes.into_iter().find(|quote| self.accept(quote)) else { bail!("a string without quotes") };
        let mut text = String::new();
        loop {
            if self.accept(quote) {
                return Ok(text);
            }
            let letter = self.rest().chars().next().context("a string without an end")?;
            self.at += letter.len_utf8();
            ensure!(letter != '\n' || quote.len() == 3, "a string without an end");
            text.push(letter);
            if letter == '\\' {
                let next = self.rest().chars().next().context("a string without an end")?;
                self.at += next.len_utf8();
                text.push(next);
                let hex = self.rest().get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
                let meant = match (next, hex) {
                    _ if raw => None,
                    ('\\' | '\'' | '"', _) => Some(next),
                    ('x', Some(code)) => {
                        self.at += 2;
                        Some(char::from(code))
                    }
                    _ => None,
                };
                if let Some(meant) = meant {
                    text.truncate(text.len() - 1 - next.len_utf8());
                    text.push(meant);
                }
            }
        }
    }
}
