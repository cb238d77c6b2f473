//! Invariants that must hold for every text, plain or SSML, that is processed.

use std::sync::{Arc, LazyLock};

use shruti_lang::Language;
use shruti_text::ssml::LONGEST_PAUSE_MS;
use shruti_text::utterance::{Spoken, Word};
use shruti_text::{Lexicon, Reader, Settings, extra_chars};

/// Maximum number of phones per charged character.
const MOST_PHONES_A_CHARACTER: usize = 32;

static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(|| {
    let entries = [
        ("k", "अबकखग अबकखग"),
        ("AT&T", "a t and t"),
        ("New Delhi", "नई दिल्ली शहर"),
        ("7", "/saːt/"),
        ("रुपए", "रुपए रुपए"),
        ("%", "percent percent"),
    ];
    Arc::new(Lexicon::new(entries).expect("a lexicon"))
});

/// Returns the settings selected by a byte. The highest bit selects whether there is a lexicon; the other bits select a
/// language or language detection.
pub fn settings(byte: u8) -> Settings {
    let language = Language::ALL.get(usize::from(byte & 0x7f) % (Language::ALL.len() + 1)).copied();
    let lexicon = if byte & 0x80 == 0 { Arc::default() } else { Arc::clone(&LEXICON) };
    Settings { language, lexicon }
}

/// Reads a text in three ways: as a whole, cut at four positions (in 256ths of its length), and character by character.
/// Panics unless all three results are equal, the source of each word is within the text, and phones and pauses are
/// within their limits.
pub fn check_reading(text: &str, settings: &Settings, cuts: [u8; 4]) {
    let whole = read(settings, std::iter::once(text));
    check_words(text, settings, &whole);
    check_pauses(&whole);
    let mut cuts = cuts.map(|byte| text.floor_char_boundary(text.len() * usize::from(byte) / 256));
    cuts.sort_unstable();
    let mut from = 0;
    let pieces = cuts.into_iter().chain([text.len()]).map(|to| &text[std::mem::replace(&mut from, to)..to]);
    assert_eq!(read(settings, pieces), whole, "cut at {cuts:?}");
    let letters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    assert_eq!(read(settings, letters), whole, "a character at a time");
}

fn read<'a>(settings: &Settings, pieces: impl Iterator<Item = &'a str>) -> Vec<Spoken> {
    let mut reader = Reader::new(settings.clone());
    let mut spoken = Vec::new();
    for piece in pieces {
        reader.push(piece);
        spoken.extend(std::iter::from_fn(|| reader.next_spoken()));
    }
    reader.finish();
    spoken.extend(std::iter::from_fn(|| reader.next_spoken()));
    spoken
}

fn check_words(text: &str, settings: &Settings, spoken: &[Spoken]) {
    let length = text.chars().count();
    let (mut phones, mut extra) = (0, 0);
    let words = spoken.iter().filter_map(|spoken| match spoken {
        Spoken::Utterance(utterance) => Some(&utterance.words),
        Spoken::Pause(_) => None,
    });
    for word in words.flatten() {
        let source = &word.source;
        assert!(source.start < source.end && source.end as usize <= length, "{word:?}");
        check_delivery(word);
        phones += word.phones.len();
        extra += word.extra_chars;
    }
    assert!(extra <= extra_chars(text, settings.clone(), u32::MAX), "what is charged is counted before");
    let charged = length + extra as usize;
    assert!(phones <= MOST_PHONES_A_CHARACTER * charged, "{phones} phones of {charged} characters");
}

fn check_delivery(word: &Word) {
    let delivery = word.delivery;
    assert!((0.5..=2.0).contains(&delivery.rate), "{word:?}");
    assert!((-6.0..=6.0).contains(&delivery.pitch), "{word:?}");
    assert!((-60.0..=6.0).contains(&delivery.volume), "{word:?}");
}

/// Checks that each pause states the total silence since the last word: consecutive pauses must increase, and none may
/// exceed the maximum.
fn check_pauses(spoken: &[Spoken]) {
    let mut silence_ms = 0;
    for spoken in spoken {
        match spoken {
            Spoken::Pause(pause) => {
                assert!(silence_ms < pause.silence_ms && pause.silence_ms <= LONGEST_PAUSE_MS, "{pause:?}");
                silence_ms = pause.silence_ms;
            }
            Spoken::Utterance(_) => silence_ms = 0,
        }
    }
}
