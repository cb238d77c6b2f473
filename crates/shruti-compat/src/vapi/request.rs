//! Requests from Vapi, in the body and in the query.

use http::Uri;
use serde_json::Value;
use shruti_audio::{Encoding, Format};
use shruti_engine::Engine;
use shruti_lang::{Language, SAMPLE_RATE, VoiceId};
use shruti_protocol::fields::{Fields, invalid_field, quoted, wrong_type};
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::openapi::{VapiMessage, VapiRequest};
use crate::common::query::Query;
use crate::common::{clip, fields, voices};

/// The only message type with text to speak.
const MESSAGE: &str = "voice-request";

/// Parses a request for a clip.
pub(super) fn clip(
    body: &Fields,
    uri: &Uri,
    (engine, aliases): (&Engine, &VoiceAliases),
) -> Result<clip::Asked, ApiError> {
    let query = Query::of(uri);
    let voice = voices::find_or_default(engine, aliases, query.get("voice"), "voice")?;
    let language = query.get("language").map(|tag| fields::language_of_tag(tag, "language")).transpose()?;
    let message = VapiRequest::MESSAGE.read(body)?.ok_or_else(|| {
        let message = "message is required: an object with type, text and sampleRate";
        ApiError::new(ErrorCode::MissingField, message).with_param("message")
    })?;
    read(message, voice, language).map_err(|error| {
        let param = error.param.as_ref().map(|param| format!("message.{param}"));
        ApiError { param, ..error }
    })
}

fn read(message: &Fields, voice: VoiceId, language: Option<Language>) -> Result<clip::Asked, ApiError> {
    match VapiMessage::TYPE.read(message)? {
        None | Some(MESSAGE) => {}
        Some(other) => {
            let message = format!("type must be {MESSAGE}, not '{}'", quoted(other));
            return Err(invalid_field("type", message));
        }
    }
    let text = VapiMessage::TEXT.read(message)?;
    let request = SynthesisRequest { language, ..SynthesisRequest::new(text) };
    Ok(clip::Asked { voice, request, format: format(message)?, has_length: false })
}

fn format(message: &Fields) -> Result<Format, ApiError> {
    let rate = match VapiMessage::SAMPLE_RATE.given(message) {
        None => SAMPLE_RATE,
        Some(Value::Number(rate)) => {
            rate.as_u64().and_then(|rate| u32::try_from(rate).ok()).ok_or_else(|| {
                let message = format!("sampleRate must be a whole number of Hz, such as 24000, not {rate}");
                invalid_field("sampleRate", message)
            })?
        }
        Some(other) => return Err(wrong_type("sampleRate", "a number", other)),
    };
    Format::raw(Encoding::S16Le, rate)
        .map_err(|error| invalid_field("sampleRate", format!("sampleRate {rate}: {error}")))
}

#[cfg(test)]
mod tests {
    use shruti_voice::ParametricBackend;

    use super::*;

    fn read(query: &str, json: &str) -> Result<clip::Asked, ApiError> {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        let uri = format!("/v1/vapi?{query}").parse().unwrap();
        let body = fields::object(json.as_bytes(), "the body")?;
        clip(&body, &uri, (&engine, &"maya=Arjun".parse().unwrap()))
    }

    #[test]
    fn the_url_has_the_voice_and_the_message_the_other_settings() {
        let vapi =
            r#"{"message":{"type":"voice-request","text":"नमस्ते","sampleRate":8000,"timestamp":1,"call":{}}}"#;
        let parsed = read("voice=maya&language=hi-IN", vapi).unwrap();
        assert_eq!((parsed.voice.as_str(), parsed.request.language), ("Arjun", Some(Language::Hindi)));
        assert_eq!(
            (parsed.format.to_string(), parsed.request.text.as_str()),
            ("pcm_8000".to_owned(), "नमस्ते")
        );
        let parsed = read("", r#"{"message":{"text":"a"}}"#).unwrap();
        assert_eq!((parsed.voice.as_str(), parsed.format), ("Ananya", Format::NATIVE));
    }

    #[test]
    fn errors_name_the_field() {
        for (query, json, param) in [
            ("voice=nobody", r#"{"message":{"text":"a"}}"#, "voice"),
            ("language=fr", r#"{"message":{"text":"a"}}"#, "language"),
            ("", r#"{"text":"a"}"#, "message"),
            ("", r#"{"message":"a"}"#, "message"),
            ("", r#"{"message":{}}"#, "message.text"),
            ("", r#"{"message":{"text":"a","type":"status-update"}}"#, "message.type"),
            ("", r#"{"message":{"text":"a","sampleRate":9000}}"#, "message.sampleRate"),
            ("", r#"{"message":{"text":"a","sampleRate":-1}}"#, "message.sampleRate"),
            ("", r#"{"message":{"text":"a","sampleRate":"8000"}}"#, "message.sampleRate"),
        ] {
            assert_eq!(read(query, json).err().unwrap().param.as_deref(), Some(param), "{query} {json}");
        }
    }
}
