//! How far a run is, on standard error while it goes on: a line that changes on a terminal, lines elsewhere.

use std::fmt;
use std::io::{IsTerminal, Write, stderr};
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::listener::Shared;
use super::tally::Counts;

/// Where the progress of a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nowhere.
    Hidden,
    /// One line of a terminal, every second.
    Terminal,
    /// A line every ten seconds.
    Lines,
}

impl Progress {
    /// What suits standard error: a terminal sees it unasked.
    pub(super) fn suiting(asked: bool) -> Self {
        match (stderr().is_terminal(), asked) {
            (true, _) => Self::Terminal,
            (false, true) => Self::Lines,
            (false, false) => Self::Hidden,
        }
    }

    /// Tells of a run that lasts so long, until it is dropped.
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

    /// Leaves a terminal's line empty for what comes next.
    pub(super) fn end(self) {
        if self == Self::Terminal {
            self.write("");
        }
    }

    fn write(self, line: &str) {
        // who closes standard error wants no progress
        let _ = match self {
            Self::Hidden => Ok(()),
            Self::Terminal => write!(stderr(), "\r\x1b[K{line}"),
            Self::Lines => writeln!(stderr(), "{line}"),
        };
    }
}

/// A moment of a run.
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
    fn a_moment_is_told_in_a_line() {
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
