//! Words whose reading is in the lexicon.

use shruti_lang::Language;

use crate::class::Class;
use crate::item::items;
use crate::latin;
use crate::lexicon::{self, Lexicon, Match};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::signs::electronic;
use crate::normalize::{SpokenWord, normalize_text};

/// Returns the words from the lexicon for the items at `at`, and the number of these items.
pub(crate) fn words(scan: &Scan<'_>, at: usize, lexicon: &Lexicon) -> Option<(Vec<SpokenWord>, usize)> {
    if lexicon.is_empty() {
        return None;
    }
    let found = lexicon.find(&scan.items, at, scan.language)?;
    // an address is spelled as a whole, even if the lexicon contains a part of it
    if electronic::read(scan, at).is_some_and(|address| address.items > found.items) {
        return None;
    }
    let matched = scan.raw(at, at + found.items);
    let mut words = reading_words(matched, &found, scan.language);
    let last = (at + found.items).min(scan.items.len()).saturating_sub(1);
    let source = scan.source(scan.items[at].start..scan.items[last].end);
    // the replaced length is that of the shorter of source and matched text: the source of an alias is the whole
    // content of its element, and a ligature in the source is a single character
    charge(&mut words, &found, source.len().min(matched.chars().count()));
    (!words.is_empty()).then_some((words, found.items))
}

/// Appends a word of an expansion, or its reading from the lexicon. An entry for रुपए therefore also applies to ₹.
pub(crate) fn push_expanded(
    spoken: &mut Vec<SpokenWord>,
    word: &str,
    reading: &Reading,
    language: Language,
    lexicon: &Lexicon,
) {
    let plain = SpokenWord::new(word, reading.class, reading.language);
    // words that are not expanded have been looked up already
    if lexicon.is_empty() || reading.class == Class::Word {
        spoken.push(plain);
        return;
    }
    let items = items(word);
    let found = lexicon.find(&items, 0, language).filter(|found| found.items == items.len());
    let readings = found.map(|found| {
        let mut words = reading_words(word, &found, language);
        // the replaced sign may expand to several words, so its characters are not deducted here
        charge(&mut words, &found, 0);
        words
    });
    let readings = readings.filter(|words| !words.is_empty());
    match readings {
        Some(words) => {
            spoken.extend(words.into_iter().map(|word| SpokenWord { class: reading.class, ..word }));
        }
        None => spoken.push(plain),
    }
}

/// Records in the first word the number of characters by which the reading is longer than the `replaced_chars`
/// characters that it replaces. Only entries of the caller's own lexicon are counted.
fn charge(words: &mut [SpokenWord], found: &Match<'_>, replaced_chars: usize) {
    let longer = found.reading.length().saturating_sub(replaced_chars);
    if let Some(first) = words.first_mut().filter(|_| found.is_own) {
        first.extra_chars = longer as u32;
    }
}

/// Returns the words of a lexicon entry that was found for `written`.
fn reading_words(written: &str, found: &Match<'_>, language: Language) -> Vec<SpokenWord> {
    let mut words = match found.reading {
        lexicon::Reading::Phones(phones) => {
            vec![SpokenWord {
                phones: Some(phones.clone()),
                ..SpokenWord::new(written, Class::Lexicon, None)
            }]
        }
        lexicon::Reading::Spelling(spelling) => spelt(spelling, language),
    };
    if let Some(last) = words.last_mut() {
        last.possessive = found.possessive;
    }
    words
}

/// Returns the words of a spelling, independent of the context.
fn spelt(spelling: &str, language: Language) -> Vec<SpokenWord> {
    let words = normalize_text(spelling, language, &Lexicon::default());
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let found = latin::identify(&texts, language);
    let words = words.iter().zip(found).map(|(word, found)| {
        SpokenWord::new(&word.text, Class::Lexicon, Some(word.language.unwrap_or(found)))
    });
    words.collect()
}
