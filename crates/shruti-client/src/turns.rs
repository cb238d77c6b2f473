//! The turns of a conversation: those that are open, with what has come of them and what was sent, and those that have
//! ended.

use std::collections::VecDeque;

use shruti_lang::SAMPLE_RATE;
use shruti_protocol::stream::{Basis, CancelState, ClientMessage, CutAt, Flush, Heard, Text};

use crate::Cancelled;

/// Turns that have ended and are remembered, so that what is still said of them is not sent.
const MAX_ENDED: usize = 256;
/// The most text of one turn that is kept to be sent to another server, in bytes.
const MAX_KEPT: usize = 64 * 1_024;

/// The turns of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// In the order in which they began.
    open: Vec<Turn>,
    /// The latest last, with whether they were sent whole.
    ended: VecDeque<(String, bool)>,
}

#[derive(Debug)]
struct Turn {
    id: String,
    /// Bytes of sound that have come.
    received: u64,
    /// What was sent of it, until its sound begins or its cancel is sent: then it must not be said again.
    sent: Option<Vec<ClientMessage>>,
    kept: usize,
    /// Whether it waits for another server.
    waits: bool,
}

impl Turns {
    /// Takes note of a message, and tells whether to send it: not if it is about a turn that has ended, which it would
    /// begin a second time on another connection, or about one that waits.
    pub(crate) fn is_to_send(&mut self, message: &ClientMessage) -> bool {
        if self.comes_too_late(message) {
            return false;
        }
        let (ClientMessage::Text(Text { turn_id: Some(turn), .. })
        | ClientMessage::End { turn_id: Some(turn) }
        | ClientMessage::Flush(Flush { turn_id: Some(turn), .. })) = message
        else {
            return true;
        };
        let position = self.open.iter().position(|open| open.id == *turn);
        let position = match (position, message) {
            (Some(position), _) => position,
            (None, ClientMessage::Text(_)) => {
                self.open.push(Turn {
                    id: turn.clone(),
                    received: 0,
                    sent: Some(Vec::new()),
                    kept: 0,
                    waits: false,
                });
                self.open.len() - 1
            }
            (None, _) => return true,
        };
        let Some(open) = self.open.get_mut(position) else { return true };
        if let ClientMessage::Text(text) = message {
            open.kept = open.kept.saturating_add(text.text.len());
        }
        match &mut open.sent {
            Some(sent) if open.kept <= MAX_KEPT || open.waits => sent.push(message.clone()),
            sent => *sent = None,
        }
        !open.waits
    }

    fn comes_too_late(&self, message: &ClientMessage) -> bool {
        let ended = |turn: &str| self.ended.iter().find(|(ended, _)| ended == turn);
        match message {
            ClientMessage::Text(Text { turn_id: Some(turn), .. })
            | ClientMessage::End { turn_id: Some(turn) }
            | ClientMessage::Flush(Flush { turn_id: Some(turn), .. }) => ended(turn).is_some(),
            // who plays a turn that was sent whole still says where the player is
            ClientMessage::Played(played) => ended(&played.turn_id).is_some_and(|(_, whole)| !whole),
            _ => false,
        }
    }

    /// Counts sound of a turn.
    pub(crate) fn received(&mut self, turn: &str, bytes: usize) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == turn) {
            open.received += bytes as u64;
            open.sent = None;
        }
    }

    /// How much sound of an open turn has come, in milliseconds.
    pub(crate) fn received_ms(&self, turn: &str) -> Option<u32> {
        self.open.iter().find(|open| open.id == turn).map(Turn::received_ms)
    }

    /// Strikes a turn off those that are open.
    pub(crate) fn end(&mut self, turn: &str, is_whole: bool) {
        self.open.retain(|open| open.id != turn);
        if self.ended.len() == MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back((turn.to_owned(), is_whole));
    }

    /// Lets a turn wait for another server; `false` if it cannot be sent again.
    pub(crate) fn wait(&mut self, turn: &str) -> bool {
        let open = self.open.iter_mut().find(|open| open.id == turn && open.sent.is_some());
        open.map(|open| open.waits = true).is_some()
    }

    /// Lets no other server say a turn, or any that is open, for its cancel is sent.
    pub(crate) fn keep_from_others(&mut self, turn: Option<&str>) {
        for open in self.open.iter_mut().filter(|open| turn.is_none_or(|turn| open.id == turn)) {
            open.sent = None;
        }
    }

    /// Whether a turn waits.
    pub(crate) fn waits(&self, turn: &str) -> bool {
        self.open.iter().any(|open| open.waits && open.id == turn)
    }

    /// Whether no turn is open, not even one that waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no turn is open but such as wait.
    pub(crate) fn all_wait(&self) -> bool {
        self.open.iter().all(|open| open.waits)
    }

    /// What is to be sent to the next server first: the turns as they began, but those before them that go before all
    /// others, which would cancel what is sent before.
    pub(crate) fn take_waiting(&mut self) -> Vec<ClientMessage> {
        let mut waiting: Vec<_> = self.open.iter_mut().filter(|open| open.waits).collect();
        waiting.sort_by_key(|open| !open.preempts());
        let messages = waiting.into_iter().flat_map(|open| {
            open.waits = false;
            open.sent.clone().unwrap_or_default()
        });
        messages.collect()
    }

    /// Ends the open turns of a lost connection, and returns each with the milliseconds of its sound that have come.
    /// Those that wait stay, and where the server shut down in order (`has_left`) all of which nothing has come.
    pub(crate) fn lose(&mut self, has_left: bool) -> Vec<(String, u32)> {
        for open in &mut self.open {
            open.waits |= has_left && open.sent.is_some();
        }
        let lost = self.open.iter().filter(|open| !open.waits);
        let lost: Vec<_> = lost.map(|open| (open.id.clone(), open.received_ms())).collect();
        for (turn, _) in &lost {
            self.end(turn, false);
        }
        lost
    }

    /// Ends a turn that waits.
    pub(crate) fn cancel_waiting(&mut self, turn: &str) -> Option<Cancelled> {
        let waiting = self.open.iter().find(|open| open.id == turn && open.waits)?;
        let cancelled = waiting.cancelled();
        self.end(turn, false);
        Some(cancelled)
    }

    /// Ends all turns that wait.
    pub(crate) fn cancel_all_waiting(&mut self) -> Vec<Cancelled> {
        let cancelled: Vec<_> = self.open.iter().filter(|open| open.waits).map(Turn::cancelled).collect();
        for Cancelled { turn, .. } in &cancelled {
            self.end(turn.as_deref().unwrap_or_default(), false);
        }
        cancelled
    }
}

impl Turn {
    fn received_ms(&self) -> u32 {
        (self.received / 2 * 1_000 / u64::from(SAMPLE_RATE)) as u32
    }

    /// Whether it goes before all turns that wait.
    fn preempts(&self) -> bool {
        self.sent.iter().flatten().any(|message| matches!(message, ClientMessage::Text(text) if text.preempt))
    }

    /// What is said of its end where no server knew of it.
    fn cancelled(&self) -> Cancelled {
        let texts = self.sent.iter().flatten().filter_map(|message| match message {
            ClientMessage::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        Cancelled {
            turn: Some(self.id.clone()),
            state: CancelState::Cancelled,
            sent_ms: 0,
            heard: Heard {
                ms: 0,
                text: String::new(),
                char_end: 0,
                basis: Basis::Playhead,
                cut_at: CutAt::default(),
            },
            unheard_text: texts.collect(),
        }
    }
}
