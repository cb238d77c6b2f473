//! Threads, and the queues of the back ends that they work for.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::executor::{DynExecutor, QueuedTask};
use crate::queue::{DeadlineQueue, Step, Ticket, Work};

/// Threads that do the steps of one back end, or of several that share them: always the step whose listener would run
/// dry first, whosever it is.
///
/// A step may need several of the threads' cores ([`shruti_backend::Description::step_threads`]). It then begins when so many
/// are free, and no other overtakes it: so two back ends never count a core twice, and a wide step does not starve.
pub(crate) struct Workers {
    name: String,
    threads: usize,
    niceness: i32,
    state: Mutex<State>,
    /// Signalled when there is work, and when the threads are to end.
    work: Condvar,
}

/// Lets the threads end when it is dropped. Steps that are being done are done to their end.
pub(crate) struct WorkersOwner(pub(crate) Arc<Workers>);

/// A back end's place among those that share the threads.
pub(crate) type Member = usize;

struct State {
    queues: BTreeMap<Member, Queue>,
    members: Member,
    /// How many of the threads' cores are taken by steps.
    busy: usize,
    is_started: bool,
    is_ended: bool,
}

struct Queue {
    executor: Arc<dyn DynExecutor>,
    steps: DeadlineQueue<QueuedTask>,
    batch: usize,
    step_threads: usize,
}

/// A step that a worker has taken.
struct Taken {
    executor: Arc<dyn DynExecutor>,
    work: Work<QueuedTask>,
    step_threads: usize,
}

impl Workers {
    /// So many threads, at least one, of this name. With a `niceness` above 0 the system prefers others to them.
    pub(crate) fn new(name: &str, threads: usize, niceness: i32) -> Arc<Self> {
        let state =
            State { queues: BTreeMap::new(), members: 0, busy: 0, is_started: false, is_ended: false };
        Arc::new(Self {
            name: name.to_owned(),
            threads: threads.max(1),
            niceness,
            state: Mutex::new(state),
            work: Condvar::new(),
        })
    }

    /// Makes room for one more back end.
    pub(crate) fn member(&self) -> Member {
        let mut state = self.state();
        state.members += 1;
        state.members
    }

    /// Begins to work for a back end.
    pub(crate) fn join(&self, member: Member, executor: Arc<dyn DynExecutor>) {
        let description = executor.description();
        let (batch, step_threads) = (description.batch, description.step_threads.clamp(1, self.threads));
        self.state()
            .queues
            .insert(member, Queue { executor, steps: DeadlineQueue::new(), batch, step_threads });
    }

    /// Forgets a back end; what waits for it is thrown away.
    pub(crate) fn leave(&self, member: Member) {
        let left = self.state().queues.remove(&member);
        // what it holds is dropped without the lock
        drop(left);
    }

    /// Starts the threads, if they have not been.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        if std::mem::replace(&mut self.state().is_started, true) {
            return Ok(());
        }
        for number in 0..self.threads {
            let workers = Arc::clone(self);
            std::thread::Builder::new().name(format!("{}-{number}", self.name)).spawn(move || {
                yield_to_others(workers.niceness);
                workers.run();
            })?;
        }
        Ok(())
    }

    /// Queues a step; without `wake` the caller is one of the threads and takes a step itself right away.
    pub(crate) fn push(
        &self,
        member: Member,
        step: Step,
        deadline: Duration,
        waiting: QueuedTask,
        wake: bool,
    ) -> Ticket {
        let mut state = self.state();
        let queue = state.queues.get_mut(&member).expect("a speech holds its back end, which leaves later");
        let ticket = queue.steps.push(step, deadline, waiting);
        drop(state);
        if wake {
            self.work.notify_one();
        }
        ticket
    }

    /// Takes a step back that no worker has begun.
    pub(crate) fn remove(&self, member: Member, ticket: Ticket) -> Option<QueuedTask> {
        self.state().queues.get_mut(&member)?.steps.remove(ticket)
    }

    /// How many steps wait for a back end.
    pub(crate) fn waiting(&self, member: Member) -> usize {
        self.state().queues.get(&member).map_or(0, |queue| queue.steps.len())
    }

    fn run(&self) {
        while let Some(taken) = self.wait() {
            self.do_step(taken);
        }
    }

    fn do_step(&self, Taken { executor, work, step_threads }: Taken) {
        executor.run(work);
        // a back end that has been taken away meanwhile is dropped here, without the lock
        drop(executor);
        self.state().busy -= step_threads;
        if step_threads > 1 {
            // this thread goes on with one of the cores; others may go on with the rest
            self.work.notify_all();
        }
    }

    fn wait(&self) -> Option<Taken> {
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

    /// Does the most urgent step of a back end on the caller's thread; `false` when there is none.
    #[cfg(test)]
    pub(crate) fn step_of(&self, member: Member) -> bool {
        let mut state = self.state();
        let Some(taken) = state.queues.get_mut(&member).and_then(Queue::take) else { return false };
        drop(state);
        taken.executor.run(taken.work);
        true
    }

    /// Does the most urgent step of all on the caller's thread; `false` when there is none, or no core free for it.
    #[cfg(test)]
    pub(crate) fn step(&self) -> bool {
        let taken = self.state().take(self.threads);
        taken.is_some_and(|taken| {
            self.do_step(taken);
            true
        })
    }

    /// Takes cores as a step does that is being done.
    #[cfg(test)]
    pub(crate) fn take_cores(&self, cores: usize) {
        self.state().busy += cores;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The most urgent step of all, if there are cores free for it.
    fn take(&mut self, threads: usize) -> Option<Taken> {
        let first = |queue: &mut Queue| queue.steps.first_deadline();
        let queues = self.queues.values_mut().filter_map(|queue| Some((first(queue)?, queue)));
        let (_, queue) = queues.min_by_key(|(deadline, _)| *deadline)?;
        if self.busy + queue.step_threads > threads {
            return None;
        }
        let taken = queue.take()?;
        self.busy += taken.step_threads;
        Some(taken)
    }
}

impl Queue {
    fn take(&mut self) -> Option<Taken> {
        let work = self.steps.pop(self.batch)?;
        Some(Taken { executor: Arc::clone(&self.executor), work, step_threads: self.step_threads })
    }
}

impl Drop for WorkersOwner {
    fn drop(&mut self) {
        self.0.state().is_ended = true;
        self.0.work.notify_all();
    }
}

/// Lets the system prefer others to this thread and to those that it starts.
///
/// Where niceness belongs to the whole process, as it does but on Linux, it is left as it is.
fn yield_to_others(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        && let Err(error) = rustix::process::nice(niceness)
    {
        tracing::warn!(%error, "the threads of a back end run with the priority of all others");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
