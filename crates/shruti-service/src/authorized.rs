//! Extractor for authenticated callers. It checks the credentials and applies the rate limit.

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

/// Access requirements of a path.
pub trait Access: Send + Sync + 'static {
    /// Scope that the key must have.
    const SCOPE: Scope;
    /// Whether the path starts new work, which is refused while the server is shutting down.
    const IS_NEW_WORK: bool;

    /// Finds the credentials of a request. Returns an error for credentials that the path does not accept.
    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError>;
}

/// An authenticated caller that is allowed to use a path and is within its rate limit.
pub struct Authorized<A> {
    /// The caller.
    pub caller: Caller,
    access: PhantomData<A>,
}

/// Slot for the rate limit status of the key. The status is set when the request is counted. Every request has a slot
/// in its extensions, so that the status can be added to every response, including errors.
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
            // a request is counted only once, so the slot is still empty
            let _ = slot.set(status);
        }
        allowed?;
        Ok(Self { caller, access: PhantomData })
    }
}
