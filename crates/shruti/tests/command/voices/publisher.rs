//! Local server that publishes files. Its responses may violate HTTP.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use sha2::{Digest, Sha256};

/// `ETag` of the published files.
pub(super) const TAG: &str = "\"first\"";

/// Request for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) path: String,
    /// Start of the requested range.
    pub(super) from: Option<usize>,
    pub(super) if_range: Option<String>,
    /// Number of earlier requests for this path.
    pub(super) before: usize,
}

/// Response: all of its bytes are sent, then the connection is closed or kept open.
pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) stays_open: bool,
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, stays_open: false }
    }
}

/// Server that stops when it is dropped.
pub(super) struct Publisher {
    pub(super) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    pub(super) fn start(answer: impl Fn(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (received, is_over) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::<AtomicBool>::default());
        let (log, over) = (Arc::clone(&received), Arc::clone(&is_over));
        let serve = move || {
            // connections that stay open are closed when the server stops
            let mut open = Vec::new();
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let mut stream = stream.unwrap();
                let Some(mut request) = read(&stream) else { continue };
                let mut log = log.lock().unwrap();
                request.before = log.iter().filter(|other| other.path == request.path).count();
                let answer = answer(&request);
                log.push(request);
                drop(log);
                // fails if the client has closed the connection
                let _ = stream.write_all(&answer.bytes);
                if answer.stays_open {
                    open.push(stream);
                }
            }
        };
        Self { address, asked: received, is_over, thread: Some(std::thread::spawn(serve)) }
    }

    /// Returns the requests for a path.
    pub(super) fn asked(&self, path: &str) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.path == path).cloned().collect()
    }

    /// Writes a catalogue with the voice of a folder and the URLs of this server, and returns the catalogue's path.
    pub(super) fn catalogue(&self, files: &Path) -> PathBuf {
        catalogue(files, &format!("http://{}", self.address))
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // wakes the thread that accepts connections
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let mut received = Asked { path: first.split(' ').nth(1)?.to_owned(), ..Asked::default() };
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "range" => received.from = value.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok(),
            "if-range" => received.if_range = Some(value.to_owned()),
            _ => {}
        }
    }
    Some(received)
}

/// Creates a response with these headers.
pub(super) fn answer(status: &str, head: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let lines: String =
        head.iter().fold(String::new(), |lines, (name, value)| lines + &format!("{name}: {value}\r\n"));
    let mut bytes = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{lines}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Creates the response of a correct publisher for a whole file.
pub(super) fn whole(file: &[u8]) -> Vec<u8> {
    answer("200 OK", &[("content-length", &file.len().to_string()), ("etag", TAG)], file)
}

/// Creates the response of a correct publisher for the rest of a file.
pub(super) fn rest(file: &[u8], from: usize) -> Vec<u8> {
    let (length, last) = (file.len(), file.len() - 1);
    let (left, range) = ((length - from).to_string(), format!("bytes {from}-{last}/{length}"));
    let head = [("content-length", left.as_str()), ("content-range", &range), ("etag", TAG)];
    answer("206 Partial Content", &head, &file[from..])
}

/// Creates the response of a correct publisher for a file of a folder.
pub(super) fn publish(files: &Path, request: &Asked) -> Vec<u8> {
    let file = std::fs::read(files.join(request.path.trim_start_matches('/'))).unwrap();
    match request.from.filter(|_| request.if_range.as_deref() == Some(TAG)) {
        Some(from) => rest(&file, from),
        None => whole(&file),
    }
}

pub(super) fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Writes a catalogue with the Piper voice of a folder as the pack `test`, and returns the path of the catalogue.
pub(super) fn catalogue(files: &Path, base: &str) -> PathBuf {
    let file = |name: &str| {
        let bytes = std::fs::read(files.join(name)).unwrap();
        format!(
            "[[pack.file]]\nurl = \"{base}/{name}\"\npath = \"{name}\"\nbytes = {}\nsha256 = \"{}\"\n",
            bytes.len(),
            checksum(&bytes)
        )
    };
    let text = format!(
        "format = 1\n[[pack]]\nid = \"test\"\ntried = \"never run here\"\nimport = \"piper\"\nreads = \"phones\"\n\
         [[pack.voice]]\nname = \"Test\"\nsex = \"female\"\nlanguages = [\"hi\"]\n\
         [pack.licence]\nspdx = \"MIT\"\nattribution = \"nobody\"\ncommercial = \"yes\"\nsource = \"a test\"\n\
         text = \"MODEL_CARD\"\n{}{}{}",
        file("voice.onnx"),
        file("voice.onnx.json"),
        file("MODEL_CARD")
    );
    let path = files.join("catalogue.toml");
    std::fs::write(&path, text).unwrap();
    path
}
