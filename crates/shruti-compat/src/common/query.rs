//! Query parameters of a request.

use axum::extract::Query as Pairs;
use http::Uri;
use shruti_lang::{Clarity, VoiceEngine};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{invalid_field, named_clarity, named_engine};

/// Parsed query. If a parameter is repeated, its first non-empty value applies.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(uri: &Uri) -> Self {
        // parsing into pairs of strings cannot fail: invalid UTF-8 is replaced
        Self(Pairs::try_from_uri(uri).map(|Pairs(pairs)| pairs).unwrap_or_default())
    }

    /// Returns a parameter, if it is present and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut named = self.0.iter().filter(|(known, value)| known == name && !value.is_empty());
        named.next().map(|(_, value)| value.as_str())
    }

    /// Returns the `clarity` parameter, if present.
    pub(crate) fn clarity(&self) -> Result<Option<Clarity>, ApiError> {
        self.get("clarity").map(named_clarity).transpose()
    }

    /// Returns the `engine` parameter, if present. It applies to the built-in voices.
    pub(crate) fn engine(&self) -> Result<Option<VoiceEngine>, ApiError> {
        self.get("engine").map(named_engine).transpose()
    }

    /// Returns a boolean parameter (`true`, `false`, `1` or `0`, in upper or lower case); `false` if it is absent.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.get(name).map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(invalid_field(name, format!("{name} must be true or false"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::of(&format!("/s?{text}").parse().unwrap())
    }

    #[test]
    fn the_first_non_empty_value_is_used() {
        let query = query("a=&voice=Ananya%20x&voice=Arjun&a=1+2&b&c=%FF");
        assert_eq!((query.get("voice"), query.get("a")), (Some("Ananya x"), Some("1 2")));
        assert_eq!((query.get("b"), query.get("c"), query.get("d")), (None, Some("\u{FFFD}"), None));
    }

    #[test]
    fn flags_clarity_and_engine_are_parsed_or_rejected() {
        for (text, flag) in [("", false), ("f=", false), ("f=True", true), ("f=1", true), ("f=FALSE", false)]
        {
            assert_eq!(query(text).flag("f"), Ok(flag), "{text}");
        }
        assert_eq!(query("clarity=room").clarity(), Ok(Some(Clarity::Room)));
        assert_eq!(query("clarity=").clarity(), Ok(None));
        let error = query("clarity=loud").clarity().unwrap_err();
        assert_eq!(error.message, r#"clarity must be "off", "phone" or "room", not "loud""#);
        assert_eq!(query("engine=rules").engine(), Ok(Some(VoiceEngine::Rules)));
        assert_eq!(query("engine=").engine(), Ok(None));
        let error = query("engine=rule").engine().unwrap_err();
        assert_eq!(error.param.as_deref(), Some("engine"));
        assert_eq!(query("f=yes").flag("f").unwrap_err().param.as_deref(), Some("f"));
    }
}
