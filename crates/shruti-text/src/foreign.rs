//! Words in scripts that no supported language uses, so that no written word is skipped silently.
//!
//! A lone Greek letter is read as its name. Words in Arabic letters, which omit most vowels, get the most likely vowels
//! and are read as romanised words of the text's language; most of them are Urdu words next to Hindi ones. All other
//! words are romanised letter by letter by `any_ascii` and read like names in English text. This reading is rough; a
//! lexicon can override it.

use unicode_normalization::UnicodeNormalization;

/// Reading of a word in an unsupported script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// English words: names of letters, and foreign names.
    English(String),
    /// A romanised word of the text's language.
    Romanised(String),
}

/// Returns the reading of a word in an unsupported script, or `None` if its letters are unknown.
pub(crate) fn read(word: &str) -> Option<Foreign> {
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next())
        && let Some(name) = greek_name(letter)
    {
        return Some(Foreign::English(name.to_owned()));
    }
    let mut words = String::with_capacity(word.len());
    let mut arabic: Vec<char> = Vec::new();
    for c in word.nfkc() {
        if is_arabic(c) {
            arabic.push(c);
            continue;
        }
        push_arabic(&mut words, &mut arabic);
        let latin = any_ascii::any_ascii_char(c);
        // `any_ascii` capitalises characters that stand for whole syllables or words
        if !is_cased(c) && latin.starts_with(|c: char| c.is_ascii_uppercase()) {
            words.push(' ');
        }
        words.extend(latin.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()));
    }
    push_arabic(&mut words, &mut arabic);
    let words = words.trim().to_owned();
    match word.chars().any(is_arabic) {
        _ if words.is_empty() => None,
        true => Some(Foreign::Romanised(words)),
        false => Some(Foreign::English(words)),
    }
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

fn is_arabic(c: char) -> bool {
    matches!(c as u32, 0x600..=0x6FF | 0x750..=0x77F | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC)
}

/// Letter of the Arabic script as used in Urdu and Arabic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    Consonant(&'static str),
    /// A vowel in every position, and whether it is long.
    Vowel(&'static str, bool),
    /// و and ی: a consonant next to a vowel, otherwise a vowel.
    Glide(&'static str, &'static str),
    /// ه and ہ: a vowel at the end of a word.
    He,
    /// Mark that doubles the preceding consonant.
    Doubled,
    /// Mark for a consonant without a vowel.
    Vowelless,
}

fn letter(c: char) -> Option<Letter> {
    use Letter::{Consonant, Doubled, Glide, He, Vowel, Vowelless};
    Some(match c {
        'ا' | 'أ' | 'ٱ' | 'ى' | 'ة' | 'ۃ' | 'ع' => Vowel("a", true),
        'آ' | '\u{670}' => Vowel("aa", true),
        '\u{64e}' | '\u{64b}' => Vowel("a", false),
        '\u{650}' | '\u{64d}' => Vowel("i", false),
        '\u{64f}' | '\u{64c}' => Vowel("u", false),
        'إ' | 'ئ' => Vowel("i", true),
        'ؤ' => Vowel("o", true),
        'ے' => Vowel("e", true),
        'و' => Glide("v", "o"),
        'ی' | 'ي' => Glide("y", "i"),
        'ہ' | 'ه' => He,
        '\u{651}' => Doubled,
        '\u{652}' => Vowelless,
        'ب' => Consonant("b"),
        'پ' => Consonant("p"),
        'ت' | 'ٹ' | 'ط' => Consonant("t"),
        'ث' | 'س' | 'ص' => Consonant("s"),
        'ج' => Consonant("j"),
        'چ' => Consonant("ch"),
        'ح' | 'ھ' => Consonant("h"),
        'خ' => Consonant("kh"),
        'د' | 'ڈ' => Consonant("d"),
        'ذ' | 'ز' | 'ژ' | 'ض' | 'ظ' => Consonant("z"),
        'ر' | 'ڑ' => Consonant("r"),
        'ش' => Consonant("sh"),
        'غ' | 'گ' => Consonant("g"),
        'ف' => Consonant("f"),
        'ق' => Consonant("q"),
        'ک' | 'ك' => Consonant("k"),
        'ل' => Consonant("l"),
        'م' => Consonant("m"),
        'ن' | 'ں' => Consonant("n"),
        _ => return None,
    })
}

/// State after the preceding letters, which determines whether a vowel is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Start of the word.
    Nothing,
    Vowel,
    /// A consonant that a vowel may follow.
    Consonant,
    /// A consonant after a long vowel, as in دوست: the next consonant may follow directly.
    Coda,
}

/// Appends the pending Arabic letters in romanised form.
fn push_arabic(words: &mut String, waiting: &mut Vec<char>) {
    use Letter::{Consonant, Doubled, Glide, He, Vowel, Vowelless};
    let letters: Vec<Letter> = waiting.drain(..).filter_map(letter).collect();
    let mut before = Before::Nothing;
    let mut long = false;
    let mut consonant = None;
    for (at, &letter) in letters.iter().enumerate() {
        let last = at + 1 == letters.len();
        let vowel_follows = match letters.get(at + 1) {
            Some(Vowel(..)) => true,
            Some(He) => at + 2 == letters.len(),
            _ => false,
        };
        let after_consonant = matches!(before, Before::Consonant | Before::Coda);
        let (sound, is_vowel) = match letter {
            Doubled => {
                // the vowel of the consonant may be between the consonant and the mark
                if let Some((at, consonant)) = consonant.take() {
                    words.insert_str(at, consonant);
                }
                continue;
            }
            Vowelless => {
                before = if after_consonant { Before::Coda } else { before };
                continue;
            }
            Vowel(sound, is_long) => {
                long = is_long;
                match (sound, before) {
                    ("a", Before::Nothing) => ("a", true),
                    // here the letter only carries the preceding vowel
                    ("a", Before::Vowel) => ("", true),
                    ("a", _) if is_long => ("aa", true),
                    _ => (sound, true),
                }
            }
            He if last && after_consonant => ("a", true),
            He if last => ("", true),
            He => ("h", false),
            Glide("y", _) if vowel_follows && after_consonant => ("iy", false),
            Glide(consonant, _) if vowel_follows || before == Before::Nothing => (consonant, false),
            Glide(_, vowel) => {
                long = true;
                (vowel, true)
            }
            Consonant(sound) => (sound, false),
        };
        if !is_vowel && before == Before::Consonant && !sound.starts_with('i') {
            words.push('a');
        }
        before = match (is_vowel, before) {
            (true, _) => Before::Vowel,
            (false, Before::Vowel) if long && !vowel_follows => Before::Coda,
            (false, _) => Before::Consonant,
        };
        if !is_vowel {
            consonant = Some((words.len(), sound));
        }
        words.push_str(sound);
    }
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
            assert_eq!(read(word), Some(Foreign::English(latin.to_owned())), "{word}");
        }
        let arabic = [
            ("سلام", "salaam"),
            ("نمستے", "namasate"),
            ("دوست", "dost"),
            ("کراچی", "karaachi"),
            ("شکریہ", "shakariya"),
            ("محمد", "mahamad"),
            ("علی", "ali"),
            ("پاکستان", "paaksataan"),
            ("ﺳﻼم", "salaam"),
            ("مُحَمَّد", "muhammad"),
            ("ہندوستان", "hanadostaan"),
            ("کیا", "kiyaa"),
            ("نہیں", "nahin"),
            ("وقت", "vaqat"),
            ("اردو", "ardo"),
        ];
        for (word, latin) in arabic {
            assert_eq!(read(word), Some(Foreign::Romanised(latin.to_owned())), "{word}");
        }
    }

    #[test]
    fn only_known_foreign_letters_have_names() {
        for (letter, name) in
            [("α", "alpha"), ("Ω", "omega"), ("Ω", "omega"), ("ς", "sigma"), ("µ", "mu"), ("π", "pi")]
        {
            assert_eq!(read(letter), Some(Foreign::English(name.to_owned())), "{letter}");
        }
        assert_eq!(read("\u{12000}\u{12001}"), None, "cuneiform");
    }
}
