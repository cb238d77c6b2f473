//! Keeps a clip for the cache while it is sent.

use std::sync::Arc;

use shruti_audio::Format;
use shruti_engine::WordMark;

use super::body::ClipWriter;
use crate::clips::{ClipCache, ClipDigest, Facts, Held};

/// Where a clip is kept, and under which name.
pub(super) struct Keeping {
    pub(super) cache: Arc<ClipCache>,
    pub(super) digest: ClipDigest,
    pub(super) facts: Facts,
    pub(super) format: Format,
}

/// Writes a clip as another writer does, and adds it to the cache once it is whole. A clip that breaks off is dropped, and
/// so is one for which there is no memory.
pub(super) struct Recorder {
    writer: Box<dyn ClipWriter>,
    kept: Option<Kept>,
}

struct Kept {
    to: Keeping,
    memory: Held,
    header: Vec<u8>,
    bytes: Vec<u8>,
    /// How many bytes there will be, where that is known.
    expected: Option<u64>,
}

impl Recorder {
    pub(super) fn new(writer: Box<dyn ClipWriter>, to: Keeping) -> Self {
        let memory = Held::nothing(Arc::clone(&to.cache));
        Self {
            writer,
            kept: Some(Kept { to, memory, header: Vec::new(), bytes: Vec::new(), expected: None }),
        }
    }

    fn keep(&mut self, more: &[u8]) {
        let Some(kept) = &mut self.kept else { return };
        let is_small = (kept.bytes.len() + more.len()) as u64 <= kept.to.cache.limits().clip_bytes();
        if !is_small || !kept.memory.grow(more.len() as u64) {
            self.kept = None;
            return;
        }
        kept.bytes.extend_from_slice(more);
        if kept.expected == Some(kept.bytes.len() as u64) {
            self.finish();
        }
    }

    /// The clip is whole.
    fn finish(&mut self) {
        let Some(kept) = self.kept.take() else { return };
        let _writing = tokio::task::spawn_blocking(move || {
            let Kept { to, memory, mut header, bytes, .. } = kept;
            if to.format.has_length() {
                // the length may not have been known when the header was sent
                header = to.format.encoder().header(Some(to.facts.samples));
            }
            to.cache.add(&to.digest, &to.facts, &[&header, &bytes]);
            drop(memory);
        });
    }
}

impl ClipWriter for Recorder {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let header = self.writer.begin(samples);
        if let Some(kept) = &mut self.kept {
            kept.header.clone_from(&header);
            kept.expected = samples.and_then(|samples| self.writer.bytes(samples));
        }
        header
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let bytes = self.writer.piece(words, samples);
        if let Some(kept) = &mut self.kept {
            kept.to.facts.samples += samples.len() as u64;
        }
        self.keep(&bytes);
        bytes
    }

    fn end(&mut self) -> Vec<u8> {
        let bytes = self.writer.end();
        self.keep(&bytes);
        self.finish();
        bytes
    }

    fn bytes(&self, samples: u64) -> Option<u64> {
        self.writer.bytes(samples)
    }
}
