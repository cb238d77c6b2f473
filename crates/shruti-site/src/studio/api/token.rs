//! `POST token`: a token with which the playground opens a WebSocket conversation.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::auth::{access_locked, issue_token};
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::draining;
use shruti_service::http::errors::store_error;
use shruti_service::limits::RateClass;
use shruti_store::{KeyLimits, KeyRecord, PlaygroundSpec};

use super::keys::ACCOUNT_KEY_LIMITS;
use super::session::{SignedIn, not_signed_in};
use super::visitor::Visitor;
use super::{Answer, admit};

/// Limits of all visitors together: requests per second, burst, and concurrent conversations. A conversation stays
/// open while the visitor is on the page, unless it is idle for five minutes.
const OF_VISITORS: KeyLimits = KeyLimits { rate: Some(5.0), burst: Some(20), streams: Some(50) };

#[derive(Serialize)]
pub(super) struct TokenAnswer {
    token: String,
    expires_in_ms: u64,
}

/// Returns a token for the playground of an account that has access, or otherwise for the open playground if the
/// visitor may use it.
pub(super) async fn issue(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: Option<SignedIn>,
    visitor: Visitor,
) -> Answer<Json<TokenAnswer>> {
    if app.is_draining() {
        return Err(draining().into());
    }
    let locked = signed_in.as_ref().and_then(|signed_in| signed_in.session.account.access_lock());
    let key = match (signed_in, locked, visitor.monthly_cap) {
        (Some(signed_in), None, _) => {
            let owner = Some(signed_in.session.account.id);
            let own = PlaygroundSpec { owner, limits: ACCOUNT_KEY_LIMITS, monthly_cap: None };
            playground(&app, own).await?.ok_or_else(not_signed_in)?
        }
        (_, _, Some(monthly_cap)) => {
            admit(&app, RateClass::Playground, client)?;
            let monthly_cap = Some(monthly_cap);
            let everyone = PlaygroundSpec { owner: None, limits: OF_VISITORS, monthly_cap };
            playground(&app, everyone).await?.ok_or_else(not_signed_in)?
        }
        (Some(_), Some(lock), None) => return Err(access_locked(lock).into()),
        (None, _, None) => return Err(not_signed_in().into()),
    };
    if key.revoked_ms.is_some() {
        let message = "the operator of this server has closed this playground";
        return Err(ApiError::new(ErrorCode::AccessLocked, message).into());
    }
    app.rates.take(&key, app.clock.now().monotonic).1?;
    let now_ms = app.clock.now().wall_ms;
    let token = issue_token(&*app.store, &key, now_ms).await?;
    Ok(Json(TokenAnswer {
        token: token.secret.reveal().to_owned(),
        expires_in_ms: token.expires_ms.saturating_sub(now_ms).max(0).unsigned_abs(),
    }))
}

async fn playground(app: &App, spec: PlaygroundSpec) -> Result<Option<KeyRecord>, ApiError> {
    let ensured = app.store.ensure_playground_key(spec, app.clock.now().wall_ms).await;
    ensured.map_err(|error| store_error(&error))
}
