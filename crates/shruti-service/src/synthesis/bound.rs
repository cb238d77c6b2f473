//! The engine as one conversation has it.

use std::sync::{Arc, OnceLock};

use shruti_engine::turn::TurnSettings;
use shruti_engine::{Binding, Engine, Refused, Request};

/// The engine as one conversation has it: from its first turn with a built-in voice on, all turns are bound to one synthesis.
pub(crate) struct BoundEngine {
    engine: Arc<Engine>,
    binding: OnceLock<Arc<Binding>>,
}

impl BoundEngine {
    /// An engine that is bound with the first speech.
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, binding: OnceLock::new() }
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What is asked of the engine for a turn with these settings.
    pub(crate) fn request(&self, settings: &TurnSettings) -> Result<Request, Refused> {
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
