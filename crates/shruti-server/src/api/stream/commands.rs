//! From a client's message to the command it means.

use std::sync::Arc;
use std::time::Duration;

use shruti_engine::Engine;
use shruti_engine::turn::{Command, Played, Target};
use shruti_protocol::stream::{Cancel, ClientMessage, Config, ConfigPatch};
use shruti_protocol::{ApiError, stream};
use shruti_text::Lexicon;

use super::settings;

/// What a message asks of the connection.
pub(super) enum Wish {
    /// Something of the turn machine.
    Turn(Command),
    /// New settings.
    Configure(Config),
    /// An answer.
    Ping(Option<String>),
    /// The end, once all turns have ended.
    Close,
}

/// Reads a message, under the settings in force, with the server's voices and lexicon.
pub(super) fn read(
    message: &str,
    config: &Config,
    engine: &Engine,
    lexicon: &Arc<Lexicon>,
) -> Result<Wish, ApiError> {
    Ok(match ClientMessage::from_json(message.as_bytes())? {
        ClientMessage::Config(patch) => {
            let config = settings::patched(config, patch, engine)?;
            // a lexicon that cannot be read is refused now, not with the next turn
            settings::for_turns(&config, lexicon)?;
            Wish::Configure(config)
        }
        ClientMessage::Text(text) => Wish::Turn(self::text(text, config, engine, lexicon)?),
        ClientMessage::Flush(flush) => {
            Wish::Turn(Command::Flush { turn: flush.turn_id.map(Into::into), id: flush.id })
        }
        ClientMessage::End { turn_id } => Wish::Turn(Command::End { turn: turn_id.map(Into::into) }),
        ClientMessage::Cancel(cancel) => Wish::Turn(self::cancel(cancel)),
        ClientMessage::Played(played) => Wish::Turn(Command::Played(Played {
            turn: played.turn_id.into(),
            played: Duration::from_millis(played.played_ms.into()),
        })),
        ClientMessage::Ping { id } => Wish::Ping(id),
        ClientMessage::Close => Wish::Close,
    })
}

fn text(
    text: stream::Text,
    config: &Config,
    engine: &Engine,
    lexicon: &Arc<Lexicon>,
) -> Result<Command, ApiError> {
    let has_own = text.config != ConfigPatch::default();
    let own = has_own.then(|| settings::patched(config, text.config, engine)).transpose()?;
    let settings = own.map(|config| settings::for_turns(&config, lexicon)).transpose()?;
    Ok(Command::Text {
        turn: text.turn_id.map(Into::into),
        text: text.text,
        last: text.last,
        preempt: text.preempt,
        settings,
    })
}

fn cancel(cancel: Cancel) -> Command {
    let target = match cancel.turn_id {
        _ if cancel.all => Target::All,
        Some(turn) => Target::Turn(turn.into()),
        None => Target::Current,
    };
    let played = cancel.played_ms.map(|ms| Duration::from_millis(ms.into()));
    Command::Cancel { target, played, id: cancel.id }
}
