//! A stream from the cache.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use shruti_engine::{Chunk, Fault, PushError, SpeakError, Speech, SpeechSource, StreamItem};
use shruti_lang::Language;
use tokio::task::{JoinHandle, spawn_blocking};

use super::chunks;
use crate::clips::{ClipCache, ClipDigest, Facts};

/// Number of bytes after which a read ends: a second of audio. The rest is read when these have been sent.
const PART: u64 = 48 * 1024;

/// Stream that replays a cached turn. If the cache no longer has it, the turn is synthesized.
pub(super) struct ReplayedSpeech {
    state: Mutex<State>,
}

struct State {
    source: Source,
    /// Language and kind of synthesis of the cached turn, once its file is open.
    spoken: Option<(Language, String)>,
    text: String,
    synthesize: Option<Synthesize>,
}

/// Starts the synthesis of the turn.
type Synthesize = Box<dyn FnOnce() -> Result<Speech, SpeakError> + Send>;

enum Source {
    /// The file is being opened and verified.
    Opening(JoinHandle<Option<(Facts, Part)>>),
    /// The next part is being read.
    Reading(JoinHandle<io::Result<Part>>),
    /// A part has been read.
    Read(Part),
    /// Synthesized, because the file is gone.
    Synthesized(Speech),
    Ended,
}

/// Chunks that have been read, and the rest of the file.
struct Part {
    chunks: VecDeque<Chunk>,
    file: BufReader<File>,
    /// Number of bytes of the turn that remain in the file.
    left: u64,
    /// Number of samples before the next chunk to be read.
    start: u64,
}

impl Part {
    /// Reads the next chunks.
    fn read(mut self) -> io::Result<Self> {
        let until = self.left.saturating_sub(PART);
        while self.left > until {
            let (chunk, bytes) = chunks::read(&mut self.file, self.start)?;
            self.left = self.left.checked_sub(bytes).ok_or(io::ErrorKind::InvalidData)?;
            self.start += chunk.samples.len() as u64;
            self.chunks.push_back(chunk);
        }
        Ok(self)
    }
}

/// Opens a cached turn and reads its first chunks.
fn open(cache: &ClipCache, digest: &ClipDigest) -> Option<(Facts, Part)> {
    let clip = cache.find(digest)?;
    let file = BufReader::new(clip.file);
    let part = Part { chunks: VecDeque::new(), file, left: clip.length, start: 0 };
    part.read().ok().map(|part| (clip.facts, part))
}

impl ReplayedSpeech {
    /// Starts to open the file of a turn. `synthesize` is called if the file is gone or damaged. The stream is for
    /// exactly this text.
    pub(super) fn new(
        cache: Arc<ClipCache>,
        digest: ClipDigest,
        text: String,
        synthesize: impl FnOnce() -> Result<Speech, SpeakError> + Send + 'static,
    ) -> Self {
        let source = Source::Opening(spawn_blocking(move || open(&cache, &digest)));
        let synthesize: Option<Synthesize> = Some(Box::new(synthesize));
        Self { state: Mutex::new(State { source, spoken: None, text, synthesize }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // each change is complete before the next one can panic
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        loop {
            match &mut self.source {
                Source::Opening(opening) => {
                    let opened = ready!(Pin::new(opening).poll(context)).ok().flatten();
                    let opened = opened.and_then(|(facts, part)| Some((facts.language.parse().ok()?, facts, part)));
                    match opened {
                        Some((language, facts, part)) => {
                            self.spoken = Some((language, facts.engine));
                            self.source = Source::Read(part);
                        }
                        None => match self.synthesize() {
                            Ok(speech) => self.source = Source::Synthesized(speech),
                            Err(refused) => return self.fail(Fault::Rejected(refused)),
                        },
                    }
                }
                Source::Reading(reading) => {
                    match ready!(Pin::new(reading).poll(context)).map_err(io::Error::other).flatten() {
                        Ok(part) => self.source = Source::Read(part),
                        Err(error) => {
                            tracing::error!(%error, "a cached turn failed");
                            return self.fail(Fault::Internal);
                        }
                    }
                }
                Source::Read(part) => {
                    if let Some(chunk) = part.chunks.pop_front() {
                        return Poll::Ready(Some(Ok(StreamItem::Chunk(chunk))));
                    }
                    let Source::Read(part) = mem::replace(&mut self.source, Source::Ended) else { continue };
                    if part.left > 0 {
                        self.source = Source::Reading(spawn_blocking(move || part.read()));
                    }
                }
                Source::Synthesized(speech) => return speech.poll_item(context),
                Source::Ended => return Poll::Ready(None),
            }
        }
    }

    fn synthesize(&mut self) -> Result<Speech, SpeakError> {
        let Some(synthesize) = self.synthesize.take() else { return Err(SpeakError::Draining) };
        let mut speech = synthesize()?;
        speech.push(&self.text)?;
        speech.finish();
        Ok(speech)
    }

    fn fail(&mut self, fault: Fault) -> Poll<Option<Result<StreamItem, Fault>>> {
        self.source = Source::Ended;
        Poll::Ready(Some(Err(fault)))
    }
}

/// The text is complete from the start, so commands of the text input have no effect.
impl SpeechSource for ReplayedSpeech {
    fn push(&self, _text: &str) -> Result<(), PushError> {
        Ok(())
    }

    fn release(&self) {}

    fn flush(&self) {}

    fn finish(&self) {}

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        self.state().poll(context)
    }

    fn wants_text(&self) -> bool {
        false
    }

    fn language(&self) -> Option<Language> {
        match &*self.state() {
            State { source: Source::Synthesized(speech), .. } => speech.language(),
            State { spoken, .. } => spoken.as_ref().map(|(language, _)| *language),
        }
    }

    fn engine(&self) -> Option<String> {
        match &*self.state() {
            State { source: Source::Synthesized(speech), .. } => speech.engine(),
            State { spoken, .. } => spoken.as_ref().map(|(_, engine)| engine.clone()),
        }
    }

    fn cancel(&self) {
        self.state().source = Source::Ended;
    }
}
