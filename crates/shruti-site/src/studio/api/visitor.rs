//! Extractor that determines whether the open playground is available to the sender of a request.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use shruti_service::app::App;

/// Permissions that the sender of a request has in the open playground.
pub(super) struct Visitor {
    /// Monthly character limit of all visitors together; `None` if the playground is closed to this visitor.
    pub(super) monthly_cap: Option<u64>,
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let open = app.config.open_playground.filter(|open| open.admits(parts.version, &parts.headers));
        Ok(Self { monthly_cap: open.map(|open| open.monthly_chars) })
    }
}
