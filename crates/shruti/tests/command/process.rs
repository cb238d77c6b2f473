//! Processes that tests start, each of which ends with its test, also one that fails.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;

use shruti_testkit::server::PATIENCE;

pub(crate) const SHRUTI: &str = env!("CARGO_BIN_EXE_shruti");

/// A process that ends with its test.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Asks it to end, and waits until it has.
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
        // fails for one that has ended
        let _ = self.kill();
        let _ = self.wait();
    }
}

/// A running `shruti serve`.
pub(crate) struct Service {
    pub(crate) process: Running,
    pub(crate) stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// What it has logged, once it has ended.
    pub(crate) log: std::thread::JoinHandle<String>,
    /// Its lines as they come.
    lines: mpsc::Receiver<String>,
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
        Self::start_in(data_dir, flags, [])
    }

    /// With these variables in its environment.
    pub(crate) fn start_in<const N: usize>(
        data_dir: &Path,
        flags: &[&str],
        environment: [(&str, &str); N],
    ) -> Self {
        let mut command = Command::new(SHRUTI);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data_dir);
        // no command of another test finds it
        command.env("XDG_STATE_HOME", "/dev/null/state").args(flags).envs(environment);
        Self::of(command)
    }

    /// Starts a command that is `shruti serve` with what it needs to listen.
    pub(crate) fn of(mut command: Command) -> Self {
        let command = command.args(["--log-format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running(command.spawn().unwrap());
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
        let (came, lines) = mpsc::channel();
        let log = std::thread::spawn(move || {
            for line in log.lines() {
                let line = line.unwrap();
                logged = logged + &line + "\n";
                // nobody may wait for lines any more
                let _ = came.send(line);
            }
            logged
        });
        Self { process, stdout, address, log, lines }
    }

    /// Waits for a line of the log that holds these words; lines before it are passed over.
    pub(crate) fn wait_for_log(&self, words: &str) {
        while !self.lines.recv_timeout(PATIENCE).expect(words).contains(words) {}
    }

    /// The next line on standard output.
    pub(crate) fn printed(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn signal(&self, signal: &str) {
        self.process.signal(signal);
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

#[test]
fn a_process_ends_with_its_test_also_with_one_that_fails() {
    let mut id = 0;
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let running = Running(Command::new("sleep").arg("3600").spawn().unwrap());
        id = running.id();
        panic!("as a test fails");
    }));
    assert!(failed.is_err());
    // waited for too: a dead child that nobody has waited for could still be signalled
    let signalled = Command::new("kill").args(["-0", &id.to_string()]).status().unwrap();
    assert!(!signalled.success(), "process {id} goes on");
}
