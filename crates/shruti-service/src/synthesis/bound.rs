//! Engine of one conversation.

use std::sync::{Arc, OnceLock};

use shruti_engine::turn::TurnSettings;
use shruti_engine::{Binding, Engine, Request, SpeakError};

/// Engine of one conversation. Its first turn with a built-in voice binds all later turns to the same kind of
/// synthesis.
pub(crate) struct BoundEngine {
    engine: Arc<Engine>,
    binding: OnceLock<Arc<Binding>>,
}

impl BoundEngine {
    /// Creates an engine that is bound at the first speech.
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, binding: OnceLock::new() }
    }

    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the engine request for a turn with these settings.
    pub(crate) fn request(&self, settings: &TurnSettings) -> Result<Request, SpeakError> {
        let binding = match self.binding.get() {
            Some(binding) => Some(Arc::clone(binding)),
            None => self.engine.bind(&settings.voice, settings.engine)?.map(|binding| {
                let binding = Arc::new(binding);
                Arc::clone(self.binding.get_or_init(|| binding))
            }),
        };
        Ok(Request { binding, ..settings.request() })
    }
}
