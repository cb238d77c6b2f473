//! Typing and conversion faults: wrong letters produced by keyboards, font converters and PDF readers.
//!
//! The table is `data/typing-faults.tsv`; its header explains the values of the column `place`. Two faults need no
//! table: a sign that is typed twice, and a virama after a vowel sign. A repaired letter covers the source range of the
//! characters that it replaces, so that word timestamps stay exact.

use std::sync::LazyLock;

use crate::chars::{brahmic_place, is_alphabetic, is_brahmic, is_mark};
use crate::clean_char::CleanChar;
use crate::script::{Script, digit_value};

/// Maximum number of characters of an abbreviation before its sign.
const LONGEST_ABBREVIATED: usize = 5;

/// Context in which a sequence is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultContext {
    Any,
    End,
    Word,
    Prefix,
    After,
    Digits,
    Number,
    First,
    Swap,
    Repha,
}

impl FaultContext {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "any" => Self::Any,
            "end" => Self::End,
            "word" => Self::Word,
            "prefix" => Self::Prefix,
            "after" => Self::After,
            "digits" => Self::Digits,
            "number" => Self::Number,
            "first" => Self::First,
            "swap" => Self::Swap,
            "repha" => Self::Repha,
            _ => return None,
        })
    }
}

#[derive(Debug)]
struct Fault {
    place: FaultContext,
    written: Vec<char>,
    meant: Vec<char>,
}

/// Faults, indexed by the offset of the first written character in its Brahmic block, longest first. Every letter of a
/// text is looked up, so the table is an array, not a hash table.
static FAULTS: LazyLock<Vec<Vec<Fault>>> = LazyLock::new(|| {
    let mut faults: Vec<Vec<Fault>> = Vec::new();
    for line in include_str!("../../data/typing-faults.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        let (script, place, written, meant) = (next(), next(), next(), next());
        let Some(place) = FaultContext::from_name(place) else {
            unreachable!("data/typing-faults.tsv: no place '{place}' in '{line}'")
        };
        for (written, meant) in in_scripts(script, written, meant) {
            let Some(first) = brahmic_place(written[0]) else {
                unreachable!("data/typing-faults.tsv: '{line}' does not begin with an Indian letter")
            };
            faults.resize_with(faults.len().max(first + 1), Vec::new);
            faults[first].push(Fault { place, written, meant });
        }
    }
    for of_letter in &mut faults {
        of_letter.sort_by_key(|fault| std::cmp::Reverse(fault.written.len()));
    }
    faults
});

/// Returns the faults that begin with a character.
fn faults_of(c: char) -> &'static [Fault] {
    brahmic_place(c).and_then(|place| FAULTS.get(place)).map_or(&[], Vec::as_slice)
}

/// Returns the pairs of written and intended text in the script of the row or, for `all`, in every Brahmic script.
fn in_scripts(script: &str, written: &str, meant: &str) -> Vec<(Vec<char>, Vec<char>)> {
    if script != "all" {
        return vec![(written.chars().collect(), meant.chars().collect())];
    }
    let blocks = Script::BRAHMIC.iter().filter_map(|script| script.block());
    let moved = |text: &str, block: u32| {
        let letter =
            |c| if is_brahmic(c) { char::from_u32(block + (c as u32 & 0x7F)).unwrap_or(c) } else { c };
        text.chars().map(letter).collect::<Vec<_>>()
    };
    let exists = |(_, meant): &(Vec<char>, Vec<char>)| meant.iter().all(|&c| in_word(c));
    blocks.map(|block| (moved(written, block), moved(meant, block))).filter(exists).collect()
}

/// Signs that are written after the consonants but belong before them.
static REPHA: LazyLock<Vec<char>> = LazyLock::new(|| {
    let repha = FAULTS.iter().flatten().filter(|fault| fault.place == FaultContext::Repha);
    repha.map(|fault| fault.written[0]).collect()
});

/// Returns the characters with their faults repaired, or `None` if there are no faults.
pub(super) fn repaired(characters: &[CleanChar]) -> Option<Vec<CleanChar>> {
    let signs = REPHA.as_slice();
    let repha = characters.iter().any(|clean| signs.contains(&clean.c));
    let mut made: Option<Vec<CleanChar>> = None;
    let mut at = 0;
    while at < characters.len() {
        let moved = if repha { with_repha(characters, at) } else { None };
        if let Some((meant, length)) = moved.or_else(|| repair(characters, at)) {
            made.get_or_insert_with(|| characters[..at].to_vec()).extend(meant);
            at += length;
            continue;
        }
        if let Some(made) = &mut made {
            made.push(characters[at]);
        }
        at += 1;
    }
    made
}

/// Returns the intended characters at `at` and the number of characters that they replace.
fn repair(characters: &[CleanChar], at: usize) -> Option<(Vec<CleanChar>, usize)> {
    let c = characters[at].c;
    if is_abbreviation_zero(characters, at) {
        return Some((covering(&['.'], &characters[at..=at]), 1));
    }
    if !is_brahmic(c) {
        return None;
    }
    if let Some(fault) = faults_of(c).iter().find(|fault| fault.is_at(characters, at)) {
        return Some(if fault.place == FaultContext::Swap {
            let cluster = cluster_length(&characters[at + 1..]);
            let mut meant = characters[at + 1..=at + cluster].to_vec();
            meant.push(characters[at]);
            for clean in &mut meant {
                (clean.start, clean.end) = (characters[at].start, characters[at + cluster].end);
            }
            (meant, 1 + cluster)
        } else {
            (covering(&fault.meant, &characters[at..at + fault.written.len()]), fault.written.len())
        });
    }
    let is_doubled = at > 0 && characters[at - 1].c == c && is_mark(c);
    // ു് is a vowel in Malayalam; in Gurmukhi the akshara parser reorders a sign that is typed before a subjoined
    // letter
    let has_use = || matches!(Script::of(c), Some(Script::Malayalam | Script::Gurmukhi));
    let is_idle_virama = is_virama(c) && at > 0 && is_vowel_sign(characters[at - 1].c) && !has_use();
    (is_doubled || is_idle_virama).then(|| (Vec::new(), 1))
}

/// Returns whether the European zero at `at` is typed in place of the abbreviation sign of Hindi (`मो0 सलीम`,
/// `उ0प्र0`): it directly follows the letters of a short word, and no other digit is in its token.
fn is_abbreviation_zero(characters: &[CleanChar], at: usize) -> bool {
    if characters[at].c != '0' {
        return false;
    }
    // a hyphen or colon ends the token, because a case number may follow: मु0अ0सं0-218/25
    let in_token = |clean: &&CleanChar| !clean.c.is_whitespace() && !matches!(clean.c, '-' | ':');
    let before = || characters[..at].iter().rev().take_while(in_token).map(|clean| clean.c);
    let after = characters[at + 1..].iter().take_while(in_token).map(|clean| clean.c);
    let letters = before().take_while(|&c| in_word(c) && Script::of(c) == Some(Script::Devanagari)).count();
    let other_digit = |c: char| c != '0' && digit_value(c).is_some();
    (1..=LONGEST_ABBREVIATED).contains(&letters)
        && characters.get(at + 1).is_none_or(|clean| digit_value(clean.c).is_none())
        && !before().chain(after).any(other_digit)
}

/// Repairs a sign after the consonants at `at` that belongs before them: ಥ೯ is ರ್ಥ.
fn with_repha(characters: &[CleanChar], at: usize) -> Option<(Vec<CleanChar>, usize)> {
    let after_virama = at > 0 && is_virama(characters[at - 1].c);
    if !is_consonant(characters[at].c) || after_virama {
        return None;
    }
    let rest = &characters[at..];
    let mut length = cluster_length(rest);
    length += rest[length..].iter().take_while(|clean| is_vowel_sign(clean.c)).count();
    let sign = rest.get(length)?;
    let fault = faults_of(sign.c).iter().find(|fault| fault.place == FaultContext::Repha)?;
    let digit_after = rest.get(length + 1).is_some_and(|clean| digit_value(clean.c).is_some());
    if digit_after || Script::of(sign.c) != Script::of(characters[at].c) {
        return None;
    }
    let mut meant = covering(&fault.meant, &rest[..=length]);
    meant.extend_from_slice(&rest[..length]);
    for clean in &mut meant {
        (clean.start, clean.end) = (rest[0].start, rest[length].end);
    }
    Some((meant, length + 1))
}

impl Fault {
    fn is_at(&self, characters: &[CleanChar], at: usize) -> bool {
        let end = at + self.written.len();
        let matches = characters.len() >= end
            && self.written.iter().zip(&characters[at..end]).all(|(&written, clean)| written == clean.c);
        if !matches {
            return false;
        }
        let before = at.checked_sub(1).map(|before| characters[before].c);
        let after = characters.get(end).map(|clean| clean.c);
        let (starts, ends) = (!before.is_some_and(in_word), !after.is_some_and(in_word));
        match self.place {
            FaultContext::Any => true,
            FaultContext::End => ends,
            FaultContext::Word => starts && ends,
            FaultContext::Prefix => starts && after.is_some_and(is_alphabetic),
            FaultContext::After => {
                let script = Script::of(self.written[0]);
                let following =
                    before.is_some_and(|c| in_word(c) && digit_value(c).is_none() && Script::of(c) == script);
                following && after.is_none_or(|c| digit_value(c).is_none()) && !is_in_number(characters, at)
            }
            FaultContext::Digits => {
                [before, after].iter().all(|c| c.is_some_and(|c| digit_value(c).is_some()))
            }
            FaultContext::Number => is_in_number(characters, at),
            FaultContext::First => {
                let first = at.checked_sub(2).map(|at| characters[at].c);
                before.is_some_and(is_consonant)
                    && !first.is_some_and(in_word)
                    && after.is_some_and(is_consonant)
            }
            // `with_repha` handles this case, because it starts at the preceding consonants
            FaultContext::Repha => false,
            FaultContext::Swap => (starts || before.is_some_and(is_vowel)) && after.is_some_and(is_consonant),
        }
    }
}

/// Returns the intended letters with the source range of the written characters.
fn covering(meant: &[char], written: &[CleanChar]) -> Vec<CleanChar> {
    let last = written.len() - 1;
    let mut letters: Vec<CleanChar> =
        meant.iter().enumerate().map(|(place, &c)| CleanChar { c, ..written[place.min(last)] }).collect();
    if let Some(letter) = letters.last_mut() {
        letter.end = written[last].end;
    }
    letters
}

/// Returns the number of characters in the consonant cluster at the start of `characters`, including viramas.
fn cluster_length(characters: &[CleanChar]) -> usize {
    let mut length = 1;
    while characters.get(length).is_some_and(|clean| is_virama(clean.c))
        && characters.get(length + 1).is_some_and(|clean| is_consonant(clean.c))
    {
        length += 2;
    }
    length
}

/// Returns whether the token at `at` contains a digit and otherwise only separators and letters that are often typed
/// instead of digits.
fn is_in_number(characters: &[CleanChar], at: usize) -> bool {
    let in_token = |clean: &&CleanChar| !clean.c.is_whitespace();
    // the number starts after the dot or colon of an abbreviation: તા.ર૦/૦૩/ર૦૨૫
    let abbreviated = |place: usize| {
        matches!(characters[place].c, '.' | ':')
            && place.checked_sub(1).is_some_and(|before| {
                let c = characters[before].c;
                in_word(c) && faults_of(c).iter().all(|fault| fault.place != FaultContext::Number)
            })
    };
    let start = (0..at).rev().find(|&place| abbreviated(place) || characters[place].c.is_whitespace());
    let before = characters[start.map_or(0, |start| start + 1)..at].iter().rev();
    let after = characters[at + 1..].iter().take_while(in_token);
    let mut digits = u32::from(digit_value(characters[at].c).is_some());
    let is_digit_for = |c| faults_of(c).iter().any(|fault| fault.place == FaultContext::Number);
    let of_number = before.chain(after).all(|clean| {
        let is_digit = digit_value(clean.c).is_some();
        digits += u32::from(is_digit);
        is_digit || matches!(clean.c, '/' | '-' | '.' | ':' | ',') || is_digit_for(clean.c)
    });
    of_number && digits > 0
}

/// Returns whether `c` is part of a word: a letter, a mark or a joiner.
fn in_word(c: char) -> bool {
    is_alphabetic(c) || is_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Returns the offset of a character in its Brahmic block. All Brahmic blocks have the same layout.
fn place(c: char) -> Option<u32> {
    is_brahmic(c).then_some(c as u32 & 0x7F)
}

fn is_consonant(c: char) -> bool {
    is_alphabetic(c) && matches!(place(c), Some(0x15..=0x39 | 0x58..=0x5F))
}

fn is_vowel_sign(c: char) -> bool {
    is_mark(c) && matches!(place(c), Some(0x3E..=0x4C | 0x55..=0x57 | 0x62 | 0x63))
}

fn is_vowel(c: char) -> bool {
    is_vowel_sign(c) || is_alphabetic(c) && matches!(place(c), Some(0x05..=0x14))
}

fn is_virama(c: char) -> bool {
    place(c) == Some(0x4D)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SourcedText;

    fn clean(text: &str) -> Vec<CleanChar> {
        let character =
            |(place, c)| CleanChar { c, start: place, end: place + 1, emphasis: false, whole: false };
        (0..).zip(text.chars()).map(character).collect()
    }

    fn repaired_text(text: &str) -> String {
        let characters = clean(text);
        repaired(&characters).unwrap_or(characters).iter().map(|clean| clean.c).collect()
    }

    #[test]
    fn repairs_faults_and_keeps_correct_spellings() {
        let cases = [
            ("काे आैर अाप काेर्इ", "को और आप कोई"),
            ("એાે આૈષધ ઇલેકટ્રાેનિક", "એો ઔષધ ઇલેકટ્રોનિક"),
            ("স০খ্যা দু:খ চু্ক্তি", "স.খ্যা দুঃখ চুক্তি"),
            ("స౦ఖ్య ౧౦౦ 10౦", "సంఖ్య ౧౦౦ 10౦"),
            ("ಬೆ೦ಗಳೂರು ೧೦", "ಬೆಂಗಳೂರು ೧೦"),
            ("സാമ്രാജ്യ൦ ദു:ഖം", "സാമ്രാജ്യം ദുഃഖം"),
            ("दु:ख अत: क्रमश: नाम: राम", "दुःख अतः क्रमशः नाम: राम"),
            ("கெளரவம் மெளனம் வெளியே கெளுத்தி", "கௌரவம் மௌனம் வெளியே கெளுத்தி"),
            ("திருப்பூா் கார்", "திருப்பூர் கார்"),
            ("डॉ० उ०प्र० मो० 98 १०० कक्षा१०", "डॉ. उ.प्र. मो. 98 १०० कक्षा१०"),
            ("डॉ0 उ0प्र0 मो0 98 100 कक्षा10 अंक 0 स्कोर0 ए0बी5", "डॉ. उ.प्र. मो. 98 100 कक्षा10 अंक 0 स्कोर. ए0बी5"),
            ("िवस्तृत आिद िस्थति विस्तृत", "विस्तृत आदि स्थिति विस्तृत"),
            ("മുതല് വീടുകള് 2019-ല്‍ നാല് കൂടു്", "മുതൽ വീടുകൾ 2019-ൽ നാല് കൂടു്"),
            ("રૂા. 50 સમયઃ પ્રાતઃ દુઃખ", "રૂ. 50 સમય: પ્રાતઃ દુઃખ"),
            ("ર૯/૦૭/ર૦ર૪ રમત પ૦", "૨૯/૦૭/૨૦૨૪ રમત ૫૦"),
            ("તા.ર૦/૦૩/ર૦૨૫ તા.રમત", "તા.૨૦/૦૩/૨૦૨૫ તા.રમત"),
            ("୨୫ା୧୧ କାମ", "୨୫/୧୧ କାମ"),
            ("ਅਾਪ ੲਿਸ", "ਆਪ ਇਸ"),
            ("ശ്രീീ हिंंदी", "ശ്രീ हिंदी"),
            ("hello: world", "hello: world"),
        ];
        for (written, meant) in cases {
            assert_eq!(repaired_text(written), meant, "{written}");
        }
    }

    #[test]
    fn repaired_letters_cover_their_source() {
        let text = SourcedText::composed(&clean("काे िव दु:ख"));
        assert_eq!(text.text, "को वि दुःख");
        assert_eq!(text.source(0..2), 0..3, "two signs are one letter");
        assert_eq!(text.source(3..5), 4..6, "the sign and its consonant share a place");
        assert_eq!(text.source(6..10), 7..11);
    }

    #[test]
    fn repair_is_idempotent() {
        for fault in FAULTS.iter().flatten().filter(|fault| fault.place != FaultContext::Swap) {
            let meant: String = fault.meant.iter().collect();
            let once = repaired_text(&meant);
            assert_eq!(repaired_text(&once), once, "{meant}");
        }
    }
}
