//! From the bytes of a client to events.

use serde_json::{Map, Value};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{self, Fields, field_value, invalid_field, wrong_type};

/// The longest line of JSON, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 64 * 1024;
/// The longest JSON that follows a line, in bytes.
pub(crate) const MAX_DATA_BYTES: usize = 64 * 1024;
/// The longest payload, in bytes. Payloads are read and dropped: no event that asks for speech has one.
pub(crate) const MAX_PAYLOAD_BYTES: usize = 64 * 1024;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// Its type, such as `synthesize`.
    pub(crate) kind: String,
    /// What it says.
    pub(crate) data: Fields,
}

/// The line that begins an event.
struct Header {
    event: Event,
    data_bytes: usize,
    payload_bytes: usize,
}

impl Header {
    /// Reads a line; the lengths that it announces are checked before anything behind it is read.
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

/// Cuts bytes into events, holding no more than one event at a time.
#[derive(Default)]
pub(crate) struct Decoder {
    /// What was received and not used yet.
    bytes: Vec<u8>,
    /// Bytes of the line that hold no end of it.
    searched: usize,
    /// The event whose data has yet to come.
    header: Option<Header>,
    /// Bytes of a payload that have yet to come.
    unwanted: usize,
}

impl Decoder {
    /// Takes bytes. All events that were complete before are to be taken first.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let dropped = self.unwanted.min(bytes.len());
        self.unwanted -= dropped;
        self.bytes.extend_from_slice(&bytes[dropped..]);
    }

    /// Whether an event has begun and is not complete.
    pub(crate) fn is_inside(&self) -> bool {
        !self.bytes.is_empty() || self.header.is_some() || self.unwanted > 0
    }

    /// The next event that is complete. Behind an error nothing can be read: it is not known where the next event
    /// begins.
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

    /// The next line, if it is complete.
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

    /// Decodes bytes that come in pieces of this size; the error ends it.
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
            assert!(decoder.bytes.len() <= most, "{} bytes are held", decoder.bytes.len());
        }
        (events, None)
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
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
    fn what_cannot_be_read_is_an_error_before_it_is_held() {
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
    fn random_bytes_break_nothing() {
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
