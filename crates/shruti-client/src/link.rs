//! The connection of a conversation: a task that sends wishes, hands on what the server tells, and comes back after
//! a loss.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{ClientMessage, CloseCode, ConfigPatch, ErrorScope, ServerMessage};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::client::Client;
use crate::socket::{self, Socket};
use crate::{Cancelled, Done, Error, Event, Failed, Lost, Words};

/// The server pings every 20 s; after a silence of this length it is gone.
const SILENCE: Duration = Duration::from_mins(1);
/// How long the server may take to take a message.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long both sides of a close may take together.
const GOODBYE: Duration = Duration::from_secs(2);
/// Tries to come back before the conversation is given up.
const ATTEMPTS: u32 = 10;
/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// What the task has to say.
#[derive(Debug)]
pub(crate) enum Told {
    /// Something happened.
    Event(Event),
    /// A cancel was answered, or never will be.
    Answer { id: String, outcome: Result<Cancelled, Error> },
}

struct Link {
    client: Client,
    /// The settings that differ from the server's defaults.
    config: ConfigPatch,
    wishes: mpsc::Receiver<ClientMessage>,
    tell: mpsc::Sender<Result<Told, Error>>,
    /// A wish that was read when there was no connection for it.
    postponed: Option<ClientMessage>,
    /// Turns that have begun and not ended, with the bytes of sound that have come.
    turns: HashMap<String, u64>,
    /// Cancels without an answer.
    asked: Vec<String>,
    sounding: Option<String>,
    /// What the server said last of why it will close.
    farewell: Option<ErrorDetail>,
    finishing: bool,
}

/// Connects, and starts the task. Returns the server's name for the conversation.
pub(crate) async fn start(
    client: Client,
    config: ConfigPatch,
    wishes: mpsc::Receiver<ClientMessage>,
    tell: mpsc::Sender<Result<Told, Error>>,
) -> Result<String, Error> {
    let (socket, session_id) = socket::open(&client.shared).await?;
    let link = Link {
        client,
        config,
        wishes,
        tell,
        postponed: None,
        turns: HashMap::new(),
        asked: Vec::new(),
        sounding: None,
        farewell: None,
        finishing: false,
    };
    tokio::spawn(link.run(socket));
    Ok(session_id)
}

impl Link {
    async fn run(mut self, mut socket: Socket) {
        loop {
            let ended = self.serve(&mut socket).await;
            let parting = tokio::spawn(part(socket));
            let Err(cause) = ended else {
                // whoever waits for this task wants the server to have heard
                let _ = parting.await;
                return;
            };
            if self.report_loss(&cause).await.is_break() {
                return;
            }
            if !cause.is_retryable() || self.finishing {
                // whoever listens has gone if this fails
                let _ = self.tell.send(Err(cause)).await;
                return;
            }
            let was_idle = matches!(cause, Error::Closed { code, .. } if code == CloseCode::Idle.number());
            if was_idle {
                // the next turn is soon enough
                self.postponed = self.wishes.recv().await;
                if self.postponed.is_none() {
                    return;
                }
            }
            match self.come_back().await {
                Some(Ok(new)) => socket = new,
                Some(Err(error)) => {
                    let _ = self.tell.send(Err(error)).await;
                    return;
                }
                None => return,
            }
            if self.tell.send(Ok(Told::Event(Event::Reconnected))).await.is_err() {
                return;
            }
        }
    }

    /// Serves one connection. `Ok` when the conversation is over, the error by which the connection was lost otherwise.
    async fn serve(&mut self, socket: &mut Socket) -> Result<(), Error> {
        if self.config != ConfigPatch::default() {
            send(socket, &ClientMessage::Config(self.config.clone())).await?;
        }
        if let Some(wish) = self.postponed.take() {
            self.carry_out(socket, wish).await?;
        }
        let mut outbox = VecDeque::new();
        let mut heard = Instant::now();
        let tell = self.tell.clone();
        loop {
            tokio::select! {
                biased;
                wish = self.wishes.recv() => {
                    let Some(wish) = wish else { return Ok(()) };
                    self.carry_out(socket, wish).await?;
                }
                room = tell.reserve(), if !outbox.is_empty() => {
                    let Ok(room) = room else { return Ok(()) };
                    if let Some(told) = outbox.pop_front() {
                        room.send(Ok(told));
                    }
                }
                message = socket.next(), if outbox.is_empty() => {
                    heard = Instant::now();
                    match self.hear(message)? {
                        ControlFlow::Continue(told) => outbox.extend(told),
                        ControlFlow::Break(()) => return Ok(()),
                    }
                }
                () = sleep_until(heard + SILENCE), if outbox.is_empty() => {
                    return Err(Error::Broken("the server has fallen silent".to_owned()));
                }
            }
        }
    }

    async fn carry_out(&mut self, socket: &mut Socket, wish: ClientMessage) -> Result<(), Error> {
        match &wish {
            ClientMessage::Text(text) => {
                if let Some(turn) = &text.turn_id {
                    self.turns.entry(turn.clone()).or_default();
                }
            }
            ClientMessage::Cancel(cancel) => self.asked.extend(cancel.id.clone()),
            ClientMessage::Config(patch) => merge(&mut self.config, patch.clone()),
            ClientMessage::Close => self.finishing = true,
            _ => {}
        }
        send(socket, &wish).await
    }

    /// Takes a frame; breaks when the conversation has come to its end.
    fn hear(
        &mut self,
        message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Result<ControlFlow<(), Option<Told>>, Error> {
        let told = match message {
            None => return Err(Error::Broken("it ended without a goodbye".to_owned())),
            Some(Err(error)) => return Err(Error::broken(&error)),
            Some(Ok(Message::Binary(samples))) => self.sound(samples)?,
            Some(Ok(Message::Text(text))) => {
                let message = serde_json::from_str(text.as_str());
                // a newer server may say what this client does not know
                message.ok().and_then(|message| self.learn(message))
            }
            Some(Ok(Message::Close(frame))) => {
                let (code, reason) = frame
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                if self.finishing && code == CloseCode::Normal.number() {
                    return Ok(ControlFlow::Break(()));
                }
                return Err(match self.farewell.take() {
                    Some(detail) => Error::Refused { status: None, detail: Box::new(detail) },
                    None => Error::Closed { code, reason },
                });
            }
            Some(Ok(_)) => None,
        };
        Ok(ControlFlow::Continue(told))
    }

    fn sound(&mut self, samples: Bytes) -> Result<Option<Told>, Error> {
        let Some(turn) = &self.sounding else {
            return Err(Error::Protocol("sound came that belongs to no turn".to_owned()));
        };
        if let Some(received) = self.turns.get_mut(turn) {
            *received += samples.len() as u64;
        }
        Ok(Some(Told::Event(Event::Audio { turn: turn.clone(), samples })))
    }

    fn learn(&mut self, message: ServerMessage) -> Option<Told> {
        Some(Told::Event(match message {
            ServerMessage::TurnStarted { turn_id, voice, language } => {
                self.sounding = Some(turn_id.clone());
                Event::Started { turn: turn_id, voice, language }
            }
            ServerMessage::Words { turn_id, words } => Event::Words(Words { turn: turn_id, words }),
            ServerMessage::Flushed { turn_id, .. } => Event::Flushed { turn: turn_id },
            ServerMessage::TurnDone { turn_id, audio_ms, chars, ttfa_ms, reason } => {
                self.turns.remove(&turn_id);
                Event::Done(Done { turn: turn_id, audio_ms, chars, first_audio_ms: ttfa_ms, reason })
            }
            ServerMessage::TurnCancelled { turn_id, id, state, sent_ms, heard, unheard_text } => {
                if let Some(turn) = &turn_id {
                    self.turns.remove(turn);
                }
                let cancelled = Cancelled { turn: turn_id, state, sent_ms, heard, unheard_text };
                match id {
                    Some(id) => {
                        self.asked.retain(|asked| *asked != id);
                        return Some(Told::Answer { id, outcome: Ok(cancelled) });
                    }
                    None => Event::Cancelled(cancelled),
                }
            }
            ServerMessage::TurnFailed { turn_id, error, sent_ms } => {
                self.turns.remove(&turn_id);
                Event::Failed(Failed { turn: turn_id, error, sent_ms })
            }
            ServerMessage::Config(config) => Event::Config(config),
            ServerMessage::Warning { code, message, .. } => Event::Warning { code, message },
            ServerMessage::Error { scope: ErrorScope::Message, error } => Event::Rejected(error),
            ServerMessage::Error { scope: ErrorScope::Session, error } => {
                self.farewell = Some(error);
                return None;
            }
            ServerMessage::Ready { .. } | ServerMessage::Closing { .. } | ServerMessage::Pong { .. } => {
                return None;
            }
        }))
    }

    /// Ends all that the connection took with it.
    async fn report_loss(&mut self, cause: &Error) -> ControlFlow<()> {
        self.sounding = None;
        let turns = self.turns.drain().map(|(turn, bytes)| {
            let samples = bytes / 2;
            let received_ms = (samples * 1_000 / u64::from(shruti_protocol::SAMPLE_RATE)) as u32;
            Told::Event(Event::Lost(Lost { turn, received_ms, cause: cause.clone() }))
        });
        let answers = self.asked.drain(..).map(|id| Told::Answer { id, outcome: Err(cause.clone()) });
        for told in turns.chain(answers).collect::<Vec<_>>() {
            if self.tell.send(Ok(told)).await.is_err() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Connects again; `None` when nobody waits for it any more.
    async fn come_back(&mut self) -> Option<Result<Socket, Error>> {
        let mut pause = PAUSES.0;
        for attempt in 1.. {
            let connected = tokio::select! {
                connected = socket::open(&self.client.shared) => connected,
                () = self.tell.closed() => return None,
            };
            let error = match connected {
                Ok((socket, _)) => return Some(Ok(socket)),
                Err(error) => error,
            };
            if attempt == ATTEMPTS || !error.is_retryable() {
                return Some(Err(error));
            }
            // not all clients of a server that restarts come back at once
            let wait = pause.mul_f64(0.5 + fastrand::f64() / 2.0);
            tokio::select! {
                () = sleep(wait) => {}
                () = self.tell.closed() => return None,
            }
            pause = PAUSES.1.min(pause * 2);
        }
        None
    }
}

/// Closes a connection, or answers the server's close; a server that does not end it in time is left.
async fn part(mut socket: Socket) {
    let parting = async {
        if socket.close(None).await.is_ok() {
            while let Some(Ok(_)) = socket.next().await {}
        }
    };
    let _ = timeout(GOODBYE, parting).await;
}

async fn send(socket: &mut Socket, message: &ClientMessage) -> Result<(), Error> {
    let text = serde_json::to_string(message).map_err(|error| Error::Protocol(error.to_string()))?;
    match timeout(PATIENCE, socket.send(Message::text(text))).await {
        Ok(sent) => sent.map_err(|error| Error::broken(&error)),
        Err(_) => Err(Error::Broken("the server takes nothing".to_owned())),
    }
}

/// The settings with a patch on top.
fn merge(config: &mut ConfigPatch, patch: ConfigPatch) {
    let ConfigPatch { voice, language, speed, pitch, lexicon, timestamps, max_lead_ms } = patch;
    config.voice = voice.or_else(|| config.voice.take());
    config.language = language.or(config.language);
    config.speed = speed.or(config.speed);
    config.pitch = pitch.or(config.pitch);
    config.lexicon = lexicon.or_else(|| config.lexicon.take());
    config.timestamps = timestamps.or(config.timestamps);
    config.max_lead_ms = max_lead_ms.or(config.max_lead_ms);
}
