//! Turns that have ended: remembered for late text, and for cancels while they are still being listened to.

use std::collections::VecDeque;
use std::time::Duration;

use super::command::TurnId;
use super::event::{Basis, CutAt};
use super::heard::{self, TextEnds};

/// How many ended turns are remembered.
pub const MAX_FINISHED: usize = 256;
/// How much of their text, in bytes, is kept to answer what was heard; the oldest text is dropped first.
const TEXT_BUDGET: usize = 64 * 1024;

/// Where a turn was cut off for its listener.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// How much of its sound was heard.
    pub(super) time: Duration,
    /// How many characters of its text.
    pub(super) chars: u32,
    /// How that is known.
    pub(super) basis: Basis,
}

impl Cut {
    /// Nothing was heard.
    pub(super) const NOTHING: Self = Self { time: Duration::ZERO, chars: 0, basis: Basis::Playhead };
}

/// A turn that has ended.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) turn: TurnId,
    pub(super) text: String,
    /// Where its sound begins and ends for the listener; `None` when it never sounded.
    pub(super) begins: Option<Duration>,
    pub(super) sent: Duration,
    pub(super) text_ends: TextEnds,
    /// What its text can be cut at.
    pub(super) cut_at: CutAt,
    /// Whether all of its text was spoken.
    pub(super) complete: bool,
    /// What the listener had heard of it when it was cut off.
    pub(super) cut: Option<Cut>,
    /// Whether late text was warned of.
    pub(super) warned: bool,
}

impl Record {
    /// Cuts it off at a time in the turn.
    pub(super) fn cut_at(&self, up_to: Duration, basis: Basis) -> Cut {
        let time = up_to.min(self.sent);
        let everything = self.complete && time == self.sent;
        let chars = if everything { self.text.chars().count() as u32 } else { self.text_ends.heard(time) };
        Cut { time, chars, basis }
    }

    /// Its text, split after characters.
    pub(super) fn split(&self, chars: u32) -> (&str, &str) {
        heard::split(&self.text, chars)
    }

    /// Where its sound ends for the listener.
    pub(super) fn ends(&self) -> Option<Duration> {
        self.begins.map(|begins| begins + self.sent)
    }
}

/// The last turns that have ended, oldest first.
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
        // the newest keeps its text whatever its size: it is the one that is being listened to
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

    /// The turn that is being listened to at a position, if it has ended.
    pub(super) fn at(&self, position: Duration) -> Option<&Record> {
        self.records
            .iter()
            .rev()
            .filter(|record| record.cut.is_none())
            .find(|record| record.begins.is_some_and(|begins| begins <= position))
            .filter(|record| record.ends().is_some_and(|ends| position < ends))
    }

    /// Moves everything from a position on earlier, after a stretch before it was thrown away.
    pub(super) fn shift(&mut self, from: Duration, by: Duration) {
        for record in &mut self.records {
            if let Some(begins) = record.begins.filter(|&begins| begins >= from) {
                record.begins = Some(begins.saturating_sub(by));
            }
        }
    }
}
