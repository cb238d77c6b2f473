//! Requests from jambonz, in a body or in the query of a WebSocket.

use http::Uri;
use shruti_audio::{Encoding, Format};
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{Fields, invalid_field, quoted};
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::openapi::JambonzRequest;
use crate::common::query::Query;
use crate::common::{clip, fields, voices};

/// Default sample rate of a WebSocket, in Hz: the rate of most calls.
const DEFAULT_RATE: u32 = 8_000;

/// Parses a request for a clip.
pub(super) fn clip(
    body: &Fields,
    (engine, aliases): (&Engine, &VoiceAliases),
) -> Result<clip::Asked, ApiError> {
    match JambonzRequest::TYPE.read(body)? {
        // the field is only validated: SSML is recognised by the beginning of the text
        None | Some("text" | "ssml") => {}
        Some(other) => {
            return Err(invalid_field("type", format!("type must be text or ssml, not '{}'", quoted(other))));
        }
    }
    let text = JambonzRequest::TEXT.read(body)?;
    let voice = voices::find_or_default(engine, aliases, JambonzRequest::VOICE.read(body)?, "voice")?;
    let language = JambonzRequest::LANGUAGE.read(body)?;
    let request = SynthesisRequest { language, ..SynthesisRequest::new(text) };
    Ok(clip::Asked { voice, request, format: Format::NATIVE_WAV, has_length: true })
}

/// Settings of a WebSocket.
pub(super) struct SocketSettings {
    pub(super) voice: VoiceId,
    pub(super) language: Option<Language>,
    pub(super) format: Format,
}

impl SocketSettings {
    pub(super) fn read(uri: &Uri, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        let query = Query::of(uri);
        let voice = voices::find_or_default(engine, aliases, query.get("voice"), "voice")?;
        let language = query.get("language").map(|tag| fields::language_of_tag(tag, "language"));
        let rate = query.get("sampleRate").map_or(Ok(DEFAULT_RATE), |rate| {
            rate.parse().map_err(|_| {
                let message =
                    format!("sampleRate must be a whole number of Hz, such as 8000, not '{}'", quoted(rate));
                invalid_field("sampleRate", message)
            })
        })?;
        let format = Format::raw(Encoding::S16Le, rate)
            .map_err(|error| invalid_field("sampleRate", format!("sampleRate {rate}: {error}")))?;
        Ok(Self { voice, language: language.transpose()?, format })
    }
}

#[cfg(test)]
mod tests {
    use shruti_protocol::ErrorCode;
    use shruti_voice::ParametricBackend;

    use super::*;

    fn engine() -> Engine {
        Engine::builder().backend(ParametricBackend::new()).build().unwrap()
    }

    fn socket(query: &str) -> Result<SocketSettings, ApiError> {
        let uri = format!("/v1/jambonz/stream?{query}").parse().unwrap();
        SocketSettings::read(&uri, &engine(), &"maya=Arjun".parse().unwrap())
    }

    #[test]
    fn the_query_has_the_settings_of_a_call() {
        for (query, voice, language, format) in [
            ("", "Ananya", None, "pcm_8000"),
            ("voice=arjun&language=hi-IN&sampleRate=16000", "Arjun", Some(Language::Hindi), "pcm_16000"),
            ("voice=maya&language=&sampleRate=", "Arjun", None, "pcm_8000"),
        ] {
            let read = socket(query).unwrap();
            assert_eq!((read.voice.as_str(), read.language), (voice, language), "{query}");
            assert_eq!(read.format.to_string(), format, "{query}");
        }
        for (query, code, param) in [
            ("voice=nobody", ErrorCode::UnknownVoice, "voice"),
            ("language=fr-FR", ErrorCode::UnsupportedLanguage, "language"),
            ("sampleRate=9000", ErrorCode::InvalidField, "sampleRate"),
            ("sampleRate=8k", ErrorCode::InvalidField, "sampleRate"),
        ] {
            let error = socket(query).err().unwrap();
            assert_eq!((error.code, error.param.as_deref()), (code, Some(param)), "{query}");
        }
    }

    #[test]
    fn a_body_is_plain_text() {
        let read = |json: &str| {
            let body = fields::object(json.as_bytes(), "the body")?;
            clip(&body, (&engine(), &VoiceAliases::default()))
        };
        let parsed = read(r#"{"language":"ta-IN","voice":"Arjun","type":"text","text":"வணக்கம்"}"#).unwrap();
        assert_eq!((parsed.voice.as_str(), parsed.request.language), ("Arjun", Some(Language::Tamil)));
        assert_eq!(read(r#"{"text":"a"}"#).unwrap().voice.as_str(), "Ananya");
        assert!(read(r#"{"text":"<speak>a</speak>","type":"ssml"}"#).is_ok());
        for (json, param) in [(r#"{"text":"a","type":"song"}"#, "type"), (r#"{"type":"text"}"#, "text")] {
            assert_eq!(read(json).err().unwrap().param.as_deref(), Some(param), "{json}");
        }
    }
}
