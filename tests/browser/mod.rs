//! Drives an installed Chromium: a page, what it asks for, and what it posts.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
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
const SECONDS: u64 = 300;

/// A line that passing tests show as well.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The first browser on PATH; where there is none, says so.
pub fn installed() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = |name: &str| format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let found =
        BROWSERS.into_iter().find(|name| std::env::split_paths(&path).any(|folder| folder.join(file(name)).is_file()));
    if found.is_none() {
        tell(&format!("skipped: no Chromium here: none of {} is on PATH", BROWSERS.join(", ")));
    }
    found
}

/// A running browser and its folder, both gone when it is dropped.
struct Browser {
    process: Child,
    folder: PathBuf,
}

impl Browser {
    /// The one that is installed, on its way to an address.
    fn start(address: &str, folder: PathBuf) -> Option<Browser> {
        let name = installed()?;
        std::fs::create_dir_all(&folder).expect("a folder for the browser");
        let said = File::create(folder.join("said")).expect("a file");
        let process = Command::new(name)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn();
        let process = process.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        Some(Browser { process, folder })
    }

    /// The text that it posts in time.
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

/// A file and the path that leads to it. The page is at `/`.
pub struct Served {
    pub path: &'static str,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

impl Served {
    pub fn new(path: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Served {
        Served { path, kind, body: body.into() }
    }
}

/// One request: what is served, or a post that is passed on.
fn serve(mut stream: TcpStream, served: &[Served], posts: &Sender<(String, String)>) -> Result<()> {
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
    let found = served.iter().find(|file| method == "GET" && file.path == path);
    let (kind, reply) = found.map_or(("text/plain", &[][..]), |file| (file.kind, &file.body));
    let length = reply.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(reply)?;
    if method == "POST" {
        let _ = posts.send((path.to_string(), String::from_utf8_lossy(&body).into_owned()));
    }
    Ok(())
}

/// The text that a page posts to `/done`; `None` where there is no Chromium. A post to anywhere else is a failure.
pub fn posted(served: Vec<Served>, folder: &str) -> Option<String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    let (sender, posts) = channel();
    let served = Arc::new(served);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (served, sender) = (served.clone(), sender.clone());
            std::thread::spawn(move || serve(stream, &served, &sender));
        }
    });
    Some(Browser::start(&address, Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder))?.answer(&posts))
}
