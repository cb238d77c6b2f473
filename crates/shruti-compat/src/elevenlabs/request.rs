//! Requests in ElevenLabs' format: parameters in the path, the query and the body.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use http::Uri;
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{Fields, invalid_field};
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::PREFIX;
use super::format::OutputFormat;
use super::openapi::ElevenLabsRequest;
use crate::common::clip::Asked;
use crate::common::query::Query;
use crate::common::socket::SoundQuery;
use crate::common::{fields, voices};

/// Maximum and default `inactivity_timeout`, in seconds.
const MAX_INACTIVITY_S: u64 = 300;

/// Settings in the path and the query of every request.
pub(super) struct SpeechQuery {
    query: Query,
    pub(super) voice: VoiceId,
    pub(super) output: OutputFormat,
    pub(super) language: Option<Language>,
}

impl SpeechQuery {
    pub(super) fn read(uri: &Uri, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        let path = uri.path().strip_prefix(PREFIX).unwrap_or_default();
        let name = decoded(path.split('/').next().unwrap_or_default());
        let voice = voices::find(engine, aliases, &name, "voice_id")?;
        let query = Query::of(uri);
        let output = OutputFormat::named(query.get("output_format"))?;
        let language = query.get("language_code").map(|tag| fields::language_of_tag(tag, "language_code"));
        let language = language.transpose()?;
        // the flag is only validated: SSML is recognised by the beginning of the text
        query.flag("enable_ssml_parsing")?;
        Ok(Self { query, voice, output, language })
    }
}

/// Settings of a WebSocket.
pub(super) struct SocketSettings {
    pub(super) voice: VoiceId,
    pub(super) output: OutputFormat,
    pub(super) language: Option<Language>,
    /// Whether times are relative to the start of a context instead of the end of the previous alignment.
    pub(super) is_sync_alignment: bool,
    /// Whether each message is spoken separately, as a complete text.
    pub(super) is_auto_mode: bool,
    pub(super) sound: SoundQuery,
    /// Maximum idle time of the connection.
    pub(super) idle_timeout: Duration,
}

impl SocketSettings {
    pub(super) fn read(uri: &Uri, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        let SpeechQuery { query, voice, output, language } = SpeechQuery::read(uri, engine, aliases)?;
        let seconds = match query.get("inactivity_timeout").map(str::parse) {
            None => MAX_INACTIVITY_S,
            Some(Ok(seconds @ 1..=MAX_INACTIVITY_S)) => seconds,
            Some(_) => {
                let message = format!(
                    "inactivity_timeout must be a whole number of seconds from 1 to {MAX_INACTIVITY_S}"
                );
                return Err(invalid_field("inactivity_timeout", message));
            }
        };
        Ok(Self {
            is_sync_alignment: query.flag("sync_alignment")?,
            is_auto_mode: query.flag("auto_mode")?,
            sound: SoundQuery::read(uri)?,
            idle_timeout: Duration::from_secs(seconds),
            voice,
            output,
            language,
        })
    }
}

/// Parses the body of a request for a clip.
pub(super) fn clip(body: &Fields, query: SpeechQuery, has_length: bool) -> Result<Asked, ApiError> {
    let request = SynthesisRequest {
        text: ElevenLabsRequest::TEXT.read(body)?,
        voice: None,
        language: ElevenLabsRequest::LANGUAGE_CODE.read(body)?.or(query.language),
        speed: speed(body)?,
        pitch: 0.0,
        clarity: None,
        lexicon: BTreeMap::new(),
        engine: None,
        output_format: None,
    };
    Ok(Asked { voice: query.voice, request, format: query.output.format, has_length })
}

/// Returns the speed in a body or in the first message of a context, clamped to the supported range; 1.0 if absent.
pub(super) fn speed(request_fields: &Fields) -> Result<f64, ApiError> {
    let settings = ElevenLabsRequest::VOICE_SETTINGS.read(request_fields)?;
    let speed = settings.map(|settings| fields::number(settings, "speed")).transpose()?.flatten();
    Ok(speed.map_or(1.0, fields::clamped_speed))
}

fn decoded(part: &str) -> Cow<'_, str> {
    let plus = if part.contains('+') { Cow::Owned(part.replace('+', " ")) } else { Cow::Borrowed(part) };
    match plus {
        Cow::Borrowed(part) => percent_encoding::percent_decode_str(part).decode_utf8_lossy(),
        Cow::Owned(part) => {
            percent_encoding::percent_decode_str(&part).decode_utf8_lossy().into_owned().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use shruti_protocol::ErrorCode;
    use shruti_voice::ParametricBackend;

    use super::*;

    fn with<T>(uri: &str, read: impl FnOnce(&Uri, &Engine, &VoiceAliases) -> T) -> T {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        read(&uri.parse().unwrap(), &engine, &VoiceAliases::default())
    }

    fn socket(query: &str) -> Result<SocketSettings, ApiError> {
        with(&format!("{PREFIX}ananya/multi-stream-input?{query}"), SocketSettings::read)
    }

    #[test]
    fn the_path_has_the_voice_and_the_query_the_other_settings() {
        let livekit = "model_id=eleven_turbo_v2_5&output_format=mp3_22050_32&language_code=hi&enable_ssml_parsing=true\
                       &enable_logging=true&inactivity_timeout=180&apply_text_normalization=auto&auto_mode=True";
        let settings = socket(livekit).unwrap();
        assert_eq!(settings.voice.as_str(), "Ananya");
        assert_eq!(settings.output, OutputFormat::named(Some("mp3_22050_32")).unwrap());
        assert_eq!((settings.language, settings.is_auto_mode), (Some(Language::Hindi), true));
        assert_eq!((settings.is_sync_alignment, settings.idle_timeout), (false, Duration::from_mins(3)));
        let plain = socket("").unwrap();
        assert_eq!(
            (plain.language, plain.is_auto_mode, plain.idle_timeout),
            (None, false, Duration::from_mins(5))
        );
        assert!(socket("sync_alignment=true&language_code=").unwrap().is_sync_alignment);
        assert_eq!(socket("language_code=ta%2DIN").unwrap().language, Some(Language::Tamil));
    }

    #[test]
    fn path_and_query_errors_are_specific() {
        for (query, code, param) in [
            ("output_format=flac", ErrorCode::InvalidField, "output_format"),
            ("language_code=fr", ErrorCode::UnsupportedLanguage, "language_code"),
            ("enable_ssml_parsing=maybe", ErrorCode::InvalidField, "enable_ssml_parsing"),
            ("auto_mode=maybe", ErrorCode::InvalidField, "auto_mode"),
            ("inactivity_timeout=301", ErrorCode::InvalidField, "inactivity_timeout"),
            ("inactivity_timeout=0", ErrorCode::InvalidField, "inactivity_timeout"),
            ("inactivity_timeout=soon", ErrorCode::InvalidField, "inactivity_timeout"),
            ("max_lead_ms=-1", ErrorCode::InvalidField, "max_lead_ms"),
        ] {
            let error = socket(query).err().unwrap();
            assert_eq!((error.code, error.param.as_deref()), (code, Some(param)), "{query}");
        }
        for name in ["21m00Tcm4TlvDq8ikWAM", "", "%FF", "a+b"] {
            let found = with(&format!("{PREFIX}{name}"), |uri, engine, aliases| {
                SpeechQuery::read(uri, engine, aliases).map(|query| query.voice).err()
            });
            assert_eq!(found.map(|error| error.code), Some(ErrorCode::UnknownVoice), "{name}");
        }
    }

    #[test]
    fn the_language_of_the_body_overrides_the_query() {
        let read = |query: &str, body: &str| {
            with(&format!("{PREFIX}Arjun/stream?{query}"), |uri, engine, aliases| {
                let body = fields::object(body.as_bytes(), "the body")?;
                clip(&body, SpeechQuery::read(uri, engine, aliases)?, true)
            })
        };
        for (query, body, language, speed) in [
            ("", r#"{"text":"a"}"#, None, 1.0),
            ("language_code=ta", r#"{"text":"a","language_code":null}"#, Some(Language::Tamil), 1.0),
            ("language_code=ta", r#"{"text":"a","language_code":"hi"}"#, Some(Language::Hindi), 1.0),
            ("", r#"{"text":"a","voice_settings":{"speed":9,"stability":0.5},"model_id":5}"#, None, 2.0),
            ("", r#"{"text":"a","voice_settings":null}"#, None, 1.0),
        ] {
            let parsed = read(query, body).unwrap();
            assert_eq!((parsed.request.language, parsed.request.speed), (language, speed), "{body}");
            assert_eq!(parsed.voice.as_str(), "Arjun");
        }
        for (body, param) in [
            ("{}", "text"),
            (r#"{"text":"a","voice_settings":5}"#, "voice_settings"),
            (r#"{"text":"a","voice_settings":{"speed":"fast"}}"#, "speed"),
        ] {
            assert_eq!(read("", body).err().unwrap().param.as_deref(), Some(param), "{body}");
        }
    }
}
