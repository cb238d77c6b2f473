//! What a listener asks for, and the handle by which a speech is fed, heard and cancelled.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread::Thread;
use std::time::Duration;

use shruti_backend::BackendError;
use shruti_lang::{Clarity, Language, VoiceId};
use shruti_text::Lexicon;

use crate::binding::Binding;
use crate::chunk::{Chunk, Sound};
use crate::step_times::StepTimes;

/// How a text is to be spoken.
#[derive(Clone, Debug)]
pub struct Request {
    /// The voice's name, matched without regard to case; the engine's default voice when not given.
    pub voice: Option<VoiceId>,
    /// The language of the text. When not given, the voice's only one, or else found from the first segment of the
    /// text.
    pub language: Option<Language>,
    /// Rate of speaking, 0.5 to 2.0; 1.0 is the voice's own.
    pub speed: f32,
    /// Shift of the pitch in semitones, -6.0 to 6.0.
    pub pitch: f32,
    /// For whom the sound is shaped.
    pub clarity: Clarity,
    /// The caller's own readings of words.
    pub lexicon: Arc<Lexicon>,
    /// The synthesis of the built-in voices that the conversation is [bound](crate::Engine::bind) to; that of
    /// [overriding](crate::EngineBuilder::overriding_backend) back ends, where there are any, when not given.
    pub binding: Option<Arc<Binding>>,
    /// Where to write down when it was worked at, for one speech; nowhere by default.
    pub times: Option<Arc<StepTimes>>,
}

impl Request {
    /// A request for a voice with everything else as it is by itself.
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

/// Why a speech was not begun, or not gone on with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// As many speeches are in progress as can be served.
    #[error("too many speeches are in progress; come again in {retry_after:?}")]
    Overloaded {
        /// When there will probably be room.
        retry_after: Duration,
    },
    /// The engine is shutting down.
    #[error("the engine is shutting down")]
    Draining,
    /// No back end gives this voice.
    #[error("voice '{0}' does not exist")]
    UnknownVoice(VoiceId),
    /// The voice does not speak this language.
    #[error("the voice does not speak {0}")]
    UnsupportedLanguage(Language),
    /// The voice speaks at its own pitch only, at least in this language.
    #[error("the voice speaks at its own pitch only")]
    UnsupportedPitch,
    /// The engine has no learned voices.
    #[error("there are no learned voices")]
    NoLearnedVoices,
    /// A number lies outside its range.
    #[error("{0} is outside its range")]
    OutOfRange(&'static str),
    /// The text does not fit in.
    #[error(transparent)]
    Text(#[from] TextRefused),
}

/// Why a piece of text was not taken. Nothing of it was; what had been taken before is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextRefused {
    /// Too much text waits to be spoken.
    #[error("more than {limit} characters would wait to be spoken")]
    TooMuch {
        /// How many characters may wait.
        limit: usize,
    },
    /// The text has been finished.
    #[error("the text has been finished")]
    Finished,
}

/// Why a speech broke off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something broke inside; the log says more.
    #[error("internal fault")]
    Internal,
    /// The back end could not go on.
    #[error(transparent)]
    Backend(BackendError),
    /// The language was found in the text, and the back end for it has no room or cannot shift the pitch, or the voice
    /// does not speak it.
    #[error(transparent)]
    Refused(Refused),
}

/// A speech, in the hands of its listener.
///
/// Text goes in, in pieces of any size; chunks of sound come out as they are made, at most a few ahead of what has
/// been taken. Dropping the handle cancels the speech: no further step is begun for it, the one in progress is
/// thrown away, and its place is free at once.
pub struct Speech {
    control: Arc<dyn SpeechControl>,
    voice: VoiceId,
}

/// What a [`Speech`] is fed, heard and cancelled by, whatever makes its sound; the methods are explained there.
pub(crate) trait SpeechControl: Send + Sync {
    fn push(&self, text: &str) -> Result<(), TextRefused>;
    fn release(&self);
    fn flush(&self);
    fn finish(&self);
    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Sound, Fault>>>;
    fn wants_text(&self) -> bool;
    fn language(&self) -> Option<Language>;
    fn engine(&self) -> Option<String>;
    fn cancel(&self);
}

impl Speech {
    pub(crate) fn new(control: Arc<dyn SpeechControl>, voice: VoiceId) -> Self {
        Self { control, voice }
    }

    /// Appends a piece of text. Whoever was refused one is woken from [`Speech::poll_next`] also when no sound follows of what
    /// waits ([`Speech::wants_text`]).
    pub fn push(&mut self, text: &str) -> Result<(), TextRefused> {
        self.control.push(text)
    }

    /// Lets what ends at white space be spoken; the unfinished last word stays held back.
    pub fn release(&mut self) {
        self.control.release();
    }

    /// Lets what is held back be spoken; more text may follow. [`Sound::Flushed`] follows its sound.
    pub fn flush(&mut self) {
        self.control.flush();
    }

    /// Says that no more text follows.
    pub fn finish(&mut self) {
        self.control.finish();
    }

    /// Whether nothing more comes without more text: all that could be spoken so far has been taken.
    pub fn wants_text(&self) -> bool {
        self.control.wants_text()
    }

    /// The voice that speaks, in its canonical spelling.
    pub fn voice(&self) -> &VoiceId {
        &self.voice
    }

    /// The language that the text is spoken in: as requested, or as found in its first segment, where Hindi in Latin letters is
    /// Hindi; known when the first chunk is.
    pub fn language(&self) -> Option<Language> {
        self.control.language()
    }

    /// The kind of synthesis of the back end that spoke last ([`Description::engine`](shruti_backend::Description::engine)); known when the
    /// first chunk is.
    pub fn engine(&self) -> Option<String> {
        self.control.engine()
    }

    /// The next chunk; `None` when all has been spoken, which takes [`Speech::finish`]. After a fault there is
    /// nothing more. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Chunk, Fault>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// [`Speech::next`] for those who poll.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Chunk, Fault>>> {
        loop {
            return match ready!(self.poll_sound(context)) {
                Some(Ok(Sound::Chunk(chunk))) => Poll::Ready(Some(Ok(chunk))),
                Some(Ok(Sound::Flushed)) => continue,
                Some(Err(fault)) => Poll::Ready(Some(Err(fault))),
                None => Poll::Ready(None),
            };
        }
    }

    /// The next chunk, or the answer to a flush.
    pub fn poll_sound(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Sound, Fault>>> {
        self.control.poll(context)
    }

    /// [`Speech::next`] for threads that may wait. It waits for ever if there is neither more text nor
    /// [`Speech::finish`].
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
        self.control.cancel();
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
