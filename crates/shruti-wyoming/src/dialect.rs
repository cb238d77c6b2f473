//! Mapping of connection events to turns.
//!
//! A `synthesize` event is a turn with complete text; `synthesize-start` opens a turn that `synthesize-stop` ends.
//! Turns are spoken one after another. An error closes the connection, because clients wait for `audio-stop` or for the
//! connection to close; no other event ends their wait.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use shruti_engine::Engine;
use shruti_engine::turn::{Command, DoneReason, Event, TurnId, TurnSettings};
use shruti_lang::{Clarity, Language, SAMPLE_RATE, VoiceId};
use shruti_protocol::fields::{self, Fields, field_value, invalid_field, quoted, wrong_type};
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_service::synthesis::voice;
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use crate::connection::{MALFORMED, error_event, outgoing};
use crate::info::{info, parts_of_voice_name};

/// Maximum time that a connection may be open without events or audio. Home Assistant opens a connection for each text.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Wyoming dialect of one connection.
pub(crate) struct WyomingDialect {
    engine: Arc<Engine>,
    /// Pronunciation lexicon of the API key.
    lexicon: Arc<Lexicon>,
    /// Number of turns so far.
    turns: u64,
    /// Turn whose text is still arriving in pieces.
    open: Option<OpenTurn>,
    /// Turns whose text arrives in pieces and that are not done yet.
    streamed: Vec<TurnId>,
    has_failed: bool,
}

/// Turn between its `synthesize-start` and `synthesize-stop`.
struct OpenTurn {
    turn: TurnId,
    /// Settings of the turn; `None` after its first text.
    settings: Option<TurnSettings>,
}

impl WyomingDialect {
    pub(crate) fn new(engine: Arc<Engine>, lexicon: Arc<Lexicon>) -> Self {
        Self { engine, lexicon, turns: 0, open: None, streamed: Vec::new(), has_failed: false }
    }

    fn next_turn(&mut self) -> TurnId {
        self.turns += 1;
        self.turns.to_string().into()
    }

    /// Returns the settings of a turn, from the `voice` of its event.
    fn settings(&self, data: &Fields) -> Result<TurnSettings, ApiError> {
        let (voice, language) = match field_value(data, "voice") {
            None => (voice(&self.engine, None)?, None),
            Some(Value::Object(asked)) => self.voice(asked)?,
            Some(other) => return Err(wrong_type("voice", "an object with a name or a language", other)),
        };
        Ok(self.settings_of(voice, language))
    }

    fn settings_of(&self, voice: VoiceId, language: Option<Language>) -> TurnSettings {
        TurnSettings {
            voice,
            language,
            speed: 1.0,
            pitch: 0.0,
            clarity: Clarity::default_for(SAMPLE_RATE),
            lexicon: Arc::clone(&self.lexicon),
            engine: None,
            words: false,
            // no pacing: audio is sent as fast as the client reads it
            max_lead: None,
        }
    }

    /// Returns the voice and the language of a request. The request may contain a name from `info`, the name of a
    /// voice, a language, or none of these.
    fn voice(&self, fields: &Fields) -> Result<(VoiceId, Option<Language>), ApiError> {
        let language = string(fields, "language")?.map(language).transpose()?;
        let Some(name) = string(fields, "name")? else { return Ok((voice(&self.engine, None)?, language)) };
        if let Some((of_name, found)) = parts_of_voice_name(name)
            && let Ok(voice) = voice(&self.engine, Some(&found.into()))
        {
            return Ok((voice, Some(of_name)));
        }
        Ok((voice(&self.engine, Some(&quoted(name).into()))?, language))
    }

    fn command(&mut self, kind: &str, data: &Fields) -> Result<ClientCommand<()>, ApiError> {
        let commands = match kind {
            "describe" => return Ok(ClientCommand::Ping(Some(info(&self.engine)))),
            "ping" => {
                let pong = outgoing("pong", &json!({"text": string(data, "text")?}), &[]);
                return Ok(ClientCommand::Ping(Some(pong)));
            }
            // ignore this event: clients send the whole text in addition, for servers that do not support streamed text
            "synthesize" if self.open.is_some() => return Ok(ClientCommand::Ping(None)),
            "synthesize" => {
                let (text, settings) = (text(data)?, Some(self.settings(data)?));
                let turn = Some(self.next_turn());
                vec![Command::Text { turn, text, last: true, preempt: false, settings }]
            }
            "synthesize-start" if self.open.is_some() => {
                return Err(invalid_field(
                    "type",
                    "a streamed text is open; end it with synthesize-stop".to_owned(),
                ));
            }
            "synthesize-start" => {
                let settings = Some(self.settings(data)?);
                let turn = self.next_turn();
                self.streamed.push(turn.clone());
                self.open = Some(OpenTurn { turn: turn.clone(), settings: settings.clone() });
                let text = String::new();
                vec![Command::Text { turn: Some(turn), text, last: false, preempt: false, settings }]
            }
            "synthesize-chunk" => {
                let text = text(data)?;
                let Some(open) = &mut self.open else { return Err(not_open(kind)) };
                let (turn, settings) = (Some(open.turn.clone()), open.settings.take());
                vec![Command::Text { turn, text, last: false, preempt: false, settings }]
            }
            "synthesize-stop" => {
                let Some(open) = self.open.take() else { return Err(not_open(kind)) };
                vec![Command::End { turn: Some(open.turn) }]
            }
            // ignore other events, which belong to later versions of the protocol or to other services
            _ => return Ok(ClientCommand::Ping(None)),
        };
        Ok(ClientCommand::Turns { context: None, opens: None, commands })
    }

    /// Handles the end of a turn.
    fn ended(&mut self, turn: &TurnId, outbox: &mut Outbox) {
        if let Some(place) = self.streamed.iter().position(|streamed| streamed == turn) {
            self.streamed.remove(place);
            outbox.push(outgoing("synthesize-stopped", &json!({}), &[]));
        }
        if self.open.as_ref().is_some_and(|open| open.turn == *turn) {
            self.open = None;
        }
    }
}

impl Dialect for WyomingDialect {
    type Context = ();

    const API_KIND: ApiKind = ApiKind::Wyoming;
    const ERRORS_END_CONTEXTS: bool = false;

    fn initial_context(&mut self) -> Option<NewContext<()>> {
        let default = self.engine.voices().default_voice().name().clone();
        Some(NewContext { settings: self.settings_of(default, None), state: () })
    }

    fn greet(&mut self, _max_streams: Option<u32>, _outbox: &mut Outbox) {}

    fn read(&mut self, message: &str, _: &mut Contexts<()>) -> Result<ClientCommand<()>, InvalidMessage> {
        let event = fields::object(message.as_bytes(), "the event")?;
        if let Some(error) = event.get(MALFORMED) {
            let code = serde_json::from_value(error["code"].clone()).unwrap_or(ErrorCode::InvalidJson);
            let message = error["message"].as_str().unwrap_or("the event is malformed");
            return Err(ApiError::new(code, message).into());
        }
        let none = Fields::new();
        let data = event.get("data").and_then(Value::as_object).unwrap_or(&none);
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        Ok(self.command(kind, data)?)
    }

    fn audio(&mut self, (): &mut (), samples: &[i16]) -> Option<Message> {
        let payload: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        (!payload.is_empty()).then(|| outgoing("audio-chunk", &format(), &payload))
    }

    fn event(&mut self, (): &mut (), event: Event, outbox: &mut Outbox) {
        match event {
            Event::Started { .. } => outbox.push(outgoing("audio-start", &format(), &[])),
            Event::Done { turn, reason, .. } => {
                if reason == DoneReason::NothingToSay {
                    outbox.push(outgoing("audio-start", &format(), &[]));
                }
                outbox.push(outgoing("audio-stop", &json!({}), &[]));
                self.ended(&turn, outbox);
            }
            _ => {}
        }
    }

    fn turn_failed(
        &mut self,
        (): &mut (),
        _turn: &TurnId,
        error: ApiError,
        _sent: Duration,
        outbox: &mut Outbox,
    ) {
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
        // report only the first error: later ones are consequences
        if !std::mem::replace(&mut self.has_failed, true) {
            outbox.push(error_event(&error));
        }
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        code.number()
    }

    fn is_over(&self) -> bool {
        self.has_failed
    }

    fn idle_timeout(&self) -> Duration {
        IDLE_TIMEOUT
    }
}

/// Returns the audio format: sample rate, bytes per sample and channels.
fn format() -> Value {
    json!({"rate": SAMPLE_RATE, "width": 2, "channels": 1})
}

fn string<'a>(data: &'a Fields, name: &str) -> Result<Option<&'a str>, ApiError> {
    match field_value(data, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(name, "a string", other)),
    }
}

/// Returns the text of an event, which may be blank.
fn text(data: &Fields) -> Result<String, ApiError> {
    let text = string(data, "text")?.ok_or_else(|| {
        ApiError::new(ErrorCode::MissingField, "text is required: the text to speak").with_param("text")
    })?;
    let chars = text.chars().count();
    if chars > MAX_TEXT_CHARS {
        let message = format!("text has {chars} characters; the limit is {MAX_TEXT_CHARS}");
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
    }
    Ok(text.to_owned())
}

fn language(name: &str) -> Result<Language, ApiError> {
    name.parse().map_err(|_| {
        let message = format!("language '{}' is not supported; `info` lists the languages", quoted(name));
        ApiError::new(ErrorCode::UnsupportedLanguage, message).with_param("language")
    })
}

fn not_open(kind: &str) -> ApiError {
    invalid_field("type", format!("{kind} without synthesize-start"))
}
