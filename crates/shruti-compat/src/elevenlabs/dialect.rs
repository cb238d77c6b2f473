//! Messages of the WebSockets `…/stream-input` and `…/multi-stream-input`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use shruti_engine::turn::{CancelState, Command, DoneReason, Event, Target, TurnId, TurnSettings, Warning};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{Fields, field_value, invalid_field, wrong_type};
use shruti_protocol::stream::{CloseCode, ErrorScope};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::alignment::{Aligner, CharTimes};
use super::events;
use super::request::{SocketSettings, speed};
use crate::common::sound::{TurnSound, silence};
use crate::common::{fields, socket};

/// Maximum length of a context ID, in Unicode scalar values.
const MAX_NAME_CHARS: usize = 256;
/// Context ID for messages that do not specify one.
const UNNAMED: &str = "";

/// Number of contexts that a connection can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One context. The connection ends with it: `…/stream-input`.
    Single,
    /// Many contexts: `…/multi-stream-input`.
    Multi,
}

/// Dialect of one connection.
pub(super) struct ElevenLabsDialect {
    shape: Shape,
    settings: SocketSettings,
    /// Combined pronunciation lexicon of the account and the server, loaded when the connection was opened. The
    /// account's entries take precedence.
    lexicon: Arc<Lexicon>,
    /// Number of turns so far.
    turns: u64,
    /// Whether the only context of the connection has ended.
    is_over: bool,
}

/// State of a context.
pub(super) struct ElevenLabsContext {
    id: ContextId,
    sound: TurnSound,
    is_sync_alignment: bool,
    delay_ms: u32,
    /// Turns that have not ended, in the order in which they are spoken. Usually there is one; text after a
    /// `close_context` starts another turn.
    turns: VecDeque<Turn>,
}

/// Turn of a context.
struct Turn {
    id: TurnId,
    aligner: Aligner,
    /// End of the last reported alignment, in milliseconds.
    told_ms: u32,
    /// Whether the text is complete.
    is_closed: bool,
}

impl ElevenLabsDialect {
    pub(super) fn new(shape: Shape, lexicon: Arc<Lexicon>, settings: SocketSettings) -> Self {
        Self { shape, settings, lexicon, turns: 0, is_over: false }
    }

    fn opens(&self, id: &ContextId, message: &Fields) -> Result<NewContext<ElevenLabsContext>, ApiError> {
        let SocketSettings { voice, output, language, is_sync_alignment, sound, .. } = &self.settings;
        Ok(NewContext {
            settings: TurnSettings {
                voice: voice.clone(),
                language: *language,
                speed: speed(message)? as f32,
                pitch: 0.0,
                clarity: sound.clarity(output.format),
                lexicon: Arc::clone(&self.lexicon),
                engine: sound.engine,
                words: true,
                max_lead: sound.max_lead,
            },
            state: ElevenLabsContext {
                id: ContextId::clone(id),
                sound: TurnSound::new(output.format),
                is_sync_alignment: *is_sync_alignment,
                delay_ms: output.delay_ms(),
                turns: VecDeque::new(),
            },
        })
    }

    /// Handles a message for a context. Opens the context if the message contains text.
    fn message(
        &mut self,
        id: &ContextId,
        message: &Fields,
        contexts: &mut Contexts<ElevenLabsContext>,
    ) -> Result<ClientCommand<ElevenLabsContext>, ApiError> {
        let text = match field_value(message, "text") {
            None => None,
            Some(_) => Some(fields::text(message, "text")?),
        };
        let is_flush = fields::flag(message, "flush")?;
        let is_single = self.shape == Shape::Single;
        let is_end = is_single && text.as_deref() == Some("");
        let is_close = !is_single && fields::flag(message, "close_context")?;
        let text = text.unwrap_or_default();

        let opens_turn = !text.is_empty() || is_end;
        let mut opens = match contexts.state(id) {
            None if opens_turn => Some(self.opens(id, message)?),
            _ => None,
        };
        let mut commands = Vec::new();
        if let Some(context) = opens.as_mut().map(|new| &mut new.state).or(contexts.state(id)) {
            if opens_turn {
                commands.push(context.text(&text, &mut self.turns));
            }
            let is_whole = self.settings.is_auto_mode && !text.trim().is_empty();
            if is_flush || is_whole {
                commands.extend(context.flush());
            }
            if is_close || is_end {
                commands.extend(context.close());
            }
        }
        self.is_over |= is_end;
        Ok(ClientCommand::Turns { context: Some(ContextId::clone(id)), opens, commands })
    }
}

impl Dialect for ElevenLabsDialect {
    type Context = ElevenLabsContext;

    const API_KIND: ApiKind = ApiKind::ElevenLabs;
    const ERRORS_END_CONTEXTS: bool = true;

    fn initial_context(&mut self) -> Option<NewContext<ElevenLabsContext>> {
        None
    }

    fn greet(&mut self, _max_streams: Option<u32>, _outbox: &mut Outbox) {}

    fn read(
        &mut self,
        message: &str,
        contexts: &mut Contexts<ElevenLabsContext>,
    ) -> Result<ClientCommand<ElevenLabsContext>, InvalidMessage> {
        if self.is_over {
            // messages after the end of the only context are ignored
            return Ok(ClientCommand::Turns { context: None, opens: None, commands: Vec::new() });
        }
        let single = (self.shape == Shape::Single).then(|| ContextId::from(UNNAMED));
        let read = || -> Result<(Fields, ContextId), ApiError> {
            let message = fields::object(message.as_bytes(), "the message")?;
            let id = match &single {
                Some(id) => ContextId::clone(id),
                None => name(&message)?,
            };
            Ok((message, id))
        };
        let (message, id) =
            read().map_err(|error| InvalidMessage { context: single, turn: None, error: Box::new(error) })?;
        let error_message = |error| InvalidMessage {
            context: Some(ContextId::clone(&id)),
            turn: None,
            error: Box::new(error),
        };
        if fields::flag(&message, "close_socket").map_err(error_message)? {
            return Ok(ClientCommand::Stop);
        }
        self.message(&id, &message, contexts).map_err(error_message)
    }

    fn audio(&mut self, context: &mut ElevenLabsContext, samples: &[i16]) -> Option<Message> {
        let sound = context.sound.encode(samples);
        (!sound.is_empty()).then(|| events::sound(wire_name(&context.id), &sound))
    }

    fn event(&mut self, context: &mut ElevenLabsContext, event: Event, outbox: &mut Outbox) {
        match event {
            Event::Words { turn, words } => {
                if let Some(turn) = context.turns.iter_mut().find(|known| known.id == turn) {
                    let times = turn.aligner.words(&words);
                    outbox.extend(context.alignment(&times));
                }
            }
            Event::Warning { turn: Some(turn), warning: Warning::Abandoned } => {
                if let Some(turn) = context.turns.iter_mut().find(|known| known.id == turn) {
                    turn.is_closed = true;
                }
            }
            Event::Done { turn, audio, reason, is_blank, .. } => {
                context.done(&turn, audio, reason, is_blank, outbox);
            }
            Event::Cancelled { turn: Some(turn), state: CancelState::Cancelled, .. } => {
                context.forget(&turn);
                outbox.push(events::end(wire_name(&context.id)));
            }
            _ => {}
        }
    }

    fn turn_failed(
        &mut self,
        context: &mut ElevenLabsContext,
        turn: &TurnId,
        error: ApiError,
        _sent: Duration,
        outbox: &mut Outbox,
    ) {
        context.forget(turn);
        self.is_over |= self.shape == Shape::Single;
        outbox.push(events::error(wire_name(&context.id), &error));
    }

    fn error(
        &mut self,
        context: Option<&ContextId>,
        _: Option<&TurnId>,
        error: ApiError,
        _: ErrorScope,
        outbox: &mut Outbox,
    ) {
        self.is_over |= self.shape == Shape::Single;
        outbox.push(events::error(context.and_then(wire_name), &error));
    }

    fn closing(&mut self, _code: CloseCode, _left: Duration, _outbox: &mut Outbox) {}

    fn close_number(&self, code: CloseCode) -> u16 {
        socket::close_number(code)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn idle_timeout(&self) -> Duration {
        self.settings.idle_timeout
    }
}

impl ElevenLabsContext {
    /// Adds text to the open turn, or to a new one.
    fn text(&mut self, text: &str, turns: &mut u64) -> Command {
        if self.turns.back().is_none_or(|turn| turn.is_closed) {
            *turns += 1;
            let (id, aligner) = (turns.to_string().into(), Aligner::new(self.delay_ms));
            self.turns.push_back(Turn { id, aligner, told_ms: 0, is_closed: false });
        }
        let turn = self.turns.back_mut().map(|turn| {
            turn.aligner.push(text);
            TurnId::clone(&turn.id)
        });
        Command::Text { turn, text: text.to_owned(), last: false, preempt: false, settings: None }
    }

    fn open_turn(&mut self) -> Option<&mut Turn> {
        self.turns.back_mut().filter(|turn| !turn.is_closed)
    }

    /// Returns the command to speak the buffered text of the open turn, or `None` if no turn is open.
    fn flush(&mut self) -> Option<Command> {
        self.open_turn().map(|turn| Command::Flush { turn: Some(TurnId::clone(&turn.id)), id: None })
    }

    /// Marks the text of the open turn as complete. If no turn is open, cancels all turns of the context that have
    /// not ended.
    fn close(&mut self) -> Option<Command> {
        if let Some(turn) = self.open_turn() {
            turn.is_closed = true;
            return Some(Command::End { turn: Some(TurnId::clone(&turn.id)) });
        }
        let stop = Command::Cancel { target: Target::All, played: None, id: None };
        (!self.turns.is_empty()).then_some(stop)
    }

    /// Returns the message with times of the turn that is being spoken, relative to the base that the client
    /// requested, or `None` if there are no times.
    fn alignment(&mut self, times: &CharTimes) -> Option<Message> {
        let turn = self.turns.front_mut()?;
        let base_ms = if self.is_sync_alignment { 0 } else { turn.told_ms };
        turn.told_ms = times.end_ms()?;
        Some(events::alignment(wire_name(&self.id), &times.for_socket(base_ms)))
    }

    fn done(
        &mut self,
        turn: &TurnId,
        audio: Duration,
        reason: DoneReason,
        is_blank: bool,
        outbox: &mut Outbox,
    ) {
        let mut sound_ms = audio.as_millis() as u32;
        if reason == DoneReason::NothingToSay {
            sound_ms += (silence().len() as u64 * 1_000 / u64::from(shruti_lang::SAMPLE_RATE)) as u32;
        }
        if !is_blank && let Some(spoken) = self.turns.iter_mut().find(|known| known.id == *turn) {
            let times = spoken.aligner.rest(sound_ms);
            outbox.extend(self.alignment(&times));
        }
        let rest = self.sound.finish(reason, is_blank);
        if !rest.is_empty() {
            outbox.push(events::sound(wire_name(&self.id), &rest));
        }
        outbox.push(events::end(wire_name(&self.id)));
        self.turns.retain(|known| known.id != *turn);
    }

    /// Removes a turn that failed or was cancelled.
    fn forget(&mut self, turn: &TurnId) {
        if self.turns.front().is_some_and(|spoken| spoken.id == *turn) {
            self.sound.drop_turn();
        }
        self.turns.retain(|known| known.id != *turn);
    }
}

/// Returns the context ID of a message.
fn name(message: &Fields) -> Result<ContextId, ApiError> {
    let name = match field_value(message, "context_id").or_else(|| field_value(message, "contextId")) {
        None => return Ok(UNNAMED.into()),
        Some(Value::String(name)) => name,
        Some(other) => return Err(wrong_type("context_id", "a string", other)),
    };
    if name.chars().count() > MAX_NAME_CHARS {
        let message = format!("context_id must have at most {MAX_NAME_CHARS} characters");
        return Err(invalid_field("context_id", message));
    }
    Ok(name.as_str().into())
}

/// Returns the ID by which the client knows a context, or `None` for the context without an ID.
fn wire_name(id: &ContextId) -> Option<&str> {
    Some(&**id).filter(|id| *id != UNNAMED)
}
