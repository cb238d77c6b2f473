//! Acoustic data of the phones of each language, from `vowels.tsv`, `places.tsv`, `sonorants.tsv` and `noise.tsv`.
//!
//! A row with the name `i` applies to all languages. A row with the name `ml/i` replaces it in Malayalam.

use shruti_lang::Language;
use shruti_text::phone::{Manner, Phonation, Place, Symbol};

use super::noise::{self, NoiseData};
use super::tsv::{self, Row};
use super::{data, linear};

/// Acoustic data of a vowel, for the reference tract.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VowelData {
    pub(crate) formants: [f32; 3],
    pub(crate) bandwidths: [f32; 3],
    /// Offsets of F1 and F2 of the long vowel, in Hz.
    pub(crate) long: [f32; 2],
    /// Duration of a long vowel relative to the mean of all long vowels, and of a short vowel relative to the mean of
    /// all short vowels.
    pub(crate) duration: f32,
    /// Linear factor by which the amplitude is multiplied.
    pub(crate) level: f32,
}

impl VowelData {
    fn new(n: &[f32; 10]) -> Self {
        Self {
            formants: [n[0], n[1], n[2]],
            bandwidths: [n[3], n[4], n[5]],
            long: [n[6], n[7]],
            duration: n[8],
            level: linear(n[9]),
        }
    }
}

/// Formant loci of a place of articulation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceData {
    /// Loci of F1 to F3 before front vowels and before back vowels (F1 is the same for both).
    pub(crate) front: [f32; 3],
    pub(crate) back: [f32; 3],
    /// Contribution of the vowel to the locus, as a fraction.
    pub(crate) slope: [f32; 3],
    /// Shift of F4, in Hz.
    pub(crate) f4_shift: f32,
    /// Duration from the release to the vowel, and from the vowel to the closure, in ms.
    pub(crate) cv_ms: f32,
    pub(crate) vc_ms: f32,
}

impl PlaceData {
    fn new(n: &[f32; 11]) -> Self {
        Self {
            front: [n[0], n[2], n[5]],
            back: [n[0], n[3], n[6]],
            slope: [n[1], n[4], n[7]],
            f4_shift: n[8],
            cv_ms: n[9],
            vc_ms: n[10],
        }
    }
}

/// Steady state of a sonorant consonant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SonorantData {
    pub(crate) formants: [f32; 3],
    pub(crate) slope: [f32; 3],
    pub(crate) bandwidths: [f32; 3],
    /// Pole and zero of a side branch, in Hz, if there is one.
    pub(crate) branch: Option<[f32; 2]>,
    /// Fraction of the target that the formants reach at the boundary, 0.5 to 1.
    pub(crate) hold: f32,
    pub(crate) level: f32,
    /// Spectral tilt of the source, 0 to 1.
    pub(crate) tilt: f32,
    /// Duration from the boundary to the steady state, in ms.
    pub(crate) into_ms: f32,
}

impl SonorantData {
    fn new(n: &[f32; 15]) -> Self {
        Self {
            formants: [n[0], n[1], n[2]],
            slope: [n[3], n[4], n[5]],
            bandwidths: [n[6], n[7], n[8]],
            branch: (n[10] > 0.0).then_some([n[9], n[10]]),
            hold: n[11],
            level: linear(n[12]),
            tilt: n[13],
            into_ms: n[14],
        }
    }
}

/// Acoustic data of the phones of one language.
#[derive(Clone, Debug)]
pub(crate) struct PhoneTables {
    /// Vowels, indexed by symbol; default values for consonants.
    vowels: Vec<VowelData>,
    /// Places of articulation, in the order of [`PLACES`].
    places: Vec<PlaceData>,
    /// Sonorants, indexed by symbol; `None` for other phones.
    sonorants: Vec<Option<SonorantData>>,
    /// Noises, indexed by symbol; default values for symbols that [`noise_name`] never returns.
    noises: Vec<NoiseData>,
}

impl PhoneTables {
    /// Parses the data of all languages, in the order of [`Language::ALL`].
    pub(super) fn parse_all() -> Result<Vec<Self>, String> {
        let vowels = data("vowels.tsv", include_str!("../../data/vowels.tsv"));
        let vowels: Vec<Row<[f32; 10]>> = tsv::rows("vowels.tsv", &vowels)?;
        let places = data("places.tsv", include_str!("../../data/places.tsv"));
        let places: Vec<Row<[f32; 11]>> = tsv::rows("places.tsv", &places)?;
        let sonorants = data("sonorants.tsv", include_str!("../../data/sonorants.tsv"));
        let sonorants: Vec<Row<[f32; 15]>> = tsv::rows("sonorants.tsv", &sonorants)?;
        let noises = data("noise.tsv", include_str!("../../data/noise.tsv"));
        let noises = noise::rows("noise.tsv", &noises)?;
        let of_language = |&language: &Language| {
            let vowels = table(language, &vowels, symbol_of, VowelData::new)?;
            let places = table(language, &places, place_of, PlaceData::new)?;
            let mut sonorants = table(language, &sonorants, symbol_of, SonorantData::new)?;
            // A breathy flap is a flap followed by breath.
            sonorants[Symbol::Rdh as usize] = sonorants[Symbol::Rd as usize];
            let noises = table(language, &noises, symbol_of, NoiseData::clone)?;
            if let Some(missing) = (0..PLACES.len()).find(|&at| places[at].is_none()) {
                return Err(format!("places.tsv has no '{}'", PLACES[missing].1));
            }
            for &symbol in Symbol::ALL {
                let (file, there) = match symbol.manner() {
                    Manner::Vowel => ("vowels.tsv", vowels[symbol as usize].is_some()),
                    Manner::Stop | Manner::Affricate | Manner::Fricative => {
                        ("noise.tsv", noises[noise_name(symbol) as usize].is_some())
                    }
                    _ => ("sonorants.tsv", sonorants[symbol as usize].is_some()),
                };
                if !there {
                    return Err(format!("{file} has no '{}'", symbol.ipa()));
                }
            }
            Ok(Self {
                vowels: vowels.into_iter().map(Option::unwrap_or_default).collect(),
                places: places.into_iter().map(Option::unwrap_or_default).collect(),
                sonorants,
                noises: noises.into_iter().map(Option::unwrap_or_default).collect(),
            })
        };
        Language::ALL.iter().map(of_language).collect()
    }

    /// Returns the vowel of a symbol; for a consonant, the data of the neutral vowel.
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

    /// Returns the spectrum of a consonant's burst or frication.
    pub(crate) fn noise(&self, symbol: Symbol) -> &NoiseData {
        &self.noises[noise_name(symbol) as usize]
    }
}

/// Returns the rows that apply to a language, by index: the language's own rows, and the shared rows of all other
/// symbols.
fn table<R, T: Clone>(
    language: Language,
    rows: &[Row<R>],
    index_of: fn(&str) -> Result<usize, String>,
    read: fn(&R) -> T,
) -> Result<Vec<Option<T>>, String> {
    let mut table = vec![None; Symbol::ALL.len().max(PLACES.len())];
    for own in [false, true] {
        for row in rows.iter().filter(|row| row.language.is_some() == own) {
            let index = index_of(row.name)?;
            if row.language.is_none_or(|of| of == language) {
                table[index] = Some(read(&row.fields));
            }
        }
    }
    Ok(table)
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

/// Returns the symbol whose row of `noise.tsv` contains the noise of a consonant.
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

fn symbol_of(ipa: &str) -> Result<usize, String> {
    let symbol = Symbol::ALL.iter().find(|symbol| symbol.ipa() == ipa);
    symbol.map(|symbol| *symbol as usize).ok_or_else(|| format!("'{ipa}' is not a phone of the inventory"))
}

fn place_of(name: &str) -> Result<usize, String> {
    PLACES
        .iter()
        .position(|(_, known)| *known == name)
        .ok_or_else(|| format!("'{name}' is not a place of articulation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_language_replaces_the_shared_one_only_in_that_language() {
        let text = "te/b\t3\na\t1\nb\t2\n";
        let rows: Vec<Row<[f32; 1]>> = tsv::rows("t.tsv", text).unwrap();
        let read = |language| {
            table(language, &rows, |name| Ok(usize::from(name == "b")), |n: &[f32; 1]| n[0]).unwrap()
        };
        assert_eq!(read(Language::Hindi)[..2], [Some(1.0), Some(2.0)]);
        assert_eq!(
            read(Language::Telugu)[..2],
            [Some(1.0), Some(3.0)],
            "regardless of the position of the row"
        );
    }

    #[test]
    fn noisy_consonants_of_one_place_share_a_spectrum() {
        let tables = &PhoneTables::parse_all().unwrap()[0];
        assert_eq!(noise_name(Symbol::Dh), Symbol::T);
        assert_eq!(noise_name(Symbol::Z), Symbol::S);
        for &symbol in Symbol::ALL {
            assert!(tables.vowel(symbol).formants[0] > 200.0, "{symbol:?}");
            assert!(tables.noise(symbol).burst_ms >= 0.0, "{symbol:?}");
        }
    }
}
