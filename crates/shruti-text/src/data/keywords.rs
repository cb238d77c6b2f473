//! Keywords that identify the kind of a nearby number: `OTP`, `खाता`, `எண்`. The finished languages share the table
//! `data/keywords.tsv`, whose header explains the kinds. A language in beta has a table of its own.

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use crate::akshara::is_virama;
use crate::chars::lowercase;
use crate::data;
use crate::item::{Item, Kind};
use crate::language::spec;
use crate::per_language::PerLanguage;
use crate::script::Script;
use crate::table::Beginnings;

/// Minimum length, in characters, of a stem that accepts endings of up to [`LONGEST_ENDING`] characters. A shorter stem
/// accepts only endings of up to [`SHORT_ENDING`] characters.
const LONG_STEM: usize = 4;
/// Minimum length of a stem before an ending, in characters.
const SHORTEST_STEM: usize = 3;
/// Maximum length of the ending after a stem shorter than [`LONG_STEM`], in characters.
const SHORT_ENDING: usize = 2;
/// Maximum length of an ending, in characters.
const LONGEST_ENDING: usize = 6;
/// Maximum number of parts of a keyword that is written with dots, slashes or hyphens: `A/c`, `D.No`.
const MAX_PARTS: usize = 3;

/// Minimum number of digits of a code that does not start with a zero.
pub(crate) const SHORTEST_CODE: usize = 3;

/// Bit set of the kinds of a word in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal;)*) => {
        /// Positions of the kinds in the bit set.
        #[expect(clippy::upper_case_acronyms, reason = "the names are those of the constants")]
        enum Bit { $($kind),* }

        impl Kinds {
            $($(#[$doc])* pub(crate) const $kind: Self = Self(1 << Bit::$kind as u32);)*

            fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)* _ => None }
            }
        }
    };
}

kinds! {
    /// Word whose number is read digit by digit, regardless of its length.
    CODE "code";
    /// Word whose number is read digit by digit, but only with a colon or a word for "number".
    WEAK "weak";
    /// Word whose number is read digit by digit if it has at least six digits or a leading zero, or if a word for
    /// "number" precedes it.
    ACCOUNT "account";
    /// Word whose number is read digit by digit if it is long or if a word for "number" precedes it.
    REFERENCE "reference";
    /// Word for a telephone. Its number is read digit by digit under the same conditions as the number of an account.
    TELEPHONE "telephone";
    /// Word that means "number".
    NUMBER "number";
    /// Word that means "number" but may also denote a quantity.
    COUNT "count";
    /// Word next to the last digits of an account number, such as "ending".
    LAST "last";
    /// Word for something that is identified by a house number.
    DOOR "door";
    /// Word that identifies a number as a five-digit train number or as a flight number.
    TRAIN "train";
    /// Linking word between a number and its keyword.
    LINK "link";
    /// Word that indicates that a nearby "code" is a law, so that the number after it is a year.
    LAW "law";
    /// Word for things that are numbered consecutively. A hyphen before their number is not a minus sign.
    SERIES "series";
    /// Word for an account balance. Letters after the amount mark it as debit or credit.
    BALANCE "balance";
    /// Word for something that is counted. Its number is read as a cardinal, regardless of its length.
    QUANTITY "quantity";
    /// Word for something that is cited with its year, such as an act.
    STATUTE "statute";
    /// Word whose number is read digit by digit if it has at least four digits and follows a word for "number".
    LABEL "label";
    /// Word for something that is counted in lakhs. An L after the number means lakh, not litre.
    AMOUNT "amount";
    /// Word for something that is measured in litres.
    VOLUME "volume";
    /// Word for something that takes place at a time of day. It is evidence that a number with a dot is a time.
    HOUR "hour";
    /// Word for something that is expressed as a decimal. It is evidence that a number with a dot is not a time.
    RATE "rate";
    /// Word for a call. A short number next to it is a telephone number.
    CALL "call";
    /// Verb between a word for a call and its number: फोन करें 1912.
    VERB "verb";
    /// Word for gold, whose purity is in carats: 22K.
    GOLD "gold";
    /// Word for what is counted in thousands. A K before it is not the purity of gold: 24K loan.
    THOUSAND "thousand";
    /// Word for something that has version numbers. Three numbers with dots after it are not a date.
    VERSION "version";
    /// Word for a fertiliser, whose grade consists of three numbers: 10:26:26.
    FERTILIZER "fertilizer";
    /// Word for what a code is used for, such as a login. A number next to a word of the kind `USE` is then a code.
    PURPOSE "purpose";
    /// Verb that asks for the use of a code.
    USE "use";
    /// Direction of a train. A five-digit number directly before it is a train number.
    DIRECTION "direction";
}

impl Kinds {
    /// Kinds of keywords for something that is identified by a number.
    pub(crate) const NAMES: Self = Self(
        Self::CODE.0
            | Self::WEAK.0
            | Self::ACCOUNT.0
            | Self::REFERENCE.0
            | Self::TELEPHONE.0
            | Self::DOOR.0
            | Self::TRAIN.0
            | Self::LABEL.0,
    );
    /// Kinds of keywords that indicate the unit of a number but not what the number identifies.
    pub(crate) const MEASURES: Self = Self(
        Self::AMOUNT.0
            | Self::VOLUME.0
            | Self::HOUR.0
            | Self::RATE.0
            | Self::GOLD.0
            | Self::FERTILIZER.0
            | Self::VERSION.0
            | Self::PURPOSE.0
            | Self::USE.0,
    );
    /// Kinds of keywords for something that is often identified only by the last digits of its number.
    pub(crate) const SHOWN_BY_ITS_END: Self = Self(Self::ACCOUNT.0 | Self::REFERENCE.0 | Self::TELEPHONE.0);
    /// Kinds whose words match only without endings.
    const EXACT: Self = Self(
        Self::WEAK.0
            | Self::LINK.0
            | Self::VERB.0
            | Self::LAW.0
            | Self::COUNT.0
            | Self::STATUTE.0
            | Self::HOUR.0
            | Self::RATE.0
            | Self::USE.0
            | Self::DIRECTION.0,
    );

    /// Returns whether the set contains at least one of these kinds.
    pub(crate) const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn without(self, kinds: Self) -> Self {
        Self(self.0 & !kinds.0)
    }

    pub(crate) const fn and(self, kinds: Self) -> Self {
        Self(self.0 | kinds.0)
    }
}

/// Keywords of a language, including the Latin keywords that all languages share.
type Words = Beginnings<Kinds>;

/// Returns the keywords of a language. They are parsed only once.
fn words(language: Language) -> &'static Words {
    static TABLES: PerLanguage<Words> = PerLanguage::new();
    TABLES.get(language, || {
        let mut words = read(include_str!("../../data/keywords.tsv"), language);
        if let Some(own) = spec(language).keywords {
            read_own(own(), &mut words);
        }
        words
    })
}

/// Adds the keywords from the separate table of a language. Its columns are kind, meaning and words.
fn read_own(table: &str, words: &mut Words) {
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let kind = cells.next().and_then(Kinds::named);
        let (Some(kind), Some(cell)) = (kind, cells.nth(1)) else {
            // a test parses the tables, so this cannot happen in a release
            unreachable!("keywords.tsv: no kind or no words in '{line}'")
        };
        add(words, cell, kind);
    }
}

/// Adds the keywords in a cell of a table.
fn add(words: &mut Words, cell: &str, kind: Kinds) {
    for word in cell.split(' ').filter(|&word| word != "-") {
        for form in forms(&word.replace(['.', '-', '/'], ""), kind) {
            let others = words.get(&form).copied().unwrap_or_default();
            words.insert(form, others.and(kind));
        }
    }
}

/// Parses the columns of the table that apply to a language.
fn read(table: &str, language: Language) -> Words {
    let mut lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let head: Vec<&str> = lines.next().map(Iterator::collect).unwrap_or_default();
    let counts = |column: usize| {
        let code = head.get(column).copied().unwrap_or_default();
        code == Language::English.code() || code == language.code()
    };
    let mut words = Words::default();
    for line in lines {
        let cells: Vec<&str> = line.collect();
        let Some(kind) = cells.first().and_then(|name| Kinds::named(name)) else {
            // a test parses the table, so this cannot happen in a release
            unreachable!("data/keywords.tsv: no kind in {cells:?}")
        };
        let own = cells.iter().enumerate().filter(|&(column, _)| column > 1 && counts(column));
        for (_, cell) in own {
            add(&mut words, cell, kind);
        }
    }
    words
}

/// Returns the forms by which a word of the table is found: the word itself and, if it has a final u or virama, is long
/// enough and is of a kind that takes endings, its stem before an ending: കാർഡ of കാർഡ്.
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

/// Returns the kinds of each item of a segment, or an empty list if the segment contains no keywords.
pub(crate) fn of_items(items: &[Item<'_>], language: Language) -> Vec<Kinds> {
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

/// Returns whether a word of `language` is a word for "number".
pub(crate) fn is_number(word: &str, language: Language) -> bool {
    words(language).get(word).is_some_and(|kinds| kinds.has(Kinds::NUMBER.and(Kinds::COUNT)))
}

/// Returns whether a word means "number" in `language` or in English. In an ASCII word, one letter may precede the word
/// for "number": `HNo`.
pub(crate) fn ends_in_number(word: &str, language: Language) -> bool {
    let word = lowercase(word);
    let named = |word: &str| is_number(word, language) || is_number(word, Language::English);
    named(&word) || word.is_ascii() && word.get(1..).is_some_and(named)
}

/// Returns whether `word` is a Latin word for "number" and `before` is a keyword for something that has a number
/// (`A/c no`) or an abbreviation (`Resp. no`).
pub(crate) fn is_number_of(before: &str, word: &str) -> bool {
    let kinds = |word: &str| {
        let letters: String = word.chars().filter(|c| !matches!(c, '.' | '/' | '-' | '(')).collect();
        words(Language::English).get(lowercase(&letters).as_ref()).copied().unwrap_or_default()
    };
    word.is_ascii()
        && kinds(word).has(Kinds::NUMBER)
        && (kinds(before).has(Kinds::NAMES) || before.ends_with('.'))
}

/// Returns whether a Latin "no" is a negation: no dot or hyphenated number follows, and it does not follow a keyword
/// for something that has a number. A dot may end the sentence: He said no.
fn is_refusal(items: &[Item<'_>], at: usize, kinds: &[Kinds]) -> bool {
    let is_sign = |place: usize, wanted: char| {
        items.get(place).is_some_and(|item| item.kind == Kind::Sign(wanted) && !item.spaced)
    };
    let after_name = || {
        let before = (0..at).rev().find(|&place| !matches!(items[place].kind, Kind::Sign('.' | '/' | '-')));
        before.is_some_and(|before| kinds[before].has(Kinds::NAMES))
    };
    // a hyphen may separate "no" from the number: Gali No-23
    let hyphened = is_sign(at + 1, '-') && items.get(at + 2).is_some_and(|item| item.kind == Kind::Number);
    // "no" may be between a label and a number: gate no 4, bus no 47
    let numbered = items.get(at + 1).is_some_and(|item| item.kind == Kind::Number);
    let labels = &data::of(Language::English).context.labels;
    let after_label = || {
        let before = at.checked_sub(1).map(|before| lowercase(&items[before].text));
        numbered && before.is_some_and(|before| labels.contains(before.as_ref()))
    };
    items[at].text.eq_ignore_ascii_case("no")
        && (!is_sign(at + 1, '.') || is_last_answer(items, at))
        && !hyphened
        && !after_name()
        && !after_label()
}

/// Returns whether a "no" after `word` is an answer, not the word for "number": said no.
pub(crate) fn precedes_answer(word: &str) -> bool {
    data::of(Language::English).context.before_refusal.contains(lowercase(word).as_ref())
}

/// Returns whether a "no." before `word` is the word for "number", not an answer: no. of seats.
pub(crate) fn follows_number_sign(word: &str) -> bool {
    data::of(Language::English).context.after_number_sign.contains(lowercase(word).as_ref())
}

/// Returns whether the Latin "no" at `at` is an answer at the end of its sentence: it is the whole sentence, or a listed
/// word precedes it.
pub(crate) fn is_last_answer(items: &[Item<'_>], at: usize) -> bool {
    if !items[at].text.eq_ignore_ascii_case("no") {
        return false;
    }
    let is_sign = |item: &Item<'_>| matches!(item.kind, Kind::Sign(_));
    let led = match at.checked_sub(1).map(|before| &items[before]) {
        None => true,
        Some(before) => precedes_answer(&before.text),
    };
    led && items[at + 1..].iter().all(is_sign)
}

/// Returns the kinds of the keyword at `at`, and the number of items that the keyword covers.
fn of_words(items: &[Item<'_>], at: usize, table: &Words) -> Option<(Kinds, usize)> {
    let word = |place: usize| items.get(place).filter(|item| matches!(item.kind, Kind::Word(_)));
    let first = word(at)?;
    let mut joined = lowercase(&first.text).into_owned();
    let mut longest = None;
    for part in 1..MAX_PARTS {
        let sign = at + 2 * part - 1;
        let joins = items
            .get(sign)
            .is_some_and(|item| !item.spaced && matches!(item.kind, Kind::Sign('.' | '/' | '-')));
        // a space may precede the word for "number": H. No.
        let numbers = |next: &Item<'_>| {
            part == 1
                && items[sign].kind == Kind::Sign('.')
                && table.get(lowercase(&next.text).as_ref()).is_some_and(|kinds| kinds.has(Kinds::NUMBER))
        };
        let follows = |next: &&Item<'_>| joins && (!next.spaced || numbers(next));
        let Some(next) = word(sign + 1).filter(follows) else { break };
        joined.push_str(&lowercase(&next.text));
        if let Some(&kinds) = table.get(&joined) {
            longest = Some((kinds, 2 * part + 1));
        }
    }
    longest.or_else(|| Some((of_word(first, table)?, 1)))
}

/// Returns the kinds of a keyword that consists of one word. The word may have an ending unless it is Latin.
fn of_word(item: &Item<'_>, table: &Words) -> Option<Kinds> {
    let word = lowercase(&item.text);
    if let Some(&kinds) = table.get(word.as_ref()) {
        return Some(kinds);
    }
    if item.kind == Kind::Word(Some(Script::Latin)) {
        return None;
    }
    let fits = |end: usize| {
        let (stem, ending) = (word[..end].chars().count(), word[end..].chars().count());
        let longest = if stem < LONG_STEM { SHORT_ENDING } else { LONGEST_ENDING };
        stem >= SHORTEST_STEM && ending <= longest
    };
    let found = table.of(&word).filter(|&(end, _)| fits(end)).last();
    found.map(|(_, kinds)| kinds.without(Kinds::EXACT))
}

/// Returns whether a number has enough digits for a code.
pub(crate) fn is_long_enough(digits: &str) -> bool {
    digits.len() >= SHORTEST_CODE || digits.len() == 2 && digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::items;

    #[test]
    fn table_covers_every_language() {
        let table = include_str!("../../data/keywords.tsv");
        let rows: Vec<Vec<&str>> = table
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect())
            .collect();
        let languages = rows[0].iter().skip(2).filter_map(|code| Language::from_code(code));
        assert_eq!(languages.count(), Language::FINISHED.len());
        for row in &rows[1..] {
            assert_eq!(row.len(), rows[0].len(), "{row:?}");
            assert!(Kinds::named(row[0]).is_some(), "{row:?}");
            assert!(row.iter().all(|cell| !cell.is_empty() && !cell.starts_with(' ')), "{row:?}");
        }
    }

    #[test]
    fn each_language_in_beta_has_a_table() {
        for language in Language::ALL.into_iter().filter(|language| language.is_beta()) {
            let table = spec(language).keywords.unwrap_or_else(|| panic!("{language} has none"));
            read_own(table(), &mut Words::default());
            let words = table().lines().filter(|line| !line.starts_with('#'));
            let words: usize = words.map(|line| line.split(['\t', ' ']).skip(2).count()).sum();
            assert!(words >= 20, "{language}: {words}");
        }
    }

    #[test]
    fn finds_words_with_dots_and_endings() {
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
