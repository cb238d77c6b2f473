//! Messages of the WebSocket `/text-to-speech/ws`.
//!
//! The text between two flushes is one turn. The flush ends the turn, so that its prosody is complete and its
//! last sample is sent before the flush is answered. A turn keeps the settings with which it began.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use shruti_audio::{Codec, Format};
use shruti_engine::turn::{self, Command, TurnId, TurnSettings};
use shruti_protocol::fields::Fields;
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::{ErrorDialect, RequestId};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::errors::SarvamErrors;
use super::openapi::SarvamRequest;
use super::request::SpeechRequest;
use crate::common::joining::Joining;
use crate::common::socket::SoundQuery;
use crate::common::sound::TurnSound;
use crate::common::{fields, socket};

/// Valid message types.
const KINDS: &str = "config, text, flush or ping";

/// Default codec of a WebSocket.
const CODEC: &str = "mp3";
/// Maximum number of tracked turns: one that is being spoken, the queued turns, and one that is about to be
/// refused. There are more turns only if the key could not be checked when they should have begun; the oldest
/// turns are then dropped.
const MAX_TURNS: usize = turn::MAX_QUEUED + 2;

/// Dialect of one connection.
pub(super) struct SarvamDialect {
    id: RequestId,
    app: Arc<App>,
    /// Combined pronunciation lexicon of the account and the server, loaded when the connection was opened. The
    /// account's entries take precedence.
    lexicon: Arc<Lexicon>,
    sound: SoundQuery,
    /// Whether the client receives an event after the audio of each flush.
    tells_end: bool,
    /// Settings of the last `config` message.
    settings: SpeechRequest,
    /// Number of the turn that receives text.
    turn: u64,
    joining: Joining,
    /// Turns that have text and have not ended, in order; the last one may still receive text.
    turns: VecDeque<Turn>,
}

/// Turn that has not ended.
struct Turn {
    number: u64,
    format: Format,
    /// Number of flushes to answer when the turn ends.
    flushes: usize,
}

impl SarvamDialect {
    pub(super) fn new(
        id: RequestId,
        app: &Arc<App>,
        lexicon: Arc<Lexicon>,
        tells_end: bool,
        sound: SoundQuery,
    ) -> Result<Self, ApiError> {
        let settings = SpeechRequest::read(&Fields::new(), &app.engine, &app.config.voice_aliases, CODEC)?;
        let app = Arc::clone(app);
        let (joining, turns) = (Joining::default(), VecDeque::new());
        Ok(Self { id, app, lexicon, sound, tells_end, settings, turn: 0, joining, turns })
    }

    fn turn_settings(&self) -> TurnSettings {
        TurnSettings {
            voice: self.settings.voice.clone(),
            language: self.settings.language,
            speed: self.settings.speed as f32,
            pitch: 0.0,
            clarity: self.sound.clarity(self.settings.format),
            lexicon: Arc::clone(&self.lexicon),
            engine: self.sound.engine,
            words: false,
            max_lead: self.sound.max_lead,
        }
    }

    /// Returns the turn that receives text, if it already has text.
    fn open_turn(&mut self) -> Option<&mut Turn> {
        self.turns.back_mut().filter(|turn| turn.number == self.turn)
    }

    /// Starts another turn for the text that follows.
    fn next_turn(&mut self) {
        self.turn += 1;
        self.joining.begin();
    }

    fn configure(&mut self, data: &Fields) -> Result<Vec<Command>, ApiError> {
        self.settings = SpeechRequest::read(data, &self.app.engine, &self.app.config.voice_aliases, CODEC)?;
        // the preceding text is spoken with the previous settings
        Ok(self.end())
    }

    fn text(&mut self, data: &Fields) -> Result<Vec<Command>, ApiError> {
        let text = SarvamRequest::TEXT.read(data)?;
        let text = self.joining.append(text);
        let (number, format) = (self.turn, self.settings.format);
        if self.open_turn().is_none() {
            self.turns.push_back(Turn { number, format, flushes: 0 });
            self.turns.drain(..self.turns.len().saturating_sub(MAX_TURNS));
        }
        let (turn, settings) = (Some(name(number)), Some(self.turn_settings()));
        Ok(vec![Command::Text { turn, text, last: false, preempt: false, settings }])
    }

    /// Ends the turn that receives text, if it has text.
    fn end(&mut self) -> Vec<Command> {
        let Some(number) = self.open_turn().map(|turn| turn.number) else { return Vec::new() };
        self.next_turn();
        vec![Command::End { turn: Some(name(number)) }]
    }

    fn flush(&mut self) -> Vec<Command> {
        if let Some(turn) = self.open_turn() {
            turn.flushes += 1;
            return self.end();
        }
        // if no text was received since the last flush, this flush is answered after the last turn has been spoken
        let number = self.turns.back().map_or(self.turn, |turn| turn.number);
        vec![Command::Flush { turn: Some(name(number)), id: None }]
    }

    /// Returns the tracked turn with this ID.
    fn known(&mut self, turn: &TurnId) -> Option<&mut Turn> {
        self.turns.iter_mut().find(|known| name(known.number) == *turn)
    }

    /// Answers the flushes of a turn that has ended.
    fn ended(&mut self, turn: &TurnId, outbox: &mut Outbox) {
        if *turn == name(self.turn) {
            // the text that follows does not belong to the ended turn
            self.next_turn();
        }
        let place = self.turns.iter().position(|known| name(known.number) == *turn);
        let flushes = place.and_then(|place| self.turns.remove(place)).map_or(0, |turn| turn.flushes);
        for _ in 0..flushes {
            self.tell_end(outbox);
        }
    }

    fn tell_end(&self, outbox: &mut Outbox) {
        if self.tells_end {
            outbox.push(text(&json!({"type": "event", "data": {"event_type": "final"}})));
        }
    }

    fn sound(&self, format: Format, sound: &[u8]) -> Option<Message> {
        let content_type = match format.codec() {
            // the content type that Sarvam's clients expect
            Codec::Mp3 { .. } => "audio/mp3".into(),
            _ => format.content_type(),
        };
        let (audio, request_id) = (STANDARD.encode(sound), self.id.to_string());
        let data = json!({"content_type": content_type, "audio": audio, "request_id": request_id});
        (!sound.is_empty()).then(|| text(&json!({"type": "audio", "data": data})))
    }
}

impl Dialect for SarvamDialect {
    type Context = TurnSound;

    const API_KIND: ApiKind = ApiKind::Sarvam;
    const ERRORS_END_CONTEXTS: bool = false;

    fn initial_context(&mut self) -> Option<NewContext<TurnSound>> {
        let state = TurnSound::new(self.settings.format);
        Some(NewContext { settings: self.turn_settings(), state })
    }

    fn greet(&mut self, _max_streams: Option<u32>, _outbox: &mut Outbox) {}

    fn read(
        &mut self,
        message: &str,
        _contexts: &mut Contexts<TurnSound>,
    ) -> Result<ClientCommand<TurnSound>, InvalidMessage> {
        let message = fields::object(message.as_bytes(), "the message")?;
        let data = || {
            fields::part(&message, "data")?.ok_or_else(|| {
                ApiError::new(ErrorCode::MissingField, "data is required: an object").with_param("data")
            })
        };
        let commands = match fields::kind(&message, KINDS)? {
            "config" => self.configure(data()?)?,
            "text" => self.text(data()?)?,
            "flush" => self.flush(),
            "ping" => return Ok(ClientCommand::Ping(None)),
            other => return Err(fields::unknown_kind(other, KINDS).into()),
        };
        Ok(ClientCommand::Turns { context: None, opens: None, commands })
    }

    fn audio(&mut self, sound: &mut TurnSound, samples: &[i16]) -> Option<Message> {
        let bytes = sound.encode(samples);
        self.sound(sound.format(), &bytes)
    }

    fn event(&mut self, sound: &mut TurnSound, event: turn::Event, outbox: &mut Outbox) {
        match event {
            turn::Event::Started { turn, .. } => {
                if let Some(turn) = self.known(&turn) {
                    *sound = TurnSound::new(turn.format);
                }
            }
            turn::Event::Done { turn, reason, is_blank, .. } => {
                // a turn without audio has no start event, so its format is set here
                if let Some(turn) = self.known(&turn).filter(|turn| turn.format != sound.format()) {
                    *sound = TurnSound::new(turn.format);
                }
                let rest = sound.finish(reason, is_blank);
                outbox.extend(self.sound(sound.format(), &rest));
                self.ended(&turn, outbox);
            }
            turn::Event::Flushed { turn, .. } => match turn.and_then(|turn| self.known(&turn)) {
                // the flush is answered when the turn ends, because the rest of its audio is sent then
                Some(turn) => turn.flushes += 1,
                None => self.tell_end(outbox),
            },
            turn::Event::Warning { turn: Some(turn), .. } if turn == name(self.turn) => {
                // the turn was spoken without a flush, so the text that follows belongs to the next turn
                self.next_turn();
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
        self.error(None, None, error, ErrorScope::Message, outbox);
        self.ended(turn, outbox);
    }

    fn error(
        &mut self,
        _: Option<&ContextId>,
        _: Option<&TurnId>,
        error: ApiError,
        _: ErrorScope,
        outbox: &mut Outbox,
    ) {
        // clients use the status to decide whether to retry
        let status = SarvamErrors.status(error.code);
        let details = json!({"code": error.code, "param": error.param});
        let data = json!({
            "message": error.message, "code": status, "details": details, "request_id": self.id.to_string(),
        });
        outbox.push(text(&json!({"type": "error", "data": data})));
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        socket::close_number(code)
    }
}

fn name(turn: u64) -> TurnId {
    turn.to_string().into()
}

fn text(response: &Value) -> Message {
    Message::Text(response.to_string().into())
}
