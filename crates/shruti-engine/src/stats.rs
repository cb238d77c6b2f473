//! What the engine has done, for tests and metrics.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the engine was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Speeches in progress now.
    pub active: usize,
    /// Steps that wait for a worker now.
    pub waiting: usize,
    /// Utterances prepared, and looks for one that found none or one for another back end.
    pub prepare_steps: u64,
    /// Calls that rendered.
    pub render_steps: u64,
    /// Blocks rendered; more than `render_steps` where batches formed.
    pub blocks: u64,
    /// Chunks handed to listeners.
    pub chunks: u64,
    /// Samples handed to listeners.
    pub samples: u64,
    /// Speeches whose listeners took all of them.
    pub completed: u64,
    /// Speeches dropped before their end.
    pub cancelled: u64,
    /// Speeches that broke off.
    pub faults: u64,
    /// Requests refused for lack of room or while draining.
    pub refused: u64,
    /// Times that a back end had no room for a speech, those included for which another spoke instead.
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

/// A number that only grows.
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

/// The counts of one executor.
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
    /// The counts; none of them is of what is in progress now.
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
