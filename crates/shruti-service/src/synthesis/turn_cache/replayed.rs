//! A stream from the cache.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use shruti_engine::{Chunk, Fault, PushError, Speech, SpeechSource, StreamItem};
use shruti_lang::Language;
use tokio::task::{JoinHandle, spawn_blocking};

use super::chunks;
use crate::clips::{ClipCache, ClipDigest, Facts};

/// Number of bytes per read: about a second of audio. A read ends with the chunk that reaches this number.
const PART: u64 = 48 * 1024;
/// Maximum number of unsent chunks at which the next part is read: up to half a second of audio.
const LOW: usize = 5;

/// Stream that replays a cached turn. If the file is missing or damaged, the turn is synthesised.
pub(super) struct ReplayedSpeech {
    state: Mutex<State>,
}

struct State {
    source: Source,
    /// Language and kind of synthesis of the cached turn, once its file is open.
    spoken: Option<(Language, String)>,
    /// Stream of the engine without text, which holds the permits of the turn. It gets the text if the file is missing
    /// or damaged.
    speech: Speech,
}

enum Source {
    /// The file is being opened and verified, for this text.
    Opening(JoinHandle<Option<(Facts, Part)>>, String),
    /// Chunks that have been read but not sent, and the rest of the turn.
    Replaying(VecDeque<Chunk>, Rest),
    /// The stream of the engine.
    Engine,
    /// A fault or a cancel has ended the turn.
    Ended,
}

/// Rest of a turn: unread, being read, or empty.
enum Rest {
    Unread(Reader),
    Reading(JoinHandle<io::Result<Part>>),
    Nothing,
}

/// Chunks that have been read, and the reader of the rest.
struct Part {
    chunks: VecDeque<Chunk>,
    rest: Reader,
}

struct Reader {
    file: BufReader<File>,
    /// Number of bytes that have not been read.
    left: u64,
    /// Number of samples that have been read.
    samples: u64,
}

impl Reader {
    fn read(mut self) -> io::Result<Part> {
        let until = self.left.saturating_sub(PART);
        let mut chunks = VecDeque::new();
        while self.left > until {
            let (chunk, bytes) = chunks::read(&mut self.file, self.samples)?;
            self.left = self.left.checked_sub(bytes).ok_or(io::ErrorKind::InvalidData)?;
            self.samples += chunk.samples.len() as u64;
            chunks.push_back(chunk);
        }
        Ok(Part { chunks, rest: self })
    }
}

impl Rest {
    fn start_reading(&mut self) {
        *self = match mem::replace(self, Self::Nothing) {
            Self::Unread(reader) => Self::Reading(spawn_blocking(move || reader.read())),
            other => other,
        };
    }
}

impl Part {
    fn replay(self) -> Source {
        let rest = if self.rest.left > 0 { Rest::Unread(self.rest) } else { Rest::Nothing };
        Source::Replaying(self.chunks, rest)
    }
}

/// Opens a cached turn and reads its first part. Returns `None` if the file is missing or damaged.
fn open(cache: &ClipCache, digest: &ClipDigest) -> Option<(Facts, Part)> {
    let clip = cache.find(digest)?;
    let reader = Reader { file: BufReader::new(clip.file), left: clip.length, samples: 0 };
    reader.read().ok().map(|part| (clip.facts, part))
}

impl ReplayedSpeech {
    /// Starts opening the file of a turn with this text. `speech` is a stream of the engine without text.
    pub(super) fn new(cache: Arc<ClipCache>, digest: ClipDigest, text: String, speech: Speech) -> Self {
        let source = Source::Opening(spawn_blocking(move || open(&cache, &digest)), text);
        Self { state: Mutex::new(State { source, spoken: None, speech }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // a poisoned lock is usable, because no panic can leave the state incomplete
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        loop {
            match &mut self.source {
                Source::Opening(opening, text) => {
                    let opened = ready!(Pin::new(opening).poll(context)).ok().flatten();
                    let text = mem::take(text);
                    let language = opened.as_ref().and_then(|(facts, _)| facts.language.parse().ok());
                    if let (Some((facts, part)), Some(language)) = (opened, language) {
                        self.spoken = Some((language, facts.engine));
                        self.source = part.replay();
                    } else if let Err(refused) = self.speech.push(&text) {
                        return self.fail(Fault::Rejected(refused.into()));
                    } else {
                        self.end_in_engine();
                    }
                }
                Source::Replaying(chunks, rest) => {
                    if chunks.len() <= LOW {
                        rest.start_reading();
                    }
                    if let Some(chunk) = chunks.pop_front() {
                        return Poll::Ready(Some(Ok(StreamItem::Chunk(chunk))));
                    }
                    let Rest::Reading(reading) = rest else {
                        self.end_in_engine();
                        continue;
                    };
                    match ready!(Pin::new(reading).poll(context)).map_err(io::Error::other).flatten() {
                        Ok(part) => self.source = part.replay(),
                        Err(error) => {
                            tracing::error!(%error, "a cached turn failed");
                            return self.fail(Fault::Internal);
                        }
                    }
                }
                Source::Engine => return self.speech.poll_item(context),
                Source::Ended => return Poll::Ready(None),
            }
        }
    }

    /// Ends the text of the engine's stream and continues with that stream. If the text was pushed, the stream
    /// synthesises it. Otherwise, the stream ends immediately, and the engine counts the turn as completed.
    fn end_in_engine(&mut self) {
        self.speech.finish();
        self.source = Source::Engine;
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

    fn poll_item(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        self.state().poll(context)
    }

    fn wants_text(&self) -> bool {
        false
    }

    fn language(&self) -> Option<Language> {
        let state = self.state();
        state.spoken.as_ref().map(|(language, _)| *language).or_else(|| state.speech.language())
    }

    fn engine(&self) -> Option<String> {
        let state = self.state();
        state.spoken.as_ref().map(|(_, engine)| engine.clone()).or_else(|| state.speech.engine())
    }

    fn cancel(&self) {
        let mut state = self.state();
        match mem::replace(&mut state.source, Source::Ended) {
            Source::Opening(opening, _) => opening.abort(),
            Source::Replaying(_, Rest::Reading(reading)) => reading.abort(),
            Source::Replaying(..) | Source::Engine | Source::Ended => {}
        }
    }
}
