//! The steps of one back end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use shruti_backend::{Backend, BackendError, Description, Job, Rendered};
use shruti_clock::Clock;

use crate::admission::{Admission, Permit};
use crate::channel::Channel;
use crate::queue::{Step, Ticket, Work};
use crate::shared::SharedParts;
use crate::speech::{Fault, Refused};
use crate::speech_task::SpeechTask;
use crate::stats::{Counters, Stats};
use crate::workers::{Member, Workers};

/// A speech that waits for a worker.
pub(crate) struct QueuedTask {
    pub(crate) channel: Arc<Channel>,
    pub(crate) task: Box<SpeechTask>,
}

/// Runs one back end: its place among those that its threads work for, its admission budget, its counts.
pub(crate) struct Executor<B: Backend> {
    backend: B,
    workers: Arc<Workers>,
    member: Member,
    admission: Arc<Admission>,
    /// What it shares with others whose steps are done by the same threads, and how much of it a speech takes.
    shared: Option<(Arc<Admission>, u64)>,
    counters: Arc<Counters>,
}

/// Leave to be in progress with a back end.
pub(crate) struct BackendPermit {
    _own: Permit,
    _shared: Option<Permit>,
}

/// An executor, whatever its back end.
pub(crate) trait DynExecutor: Send + Sync {
    fn description(&self) -> &Description;
    /// Leave for one more speech, if the back end's budget has room for it.
    fn admit(&self) -> Result<BackendPermit, Refused>;
    /// Queues a step; without `wake` the caller is one of its threads and takes a step itself right away.
    fn push(&self, step: Step, deadline: Duration, waiting: QueuedTask, wake: bool) -> Ticket;
    /// Takes a step back that no worker has begun.
    fn remove(&self, ticket: Ticket) -> Option<QueuedTask>;
    fn counters(&self) -> &Counters;
    fn stats(&self) -> Stats;
    /// Whether its back end can speak now.
    fn is_usable(&self) -> bool;
    /// Begins to be worked for.
    fn join(self: Arc<Self>);
    /// Ends it: no speech is in progress any more.
    fn leave(&self);
    /// Does a step that was taken from its queue.
    fn run(&self, work: Work<QueuedTask>);
    /// Does the most urgent step on the caller's thread; `false` when there is none.
    #[cfg(test)]
    fn step(&self) -> bool;
}

impl<B: Backend> Executor<B> {
    /// With threads of its own.
    pub(crate) fn new(backend: B, workers: Arc<Workers>, clock: Arc<dyn Clock>) -> Self {
        let room = backend.description().max_speeches;
        let admission = Arc::new(Admission::new(room as u64, clock));
        let member = workers.member();
        Self { backend, workers, member, admission, shared: None, counters: Arc::default() }
    }

    /// On threads that it shares, and within a budget: each speech takes as much of [`Admission::WHOLE`] as its back
    /// end's `max_speeches` says, which is how many the threads can serve if all are of that back end; nothing where the
    /// work is done elsewhere.
    pub(crate) fn sharing(backend: B, shared: &SharedParts, counters: Arc<Counters>) -> Self {
        let Description { step_threads, max_speeches, .. } = backend.description();
        let share = match step_threads {
            0 => 0,
            _ => Admission::WHOLE / (*max_speeches as u64).max(1),
        };
        let budget = Some((Arc::clone(&shared.budget), share));
        let own = Self::new(backend, Arc::clone(&shared.workers.0), Arc::clone(&shared.clock));
        Self { shared: budget, counters, ..own }
    }

    fn prepare(&self, waiting: QueuedTask) {
        let QueuedTask { channel, mut task } = waiting;
        if !channel.begin(&mut task) {
            return discard(task);
        }
        self.counters.prepare_steps.add(1);
        let mut chunks = Vec::new();
        let began = task.is_timed().then(|| channel.now());
        let outcome = contained(|| task.prepare(&self.backend, &mut chunks));
        if let Some(began) = began {
            task.note(Step::Prepare, began, channel.now());
        }
        let progress = match outcome {
            Ok(Ok(progress)) => Ok(progress),
            Ok(Err(Fault::Backend(error))) => Err(self.failed(&channel, error)),
            Ok(Err(refused)) => Err(refused),
            Err(Panicked) => Err(self.panicked(&channel, "preparing")),
        };
        channel.settle(task, chunks, progress, false);
    }

    fn render(&self, mut batch: Vec<QueuedTask>) {
        for gone in batch.extract_if(.., |waiting| !waiting.channel.begin(&mut waiting.task)) {
            discard(gone.task);
        }
        // A step that renders is queued only with a render state; this keeps jobs and batch in line all the same.
        batch.retain(|waiting| waiting.task.has_render_state::<B::RenderState>());
        if batch.is_empty() {
            return;
        }
        self.counters.render_steps.add(1);
        self.counters.blocks.add(batch.len() as u64);
        let timed = batch.iter().find(|waiting| waiting.task.is_timed());
        let timed = timed.map(|waiting| (Arc::clone(&waiting.channel), waiting.channel.now()));
        let blocks = self.backend.description().blocks_within_a_step();
        let mut jobs: Vec<Job<'_, B::RenderState>> =
            batch.iter_mut().filter_map(|QueuedTask { channel, task }| task.job(&blocks, channel)).collect();
        let survived = contained(|| self.backend.render(&mut jobs));
        let times = timed.map(|(channel, began)| (began, channel.now()));
        let outcomes: Vec<(usize, Result<Rendered, BackendError>)> =
            jobs.into_iter().map(|job| (job.block.len(), job.outcome)).collect();
        let mut wake = false;
        for (waiting, (length, outcome)) in batch.into_iter().zip(outcomes) {
            let QueuedTask { channel, mut task } = waiting;
            if let Some((began, ended)) = times {
                task.note(Step::Render, began, ended);
            }
            let mut chunks = Vec::new();
            let progress = match (&survived, outcome) {
                (Ok(()), Ok(rendered)) => Ok(task.rendered(length, rendered, &mut chunks)),
                (Ok(()), Err(error)) => Err(self.failed(&channel, error)),
                (Err(Panicked), _) => Err(self.panicked(&channel, "rendering")),
            };
            channel.settle(task, chunks, progress, wake);
            wake = true;
        }
    }

    fn failed(&self, channel: &Channel, error: BackendError) -> Fault {
        let backend = &self.backend.description().name;
        channel.log(|| tracing::error!(%backend, %error, "the back end failed"));
        Fault::Backend(error)
    }

    /// What the panic said is not logged here: it may quote the text.
    fn panicked(&self, channel: &Channel, step: &str) -> Fault {
        let backend = &self.backend.description().name;
        channel.log(|| tracing::error!(%backend, step, "a panic ended the speech"));
        Fault::Internal
    }
}

impl<B: Backend> DynExecutor for Executor<B> {
    fn description(&self) -> &Description {
        self.backend.description()
    }

    fn admit(&self) -> Result<BackendPermit, Refused> {
        let admitted = self.admission.admit(1).and_then(|own| {
            let shared = self.shared.as_ref().map(|(budget, share)| budget.admit(*share)).transpose()?;
            Ok(BackendPermit { _own: own, _shared: shared })
        });
        admitted.inspect_err(|_| self.counters.full.add(1))
    }

    fn push(&self, step: Step, deadline: Duration, waiting: QueuedTask, wake: bool) -> Ticket {
        self.workers.push(self.member, step, deadline, waiting, wake)
    }

    fn remove(&self, ticket: Ticket) -> Option<QueuedTask> {
        self.workers.remove(self.member, ticket)
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn stats(&self) -> Stats {
        let (active, waiting) = (self.admission.active(), self.workers.waiting(self.member));
        Stats { active, waiting, ..self.counters.stats() }
    }

    fn is_usable(&self) -> bool {
        self.backend.is_usable()
    }

    fn join(self: Arc<Self>) {
        let executor = Arc::clone(&self);
        self.workers.join(self.member, executor);
    }

    fn leave(&self) {
        self.workers.leave(self.member);
    }

    fn run(&self, work: Work<QueuedTask>) {
        match work {
            Work::Prepare(waiting) => self.prepare(waiting),
            Work::Render(batch) => self.render(batch),
        }
    }

    #[cfg(test)]
    fn step(&self) -> bool {
        self.workers.step_of(self.member)
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
pub(crate) fn discard(task: Box<SpeechTask>) {
    if contained(|| drop(task)).is_err() {
        tracing::error!("a panic while a speech was thrown away");
    }
}
