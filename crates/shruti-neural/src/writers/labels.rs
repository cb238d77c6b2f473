//! `kind = "labels"`: the common label set of IIT Madras, assigned by spelling.
//!
//! A letter has the same label in all scripts, except o, whose label differs in scripts that distinguish short from
//! long o. The inherent vowel is written if it is pronounced. Words are not separated. Each phrase is enclosed in `$`
//! and `.`. The pack's `begin` and `end` provide the first and the last of these marks.

use std::sync::LazyLock;

use shruti_lang::Language;
use shruti_text::akshara::Nucleus;
use shruti_text::script::Script;
use shruti_text::utterance::Word;
use unicode_normalization::UnicodeNormalization;

use super::respell::in_script;
use super::script;
use super::units::{Unit, units};

/// Labels by offset: the code point of a letter minus the first code point of the Unicode block of its script. A line
/// contains the offset, the label of the letter and, if it differs, the label in the scripts that distinguish short
/// from long o. A label may be followed by fallbacks, separated by spaces, for packs that lack the label.
const LABELS: &str = include_str!("../../data/labels.tsv");
const NUKTA: u32 = 0x3C;
const VIRAMA: u32 = 0x4D;
const BLOCK: usize = 0x80;
const INHERENT: &str = "a";

/// The labels of letters.
#[derive(Debug)]
pub(super) struct Table {
    plain: [Row; BLOCK],
    with_nukta: [Row; BLOCK],
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    labels: &'static str,
    with_short_vowels: Option<&'static str>,
}

pub(super) fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut table = Table { plain: [Row::default(); BLOCK], with_nukta: [Row::default(); BLOCK] };
        for line in LABELS.lines() {
            let mut columns = line.split('\t');
            let (Some(place), Some(labels)) = (columns.next(), columns.next()) else { continue };
            let row = Row { labels, with_short_vowels: columns.next() };
            let (letter, nukta) = place.split_once('+').map_or((place, false), |(letter, _)| (letter, true));
            let rows = if nukta { &mut table.with_nukta } else { &mut table.plain };
            if let Some(slot) = usize::from_str_radix(letter, 16).ok().and_then(|at| rows.get_mut(at)) {
                *slot = row;
            }
        }
        table
    });
    &TABLE
}

/// Returns the marks after a phrase: the end of the phrase and the beginning of the next one, or none after the last
/// phrase.
pub(super) fn marks(is_last: bool) -> Vec<&'static str> {
    if is_last { Vec::new() } else { vec![".", "$"] }
}

pub(super) fn write(
    word: &Word,
    language: Language,
    table: &Table,
    knows: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    // English words are written in the script of Hindi
    let target = match script(language) {
        Script::Latin => Script::Devanagari,
        own => own,
    };
    let text = in_script(word, target);
    let units = units(&text, &word.phones);
    let mut inherent = units.iter().filter(|unit| has_inherent(unit)).map(|unit| unit.vowel.is_some());
    let mut symbols = Vec::with_capacity(text.len() / 2);
    let is_short_vowelled =
        matches!(target, Script::Tamil | Script::Telugu | Script::Kannada | Script::Malayalam);
    // whether the last letter is a consonant without a following sign
    let mut is_bare = false;
    let mut chars = text.nfc().peekable();
    while let Some(c) = chars.next() {
        let Some(base) = Script::of(c).and_then(Script::block) else {
            // joiners have no sound; a character without a label is kept as an unknown symbol, so that it is counted
            if !matches!(c, '\u{200c}' | '\u{200d}') {
                symbols.push(c.into());
            }
            continue;
        };
        let place = c as u32 - base;
        if place == VIRAMA {
            is_bare = false;
            continue;
        }
        if place == NUKTA {
            continue;
        }
        let is_consonant = matches!(place, 0x15..=0x39 | 0x58..=0x5F | 0x71);
        let is_sign = matches!(place, 0x3E..=0x4C | 0x57);
        if is_bare && !is_sign && inherent.next().unwrap_or(true) {
            symbols.push(INHERENT.to_owned());
        }
        is_bare = is_consonant;
        let has_nukta = chars.peek().is_some_and(|&next| next as u32 == base + NUKTA);
        let row = table.row(place, has_nukta);
        let labels = match row.with_short_vowels {
            Some(labels) if is_short_vowelled => labels,
            _ => row.labels,
        };
        let known = labels.split(' ').find(|label| knows(label)).or_else(|| labels.split(' ').next());
        symbols.push(known.filter(|label| !label.is_empty()).map_or_else(|| c.into(), str::to_owned));
    }
    if is_bare && inherent.next().unwrap_or(true) {
        symbols.push(INHERENT.to_owned());
    }
    symbols
}

impl Table {
    fn row(&self, place: u32, has_nukta: bool) -> Row {
        let at = place as usize;
        let find = |rows: &[Row; BLOCK]| rows.get(at).copied().filter(|row| !row.labels.is_empty());
        let other = if has_nukta { find(&self.with_nukta) } else { None };
        other.or_else(|| find(&self.plain)).unwrap_or_default()
    }
}

fn has_inherent(unit: &Unit) -> bool {
    unit.akshara.as_ref().is_some_and(|akshara| akshara.nucleus == Nucleus::Inherent)
}
