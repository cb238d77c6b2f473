//! The messages of one API on a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use shruti_engine::turn::{Command, Event, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use tokio_tungstenite::tungstenite::Message;

use super::contexts::Contexts;
use super::keepalive::IDLE_TIMEOUT;
use crate::metrics::SpokenBy;

/// Messages to be sent, in order.
pub type Outbox = Vec<Message>;

/// The name of a context on its connection.
pub type ContextId = Arc<str>;

/// Reads what a client of one API says, and writes what it is told. It knows no times, limits or accounts.
///
/// What is spoken on a connection is spoken in *contexts*: each is a conversation of its own, which nothing of another
/// holds back. An API has either one that is there from the start and stays ([`standing`](Self::standing)), or contexts
/// that its messages open ([`ClientCommand::Turns`]) and that end with their last turn.
pub trait Dialect: Send + 'static {
    /// What it keeps of each context, such as the encoder of its sound.
    type Context: Send + 'static;

    /// As which what it has spoken is counted.
    const SPOKEN_BY: SpokenBy;

    /// Whether an error that is told of a context ends it. Only contexts that messages open end.
    const ERRORS_END_CONTEXTS: bool;

    /// The context that is there from the start, for an API without others.
    fn standing(&mut self) -> Option<NewContext<Self::Context>>;

    /// What a connection begins with, whose key may have `max_streams` streams at once.
    fn greet(&mut self, max_streams: Option<u32>, outbox: &mut Outbox);

    /// Reads a message. A mistake is told by [`error`](Self::error) and changes nothing but what
    /// [`ERRORS_END_CONTEXTS`](Self::ERRORS_END_CONTEXTS) says.
    fn read(
        &mut self,
        message: &str,
        contexts: &mut Contexts<Self::Context>,
    ) -> Result<ClientCommand<Self::Context>, Mistake>;

    /// Sound of a turn, as one message; `None` while its encoder holds it back.
    fn audio(&mut self, context: &mut Self::Context, samples: &[i16]) -> Option<Message>;

    /// Writes what happened; never called with [`Event::Audio`], [`Event::Failed`] or [`Event::Rejected`].
    fn event(&mut self, context: &mut Self::Context, event: Event, outbox: &mut Outbox);

    /// A turn broke off, or was refused, after so much of its sound had been sent.
    fn turn_failed(
        &mut self,
        context: &mut Self::Context,
        turn: &TurnId,
        error: ApiError,
        sent: Duration,
        outbox: &mut Outbox,
    );

    /// A message was refused, for a context and a turn of it where they are known, or the connection is about to be closed
    /// for this.
    fn error(
        &mut self,
        context: Option<&ContextId>,
        turn: Option<&TurnId>,
        error: ApiError,
        scope: ErrorScope,
        outbox: &mut Outbox,
    );

    /// The connection will be closed in so long.
    fn closing(&mut self, code: CloseCode, left: Duration, outbox: &mut Outbox);

    /// The number by which its clients know a reason to close.
    fn close_number(&self, code: CloseCode) -> u16;

    /// Whether the connection is to be closed as soon as all turns have ended.
    fn is_over(&self) -> bool {
        false
    }

    /// How long the connection may be without a message or sound.
    fn idle_timeout(&self) -> Duration {
        IDLE_TIMEOUT
    }
}

/// How a context begins.
pub struct NewContext<S> {
    /// How its turns are spoken.
    pub settings: TurnSettings,
    /// What the dialect keeps of it.
    pub state: S,
}

/// What a message asks of the connection.
pub enum ClientCommand<S> {
    /// Something of the turn machine, in order.
    Turns {
        /// The context; `None` for the standing one.
        context: Option<ContextId>,
        /// How it begins, if it is not open; without this, commands for a context that is not open do nothing.
        opens: Option<NewContext<S>>,
        /// What is to be done.
        commands: Vec<Command>,
    },
    /// New settings for turns of the standing context that start later, and the answer.
    Configure(TurnSettings, Message),
    /// A sign of life, which counts as no activity, and its answer.
    Ping(Option<Message>),
    /// The end, once all turns have ended.
    Close,
    /// The end at once, whatever is being spoken.
    Stop,
}

/// A message that was not understood.
pub struct Mistake {
    /// The context that it was for, where that could be read.
    pub context: Option<ContextId>,
    /// The turn of it, where an API names turns and that could be read.
    pub turn: Option<TurnId>,
    /// What is wrong.
    pub error: Box<ApiError>,
}

impl From<ApiError> for Mistake {
    fn from(error: ApiError) -> Self {
        Self { context: None, turn: None, error: Box::new(error) }
    }
}
