//! ISO 15919 and IAST: romanisations with diacritics, which say exactly what is written.

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use crate::language::spec;

/// Spellings and the letters they stand for, at their Devanagari places; longer ones before their beginnings.
const SPELLINGS: &[(&str, &str)] = &[
    ("kh", "ख"),
    ("gh", "घ"),
    ("chh", "छ"),
    ("ch", "छ"),
    ("jh", "झ"),
    ("ṭh", "ठ"),
    ("ḍh", "ढ"),
    ("ṛh", "\u{95d}"),
    ("th", "थ"),
    ("dh", "ध"),
    ("ph", "फ"),
    ("bh", "भ"),
    ("sh", "श"),
    ("k", "क"),
    ("g", "ग"),
    ("ġ", "\u{95a}"),
    ("ṅ", "ङ"),
    ("c", "च"),
    ("j", "ज"),
    ("ñ", "ञ"),
    ("ṭ", "ट"),
    ("ḍ", "ड"),
    ("ṇ", "ण"),
    ("t", "त"),
    ("d", "द"),
    ("n", "न"),
    ("ṉ", "ऩ"),
    ("p", "प"),
    ("b", "ब"),
    ("m̐", "ँ"),
    ("m", "म"),
    ("y", "य"),
    ("ẏ", "\u{95f}"),
    ("r̥̄", "ॠ"),
    ("r̥", "ऋ"),
    ("r", "र"),
    ("ṟ", "ऱ"),
    ("l̥", "ऌ"),
    ("l", "ल"),
    ("ḷ", "ळ"),
    ("ḻ", "ऴ"),
    ("v", "व"),
    ("w", "व"),
    ("ś", "श"),
    ("ṣ", "ष"),
    ("š", "श"),
    ("s", "स"),
    ("h", "ह"),
    ("q", "\u{958}"),
    ("x", "\u{959}"),
    ("z", "\u{95b}"),
    ("f", "\u{95e}"),
    ("ṁ", "ं"),
    ("ṃ", "ं"),
    ("ḥ", "ः"),
    ("ai", "ऐ"),
    ("au", "औ"),
    ("ā", "आ"),
    ("ī", "ई"),
    ("ū", "ऊ"),
    ("ē", "ए"),
    ("ō", "ओ"),
    ("ê", "ऍ"),
    ("ô", "ऑ"),
    ("a", "अ"),
    ("i", "इ"),
    ("u", "उ"),
    ("e", "ऎ"),
    ("o", "ऒ"),
];

/// Letters that no European language uses, or not where India's do.
fn is_telling(c: char) -> bool {
    "āīūēōṭḍṇṅśṣṃṁḥḷḻṟṉṛẏġ\u{325}\u{310}".contains(c)
}

/// Whether a word carries diacritics of these romanisations.
pub(super) fn has_diacritics(word: &str) -> bool {
    // composed or not, a diacritic is of U+00C0 to U+037F or of U+1000 to U+1FFF, which begin with these bytes; the
    // letters of Indian scripts are not
    let accented = || word.bytes().any(|byte| matches!(byte, 0xC3..=0xCD | 0xE1));
    accented() && word.nfc().flat_map(char::to_lowercase).nfc().any(is_telling)
}

/// The letters of a word in such a romanisation.
pub(super) fn letters(word: &str, language: Language) -> String {
    let word: String = word.nfc().flat_map(char::to_lowercase).nfc().collect();
    let short_e_and_o = spec(language).romanisation.short_e_and_o;
    let mut letters = String::new();
    let mut rest = word.as_str();
    while let Some(first) = rest.chars().next() {
        // ṛ is the vowel in IAST and ड़ in ISO 15919: the vowel where no other vowel follows
        if first == 'ṛ' && !rest.starts_with("ṛh") {
            rest = &rest[first.len_utf8()..];
            let vowel_follows = rest.chars().next().is_some_and(is_vowel);
            let vowel_before = letters.chars().last().is_some_and(|c| matches!(c, '\u{905}'..='\u{914}'));
            letters.push(if vowel_follows || vowel_before { '\u{95c}' } else { 'ऋ' });
            continue;
        }
        let Some((spelling, letter)) = SPELLINGS.iter().find(|(spelling, _)| rest.starts_with(spelling))
        else {
            // a tilde of its own is a nasal vowel; anything else has no sound
            letters.extend((first == '\u{303}').then_some('ँ'));
            rest = &rest[first.len_utf8()..];
            continue;
        };
        letters.push_str(match *letter {
            "ऎ" if !short_e_and_o => "ए",
            "ऒ" if !short_e_and_o => "ओ",
            letter => letter,
        });
        rest = &rest[spelling.len()..];
    }
    letters
}

fn is_vowel(c: char) -> bool {
    "aāiīuūeēoō".contains(c)
}
