//! Schedule of each conversation. It is fixed before the conversation begins.

use std::time::Duration;

use fastrand::Rng;

/// Range of the pause before the next turn, relative to the duration of the audio of the previous turn. The mean is
/// one, so that listeners hear speech for about half of the time.
const PAUSE: (f64, f64) = (0.5, 1.5);
/// Range of the position in the audio of a turn at which the user interrupts the turn: 0 is the beginning, 1 the end.
const INTERRUPTS: (f64, f64) = (0.1, 0.9);

/// Planned turn. All times are relative to the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Time at which the first piece of text is due.
    pub(super) due: Duration,
    /// Index of the script.
    pub(super) script: usize,
    /// Time at which the user interrupts the turn, if any.
    pub(super) interrupted: Option<Duration>,
}

/// Endless schedule of the turns of one conversation.
///
/// The schedule does not depend on the server, so that a slow server does not receive less load. A turn that begins
/// late is measured from the time at which it was due (Tene, "How not to measure latency", 2015: coordinated omission).
#[derive(Debug)]
pub(super) struct Plan {
    random: Rng,
    barge_in_share: f64,
    /// Duration of the speech of each script.
    lengths: Vec<Duration>,
    next_due: Duration,
}

impl Plan {
    /// Creates the schedule of a conversation that opens at `opens`. The same `number` results in the same schedule.
    pub(super) fn new(number: usize, opens: Duration, barge_in_share: f64, lengths: Vec<Duration>) -> Self {
        let mut random = Rng::with_seed(number as u64);
        let mean = lengths.iter().sum::<Duration>() / u32::try_from(lengths.len().max(1)).unwrap_or(1);
        // staggers the first turns of the conversations
        let next_due = opens + mean.mul_f64(2.0 * random.f64());
        Self { random, barge_in_share, lengths, next_due }
    }

    fn between(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * self.random.f64()
    }

    /// Returns the next turn.
    pub(super) fn next_turn(&mut self) -> Planned {
        let due = self.next_due;
        let script = self.random.usize(..self.lengths.len());
        let length = self.lengths[script];
        let is_interrupted = self.random.f64() < self.barge_in_share;
        let interrupted = is_interrupted.then(|| due + length.mul_f64(self.between(INTERRUPTS)));
        let spoken = interrupted.map_or(length, |at| at.saturating_sub(due));
        self.next_due = due + spoken + spoken.mul_f64(self.between(PAUSE));
        Planned { due, script, interrupted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(number: usize, barge_in_share: f64, turns: usize) -> Vec<Planned> {
        let lengths = vec![Duration::from_secs(4), Duration::from_secs(8)];
        let mut plan = Plan::new(number, Duration::from_secs(1), barge_in_share, lengths);
        (0..turns).map(|_| plan.next_turn()).collect()
    }

    #[test]
    fn a_conversation_speaks_for_half_of_the_time() {
        for barge_in_share in [0.0, 0.5] {
            let turns: Vec<Planned> = begin(7, barge_in_share, 2_000);
            let spoken: Duration = turns
                .iter()
                .map(|turn| {
                    let length = Duration::from_secs(if turn.script == 0 { 4 } else { 8 });
                    turn.interrupted.map_or(length, |end| end.saturating_sub(turn.due))
                })
                .sum();
            let duration = turns[1_999].due.saturating_sub(turns[0].due);
            let share = spoken.as_secs_f64() / duration.as_secs_f64();
            assert!((0.47..0.53).contains(&share), "{share}");
            let interrupted = turns.iter().filter(|turn| turn.interrupted.is_some()).count();
            assert!((interrupted as f64 / 2_000.0 - barge_in_share).abs() < 0.05, "{interrupted}");
        }
    }

    #[test]
    fn plans_can_be_repeated_and_differ_from_each_other() {
        let begin = |number| begin(number, 0.3, 5);
        assert_eq!(begin(1), begin(1));
        assert_ne!(begin(1), begin(2));
        assert!(begin(1).iter().all(|turn| turn.due >= Duration::from_secs(1)));
    }
}
