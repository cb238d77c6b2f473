//! What the bytes of a clip depend on.

use shruti_audio::Format;
use shruti_backend::Description;
use shruti_engine::Engine;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_protocol::SynthesisRequest;
use shruti_store::KeyRecord;

use crate::clips::{ClipDigest, FieldHash, program};
use crate::lexicons::Standing;

/// What the bytes of a clip depend on, and whether they are the same each time.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The name of the clip.
    pub(crate) digest: ClipDigest,
    /// The synthesis that speaks while there is room for it; `None` where there is no choice.
    synthesis: Option<VoiceEngine>,
    is_repeatable: bool,
}

impl Identity {
    /// The identity of a clip of a key. `is_shared`: whether it is the same for all accounts.
    pub(crate) fn of(
        engine: &Engine,
        key: &KeyRecord,
        is_shared: bool,
        voice: &VoiceId,
        request: &SynthesisRequest,
        format: Format,
        standing: &Standing,
    ) -> Self {
        let voices = engine.voices();
        let found = voices.find(voice.as_str());
        let has_choice = found.is_some_and(|voice| !engine.choices(voice).is_empty());
        let wanted = request.engine.unwrap_or_else(|| engine.voice_engine());
        let synthesis = has_choice.then_some(match wanted {
            VoiceEngine::Rules => VoiceEngine::Rules,
            VoiceEngine::Auto | VoiceEngine::Learned => VoiceEngine::Learned,
        });
        // words of another language may go to what speaks that, so all have to be repeatable
        let is_repeatable =
            found.is_some_and(|voice| voices.languages_of(voice).all(|spoken| repeats(spoken.backend)));
        let owner = match &key.account {
            _ if is_shared => "all".to_owned(),
            Some(account) => format!("account {}", account.as_str()),
            None => format!("key {}", key.prefix),
        };
        let clarity = request.clarity.unwrap_or(Clarity::usual(format.sample_rate()));
        let hash = FieldHash::new("clip")
            .with("program", program())
            .with("owner", owner)
            .with("voice", voice.as_str())
            .with("language", request.language.map_or("", Language::code))
            .with("text", request.text.trim())
            .with("speed", request.speed.to_bits().to_le_bytes())
            .with("pitch", request.pitch.to_bits().to_le_bytes())
            .with("clarity", format!("{clarity:?}"))
            .with("format", format.to_string())
            .with("synthesis", format!("{synthesis:?}"))
            .with("lexicon", standing.digest);
        let hash = request.lexicon.iter().fold(hash, |hash, (word, reading)| hash.with(word, reading));
        Self { digest: ClipDigest::new(hash), synthesis, is_repeatable }
    }

    /// Whether a clip that was spoken by a kind of synthesis can stand for every later one.
    pub(crate) fn may_be_kept(&self, engine: &str) -> bool {
        // `auto` falls back to the rules while there is no room for the learned voices
        let is_learned = engine == LEARNED;
        self.is_repeatable
            && self.synthesis.is_none_or(|synthesis| is_learned == (synthesis == VoiceEngine::Learned))
    }

    /// Whether the same request gives the same bytes.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }
}

/// The kind of synthesis of the learned voices.
const LEARNED: &str = "learned";

/// Whether a back end gives the same samples each time on this machine. The built-in learned voices do, though not
/// across processors; packs, which are those with a licence of their own, promise nothing.
fn repeats(backend: &Description) -> bool {
    backend.deterministic || backend.engine == LEARNED && backend.licence.is_none()
}
