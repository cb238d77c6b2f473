//! Progress of spoken texts: a bar on a terminal; without a terminal, lines if they are requested.

use std::cell::Cell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use shruti_lang::SAMPLE_RATE;

use crate::printable::printable;

/// Size of a text, in bytes, above which a bar is shown.
const LONG_TEXT: u64 = 900;
/// Interval between progress lines without a terminal.
const LINES_EVERY: Duration = Duration::from_secs(10);

/// Progress of texts that are spoken one after another.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Time of the next line, if lines are requested.
    next_line: Cell<Option<Instant>>,
    /// Total bytes of all texts, if known.
    all: Option<u64>,
    counts: Cell<Counts>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    /// Bytes of earlier texts.
    bytes_before: u64,
    /// Bytes of the current text that have been read so far.
    bytes: u64,
    chars: u64,
    /// Bytes of text spoken so far. The bytes of the current text are estimated.
    spoken: u64,
    samples: u64,
}

/// Snapshot of the progress, for display.
struct State {
    all: Option<u64>,
    counts: Counts,
}

impl Progress {
    /// Creates the progress of texts with `all` bytes in total; `None` means that the size is unknown. Lines are
    /// printed if `requested` is true and standard error is not a terminal.
    pub(super) fn of(all: Option<u64>, requested: bool) -> Self {
        let is_terminal = stderr().is_terminal();
        let next_line = Cell::new((requested && !is_terminal).then(|| Instant::now() + LINES_EVERY));
        let bar = if is_terminal && all.is_none_or(|bytes| bytes > LONG_TEXT) {
            bar(all)
        } else {
            ProgressBar::hidden()
        };
        Self { bar, next_line, all, counts: Cell::default() }
    }

    /// Adds a piece of the text that is about to be spoken.
    pub(super) fn given(&self, piece: &str) {
        self.change(|counts| {
            counts.bytes += piece.len() as u64;
            counts.chars += piece.chars().count() as u64;
        });
    }

    /// Sets the number of characters of the text that have been spoken.
    pub(super) fn spoken(&self, chars: u64) {
        self.change(|counts| {
            // estimates the spoken bytes from the fraction of characters that have been spoken
            let Counts { bytes_before, bytes, chars: given, .. } = *counts;
            counts.spoken = bytes_before + (bytes * chars.min(given)).checked_div(given).unwrap_or(0);
        });
    }

    /// Marks the end of a text; another may follow.
    pub(super) fn text_ends(&self) {
        self.change(|counts| {
            counts.bytes_before += counts.bytes;
            (counts.bytes, counts.chars) = (0, 0);
            counts.spoken = counts.bytes_before;
        });
    }

    pub(super) fn sounded(&self, samples: usize) {
        self.change(|counts| counts.samples += samples as u64);
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
        self.bar.set_position(counts.spoken);
        self.bar.set_message(Speech(counts.samples).to_string());
        if let Some(due) = self.next_line.get().filter(|&due| due <= Instant::now()) {
            self.next_line.set(Some(due.max(Instant::now()) + LINES_EVERY));
            eprintln!("{}", State { all: self.all, counts });
        }
    }

    /// Prints a message above the bar.
    pub(super) fn print(&self, what: &str) {
        self.bar.suspend(|| eprintln!("shruti: {}", printable(what)));
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn bar(all: Option<u64>) -> ProgressBar {
    let (bar, template) = match all {
        Some(bytes) => (ProgressBar::new(bytes), "{bar:40} {percent:>3} %  {msg}"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Duration of speech, in samples, for display.
struct Speech(u64);

impl fmt::Display for Speech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / u64::from(SAMPLE_RATE);
        write!(f, "{}:{:02}:{:02} of speech", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { spoken, samples, .. } = self.counts;
        if let Some(percent) = self.all.and_then(|all| (100 * spoken).checked_div(all)) {
            write!(f, "{} % · ", percent.min(100))?;
        }
        write!(f, "{} kB · {}", spoken / 1_000, Speech(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_in_one_line() {
        let counts = Counts { spoken: 41_900, samples: 24_000 * 4_000 + 100, ..Counts::default() };
        let line = |all| State { all, counts }.to_string();
        assert_eq!(line(Some(100_000)), "41 % · 41 kB · 1:06:40 of speech");
        assert_eq!(line(None), "41 kB · 1:06:40 of speech");
    }

    #[test]
    fn progress_is_the_spoken_share_of_the_bytes() {
        let progress = Progress::of(Some(100), false);
        progress.given("नमस्ते"); // 18 bytes
        progress.spoken(3);
        assert_eq!(progress.counts.get().spoken, 9);
        progress.text_ends();
        progress.given("ab");
        progress.spoken(1);
        assert_eq!(progress.counts.get().spoken, 19);
    }
}
