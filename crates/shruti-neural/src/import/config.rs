//! Parser for `FILE.onnx.json`, the configuration file of a Piper voice.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use serde::Deserialize;

use shruti_packs::{InputKind, PackVoice, Scales};

/// Maximum size of the file, in bytes.
pub(crate) const MAX_BYTES: u64 = 1 << 20;
const MAX_SYMBOLS: usize = 5_000;

/// Error in the configuration file of a Piper voice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file is not valid JSON, or a field is missing or has the wrong type.
    #[error("the voice's .json: {0}")]
    Syntax(String),
    /// A field has an invalid value.
    #[error("the voice's .json: `{field}` is {found}; it must be {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Actual value.
        found: String,
        /// Valid values.
        expected: &'static str,
    },
    /// The requested voices do not match the voices in the file.
    #[error("{0}")]
    Voices(String),
}

#[derive(Deserialize)]
struct Raw {
    audio: Audio,
    #[serde(default)]
    espeak: Option<Espeak>,
    #[serde(default)]
    inference: Inference,
    #[serde(default)]
    phoneme_type: Option<String>,
    phoneme_id_map: BTreeMap<String, Vec<u32>>,
    #[serde(default)]
    num_speakers: Option<u32>,
    #[serde(default)]
    language: Option<RawLanguage>,
    #[serde(default)]
    dataset: Option<String>,
    #[serde(default)]
    speaker_id_map: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
struct RawLanguage {
    family: String,
}

#[derive(Deserialize)]
struct Audio {
    sample_rate: u32,
}

#[derive(Deserialize)]
struct Espeak {
    voice: String,
}

#[derive(Deserialize)]
#[serde(default)]
struct Inference {
    noise_scale: f32,
    length_scale: f32,
    noise_w: f32,
}

impl Default for Inference {
    fn default() -> Self {
        // Piper's defaults for values that the file omits
        Self { noise_scale: 0.667, length_scale: 1.0, noise_w: 0.8 }
    }
}

/// Configuration of a Piper voice. Unknown fields are ignored, because Piper defines the format and may add fields.
#[derive(Clone, Debug, PartialEq)]
pub struct PiperConfig {
    /// Sample rate, in Hz.
    pub rate: u32,
    /// Notation of the symbols.
    pub kind: InputKind,
    /// espeak-ng voice that the model was trained with.
    pub dialect: Option<String>,
    /// Values for the input `scales`.
    pub scales: Scales,
    /// IDs of each symbol.
    pub ids: BTreeMap<String, Vec<u32>>,
    /// Number of speakers, at least 1.
    pub speakers: u32,
    /// Language code as the file writes it, for example `te`.
    pub language: Option<String>,
    /// Training data set, which is usually the name of the voice.
    pub dataset: Option<String>,
    /// Speaker names in the file, by speaker number.
    pub speaker_names: BTreeMap<u32, String>,
}

impl PiperConfig {
    /// Parses and checks the file. Values for which a pack manifest has limits are checked later, with the manifest.
    pub fn parse(json: &[u8]) -> Result<Self, ConfigError> {
        let raw: Raw =
            serde_json::from_slice(json).map_err(|error| ConfigError::Syntax(error.to_string()))?;
        let wrong = |field, found: String, expected| Err(ConfigError::Field { field, found, expected });
        let kind = match raw.phoneme_type.as_deref() {
            None | Some("espeak") => InputKind::Espeak,
            Some("text") => InputKind::Characters,
            Some("phones") => InputKind::Phones,
            Some(other) => {
                return wrong("phoneme_type", format!("{other:?}"), "\"espeak\", \"text\" or \"phones\"");
            }
        };
        let count = raw.phoneme_id_map.len();
        if !(1..=MAX_SYMBOLS).contains(&count) {
            return wrong(
                "phoneme_id_map",
                format!("a map of {count} symbols"),
                "a map of 1 to 5,000 symbols",
            );
        }
        for (symbol, ids) in &raw.phoneme_id_map {
            let is_plain =
                !symbol.is_empty() && symbol.chars().count() <= 16 && !symbol.chars().any(char::is_control);
            let is_number = (1..=8).contains(&ids.len()) && ids.iter().all(|&id| id <= 65_535);
            if !is_plain || !is_number {
                let found = format!("{symbol:?}: {ids:?}");
                return wrong(
                    "phoneme_id_map",
                    found,
                    "symbols of 1 to 16 characters, each with 1 to 8 numbers from 0 to 65,535",
                );
            }
        }
        for symbol in ["^", "_", "$"] {
            if !raw.phoneme_id_map.contains_key(symbol) {
                return wrong(
                    "phoneme_id_map",
                    format!("a map without {symbol:?}"),
                    "a map with \"^\", \"_\" and \"$\"",
                );
            }
        }
        let speakers = raw.num_speakers.unwrap_or(1).max(1);
        if speakers > 1_000 {
            return wrong("num_speakers", speakers.to_string(), "at most 1,000");
        }
        let Inference { noise_scale, length_scale, noise_w } = raw.inference;
        Ok(Self {
            rate: raw.audio.sample_rate,
            kind,
            dialect: raw.espeak.map(|espeak| espeak.voice).filter(|_| kind == InputKind::Espeak),
            scales: Scales { noise: noise_scale, length: length_scale, duration_noise: noise_w },
            ids: raw.phoneme_id_map,
            speakers,
            language: raw.language.map(|language| language.family),
            dataset: raw.dataset,
            speaker_names: raw.speaker_id_map.into_iter().map(|(name, number)| (number, name)).collect(),
        })
    }

    /// Returns the symbol table in the format of packs.
    pub fn symbols(&self) -> String {
        self.ids.iter().fold(String::new(), |mut table, (symbol, ids)| {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            // writing to a `String` cannot fail
            let _ = writeln!(table, "{symbol}\t{}", ids.join(" "));
            table
        })
    }

    /// Checks that the requested voices match the voices in the file.
    pub(crate) fn check_voices(&self, voices: &[PackVoice], has_speakers: bool) -> Result<(), ConfigError> {
        let speakers: HashSet<Option<u32>> = voices.iter().map(|voice| voice.speaker).collect();
        let known = |speaker: &Option<u32>| match speaker {
            None => !has_speakers,
            Some(speaker) => has_speakers && *speaker < self.speakers,
        };
        if speakers.iter().all(known) {
            return Ok(());
        }
        let has = if has_speakers {
            format!("speakers 0 to {}", self.speakers - 1)
        } else {
            "no speakers".to_owned()
        };
        Err(ConfigError::Voices(format!("the graph has {has}, which do not match the requested voices")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const JSON: &str = r#"{"audio": {"sample_rate": 22050, "quality": "medium"}, "espeak": {"voice": "te"},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8}, "phoneme_type": "espeak",
        "phoneme_id_map": {"_": [0], "^": [1], "$": [2], " ": [3], "a": [14, 15]}, "num_speakers": 1,
        "language": {"code": "te_IN", "family": "te"}, "dataset": "padmavathi", "speaker_id_map": {"maya": 0}}"#;

    #[test]
    fn a_standard_file_is_parsed() {
        let config = PiperConfig::parse(JSON.as_bytes()).unwrap();
        assert_eq!((config.rate, config.speakers, config.kind), (22_050, 1, InputKind::Espeak));
        assert_eq!(config.dialect.as_deref(), Some("te"));
        assert_eq!((config.language.as_deref(), config.dataset.as_deref()), (Some("te"), Some("padmavathi")));
        assert_eq!(config.speaker_names, BTreeMap::from([(0, "maya".to_owned())]));
        assert_eq!(config.symbols(), " \t3\n$\t2\n^\t1\n_\t0\na\t14 15\n");
    }

    #[test]
    fn the_symbol_type_is_parsed() {
        for (found, kind) in [("text", InputKind::Characters), ("phones", InputKind::Phones)] {
            let json =
                JSON.replace("\"phoneme_type\": \"espeak\"", &format!("\"phoneme_type\": \"{found}\""));
            let config = PiperConfig::parse(json.as_bytes()).unwrap();
            assert_eq!((config.kind, config.dialect), (kind, None));
        }
    }

    #[test]
    fn unsupported_values_are_named() {
        for (from, to, named) in [
            ("\"espeak\",", "\"pinyin\",", "`phoneme_type` is \"pinyin\""),
            ("\"_\": [0]", "\"-\": [0]", "without \"_\""),
            ("\"a\"", "\"a\\n\"", "`phoneme_id_map`"),
            ("[14, 15]", "[]", "`phoneme_id_map`"),
            ("[14, 15]", "[65536]", "`phoneme_id_map`"),
            ("[14, 15]", "[-1]", "-1"),
            ("\"num_speakers\": 1", "\"num_speakers\": 1001", "`num_speakers`"),
            ("\"audio\"", "\"sound\"", "audio"),
        ] {
            let json = JSON.replacen(from, to, 1);
            assert_ne!(json, JSON, "{from}");
            let error = PiperConfig::parse(json.as_bytes()).expect_err(to).to_string();
            assert!(error.contains(named), "{to}: {error}");
        }
    }
}
