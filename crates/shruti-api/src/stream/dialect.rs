//! Messages of `/v1/tts/stream`.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use shruti_audio::Format;
use shruti_engine::Engine;
use shruti_engine::turn::{Event, TurnId, TurnSettings};
use shruti_protocol::fields::{self, Fields, invalid_field};
use shruti_protocol::stream::{ClientMessage, CloseCode, Config, ConfigPatch, ErrorScope, ServerMessage};
use shruti_protocol::{ApiError, ErrorDetail};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::sound::Sound;
use super::{commands, events, ready, settings};
use shruti_service::http::{RequestId, ServerUrl};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, InvalidMessage, NewContext, Outbox,
};
use shruti_service::synthesis::{lexicon, named_format};

/// Parser and writer of the messages of one connection.
pub(super) struct NativeDialect {
    id: RequestId,
    /// Base URL of this server, for links to its documentation.
    server: Option<ServerUrl>,
    engine: Arc<Engine>,
    /// Lexicon of the key's account, with the server's lexicon as its fallback, both as they were when the connection
    /// was opened.
    lexicon: Arc<Lexicon>,
    /// Settings for turns that have not started.
    config: Config,
    /// Audio format from `config`, for turns whose audio has not started.
    format: Format,
}

impl NativeDialect {
    pub(super) fn new(
        id: RequestId,
        server: Option<ServerUrl>,
        engine: Arc<Engine>,
        lexicon: Arc<Lexicon>,
    ) -> Self {
        let config = settings::defaults(&engine);
        Self { id, server, engine, lexicon, config, format: Format::NATIVE }
    }

    /// Converts an error to its wire type.
    fn detail(&self, error: ApiError) -> ErrorDetail {
        let server = self.server.as_ref().map(ServerUrl::as_str);
        error.with_docs_at(server).into_body(self.id.to_string()).error
    }

    /// Converts `config` to settings for the turn machine. Returns an error if the format or the lexicon is invalid.
    fn settings_of(&self, config: &Config) -> Result<TurnSettings, ApiError> {
        let format = named_format(&config.output_format)?;
        Ok(settings::for_turns(config, format, lexicon(&config.lexicon, &self.lexicon)?))
    }

    /// Converts a message to a command.
    fn command(&mut self, fields: &Fields) -> Result<ClientCommand<Sound>, ApiError> {
        let turn = |command| ClientCommand::Turns { context: None, opens: None, commands: vec![command] };
        Ok(match ClientMessage::from_fields(fields)? {
            ClientMessage::Config(patch) => {
                let config = settings::patched(&self.config, patch, &self.engine)?;
                let settings = self.settings_of(&config)?;
                self.format = named_format(&config.output_format)?;
                self.config = config;
                ClientCommand::Configure(settings, text(&ServerMessage::Config(self.config.clone())))
            }
            ClientMessage::Text(message) => {
                let patch = message.config.clone();
                if patch.output_format.is_some() {
                    let message = "output_format is a setting of the connection; send it with config";
                    return Err(invalid_field("output_format", message.to_owned()));
                }
                let own = if patch == ConfigPatch::default() {
                    None
                } else {
                    Some(self.settings_of(&settings::patched(&self.config, patch, &self.engine)?)?)
                };
                turn(commands::text(message, own))
            }
            ClientMessage::Flush(flush) => turn(commands::flush(flush)),
            ClientMessage::End { turn_id } => turn(commands::end(turn_id)),
            ClientMessage::Cancel(cancel) => turn(commands::cancel(cancel)),
            ClientMessage::Played(played) => turn(commands::played(played)),
            ClientMessage::Ping { id } => ClientCommand::Ping(Some(text(&ServerMessage::Pong { id }))),
            ClientMessage::Close => ClientCommand::Close,
        })
    }
}

impl Dialect for NativeDialect {
    type Context = Sound;

    const API_KIND: ApiKind = ApiKind::Turn;
    const ERRORS_END_CONTEXTS: bool = false;

    fn initial_context(&mut self) -> Option<NewContext<Sound>> {
        let settings = settings::for_turns(&self.config, self.format, Arc::clone(&self.lexicon));
        Some(NewContext { settings, state: Sound::default() })
    }

    fn greet(&mut self, max_streams: Option<u32>, outbox: &mut Outbox) {
        outbox.push(text(&ready::ready(self.id, &self.config, max_streams)));
    }

    fn read(
        &mut self,
        message: &str,
        _: &mut Contexts<Sound>,
    ) -> Result<ClientCommand<Sound>, InvalidMessage> {
        let fields = fields::object(message.as_bytes(), "the message")?;
        self.command(&fields).map_err(|error| InvalidMessage {
            context: None,
            turn: ClientMessage::turn_of(&fields).map(Into::into),
            error: Box::new(error),
        })
    }

    fn audio(&mut self, sound: &mut Sound, samples: &[i16]) -> Option<Message> {
        binary(sound.frame(samples))
    }

    fn event(&mut self, sound: &mut Sound, event: Event, outbox: &mut Outbox) {
        let (mut before, mut after) = (None, None);
        match &event {
            Event::Started { turn, .. } => after = binary(sound.begin(turn, self.format)),
            Event::Done { turn, .. } => before = binary(sound.finish(turn)),
            Event::Cancelled { turn: Some(turn), .. } => sound.drop_turn(turn),
            _ => {}
        }
        let message = events::message(event, sound.format());
        outbox.extend(before.into_iter().chain(message.as_ref().map(text)).chain(after));
    }

    fn turn_failed(
        &mut self,
        sound: &mut Sound,
        turn: &TurnId,
        error: ApiError,
        sent: Duration,
        outbox: &mut Outbox,
    ) {
        sound.drop_turn(turn);
        outbox.push(text(&ServerMessage::TurnFailed {
            turn_id: turn.to_string(),
            error: self.detail(error),
            sent_ms: events::ms(sent),
        }));
    }

    fn error(
        &mut self,
        _: Option<&ContextId>,
        turn: Option<&TurnId>,
        error: ApiError,
        scope: ErrorScope,
        outbox: &mut Outbox,
    ) {
        let turn_id = turn.map(ToString::to_string);
        let error = self.detail(error);
        outbox.push(text(&ServerMessage::Error { scope, turn_id, error }));
    }

    fn closing(&mut self, code: CloseCode, left: Duration, outbox: &mut Outbox) {
        outbox.push(text(&ServerMessage::Closing {
            reason: code.name().to_owned(),
            code: code.number(),
            in_ms: left.as_millis() as u32,
        }));
    }

    fn close_number(&self, code: CloseCode) -> u16 {
        code.number()
    }
}

/// Returns a binary frame, or `None` if there are no bytes to send.
fn binary(bytes: Bytes) -> Option<Message> {
    (!bytes.is_empty()).then_some(Message::Binary(bytes))
}

fn text(message: &ServerMessage) -> Message {
    // serialisation of plain data cannot fail
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}
