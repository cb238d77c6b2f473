//! Durations and intonation of a language, from `data/languages/`.

use serde::Deserialize;
use shruti_lang::{Language, for_each_language};

/// Data of one language. The file of the language documents the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LanguageData {
    pub(crate) level: Level,
    pub(crate) vowel: Vowels,
    pub(crate) consonant: Consonants,
    pub(crate) release: Releases,
    pub(crate) rhythm: Rhythm,
    pub(crate) pause: Pauses,
    pub(crate) melody: Melody,
}

/// Loudness correction relative to the other languages, in dB.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Level {
    pub(crate) gain: f32,
}

/// Mean durations of vowels, in ms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vowels {
    pub(crate) short: f32,
    pub(crate) long: f32,
}

/// Mean durations of consonants, in ms. The values for stops and affricates are the durations of their closures.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Consonants {
    pub(crate) stop: f32,
    pub(crate) voiced_stop: f32,
    pub(crate) affricate: f32,
    pub(crate) fricative: f32,
    pub(crate) voiced_fricative: f32,
    pub(crate) glottal: f32,
    pub(crate) nasal: f32,
    pub(crate) lateral: f32,
    pub(crate) approximant: f32,
    pub(crate) tap: f32,
    pub(crate) trill: f32,
    pub(crate) geminate: f32,
}

/// Durations from the release of a stop to the start of the voice or to the end of the stop, in ms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Releases {
    pub(crate) plain: f32,
    pub(crate) velar: f32,
    pub(crate) aspirated: f32,
    pub(crate) breathy: f32,
    pub(crate) frication: f32,
    #[serde(rename = "final")]
    pub(crate) last: f32,
}

/// Factors by which durations are multiplied.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rhythm {
    #[serde(rename = "final")]
    pub(crate) last: f32,
    pub(crate) phrase: f32,
    pub(crate) breath: f32,
    pub(crate) function: f32,
    pub(crate) stressed: f32,
    pub(crate) unstressed: f32,
    pub(crate) polysyllabic: f32,
    pub(crate) cluster: f32,
    pub(crate) rate: f32,
}

/// Durations of pauses at speed 1, in ms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pauses {
    pub(crate) group: f32,
    pub(crate) breath: f32,
    pub(crate) comma: f32,
    pub(crate) clause: f32,
    pub(crate) sentence: f32,
    pub(crate) paragraph: f32,
}

/// Parameters of the intonation: intervals in semitones, and factors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Melody {
    pub(crate) rise: f32,
    pub(crate) low: f32,
    pub(crate) downstep: f32,
    pub(crate) declination: f32,
    pub(crate) final_low: f32,
    pub(crate) span: f32,
    pub(crate) continuation: f32,
    /// Phrase that contains the focus of a wh-question.
    pub(crate) question_focus: QuestionFocus,
    pub(crate) question: f32,
    /// Final height of a yes/no question after its peak (`question`); if `None`, the question ends at the peak.
    pub(crate) question_end: Option<f32>,
    pub(crate) question_word: f32,
    pub(crate) alternative: f32,
    pub(crate) group: f32,
    pub(crate) focus: f32,
    pub(crate) post_focus: f32,
    pub(crate) exclamation: f32,
    pub(crate) aside_range: f32,
    pub(crate) aside_drop: f32,
    pub(crate) paragraph: f32,
    pub(crate) variation: f32,
    pub(crate) tone_low: f32,
    pub(crate) tone_high: f32,
}

/// Phrase that contains the focus of a wh-question if no word is emphasised.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QuestionFocus {
    /// The first phrase, to which the question word moves.
    Initial,
    /// The second-to-last phrase. The last phrase contains the verb.
    Preverbal,
}

macro_rules! files {
    ($($variant:ident $module:ident $code:literal,)*) => {
        /// Language files by code, in the order of [`Language::ALL`].
        const FILES: [(&str, &str); Language::ALL.len()] =
            [$(($code, include_str!(concat!("../../data/languages/", $code, ".toml"))),)*];
    };
}
for_each_language!(files);

impl LanguageData {
    /// Parses the data of all languages, in the order of [`Language::ALL`].
    pub(super) fn parse_all() -> Result<Vec<Self>, String> {
        let parse = |(code, text): &(&str, &'static str)| {
            toml::from_str(&super::data(&format!("languages/{code}.toml"), text))
                .map_err(|e| format!("{code}.toml: {e}"))
        };
        FILES.iter().map(parse).collect()
    }
}
