//! Requests in Cartesia's format.

use serde_json::Value;
use shruti_audio::{Encoding, Format};
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{Fields, field_value, invalid_field, quoted, wrong_type};
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_service::VoiceAliases;

use super::openapi::CartesiaRequest;
use crate::common::{clip, fields, voices};

/// Sample rates of Cartesia's API.
const SAMPLE_RATES: [u32; 6] = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];

/// Settings of a request: all fields except the text.
pub(super) struct SpeechRequest {
    pub(super) voice: VoiceId,
    pub(super) language: Option<Language>,
    pub(super) speed: f64,
    pub(super) format: Format,
    pub(super) timestamps: bool,
}

impl SpeechRequest {
    pub(super) fn read(fields: &Fields, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        let language = match CartesiaRequest::LANGUAGE.read(fields)? {
            Some(language) => Some(language),
            None => CartesiaRequest::LOCALE.read(fields)?,
        };
        Ok(Self {
            voice: voice(fields, engine, aliases)?,
            language,
            speed: speed(fields)?,
            format: format(fields)?,
            timestamps: CartesiaRequest::ADD_TIMESTAMPS.read(fields)?,
        })
    }
}

/// Parses a request for a clip.
pub(super) fn clip(
    asked: &Fields,
    (engine, aliases): (&Engine, &VoiceAliases),
) -> Result<clip::Asked, ApiError> {
    let text = CartesiaRequest::TRANSCRIPT.read(asked)?;
    let SpeechRequest { voice, language, speed, format, .. } = SpeechRequest::read(asked, engine, aliases)?;
    let request = SynthesisRequest { language, speed, ..SynthesisRequest::new(text) };
    Ok(clip::Asked { voice, request, format, has_length: true })
}

fn voice(request_fields: &Fields, engine: &Engine, aliases: &VoiceAliases) -> Result<VoiceId, ApiError> {
    let (name, param) = match CartesiaRequest::VOICE.given(request_fields) {
        None => {
            let message = "voice is required: a name, or an object with the name as its id";
            return Err(ApiError::new(ErrorCode::MissingField, message).with_param("voice"));
        }
        Some(Value::String(name)) => (name.as_str(), "voice"),
        Some(Value::Object(voice)) => {
            let name = fields::string(voice, "id")?.ok_or_else(|| {
                let message =
                    "voice has no id; send {\"mode\": \"id\", \"id\": \"Ananya\"}; embeddings are not supported";
                invalid_field("voice.id", message.to_owned())
            })?;
            (name, "voice.id")
        }
        Some(other) => return Err(wrong_type("voice", "a name, or an object with an id", other)),
    };
    voices::find(engine, aliases, name, param)
}

fn speed(request_fields: &Fields) -> Result<f64, ApiError> {
    let own = CartesiaRequest::GENERATION_CONFIG.read(request_fields)?;
    let value = own
        .and_then(|config| field_value(config, "speed"))
        .or_else(|| CartesiaRequest::SPEED.given(request_fields));
    let speed = match value {
        None => 1.0,
        Some(Value::String(name)) => match name.as_str() {
            "slow" => 0.8,
            "normal" => 1.0,
            "fast" => 1.25,
            other => {
                let message =
                    format!("speed must be a number, slow, normal or fast, not '{}'", quoted(other));
                return Err(invalid_field("speed", message));
            }
        },
        Some(value) => {
            value.as_f64().ok_or_else(|| wrong_type("speed", "a number, slow, normal or fast", value))?
        }
    };
    Ok(fields::clamped_speed(speed))
}

fn format(request_fields: &Fields) -> Result<Format, ApiError> {
    let Some(output) = CartesiaRequest::OUTPUT_FORMAT.read(request_fields)? else {
        let message = "output_format is required, such as {\"container\": \"raw\", \"encoding\": \"pcm_s16le\", \
                       \"sample_rate\": 24000}";
        return Err(ApiError::new(ErrorCode::MissingField, message).with_param("output_format"));
    };
    let sample_rate = match fields::number(output, "sample_rate")? {
        None => 24_000,
        Some(rate) => SAMPLE_RATES.into_iter().find(|&known| f64::from(known) == rate).ok_or_else(|| {
            let rates = SAMPLE_RATES.map(|rate| rate.to_string()).join(", ");
            let message = format!("sample_rate must be one of {rates}, not {rate}");
            invalid_field("output_format.sample_rate", message)
        })?,
    };
    let encoding = || match fields::string(output, "encoding")? {
        None | Some("pcm_s16le") => Ok(Encoding::S16Le),
        Some("pcm_f32le") => Ok(Encoding::F32Le),
        Some("pcm_mulaw") => Ok(Encoding::MuLaw),
        Some("pcm_alaw") => Ok(Encoding::ALaw),
        Some(other) => {
            let message = format!(
                "encoding must be pcm_s16le, pcm_f32le, pcm_mulaw or pcm_alaw, not '{}'",
                quoted(other)
            );
            Err(invalid_field("output_format.encoding", message))
        }
    };
    let made = match fields::string(output, "container")? {
        None | Some("raw") => Format::raw(encoding()?, sample_rate),
        Some("wav") => Format::wav(encoding()?, sample_rate),
        Some("mp3") => Format::mp3(sample_rate, bit_rate(output, sample_rate)?),
        Some(other) => {
            let message = format!("container must be raw, wav or mp3, not '{}'", quoted(other));
            return Err(invalid_field("output_format.container", message));
        }
    };
    made.map_err(|error| invalid_field("output_format", format!("output_format {error}")))
}

/// Returns the bit rate in kbit/s. Clients send it in bits per second.
fn bit_rate(output: &Fields, sample_rate: u32) -> Result<u32, ApiError> {
    let known = Format::mp3_bit_rates(sample_rate);
    let Some(bits) = fields::number(output, "bit_rate")? else {
        // the default is the highest bit rate at this sample rate, but at most 128 kbit/s, the rate that most
        // clients request
        return Ok(known.last().copied().unwrap_or(64).min(128));
    };
    known.iter().copied().find(|&known| f64::from(known) * 1_000.0 == bits).ok_or_else(|| {
        let rates: Vec<String> = known.iter().map(|known| format!("{known}000")).collect();
        let message = format!("bit_rate must be one of {} at {sample_rate} Hz, not {bits}", rates.join(", "));
        invalid_field("output_format.bit_rate", message)
    })
}

#[cfg(test)]
mod tests {
    use shruti_voice::ParametricBackend;

    use super::*;

    fn read(json: &str) -> Result<SpeechRequest, ApiError> {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        SpeechRequest::read(&fields::object(json.as_bytes(), "it")?, &engine, &VoiceAliases::default())
    }

    #[test]
    fn parses_requests_of_existing_clients() {
        let raw = r#""output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":24000}"#;
        // each case: fields, voice, speed, language
        let cases = [
            (r#""voice":"ananya""#, "Ananya", 1.0, None),
            (r#""voice":{"id":"arjun"},"language":"hi-IN""#, "Arjun", 1.0, Some(Language::Hindi)),
            (r#""voice":{"mode":"id","id":"nova"},"locale":"ta-IN""#, "Ananya", 1.0, Some(Language::Tamil)),
            (r#""voice":"onyx","speed":"slow","language":null"#, "Arjun", 0.8, None),
            (r#""voice":"onyx","speed":"fast","language":"""#, "Arjun", 1.25, None),
            (
                r#""voice":"onyx","generation_config":{"speed":1.5,"volume":2},"speed":"slow""#,
                "Arjun",
                1.5,
                None,
            ),
            (r#""voice":"onyx","generation_config":{"speed":0.1},"model_id":5"#, "Arjun", 0.5, None),
        ];
        for (fields, voice, speed, language) in cases {
            let read = read(&format!("{{{fields},{raw}}}")).unwrap();
            assert_eq!(
                (read.voice.as_str(), read.speed, read.language),
                (voice, speed, language),
                "{fields}"
            );
            assert_eq!((read.format, read.timestamps), (Format::NATIVE, false));
        }
    }

    #[test]
    fn formats_match_the_table() {
        let format = |output: &str| {
            read(&format!(r#"{{"voice":"Ananya","output_format":{output}}}"#)).map(|r| r.format)
        };
        for (output, name) in [
            (r#"{"container":"raw","encoding":"pcm_f32le","sample_rate":44100}"#, "pcm_f32_44100"),
            (r#"{"container":"raw","encoding":"pcm_mulaw","sample_rate":8000}"#, "mulaw_8000"),
            (r#"{"container":"raw","encoding":"pcm_alaw","sample_rate":8000}"#, "alaw_8000"),
            (r#"{"container":"wav","encoding":"pcm_s16le","sample_rate":16000}"#, "wav_16000"),
            (r#"{"container":"mp3","bit_rate":128000,"sample_rate":44100}"#, "mp3_44100_128"),
            (r#"{"container":"mp3","sample_rate":22050,"bit_rate":64000}"#, "mp3_22050_64"),
        ] {
            assert_eq!(format(output).unwrap().to_string(), name, "{output}");
        }
        for (output, param) in [
            ("5", "output_format"),
            (r#"{"container":"ogg"}"#, "output_format.container"),
            (r#"{"container":"raw","encoding":"pcm_s24le"}"#, "output_format.encoding"),
            (r#"{"container":"raw","sample_rate":11025}"#, "output_format.sample_rate"),
            (r#"{"container":"raw","sample_rate":"24000"}"#, "sample_rate"),
            (r#"{"container":"mp3","sample_rate":44100,"bit_rate":64001}"#, "output_format.bit_rate"),
        ] {
            let error = format(output).unwrap_err();
            assert_eq!(
                (error.code, error.param.as_deref()),
                (ErrorCode::InvalidField, Some(param)),
                "{output}"
            );
        }
    }

    #[test]
    fn unsupported_options_get_errors() {
        let raw = r#""output_format":{"container":"raw"}"#;
        for (fields, code) in [
            ("", ErrorCode::MissingField),
            (r#""voice":{"mode":"embedding","embedding":[0.1]},"#, ErrorCode::InvalidField),
            (r#""voice":{"mode":"id","id":"Anita"},"#, ErrorCode::UnknownVoice),
            (r#""voice":"Ananya","language":"fr","#, ErrorCode::UnsupportedLanguage),
            (r#""voice":"Ananya","speed":"quick","#, ErrorCode::InvalidField),
            (r#""voice":"Ananya","add_timestamps":1,"#, ErrorCode::InvalidField),
        ] {
            let error = read(&format!("{{{fields}{raw}}}")).err().unwrap();
            assert_eq!(error.code, code, "{fields}");
        }
        assert_eq!(read(r#"{"voice":"Ananya"}"#).err().unwrap().code, ErrorCode::MissingField);
    }
}
