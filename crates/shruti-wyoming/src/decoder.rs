//! Decoder that converts the bytes from a client to events.

use serde_json::{Map, Value};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{self, Fields, field_value, invalid_field, wrong_type};

/// Maximum length of the JSON line of an event, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 64 * 1024;
/// Maximum length of the additional JSON data after the line, in bytes.
pub(crate) const MAX_DATA_BYTES: usize = 64 * 1024;
/// Maximum length of a payload, in bytes. Payloads are read and discarded, because no event that requests speech has
/// one.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 64 * 1024;

/// Event from a client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// Type of the event, for example `synthesize`.
    pub(crate) kind: String,
    /// Data of the event.
    pub(crate) data: Fields,
}

/// First line of an event.
struct Header {
    event: Event,
    data_bytes: usize,
    payload_bytes: usize,
}

impl Header {
    /// Parses the first line of an event. Returns an error if the line announces data or a payload over the limit,
    /// before any of those bytes are read.
    fn parse(line: &[u8]) -> Result<Self, ApiError> {
        let mut line = fields::object(line.trim_ascii_end(), "the event")?;
        let kind = match line.remove("type") {
            Some(Value::String(kind)) => kind,
            Some(other) => return Err(wrong_type("type", "a string", &other)),
            None => return Err(invalid_field("type", "the event has no type".to_owned())),
        };
        let data_bytes = length(&line, "data_length", MAX_DATA_BYTES)?;
        let payload_bytes = length(&line, "payload_length", MAX_PAYLOAD_BYTES)?;
        let data = match line.remove("data") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(data)) => data,
            Some(other) => return Err(wrong_type("data", "an object", &other)),
        };
        Ok(Self { event: Event { kind, data }, data_bytes, payload_bytes })
    }
}

fn length(line: &Fields, name: &str, most: usize) -> Result<usize, ApiError> {
    let Some(value) = field_value(line, name) else { return Ok(0) };
    let bytes = value.as_u64().and_then(|bytes| usize::try_from(bytes).ok());
    bytes
        .filter(|&bytes| bytes <= most)
        .ok_or_else(|| invalid_field(name, format!("{name} must be a whole number from 0 to {most}")))
}

/// Decoder that splits bytes into events. It buffers at most one event.
#[derive(Default)]
pub(crate) struct Decoder {
    /// Received bytes that have not been decoded.
    bytes: Vec<u8>,
    /// Number of bytes of the current line that have been searched and contain no line end.
    searched: usize,
    /// First line of the current event, whose additional data is incomplete.
    header: Option<Header>,
    /// Number of bytes of a payload that remain to be discarded.
    unwanted: usize,
}

impl Decoder {
    /// Adds received bytes. The caller must have retrieved all complete events first.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let dropped = self.unwanted.min(bytes.len());
        self.unwanted -= dropped;
        self.bytes.extend_from_slice(&bytes[dropped..]);
    }

    /// Returns `true` if an event has begun and is not complete.
    pub(crate) fn is_inside(&self) -> bool {
        !self.bytes.is_empty() || self.header.is_some() || self.unwanted > 0
    }

    /// Returns the next complete event, or `None` if more bytes are needed. After an error, nothing more can be
    /// decoded, because the start of the next event is unknown.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, ApiError> {
        let header = match self.header.take() {
            Some(header) => header,
            None => match self.line()? {
                Some(line) => Header::parse(&line)?,
                None => return Ok(None),
            },
        };
        if self.bytes.len() < header.data_bytes {
            self.header = Some(header);
            return Ok(None);
        }
        let Header { mut event, data_bytes, payload_bytes } = header;
        if data_bytes > 0 {
            let data: Vec<u8> = self.bytes.drain(..data_bytes).collect();
            event.data.extend(fields::object(&data, "the data of the event")?);
        }
        let at_hand = payload_bytes.min(self.bytes.len());
        self.bytes.drain(..at_hand);
        self.unwanted = payload_bytes - at_hand;
        Ok(Some(event))
    }

    /// Returns the next line if it is complete.
    fn line(&mut self) -> Result<Option<Vec<u8>>, ApiError> {
        let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
        let length = end.map_or(self.bytes.len(), |end| self.searched + end);
        if length > MAX_LINE_BYTES {
            let message = format!("the line of an event has more than {MAX_LINE_BYTES} bytes");
            return Err(invalid_field("type", message));
        }
        if end.is_none() {
            self.searched = length;
            return Ok(None);
        }
        self.searched = 0;
        Ok(Some(self.bytes.drain(..=length).collect()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shruti_protocol::ErrorCode;

    use super::*;

    /// Decodes bytes that arrive in pieces of `size` bytes, until the first error.
    fn decode(bytes: &[u8], size: usize) -> (Vec<Event>, Option<ApiError>) {
        let (mut decoder, mut events) = (Decoder::default(), Vec::new());
        for piece in bytes.chunks(size) {
            decoder.push(piece);
            loop {
                match decoder.next() {
                    Ok(Some(event)) => events.push(event),
                    Ok(None) => break,
                    Err(error) => return (events, Some(error)),
                }
            }
            let most = MAX_LINE_BYTES.max(MAX_DATA_BYTES) + size;
            assert!(decoder.bytes.len() <= most, "{} bytes are buffered", decoder.bytes.len());
        }
        (events, None)
    }

    #[test]
    fn events_are_independent_of_chunks() {
        let text = "{\"text\": \"नमस्ते\", \"b\": 2}";
        let bytes = format!(
            "{{\"type\":\"describe\"}}\n{{\"type\":\"synthesize\",\"version\":\"1\",\"data\":{{\"a\":1,\"b\":1}},\
             \"data_length\":{}}}\n{text}{{\"type\":\"audio-chunk\",\"payload_length\":5}}\n\n\n\n{{}}\
             {{\"type\":\"ping\",\"data\":null,\"data_length\":null,\"payload_length\":0}}\r\n",
            text.len()
        );
        for size in [1, 2, 3, 7, 64, 10_000] {
            let (events, error) = decode(bytes.as_bytes(), size);
            assert_eq!(error, None, "in pieces of {size}");
            let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
            assert_eq!(kinds, ["describe", "synthesize", "audio-chunk", "ping"], "in pieces of {size}");
            assert_eq!(Value::from(events[1].data.clone()), json!({"a": 1, "b": 2, "text": "नमस्ते"}));
        }
    }

    #[test]
    fn invalid_input_is_rejected_before_it_is_buffered() {
        let long = "a".repeat(MAX_LINE_BYTES + 1);
        for (bytes, code) in [
            ("\n", ErrorCode::InvalidJson),
            ("nonsense\n", ErrorCode::InvalidJson),
            ("[]\n", ErrorCode::InvalidJson),
            ("{}\n", ErrorCode::InvalidField),
            ("{\"type\":7}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data\":[]}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data_length\":-1}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data_length\":1.5}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data_length\":\"1\"}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data_length\":65537}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"payload_length\":18446744073709551615}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"payload_length\":1e300}\n", ErrorCode::InvalidField),
            ("{\"type\":\"a\",\"data_length\":2}\n[]", ErrorCode::InvalidJson),
            (&long, ErrorCode::InvalidField),
            ("\u{0}\u{1}\n", ErrorCode::InvalidJson),
        ] {
            for size in [1, 4_096] {
                let (events, error) = decode(bytes.as_bytes(), size);
                assert_eq!((events.len(), error.map(|error| error.code)), (0, Some(code)), "{bytes:.40}");
            }
        }
        assert_eq!(decode(b"\xff\xfe\n", 1).1.unwrap().code, ErrorCode::InvalidJson);
    }

    #[test]
    fn random_bytes_are_handled() {
        let mut random = fastrand::Rng::with_seed(41);
        let pieces: [&[u8]; 8] = [
            b"{\"type\":\"a\",\"data_length\":3}\n",
            b"{\"type\":\"a\",\"payload_length\":300}\n",
            b"{}\n",
            b"\n",
            b"{\"a\":1}",
            b"\xf0\x28",
            b"{\"type\":",
            b"[[[[[[[[",
        ];
        for _ in 0..2_000 {
            let mut bytes = Vec::new();
            for _ in 0..random.usize(..12) {
                bytes.extend_from_slice(pieces[random.usize(..pieces.len())]);
            }
            let _ = decode(&bytes, random.usize(1..40));
        }
    }
}
