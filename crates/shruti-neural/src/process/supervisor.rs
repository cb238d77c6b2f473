//! Supervisor that starts, watches and restarts the process of a pack.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::wire::{self, Answer, CallResult, Hello, Request, Work};
use super::{ProcessError, ProcessLimits};
use crate::import::collect;
use crate::synthesis::SynthesisError;

/// Delay before the first restart. The delay doubles for each further restart.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Maximum delay before a restart. If a process ran for at least this long, the delay is reset to [`FIRST_PAUSE`].
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// Supervisor of the process of a pack: the state of the process, and the calls that wait for results.
pub(super) struct Supervisor {
    id: String,
    limits: ProcessLimits,
    state: Mutex<State>,
    /// Notified when the supervisor is closed.
    closed: Condvar,
    child: Mutex<Option<Child>>,
    input: Mutex<Option<ChildStdin>>,
}

struct State {
    is_serving: bool,
    is_closed: bool,
    /// Number of starts so far. Utterances of an earlier process are lost.
    starts: u64,
    calls: HashMap<u64, SyncSender<Delivery>>,
    last_call: u64,
    threads: usize,
    /// Reason why the process was killed or ended.
    reason: Option<String>,
    /// Time of the next start.
    retry_at: Instant,
}

type Delivery = (Answer, Vec<i16>);

/// Result of a call: the number of the call, the result and the samples.
pub(super) type CallOutcome = (u64, CallResult, Vec<i16>);

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Supervisor {
    pub(super) fn new(id: String, limits: ProcessLimits) -> Self {
        let state = State {
            is_serving: false,
            is_closed: false,
            starts: 0,
            calls: HashMap::new(),
            last_call: 0,
            threads: 1,
            reason: None,
            retry_at: Instant::now(),
        };
        let (child, input) = (Mutex::default(), Mutex::default());
        Self { id, limits, state: Mutex::new(state), closed: Condvar::new(), child, input }
    }

    /// Keeps a process running until the supervisor is closed. Sends the result of the first start to `first`, and
    /// returns if the first start fails.
    pub(super) fn run(
        &self,
        command: &dyn Fn() -> io::Result<Command>,
        first: Sender<Result<Hello, ProcessError>>,
    ) {
        let (mut first, mut pause) = (Some(first), FIRST_PAUSE);
        loop {
            let started = Instant::now();
            let ended = self.run_once(command, &mut first);
            if let Some(first) = first.take() {
                // this cannot fail, because the caller of `PackProcess::start` holds the receiver
                let _ = first.send(Err(ended));
                return;
            }
            let mut state = self.state();
            if started.elapsed() >= LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            state.is_serving = false;
            state.retry_at = Instant::now() + pause;
            state.reason = Some(ended.to_string());
            // pending calls fail when their senders are dropped
            state.calls.clear();
            if !state.is_closed {
                tracing::error!(pack = self.id, reason = %ended, ?pause, "the process of a pack ended; a new one starts after a delay");
            }
            let waited = self.closed.wait_timeout_while(state, pause, |state| !state.is_closed);
            if waited.unwrap_or_else(PoisonError::into_inner).0.is_closed {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Runs one process until it ends, and returns the reason for its end.
    fn run_once(
        &self,
        command: &dyn Fn() -> io::Result<Command>,
        first: &mut Option<Sender<Result<Hello, ProcessError>>>,
    ) -> ProcessError {
        self.state().reason = None;
        let (mut output, stderr) = match self.spawn(command) {
            Ok(spawned) => spawned,
            Err(error) => return error.into(),
        };
        if let Ok(hello) = self.wait_for_hello(&mut output) {
            self.begin_serving();
            if let Some(first) = first.take() {
                drop(first.send(Ok(hello)));
            } else {
                tracing::info!(pack = self.id, "a new process runs the pack");
            }
            while let Ok((answer, samples)) = wire::read::<Answer>(&mut output) {
                let caller = self.state().calls.remove(&answer.call);
                if let Some(caller) = caller {
                    // a caller that gave up has dropped its receiver
                    let _ = caller.send((answer, samples));
                }
            }
        }
        *lock(&self.input) = None;
        let status = lock(&self.child).take().map(|mut child| {
            // the process may have closed its output without exiting
            let _ = child.kill();
            child.wait()
        });
        let stderr = stderr.join().unwrap_or_default();
        if let Some(reason) = self.state().reason.take() {
            return ProcessError::Ended(reason);
        }
        let stderr = stderr.strip_prefix("shruti: ").unwrap_or(&stderr);
        ProcessError::Ended(match status {
            Some(Ok(status)) if status.code().is_some() && !stderr.is_empty() => stderr.to_owned(),
            Some(Ok(status)) => format!("its process ended ({status}): {stderr}"),
            Some(Err(error)) => format!("its process ended: {error}"),
            None => "its process ended".to_owned(),
        })
    }

    fn spawn(
        &self,
        command: &dyn Fn() -> io::Result<Command>,
    ) -> io::Result<(BufReader<ChildStdout>, thread::JoinHandle<String>)> {
        let mut command = command()?;
        // the process inherits no environment variables, because they may contain secrets; it has its own process
        // group, because signals from the terminal must reach only the server, which first completes its requests
        let own: Vec<_> =
            command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
        command.env_clear().process_group(0);
        command.envs(own.into_iter().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let none = || io::Error::other("a pipe is missing");
        let (output, error) = (child.stdout.take().ok_or_else(none)?, child.stderr.take().ok_or_else(none)?);
        *lock(&self.input) = child.stdin.take();
        *lock(&self.child) = Some(child);
        if self.state().is_closed {
            self.kill("closed");
        }
        Ok((BufReader::new(output), collect(error)))
    }

    /// Waits until the process has loaded the pack. Kills the process after the time limit.
    fn wait_for_hello(&self, output: &mut BufReader<ChildStdout>) -> io::Result<Hello> {
        let (loaded, waiting) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                if waiting.recv_timeout(self.limits.load) == Err(RecvTimeoutError::Timeout) {
                    self.kill(&format!("the pack was not loaded within {:.0?}", self.limits.load));
                }
            });
            let hello = wire::read::<Hello>(output).map(|(hello, _)| hello);
            drop(loaded);
            hello
        })
    }

    fn begin_serving(&self) {
        let threads = {
            let mut state = self.state();
            state.is_serving = true;
            state.starts += 1;
            state.threads
        };
        if threads > 1 {
            self.send(0, Work::Threads(threads));
        }
    }

    /// Sends a request to the process and returns its result. Kills the process after the time limit.
    pub(super) fn call(&self, work: Work) -> Result<CallOutcome, SynthesisError> {
        let (answered, answer) = mpsc::sync_channel(1);
        let call = {
            let mut state = self.state();
            if !state.is_serving {
                return Err(state.unavailable());
            }
            state.last_call += 1;
            let call = state.last_call;
            state.calls.insert(call, answered);
            call
        };
        self.send(call, work);
        match answer.recv_timeout(self.limits.step) {
            Ok((answer, samples)) => Ok((call, answer.result?, samples)),
            Err(RecvTimeoutError::Disconnected) => Err(self.state().unavailable()),
            Err(RecvTimeoutError::Timeout) => {
                self.kill(&format!("a step took longer than {:.1?} and was killed", self.limits.step));
                Err(self.state().unavailable())
            }
        }
    }

    /// Returns the number of starts so far.
    pub(super) fn starts(&self) -> u64 {
        self.state().starts
    }

    /// Returns the error for an utterance whose process no longer exists.
    pub(super) fn process_lost(&self) -> SynthesisError {
        self.state().unavailable()
    }

    /// Kills a process whose response does not match the request, and returns the error.
    pub(super) fn unexpected_answer(&self) -> SynthesisError {
        self.kill("its response did not match the request");
        self.process_lost()
    }

    /// Asks the process to drop an utterance.
    pub(super) fn forget(&self, passage: u64) {
        if self.is_serving() {
            self.send(0, Work::Drop { passage });
        }
    }

    pub(super) fn is_serving(&self) -> bool {
        self.state().is_serving
    }

    pub(super) fn threads(&self) -> usize {
        self.state().threads
    }

    pub(super) fn set_threads(&self, threads: usize) {
        self.state().threads = threads.max(1);
        self.send(0, Work::Threads(threads.max(1)));
    }

    /// Ends the process and prevents further starts.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.closed.notify_all();
        self.kill("closed");
    }

    /// Sends a request. If sending fails, the process has ended and its calls fail.
    fn send(&self, call: u64, work: Work) {
        if let Some(input) = &mut *lock(&self.input) {
            let _ = wire::write(input, &Request { call, work }, &[]);
        }
    }

    fn kill(&self, reason: &str) {
        self.state().reason.get_or_insert_with(|| reason.to_owned());
        if let Some(child) = &mut *lock(&self.child) {
            // the process may have exited on its own
            let _ = child.kill();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn unavailable(&self) -> SynthesisError {
        let ended = "the process of the pack ended";
        let reason = self.reason.as_ref().map_or_else(|| ended.to_owned(), |why| format!("{ended}: {why}"));
        let retry_after = self.retry_at.saturating_duration_since(Instant::now()).max(FIRST_PAUSE);
        SynthesisError::Unavailable { reason, retry_after }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
