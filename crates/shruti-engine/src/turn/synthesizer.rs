//! Where a conversation's sound comes from.

use std::sync::Arc;

use super::command::{TurnId, TurnSettings};
use crate::engine::Engine;
use crate::speech::{Refused, Speech};

/// Begins speeches: an [`Engine`] does, and in tests a script.
pub trait Synthesizer {
    /// Begins the speech of a turn, or says at once why not. Dropping it cancels it.
    fn speak(&self, turn: &TurnId, settings: &TurnSettings) -> Result<Speech, Refused>;
}

impl Synthesizer for Arc<Engine> {
    fn speak(&self, _turn: &TurnId, settings: &TurnSettings) -> Result<Speech, Refused> {
        Engine::speak(self, settings.request())
    }
}
