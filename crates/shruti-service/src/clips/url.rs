//! Signed URLs of clips: `/v1/clips/{voice}/{language}?text=…&expires=…&key=…&sig=…`.
//!
//! The signature is the HMAC-SHA256 (RFC 2104) of the canonical form of a URL, in base64url without padding. The
//! canonical form has three lines:
//!
//! ```text
//! shruti clip url v1
//! /v1/clips/Ananya/hi
//! expires=1795600800&format=mp3&key=sk_a1B2c3D4&text=%E0%A4%A8
//! ```
//!
//! The second line is the path starting at `/v1/clips/`, without a prefix that a proxy adds. The third line contains
//! every parameter except `sig`, sorted by name. Each part is percent-decoded and encoded again: all bytes except
//! letters, digits and `-._~` as `%XX` with upper-case digits. An intermediary may therefore re-encode a URL without
//! invalidating its signature, but a URL with a different meaning has a different signature.
//!
//! The key of the HMAC is derived from the SHA-256 of an API key (`shruti_store::SecretHash::derive`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use shruti_protocol::fields::{invalid_field, quoted};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyPrefix, SecretHash, SecretKey};

/// First line of the canonical form, and purpose of the derived secret.
pub const PURPOSE: &str = "shruti clip url v1";
/// Maximum length of a signed-URL clip's text, in characters. A URL has at most 16 KiB, and some clients and proxies
/// allow less.
pub const MAX_CHARS: usize = 1_000;
/// Maximum validity of a URL, in seconds: 366 days.
pub const MAX_LIFE_S: i64 = 366 * 24 * 3_600;
/// Names of the parameters, the required ones first.
pub const PARAMETERS: [&str; 9] =
    ["text", "expires", "key", "sig", "format", "speed", "pitch", "clarity", "engine"];

const ROOT: &str = "/v1/clips/";
/// Characters that are percent-encoded: all except the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Secret that is derived from one API key and used only to sign URLs.
pub struct SigningSecret([u8; 32]);

impl SigningSecret {
    /// Derives the secret of a key from its hash.
    pub fn of(key: &SecretHash) -> Self {
        Self(key.derive(PURPOSE))
    }

    fn mac(&self) -> Hmac<Sha256> {
        // HMAC-SHA256 pads a shorter key with zeros to its block size of 64 bytes
        let mut key = [0; 64];
        key[..32].copy_from_slice(&self.0);
        Hmac::new((&key).into())
    }
}

/// A decoded clip URL without its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipUrl {
    /// Voice, as written in the path.
    pub voice: String,
    /// Language, as written in the path.
    pub language: String,
    /// All parameters except `sig`.
    pub parameters: BTreeMap<String, String>,
}

/// A clip URL with its signature, not yet verified.
pub struct SignedUrl {
    /// URL without the signature.
    pub url: ClipUrl,
    signature: Vec<u8>,
}

impl ClipUrl {
    fn path_and_query(&self) -> (String, String) {
        let path = format!("{ROOT}{}/{}", encode(&self.voice), encode(&self.language));
        let mut query = String::new();
        for (name, value) in &self.parameters {
            let between = if query.is_empty() { "" } else { "&" };
            // writing to a string cannot fail
            let _ = write!(query, "{between}{}={}", encode(name), encode(value));
        }
        (path, query)
    }

    /// Returns the canonical form, which is signed.
    pub fn canonical(&self) -> String {
        let (path, query) = self.path_and_query();
        format!("{PURPOSE}\n{path}\n{query}")
    }

    /// Returns the signed URL, starting at its path.
    pub fn sign(&self, secret: &SigningSecret) -> String {
        let signature = secret.mac().chain_update(self.canonical()).finalize().into_bytes();
        let (path, query) = self.path_and_query();
        format!("{path}?{query}&sig={}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Returns the value of the given parameter, if present.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }
}

impl SignedUrl {
    /// Parses the path and the query of a request. Returns an error if the path or the query is malformed. The
    /// signature and the values of the signed parameters are not checked here.
    pub fn parse(path: &str, query: &str) -> Result<Self, ApiError> {
        let not_a_clip =
            || ApiError::new(ErrorCode::NotFound, "the path of a clip must be /v1/clips/VOICE/LANGUAGE");
        let (voice, language) =
            path.strip_prefix(ROOT).and_then(|rest| rest.split_once('/')).ok_or_else(not_a_clip)?;
        if voice.is_empty() || language.is_empty() || language.contains('/') {
            return Err(not_a_clip());
        }
        let mut parameters = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name, true, "a parameter's name")?;
            if !PARAMETERS.contains(&&*name) {
                let known = PARAMETERS.join(", ");
                let message =
                    format!("unknown parameter '{}' of a clip; expected one of {known}", quoted(&name));
                return Err(invalid_field(quoted(&name), message));
            }
            let value = decode(value, true, &name)?.into_owned();
            if parameters.insert(name.clone().into_owned(), value).is_some() {
                return Err(invalid_field(&*name, format!("{name} is given more than once; send it once")));
            }
        }
        for name in &PARAMETERS[..4] {
            if !parameters.contains_key(*name) {
                let message =
                    format!("{name} is missing; the URL of a clip needs text, expires, key and sig");
                return Err(ApiError::new(ErrorCode::MissingField, message).with_param(*name));
            }
        }
        let voice = decode(voice, false, "voice")?.into_owned();
        let language = decode(language, false, "language")?.into_owned();
        let signature = parameters.remove("sig").unwrap_or_default();
        // a signature that is not valid base64 matches no secret
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        Ok(Self { url: ClipUrl { voice, language, parameters }, signature })
    }

    /// Returns the prefix of the API key that the URL names. A complete API key is refused, because a URL must not
    /// contain a secret.
    pub fn key(&self) -> Result<KeyPrefix, ApiError> {
        let value = self.url.parameter("key").unwrap_or_default();
        if SecretKey::parse(value).is_some() {
            let message = "a URL must not contain an API key; `key` is only its first 11 characters. Revoke this key, \
                           because URLs are logged";
            return Err(ApiError::new(ErrorCode::InvalidApiKey, message).with_param("key"));
        }
        KeyPrefix::parse(value).ok_or_else(|| {
            let message = "key must be the first 11 characters of an API key, such as sk_a1B2c3D4";
            invalid_field("key", message.to_owned())
        })
    }

    /// Returns the expiry of the URL, in seconds since 1970.
    pub fn expires_s(&self) -> Result<i64, ApiError> {
        let value = self.url.parameter("expires").unwrap_or_default();
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        value.parse().ok().filter(|_| is_number).ok_or_else(|| {
            let message = "expires must be a time in whole seconds since 1970, such as 1795600800";
            invalid_field("expires", message.to_owned())
        })
    }

    /// Returns whether the signature was made with `secret`. The comparison takes constant time.
    pub fn is_signed_with(&self, secret: &SigningSecret) -> bool {
        secret.mac().chain_update(self.url.canonical()).verify_slice(&self.signature).is_ok()
    }
}

/// Encodes all bytes except letters, digits and `-._~`.
fn encode(text: &str) -> impl std::fmt::Display + '_ {
    utf8_percent_encode(text, RESERVED)
}

/// Decodes `%XX` and, in a query, `+` as a space (HTML form encoding). `what` names the text in the error message.
fn decode<'a>(text: &'a str, in_query: bool, what: &str) -> Result<Cow<'a, str>, ApiError> {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    let is_whole = (0..bytes.len())
        .filter(|&at| bytes[at] == b'%')
        .all(|at| is_hex(bytes.get(at + 1)) && is_hex(bytes.get(at + 2)));
    let plain: Cow<'a, str> =
        if in_query && text.contains('+') { text.replace('+', " ").into() } else { text.into() };
    let decoded = is_whole.then(|| match plain {
        Cow::Borrowed(text) => percent_encoding::percent_decode_str(text).decode_utf8().ok(),
        Cow::Owned(text) => {
            let decoded = percent_encoding::percent_decode_str(&text).decode_utf8().ok();
            decoded.map(|decoded| decoded.into_owned().into())
        }
    });
    decoded.flatten().ok_or_else(|| {
        let message =
            format!("{} is not percent-encoded UTF-8; encode it as encodeURIComponent does", quoted(what));
        invalid_field(quoted(what), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";

    fn secret(key: &str) -> SigningSecret {
        SigningSecret::of(&SecretKey::parse(key).unwrap().hash())
    }

    fn url() -> ClipUrl {
        let parameters = [("text", "नमस्ते a+b & c/d"), ("expires", "1795600800"), ("key", &KEY[..11])];
        ClipUrl {
            voice: "Ananya".to_owned(),
            language: "hi".to_owned(),
            parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        }
    }

    fn parse(target: &str) -> Result<SignedUrl, ApiError> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        SignedUrl::parse(path, query)
    }

    #[test]
    fn signed_url_round_trips_for_its_key_only() {
        let signed = url().sign(&secret(KEY));
        let read = parse(&signed).unwrap();
        assert_eq!(read.url, url());
        assert_eq!((read.key().unwrap().as_str(), read.expires_s().unwrap()), (&KEY[..11], 1_795_600_800));
        assert!(read.is_signed_with(&secret(KEY)));
        // another key with the same prefix
        let other = KEY.replace("s9T0", "s9T1");
        assert!(!read.is_signed_with(&secret(&other)));
    }

    #[test]
    fn accepts_equivalent_url_encodings() {
        let signed = url().sign(&secret(KEY));
        let (path, query) = signed.split_once('?').unwrap();
        let mut pairs: Vec<&str> = query.split('&').collect();
        pairs.reverse();
        let others = [
            format!("{path}?{}", pairs.join("&")),
            signed.replace("%20", "+"),
            signed.replace("%E0", "%e0"),
            signed.replace("/hi?", "/%68%69?"),
            format!("{signed}&"),
        ];
        for other in others {
            assert!(parse(&other).unwrap().is_signed_with(&secret(KEY)), "{other}");
        }
    }

    #[test]
    fn rejects_any_change() {
        let signed = url().sign(&secret(KEY));
        let signature = signed.split_once("&sig=").unwrap().1;
        let changed = [
            signed.replace("/Ananya/", "/Arjun/"),
            signed.replace("/hi?", "/mr?"),
            signed.replace("%20%26", "%26"),
            signed.replace("1795600800", "1795600801"),
            signed.replace("a%2Bb", "a+b"),
            signed.replace("sk_a1B2c3D4", "sk_a1B2c3D5"),
            format!("{signed}&format=wav"),
            // the boundary between two parts must be unambiguous
            signed.replace("/Ananya/hi", "/Ananya%2Fhi/hi"),
            signed.replace("expires=1795600800&", "").replace("&text=", "&expires=1795600800%26text="),
            signed.replace(signature, &signature[1..]),
            signed.replace(signature, ""),
            signed.replace(signature, &format!("{signature}AAAA")),
            signed.replace(signature, &"A".repeat(43)),
        ];
        for changed in changed {
            assert_ne!(changed, signed);
            let fits = parse(&changed).is_ok_and(|read| read.is_signed_with(&secret(KEY)));
            assert!(!fits, "{changed}");
        }
    }

    #[test]
    fn rejects_invalid_clip_urls() {
        let signed = url().sign(&secret(KEY));
        let query = signed.split_once('?').unwrap().1;
        for (target, code, param) in [
            (format!("/v1/clips/Ananya?{query}"), ErrorCode::NotFound, None),
            (format!("/v1/clips//hi?{query}"), ErrorCode::NotFound, None),
            (format!("/v1/clips/Ananya/hi/x?{query}"), ErrorCode::NotFound, None),
            (format!("{signed}&text=b"), ErrorCode::InvalidField, Some("text")),
            (format!("{signed}&t%65xt=b"), ErrorCode::InvalidField, Some("text")),
            (format!("{signed}&sig=b"), ErrorCode::InvalidField, Some("sig")),
            (format!("{signed}&callback=b"), ErrorCode::InvalidField, Some("callback")),
            (format!("{signed}&format=%f"), ErrorCode::InvalidField, Some("format")),
            (format!("{signed}&format=%ff"), ErrorCode::InvalidField, Some("format")),
            (format!("/v1/clips/%C3/hi?{query}"), ErrorCode::InvalidField, Some("voice")),
            (signed.replace("text=", "speed="), ErrorCode::MissingField, Some("text")),
            (signed.split_once("&sig").unwrap().0.to_owned(), ErrorCode::MissingField, Some("sig")),
        ] {
            let error = parse(&target).err().unwrap();
            assert_eq!((error.code, error.param.as_deref()), (code, param), "{target}");
        }
    }

    #[test]
    fn keys_and_times_are_canonical() {
        for (key, code) in [
            (KEY, ErrorCode::InvalidApiKey),
            ("sk_a1B2c3D", ErrorCode::InvalidField),
            ("", ErrorCode::InvalidField),
        ] {
            let mut url = url();
            url.parameters.insert("key".to_owned(), key.to_owned());
            let error = parse(&url.sign(&secret(KEY))).unwrap().key().unwrap_err();
            assert_eq!(error.code, code, "{key}");
            assert!(!error.message.contains(KEY), "the key is not repeated");
        }
        for expires in ["", "-1", "+1", "1.5", "1e9", "99999999999999999999", " 1"] {
            let mut url = url();
            url.parameters.insert("expires".to_owned(), expires.to_owned());
            let error = parse(&url.sign(&secret(KEY))).unwrap().expires_s().unwrap_err();
            assert_eq!(error.param.as_deref(), Some("expires"), "{expires}");
        }
    }

    /// Signs the URLs of the test vectors that the SDKs share, and compares the results byte by byte.
    #[test]
    fn conformance_vectors_match() {
        let vectors: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(include_str!("../../../../sdk/conformance/clip_urls.json")).unwrap();
        assert!(vectors.len() > 5);
        for vector in vectors {
            let text = |name: &str| vector[name].as_str().unwrap();
            let number = |name: &str| vector.get(name).and_then(serde_json::Value::as_f64);
            let key = SecretKey::parse(text("key")).unwrap();
            let secret = SigningSecret::of(&key.hash());
            let others = ["clarity", "engine"].into_iter().map(|name| (name, vector.get(name)));
            let others = others.chain([("format", vector.get("output_format"))]);
            let others = others.filter_map(|(name, value)| Some((name, value?.as_str()?.to_owned())));
            let numbers = ["speed", "pitch"].into_iter();
            let numbers = numbers.filter_map(|name| Some((name, number(name)?.to_string())));
            let always = [
                ("text", text("text").to_owned()),
                ("expires", vector["expires"].to_string()),
                ("key", key.prefix().to_string()),
            ];
            let all = always.into_iter().chain(others).chain(numbers);
            let url = ClipUrl {
                voice: text("voice").to_owned(),
                language: text("language").to_owned(),
                parameters: all.map(|(name, value)| (name.to_owned(), value)).collect(),
            };
            let signed = format!("{}{}", text("base_url"), url.sign(&secret));
            assert_eq!(signed, text("url"), "{}", text("name"));
            let read = parse(signed.strip_prefix(text("base_url")).unwrap()).unwrap();
            assert!(read.url == url && read.is_signed_with(&secret), "{}", text("name"));
        }
    }
}
