//! The synthesis of the built-in voices.

use std::num::NonZero;

use shruti_engine::{Engine, EngineBuilder};
use shruti_lang::VoiceEngine;
use shruti_learned::LearnedBackend;
use shruti_voice::ParametricBackend;

/// Returns an engine builder with the built-in voices. The learned ones are left out where only the rules speak.
pub(crate) fn builder(voice_engine: VoiceEngine) -> anyhow::Result<EngineBuilder> {
    let builder = Engine::builder().backend(ParametricBackend::new()).voice_engine(voice_engine);
    Ok(match voice_engine {
        VoiceEngine::Rules => builder,
        VoiceEngine::Learned | VoiceEngine::Auto => {
            let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
            builder.overriding_backend(LearnedBackend::new(threads)?)
        }
    })
}
