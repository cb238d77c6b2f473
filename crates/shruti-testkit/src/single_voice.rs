//! Some of the voices of a back end.

use shruti_engine::{Backend, BackendError, Description, Job, Prepared, Style};
use shruti_protocol::VoiceId;
use shruti_text::utterance::Utterance;

/// A back end of which one voice is used, so that another back end may give the others.
#[derive(Debug)]
pub struct SingleVoice<B> {
    backend: B,
    description: Description,
}

impl<B: Backend> SingleVoice<B> {
    /// This voice of the back end.
    pub fn new(voice: impl Into<VoiceId>, backend: B) -> Self {
        let (voice, mut description) = (voice.into(), backend.description().clone());
        description.voices.retain(|described| described.name == voice);
        Self { backend, description }
    }
}

impl<B: Backend> Backend for SingleVoice<B> {
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

    fn render(&self, batch: &mut [Job<'_, B::RenderState>]) {
        self.backend.render(batch);
    }
}
