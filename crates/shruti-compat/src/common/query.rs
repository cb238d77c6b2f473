//! The query of a request.

use axum::extract::Query as Pairs;
use http::Uri;
use shruti_lang::{Clarity, VoiceEngine};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{invalid_field, named_clarity, named_engine};

/// The fields of a query; of one that is given twice the first counts.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(uri: &Uri) -> Self {
        // pairs of texts can be read from any query: what is no UTF-8 is replaced
        Self(Pairs::try_from_uri(uri).map(|Pairs(pairs)| pairs).unwrap_or_default())
    }

    /// A field that is given and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut named = self.0.iter().filter(|(known, value)| known == name && !value.is_empty());
        named.next().map(|(_, value)| value.as_str())
    }

    /// For whom the sound is to be shaped, where the query says so.
    pub(crate) fn clarity(&self) -> Result<Option<Clarity>, ApiError> {
        self.get("clarity").map(named_clarity).transpose()
    }

    /// Which synthesis is to speak for the built-in voices, where the query says so.
    pub(crate) fn engine(&self) -> Result<Option<VoiceEngine>, ApiError> {
        self.get("engine").map(named_engine).transpose()
    }

    /// A field that is `true` or `false`, in any case; false if it is not given.
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
    fn the_first_value_that_is_not_empty_counts() {
        let query = query("a=&voice=Ananya%20x&voice=Arjun&a=1+2&b&c=%FF");
        assert_eq!((query.get("voice"), query.get("a")), (Some("Ananya x"), Some("1 2")));
        assert_eq!((query.get("b"), query.get("c"), query.get("d")), (None, Some("\u{FFFD}"), None));
    }

    #[test]
    fn flags_clarity_and_engine_are_read_or_refused() {
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
