//! Open turns of a conversation, with the amount of audio received and the messages sent for each, and recently
//! ended turns.

use std::collections::VecDeque;

use shruti_lang::SAMPLE_RATE;
use shruti_protocol::stream::{Basis, CancelState, ClientMessage, CutAt, Flush, Heard, Text};

use crate::Cancelled;

/// Maximum number of ended turns that are remembered, so that later messages about them are not sent.
const MAX_ENDED: usize = 256;
/// Maximum length of the text of one turn that is kept for another server, in bytes.
const MAX_KEPT: usize = 64 * 1_024;

/// Turns of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Open turns, in the order in which they began.
    open: Vec<Turn>,
    /// IDs of ended turns, newest last, and whether each turn was received completely.
    ended: VecDeque<(String, bool)>,
}

#[derive(Debug)]
struct Turn {
    id: String,
    /// Number of bytes of audio received.
    received: u64,
    /// Messages sent for the turn, or `None` if the turn cannot be repeated: after its audio has begun, after
    /// its cancel was sent, or if its text is longer than [`MAX_KEPT`].
    sent: Option<Vec<ClientMessage>>,
    kept: usize,
    /// Whether the turn waits for another server.
    waits: bool,
}

impl Turns {
    /// Records a message. Returns whether the message must be sent now. Messages about a turn that waits are sent
    /// later. Messages about an ended turn are dropped, since on another connection they would begin that turn
    /// again.
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
            // the player of a turn that was received completely still reports its position
            ClientMessage::Played(played) => ended(&played.turn_id).is_some_and(|(_, whole)| !whole),
            _ => false,
        }
    }

    /// Adds to the amount of audio received for a turn.
    pub(crate) fn received(&mut self, turn: &str, bytes: usize) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == turn) {
            open.received += bytes as u64;
            open.sent = None;
        }
    }

    /// Returns the duration of the audio received for an open turn, in milliseconds.
    pub(crate) fn received_ms(&self, turn: &str) -> Option<u32> {
        self.open.iter().find(|open| open.id == turn).map(Turn::received_ms)
    }

    /// Moves a turn from the open to the ended turns.
    pub(crate) fn end(&mut self, turn: &str, is_whole: bool) {
        self.open.retain(|open| open.id != turn);
        if self.ended.len() == MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back((turn.to_owned(), is_whole));
    }

    /// Marks a turn as waiting for another server. Returns `false` if it cannot be sent again.
    pub(crate) fn wait(&mut self, turn: &str) -> bool {
        let open = self.open.iter_mut().find(|open| open.id == turn && open.sent.is_some());
        open.map(|open| open.waits = true).is_some()
    }

    /// Prevents a turn from being sent to another server, because its cancel is being sent. If `turn` is `None`,
    /// applies to all open turns.
    pub(crate) fn keep_from_others(&mut self, turn: Option<&str>) {
        for open in self.open.iter_mut().filter(|open| turn.is_none_or(|turn| open.id == turn)) {
            open.sent = None;
        }
    }

    /// Returns whether a turn waits for another server.
    pub(crate) fn waits(&self, turn: &str) -> bool {
        self.open.iter().any(|open| open.waits && open.id == turn)
    }

    /// Returns whether no turn is open. Turns that wait are open.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns whether all open turns wait for another server.
    pub(crate) fn all_wait(&self) -> bool {
        self.open.iter().all(|open| open.waits)
    }

    /// Returns the messages to send first to the next server: the waiting turns in the order in which they began.
    /// Preempting turns come first, since they would otherwise cancel the turns sent before them.
    pub(crate) fn take_waiting(&mut self) -> Vec<ClientMessage> {
        let mut waiting: Vec<_> = self.open.iter_mut().filter(|open| open.waits).collect();
        waiting.sort_by_key(|open| !open.preempts());
        let messages = waiting.into_iter().flat_map(|open| {
            open.waits = false;
            open.sent.clone().unwrap_or_default()
        });
        messages.collect()
    }

    /// Ends the open turns of a lost connection. Returns each of them with the duration of its received audio, in
    /// milliseconds. Turns that wait remain open. If the server shut down gracefully (`has_left`), turns that can
    /// be sent again also remain open and wait.
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

    /// Cancels a turn if it waits for another server. Returns the outcome, or `None` if the turn does not wait.
    pub(crate) fn cancel_waiting(&mut self, turn: &str) -> Option<Cancelled> {
        let waiting = self.open.iter().find(|open| open.id == turn && open.waits)?;
        let cancelled = waiting.cancelled();
        self.end(turn, false);
        Some(cancelled)
    }

    /// Cancels all turns that wait for another server. Returns the outcomes.
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

    /// Returns whether the turn preempts the turns before it.
    fn preempts(&self) -> bool {
        self.sent.iter().flatten().any(|message| matches!(message, ClientMessage::Text(text) if text.preempt))
    }

    /// Returns the outcome of cancelling the turn while it waits for another server.
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
