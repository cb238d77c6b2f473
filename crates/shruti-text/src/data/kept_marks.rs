//! Words whose final full stop, colon or double danda is part of the word and does not end a sentence: abbreviations,
//! initials, units, weekdays and months. The segmenter needs only the word, not its context.

use shruti_lang::Language;

use crate::chars::{is_alphabetic, is_brahmic, is_mark, lowercase};
use crate::data::{self, Data};
use crate::english;
use crate::g2p::letter_names;
use crate::per_language::Joined;
use crate::table::Set;

/// Returns the abbreviations whose dot does not end a sentence, without that dot.
fn dotted(languages: &[Language]) -> Set<String> {
    let mut dotted = Set::default();
    for &language in languages {
        let data = data::of(language);
        let keys = data.abbreviations.keys().chain(data.address.keys()).chain(data.units.words.keys());
        let keys = keys.chain(data.date.written_months.keys());
        let keys = keys.chain(data.before_name.keys()).chain(data.before_number.keys());
        let keys = keys.chain(data.before_date.keys()).chain(data.near_duration.keys());
        let keys = keys.chain(data.before_dose.keys()).chain(data.near_train.keys());
        let keys = keys.chain(data.topics.iter().flat_map(|topic| topic.abbreviations.keys()));
        let keys = keys.chain(data.before_stems.iter().flat_map(|group| group.abbreviations.keys()));
        let keys = keys.chain(data.money.currencies.iter().flat_map(|currency| &currency.written));
        // an abbreviation that is listed without a dot may be written with one (Amt. Rs 500), unless it is also an
        // English word ("us")
        let plain = data
            .abbreviations
            .keys()
            .filter(|key| key.len() > 2 && key.bytes().all(|byte| byte.is_ascii_alphabetic()));
        dotted.extend(plain.filter(|key| !english::is_word(&key.to_ascii_lowercase())).cloned());
        for key in keys {
            dotted.extend(key.strip_suffix('.').map(str::to_owned));
            // parts of a longer abbreviation do not end a sentence either: `ई. पू.`, `const. of`
            let parts = key.strip_suffix('.').unwrap_or(key).split(". ");
            let inner = key.matches(". ").count();
            dotted.extend(parts.take(inner + usize::from(key.ends_with('.'))).map(str::to_owned));
        }
        dotted.extend(data.date.fortnights.keys().cloned());
        dotted.extend(data.latin.initials.iter().chain(data.time.hour_abbreviations.keys()).cloned());
        // letter names are used as initials: के. एल. सहगल
        dotted.extend(data.latin.letters.iter().filter(|name| !name.contains(' ')).cloned());
    }
    for word in languages.iter().flat_map(|&language| &data::of(language).context.never_dotted) {
        dotted.remove(word);
    }
    dotted
}

/// Returns whether the dot after `word` is part of the word in a text in `language`, so that it does not end the
/// sentence.
pub(crate) fn keeps_its_dot(word: &str, language: Option<Language>) -> bool {
    static DOTTED: Joined<Set<String>> = Joined::new();
    if word.is_empty() {
        return false;
    }
    let dotted = DOTTED.get(language, dotted);
    let letters = word.chars().count();
    let initial = |c: char| c.is_ascii_uppercase() || is_consonant(c) && c != 'न';
    if letters == 1 && word.chars().all(initial) || dotted.contains(word) {
        return true;
    }
    // a capitalised word matches regardless of its case in the table: Rs, RS, Sept
    if word.is_ascii() && letters > 1 {
        let lower = word.to_ascii_lowercase();
        let capital = word.chars().next().is_some_and(|c| c.is_ascii_uppercase());
        let titled: String = lower[..1].to_ascii_uppercase() + &lower[1..];
        if capital && (dotted.contains(&lower) || dotted.contains(&titled)) {
            return true;
        }
    }
    // each part between dots is short (e.g, U.S, कि.मी) or an initialism (the পিএইচ of পিএইচ.ডি.)
    let of_letters = |part: &str| {
        let several = |language| letter_names::is_initialism(part, language);
        !part.is_ascii() && (dotted.contains(part) || language.is_some_and(several))
    };
    word.contains('.')
        && !word.contains("..")
        && word.split('.').all(|part| is_short_part(part) || of_letters(part))
}

/// Returns whether `word` is an abbreviation or an initial that is also a word at the end of a sentence, in a text in
/// `language`: છેલ્લી તક આજે જ., ਉਹ ਆਇਆ ਸੀ.
pub(crate) fn is_final_word(word: &str, language: Option<Language>) -> bool {
    static FINAL: Joined<Set<&str>> = Joined::new();
    let words = |data: &'static Data| data.context.final_words.iter().map(String::as_str);
    FINAL.get(language, |languages| of_all(languages, words)).contains(word)
}

/// Returns whether `word` is a consonant or the name of a Latin letter in an Indian script, in a text in `language`.
pub(crate) fn is_letter(word: &str, language: Option<Language>) -> bool {
    static LETTERS: Joined<Set<&str>> = Joined::new();
    let names = |data: &'static Data| data.latin.letters.iter().map(String::as_str);
    word.chars().count() == 1 || LETTERS.get(language, |languages| of_all(languages, names)).contains(word)
}

/// Returns whether `word` with a dot is an abbreviation before `next`, in a text in `language`: લે. કર્નલ. If `first` is
/// true, it is the first word of its segment.
pub(crate) fn abbreviates_before(word: &str, next: &str, first: bool, language: Option<Language>) -> bool {
    static BEFORE: Joined<Vec<(&str, &str, bool)>> = Joined::new();
    static PAIRS: Joined<Set<&str>> = Joined::new();
    let stems = |languages: &[Language]| {
        let mut found = Vec::new();
        for group in languages.iter().flat_map(|&language| &data::of(language).before_stems) {
            for written in group.abbreviations.keys().filter_map(|written| written.strip_suffix('.')) {
                found.extend(group.stems.iter().map(|stem| (written, stem.as_str(), group.first)));
            }
        }
        found
    };
    let pairs = |data: &'static Data| {
        let keys = data.abbreviations.keys().map(String::as_str);
        keys.filter(|key| key.contains(". "))
    };
    let mut before = BEFORE.get(language, stems).iter();
    before.any(|&(written, stem, at_start)| written == word && next.starts_with(stem) && (first || !at_start))
        || PAIRS
            .get(language, |languages| of_all(languages, pairs))
            .contains(format!("{word}. {next}").as_str())
}

/// Returns whether a character is a consonant of an Indian script. Consonants have the same offsets in all blocks.
fn is_consonant(c: char) -> bool {
    is_brahmic(c) && (0x15..=0x39).contains(&(c as u32 & 0x7F))
}

/// Returns whether `word` is an abbreviation of an Indian language whose dot may be replaced by a colon, in a text in
/// `language`: `ডা: সেন`, `मो: 98…`.
pub(crate) fn keeps_its_colon(word: &str, language: Option<Language>) -> bool {
    static WITH_COLON: Joined<Set<String>> = Joined::new();
    WITH_COLON.get(language, with_colon).contains(word)
}

/// Returns whether `word` is an abbreviation of an Indian language whose dot may be replaced by a double danda, in a
/// text in `language`: `ಚಿ॥ ಕಿರಣ್`, `ತುಮಕೂರು ಜಿ॥`, `మాఘ శు॥ పంచమి`.
pub(crate) fn keeps_its_bars(word: &str, language: Option<Language>) -> bool {
    static BARRED: Joined<Set<String>> = Joined::new();
    let barred = |languages: &[Language]| {
        let data = || languages.iter().map(|&language| data::of(language));
        let keys = data().flat_map(|data| data.abbreviations.keys());
        let barred = keys.filter_map(|key| key.strip_suffix('॥'));
        barred
            .chain(data().flat_map(|data| data.date.fortnights.keys().map(String::as_str)))
            .map(str::to_owned)
            .collect::<Set<String>>()
    };
    !word.is_empty() && (BARRED.get(language, barred).contains(word) || keeps_its_colon(word, language))
}

/// Returns whether `word` is the beginning of an abbreviation whose dots are replaced by double dandas, in a text in
/// `language`: the `చి॥ల` of `చి॥ల॥సౌ॥`.
pub(crate) fn begins_with_bars(word: &str, language: Option<Language>) -> bool {
    static BEGINNINGS: Joined<Set<String>> = Joined::new();
    let beginnings = |languages: &[Language]| {
        let keys = languages.iter().flat_map(|&language| data::of(language).abbreviations.keys());
        let keys = keys.filter(|key| !key.is_ascii() && !key.contains(' '));
        keys.flat_map(|key| key.match_indices('.').map(|(dot, _)| key[..dot].to_owned()))
            .collect::<Set<String>>()
    };
    !word.is_empty() && BEGINNINGS.get(language, beginnings).contains(&word.replace('॥', "."))
}

fn with_colon(languages: &[Language]) -> Set<String> {
    let tables = |language| {
        let data = data::of(language);
        let keys = data.abbreviations.keys().chain(data.before_name.keys()).chain(data.before_number.keys());
        keys.chain(data.near_firm.keys())
    };
    let keys = languages.iter().copied().flat_map(tables).filter(|key| !key.is_ascii());
    keys.filter_map(|key| key.strip_suffix('.')).map(str::to_owned).collect()
}

/// Returns whether a word is an abbreviated title that precedes the names of companies, in a text in `language`: મે.
pub(crate) fn is_title_of_firm(word: &str, language: Option<Language>) -> bool {
    static TITLES: Joined<Set<&str>> = Joined::new();
    let titles = |data: &'static Data| data.near_firm.keys().filter_map(|title| title.strip_suffix('.'));
    TITLES.get(language, |languages| of_all(languages, titles)).contains(word)
}

/// Returns whether a word with a dot is an abbreviation if it is alone in brackets, in a text in `language`: सीकर (राज.).
pub(crate) fn is_short_in_brackets(word: &str, language: Option<Language>) -> bool {
    static IN_BRACKETS: Joined<Set<&str>> = Joined::new();
    let keys = |data: &'static Data| data.in_brackets.keys().filter_map(|key| key.strip_suffix('.'));
    IN_BRACKETS.get(language, |languages| of_all(languages, keys)).contains(word)
}

/// Returns whether a word with a dot has a special reading before a year, in a text in `language`: b. 1869.
pub(crate) fn precedes_year(word: &str, language: Option<Language>) -> bool {
    static BEFORE_YEAR: Joined<Set<&str>> = Joined::new();
    let keys = |data: &'static Data| data.before_year.keys().filter_map(|key| key.strip_suffix('.'));
    BEFORE_YEAR.get(language, |languages| of_all(languages, keys)).contains(word)
}

/// Returns whether a letter or a Roman numeral may follow a word, in a text in `language`: Section v, Option d.
pub(crate) fn precedes_letter(word: &str, language: Language) -> bool {
    let context = &data::of(language).context;
    let lower = lowercase(word);
    [&context.roman, &context.labels, &context.before_letters]
        .iter()
        .any(|list| list.contains(lower.as_ref()))
}

/// Returns whether a word with a dot has a special reading between two names, in a text in `language`: Devi v. State,
/// but not Section v. The
pub(crate) fn joins_names(before: &str, word: &str, language: Option<Language>) -> bool {
    static BETWEEN: Joined<Set<&str>> = Joined::new();
    let is_name = before.len() > 1 && before.starts_with(|c: char| c.is_ascii_uppercase());
    if !is_name || precedes_letter(before, language.unwrap_or(Language::English)) {
        return false;
    }
    let keys = |data: &'static Data| {
        let keys = data.between_names.keys().chain(data.between_players.keys());
        keys.filter_map(|key| key.strip_suffix('.'))
    };
    BETWEEN.get(language, |languages| of_all(languages, keys)).contains(word)
}

/// Returns whether a word is a short name of a weekday in the script of its language, in a text in `language`: शुक्र.
pub(crate) fn is_short_weekday(word: &str, language: Option<Language>) -> bool {
    static DAYS: Joined<Set<&str>> = Joined::new();
    let days = |data: &'static Data| data.date.weekday_stems.iter().map(String::as_str);
    DAYS.get(language, |languages| of_all(languages, days)).contains(word)
}

/// Returns whether a word is the name of a weekday, in full or short, in a text in `language`: திங்கள், திங்கட்கிழமை.
pub(crate) fn is_weekday(word: &str, language: Option<Language>) -> bool {
    static DAYS: Joined<Set<&str>> = Joined::new();
    let days = |data: &'static Data| {
        let names = data.date.weekday_stems.iter().chain(&data.date.weekdays);
        names.map(String::as_str).filter(|name| !name.is_ascii())
    };
    DAYS.get(language, |languages| of_all(languages, days)).contains(word)
}

/// Returns whether a word denotes a part of the day and may precede a time, in a text in `language`: மாலை.
pub(crate) fn is_part_of_day(word: &str, language: Option<Language>) -> bool {
    static PARTS: Joined<Set<&str>> = Joined::new();
    let parts =
        |data: &'static Data| data.time.day_words.iter().map(String::as_str).filter(|part| !part.is_ascii());
    PARTS.get(language, |languages| of_all(languages, parts)).contains(word)
}

/// Returns whether a word may connect two weekdays, in a text in `language`: बुध. और शुक्र.
pub(crate) fn joins_weekdays(word: &str, language: Option<Language>) -> bool {
    static WORDS: Joined<Set<&str>> = Joined::new();
    let between = |data: &'static Data| data.date.between_weekdays.iter().map(String::as_str);
    WORDS.get(language, |languages| of_all(languages, between)).contains(word)
}

/// Returns all words that `find` returns for the tables of the given languages.
fn of_all<I: Iterator<Item = &'static str>>(
    languages: &[Language],
    find: impl Fn(&'static Data) -> I,
) -> Set<&'static str> {
    languages.iter().flat_map(|&language| find(data::of(language))).collect()
}

/// Returns the parts of unit abbreviations that contain several dots: the `से` of `से. मी.`.
fn parts_of_units(languages: &[Language]) -> Set<String> {
    let units = languages.iter().flat_map(|&language| data::of(language).units.words.keys());
    let parts = units.filter(|sign| sign.contains('.')).flat_map(|sign| sign.split(['.', ' ']));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Returns whether a word of a text in `language` is part of a unit abbreviation that contains several dots.
pub(crate) fn is_part_of_unit(word: &str, language: Option<Language>) -> bool {
    static PARTS_OF_UNITS: Joined<Set<String>> = Joined::new();
    PARTS_OF_UNITS.get(language, parts_of_units).contains(word)
}

/// Returns whether a word is the English name of a weekday or a month.
pub(crate) fn is_in_calendar(word: &str) -> bool {
    let date = &data::of(Language::English).date;
    let names = date.weekdays.iter().chain(&date.short_weekdays).chain(&date.months);
    names.into_iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Returns whether a word, whose dot ends a sentence, is an English abbreviation before a number: no. 5, fig. 2
pub(crate) fn abbreviates_before_number(word: &str) -> bool {
    let data = data::of(Language::English);
    let lower = lowercase(word);
    data.context.never_dotted.contains(lower.as_ref())
        && data.abbreviations.contains_key(format!("{lower}.").as_str())
}

/// Returns whether no sentence ends with the English abbreviation `word`, without its dot: Dr, Asst.
pub(crate) fn is_never_final(word: &str) -> bool {
    data::of(Language::English).context.never_final.contains(lowercase(word).as_ref())
}

/// Returns whether sentences often end with the English abbreviation `word`, without its last dot: p.a, etc. In capitals,
/// P.M. and P.A. are persons.
pub(crate) fn is_often_final(word: &str) -> bool {
    data::of(Language::English).context.often_final.contains(word)
}

/// Returns whether a capitalised English word starts a sentence and is not part of a name: The, They.
pub(crate) fn begins_sentence(word: &str) -> bool {
    data::of(Language::English).context.sentence_starters.contains(lowercase(word).as_ref())
}

/// Returns whether a word is a unit in Latin letters, not an English word: kg, km.
pub(crate) fn is_latin_unit(word: &str) -> bool {
    is_unit(word) && !english::is_word(word)
}

/// Returns whether a word is the sign of a unit, of at least two Latin letters: kg, min.
pub(crate) fn is_unit(word: &str) -> bool {
    word.is_ascii() && word.len() > 1 && data::of(Language::English).units.words.contains_key(word)
}

fn is_short_part(part: &str) -> bool {
    // a vowel sign does not count as a letter: the कॉम of बी.कॉम.
    let letters = part.chars().filter(|&c| is_alphabetic(c) && !is_mark(c)).count();
    (1..=2).contains(&letters) && part.chars().count() <= 5 && !part.chars().any(char::is_numeric)
}

/// Returns whether a word of a text in `language` is the name of a month in any of the languages whose tables apply.
pub(crate) fn is_month(word: &str, language: Option<Language>) -> bool {
    static MONTHS: Joined<Set<&str>> = Joined::new();
    let names = |data: &'static Data| data.date.written_months.keys().map(String::as_str);
    MONTHS.get(language, |languages| of_all(languages, names)).contains(lowercase(word).as_ref())
}

/// Returns whether a word of a text in `language` is the name of a month or, without its dot, the abbreviation of a
/// month.
pub(crate) fn is_month_or_short(word: &str, language: Option<Language>) -> bool {
    let short = || !word.is_ascii() && word.chars().count() > 1 && is_month(&format!("{word}."), language);
    is_month(word, language) || short()
}
