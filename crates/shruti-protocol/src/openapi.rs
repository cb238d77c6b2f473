//! OpenAPI schemas of types whose wire format differs from their Rust definition: names that are accepted in several
//! spellings, and a request whose limits are checked by hand. The other types derive their schemas.

use std::borrow::Cow;

use serde_json::{Value, json};
use shruti_lang::{Clarity, Language, VoiceEngine};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::limits::{
    MAX_LEXICON_ENTRIES, MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, MAX_TEXT_CHARS, PITCH, SPEED,
};
use crate::{ErrorCode, SynthesisRequest};

impl PartialSchema for ErrorCode {
    fn schema() -> RefOr<Schema> {
        let codes = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Self::ALL.iter().map(|code| code.as_str())));
        codes.description(Some("Error codes of the service.")).into()
    }
}

impl ToSchema for ErrorCode {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ErrorCode")
    }
}

impl PartialSchema for SynthesisRequest {
    fn schema() -> RefOr<Schema> {
        let defaults = Self::new("");
        let number = |what: &str, range: std::ops::RangeInclusive<f64>, default: f64| {
            let number = optional(Type::Number).description(Some(what)).default(Some(json!(default)));
            number.minimum(Some(*range.start())).maximum(Some(*range.end()))
        };
        let codes = Language::ALL.map(|language| format!("`{}`", language.code())).join(", ");
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "A text and the settings of its synthesis. Unknown fields are ignored and listed in the header \
                 `x-shruti-warning`, or refused with `strict`; an optional field that is null counts as absent. \
                 Lengths are counted in Unicode characters, after trimming.",
            ))
            .property("text", text())
            .required("text")
            .property(
                "voice",
                optional(Type::String)
                    .description(Some(
                        "A voice of `GET /v1/voices`, which also lists the default voice. Case-insensitive.",
                    ))
                    .examples(["Ananya", "Arjun"]),
            )
            .property(
                "language",
                optional(Type::String)
                    .description(Some(format!(
                        "The language of the text: {codes}. Also accepted, case-insensitively: an ISO 639-3 code \
                         (`hin`), a tag (`hi-IN`, `en-US`), a name in English or in one of the languages (`hindi`, \
                         `हिन्दी`). If absent, the language is detected from the script of the first sentence \
                         (Devanagari: `hi`, or `mr` if the words are Marathi; Latin: `en`).",
                    )))
                    .examples(["hi", "ta-IN", "hindi"]),
            )
            .property("speed", number("Speaking rate; 1 is the voice's own.", SPEED, defaults.speed))
            .property("pitch", number("Pitch shift in semitones.", PITCH, defaults.pitch))
            .property("clarity", clarity())
            .property("lexicon", lexicon())
            .property("engine", engine())
            .property("output_format", output_format())
            .property(
                "strict",
                optional(Type::Boolean)
                    .description(Some("Whether unknown fields are refused with `400 invalid_field`."))
                    .default(Some(json!(false))),
            )
            .examples([
                json!({"text": "नमस्ते! आप कैसे हैं?", "voice": "Ananya", "language": "hi"}),
                json!({"text": "AIIMS दिल्ली में है।", "speed": 0.9, "pitch": -1.0, "lexicon": {"AIIMS": "एम्स"}}),
            ])
            .into()
    }
}

impl ToSchema for SynthesisRequest {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SynthesisRequest")
    }
}

/// Returns the schema of a field that may be absent or null.
fn optional(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]))
}

fn chars(most: usize) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(most))
}

fn text() -> ObjectBuilder {
    chars(MAX_TEXT_CHARS).description(Some("The text to speak, in any script, without NUL characters."))
}

fn output_format() -> ObjectBuilder {
    optional(Type::String)
        .description(Some(
            "The format of the response; overrides `Accept`. Short names: `mp3`, `wav`, `opus`, `pcm`, `mulaw` \
             (`ulaw`) and `alaw`. Names with rates: `pcm`, `pcm_f32`, `mulaw` or `alaw`, or the same with a WAV \
             header, `wav`, `wav_f32`, `wav_mulaw` or `wav_alaw`, followed by `_` and the sample rate; `mp3`, the \
             sample rate and kbit/s; `opus_48000` and kbit/s (in Ogg). Sample rates are 8000, 11025, 16000, 22050, \
             24000, 32000, 44100 and 48000. Bit rates are 32, 48, 64, 96, 128 and 192 kbit/s, for MP3 below 32000 Hz \
             at most 128, below 16000 Hz at most 64. Defaults: 24000 Hz, MP3 64 and Opus 32 kbit/s, G.711 8000 Hz. \
             Case-insensitive.",
        ))
        .examples(["mp3", "wav", "pcm_16000", "mulaw_8000", "wav_24000", "mp3_24000_64", "opus_48000_32"])
}

fn clarity() -> ObjectBuilder {
    let names = Clarity::ALL.into_iter().map(|clarity| Value::from(clarity.as_str()));
    optional(Type::String)
        .description(Some(
            "Listening condition that the audio is optimized for, at the same loudness: `phone` for a telephone, \
             `room` for a room with other voices, `off` for the unprocessed voice. The default is `phone` for formats \
             at 8000 Hz and `off` for all others.",
        ))
        .enum_values(Some(names.chain([Value::Null])))
}

fn engine() -> ObjectBuilder {
    let names = VoiceEngine::ALL.into_iter().map(|engine| Value::from(engine.as_str()));
    optional(Type::String)
        .description(Some(
            "Kind of synthesis for the built-in voices: `learned` (natural), `rules` (clear and synthetic), or `auto` \
             for `learned` if the server has capacity for another conversation, otherwise `rules`. The default is the \
             server's setting.",
        ))
        .enum_values(Some(names.chain([Value::Null])))
}

fn lexicon() -> ObjectBuilder {
    let spelling = chars(MAX_LEXICON_SPELLING_CHARS);
    let word: Object = chars(MAX_LEXICON_WORD_CHARS).build();
    optional(Type::Object)
        .description(Some(
            "Words and their replacement spellings for this request: `{\"AIIMS\": \"एम्स\"}`, or IPA between slashes.",
        ))
        .property_names(Some(Schema::Object(word)))
        .additional_properties(Some(AdditionalProperties::<Schema>::from(RefOr::T(Schema::Object(spelling.build())))))
        .max_properties(Some(MAX_LEXICON_ENTRIES))
        .default(Some(json!({})))
}
