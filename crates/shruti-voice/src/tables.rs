//! The acoustic data of `data/`: read once, then only looked up.

mod language;
mod noise;
mod source;
mod tsv;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;
use shruti_protocol::Language;
use shruti_text::phone::{Manner, Phonation, Place, Symbol};

use crate::Voice;

pub(crate) use language::{LanguageData, QuestionFocus};
pub(crate) use noise::{Follows, NoiseData};
pub(crate) use source::SourceData;

/// One speaker; the fields are explained in `data/voices.toml`.
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

/// A vowel on the reference tract.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VowelData {
    pub(crate) formants: [f32; 3],
    pub(crate) bandwidths: [f32; 3],
    /// Added to F1 and F2 when long, Hz.
    pub(crate) long: [f32; 2],
    /// Duration beside the mean of its class.
    pub(crate) duration: f32,
    /// Linear factor on the amplitude.
    pub(crate) level: f32,
}

/// Where formants head for at a place of articulation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceData {
    /// Loci before front and before back vowels, of F1 to F3 (F1 the same twice).
    pub(crate) front: [f32; 3],
    pub(crate) back: [f32; 3],
    /// Share of the vowel in the locus.
    pub(crate) slope: [f32; 3],
    /// Shift of F4, Hz.
    pub(crate) f4_shift: f32,
    /// From release to vowel, and from vowel to closure, ms.
    pub(crate) cv_ms: f32,
    pub(crate) vc_ms: f32,
}

/// The inside of a sonorant consonant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SonorantData {
    pub(crate) formants: [f32; 3],
    pub(crate) slope: [f32; 3],
    pub(crate) bandwidths: [f32; 3],
    /// Pole and zero of a side branch, if it has one.
    pub(crate) branch: Option<[f32; 2]>,
    /// How near the formants are at the boundary, 0.5 to 1.
    pub(crate) hold: f32,
    pub(crate) level: f32,
    /// Damping of the source's high end, 0 to 1.
    pub(crate) tilt: f32,
    /// From the boundary to the inside, ms.
    pub(crate) into_ms: f32,
}

/// Everything the voice looks up.
pub(crate) struct Tables {
    speakers: [Speaker; 2],
    languages: Vec<LanguageData>,
    vowels: Vec<VowelData>,
    places: Vec<PlaceData>,
    sonorants: Vec<Option<SonorantData>>,
    noises: Vec<NoiseData>,
    pub(crate) source: SourceData,
}

const PLACES: [(Place, &str); 10] = [
    (Place::Bilabial, "bilabial"),
    (Place::Labiodental, "labiodental"),
    (Place::Dental, "dental"),
    (Place::Alveolar, "alveolar"),
    (Place::Postalveolar, "postalveolar"),
    (Place::Retroflex, "retroflex"),
    (Place::Palatal, "palatal"),
    (Place::Velar, "velar"),
    (Place::Uvular, "uvular"),
    (Place::Glottal, "glottal"),
];

static TABLES: LazyLock<Tables> = LazyLock::new(|| match Tables::parse() {
    Ok(tables) => tables,
    // The data is part of the program and a test reads it: this is a broken build, not a state of the world.
    Err(fault) => panic!("the embedded acoustic data is broken: {fault}"),
});

/// The linear factor of a level in dB.
pub(crate) fn linear(decibels: f32) -> f32 {
    libm::powf(10.0, decibels / 20.0)
}

impl Tables {
    /// The embedded tables; the first call reads them.
    pub(crate) fn get() -> &'static Self {
        #[cfg(feature = "tuning")]
        if let Some(tables) = crate::tuning::Trial::present() {
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
            vowels: vowels()?,
            places: places()?,
            sonorants: sonorants()?,
            noises: noise::parse()?,
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
        // the enum is declared in the order of `Language::ALL`
        &self.languages[language as usize]
    }

    /// The vowel of a symbol as a language has it; consonants get the neutral vowel.
    pub(crate) fn vowel_in(&self, symbol: Symbol, language: Language) -> VowelData {
        let mut data = *self.vowel(symbol);
        let own = &self.language(language).vowel_formants;
        // most languages have none, so that the look-up costs nothing
        if let Some(factors) = own.get(symbol.ipa()) {
            for (k, factor) in factors.iter().enumerate() {
                data.formants[k] *= factor;
                data.long[k] *= factor;
            }
        }
        data
    }

    /// The vowel of a symbol; consonants get the neutral vowel.
    pub(crate) fn vowel(&self, symbol: Symbol) -> &VowelData {
        let symbol = if symbol.is_vowel() { symbol } else { Symbol::Schwa };
        &self.vowels[symbol as usize]
    }

    pub(crate) fn place(&self, place: Place) -> &PlaceData {
        let row = PLACES.iter().position(|(other, _)| *other == place);
        &self.places[row.unwrap_or(0)]
    }

    pub(crate) fn sonorant(&self, symbol: Symbol) -> Option<&SonorantData> {
        self.sonorants[symbol as usize].as_ref()
    }

    /// The spectrum of a consonant's burst or friction.
    pub(crate) fn noise(&self, symbol: Symbol) -> &NoiseData {
        let name = noise_name(symbol);
        let row = self.noises.iter().position(|noise| noise.name == name);
        &self.noises[row.unwrap_or(0)]
    }
}

/// Which row of `noise.tsv` a consonant's noise is.
const fn noise_name(symbol: Symbol) -> Symbol {
    match symbol {
        Symbol::Z => Symbol::S,
        Symbol::Zh => Symbol::Sh,
        Symbol::Gamma => Symbol::X,
        _ => match (symbol.manner(), symbol.place()) {
            (Manner::Stop, Place::Bilabial) => Symbol::P,
            (Manner::Stop, Place::Dental) => Symbol::T,
            (Manner::Stop, Place::Alveolar) => Symbol::AlvT,
            (Manner::Stop, Place::Retroflex) => Symbol::Tt,
            (Manner::Stop, Place::Uvular) => Symbol::Q,
            (Manner::Stop, _) => Symbol::K,
            (Manner::Affricate, Place::Alveolar) => Symbol::Ts,
            (Manner::Affricate, _) => Symbol::C,
            (
                Manner::Fricative,
                Place::Labiodental | Place::Alveolar | Place::Postalveolar | Place::Retroflex | Place::Velar,
            ) if matches!(symbol.phonation(), Phonation::Voiceless) => symbol,
            _ => Symbol::VlH,
        },
    }
}

/// The text of a data file: the embedded one.
#[cfg(not(feature = "tuning"))]
fn data(_name: &str, embedded: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(embedded)
}

/// The text of a data file: the one under trial, or the one in the folder under trial, if there is one.
#[cfg(feature = "tuning")]
fn data(name: &str, embedded: &'static str) -> Cow<'static, str> {
    let in_folder = || {
        let folder = std::env::var_os("SHRUTI_VOICE_DATA")?;
        std::fs::read_to_string(std::path::Path::new(&folder).join(name)).ok()
    };
    crate::tuning::file(name).or_else(in_folder).map_or(Cow::Borrowed(embedded), Cow::Owned)
}

fn symbol_of(ipa: &str) -> Result<Symbol, String> {
    Symbol::ALL
        .iter()
        .copied()
        .find(|symbol| symbol.ipa() == ipa)
        .ok_or_else(|| format!("'{ipa}' is no phone of the inventory"))
}

fn vowels() -> Result<Vec<VowelData>, String> {
    let mut vowels = vec![None; Symbol::ALL.len()];
    for row in tsv::rows::<10>("vowels.tsv", &data("vowels.tsv", include_str!("../data/vowels.tsv")))? {
        let n = row.numbers;
        vowels[symbol_of(row.name)? as usize] = Some(VowelData {
            formants: [n[0], n[1], n[2]],
            bandwidths: [n[3], n[4], n[5]],
            long: [n[6], n[7]],
            duration: n[8],
            level: linear(n[9]),
        });
    }
    if let Some(missing) = Symbol::ALL.iter().find(|s| s.is_vowel() && vowels[**s as usize].is_none()) {
        return Err(format!("vowels.tsv has no '{}'", missing.ipa()));
    }
    Ok(vowels.into_iter().map(Option::unwrap_or_default).collect())
}

fn places() -> Result<Vec<PlaceData>, String> {
    let text = data("places.tsv", include_str!("../data/places.tsv"));
    let rows = tsv::rows::<11>("places.tsv", &text)?;
    PLACES
        .iter()
        .map(|(_, name)| {
            let row = rows
                .iter()
                .find(|row| row.name == *name)
                .ok_or_else(|| format!("places.tsv has no '{name}'"))?;
            let n = row.numbers;
            Ok(PlaceData {
                front: [n[0], n[2], n[5]],
                back: [n[0], n[3], n[6]],
                slope: [n[1], n[4], n[7]],
                f4_shift: n[8],
                cv_ms: n[9],
                vc_ms: n[10],
            })
        })
        .collect()
}

fn sonorants() -> Result<Vec<Option<SonorantData>>, String> {
    let mut sonorants = vec![None; Symbol::ALL.len()];
    for row in
        tsv::rows::<15>("sonorants.tsv", &data("sonorants.tsv", include_str!("../data/sonorants.tsv")))?
    {
        let n = row.numbers;
        sonorants[symbol_of(row.name)? as usize] = Some(SonorantData {
            formants: [n[0], n[1], n[2]],
            slope: [n[3], n[4], n[5]],
            bandwidths: [n[6], n[7], n[8]],
            branch: (n[10] > 0.0).then_some([n[9], n[10]]),
            hold: n[11],
            level: linear(n[12]),
            tilt: n[13],
            into_ms: n[14],
        });
    }
    // A breathy flap is a flap with breath after it.
    sonorants[Symbol::Rdh as usize] = sonorants[Symbol::Rd as usize];
    let wanted = |symbol: Symbol| {
        matches!(
            symbol.manner(),
            Manner::Nasal | Manner::Lateral | Manner::Tap | Manner::Trill | Manner::Approximant
        )
    };
    if let Some(missing) = Symbol::ALL.iter().find(|s| wanted(**s) && sonorants[**s as usize].is_none()) {
        return Err(format!("sonorants.tsv has no '{}'", missing.ipa()));
    }
    Ok(sonorants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_data_reads_and_covers_the_inventory() {
        let tables = Tables::parse().unwrap();
        for &symbol in Symbol::ALL {
            assert!(tables.vowel(symbol).formants[0] > 200.0, "{symbol:?}");
            assert!(tables.noise(symbol).peaks.len() == 4, "{symbol:?}");
        }
        let u = |language| tables.vowel_in(Symbol::U, language).formants;
        assert_eq!(u(Language::Hindi), tables.vowel(Symbol::U).formants);
        assert!(u(Language::Telugu)[0] > u(Language::Hindi)[0], "its own table has another u");
        for noisy in
            [Symbol::P, Symbol::Dh, Symbol::Tth, Symbol::Jh, Symbol::Dz, Symbol::Q, Symbol::Z, Symbol::Ss]
        {
            assert_eq!(tables.noise(noisy).name, noise_name(noisy), "{noisy:?} has its own spectrum");
        }
    }
}
