//! Framing of a sequence of JSON objects in a body: as lines (NDJSON) or as Server-Sent Events (WHATWG).

use http::{HeaderMap, HeaderValue};
use shruti_protocol::{ApiError, ErrorCode};

use super::accept;

/// Framing of JSON objects in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One object per line.
    Lines,
    /// One object per event.
    Events,
}

/// Media types of each framing, the default first. `application/json` is included because some programs that read lines
/// accept no other type.
const TYPES: [(Framing, &str); 4] = [
    (Framing::Lines, "application/x-ndjson"),
    (Framing::Lines, "application/ndjson"),
    (Framing::Lines, "application/json"),
    (Framing::Events, "text/event-stream"),
];

impl Framing {
    /// Returns the framing that the `Accept` headers prefer, or lines if there are no such headers. Returns an error if
    /// no framing is accepted.
    pub fn negotiate(headers: &HeaderMap) -> Result<Self, ApiError> {
        let preferred = accept::preferred(headers, TYPES.iter().map(|(_, media_type)| *media_type));
        let found =
            preferred.and_then(|preferred| TYPES.iter().find(|(_, media_type)| *media_type == preferred));
        found.map(|(framing, _)| *framing).ok_or_else(|| {
            let message =
                "none of the accepted types is supported; accept application/x-ndjson or text/event-stream";
            ApiError::new(ErrorCode::NotAcceptable, message)
        })
    }

    /// Returns the content type of a body.
    pub const fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Lines => "application/x-ndjson",
            Self::Events => "text/event-stream",
        })
    }

    /// Returns an object in this framing. `name` is the name of the event.
    pub fn write(self, name: &str, json: &str) -> Vec<u8> {
        match self {
            Self::Lines => line(json),
            Self::Events => event(Some(name), json),
        }
    }
}

/// Returns a line of NDJSON. Characters that some clients treat as a line break, although JSON does not, are escaped.
pub fn line(json: &str) -> Vec<u8> {
    let mut line =
        json.replace('\u{85}', "\\u0085").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    line.push('\n');
    line.into_bytes()
}

/// Returns an event whose data is JSON on one line.
pub fn event(name: Option<&str>, json: &str) -> Vec<u8> {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {json}\n\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    #[test]
    fn uses_lines_unless_events_are_preferred() {
        use Framing::{Events, Lines};
        for (accept, expected) in [
            ("", Some(Lines)),
            ("*/*", Some(Lines)),
            ("application/json", Some(Lines)),
            ("application/*", Some(Lines)),
            ("Application/X-NDJSON", Some(Lines)),
            ("text/event-stream", Some(Events)),
            ("text/*", Some(Events)),
            ("text/event-stream, */*;q=0.1", Some(Events)),
            ("text/event-stream, application/json", Some(Lines)),
            ("text/event-stream, application/json;q=0.9", Some(Events)),
            ("application/x-ndjson;q=0, application/ndjson;q=0, application/json;q=0, */*", Some(Events)),
            ("audio/wav", None),
            ("text/html", None),
            ("*/*;q=0", None),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(Framing::negotiate(&headers).ok(), expected, "{accept}");
        }
        assert_eq!(Framing::negotiate(&HeaderMap::new()), Ok(Lines));
    }

    #[test]
    fn objects_do_not_contain_their_delimiter() {
        assert_eq!(
            Framing::Lines.write("done", "{\"a\":\"\u{2028}\u{85}\"}"),
            b"{\"a\":\"\\u2028\\u0085\"}\n"
        );
        assert_eq!(Framing::Events.write("done", "{}"), b"event: done\ndata: {}\n\n");
        assert_eq!(event(None, "{}"), b"data: {}\n\n");
    }
}
