//! Public interface of a conversation.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use shruti_protocol::stream::{Cancel, ClientMessage, ConfigPatch, Flush, MAX_TURN_ID_CHARS, Played, Text};
use tokio::sync::mpsc;

use crate::connection::{self, Incoming};
use crate::server::Server;
use crate::{Cancelled, Error, Event};

/// Capacity of the queue of messages to send and of the queue of received events. When the send queue is full, senders
/// wait. When the event queue is full, nothing more is read from the server.
const WAITING: usize = 256;

/// Conversation with the server: text in, audio out, one turn after another.
///
/// The connection has its own task, so that pings are answered even when no events are read. When the conversation is
/// dropped, the task ends and the server stops all work for the conversation.
#[derive(Debug)]
pub struct Conversation {
    /// ID of the conversation in the server's log, assigned when the conversation first connected.
    pub session_id: String,
    outgoing: mpsc::Sender<ClientMessage>,
    incoming: mpsc::Receiver<Result<Incoming, Error>>,
    /// Events received while waiting for the response to a cancel.
    stash: VecDeque<Event>,
    turns: u64,
    cancels: u64,
}

impl Conversation {
    pub(crate) async fn open(server: Arc<Server>, config: ConfigPatch) -> Result<Self, Error> {
        let (outgoing, to_send) = mpsc::channel(WAITING);
        let (received, incoming) = mpsc::channel(WAITING);
        let session_id = connection::start(server, config, to_send, received).await?;
        Ok(Self { session_id, outgoing, incoming, stash: VecDeque::new(), turns: 0, cancels: 0 })
    }

    /// Changes the settings of turns that begin after the call. The server responds with [`Event::Config`].
    pub async fn configure(&mut self, config: ConfigPatch) -> Result<(), Error> {
        self.send(ClientMessage::Config(config)).await
    }

    /// Begins a turn with the first piece of its text. Returns the ID of the turn.
    pub async fn begin(&mut self, text: &str) -> Result<String, Error> {
        self.begin_with(Text { text: text.to_owned(), ..Text::default() }).await
    }

    /// Speaks a turn whose text is complete. Returns the ID of the turn.
    pub async fn say(&mut self, text: &str) -> Result<String, Error> {
        self.begin_with(Text { text: text.to_owned(), last: true, ..Text::default() }).await
    }

    /// Begins a turn with all options of the protocol. Returns the ID of the turn. If `text` has no ID, one is
    /// generated. The ID of a turn that has ended cannot be used again.
    ///
    /// # Errors
    ///
    /// [`Error::TurnName`] if the ID is empty, longer than 64 characters or contains control characters. In that case
    /// nothing is sent, and the conversation remains usable.
    pub async fn begin_with(&mut self, mut text: Text) -> Result<String, Error> {
        if text.turn_id.as_deref().is_some_and(|name| !is_turn_name(name)) {
            return Err(Error::TurnName);
        }
        self.turns += 1;
        let turn = text.turn_id.take().unwrap_or_else(|| format!("t{}", self.turns));
        text.turn_id = Some(turn.clone());
        self.send(ClientMessage::Text(text)).await?;
        Ok(turn)
    }

    /// Appends a piece of text to a turn, verbatim.
    pub async fn append(&mut self, turn: &str, text: &str) -> Result<(), Error> {
        let text = Text { text: text.to_owned(), turn_id: Some(turn.to_owned()), ..Text::default() };
        self.send(ClientMessage::Text(text)).await
    }

    /// Marks the text of a turn as complete.
    pub async fn end(&mut self, turn: &str) -> Result<(), Error> {
        self.send(ClientMessage::End { turn_id: Some(turn.to_owned()) }).await
    }

    /// Makes the server speak the buffered text of a turn. The turn stays open. [`Event::Flushed`] follows
    /// the audio of the buffered text.
    pub async fn flush(&mut self, turn: &str) -> Result<(), Error> {
        self.send(ClientMessage::Flush(Flush { turn_id: Some(turn.to_owned()), id: None })).await
    }

    /// Reports how much of a turn has been played, so that the server knows exactly what was heard.
    pub async fn played(&mut self, turn: &str, played: Duration) -> Result<(), Error> {
        let played = Played { turn_id: turn.to_owned(), played_ms: milliseconds(played) };
        self.send(ClientMessage::Played(played)).await
    }

    /// Barge-in: cancels all turns and returns what was heard of the audible turn. After this method returns, no audio
    /// and no word timestamps of earlier turns follow.
    ///
    /// `played` states how much of that turn the player has played, if known.
    pub async fn barge_in(&mut self, played: Option<Duration>) -> Result<Cancelled, Error> {
        self.cancel_with(Cancel { all: true, played_ms: played.map(milliseconds), ..Cancel::default() }).await
    }

    /// Barge-in with a known audible turn: cancels all turns and returns what was heard of `turn`. Use this
    /// method if audio of later turns has already been received; the audible turn may then be one that the
    /// server has sent completely. `played` states how much of `turn` was played. The later turns count as not
    /// heard.
    pub async fn barge_in_at(&mut self, turn: &str, played: Duration) -> Result<Cancelled, Error> {
        let heard = self.cancel(turn, Some(played)).await?;
        self.barge_in(Some(Duration::ZERO)).await?;
        Ok(heard)
    }

    /// Cancels one turn and returns what was heard of it. Other turns continue. After this method returns, no audio and
    /// no word timestamps of the turn follow.
    ///
    /// `played` states how much of the turn the player has played, if known.
    pub async fn cancel(&mut self, turn: &str, played: Option<Duration>) -> Result<Cancelled, Error> {
        let turn_id = Some(turn.to_owned());
        self.cancel_with(Cancel { turn_id, played_ms: played.map(milliseconds), ..Cancel::default() }).await
    }

    async fn cancel_with(&mut self, mut cancel: Cancel) -> Result<Cancelled, Error> {
        self.cancels += 1;
        let id = format!("c{}", self.cancels);
        cancel.id = Some(id.clone());
        let only = cancel.turn_id.clone();
        let is_silenced = |event: &Event| {
            sound_of(event).is_some_and(|turn| only.as_deref().is_none_or(|only| only == turn))
        };
        self.stash.retain(|event| !is_silenced(event));
        // events are read while the cancel is sent: the response may be queued behind unread audio, and the send
        // queue may stay full until that audio has been read
        let mut message = Some(ClientMessage::Cancel(cancel));
        loop {
            let received = tokio::select! {
                biased;
                permit = self.outgoing.reserve(), if message.is_some() => {
                    let permit = permit.map_err(|_| Error::Ended)?;
                    if let Some(message) = message.take() {
                        permit.send(message);
                    }
                    continue;
                }
                received = self.incoming.recv() => received,
            };
            match received.ok_or(Error::Ended)?? {
                Incoming::Answer { id: answered, outcome } if answered == id => return outcome,
                // the response to an earlier call whose future was dropped
                Incoming::Answer { .. } => {}
                Incoming::Event(event) if is_silenced(&event) => {}
                Incoming::Event(event) => self.stash.push_back(event),
            }
        }
    }

    /// Ends the conversation after all turns have ended: [`Conversation::next`] returns the remaining events, then
    /// `None`.
    pub async fn finish(&mut self) -> Result<(), Error> {
        self.send(ClientMessage::Close).await
    }

    /// Returns the next event, or `None` after the conversation has ended: after [`Conversation::finish`] and the
    /// end of all turns, or after an error. No event follows an error.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        if let Some(event) = self.stash.pop_front() {
            return Some(Ok(event));
        }
        loop {
            match self.incoming.recv().await? {
                Ok(Incoming::Event(event)) => return Some(Ok(event)),
                Ok(Incoming::Answer { .. }) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    async fn send(&mut self, message: ClientMessage) -> Result<(), Error> {
        self.outgoing.send(message).await.map_err(|_| Error::Ended)
    }
}

/// Returns the ID of the turn if the event contains or announces audio or word timestamps, otherwise `None`.
fn sound_of(event: &Event) -> Option<&str> {
    match event {
        Event::Started { turn, .. } | Event::Audio { turn, .. } => Some(turn),
        Event::Words(words) => Some(&words.turn),
        _ => None,
    }
}

/// Returns whether the server accepts a turn ID.
fn is_turn_name(name: &str) -> bool {
    (1..=MAX_TURN_ID_CHARS).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
