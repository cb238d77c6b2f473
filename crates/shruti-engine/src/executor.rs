//! A back end's own threads, and the queue of what they do next.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shruti_text::Settings;

use crate::admission::{Admission, Permit};
use crate::backend::{Backend, BackendError, Description, Job, Style};
use crate::channel::{Channel, Listener};
use crate::clock::Clock;
use crate::queue::{DeadlineQueue, Step, Ticket, Work};
use crate::speech::{Fault, Refused, SpeechControl};
use crate::speech_task::{Progress, SpeechTask};
use crate::stats::{Counters, Stats};

/// A speech that waits for a worker.
pub(crate) struct QueuedTask<B: Backend> {
    pub(crate) channel: Arc<Channel<B>>,
    pub(crate) task: Box<SpeechTask<B::RenderState>>,
}

/// Runs one back end: its queue, its threads, its admission budget.
pub(crate) struct Executor<B: Backend> {
    backend: B,
    clock: Arc<dyn Clock>,
    admission: Arc<Admission>,
    max_unspoken: usize,
    queue: Mutex<Queue<B>>,
    /// Signalled when there is work, and when the workers may have to end.
    work: Condvar,
    pub(crate) counters: Counters,
}

struct Queue<B: Backend> {
    steps: DeadlineQueue<QueuedTask<B>>,
    closed: bool,
}

/// An executor, whatever its back end.
pub(crate) trait DynExecutor: Send + Sync {
    fn description(&self) -> &Description;
    /// Begins a speech, if the back end's budget has room for one.
    fn open(
        self: Arc<Self>,
        settings: Settings,
        style: Style,
        permit: Permit,
    ) -> Result<Arc<dyn SpeechControl>, Refused>;
    fn stats(&self) -> Stats;
    /// Starts the threads.
    fn start(self: Arc<Self>) -> std::io::Result<()>;
    /// Lets the threads end as soon as no speech is in progress.
    fn close(&self);
}

impl<B: Backend> Executor<B> {
    pub(crate) fn new(backend: B, clock: Arc<dyn Clock>, max_unspoken: usize) -> Self {
        let admission = Arc::new(Admission::new(backend.description().max_speeches, Arc::clone(&clock)));
        let queue = Mutex::new(Queue { steps: DeadlineQueue::new(), closed: false });
        Self {
            backend,
            clock,
            admission,
            max_unspoken,
            queue,
            work: Condvar::new(),
            counters: Counters::default(),
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// How long so many samples last.
    pub(crate) fn lasting(&self, samples: usize) -> Duration {
        let rate = u64::from(self.backend.description().sample_rate);
        Duration::from_nanos(samples as u64 * 1_000_000_000 / rate)
    }

    /// How many characters may wait to be spoken.
    pub(crate) fn max_unspoken(&self) -> usize {
        self.max_unspoken
    }

    /// Queues a step; without `wake` the caller is a worker that takes a step itself right away.
    pub(crate) fn push(&self, step: Step, deadline: Duration, waiting: QueuedTask<B>, wake: bool) -> Ticket {
        let ticket = self.queue().steps.push(step, deadline, waiting);
        if wake {
            self.work.notify_one();
        }
        ticket
    }

    /// Takes a step back that no worker has begun.
    pub(crate) fn remove(&self, ticket: Ticket) -> Option<QueuedTask<B>> {
        self.queue().steps.remove(ticket)
    }

    /// A speech is no longer in progress: the last one lets a closed executor's threads end.
    pub(crate) fn one_has_left(&self) {
        if self.queue().closed {
            self.work.notify_all();
        }
    }

    /// Works until the executor is closed and its last speech has ended.
    fn work(&self) {
        while let Some(work) = self.wait() {
            self.run(work);
        }
    }

    fn wait(&self) -> Option<Work<QueuedTask<B>>> {
        let mut queue = self.queue();
        loop {
            if let Some(work) = queue.steps.pop(self.backend.description().batch) {
                return Some(work);
            }
            if queue.closed && self.admission.active() == 0 {
                return None;
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does the most urgent step on the caller's thread; `false` when there is none.
    #[cfg(test)]
    pub(crate) fn step(&self) -> bool {
        let work = self.queue().steps.pop(self.backend.description().batch);
        work.is_some_and(|work| {
            self.run(work);
            true
        })
    }

    fn run(&self, work: Work<QueuedTask<B>>) {
        match work {
            Work::Prepare(waiting) => self.prepare(waiting),
            Work::Render(batch) => self.render(batch),
        }
    }

    fn prepare(&self, waiting: QueuedTask<B>) {
        let QueuedTask { channel, mut task } = waiting;
        if !channel.begin(&mut task) {
            return discard(task);
        }
        self.counters.prepare_steps.add(1);
        let mut chunks = Vec::new();
        let outcome = contained(|| task.prepare(&self.backend, &mut chunks));
        let progress = match outcome {
            Ok(Ok(progress)) => Ok(progress),
            Ok(Err(error)) => Err(self.failed(&channel, error)),
            Err(Panicked) => Err(self.panicked(&channel, "preparing")),
        };
        channel.settle(task, chunks, progress, false);
    }

    fn render(&self, mut batch: Vec<QueuedTask<B>>) {
        for gone in batch.extract_if(.., |waiting| !waiting.channel.begin(&mut waiting.task)) {
            discard(gone.task);
        }
        // A step that renders is queued only with a render state; this keeps jobs and batch in line all the same.
        batch.retain(|waiting| waiting.task.has_render_state());
        if batch.is_empty() {
            return;
        }
        self.counters.render_steps.add(1);
        self.counters.blocks.add(batch.len() as u64);
        let blocks = self.backend.description().blocks_within_a_step();
        let mut jobs: Vec<Job<'_, B::RenderState>> =
            batch.iter_mut().filter_map(|waiting| waiting.task.job(&blocks)).collect();
        let survived = contained(|| self.backend.render(&mut jobs));
        let outcomes: Vec<(usize, Result<usize, BackendError>)> =
            jobs.into_iter().map(|job| (job.block.len(), job.outcome)).collect();
        let mut wake = false;
        for (waiting, (length, outcome)) in batch.into_iter().zip(outcomes) {
            let QueuedTask { channel, mut task } = waiting;
            let mut chunks = Vec::new();
            let progress = match (&survived, outcome) {
                (Ok(()), Ok(written)) => {
                    task.rendered(length, written, &mut chunks);
                    Ok(Progress::More)
                }
                (Ok(()), Err(error)) => Err(self.failed(&channel, error)),
                (Err(Panicked), _) => Err(self.panicked(&channel, "rendering")),
            };
            channel.settle(task, chunks, progress, wake);
            wake = true;
        }
    }

    fn failed(&self, channel: &Channel<B>, error: BackendError) -> Fault {
        let backend = &self.backend.description().name;
        channel.log(|| tracing::error!(%backend, %error, "the back end failed"));
        Fault::Backend(error)
    }

    /// What the panic said is not logged here: it may quote the text.
    fn panicked(&self, channel: &Channel<B>, step: &str) -> Fault {
        let backend = &self.backend.description().name;
        channel.log(|| tracing::error!(%backend, step, "a panic ended the speech"));
        Fault::Internal
    }

    fn queue(&self) -> MutexGuard<'_, Queue<B>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B: Backend> DynExecutor for Executor<B> {
    fn description(&self) -> &Description {
        self.backend.description()
    }

    fn open(
        self: Arc<Self>,
        settings: Settings,
        style: Style,
        permit: Permit,
    ) -> Result<Arc<dyn SpeechControl>, Refused> {
        let permits = [permit, self.admission.admit()?];
        let language = settings.language;
        let task = SpeechTask::new(settings, style, self.backend.description().sample_rate);
        Ok(Arc::new(Listener(Arc::new(Channel::new(self, task, language, permits)))))
    }

    fn stats(&self) -> Stats {
        let counters = &self.counters;
        Stats {
            active: self.admission.active(),
            waiting: self.queue().steps.len(),
            prepare_steps: counters.prepare_steps.get(),
            render_steps: counters.render_steps.get(),
            blocks: counters.blocks.get(),
            chunks: counters.chunks.get(),
            samples: counters.samples.get(),
            completed: counters.completed.get(),
            cancelled: counters.cancelled.get(),
            faults: counters.faults.get(),
            refused: counters.refused.get(),
        }
    }

    fn start(self: Arc<Self>) -> std::io::Result<()> {
        let Description { name, threads, .. } = self.backend.description();
        for number in 0..*threads {
            let executor = Arc::clone(&self);
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || executor.work())?;
        }
        Ok(())
    }

    fn close(&self) {
        self.queue().closed = true;
        self.work.notify_all();
    }
}

/// A step panicked.
struct Panicked;

/// Runs a step and keeps a panic inside it.
///
/// What the step was working on is dropped after a panic and never used again, and back ends promise to stay
/// usable: so no broken state is seen, which is what `AssertUnwindSafe` asserts.
fn contained<T>(step: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|_| Panicked)
}

/// Drops what is left of a speech; a render state that panics even then harms nobody.
pub(crate) fn discard<P>(task: Box<SpeechTask<P>>) {
    if contained(|| drop(task)).is_err() {
        tracing::error!("a panic while a speech was thrown away");
    }
}
