//! Clip as a stream of server-sent events (WHATWG).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use shruti_audio::{Encoder, Format};
use shruti_engine::WordMark;
use shruti_service::synthesis::{self, ClipWriter};

/// [`ClipWriter`] that serialises a clip as server-sent events.
pub(super) struct EventWriter {
    encoder: Box<dyn Encoder>,
    /// Number of characters of the text. It is reported as the number of tokens.
    chars: usize,
}

impl EventWriter {
    pub(super) fn new(format: Format, chars: usize) -> Self {
        Self { encoder: format.encoder(), chars }
    }
}

impl ClipWriter for EventWriter {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        delta(&self.encoder.header(samples))
    }

    fn piece(&mut self, _words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        delta(&self.encoder.encode(samples))
    }

    fn end(&mut self) -> Vec<u8> {
        let mut bytes = delta(&self.encoder.finish());
        let usage = json!({"input_tokens": self.chars, "output_tokens": 0, "total_tokens": self.chars});
        bytes.extend(written(&json!({"type": "speech.audio.done", "usage": usage})));
        bytes
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

/// Returns the event with a piece of audio, or no bytes if the piece is empty.
fn delta(sound: &[u8]) -> Vec<u8> {
    if sound.is_empty() {
        return Vec::new();
    }
    written(&json!({"type": "speech.audio.delta", "audio": STANDARD.encode(sound)}))
}

fn written(event: &Value) -> Vec<u8> {
    synthesis::event(None, &event.to_string())
}
