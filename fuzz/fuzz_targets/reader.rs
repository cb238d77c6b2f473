//! Bytes as a text that comes in pieces: the first names the language, the next four say where it is cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_protocol::Language;
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};

fn read<'a>(language: Option<Language>, pieces: impl Iterator<Item = &'a str>) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language, ..Settings::default() });
    let mut utterances = Vec::new();
    for piece in pieces {
        reader.push(piece);
        utterances.extend(std::iter::from_fn(|| reader.next_utterance()));
    }
    reader.finish();
    utterances.extend(std::iter::from_fn(|| reader.next_utterance()));
    utterances
}

fuzz_target!(|input: &[u8]| {
    let [first, a, b, c, d, rest @ ..] = input else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let language = Language::ALL.get(usize::from(*first) % (Language::ALL.len() + 1)).copied();
    let whole = read(language, std::iter::once(text));
    let length = text.chars().count() as u32;
    for word in whole.iter().flat_map(|utterance| &utterance.words) {
        assert!(word.source.start < word.source.end && word.source.end <= length, "{word:?}");
    }
    let mut cuts = [a, b, c, d].map(|&byte| text.floor_char_boundary(text.len() * usize::from(byte) / 256));
    cuts.sort_unstable();
    let mut from = 0;
    let pieces = cuts.into_iter().chain([text.len()]).map(|to| &text[std::mem::replace(&mut from, to)..to]);
    assert_eq!(read(language, pieces), whole, "cut at {cuts:?}");
    let letters = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    assert_eq!(read(language, letters), whole, "a character at a time");
});
