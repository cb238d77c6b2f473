//! Where a conversation's sound comes from.

use std::task::{Context, Poll};

use shruti_protocol::{Language, VoiceId};

use super::command::Settings;
use crate::chunk::Sound;
use crate::engine::Engine;
use crate::speech::{Fault, Refused, Request, Speech, TextRefused};

/// Begins speeches: an [`Engine`] does, and in tests a script.
pub trait Speaker {
    /// A speech in progress; dropping it cancels it.
    type Speech: Utterer;

    /// Begins a speech, or says at once why not.
    fn speak(&self, settings: &Settings) -> Result<Self::Speech, Refused>;
}

/// A speech in progress, as a conversation uses it; see [`Speech`].
pub trait Utterer {
    /// Appends a piece of text.
    fn push(&mut self, text: &str) -> Result<(), TextRefused>;
    /// Speaks what ends at white space; the unfinished last token stays held back.
    fn release(&mut self);
    /// Speaks what is held back; a [`Sound::Flushed`] follows its sound.
    fn flush(&mut self);
    /// Says that no more text follows.
    fn finish(&mut self);
    /// Whether nothing more comes without more text.
    fn wants_text(&self) -> bool;
    /// The voice's name in its canonical spelling.
    fn voice(&self) -> &VoiceId;
    /// The language, known when the first chunk is.
    fn language(&self) -> Option<Language>;
    /// The next sound; `None` when all has been spoken.
    fn poll_sound(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Sound, Fault>>>;
}

impl Speaker for std::sync::Arc<Engine> {
    type Speech = Speech;

    fn speak(&self, settings: &Settings) -> Result<Speech, Refused> {
        Engine::speak(
            self,
            Request {
                voice: Some(settings.voice.clone()),
                language: settings.language,
                speed: settings.speed,
                pitch: settings.pitch,
                lexicon: settings.lexicon.clone(),
            },
        )
    }
}

impl Utterer for Speech {
    fn push(&mut self, text: &str) -> Result<(), TextRefused> {
        Self::push(self, text)
    }

    fn release(&mut self) {
        Self::release(self);
    }

    fn flush(&mut self) {
        Self::flush(self);
    }

    fn finish(&mut self) {
        Self::finish(self);
    }

    fn wants_text(&self) -> bool {
        Self::wants_text(self)
    }

    fn voice(&self) -> &VoiceId {
        Self::voice(self)
    }

    fn language(&self) -> Option<Language> {
        Self::language(self)
    }

    fn poll_sound(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Sound, Fault>>> {
        Self::poll_sound(self, context)
    }
}
