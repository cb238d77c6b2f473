//! Bytes as a text that comes in pieces: the first names the language and whether there is a lexicon, the next four say
//! where it is cut.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use shruti_protocol::Language;
use shruti_text::utterance::Spoken;
use shruti_text::{Lexicon, Reader, Settings, extra_chars};

/// The most phones that a character is spoken with which is charged.
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

fuzz_target!(|input: &[u8]| {
    let [first, a, b, c, d, rest @ ..] = input else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let language = Language::ALL.get(usize::from(*first & 0x7f) % (Language::ALL.len() + 1)).copied();
    let lexicon = if *first & 0x80 == 0 { Arc::default() } else { Arc::clone(&LEXICON) };
    let settings = Settings { language, lexicon };
    let whole = read(&settings, std::iter::once(text));
    let length = text.chars().count();
    let (mut phones, mut extra) = (0, 0);
    let words = whole.iter().filter_map(|spoken| match spoken {
        Spoken::Utterance(utterance) => Some(&utterance.words),
        Spoken::Pause(_) => None,
    });
    for word in words.flatten() {
        let source = &word.source;
        assert!(source.start < source.end && source.end as usize <= length, "{word:?}");
        phones += word.phones.len();
        extra += word.extra_chars;
    }
    assert!(extra <= extra_chars(text, settings.clone()), "what is charged is counted before");
    let charged = length + extra as usize;
    assert!(phones <= MOST_PHONES_A_CHARACTER * charged, "{phones} phones of {charged} characters");
    let mut cuts = [a, b, c, d].map(|&byte| text.floor_char_boundary(text.len() * usize::from(byte) / 256));
    cuts.sort_unstable();
    let mut from = 0;
    let pieces = cuts.into_iter().chain([text.len()]).map(|to| &text[std::mem::replace(&mut from, to)..to]);
    assert_eq!(read(&settings, pieces), whole, "cut at {cuts:?}");
    let letters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    assert_eq!(read(&settings, letters), whole, "a character at a time");
});
