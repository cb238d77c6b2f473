//! Worker threads and the queues of the back ends that they serve.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::executors::{DynExecutor, QueuedTask};
use crate::queue::{DeadlineQueue, Step, Ticket, Work};

/// Threads that run the steps of one back end, or of several back ends that share the threads. The next step is always
/// the one whose listener would run out of audio first, regardless of its back end.
///
/// A step may need several cores ([`shruti_backend::Description::step_threads`]). It then starts when enough cores are
/// free, and no other step overtakes it. Therefore two back ends never use the same core at the same time, and a wide
/// step does not starve.
pub(crate) struct Workers {
    name: String,
    threads: usize,
    niceness: i32,
    state: Mutex<State>,
    /// Signalled when there is work, and when the threads must end.
    work: Condvar,
}

/// Owner of the threads. When it is dropped, the threads complete their current steps and end.
pub(crate) struct WorkersOwner(pub(crate) Arc<Workers>);

/// Number of a back end among those that share the threads.
pub(crate) type Member = usize;

struct State {
    queues: BTreeMap<Member, Queue>,
    members: Member,
    /// Number of cores that running steps occupy.
    busy: usize,
    /// Number of threads that have been started.
    started: usize,
    is_ended: bool,
}

struct Queue {
    executor: Arc<dyn DynExecutor>,
    steps: DeadlineQueue<QueuedTask>,
    batch: usize,
    step_threads: usize,
}

/// A step that a worker has taken from a queue.
struct TakenStep {
    executor: Arc<dyn DynExecutor>,
    work: Work<QueuedTask>,
    step_threads: usize,
}

impl Workers {
    /// Creates a pool of at least one thread. If `niceness` is above 0, the threads have a lower priority than others.
    pub(crate) fn new(name: &str, threads: usize, niceness: i32) -> Arc<Self> {
        let state = State { queues: BTreeMap::new(), members: 0, busy: 0, started: 0, is_ended: false };
        Arc::new(Self {
            name: name.to_owned(),
            threads: threads.max(1),
            niceness,
            state: Mutex::new(state),
            work: Condvar::new(),
        })
    }

    /// Returns an unused number for a new back end.
    pub(crate) fn member(&self) -> Member {
        let mut state = self.state();
        state.members += 1;
        state.members
    }

    /// Registers a back end.
    pub(crate) fn join(&self, member: Member, executor: Arc<dyn DynExecutor>) {
        let description = executor.description();
        let (batch, step_threads) = (description.batch, description.step_threads.clamp(1, self.threads));
        self.state()
            .queues
            .insert(member, Queue { executor, steps: DeadlineQueue::new(), batch, step_threads });
    }

    /// Unregisters a back end and drops its queued steps.
    pub(crate) fn leave(&self, member: Member) {
        let left = self.state().queues.remove(&member);
        // the queue is dropped after the lock has been released
        drop(left);
    }

    /// Starts the threads if they are not running.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let mut state = self.state();
        while state.started < self.threads {
            let workers = Arc::clone(self);
            let thread = std::thread::Builder::new().name(format!("{}-{}", self.name, state.started));
            thread.spawn(move || {
                yield_to_others(workers.niceness);
                workers.run();
            })?;
            state.started += 1;
        }
        Ok(())
    }

    /// Queues a step. If `wake` is false, no thread is woken, so the caller must be a worker thread that takes its next
    /// step afterwards.
    pub(crate) fn push(
        &self,
        member: Member,
        step: Step,
        deadline: Duration,
        waiting: QueuedTask,
        wake: bool,
    ) -> Ticket {
        let mut state = self.state();
        let queue = state.queues.get_mut(&member).expect("the back end is registered while a stream uses it");
        let ticket = queue.steps.push(step, deadline, waiting);
        drop(state);
        if wake {
            self.work.notify_one();
        }
        ticket
    }

    /// Removes and returns a queued step; returns `None` if a worker has taken it.
    pub(crate) fn remove(&self, member: Member, ticket: Ticket) -> Option<QueuedTask> {
        self.state().queues.get_mut(&member)?.steps.remove(ticket)
    }

    /// Returns the number of queued steps of a back end.
    pub(crate) fn waiting(&self, member: Member) -> usize {
        self.state().queues.get(&member).map_or(0, |queue| queue.steps.len())
    }

    fn run(&self) {
        while let Some(taken) = self.wait() {
            self.do_step(taken);
        }
    }

    fn do_step(&self, TakenStep { executor, work, step_threads }: TakenStep) {
        executor.run(work);
        // a back end that was removed in the meantime is dropped here, without holding the lock
        drop(executor);
        self.state().busy -= step_threads;
        if step_threads > 1 {
            // this thread continues with one of the cores; other threads may use the rest
            self.work.notify_all();
        }
    }

    fn wait(&self) -> Option<TakenStep> {
        let mut state = self.state();
        loop {
            if let Some(taken) = state.take(self.threads) {
                return Some(taken);
            }
            if state.is_ended {
                return None;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs the most urgent step of a back end on the caller's thread; returns `false` if there is none.
    #[cfg(test)]
    pub(crate) fn step_of(&self, member: Member) -> bool {
        let mut state = self.state();
        let Some(taken) = state.queues.get_mut(&member).and_then(Queue::take) else { return false };
        drop(state);
        taken.executor.run(taken.work);
        true
    }

    /// Runs the most urgent step of all back ends on the caller's thread; returns `false` if there is none, or if not
    /// enough cores are free for it.
    #[cfg(test)]
    pub(crate) fn step(&self) -> bool {
        let task = self.state().take(self.threads);
        task.is_some_and(|task| {
            self.do_step(task);
            true
        })
    }

    /// Marks cores as occupied, as a running step does.
    #[cfg(test)]
    pub(crate) fn take_cores(&self, cores: usize) {
        self.state().busy += cores;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the most urgent step of all back ends; returns `None` if there is none, or if not enough cores are free
    /// for it.
    fn take(&mut self, threads: usize) -> Option<TakenStep> {
        let first = |queue: &mut Queue| queue.steps.first_deadline();
        let queues = self.queues.values_mut().filter_map(|queue| Some((first(queue)?, queue)));
        let (_, queue) = queues.min_by_key(|(deadline, _)| *deadline)?;
        if self.busy + queue.step_threads > threads {
            return None;
        }
        let task = queue.take()?;
        self.busy += task.step_threads;
        Some(task)
    }
}

impl Queue {
    fn take(&mut self) -> Option<TakenStep> {
        let work = self.steps.pop(self.batch)?;
        Some(TakenStep { executor: Arc::clone(&self.executor), work, step_threads: self.step_threads })
    }
}

impl Drop for WorkersOwner {
    fn drop(&mut self) {
        self.0.state().is_ended = true;
        self.0.work.notify_all();
    }
}

/// Lowers the priority of this thread and of the threads that it starts.
///
/// On systems other than Linux, niceness applies to the whole process and is not changed.
fn yield_to_others(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        && let Err(error) = rustix::process::nice(niceness)
    {
        tracing::warn!(%error, "cannot lower the priority of the back end threads");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
