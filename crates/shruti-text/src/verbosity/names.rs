//! Names of characters, from `data/<code>/characters.toml`.

use serde::Deserialize;
use shruti_lang::Language;

use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::script::Script;
use crate::table::Table;

/// Names of characters in one language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// Name of white space.
    pub(super) space: String,
    /// Announcement of a capital letter; `{c}` is a placeholder for the letter.
    pub(super) capital: String,
    /// Pattern for the name of a vowel sign; `{v}` is a placeholder for the independent vowel.
    pub(super) vowel_sign: String,
    /// Names of punctuation marks and symbols.
    pub(super) signs: Table<char, String>,
    /// Names of dependent signs other than vowel signs, such as virama and anusvara.
    pub(super) marks: Table<char, String>,
}

impl Names {
    /// Returns the names in a language. A test checks that every table is valid.
    pub(super) fn of(language: Language) -> &'static Self {
        static NAMES: PerLanguage<Names> = PerLanguage::new();
        NAMES.get(language, || toml::from_str(data_files(language).characters).unwrap_or_default())
    }

    /// Returns the name of a punctuation mark or symbol.
    pub(super) fn sign(&self, c: char) -> Option<&str> {
        self.signs.get(&plain(c)).map(String::as_str)
    }
}

/// Returns the name of a punctuation mark, symbol, dependent sign or white space character. Returns `None` for letters
/// and digits, which the front end reads itself, and for characters without a name.
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
    // a dependent sign of another script has the Hindi name of its Devanagari counterpart
    let other = devanagari(c)?;
    Names::of(Language::Hindi).marks.get(&other).cloned()
}

/// Returns the plain equivalent of a typographic quotation mark or apostrophe.
pub(super) const fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        _ => c,
    }
}

/// Returns the offset of a character in the Unicode block of its script, and the first code point of the block. The
/// blocks follow ISCII, so equivalent characters have the same offset.
fn in_block(c: char) -> Option<(u32, u32)> {
    Script::of(c).filter(|&script| script != Script::Latin)?;
    let code = c as u32;
    (0x0900..0x0D80).contains(&code).then_some((code & 0x7f, code & !0x7f))
}

/// Returns the independent vowel of a vowel sign.
fn independent_vowel(sign: char) -> Option<char> {
    let (place, block) = in_block(sign)?;
    let vowel = match place {
        0x3e..=0x43 | 0x45..=0x4c => place - 0x38,
        _ => return None,
    };
    char::from_u32(block + vowel)
}

/// Returns the Devanagari character at the same offset.
fn devanagari(c: char) -> Option<char> {
    let (place, _) = in_block(c)?;
    char::from_u32(0x0900 + place)
}
