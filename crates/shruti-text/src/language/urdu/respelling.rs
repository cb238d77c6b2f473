//! Respellings in Devanagari, in which every inherent vowel is pronounced except the last one of a word.

/// Independent vowels and their signs. The sign of अ is empty, because it is the inherent vowel.
const SIGNS: [(char, &str); 10] = [
    ('अ', ""),
    ('आ', "ा"),
    ('इ', "ि"),
    ('ई', "ी"),
    ('उ', "ु"),
    ('ऊ', "ू"),
    ('ए', "े"),
    ('ऐ', "ै"),
    ('ओ', "ो"),
    ('औ', "ौ"),
];

const VIRAMA: char = '\u{94d}';
const NUKTA: char = '\u{93c}';
const CANDRABINDU: char = '\u{901}';
const ANUSVARA: char = '\u{902}';

/// Joins two respellings. If the first ends in a consonant, a vowel at the start of the second becomes a sign on that
/// consonant.
pub(super) fn join(first: &str, second: &str) -> String {
    let mut joined = String::with_capacity(first.len() + second.len() + VIRAMA.len_utf8());
    joined.push_str(first);
    append(&mut joined, second);
    joined
}

/// Returns the respelling of sounds that are written one by one: consonants without a vowel, and independent vowels, of
/// which अ is the inherent vowel.
pub(super) fn of_sounds(sounds: &str) -> String {
    let mut word = String::with_capacity(sounds.len() * 2);
    let mut after_consonant = false;
    let mut chars = sounds.chars().peekable();
    while let Some(c) = chars.next() {
        if let Some(&(_, sign)) = SIGNS.iter().find(|&&(letter, _)| letter == c) {
            if !after_consonant {
                word.push(c);
            } else if sign.is_empty() && chars.peek().is_none() {
                // a final inherent vowel would be silent
                word.push(c);
            } else {
                word.push_str(sign);
            }
            after_consonant = false;
        } else if c == NUKTA {
            word.push(c);
        } else if c == CANDRABINDU {
            // without a vowel, the sign is dropped
            if !after_consonant {
                word.push(c);
            }
        } else {
            if after_consonant {
                push_virama(&mut word, c);
            }
            word.push(c);
            after_consonant = true;
        }
    }
    word
}

/// Appends the respelling `more` to `word`.
fn append(word: &mut String, more: &str) {
    let Some(first) = more.chars().next() else { return };
    let after_consonant = word.ends_with(is_consonant) || word.ends_with(NUKTA);
    match SIGNS.iter().find(|&&(letter, _)| letter == first) {
        Some(&(_, sign)) if after_consonant => {
            word.push_str(sign);
            word.push_str(&more[first.len_utf8()..]);
        }
        None if after_consonant => {
            push_virama(word, first);
            word.push_str(more);
        }
        _ => word.push_str(more),
    }
}

/// Appends a virama after a consonant, before the consonant `next`. An n before a velar stop is written as an anusvara
/// instead, because it assimilates.
fn push_virama(word: &mut String, next: char) {
    if word.ends_with('न') && matches!(next, 'क' | 'ख' | 'ग' | 'घ') && word.chars().count() > 1 {
        word.pop();
        if word.ends_with(VIRAMA) {
            word.push('न');
            word.push(VIRAMA);
        } else {
            word.push(ANUSVARA);
        }
    } else {
        word.push(VIRAMA);
    }
}

/// Returns whether a character is an independent vowel.
pub(super) fn is_vowel(c: char) -> bool {
    SIGNS.iter().any(|&(letter, _)| letter == c)
}

/// Returns whether a character is a consonant or a nukta.
pub(super) fn is_consonant_or_nukta(c: char) -> bool {
    is_consonant(c) || c == NUKTA
}

fn is_consonant(c: char) -> bool {
    matches!(c, 'क'..='ह' | '\u{958}'..='\u{95f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn respellings_are_joined() {
        let cases = [
            ("किताब", "एँ", "किताबेँ", "a vowel after a consonant"),
            ("लड़का", "ओँ", "लड़काओँ", "a vowel after a vowel"),
            ("हम", "दर्द", "हम्दर्द", "a consonant after a consonant"),
            ("बे", "कार", "बेकार", "a consonant after a vowel"),
            ("नाराज़", "गी", "नाराज़्गी", "a nukta"),
            ("जिन", "को", "जिंको", "n before k"),
        ];
        for (first, second, joined, why) in cases {
            assert_eq!(join(first, second), joined, "{why}");
        }
    }

    #[test]
    fn sounds_are_respelled() {
        let cases = [
            ("कइतआब", "किताब", "vowels"),
            ("वअक़त", "वक़्त", "a cluster"),
            ("जअनग", "जंग", "n before g"),
            ("नअ", "नअ", "a final short vowel"),
            ("आँ", "आँ", "nasal"),
        ];
        for (sounds, respelled, why) in cases {
            assert_eq!(of_sounds(sounds), respelled, "{why}");
        }
    }
}
