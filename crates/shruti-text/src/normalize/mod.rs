//! Text normalisation: converts written forms such as numbers, money, dates and abbreviations into words.
//!
//! A segment is split into runs of digits, runs of letters, and signs ([`item`](crate::item)). Each class of written
//! forms has its own file, and the classes are tried in order at each position ([`classes`]). The words of each
//! language are in `data/<code>/normalize.toml`; the code itself contains none.
//!
//! The modules form layers. Each module uses only the modules before it in this list: [`scan`], [`chat`], [`evidence`],
//! [`number`], [`spelling`], [`quantity`], [`time`], [`date`], [`identifier`], [`letters`], [`abbreviation`],
//! [`forms`], [`signs`], [`classes`].

mod abbreviation;
mod chat;
mod classes;
mod date;
mod evidence;
mod forms;
mod identifier;
mod letters;
mod lexicon_overrides;
mod marked;
mod number;
pub(crate) mod prosody;
mod quantity;
mod scan;
mod signs;
mod spelling;
mod spoken_word;
mod time;

use shruti_lang::Language;

pub(crate) use self::chat::english_table;
pub use self::evidence::Evidence;
use self::scan::{Reading, Scan};
pub use self::spoken_word::SpokenWord;
use crate::chars::is_punctuation;
use crate::class::Class;
use crate::item::Kind;
use crate::language;
use crate::latin;
use crate::lexicon::Lexicon;
use crate::script::Script;
use crate::segment::{Segment, Segmenter};
use crate::text_language::language_of;
use crate::utterance::{Break, Weight};

/// Returns the words of a segment as they are spoken in a turn of `language`.
///
/// If a segment of an English turn is mostly romanised, its numbers and other written forms are read in the language of
/// the romanised words: `mujhe 500 rupaye bhejo`. `before` is the language of the preceding romanised words. It is
/// English if the caller declared the text to be English; the numbers are then English as well.
pub fn normalize(
    segment: &Segment,
    language: Language,
    before: Option<Language>,
    lexicon: &Lexicon,
) -> Vec<SpokenWord> {
    match marked::by_language(segment, language) {
        None => normalize_whole(segment, language, before, lexicon),
        Some(parts) => parts
            .into_iter()
            .flat_map(|(part, own)| match own {
                None => normalize_whole(&part, language, before, lexicon),
                Some(own) => marked::declared(normalize_whole(&part, own, None, lexicon), own, language),
            })
            .collect(),
    }
}

/// Returns the words of a segment in which markup declares no other language. The words themselves may still be in
/// another language.
fn normalize_whole(
    segment: &Segment,
    language: Language,
    before: Option<Language>,
    lexicon: &Lexicon,
) -> Vec<SpokenWord> {
    let scan = Scan::new(segment, language);
    let Some(prevailing) = prevailing(&scan, before) else {
        let mut words = normalize_scan(segment, &scan, lexicon);
        // in a text that was declared English, numbers are English, regardless of the surrounding words
        if before == Some(Language::English) {
            for word in words.iter_mut().filter(|word| word.class != Class::Word) {
                word.language.get_or_insert(Language::English);
            }
        }
        return words;
    };
    let mut words = normalize_scan(segment, &Scan::new(segment, prevailing), lexicon);
    for word in words.iter_mut().filter(|word| word.language.is_none() && word.class != Class::Word) {
        let own = word.text.chars().find_map(Script::of) == Some(language::spec(prevailing).script);
        word.language = own.then_some(prevailing);
    }
    words
}

/// Returns the dominant Indian language in a segment of an English turn, or `None` if the segment contains no numbers
/// or English is dominant.
fn prevailing(scan: &Scan<'_>, before: Option<Language>) -> Option<Language> {
    if scan.script() != Script::Latin || scan.numbers == 0 {
        return None;
    }
    let words = (0..scan.items.len()).filter_map(|at| scan.word(at));
    latin::prevailing(&words.collect::<Vec<_>>(), before)
}

fn normalize_scan(segment: &Segment, scan: &Scan<'_>, lexicon: &Lexicon) -> Vec<SpokenWord> {
    let language = scan.language;
    let mut words: Vec<SpokenWord> = Vec::new();
    let mut opening = String::new();
    let mut at = 0;
    while at < scan.items.len() {
        let Some((said, items)) = marked::words(segment, scan, at, lexicon)
            .or_else(|| lexicon_overrides::words(scan, at, lexicon))
            .or_else(|| read(scan, at, lexicon))
        else {
            punctuate(scan, at, &mut words, &mut opening);
            at += 1;
            continue;
        };
        let end = (at + items.max(1)).min(scan.items.len());
        let chars = scan.items[at].start..scan.items[end - 1].end;
        let emphasis = segment.text.emphasis.get(chars.start).copied().unwrap_or(false);
        let source = segment.text.source(chars);
        words.extend(said.into_iter().map(|word| SpokenWord {
            source: source.clone(),
            weight: if emphasis { Weight::Emphasis } else { Weight::Content },
            opening: std::mem::take(&mut opening),
            ..word
        }));
        at = end;
    }
    prosody::weigh(&mut words, language);
    words
}

/// Reads the written form that starts at `at`. Returns its words and its number of items.
fn read(scan: &Scan<'_>, at: usize, lexicon: &Lexicon) -> Option<(Vec<SpokenWord>, usize)> {
    let reading = classes::read(scan, at)?;
    Some((spoken(&reading, scan.language, lexicon), reading.items))
}

/// Returns the words of a reading.
fn spoken(reading: &Reading, language: Language, lexicon: &Lexicon) -> Vec<SpokenWord> {
    let mut words: Vec<SpokenWord> = Vec::new();
    for word in reading.words.split_whitespace() {
        if word == scan::GROUP_EDGE {
            if let Some(last) = words.last_mut() {
                last.break_after = Break::Group;
            }
        } else {
            lexicon_overrides::push_expanded(&mut words, word, reading, language, lexicon);
        }
    }
    words
}

/// Attaches punctuation to a word: opening punctuation to the next word, and other punctuation to the last word,
/// together with the break that it causes. A sign that is neither spoken nor punctuation is dropped.
fn punctuate(scan: &Scan<'_>, at: usize, words: &mut [SpokenWord], opening: &mut String) {
    let Some(item) = scan.item(at) else { return };
    let Kind::Sign(c) = item.kind else { return };
    let opens = matches!(c, '(' | '[' | '{' | '“' | '‘' | '«' | '¿' | '¡')
        || (matches!(c, '"' | '\'' | '`') && scan.spaced(at) && !scan.spaced(at + 1));
    if !is_punctuation(c) {
        return;
    }
    match words.last_mut() {
        Some(last) if !opens => {
            last.punctuation.push(c);
            last.break_after = last.break_after.max(match c {
                ',' | ';' | ':' | '(' | ')' | '—' | '–' | '…' | '।' if scan.spaced(at + 1) => {
                    Break::Phrase
                }
                '-' | '/' if scan.spaced(at) && scan.spaced(at + 1) => Break::Phrase,
                // a danda without a space after it is between numbers that are neither a date nor a time of day
                '।' => Break::Phrase,
                _ => Break::None,
            });
        }
        _ => opening.push(c),
    }
}

/// Returns the romanised language after `words` in an English turn: the language of the first of these words that is
/// not English, or `before`, the language of the preceding words, if there is no such word. If `before` is English, the
/// result is English. Returns `None` in a turn in another language.
pub(crate) fn romanised_language(
    words: &[SpokenWord],
    language: Language,
    before: Option<Language>,
) -> Option<Language> {
    if language != Language::English {
        return None;
    }
    if before == Some(Language::English) {
        return before;
    }
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let found = latin::languages(&texts, language, before);
    let mut languages = words.iter().zip(found).map(|(word, found)| word.language.unwrap_or(found));
    languages.find(|&found| found != language).or(before)
}

/// Returns the evidence for each number of a text in `language` that may be read digit by digit, with the position of
/// its first character.
pub(crate) fn evidence_in(text: &str, language: Language) -> Vec<(u32, Evidence)> {
    let mut segmenter = Segmenter::new();
    segmenter.set_language(language);
    segmenter.push(text);
    segmenter.finish();
    let segments = std::iter::from_fn(|| segmenter.next_segment());
    segments.flat_map(|segment| forms::decision::of_segment(&Scan::new(&segment, language))).collect()
}

/// Returns the words of a text that follows no other text.
pub fn normalize_text(text: &str, language: Language, lexicon: &Lexicon) -> Vec<SpokenWord> {
    normalize_after(text, language, None, lexicon)
}

/// Returns the words of a text that follows words in the language `romanised`.
fn normalize_after(
    text: &str,
    language: Language,
    mut romanised: Option<Language>,
    lexicon: &Lexicon,
) -> Vec<SpokenWord> {
    let mut segmenter = Segmenter::new();
    segmenter.set_language(language);
    segmenter.push(text);
    segmenter.finish();
    let mut all = Vec::new();
    while let Some(segment) = segmenter.next_segment() {
        let words = normalize(&segment, language, romanised, lexicon);
        romanised = romanised_language(&words, language, romanised);
        all.extend(words);
    }
    all
}

/// Returns a line of text as spoken words with their punctuation. If `language` is `None`, the first letter that is not
/// Latin determines the language.
pub fn normalize_line(text: &str, language: Option<Language>, lexicon: &Lexicon) -> String {
    let requested = language.filter(|&requested| requested == Language::English);
    let language = language.unwrap_or_else(|| language_of(text));
    let mut line = String::new();
    for word in normalize_after(text, language, requested, lexicon) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word.opening);
        line.push_str(&word.text);
        line.push_str(&word.punctuation);
    }
    line
}

#[cfg(test)]
mod tests;
