//! Where a conversation's sound comes from.

use std::sync::Arc;

use super::command::TurnSettings;
use crate::engine::Engine;
use crate::speech::{Refused, Request, Speech};

/// Begins speeches: an [`Engine`] does, and in tests a script.
pub trait Synthesizer {
    /// Begins a speech, or says at once why not. Dropping it cancels it.
    fn speak(&self, settings: &TurnSettings) -> Result<Speech, Refused>;
}

impl Synthesizer for Arc<Engine> {
    fn speak(&self, settings: &TurnSettings) -> Result<Speech, Refused> {
        Engine::speak(
            self,
            Request {
                voice: Some(settings.voice.clone()),
                language: settings.language,
                speed: settings.speed,
                pitch: settings.pitch,
                clarity: settings.clarity,
                lexicon: settings.lexicon.clone(),
            },
        )
    }
}
