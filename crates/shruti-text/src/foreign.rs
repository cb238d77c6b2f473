//! Reading of words in scripts that no supported language uses, so that no written word is skipped silently.
//!
//! A lone Greek letter is read as its name. All other words are romanised letter by letter with `any_ascii` and read
//! like names in English text. This reading is rough; a lexicon can override it.

use unicode_normalization::UnicodeNormalization;

/// Returns the English words that are read for a word in an unsupported script, or `None` if its letters are unknown.
pub(crate) fn read(word: &str) -> Option<String> {
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Some(name) = greek_name(letter)
    {
        return Some(name.to_owned());
    }
    let mut words = String::with_capacity(word.len());
    for c in word.nfkc() {
        let latin = any_ascii::any_ascii_char(c);
        // `any_ascii` capitalises characters that stand for whole syllables or words
        if !is_cased(c) && latin.starts_with(|c: char| c.is_ascii_uppercase()) {
            words.push(' ');
        }
        words.extend(latin.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()));
    }
    let words = words.trim().to_owned();
    (!words.is_empty()).then_some(words)
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Returns the English name of a Greek letter.
fn greek_name(c: char) -> Option<&'static str> {
    const NAMES: [&str; 25] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
        "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi",
        "omega",
    ];
    let lower = match c {
        'µ' => 'μ',
        'ϑ' => 'θ',
        'ϕ' => 'φ',
        'ϵ' => 'ε',
        c => c.to_lowercase().next()?,
    };
    let place = (lower as u32).checked_sub('α' as u32)?;
    NAMES.get(place as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_has_letters() {
        let english = [
            ("Москва", "moskva"),
            ("МОСКВА", "moskva"),
            ("Ελλάδα", "ellada"),
            ("北京", "bei jing"),
            ("ありがとう", "arigatou"),
            ("한국", "han gug"),
            ("สวัสดี", "swasdi"),
            ("ᱥᱟᱱᱛᱟᱲᱤ", "santari"),
            ("ꯃꯩꯇꯩ", "meitei"),
            ("שלום", "slvm"),
        ];
        for (word, latin) in english {
            assert_eq!(read(word).as_deref(), Some(latin), "{word}");
        }
    }

    #[test]
    fn only_known_foreign_letters_have_names() {
        for (letter, name) in
            [("α", "alpha"), ("Ω", "omega"), ("Ω", "omega"), ("ς", "sigma"), ("µ", "mu"), ("π", "pi")]
        {
            assert_eq!(read(letter).as_deref(), Some(name), "{letter}");
        }
        assert_eq!(read("\u{12000}\u{12001}"), None, "cuneiform");
    }
}
