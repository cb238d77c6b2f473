//! The synthesis of the built-in voices.

use std::num::NonZero;

use serde::Deserialize;
use shruti_engine::{Engine, EngineBuilder, ParametricBackend};
use shruti_learned::LearnedBackend;

/// The synthesis of the built-in voices.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VoiceEngine {
    /// Synthesis by rules: thousands of listeners, clear, and clearly synthetic
    #[default]
    Rules,
    /// Two small neural networks: natural, for tens of listeners
    Learned,
}

impl VoiceEngine {
    /// An engine builder with the built-in voices.
    pub(crate) fn builder(self) -> anyhow::Result<EngineBuilder> {
        let builder = Engine::builder().backend(ParametricBackend::new());
        Ok(match self {
            Self::Rules => builder,
            Self::Learned => {
                let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
                builder.overriding_backend(LearnedBackend::new(threads)?)
            }
        })
    }
}
