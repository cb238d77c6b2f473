//! Messages of the WebSocket `/v1/jambonz/stream`.
//!
//! The text between two flushes is one turn. The flush ends the turn, so that its prosody is complete.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_engine::turn::{self, Command, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::openapi::JambonzRequest;
use super::request::SocketSettings;
use crate::common::joining::Joining;
use crate::common::socket::SoundQuery;
use crate::common::sound::TurnSound;
use crate::common::{fields, socket};

/// Valid message types.
const KINDS: &str = "stream, flush, stop or keepalive";

/// Dialect of one connection.
pub(super) struct JambonzDialect {
    asked: SocketSettings,
    settings: TurnSettings,
    joining: Joining,
}

impl JambonzDialect {
    pub(super) fn new(requested: SocketSettings, lexicon: Arc<Lexicon>, sound: SoundQuery) -> Self {
        let settings = TurnSettings {
            voice: requested.voice.clone(),
            language: requested.language,
            speed: 1.0,
            pitch: 0.0,
            clarity: sound.clarity(requested.format),
            lexicon,
            engine: sound.engine,
            words: false,
            max_lead: sound.max_lead,
        };
        Self { asked: requested, settings, joining: Joining::default() }
    }
}

impl Dialect for JambonzDialect {
    type Context = TurnSound;

    const API_KIND: ApiKind = ApiKind::Jambonz;
    const ERRORS_END_CONTEXTS: bool = false;

    fn initial_context(&mut self) -> Option<NewContext<TurnSound>> {
        Some(NewContext { settings: self.settings.clone(), state: TurnSound::new(self.asked.format) })
    }

    fn greet(&mut self, _max_streams: Option<u32>, outbox: &mut Outbox) {
        let data = json!({"sample_rate": self.asked.format.sample_rate(), "base64_encoding": false});
        outbox.push(text(&json!({"type": "connect", "data": data})));
    }

    fn read(
        &mut self,
        message: &str,
        _contexts: &mut Contexts<TurnSound>,
    ) -> Result<ClientCommand<TurnSound>, InvalidMessage> {
        let message = fields::object(message.as_bytes(), "the message")?;
        let command = match fields::kind(&message, KINDS)? {
            "stream" => {
                let text = self.joining.append(JambonzRequest::TEXT.read(&message)?);
                Command::Text { turn: None, text, last: false, preempt: false, settings: None }
            }
            "flush" => {
                self.joining.begin();
                Command::End { turn: None }
            }
            "stop" => return Ok(ClientCommand::Stop),
            "keepalive" => return Ok(ClientCommand::Ping(None)),
            other => return Err(fields::unknown_kind(other, KINDS).into()),
        };
        Ok(ClientCommand::Turns { context: None, opens: None, commands: vec![command] })
    }

    fn audio(&mut self, sound: &mut TurnSound, samples: &[i16]) -> Option<Message> {
        let sound = sound.encode(samples);
        (!sound.is_empty()).then(|| Message::Binary(sound.into()))
    }

    fn event(&mut self, sound: &mut TurnSound, event: turn::Event, outbox: &mut Outbox) {
        if let turn::Event::Done { reason, is_blank, .. } = event {
            let rest = sound.finish(reason, is_blank);
            outbox.extend((!rest.is_empty()).then(|| Message::Binary(rest.into())));
        }
    }

    fn turn_failed(
        &mut self,
        sound: &mut TurnSound,
        _turn: &TurnId,
        error: ApiError,
        _sent: Duration,
        outbox: &mut Outbox,
    ) {
        sound.drop_turn();
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
        outbox.push(text(&json!({"type": "error", "error": error.message, "code": error.code})));
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        socket::close_number(code)
    }
}

fn text(response: &Value) -> Message {
    Message::Text(response.to_string().into())
}
