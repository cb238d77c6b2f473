//! WebSocket messages of one API.

use std::sync::Arc;
use std::time::Duration;

use shruti_engine::turn::{Command, Event, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use tokio_tungstenite::tungstenite::Message;

use super::contexts::Contexts;
use super::keepalive::IDLE_TIMEOUT;
use crate::metrics::ApiKind;

/// Messages to be sent, in order.
pub type Outbox = Vec<Message>;

/// Name of a context on its connection.
pub type ContextId = Arc<str>;

/// Parser and writer of the WebSocket messages of one API. It does not handle timeouts, limits or accounts.
///
/// Each turn on a connection belongs to a *context*. A context is a separate conversation that does not delay the
/// others. An API has either one context that exists from the start ([`initial_context`](Self::initial_context)), or
/// contexts that its messages open ([`ClientCommand::Turns`]) and that end with their last turn.
pub trait Dialect: Send + 'static {
    /// State of a context, such as the encoder for its audio.
    type Context: Send + 'static;

    /// API under which the usage is counted.
    const API_KIND: ApiKind;

    /// Whether an error of a context ends that context. The initial context never ends.
    const ERRORS_END_CONTEXTS: bool;

    /// Returns the context that exists from the start, for an API whose messages open no contexts.
    fn initial_context(&mut self) -> Option<NewContext<Self::Context>>;

    /// Writes the first messages of a connection whose key may have `max_streams` concurrent streams.
    fn greet(&mut self, max_streams: Option<u32>, outbox: &mut Outbox);

    /// Parses a message. An invalid message is reported by [`error`](Self::error); with
    /// [`ERRORS_END_CONTEXTS`](Self::ERRORS_END_CONTEXTS), it also ends its context. It has no other effect.
    fn read(
        &mut self,
        message: &str,
        contexts: &mut Contexts<Self::Context>,
    ) -> Result<ClientCommand<Self::Context>, InvalidMessage>;

    /// Returns a message with audio of a turn; `None` if the encoder has not returned any bytes yet.
    fn audio(&mut self, context: &mut Self::Context, samples: &[i16]) -> Option<Message>;

    /// Writes the messages for an event; never called with [`Event::Audio`], [`Event::Failed`] or [`Event::Rejected`].
    fn event(&mut self, context: &mut Self::Context, event: Event, outbox: &mut Outbox);

    /// Writes the failure of a turn. `sent` is the duration of the turn's audio that has been sent.
    fn turn_failed(
        &mut self,
        context: &mut Self::Context,
        turn: &TurnId,
        error: ApiError,
        sent: Duration,
        outbox: &mut Outbox,
    );

    /// Writes the error of a refused message, with its context and turn if known, or of a connection that is about to
    /// be closed.
    fn error(
        &mut self,
        context: Option<&ContextId>,
        turn: Option<&TurnId>,
        error: ApiError,
        scope: ErrorScope,
        outbox: &mut Outbox,
    );

    /// Writes the announcement that the connection will be closed after `left`.
    fn closing(&mut self, code: CloseCode, left: Duration, outbox: &mut Outbox);

    /// Returns the number that this API uses for a close code.
    fn close_number(&self, code: CloseCode) -> u16;

    /// Returns whether the connection should be closed as soon as all turns have ended.
    fn is_over(&self) -> bool {
        false
    }

    /// Returns the maximum time without messages or audio.
    fn idle_timeout(&self) -> Duration {
        IDLE_TIMEOUT
    }
}

/// Initial state of a context.
pub struct NewContext<S> {
    /// Settings of its turns.
    pub settings: TurnSettings,
    /// State that the dialect keeps for the context.
    pub state: S,
}

/// Effect of a client's message.
pub enum ClientCommand<S> {
    /// Commands for the turn machine of a context, in order.
    Turns {
        /// Context; `None` for the initial context.
        context: Option<ContextId>,
        /// Initial state of the context if it is not open. If this is `None`, commands for a context that is not open
        /// are ignored.
        opens: Option<NewContext<S>>,
        /// Commands.
        commands: Vec<Command>,
    },
    /// New settings for later turns of the initial context, and the response to the message.
    Configure(TurnSettings, Message),
    /// Ping, which does not count as activity, and its response.
    Ping(Option<Message>),
    /// Close the connection after all turns have ended.
    Close,
    /// Close the connection immediately.
    Stop,
}

/// An invalid message.
pub struct InvalidMessage {
    /// Context of the message, if the context could be read.
    pub context: Option<ContextId>,
    /// Turn of the message, if the API names turns and the turn could be read.
    pub turn: Option<TurnId>,
    /// The error.
    pub error: Box<ApiError>,
}

impl From<ApiError> for InvalidMessage {
    fn from(error: ApiError) -> Self {
        Self { context: None, turn: None, error: Box::new(error) }
    }
}
