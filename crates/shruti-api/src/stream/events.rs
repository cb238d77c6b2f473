//! Conversion of turn events to messages.

use std::time::Duration;

use shruti_audio::Format;
use shruti_engine::turn::{self, Event};
use shruti_protocol::stream::{Basis, CancelState, CutAt, DoneReason, Heard, ServerMessage, WarningCode};

use crate::words::word_time;

/// Returns the message for an event of a turn whose audio is in `format`. Returns `None` for audio and errors, because
/// the dialect writes their messages itself, and for events that clients do not receive.
pub(super) fn message(event: Event, format: Format) -> Option<ServerMessage> {
    Some(match event {
        Event::Audio { .. }
        | Event::ChargeIncreased { .. }
        | Event::Failed { .. }
        | Event::Rejected { .. } => {
            return None;
        }
        Event::Started { turn, voice, language, engine } => {
            let output_format = format.to_string();
            ServerMessage::TurnStarted { turn_id: turn.to_string(), voice, language, engine, output_format }
        }
        Event::Words { turn, words } => ServerMessage::Words {
            turn_id: turn.to_string(),
            words: words.into_iter().map(word_time).collect(),
        },
        Event::Flushed { turn, id, audio } => {
            ServerMessage::Flushed { turn_id: turn.map(|turn| turn.to_string()), id, audio_ms: ms(audio) }
        }
        Event::Done { turn, audio, chars, first_audio, reason, is_blank: _ } => ServerMessage::TurnDone {
            turn_id: turn.to_string(),
            audio_ms: ms(audio),
            chars,
            ttfa_ms: first_audio.map(|time| (time.as_secs_f64() * 1e6).round() / 1e3),
            reason: match reason {
                turn::DoneReason::Complete => DoneReason::Complete,
                turn::DoneReason::NothingToSay => DoneReason::NothingToSay,
            },
        },
        Event::Cancelled { turn, id, state, sent, heard, unheard_text, chars: _ } => {
            ServerMessage::TurnCancelled {
                turn_id: turn.map(|turn| turn.to_string()),
                id,
                state: match state {
                    turn::CancelState::Cancelled => CancelState::Cancelled,
                    turn::CancelState::AlreadyDone => CancelState::AlreadyDone,
                    turn::CancelState::Unknown => CancelState::Unknown,
                },
                sent_ms: ms(sent),
                heard: Heard {
                    ms: ms(heard.time),
                    text: heard.text,
                    char_end: heard.char_end,
                    basis: match heard.basis {
                        turn::PositionSource::Played => Basis::PlayedMs,
                        turn::PositionSource::Playhead => Basis::Playhead,
                    },
                    cut_at: match heard.cut_at {
                        turn::CutUnit::Word => CutAt::Word,
                        turn::CutUnit::Clause => CutAt::Clause,
                    },
                },
                unheard_text,
            }
        }
        Event::Warning { turn, warning } => {
            let (code, message) = match warning {
                turn::Warning::LateText => {
                    (WarningCode::LateText, "text arrived for a turn that has ended; it was dropped")
                }
                turn::Warning::Abandoned => {
                    (WarningCode::TurnAbandoned, "the turn received no more text and was ended")
                }
            };
            let turn_id = turn.map(|turn| turn.to_string());
            ServerMessage::Warning { code, message: message.to_owned(), turn_id }
        }
    })
}

/// Converts a duration to whole milliseconds.
pub(super) fn ms(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
