//! Comparison of messages and events with the values that the vectors expect.

use std::collections::HashMap;

use serde_json::{Value, json};
use shruti_client::{Cancelled, Error, Event};

/// Values chosen by the client, keyed by their placeholders.
pub(super) type Bound = HashMap<String, Value>;

/// Replaces placeholders with the values that the client chose.
pub(super) fn fill(value: &Value, bound: &Bound) -> Value {
    match value {
        Value::String(name) if name.starts_with('$') => bound[name].clone(),
        Value::Array(items) => items.iter().map(|item| fill(item, bound)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, item)| (name.clone(), fill(item, bound))).collect()
        }
        other => other.clone(),
    }
}

/// Checks that each expected field is present with the expected value.
pub(super) fn check(actual: &Value, wanted: &Value, bound: &mut Bound) -> Result<(), String> {
    match wanted {
        Value::Object(fields) => {
            for (name, item) in fields {
                let value = actual.get(name).ok_or_else(|| format!("{name} is not in {actual}"))?;
                check(value, item, bound).map_err(|wrong| format!("{name}: {wrong}"))?;
            }
            Ok(())
        }
        Value::Array(items) => {
            let actual = actual.as_array().filter(|actual| actual.len() == items.len());
            let actual = actual.ok_or_else(|| format!("not as many as {wanted}"))?;
            actual.iter().zip(items).try_for_each(|(actual, item)| check(actual, item, bound))
        }
        Value::String(name) if name.starts_with('$') => {
            let known = bound.entry(name.clone()).or_insert_with(|| actual.clone());
            if known == actual { Ok(()) } else { Err(format!("{actual}, and {name} is {known}")) }
        }
        Value::Number(number) if actual.as_f64() == number.as_f64() => Ok(()),
        other if other == actual => Ok(()),
        other => Err(format!("{actual} and not {other}")),
    }
}

/// Checks the expected fields, and that all other fields have default values.
pub(super) fn check_whole(mut actual: Value, wanted: &Value, bound: &mut Bound) -> Result<(), String> {
    if let Some(fields) = actual.as_object_mut() {
        fields.entry("type").or_insert_with(|| json!("text"));
        for (name, value) in &*fields {
            let is_default = match name.as_str() {
                "speed" => value.as_f64() == Some(1.0),
                "pitch" => value.as_f64() == Some(0.0),
                name => name == "type" || value.is_null() || *value == json!(false),
            };
            if !is_default && wanted.get(name).is_none() {
                return Err(format!("{name} was not expected in {wanted}"));
            }
        }
    }
    check(&actual, wanted, bound)
}

pub(super) fn cancelled(cancelled: &Cancelled) -> Value {
    let Cancelled { turn, state, sent_ms, heard, unheard_text } = cancelled;
    json!({"type": "cancelled", "turn_id": turn, "state": state, "sent_ms": sent_ms, "heard": heard,
           "unheard_text": unheard_text})
}

pub(super) fn event(event: &Event) -> Value {
    match event {
        Event::Started { turn, voice, language } => {
            json!({"type": "started", "turn_id": turn, "voice": voice, "language": language})
        }
        Event::Words(words) => json!({"type": "words", "turn_id": words.turn, "words": words.words}),
        Event::Audio { turn, samples } => {
            assert!(samples.iter().enumerate().all(|(place, byte)| usize::from(*byte) == place % 251));
            json!({"type": "audio", "turn_id": turn, "bytes": samples.len()})
        }
        Event::Flushed { turn } => json!({"type": "flushed", "turn_id": turn}),
        Event::Done(done) => json!({"type": "done", "turn_id": done.turn, "audio_ms": done.audio_ms,
            "chars": done.chars, "ttfa_ms": done.first_audio_ms, "reason": done.reason}),
        Event::Cancelled(answer) => cancelled(answer),
        Event::Failed(failed) => {
            let cause = Error::Refused { status: None, detail: Box::new(failed.error.clone()) };
            json!({"type": "failed", "turn_id": failed.turn, "sent_ms": failed.sent_ms, "error": error(&cause)})
        }
        Event::Lost(lost) => json!({"type": "lost", "turn_id": lost.turn, "received_ms": lost.received_ms,
            "error": error(&lost.cause)}),
        Event::Reconnected => json!({"type": "reconnected"}),
        Event::Config(config) => json!({"type": "config", "config": config}),
        Event::Warning { code, .. } => json!({"type": "warning", "code": code}),
        Event::Rejected { turn, error: detail } => {
            let cause = Error::Refused { status: None, detail: Box::new(detail.clone()) };
            json!({"type": "rejected", "turn_id": turn, "error": error(&cause)})
        }
    }
}

pub(super) fn error(error: &Error) -> Value {
    let mut properties = match error {
        Error::Refused { status, detail } => {
            let mut properties = serde_json::to_value(detail).unwrap();
            properties["kind"] = json!("refused");
            if let Some(status) = status {
                properties["status"] = json!(status.as_u16());
            }
            properties
        }
        Error::Closed { code, reason } => json!({"kind": "closed", "code": code, "reason": reason}),
        Error::Connect { .. } => json!({"kind": "connect"}),
        Error::Broken(_) => json!({"kind": "broken"}),
        Error::Protocol(_) => json!({"kind": "protocol"}),
        other => panic!("{other:?}"),
    };
    properties["retryable"] = json!(error.is_retryable());
    properties
}
