//! Progress of a run on standard error: on a terminal, one line that is updated; otherwise, separate lines.

use std::fmt;
use std::io::{IsTerminal, Write, stderr};
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::listener::Shared;
use super::tally::Counts;

/// Form of the progress output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// No output.
    Hidden,
    /// One line of a terminal, updated every second.
    Terminal,
    /// A new line every ten seconds.
    Lines,
}

impl Progress {
    /// Returns the form for standard error. On a terminal, progress is shown even if it was not requested.
    pub(super) fn suiting(requested: bool) -> Self {
        match (stderr().is_terminal(), requested) {
            (true, _) => Self::Terminal,
            (false, true) => Self::Lines,
            (false, false) => Self::Hidden,
        }
    }

    /// Reports the progress of a run that takes `lasts`, until the run ends or the future is dropped.
    pub(super) async fn tell(self, shared: Rc<Shared>, lasts: Duration) {
        let every = match self {
            Self::Hidden => return,
            Self::Terminal => Duration::from_secs(1),
            Self::Lines => Duration::from_secs(10),
        };
        let mut next = Instant::now();
        while shared.begun.elapsed() < lasts {
            let state = State { passed: shared.begun.elapsed(), lasts, counts: shared.tally.borrow().counts };
            self.write(&state.to_string());
            next += every;
            sleep_until(next.min(shared.begun + lasts)).await;
        }
    }

    /// Clears the terminal line for later output.
    pub(super) fn end(self) {
        if self == Self::Terminal {
            self.write("");
        }
    }

    fn write(self, line: &str) {
        // write errors are ignored: a user who closes standard error wants no progress
        let _ = match self {
            Self::Hidden => Ok(()),
            Self::Terminal => write!(stderr(), "\r\x1b[K{line}"),
            Self::Lines => writeln!(stderr(), "{line}"),
        };
    }
}

/// Snapshot of a run.
struct State {
    passed: Duration,
    lasts: Duration,
    counts: Counts,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { turns, underruns, refused_turns, refused_conversations, lost_conversations, .. } =
            self.counts;
        let refused = refused_turns + refused_conversations;
        write!(f, "{} of {} s", self.passed.as_secs(), self.lasts.as_secs_f64().ceil())?;
        write!(f, " · {turns} turns, {underruns} underruns, {refused} refused, {lost_conversations} lost")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_in_one_line() {
        let counts = Counts {
            turns: 7,
            underruns: 1,
            refused_turns: 2,
            refused_conversations: 3,
            ..Counts::default()
        };
        let state =
            State { passed: Duration::from_millis(3_900), lasts: Duration::from_millis(60_100), counts };
        assert_eq!(state.to_string(), "3 of 61 s · 7 turns, 1 underruns, 5 refused, 0 lost");
    }
}
