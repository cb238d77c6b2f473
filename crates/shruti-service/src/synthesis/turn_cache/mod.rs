//! Turns from the cache: a turn that a learned voice has spoken before is replayed instead of synthesised.
//!
//! The cache is used only if the whole text of a turn is known when the turn starts. After the first request of a turn,
//! only a part of its digest is kept, in memory: most turns are never repeated and need no disk space. When the turn is
//! requested again, it is [recorded](recorded::RecordedSpeech). From then on, it is
//! [replayed](replayed::ReplayedSpeech). Rule-based voices are as fast as a disk, so their turns are not cached.

mod chunks;
mod recorded;
mod replayed;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use shruti_engine::turn::TurnSettings;
use shruti_engine::{Engine, Request, SpeakError, Speech};
use shruti_lang::VoiceEngine;
use shruti_store::KeyRecord;

use self::recorded::RecordedSpeech;
use self::replayed::ReplayedSpeech;
use super::identity::{is_repeatable, owner, turn_digest};
use crate::clips::{ClipCache, ClipDigest};

/// Access to the cache for the turns of one conversation.
pub(crate) struct TurnCache {
    cache: Arc<ClipCache>,
    /// Owner of the turns: the account, the key, or everyone if accounts share the cache.
    owner: String,
}

impl TurnCache {
    /// Creates the cache access for a conversation of a key.
    pub(crate) fn new(cache: Arc<ClipCache>, key: &KeyRecord) -> Self {
        let owner = owner(key, cache.is_shared());
        Self { cache, owner }
    }

    /// Starts the stream of a turn with its whole text: from the cache if possible, otherwise from the engine. In both
    /// cases, the engine admits the turn first.
    pub(crate) fn speak(
        &self,
        engine: &Engine,
        request: Request,
        settings: &TurnSettings,
        text: &str,
    ) -> Result<Speech, SpeakError> {
        let binding = request.binding.as_ref().map(|binding| binding.engine());
        let speech = engine.speak(request)?;
        if binding != Some(VoiceEngine::Learned) || text.trim().is_empty() {
            return Ok(speech);
        }
        let voice = speech.voice().clone();
        let is_built_in = {
            let voices = engine.voices();
            let found = voices.find(voice.as_str());
            found.is_some_and(|voice| !engine.choices(voice).is_empty() && is_repeatable(&voices, voice))
        };
        if !is_built_in {
            return Ok(speech);
        }
        let digest = turn_digest(&self.owner, &voice, settings, text);
        let is_repetition = self.cache.note_turn(&digest);
        if !self.cache.is_missing(&digest) {
            let replayed = ReplayedSpeech::new(Arc::clone(&self.cache), digest, text.to_owned(), speech);
            return Ok(Speech::new(Arc::new(replayed), voice));
        }
        Ok(if is_repetition { self.recorded(speech, digest) } else { speech })
    }

    /// Returns a stream that also records `speech`, or `speech` itself if too many turns are being recorded.
    fn recorded(&self, speech: Speech, digest: ClipDigest) -> Speech {
        let Some(reservation) = self.cache.reserve_turn() else { return speech };
        let voice = speech.voice().clone();
        let recorded = RecordedSpeech::new(speech, Arc::clone(&self.cache), digest, reservation);
        Speech::new(Arc::new(recorded), voice)
    }
}
