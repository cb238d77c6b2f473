//! Requests in Sarvam's format, in a body or in the `config` message of a WebSocket.

use serde_json::Value;
use shruti_audio::{Encoding, Format};
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{Fields, invalid_field, quoted, wrong_type};
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::openapi::SarvamRequest;
use crate::common::{clip, fields, voices};

/// Default sample rate, in Hz.
const DEFAULT_RATE: u32 = 22_050;
/// Bit rate of MP3, in kbit/s.
const MP3_BIT_RATE: u32 = 64;
/// Bit rate of Opus, in kbit/s.
const OPUS_BIT_RATE: u32 = 32;

/// Settings of a request: all fields except the text.
#[derive(Clone)]
pub(super) struct SpeechRequest {
    pub(super) voice: VoiceId,
    pub(super) language: Option<Language>,
    pub(super) speed: f64,
    pub(super) format: Format,
}

impl SpeechRequest {
    /// Parses the fields of a request; `codec` is the default codec.
    pub(super) fn read(
        body: &Fields,
        engine: &Engine,
        aliases: &VoiceAliases,
        codec: &str,
    ) -> Result<Self, ApiError> {
        let speaker = SarvamRequest::SPEAKER.read(body)?;
        let voice = voices::find_or_default(engine, aliases, speaker, "speaker")?;
        let language = match SarvamRequest::TARGET_LANGUAGE_CODE.read(body)? {
            None => SarvamRequest::LANGUAGE_CODE.read(body)?,
            language => language,
        };
        let speed = fields::clamped_speed(SarvamRequest::PACE.read(body)?.unwrap_or(1.0));
        Ok(Self { voice, language, speed, format: format(body, codec)? })
    }
}

/// Parses a request for a clip; `codec` is the default codec.
pub(super) fn clip(
    body: &Fields,
    (engine, aliases): (&Engine, &VoiceAliases),
    codec: &str,
) -> Result<clip::Asked, ApiError> {
    let text = SarvamRequest::TEXT.read(body)?;
    let SpeechRequest { voice, language, speed, format } = SpeechRequest::read(body, engine, aliases, codec)?;
    let request = SynthesisRequest { language, speed, ..SynthesisRequest::new(text) };
    Ok(clip::Asked { voice, request, format, has_length: true })
}

/// Returns the sample rate. Clients send it as a number or as a string.
fn rate(body: &Fields) -> Result<u32, ApiError> {
    let rate = match SarvamRequest::SPEECH_SAMPLE_RATE.given(body) {
        None => return Ok(DEFAULT_RATE),
        Some(Value::Number(rate)) => rate.as_u64().and_then(|rate| u32::try_from(rate).ok()),
        Some(Value::String(rate)) => rate.parse().ok(),
        Some(other) => return Err(wrong_type("speech_sample_rate", "a number", other)),
    };
    rate.ok_or_else(|| {
        let message = "speech_sample_rate must be a whole number of Hz, such as 22050";
        invalid_field("speech_sample_rate", message.to_owned())
    })
}

fn format(body: &Fields, codec: &str) -> Result<Format, ApiError> {
    let rate = rate(body)?;
    let made = match SarvamRequest::OUTPUT_AUDIO_CODEC.read(body)?.unwrap_or(codec) {
        "mp3" => Format::mp3(rate, MP3_BIT_RATE),
        "wav" => Format::wav(Encoding::S16Le, rate),
        "linear16" => Format::raw(Encoding::S16Le, rate),
        "mulaw" => Format::raw(Encoding::MuLaw, rate),
        "alaw" => Format::raw(Encoding::ALaw, rate),
        "opus" => Format::ogg_opus(OPUS_BIT_RATE),
        other => {
            let message = format!(
                "output_audio_codec must be mp3, wav, linear16, mulaw, alaw or opus, not '{}'",
                quoted(other)
            );
            return Err(invalid_field("output_audio_codec", message));
        }
    };
    made.map_err(|error| invalid_field("speech_sample_rate", format!("speech_sample_rate {rate}: {error}")))
}

#[cfg(test)]
mod tests {
    use shruti_protocol::ErrorCode;
    use shruti_voice::ParametricBackend;

    use super::*;

    fn read(json: &str) -> Result<SpeechRequest, ApiError> {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        let body = fields::object(json.as_bytes(), "the body")?;
        SpeechRequest::read(&body, &engine, &"anushka=Arjun".parse().unwrap(), "mp3")
    }

    #[test]
    fn parses_requests_of_existing_clients() {
        let cases = [
            ("{}", "Ananya", None, 1.0, "mp3_22050_64"),
            (
                r#"{"target_language_code":"od-IN","speaker":"Anushka","pace":3,"speech_sample_rate":"8000",
                    "output_audio_codec":"mulaw","model":"bulbul:v3"}"#,
                "Arjun",
                Some(Language::Odia),
                2.0,
                "mulaw_8000",
            ),
            (
                r#"{"language_code":"ta-IN","speech_sample_rate":24000,"output_audio_codec":"linear16"}"#,
                "Ananya",
                Some(Language::Tamil),
                1.0,
                "pcm_24000",
            ),
        ];
        for (json, voice, language, speed, format) in cases {
            let read = read(json).unwrap();
            assert_eq!((read.voice.as_str(), read.language, read.speed), (voice, language, speed), "{json}");
            assert_eq!(read.format.to_string(), format, "{json}");
        }
    }

    #[test]
    fn unsupported_options_get_errors() {
        for (json, code, param) in [
            (r#"{"speaker":"nobody"}"#, ErrorCode::UnknownVoice, "speaker"),
            (r#"{"language_code":"fr-FR"}"#, ErrorCode::UnsupportedLanguage, "language_code"),
            (r#"{"speech_sample_rate":"fast"}"#, ErrorCode::InvalidField, "speech_sample_rate"),
            (r#"{"speech_sample_rate":23000}"#, ErrorCode::InvalidField, "speech_sample_rate"),
            (r#"{"output_audio_codec":"flac"}"#, ErrorCode::InvalidField, "output_audio_codec"),
        ] {
            let error = read(json).err().unwrap();
            assert_eq!((error.code, error.param.as_deref()), (code, Some(param)), "{json}");
        }
    }
}
