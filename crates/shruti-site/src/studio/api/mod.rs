//! `/studio/api`: the JSON API of the Studio's pages.
//!
//! Requests are authenticated only by a session cookie (`session`); API keys are not accepted. [`guard`] runs before
//! every handler: it limits the request rate of each address, and rejects changes that do not come from the Studio's
//! own pages, so that no other site can use a visitor's cookie (CSRF).

mod account;
mod browser_name;
mod json_fields;
mod keys;
mod lexicon;
mod operator;
mod promo;
mod session;
mod sessions;
mod setup;
mod signing_in;
mod token;
mod usage;
mod verification;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, patch, post};
use http::request::Parts;
use http::{HeaderValue, Method, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ClientInfo;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::{internal, not_found};
use shruti_service::http::{RequestOrigin, keeps_secure_cookies};
use shruti_service::limits::RateClass;

/// Prefix of the paths that contain a key.
const KEYS_AT: &str = "/studio/api/keys/";

/// Header that the pages send with every change. Another site would need a CORS preflight to send it.
const CSRF_HEADER: &str = "x-studio";

type Answer<T> = Result<T, ErrorResponse>;

pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/studio/api/setup", get(setup::setup))
        .route("/studio/api/account", get(account::account))
        .route("/studio/api/sign-up", post(signing_in::sign_up))
        .route("/studio/api/sign-in", post(signing_in::sign_in))
        .route("/studio/api/link", post(signing_in::use_link))
        .route("/studio/api/forgotten-password", post(signing_in::forgotten_password))
        .route("/studio/api/verification", post(verification::send))
        .route("/studio/api/verify", post(verification::verify))
        .route("/studio/api/sign-out", post(signing_in::sign_out))
        .route("/studio/api/password", post(account::change_password))
        .route("/studio/api/delete-account", post(account::delete))
        .route("/studio/api/sessions", get(sessions::list))
        .route("/studio/api/sessions/{id}", delete(sessions::end))
        .merge(operator::routes())
        .route("/studio/api/promo", post(promo::redeem))
        .route("/studio/api/keys", get(keys::list).post(keys::create))
        .route("/studio/api/keys/{prefix}", patch(keys::rename).delete(keys::revoke))
        .route("/studio/api/keys/{prefix}/rotate", post(keys::rotate))
        .route("/studio/api/usage", get(usage::usage))
        .route("/studio/api/lexicon", get(lexicon::show).put(lexicon::replace))
        .route("/studio/api/normalize", post(lexicon::normalize))
        .route("/studio/api/token", post(token::issue))
        .route("/studio/api/{*other}", any(async || ErrorResponse(not_found())))
        .layer(from_fn_with_state(Arc::clone(app), guard))
}

/// Parses a body in the same way as the endpoints with a body. No input may cause a panic.
#[cfg(fuzzing)]
pub(crate) fn read_body(body: &[u8]) {
    let Ok(fields) = json_fields::JsonFields::read(body) else { return };
    let _ = (
        signing_in::email(&fields),
        fields.text("password"),
        fields.text("secret"),
        fields.flag("everywhere"),
    );
    let _ = (keys::key_spec(&fields, 0), fields.number("overlap_hours", 0..=168));
}

async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let mut response = match may_pass(&app, &parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(error) => ErrorResponse(error).into_response(),
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn may_pass(app: &App, parts: &Parts) -> Result<(), ApiError> {
    let client = parts.extensions.get::<ClientInfo>().copied().ok_or_else(internal)?;
    admit(app, RateClass::Api, client)?;
    let changes_nothing = [Method::GET, Method::HEAD].contains(&parts.method);
    let is_marked = parts.headers.get(CSRF_HEADER).is_some_and(|mark| mark == "1");
    if changes_nothing {
        return Ok(());
    }
    let message = if is_marked && !keeps_secure_cookies(parts) {
        // this is checked before an account is created, because nobody could sign in to the account
        "this page was loaded over plain HTTP from another machine, where browsers store no session; open it over HTTPS"
    } else if !is_marked || RequestOrigin::of(parts) != RequestOrigin::Same {
        "only the Studio's own pages may make changes here; a proxy must forward the Host header"
    } else {
        return Ok(());
    };
    Err(ApiError::new(ErrorCode::OriginNotAllowed, message))
}

/// Applies the rate limit to a request from an address. The error contains the time until a retry.
fn admit(app: &App, class: RateClass, client: ClientInfo) -> Result<(), ApiError> {
    app.ip_rates.admit(class, client.address, app.clock.now().monotonic)
}
