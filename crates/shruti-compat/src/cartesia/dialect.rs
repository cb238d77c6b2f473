//! Messages of the WebSocket `/tts/websocket`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use shruti_engine::turn::{self, Command, Target, TurnId, TurnSettings};
use shruti_protocol::fields::{Fields, field_value, invalid_field, wrong_type};
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::RequestId;
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::events::{Event, Steps};
use super::openapi::CartesiaRequest;
use super::request::SpeechRequest;
use crate::common::socket::SoundQuery;
use crate::common::sound::TurnSound;
use crate::common::{fields, socket};

/// Maximum length of a context ID, in Unicode scalar values.
const MAX_NAME_CHARS: usize = 256;
/// First character of the IDs that are generated for contexts without an ID. A client's ID cannot contain it.
const UNNAMED: char = '\0';

/// Dialect of one connection.
pub(super) struct CartesiaDialect {
    id: RequestId,
    app: Arc<App>,
    /// Combined pronunciation lexicon of the account and the server, loaded when the connection was opened. The
    /// account's entries take precedence.
    lexicon: Arc<Lexicon>,
    sound: SoundQuery,
    /// Number of contexts without an ID so far.
    unnamed: u64,
}

/// State of a context.
pub(super) struct CartesiaContext {
    id: ContextId,
    sound: TurnSound,
    steps: Steps,
    /// Number of flushes that the client requested.
    flushes: u64,
    /// Number of flushes that were answered.
    flushed: u64,
}

impl CartesiaDialect {
    pub(super) fn new(id: RequestId, app: Arc<App>, lexicon: Arc<Lexicon>, sound: SoundQuery) -> Self {
        Self { id, app, lexicon, sound, unnamed: 0 }
    }

    fn opens(&self, id: &ContextId, speech_request: SpeechRequest) -> NewContext<CartesiaContext> {
        let sound = TurnSound::new(speech_request.format);
        NewContext {
            settings: TurnSettings {
                voice: speech_request.voice,
                language: speech_request.language,
                speed: speech_request.speed as f32,
                pitch: 0.0,
                clarity: self.sound.clarity(speech_request.format),
                lexicon: Arc::clone(&self.lexicon),
                engine: self.sound.engine,
                words: speech_request.timestamps,
                max_lead: self.sound.max_lead,
            },
            state: CartesiaContext {
                id: ContextId::clone(id),
                sound,
                steps: Steps::begin(),
                flushes: 0,
                flushed: 0,
            },
        }
    }

    /// Adds text to a context. Opens the context if necessary.
    fn text(
        &self,
        id: &ContextId,
        message: &Fields,
        contexts: &mut Contexts<CartesiaContext>,
    ) -> Result<ClientCommand<CartesiaContext>, ApiError> {
        let text = CartesiaRequest::TRANSCRIPT.read(message)?;
        let is_last = !fields::flag(message, "continue")? || is_unnamed(id);
        let is_flush = fields::flag(message, "flush")?;
        let is_whole = fields::number(message, "max_buffer_delay_ms")? == Some(0.0);
        let mut opens = match contexts.state(id) {
            Some(_) => None,
            // the message ends a context that has already ended. An SDK adds arbitrary voice fields to this
            // message; they are ignored.
            None if is_last && text.trim().is_empty() => Some(self.opens(id, self.nothing())),
            None => {
                let voices = &self.app.config.voice_aliases;
                Some(self.opens(id, SpeechRequest::read(message, &self.app.engine, voices)?))
            }
        };
        let mut flush = None;
        if is_flush && let Some(context) = opens.as_mut().map(|new| &mut new.state).or(contexts.state(id)) {
            context.flushes += 1;
            flush = Some(Some(context.flushes.to_string()));
        } else if is_whole && !is_last && !text.is_empty() {
            flush = Some(None);
        }
        let is_ended_by_text = is_last && flush.is_none();
        let text = Command::Text { turn: None, text, last: is_ended_by_text, preempt: false, settings: None };
        let mut commands = vec![text];
        commands.extend(flush.map(|id| Command::Flush { turn: None, id }));
        commands.extend((is_last && !is_ended_by_text).then_some(Command::End { turn: None }));
        Ok(ClientCommand::Turns { context: Some(ContextId::clone(id)), opens, commands })
    }

    /// Returns a request with default values.
    fn nothing(&self) -> SpeechRequest {
        SpeechRequest {
            voice: self.app.engine.voices().default_voice().name().clone(),
            language: None,
            speed: 1.0,
            format: shruti_audio::Format::NATIVE,
            timestamps: false,
        }
    }
}

impl Dialect for CartesiaDialect {
    type Context = CartesiaContext;

    const API_KIND: ApiKind = ApiKind::Cartesia;
    const ERRORS_END_CONTEXTS: bool = true;

    fn initial_context(&mut self) -> Option<NewContext<CartesiaContext>> {
        None
    }

    fn greet(&mut self, _max_streams: Option<u32>, _outbox: &mut Outbox) {}

    fn read(
        &mut self,
        message: &str,
        contexts: &mut Contexts<CartesiaContext>,
    ) -> Result<ClientCommand<CartesiaContext>, InvalidMessage> {
        let message = fields::object(message.as_bytes(), "the message")?;
        let name = name(&message)?;
        if fields::flag(&message, "cancel")? {
            let id = name.ok_or_else(|| {
                let message = "context_id is required: the context to cancel";
                ApiError::new(ErrorCode::MissingField, message).with_param("context_id")
            })?;
            let cancel = Command::Cancel { target: Target::All, played: None, id: None };
            return Ok(ClientCommand::Turns { context: Some(id), opens: None, commands: vec![cancel] });
        }
        let id = name.unwrap_or_else(|| {
            self.unnamed += 1;
            format!("{UNNAMED}{}", self.unnamed).into()
        });
        self.text(&id, &message, contexts).map_err(|error| InvalidMessage {
            context: Some(id),
            turn: None,
            error: Box::new(error),
        })
    }

    fn audio(&mut self, context: &mut CartesiaContext, samples: &[i16]) -> Option<Message> {
        let sound = context.sound.encode(samples);
        (!sound.is_empty()).then(|| context.chunk(&sound))
    }

    fn event(&mut self, context: &mut CartesiaContext, event: turn::Event, outbox: &mut Outbox) {
        match event {
            turn::Event::Words { words, .. } => {
                outbox.push(text(&Event::timestamps(wire_name(&context.id), &words)));
            }
            turn::Event::Flushed { id: Some(id), .. } => {
                context.flushed += 1;
                let flush_id = id.parse().unwrap_or(context.flushed);
                outbox.push(text(&Event::flush_done(wire_name(&context.id), flush_id)));
            }
            turn::Event::Done { reason, is_blank, .. } => {
                let rest = context.sound.finish(reason, is_blank);
                if !rest.is_empty() {
                    outbox.push(context.chunk(&rest));
                }
                outbox.push(text(&Event::done(wire_name(&context.id))));
            }
            turn::Event::Cancelled { .. } => context.sound.drop_turn(),
            _ => {}
        }
    }

    fn turn_failed(
        &mut self,
        context: &mut CartesiaContext,
        _turn: &TurnId,
        error: ApiError,
        _sent: Duration,
        outbox: &mut Outbox,
    ) {
        context.sound.drop_turn();
        outbox.push(text(&Event::error(wire_name(&context.id), error, self.id)));
    }

    fn error(
        &mut self,
        context: Option<&ContextId>,
        _: Option<&TurnId>,
        error: ApiError,
        _: ErrorScope,
        outbox: &mut Outbox,
    ) {
        let name = context.and_then(wire_name);
        outbox.push(text(&Event::error(name, error, self.id)));
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        socket::close_number(code)
    }
}

impl CartesiaContext {
    fn chunk(&mut self, sound: &[u8]) -> Message {
        let mut event = Event::chunk(wire_name(&self.id), sound, &mut self.steps);
        if let Event::Chunk { flush_id, .. } = &mut event {
            *flush_id = (self.flushes > 0).then_some(self.flushed + 1);
        }
        text(&event)
    }
}

/// Returns the context ID of a message.
fn name(message: &Fields) -> Result<Option<ContextId>, ApiError> {
    let name = match field_value(message, "context_id") {
        None => return Ok(None),
        Some(Value::String(name)) => name,
        Some(other) => return Err(wrong_type("context_id", "a string", other)),
    };
    let chars = name.chars().count();
    if !(1..=MAX_NAME_CHARS).contains(&chars) || name.contains(UNNAMED) {
        let message = format!("context_id must have 1 to {MAX_NAME_CHARS} characters and no NUL");
        return Err(invalid_field("context_id", message));
    }
    Ok(Some(name.as_str().into()))
}

fn is_unnamed(id: &ContextId) -> bool {
    id.starts_with(UNNAMED)
}

/// Returns the ID by which the client knows a context, or `None` if the ID was generated.
fn wire_name(id: &ContextId) -> Option<&str> {
    Some(&**id).filter(|id| !id.starts_with(UNNAMED))
}

fn text(event: &Event<'_>) -> Message {
    Message::Text(event.json().into())
}
