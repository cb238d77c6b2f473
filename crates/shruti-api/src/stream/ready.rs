//! The first message of a connection: its settings and limits.

use shruti_engine::MAX_UNSPOKEN;
use shruti_engine::turn::{
    HOLD_BACK_TIMEOUT, IDLE_TURN_TIMEOUT, IDLE_TURN_TIMEOUT_WAITING, MAX_FINISHED, MAX_FLUSHES, MAX_QUEUED,
    MAX_TURN_CHARS,
};
use shruti_protocol::limits::MAX_LEXICON_ENTRIES;
use shruti_protocol::stream::{
    AudioFormat, Config, Limits, MAX_ID_CHARS, MAX_LEAD_MS, MAX_MESSAGE_BYTES, MAX_MESSAGE_CHARS,
    MAX_TURN_ID_CHARS, PROTOCOL, ServerMessage,
};

use shruti_service::http::RequestId;
use shruti_service::synthesis::conversation::{
    IDLE_TIMEOUT, LONGEST_SESSION, MAX_MISTAKES, MAX_REFUSALS, MAX_UNREAD_ANSWERS, MISSED_PINGS, PING_EVERY,
    STALL_TIMEOUT,
};

/// Returns the first message of a connection whose key may have `max_streams` concurrent streams.
pub(super) fn ready(id: RequestId, config: &Config, max_streams: Option<u32>) -> ServerMessage {
    ServerMessage::Ready {
        session_id: id.to_string(),
        protocol: PROTOCOL.to_owned(),
        audio: AudioFormat::default(),
        config: config.clone(),
        limits: limits(max_streams),
    }
}

fn limits(max_streams: Option<u32>) -> Limits {
    Limits {
        max_message_chars: MAX_MESSAGE_CHARS,
        max_message_bytes: MAX_MESSAGE_BYTES,
        max_held_back_chars: MAX_UNSPOKEN,
        max_turn_chars: MAX_TURN_CHARS,
        max_queued_turns: MAX_QUEUED,
        max_flushes: MAX_FLUSHES,
        max_finished_turns: MAX_FINISHED,
        max_turn_id_chars: MAX_TURN_ID_CHARS,
        max_id_chars: MAX_ID_CHARS,
        max_lexicon_entries: MAX_LEXICON_ENTRIES,
        max_lead_ms: MAX_LEAD_MS,
        hold_back_ms: HOLD_BACK_TIMEOUT.as_millis() as u32,
        open_turn_timeout_s: IDLE_TURN_TIMEOUT.as_secs() as u32,
        open_turn_timeout_waiting_s: IDLE_TURN_TIMEOUT_WAITING.as_secs() as u32,
        max_malformed_per_minute: MAX_MISTAKES,
        max_overloaded_turns: MAX_REFUSALS,
        max_unread_answers: MAX_UNREAD_ANSWERS,
        ping_interval_s: PING_EVERY.as_secs() as u32,
        max_missed_pings: MISSED_PINGS,
        stalled_reader_s: STALL_TIMEOUT.as_secs() as u32,
        idle_timeout_s: IDLE_TIMEOUT.as_secs() as u32,
        max_session_s: LONGEST_SESSION.as_secs() as u32,
        max_streams,
    }
}
