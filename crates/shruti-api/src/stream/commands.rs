//! Conversion of client messages to commands of the turn machine.

use std::time::Duration;

use shruti_engine::turn::{self, Command, Target, TurnSettings};
use shruti_protocol::stream::{Cancel, Flush, Played, Text};

/// Converts a `text` message. `settings` are the settings of its turn, if the message contains any.
pub(super) fn text(text: Text, settings: Option<TurnSettings>) -> Command {
    Command::Text {
        turn: text.turn_id.map(Into::into),
        text: text.text,
        last: text.last,
        preempt: text.preempt,
        settings,
    }
}

pub(super) fn flush(flush: Flush) -> Command {
    Command::Flush { turn: flush.turn_id.map(Into::into), id: flush.id }
}

pub(super) fn end(turn_id: Option<String>) -> Command {
    Command::End { turn: turn_id.map(Into::into) }
}

pub(super) fn cancel(cancel: Cancel) -> Command {
    let target = match cancel.turn_id {
        _ if cancel.all => Target::All,
        Some(turn) => Target::Turn(turn.into()),
        None => Target::Current,
    };
    let played = cancel.played_ms.map(|ms| Duration::from_millis(ms.into()));
    Command::Cancel { target, played, id: cancel.id }
}

pub(super) fn played(played: Played) -> Command {
    Command::Played(turn::Played {
        turn: played.turn_id.into(),
        played: Duration::from_millis(played.played_ms.into()),
    })
}
