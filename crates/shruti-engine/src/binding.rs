//! Which synthesis speaks for the built-in voices in a conversation.

use std::sync::Arc;

use shruti_lang::VoiceEngine;

use crate::seats::{Room, Seat, Seats, Speaking};
use crate::speech::Refused;
use crate::voices::Voice;

/// The back ends that speak for the same voices: those that [override](crate::EngineBuilder::overriding_backend) others, and
/// the ones that they override.
pub(crate) struct Alternatives {
    learned: Vec<usize>,
    rules: Vec<usize>,
    /// Room for conversations that are bound to the learned voices.
    room: Arc<Room>,
}

/// Binds a conversation to one synthesis of the built-in voices: all of its speeches that carry it in
/// [`Request::binding`](crate::Request::binding) sound alike. Holds the conversation's seat with the learned voices until it is
/// dropped; after a minute of silence another conversation may take the seat, which changes nothing in what is heard.
#[derive(Debug)]
pub struct Binding {
    engine: VoiceEngine,
    /// The back ends that do not speak in this conversation, where another has the same voice.
    excluded: Vec<usize>,
    seat: Option<Arc<Seat>>,
}

impl Alternatives {
    /// `room` has a seat for each conversation that the learned back ends keep up with.
    pub(crate) fn new(learned: Vec<usize>, rules: Vec<usize>, room: Arc<Room>) -> Self {
        Self { learned, rules, room }
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
            |seat| Binding { engine: VoiceEngine::Learned, excluded: self.rules.clone(), seat: Some(seat) };
        let rules = || Binding { engine: VoiceEngine::Rules, excluded: self.learned.clone(), seat: None };
        match wanted {
            VoiceEngine::Rules => Ok(rules()),
            VoiceEngine::Auto => Ok(self.room.seat().map_or_else(|_| rules(), learned)),
            VoiceEngine::Learned => self.room.seat().map(learned),
        }
    }

    /// The seats, where there are learned voices.
    pub(crate) fn seats(&self) -> Option<Seats> {
        self.has_learned().then(|| self.room.seats())
    }
}

impl Binding {
    /// [`Learned`](VoiceEngine::Learned) or [`Rules`](VoiceEngine::Rules).
    pub fn engine(&self) -> VoiceEngine {
        self.engine
    }

    /// Begins a speech of the conversation, which keeps its seat while that lasts; `None` if it needs none.
    pub(crate) fn speak(&self) -> Option<Speaking> {
        self.seat.as_ref().map(Seat::speak)
    }
}
