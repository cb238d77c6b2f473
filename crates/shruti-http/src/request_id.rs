//! Request IDs that the server or the client assigns.

use std::fmt;

use http::{HeaderMap, HeaderValue};
use shruti_protocol::limits::MAX_CLIENT_REQUEST_ID_BYTES;

/// Request ID that the server assigns: `req_` and 24 letters and digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestId(u128);

impl RequestId {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

    /// Creates a random ID.
    #[expect(clippy::new_without_default, reason = "each call returns a different ID")]
    pub fn new() -> Self {
        let mut random = [0_u8; 16];
        // an ID need not be secret; if the system provides no random bytes, IDs repeat, but requests still work
        if getrandom::fill(&mut random).is_err() {
            tracing::error!("the system provides no random numbers; request IDs repeat");
        }
        Self(u128::from_le_bytes(random))
    }

    /// Fixed ID for examples.
    pub const EXAMPLE: Self = Self(0xf2_7190_d4f5_6dcf_20c9_44a7_79fc_907c);

    /// Returns the ID as a header value.
    pub fn header(self) -> HeaderValue {
        HeaderValue::from_str(&self.to_string()).unwrap_or(HeaderValue::from_static("req_"))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = *b"req_000000000000000000000000";
        for (i, digit) in text[4..].iter_mut().enumerate() {
            *digit = Self::DIGITS[(self.0 >> (5 * i)) as usize % 32];
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or("req_"))
    }
}

/// Returns the client's request ID if it is short and contains only characters that can safely be echoed.
pub fn client_request_id(headers: &HeaderMap) -> Option<HeaderValue> {
    let id = headers.get("x-client-request-id")?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte);
    let acceptable =
        !id.is_empty() && id.len() <= MAX_CLIENT_REQUEST_ID_BYTES && id.as_bytes().iter().all(plain);
    acceptable.then(|| id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_plain() {
        let (one, other) = (RequestId::new().to_string(), RequestId::new().to_string());
        assert_ne!(one, other);
        assert_eq!(one.len(), 28);
        assert!(one.strip_prefix("req_").unwrap().bytes().all(|b| b.is_ascii_alphanumeric()), "{one}");
    }

    #[test]
    fn echoes_only_plain_request_ids() {
        let echoed = |id: &str| {
            let headers =
                HeaderMap::from_iter([("x-client-request-id".parse().unwrap(), id.parse().unwrap())]);
            client_request_id(&headers).is_some()
        };
        assert!(echoed("order-17:a.b_c"));
        assert!(echoed(&"a".repeat(128)));
        for wrong in ["", &"a".repeat(129), "a b", "<script>", "a\"b", "a;b"] {
            assert!(!echoed(wrong), "{wrong}");
        }
    }
}
