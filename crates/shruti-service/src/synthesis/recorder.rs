//! Recording of a clip for the cache while the clip is sent.

use std::sync::Arc;

use shruti_audio::Format;
use shruti_engine::WordMark;

use super::writer::ClipWriter;
use crate::clips::{ClipCache, ClipDigest, Facts, Recording};

/// Cache in which a clip is stored, with the name, metadata and format of the clip.
pub(super) struct CacheTarget {
    pub(super) cache: Arc<ClipCache>,
    pub(super) digest: ClipDigest,
    pub(super) facts: Facts,
    pub(super) format: Format,
}

/// Clip writer that delegates to another writer and adds the clip to the cache. A clip that is aborted, or that the
/// cache cannot store, is discarded.
pub(super) struct Recorder {
    writer: Box<dyn ClipWriter>,
    target: CacheTarget,
    state: Option<RecordingState>,
}

struct RecordingState {
    recording: Recording,
    header: Vec<u8>,
    /// Number of bytes after the header.
    bytes: u64,
    expected: Option<u64>,
}

impl Recorder {
    pub(super) fn new(writer: Box<dyn ClipWriter>, target: CacheTarget) -> Self {
        Self { writer, target, state: None }
    }

    fn append(&mut self, more: &[u8]) {
        let Some(state) = &mut self.state else { return };
        state.bytes += more.len() as u64;
        let is_whole = state.expected == Some(state.bytes);
        if !state.recording.append(more) {
            self.state = None;
        } else if is_whole {
            self.finish();
        }
    }

    /// Completes the recording.
    fn finish(&mut self) {
        let Some(RecordingState { recording, mut header, .. }) = self.state.take() else { return };
        let CacheTarget { facts, format, .. } = &self.target;
        if format.has_length() {
            // the stored header states the length, which may not have been known when the header was sent
            header = format.encoder().header(Some(facts.samples));
        }
        recording.finish(header, facts.clone());
    }
}

impl ClipWriter for Recorder {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let header = self.writer.begin(samples);
        let CacheTarget { cache, digest, .. } = &self.target;
        let recording = Recording::begin(Arc::clone(cache), *digest, header.len());
        let expected = samples.and_then(|samples| self.writer.bytes(samples));
        self.state = Some(RecordingState { recording, header: header.clone(), bytes: 0, expected });
        header
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let bytes = self.writer.piece(words, samples);
        self.target.facts.samples += samples.len() as u64;
        self.append(&bytes);
        bytes
    }

    fn end(&mut self) -> Vec<u8> {
        let bytes = self.writer.end();
        self.append(&bytes);
        self.finish();
        bytes
    }

    fn bytes(&self, samples: u64) -> Option<u64> {
        self.writer.bytes(samples)
    }
}
