//! Requests, and the listener's handle to a speech stream.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread::Thread;

use shruti_lang::{Clarity, Language, VoiceId};
use shruti_text::Lexicon;

use crate::binding::Binding;
use crate::chunk::{Chunk, StreamItem};
use crate::error::{Fault, PushError};
use crate::source::SpeechSource;
use crate::step_times::StepTimes;

/// Settings of a speech stream.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name of the voice, matched ignoring case; `None` for the engine's default voice.
    pub voice: Option<VoiceId>,
    /// Language of the text; `None` for the only language of the voice or, if the voice has several, the language
    /// detected in the first segment of the text.
    pub language: Option<Language>,
    /// Speaking rate, 0.5 to 2.0; 1.0 is the normal rate of the voice.
    pub speed: f32,
    /// Pitch shift in semitones, -6.0 to 6.0.
    pub pitch: f32,
    /// Speech shaping.
    pub clarity: Clarity,
    /// Pronunciation lexicon of the caller.
    pub lexicon: Arc<Lexicon>,
    /// Synthesis method that the conversation is [bound](crate::Engine::bind) to; `None` for the method of
    /// [overriding](crate::EngineBuilder::overriding_backend) back ends, if there are any.
    pub binding: Option<Arc<Binding>>,
    /// Record to which the times of the stream's steps are written; `None` for no record.
    pub times: Option<Arc<StepTimes>>,
}

impl Request {
    /// Creates a request for a voice with default settings.
    pub fn new(voice: impl Into<VoiceId>) -> Self {
        Self { voice: Some(voice.into()), ..Self::default() }
    }
}

impl Default for Request {
    fn default() -> Self {
        Self {
            voice: None,
            language: None,
            speed: 1.0,
            pitch: 0.0,
            clarity: Clarity::Off,
            lexicon: Arc::default(),
            binding: None,
            times: None,
        }
    }
}

/// A speech stream, from the listener's side.
///
/// It accepts text in pieces of any size and yields chunks of audio as they are rendered, at most a few chunks ahead of
/// the listener. Dropping the handle cancels the stream: no further step is started for it, the result of a running
/// step is discarded, and the capacity of the stream is available again immediately.
pub struct Speech {
    source: Arc<dyn SpeechSource>,
    voice: VoiceId,
}

impl Speech {
    /// Creates a handle to a stream. `voice` is the name of the voice in its canonical spelling.
    pub fn new(source: Arc<dyn SpeechSource>, voice: VoiceId) -> Self {
        Self { source, voice }
    }

    /// Appends a piece of text. After a refusal, the task that called [`Speech::poll_next`] is also woken when the
    /// stream runs out of text without producing more audio ([`Speech::wants_text`]).
    pub fn push(&mut self, text: &str) -> Result<(), PushError> {
        self.source.push(text)
    }

    /// Speaks the pending text up to the last whitespace; an unfinished last word remains pending.
    pub fn release(&mut self) {
        self.source.release();
    }

    /// Speaks all pending text; more text may follow. [`StreamItem::Flushed`] follows the audio.
    pub fn flush(&mut self) {
        self.source.flush();
    }

    /// Marks the text as complete.
    pub fn finish(&mut self) {
        self.source.finish();
    }

    /// Returns whether the stream needs more text, that is, whether the listener has received all audio that could be
    /// rendered so far.
    pub fn wants_text(&self) -> bool {
        self.source.wants_text()
    }

    /// Returns the name of the voice in its canonical spelling.
    pub fn voice(&self) -> &VoiceId {
        &self.voice
    }

    /// Returns the language of the speech: the requested one, or the one detected in the first segment, where romanised
    /// Hindi counts as Hindi. The language is known with the first chunk at the latest.
    pub fn language(&self) -> Option<Language> {
        self.source.language()
    }

    /// Returns the kind of synthesis of the back end that spoke last
    /// ([`Description::engine`](shruti_backend::Description::engine)). The kind is known with the first chunk at the
    /// latest.
    pub fn engine(&self) -> Option<String> {
        self.source.engine()
    }

    /// Returns the next chunk. Returns `None` when all text has been spoken after a call to [`Speech::finish`], and
    /// after a fault. The future is cancel-safe.
    pub async fn next(&mut self) -> Option<Result<Chunk, Fault>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polling variant of [`Speech::next`].
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Chunk, Fault>>> {
        loop {
            return match ready!(self.poll_item(context)) {
                Some(Ok(StreamItem::Chunk(chunk))) => Poll::Ready(Some(Ok(chunk))),
                Some(Ok(StreamItem::Flushed)) => continue,
                Some(Err(fault)) => Poll::Ready(Some(Err(fault))),
                None => Poll::Ready(None),
            };
        }
    }

    /// Polls for the next chunk or the acknowledgement of a flush.
    pub fn poll_item(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        self.source.poll_item(context)
    }

    /// Blocking variant of [`Speech::next`]. It blocks forever if neither more text nor [`Speech::finish`] follows.
    pub fn blocking_next(&mut self) -> Option<Result<Chunk, Fault>> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match self.poll_next(&mut context) {
                Poll::Ready(next) => return next,
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

impl Drop for Speech {
    fn drop(&mut self) {
        self.source.cancel();
    }
}

impl std::fmt::Debug for Speech {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Speech").field("voice", &self.voice).finish_non_exhaustive()
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
