//! Who is calling, as an argument of a handler: authenticated, and counted against its rate.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use http::request::Parts;
use shruti_protocol::ApiError;
use shruti_store::Scope;

use crate::app::App;
use crate::auth::{Caller, Credentials};
use crate::http::ErrorResponse;
use crate::http::errors::draining;
use crate::limits::RateStatus;

/// What a path asks of its callers.
pub trait Access: Send + Sync + 'static {
    /// The scope that the key must hold.
    const SCOPE: Scope;
    /// Whether the path begins new work, which is refused while the server shuts down.
    const IS_NEW_WORK: bool;

    /// Finds what the request signs in with; refuses what the path does not take.
    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError>;
}

/// A caller that may use a path, whose rate had room for the request.
pub struct Authorized<A> {
    /// Who is calling.
    pub caller: Caller,
    access: PhantomData<A>,
}

/// The state of the key's rate, once the request has been counted. Lies in the extensions of every request, so that an
/// answer bears it whoever made the answer.
pub type RateSlot = Arc<OnceLock<RateStatus>>;

impl<A: Access> FromRequestParts<Arc<App>> for Authorized<A> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        if A::IS_NEW_WORK && app.is_draining() {
            return Err(draining().into());
        }
        let caller = app.auth.authenticate(parts, A::credentials(parts)?, A::SCOPE).await?;
        let (status, allowed) = app.rates.take(&caller.key, app.clock.now().monotonic);
        if let (Some(slot), Some(status)) = (parts.extensions.get::<RateSlot>(), status) {
            // a request is counted once
            let _ = slot.set(status);
        }
        allowed?;
        Ok(Self { caller, access: PhantomData })
    }
}
