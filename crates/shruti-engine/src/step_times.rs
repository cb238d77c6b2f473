//! When a speech was worked at, for a caller who wants to know where its time went.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::queue::Step;

/// The most stretches that are kept of one speech: eight utterances. Those that follow are in the sums alone.
pub const MAX_STRETCHES: usize = 16;

/// A record of the steps of one speech. It is handed in with the [`Request`](crate::Request), written by the threads that
/// do the steps, and read at any time; a speech without one costs no look at the clock.
#[derive(Debug, Default)]
pub struct StepTimes(Mutex<Worked>);

/// What was worked at a speech so far. Times are counted from when it was begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// The first [`MAX_STRETCHES`] stretches, in order.
    pub stretches: Vec<Stretch>,
    /// How long threads prepared, in all.
    pub preparing: Duration,
    /// How long threads rendered, in all; where speeches share a call, each has all of it.
    pub rendering: Duration,
}

/// Steps of one kind that followed one another: those that prepared an utterance, or rendered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// What was done.
    pub step: Step,
    /// When the first of them began.
    pub begins: Duration,
    /// When the last of them ended.
    pub ends: Duration,
    /// How long threads were at it; the rest was spent waiting: for a thread, for the listener, for more text.
    pub busy: Duration,
}

impl StepTimes {
    /// What has been worked so far.
    pub fn worked(&self) -> Worked {
        self.lock().clone()
    }

    fn add(&self, step: Step, begins: Duration, ends: Duration) {
        let took = ends.saturating_sub(begins);
        let mut worked = self.lock();
        match step {
            Step::Prepare => worked.preparing += took,
            Step::Render => worked.rendering += took,
        }
        let is_full = worked.stretches.len() >= MAX_STRETCHES;
        match worked.stretches.last_mut() {
            Some(last) if last.step == step => {
                last.ends = ends;
                last.busy += took;
            }
            _ if is_full => {}
            _ => worked.stretches.push(Stretch { step, begins, ends, busy: took }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Worked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the record of one speech.
pub(crate) struct Stopwatch {
    times: Arc<StepTimes>,
    /// When the speech was begun.
    begun: Duration,
}

impl Stopwatch {
    pub(crate) fn new(times: Arc<StepTimes>, begun: Duration) -> Self {
        Self { times, begun }
    }

    /// A step was done between these times of the engine's clock.
    pub(crate) fn note(&self, step: Step, began: Duration, ended: Duration) {
        let since = |time: Duration| time.saturating_sub(self.begun);
        self.times.add(step, since(began), since(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_one_kind_are_one_stretch_and_only_the_first_stretches_are_kept() {
        let ms = Duration::from_millis;
        let times = StepTimes::default();
        times.add(Step::Prepare, ms(1), ms(3));
        times.add(Step::Render, ms(4), ms(5));
        times.add(Step::Render, ms(9), ms(12));
        let rendered = Stretch { step: Step::Render, begins: ms(4), ends: ms(12), busy: ms(4) };
        assert_eq!(times.worked().stretches[1], rendered);
        for _ in 0..MAX_STRETCHES {
            times.add(Step::Prepare, ms(20), ms(21));
            times.add(Step::Render, ms(21), ms(23));
        }
        let worked = times.worked();
        let (preparing, rendering) = (ms(2 + 16), ms(4 + 32));
        assert_eq!((worked.preparing, worked.rendering), (preparing, rendering), "the sums have all");
        assert_eq!(worked.stretches.len(), MAX_STRETCHES);
        assert_eq!(worked.stretches[1], rendered, "what is full takes nothing more in");
    }
}
