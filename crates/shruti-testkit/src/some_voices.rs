//! A back end with a subset of the voices and languages of another back end.

use shruti_backend::{Backend, BackendError, Description, Job, Prepared, Style};
use shruti_lang::{Language, VoiceId};
use shruti_text::utterance::Utterance;

/// Wrapper that restricts a back end to some of its voices and languages.
#[derive(Debug)]
pub struct SomeVoices<B> {
    backend: B,
    description: Description,
}

impl<B: Backend> SomeVoices<B> {
    /// Restricts a back end to the voices and languages for which `gives` returns `true`.
    pub fn new(backend: B, gives: impl Fn(&VoiceId, Language) -> bool) -> Self {
        let mut description = backend.description().clone();
        for voice in &mut description.voices {
            voice.languages.retain(|&language| gives(&voice.name, language));
        }
        description.voices.retain(|voice| !voice.languages.is_empty());
        Self { backend, description }
    }

    /// Removes support for pitch shifts.
    #[must_use]
    pub fn without_pitch(mut self) -> Self {
        for voice in &mut self.description.voices {
            voice.pitch = false;
        }
        self
    }

    /// Restricts a back end to one voice.
    pub fn only(voice: &str, backend: B) -> Self {
        Self::new(backend, |name, _| name == voice)
    }
}

impl<B: Backend> Backend for SomeVoices<B> {
    type RenderState = B::RenderState;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<B::RenderState>, BackendError> {
        self.backend.prepare(utterance, style)
    }

    fn prepare_written(
        &self,
        utterance: &Utterance,
        written: &dyn Fn() -> String,
        style: &Style,
    ) -> Result<Prepared<B::RenderState>, BackendError> {
        self.backend.prepare_written(utterance, written, style)
    }

    fn is_usable(&self) -> bool {
        self.backend.is_usable()
    }

    fn render(&self, batch: &mut [Job<'_, B::RenderState>]) {
        self.backend.render(batch);
    }
}
