//! Clip in base64 in a JSON object, written while the clip is synthesised.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use shruti_audio::{Encoder, Format};
use shruti_engine::WordMark;
use shruti_service::http::RequestId;
use shruti_service::synthesis::ClipWriter;

/// [`ClipWriter`] that writes `{"request_id":"…","audios":["…"]}`.
pub(super) struct JsonWriter {
    id: RequestId,
    encoder: Box<dyn Encoder>,
    /// Bytes that do not yet fill a base64 group of three.
    rest: Vec<u8>,
}

impl JsonWriter {
    pub(super) fn new(format: Format, id: RequestId) -> Self {
        Self { id, encoder: format.encoder(), rest: Vec::new() }
    }

    fn whole_groups(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.rest.extend(bytes);
        let rest = self.rest.split_off(self.rest.len() / 3 * 3);
        let groups = std::mem::replace(&mut self.rest, rest);
        STANDARD.encode(groups).into_bytes()
    }
}

impl ClipWriter for JsonWriter {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let mut bytes = format!(r#"{{"request_id":"{}","audios":[""#, self.id).into_bytes();
        let header = self.encoder.header(samples);
        bytes.extend(self.whole_groups(header));
        bytes
    }

    fn piece(&mut self, _words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let sound = self.encoder.encode(samples);
        self.whole_groups(sound)
    }

    fn end(&mut self) -> Vec<u8> {
        let last = self.encoder.finish();
        self.rest.extend(last);
        let mut bytes = STANDARD.encode(std::mem::take(&mut self.rest)).into_bytes();
        bytes.extend(br#""]}"#);
        bytes
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}
