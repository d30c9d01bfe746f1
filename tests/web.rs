//! Every text that a browser can be given goes through Chromium's own WGSL compiler. Where no Chromium is installed,
//! the tests say so and pass.

mod texts;

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan",
    "--use-webgpu-adapter=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-crash-reporter",
];
const SECONDS: u64 = 120;

/// Between texts, and between errors.
const NEXT: char = '\0';
/// Between the parts of an error.
const PART: char = '\u{1}';

/// Asks for the texts, compiles each, and posts the adapter's name and the errors: text, line, message.
const PAGE: &str = r"<!doctype html><meta charset=utf-8><script type=module>
const post = (where, list) => fetch(where, { method: 'POST', body: list.join('\0') });
try {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) throw new Error('no WebGPU adapter');
    const device = await adapter.requestDevice();
    const texts = (await (await fetch('/texts')).text()).split('\0');
    const results = await Promise.all(texts.map(async (code, text) => {
        device.pushErrorScope('validation');
        const module = device.createShaderModule({ code });
        const refused = device.popErrorScope();
        const { messages } = await module.getCompilationInfo();
        const errors = messages.filter((m) => m.type === 'error').map((m) => [text, m.lineNum, m.message].join('\x01'));
        const error = await refused;
        return error && !errors.length ? [[text, 0, error.message].join('\x01')] : errors;
    }));
    await post('/done', [`${adapter.info.vendor} ${adapter.info.architecture}`, ...results.flat()]);
} catch (error) {
    await post('/failed', [String(error)]);
}
</script>";

/// A line that passing tests show as well.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A running browser and its folder, both gone when it is dropped.
struct Browser {
    process: Child,
    folder: PathBuf,
}

impl Browser {
    /// The first that is installed, on its way to an address.
    fn start(address: &str, folder: PathBuf) -> Option<Browser> {
        std::fs::create_dir_all(&folder).expect("a folder for the browser");
        for name in BROWSERS {
            let said = File::create(folder.join("said")).expect("a file");
            let process = Command::new(name)
                .args(FLAGS)
                .arg(format!("--user-data-dir={}", folder.join("profile").display()))
                .arg(address)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(said)
                .spawn();
            match process {
                Ok(process) => return Some(Browser { process, folder }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => panic!("{name} does not start: {error}"),
            }
        }
        tell(&format!("skipped: no Chromium here: none of {} is on PATH", BROWSERS.join(", ")));
        let _ = std::fs::remove_dir_all(&folder);
        None
    }

    /// What it posts in time.
    fn answer(&mut self, posts: &Receiver<(String, String)>) -> String {
        let end = Instant::now() + Duration::from_secs(SECONDS);
        let silent = loop {
            match posts.recv_timeout(Duration::from_millis(200)) {
                Ok((path, body)) if path == "/done" => return body,
                Ok((_, body)) => break body,
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(error) => break format!("no answer in {SECONDS} seconds: {error}"),
            }
            if let Some(status) = self.process.try_wait().expect("a process") {
                break format!("it ended with {status}");
            }
        };
        let said = std::fs::read_to_string(self.folder.join("said")).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(8).collect();
        panic!("the browser: {silent}\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Its helpers end a moment after it, and write until then.
        for _ in 0..50 {
            let gone = std::fs::remove_dir_all(&self.folder);
            if gone.is_ok() || !Path::new(&self.folder).exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// One request: the page, the texts, or a post that is passed on.
fn serve(mut stream: TcpStream, texts: &str, posts: &Sender<(String, String)>) -> Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(SECONDS)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line);
    }
    let mut request = lines.first().map_or("", String::as_str).split(' ');
    let (method, path) = (request.next().unwrap_or(""), request.next().unwrap_or(""));
    let length = lines.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let (kind, reply) = match (method, path) {
        ("GET", "/") => ("text/html", PAGE),
        ("GET", "/texts") => ("text/plain; charset=utf-8", texts),
        _ => ("text/plain", ""),
    };
    let length = reply.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(reply.as_bytes())?;
    if method == "POST" {
        let _ = posts.send((path.to_string(), String::from_utf8_lossy(&body).into_owned()));
    }
    Ok(())
}

/// An error: of which text, and what it is.
struct Refused {
    name: String,
    said: String,
}

/// What Chromium refuses of these texts; `None` where there is no Chromium.
fn refused(texts: &[(String, String)], folder: &str) -> Option<Vec<Refused>> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    let joined = texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(&NEXT.to_string());
    let (sender, posts) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (joined, sender) = (joined.clone(), sender.clone());
            std::thread::spawn(move || serve(stream, &joined, &sender));
        }
    });

    let started = Instant::now();
    let mut browser = Browser::start(&address, Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder))?;
    let body = browser.answer(&posts);
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
    let texts = texts::texts().into_iter().filter(|text| text.web).map(|text| (text.name, text.text));
    let texts: Vec<_> = texts.collect();
    assert!(texts.len() > 100, "{} texts", texts.len());
    let Some(refused) = refused(&texts, "web") else { return };
    // The same line of many texts is told once.
    let mut seen = HashSet::new();
    let first = refused.iter().filter(|error| seen.insert(error.said.split_once(": ").map(|(_, what)| what)));
    let shown: Vec<_> = first.map(|error| format!("{}\n    {}", error.said, error.name)).collect();
    assert!(refused.is_empty(), "{} errors in all, these among them:\n{}", refused.len(), shown.join("\n"));
}

/// What the library's texts may not hold is refused, and what is right is not.
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
