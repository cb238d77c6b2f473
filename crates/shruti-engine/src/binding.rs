//! Binding of a conversation to one synthesis method of the built-in voices.

use std::sync::Arc;

use shruti_lang::VoiceEngine;

use crate::error::SpeakError;
use crate::seats::{Seat, SeatGuard, SeatPool, Seats};
use crate::voices::Voice;

/// Back ends that share voices: those that [override](crate::EngineBuilder::overriding_backend) other back ends, and
/// the overridden back ends.
pub(crate) struct Alternatives {
    learned: Vec<usize>,
    rules: Vec<usize>,
    /// Seats for conversations that are bound to the learned voices.
    seat_pool: Arc<SeatPool>,
}

/// Binding of a conversation to one synthesis method of the built-in voices. All streams whose
/// [`Request::binding`](crate::Request::binding) is this binding use this method. A binding to the learned voices
/// reserves a seat, which is released when the binding is dropped. After a minute of silence, another conversation may
/// take over the seat; the method of this conversation does not change.
#[derive(Debug)]
pub struct Binding {
    engine: VoiceEngine,
    /// Back ends that this conversation does not use for voices that another back end also provides.
    excluded: Vec<usize>,
    seat: Option<Arc<Seat>>,
}

impl Alternatives {
    /// Creates the alternatives; `seat_pool` has one seat per conversation that the learned back ends can serve in real
    /// time.
    pub(crate) fn new(learned: Vec<usize>, rules: Vec<usize>, seat_pool: Arc<SeatPool>) -> Self {
        Self { learned, rules, seat_pool }
    }

    /// Returns whether there are learned voices.
    pub(crate) fn has_learned(&self) -> bool {
        !self.learned.is_empty()
    }

    /// Returns whether a learned back end speaks a language of the voice.
    pub(crate) fn has_choice(&self, voice: &Voice) -> bool {
        let mut routes = voice.routes().languages();
        routes.any(|route| self.learned.iter().any(|&learned| route.has(learned)))
    }

    /// Returns the back ends that are excluded by a binding. Without a binding, the rule-based back ends are excluded,
    /// because the engine does not switch from a learned voice to a rule-based one within a stream.
    pub(crate) fn excluded(&self, binding: Option<&Binding>) -> Vec<usize> {
        binding.map_or(&self.rules, |binding| &binding.excluded).clone()
    }

    /// Binds a conversation whose voice has alternatives. With [`Auto`](VoiceEngine::Auto), the conversation is bound
    /// to the learned voices if they have a free seat, otherwise to the rule-based voices. Returns an error if the
    /// learned voices are requested and have no free seat.
    pub(crate) fn bind(&self, wanted: VoiceEngine) -> Result<Binding, SpeakError> {
        let learned =
            |seat| Binding { engine: VoiceEngine::Learned, excluded: self.rules.clone(), seat: Some(seat) };
        let rules = || Binding { engine: VoiceEngine::Rules, excluded: self.learned.clone(), seat: None };
        match wanted {
            VoiceEngine::Rules => Ok(rules()),
            VoiceEngine::Auto => Ok(self.seat_pool.seat().map_or_else(|_| rules(), learned)),
            VoiceEngine::Learned => self.seat_pool.seat().map(learned),
        }
    }

    /// Returns the number of taken seats and its limit; `None` if there are no learned voices.
    pub(crate) fn seats(&self) -> Option<Seats> {
        self.has_learned().then(|| self.seat_pool.seats())
    }
}

impl Binding {
    /// Returns the synthesis method: [`Learned`](VoiceEngine::Learned) or [`Rules`](VoiceEngine::Rules).
    pub fn engine(&self) -> VoiceEngine {
        self.engine
    }

    /// Starts a stream of the conversation. Returns a guard that the stream must hold to keep the conversation's seat;
    /// `None` if the conversation is bound to the rule-based voices, which need no seat.
    pub(crate) fn speak(&self) -> Option<SeatGuard> {
        self.seat.as_ref().map(Seat::speak)
    }
}
