//! `GET setup`: settings of this server that the pages need, with or without a sign-in.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::{LanguageEntry, LanguageList};
use shruti_service::app::App;
use shruti_store::NewPassword;

use super::visitor::Visitor;

#[derive(Serialize)]
pub(super) struct Setup {
    /// Whether this visitor may use the playground without signing in.
    open_playground: bool,
    /// Whether the server sends emails with links to reset passwords and verify addresses.
    sends_mail: bool,
    /// Whether an account must verify its address before it can create keys and redeem promo codes.
    requires_verified: bool,
    max_text_chars: usize,
    password_min_chars: usize,
    languages: Vec<LanguageEntry>,
    version: &'static str,
}

pub(super) async fn setup(State(app): State<Arc<App>>, visitor: Visitor) -> Json<Setup> {
    Json(Setup {
        open_playground: visitor.monthly_cap.is_some(),
        sends_mail: app.config.mail.is_some(),
        requires_verified: app.config.mail.as_ref().is_some_and(|mail| mail.require_verified),
        max_text_chars: MAX_TEXT_CHARS,
        password_min_chars: NewPassword::MIN_CHARS,
        languages: LanguageList::all().languages,
        version: env!("CARGO_PKG_VERSION"),
    })
}
