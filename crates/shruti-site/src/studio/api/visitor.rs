//! Whether the open playground is open to who sends a request.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use shruti_service::app::App;

/// What the sender of a request may do in the playground without signing in.
pub(super) struct Visitor {
    /// How many characters a month all visitors may have spoken; `None` where the playground is closed to this one.
    pub(super) monthly_cap: Option<u64>,
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let open = app.config.open_playground.filter(|open| open.admits(parts.version, &parts.headers));
        Ok(Self { monthly_cap: open.map(|open| open.monthly_chars) })
    }
}
