//! Channel between a listener and the workers: text in one direction, audio chunks in the other.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use shruti_lang::Language;

use crate::chunk::{self, Chunk, StreamItem};
use crate::error::{Fault, PushError, SpeakError};
use crate::executors::{Executors, Permits, QueuedTask};
use crate::queue::Ticket;
use crate::source::SpeechSource;
use crate::speech_task::{self, Input, Progress, SpeechTask, discard};

/// Maximum number of chunks that are buffered for the listener before the stream is parked: 200 to 400 ms of audio.
///
/// A back end whose blocks are larger than a chunk may exceed this number by one block.
pub(crate) const CHUNKS_AHEAD: usize = 4;

/// Maximum number of buffered chunks at which a parked stream resumes. If it were [`CHUNKS_AHEAD`] - 1, each chunk sent
/// would wake a worker for a single block, and waking a worker costs nearly as much as rendering a block.
const CHUNKS_LOW: usize = CHUNKS_AHEAD / 2;

/// State of a stream, shared by the listener and the workers.
///
/// Lock order: first the state of a channel, then the queue or the admission of an executor. No lock is held while a
/// back end works.
///
/// Steps, chunks, samples and faults are counted for the back end that produced them. Completed and cancelled streams
/// are counted for the back end that reads their text.
pub(crate) struct Channel {
    executors: Arc<Executors>,
    /// Number of the back end that reads the text.
    reader: usize,
    /// Tracing span of the caller, so that log lines of this stream contain the request ID.
    span: tracing::Span,
    state: Mutex<State>,
}

struct State {
    worker: TaskState,
    input: VecDeque<Input>,
    finished: bool,
    /// Number of characters that the listener has pushed so far.
    pushed: u32,
    /// Number of characters that have been read into utterances so far.
    spoken: u32,
    language: Option<Language>,
    /// Number of the back end that spoke last.
    spoken_by: Option<usize>,
    output: VecDeque<StreamItem>,
    end: End,
    listener: Option<Waker>,
    /// Whether text was refused because the buffer was full; the listener is then also woken when the stream becomes
    /// idle.
    is_text_refused: bool,
    permits: Option<Permits>,
}

/// State of the stream's [`SpeechTask`], including where it is held.
enum TaskState {
    /// The task is held here until more text arrives or the listener has read enough of the buffered chunks.
    Parked(Box<SpeechTask>),
    /// The task is in the queue of the back end with this number.
    Queued(usize, Ticket),
    /// The task is owned by a worker.
    Running {
        /// Number of the back end.
        backend: usize,
        /// Whether the back end has woken the stream since the step started.
        is_woken: bool,
    },
    /// The task is held here until the back end wakes the stream.
    Waiting(Box<SpeechTask>),
    /// The task was dropped, because the stream has ended or was cancelled.
    Dropped,
}

enum End {
    Pending,
    Reached(Result<(), Fault>),
    Reported,
}

impl Channel {
    pub(crate) fn new(executors: Arc<Executors>, task: SpeechTask, permits: Permits) -> Self {
        let reader = task.backend();
        let state = State {
            language: task.language(),
            spoken_by: None,
            worker: TaskState::Parked(Box::new(task)),
            input: VecDeque::new(),
            finished: false,
            pushed: 0,
            spoken: 0,
            output: VecDeque::new(),
            end: End::Pending,
            listener: None,
            is_text_refused: false,
            permits: Some(permits),
        };
        Self { executors, reader, span: tracing::Span::current(), state: Mutex::new(state) }
    }

    /// Marks the start of a step and passes new input to the task. Returns `false` if the stream has been cancelled.
    pub(crate) fn begin(&self, task: &mut SpeechTask) -> bool {
        let mut state = self.state();
        if matches!(state.worker, TaskState::Dropped) {
            return false;
        }
        state.worker = TaskState::Running { backend: task.backend(), is_woken: false };
        task.take_input(&mut state.input);
        true
    }

    /// Records the result of a step. If `wake` is true, a worker is woken for the next step.
    pub(crate) fn settle(
        self: &Arc<Self>,
        mut task: Box<SpeechTask>,
        chunks: Vec<Chunk>,
        progress: Result<Progress, Fault>,
        wake: bool,
    ) {
        let mut state = self.state();
        let TaskState::Running { backend, is_woken } = state.worker else {
            drop(state);
            discard(task);
            return;
        };
        let counters = self.executors.of(backend).counters();
        let mut next = task.backend();
        let progress = progress.and_then(|progress| {
            let admitted = self.admit(&mut state, next).or_else(|refused| {
                let fallback = task.hand_over_to_fallback(&refused).ok_or(refused)?;
                self.executors.of(std::mem::replace(&mut next, fallback)).counters().refused.add(1);
                self.admit(&mut state, next)
            });
            admitted.map_err(Fault::Rejected).map(|()| progress)
        });
        let wakes_listener = match progress {
            Ok(Progress::More | Progress::Pending) => !chunks.is_empty(),
            Ok(Progress::NeedsText) => {
                let is_at_rest = state.input.is_empty();
                !chunks.is_empty() || is_at_rest && mem::take(&mut state.is_text_refused)
            }
            _ => true,
        };
        for chunk in chunks {
            counters.chunks.add(1);
            counters.samples.add(chunk.samples.len() as u64);
            task.handed_over(chunk::length(chunk.samples.len()), self.executors.now());
            state.output.push_back(StreamItem::Chunk(chunk));
        }
        state.language = state.language.or(task.language());
        state.spoken_by = task.spoken_by();
        state.spoken = task.spoken();
        let mut ended = None;
        match progress {
            Ok(Progress::Pending) if !is_woken => state.worker = TaskState::Waiting(task),
            Ok(progress @ (Progress::More | Progress::Pending | Progress::Flushed | Progress::NeedsText)) => {
                if progress == Progress::Flushed {
                    state.output.push_back(StreamItem::Flushed);
                }
                let step = task.next_step(!state.input.is_empty());
                match step.filter(|_| state.output.len() < CHUNKS_AHEAD) {
                    Some(step) => {
                        let deadline = task.deadline(self.executors.now());
                        let waiting = QueuedTask { channel: Arc::clone(self), task };
                        let wake = wake || next != backend;
                        let ticket = self.executors.of(next).push(step, deadline, waiting, wake);
                        state.worker = TaskState::Queued(next, ticket);
                    }
                    None => state.worker = TaskState::Parked(task),
                }
            }
            Ok(Progress::Ended) => {
                state.end = End::Reached(Ok(()));
                state.worker = TaskState::Dropped;
                ended = Some(task);
            }
            Err(fault) => {
                match &fault {
                    Fault::Rejected(SpeakError::Overloaded { .. }) => {
                        self.executors.of(next).counters().refused.add(1);
                    }
                    Fault::Rejected(_) => {}
                    Fault::Internal | Fault::Backend(_) => counters.faults.add(1),
                }
                state.end = End::Reached(Err(fault));
                state.worker = TaskState::Dropped;
                ended = Some(task);
            }
        }
        let listener = if wakes_listener { state.listener.take() } else { None };
        drop(state);
        if let Some(listener) = listener {
            listener.wake();
        }
        if let Some(task) = ended {
            discard(task);
        }
    }

    /// Returns the time of the engine's clock.
    pub(crate) fn now(&self) -> Duration {
        self.executors.now()
    }

    /// Runs `log` in the tracing span of the request.
    pub(crate) fn log(&self, log: impl FnOnce()) {
        self.span.in_scope(log);
    }

    /// Acquires the permit of a back end that is going to work on the stream, unless the stream already has it.
    fn admit(&self, state: &mut State, backend: usize) -> Result<(), SpeakError> {
        let Some(permits) = &mut state.permits else { return Ok(()) };
        self.executors.admit(backend, permits)
    }

    /// Queues a parked stream if it has a step to run and at most [`CHUNKS_LOW`] chunks are buffered.
    fn resume(self: &Arc<Self>, state: &mut State) {
        if state.output.len() > CHUNKS_LOW {
            return;
        }
        let TaskState::Parked(task) = &state.worker else { return };
        if task.next_step(!state.input.is_empty()).is_none() {
            return;
        }
        if let TaskState::Parked(task) = mem::replace(&mut state.worker, TaskState::Dropped) {
            self.queue(state, task);
        }
    }

    /// Queues a stream that was parked or waiting; parks the stream if it has no step to run.
    fn queue(self: &Arc<Self>, state: &mut State, mut task: Box<SpeechTask>) {
        let Some(step) = task.next_step(!state.input.is_empty()) else {
            state.worker = TaskState::Parked(task);
            return;
        };
        let backend = task.backend();
        let waiting: Duration = state.output.iter().map(|sound| chunk::length(sound.samples())).sum();
        let now = self.executors.now();
        task.resumed(waiting, now);
        let deadline = task.deadline(now);
        let waiting = QueuedTask { channel: Arc::clone(self), task };
        let ticket = self.executors.of(backend).push(step, deadline, waiting, true);
        state.worker = TaskState::Queued(backend, ticket);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes a stream for which the back end has more audio.
impl Wake for Channel {
    fn wake(self: Arc<Self>) {
        let mut state = self.state();
        match &mut state.worker {
            TaskState::Running { is_woken, .. } => *is_woken = true,
            TaskState::Waiting(_) => {
                if let TaskState::Waiting(task) = mem::replace(&mut state.worker, TaskState::Dropped) {
                    // if the buffer is full, the stream is parked until the listener has read from the buffer
                    if state.output.len() < CHUNKS_AHEAD {
                        self.queue(&mut state, task);
                    } else {
                        state.worker = TaskState::Parked(task);
                    }
                }
            }
            TaskState::Parked(_) | TaskState::Queued(..) | TaskState::Dropped => {}
        }
    }
}

/// The listener's handle to a channel. It is a separate type because the methods of [`SpeechSource`] take `&self`, but
/// some methods of the channel need its `Arc`.
pub(crate) struct Listener(pub(crate) Arc<Channel>);

impl SpeechSource for Listener {
    fn push(&self, text: &str) -> Result<(), PushError> {
        let mut state = self.0.state();
        if state.finished {
            return Err(PushError::Finished);
        }
        if text.is_empty() {
            return Ok(());
        }
        let limit = self.0.executors.max_unspoken();
        let characters = text.chars().count();
        let unspoken = (state.pushed - state.spoken.min(state.pushed)) as usize;
        let pushed =
            u32::try_from(characters).ok().and_then(|characters| state.pushed.checked_add(characters));
        let Some(pushed) = pushed.filter(|_| unspoken + characters <= limit) else {
            state.is_text_refused = true;
            return Err(PushError::TooMuch { limit });
        };
        state.pushed = pushed;
        speech_task::append(&mut state.input, text);
        self.0.resume(&mut state);
        Ok(())
    }

    fn release(&self) {
        let mut state = self.0.state();
        // A second consecutive release would have no effect.
        if !state.finished && state.input.back() != Some(&Input::Release) {
            state.input.push_back(Input::Release);
            self.0.resume(&mut state);
        }
    }

    fn flush(&self) {
        let mut state = self.0.state();
        if !state.finished {
            state.input.push_back(Input::Flush);
            self.0.resume(&mut state);
        }
    }

    fn finish(&self) {
        let mut state = self.0.state();
        if !state.finished {
            state.finished = true;
            state.input.push_back(Input::Finish);
            self.0.resume(&mut state);
        }
    }

    fn poll_item(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        let mut state = self.0.state();
        if let Some(sound) = state.output.pop_front() {
            self.0.resume(&mut state);
            return Poll::Ready(Some(Ok(sound)));
        }
        match mem::replace(&mut state.end, End::Reported) {
            End::Pending => {
                state.end = End::Pending;
                let listener = context.waker();
                if state.listener.as_ref().is_none_or(|known| !known.will_wake(listener)) {
                    state.listener = Some(listener.clone());
                }
                Poll::Pending
            }
            End::Reported => Poll::Ready(None),
            End::Reached(result) => {
                let permits = state.permits.take();
                drop(state);
                if result.is_ok() {
                    self.0.executors.of(self.0.reader).counters().completed.add(1);
                }
                drop(permits);
                Poll::Ready(result.err().map(Err))
            }
        }
    }

    fn wants_text(&self) -> bool {
        let state = self.0.state();
        // a parked stream whose buffer has room can do nothing without more text
        state.output.is_empty() && matches!(state.worker, TaskState::Parked(_))
    }

    fn language(&self) -> Option<Language> {
        self.0.state().language
    }

    fn engine(&self) -> Option<String> {
        let spoken_by = self.0.state().spoken_by?;
        Some(self.0.executors.of(spoken_by).description().engine.clone())
    }

    fn cancel(&self) {
        let mut state = self.0.state();
        let worker = mem::replace(&mut state.worker, TaskState::Dropped);
        let output = mem::take(&mut state.output);
        let end = mem::replace(&mut state.end, End::Reported);
        let permits = state.permits.take();
        state.listener = None;
        state.input.clear();
        drop(state);
        if matches!(end, End::Pending | End::Reached(Ok(()))) {
            self.0.executors.of(self.0.reader).counters().cancelled.add(1);
        }
        drop(permits);
        match worker {
            TaskState::Parked(task) | TaskState::Waiting(task) => discard(task),
            TaskState::Queued(backend, ticket) => {
                if let Some(waiting) = self.0.executors.of(backend).remove(ticket) {
                    discard(waiting.task);
                }
            }
            TaskState::Running { .. } | TaskState::Dropped => {}
        }
        drop(output);
    }
}
