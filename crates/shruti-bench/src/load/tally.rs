//! Measurements of the listeners of a run.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use shruti_lang::SAMPLE_RATE;

use super::player::Underrun;
use crate::times::{Percentiles, Times};

/// Maximum number of time slices of a run.
const MAX_SLICES: u32 = 120;

/// Measurements from the measured part of a run. A turn is counted at the time at which it was due.
#[derive(Debug)]
pub(super) struct Tally {
    window: Range<Duration>,
    slice: Duration,
    slices: Vec<Moment>,
    first_audio: Times,
    cancel: Times,
    lateness: Times,
    samples: u64,
    pub(super) counts: Counts,
    pub(super) starved: Duration,
    /// First error message of a conversation or a turn.
    pub(super) complaint: Option<String>,
}

/// Numbers of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    /// Turns that were due.
    pub(super) turns: u64,
    /// Turns that the user interrupted.
    pub(super) barge_ins: u64,
    /// Number of times a player had nothing to play although its turn was not complete.
    pub(super) underruns: u64,
    /// Turns and cancels without a response at the end of the run.
    pub(super) unanswered: u64,
    /// Turns that the server refused because it was overloaded.
    pub(super) refused_turns: u64,
    /// Turns that failed for another reason.
    pub(super) failed_turns: u64,
    /// Conversations that were refused during the whole run.
    pub(super) refused_conversations: u64,
    /// Conversations that ended early during the whole run.
    pub(super) lost_conversations: u64,
}

#[derive(Debug)]
struct Moment {
    first_audio: Times,
    cancel: Times,
    underruns: u64,
}

/// Measurements of a time slice.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Slice {
    /// Start of the slice, in seconds since the start of the measured part.
    pub(super) at_s: f64,
    pub(super) first_audio: Percentiles,
    pub(super) cancel: Percentiles,
    pub(super) underruns: u64,
}

impl Tally {
    pub(super) fn new(window: Range<Duration>) -> Self {
        let length = window.end.saturating_sub(window.start);
        let slice = (length / MAX_SLICES).max(Duration::from_secs(1));
        let number = (length.as_secs_f64() / slice.as_secs_f64()).ceil().max(1.0) as usize;
        let moment = || Moment { first_audio: Times::new(), cancel: Times::new(), underruns: 0 };
        Self {
            window,
            slice,
            slices: std::iter::repeat_with(moment).take(number).collect(),
            first_audio: Times::new(),
            cancel: Times::new(),
            lateness: Times::new(),
            samples: 0,
            counts: Counts::default(),
            starved: Duration::ZERO,
            complaint: None,
        }
    }

    /// Returns whether a time is in the measured part.
    pub(super) fn covers(&self, at: Duration) -> bool {
        self.window.contains(&at)
    }

    pub(super) fn end(&self) -> Duration {
        self.window.end
    }

    pub(super) fn first_audio(&mut self, due: Duration, now: Duration) {
        if let Some(place) = self.place(due) {
            self.first_audio.record(now.saturating_sub(due));
            self.slices[place].first_audio.record(now.saturating_sub(due));
        }
    }

    pub(super) fn cancelled(&mut self, due: Duration, now: Duration) {
        if let Some(place) = self.place(due) {
            self.cancel.record(now.saturating_sub(due));
            self.slices[place].cancel.record(now.saturating_sub(due));
        }
    }

    pub(super) fn underrun(&mut self, underrun: Underrun) {
        if let Some(place) = self.place(underrun.at) {
            self.counts.underruns += 1;
            self.starved += underrun.lasted;
            self.slices[place].underruns += 1;
        }
    }

    /// Records how late this process sent a message that was due.
    pub(super) fn sent(&mut self, due: Duration, now: Duration) {
        if self.covers(due) {
            self.lateness.record(now.saturating_sub(due));
        }
    }

    pub(super) fn heard(&mut self, samples: usize, now: Duration) {
        if self.covers(now) {
            self.samples += samples as u64;
        }
    }

    /// Increments a counter if the event is in the measured part.
    pub(super) fn count(&mut self, at: Duration, counter: impl FnOnce(&mut Counts) -> &mut u64) {
        if self.covers(at) {
            *counter(&mut self.counts) += 1;
        }
    }

    pub(super) fn complain(&mut self, error: &dyn std::fmt::Display) {
        self.complaint.get_or_insert_with(|| error.to_string());
    }

    pub(super) fn percentiles(&self) -> (Percentiles, Percentiles, Percentiles) {
        (self.first_audio.percentiles(), self.cancel.percentiles(), self.lateness.percentiles())
    }

    /// Returns the seconds of audio received per second.
    pub(super) fn throughput(&self) -> f64 {
        let length = self.window.end.saturating_sub(self.window.start).as_secs_f64();
        self.samples as f64 / f64::from(SAMPLE_RATE) / length.max(f64::MIN_POSITIVE)
    }

    pub(super) fn slices(&self) -> Vec<Slice> {
        let slice = |(place, moment): (usize, &Moment)| Slice {
            at_s: (self.slice * place as u32).as_secs_f64(),
            first_audio: moment.first_audio.percentiles(),
            cancel: moment.cancel.percentiles(),
            underruns: moment.underruns,
        };
        self.slices.iter().enumerate().map(slice).collect()
    }

    fn place(&self, at: Duration) -> Option<usize> {
        let since = self.covers(at).then(|| at.saturating_sub(self.window.start))?;
        let place = (since.as_nanos() / self.slice.as_nanos().max(1)) as usize;
        (place < self.slices.len()).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn only_the_measured_part_counts_and_slices_are_separate() {
        let mut tally = Tally::new(ms(1_000)..ms(3_500));
        for (due, now) in [(999, 1_100), (1_000, 1_010), (2_500, 2_900), (3_499, 9_000), (3_500, 3_501)] {
            tally.first_audio(ms(due), ms(now));
            tally.count(ms(due), |counts| &mut counts.turns);
        }
        tally.cancelled(ms(3_000), ms(3_005));
        tally.underrun(Underrun { at: ms(500), lasted: ms(5_000) });
        tally.underrun(Underrun { at: ms(2_000), lasted: ms(30) });
        tally.heard(24_000, ms(2_000));
        tally.heard(24_000, ms(4_000));
        let (first_audio, cancel, _) = tally.percentiles();
        assert_eq!((first_audio.count, cancel.count, tally.counts.turns), (3, 1, 3));
        assert!((first_audio.max_ms - 5_501.0).abs() < 6.0, "measured from when it was due: {first_audio:?}");
        assert_eq!((tally.counts.underruns, tally.starved), (1, ms(30)));
        assert_eq!(tally.throughput(), 1.0 / 2.5);
        let slices = tally.slices();
        let seen: Vec<_> =
            slices.iter().map(|s| (s.at_s, s.first_audio.count, s.cancel.count, s.underruns)).collect();
        assert_eq!(seen, [(0.0, 1, 0, 0), (1.0, 1, 0, 1), (2.0, 1, 1, 0)]);
    }
}
