//! Conversion of English words, and of words in other scripts, to the script of a pack.

use std::borrow::Cow;

use shruti_text::phone::{Phone, Symbol};
use shruti_text::script::Script;
use shruti_text::transliterate::transliterate;
use shruti_text::utterance::Word;

const VIRAMA: char = '\u{94d}';
const ANUSVARA: char = '\u{902}';

/// Returns a word, written in `script`. A word in another Indian script is converted letter by letter, and a word in
/// Latin letters by its pronunciation. If the target is the Latin script, the word is unchanged.
pub(super) fn in_script(word: &Word, script: Script) -> Cow<'_, str> {
    let mut scripts = word.text.chars().filter_map(Script::of);
    let first = scripts.next();
    if script == Script::Latin || first == Some(script) && scripts.all(|other| other == script) {
        return Cow::Borrowed(&word.text);
    }
    let is_latin = word.text.chars().any(|c| Script::of(c) == Some(Script::Latin));
    if is_latin {
        return Cow::Owned(transliterate(&devanagari(&word.phones, script), script));
    }
    Cow::Owned(transliterate(&word.text, script))
}

/// Returns the phones, spelled in Devanagari, for a later conversion to `script`.
fn devanagari(phones: &[Phone], script: Script) -> String {
    let mut text = String::with_capacity(phones.len() * 6);
    // whether the last letter is a consonant that has no vowel yet
    let mut is_bare = false;
    for (at, &phone) in phones.iter().enumerate() {
        let next = phones.get(at + 1).map(|next| next.symbol);
        if phone.is_vowel() {
            let Vowel { letter, sign } = vowel(phone, next.is_none(), script);
            match sign {
                _ if !is_bare => text.push(letter),
                Some(sign) => text.push(sign),
                None => {}
            }
            if phone.nasal {
                text.push(ANUSVARA);
            }
            is_bare = false;
            continue;
        }
        if phone.symbol == Symbol::Ng && !is_bare && !text.is_empty() {
            text.push(ANUSVARA);
            if !matches!(next, Some(Symbol::K | Symbol::G | Symbol::Kh | Symbol::Gh)) {
                text.push('ग');
                is_bare = true;
            }
            continue;
        }
        for letters in std::iter::repeat_n(consonant(phone.symbol), 1 + usize::from(phone.long)) {
            if is_bare {
                text.push(VIRAMA);
            }
            text.push_str(letters);
            is_bare = true;
        }
    }
    // these scripts pronounce the inherent vowel of a final letter, so a virama must suppress it
    let keeps_last_vowel =
        matches!(script, Script::Odia | Script::Tamil | Script::Telugu | Script::Kannada | Script::Malayalam);
    if is_bare && keeps_last_vowel {
        text.push(VIRAMA);
    }
    text
}

struct Vowel {
    letter: char,
    /// Vowel sign, or `None` for the inherent vowel.
    sign: Option<char>,
}

fn vowel(phone: Phone, is_last: bool, script: Script) -> Vowel {
    let has_short_e =
        matches!(script, Script::Tamil | Script::Telugu | Script::Kannada | Script::Malayalam) && !phone.long;
    let (letter, sign) = match (phone.symbol, phone.long) {
        // a word-final vowel without a sign would not be pronounced
        (Symbol::Schwa | Symbol::CentralA | Symbol::Caret | Symbol::ErLong, _) if !is_last => ('अ', None),
        (
            Symbol::Schwa | Symbol::CentralA | Symbol::Caret | Symbol::ErLong | Symbol::A | Symbol::BackA,
            _,
        ) => ('आ', Some('ा')),
        (Symbol::I, true) => ('ई', Some('ी')),
        (Symbol::I | Symbol::IShort | Symbol::Ii, _) => ('इ', Some('ि')),
        (Symbol::U, true) => ('ऊ', Some('ू')),
        (Symbol::U | Symbol::UShort, _) => ('उ', Some('ु')),
        (Symbol::E | Symbol::OpenE, _) if has_short_e => ('ऎ', Some('ॆ')),
        (Symbol::Ae, _) => ('ऍ', Some('ॅ')),
        (Symbol::OpenO | Symbol::RoundA, _) => ('ऑ', Some('ॉ')),
        (Symbol::O, _) if has_short_e => ('ऒ', Some('ॊ')),
        (Symbol::O, _) => ('ओ', Some('ो')),
        _ => ('ए', Some('े')),
    };
    Vowel { letter, sign }
}

const fn consonant(symbol: Symbol) -> &'static str {
    use Symbol as S;
    match symbol {
        S::P => "प",
        S::Ph => "फ",
        S::B => "ब",
        S::Bh => "भ",
        S::T => "त",
        S::Th => "थ",
        S::D => "द",
        S::Dh => "ध",
        S::AlvT | S::Tt => "ट",
        S::Tth => "ठ",
        S::AlvD | S::Dd => "ड",
        S::Ddh => "ढ",
        S::C => "च",
        S::Ch => "छ",
        S::J => "ज",
        S::Jh | S::Dzh => "झ",
        S::Ts => "त्स",
        S::Dz | S::Z | S::Zh => "ज\u{93c}",
        S::K => "क",
        S::Kh => "ख",
        S::G => "ग",
        S::Gh => "घ",
        S::Q => "क\u{93c}",
        S::M => "म",
        S::Nn => "ण",
        S::Ny => "ञ",
        S::Ng => "ङ",
        S::F => "फ\u{93c}",
        S::S => "स",
        S::Sh => "श",
        S::Ss => "ष",
        S::X => "ख\u{93c}",
        S::Gamma => "ग\u{93c}",
        S::H | S::VlH => "ह",
        S::V | S::W => "व",
        S::Y => "य",
        S::R | S::Rr | S::Ar => "र",
        S::Rd => "ड\u{93c}",
        S::Rdh => "ढ\u{93c}",
        S::Zr => "ऴ",
        S::L => "ल",
        S::Ll => "ळ",
        _ => "न",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use shruti_text::phone::parse_ipa;

    use super::*;

    #[test]
    fn english_words_are_respelt_by_their_sound() {
        for (ipa, script, expected) in [
            ("miːʈɪŋ", Script::Devanagari, "मीटिंग"),
            ("ʈɪkəʈ", Script::Devanagari, "टिकट"),
            ("soːfə", Script::Devanagari, "सोफ\u{93c}ा"),
            ("bæŋk", Script::Gujarati, "બૅંક"),
            ("ɔfɪs", Script::Devanagari, "ऑफ\u{93c}िस"),
            ("ʈɛsʈ", Script::Telugu, "టెస్ట్"),
            ("skuːl", Script::Tamil, "ஸ்கூல்"),
            ("əpəl", Script::Bengali, "অপল"),
        ] {
            let phones = parse_ipa(ipa).unwrap();
            assert_eq!(transliterate(&devanagari(&phones, script), script), expected, "{ipa}");
        }
    }
}
