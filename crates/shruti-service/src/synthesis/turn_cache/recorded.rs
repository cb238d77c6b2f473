//! A stream that is added to the cache.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use shruti_engine::{Fault, PushError, Speech, SpeechSource, StreamItem};
use shruti_lang::Language;

use super::chunks;
use crate::clips::{ClipCache, ClipDigest, Facts, Recording};
use crate::synthesis::identity::LEARNED;

/// Stream that delegates to another stream, and adds its chunks to the cache when it ends. If it is cancelled or fails,
/// the recording is discarded.
pub(super) struct RecordedSpeech {
    state: Mutex<State>,
}

struct State {
    speech: Speech,
    /// `None` after the end, or after the cache refused a part.
    recording: Option<Recording>,
    samples: u64,
}

impl RecordedSpeech {
    pub(super) fn new(speech: Speech, cache: Arc<ClipCache>, digest: ClipDigest) -> Self {
        let recording = Some(Recording::begin(cache, digest, 0));
        Self { state: Mutex::new(State { speech, recording, samples: 0 }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // if a call panics, its turn fails and nothing of it is cached
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn record(&mut self, item: Option<&Result<StreamItem, Fault>>) {
        let Some(mut recording) = self.recording.take() else { return };
        match item {
            Some(Ok(StreamItem::Chunk(chunk))) => {
                self.samples += chunk.samples.len() as u64;
                let is_taken = chunks::write(chunk).is_some_and(|bytes| recording.append(&bytes));
                self.recording = is_taken.then_some(recording);
            }
            Some(Ok(StreamItem::Flushed)) => self.recording = Some(recording),
            Some(Err(_)) => {}
            None => {
                // a part that another kind of synthesis took over must not be repeated
                let engine = self.speech.engine().filter(|engine| engine == LEARNED);
                if let (Some(language), Some(engine)) = (self.speech.language(), engine) {
                    let voice = self.speech.voice().to_string();
                    let language = language.code().to_owned();
                    let facts = Facts { voice, language, engine, chars: 0, samples: self.samples };
                    recording.finish(Vec::new(), facts);
                }
            }
        }
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

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
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
