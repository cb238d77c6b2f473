//! The messages of `/v1/tts/stream`.

use std::sync::Arc;
use std::time::Duration;

use shruti_audio::wav;
use shruti_engine::Engine;
use shruti_engine::turn::{Event, TurnId, TurnSettings};
use shruti_protocol::ApiError;
use shruti_protocol::stream::{ClientMessage, CloseCode, Config, ConfigPatch, ErrorScope, ServerMessage};
use shruti_text::Lexicon;
use tokio_tungstenite::tungstenite::Message;

use super::{commands, events, ready, settings};
use crate::http::RequestId;
use crate::metrics::SpokenBy;
use crate::synthesis::conversation::{
    ClientCommand, ContextId, Contexts, Dialect, Mistake, NewContext, Outbox,
};
use crate::synthesis::lexicon;

/// The messages of one connection.
pub(super) struct NativeDialect {
    id: RequestId,
    engine: Arc<Engine>,
    /// The server's, as it was when the connection was opened.
    lexicon: Arc<Lexicon>,
    /// What holds for turns that start later.
    config: Config,
}

impl NativeDialect {
    pub(super) fn new(id: RequestId, engine: Arc<Engine>, lexicon: Arc<Lexicon>) -> Self {
        let config = settings::defaults(&engine);
        Self { id, engine, lexicon, config }
    }

    /// A config as the turn machine takes it; `Err` where its lexicon cannot be read.
    fn settings_of(&self, config: &Config) -> Result<TurnSettings, ApiError> {
        Ok(settings::for_turns(config, lexicon(&config.lexicon, &self.lexicon)?))
    }
}

impl Dialect for NativeDialect {
    type Context = ();

    const SPOKEN_BY: SpokenBy = SpokenBy::Turn;
    const ERRORS_END_CONTEXTS: bool = false;

    fn standing(&mut self) -> Option<NewContext<()>> {
        let settings = settings::for_turns(&self.config, Arc::clone(&self.lexicon));
        Some(NewContext { settings, state: () })
    }

    fn greet(&mut self, max_streams: Option<u32>, outbox: &mut Outbox) {
        outbox.push(text(&ready::ready(self.id, &self.config, max_streams)));
    }

    fn read(&mut self, message: &str, _: &mut Contexts<()>) -> Result<ClientCommand<()>, Mistake> {
        let turn = |command| ClientCommand::Turns { context: None, opens: None, commands: vec![command] };
        Ok(match ClientMessage::from_json(message.as_bytes())? {
            ClientMessage::Config(patch) => {
                let config = settings::patched(&self.config, patch, &self.engine)?;
                let settings = self.settings_of(&config)?;
                self.config = config;
                ClientCommand::Configure(settings, text(&ServerMessage::Config(self.config.clone())))
            }
            ClientMessage::Text(message) => {
                let patch = message.config.clone();
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

    fn audio(&mut self, (): &mut (), samples: &[i16]) -> Option<Message> {
        Some(Message::Binary(wav::bytes(samples).into()))
    }

    fn event(&mut self, (): &mut (), event: Event, outbox: &mut Outbox) {
        outbox.extend(events::message(event).as_ref().map(text));
    }

    fn turn_failed(
        &mut self,
        (): &mut (),
        turn: &TurnId,
        error: ApiError,
        sent: Duration,
        outbox: &mut Outbox,
    ) {
        outbox.push(text(&ServerMessage::TurnFailed {
            turn_id: turn.to_string(),
            error: error.into_body(self.id.to_string()).error,
            sent_ms: events::ms(sent),
        }));
    }

    fn error(&mut self, _: Option<&ContextId>, error: ApiError, scope: ErrorScope, outbox: &mut Outbox) {
        let error = error.into_body(self.id.to_string()).error;
        outbox.push(text(&ServerMessage::Error { scope, error }));
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

fn text(message: &ServerMessage) -> Message {
    // plain data always serialises
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}
