//! Main loop of a connection: passes commands to the turn machines of its contexts and sends their events as messages
//! of a [`Dialect`].

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use shruti_clock::Alarm;
use shruti_engine::SpeakError;
use shruti_engine::turn::{Command, Event, Failure, Rejection, Target, TurnId};
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_protocol::{ApiError, ErrorCode};
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tracing::Instrument;

use super::billing::{self, KeyWatch};
use super::contexts::Contexts;
use super::dialect::{ClientCommand, ContextId, Dialect, InvalidMessage, NewContext, Outbox};
use super::keepalive::{Keepalive, KeepaliveAction};
use super::surrogates::Surrogates;
use super::transport::Transport;
use super::websocket;
use crate::app::App;
use crate::auth::Caller;
use crate::http::RequestId;
use crate::http::errors::{internal, overloaded};
use crate::limits::StreamPermit;
use crate::synthesis::{TurnCache, turn_error};
use crate::traces::ConnectionTraces;

/// Number of unsent responses at which the pump stops reading messages. A client that sends without reading then fills
/// its own socket instead of the server's memory.
pub const MAX_UNREAD_ANSWERS: usize = 64;
/// Maximum number of invalid messages per minute. After one more, the connection is closed.
pub const MAX_MISTAKES: usize = 10;
/// Maximum number of consecutive turns that the engine may refuse. After one more, the connection is closed so that the
/// client can try another server.
pub const MAX_REFUSALS: usize = 3;

/// State of a connection.
pub struct Pump<D: Dialect> {
    dialect: D,
    app: Arc<App>,
    id: RequestId,
    /// Key that is charged for the connection. It is checked for every turn, and repeatedly while a turn is open.
    key: KeyWatch,
    _permit: StreamPermit,
    /// Maximum number of concurrent streams of the key.
    max_streams: Option<u32>,
    contexts: Contexts<D::Context>,
    /// Message that was received before the pump started, if any.
    received: Option<Message>,
    /// Outgoing messages, in order, each with the context to which it belongs. The messages of a context other than the
    /// initial one are dropped if the context is cancelled or an error ends it.
    outbox: VecDeque<(Option<ContextId>, Message)>,
    /// Messages that the dialect has just written.
    written: Outbox,
    keepalive: Keepalive,
    surrogates: Surrogates,
    mistakes: VecDeque<Duration>,
    /// Number of consecutive turns that the engine refused because of overload.
    refusals: usize,
    ping_due: bool,
    /// Whether the socket has not yet flushed the last message.
    is_sending: bool,
    /// Arrival time of the first cancel whose response has not been flushed.
    cancelled: Option<Duration>,
    /// Whether the client has requested the end of the connection.
    finishing: bool,
    /// Close code of the connection after its key was refused.
    refused: Option<CloseCode>,
}

/// Reason for the end of a connection.
enum End {
    /// The server closes the connection.
    Close(CloseCode),
    /// The client has closed the connection.
    Closed,
    /// The connection is lost.
    Disconnected,
}

/// Next event of a connection.
enum Next {
    /// A message of the client, or the end of the connection.
    Incoming(Option<Result<Message, Error>>),
    /// A message to send, or `None` if a timeout must be checked.
    Outgoing(Result<Option<Message>, Error>),
}

impl<D: Dialect> Pump<D> {
    /// Creates the pump for a connection that uses this dialect.
    pub fn new(app: Arc<App>, id: RequestId, caller: Caller, permit: StreamPermit, mut dialect: D) -> Self {
        let keepalive = Keepalive::new(app.clock.now().monotonic, app.config.timeouts.drain)
            .with_idle_timeout(dialect.idle_timeout());
        let Caller { key, origin, .. } = caller;
        let of_connection =
            |traces| Arc::new(ConnectionTraces::new(traces, &origin, id, D::API_KIND.as_str()));
        let traces = app.traces.clone().map(of_connection);
        let turn_cache = app.config.clips.cache.clone().map(|cache| TurnCache::new(cache, &key));
        let engine = Arc::clone(&app.engine);
        let contexts = Contexts::new(engine, turn_cache, traces, dialect.initial_context());
        let key = KeyWatch::new(Arc::clone(&app), key, D::API_KIND);
        Self {
            dialect,
            app,
            id,
            key,
            max_streams: permit.limit_of_key(),
            _permit: permit,
            contexts,
            received: None,
            outbox: VecDeque::new(),
            written: Outbox::new(),
            keepalive,
            surrogates: Surrogates::default(),
            mistakes: VecDeque::new(),
            refusals: 0,
            ping_due: false,
            is_sending: false,
            cancelled: None,
            finishing: false,
            refused: None,
        }
    }

    /// Sets a message that was received before the pump started. The pump processes it first.
    #[must_use]
    pub fn after(mut self, received: Message) -> Self {
        self.received = Some(received);
        self
    }

    /// Serves the connection until it ends.
    pub async fn run(self, socket: impl Transport) {
        let span = tracing::info_span!("stream", id = %self.id, api = D::API_KIND.as_str());
        self.serve(socket).instrument(span).await;
    }

    async fn serve(mut self, mut socket: impl Transport) {
        tracing::debug!("opened");
        self.dialect.greet(self.max_streams, &mut self.written);
        self.post(None);
        let conversed = AssertUnwindSafe(self.converse(&mut socket)).catch_unwind().await;
        let end = conversed.unwrap_or_else(|_panic| {
            tracing::error!("a conversation panicked");
            self.fatal(CloseCode::Internal, internal())
        });
        let underruns = self.contexts.underruns();
        self.app.metrics.underruns(underruns);
        // dropping the contexts ends all synthesis before the close and returns the reserved characters
        drop(self.contexts);
        match end {
            End::Disconnected => tracing::debug!(underruns, "the client disconnected"),
            End::Closed => {
                tracing::debug!(underruns, "closed by the client");
                socket.answer_close().await;
            }
            End::Close(code) => {
                tracing::debug!(underruns, code = code.number(), reason = code.name(), "closed");
                let reason = format!("{} {}", code.name(), self.id);
                let number = self.dialect.close_number(code);
                let frame = CloseFrame { code: number.into(), reason: reason.into() };
                let words = self.outbox.into_iter().map(|(_, message)| message).collect();
                socket.close(words, frame).await;
            }
        }
    }

    async fn converse(&mut self, socket: &mut impl Transport) -> End {
        let draining = self.app.draining.clone();
        let mut alarm = Alarm::new(Arc::clone(&self.app.clock));
        if let Some(message) = self.received.take()
            && let Some(end) = self.on_message(Some(Ok(message))).await
        {
            return end;
        }
        loop {
            let now = self.now();
            self.contexts.settle(now);
            let is_draining = draining.is_cancelled();
            if is_draining {
                self.keepalive.drain(now);
            }
            if let Some(due) = self.keepalive.due_action(now)
                && let Some(end) = self.act(due)
            {
                return end;
            }
            if let Some(code) = self.refused {
                return End::Close(code);
            }
            if self.refusals > MAX_REFUSALS {
                return self.fatal(CloseCode::Overloaded, overloaded(Duration::from_secs(1)));
            }
            let is_over = self.finishing || self.dialect.is_over();
            if (is_over || is_draining) && self.contexts.is_idle() && self.outbox.is_empty() {
                return End::Close(if is_over { CloseCode::Normal } else { CloseCode::GoingAway });
            }
            if !self.contexts.is_idle() || self.contexts.is_playing(now) {
                self.keepalive.active(now);
            }
            let listens = self.outbox.len() < MAX_UNREAD_ANSWERS;
            let next = poll_fn(|context| {
                if listens && let Poll::Ready(message) = socket.poll_next_unpin(context) {
                    return Poll::Ready(Next::Incoming(message));
                }
                self.poll_outgoing_or_time(socket, &mut alarm, context).map(Next::Outgoing)
            });
            let next = tokio::select! {
                biased;
                next = next => next,
                () = draining.cancelled(), if !is_draining => continue,
            };
            match next {
                Next::Incoming(message) => {
                    if let Some(end) = self.on_message(message).await {
                        return end;
                    }
                }
                Next::Outgoing(Ok(None)) => {}
                Next::Outgoing(Ok(Some(message))) => {
                    self.is_sending = true;
                    if Pin::new(&mut *socket).start_send(message).is_err() {
                        return End::Disconnected;
                    }
                }
                Next::Outgoing(Err(_)) => return End::Disconnected,
            }
        }
    }

    /// Returns the next message for the client, or `None` when a timeout must be checked.
    ///
    /// The time of that check depends on the state of the conversations after polling, so it is computed here.
    fn poll_outgoing_or_time(
        &mut self,
        socket: &mut impl Transport,
        alarm: &mut Alarm,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Message>, Error>> {
        if let Poll::Ready(error) = self.key.poll_watch(!self.contexts.is_idle(), context) {
            self.refuse(None, &error);
            return Poll::Ready(Ok(None));
        }
        if let Poll::Ready(outgoing) = self.poll_outgoing(socket, context) {
            return Poll::Ready(outgoing.map(Some));
        }
        let now = self.now();
        // no conversation has anything to do while the socket is blocked
        let wake = self.contexts.wake_at(now).filter(|_| !self.keepalive.is_blocked());
        let wake = wake.into_iter().chain([self.keepalive.next()]).min().unwrap_or(now);
        if wake <= now {
            return Poll::Ready(Ok(None));
        }
        alarm.poll(wake, context).map(|()| Ok(None))
    }

    /// Returns the next message for the client after the socket has flushed the previous one.
    ///
    /// Audio is requested only after that flush, so that a cancel can still drop all unsent audio in the conversations.
    fn poll_outgoing(
        &mut self,
        socket: &mut impl Transport,
        context: &mut Context<'_>,
    ) -> Poll<Result<Message, Error>> {
        let now = self.now();
        if self.is_sending {
            let flush = Pin::new(&mut *socket).poll_flush(context);
            self.keepalive.writable(flush.is_ready(), now);
            ready!(flush)?;
            self.is_sending = false;
        }
        if std::mem::take(&mut self.ping_due) {
            return Poll::Ready(Ok(Message::Ping(bytes::Bytes::new())));
        }
        loop {
            if let Some((_, answer)) = self.outbox.pop_front() {
                if self.outbox.is_empty()
                    && let Some(since) = self.cancelled.take()
                {
                    self.app.metrics.cancel_answered(now.saturating_sub(since));
                }
                return Poll::Ready(Ok(answer));
            }
            self.contexts.settle(now);
            match self.contexts.poll(&mut self.key, now, context) {
                Poll::Ready((index, Ok(event))) => {
                    if let Some(audio) = self.emit(index, event) {
                        return Poll::Ready(Ok(audio));
                    }
                }
                Poll::Ready((index, Err(error))) => self.refuse(Some(index), &error),
                Poll::Pending => {
                    // flushes data that the socket has not sent yet
                    return match Pin::new(&mut *socket).poll_flush(context) {
                        Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                        flushed => {
                            self.keepalive.writable(flushed.is_ready(), now);
                            Poll::Pending
                        }
                    };
                }
            }
        }
    }

    /// Processes a message. Returns how the connection ends, if it ends.
    async fn on_message(&mut self, message: Option<Result<Message, Error>>) -> Option<End> {
        match message {
            None => Some(End::Disconnected),
            Some(Err(error)) => Some(websocket::close_code(&error).map_or(End::Disconnected, End::Close)),
            Some(Ok(Message::Close(_))) => Some(End::Closed),
            // the library responds to pings itself and returns no raw frames when reading
            Some(Ok(Message::Ping(_) | Message::Frame(_))) => None,
            Some(Ok(Message::Pong(_))) => {
                self.keepalive.pong();
                None
            }
            Some(Ok(Message::Binary(_))) => Some(self.fatal(
                CloseCode::Unsupported,
                ApiError::new(ErrorCode::InvalidField, "binary frames are not supported; send JSON as text"),
            )),
            Some(Ok(Message::Text(message))) => self.read(message.as_str()).await,
        }
    }

    async fn read(&mut self, message: &str) -> Option<End> {
        let now = self.now();
        let message = self.surrogates.join(message);
        match self.dialect.read(&message, &mut self.contexts) {
            Ok(command) => {
                if !matches!(command, ClientCommand::Ping(_)) {
                    self.keepalive.active(now);
                }
                return self.execute(command, now).await;
            }
            Err(InvalidMessage { context, turn, error }) => {
                self.mistakes.push_back(now);
                self.mistakes.retain(|&at| now.saturating_sub(at) < Duration::from_mins(1));
                if self.mistakes.len() > MAX_MISTAKES {
                    return Some(self.fatal(CloseCode::TooManyErrors, *error));
                }
                self.message_error(context.as_ref(), turn.as_ref(), *error, now);
            }
        }
        None
    }

    async fn execute(&mut self, command: ClientCommand<D::Context>, now: Duration) -> Option<End> {
        match command {
            ClientCommand::Ping(answer) => self.outbox.extend(answer.map(|answer| (None, answer))),
            ClientCommand::Configure(settings, answer) => {
                if let Some(initial) = self.contexts.find(None) {
                    self.contexts[initial].conversation.handle(Command::Configure(settings), now);
                }
                self.outbox.push_back((None, answer));
            }
            ClientCommand::Turns { context, opens, commands } => {
                return self.turns(context, opens, commands, now).await;
            }
            ClientCommand::Close => {
                self.finishing = true;
                self.contexts.finish(now);
            }
            ClientCommand::Stop => {
                self.outbox.clear();
                return Some(End::Close(CloseCode::Normal));
            }
        }
        None
    }

    async fn turns(
        &mut self,
        id: Option<ContextId>,
        opens: Option<NewContext<D::Context>>,
        commands: Vec<Command>,
        now: Duration,
    ) -> Option<End> {
        let index = match (self.contexts.find(id.as_deref()), id, opens) {
            (Some(index), ..) => index,
            (None, Some(id), Some(new)) => {
                self.contexts.settle(now);
                match self.contexts.open(ContextId::clone(&id), new) {
                    Ok(index) => index,
                    Err(error) => {
                        self.error(Some(&id), None, error, ErrorScope::Message);
                        return None;
                    }
                }
            }
            (None, ..) => return None,
        };
        for command in commands {
            let conversation = &self.contexts[index].conversation;
            if conversation.begins_turn(&command)
                && let Err(error) = self.key.reauthorize(conversation.pending_charge().is_none()).await
            {
                if let Some(id) = self.contexts[index].id.clone() {
                    self.error(Some(&id), None, error.clone(), ErrorScope::Message);
                }
                self.refuse(Some(index), &error);
                return self.refused.map(End::Close);
            }
            if matches!(command, Command::Cancel { .. }) {
                self.cancelled.get_or_insert(now);
                self.drop_written(index);
            }
            self.contexts[index].conversation.handle(command, now);
            // written immediately, so that the responses have the same order as the messages
            self.write_pending_events(index);
        }
        if self.outbox.is_empty() {
            // not measured: some APIs do not respond to a cancel
            self.cancelled = None;
        }
        None
    }

    /// Writes the pending events of a conversation, except audio.
    fn write_pending_events(&mut self, index: usize) {
        while let Some(event) = self.contexts[index].conversation.next_pending_event() {
            self.emit(index, event);
        }
    }

    /// Drops the unsent messages of a context, unless it is the initial context.
    fn drop_written(&mut self, index: usize) {
        if let Some(id) = &self.contexts[index].id {
            self.outbox.retain(|(of, _)| of.as_ref() != Some(id));
        }
    }

    /// Writes the error of a message. In an API whose errors end contexts, this function also ends the context.
    fn message_error(
        &mut self,
        id: Option<&ContextId>,
        turn: Option<&TurnId>,
        error: ApiError,
        now: Duration,
    ) {
        if D::ERRORS_END_CONTEXTS
            && let Some(id) = id
            && let Some(index) = self.contexts.find(Some(id))
        {
            self.drop_written(index);
            let cancel = Command::Cancel { target: Target::All, played: None, id: None };
            self.contexts[index].conversation.handle(cancel, now);
            // these events are charged but not sent, because the error is the last message of the context
            while let Some(event) = self.contexts[index].conversation.next_pending_event() {
                self.contexts[index].follow(&event);
            }
        }
        self.error(id, turn, error, ErrorScope::Message);
    }

    /// Fails the due turn of a context because its key was refused. If the error closes the connection, all turns of
    /// all contexts fail.
    fn refuse(&mut self, index: Option<usize>, error: &ApiError) {
        self.refused = billing::close_code(error.code);
        if self.refused.is_none() {
            if let Some(index) = index {
                self.stop_turn(index, error);
            }
            return;
        }
        for index in 0..self.contexts.len() {
            while self.stop_turn(index, error) {}
        }
        self.error(None, None, error.clone(), ErrorScope::Session);
    }

    /// Fails the due turn of a context. Returns whether there was one.
    fn stop_turn(&mut self, index: usize, error: &ApiError) -> bool {
        let Some(stopped) = self.contexts[index].conversation.stop_next_turn() else { return false };
        self.contexts[index].conversation.synthesizer().stopped(&stopped, error.code);
        self.write_pending_events(index);
        self.app.metrics.failed(error.code);
        let context = &mut self.contexts[index];
        let (turn, sent) = (&stopped.turn, stopped.sent);
        self.dialect.turn_failed(&mut context.state, turn, error.clone(), sent, &mut self.written);
        self.post(Some(index));
        true
    }

    /// Moves the messages that the dialect has written to the outbox.
    fn post(&mut self, index: Option<usize>) {
        let of = index.and_then(|index| self.contexts[index].id.clone());
        self.outbox.extend(self.written.drain(..).map(|message| (of.clone(), message)));
    }

    /// Performs an action that is due according to the timeouts. Returns how the connection ends, if it ends.
    fn act(&mut self, due: KeepaliveAction) -> Option<End> {
        match due {
            KeepaliveAction::Ping => self.ping_due = true,
            KeepaliveAction::Announce { code, left } => self.announce(code, left),
            KeepaliveAction::Close(code) => return Some(End::Close(code)),
            KeepaliveAction::CloseUnresponsive => {
                self.announce(CloseCode::Idle, Duration::ZERO);
                return Some(End::Close(CloseCode::Idle));
            }
            KeepaliveAction::DropStalled => return Some(End::Disconnected),
        }
        None
    }

    fn announce(&mut self, code: CloseCode, left: Duration) {
        self.dialect.closing(code, left, &mut self.written);
        self.post(None);
    }

    /// Writes an error that ends the connection.
    fn fatal(&mut self, code: CloseCode, error: ApiError) -> End {
        self.error(None, None, error, ErrorScope::Session);
        End::Close(code)
    }

    /// Applies an event of a context and writes its messages to the outbox. Returns audio, which bypasses the outbox.
    fn emit(&mut self, index: usize, event: Event) -> Option<Message> {
        let (now, is_sounding) = (self.now(), self.contexts.is_sounding());
        let context = &mut self.contexts[index];
        let trace = context.follow(&event);
        let metrics = &self.app.metrics;
        match event {
            Event::Audio { samples, .. } => return self.dialect.audio(&mut context.state, &samples),
            Event::Failed { turn, cause, sent, .. } => {
                // a connection with audio in progress is not closed because of overload
                if matches!(cause, Failure::Rejected(SpeakError::Overloaded { .. })) && !is_sounding {
                    self.refusals += 1;
                }
                let error = turn_error(&cause);
                metrics.failed(error.code);
                if let Some(trace) = trace {
                    trace.failed(error.code);
                }
                self.dialect.turn_failed(&mut context.state, &turn, error, sent, &mut self.written);
            }
            Event::Rejected { turn, rejection } => {
                let id = context.id.clone();
                self.message_error(id.as_ref(), turn.as_ref(), rejected(rejection), now);
            }
            event => {
                match &event {
                    Event::Started { .. } => self.refusals = 0,
                    Event::Done { first_audio: Some(first_audio), .. } => {
                        metrics.first_audio(D::API_KIND, *first_audio, trace.as_deref());
                        metrics.sent_whole(context.conversation.lead(now), trace.as_deref());
                    }
                    _ => {}
                }
                self.dialect.event(&mut context.state, event, &mut self.written);
            }
        }
        self.post(Some(index));
        None
    }

    fn error(
        &mut self,
        context: Option<&ContextId>,
        turn: Option<&TurnId>,
        error: ApiError,
        scope: ErrorScope,
    ) {
        self.app.metrics.failed(error.code);
        self.dialect.error(context, turn, error, scope, &mut self.written);
        self.outbox.extend(self.written.drain(..).map(|message| (None, message)));
    }

    fn now(&self) -> Duration {
        self.app.clock.now().monotonic
    }
}

fn rejected(rejection: Rejection) -> ApiError {
    match rejection {
        Rejection::TooMuchText { limit } => {
            let message =
                format!("more than {limit} characters would wait to be spoken; send the rest later");
            ApiError::new(ErrorCode::TextTooLong, message).with_param("text")
        }
        Rejection::TurnTooLong { limit } => {
            let message =
                format!("a turn has at most {limit} characters; end this turn and continue in another one");
            ApiError::new(ErrorCode::TextTooLong, message).with_param("text")
        }
        Rejection::TooManyFlushes { limit } => ApiError::new(
            ErrorCode::RateLimited,
            format!("{limit} flushes are already waiting, which is the maximum"),
        ),
    }
}
