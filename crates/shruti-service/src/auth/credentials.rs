//! Credentials of a request.

use std::borrow::Cow;

use http::request::Parts;
use http::{HeaderMap, Uri, header};
use shruti_protocol::stream::PROTOCOL;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::SecretToken;

use crate::http::KEY_HEADERS;

/// Prefix of a token in the subprotocols of a WebSocket.
const TOKEN_PROTOCOL: &str = "token.";
/// Prefix of an API key.
const KEY_BEGINS: &str = "sk_";

/// Credentials of a request, not yet verified.
#[derive(Debug, PartialEq, Eq)]
pub enum Credentials<'a> {
    /// API key.
    Key(&'a str),
    /// Single-use token.
    Token(Cow<'a, str>),
}

impl<'a> Credentials<'a> {
    /// Reads a key or a token from the header `Authorization: Bearer`. Returns an error if the header is missing or
    /// malformed, or if the URL contains a key.
    pub fn in_header(parts: &'a Parts) -> Result<Self, ApiError> {
        refuse_key_in_url(&parts.uri)?;
        let presented = bearer(&parts.headers)?;
        let is_token = SecretToken::is_meant(presented);
        Ok(if is_token { Self::Token(presented.into()) } else { Self::Key(presented) })
    }

    /// Reads credentials as [`Credentials::in_header`] does, but refuses a token with the message `no_token`.
    pub fn key_in_header(parts: &'a Parts, no_token: &str) -> Result<Self, ApiError> {
        match Self::in_header(parts)? {
            Self::Token(_) => Err(ApiError::new(ErrorCode::InvalidApiKey, no_token)),
            key @ Self::Key(_) => Ok(key),
        }
    }

    /// Reads a token from `?token=` or the subprotocols, because a browser's `WebSocket` cannot set headers. Without
    /// such a token, reads the header as [`Credentials::in_header`] does.
    pub fn to_stream(parts: &'a Parts) -> Result<Self, ApiError> {
        refuse_key_in_url(&parts.uri)?;
        let in_query = tokens_in_query(parts.uri.query().unwrap_or_default());
        let offered: Vec<&str> = protocols(&parts.headers).collect();
        let in_protocols = offered.iter().filter_map(|offer| offer.strip_prefix(TOKEN_PROTOCOL));
        let mut tokens = in_query.chain(in_protocols.clone().map(Cow::Borrowed));
        let Some(token) = tokens.next() else { return Self::in_header(parts) };
        if tokens.next().is_some() || parts.headers.contains_key(header::AUTHORIZATION) {
            let message = "more than one key or token was sent; send one token in one place";
            return Err(ApiError::new(ErrorCode::InvalidToken, message));
        }
        // a browser closes the connection if the server accepts none of the offered subprotocols
        if !offered.is_empty() && !offered.contains(&PROTOCOL) {
            let message = format!(
                "the subprotocols do not include '{PROTOCOL}'; offer it too, since the server selects it"
            );
            return Err(ApiError::new(ErrorCode::InvalidField, message).with_param("sec-websocket-protocol"));
        }
        Ok(Self::Token(token))
    }
}

/// Credentials as clients of other speech APIs send them.
impl<'a> Credentials<'a> {
    /// Reads a key or a token from a header (`Authorization: Bearer` or `Token`, or one of [`KEY_HEADERS`]), or a token
    /// from a part of the request that a browser can set: `?access_token=`, `?single_use_token=`, or the subprotocols
    /// `token, <token>`. A key in a URL is refused.
    pub fn of_other_clients(parts: &'a Parts) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        if decode_percent(query).contains(KEY_BEGINS) || names_key(query, &["access_token"]) {
            return Err(key_in_url());
        }
        let in_query = query.split('&').filter_map(|pair| {
            let value =
                ["access_token=", "single_use_token="].iter().find_map(|name| pair.strip_prefix(name));
            value.map(decode_percent)
        });
        let offered: Vec<&str> = protocols(&parts.headers).collect();
        let in_protocols = match offered.as_slice() {
            [OTHER_TOKEN_PROTOCOL, token] => Some(Cow::Borrowed(*token)),
            _ => None,
        };
        let mut tokens: Vec<Cow<'a, str>> = in_query.chain(in_protocols).collect();
        let keys = keys_in_headers(&parts.headers)?;
        if tokens.len() + keys.len() > 1 {
            let message = "more than one key or token was sent; send one of them in one place";
            return Err(ApiError::new(ErrorCode::InvalidApiKey, message));
        }
        match (tokens.pop(), keys.first()) {
            (Some(token), _) if SecretToken::is_meant(&token) => Ok(Self::Token(token)),
            (Some(_), _) => {
                let message = "this is not a single-use token; an API key is accepted only in a header";
                Err(ApiError::new(ErrorCode::InvalidToken, message))
            }
            (None, Some(&token)) if SecretToken::is_meant(token) => Ok(Self::Token(token.into())),
            (None, Some(&key)) => Ok(Self::Key(key)),
            (None, None) => {
                let message =
                    "no API key was sent; send it as 'Authorization: Bearer <API_KEY>' or 'X-API-Key'";
                Err(ApiError::new(ErrorCode::MissingApiKey, message))
            }
        }
    }
}

impl Credentials<'_> {
    /// Returns whether a request has no credentials that [`Credentials::of_other_clients`] could read.
    pub fn are_absent(parts: &Parts) -> bool {
        let found = Credentials::of_other_clients(parts);
        !parts.headers.contains_key(header::AUTHORIZATION)
            && found.is_err_and(|error| error.code == ErrorCode::MissingApiKey)
    }
}

/// Subprotocol that precedes a token in other speech APIs; the server selects it in its response.
pub const OTHER_TOKEN_PROTOCOL: &str = "token";

/// Returns the distinct keys and tokens in `Authorization` and [`KEY_HEADERS`].
fn keys_in_headers(headers: &HeaderMap) -> Result<Vec<&str>, ApiError> {
    let mut keys = Vec::new();
    for value in headers.get_all(header::AUTHORIZATION) {
        let value = value.to_str().unwrap_or_default().trim();
        let (scheme, key) = value.split_once([' ', '\t']).unwrap_or((value, ""));
        let is_known = ["bearer", "token"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        if !is_known || key.trim().is_empty() {
            let message = "the Authorization header must be 'Bearer <API_KEY>' or 'Token <API_KEY>'";
            return Err(ApiError::new(ErrorCode::MissingApiKey, message));
        }
        keys.push(key.trim());
    }
    for name in KEY_HEADERS {
        let values = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default().trim());
        keys.extend(values.filter(|key| !key.is_empty()));
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Returns whether a client offers [`OTHER_TOKEN_PROTOCOL`] first, as clients of other speech APIs do before a token.
pub fn offers_token_protocol(headers: &HeaderMap) -> bool {
    protocols(headers).next() == Some(OTHER_TOKEN_PROTOCOL)
}

fn refuse_key_in_url(uri: &Uri) -> Result<(), ApiError> {
    if uri.query().is_some_and(holds_key) { Err(key_in_url()) } else { Ok(()) }
}

fn key_in_url() -> ApiError {
    ApiError::new(
        ErrorCode::InvalidApiKey,
        "a key in a URL is not accepted, because URLs are logged; send it in the Authorization header",
    )
}

/// Returns the values of `token` in a query.
fn tokens_in_query(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let values = query.split('&').filter_map(|pair| pair.strip_prefix("token="));
    values.map(decode_percent)
}

/// Returns whether a client offers [`PROTOCOL`], the subprotocol of a conversation.
pub fn offers_protocol(headers: &HeaderMap) -> bool {
    protocols(headers).any(|offered| offered == PROTOCOL)
}

/// Returns the subprotocols that a client offers.
fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim)
}

/// Returns the API key or token in the header `Authorization: Bearer`.
pub fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let missing = |message| ApiError::new(ErrorCode::MissingApiKey, message);
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(missing("no API key was sent; send it as 'Authorization: Bearer <API_KEY>'"));
    };
    if values.next().is_some() {
        return Err(ApiError::new(ErrorCode::InvalidApiKey, "more than one Authorization header was sent"));
    }
    let value = value.to_str().unwrap_or_default().trim();
    let (scheme, key) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") || key.trim().is_empty() {
        return Err(missing("the Authorization header must be 'Bearer <API_KEY>'"));
    }
    Ok(key.trim())
}

/// Returns whether a query string contains something that looks like a key.
fn holds_key(query: &str) -> bool {
    decode_percent(query).contains(KEY_BEGINS) || names_key(query, &[])
}

/// Returns whether a query has a field whose name suggests a key. The names in `fine` are ignored.
fn names_key(query: &str, fine: &[&str]) -> bool {
    const NAMES: [&str; 6] = ["api_key", "api-key", "apikey", "key", "access_token", "authorization"];
    decode_percent(query).split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !fine.contains(&name) && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

fn decode_percent(query: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(query).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_is_case_insensitive() {
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

    fn parts(uri: &str, headers: &[(header::HeaderName, &str)]) -> Parts {
        let mut request = http::Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn finds_browser_tokens() {
        let token = format!("tok_{}", "a".repeat(40));
        let (query, protocol) = (format!("/s?a=1&token={token}"), format!("token.{token}"));
        let (offer, late_offer) = (format!("tts.v1, {protocol}"), format!("{protocol},tts.v1"));
        let bearer = format!("Bearer {token}");
        let (protocols, authorization) = (header::SEC_WEBSOCKET_PROTOCOL, header::AUTHORIZATION);
        for (uri, headers) in [
            (query.as_str(), vec![]),
            (query.as_str(), vec![(protocols.clone(), "tts.v1")]),
            ("/s", vec![(protocols.clone(), offer.as_str())]),
            ("/s", vec![(protocols.clone(), late_offer.as_str())]),
            ("/s", vec![(protocols.clone(), "tts.v1"), (protocols.clone(), protocol.as_str())]),
            ("/s", vec![(authorization.clone(), bearer.as_str())]),
        ] {
            let parts = parts(uri, &headers);
            let presented = Credentials::to_stream(&parts);
            assert_eq!(presented, Ok(Credentials::Token(token.as_str().into())), "{uri} {headers:?}");
        }
        for (uri, headers, code) in [
            ("/s", vec![], ErrorCode::MissingApiKey),
            ("/s?token=x&token=y", vec![], ErrorCode::InvalidToken),
            (query.as_str(), vec![(protocols.clone(), offer.as_str())], ErrorCode::InvalidToken),
            (query.as_str(), vec![(authorization.clone(), "Bearer k")], ErrorCode::InvalidToken),
            (query.as_str(), vec![(protocols.clone(), "chat")], ErrorCode::InvalidField),
            ("/s", vec![(protocols.clone(), protocol.as_str())], ErrorCode::InvalidField),
            ("/s?token=sk_abc", vec![], ErrorCode::InvalidApiKey),
            ("/s?token=%73k_abc", vec![(protocols.clone(), offer.as_str())], ErrorCode::InvalidApiKey),
        ] {
            let parts = parts(uri, &headers);
            assert_eq!(Credentials::to_stream(&parts).unwrap_err().code, code, "{uri} {headers:?}");
        }
        let parts = parts(&query, &[]);
        let error = Credentials::in_header(&parts).unwrap_err();
        assert_eq!(error.code, ErrorCode::MissingApiKey, "URLs of clips accept no tokens");
    }

    #[test]
    fn accepts_headers_of_other_clients() {
        type Case<'a> = (&'a str, Vec<(&'a str, &'a str)>, Result<Credentials<'a>, ErrorCode>);
        let token = format!("tok_{}", "a".repeat(40));
        let name = |name: &'static str| header::HeaderName::from_static(name);
        let key = |key: &'static str| Ok(Credentials::Key(key));
        let tok = || Ok(Credentials::Token(token.as_str().into()));
        let refused = |code: ErrorCode| Err(code);
        let (bearer, in_protocols) = (format!("Bearer {token}"), format!("token, {token}"));
        let (access, single) =
            (format!("/s?access_token={token}"), format!("/s?a=b&single_use_token={token}"));
        let cases: Vec<Case<'_>> = vec![
            ("/s", vec![("authorization", "Bearer sk_a")], key("sk_a")),
            ("/s", vec![("authorization", "token  sk_a ")], key("sk_a")),
            ("/s", vec![("authorization", "TOKEN sk_a")], key("sk_a")),
            ("/s", vec![("x-api-key", "sk_a")], key("sk_a")),
            ("/s", vec![("xi-api-key", "sk_a")], key("sk_a")),
            ("/s", vec![("api-subscription-key", "sk_a")], key("sk_a")),
            ("/s", vec![("x-vapi-secret", "sk_a")], key("sk_a")),
            ("/s", vec![("x-api-key", "sk_a"), ("authorization", "Bearer sk_a")], key("sk_a")),
            ("/s", vec![("authorization", bearer.as_str())], tok()),
            (&access, vec![], tok()),
            (&single, vec![], tok()),
            ("/s", vec![("sec-websocket-protocol", in_protocols.as_str())], tok()),
            ("/s", vec![], refused(ErrorCode::MissingApiKey)),
            ("/s", vec![("authorization", "Basic sk_a")], refused(ErrorCode::MissingApiKey)),
            ("/s", vec![("authorization", "Bearer ")], refused(ErrorCode::MissingApiKey)),
            ("/s", vec![("x-api-key", "sk_a"), ("xi-api-key", "sk_b")], refused(ErrorCode::InvalidApiKey)),
            (&access, vec![("x-api-key", "sk_a")], refused(ErrorCode::InvalidApiKey)),
            ("/s?access_token=sk_a", vec![], refused(ErrorCode::InvalidApiKey)),
            ("/s?api_key=anything", vec![], refused(ErrorCode::InvalidApiKey)),
            ("/s?access_token=%73k_a", vec![], refused(ErrorCode::InvalidApiKey)),
            ("/s?access_token=other", vec![], refused(ErrorCode::InvalidToken)),
            ("/s", vec![("sec-websocket-protocol", "token, sk_a")], refused(ErrorCode::InvalidToken)),
        ];
        for (uri, headers, expected) in cases {
            let headers: Vec<_> = headers.into_iter().map(|(key, value)| (name(owned(key)), value)).collect();
            let parts = parts(uri, &headers);
            let found = Credentials::of_other_clients(&parts).map_err(|error| error.code);
            assert_eq!(found, expected, "{uri} {headers:?}");
        }
    }

    fn owned(name: &str) -> &'static str {
        let known = ["authorization", "sec-websocket-protocol"].into_iter().chain(KEY_HEADERS);
        known.into_iter().find(|known| *known == name).unwrap()
    }

    #[test]
    fn finds_keys_in_the_query() {
        for query in ["api_key=x", "a=1&KEY=x", "x=sk_abc", "x=%73%6b%5Fabc", "access_token="] {
            assert!(holds_key(query), "{query}");
        }
        for query in ["", "a=1", "monkey=1", "%", "%zz", "task=1"] {
            assert!(!holds_key(query), "{query}");
        }
    }
}
