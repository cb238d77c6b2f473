//! A stream that is written to the cache.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use shruti_engine::{Chunk, Fault, PushError, Speech, SpeechSource, StreamItem};
use shruti_lang::Language;

use super::chunks;
use crate::clips::{ClipCache, ClipDigest, Facts, Recording, TurnReservation};
use crate::synthesis::identity::LEARNED;

/// Maximum size of a turn in the cache, in bytes: about 40 s of audio. The size is limited because a file is read
/// completely, to verify it, before its first byte is used.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Stream that delegates to another stream and writes its chunks to the cache. The turn is in the cache once it has
/// ended. If it is cancelled, fails or becomes too long, the recording is discarded.
pub(super) struct RecordedSpeech {
    state: Mutex<State>,
}

struct State {
    speech: Speech,
    /// `None` after the end of the turn, or after the recording was discarded.
    recording: Option<TurnRecording>,
}

struct TurnRecording {
    recording: Recording,
    samples: u64,
    bytes: usize,
    _reservation: TurnReservation,
}

impl RecordedSpeech {
    pub(super) fn new(
        speech: Speech,
        cache: Arc<ClipCache>,
        digest: ClipDigest,
        reservation: TurnReservation,
    ) -> Self {
        let recording = Recording::begin(cache, digest, 0);
        let recording = TurnRecording { recording, samples: 0, bytes: 0, _reservation: reservation };
        Self { state: Mutex::new(State { speech, recording: Some(recording) }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // a poisoned lock is usable: if a call panics, the turn fails and its recording is discarded
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn record(&mut self, item: Option<&Result<StreamItem, Fault>>) {
        let Some(recording) = self.recording.take() else { return };
        // a turn that another kind of synthesis has taken over is not cached
        let Some(engine) = self.speech.engine().filter(|engine| engine == LEARNED) else { return };
        match item {
            Some(Ok(StreamItem::Chunk(chunk))) => self.recording = recording.append(chunk),
            Some(Ok(StreamItem::Flushed)) => self.recording = Some(recording),
            Some(Err(_)) => {}
            None => {
                let Some(language) = self.speech.language() else { return };
                let voice = self.speech.voice().to_string();
                let language = language.code().to_owned();
                let facts = Facts { voice, language, engine, chars: 0, samples: recording.samples };
                recording.recording.finish(Vec::new(), facts);
            }
        }
    }
}

impl TurnRecording {
    /// Appends a chunk. Returns `None` if the turn cannot be cached.
    fn append(mut self, chunk: &Chunk) -> Option<Self> {
        let bytes = chunks::write(chunk)?;
        self.samples += chunk.samples.len() as u64;
        self.bytes += bytes.len();
        (self.bytes <= MAX_BYTES && self.recording.append(&bytes)).then_some(self)
    }
}

impl SpeechSource for RecordedSpeech {
    fn push(&self, text: &str) -> Result<(), PushError> {
        self.state().speech.push(text)
    }

    fn release(&self) {
        self.state().speech.release();
    }

    fn flush(&self) {
        self.state().speech.flush();
    }

    fn finish(&self) {
        self.state().speech.finish();
    }

    fn poll_item(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        let mut state = self.state();
        let item = ready!(state.speech.poll_item(context));
        state.record(item.as_ref());
        Poll::Ready(item)
    }

    fn wants_text(&self) -> bool {
        self.state().speech.wants_text()
    }

    fn language(&self) -> Option<Language> {
        self.state().speech.language()
    }

    fn engine(&self) -> Option<String> {
        self.state().speech.engine()
    }

    fn cancel(&self) {
        self.state().recording = None;
    }
}
