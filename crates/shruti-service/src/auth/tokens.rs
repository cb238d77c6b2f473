//! Single-use tokens.

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{Issuance, IssuedToken, KeyRecord, Store};

use super::revoked_key;
use crate::http::errors::store_error;

/// Issues a single-use token for a key that has just been validated.
pub async fn issue_token(store: &dyn Store, key: &KeyRecord, now_ms: i64) -> Result<IssuedToken, ApiError> {
    let issued = store.issue_token(key.prefix.clone(), now_ms).await;
    match issued.map_err(|error| store_error(&error))? {
        Issuance::Issued(token) => Ok(token),
        Issuance::TooMany { free_in_ms } => {
            let message = "this key has reached its maximum number of unused tokens; use them, or wait until they \
                           expire";
            Err(ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(free_in_ms))
        }
        Issuance::NoKey => Err(revoked_key()),
    }
}
