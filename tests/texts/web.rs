//! Every text that a browser can be given goes through Chromium's own WGSL compiler. Where no Chromium is installed,
//! the tests say so and pass.

use crate::browser::{Served, posted, tell};
use std::collections::HashSet;
use std::time::Instant;

/// Between texts, and between errors.
const NEXT: char = '\0';
/// Between the parts of an error.
const PART: char = '\u{1}';

/// Asks for the texts, compiles some hundreds of them at a time, and posts the adapter's name and the errors: text, line, message.
const PAGE: &str = r"<!doctype html><meta charset=utf-8><script type=module>
const post = (where, list) => fetch(where, { method: 'POST', body: list.join('\0') });
try {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) throw new Error('no WebGPU adapter');
    const device = await adapter.requestDevice();
    const texts = (await (await fetch('/texts')).text()).split('\0');
    const compiled = async (code, text) => {
        device.pushErrorScope('validation');
        const module = device.createShaderModule({ code });
        const refused = device.popErrorScope();
        const { messages } = await module.getCompilationInfo();
        const errors = messages.filter((m) => m.type === 'error').map((m) => [text, m.lineNum, m.message].join('\x01'));
        const error = await refused;
        return error && !errors.length ? [[text, 0, error.message].join('\x01')] : errors;
    };
    const results = [];
    for (let at = 0; at < texts.length; at += 400) {
        results.push(...await Promise.all(texts.slice(at, at + 400).map((code, k) => compiled(code, at + k))));
    }
    await post('/done', [`${adapter.info.vendor} ${adapter.info.architecture}`, ...results.flat()]);
} catch (error) {
    await post('/failed', [String(error)]);
}
</script>";

/// An error: of which text, and what it is.
struct Refused {
    name: String,
    said: String,
}

/// Chromium's refusals of these texts; `None` where there is no Chromium.
fn refused(texts: &[(String, String)], folder: &str) -> Option<Vec<Refused>> {
    let joined = texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(&NEXT.to_string());
    let page = Served::new("/", "text/html", PAGE);
    let started = Instant::now();
    let body = posted(vec![page, Served::new("/texts", "text/plain; charset=utf-8", joined)], folder)?;
    let mut answer = body.split(NEXT);
    let adapter = answer.next().unwrap_or("");
    tell(&format!("{} texts by Chromium, {:.1} s, {adapter}", texts.len(), started.elapsed().as_secs_f64()));
    let refused = answer.map(|error| {
        let mut parts = error.splitn(3, PART);
        let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok()).expect("a number");
        let (text, line) = (number(), number());
        let (name, text) = &texts[text];
        let quoted = text.lines().nth(line.wrapping_sub(1)).unwrap_or("");
        let message = parts.next().unwrap_or("");
        Refused { name: name.clone(), said: format!("line {line}: {message}\n    {}", quoted.trim()) }
    });
    Some(refused.collect())
}

#[test]
fn chromium_takes_every_text() {
    // The texts take a while to make.
    if crate::browser::installed().is_none() {
        return;
    }
    let texts = crate::every::texts().into_iter().filter(|text| text.web).map(|text| (text.name, text.text));
    let texts: Vec<_> = texts.collect();
    assert!(texts.len() > 100, "{} texts", texts.len());
    let Some(refused) = refused(&texts, "web") else { return };
    // The same line of many texts is told once.
    let mut seen = HashSet::new();
    let first = refused.iter().filter(|error| seen.insert(error.said.split_once(": ").map(|(_, what)| what)));
    let shown: Vec<_> = first.map(|error| format!("{}\n    {}", error.said, error.name)).collect();
    assert!(refused.is_empty(), "{} errors in all, these among them:\n{}", refused.len(), shown.join("\n"));
}

/// Texts that hold what the library's may not are refused, and a right one is not.
#[test]
fn chromium_refuses_wrong_texts() {
    let wrong = [
        ("a comparison beside `|`", "fn f(a: u32, b: bool) -> bool { return b | a == 1u; }", "mixing"),
        ("an f32 too large", "const LARGEST = f32(3.40282347e+38);", "cannot be represented"),
        ("a reserved word", "fn f() -> u32 { let from = 1u; return from; }", "reserved"),
        ("a subgroup operation", "fn f(a: u32) -> u32 { return subgroupAdd(a); }", "subgroup"),
        ("64 bits", "fn f(a: i64) {}", "i64"),
        ("an atomic f32", "var<workgroup> a: atomic<f32>;", "atomic"),
        ("&& beside ||", "fn f(a: bool, b: bool) -> bool { return a || a && b; }", "mixing"),
    ];
    let right = ("a right one", "fn f(a: u32, b: bool) -> bool { return b | (a == 1u); }");
    let named = |(name, text): (&str, &str)| (name.to_string(), format!("// One line\n{text}\n"));
    let texts: Vec<_> = wrong.iter().map(|&(name, text, _)| (name, text)).chain([right]).map(named).collect();
    let Some(refused) = refused(&texts, "web-wrong") else { return };
    for (name, text, word) in wrong {
        let said: Vec<_> = refused.iter().filter(|error| error.name == name).map(|error| error.said.as_str()).collect();
        let told = |said: &&str| said.starts_with("line 2: ") && said.contains(word) && said.ends_with(text);
        assert!(said.iter().any(told), "{name}: {said:?}");
    }
    let about_right: Vec<_> = refused.iter().filter(|error| error.name == right.0).map(|error| &error.said).collect();
    assert!(about_right.is_empty(), "{about_right:?}");
}
