//! Some of the voices of a back end, in some of their languages.

use shruti_backend::{Backend, BackendError, Description, Job, Prepared, Style};
use shruti_lang::{Language, VoiceId};
use shruti_text::utterance::Utterance;

/// A back end that leaves some of its voices and languages to another.
#[derive(Debug)]
pub struct SomeVoices<B> {
    backend: B,
    description: Description,
}

impl<B: Backend> SomeVoices<B> {
    /// The back end with those of its voices' languages that `gives` says.
    pub fn new(backend: B, gives: impl Fn(&VoiceId, Language) -> bool) -> Self {
        let mut description = backend.description().clone();
        for voice in &mut description.voices {
            voice.languages.retain(|&language| gives(&voice.name, language));
        }
        description.voices.retain(|voice| !voice.languages.is_empty());
        Self { backend, description }
    }

    /// The same voices, whose pitch cannot be shifted.
    #[must_use]
    pub fn without_pitch(mut self) -> Self {
        for voice in &mut self.description.voices {
            voice.pitch = false;
        }
        self
    }

    /// One voice of the back end.
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
