//! Tables of the feature `data`. They are embedded in the binary unless the feature `external-data` is enabled.

use shruti_lang::Language;

use crate::{Languages, Model};

/// Returns the model of a language. A language in beta has the model of its base language. Returns `None` for English
/// and if the binary was built without tables.
pub fn model(language: Language) -> Option<&'static Model<'static>> {
    #[cfg(feature = "data")]
    {
        use std::sync::OnceLock;
        static MODELS: [OnceLock<Option<Model<'static>>>; Language::FINISHED.len()] =
            [const { OnceLock::new() }; Language::FINISHED.len()];
        let language = language.base();
        let at = language as usize;
        let model =
            MODELS[at].get_or_init(|| Model::read(files::table(language), crate::units::block_of(language)?));
        model.as_ref()
    }
    #[cfg(not(feature = "data"))]
    {
        let _ = language;
        None
    }
}

/// Returns the joint table of all languages; `None` if the binary was built without tables.
pub fn languages() -> Option<Languages<'static>> {
    #[cfg(feature = "data")]
    {
        Languages::read(files::languages())
    }
    #[cfg(not(feature = "data"))]
    {
        None
    }
}

#[cfg(feature = "data")]
mod files {
    use shruti_lang::{Language, for_each_language};

    #[cfg(not(feature = "external-data"))]
    macro_rules! bytes {
        ($($part:literal),+) => { include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $($part),+)) };
    }
    #[cfg(feature = "external-data")]
    macro_rules! bytes {
        ($($part:literal),+) => { shruti_lang::external::bytes(concat!("translit/", $($part),+)) };
    }

    macro_rules! tables {
        ($($variant:ident $module:ident $code:literal,)*) => {
            pub(super) fn table(language: Language) -> &'static [u8] {
                match language {
                    $(Language::$variant => bytes!($code, ".stl"),)*
                }
            }
        };
    }
    for_each_language!(tables);

    pub(super) fn languages() -> &'static [u8] {
        bytes!("languages.stw")
    }
}

#[cfg(all(test, feature = "data"))]
mod tests {
    use super::*;

    #[test]
    fn every_language_but_english_has_a_table() {
        for language in Language::ALL {
            assert_eq!(model(language).is_some(), language != Language::English, "{language}");
            assert_eq!(
                files::table(language).is_empty(),
                language.is_beta() || language == Language::English
            );
        }
        assert!(languages().is_some());
    }

    #[test]
    fn words_have_their_intended_readings() {
        let cases = [
            (Language::Hindi, "nhi", "नहीं"),
            (Language::Hindi, "kyaa", "क्या"),
            (Language::Hindi, "pyaaar", "प्यार"),
            (Language::Marathi, "aahe", "आहे"),
            (Language::Bengali, "bhalobashi", "ভালোবাসি"),
            (Language::Gujarati, "gujarati", "ગુજરાતી"),
            (Language::Tamil, "vanakkam", "வணக்கம்"),
            (Language::Telugu, "namaskaram", "నమస్కారం"),
            (Language::Kannada, "kannada", "ಕನ್ನಡ"),
            (Language::Malayalam, "malayalam", "മലയാളം"),
            (Language::Punjabi, "punjabi", "ਪੰਜਾਬੀ"),
            (Language::Odia, "odisha", "ଓଡ଼ିଶା"),
        ];
        for (language, typed, native) in cases {
            let model = model(language).unwrap();
            let readings = model.readings(&crate::Roman::new(typed).unwrap());
            assert_eq!(
                readings.first().map(|reading| model.native(reading)).as_deref(),
                Some(native),
                "{typed}"
            );
        }
    }

    #[test]
    fn an_unlisted_word_is_read_as_two_listed_words() {
        let cases = [
            (Language::Malayalam, "poompattayudeyum", "പൂമ്പാറ്റയുടെയും"),
            (Language::Malayalam, "athibhayangaramaya", "അതിഭയങ്കരമായ"),
            (Language::Malayalam, "ezhuthappettasheshavum", "എഴുതപ്പെട്ടശേഷവും"),
            (Language::Tamil, "thamizhnadai", "தமிழ்நடை"),
            (Language::Kannada, "kudurebaalada", "ಕುದುರೆಬಾಲದ"),
        ];
        for (language, typed, native) in cases {
            let model = model(language).unwrap();
            let readings = model.readings(&crate::Roman::new(typed).unwrap());
            let read = readings.first().map(|reading| (model.native(reading), reading.is_known));
            assert_eq!(read, Some((native.to_owned(), false)), "{typed}");
        }
    }

    #[test]
    fn frequent_word_pairs_are_preferred() {
        let gain = |language: Language, text: &str| {
            let model = model(language).unwrap();
            let read = |word| model.known_readings(&crate::Roman::new(word).unwrap());
            let words: Vec<Vec<crate::Reading>> = text.split(' ').map(read).collect();
            model.gain_of_neighbours(&words.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        assert!(gain(Language::Punjabi, "di raajadhaani hai") > gain(Language::Hindi, "di raajadhaani hai"));
        assert_eq!(gain(Language::Hindi, "rajdhani"), 0.0, "alone");
    }

    #[test]
    fn a_word_is_chosen_with_its_neighbour() {
        let model = model(Language::Hindi).unwrap();
        let read = |text: &str| -> Vec<String> {
            let words: Vec<_> =
                text.split(' ').map(|word| model.readings(&crate::Roman::new(word).unwrap())).collect();
            let slices: Vec<&[crate::Reading]> = words.iter().map(Vec::as_slice).collect();
            let chosen = model.choose(&slices);
            words.iter().zip(chosen).map(|(readings, at)| model.native(&readings[at.unwrap()])).collect()
        };
        assert_eq!(read("kaha ki nahi")[1], "कि");
        assert_eq!(read("ram ki kitab")[1], "की");
    }

    #[test]
    fn a_damaged_table_is_rejected_or_harmless() {
        let block = crate::units::block_of(Language::Hindi).unwrap();
        let table = files::table(Language::Hindi);
        let roman = crate::Roman::new("dhanyavaad").unwrap();
        for cut in [0, 3, 4, 20, 60, 1_000, 100_000, table.len() / 2, table.len() - 1] {
            if let Some(model) = Model::read(&table[..cut], block) {
                model.readings(&roman);
            }
        }
        let mut damaged = table.to_vec();
        for (at, byte) in damaged.iter_mut().enumerate().skip(60) {
            *byte = byte.wrapping_mul(31).wrapping_add((at % 251) as u8);
        }
        if let Some(model) = Model::read(&damaged, block) {
            for word in ["a", "dhanyavaad", "zzzzzzzzzz", "kshtriyakshtriyakshtriya"] {
                let readings = model.readings(&crate::Roman::new(word).unwrap());
                assert!(readings.iter().all(|reading| !model.native(reading).is_empty()));
            }
        }
    }
}
