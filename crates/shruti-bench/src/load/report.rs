//! Report of a run.

use std::fmt;

use serde::Serialize;

use super::process::Usage;
use super::tally::{Counts, Slice, Tally};
use super::trial::Trial;
use crate::times::Percentiles;

/// Result of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) conversations: usize,
    seconds: f64,
    ramp_seconds: f64,
    barge_in_share: f64,
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// Total duration of all underruns.
    starved_ms: f64,
    /// Time from the due time of the first speakable text to the first audible sample.
    pub(super) first_audio: Percentiles,
    /// Time from the due time of a cancel to the response.
    pub(super) cancel: Percentiles,
    /// Delay of the load generator: time from the due time of a message until the message was sent. The times above
    /// include this delay, which the server did not cause.
    lateness: Percentiles,
    /// Seconds of audio received per second.
    throughput: f64,
    server: Option<Usage>,
    generator: Option<Usage>,
    /// First error message of a conversation or a turn.
    complaint: Option<String>,
    pub(super) slices: Vec<Slice>,
}

impl Report {
    pub(super) fn new(trial: &Trial, tally: &Tally, server: Option<Usage>, generator: Option<Usage>) -> Self {
        let (first_audio, cancel, lateness) = tally.percentiles();
        Self {
            conversations: trial.conversations,
            seconds: trial.measured.as_secs_f64(),
            ramp_seconds: trial.ramp.as_secs_f64(),
            barge_in_share: trial.barge_in_share,
            counts: tally.counts,
            starved_ms: tally.starved.as_secs_f64() * 1_000.0,
            first_audio,
            cancel,
            lateness,
            throughput: tally.throughput(),
            server,
            generator,
            complaint: tally.complaint.clone(),
            slices: tally.slices(),
        }
    }

    /// Returns whether the run had at least one turn and no faults.
    pub(super) fn is_clean(&self) -> bool {
        let Counts { turns, barge_ins: _, underruns, unanswered, .. } = self.counts;
        let Counts { refused_turns, failed_turns, refused_conversations, lost_conversations, .. } =
            self.counts;
        let faults =
            [underruns, unanswered, refused_turns, failed_turns, refused_conversations, lost_conversations];
        turns > 0 && faults == [0; 6]
    }

    /// Returns a one-line summary, for a list of runs.
    pub(super) fn line(&self) -> String {
        let Counts {
            underruns, unanswered, refused_turns, refused_conversations, lost_conversations, ..
        } = self.counts;
        format!(
            "{:6} conversations: {underruns} underruns, {} refused, {} lost or unanswered; first audio p99 {:.1} ms, \
             cancel p99 {:.1} ms, server {}",
            self.conversations,
            refused_turns + refused_conversations,
            lost_conversations + unanswered,
            self.first_audio.p99_ms,
            self.cancel.p99_ms,
            usage(self.server),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            turns,
            barge_ins,
            underruns,
            unanswered,
            refused_turns,
            failed_turns,
            refused_conversations,
            lost_conversations,
        } = self.counts;
        writeln!(f, "{} conversations, {} s measured\n", self.conversations, self.seconds)?;
        writeln!(
            f,
            "| milliseconds | p50 | p90 | p99 | max | count |\n| :-- | --: | --: | --: | --: | --: |"
        )?;
        for (name, times) in [
            ("first audio", self.first_audio),
            ("answer to a cancel", self.cancel),
            ("delay of the load generator", self.lateness),
        ] {
            let Percentiles { count, p50_ms, p90_ms, p99_ms, max_ms } = times;
            writeln!(f, "| {name} | {p50_ms:.1} | {p90_ms:.1} | {p99_ms:.1} | {max_ms:.1} | {count} |")?;
        }
        writeln!(f, "\n| | |\n| :-- | --: |")?;
        writeln!(f, "| turns, interrupted turns | {turns}, {barge_ins} |")?;
        writeln!(f, "| underruns | {underruns} ({:.0} ms) |", self.starved_ms)?;
        writeln!(f, "| refused conversations, turns | {refused_conversations}, {refused_turns} |")?;
        writeln!(
            f,
            "| lost conversations, failed turns, unanswered | {lost_conversations}, {failed_turns}, {unanswered} |"
        )?;
        writeln!(f, "| seconds of audio per second | {:.0} |", self.throughput)?;
        writeln!(f, "| server | {} |", usage(self.server))?;
        writeln!(f, "| generator | {} |", usage(self.generator))?;
        if let Some(complaint) = &self.complaint {
            writeln!(f, "\nThe first error: {complaint}")?;
        }
        Ok(())
    }
}

fn usage(usage: Option<Usage>) -> String {
    match usage {
        Some(Usage { cores, memory_mib }) => format!("{cores:.2} cores, {memory_mib:.0} MiB"),
        None => "not on this machine".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    impl Report {
        /// Creates the report of a run with or without faults.
        pub(crate) fn of_test(conversations: usize, is_clean: bool) -> Self {
            let mut tally = Tally::new(Duration::ZERO..Duration::from_secs(3));
            tally.counts = Counts { turns: 1, underruns: u64::from(!is_clean), ..Counts::default() };
            tally.first_audio(Duration::from_secs(1), Duration::from_millis(1_040));
            Self {
                conversations,
                seconds: 3.0,
                ramp_seconds: 1.0,
                barge_in_share: 0.0,
                counts: tally.counts,
                starved_ms: 0.0,
                first_audio: tally.percentiles().0,
                cancel: tally.percentiles().1,
                lateness: tally.percentiles().2,
                throughput: tally.throughput(),
                server: Some(Usage { cores: 0.5, memory_mib: 80.0 }),
                generator: None,
                complaint: None,
                slices: tally.slices(),
            }
        }
    }

    #[test]
    fn any_audible_fault_makes_a_run_unclean() {
        assert!(Report::of_test(10, true).is_clean());
        let faults: [fn(&mut Counts) -> &mut u64; 6] = [
            |counts| &mut counts.underruns,
            |counts| &mut counts.unanswered,
            |counts| &mut counts.refused_turns,
            |counts| &mut counts.failed_turns,
            |counts| &mut counts.refused_conversations,
            |counts| &mut counts.lost_conversations,
        ];
        for (place, fault) in faults.into_iter().enumerate() {
            let mut report = Report::of_test(10, true);
            *fault(&mut report.counts) = 1;
            assert!(!report.is_clean(), "fault {place}");
        }
        let mut idle = Report::of_test(10, true);
        idle.counts.turns = 0;
        assert!(!idle.is_clean(), "a run without a turn shows nothing");
    }

    #[test]
    fn the_table_names_the_measured_values() {
        let text = Report::of_test(10, false).to_string();
        for line in [
            "10 conversations, 3 s measured",
            "| first audio | 40.0",
            "| underruns | 1 (0 ms) |",
            "0.50 cores, 80 MiB",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("| generator | not on this machine |"));
    }
}
