//! Requests in OpenAI's format.

use std::ops::RangeInclusive;

use serde_json::Value;
use shruti_audio::{Encoding, Format};
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{Fields, invalid_field, quoted, wrong_type};
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::openapi::OpenAiRequest;
use crate::common::clip::Asked;
use crate::common::{fields, voices};

/// Accepted speeds. They are then clamped to the supported range.
const SPEED: RangeInclusive<f64> = 0.25..=4.0;

/// Parsed request.
pub(super) struct SpeechRequest {
    pub(super) asked: Asked,
    pub(super) content_type: &'static str,
    /// Whether to respond with events.
    pub(super) is_sse: bool,
}

impl SpeechRequest {
    pub(super) fn read(body: &[u8], engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        let body = fields::object(body, "the body")?;
        let text = OpenAiRequest::INPUT.read(&body)?;
        if text.is_empty() {
            let message = "input is empty; send 1 to 5000 characters";
            return Err(ApiError::new(ErrorCode::EmptyText, message).with_param("input"));
        }
        let language = match OpenAiRequest::LANGUAGE.read(&body)? {
            None => language_of_model(&body)?,
            language => language,
        };
        let request = SynthesisRequest {
            language,
            speed: speed(&body)?,
            pitch: OpenAiRequest::PITCH.read(&body)?.unwrap_or(0.0),
            clarity: OpenAiRequest::CLARITY.read(&body)?,
            engine: OpenAiRequest::ENGINE.read(&body)?,
            lexicon: OpenAiRequest::LEXICON.read(&body)?.unwrap_or_default(),
            ..SynthesisRequest::new(text)
        };
        let (format, content_type) = format(&body)?;
        let is_sse = match OpenAiRequest::STREAM_FORMAT.read(&body)? {
            None | Some("audio") => false,
            Some("sse") => true,
            Some(other) => {
                let message = format!("stream_format must be audio or sse, not '{}'", quoted(other));
                return Err(invalid_field("stream_format", message));
            }
        };
        let voice = voice(&body, engine, aliases)?;
        Ok(Self { asked: Asked { voice, request, format, has_length: false }, content_type, is_sse })
    }
}

fn voice(body: &Fields, engine: &Engine, aliases: &VoiceAliases) -> Result<VoiceId, ApiError> {
    match OpenAiRequest::VOICE.given(body) {
        None => Ok(engine.voices().default_voice().name().clone()),
        Some(Value::String(name)) => voices::find(engine, aliases, name, "voice"),
        Some(Value::Object(voice)) => {
            let name = fields::string(voice, "id")?.ok_or_else(|| {
                ApiError::new(ErrorCode::MissingField, "voice has no id; send the name of a voice as its id")
                    .with_param("voice.id")
            })?;
            voices::find(engine, aliases, name, "voice.id")
        }
        Some(other) => Err(wrong_type("voice", "a name, or an object with an id", other)),
    }
}

/// Returns the language at the end of a model name, or `None` if the suffix does not look like a language tag.
fn language_of_model(body: &Fields) -> Result<Option<Language>, ApiError> {
    let Some((_, tag)) = OpenAiRequest::MODEL.read(body)?.and_then(|model| model.rsplit_once(':')) else {
        return Ok(None);
    };
    let base = tag.split(['-', '_']).next().unwrap_or_default();
    let looks_like_one = (2..=3).contains(&base.len()) && base.chars().all(|c| c.is_ascii_alphabetic());
    looks_like_one.then(|| fields::language_of_tag(tag, "model")).transpose()
}

fn speed(body: &Fields) -> Result<f64, ApiError> {
    let speed = OpenAiRequest::SPEED.read(body)?.unwrap_or(1.0);
    if !SPEED.contains(&speed) {
        let message =
            format!("speed must be a number from {} to {}, not {speed}", SPEED.start(), SPEED.end());
        return Err(invalid_field("speed", message));
    }
    Ok(fields::clamped_speed(speed))
}

fn format(body: &Fields) -> Result<(Format, &'static str), ApiError> {
    let name = OpenAiRequest::RESPONSE_FORMAT.read(body)?.unwrap_or("mp3");
    let (made, content_type) = match name {
        "mp3" => (Format::mp3(24_000, 64), "audio/mpeg"),
        "opus" => (Format::ogg_opus(32), "audio/ogg"),
        "wav" => (Ok(Format::NATIVE_WAV), "audio/wav"),
        "pcm" => (Ok(Format::NATIVE), "audio/pcm"),
        "ulaw" => (Format::raw(Encoding::MuLaw, 8_000), "audio/basic"),
        "alaw" => (Format::raw(Encoding::ALaw, 8_000), "audio/x-alaw-basic"),
        other => {
            let message =
                format!("response_format must be mp3, opus, wav, pcm, ulaw or alaw, not '{}'", quoted(other));
            return Err(invalid_field("response_format", message));
        }
    };
    let made = made.map_err(|error| invalid_field("response_format", format!("response_format {error}")))?;
    Ok((made, content_type))
}

#[cfg(test)]
mod tests {
    use shruti_voice::ParametricBackend;

    use super::*;

    fn read(json: &str) -> Result<SpeechRequest, ApiError> {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        SpeechRequest::read(json.as_bytes(), &engine, &VoiceAliases::default())
    }

    #[test]
    fn parses_requests_of_existing_clients() {
        // each case: body, voice, speed, language, format, content type
        let cases = [
            (r#"{"input":"a"}"#, "Ananya", 1.0, None, "mp3_24000_64", "audio/mpeg"),
            (
                r#"{"input":"a","voice":"onyx","model":"tts-1-hd","response_format":"pcm","instructions":"x"}"#,
                "Arjun",
                1.0,
                None,
                "pcm_24000",
                "audio/pcm",
            ),
            (
                r#"{"input":"a","voice":{"id":"ARJUN"},"model":"tts-1:ta-IN","speed":4,"response_format":"opus"}"#,
                "Arjun",
                2.0,
                Some(Language::Tamil),
                "opus_48000_32",
                "audio/ogg",
            ),
            (
                r#"{"input":"a","language":"hi","model":"tts-1:ta","speed":0.25,"response_format":"ulaw"}"#,
                "Ananya",
                0.5,
                Some(Language::Hindi),
                "mulaw_8000",
                "audio/basic",
            ),
            (r#"{"input":"a","model":"a:b:2024"}"#, "Ananya", 1.0, None, "mp3_24000_64", "audio/mpeg"),
        ];
        for (body, voice, speed, language, format, content_type) in cases {
            let SpeechRequest { asked, content_type: told, is_sse } = read(body).unwrap();
            assert_eq!((asked.voice.as_str(), asked.request.speed), (voice, speed), "{body}");
            assert_eq!(
                (asked.request.language, asked.format.to_string()),
                (language, format.to_owned()),
                "{body}"
            );
            assert_eq!((told, is_sse), (content_type, false), "{body}");
        }
        let ours =
            read(r#"{"input":"a","pitch":-2,"lexicon":{"AIIMS":"एम्स"},"stream_format":"sse"}"#).unwrap();
        assert_eq!(
            (ours.asked.request.pitch, ours.asked.request.lexicon.len(), ours.is_sse),
            (-2.0, 1, true)
        );
    }

    #[test]
    fn unsupported_options_get_errors() {
        for (fields, code, param) in [
            (r#""voice":"Anita""#, ErrorCode::UnknownVoice, "voice"),
            (r#""voice":{"id":"Anita"}"#, ErrorCode::UnknownVoice, "voice.id"),
            (r#""voice":{}"#, ErrorCode::MissingField, "voice.id"),
            (r#""response_format":"aac""#, ErrorCode::InvalidField, "response_format"),
            (r#""response_format":"flac""#, ErrorCode::InvalidField, "response_format"),
            (r#""stream_format":"ws""#, ErrorCode::InvalidField, "stream_format"),
            (r#""speed":4.1"#, ErrorCode::InvalidField, "speed"),
            (r#""speed":"fast""#, ErrorCode::InvalidField, "speed"),
            (r#""model":"tts-1:fr-FR""#, ErrorCode::UnsupportedLanguage, "model"),
            (r#""language":"fr""#, ErrorCode::UnsupportedLanguage, "language"),
            (r#""pitch":9"#, ErrorCode::InvalidField, "pitch"),
        ] {
            let error = read(&format!(r#"{{"input":"a",{fields}}}"#)).err().unwrap();
            assert_eq!((error.code, error.param.as_deref()), (code, Some(param)), "{fields}");
        }
        assert_eq!(read(r#"{"input":""}"#).err().unwrap().code, ErrorCode::EmptyText);
        assert_eq!(read(r#"{"voice":"alloy"}"#).err().unwrap().code, ErrorCode::MissingField);
    }
}
