//! Response and request headers of the API.

use serde_json::json;
use shruti_protocol::limits::MAX_CLIENT_REQUEST_ID_BYTES;
use utoipa::IntoParams;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, Required};

/// Headers that every response can have.
pub const ALWAYS: &[&str] = &["x-request-id", "x-client-request-id"];

/// Headers of every response to a key with a rate limit.
pub const RATE: &[&str] = &["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/// Response headers of audio clips in the endpoints that are compatible with other services' APIs.
pub const CLIP_ELSEWHERE: &[&str] = &["x-tts-voice", "x-tts-engine", "x-tts-chars"];

/// Returns all response headers as components of the OpenAPI document.
pub fn all() -> impl Iterator<Item = (&'static str, Header)> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let number = |kind| ObjectBuilder::new().schema_type(kind).minimum(Some(0));
    let integer = || number(Type::Integer);
    [
        (
            "x-request-id",
            text().pattern(Some("^req_[0-9a-z]{24}$")),
            "ID of the request; quote it when you ask for help.",
        ),
        (
            "x-client-request-id",
            client_request_id(),
            "The caller's own request ID, echoed if it was sent and is valid.",
        ),
        (
            "x-audio-encoding",
            text().enum_values(Some(["pcm_s16le", "pcm_f32le", "pcm_mulaw", "pcm_alaw", "mp3", "opus"])),
            "Encoding of the audio: `pcm_s16le` is signed 16-bit little-endian, in contrast to RFC 2586 for \
             `audio/L16`.",
        ),
        ("x-tts-voice", text(), "Voice, in the canonical spelling."),
        ("x-tts-language", text(), "Code of the language."),
        ("x-tts-engine", text(), "Kind of synthesis, as in `GET /v1/voices`; absent for a clip that costs nothing."),
        (
            "x-tts-chars",
            integer(),
            "Cost of the complete clip: the characters of the text, plus the characters by which readings of the \
             request's and the account's lexicons are longer than the words they replace.",
        ),
        (
            "x-shruti-warning",
            text(),
            "Ignored parts of the request, with a suggestion: unknown fields. In ASCII; several \
             warnings are separated by `; `. Absent if there are no warnings.",
        ),
        (
            "Server-Timing",
            text().pattern(Some("^ttfa;dur=[0-9.]+$")),
            "`ttfa;dur=<ms>`: time from the last byte of the request to the first audible sample, inside the server.",
        ),
        (
            "RateLimit-Limit",
            integer(),
            "Burst size of the key's rate limit, in requests. Absent if the key has no rate limit.",
        ),
        ("RateLimit-Remaining", integer(), "Number of requests that the key can make now."),
        ("RateLimit-Reset", integer(), "Seconds until the full burst is available again."),
        (
            "x-should-retry",
            text().enum_values(Some(["false"])),
            "Instructs OpenAI's clients not to retry.",
        ),
        (
            "dg-error",
            text(),
            "The error, for Deepgram's clients, which do not receive the body of a refused upgrade.",
        ),
        ("Retry-After", integer(), "Seconds until a retry makes sense."),
        ("WWW-Authenticate", text().enum_values(Some(["Bearer"])), "Authentication scheme."),
        ("Upgrade", text().enum_values(Some(["websocket"])), "Protocol that this path requires."),
        ("ETag", text(), "Version of the page or the lexicon; send it as `If-None-Match`, or as `If-Match` to replace \
                          a lexicon."),
    ]
    .into_iter()
    .map(|(name, schema, what)| {
        (name, HeaderBuilder::new().schema(Some(schema.build())).description(Some(what)).build())
    })
}

/// Adds headers of [`all`] to a response.
pub fn with(answer: ResponseBuilder, headers: &[&str]) -> ResponseBuilder {
    headers.iter().fold(answer, |answer, &name| {
        answer.header_ref(name, Ref::new(format!("#/components/headers/{name}")))
    })
}

fn client_request_id() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(MAX_CLIENT_REQUEST_ID_BYTES))
        .pattern(Some("^[-A-Za-z0-9_.:/+=@]+$"))
}

/// Headers that a caller may send with any request.
pub struct RequestHeaders;

impl IntoParams for RequestHeaders {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![own_id()]
    }
}

fn own_id() -> Parameter {
    ParameterBuilder::new()
        .name("x-client-request-id")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "Your own request ID; echoed if it has at most 128 letters, digits and `-_.:/+=@`, otherwise ignored.",
        ))
        // no pattern, because a value in another form is not an error
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .example(Some(json!("order-17")))
        .build()
}
