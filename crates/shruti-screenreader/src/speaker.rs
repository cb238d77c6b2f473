//! Speaker: an engine with the built-in voices.

use std::num::NonZero;
use std::sync::Arc;

use shruti_engine::{Engine, Request, Voices};
use shruti_lang::VoiceEngine;
use shruti_learned::{LearnedBackend, WeightsError};
use shruti_text::verbosity::ReadOut;
use shruti_voice::ParametricBackend;

use crate::error::ReadError;
use crate::reading::Reading;
use crate::settings::{MAX_TEXT_BYTES, Settings};
use crate::stopper::Stopper;
use crate::time_scale::TimeScale;

/// Maximum number of characters that are pending in the engine: enough for a text of maximum size that is spelled out.
const MAX_UNSPOKEN: usize = 64 * MAX_TEXT_BYTES;

/// Maximum rate at which the voice itself speaks. For higher rates, pitch periods are removed from the audio.
const VOICE_RATE: f32 = 2.0;

/// Text reader with the built-in voices. Threads may share a speaker; readings are independent of each other.
#[derive(Debug)]
pub struct Speaker {
    engine: Engine,
}

impl Speaker {
    /// Starts an engine and its threads.
    pub fn new(voice_engine: VoiceEngine) -> Result<Self, SpeakerError> {
        let builder = Engine::builder().backend(ParametricBackend::new());
        let builder = match voice_engine {
            VoiceEngine::Rules => builder,
            VoiceEngine::Learned | VoiceEngine::Auto => {
                let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
                builder.overriding_backend(LearnedBackend::new(threads)?)
            }
        };
        let engine = builder.voice_engine(voice_engine).max_unspoken(MAX_UNSPOKEN).build()?;
        Ok(Self { engine })
    }

    /// Returns the voices of the engine.
    pub fn voices(&self) -> Arc<Voices> {
        self.engine.voices()
    }

    /// Loads the data that the first text of each language needs. This takes a few tenths of a second.
    pub fn warm_up(&self) {
        // errors are ignored: a reading in a language that cannot be spoken reports its own error
        let _ = self.engine.warm_up();
    }

    /// Starts to read a text.
    pub fn read(&self, text: &str, settings: &Settings) -> Result<Reading, ReadError> {
        self.read_until(text, settings, Stopper::default())
    }

    /// Starts to read a text. The stopper can stop the reading even before its first audio.
    pub fn read_until(
        &self,
        text: &str,
        settings: &Settings,
        stopper: Stopper,
    ) -> Result<Reading, ReadError> {
        settings.check()?;
        if text.len() > MAX_TEXT_BYTES {
            return Err(ReadError::TooLong);
        }
        let read_out = ReadOut::new(text, settings.language, settings.verbosity);
        let voice_rate = settings.rate.min(VOICE_RATE);
        let request = Request {
            voice: settings.voice.clone(),
            language: Some(read_out.language),
            speed: voice_rate,
            pitch: settings.pitch,
            ..Request::default()
        };
        let speech = self.engine.speak_text(request, &read_out.ssml)?;
        let scale = TimeScale::new(settings.rate / voice_rate);
        Ok(Reading::new(speech, read_out, scale, settings.volume, stopper))
    }
}

/// Error that prevents a speaker from starting.
#[derive(Debug, thiserror::Error)]
pub enum SpeakerError {
    /// The learned voices failed to load.
    #[error(transparent)]
    Voices(#[from] WeightsError),
    /// The engine failed to start.
    #[error(transparent)]
    Engine(#[from] shruti_engine::BuildError),
}
