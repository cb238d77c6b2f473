//! Voices that need no pack.

use std::num::NonZero;

use shruti_engine::{Engine, EngineBuilder};
use shruti_lang::VoiceEngine;
use shruti_learned::LearnedBackend;
use shruti_voice::{ParametricBackend, Voice};

use crate::error::VoicesError;

/// Names of the voices that need no pack.
pub const BUILT_IN: [&str; 2] = [Voice::ALL[0].name(), Voice::ALL[1].name()];

/// Returns an engine builder with the built-in voices. If `voice_engine` is [`VoiceEngine::Rules`], the learned voices
/// are omitted.
pub fn builder(voice_engine: VoiceEngine) -> Result<EngineBuilder, VoicesError> {
    let builder = Engine::builder().backend(ParametricBackend::new()).voice_engine(voice_engine);
    Ok(match voice_engine {
        VoiceEngine::Rules => builder,
        VoiceEngine::Learned | VoiceEngine::Auto => {
            let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
            builder.overriding_backend(LearnedBackend::new(threads)?)
        }
    })
}
