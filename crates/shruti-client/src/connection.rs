//! Connection of a conversation: a task that sends messages, forwards the server's messages and audio, and reconnects
//! after a connection loss.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use shruti_protocol::stream::{
    Cancel, CancelState, ClientMessage, CloseCode, ConfigPatch, ErrorScope, ServerMessage,
};
use shruti_protocol::{ErrorCode, ErrorDetail};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::server::Server;
use crate::socket::{self, Socket};
use crate::turns::Turns;
use crate::{Cancelled, Done, Error, Event, Failed, Lost, Words};

/// Maximum time without a frame before the connection counts as lost. The server pings every 20 s.
const SILENCE_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of attempts to reconnect before the conversation ends with an error.
const MAX_RECONNECTS: u32 = 10;
/// `id` of the cancel message that the client sends after the server has refused text.
const CANCEL_OF_REFUSED: &str = "refused";
/// Fields of a text message. If one of them is invalid, the server refuses the text.
const FIELDS_OF_TEXT: [&str; 10] = [
    "text",
    "voice",
    "language",
    "speed",
    "pitch",
    "clarity",
    "lexicon",
    "engine",
    "timestamps",
    "max_lead_ms",
];
/// Initial and maximum delay between attempts to reconnect.
const RECONNECT_DELAYS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Message from the connection's task to the conversation.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// An event.
    Event(Event),
    /// The outcome of a cancel: the server's response, or the error that prevents a response.
    Answer { id: String, outcome: Result<Cancelled, Error> },
}

struct Connection {
    server: Arc<Server>,
    /// Settings that differ from the server's defaults.
    config: ConfigPatch,
    outgoing: mpsc::Receiver<ClientMessage>,
    incoming: mpsc::Sender<Result<Incoming, Error>>,
    /// Message to send when the next connection is established.
    postponed: Option<ClientMessage>,
    turns: Turns,
    /// `true` if the server is shutting down; the client moves to another connection when no turn is open on this one.
    is_leaving: bool,
    /// IDs of the cancels that have not been answered.
    open_cancels: Vec<String>,
    sounding: Option<String>,
    /// Start of a turn. It is reported together with the turn's first audio. A server that is shutting down may
    /// send no audio for the turn; the next server then reports the start again.
    start: Option<Event>,
    /// Turns whose text was refused and whose cancel has not been answered. Their audio is dropped.
    refused: Vec<String>,
    /// Cancel message for a refused turn. It must still be sent.
    cancel_of_refused: Option<ClientMessage>,
    /// Error that the server sent before closing the connection.
    closing_error: Option<ErrorDetail>,
    finishing: bool,
}

/// Connects and starts the task. Returns the ID that the server assigned to the conversation.
pub(crate) async fn start(
    server: Arc<Server>,
    config: ConfigPatch,
    outgoing: mpsc::Receiver<ClientMessage>,
    incoming: mpsc::Sender<Result<Incoming, Error>>,
) -> Result<String, Error> {
    let (socket, session_id) = socket::open(&server).await?;
    let connection = Connection {
        server,
        config,
        outgoing,
        incoming,
        postponed: None,
        turns: Turns::default(),
        is_leaving: false,
        open_cancels: Vec::new(),
        sounding: None,
        start: None,
        refused: Vec::new(),
        cancel_of_refused: None,
        closing_error: None,
        finishing: false,
    };
    tokio::spawn(connection.run(socket));
    Ok(session_id)
}

impl Connection {
    async fn run(mut self, mut socket: Socket) {
        loop {
            let ended = self.serve(&mut socket).await;
            let closing = tokio::spawn(close(socket));
            let Err(cause) = ended else {
                // the close handshake completes before this task ends
                let _ = closing.await;
                return;
            };
            if self.report_loss(&cause).await.is_break() {
                return;
            }
            if !cause.is_retryable() || (self.finishing && self.turns.is_empty()) {
                // sending fails only if the conversation was dropped
                let _ = self.incoming.send(Err(cause)).await;
                return;
            }
            let was_idle = matches!(cause, Error::Closed { code, .. } if code == CloseCode::Idle.number());
            if was_idle {
                // after an idle timeout, reconnect only when there is something to send
                self.postponed = self.outgoing.recv().await;
                if self.postponed.is_none() {
                    return;
                }
            }
            match self.reconnect().await {
                Some(Ok(new)) => socket = new,
                Some(Err(error)) => {
                    let _ = self.incoming.send(Err(error)).await;
                    return;
                }
                None => return,
            }
            if self.incoming.send(Ok(Incoming::Event(Event::Reconnected))).await.is_err() {
                return;
            }
        }
    }

    /// Runs the conversation on one connection. Returns `Ok` if the conversation is over, otherwise the error that
    /// ended the connection.
    async fn serve(&mut self, socket: &mut Socket) -> Result<(), Error> {
        if self.config != ConfigPatch::default() {
            send(socket, &ClientMessage::Config(self.config.clone())).await?;
        }
        self.is_leaving = false;
        for message in self.turns.take_waiting() {
            send(socket, &message).await?;
        }
        if self.finishing {
            send(socket, &ClientMessage::Close).await?;
        }
        let mut outbox = VecDeque::new();
        if let Some(message) = self.postponed.take() {
            outbox.extend(self.execute(socket, message).await?);
        }
        let mut last_frame = Instant::now();
        let incoming = self.incoming.clone();
        loop {
            tokio::select! {
                biased;
                message = self.outgoing.recv() => {
                    let Some(message) = message else { return Ok(()) };
                    outbox.extend(self.execute(socket, message).await?);
                }
                room = incoming.reserve(), if !outbox.is_empty() => {
                    let Ok(room) = room else { return Ok(()) };
                    if let Some(received) = outbox.pop_front() {
                        room.send(Ok(received));
                    }
                }
                message = socket.next(), if outbox.is_empty() => {
                    last_frame = Instant::now();
                    match self.on_frame(message)? {
                        ControlFlow::Continue(received) => outbox.extend(received),
                        ControlFlow::Break(()) => return Ok(()),
                    }
                    if let Some(cancel) = self.cancel_of_refused.take() {
                        send(socket, &cancel).await?;
                    }
                }
                () = sleep_until(last_frame + SILENCE_TIMEOUT), if outbox.is_empty() => {
                    return Err(Error::Broken("no message from the server for too long".to_owned()));
                }
            }
            if self.is_leaving && outbox.is_empty() && self.open_cancels.is_empty() && self.turns.all_wait() {
                if self.finishing && self.turns.is_empty() {
                    return Ok(());
                }
                let code = CloseCode::GoingAway;
                return Err(Error::Closed { code: code.number(), reason: code.name().to_owned() });
            }
        }
    }

    /// Sends a message, unless it concerns a turn that waits for another server or has ended. Returns the events
    /// that result without a response from the server, such as the cancellation of waiting turns.
    async fn execute(&mut self, socket: &mut Socket, message: ClientMessage) -> Result<Vec<Incoming>, Error> {
        let mut come = Vec::new();
        match &message {
            ClientMessage::Cancel(cancel) => {
                let is_answered = match &cancel.turn_id {
                    Some(turn) => self.turns.cancel_waiting(turn).map(|cancelled| match &cancel.id {
                        Some(id) => Incoming::Answer { id: id.clone(), outcome: Ok(cancelled) },
                        None => Incoming::Event(Event::Cancelled(cancelled)),
                    }),
                    None => None,
                };
                if let Some(answer) = is_answered {
                    return Ok(vec![answer]);
                }
                if cancel.all {
                    let cancelled = self.turns.cancel_all_waiting().into_iter();
                    come.extend(cancelled.map(|cancelled| Incoming::Event(Event::Cancelled(cancelled))));
                }
                self.turns.keep_from_others(cancel.turn_id.as_deref());
                self.open_cancels.extend(cancel.id.clone());
            }
            ClientMessage::Config(patch) => merge(&mut self.config, patch.clone()),
            ClientMessage::Close => self.finishing = true,
            _ => {
                if !self.turns.is_to_send(&message) {
                    return Ok(come);
                }
            }
        }
        send(socket, &message).await?;
        Ok(come)
    }

    /// Handles a frame and returns the resulting events, or `Break` if the conversation ended normally.
    fn on_frame(
        &mut self,
        message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Result<ControlFlow<(), Vec<Incoming>>, Error> {
        let received = match message {
            None => return Err(Error::Broken("it ended without a close frame".to_owned())),
            Some(Err(error)) => return Err(Error::broken(&error)),
            Some(Ok(Message::Binary(samples))) => self.sound(samples)?,
            Some(Ok(Message::Text(text))) => {
                let message = serde_json::from_str(text.as_str());
                // a newer server may send messages that this client does not know
                message.ok().and_then(|message| self.on_message(message))
            }
            Some(Ok(Message::Close(frame))) => {
                let (code, reason) = frame
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                let is_all_said = code == CloseCode::GoingAway.number() && self.turns.is_empty();
                if self.finishing && (is_all_said || code == CloseCode::Normal.number()) {
                    return Ok(ControlFlow::Break(()));
                }
                return Err(match self.closing_error.take() {
                    Some(detail) => Error::Refused { status: None, detail: Box::new(detail) },
                    None => Error::Closed { code, reason },
                });
            }
            Some(Ok(_)) => None,
        };
        let start = received.as_ref().and_then(|_| self.start.take()).map(Incoming::Event);
        Ok(ControlFlow::Continue(start.into_iter().chain(received).collect()))
    }

    fn sound(&mut self, samples: Bytes) -> Result<Option<Incoming>, Error> {
        let Some(turn) = &self.sounding else {
            return Err(Error::Protocol("received audio that belongs to no turn".to_owned()));
        };
        self.turns.received(turn, samples.len());
        if self.refused.contains(turn) {
            return Ok(None);
        }
        Ok(Some(Incoming::Event(Event::Audio { turn: turn.clone(), samples })))
    }

    fn on_message(&mut self, message: ServerMessage) -> Option<Incoming> {
        if !matches!(message, ServerMessage::TurnCancelled { .. })
            && turn_of(&message).is_some_and(|turn| self.turns.waits(turn))
        {
            // the next server will report the progress of the turn
            return None;
        }
        Some(Incoming::Event(match message {
            ServerMessage::TurnStarted { turn_id, voice, language, .. } => {
                self.sounding = Some(turn_id.clone());
                if self.refused.contains(&turn_id) {
                    return None;
                }
                self.start = Some(Event::Started { turn: turn_id, voice, language });
                return None;
            }
            ServerMessage::Words { turn_id, .. } if self.refused.contains(&turn_id) => return None,
            ServerMessage::Words { turn_id, words } => Event::Words(Words { turn: turn_id, words }),
            ServerMessage::Flushed { turn_id, .. } => Event::Flushed { turn: turn_id },
            ServerMessage::TurnDone { turn_id, audio_ms, chars, ttfa_ms, reason } => {
                self.turns.end(&turn_id, true);
                Event::Done(Done { turn: turn_id, audio_ms, chars, first_audio_ms: ttfa_ms, reason })
            }
            ServerMessage::TurnCancelled { turn_id, id, state, sent_ms, heard, unheard_text } => {
                if id.as_deref() == Some(CANCEL_OF_REFUSED) {
                    self.refused.retain(|refused| turn_id.as_ref() != Some(refused));
                    return None;
                }
                if let Some(turn) = &turn_id
                    && state == CancelState::Cancelled
                {
                    self.turns.end(turn, false);
                }
                let cancelled = Cancelled { turn: turn_id, state, sent_ms, heard, unheard_text };
                match id {
                    Some(id) => {
                        self.open_cancels.retain(|open| *open != id);
                        return Some(Incoming::Answer { id, outcome: Ok(cancelled) });
                    }
                    None => Event::Cancelled(cancelled),
                }
            }
            ServerMessage::TurnFailed { turn_id, error, .. }
                if error.code == ErrorCode::Draining && self.turns.wait(&turn_id) =>
            {
                self.is_leaving = true;
                self.drop_start_of_waiting();
                return None;
            }
            ServerMessage::TurnFailed { turn_id, error, sent_ms } => {
                self.turns.end(&turn_id, false);
                Event::Failed(Failed { turn: turn_id, error, sent_ms })
            }
            ServerMessage::Config(config) => Event::Config(config),
            ServerMessage::Warning { code, message, .. } => Event::Warning { code, message },
            ServerMessage::Error { scope: ErrorScope::Message, turn_id, error } => {
                self.rejected(turn_id, error)
            }
            ServerMessage::Error { scope: ErrorScope::Session, error, .. } => {
                self.closing_error = Some(error);
                return None;
            }
            ServerMessage::Closing { code, .. } => {
                self.is_leaving |= code == CloseCode::GoingAway.number();
                return None;
            }
            ServerMessage::Ready { .. } | ServerMessage::Pong { .. } => return None,
        }))
    }

    /// Handles a refused message. If the message was text of an open turn, the text of the turn has a gap, so
    /// the turn is cancelled and fails.
    fn rejected(&mut self, turn: Option<String>, error: ErrorDetail) -> Event {
        let field = error.param.as_deref().and_then(|param| param.split('.').next());
        let is_text = field.is_some_and(|field| FIELDS_OF_TEXT.contains(&field));
        let sent_ms = turn.as_ref().filter(|_| is_text).and_then(|turn| self.turns.received_ms(turn));
        let (Some(turn), Some(sent_ms)) = (turn.clone(), sent_ms) else {
            return Event::Rejected { turn, error };
        };
        self.turns.end(&turn, false);
        self.refused.push(turn.clone());
        let id = Some(CANCEL_OF_REFUSED.to_owned());
        let cancel = Cancel { turn_id: Some(turn.clone()), id, ..Cancel::default() };
        self.cancel_of_refused = Some(ClientMessage::Cancel(cancel));
        Event::Failed(Failed { turn, error, sent_ms })
    }

    fn drop_start_of_waiting(&mut self) {
        self.start.take_if(|start| matches!(start, Event::Started { turn, .. } if self.turns.waits(turn)));
    }

    /// Ends all turns and cancels that were lost with the connection. Returns `Break` if the conversation was
    /// dropped.
    async fn report_loss(&mut self, cause: &Error) -> ControlFlow<()> {
        self.sounding = None;
        self.refused.clear();
        let has_left = matches!(cause, Error::Closed { code, .. } if *code == CloseCode::GoingAway.number());
        let lost = self.turns.lose(has_left);
        self.drop_start_of_waiting();
        let start = self.start.take().map(Incoming::Event);
        let turns = lost.into_iter().map(|(turn, received_ms)| {
            Incoming::Event(Event::Lost(Lost { turn, received_ms, cause: cause.clone() }))
        });
        let answers =
            self.open_cancels.drain(..).map(|id| Incoming::Answer { id, outcome: Err(cause.clone()) });
        for received in start.into_iter().chain(turns).chain(answers).collect::<Vec<_>>() {
            if self.incoming.send(Ok(received)).await.is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Reconnects. Returns `None` if the conversation was dropped.
    async fn reconnect(&mut self) -> Option<Result<Socket, Error>> {
        let mut pause = RECONNECT_DELAYS.0;
        for attempt in 1.. {
            let connected = tokio::select! {
                connected = socket::open(&self.server) => connected,
                () = self.incoming.closed() => return None,
            };
            let error = match connected {
                Ok((socket, _)) => return Some(Ok(socket)),
                Err(error) => error,
            };
            if attempt == MAX_RECONNECTS || !error.is_retryable() {
                return Some(Err(error));
            }
            // random delay, so that the clients of a restarted server do not all reconnect at the same time
            let wait = pause.mul_f64(0.5 + fastrand::f64() / 2.0);
            tokio::select! {
                () = sleep(wait) => {}
                () = self.incoming.closed() => return None,
            }
            pause = RECONNECT_DELAYS.1.min(pause * 2);
        }
        None
    }
}

/// Returns the turn that a message concerns.
fn turn_of(message: &ServerMessage) -> Option<&str> {
    match message {
        ServerMessage::TurnStarted { turn_id, .. }
        | ServerMessage::Words { turn_id, .. }
        | ServerMessage::TurnDone { turn_id, .. }
        | ServerMessage::TurnFailed { turn_id, .. } => Some(turn_id),
        ServerMessage::Flushed { turn_id, .. }
        | ServerMessage::TurnCancelled { turn_id, .. }
        | ServerMessage::Warning { turn_id, .. }
        | ServerMessage::Error { turn_id, .. } => turn_id.as_deref(),
        ServerMessage::Ready { .. }
        | ServerMessage::Config(_)
        | ServerMessage::Closing { .. }
        | ServerMessage::Pong { .. } => None,
    }
}

/// Closes a connection, or completes a closing handshake that the server started. After a timeout, the connection
/// is dropped.
async fn close(mut socket: Socket) {
    let closing = async {
        if socket.close(None).await.is_ok() {
            while let Some(Ok(_)) = socket.next().await {}
        }
    };
    let _ = timeout(CLOSE_TIMEOUT, closing).await;
}

async fn send(socket: &mut Socket, message: &ClientMessage) -> Result<(), Error> {
    let text = serde_json::to_string(message).map_err(|error| Error::Protocol(error.to_string()))?;
    match timeout(SEND_TIMEOUT, socket.send(Message::text(text))).await {
        Ok(sent) => sent.map_err(|error| Error::broken(&error)),
        Err(_) => Err(Error::Broken("the server does not accept messages".to_owned())),
    }
}

/// Applies a patch to the settings.
fn merge(config: &mut ConfigPatch, patch: ConfigPatch) {
    let ConfigPatch {
        voice,
        language,
        speed,
        pitch,
        clarity,
        lexicon,
        engine,
        timestamps,
        max_lead_ms,
        output_format,
    } = patch;
    config.voice = voice.or_else(|| config.voice.take());
    config.language = language.or(config.language);
    config.speed = speed.or(config.speed);
    config.pitch = pitch.or(config.pitch);
    config.clarity = clarity.or(config.clarity);
    config.lexicon = lexicon.or_else(|| config.lexicon.take());
    config.engine = engine.or(config.engine);
    config.timestamps = timestamps.or(config.timestamps);
    config.max_lead_ms = max_lead_ms.or(config.max_lead_ms);
    config.output_format = output_format.or_else(|| config.output_format.take());
}
