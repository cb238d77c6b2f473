//! API of a custom voice for Vapi: `POST /v1/vapi`.
//!
//! `request` parses requests.

pub(super) mod openapi;
mod request;

use axum::response::Response;
use axum::routing::post;
use http::HeaderValue;
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;

use super::common::clip::ClipRequest;
use super::common::errors::PlainErrors;

pub(crate) fn routes() -> Api {
    Api::of("telephony").route(__path_speak, post(speak)).errors_in(&PlainErrors)
}

/// Create a clip for Vapi.
///
/// Returns raw samples at the requested rate while they are synthesised. The key may be sent as `X-VAPI-SECRET`. See
/// [`/docs/telephony`](/docs/telephony).
#[utoipa::path(
    post, path = "/v1/vapi", operation_id = "vapi_speak", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, openapi::Parameters), request_body = openapi::VapiRequest, responses(openapi::Clip)
)]
async fn speak(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let body = request.fields().await?;
    let clip_request = request::clip(&body, &request.uri, request.voices())?;
    request.answer(ApiKind::Vapi, &clip_request, HeaderValue::from_static("application/octet-stream")).await
}
