//! Clip as a stream of server-sent events (WHATWG).

use shruti_audio::{Encoder, Format};
use shruti_engine::WordMark;
use shruti_service::synthesis::{self, ClipWriter};

use super::events::{Event, Steps};

/// [`ClipWriter`] that serialises a clip as server-sent events.
pub(super) struct EventWriter {
    context_id: Option<String>,
    encoder: Box<dyn Encoder>,
    steps: Steps,
}

impl EventWriter {
    pub(super) fn new(context_id: Option<String>, format: Format) -> Self {
        Self { context_id, encoder: format.encoder(), steps: Steps::begin() }
    }

    fn chunk(&mut self, sound: &[u8]) -> Vec<u8> {
        if sound.is_empty() {
            return Vec::new();
        }
        written(&Event::chunk(self.context_id.as_deref(), sound, &mut self.steps))
    }
}

impl ClipWriter for EventWriter {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let header = self.encoder.header(samples);
        self.chunk(&header)
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        if !words.is_empty() {
            bytes = written(&Event::timestamps(self.context_id.as_deref(), words));
        }
        let sound = self.encoder.encode(samples);
        bytes.extend(self.chunk(&sound));
        bytes
    }

    fn end(&mut self) -> Vec<u8> {
        let rest = self.encoder.finish();
        let mut bytes = self.chunk(&rest);
        bytes.extend(written(&Event::done(self.context_id.as_deref())));
        bytes
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

fn written(event: &Event<'_>) -> Vec<u8> {
    synthesis::event(Some(event.name()), &event.json())
}
