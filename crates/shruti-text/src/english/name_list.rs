//! Indian names that are pronounced by the rules of their own language: lines of `name<TAB>language<TAB>native
//! spelling`.
//!
//! The native spelling is converted to sounds by the rules of its language, and the sounds are then mapped to those of
//! Indian English. Distinctions that the Latin spelling makes are kept (such as the voicing of Tamil stops), and others
//! are dropped (ɳ, ɭ, nasal vowels before stops).

use std::sync::OnceLock;

use shruti_lang::Language;

use super::{Pronunciation, indian};
use crate::native_word;
use crate::phone::{PhoneticDetail, parse_ipa, to_ipa};
use crate::table::Table;

/// Voiceless and voiced stops, which Tamil and Malayalam do not distinguish in writing but English does. Each entry has
/// the Latin letters, the voiceless one of them, the voiceless sounds and the voiced sounds.
const VOICED: [(&str, &str, [&str; 2], [&str; 2]); 3] = [
    ("kg", "k", ["k", "k"], ["ɡ", "ɡ"]),
    ("pb", "p", ["p", "p"], ["b", "b"]),
    ("td", "t", ["t̪", "ʈ"], ["d̪", "ɖ"]),
];

/// List of names with their native spellings.
pub(super) struct NameList {
    text: &'static str,
    by_name: OnceLock<Table<&'static str, Name>>,
}

struct Name {
    language: Language,
    native: &'static str,
    said: OnceLock<Option<Pronunciation>>,
}

impl NameList {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, by_name: OnceLock::new() }
    }

    /// Returns all names with their languages and native spellings, in the order of the list.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, Language, &'static str)> {
        self.text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (name, rest) = line.split_once('\t')?;
            let (code, native) = rest.split_once('\t')?;
            Some((name, Language::from_code(code)?, native))
        })
    }

    fn find(&self, name: &str) -> Option<&Name> {
        let entry = |(name, language, native)| (name, Name { language, native, said: OnceLock::new() });
        self.by_name.get_or_init(|| self.lines().map(entry).collect()).get(name)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the English pronunciation of a lower-case name, or `None` if the list does not contain it.
    pub(super) fn get(&self, name: &str) -> Option<Pronunciation> {
        let entry = self.find(name)?;
        let pronounced = || {
            // a test parses every line; if a line were invalid, the name would count as missing
            let phones = parse_ipa(&in_english(entry.native, entry.language, name)).ok()?;
            Some(Pronunciation { stresses: indian::stresses(&phones), phones })
        };
        entry.said.get_or_init(pronounced).clone()
    }
}

/// Returns the Indian English sounds, in IPA, of the native word whose Latin spelling is `name`.
fn in_english(native: &str, language: Language, name: &str) -> String {
    use Language::{Kannada, Malayalam, Tamil, Telugu};
    let ipa = to_ipa(&native_word::pronounce(native, language, PhoneticDetail::Phonemic).unwrap_or_default());
    let mut phones: Vec<String> = ipa.split_whitespace().map(str::to_owned).collect();
    let dravidian = matches!(language, Tamil | Telugu | Kannada | Malayalam);
    if language == Tamil && !name.contains('c') {
        for phone in phones.iter_mut().filter(|phone| *phone == "tʃ") {
            "s".clone_into(phone);
        }
    }
    if matches!(language, Tamil | Malayalam) {
        voice_as_written(&mut phones, name);
    }
    let mut symbols: Vec<String> = Vec::with_capacity(phones.len());
    for (at, phone) in phones.iter().enumerate() {
        let phone = of_english(phone, dravidian);
        let next = phones.get(at + 1).and_then(|next| next.chars().next());
        // a nasal vowel before a stop, as in गाँधी, becomes an oral vowel and a nasal consonant
        if phone.contains('\u{303}')
            && let Some(stop) = next.filter(|c| "kɡtdʈɖpb".contains(*c))
        {
            symbols.push(phone.replace('\u{303}', ""));
            symbols.push(if matches!(stop, 'p' | 'b') { "m" } else { "n" }.to_owned());
        } else {
            symbols.push(phone);
        }
    }
    end_as_written(&mut symbols, name, dravidian);
    let retroflex = |next: Option<&String>| next.is_some_and(|next| next.starts_with(['ʈ', 'ɖ']));
    let plain = symbols.iter().enumerate().map(|(at, phone)| {
        if phone.starts_with('ɳ') && !retroflex(symbols.get(at + 1)) {
            phone.replace('ɳ', "n")
        } else {
            phone.replace('ɭ', "l")
        }
    });
    let plain: String = plain.collect();
    plain.strip_suffix("əj").map_or(plain.clone(), |stem| format!("{stem}aɪ"))
}

/// Maps a sound of an Indian language to the inventory of Indian English.
fn of_english(phone: &str, dravidian: bool) -> String {
    let phone = phone
        .replace('ɐ', "ə")
        .replace('ʂ', "ʃ")
        .replace('ɨ', "ʊ")
        .replace('x', "kʰ")
        .replace('ɣ', "ɡ")
        .replace('q', "k");
    let vowel = match (dravidian, phone.as_str()) {
        (true, "e") => "ɛ",
        (true, "o") => "ɔ",
        (true, "a") => "ə",
        (true, "r" | "rː") => "ɾ",
        (_, "i") => "ɪ",
        (_, "u") => "ʊ",
        (false, "a") => "aː",
        (false, "e") => "eː",
        (false, "o") => "oː",
        (_, "ts") => "tʃ",
        (_, "dz") => "dʒ",
        (_, "dzʱ") => "dʒʱ",
        (_, "tsː") => "tʃː",
        (_, "t") => "ʈ",
        (_, "tː") => "ʈː",
        (_, "w") => "ʋ",
        (_, "n̪" | "ɲ") => "n",
        (_, "n̪ː") => "nː",
        _ => return phone,
    };
    vowel.to_owned()
}

/// Makes the end of a name match its Latin spelling: a final `a` is pronounced. Dravidian names lose a final ʊ or ə if
/// the spelling has no final vowel letter, and a final ɪ or ʊ that remains becomes long.
fn end_as_written(symbols: &mut Vec<String>, name: &str, dravidian: bool) {
    let is_vowel = |phone: &String| phone.starts_with(|c| "əaɛeɪiɔoʊu".contains(c));
    if name.ends_with('a') && !symbols.last().is_some_and(is_vowel) {
        symbols.push("ə".to_owned());
    }
    if !dravidian {
        return;
    }
    let ends = |symbols: &[String], sounds: &[&str]| {
        symbols.last().is_some_and(|last| sounds.contains(&last.as_str()))
    };
    if !name.ends_with(['a', 'i', 'o', 'u', 'y']) && ends(symbols, &["ʊ", "ə"]) {
        symbols.pop();
    }
    if let Some(last) = symbols.last_mut().filter(|last| matches!(last.as_str(), "ɪ" | "ʊ")) {
        last.push('ː');
        *last = last.replace('ɪ', "i").replace('ʊ', "u");
    }
}

/// Sets the voicing of stops from the Latin spelling, because Tamil and Malayalam spelling does not indicate it. A
/// place of articulation whose stops cannot be matched one to one with letters is left unchanged.
fn voice_as_written(phones: &mut [String], name: &str) {
    for (letters, voiceless, plain, voiced) in VOICED {
        let bare = |phone: &str| phone.trim_end_matches('ː').to_owned();
        let is_stop = |phone: &String| {
            let phone = bare(phone);
            plain.contains(&phone.as_str()) || voiced.contains(&phone.as_str())
        };
        let places: Vec<usize> = (0..phones.len()).filter(|&at| is_stop(&phones[at])).collect();
        let mut written: Vec<char> = Vec::new();
        let mut rest = name.chars().peekable();
        while let Some(c) = rest.next() {
            if letters.contains(c) {
                // a double letter is one long sound
                rest.next_if_eq(&c);
                written.push(c);
            }
        }
        if places.len() != written.len() {
            continue;
        }
        for (place, letter) in places.into_iter().zip(written) {
            let stop = bare(&phones[place]);
            let length = phones[place][stop.len()..].to_owned();
            let (from, to) = if voiceless.contains(letter) { (voiced, plain) } else { (plain, voiced) };
            let changed = from.iter().position(|sound| *sound == stop).map_or(stop.as_str(), |at| to[at]);
            phones[place] = format!("{changed}{length}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::NAMES;

    #[test]
    fn name_list_is_valid_and_sorted() {
        let mut last = "";
        for (name, language, native) in NAMES.lines() {
            assert!(last < name, "{name} follows {last}");
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
            let ipa = in_english(native, language, name);
            assert!(parse_ipa(&ipa).is_ok_and(|phones| phones.len() > 1), "{name} {native}: {ipa}");
            last = name;
        }
        let lines = NAMES.text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(NAMES.lines().count(), lines, "a line has no language");
        assert!(lines >= 3000, "{lines} names");
    }

    #[test]
    fn names_follow_the_rules_of_their_language() {
        for (name, ipa) in [
            ("irinjalakuda", "ɪ ɾ ɪ ŋː aː l ə kː ʊ ɖ ə"),
            ("bhojpur", "bʱ oː dʒ p ʊ ɾ"),
            ("chiplun", "tʃ ɪ p l uː n"),
            ("kondapur", "k ɔ ɳ ɖ aː p uː ɾ"),
        ] {
            let actual = NAMES.get(name).map(|actual| to_ipa(&actual.phones)).unwrap_or_default();
            assert_eq!(actual.replace("a ɪ", "aɪ"), ipa, "{name}");
        }
    }
}
