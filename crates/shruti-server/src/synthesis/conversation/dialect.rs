//! The messages of one API on a WebSocket.

use std::collections::VecDeque;
use std::time::Duration;

use shruti_engine::turn::{Command, Event, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use tokio_tungstenite::tungstenite::Message;

/// Messages that wait to be sent, in order.
pub(crate) type Outbox = VecDeque<Message>;

/// Reads what a client of one API says, and writes what it is told. It knows no times, limits or accounts.
pub(crate) trait Dialect: Send + 'static {
    /// How turns are spoken until a command says otherwise.
    fn settings(&self) -> TurnSettings;

    /// What a connection begins with, whose key may have `max_streams` streams at once.
    fn greet(&mut self, max_streams: Option<u32>, outbox: &mut Outbox);

    /// Reads a message. An error is told by [`error`](Self::error) and changes nothing.
    fn read(&mut self, message: &str) -> Result<ClientCommand, ApiError>;

    /// Sound of a turn, as one message.
    fn audio(&mut self, turn: &TurnId, samples: &[i16]) -> Message;

    /// Writes what happened; never called with [`Event::Audio`], [`Event::Failed`] or [`Event::Rejected`].
    fn event(&mut self, event: Event, outbox: &mut Outbox);

    /// A turn broke off, or was refused, after so much of its sound had been sent.
    fn turn_failed(&mut self, turn: &TurnId, error: ApiError, sent: Duration, outbox: &mut Outbox);

    /// A message was refused, or the connection is about to be closed for this.
    fn error(&mut self, error: ApiError, scope: ErrorScope, outbox: &mut Outbox);

    /// The connection will be closed in so long.
    fn closing(&mut self, code: CloseCode, left: Duration, outbox: &mut Outbox);
}

/// What a message asks of the connection.
pub(crate) enum ClientCommand {
    /// Something of the turn machine.
    Turn(Command),
    /// New settings for turns that start later, and the answer.
    Configure(TurnSettings, Message),
    /// The answer to a sign of life, which counts as no activity.
    Ping(Message),
    /// The end, once all turns have ended.
    Close,
}
