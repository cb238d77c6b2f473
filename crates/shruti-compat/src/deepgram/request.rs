//! Query parameters in Deepgram's format.

use std::collections::BTreeMap;

use http::Uri;
use shruti_audio::{Encoding, Format, OPUS_SAMPLE_RATE};
use shruti_engine::Engine;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::fields::{invalid_field, quoted};
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_service::VoiceAliases;

use crate::common::query::Query;
use crate::common::{clip, fields, voices};

/// Prefix of Deepgram's model names. It is followed by the name of a voice and, optionally, a language.
const MODEL_FAMILY: &str = "aura-2-";
/// Maximum length of the language tag after a voice, in bytes, according to RFC 5646 (4.4.1). It limits the number of
/// names that are looked up for a model.
const MAX_TAG_BYTES: usize = 35;
const LINEAR_RATES: &[u32] = &[8_000, 16_000, 24_000, 32_000, 48_000];
const G711_RATES: &[u32] = &[8_000, 16_000];
const MP3_RATE: u32 = 22_050;
/// Default bit rate of MP3, in kbit/s.
const DEFAULT_MP3_BIT_RATE: u32 = 48;
const DEFAULT_OPUS_BIT_RATE: u32 = 32;

/// Settings in the query of a request.
pub(super) struct SpeechRequest {
    pub(super) voice: VoiceId,
    /// Model name in the query, or the name of the default voice.
    pub(super) model: String,
    pub(super) language: Option<Language>,
    pub(super) speed: f64,
    pub(super) format: Format,
}

impl SpeechRequest {
    /// Parses the query of a clip.
    pub(super) fn of_clip(uri: &Uri, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        Self::read(uri, engine, aliases, clip_format)
    }

    /// Parses the query of a WebSocket. A WebSocket sends samples without a container.
    pub(super) fn of_socket(uri: &Uri, engine: &Engine, aliases: &VoiceAliases) -> Result<Self, ApiError> {
        Self::read(uri, engine, aliases, socket_format)
    }

    fn read(
        uri: &Uri,
        engine: &Engine,
        aliases: &VoiceAliases,
        format: impl Fn(&Asked) -> Result<Format, ApiError>,
    ) -> Result<Self, ApiError> {
        let query = Asked(Query::of(uri));
        if query.get("callback").is_some() {
            let message = "callback is not supported; the audio is in the response";
            return Err(invalid_field("callback", message.to_owned()));
        }
        let model = query
            .get("model")
            .map_or_else(|| engine.voices().default_voice().name().to_string(), str::to_owned);
        let (voice, language) = voice_and_language(&model, engine, aliases)?;
        let speed = match query.get("speed").map(str::parse::<f64>) {
            None => 1.0,
            Some(Ok(speed)) => fields::clamped_speed(speed),
            Some(Err(_)) => return Err(invalid_field("speed", "speed must be a number".to_owned())),
        };
        Ok(Self { voice, model, language, speed, format: format(&query)? })
    }

    /// Returns the request for a clip of a text.
    pub(super) fn of(self, text: String) -> clip::Asked {
        let request = SynthesisRequest {
            text,
            voice: None,
            language: self.language,
            speed: self.speed,
            pitch: 0.0,
            clarity: None,
            lexicon: BTreeMap::new(),
            engine: None,
            output_format: None,
        };
        clip::Asked { voice: self.voice, request, format: self.format, has_length: true }
    }
}

/// Query of a request.
struct Asked(Query);

impl Asked {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }

    /// Returns the requested sample rate, or `default` if none is requested. A requested rate must be one of
    /// `known`.
    fn sample_rate(&self, encoding: &str, known: &[u32], default: u32) -> Result<u32, ApiError> {
        let Some(asked) = self.get("sample_rate") else { return Ok(default) };
        // some clients send 24000.0
        let rate = known.iter().copied().find(|&rate| asked.parse() == Ok(f64::from(rate)));
        rate.ok_or_else(|| {
            let known: Vec<String> = known.iter().map(u32::to_string).collect();
            let message = format!(
                "sample_rate of {encoding} must be one of {}, not '{}'",
                known.join(", "),
                quoted(asked)
            );
            invalid_field("sample_rate", message)
        })
    }

    /// Returns the bit rate in `known`, in kbit/s, that is nearest to the requested bits per second, or
    /// `default` if none is requested.
    fn bit_rate(&self, known: &[u32], default: u32) -> Result<u32, ApiError> {
        let Some(asked) = self.get("bit_rate") else { return Ok(default) };
        let bits = asked.parse::<f64>().ok().filter(|bits| bits.is_finite()).ok_or_else(|| {
            let message = format!("bit_rate must be a number of bits per second, not '{}'", quoted(asked));
            invalid_field("bit_rate", message)
        })?;
        let distance = |known: u32| (f64::from(known) * 1_000.0 - bits).abs();
        let nearest = known.iter().copied().min_by(|&one, &other| distance(one).total_cmp(&distance(other)));
        Ok(nearest.unwrap_or(default))
    }

    /// Returns the requested container, or the first of `known` if none is requested. A requested container must be
    /// one of `known`.
    fn container(&self, encoding: &str, known: &[&'static str]) -> Result<&'static str, ApiError> {
        let requested = self.get("container").unwrap_or(known[0]);
        known.iter().copied().find(|known| *known == requested).ok_or_else(|| {
            let message = format!(
                "container of {encoding} must be {}, not '{}'",
                known.join(" or "),
                quoted(requested)
            );
            invalid_field("container", message)
        })
    }
}

/// Parses a model: `Ananya`, `Ananya-hi`, `aura-2-ananya-hi-IN`.
fn voice_and_language(
    model: &str,
    engine: &Engine,
    aliases: &VoiceAliases,
) -> Result<(VoiceId, Option<Language>), ApiError> {
    let begins =
        model.get(..MODEL_FAMILY.len()).is_some_and(|start| start.eq_ignore_ascii_case(MODEL_FAMILY));
    let name = if begins { &model[MODEL_FAMILY.len()..] } else { model };
    // the whole name is looked up first because the name of a voice may contain a hyphen
    if let Ok(voice) = voices::find(engine, aliases, name, "model") {
        return Ok((voice, None));
    }
    let tag_begins = name.len().saturating_sub(MAX_TAG_BYTES + 1);
    let split = name.match_indices('-').skip_while(|&(at, _)| at < tag_begins).find_map(|(at, _)| {
        let voice = voices::find(engine, aliases, &name[..at], "model").ok()?;
        Some((voice, &name[at + 1..]))
    });
    match split {
        Some((voice, tag)) => Ok((voice, Some(fields::language_of_tag(tag, "model")?))),
        None => voices::find(engine, aliases, name, "model").map(|voice| (voice, None)),
    }
}

fn clip_format(query: &Asked) -> Result<Format, ApiError> {
    let made = match query.get("encoding").unwrap_or("mp3") {
        "mp3" => {
            let rate = query.sample_rate("mp3", &[MP3_RATE], MP3_RATE)?;
            query.container("mp3", &["none"])?;
            Format::mp3(rate, query.bit_rate(&Format::mp3_bit_rates(rate), DEFAULT_MP3_BIT_RATE)?)
        }
        "opus" => {
            query.sample_rate("opus", &[OPUS_SAMPLE_RATE], OPUS_SAMPLE_RATE)?;
            query.container("opus", &["ogg"])?;
            Format::ogg_opus(query.bit_rate(&shruti_audio::BIT_RATES, DEFAULT_OPUS_BIT_RATE)?)
        }
        name => {
            let (encoding, rate) = bare(name, query, "mp3, linear16, mulaw, alaw or opus")?;
            let containers = if encoding == Encoding::S16Le { ["wav", "none"] } else { ["none", "wav"] };
            match query.container(name, &containers)? {
                "wav" => Format::wav(encoding, rate),
                _ => Format::raw(encoding, rate),
            }
        }
    };
    made.map_err(|error| invalid_field("encoding", error.to_string()))
}

fn socket_format(query: &Asked) -> Result<Format, ApiError> {
    let name = query.get("encoding").unwrap_or("linear16");
    let (encoding, rate) = bare(name, query, "linear16, mulaw or alaw")?;
    query.container(name, &["none"])?;
    Format::raw(encoding, rate).map_err(|error| invalid_field("encoding", error.to_string()))
}

/// Returns the encoding of raw samples, and their sample rate.
fn bare(name: &str, query: &Asked, known: &str) -> Result<(Encoding, u32), ApiError> {
    let (encoding, rates, default) = match name {
        "linear16" => (Encoding::S16Le, LINEAR_RATES, 24_000),
        "mulaw" => (Encoding::MuLaw, G711_RATES, 8_000),
        "alaw" => (Encoding::ALaw, G711_RATES, 8_000),
        other => {
            let message = format!("encoding must be {known}, not '{}'", quoted(other));
            return Err(invalid_field("encoding", message));
        }
    };
    Ok((encoding, query.sample_rate(name, rates, default)?))
}

#[cfg(test)]
mod tests {
    use shruti_protocol::ErrorCode;
    use shruti_voice::ParametricBackend;

    use super::*;

    fn engine() -> Engine {
        Engine::builder().backend(ParametricBackend::new()).build().unwrap()
    }

    fn clip(query: &str) -> Result<SpeechRequest, ApiError> {
        let uri = format!("/v1/speak?{query}").parse().unwrap();
        SpeechRequest::of_clip(&uri, &engine(), &VoiceAliases::default())
    }

    fn socket(query: &str) -> Result<SpeechRequest, ApiError> {
        let uri = format!("/v1/speak?{query}").parse().unwrap();
        SpeechRequest::of_socket(&uri, &engine(), &VoiceAliases::default())
    }

    #[test]
    fn a_model_is_a_voice_with_an_optional_language() {
        use Language::{Hindi, Tamil};
        for (model, voice, language) in [
            ("", "Ananya", None),
            ("model=arjun", "Arjun", None),
            ("model=Arjun-hi", "Arjun", Some(Hindi)),
            ("model=aura-2-ananya-ta-IN", "Ananya", Some(Tamil)),
            ("model=arjun-hi-Deva-IN-x-abcdefgh-ijklmnop-qrst", "Arjun", Some(Hindi)),
            ("model=AURA-2-onyx-hi", "Arjun", Some(Hindi)),
        ] {
            let read = clip(model).unwrap();
            assert_eq!((read.voice.as_str(), read.language), (voice, language), "{model}");
        }
        for (model, code) in [
            ("model=aura-2-thalia-en", ErrorCode::UnknownVoice),
            ("model=Ananya-fr", ErrorCode::UnsupportedLanguage),
            ("model=-hi", ErrorCode::UnknownVoice),
            ("model=arjun-hi-Deva-IN-x-abcdefgh-ijklmnop-qrstu", ErrorCode::UnknownVoice),
            ("model=%F0%9F%92%A9-hi", ErrorCode::UnknownVoice),
        ] {
            assert_eq!(clip(model).err().map(|error| error.code), Some(code), "{model}");
        }
    }

    #[test]
    fn formats_match_the_table() {
        for (query, name) in [
            ("", "mp3_22050_48"),
            ("encoding=mp3&bit_rate=32000", "mp3_22050_32"),
            ("encoding=mp3&bit_rate=64000.0&sample_rate=22050.0", "mp3_22050_64"),
            ("encoding=linear16", "wav_24000"),
            ("encoding=linear16&container=none&sample_rate=48000", "pcm_48000"),
            ("encoding=mulaw", "mulaw_8000"),
            ("encoding=alaw&sample_rate=16000&container=wav", "wav_alaw_16000"),
            ("encoding=opus", "opus_48000_32"),
            ("encoding=opus&container=ogg&bit_rate=65000", "opus_48000_64"),
        ] {
            assert_eq!(clip(query).unwrap().format.to_string(), name, "{query}");
        }
        for (query, param) in [
            ("encoding=flac", "encoding"),
            ("encoding=aac", "encoding"),
            ("encoding=linear16&sample_rate=44100", "sample_rate"),
            ("encoding=mp3&sample_rate=24000", "sample_rate"),
            ("encoding=opus&container=none", "container"),
            ("encoding=mulaw&container=ogg", "container"),
            ("bit_rate=high", "bit_rate"),
            ("speed=quick", "speed"),
            ("callback=https%3A%2F%2Fexample.com", "callback"),
        ] {
            assert_eq!(clip(query).err().and_then(|error| error.param).as_deref(), Some(param), "{query}");
        }
    }

    #[test]
    fn a_socket_supports_only_raw_samples() {
        for (query, name) in [
            ("", "pcm_24000"),
            ("encoding=mulaw&sample_rate=8000", "mulaw_8000"),
            ("encoding=linear16&sample_rate=16000&mip_opt_out=False&container=none&speed=9", "pcm_16000"),
        ] {
            let read = socket(query).unwrap();
            assert_eq!(read.format.to_string(), name, "{query}");
            assert!(read.speed <= 2.0);
        }
        for query in ["encoding=mp3", "encoding=opus", "encoding=linear16&container=wav"] {
            assert!(socket(query).is_err(), "{query}");
        }
    }
}
