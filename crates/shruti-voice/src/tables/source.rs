//! Parameters of the source and of nasal vowels, from `data/source.toml`. The file documents the fields.

use serde::Deserialize;

macro_rules! section {
    ($(#[$about:meta])* $name:ident { $($field:ident)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(pub(crate) $field: f32,)*
        }
    };
}

section! { /// Amplitudes of the noises relative to the voice.
Scale { breath friction } }
section! { /// Variation of the voice: within a period, with pitch, with stress, and random.
Phonation {
    noise_depth rd_pitch level_pitch rd_prominence rd_random formant_wander formant_wander_ms
} }
section! { /// Creak at the end of a sentence.
Creak { below rd f0 period amplitude } }
section! { /// Closure of stops and affricates.
Closure { bar tilt weakening leak leak_tilt hiss dying_ms } }
section! { /// Release of stops and affricates.
Release {
    start end affricate_start affricate_end voiced voiced_tilt plain_breath aspirated_breath breathy_breath
    breathy_voice breathy_rd damping approach approach_ms
} }
section! { /// Fricatives.
Friction { voiced voice voice_tilt edge rise_ms fall_ms last_ms overlap_ms } }
section! { /// The glottal fricatives h and ɦ.
Glottal { breath voiced_breath voice rd edge damping } }
section! { /// Transitions between vowels and their neighbours.
Vowel {
    aspirated_rd aspirated_breath rise_ms rise_voiceless_ms rise_voiced_ms fall_ms fall_voiceless_ms fall_last_ms
} }
section! { /// Taps.
Tap { edge } }
section! { /// Trills.
Trill { contact tilt } }
section! { /// Nasal vowels.
NasalVowel { pole zero veil_pole veil_zero damping centring } }

/// Contents of `data/source.toml`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceData {
    pub(crate) scale: Scale,
    pub(crate) phonation: Phonation,
    pub(crate) creak: Creak,
    pub(crate) closure: Closure,
    pub(crate) release: Release,
    pub(crate) friction: Friction,
    pub(crate) glottal: Glottal,
    pub(crate) vowel: Vowel,
    pub(crate) tap: Tap,
    pub(crate) trill: Trill,
    pub(crate) nasal_vowel: NasalVowel,
}

pub(super) fn parse() -> Result<SourceData, String> {
    toml::from_str(&super::data("source.toml", include_str!("../../data/source.toml")))
        .map_err(|e| format!("source.toml: {e}"))
}
