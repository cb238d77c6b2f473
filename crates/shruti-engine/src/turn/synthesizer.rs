//! Source of the audio of a conversation.

use std::sync::Arc;

use super::command::{TurnId, TurnSettings};
use crate::engine::Engine;
use crate::error::SpeakError;
use crate::speech::Speech;

/// Source of speech streams: an [`Engine`], or a script in tests.
pub trait Synthesizer {
    /// Starts the stream of a turn, or returns the reason for the refusal immediately. Dropping the stream cancels it.
    ///
    /// `whole_text` is the text of the turn if it is already complete and has no flushes. In either case, the caller
    /// pushes the text to the stream afterwards.
    fn speak(
        &self,
        turn: &TurnId,
        settings: &TurnSettings,
        whole_text: Option<&str>,
    ) -> Result<Speech, SpeakError>;
}

impl Synthesizer for Arc<Engine> {
    fn speak(
        &self,
        _turn: &TurnId,
        settings: &TurnSettings,
        _whole_text: Option<&str>,
    ) -> Result<Speech, SpeakError> {
        Engine::speak(self, settings.request())
    }
}
