//! Messages of the WebSocket `/v1/speak`.
//!
//! The text between two flushes is one turn. The flush ends the turn, so that its prosody is complete and its
//! last sample is sent before the flush is answered.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use shruti_audio::Format;
use shruti_engine::turn::{self, Command, Target, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::fields::Fields;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_service::http::RequestId;
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::errors::code;
use super::openapi::DeepgramRequest;
use super::request::SpeechRequest;
use crate::common::socket::SoundQuery;
use crate::common::sound::TurnSound;
use crate::common::{fields, socket};

/// Valid message types.
const KINDS: &str = "Speak, Flush, Clear or Close";

/// ID of the cancel command for a `Clear`. It marks the event that answers the `Clear`; events of the dropped
/// turns have no ID.
const CLEAR: &str = "clear";

/// Dialect of one connection.
pub(super) struct DeepgramDialect {
    id: RequestId,
    model: String,
    settings: TurnSettings,
    format: Format,
    /// Number of the turn that receives text.
    turn: u64,
    /// Whether the turn that receives text already has text.
    has_text: bool,
    /// Number of answered flushes and clears.
    answered: u64,
}

/// Server message.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
enum Told<'a> {
    Metadata { request_id: String, model_name: &'a str, model_version: &'a str, model_uuid: &'a str },
    Flushed { sequence_id: u64 },
    Cleared { sequence_id: u64 },
    Warning { code: String, description: &'a str, warn_msg: &'a str },
    Error { code: String, description: &'a str },
}

/// Model UUID that clients require; the voices have none.
const MODEL_UUID: &str = "00000000-0000-0000-0000-000000000000";

impl DeepgramDialect {
    pub(super) fn new(
        id: RequestId,
        lexicon: Arc<Lexicon>,
        speech_request: SpeechRequest,
        sound: SoundQuery,
    ) -> Self {
        let settings = TurnSettings {
            voice: speech_request.voice,
            language: speech_request.language,
            speed: speech_request.speed as f32,
            pitch: 0.0,
            clarity: sound.clarity(speech_request.format),
            lexicon,
            engine: sound.engine,
            words: false,
            max_lead: sound.max_lead,
        };
        Self {
            id,
            model: speech_request.model,
            settings,
            format: speech_request.format,
            turn: 0,
            has_text: false,
            answered: 0,
        }
    }

    fn next_answer(&mut self) -> u64 {
        self.answered += 1;
        self.answered - 1
    }

    fn turn(&self) -> TurnId {
        self.turn.to_string().into()
    }

    /// Starts another turn for the text that follows.
    fn next_turn(&mut self) {
        self.turn += 1;
        self.has_text = false;
    }

    fn speak(&mut self, message: &Fields) -> Result<Vec<Command>, ApiError> {
        let text = DeepgramRequest::TEXT.read(message)?;
        self.has_text = true;
        Ok(vec![Command::Text { turn: Some(self.turn()), text, last: false, preempt: false, settings: None }])
    }

    fn flush(&mut self) -> Vec<Command> {
        let turn = self.turn();
        if self.has_text {
            self.next_turn();
            return vec![Command::End { turn: Some(turn) }];
        }
        // if no text was received since the last flush, this flush is answered after the previous turn has been spoken
        let before = self.turn.checked_sub(1).map(|before| before.to_string().into());
        vec![Command::Flush { turn: before.or(Some(turn)), id: None }]
    }

    fn clear(&mut self) -> Vec<Command> {
        self.next_turn();
        vec![Command::Cancel { target: Target::All, played: None, id: Some(CLEAR.to_owned()) }]
    }
}

impl Dialect for DeepgramDialect {
    type Context = TurnSound;

    const API_KIND: ApiKind = ApiKind::Deepgram;
    const ERRORS_END_CONTEXTS: bool = false;

    fn initial_context(&mut self) -> Option<NewContext<TurnSound>> {
        Some(NewContext { settings: self.settings.clone(), state: TurnSound::new(self.format) })
    }

    fn greet(&mut self, _max_streams: Option<u32>, outbox: &mut Outbox) {
        outbox.push(text(&Told::Metadata {
            request_id: self.id.to_string(),
            model_name: &self.model,
            model_version: env!("CARGO_PKG_VERSION"),
            model_uuid: MODEL_UUID,
        }));
    }

    fn read(
        &mut self,
        message: &str,
        _contexts: &mut Contexts<TurnSound>,
    ) -> Result<ClientCommand<TurnSound>, InvalidMessage> {
        let message = fields::object(message.as_bytes(), "the message")?;
        let commands = match fields::kind(&message, KINDS)? {
            "Speak" => self.speak(&message)?,
            "Flush" => self.flush(),
            "Clear" => self.clear(),
            "Close" => return Ok(ClientCommand::Close),
            other => return Err(fields::unknown_kind(other, KINDS).into()),
        };
        Ok(ClientCommand::Turns { context: None, opens: None, commands })
    }

    fn audio(&mut self, sound: &mut TurnSound, samples: &[i16]) -> Option<Message> {
        let sound = sound.encode(samples);
        (!sound.is_empty()).then(|| Message::Binary(sound.into()))
    }

    fn event(&mut self, sound: &mut TurnSound, event: turn::Event, outbox: &mut Outbox) {
        match event {
            turn::Event::Done { reason, is_blank, .. } => {
                let rest = sound.finish(reason, is_blank);
                if !rest.is_empty() {
                    outbox.push(Message::Binary(rest.into()));
                }
                outbox.push(text(&Told::Flushed { sequence_id: self.next_answer() }));
            }
            turn::Event::Flushed { .. } => {
                outbox.push(text(&Told::Flushed { sequence_id: self.next_answer() }));
            }
            turn::Event::Cancelled { id: Some(_), .. } => {
                sound.drop_turn();
                outbox.push(text(&Told::Cleared { sequence_id: self.next_answer() }));
            }
            turn::Event::Warning { turn: of, warning } => {
                let description = match warning {
                    turn::Warning::LateText => "text for an already flushed turn was dropped",
                    turn::Warning::Abandoned => {
                        "the text was spoken without a Flush because none was received"
                    }
                };
                if of.is_some_and(|of| of == self.turn()) {
                    // that turn has ended, so the text that follows belongs to the next one
                    self.next_turn();
                }
                let code = "DATA-0000".to_owned();
                outbox.push(text(&Told::Warning { code, description, warn_msg: description }));
            }
            _ => {}
        }
    }

    fn turn_failed(
        &mut self,
        sound: &mut TurnSound,
        turn: &TurnId,
        error: ApiError,
        _sent: Duration,
        outbox: &mut Outbox,
    ) {
        sound.drop_turn();
        if *turn == self.turn() {
            self.next_turn();
        }
        self.error(None, None, error, ErrorScope::Message, outbox);
    }

    fn error(
        &mut self,
        _: Option<&ContextId>,
        _: Option<&TurnId>,
        error: ApiError,
        _: ErrorScope,
        outbox: &mut Outbox,
    ) {
        outbox.push(text(&Told::Error { code: code(error.code), description: &error.message }));
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        socket::close_number(code)
    }
}

fn text(response: &Told<'_>) -> Message {
    // serialising plain data cannot fail
    Message::Text(serde_json::to_string(response).unwrap_or_default().into())
}
