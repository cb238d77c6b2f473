//! What the tests of the real binary share.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test fails by panicking, and not each test uses all of it"
)]

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

pub(crate) const SHRUTI: &str = env!("CARGO_BIN_EXE_shruti");

/// A running `shruti serve`.
pub(crate) struct Service {
    pub(crate) process: Child,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// What it has logged, once it has ended.
    pub(crate) log: std::thread::JoinHandle<String>,
}

impl Service {
    /// Starts it on a free port and waits until its log says where it listens.
    pub(crate) fn start(data_dir: &Path) -> Self {
        Self::start_at_level(data_dir, "info")
    }

    pub(crate) fn start_at_level(data_dir: &Path, level: &str) -> Self {
        Self::start_with(data_dir, &["--log", level])
    }

    pub(crate) fn start_with(data_dir: &Path, flags: &[&str]) -> Self {
        let mut process = Command::new(SHRUTI)
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--data-dir"])
            .arg(data_dir)
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut logged = String::new();
        let address = loop {
            let line = logged.len();
            assert!(log.read_line(&mut logged).unwrap() > 0, "it ended before it listened");
            let line: serde_json::Value = serde_json::from_str(&logged[line..]).unwrap();
            if let Some(address) = line["fields"]["address"].as_str() {
                break address.parse().unwrap();
            }
        };
        // the log must go somewhere for the process not to block
        let log = std::thread::spawn(move || logged + &std::io::read_to_string(&mut log).unwrap());
        Self { process, stdout, address, log }
    }

    /// The next line on standard output.
    pub(crate) fn printed(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.process.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// What it still prints on standard output, and how it ends.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (rest, self.process.wait().unwrap().code())
    }
}

pub(crate) fn now_ms() -> i64 {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since_1970.as_millis()).unwrap()
}
