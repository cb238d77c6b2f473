//! `/studio/api/operator`: the API of the pages for operators. For all other accounts, these paths do not exist.

mod accounts;
mod health;
mod promos;
mod usage;

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::routing::{get, post};
use http::request::Parts;
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::not_found;
use shruti_store::{Account, Actor};

use super::session::SignedIn;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/studio/api/operator/accounts", post(accounts::invite))
        .route("/studio/api/operator/accounts/search", post(accounts::search))
        .route("/studio/api/operator/accounts/lock", post(accounts::lock))
        .route("/studio/api/operator/accounts/unlock", post(accounts::unlock))
        .route("/studio/api/operator/accounts/reset-password", post(accounts::reset_password))
        .route("/studio/api/operator/accounts/delete", post(accounts::delete))
        .route("/studio/api/operator/promos", get(promos::list).post(promos::create))
        .route("/studio/api/operator/promos/end", post(promos::end))
        .route("/studio/api/operator/usage", get(usage::usage))
        .route("/studio/api/operator/health", get(health::health))
}

/// A request from a signed-in operator. For any other account, the path does not exist.
pub(super) struct Operator(Account);

impl Operator {
    /// Returns the actor for the audit log.
    fn actor(&self) -> Actor {
        Actor::Account(self.0.id.clone())
    }
}

impl FromRequestParts<Arc<App>> for Operator {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        let signed_in = <SignedIn as FromRequestParts<Arc<App>>>::from_request_parts(parts, app).await?;
        let account = signed_in.session.account;
        if account.is_operator { Ok(Self(account)) } else { Err(ErrorResponse(not_found())) }
    }
}
