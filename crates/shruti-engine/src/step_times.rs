//! Times of the steps of a stream, for callers that analyse the latency of the stream.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::queue::Step;

/// Maximum number of [`StepSpan`]s that are kept per stream: enough for eight utterances. Later steps are only included
/// in the total durations.
pub const MAX_STEP_SPANS: usize = 16;

/// Record of the step times of one stream. The caller passes it in the [`Request`](crate::Request), the worker threads
/// write it, and the caller can read it at any time. A stream without a record does not read the clock for its steps.
#[derive(Debug, Default)]
pub struct StepTimes(Mutex<StepSummary>);

/// Work done for a stream so far. Times are relative to the start of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepSummary {
    /// The first [`MAX_STEP_SPANS`] spans, in order.
    pub step_spans: Vec<StepSpan>,
    /// Total duration of prepare steps.
    pub preparing: Duration,
    /// Total duration of render steps; a call that several streams share counts in full for each of them.
    pub rendering: Duration,
}

/// Consecutive steps of the same kind: those that prepared an utterance, or those that rendered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSpan {
    /// Kind of the steps.
    pub step: Step,
    /// Start of the first step.
    pub begins: Duration,
    /// End of the last step.
    pub ends: Duration,
    /// Time spent on the steps. The rest of the span was spent waiting for a thread, for the listener or for more text.
    pub busy: Duration,
}

impl StepTimes {
    /// Returns the work done so far.
    pub fn summary(&self) -> StepSummary {
        self.lock().clone()
    }

    fn add(&self, step: Step, begins: Duration, ends: Duration) {
        let took = ends.saturating_sub(begins);
        let mut summary = self.lock();
        match step {
            Step::Prepare => summary.preparing += took,
            Step::Render => summary.rendering += took,
        }
        let is_full = summary.step_spans.len() >= MAX_STEP_SPANS;
        match summary.step_spans.last_mut() {
            Some(last) if last.step == step => {
                last.ends = ends;
                last.busy += took;
            }
            _ if is_full => {}
            _ => summary.step_spans.push(StepSpan { step, begins, ends, busy: took }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, StepSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writer for the record of one stream.
pub(crate) struct Stopwatch {
    times: Arc<StepTimes>,
    /// Start of the stream.
    started: Duration,
}

impl Stopwatch {
    pub(crate) fn new(times: Arc<StepTimes>, started: Duration) -> Self {
        Self { times, started }
    }

    /// Records the start and end of a step, in the time of the engine's clock.
    pub(crate) fn note(&self, step: Step, began: Duration, ended: Duration) {
        let since = |time: Duration| time.saturating_sub(self.started);
        self.times.add(step, since(began), since(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_steps_into_spans_and_keeps_the_first() {
        let ms = Duration::from_millis;
        let times = StepTimes::default();
        times.add(Step::Prepare, ms(1), ms(3));
        times.add(Step::Render, ms(4), ms(5));
        times.add(Step::Render, ms(9), ms(12));
        let rendered = StepSpan { step: Step::Render, begins: ms(4), ends: ms(12), busy: ms(4) };
        assert_eq!(times.summary().step_spans[1], rendered);
        for _ in 0..MAX_STEP_SPANS {
            times.add(Step::Prepare, ms(20), ms(21));
            times.add(Step::Render, ms(21), ms(23));
        }
        let summary = times.summary();
        let (preparing, rendering) = (ms(2 + 16), ms(4 + 32));
        assert_eq!(
            (summary.preparing, summary.rendering),
            (preparing, rendering),
            "the sums include all steps"
        );
        assert_eq!(summary.step_spans.len(), MAX_STEP_SPANS);
        assert_eq!(summary.step_spans[1], rendered, "a full list stays unchanged");
    }
}
