//! Derivation of words from other words: endings, prefixes, compounds and British spellings.
//!
//! The lexicon omits words that these rules derive correctly; the program that builds it uses the same rules.

use super::sound::{self, Code};
use crate::utterance::Stress;

/// Maximum number of nested derivations in a word; `un|friend|li|ness` has three.
const DEPTH: usize = 3;
/// Minimum length, in letters, of each part of a compound, and of the rest of a word after a prefix. Shorter entries of
/// the lexicon are too often names or fragments.
const SHORTEST_PART: usize = 4;
/// Maximum length, in letters, of a derived word.
const LONGEST_WORD: usize = 40;

/// Endings that do not change the sounds of the stem, with their letters and sounds.
const ENDINGS: &[(&str, &[&str])] = &[
    ("ly", &["l", "iː"]),
    ("ness", &["n", "ɛ", "s"]),
    ("less", &["l", "ɛ", "s"]),
    ("ful", &["f", "ʊ", "l"]),
    ("ment", &["m", "ɛ", "n", "ʈ"]),
    ("ship", &["ʃ", "ɪ", "p"]),
    ("hood", &["h", "ʊ", "ɖ"]),
    ("wise", &["ʋ", "aɪ", "z"]),
    ("able", &["ə", "b", "ə", "l"]),
    ("er", &["ə", "ɹ"]),
    ("or", &["ə", "ɹ"]),
    ("est", &["ɛ", "s", "ʈ"]),
    ("ish", &["ɪ", "ʃ"]),
    ("ism", &["ɪ", "z", "ə", "m"]),
    ("ist", &["ɪ", "s", "ʈ"]),
    ("ing", &["ɪ", "ŋ"]),
    ("y", &["iː"]),
];

/// Prefixes with their letters and sounds. A vowel marked `2` has secondary stress.
const PREFIXES: &[(&str, &[&str])] = &[
    ("un", &["ʌ", "n"]),
    ("non", &["n", "ɒ2", "n"]),
    ("re", &["ɹ", "iː2"]),
    ("pre", &["p", "ɹ", "iː2"]),
    ("mis", &["m", "ɪ", "s"]),
    ("dis", &["ɖ", "ɪ", "s"]),
    ("over", &["oː2", "ʋ", "ə", "ɹ"]),
    ("under", &["ʌ2", "n", "ɖ", "ə", "ɹ"]),
    ("out", &["aʊ2", "ʈ"]),
    ("sub", &["s", "ʌ2", "b"]),
    ("super", &["s", "uː2", "p", "ə", "ɹ"]),
    ("inter", &["ɪ2", "n", "ʈ", "ə", "ɹ"]),
    ("anti", &["æ2", "n", "ʈ", "iː"]),
    ("multi", &["m", "ʌ2", "l", "ʈ", "iː"]),
    ("semi", &["s", "ɛ2", "m", "iː"]),
    ("micro", &["m", "aɪ2", "k", "ɹ", "oː"]),
    ("auto", &["ɔː2", "ʈ", "oː"]),
    ("tele", &["ʈ", "ɛ2", "l", "ɪ"]),
    ("cyber", &["s", "aɪ2", "b", "ə", "ɹ"]),
];

/// Endings of British spellings, with the equivalent endings of American spellings, which the lexicon uses.
const RESPELLINGS: &[(&str, &str)] = &[
    ("isation", "ization"),
    ("ise", "ize"),
    ("ising", "izing"),
    ("ised", "ized"),
    ("iser", "izer"),
    ("yse", "yze"),
    ("ysed", "yzed"),
    ("our", "or"),
    ("oured", "ored"),
    ("ouring", "oring"),
    ("ourable", "orable"),
    ("ourful", "orful"),
    ("ourite", "orite"),
    ("tre", "ter"),
    ("bre", "ber"),
    ("ogue", "og"),
    ("gramme", "gram"),
    ("ence", "ense"),
    ("lled", "led"),
    ("lling", "ling"),
    ("ller", "ler"),
    ("aem", "em"),
    ("elment", "ellment"),
];

fn code(name: &str) -> Option<Code> {
    match name.strip_suffix('2') {
        Some(vowel) => sound::nucleus(vowel, Stress::Secondary),
        None => sound::consonant(name).or_else(|| sound::nucleus(name, Stress::None)),
    }
}

fn append(codes: &mut Vec<Code>, names: &[&str]) {
    codes.extend(names.iter().filter_map(|name| code(name)));
}

fn ends_in(codes: &[Code], names: &[&str]) -> bool {
    codes.last().is_some_and(|&last| names.contains(&sound::name(last)))
}

const SIBILANTS: &[&str] = &["s", "z", "ʃ", "ʒ", "tʃ", "dʒ"];
const VOICELESS: &[&str] = &["p", "ʈ", "k", "f", "t̪ʰ", "s", "ʃ", "tʃ"];

fn with_s(mut codes: Vec<Code>) -> Vec<Code> {
    let names: &[&str] = if ends_in(&codes, SIBILANTS) {
        &["ɪ", "z"]
    } else if ends_in(&codes, VOICELESS) {
        &["s"]
    } else {
        &["z"]
    };
    append(&mut codes, names);
    codes
}

fn with_ed(mut codes: Vec<Code>) -> Vec<Code> {
    let names: &[&str] = if ends_in(&codes, &["ʈ", "ɖ"]) {
        &["ɛ", "ɖ"]
    } else if ends_in(&codes, VOICELESS) {
        &["ʈ"]
    } else {
        &["ɖ"]
    };
    append(&mut codes, names);
    codes
}

/// Returns the sounds of a lower-case word, derived from words for which `known` returns sounds, or `None` if no rule
/// applies.
pub fn derive(word: &str, known: &dyn Fn(&str) -> Option<Vec<Code>>) -> Option<Vec<Code>> {
    if word.len() > LONGEST_WORD || !word.is_ascii() {
        return None;
    }
    Deriver { known }.parts(word, DEPTH)
}

struct Deriver<'k> {
    known: &'k dyn Fn(&str) -> Option<Vec<Code>>,
}

impl Deriver<'_> {
    /// Returns the sounds of a word that is known or can itself be derived.
    fn base(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        if word.len() < 2 {
            return None;
        }
        (self.known)(word).or_else(|| self.parts(word, depth))
    }

    fn parts(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        let deeper = depth.checked_sub(1)?;
        self.possessive(word, deeper)
            .or_else(|| self.plural(word, deeper))
            .or_else(|| self.past(word, deeper))
            .or_else(|| self.ending(word, deeper))
            .or_else(|| self.prefix(word, deeper))
            .or_else(|| self.british(word, deeper))
            .or_else(|| self.compound(word))
    }

    fn possessive(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        if let Some(owner) = word.strip_suffix("'s") {
            return self.base(owner, depth).map(with_s);
        }
        word.strip_suffix("s'").and_then(|owner| self.base(&format!("{owner}s"), depth))
    }

    fn plural(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        let singular = word.strip_suffix('s')?;
        if singular.len() < 3 || singular.ends_with(['s', 'u', 'i', '\'']) {
            return None;
        }
        if let Some(stem) = singular.strip_suffix("ie")
            && stem.len() >= 2
            && let Some(codes) = self.base(&format!("{stem}y"), depth)
        {
            return Some(with_s(codes));
        }
        if let Some(stem) = singular.strip_suffix('e')
            && stem.ends_with(['s', 'x', 'z', 'h', 'o'])
            && let Some(codes) = self.base(stem, depth)
        {
            return Some(with_s(codes));
        }
        self.base(singular, depth).map(with_s)
    }

    fn past(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        let stem = word.strip_suffix("ed").filter(|stem| stem.len() >= 3)?;
        self.stems(stem, depth).map(with_ed)
    }

    fn ending(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        for (letters, sounds) in ENDINGS {
            let Some(stem) = word.strip_suffix(letters).filter(|stem| stem.len() >= 3) else { continue };
            let base = if letters.starts_with(['a', 'e', 'i', 'o', 'y']) {
                self.stems(stem, depth)
            } else {
                self.with_y(stem, depth).or_else(|| self.base(stem, depth))
            };
            if let Some(mut codes) = base {
                append(&mut codes, sounds);
                return Some(codes);
            }
        }
        None
    }

    fn with_y(&self, stem: &str, depth: usize) -> Option<Vec<Code>> {
        stem.strip_suffix('i').and_then(|stem| self.base(&format!("{stem}y"), depth))
    }

    /// Returns the sounds of the stem before an ending that begins with a vowel: `hop|p|ing`, `hop|e|ing`, `cr|y|ed`,
    /// `walk|ing`.
    fn stems(&self, stem: &str, depth: usize) -> Option<Vec<Code>> {
        let bytes = stem.as_bytes();
        if let [.., before, last] = *bytes
            && before == last
            && !matches!(last, b'a' | b'e' | b'i' | b'o' | b'u')
        {
            // `add|ing` and `call|ing` keep both letters
            return self.base(stem, depth).or_else(|| self.base(&stem[..stem.len() - 1], depth));
        }
        if let Some(codes) = self.with_y(stem, depth) {
            return Some(codes);
        }
        // a stem that ends in one vowel and one consonant doubles the consonant (`hop`, `hopping`), so the stem of
        // `hoping` is `hope`
        let short_vowel = matches!(
            *bytes,
            [.., before, b'a' | b'e' | b'i' | b'o' | b'u', last]
                if !b"aeiouwxy".contains(&last) && !b"aeiou".contains(&before)
        );
        let with_e = || self.base(&format!("{stem}e"), depth);
        let bare = || self.base(stem, depth);
        if short_vowel || stem.ends_with(['c', 'g', 'v', 's', 'z', 'u']) {
            with_e().or_else(bare)
        } else {
            bare().or_else(with_e)
        }
    }

    fn prefix(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        PREFIXES.iter().find_map(|(letters, sounds)| {
            let rest = word.strip_prefix(letters).filter(|rest| rest.len() >= SHORTEST_PART)?;
            let mut codes = Vec::with_capacity(24);
            append(&mut codes, sounds);
            codes.extend(self.base(rest, depth)?);
            Some(codes)
        })
    }

    fn british(&self, word: &str, depth: usize) -> Option<Vec<Code>> {
        RESPELLINGS.iter().find_map(|(british, american)| {
            let stem = word.strip_suffix(british).filter(|stem| stem.len() >= 2)?;
            self.base(&format!("{stem}{american}"), depth.min(1))
        })
    }

    /// Returns the sounds of two known words written as one; the first keeps the main stress.
    fn compound(&self, word: &str) -> Option<Vec<Code>> {
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let last_split = word.len().checked_sub(SHORTEST_PART)?;
        // the longest first part causes the fewest accidental matches
        (SHORTEST_PART..=last_split).rev().find_map(|split| {
            let second = (self.known)(&word[split..])?;
            let mut codes = (self.known)(&word[..split])?;
            codes.extend(second.into_iter().map(|code| match sound::stress(code) {
                Stress::Primary => sound::with_stress(code, Stress::Secondary),
                _ => code,
            }));
            Some(codes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    fn known(word: &str) -> Option<Vec<Code>> {
        let names: &[&str] = match word {
            "walk" => &["ʋ", "ɔː", "k"],
            "hope" => &["h", "oː", "p"],
            "hop" => &["h", "ɒ", "p"],
            "want" => &["ʋ", "ɒ", "n", "ʈ"],
            "box" => &["b", "ɒ", "k", "s"],
            "city" => &["s", "ɪ", "ʈ", "iː"],
            "happy" => &["h", "æ", "p", "iː"],
            "organize" => &["ɔː", "ɹ", "ɡ", "ə", "n", "aɪ", "z"],
            "color" => &["k", "ʌ", "l", "ə", "ɹ"],
            "phone" => &["f", "oː", "n"],
            "call" => &["k", "ɔː", "l"],
            _ => return None,
        };
        Some(names.iter().filter_map(|name| code(name)).collect())
    }

    #[test]
    fn derives_words_from_their_parts() {
        for (word, expected) in [
            ("walks", "ʋ ɔː k s"),
            ("walk's", "ʋ ɔː k s"),
            ("phones", "f oː n z"),
            ("boxes", "b ɒ k s ɪ z"),
            ("cities", "s ɪ ʈ iː z"),
            ("walked", "ʋ ɔː k ʈ"),
            ("wanted", "ʋ ɒ n ʈ ɛ ɖ"),
            ("hoping", "h oː p ɪ ŋ"),
            ("hopping", "h ɒ p ɪ ŋ"),
            ("calling", "k ɔː l ɪ ŋ"),
            ("happiness", "h æ p iː n ɛ s"),
            ("unhappily", "ʌ n h æ p iː l iː"),
            ("organised", "ɔː ɹ ɡ ə n a ɪ z ɖ"),
            ("colours", "k ʌ l ə ɹ z"),
            ("phonecalls", "f oː n k ɔː l z"),
        ] {
            let codes = derive(word, &known).unwrap_or_default();
            assert_eq!(to_ipa(&sound::phones(&codes)), expected, "{word}");
        }
    }

    #[test]
    fn does_not_split_unknown_words() {
        for word in ["", "s", "s'", "'s", "ing", "ed", "boss", "zzzing", "नमस्ते", &"un".repeat(1000)]
        {
            assert_eq!(derive(word, &known), None, "{word}");
        }
    }
}
