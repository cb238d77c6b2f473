//! Acoustic data of `data/`: parsed once, then read-only.

mod language;
mod noise;
mod phones;
#[cfg(feature = "tuning")]
pub(crate) mod replaced;
mod source;
mod tsv;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;
use shruti_lang::Language;

use crate::Voice;

pub(crate) use language::{LanguageData, QuestionFocus};
pub(crate) use noise::PeakFrequency;
pub(crate) use phones::PhoneTables;
pub(crate) use source::SourceData;

/// Data of one speaker; `data/voices.toml` documents the fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Speaker {
    pub(crate) f0: f32,
    pub(crate) range: f32,
    pub(crate) f1_scale: [f32; 2],
    pub(crate) f2_scale: [f32; 3],
    pub(crate) f3_scale: [f32; 2],
    pub(crate) upper: [f32; 4],
    pub(crate) upper_bandwidths: [f32; 4],
    pub(crate) bandwidth_scale: f32,
    pub(crate) noise_scale: f32,
    pub(crate) nasal: [f32; 2],
    pub(crate) rd: f32,
    pub(crate) rd_final: f32,
    pub(crate) closure_rd: f32,
    pub(crate) breath: f32,
    pub(crate) turbulence: f32,
    pub(crate) frication: f32,
    pub(crate) jitter: f32,
    pub(crate) shimmer: f32,
    pub(crate) drift: f32,
    pub(crate) shelf: f32,
    pub(crate) shelf_corner: f32,
    pub(crate) presence: f32,
    pub(crate) presence_corner: f32,
    pub(crate) air: f32,
    pub(crate) air_corner: f32,
    pub(crate) gain: f32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speakers {
    ananya: Speaker,
    arjun: Speaker,
}

/// All acoustic data.
pub(crate) struct Tables {
    speakers: [Speaker; 2],
    languages: Vec<LanguageData>,
    phones: Vec<PhoneTables>,
    pub(crate) source: SourceData,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| match Tables::parse() {
    Ok(tables) => tables,
    // The data is part of the binary and covered by a test, so an error means that the build is broken.
    Err(fault) => panic!("invalid embedded acoustic data: {fault}"),
});

/// Converts a level in dB to a linear factor.
pub(crate) fn linear(decibels: f32) -> f32 {
    libm::powf(10.0, decibels / 20.0)
}

impl Tables {
    /// Returns the embedded tables; the first call parses them.
    pub(crate) fn get() -> &'static Self {
        #[cfg(feature = "tuning")]
        if let Some(tables) = replaced::tables() {
            return tables;
        }
        &TABLES
    }

    pub(crate) fn parse() -> Result<Self, String> {
        let speakers: Speakers = toml::from_str(&data("voices.toml", include_str!("../data/voices.toml")))
            .map_err(|e| format!("voices.toml: {e}"))?;
        Ok(Self {
            speakers: [speakers.ananya, speakers.arjun],
            languages: LanguageData::parse_all()?,
            phones: PhoneTables::parse_all()?,
            source: source::parse()?,
        })
    }

    pub(crate) fn speaker(&self, voice: Voice) -> &Speaker {
        match voice {
            Voice::Ananya => &self.speakers[0],
            Voice::Arjun => &self.speakers[1],
        }
    }

    pub(crate) fn language(&self, language: Language) -> &LanguageData {
        // the data is in the order of `Language::ALL`, which is the order of the enum's variants
        &self.languages[language as usize]
    }

    /// Returns the phone tables of a language.
    pub(crate) fn phones(&self, language: Language) -> &PhoneTables {
        // the tables are also in the order of `Language::ALL`
        &self.phones[language as usize]
    }
}

/// Returns the text of an embedded data file.
#[cfg(not(feature = "tuning"))]
fn data(_name: &str, embedded: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(embedded)
}

/// Returns the text of a data file: from the trial that is being parsed, otherwise from the folder in
/// `SHRUTI_VOICE_DATA`, otherwise the embedded text.
#[cfg(feature = "tuning")]
fn data(name: &str, embedded: &'static str) -> Cow<'static, str> {
    let in_folder = || {
        let folder = std::env::var_os("SHRUTI_VOICE_DATA")?;
        std::fs::read_to_string(std::path::Path::new(&folder).join(name)).ok()
    };
    replaced::file(name).or_else(in_folder).map_or(Cow::Borrowed(embedded), Cow::Owned)
}
