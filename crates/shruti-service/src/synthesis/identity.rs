//! Identity of clips and turns: the inputs that determine their bytes.

use shruti_audio::Format;
use shruti_backend::Description;
use shruti_engine::turn::TurnSettings;
use shruti_engine::{Engine, Voice, Voices};
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_protocol::SynthesisRequest;
use shruti_store::KeyRecord;
use shruti_text::Lexicon;

use crate::clips::{ClipDigest, FieldHash, program};

/// Identity of a clip, and whether its bytes are deterministic.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Name of the clip.
    pub(crate) digest: ClipDigest,
    /// Kind of synthesis that is used if it has capacity; `None` if the voice has only one kind.
    synthesis: Option<VoiceEngine>,
    is_repeatable: bool,
}

impl Identity {
    /// Returns the identity of a clip for a key. `lexicon` includes the entries of the request. `is_shared` is `true` if
    /// accounts share clips.
    pub(crate) fn of(
        engine: &Engine,
        key: &KeyRecord,
        is_shared: bool,
        voice: &VoiceId,
        request: &SynthesisRequest,
        format: Format,
        lexicon: &Lexicon,
    ) -> Self {
        let voices = engine.voices();
        let found = voices.find(voice.as_str());
        let has_choice = found.is_some_and(|voice| !engine.choices(voice).is_empty());
        let wanted = request.engine.unwrap_or_else(|| engine.voice_engine());
        let synthesis = has_choice.then_some(match wanted {
            VoiceEngine::Rules => VoiceEngine::Rules,
            VoiceEngine::Auto | VoiceEngine::Learned => VoiceEngine::Learned,
        });
        let is_repeatable = found.is_some_and(|voice| is_repeatable(&voices, voice));
        let clarity = request.clarity.unwrap_or(Clarity::default_for(format.sample_rate()));
        let hash = FieldHash::new("clip")
            .with("program", program())
            .with("owner", owner(key, is_shared))
            .with("voice", voice.as_str())
            .with("language", request.language.map_or("", Language::code))
            .with("text", request.text.trim())
            .with("speed", request.speed.to_bits().to_le_bytes())
            .with("pitch", request.pitch.to_bits().to_le_bytes())
            .with("clarity", format!("{clarity:?}"))
            .with("format", format.to_string())
            .with("synthesis", format!("{synthesis:?}"))
            .with("lexicon", lexicon.digest());
        Self { digest: ClipDigest::new(hash), synthesis, is_repeatable }
    }

    /// Returns whether the clip may be cached if the kind of synthesis `engine` produced it.
    pub(crate) fn may_be_kept(&self, engine: &str) -> bool {
        // `auto` falls back to the rules when the learned voices have no capacity
        let is_learned = engine == LEARNED;
        self.is_repeatable
            && self.synthesis.is_none_or(|synthesis| is_learned == (synthesis == VoiceEngine::Learned))
    }

    /// Returns whether the same request always returns the same bytes.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }
}

/// Returns the digest of a turn of a learned voice.
pub(super) fn turn_digest(owner: &str, voice: &VoiceId, settings: &TurnSettings, text: &str) -> ClipDigest {
    let hash = FieldHash::new("turn")
        .with("program", program())
        .with("owner", owner)
        .with("voice", voice.as_str())
        .with("language", settings.language.map_or("", Language::code))
        // not trimmed, because the positions of words count from the start of the text
        .with("text", text)
        .with("speed", settings.speed.to_bits().to_le_bytes())
        .with("pitch", settings.pitch.to_bits().to_le_bytes())
        .with("clarity", format!("{:?}", settings.clarity))
        .with("lexicon", settings.lexicon.digest());
    ClipDigest::new(hash)
}

/// Returns the owner of the clips that a key adds to the cache: the key's account, the key itself if it has no account,
/// or everyone if `is_shared` is `true`.
pub(super) fn owner(key: &KeyRecord, is_shared: bool) -> String {
    match &key.account {
        _ if is_shared => "all".to_owned(),
        Some(account) => format!("account {}", account.as_str()),
        None => format!("key {}", key.prefix),
    }
}

/// Name of the kind of synthesis that the learned voices use.
pub(super) const LEARNED: &str = "learned";

/// Returns whether a voice always returns the same samples for a text. All back ends of the voice must do so, because
/// words in another language may use another back end.
pub(super) fn is_repeatable(voices: &Voices, voice: &Voice) -> bool {
    voices.languages_of(voice).all(|spoken| repeats(spoken.backend))
}

/// Returns whether a back end always returns the same samples on this machine. The built-in learned voices do, but not
/// across processor types. Voice packs, which have a separate licence, give no guarantee.
fn repeats(backend: &Description) -> bool {
    backend.deterministic || backend.engine == LEARNED && backend.licence.is_none()
}
