//! Respelling of words that the lexicon does not contain, letter by letter.
//!
//! `letters.tsv` is a decision list that `train/urdu/fit_letters.py` fits to the lexicon. It contains the most frequent
//! sounds of each letter in a context, including a short vowel that is not written. Written vowel signs take
//! precedence.

use std::sync::LazyLock;

use smallvec::SmallVec;

use super::respelling;
use crate::files::text;
use crate::table::Table;

/// Letter of a word, with its vowel signs.
#[derive(Clone, Debug)]
struct Letter {
    /// The letter, followed by ھ if it is aspirated.
    written: String,
    /// Signs on the letter.
    signs: SmallVec<[char; 2]>,
}

const ZABAR: char = '\u{64e}';
const ZER: char = '\u{650}';
const PESH: char = '\u{64f}';
const TWO_ZABAR: char = '\u{64b}';
const TWO_ZER: char = '\u{64d}';
const TWO_PESH: char = '\u{64c}';
const TASHDID: char = '\u{651}';
const JAZM: char = '\u{652}';
const SMALL_ALIF: char = '\u{670}';
const HAMZA_ABOVE: char = '\u{654}';

/// Returns whether a character is a sign that is usually omitted in print.
pub(super) fn is_sign(c: char) -> bool {
    matches!(c, TWO_ZABAR..=JAZM | SMALL_ALIF | HAMZA_ABOVE | '\u{656}' | '\u{657}')
}

/// Returns a word without the sign of the izafat at its end (`بابِ`, `جلوۂ`); `None` if the word has no izafat.
pub(super) fn without_izafat(word: &str) -> Option<String> {
    if let Some(stem) = word.strip_suffix('ۂ') {
        return Some(format!("{stem}ہ"));
    }
    word.strip_suffix([ZER, HAMZA_ABOVE]).filter(|stem| stem.chars().count() > 1).map(str::to_owned)
}

/// Rules of `letters.tsv`: the sounds of a letter, by its context.
static RULES: LazyLock<Table<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = text!("ur/letters.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// Returns the sound of a consonant letter in Devanagari; `None` for other letters.
fn consonant(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ب' | 'ٻ' => "ब",
        'پ' => "प",
        'ت' | 'ط' | 'ۃ' => "त",
        'ٹ' | 'ٽ' | 'ټ' => "ट",
        'ث' | 'س' | 'ص' => "स",
        'ج' | 'ڄ' => "ज",
        'چ' | 'څ' => "च",
        'ڇ' => "छ",
        'ڃ' => "ञ",
        'ح' | 'ہ' | 'ھ' => "ह",
        'خ' => "ख़",
        'د' => "द",
        'ڈ' | 'ڏ' | 'ڊ' | 'ډ' => "ड",
        'ڌ' => "ध",
        'ڍ' => "ढ",
        'ذ' | 'ز' | 'ژ' | 'ض' | 'ظ' => "ज़",
        'ر' => "र",
        'ڑ' | 'ڙ' | 'ړ' => "ड़",
        'ش' | 'ݜ' | 'ښ' => "श",
        'غ' => "ग़",
        'ف' | 'ڤ' => "फ़",
        'ڦ' => "फ",
        'ڀ' => "भ",
        'ٿ' => "थ",
        'ٺ' => "ठ",
        'ق' => "क़",
        'ک' => "क",
        'گ' | 'ڳ' | 'ګ' => "ग",
        'ڱ' => "ङ",
        'ل' | 'ڵ' => "ल",
        'م' => "म",
        'ن' => "न",
        'ڻ' | 'ݨ' | 'ڼ' => "ण",
        'و' => "व",
        'ی' => "य",
        _ => return None,
    })
}

/// Devanagari aspirates of plain consonants.
const ASPIRATES: [(&str, &str); 11] = [
    ("क", "ख"),
    ("ग", "घ"),
    ("च", "छ"),
    ("ज", "झ"),
    ("ट", "ठ"),
    ("ड", "ढ"),
    ("त", "थ"),
    ("द", "ध"),
    ("प", "फ"),
    ("ब", "भ"),
    ("ड़", "ढ़"),
];

/// Returns the consonant that replaces the `C` of a rule, and the plain consonant that is written before it if it is
/// doubled. Returns `None` for letters that are not consonants.
fn sounds_of(letter: &str) -> Option<(String, &'static str)> {
    let mut letters = letter.chars();
    let plain = consonant(letters.next()?)?;
    if letters.next().is_none() {
        return Some((plain.to_owned(), plain));
    }
    let aspirate = ASPIRATES.iter().find(|(from, _)| *from == plain).map(|&(_, aspirate)| aspirate);
    Some((aspirate.map_or_else(|| format!("{plain}ह"), str::to_owned), plain))
}

/// Returns the letter that the rules use in place of a letter: a similar letter of Urdu for a letter of another
/// language, and the letter itself if it is known. Returns `None` for any other character.
fn usual(letter: char) -> Option<char> {
    Some(match letter {
        'أ' | 'ٲ' | 'ٳ' => 'ا',
        'ۆ' | 'ۄ' | 'ۏ' => 'و',
        'ێ' | 'ؠ' => 'ی',
        'ٻ' | 'ڀ' => 'ب',
        'ٽ' | 'ټ' | 'ٺ' => 'ٹ',
        'ڄ' | 'ڃ' => 'ج',
        'څ' | 'ڇ' => 'چ',
        'ڏ' | 'ڊ' | 'ډ' | 'ڍ' => 'ڈ',
        'ڌ' => 'د',
        'ڙ' | 'ړ' => 'ڑ',
        'ݜ' | 'ښ' => 'ش',
        'ڤ' => 'ف',
        'ڦ' => 'پ',
        'ٿ' => 'ت',
        'ڳ' | 'ګ' | 'ڱ' => 'گ',
        'ڵ' => 'ل',
        'ڻ' | 'ݨ' | 'ڼ' => 'ن',
        c => return is_known(c).then_some(c),
    })
}

fn is_known(c: char) -> bool {
    consonant(c).is_some() || matches!(c, 'ا' | 'آ' | 'ے' | 'ئ' | 'ؤ' | 'ع' | 'ں' | 'ء' | 'ۂ' | 'ۓ')
}

/// Splits a word into its letters. ھ is part of the preceding letter.
fn letters_of(word: &str) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    for c in word.chars() {
        match letters.last_mut() {
            Some(last) if c == 'ھ' && last.written.chars().count() == 1 => last.written.push(c),
            Some(last) if is_sign(c) => last.signs.push(c),
            _ if c == 'ۂ' => letters.extend([plain('ہ'), plain('ئ'), plain('ے')]),
            _ if c == 'ۓ' => letters.extend([plain('ئ'), plain('ے')]),
            _ if usual(c).is_some() => letters.push(plain(c)),
            _ => {}
        }
    }
    letters
}

fn plain(c: char) -> Letter {
    Letter { written: c.to_string(), signs: SmallVec::new() }
}

/// Returns the respelling of a word.
pub(super) fn respell(word: &str) -> String {
    let letters = letters_of(word);
    // the letters in the form that the rules use
    let usual: Vec<String> = letters
        .iter()
        .map(|letter| letter.written.chars().map(|c| usual(c).unwrap_or(c)).collect())
        .collect();
    let mut state = State::default();
    let mut sounds = String::with_capacity(word.len() * 2);
    for (place, letter) in letters.iter().enumerate() {
        let by_rule = choose(&usual, place, &state);
        let part = sounded(&letter.written, by_rule);
        let mut part = with_signs(&letters, place, part);
        // the a of a tanwin may already belong to the sounds of the preceding letter
        if letter.signs.contains(&TWO_ZABAR) && sounds.ends_with('अ') && part.starts_with('अ') {
            part.remove(0);
        }
        state.push(&part);
        sounds.push_str(&part);
    }
    respelling::of_sounds(&sounds)
}

/// Classes of the last two sounds: a consonant `C`, a short vowel `s`, a long vowel `l`, or `^` for the start.
struct State([char; 2]);

impl Default for State {
    fn default() -> Self {
        Self(['^', '^'])
    }
}

impl State {
    fn push(&mut self, sounds: &str) {
        for sound in sounds.chars() {
            let class = match sound {
                'अ' | 'इ' | 'उ' => 's',
                'आ' | 'ई' | 'ऊ' | 'ए' | 'ऐ' | 'ओ' | 'औ' | '\u{901}' => 'l',
                // a nukta belongs to the preceding consonant
                '\u{93c}' => continue,
                _ => 'C',
            };
            self.0 = [self.0[1], class];
        }
    }
}

/// Returns the sounds of a letter by the rule with the most specific context, with `C` for the consonant of the letter.
fn choose(letters: &[String], place: usize, state: &State) -> &'static str {
    let get = |offset: isize| {
        place.checked_add_signed(offset).map_or("^", |at| letters.get(at).map_or("$", String::as_str))
    };
    let is_general = |letter: &str, except: &[&str]| {
        !except.contains(&letter) && letter.chars().next().is_some_and(|first| consonant(first).is_some())
    };
    let own = get(0);
    let start = if place == 0 { "^" } else { "" };
    let general = is_general(own, &["و", "ی", "ہ", "ن"]);
    let kind = if general { "C".to_owned() } else { format!("{own}{start}") };
    let shape = |letter: &'_ str| -> String {
        if is_general(letter, &["و", "ی", "ہ"]) { "C".to_owned() } else { letter.to_owned() }
    };
    let (right, second, third) = (get(1), get(2), get(3));
    let (left, before_left) = (get(-1), get(-2));
    let (s1, s2, s3) = (shape(right), shape(second), shape(third));
    let [earlier, last] = state.0;
    let contexts = [
        format!("10{earlier}{last}{before_left}{left}_{own}{start}{right}{second}{third}"),
        format!("9{earlier}{last}{left}_{own}{start}{right}{second}{third}"),
        format!("8{earlier}{last}{left}_{own}{start}{right}{second}"),
        format!("7{earlier}{last}{left}_{own}{start}{right}{s2}"),
        format!("6{earlier}{last}{own}{start}{right}{second}"),
        format!("5{earlier}{last}{own}{start}{right}{s2}"),
        format!("4{earlier}{last}{kind}{s1}{s2}{s3}"),
        format!("3{earlier}{last}{kind}{s1}{s2}"),
        format!("2{last}{kind}{s1}{s2}"),
        format!("1{kind}{s1}"),
        format!("0{kind}"),
    ];
    contexts.iter().find_map(|context| RULES.get(context.as_str()).copied()).unwrap_or_default()
}

/// Replaces each `C` of a rule with the consonant of the letter.
fn sounded(letter: &str, rule: &str) -> String {
    let Some((consonant, plain)) = sounds_of(letter) else { return rule.to_owned() };
    let mut sounds = String::with_capacity(rule.len() + consonant.len());
    let mut marks = rule.chars().peekable();
    while let Some(c) = marks.next() {
        match c {
            'C' if marks.peek() == Some(&'C') => sounds.push_str(plain),
            'C' => sounds.push_str(&consonant),
            c => sounds.push(c),
        }
    }
    sounds
}

/// Changes the sounds of a letter according to the signs on it and on the letter before it.
fn with_signs(letters: &[Letter], place: usize, part: String) -> String {
    let letter = &letters[place];
    let before = place.checked_sub(1).map(|before| &letters[before]);
    let after = letters.get(place + 1);
    let has = |letter: Option<&Letter>, sign| letter.is_some_and(|letter| letter.signs.contains(&sign));
    if has(before, SMALL_ALIF) && matches!(letter.written.as_str(), "ا" | "و" | "ی") {
        return String::new();
    }
    // a vowel letter makes the short vowel before it long: صُورت
    if letter.signs.is_empty() {
        let long = match letter.written.as_str() {
            "و" if has(before, PESH) => Some("ऊ"),
            "و" if has(before, ZABAR) => Some("औ"),
            "ی" if has(before, ZER) => Some("ई"),
            "ی" | "ے" if has(before, ZABAR) => Some("ऐ"),
            "ا" if has(before, ZABAR) => Some("आ"),
            "ا" if has(before, TWO_ZABAR) => Some(""),
            _ => None,
        };
        return long.map_or(part, str::to_owned);
    }
    let Some((consonant, plain)) = sounds_of(&letter.written) else {
        return carried(letter, after).map_or(part, str::to_owned);
    };
    let lengthened =
        |sign| after.is_some_and(|after| after.signs.is_empty() && lengthens(sign, &after.written));
    let mut sounds = String::new();
    if letter.signs.contains(&TASHDID) {
        sounds.push_str(plain);
    }
    sounds.push_str(&consonant);
    let vowel = letter.signs.iter().find_map(|&sign| match sign {
        ZABAR | ZER | PESH if lengthened(sign) => Some(""),
        ZABAR => Some("अ"),
        ZER => Some("इ"),
        PESH => Some("उ"),
        TWO_ZABAR => Some("अन"),
        TWO_ZER => Some("इन"),
        TWO_PESH => Some("उन"),
        SMALL_ALIF => Some("आ"),
        JAZM => Some(""),
        _ => None,
    });
    // a tashdid alone does not indicate the vowel, so the vowel of the rule is used
    let vowel = vowel.unwrap_or_else(|| part.trim_start_matches(|c| !respelling::is_vowel(c)));
    sounds.push_str(vowel);
    sounds
}

/// Returns whether a letter lengthens the short vowel of the sign before it.
fn lengthens(sign: char, letter: &str) -> bool {
    matches!((sign, letter), (PESH, "و") | (ZABAR, "و" | "ی" | "ے" | "ا") | (ZER, "ی"))
}

/// Returns the vowel of a letter that is not a consonant, according to its sign. Returns `None` if there is no vowel
/// sign.
fn carried(letter: &Letter, after: Option<&Letter>) -> Option<&'static str> {
    let sign = letter.signs.first()?;
    let lengthened = after.is_some_and(|after| after.signs.is_empty() && lengthens(*sign, &after.written));
    match *sign {
        ZABAR | ZER | PESH if lengthened => Some(""),
        ZABAR => Some("अ"),
        ZER => Some("इ"),
        PESH => Some("उ"),
        TWO_ZABAR => Some("अन"),
        SMALL_ALIF => Some("आ"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlisted_words_are_respelled() {
        let cases = [
            ("کِتاب", "किताब", "zer"),
            ("مُشکِل", "मुश्किल", "pesh and zer"),
            ("صُورَت", "सूरत", "pesh before و"),
            ("قَوم", "क़ौम", "zabar before و"),
            ("شَیخ", "शैख़", "zabar before ی"),
            ("بچّہ", "बच्चा", "tashdid"),
            ("اِنسان", "इन्सान", "zer on ا"),
            ("مَثَلاً", "मसलन", "tanwin"),
            ("رَحمٰن", "रह्मान", "small alif"),
            ("سنڌ", "सन्ध", "a letter of Sindhi"),
            ("پڑھ", "पढ़", "an aspirate"),
        ];
        for (word, respelled, why) in cases {
            assert_eq!(respell(word), respelled, "{word}: {why}");
        }
    }

    #[test]
    fn any_sequence_of_letters_has_a_respelling() {
        let letters = [
            'ا',
            'آ',
            'ع',
            'و',
            'ی',
            'ے',
            'ئ',
            'ؤ',
            'ہ',
            'ۂ',
            'ھ',
            'ں',
            'ب',
            ZABAR,
            ZER,
            PESH,
            TWO_ZABAR,
            SMALL_ALIF,
            TASHDID,
            JAZM,
            HAMZA_ABOVE,
        ];
        for first in letters {
            for second in letters {
                for third in letters {
                    let word: String = [first, second, third].into_iter().collect();
                    let respelled = respell(&word);
                    assert!(
                        respelled.chars().all(|c| ('\u{900}'..'\u{980}').contains(&c)),
                        "{word}: {respelled}"
                    );
                }
            }
        }
    }
}
