//! Which synthesis speaks for the built-in voices in a conversation.

use std::sync::Arc;

use shruti_protocol::VoiceEngine;

use crate::admission::{Admission, Permit};
use crate::speech::Refused;
use crate::voices::Voice;

/// The back ends that speak for the same voices: those that [override](crate::EngineBuilder::overriding_backend) others, and
/// the ones that they override.
pub(crate) struct Alternatives {
    learned: Vec<usize>,
    rules: Vec<usize>,
    /// Room for conversations that are bound to the learned voices.
    seats: Arc<Admission>,
}

/// Binds a conversation to one synthesis of the built-in voices: all of its speeches that carry it in
/// [`Request::binding`](crate::Request::binding) sound alike. Holds the conversation's room with the learned voices until it is dropped.
#[derive(Debug)]
pub struct Binding {
    engine: VoiceEngine,
    /// The back ends that do not speak in this conversation, where another has the same voice.
    excluded: Vec<usize>,
    _seat: Option<Permit>,
}

/// How many conversations are bound to the learned voices, and how many may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Those that are.
    pub taken: usize,
    /// Those that may be.
    pub limit: usize,
}

impl Alternatives {
    /// `seats` counts the conversations that the learned back ends keep up with.
    pub(crate) fn new(learned: Vec<usize>, rules: Vec<usize>, seats: Arc<Admission>) -> Self {
        Self { learned, rules, seats }
    }

    /// Whether there are learned voices.
    pub(crate) fn has_learned(&self) -> bool {
        !self.learned.is_empty()
    }

    /// Whether a learned back end speaks a language of the voice, where it is not excluded.
    pub(crate) fn has_choice(&self, voice: &Voice) -> bool {
        let mut routes = voice.routes().languages();
        routes.any(|route| self.learned.iter().any(|&learned| route.has(learned)))
    }

    /// The back ends that do not speak with a binding. Without one, those of the rules: a learned voice is not replaced within
    /// a speech.
    pub(crate) fn excluded(&self, binding: Option<&Binding>) -> Vec<usize> {
        binding.map_or(&self.rules, |binding| &binding.excluded).clone()
    }

    /// Binds a conversation that has a choice, or says why there is no room for it with the learned voices.
    pub(crate) fn bind(&self, wanted: VoiceEngine) -> Result<Binding, Refused> {
        let learned =
            |seat| Binding { engine: VoiceEngine::Learned, excluded: self.rules.clone(), _seat: Some(seat) };
        let rules = || Binding { engine: VoiceEngine::Rules, excluded: self.learned.clone(), _seat: None };
        match wanted {
            VoiceEngine::Rules => Ok(rules()),
            VoiceEngine::Auto => Ok(self.seats.admit(1).map_or_else(|_| rules(), learned)),
            VoiceEngine::Learned => self.seats.admit(1).map(learned),
        }
    }

    /// The seats, where there are learned voices.
    pub(crate) fn seats(&self) -> Option<Seats> {
        self.has_learned().then(|| Seats { taken: self.seats.active(), limit: self.seats.limit() })
    }
}

impl Binding {
    /// [`Learned`](VoiceEngine::Learned) or [`Rules`](VoiceEngine::Rules).
    pub fn engine(&self) -> VoiceEngine {
        self.engine
    }
}
