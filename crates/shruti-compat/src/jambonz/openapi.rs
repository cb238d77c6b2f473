//! OpenAPI descriptions of the routes for jambonz.

use serde_json::json;
use shruti_service::openapi::errors::Answers;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;
use utoipa::{IntoParams, IntoResponses};

use crate::common::errors::form;
use crate::common::openapi;
use crate::common::request::{Language, Text, Word, request};

request! {
    /// Request to speak a text.
    JambonzRequest {
        /// Text, at most 5,000 characters.
        TEXT: Text = "text",
        /// `text` or `ssml`. SSML is recognised by the beginning of the text in either case.
        TYPE: Word = "type",
        /// Language; detected from the text by default.
        LANGUAGE: Language = "language",
        /// Voice, or an alias set by the operator; the default voice if absent.
        VOICE: Word = "voice",
    }
    example: {"language": "hi-IN", "voice": "Ananya", "type": "text", "text": "नमस्ते, आप कैसे हैं?"}
}

pub(super) struct Clip;

impl IntoResponses for Clip {
    fn responses() -> Answers {
        let what = "The clip, streamed during synthesis.";
        openapi::or_clip(openapi::refusals(&form(), openapi::REFUSED), what, &["audio/wav"])
    }
}

pub(super) struct Opened;

impl IntoResponses for Opened {
    fn responses() -> Answers {
        openapi::or_opened(openapi::refusals(&form(), openapi::UPGRADE_REFUSED))
    }
}

/// Query parameters of the WebSocket.
pub(super) struct SocketParameters;

impl IntoParams for SocketParameters {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = |name, what, example: &str| {
            openapi::in_query(name, what, openapi::of(Type::String), json!(example))
        };
        let rate = "Sample rate in Hz; 8000 by default.";
        vec![
            text("voice", "A voice, or a name that the operator maps to one.", "Ananya"),
            text("language", "The language; detected from the text if absent.", "hi-IN"),
            openapi::in_query("sampleRate", rate, openapi::of(Type::Integer), json!(8_000)),
            openapi::clarity(),
            openapi::engine(),
            openapi::max_lead(),
        ]
    }
}
