//! Turns from the cache: a turn that a learned voice has spoken before is replayed instead of synthesized.
//!
//! This needs the whole text of the turn when the turn starts. The first time, only a hash of the text is kept, in
//! memory; most turns are never repeated and need no disk space. The second time, the turn is
//! [recorded](recorded::RecordedSpeech), and from then on it is [replayed](replayed::ReplayedSpeech). Rule-based voices
//! are faster than a disk, so their turns are not cached.

mod chunks;
mod recorded;
mod replayed;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use shruti_engine::turn::TurnSettings;
use shruti_engine::{Engine, Request, SpeakError, Speech};
use shruti_lang::VoiceEngine;
use shruti_store::KeyRecord;
use shruti_text::Lexicon;

use self::recorded::RecordedSpeech;
use self::replayed::ReplayedSpeech;
use super::identity::{is_repeatable, owner, turn_fields};
use crate::clips::{ClipCache, ClipDigest};
use crate::lexicons;

/// Cache of the turns of one conversation.
pub(crate) struct TurnCache {
    cache: Arc<ClipCache>,
    /// Owner of the turns: the account or the key.
    owner: String,
    /// Lexicon of the last repeated turn, and its digest.
    lexicon: Mutex<Option<(Arc<Lexicon>, [u8; 32])>>,
}

impl TurnCache {
    /// Creates the cache for a conversation of a key.
    pub(crate) fn new(cache: Arc<ClipCache>, key: &KeyRecord) -> Self {
        let owner = owner(key, cache.is_shared());
        Self { cache, owner, lexicon: Mutex::default() }
    }

    /// Starts the stream of a turn with its whole text: from the cache if possible, otherwise from the engine.
    pub(crate) fn speak(
        &self,
        engine: &Arc<Engine>,
        request: Request,
        settings: &TurnSettings,
        text: &str,
    ) -> Result<Speech, SpeakError> {
        let is_learned =
            request.binding.as_ref().is_some_and(|binding| binding.engine() == VoiceEngine::Learned);
        let voices = engine.voices();
        let Some(voice) = voices.find(settings.voice.as_str()) else { return engine.speak(request) };
        let is_built_in = !engine.choices(voice).is_empty() && is_repeatable(&voices, voice);
        if !is_learned || !is_built_in || text.trim().is_empty() {
            return engine.speak(request);
        }
        let name = voice.name().clone();
        drop(voices);
        let fields = turn_fields(&self.owner, &name, settings, text);
        // computing the digest of a lexicon takes time, and most turns are not repeated
        if !self.cache.note_request(ClipDigest::new(fields.clone())) {
            return engine.speak(request);
        }
        let digest = ClipDigest::new(fields.with("lexicon", self.digest_of(&request.lexicon)));
        let (cache, engine) = (Arc::clone(&self.cache), Arc::clone(engine));
        let synthesize = move || {
            let speech = engine.speak(request)?;
            let voice = speech.voice().clone();
            Ok(Speech::new(Arc::new(RecordedSpeech::new(speech, cache, digest)), voice))
        };
        if self.cache.is_missing(&digest) {
            return synthesize();
        }
        let replayed = ReplayedSpeech::new(Arc::clone(&self.cache), digest, text.to_owned(), synthesize);
        Ok(Speech::new(Arc::new(replayed), name))
    }

    fn digest_of(&self, lexicon: &Arc<Lexicon>) -> [u8; 32] {
        let mut last = self.lexicon.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, digest)) if Arc::ptr_eq(known, lexicon) => *digest,
            _ => {
                let digest = lexicons::digest(lexicon);
                *last = Some((Arc::clone(lexicon), digest));
                digest
            }
        }
    }
}
