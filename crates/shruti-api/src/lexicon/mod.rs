//! `GET` and `PUT /v1/lexicon`: the pronunciation dictionary of an account. It applies to all keys of the account.

mod openapi;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{AccountId, AccountLexicon, KeyRecord, Scope};

use shruti_service::account_lexicon::{no_account, save};
use shruti_service::app::App;
use shruti_service::auth::Credentials;
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::errors::store_error;
use shruti_service::http::{ErrorResponse, RequestBody, require_media_type};
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;

/// Media type of a lexicon, which is in TOML.
const MEDIA_TYPE: &str = "application/toml";

pub(crate) fn routes() -> Api {
    Api::of("lexicon").route(__path_show, get(show)).route(__path_replace, axum::routing::put(replace))
}

/// Read the lexicon of the key's account.
///
/// The lexicon contains pronunciations that apply to every request of all keys of the account and to its playground. It
/// is in TOML, in the format of the command line option `--lexicon`. It is empty if there are no entries. The `ETag`
/// header contains its version.
#[utoipa::path(
    get, path = "/v1/lexicon", operation_id = "read_lexicon", security(("key" = [])),
    params(RequestHeaders), responses(openapi::Lexicon)
)]
async fn show(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<LexiconAccess>,
) -> Result<Response, ErrorResponse> {
    let account = account_of(&caller.key)?.clone();
    let found = app.store.find_lexicon(account).await.map_err(|error| store_error(&error))?;
    Ok(answer(found.ok_or_else(no_account)?))
}

/// Replace the lexicon of the key's account.
///
/// The body is the whole lexicon; an empty body removes all entries. With `If-Match`, only the named version is
/// replaced, so that concurrent edits do not overwrite each other. The new lexicon applies to clips and conversations
/// that start after the response; other servers that share the database use it within two seconds. All entries are
/// checked first. If one of them is invalid, the whole lexicon is refused.
#[utoipa::path(
    put, path = "/v1/lexicon", operation_id = "replace_lexicon", security(("key" = [])),
    params(RequestHeaders, openapi::IfMatch), request_body(content_type = MEDIA_TYPE, content = String),
    responses(openapi::Replaced)
)]
async fn replace(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<LexiconAccess>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let account = account_of(&caller.key)?.clone();
    require_media_type(&headers, MEDIA_TYPE)?;
    let expected = expected_version(&headers)?;
    let body = body.read(app.config.timeouts.body).await?;
    let toml = String::from_utf8(body.to_vec()).map_err(|_| not_utf8())?;
    Ok(answer(save(&app, account, toml, expected).await?))
}

fn answer(lexicon: AccountLexicon) -> Response {
    let mut response = lexicon.toml.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // a quoted number is always a valid header value
    if let Ok(version) = HeaderValue::from_str(&format!("\"{}\"", lexicon.version)) {
        headers.insert(header::ETAG, version);
    }
    response
}

/// Returns the version that `If-Match` names, or `None` if any version may be replaced. Returns an error if the header
/// is neither a single version nor `*`.
fn expected_version(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let mut values = headers.get_all(header::IF_MATCH).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let value = value.to_str().unwrap_or_default().trim();
    if value == "*" {
        return Ok(None);
    }
    let version = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let (Some(version), None) = (version.and_then(|version| version.parse().ok()), values.next()) {
        return Ok(Some(version));
    }
    let message = "If-Match must be a single version from an ETag, such as \"3\"";
    Err(ApiError::new(ErrorCode::InvalidField, message).with_param("if-match"))
}

fn account_of(key: &KeyRecord) -> Result<&AccountId, ApiError> {
    key.account.as_ref().ok_or_else(no_account)
}

fn not_utf8() -> ApiError {
    ApiError::new(ErrorCode::InvalidField, "the lexicon is not UTF-8").with_param("lexicon")
}

/// Access requirements of `/v1/lexicon`: an API key, not a token, because a change applies to all keys of the account.
struct LexiconAccess;

impl Access for LexiconAccess {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = false;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token does not grant access to the lexicon; send the API key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_is_one_version() {
        let of = |values: &[&str]| {
            let headers = values.iter().map(|value| (header::IF_MATCH, value.parse().unwrap()));
            expected_version(&headers.collect()).map_err(|error| error.code)
        };
        assert_eq!((of(&[]), of(&["*"]), of(&["\"3\""])), (Ok(None), Ok(None), Ok(Some(3))));
        for wrong in
            [&["3"][..], &["W/\"3\""], &["\"x\""], &["\"1\", \"2\""], &["\"1\"", "\"2\""], &[""], &["\""]]
        {
            assert_eq!(of(wrong), Err(ErrorCode::InvalidField), "{wrong:?}");
        }
    }
}
