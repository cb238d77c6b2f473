//! Response and request headers of the API.

use serde_json::json;
use shruti_protocol::limits::MAX_CLIENT_REQUEST_ID_BYTES;
use utoipa::IntoParams;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, Required};

/// Headers of every response.
pub const ALWAYS: &[&str] = &["x-request-id", "x-client-request-id"];

/// Headers of every response to a key with a rate limit.
pub const RATE: &[&str] = &["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/// Headers of a clip in the API of another service.
pub const CLIP_ELSEWHERE: &[&str] = &["x-tts-voice", "x-tts-engine", "x-tts-chars"];

/// Returns all headers as components.
pub fn all() -> impl Iterator<Item = (&'static str, Header)> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let number = |kind| ObjectBuilder::new().schema_type(kind).minimum(Some(0));
    let whole = || number(Type::Integer);
    [
        (
            "x-request-id",
            text().pattern(Some("^req_[0-9a-z]{24}$")),
            "The request's id; quote it when you ask for help.",
        ),
        (
            "x-client-request-id",
            client_request_id(),
            "The caller's own id, sent back where it was given and plain.",
        ),
        (
            "x-audio-encoding",
            text().enum_values(Some(["pcm_s16le", "pcm_f32le", "pcm_mulaw", "pcm_alaw", "mp3", "opus"])),
            "How the sound is coded: `pcm_s16le` is signed 16-bit little-endian, whatever RFC 2586 says of \
             `audio/L16`.",
        ),
        ("x-tts-voice", text(), "The voice that speaks, in the canonical spelling."),
        ("x-tts-language", text(), "The code of the language that is spoken."),
        ("x-tts-engine", text(), "The kind of synthesis that speaks, as `GET /v1/voices` names it; not of a clip that costs nothing."),
        (
            "x-tts-chars",
            whole(),
            "What the clip costs when it is sent whole: the characters of the text, and those by which \
             readings of the request's and the account's lexicons are longer than what they replace.",
        ),
        (
            "x-shruti-warning",
            text(),
            "What was ignored or not read, with a suggestion: fields that are not known, letters of a script that is \
             not read. In ASCII; several warnings have `; ` between them. Absent where there is nothing to report.",
        ),
        (
            "Server-Timing",
            text().pattern(Some("^ttfa;dur=[0-9.]+$")),
            "`ttfa;dur=<ms>`: inside the server, from the last byte of the request to the first audible \
             sample.",
        ),
        (
            "RateLimit-Limit",
            whole(),
            "The requests that the key can make at once after a rest. Absent where the key has no \
             limited rate.",
        ),
        ("RateLimit-Remaining", whole(), "The requests that the key can make at once now."),
        ("RateLimit-Reset", whole(), "Seconds until the full limit is there again."),
        (
            "x-should-retry",
            text().enum_values(Some(["false"])),
            "Tells OpenAI's clients that trying again is of no use.",
        ),
        (
            "dg-error",
            text(),
            "What is wrong, for Deepgram's clients, which see no body of a refused upgrade.",
        ),
        ("Retry-After", whole(), "Seconds after which trying again makes sense."),
        ("WWW-Authenticate", text().enum_values(Some(["Bearer"])), "How to sign in."),
        ("Upgrade", text().enum_values(Some(["websocket"])), "What to speak here."),
        ("ETag", text(), "Changes when the page or the lexicon does; send it back as `If-None-Match`, or as `If-Match` to replace a lexicon."),
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
        let own_id = ParameterBuilder::new()
            .name("x-client-request-id")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "Your own id of the request; sent back if it has at most 128 letters, digits and \
                 `-_.:/+=@`, else ignored.",
            ))
            // no pattern, because a value in another form is not an error
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
            .example(Some(json!("order-17")));
        vec![own_id.build()]
    }
}
