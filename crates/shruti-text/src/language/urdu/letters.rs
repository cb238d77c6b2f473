//! Letter rules for Urdu words that the lexicon does not contain: Arabic letters to Devanagari.
//!
//! Consonants and long vowels are written. A short vowel without its mark is taken to be a, which is the inherent vowel
//! of Devanagari; Hindi's rules delete it where Hindi does. Letters of Sindhi, Kashmiri and other languages are read as
//! the Urdu letters with the nearest sounds.

/// Letter or mark of the Arabic script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    /// A consonant, as a Devanagari letter.
    Consonant(&'static str),
    /// ا, which is a vowel carrier at the beginning and ā elsewhere.
    Alif,
    /// آ.
    Madda,
    /// ع, which lengthens a short a and is otherwise silent.
    Ain,
    /// و: v next to a vowel, otherwise o.
    Vav,
    /// ی: y next to a vowel, otherwise ī.
    Ye,
    /// ے: e.
    BariYe,
    /// ئ: i, ī or e after a vowel.
    HamzaYe,
    /// ؤ: o.
    HamzaVav,
    /// ہ: h, or ā at the end of a word.
    He,
    /// ۂ: a final ہ with the izafat.
    HeIzafat,
    /// ھ: makes the preceding consonant an aspirate.
    Aspiration,
    /// ں: makes the preceding vowel nasal.
    Nasal,
    /// َ ِ ُ.
    Short(Short),
    /// ٰ: ā.
    SuperscriptAlif,
    /// ً ٍ ٌ: a short vowel and n.
    Tanwin(Short),
    /// ّ: doubles the consonant.
    Doubled,
    /// ْ: no vowel follows the consonant.
    Vowelless,
    /// ٔ after the last letter: the izafat.
    Izafat,
}

/// Short vowel that a mark denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    A,
    I,
    U,
}

/// Returns whether a character is a mark that print usually omits.
pub(super) fn is_optional(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{652}' | '\u{670}')
}

fn letter(c: char) -> Option<Letter> {
    use Letter::{
        Ain, Alif, Aspiration, BariYe, Consonant, Doubled, HamzaVav, HamzaYe, He, HeIzafat, Izafat, Madda,
        Nasal, SuperscriptAlif, Tanwin, Vav, Vowelless, Ye,
    };
    Some(match c {
        'ا' | 'أ' | 'إ' | 'ٲ' | 'ٳ' => Alif,
        'آ' => Madda,
        'ع' => Ain,
        'و' | 'ۆ' | 'ۄ' | 'ۏ' => Vav,
        'ی' | 'ێ' | 'ؠ' => Ye,
        'ے' => BariYe,
        'ئ' | 'ۓ' => HamzaYe,
        'ؤ' => HamzaVav,
        'ہ' => He,
        'ۂ' | 'ۀ' => HeIzafat,
        'ھ' => Aspiration,
        'ں' => Nasal,
        '\u{64e}' => Letter::Short(Short::A),
        '\u{650}' => Letter::Short(Short::I),
        '\u{64f}' => Letter::Short(Short::U),
        '\u{64b}' => Tanwin(Short::A),
        '\u{64d}' => Tanwin(Short::I),
        '\u{64c}' => Tanwin(Short::U),
        '\u{670}' => SuperscriptAlif,
        '\u{651}' => Doubled,
        '\u{652}' => Vowelless,
        '\u{654}' => Izafat,
        'ب' | 'ٻ' => Consonant("ब"),
        'پ' => Consonant("प"),
        'ت' | 'ط' | 'ۃ' => Consonant("त"),
        'ٹ' | 'ٽ' | 'ټ' => Consonant("ट"),
        'ث' | 'س' | 'ص' => Consonant("स"),
        'ج' | 'ڄ' => Consonant("ज"),
        'چ' | 'څ' => Consonant("च"),
        'ڇ' => Consonant("छ"),
        'ڃ' => Consonant("ञ"),
        'ح' => Consonant("ह"),
        'خ' => Consonant("ख़"),
        'د' => Consonant("द"),
        'ڈ' | 'ڏ' | 'ڊ' | 'ډ' => Consonant("ड"),
        'ڌ' => Consonant("ध"),
        'ڍ' => Consonant("ढ"),
        'ذ' | 'ز' | 'ژ' | 'ض' | 'ظ' => Consonant("ज़"),
        'ر' => Consonant("र"),
        'ڑ' | 'ڙ' | 'ړ' => Consonant("ड़"),
        'ش' => Consonant("श"),
        'غ' => Consonant("ग़"),
        'ف' => Consonant("फ़"),
        'ڦ' => Consonant("फ"),
        'ڀ' => Consonant("भ"),
        'ٿ' => Consonant("थ"),
        'ٺ' => Consonant("ठ"),
        'ق' => Consonant("क़"),
        'ک' => Consonant("क"),
        'گ' | 'ڳ' | 'ګ' => Consonant("ग"),
        'ڱ' => Consonant("ङ"),
        'ل' | 'ڵ' => Consonant("ल"),
        'م' => Consonant("म"),
        'ن' => Consonant("न"),
        'ڻ' | 'ݨ' | 'ڼ' => Consonant("ण"),
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

/// Independent vowels and their signs.
const SIGNS: [(&str, &str); 9] =
    [("आ", "ा"), ("इ", "ि"), ("ई", "ी"), ("उ", "ु"), ("ऊ", "ू"), ("ए", "े"), ("ऐ", "ै"), ("ओ", "ो"), ("औ", "ौ")];

const VIRAMA: char = '\u{94d}';

/// State after the letters that have been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Start of the word.
    Nothing,
    /// A consonant without a written vowel.
    Consonant,
    /// The mark of a short vowel, which is not written yet because a long vowel may follow.
    Short(Short),
    /// A letter that only carries the next vowel.
    Carrier,
    /// A vowel that is written.
    Vowel,
}

/// Devanagari spelling of a word as far as it has been read.
struct Spelling {
    written: String,
    before: Before,
    /// Position in `written` of the last consonant.
    consonant: Option<usize>,
    /// Whether the last written consonant follows a long vowel.
    after_long: bool,
}

impl Spelling {
    fn push_consonant(&mut self, consonant: &str, is_last: bool) {
        self.settle();
        // a final fricative and stop after a long vowel have no vowel between them: دوست, but بھارت
        if is_last && self.before == Before::Consonant && self.after_long && self.ends_in_fricative() {
            self.written.push(VIRAMA);
        }
        self.after_long = self.before == Before::Vowel;
        self.consonant = Some(self.written.len());
        self.written.push_str(consonant);
        self.before = Before::Consonant;
    }

    fn ends_in_fricative(&self) -> bool {
        ["स", "श", "ख़", "फ़"].iter().any(|fricative| self.written.ends_with(fricative))
    }

    /// Writes a vowel, given as an independent letter: as a sign after a consonant, otherwise as a letter.
    fn push_vowel(&mut self, vowel: &str) {
        let sign = SIGNS.iter().find(|(letter, _)| *letter == vowel).map(|&(_, sign)| sign);
        match (self.before, sign) {
            (Before::Consonant | Before::Short(_), Some(sign)) if self.consonant.is_some() => {
                self.written.push_str(sign);
            }
            _ => self.written.push_str(vowel),
        }
        self.before = Before::Vowel;
        self.consonant = None;
    }

    /// Writes the vowel of a mark that no long vowel follows.
    fn settle(&mut self) {
        let Before::Short(short) = self.before else { return };
        match (short, self.consonant.is_some()) {
            // the inherent vowel
            (Short::A, true) => self.before = Before::Consonant,
            (Short::A, false) => self.push_vowel("अ"),
            (Short::I, _) => self.push_vowel("इ"),
            (Short::U, _) => self.push_vowel("उ"),
        }
    }

    fn aspirate(&mut self) {
        let plain = self.consonant.map(|at| self.written[at..].to_owned());
        let aspirate = ASPIRATES.iter().find(|(letter, _)| Some(*letter) == plain.as_deref());
        match (aspirate, self.consonant) {
            (Some((_, aspirate)), Some(at)) => self.written.replace_range(at.., aspirate),
            (None, Some(_)) => {
                self.written.push(VIRAMA);
                self.push_consonant("ह", false);
            }
            _ => self.push_consonant("ह", false),
        }
    }

    fn double(&mut self) {
        let Some(at) = self.consonant else { return };
        let consonant: String = self.written[at..].chars().take_while(|&c| c != VIRAMA).collect();
        self.written.insert_str(at, &format!("{consonant}{VIRAMA}"));
        self.consonant = Some(at + consonant.len() + VIRAMA.len_utf8());
    }
}

/// Returns the Devanagari spelling of a word.
pub(super) fn respell(word: &str) -> String {
    let letters: Vec<Letter> = word.chars().filter_map(letter).collect();
    let mut spelling = Spelling {
        written: String::with_capacity(word.len() * 2),
        before: Before::Nothing,
        consonant: None,
        after_long: false,
    };
    for (at, &letter) in letters.iter().enumerate() {
        push(&mut spelling, letter, &letters[at + 1..]);
    }
    // the izafat is an e, written as the mark of a short i after the last consonant
    if spelling.before == Before::Short(Short::I) && spelling.consonant.is_some() {
        spelling.push_vowel("ए");
    }
    spelling.settle();
    spelling.written
}

fn push(spelling: &mut Spelling, letter: Letter, rest: &[Letter]) {
    let next = rest.first();
    let is_last = rest.is_empty();
    let vowel_follows =
        matches!(next, Some(Letter::Alif | Letter::Madda | Letter::BariYe | Letter::Short(_)))
            || matches!(rest, [Letter::He] | [Letter::HeIzafat]);
    let after_vowel = spelling.before == Before::Vowel;
    match letter {
        Letter::Consonant(consonant) => spelling.push_consonant(consonant, is_last),
        Letter::Aspiration => spelling.aspirate(),
        Letter::Doubled => spelling.double(),
        Letter::Vowelless if spelling.before == Before::Consonant && !is_last => {
            spelling.written.push(VIRAMA);
            spelling.consonant = None;
        }
        Letter::Vowelless => {}
        Letter::Short(short) => {
            spelling.settle();
            spelling.before = Before::Short(short);
        }
        Letter::Alif | Letter::Ain if spelling.before == Before::Nothing => match next {
            Some(Letter::Short(_)) => {}
            // here the letter only carries the vowel
            Some(Letter::Ye | Letter::Vav | Letter::BariYe) => spelling.before = Before::Carrier,
            Some(Letter::Alif | Letter::Madda) => {}
            _ => spelling.push_vowel("अ"),
        },
        Letter::Ain if spelling.before == Before::Consonant && !vowel_follows => spelling.push_vowel("आ"),
        Letter::Ain => spelling.settle(),
        Letter::Alif if matches!(next, Some(Letter::Tanwin(_))) => {}
        Letter::Alif if after_vowel && is_last => {}
        Letter::Alif | Letter::Madda | Letter::SuperscriptAlif => push_long_a(spelling, letter),
        Letter::Vav => push_vav(spelling, vowel_follows),
        Letter::Ye => push_ye(spelling, rest, vowel_follows),
        Letter::BariYe if spelling.before == Before::Short(Short::A) => spelling.push_vowel("ऐ"),
        Letter::BariYe => spelling.push_vowel("ए"),
        Letter::HamzaYe => match next {
            // the next letter is the vowel: بھائی, گئے
            Some(Letter::Ye | Letter::BariYe) if spelling.before == Before::Consonant => {
                if next == Some(&Letter::BariYe) {
                    spelling.push_vowel("इ");
                }
            }
            Some(Letter::Ye | Letter::BariYe) => spelling.settle(),
            _ if is_last => spelling.push_vowel("ए"),
            _ => spelling.push_vowel("इ"),
        },
        Letter::HamzaVav => spelling.push_vowel("ओ"),
        Letter::He if is_last && spelling.before == Before::Consonant => spelling.push_vowel("आ"),
        Letter::He => spelling.push_consonant("ह", is_last),
        Letter::HeIzafat => {
            spelling.push_vowel("आ");
            spelling.push_vowel("ए");
        }
        Letter::Izafat if is_last => spelling.push_vowel("ए"),
        Letter::Izafat => {}
        Letter::Nasal => {
            spelling.settle();
            spelling.written.push('\u{902}');
        }
        Letter::Tanwin(short) => {
            spelling.before =
                if spelling.consonant.is_some() { Before::Short(short) } else { spelling.before };
            spelling.push_consonant("न", false);
        }
    }
}

fn push_long_a(spelling: &mut Spelling, letter: Letter) {
    // the ی of یٰ is silent: اعلیٰ
    if letter == Letter::SuperscriptAlif && spelling.written.ends_with(['ी', 'ई']) {
        let is_sign = spelling.written.ends_with('ी');
        spelling.written.pop();
        spelling.written.push(if is_sign { 'ा' } else { 'आ' });
        return;
    }
    spelling.push_vowel("आ");
}

fn push_vav(spelling: &mut Spelling, vowel_follows: bool) {
    match spelling.before {
        Before::Nothing | Before::Vowel => spelling.push_consonant("व", false),
        Before::Short(Short::U) => spelling.push_vowel("ऊ"),
        Before::Short(Short::A) => spelling.push_vowel("औ"),
        _ if vowel_follows => spelling.push_consonant("व", false),
        _ => spelling.push_vowel("ओ"),
    }
}

fn push_ye(spelling: &mut Spelling, rest: &[Letter], vowel_follows: bool) {
    match spelling.before {
        Before::Nothing => spelling.push_consonant("य", false),
        Before::Vowel if rest.is_empty() => spelling.push_vowel("ई"),
        Before::Vowel => spelling.push_consonant("य", false),
        Before::Short(Short::I) => spelling.push_vowel("ई"),
        Before::Carrier => spelling.push_vowel("ए"),
        Before::Short(Short::A) => spelling.push_vowel("ऐ"),
        Before::Consonant if vowel_follows && !matches!(rest.first(), Some(Letter::Short(_))) => {
            spelling.push_vowel("इ");
            spelling.push_consonant("य", false);
        }
        _ => spelling.push_vowel("ई"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_respelled() {
        let cases = [
            ("پاکستان", "पाकसतान"),
            ("دوست", "दोस्त"),
            ("کتاب", "कताब"),
            ("کِتاب", "किताब"),
            ("مُشکِل", "मुशकिल"),
            ("بھارت", "भारत"),
            ("پڑھنا", "पढ़ना"),
            ("بھائی", "भाई"),
            ("بنیاد", "बनियाद"),
            ("بعد", "बाद"),
            ("عورت", "ओरत"),
            ("ایک", "एक"),
            ("آپ", "आप"),
            ("وہاں", "वहां"),
            ("فوراً", "फ़ोरन"),
            ("اعلیٰ", "अला"),
            ("اَور", "और"),
            ("اِس", "इस"),
            ("زیرِ", "ज़ीरे"),
            ("بچّہ", "बच्चा"),
            ("تمھارا", "तम्हारा"),
            ("سنڌ", "सनध"),
        ];
        for (word, respelled) in cases {
            assert_eq!(respell(word), respelled, "{word}");
        }
    }

    #[test]
    fn any_sequence_of_letters_has_a_spelling() {
        let letters = [
            'ا', 'آ', 'ع', 'و', 'ی', 'ے', 'ئ', 'ؤ', 'ہ', 'ۂ', 'ھ', 'ں', 'ب', '\u{64e}', '\u{650}', '\u{64f}',
            '\u{64b}', '\u{670}', '\u{651}', '\u{652}', '\u{654}',
        ];
        for first in letters {
            for second in letters {
                for third in letters {
                    let word: String = [first, second, third].into_iter().collect();
                    let spelt = respell(&word);
                    assert!(spelt.chars().all(|c| ('\u{900}'..'\u{980}').contains(&c)), "{word}: {spelt}");
                }
            }
        }
    }
}
