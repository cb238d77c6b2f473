//! Engine of one conversation.

use std::sync::{Arc, OnceLock};

use shruti_engine::turn::TurnSettings;
use shruti_engine::{Binding, Engine, Request, SpeakError, Speech};

use super::turn_cache::TurnCache;

/// Engine of one conversation. Its first turn with a built-in voice binds all later turns to the same kind of
/// synthesis.
pub(crate) struct BoundEngine {
    engine: Arc<Engine>,
    binding: OnceLock<Arc<Binding>>,
    /// Cache of repeated turns, if there is one.
    turn_cache: Option<TurnCache>,
}

impl BoundEngine {
    /// Creates an engine that will be bound by the first turn with a built-in voice.
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, binding: OnceLock::new(), turn_cache: None }
    }

    /// Sets the cache of repeated turns.
    #[must_use]
    pub(crate) fn with_turn_cache(self, turn_cache: Option<TurnCache>) -> Self {
        Self { turn_cache, ..self }
    }

    /// Starts the stream of a turn. `whole_text` is the text of the turn if it is already complete; only then is the
    /// turn cache used.
    pub(crate) fn speak(
        &self,
        request: Request,
        settings: &TurnSettings,
        whole_text: Option<&str>,
    ) -> Result<Speech, SpeakError> {
        match (&self.turn_cache, whole_text) {
            (Some(turn_cache), Some(text)) => turn_cache.speak(&self.engine, request, settings, text),
            _ => self.engine.speak(request),
        }
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
