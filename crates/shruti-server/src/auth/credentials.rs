//! Where a request carries what it signs in with.

use std::borrow::Cow;

use http::request::Parts;
use http::{HeaderMap, Uri, header};
use shruti_protocol::stream::PROTOCOL;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::SecretToken;

/// What stands before a token among the subprotocols of a WebSocket.
const TOKEN_PROTOCOL: &str = "token.";

/// What a request signs in with, as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Credentials<'a> {
    /// A key.
    Key(&'a str),
    /// A single-use token.
    Token(Cow<'a, str>),
}

impl<'a> Credentials<'a> {
    /// `Authorization: Bearer`, with a key or a token.
    pub(crate) fn in_header(parts: &'a Parts) -> Result<Self, ApiError> {
        refuse_key_in_url(&parts.uri)?;
        let presented = bearer(&parts.headers)?;
        let is_token = SecretToken::is_meant(presented);
        Ok(if is_token { Self::Token(presented.into()) } else { Self::Key(presented) })
    }

    /// As [`Credentials::in_header`], where a token will not do, for the reason that is told.
    pub(crate) fn key_in_header(parts: &'a Parts, no_token: &str) -> Result<Self, ApiError> {
        match Self::in_header(parts)? {
            Self::Token(_) => Err(ApiError::new(ErrorCode::InvalidApiKey, no_token)),
            key @ Self::Key(_) => Ok(key),
        }
    }

    /// As [`Credentials::in_header`], or with a token as `?token=` or among the subprotocols: a browser's `WebSocket`
    /// sends no headers of its own.
    pub(crate) fn to_stream(parts: &'a Parts) -> Result<Self, ApiError> {
        refuse_key_in_url(&parts.uri)?;
        let in_query = tokens_in_query(parts.uri.query().unwrap_or_default());
        let offered: Vec<&str> = protocols(&parts.headers).collect();
        let in_protocols = offered.iter().filter_map(|offer| offer.strip_prefix(TOKEN_PROTOCOL));
        let mut tokens = in_query.chain(in_protocols.clone().map(Cow::Borrowed));
        let Some(token) = tokens.next() else { return Self::in_header(parts) };
        if tokens.next().is_some() || parts.headers.contains_key(header::AUTHORIZATION) {
            let message = "more than one key or token was sent; send one token, in one place";
            return Err(ApiError::new(ErrorCode::InvalidToken, message));
        }
        // a browser drops a connection whose server takes none of the subprotocols it offered
        if !offered.is_empty() && !offered.contains(&PROTOCOL) {
            let message = format!("offer '{PROTOCOL}' among the subprotocols; the server answers with it");
            return Err(ApiError::new(ErrorCode::InvalidField, message).with_param("sec-websocket-protocol"));
        }
        Ok(Self::Token(token))
    }
}

fn refuse_key_in_url(uri: &Uri) -> Result<(), ApiError> {
    if uri.query().is_some_and(holds_key) {
        return Err(ApiError::new(
            ErrorCode::InvalidApiKey,
            "a key in a URL is not accepted, because URLs are logged; send it in the Authorization header",
        ));
    }
    Ok(())
}

/// The values of `token` in a query.
fn tokens_in_query(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let values = query.split('&').filter_map(|pair| pair.strip_prefix("token="));
    values.map(decode_percent)
}

/// Whether a client offers the subprotocol of a conversation.
pub(crate) fn offers_protocol(headers: &HeaderMap) -> bool {
    protocols(headers).any(|offered| offered == PROTOCOL)
}

/// The subprotocols that a client offers.
fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim)
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

fn decode_percent(query: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(query).decode_utf8_lossy()
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

    fn parts(uri: &str, headers: &[(header::HeaderName, &str)]) -> Parts {
        let mut request = http::Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_token_is_found_wherever_a_browser_can_put_it() {
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
        assert_eq!(error.code, ErrorCode::MissingApiKey, "a URL pays for no clip");
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
