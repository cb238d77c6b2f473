//! Statistics of the engine, for tests and metrics.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};

/// Current numbers of streams and steps, and counters since the engine was built or the back end was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of active streams.
    pub active: usize,
    /// Number of steps that wait for a worker.
    pub waiting: usize,
    /// Number of prepare steps, including those that found no utterance or an utterance for another back end.
    pub prepare_steps: u64,
    /// Number of render calls.
    pub render_steps: u64,
    /// Number of rendered blocks; greater than `render_steps` if calls were batched.
    pub blocks: u64,
    /// Number of chunks passed to listeners.
    pub chunks: u64,
    /// Number of samples passed to listeners.
    pub samples: u64,
    /// Number of streams that listeners read to the end.
    pub completed: u64,
    /// Number of streams that were dropped before their end.
    pub cancelled: u64,
    /// Number of streams that ended with an internal error or an error of a back end.
    pub faults: u64,
    /// Number of requests that were refused for lack of capacity or while draining, plus the number of times that an
    /// active stream was refused by the back end for a later utterance.
    pub refused: u64,
    /// Number of times that a back end had no capacity for a stream, including the times that a fallback spoke instead.
    pub full: u64,
}

impl Add for Stats {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            active: self.active + other.active,
            waiting: self.waiting + other.waiting,
            prepare_steps: self.prepare_steps + other.prepare_steps,
            render_steps: self.render_steps + other.render_steps,
            blocks: self.blocks + other.blocks,
            chunks: self.chunks + other.chunks,
            samples: self.samples + other.samples,
            completed: self.completed + other.completed,
            cancelled: self.cancelled + other.cancelled,
            faults: self.faults + other.faults,
            refused: self.refused + other.refused,
            full: self.full + other.full,
        }
    }
}

/// A counter that never decreases.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters of one executor.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) prepare_steps: Counter,
    pub(crate) render_steps: Counter,
    pub(crate) blocks: Counter,
    pub(crate) chunks: Counter,
    pub(crate) samples: Counter,
    pub(crate) completed: Counter,
    pub(crate) cancelled: Counter,
    pub(crate) faults: Counter,
    pub(crate) refused: Counter,
    pub(crate) full: Counter,
}

impl Counters {
    /// Returns the counters as statistics; `active` and `waiting` are zero.
    pub(crate) fn stats(&self) -> Stats {
        Stats {
            active: 0,
            waiting: 0,
            prepare_steps: self.prepare_steps.get(),
            render_steps: self.render_steps.get(),
            blocks: self.blocks.get(),
            chunks: self.chunks.get(),
            samples: self.samples.get(),
            completed: self.completed.get(),
            cancelled: self.cancelled.get(),
            faults: self.faults.get(),
            refused: self.refused.get(),
            full: self.full.get(),
        }
    }
}
