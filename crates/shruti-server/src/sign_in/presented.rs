//! Who is calling: `Authorization: Bearer <API_KEY>`.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyCache, KeyCheck, KeyRecord, Moment, Scope, StoreError};

use crate::failure::internal;

/// The key of a request, if it is valid and holds the scope.
pub(crate) async fn sign_in(
    parts: &Parts,
    keys: &KeyCache,
    scope: Scope,
    now: Moment,
) -> Result<Arc<KeyRecord>, ApiError> {
    if parts.uri.query().is_some_and(holds_key) {
        return Err(ApiError::new(
            ErrorCode::InvalidApiKey,
            "a key in a URL is not accepted, because URLs are logged; send it in the Authorization header",
        ));
    }
    let presented = bearer(&parts.headers)?;
    let check = keys.check(presented, now).await.map_err(|error| match error {
        StoreError::Busy => {
            ApiError::new(ErrorCode::Overloaded, "the server is busy; try again").with_retry_after_ms(1_000)
        }
        other => {
            tracing::error!(error = %other, "a key could not be checked");
            internal()
        }
    })?;
    let record = match check {
        KeyCheck::Valid(record) => record,
        KeyCheck::Unknown => {
            return Err(ApiError::new(ErrorCode::InvalidApiKey, "the API key is not one of this server's"));
        }
        KeyCheck::Expired => return Err(ApiError::new(ErrorCode::ExpiredApiKey, "the API key has expired")),
        KeyCheck::Revoked => return Err(ApiError::new(ErrorCode::RevokedApiKey, "the API key was revoked")),
    };
    if !record.scopes.contains(&scope) {
        let message = format!("the API key lacks the scope '{scope}'");
        return Err(ApiError::new(ErrorCode::InsufficientScope, message));
    }
    Ok(record)
}

/// The key that a request presents.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let missing = |message| ApiError::new(ErrorCode::MissingApiKey, message);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = given.next() else {
        return Err(missing("no API key was sent; send it as 'Authorization: Bearer <API_KEY>'"));
    };
    if given.next().is_some() {
        return Err(ApiError::new(ErrorCode::InvalidApiKey, "more than one Authorization header was sent"));
    }
    let value = value.to_str().unwrap_or_default().trim();
    let (scheme, key) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") || key.trim().is_empty() {
        return Err(missing("the Authorization header must be 'Bearer <API_KEY>'"));
    }
    Ok(key.trim())
}

/// Whether a query string carries something that looks like a key.
fn holds_key(query: &str) -> bool {
    const NAMES: [&str; 6] = ["api_key", "api-key", "apikey", "key", "access_token", "authorization"];
    let decoded = decode_percent(query);
    decoded.contains("sk_")
        || decoded.split('&').any(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
        })
}

fn decode_percent(query: &str) -> String {
    let mut decoded = Vec::with_capacity(query.len());
    let mut rest = query.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%');
        let value = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(value) = value {
            decoded.push(value);
            rest = &after[2..];
        } else {
            decoded.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_s_case_and_the_space_do_not_matter() {
        for value in ["Bearer k", "bearer k", "BEARER   k", "Bearer\tk "] {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())]);
            assert_eq!(bearer(&headers), Ok("k"), "{value}");
        }
        for value in ["", "Bearer", "Bearer ", "Basic k", "k"] {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())]);
            assert_eq!(bearer(&headers).unwrap_err().code, ErrorCode::MissingApiKey, "{value}");
        }
        assert_eq!(bearer(&HeaderMap::new()).unwrap_err().code, ErrorCode::MissingApiKey);
        let twice = ["Bearer a", "Bearer b"].map(|value| (header::AUTHORIZATION, value.parse().unwrap()));
        assert_eq!(bearer(&HeaderMap::from_iter(twice)).unwrap_err().code, ErrorCode::InvalidApiKey);
    }

    #[test]
    fn keys_in_a_query_are_found() {
        for query in ["api_key=x", "a=1&KEY=x", "x=sk_abc", "x=%73%6b%5Fabc", "access_token="] {
            assert!(holds_key(query), "{query}");
        }
        for query in ["", "a=1", "monkey=1", "%", "%zz", "task=1"] {
            assert!(!holds_key(query), "{query}");
        }
    }
}
