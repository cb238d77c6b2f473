//! A conversation, as its user sees it.

use std::collections::VecDeque;
use std::time::Duration;

use shruti_protocol::stream::{Cancel, ClientMessage, ConfigPatch, Flush, MAX_TURN_ID_CHARS, Played, Text};
use tokio::sync::mpsc;

use crate::connection::{self, Incoming};
use crate::{Cancelled, Client, Error, Event};

/// Messages that may wait to be sent, and events that may wait to be taken. While so many wait, senders wait too, and
/// nothing more is read from the server.
const WAITING: usize = 256;

/// A conversation: text in, sound out, one turn after the other.
///
/// The connection lives in a task of its own, so that pings are answered while nobody asks for events. It ends when the
/// conversation is dropped, and with it the server's work.
#[derive(Debug)]
pub struct Conversation {
    /// The conversation's id in the server's log, as of its first connection.
    pub session_id: String,
    outgoing: mpsc::Sender<ClientMessage>,
    incoming: mpsc::Receiver<Result<Incoming, Error>>,
    /// Events that came while an answer was waited for.
    stash: VecDeque<Event>,
    turns: u64,
    cancels: u64,
}

impl Conversation {
    pub(crate) async fn open(client: Client, config: ConfigPatch) -> Result<Self, Error> {
        let (outgoing, to_send) = mpsc::channel(WAITING);
        let (received, incoming) = mpsc::channel(WAITING);
        let session_id = connection::start(client, config, to_send, received).await?;
        Ok(Self { session_id, outgoing, incoming, stash: VecDeque::new(), turns: 0, cancels: 0 })
    }

    /// Changes the settings of turns that begin later; answered by [`Event::Config`].
    pub async fn configure(&mut self, config: ConfigPatch) -> Result<(), Error> {
        self.send(ClientMessage::Config(config)).await
    }

    /// Begins a turn with the first piece of its text. Returns its name.
    pub async fn begin(&mut self, text: &str) -> Result<String, Error> {
        self.begin_with(Text { text: text.to_owned(), ..Text::default() }).await
    }

    /// Has a turn spoken whose text is complete. Returns its name.
    pub async fn say(&mut self, text: &str) -> Result<String, Error> {
        self.begin_with(Text { text: text.to_owned(), last: true, ..Text::default() }).await
    }

    /// Begins a turn with everything the protocol offers. Returns its name, which is made where none is given; the name
    /// of a turn that has ended does not begin another.
    ///
    /// # Errors
    ///
    /// [`Error::TurnName`] for a name that is empty, longer than 64 characters or has control characters: nothing is
    /// sent, and the conversation goes on.
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

    /// Says that no more text follows for a turn.
    pub async fn end(&mut self, turn: &str) -> Result<(), Error> {
        self.send(ClientMessage::End { turn_id: Some(turn.to_owned()) }).await
    }

    /// Has what is held back of a turn spoken; the turn stays open. [`Event::Flushed`] follows its sound.
    pub async fn flush(&mut self, turn: &str) -> Result<(), Error> {
        self.send(ClientMessage::Flush(Flush { turn_id: Some(turn.to_owned()), id: None })).await
    }

    /// Tells how much of a turn has been played, which makes what was heard exact.
    pub async fn played(&mut self, turn: &str, played: Duration) -> Result<(), Error> {
        let played = Played { turn_id: turn.to_owned(), played_ms: milliseconds(played) };
        self.send(ClientMessage::Played(played)).await
    }

    /// Barge-in: cancels every turn and says what was heard of the one that sounded. No sound and no words of a turn
    /// that began before come after it returns.
    ///
    /// `played` is how much of that turn the player has played, if it is known.
    pub async fn barge_in(&mut self, played: Option<Duration>) -> Result<Cancelled, Error> {
        self.cancel_with(Cancel { all: true, played_ms: played.map(milliseconds), ..Cancel::default() }).await
    }

    /// Barge-in where it is known which turn the listener hears: while the sound of later turns has come already, that
    /// may be one that the server has sent whole. Cancels every turn, and says what was heard of this one, of which
    /// `played` has been played; the later ones were not heard.
    pub async fn barge_in_at(&mut self, turn: &str, played: Duration) -> Result<Cancelled, Error> {
        let heard = self.cancel(turn, Some(played)).await?;
        self.barge_in(Some(Duration::ZERO)).await?;
        Ok(heard)
    }

    /// Cancels one turn and says what was heard of it; the others go on. No sound and no words of it come after it
    /// returns.
    ///
    /// `played` is how much of the turn the player has played, if it is known.
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
        // the answer may be waiting behind sound that nobody has taken, and so may room for the message
        let mut message = Some(ClientMessage::Cancel(cancel));
        loop {
            let told = tokio::select! {
                biased;
                permit = self.outgoing.reserve(), if message.is_some() => {
                    let permit = permit.map_err(|_| Error::Ended)?;
                    if let Some(message) = message.take() {
                        permit.send(message);
                    }
                    continue;
                }
                told = self.incoming.recv() => told,
            };
            match told.ok_or(Error::Ended)?? {
                Incoming::Answer { id: answered, outcome } if answered == id => return outcome,
                // of an earlier call that was given up
                Incoming::Answer { .. } => {}
                Incoming::Event(event) if is_silenced(&event) => {}
                Incoming::Event(event) => self.stash.push_back(event),
            }
        }
    }

    /// Lets all turns end, then the conversation: [`Conversation::next`] gives what is left, and then `None`.
    pub async fn finish(&mut self) -> Result<(), Error> {
        self.send(ClientMessage::Close).await
    }

    /// The next event; `None` once the conversation has ended, which takes [`Conversation::finish`]. After an error
    /// there is nothing more.
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

/// The turn that an event is sound of.
fn sound_of(event: &Event) -> Option<&str> {
    match event {
        Event::Started { turn, .. } | Event::Audio { turn, .. } => Some(turn),
        Event::Words(words) => Some(&words.turn),
        _ => None,
    }
}

/// Whether the server takes a name.
fn is_turn_name(name: &str) -> bool {
    (1..=MAX_TURN_ID_CHARS).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
