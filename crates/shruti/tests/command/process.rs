//! Processes started by tests. Each one is killed when its test ends, even if the test fails.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;

use shruti_testkit::server::PATIENCE;

pub(crate) const SHRUTI: &str = env!("CARGO_BIN_EXE_shruti");

/// Environment variable that selects the rule-based voices. The learned voices need ten times the processor time, and
/// have tests of their own.
pub(crate) const RULES: (&str, &str) = ("SHRUTI_VOICE_ENGINE", "rules");

/// Process that is killed when its test ends.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends SIGTERM to the process, and waits until it ends.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.signal("-TERM");
        self.wait().unwrap()
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // fails if the process has ended
        let _ = self.kill();
        let _ = self.wait();
    }
}

/// Running `shruti serve`.
pub(crate) struct Service {
    pub(crate) process: Running,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// Complete log, available after the server has ended.
    pub(crate) log: std::thread::JoinHandle<String>,
    /// Log lines as they arrive.
    lines: mpsc::Receiver<String>,
}

impl Service {
    /// Starts a server on a free port, and waits until its log reports the address.
    pub(crate) fn start(data_dir: &Path) -> Self {
        Self::start_at_level(data_dir, "info")
    }

    pub(crate) fn start_at_level(data_dir: &Path, level: &str) -> Self {
        Self::start_with(data_dir, &["--log", level])
    }

    pub(crate) fn start_with(data_dir: &Path, flags: &[&str]) -> Self {
        Self::start_in(data_dir, flags, [])
    }

    /// Starts a server with these flags and environment variables, and with rule-based voices by default.
    pub(crate) fn start_in<const N: usize>(
        data_dir: &Path,
        flags: &[&str],
        environment: [(&str, &str); N],
    ) -> Self {
        let mut command = Command::new(SHRUTI);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data_dir);
        // this server is not registered, so that commands of other tests do not find it
        command.env("XDG_STATE_HOME", "/dev/null/state");
        command.args(flags).envs([RULES]).envs(environment);
        Self::of(command)
    }

    /// Starts a server with the given command: `shruti serve` and its arguments, except for the log format.
    pub(crate) fn of(mut command: Command) -> Self {
        let command = command.args(["--log-format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running(command.spawn().unwrap());
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut logged = String::new();
        let address = loop {
            let line = logged.len();
            assert!(log.read_line(&mut logged).unwrap() > 0, "the server exited before it listened");
            let line: serde_json::Value = serde_json::from_str(&logged[line..]).unwrap();
            if let Some(address) = line["fields"]["address"].as_str() {
                break address.parse().unwrap();
            }
        };
        // the log is read continuously, because the server drops lines that are not read
        let (came, lines) = mpsc::channel();
        let log = std::thread::spawn(move || {
            for line in log.lines() {
                let line = line.unwrap();
                logged = logged + &line + "\n";
                // fails if the receiver has been dropped
                let _ = came.send(line);
            }
            logged
        });
        Self { process, stdout, address, log, lines }
    }

    /// Waits for a log line that contains these words, and skips the lines before it.
    pub(crate) fn wait_for_log(&self, words: &str) {
        while !self.lines.recv_timeout(PATIENCE).expect(words).contains(words) {}
    }

    /// Returns the next line on standard output.
    pub(crate) fn printed(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn signal(&self, signal: &str) {
        self.process.signal(signal);
    }

    /// Returns the rest of standard output, and the exit status.
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

#[test]
fn a_process_ends_with_its_test_even_if_the_test_fails() {
    let mut id = 0;
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let running = Running(Command::new("sleep").arg("3600").spawn().unwrap());
        id = running.id();
        panic!("as a test fails");
    }));
    assert!(failed.is_err());
    // the process must be reaped as well: a zombie could still be signalled
    let signalled = Command::new("kill").args(["-0", &id.to_string()]).status().unwrap();
    assert!(!signalled.success(), "process {id} still runs");
}
