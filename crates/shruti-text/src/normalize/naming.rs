//! Words that say what a number beside them is: `OTP`, `खाता`, `எண்`. The table is `data/naming-words.tsv`, one for all
//! languages; its head explains the kinds.

use std::collections::HashMap;

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use super::data;
use crate::akshara::is_virama;
use crate::chars::lowercase;
use crate::item::{Item, Kind};
use crate::language::PerLanguage;
use crate::script::Script;
use crate::table::Table;

/// Stems of so many characters take any ending, shorter ones only endings of [`SHORT_ENDING`].
const LONG_STEM: usize = 4;
/// Words have at least so many characters before an ending.
const SHORTEST_STEM: usize = 3;
/// The longest ending of a stem below [`LONG_STEM`].
const SHORT_ENDING: usize = 2;
/// The longest ending.
const LONGEST_ENDING: usize = 6;
/// The words that one naming word may be written as, with dots, slashes or hyphens between: `A/c`, `D.No`.
const MOST_PARTS: usize = 3;

/// The kinds of the table that a word has, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u32);

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $bit:literal;)*) => {
        impl Kinds {
            $($(#[$doc])* pub(super) const $kind: Self = Self(1 << $bit);)*

            fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)* _ => None }
            }
        }
    };
}

kinds! {
    /// Its number is read digit by digit, however short.
    CODE "code" 0;
    /// The same, but only with a colon or a word for "number" behind it.
    WEAK "weak" 1;
    /// Its number is read digit by digit from six digits on.
    ACCOUNT "account" 2;
    /// Its number is read digit by digit where it is long, or a word for "number" stands between.
    REFERENCE "reference" 3;
    /// Its number is read digit by digit where it is long.
    TELEPHONE "telephone" 4;
    /// The word "number".
    NUMBER "number" 5;
    /// The word "number" where it also says how many.
    COUNT "count" 6;
    /// The last digits of an account follow.
    LAST "last" 7;
    /// Numbers of houses.
    DOOR "door" 8;
    /// Five digits, or the number of a flight.
    TRAIN "train" 9;
    /// A word between a number and its name.
    LINK "link" 10;
    /// A word that makes a code a law, which is named by its year.
    LAW "law" 11;
    /// What is numbered one after the other, never below zero.
    SERIES "series" 12;
    /// What is left in an account: letters behind the amount say on which side.
    BALANCE "balance" 13;
    /// What is counted, however long its number is.
    QUANTITY "quantity" 14;
    /// What is known by its year: an act.
    STATUTE "statute" 15;
    /// Its number is read digit by digit from four digits on, behind a word for "number".
    LABEL "label" 16;
    /// What is counted in lakhs: an L behind its number is no litre.
    AMOUNT "amount" 17;
    /// What is measured in litres.
    VOLUME "volume" 18;
    /// What has a time of day.
    HOUR "hour" 19;
    /// What has decimals: a number with a dot beside it is no time.
    RATE "rate" 20;
}

impl Kinds {
    /// What names one thing that has a number.
    pub(super) const NAMES: Self = Self(
        Self::CODE.0
            | Self::WEAK.0
            | Self::ACCOUNT.0
            | Self::REFERENCE.0
            | Self::TELEPHONE.0
            | Self::DOOR.0
            | Self::TRAIN.0
            | Self::LABEL.0,
    );
    /// What says in which unit a number is, but not that it has one of its own.
    pub(super) const MEASURES: Self = Self(Self::AMOUNT.0 | Self::VOLUME.0 | Self::HOUR.0 | Self::RATE.0);
    /// What has a number whose last digits are shown.
    pub(super) const SHOWN_BY_ITS_END: Self = Self(Self::ACCOUNT.0 | Self::REFERENCE.0 | Self::TELEPHONE.0);
    /// Kinds whose words stand as they are listed, without endings.
    const EXACT: Self = Self(
        Self::WEAK.0
            | Self::LINK.0
            | Self::LAW.0
            | Self::COUNT.0
            | Self::STATUTE.0
            | Self::HOUR.0
            | Self::RATE.0,
    );

    /// Whether it has one of these kinds.
    pub(super) const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn without(self, kinds: Self) -> Self {
        Self(self.0 & !kinds.0)
    }

    pub(super) const fn and(self, kinds: Self) -> Self {
        Self(self.0 | kinds.0)
    }
}

/// The naming words of a language, with the Latin ones of all.
type Words = Table<String, Kinds>;

/// The words of a language, read once.
fn words(language: Language) -> &'static Words {
    static TABLES: PerLanguage<Words> = PerLanguage::new();
    TABLES.get(language, || read(include_str!("../../data/naming-words.tsv"), language))
}

/// The columns of the table that hold words which count in a language.
fn read(table: &str, language: Language) -> Words {
    let mut lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let head: Vec<&str> = lines.next().map(Iterator::collect).unwrap_or_default();
    let counts = |column: usize| {
        let code = head.get(column).copied().unwrap_or_default();
        code == Language::English.code() || code == language.code()
    };
    let mut words = HashMap::default();
    for line in lines {
        let cells: Vec<&str> = line.collect();
        let Some(kind) = cells.first().and_then(|name| Kinds::named(name)) else {
            // a test reads the table, so this cannot happen outside development
            unreachable!("data/naming-words.tsv: no kind in {cells:?}")
        };
        let own = cells.iter().enumerate().filter(|&(column, _)| column > 1 && counts(column));
        for word in own.flat_map(|(_, cell)| cell.split(' ')).filter(|&word| word != "-") {
            for form in forms(&word.replace(['.', '-', '/'], ""), kind) {
                let kinds: &mut Kinds = words.entry(form).or_default();
                *kinds = kinds.and(kind);
            }
        }
    }
    words
}

/// A word of the table, and what is left of it before an ending: കാർഡ of കാർഡ്.
fn forms(word: &str, kind: Kinds) -> Vec<String> {
    let word: String = word.nfc().collect();
    let last = word.chars().next_back().filter(|&c| is_virama(c) || matches!(c, 'ு' | 'ు' | 'ು'));
    let stem = last.and_then(|last| word.strip_suffix(last)).filter(|stem| {
        let length = stem.chars().count();
        !kind.has(Kinds::EXACT) && length >= LONG_STEM
    });
    let stem = stem.map(str::to_owned);
    std::iter::once(word).chain(stem).collect()
}

/// The kinds of each item of a segment; empty where none has any.
pub(super) fn of_items(items: &[Item<'_>], language: Language) -> Vec<Kinds> {
    let table = words(language);
    let mut kinds = vec![Kinds::default(); items.len()];
    let mut at = 0;
    while at < items.len() {
        let (found, length) = of_words(items, at, table).unwrap_or_default();
        let refused = is_refusal(items, at, &kinds);
        if !found.is_empty() && !refused {
            kinds[at..at + length].fill(found);
        }
        at += length.max(1);
    }
    if kinds.iter().all(|kinds| kinds.is_empty()) { Vec::new() } else { kinds }
}

/// Whether `word` is the Latin word "number", and `before` names a thing that has one: `A/c no`.
pub(crate) fn is_number_of(before: &str, word: &str) -> bool {
    let kinds = |word: &str| {
        let letters: String = word.chars().filter(|c| !matches!(c, '.' | '/' | '-' | '(')).collect();
        words(Language::English).get(lowercase(&letters).as_ref()).copied().unwrap_or_default()
    };
    word.is_ascii() && kinds(word).has(Kinds::NUMBER) && kinds(before).has(Kinds::NAMES)
}

/// Whether a Latin "no" says no: it has no dot, and nothing that it could be the number of before it.
fn is_refusal(items: &[Item<'_>], at: usize, kinds: &[Kinds]) -> bool {
    let is_sign = |place: usize, wanted: char| {
        items.get(place).is_some_and(|item| item.kind == Kind::Sign(wanted) && !item.spaced)
    };
    let behind_name = || {
        let before = (0..at).rev().find(|&place| !matches!(items[place].kind, Kind::Sign('.' | '/' | '-')));
        before.is_some_and(|before| kinds[before].has(Kinds::NAMES))
    };
    // Gali No-23
    let hyphened = is_sign(at + 1, '-') && items.get(at + 2).is_some_and(|item| item.kind == Kind::Number);
    // gate no 4, bus no 47
    let numbered = items.get(at + 1).is_some_and(|item| item.kind == Kind::Number);
    let labels = &data::of(Language::English).context.labels;
    let behind_label = || {
        let before = at.checked_sub(1).map(|before| lowercase(&items[before].text));
        numbered && before.is_some_and(|before| labels.contains(before.as_ref()))
    };
    items[at].text.eq_ignore_ascii_case("no")
        && !is_sign(at + 1, '.')
        && !hyphened
        && !behind_name()
        && !behind_label()
}

/// The kinds of the word that begins at `at`, and over how many items it goes.
fn of_words(items: &[Item<'_>], at: usize, table: &Words) -> Option<(Kinds, usize)> {
    let word = |place: usize| items.get(place).filter(|item| matches!(item.kind, Kind::Word(_)));
    let first = word(at)?;
    let mut whole = lowercase(&first.text).into_owned();
    let mut longest = None;
    for part in 1..MOST_PARTS {
        let sign = at + 2 * part - 1;
        let joins = items
            .get(sign)
            .is_some_and(|item| !item.spaced && matches!(item.kind, Kind::Sign('.' | '/' | '-')));
        let Some(next) = word(sign + 1).filter(|next| joins && !next.spaced) else { break };
        whole.push_str(&lowercase(&next.text));
        if let Some(&kinds) = table.get(&whole) {
            longest = Some((kinds, 2 * part + 1));
        }
    }
    longest.or_else(|| Some((of_word(first, table)?, 1)))
}

/// The kinds of one word, which may have an ending unless it is Latin.
fn of_word(item: &Item<'_>, table: &Words) -> Option<Kinds> {
    let word = lowercase(&item.text);
    if let Some(&kinds) = table.get(word.as_ref()) {
        return Some(kinds);
    }
    if item.kind == Kind::Word(Some(Script::Latin)) {
        return None;
    }
    let length = word.chars().count();
    let stems = word.char_indices().map(|(end, _)| end).enumerate().skip(SHORTEST_STEM);
    let fits = |stem: usize| {
        let ending = length - stem;
        ending <= if stem < LONG_STEM { SHORT_ENDING } else { LONGEST_ENDING }
    };
    let found = stems.filter(|&(stem, _)| fits(stem)).filter_map(|(_, end)| table.get(&word[..end]));
    found.last().map(|kinds| kinds.without(Kinds::EXACT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::items;

    #[test]
    fn the_table_has_a_cell_for_every_language() {
        let table = include_str!("../../data/naming-words.tsv");
        let rows: Vec<Vec<&str>> = table
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect())
            .collect();
        let languages = rows[0].iter().skip(2).filter_map(|code| Language::from_code(code));
        assert_eq!(languages.count(), Language::ALL.len());
        for row in &rows[1..] {
            assert_eq!(row.len(), rows[0].len(), "{row:?}");
            assert!(Kinds::named(row[0]).is_some(), "{row:?}");
            assert!(row.iter().all(|cell| !cell.is_empty() && !cell.starts_with(' ')), "{row:?}");
        }
    }

    #[test]
    fn words_are_found_with_their_dots_and_endings() {
        let cases = [
            ("A/c", Language::English, 0, Kinds::ACCOUNT),
            ("Account no 5", Language::English, 1, Kinds::NUMBER),
            ("No. 5", Language::Hindi, 0, Kinds::NUMBER),
            ("no 5", Language::English, 0, Kinds::default()),
            ("ओटीपीचा", Language::Marathi, 0, Kinds::CODE),
            ("கணக்கிற்கு", Language::Tamil, 0, Kinds::ACCOUNT),
            ("പിൻവലിച്ചു", Language::Malayalam, 0, Kinds::default()),
        ];
        for (text, language, at, wanted) in cases {
            let found = of_items(&items(text), language).get(at).copied().unwrap_or_default();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
