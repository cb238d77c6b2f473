//! Turns that have ended. They are kept to recognise late text, and to answer cancel commands while their audio is
//! being played.

use std::collections::VecDeque;
use std::time::Duration;

use super::command::TurnId;
use super::event::{CutUnit, PositionSource};
use super::heard::{self, TextEnds};

/// Maximum number of ended turns that are kept.
pub const MAX_FINISHED: usize = 256;
/// Maximum total length, in bytes, of the texts of ended turns. The texts are kept to report what was heard; the oldest
/// is dropped first.
const TEXT_BUDGET: usize = 64 * 1024;

/// Position at which a turn was cut off for its listener.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Duration of the audio that was heard.
    pub(super) time: Duration,
    /// Number of characters of the text that were heard.
    pub(super) chars: u32,
    /// Source of the position.
    pub(super) basis: PositionSource,
}

impl Cut {
    /// Cut before the first audio: nothing was heard.
    pub(super) const NOTHING_HEARD: Self =
        Self { time: Duration::ZERO, chars: 0, basis: PositionSource::Playhead };
}

/// A turn that has ended.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) turn: TurnId,
    pub(super) text: String,
    /// Position at which the audio begins for the listener; `None` if the turn had no audio.
    pub(super) begins: Option<Duration>,
    pub(super) sent: Duration,
    pub(super) text_ends: TextEnds,
    /// Unit at whose end the text can be cut.
    pub(super) cut_at: CutUnit,
    /// Whether all text was spoken.
    pub(super) complete: bool,
    /// Position up to which the listener had heard the turn when it was cut off; `None` if it was not cut off.
    pub(super) cut: Option<Cut>,
    /// Whether a warning about late text has been sent.
    pub(super) warned: bool,
}

impl Record {
    /// Returns the cut at a time in the turn.
    pub(super) fn cut_at(&self, up_to: Duration, basis: PositionSource) -> Cut {
        let time = up_to.min(self.sent);
        let everything = self.complete && time == self.sent;
        let chars = if everything { self.text.chars().count() as u32 } else { self.text_ends.heard(time) };
        Cut { time, chars, basis }
    }

    /// Splits the text after a number of characters.
    pub(super) fn split(&self, chars: u32) -> (&str, &str) {
        heard::split(&self.text, chars)
    }

    /// Returns the position at which the audio ends for the listener.
    pub(super) fn ends(&self) -> Option<Duration> {
        self.begins.map(|begins| begins + self.sent)
    }
}

/// The most recent ended turns, oldest first.
#[derive(Debug, Default)]
pub(super) struct Finished {
    records: VecDeque<Record>,
    text_bytes: usize,
}

impl Finished {
    pub(super) fn add(&mut self, record: Record) {
        self.text_bytes += record.text.len();
        self.records.push_back(record);
        if self.records.len() > MAX_FINISHED
            && let Some(forgotten) = self.records.pop_front()
        {
            self.text_bytes -= forgotten.text.len();
        }
        // the newest turn keeps its text regardless of the size, because its audio may still be playing
        let older = self.records.len() - 1;
        for record in self.records.iter_mut().take(older) {
            if self.text_bytes <= TEXT_BUDGET {
                break;
            }
            self.text_bytes -= record.text.len();
            record.text = String::new();
        }
    }

    pub(super) fn get(&self, turn: &str) -> Option<&Record> {
        self.records.iter().rev().find(|record| &*record.turn == turn)
    }

    pub(super) fn get_mut(&mut self, turn: &str) -> Option<&mut Record> {
        self.records.iter_mut().rev().find(|record| &*record.turn == turn)
    }

    /// Returns the ended turn whose audio is being played at a position. Turns that were cut off do not count.
    pub(super) fn at(&self, position: Duration) -> Option<&Record> {
        self.records
            .iter()
            .rev()
            .filter(|record| record.cut.is_none())
            .find(|record| record.begins.is_some_and(|begins| begins <= position))
            .filter(|record| record.ends().is_some_and(|ends| position < ends))
    }

    /// Subtracts `by` from the positions of all turns that begin at `from` or later, because audio before them was
    /// discarded.
    pub(super) fn shift(&mut self, from: Duration, by: Duration) {
        for record in &mut self.records {
            if let Some(begins) = record.begins.filter(|&begins| begins >= from) {
                record.begins = Some(begins.saturating_sub(by));
            }
        }
    }
}
