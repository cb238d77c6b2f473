//! Check that a pack has the symbols that its languages need.

use shruti_lang::Language;
use shruti_packs::{Pack, PackError};
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};

use crate::symbols::{SymbolError, SymbolTable};
use crate::writers::{Writer, WriterError};

/// Maximum share of unknown symbols for a usable pack: 0.5 %.
const MAX_UNKNOWN: f64 = 0.005;

/// Returns a hundred lines in a language, written for this project. The lines contain all letters of the language,
/// digits, loanwords and consonant clusters. The lines of a language in beta are those of its base language.
pub fn lines(language: Language) -> impl Iterator<Item = &'static str> {
    let text = match language {
        Language::Hindi | Language::Nepali | Language::Urdu => include_str!("../data/lines/hi.txt"),
        Language::Bengali | Language::Assamese => include_str!("../data/lines/bn.txt"),
        Language::Tamil => include_str!("../data/lines/ta.txt"),
        Language::Telugu => include_str!("../data/lines/te.txt"),
        Language::Gujarati => include_str!("../data/lines/gu.txt"),
        Language::Kannada => include_str!("../data/lines/kn.txt"),
        Language::Malayalam => include_str!("../data/lines/ml.txt"),
        Language::Marathi | Language::Konkani => include_str!("../data/lines/mr.txt"),
        Language::Punjabi => include_str!("../data/lines/pa.txt"),
        Language::Odia => include_str!("../data/lines/or.txt"),
        Language::English => include_str!("../data/lines/en.txt"),
    };
    text.lines()
}

/// Returns the utterances of a text in a language.
pub(crate) fn utterances(text: &str, language: Language) -> impl Iterator<Item = Utterance> {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(text);
    reader.finish();
    std::iter::from_fn(move || reader.next_utterance())
}

/// Reason why the symbols of a pack could not be counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The symbol table cannot be read.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The symbol table is invalid.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// No writer can produce the symbols of the pack.
    #[error(transparent)]
    Writer(#[from] WriterError),
}

/// Counts of the symbols in texts: all symbols, and those that a pack lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnknownSymbols {
    /// Number of symbols that the pack lacks.
    pub unknown: usize,
    /// Number of all symbols, without spaces and marks.
    pub all: usize,
}

impl UnknownSymbols {
    /// Counts all symbols of texts in a language, and the symbols that an installed pack lacks. The graph of the pack
    /// is not loaded.
    pub fn of_pack<'a>(
        pack: &Pack,
        texts: impl IntoIterator<Item = &'a str>,
        language: Language,
    ) -> Result<Self, CountError> {
        let manifest = pack.manifest();
        let table = SymbolTable::parse(&pack.symbols()?, &manifest.input)?;
        Ok(Self::count(texts, language, &Writer::of_pack(manifest)?, &table))
    }

    /// Counts all symbols of texts in a language, and the symbols that a table lacks. Marks between words are not
    /// counted, because a pack may lack them.
    pub fn count<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        language: Language,
        writer: &Writer,
        table: &SymbolTable,
    ) -> Self {
        let mut counted = Self::default();
        for text in texts {
            for utterance in utterances(text, language) {
                let written = writer.write(&utterance, &|symbol| table.contains(symbol));
                counted.unknown += table.unknown_symbols(&written);
                counted.all += written.words.iter().map(|word| word.symbols.len()).sum::<usize>();
            }
        }
        counted
    }

    /// Returns the share of unknown symbols, 0.0 to 1.0; 1.0 if there are no symbols at all.
    pub fn share(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.unknown as f64 / self.all as f64 }
    }

    /// Returns whether the pack is usable: at most 0.5 % of the symbols are unknown.
    pub fn is_acceptable(self) -> bool {
        self.share() <= MAX_UNKNOWN
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::HashSet;
    use std::fmt::Write;

    use super::*;
    use shruti_packs::{Input, InputKind, Unknown};

    fn input(kind: InputKind) -> Input {
        Input {
            kind,
            dialect: None,
            symbols: String::new(),
            begin: Vec::new(),
            between: Vec::new(),
            end: Vec::new(),
            unknown: Unknown::Skip,
            max_symbols: 400,
        }
    }

    /// Returns a table of letters with one number each.
    fn table(letters: &str, input: &Input) -> SymbolTable {
        let mut rows = String::new();
        for (id, letter) in letters.chars().collect::<HashSet<char>>().iter().enumerate() {
            writeln!(rows, "{letter}\t{id}").unwrap();
        }
        SymbolTable::parse(&rows, input).unwrap()
    }

    #[test]
    fn every_language_has_a_hundred_different_lines_with_digits_and_loans() {
        for language in Language::FINISHED {
            let lines: Vec<&str> = lines(language).collect();
            let different: HashSet<&&str> = lines.iter().collect();
            assert_eq!((lines.len(), different.len()), (100, 100), "{language}");
            let with = |is: fn(char) -> bool| lines.iter().filter(|line| line.chars().any(is)).count();
            assert!(with(|c| c.is_ascii_digit()) >= 15, "{language}");
            assert!(with(|c| c.is_ascii_alphabetic()) >= 6, "{language}");
            assert!(
                lines.iter().all(|line| line.trim() == *line && line.chars().count() <= 120),
                "{language}"
            );
        }
    }

    /// Checks that the lines contain the letters and signs of each language, except those that occur only in historical
    /// texts or in words of other languages.
    #[test]
    fn lines_have_all_letters() {
        let cases = [
            (Language::Hindi, "अआइईउऊऋएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह\u{93c}\u{901}\u{902}\u{903}"),
            (Language::Marathi, "अआइईउऊऋएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलळवशषसह\u{902}\u{903}"),
            (Language::Bengali, "অআইঈউঊঋএঐওঔকখগঘঙচছজঝঞটঠডঢণতথদধনপফবভমযরলশষসহ\u{9bc}\u{982}\u{983}"),
            (Language::Gujarati, "અઆઇઈઉઊઋએઐઓઔકખગઘઙચછજઝઞટઠડઢણતથદધનપફબભમયરલળવશષસહ\u{a82}\u{a83}"),
            (Language::Punjabi, "ਅਆਇਈਉਊਏਐਓਔਕਖਗਘਙਚਛਜਝਞਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵਸਹੜ\u{a3c}\u{a70}\u{a71}"),
            (Language::Odia, "ଅଆଇଈଉଊଋଏଐଓଔକଖଗଘଙଚଛଜଝଞଟଠଡଢଣତଥଦଧନପଫବଭମଯରଲଳଶଷସହ\u{b01}\u{b03}"),
            (Language::Tamil, "அஆஇஈஉஊஎஏஐஒஓஔகஙசஞடணதநபமயரலவழளறனஜஷஸஹஃ"),
            (Language::Telugu, "అఆఇఈఉఊఋఎఏఐఒఓఔకఖగఘఙచఛజఝటఠడఢణతథదధనపఫబభమయరలళవశషసహ\u{c02}\u{c03}"),
            (Language::Kannada, "ಅಆಇಈಉಊಋಎಏಐಒಓಔಕಖಗಘಙಚಛಜಝಞಟಠಡಢಣತಥದಧನಪಫಬಭಮಯರಲಳವಶಷಸಹ\u{c82}\u{c83}"),
            (Language::Malayalam, "അആഇഈഉഊഋഎഏഐഒഓഔകഖഗഘങചഛജഝഞടഠഡഢണതഥദധനപഫബഭമയരറലളഴവശഷസഹ\u{d02}\u{d03}"),
            (Language::English, "abcdefghijklmnopqrstuvwxyz"),
        ];
        for (language, letters) in cases {
            let text: String = lines(language).flat_map(str::chars).flat_map(char::to_lowercase).collect();
            let missing: Vec<char> = letters.chars().filter(|&letter| !text.contains(letter)).collect();
            assert!(missing.is_empty(), "{language}: {missing:?}");
        }
    }

    #[test]
    fn unknown_symbols_are_counted() {
        let input = input(InputKind::Characters);
        let writer = Writer::new(&input, &[Language::Hindi]).unwrap();
        let table = table("कमल ।", &input);
        let count = |text| UnknownSymbols::count([text], Language::Hindi, &writer, &table);
        assert_eq!(count("कमल।"), UnknownSymbols { unknown: 0, all: 3 });
        assert_eq!(count("कमल नमक।"), UnknownSymbols { unknown: 1, all: 6 });
        assert!(count("कमल।").is_acceptable() && !count("कमल नमक।").is_acceptable());
        assert!(!UnknownSymbols::default().is_acceptable());
    }

    #[test]
    fn a_pack_with_the_letters_of_its_language_has_all_symbols() {
        let input = input(InputKind::Characters);
        for language in Language::FINISHED {
            let writer = Writer::new(&input, &[language]).unwrap();
            let mut letters: String = ('a'..='z').collect();
            if language != Language::English {
                // use the Unicode block of the script, without English letters
                let first = lines(language).next().and_then(|line| line.chars().next()).unwrap();
                let block = first as u32 & !0x7F;
                letters = (block..block + 0x80).filter_map(char::from_u32).collect();
            }
            let counted = UnknownSymbols::count(lines(language), language, &writer, &table(&letters, &input));
            assert!(counted.all > 1_500 && counted.is_acceptable(), "{language}: {counted:?}");
        }
    }
}
