//! The names of characters, `data/<code>/characters.toml`.

use serde::Deserialize;
use shruti_lang::Language;

use crate::language::{PerLanguage, data_files};
use crate::script::Script;
use crate::table::Table;

/// The characters of one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// White space.
    pub(super) space: String,
    /// A capital letter; `{c}` stands for it.
    pub(super) capital: String,
    /// A vowel sign; `{v}` stands for the independent vowel.
    pub(super) vowel_sign: String,
    /// Punctuation marks and symbols.
    pub(super) signs: Table<char, String>,
    /// Dependent signs that are no vowels: virama, anusvara.
    pub(super) marks: Table<char, String>,
}

impl Names {
    /// The names in a language. The tests hold that every table reads.
    pub(super) fn of(language: Language) -> &'static Self {
        static NAMES: PerLanguage<Names> = PerLanguage::new();
        NAMES.get(language, || toml::from_str(data_files(language).characters).unwrap_or_default())
    }

    /// The name of a punctuation mark or symbol.
    pub(super) fn sign(&self, c: char) -> Option<&str> {
        self.signs.get(&plain(c)).map(String::as_str)
    }
}

/// The name of a character that is no letter or digit: a sign, a vowel sign, white space. `None` for letters and digits, which
/// the front end says itself, and for what has no name.
pub fn character_name(c: char, language: Language) -> Option<String> {
    let names = Names::of(language);
    if c.is_whitespace() {
        return Some(names.space.clone());
    }
    let own = names.sign(c).or_else(|| names.marks.get(&c).map(String::as_str));
    if let Some(name) = own {
        return Some(name.to_owned());
    }
    if let Some(vowel) = independent_vowel(c) {
        return Some(names.vowel_sign.replace("{v}", vowel.encode_utf8(&mut [0; 4])));
    }
    // a dependent sign of another script
    let other = devanagari(c)?;
    Names::of(Language::Hindi).marks.get(&other).cloned()
}

/// The sign that a typographic variant stands for.
pub(super) const fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        _ => c,
    }
}

/// The place of a character in the block of its script, which ISCII ordered alike for all of them, and the block's beginning.
fn in_block(c: char) -> Option<(u32, u32)> {
    Script::of(c).filter(|&script| script != Script::Latin)?;
    let code = c as u32;
    (0x0900..0x0D80).contains(&code).then_some((code & 0x7f, code & !0x7f))
}

/// The independent vowel of a vowel sign.
fn independent_vowel(sign: char) -> Option<char> {
    let (place, block) = in_block(sign)?;
    let vowel = match place {
        0x3e..=0x43 | 0x45..=0x4c => place - 0x38,
        _ => return None,
    };
    char::from_u32(block + vowel)
}

/// The Devanagari character at the same place.
fn devanagari(c: char) -> Option<char> {
    let (place, _) = in_block(c)?;
    char::from_u32(0x0900 + place)
}
