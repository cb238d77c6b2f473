//! Tests of the duration of the audio per charged character: no written form exceeds the limit.
//!
//! The audio limit is the one in `docs/http.md`. The processing time per character is only printed, not checked (`cargo
//! test --release -p shruti-engine --test expansion -- --nocapture`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Instant;

use shruti_backend::{Backend, Style};
use shruti_engine::{Engine, Request};
use shruti_lang::limits::MAX_SOUND_MS_PER_CHAR;
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_text::utterance::Spoken as Piece;
use shruti_text::{Lexicon, Reader, Settings, extra_chars};
use shruti_voice::ParametricBackend;

/// Maximum duration of audio per charged character at speed 1, averaged over a text, in seconds.
const MAX_SECONDS_PER_CHARACTER: f64 = MAX_SOUND_MS_PER_CHAR as f64 / 1_000.0;

/// Number of characters of each text.
const CHARS: usize = 600;

/// Written forms: the name of each form, and a pattern that is repeated to form a text.
const PATTERNS: [(&str, &str); 44] = [
    ("digits", "7"),
    ("digits of the language's own look", "९"),
    ("digits apart", "7 "),
    ("large numbers", "999999999999999 "),
    ("grouped numbers", "99,99,99,999 "),
    ("decimals", "0.77777 "),
    ("money", "₹7 "),
    ("large money", "₹99999999999 "),
    ("money of other lands", "CHF7 "),
    ("signs of money", "₹"),
    ("percent", "%"),
    ("percent apart", "7% "),
    ("degrees", "7°C "),
    ("fractions", "½"),
    ("powers", "7⁷ "),
    ("units", "7kPa "),
    ("units of areas", "7mm² "),
    ("rates", "7km/h "),
    ("dates", "7/7/77 "),
    ("times", "7:07 "),
    ("ranges", "7-8 "),
    ("ordinals", "77th "),
    ("roman numerals", "XXXVIII "),
    ("telephone numbers", "+91 98765 43210 "),
    ("mathematics", "≤≥≠±×÷"),
    ("plus and equals", "+="),
    ("at signs", "@ "),
    ("ampersands", "& "),
    ("number signs", "#7 "),
    ("addresses", "http://w.w/w?w=w&w=w "),
    ("mail", "w@w.ww "),
    ("files", "C:\\w\\w.w "),
    ("initialisms", "WWW "),
    ("single letters", "w "),
    ("codes", "W7"),
    ("abbreviations", "Dr. St. "),
    ("abbreviated companies", "Pvt. Ltd. "),
    ("emoji", "👩‍👩‍👧🏽🙏"),
    ("lines", "\n"),
    ("short lines", "a\n"),
    ("short sentences", "a. "),
    ("exclamations", "a!"),
    ("combining marks", "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}"),
    ("long vowels", "आआआ"),
];

/// Charged characters, audio duration and processing time of a text.
struct Spoken {
    chars: usize,
    seconds: f64,
    micros: f64,
}

fn spoken(text: &str, language: Language, lexicon: &Arc<Lexicon>, speed: f32) -> Spoken {
    let voices = ParametricBackend::with_threads(1);
    let style = Style { voice: "Ananya".into(), speed, pitch: 0.0 };
    let settings = || Settings { language: Some(language), lexicon: Arc::clone(lexicon) };
    let begun = Instant::now();
    let mut reader = Reader::new(settings());
    reader.push(text);
    reader.finish();
    let (mut samples, mut extra) = (0, 0);
    while let Some(piece) = reader.next_spoken() {
        match piece {
            Piece::Utterance(utterance) => {
                extra += utterance.words.iter().map(|word| word.extra_chars).sum::<u32>();
                samples += voices.prepare(&utterance, &style).unwrap().length.samples();
            }
            Piece::Pause(pause) => samples += pause.silence_ms as usize * SAMPLE_RATE as usize / 1_000,
        }
    }
    let micros = begun.elapsed().as_secs_f64() * 1e6;
    assert!(extra <= extra_chars(text, settings(), u32::MAX), "the charge is counted in advance");
    let chars = text.trim().chars().count() + extra as usize;
    Spoken { chars, seconds: samples as f64 / f64::from(SAMPLE_RATE), micros }
}

fn repeated(pattern: &str) -> String {
    pattern.chars().cycle().take(CHARS).collect()
}

#[test]
fn written_forms_have_bounded_audio() {
    shruti_text::warm_up();
    println!("{:<34} {:>10} {:>4} {:>12}", "form", "most s/char", "in", "most µs/char");
    let mut longest: f64 = 0.0;
    for (form, pattern) in PATTERNS {
        let (mut most, mut work) = ((0.0, ""), 0.0_f64);
        for language in Language::ALL {
            let spoken = spoken(&repeated(pattern), language, &Arc::default(), 1.0);
            let chars = spoken.chars.max(1) as f64;
            work = work.max(spoken.micros / chars);
            if spoken.seconds / chars >= most.0 {
                most = (spoken.seconds / chars, language.code());
            }
        }
        println!("{form:<34} {:>10.3} {:>4} {work:>12.2}", most.0, most.1);
        longest = longest.max(most.0);
    }
    assert!(longest <= MAX_SECONDS_PER_CHARACTER, "{longest:.3} s of audio per character");
}

#[test]
fn signs_have_bounded_audio() {
    let signs = (' '..'\u{3000}').filter(|c| !c.is_alphabetic() && !c.is_whitespace());
    let mut longest = (0.0, ' ', Language::Hindi);
    for sign in signs {
        let (joined, apart) = (sign.to_string().repeat(6), format!("{sign} 7{sign} ").repeat(3));
        for language in Language::ALL {
            for text in [&joined, &apart] {
                let spoken = spoken(text, language, &Arc::default(), 1.0);
                let seconds = spoken.seconds / spoken.chars as f64;
                if seconds > longest.0 {
                    longest = (seconds, sign, language);
                }
            }
        }
    }
    println!("the longest sign: {longest:?}");
    assert!(longest.0 <= MAX_SECONDS_PER_CHARACTER, "{longest:?}");
}

#[test]
fn lexicon_audio_is_bounded_by_charge() {
    // the charge is for the characters of the reading, although its numbers and symbols expand to longer words
    let readings = [
        "अबकखग ".repeat(21),
        "99 ".repeat(16),
        "W ".repeat(32),
        "7% ".repeat(16),
        "≥7 ".repeat(16),
        "/aːaːaːaːaːaːaːaːaː/".to_owned(),
    ];
    for language in Language::ALL {
        for reading in &readings {
            let mut words = vec![("k".to_owned(), reading.clone())];
            words.extend(said_for("7%", language).into_iter().map(|word| (word, reading.clone())));
            words.dedup_by(|a, b| a.0 == b.0);
            let entries = words.iter().map(|(word, reading)| (word.as_str(), reading.as_str()));
            let Ok(lexicon) = Lexicon::new(entries) else { panic!("{reading}: {words:?}") };
            for text in ["k ", "k", "7% ", "k7"] {
                let spoken = spoken(&repeated(text), language, &Arc::new(lexicon.clone()), 1.0);
                let seconds = spoken.seconds / spoken.chars as f64;
                assert!(
                    seconds <= MAX_SECONDS_PER_CHARACTER,
                    "{language} {text:?} {reading:?}: {seconds:.3}"
                );
            }
        }
    }
}

/// SSML elements around a text (`{}`), each with the slowest rate that it requests. `…` stands for text that is longer
/// than a replacement.
const ELEMENTS: [(&str, f64); 25] = [
    ("{}", 1.0),
    ("<sub alias='{}'>x</sub>", 1.0),
    ("<sub alias='{}'/>", 1.0),
    ("<sub alias='{}'>…</sub>", 1.0),
    ("<sub alias='&#107;{}&#107;'>…</sub>", 1.0),
    ("<sub alias='x'>{}</sub>", 1.0),
    ("<say-as interpret-as='characters'>{}</say-as>", 1.0),
    ("<say-as interpret-as='digits'>{}</say-as>", 1.0),
    ("<say-as interpret-as='cardinal'>{}</say-as>", 1.0),
    ("<say-as interpret-as='ordinal'>{}</say-as>", 1.0),
    ("<say-as interpret-as='fraction'>{}</say-as>", 1.0),
    ("<say-as interpret-as='unit'>{}</say-as>", 1.0),
    ("<say-as interpret-as='currency'>{}</say-as>", 1.0),
    ("<say-as interpret-as='telephone'>{}</say-as>", 1.0),
    ("<say-as interpret-as='date'>{}</say-as>", 1.0),
    ("<say-as interpret-as='time'>{}</say-as>", 1.0),
    ("<phoneme ph='k'>{}</phoneme>", 1.0),
    ("<phoneme ph='k'/>{}", 1.0),
    ("<lang xml:lang='ta'>{}</lang>", 1.0),
    ("<emphasis level='strong'>{}</emphasis>", 0.9),
    ("<prosody rate='x-slow'>{}</prosody>", 0.5),
    ("<p>{}</p>", 1.0),
    ("<mark/>{}<foo/>", 1.0),
    ("<![CDATA[{}]]>", 1.0),
    ("{}<break time='10s'/>", 1.0),
];

#[test]
fn lexicon_audio_in_elements_is_bounded_by_charge() {
    let readings =
        ["अबकखग ".repeat(21), "≤7 ".repeat(16), "≤≥≠±≤≥7".to_owned(), "/aːaːaːaːaːaːaːaː/".to_owned()];
    let texts = ["k ", "k. ", "k7 ", "7% ", "≤", "₹7 ", "7/7/77 ", "WWW "];
    let content = "x ".repeat(64);
    for language in [Language::Hindi, Language::Malayalam] {
        let mut words: Vec<String> = texts.iter().flat_map(|text| said_for(text, language)).collect();
        words.push("k".to_owned());
        for reading in &readings {
            let mut lexicon = Lexicon::default();
            for word in &words {
                // insertion fails for words that are already present and for single symbols
                let _ = lexicon.insert(None, word, reading);
            }
            let lexicon = Arc::new(lexicon);
            for (element, slowest) in ELEMENTS {
                for text in texts {
                    // an alias must be long enough to exceed the text that it replaces
                    let length = if element.contains('…') { 120 } else { 24 };
                    let text: String = text.chars().cycle().take(length).collect();
                    let inside = element.replace("{}", text.trim()).replace('…', content.trim());
                    let document = format!("<speak>{inside}</speak>");
                    let spoken = spoken(&document, language, &lexicon, 1.0);
                    let seconds = spoken.seconds / spoken.chars as f64;
                    let most = MAX_SECONDS_PER_CHARACTER / slowest;
                    assert!(seconds <= most, "{language} {document} {reading:?}: {seconds:.3} s a character");
                }
            }
        }
    }
}

/// Returns the words that a text is normalised to.
fn said_for(text: &str, language: Language) -> Vec<String> {
    let line = shruti_text::normalize_line(text, Some(language), &Lexicon::default());
    line.split_whitespace().map(ToOwned::to_owned).collect()
}

#[test]
fn readings_without_marks_are_charged_with_their_audio() {
    let engine = Engine::builder().backend(ParametricBackend::with_threads(1)).build().unwrap();
    let engine = Arc::new(engine);
    let lexicon = Arc::new(Lexicon::new([("k", "अबकखग अबकखग")]).unwrap());
    let request = || Request {
        language: Some(Language::Hindi),
        lexicon: Arc::clone(&lexicon),
        ..Request::new("Ananya")
    };
    // the words of an alias have the same position in the text, regardless of the number of sentences
    for text in [
        "k k k k",
        "<speak><sub alias='k. k. k k.'>x</sub></speak>",
        "<speak><sub alias='k. k! k? k'/></speak>",
    ] {
        let mut speech = engine.speak_text(request(), text).unwrap();
        let charged: u32 =
            std::iter::from_fn(|| speech.blocking_next()).map(|chunk| chunk.unwrap().extra_chars).sum();
        assert_eq!(charged, 4 * 10, "{text}");
    }
}

#[test]
fn half_speed_at_most_doubles_the_audio() {
    for pattern in ["7% ", "a\n", "नमस्ते "] {
        let at = |speed| spoken(&repeated(pattern), Language::Hindi, &Arc::default(), speed).seconds;
        let (slow, plain) = (at(0.5), at(1.0));
        assert!(slow <= 2.0 * plain * 1.01, "{pattern:?}: {slow:.1} s after {plain:.1} s");
    }
}
