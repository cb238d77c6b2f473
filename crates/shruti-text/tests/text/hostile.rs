//! Hostile text: nothing panics, memory use is limited, and the work grows at most in proportion to the length of the
//! text.
//!
//! Work is measured in allocations, which are the same in every run. The time per byte is printed but not checked
//! (`cargo test -p shruti-text --test text hostile -- --nocapture`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use allocation_counter::{AllocationInfo, measure};
use shruti_lang::Language;
use shruti_text::{Lexicon, Reader, Settings, warm_up};

/// Size of each text, in bytes.
const MEGABYTE: usize = 1_000_000;

/// Size of the shorter text with which each text is compared, in bytes.
const QUARTER: usize = MEGABYTE / 4;

/// Size of a piece, in bytes, similar to a network packet.
const PIECE: usize = 1_000;

/// Maximum memory in use at any time in addition to the text, in bytes, for text of any length.
const MAX_MEMORY: u64 = 16 << 20;

/// Maximum number of spoken words per character.
const MAX_WORDS_PER_CHARACTER: usize = 8;
/// Maximum number of phones per utterance.
const MAX_PHONES: usize = 100_000;

/// Hostile patterns: name, language, pattern.
const TEXTS: [(&str, Language, &str); 28] = [
    ("viramas", Language::Hindi, "क्््््््््््््््््््््््््््"),
    ("one letter", Language::Hindi, "क"),
    ("one Latin letter", Language::English, "z"),
    ("conjuncts", Language::Malayalam, "ക്"),
    ("joiners", Language::Bengali, "র\u{200d}্\u{200d}"),
    ("combining marks", Language::English, "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}"),
    ("vowel signs alone", Language::Tamil, "ிீு"),
    ("digits", Language::Hindi, "7"),
    ("grouped digits", Language::English, "1,2.3:4-5/"),
    ("dates without end", Language::Marathi, "15/08/"),
    ("sums of money", Language::Telugu, "₹1,25,000 crore "),
    ("signs that are words", Language::Kannada, "≤"),
    ("deep Markdown", Language::English, "[**_`<a"),
    ("emphasis", Language::English, "*_~"),
    ("open tags", Language::English, "<a "),
    ("open links", Language::English, "[a]("),
    ("scripts that do not end", Language::English, "<script>"),
    ("styles in scripts", Language::English, "<script>a<style>b"),
    ("comments that do not end", Language::English, "<!-- a"),
    ("entities", Language::English, "&#x915;&amp"),
    ("bidi controls", Language::English, "\u{202e}\u{2066}a\u{2069}\u{200f}"),
    ("quotation marks", Language::English, "\"'(«"),
    ("dots", Language::English, "a.b."),
    ("capitals", Language::Punjabi, "SBI1-"),
    ("romanised", Language::Gujarati, "namastekemcho"),
    ("other scripts", Language::Odia, "北Жسαᱥ"),
    ("emoji", Language::Hindi, "👩\u{200d}👩\u{200d}👧🏽"),
    ("spaces", Language::Hindi, " \u{a0}\n"),
];

/// Hostile SSML patterns, which follow `<speak>`.
const DOCUMENTS: [(&str, Language, &str); 22] = [
    ("open elements", Language::English, "<prosody rate='slow'>a "),
    ("open paragraphs", Language::Hindi, "<p>"),
    ("unknown elements", Language::English, "<x>"),
    ("elements closed", Language::English, "a</prosody></s>"),
    ("manners", Language::English, "<prosody pitch='+1st'>a</prosody>"),
    ("languages", Language::English, "<lang xml:lang='ta'>5</lang>5 "),
    ("breaks", Language::English, "<break time='9999h'/>"),
    ("breaks and words", Language::English, "a<break time='9s'/>"),
    ("tags that do not end", Language::English, "<break "),
    ("values that do not end", Language::English, "<audio src='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ("values behind values", Language::English, "<a b='c\" d=\"e'>"),
    ("quotation marks in a tag", Language::English, "<a ='\"'=\"' "),
    ("comments", Language::English, "<!-- - -- <p> -->"),
    ("data", Language::English, "<![CDATA[ ]] <a>& ]]>"),
    ("declarations", Language::English, "<!DOCTYPE a [<!ENTITY b '&b;&b;'>]>&b;"),
    ("declarations that do not end", Language::English, "<!a ["),
    ("aliases", Language::English, "<sub alias='a b c 5'>b</sub>"),
    ("aliases that do not end", Language::English, "<sub alias='99999999'>b"),
    ("kinds", Language::Hindi, "<say-as interpret-as='characters'>aA9-क</say-as>"),
    ("kinds that do not end", Language::English, "<say-as interpret-as='digits'>9 "),
    ("phones", Language::English, "<phoneme ph='aːaːaːaː'>b</phoneme>"),
    ("silent elements", Language::English, "<metadata>a</metadata>b<desc>"),
];

/// Returns a text that repeats a pattern, with a length of at most `bytes` bytes.
fn repeated(pattern: &str, bytes: usize) -> String {
    let mut text = pattern.repeat(bytes / pattern.len() + 1);
    text.truncate(text.floor_char_boundary(bytes));
    text
}

/// Statistics of the utterances of a text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    utterances: usize,
    words: usize,
    most_phones: usize,
}

/// Reads a text in pieces, and checks that the position of every word is within the text and in order.
fn read(text: &str, settings: Settings) -> Read {
    let mut reader = Reader::new(settings);
    let mut read = Read::default();
    let mut come = 0;
    let mut rest = text;
    let mut last = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        come += piece.chars().count() as u32;
        reader.push(piece);
        if rest.is_empty() {
            reader.finish();
        }
        while let Some(utterance) = reader.next_utterance() {
            read.utterances += 1;
            read.words += utterance.words.len();
            let phones = utterance.words.iter().map(|word| word.phones.len()).sum();
            read.most_phones = read.most_phones.max(phones);
            for word in &utterance.words {
                assert!(last <= word.source.start && word.source.start < word.source.end, "{word:?}");
                assert!(word.source.end <= come, "{word:?} beyond {come}");
                last = word.source.start;
            }
        }
    }
    read
}

/// Reads a text; returns its statistics, its allocations and the time in nanoseconds per byte.
fn counted(text: &str, settings: &Settings) -> (Read, AllocationInfo, f64) {
    let mut outcome = Read::default();
    let begun = Instant::now();
    let work = measure(|| outcome = read(text, settings.clone()));
    (outcome, work, begun.elapsed().as_secs_f64() * 1e9 / text.len() as f64)
}

#[test]
fn large_inputs_take_linear_time() {
    warm_up();
    on_all_cores(&TEXTS, |&(name, language, pattern)| is_read_in_linear_work(name, language, "", pattern));
    on_all_cores(&DOCUMENTS, |&(name, language, pattern)| {
        is_read_in_linear_work(name, language, "<speak>", pattern);
    });
}

/// Runs a check of each case on all cores; allocations are counted per thread.
fn on_all_cores<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}

/// Fails if a megabyte of a pattern takes more than about four times the work of a quarter of a megabyte, or if it
/// exceeds a limit on words, phones or memory.
fn is_read_in_linear_work(name: &str, language: Language, beginning: &str, pattern: &str) {
    let settings = Settings { language: Some(language), ..Settings::default() };
    let [quarter, whole] = [QUARTER, MEGABYTE].map(|bytes| beginning.to_owned() + &repeated(pattern, bytes));
    // read a short text first, to initialise everything that is loaded only once
    read(&quarter[..quarter.floor_char_boundary(PIECE)], settings.clone());
    let (_, less, quick) = counted(&quarter, &settings);
    let (outcome, work, slow) = counted(&whole, &settings);
    println!(
        "{name}: {} words, {} phones at most, {} KiB held at most, {} allocations; {quick:.0} ns a byte of a \
         quarter, {slow:.0} of the whole",
        outcome.words,
        outcome.most_phones,
        work.bytes_max >> 10,
        work.count_total,
    );
    let characters = whole.chars().count();
    assert!(outcome.words <= characters * MAX_WORDS_PER_CHARACTER, "{name}: {outcome:?}");
    assert!(outcome.most_phones <= MAX_PHONES, "{name}: {outcome:?}");
    assert!(work.bytes_max <= MAX_MEMORY, "{name}: {work:?}");
    // the longer text may take four times the work, with a tolerance for its beginning and end
    let linear = |more: u64, less: u64| more <= 4 * less + less / 4 + 10_000;
    assert!(linear(work.count_total, less.count_total), "{name}: {less:?} for a quarter, {work:?}");
    assert!(
        linear(work.bytes_total, less.bytes_total + 1_000_000),
        "{name}: {less:?} for a quarter, {work:?}"
    );
}

#[test]
fn hostile_lexicons_are_harmless() {
    // the entries have up to as many words as a segment without punctuation; each entry is a prefix of the next, and
    // all have a reading of maximum length
    let words: Vec<String> = (1..=24).map(|length| vec!["a"; length].join(" ")).collect();
    let reading = ["क"; 32].join(" ");
    let deep = Arc::new(Lexicon::new(words.iter().map(|word| (word.as_str(), reading.as_str()))).unwrap());
    let wide: Vec<String> = (0..100).map(|number| format!("x{number}")).collect();
    let wide =
        wide.iter().map(|word| (word.as_str(), "9999999999999999999999999999999")).chain([("&", "9 9 9 9")]);
    let wide = Arc::new(Lexicon::new(wide).unwrap());
    warm_up();
    let cases = [
        ("deep", &deep, "a "),
        ("deep, missed", &deep, "a a a a b "),
        ("wide", &wide, "x7 "),
        ("signs", &wide, "&"),
    ];
    on_all_cores(&cases, |&(name, lexicon, pattern)| {
        let settings = Settings { language: Some(Language::Hindi), lexicon: Arc::clone(lexicon) };
        let (short, long) = (repeated(pattern, 20_000), repeated(pattern, 80_000));
        let (_, less, quick) = counted(&short, &settings);
        let (outcome, work, slow) = counted(&long, &settings);
        println!(
            "{name}: {} words, {} phones at most, {} KiB held at most; {quick:.0} and {slow:.0} ns a byte",
            outcome.words,
            outcome.most_phones,
            work.bytes_max >> 10
        );
        assert!(outcome.most_phones <= MAX_PHONES, "{name}: {outcome:?}");
        assert!(work.bytes_max <= MAX_MEMORY, "{name}: {work:?}");
        assert!(
            work.count_total <= 4 * less.count_total + less.count_total / 4 + 10_000,
            "{name}: {less:?}, {work:?}"
        );
    });
}
