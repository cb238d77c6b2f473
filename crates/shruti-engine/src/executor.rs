//! Execution of the steps of one back end.

use std::sync::Arc;
use std::time::Duration;

use shruti_backend::{Backend, BackendError, Description, Job, Rendered};
use shruti_clock::Clock;

use crate::admission::Admission;
use crate::channel::Channel;
use crate::error::{Fault, SpeakError};
use crate::executors::{BackendPermit, DynExecutor, QueuedTask};
use crate::panics::{Panicked, contained};
use crate::queue::{Step, Ticket, Work};
use crate::shared::SharedParts;
use crate::speech_task::discard;
use crate::stats::{Counters, Stats};
use crate::workers::{Member, Workers};

/// Executor of one back end, with its queue, its admission limit and its counters.
pub(crate) struct Executor<B: Backend> {
    backend: B,
    workers: Arc<Workers>,
    member: Member,
    admission: Arc<Admission>,
    /// Budget that the back end shares with others on the same threads, and the share of the budget that each stream
    /// occupies.
    shared: Option<(Arc<Admission>, u64)>,
    counters: Arc<Counters>,
}

impl<B: Backend> Executor<B> {
    /// Creates an executor on the given threads, without a shared budget.
    pub(crate) fn new(backend: B, workers: Arc<Workers>, clock: Arc<dyn Clock>) -> Self {
        let room = backend.description().max_speeches;
        let admission = Arc::new(Admission::new(room as u64, clock));
        let member = workers.member();
        Self { backend, workers, member, admission, shared: None, counters: Arc::default() }
    }

    /// Creates an executor on shared threads with a shared budget. Each stream occupies `1 / max_speeches` of
    /// [`Admission::WHOLE`], where `max_speeches` is the number of streams that the threads can serve if all of them
    /// use this back end. If `step_threads` is 0, the streams of the back end do not count towards the budget.
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
        // A render step is only queued with a render state; this check keeps jobs and batch aligned in any case.
        batch.retain(|waiting| waiting.task.has_render_state::<B::RenderState>());
        if batch.is_empty() {
            return;
        }
        self.counters.render_steps.add(1);
        self.counters.blocks.add(batch.len() as u64);
        let timed = batch.iter().find(|waiting| waiting.task.is_timed());
        let timed = timed.map(|waiting| (Arc::clone(&waiting.channel), waiting.channel.now()));
        let blocks = self.backend.description().usable_block_sizes();
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
        channel.log(|| tracing::error!(%backend, %error, "back end failed"));
        Fault::Backend(error)
    }

    /// Logs a panic and returns an internal error. The panic message is not logged, because it may quote the text.
    fn panicked(&self, channel: &Channel, step: &str) -> Fault {
        let backend = &self.backend.description().name;
        channel.log(|| tracing::error!(%backend, step, "stream ended by a panic"));
        Fault::Internal
    }
}

impl<B: Backend> DynExecutor for Executor<B> {
    fn description(&self) -> &Description {
        self.backend.description()
    }

    fn admit(&self) -> Result<BackendPermit, SpeakError> {
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
