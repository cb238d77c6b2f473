//! ISO 15919 and IAST: romanisations with diacritics, which represent the native spelling exactly.

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use crate::language::spec;

/// Romanised spellings with their letters, as Devanagari code points. A spelling precedes its own prefixes.
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

/// Returns whether a letter indicates one of these romanisations. Letters that are common in European languages, such
/// as `é` and `ñ`, do not.
fn is_telling(c: char) -> bool {
    "āīūēōṭḍṇṅśṣṃṁḥḷḻṟṉṛẏġ\u{325}\u{310}".contains(c)
}

/// Returns whether a word has diacritics of these romanisations.
pub(super) fn has_diacritics(word: &str) -> bool {
    // letters with diacritics and combining diacritics are in U+00C0 to U+037F or in U+1000 to U+1FFF, which have these
    // lead bytes; letters of Indian scripts have other lead bytes
    let accented = || word.bytes().any(|byte| matches!(byte, 0xC3..=0xCD | 0xE1));
    accented() && word.nfc().flat_map(char::to_lowercase).nfc().any(is_telling)
}

/// Converts a word in one of these romanisations to letters, given as Devanagari code points.
pub(super) fn letters(word: &str, language: Language) -> String {
    let word: String = word.nfc().flat_map(char::to_lowercase).nfc().collect();
    let short_e_and_o = spec(language).romanisation.short_e_and_o;
    let mut letters = String::new();
    let mut rest = word.as_str();
    while let Some(first) = rest.chars().next() {
        // ṛ is a vowel in IAST and ड़ in ISO 15919; it is read as a vowel if it is not next to another vowel
        if first == 'ṛ' && !rest.starts_with("ṛh") {
            rest = &rest[first.len_utf8()..];
            let vowel_follows = rest.chars().next().is_some_and(is_vowel);
            let vowel_before = letters.chars().last().is_some_and(|c| matches!(c, '\u{905}'..='\u{914}'));
            letters.push(if vowel_follows || vowel_before { '\u{95c}' } else { 'ऋ' });
            continue;
        }
        let Some((spelling, letter)) = SPELLINGS.iter().find(|(spelling, _)| rest.starts_with(spelling))
        else {
            // a combining tilde marks a nasal vowel; other characters are skipped
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
