//! OpenAPI parameters and responses of the WebSocket upgrade.

use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_protocol::stream::PROTOCOL;
use utoipa::openapi::Required;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::{IntoParams, IntoResponses};

use shruti_service::openapi::errors::{self, LIMITS_AND_FAULTS, SIGN_IN};
use shruti_service::openapi::headers;

/// Headers of a WebSocket upgrade request (RFC 6455). A WebSocket client sets them automatically.
pub(super) struct UpgradeHeaders;

impl IntoParams for UpgradeHeaders {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let header = |name: &str, required, value: &str, what: &str| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Header)
                .required(required)
                .description(Some(what))
                .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
                .example(Some(json!(value)))
                .build()
        };
        vec![
            header(
                "Connection",
                Required::True,
                "Upgrade",
                "Requests the upgrade; WebSocket clients send it automatically.",
            ),
            header("Upgrade", Required::True, "websocket", "Protocol to upgrade to."),
            header("Sec-WebSocket-Version", Required::True, "13", "Version of the WebSocket protocol."),
            header(
                "Sec-WebSocket-Key",
                Required::True,
                "dGhlIHNhbXBsZSBub25jZQ==",
                "16 random bytes in base64.",
            ),
            header(
                "Sec-WebSocket-Protocol",
                Required::False,
                PROTOCOL,
                "The offered subprotocols, if any. A browser authenticates with `tts.v1, token.<token>`.",
            ),
        ]
    }
}

/// Error codes that an upgrade request can return, in addition to those of authentication with a key.
const ERROR_CODES: &[ErrorCode] =
    &[ErrorCode::InvalidField, ErrorCode::InvalidToken, ErrorCode::WebsocketRequired];

pub(super) struct Answers;

impl IntoResponses for Answers {
    fn responses() -> errors::Answers {
        let refused = [SIGN_IN, ERROR_CODES, LIMITS_AND_FAULTS].concat();
        let mut answers = errors::answers_to_key(&refused);
        answers.insert("101".to_owned(), opened().into());
        answers
    }
}

fn opened() -> Response {
    let protocol = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([PROTOCOL]));
    let protocol = HeaderBuilder::new()
        .schema(Some(protocol.build()))
        .description(Some("The subprotocol, if it was offered."))
        .build();
    let answer = ResponseBuilder::new()
        .description("The conversation is open; its first message is `ready`.")
        .header("Sec-WebSocket-Protocol", protocol);
    headers::with(answer, &[headers::ALWAYS, headers::RATE].concat()).build()
}
