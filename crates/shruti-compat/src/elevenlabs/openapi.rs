//! OpenAPI descriptions of ElevenLabs' routes.

use serde::Serialize;
use serde_json::json;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::Ref;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::alignment::ClipAlignment;
use super::errors::form;
use crate::common::openapi::{self, in_query, of, whole};
use crate::common::request::{Ignored, Language, Part, Text, request};

request! {
    /// Request to speak a text. ElevenLabs' other fields are ignored.
    ElevenLabsRequest {
        /// Text, at most 5,000 characters.
        TEXT: Text = "text",
        /// Any value; it is ignored.
        MODEL_ID: Ignored = "model_id",
        /// Language tag whose base is a supported language. By default, the language of the query applies, or
        /// the language is detected from the text.
        LANGUAGE_CODE: Language = "language_code",
        /// Object with `speed`, which is clamped to the range 0.5–2.0.
        VOICE_SETTINGS: Part = "voice_settings",
    }
    example: {
        "text": "नमस्ते, आप कैसे हैं?",
        "model_id": "eleven_multilingual_v2",
        "language_code": "hi",
        "voice_settings": {"speed": 1.1}
    }
}

/// Clip with character timestamps.
#[derive(Serialize, ToSchema)]
pub(crate) struct ElevenLabsTimedClip {
    /// Clip in `output_format`, in base64.
    audio_base64: String,
    /// Character timestamps.
    alignment: ClipAlignment,
    /// Same as `alignment`: timestamps of the normalised text are not available.
    normalized_alignment: ClipAlignment,
}

pub(super) struct Sound;

impl IntoResponses for Sound {
    fn responses() -> Answers {
        let what = "The clip in the requested format, streamed during synthesis.";
        let types =
            ["audio/mpeg", "audio/pcm", "audio/wav", "audio/basic", "audio/x-alaw-basic", "audio/ogg"];
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &types)
    }
}

pub(super) struct Timed;

impl IntoResponses for Timed {
    fn responses() -> Answers {
        let mut answers = openapi::refusals(&form(), openapi::REFUSED);
        let schema = Ref::from_schema_name(ElevenLabsTimedClip::name());
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let answer =
            ResponseBuilder::new().description("The clip with its times, streamed during synthesis.");
        answers.insert("200".to_owned(), openapi::clip(answer.content("application/json", content)).into());
        answers
    }
}

pub(super) struct TimedLines;

impl IntoResponses for TimedLines {
    fn responses() -> Answers {
        let mut answers = openapi::refusals(&form(), openapi::REFUSED);
        let what = "One object per line, like the object of `with-timestamps`; its alignments may be null.";
        let answer = ResponseBuilder::new().description(what);
        let answer = answer.content("application/x-ndjson", ContentBuilder::new().build());
        answers.insert("200".to_owned(), openapi::clip(answer).into());
        answers
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> Answers {
        openapi::or_opened(openapi::refusals(&form(), openapi::UPGRADE_REFUSED))
    }
}

/// Path and query parameters of a clip.
pub(super) struct ClipParameters;

impl IntoParams for ClipParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = || of(Type::String);
        vec![
            openapi::in_path("voice_id", "Name of a voice.", text(), json!("Ananya")),
            in_query(
                "output_format",
                "The default is `mp3_44100_128`; also `mp3_22050_32`, `mp3_24000_48`, `mp3_44100_` with 32, 64, 96 \
                 or 192, `pcm_` and `wav_` with a sample rate, `ulaw_8000`, `alaw_8000`, `opus_48000_` with a bit \
                 rate.",
                text(),
                json!("pcm_24000"),
            ),
            in_query("language_code", "The language, if the body has none.", text(), json!("hi")),
            openapi::clarity(),
            openapi::engine(),
        ]
    }
}

/// Path and query parameters of a WebSocket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let flag = || of(Type::Boolean);
        let mut parameters = ClipParameters::into_params(place);
        parameters.extend([
            in_query(
                "auto_mode",
                "`true` to speak each message separately and as a whole.",
                flag(),
                json!(true),
            ),
            in_query(
                "sync_alignment",
                "`true` for times relative to the start of the context instead of the end of the previous alignment.",
                flag(),
                json!(true),
            ),
            in_query(
                "inactivity_timeout",
                "Time in seconds after which a connection without messages or audio is closed; 300 by default.",
                whole(1, 300),
                json!(180),
            ),
            openapi::max_lead(),
        ]);
        parameters
    }
}
