//! Conversion of a sequence of letters to a word in a script, with the viramas, vowel signs, chillus and tippi that the
//! script requires.
//!
//! The letters are Devanagari code points: consonants, vowel letters (अ after a consonant is its inherent vowel), the
//! signs ं ँ ः ॱ (Gurmukhi addak) and `-` after a consonant that is not joined to the next one.

use shruti_lang::Language;

use crate::language::{LanguageSpec, spec};
use crate::script::Script;

const VIRAMA: u32 = 0x4D;
const NUKTA: u32 = 0x3C;
const NON_JOINER: char = '\u{200c}';
const DEVANAGARI: u32 = 0x900;

/// Returns the word in the script of `language`.
pub(super) fn spell(letters: &str, language: Language) -> String {
    let LanguageSpec { script, ref romanisation, .. } = *spec(language);
    // the rules of Urdu can also read Devanagari, which includes the vowels that Arabic script omits
    let script = if script == Script::Arabic { Script::Devanagari } else { script };
    let Some(block) = script.block() else { return letters.to_owned() };
    let mut speller =
        Speller { block, script, out: String::with_capacity(letters.len() + 8), open: false, short: true };
    let letters: Vec<char> = letters.chars().filter_map(|c| available(c, script)).collect();
    for (i, &c) in letters.iter().enumerate() {
        speller.take(c, letters.get(i + 1).copied());
    }
    speller.end(&letters, romanisation.final_schwa_falls);
    speller.out
}

fn is_consonant(c: char) -> bool {
    matches!(c, '\u{915}'..='\u{939}' | '\u{958}'..='\u{95f}')
}

fn is_vowel(c: char) -> bool {
    matches!(c, '\u{904}'..='\u{914}' | '\u{960}' | '\u{961}' | '\u{972}')
}

/// Returns the letter of the script that is nearest to `c`, or `None` if `c` is not a letter.
fn available(c: char, script: Script) -> Option<char> {
    use Script::{Bengali, Devanagari, Gurmukhi, Kannada, Malayalam, Odia, Tamil, Telugu};
    let dravidian = matches!(script, Tamil | Telugu | Kannada | Malayalam);
    let mapped = match c {
        'ँ' if matches!(script, Tamil | Malayalam | Kannada | Telugu) => 'ं',
        '-' | 'ं' | 'ँ' | 'ः' | 'ॱ' | '\u{94d}' => c,
        'ऎ' if !dravidian => 'ए',
        'ऒ' if !dravidian => 'ओ',
        'ऍ' | '\u{972}' if script != Devanagari && script != Script::Gujarati => {
            if dravidian {
                'ऎ'
            } else {
                'ए'
            }
        }
        '\u{972}' => 'ऍ',
        'ऑ' if script != Devanagari && script != Script::Gujarati => 'आ',
        '\u{958}' if script != Devanagari && script != Gurmukhi => 'क',
        '\u{959}' if script != Devanagari && script != Gurmukhi => 'ख',
        '\u{95a}' if script != Devanagari && script != Gurmukhi => 'ग',
        '\u{95b}' if !matches!(script, Devanagari | Gurmukhi) => 'ज',
        '\u{95c}' if !matches!(script, Devanagari | Gurmukhi | Bengali | Odia) => 'ड',
        '\u{95d}' if !matches!(script, Devanagari | Bengali | Odia) => 'ढ',
        '\u{95e}' if !matches!(script, Devanagari | Gurmukhi) => 'फ',
        '\u{95f}' if !matches!(script, Bengali | Odia) => 'य',
        'ऩ' if !matches!(script, Devanagari | Tamil | Malayalam) => 'न',
        'ऱ' if !(dravidian || script == Devanagari) => 'र',
        'ऴ' if !matches!(script, Tamil | Malayalam | Telugu | Devanagari) => 'ळ',
        'ळ' if script == Bengali => 'ल',
        'व' if script == Bengali => 'ब',
        'ष' if script == Gurmukhi => 'श',
        'ख' | 'ग' | 'घ' if script == Tamil => 'क',
        'छ' | 'झ' if script == Tamil => 'च',
        'ठ' | 'ड' | 'ढ' if script == Tamil => 'ट',
        'थ' | 'द' | 'ध' if script == Tamil => 'त',
        'फ' | 'ब' | 'भ' if script == Tamil => 'प',
        'श' if script == Tamil => 'ष',
        c if is_consonant(c) || is_vowel(c) => c,
        _ => return None,
    };
    Some(mapped)
}

struct Speller {
    block: u32,
    script: Script,
    out: String,
    /// `true` after a consonant that has no vowel yet.
    open: bool,
    /// `true` after a vowel that takes tippi in Gurmukhi.
    short: bool,
}

impl Speller {
    fn push(&mut self, place: u32) {
        self.out.extend(char::from_u32(self.block + place));
    }

    fn take(&mut self, c: char, next: Option<char>) {
        let place = (c as u32).wrapping_sub(DEVANAGARI);
        match c {
            '-' => {
                if self.open && next.is_some() {
                    self.push(VIRAMA);
                    self.out.push(NON_JOINER);
                    self.open = false;
                }
            }
            'ॱ' => {
                if self.script == Script::Gurmukhi {
                    self.push(0x71);
                    self.open = false;
                }
            }
            // the hardly audible final u of Malayalam is written with a virama
            '\u{94d}' => {
                if self.script == Script::Malayalam {
                    self.push(VIRAMA);
                }
                self.open = false;
            }
            'ं' | 'ँ' | 'ः' => {
                let tippi = self.script == Script::Gurmukhi && c != 'ः' && (self.open || self.short);
                self.push(if tippi { 0x70 } else { place });
                self.open = false;
            }
            _ if is_vowel(c) => self.vowel(c, place),
            _ => self.consonant(c, next),
        }
    }

    fn vowel(&mut self, c: char, place: u32) {
        self.short = matches!(c, 'अ' | 'इ' | 'उ' | 'ऊ') && (self.open || c != 'उ' && c != 'ऊ');
        if matches!(c, 'ऋ' | 'ॠ' | 'ऌ' | 'ॡ') && matches!(self.script, Script::Tamil | Script::Gurmukhi)
        {
            self.consonant(if matches!(c, 'ऌ' | 'ॡ') { 'ल' } else { 'र' }, None);
            self.push(0x3F);
        } else if !self.open {
            self.push(place);
        } else if c == 'ॠ' {
            self.push(0x44);
        } else if matches!(c, 'ऌ' | 'ॡ') {
            self.push(0x62);
        } else if c != 'अ' {
            // in every block, the code point of a vowel sign is that of its letter plus 0x38
            self.push(place + 0x38);
        }
        self.open = false;
    }

    fn consonant(&mut self, c: char, next: Option<char>) {
        if self.open {
            self.push(VIRAMA);
        }
        self.open = true;
        let followed =
            next.is_some_and(|next| is_consonant(next) && next != c && !matches!(next, 'य' | 'व' | 'म'));
        let place = c as u32 - DEVANAGARI;
        match (self.script, c) {
            (Script::Malayalam, 'र') if followed => self.chillu(0x7C),
            (Script::Malayalam, 'ल') if followed => self.chillu(0x7D),
            (Script::Malayalam, 'ळ') if followed => self.chillu(0x7E),
            (Script::Malayalam, 'न') if followed && !matches!(next, Some('त' | 'थ' | 'द' | 'ध' | 'ऱ')) =>
            {
                self.chillu(0x7B);
            }
            (Script::Kannada, 'ऴ') => self.push(0x5E),
            // in current usage, va is written with this letter
            (Script::Odia, 'व') => self.push(0x71),
            (Script::Devanagari, '\u{958}'..='\u{95f}') => {
                const BASES: [u32; 8] = [0x15, 0x16, 0x17, 0x1C, 0x21, 0x22, 0x2B, 0x2F];
                self.push(BASES[place as usize - 0x58]);
                self.push(NUKTA);
            }
            _ => self.push(place),
        }
    }

    /// Writes a chillu, a Malayalam consonant letter without a vowel. The virama of a preceding consonant is removed.
    fn chillu(&mut self, place: u32) {
        if self.out.ends_with('\u{d4d}') {
            self.out.pop();
        }
        self.push(place);
        self.open = false;
    }

    fn end(&mut self, letters: &[char], final_schwa_falls: bool) {
        if !self.open {
            return;
        }
        let last = letters.iter().rev().copied().find(|c| *c != '-');
        if self.script == Script::Malayalam {
            let chillu = match last {
                Some('न') => Some(0x7B),
                Some('र') => Some(0x7C),
                Some('ल') => Some(0x7D),
                Some('ळ') => Some(0x7E),
                Some('ण') => Some(0x7A),
                _ => None,
            };
            if let Some(place) = chillu {
                self.out.pop();
                self.chillu(place);
                return;
            }
        }
        let cluster = letters.len() > 1 && letters.iter().rev().take(2).all(|c| is_consonant(*c));
        if !final_schwa_falls || self.script == Script::Bengali && cluster {
            self.push(VIRAMA);
        }
    }
}
