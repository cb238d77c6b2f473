//! Tests of readings: order of events, rates and stops.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::mpsc::channel;

use shruti_lang::{Language, VoiceEngine};
use shruti_screenreader::{
    Event, MAX_PIECE, MAX_TEXT_BYTES, Punctuation, ReadError, Settings, Speaker, Stopper, Verbosity,
};

fn speaker() -> Speaker {
    Speaker::new(VoiceEngine::Rules).unwrap()
}

fn english() -> Settings {
    Settings { language: Some(Language::English), ..Settings::default() }
}

fn events(speaker: &Speaker, text: &str, settings: &Settings) -> Vec<Event> {
    let mut reading = speaker.read(text, settings).unwrap();
    std::iter::from_fn(|| reading.next_event()).collect::<Result<_, _>>().unwrap()
}

fn samples(events: &[Event]) -> Vec<i16> {
    let audio = events.iter().filter_map(|event| match event {
        Event::Audio(samples, _) => Some(samples.as_slice()),
        _ => None,
    });
    audio.collect::<Vec<_>>().concat()
}

/// Returns the source texts of the words and the names of the marks, in event order.
fn places<'a>(events: &'a [Event], text: &'a str) -> Vec<&'a str> {
    let place = |event: &'a Event| match event {
        Event::Audio(..) => None,
        Event::Word { source, .. } => Some(&text[source.clone()]),
        Event::Mark { name, .. } => Some(name.as_str()),
    };
    events.iter().filter_map(place).collect()
}

#[test]
fn words_and_marks_are_in_the_order_of_the_audio() {
    let text =
        "<speak><mark name='m0'/>नमस्ते <mark name='m1'/>दुनिया, <mark name='m2'/>आप <mark name='m3'/></speak>";
    let speaker = speaker();
    for rate in [1.0, 4.0] {
        let settings = Settings { language: Some(Language::Hindi), rate, ..Settings::default() };
        let events = events(&speaker, text, &settings);
        assert_eq!(places(&events, text), ["m0", "नमस्ते", "m1", "दुनिया,", "m2", "आप", "m3"], "{rate}");
        let mut position = 0;
        for event in &events {
            match event {
                Event::Audio(samples, sample) => {
                    assert_eq!(*sample, position);
                    assert!((1..=MAX_PIECE).contains(&samples.len()));
                    position += samples.len() as u64;
                }
                Event::Word { sample, .. } | Event::Mark { sample, .. } => assert_eq!(*sample, position),
            }
        }
    }
}

#[test]
fn words_have_byte_positions_in_plain_text() {
    let text = "Say café & नमस्ते, now.";
    let settings = Settings {
        verbosity: Verbosity { punctuation: Punctuation::All, ..Verbosity::default() },
        ..english()
    };
    let events = events(&speaker(), text, &settings);
    assert_eq!(places(&events, text), ["Say", "café", "&", "नमस्ते", ",", "now", "."]);
}

#[test]
fn rates_shorten_the_audio() {
    let text = "The quick brown fox jumps over the lazy dog, and the dog does not mind at all.";
    let speaker = speaker();
    let length = |rate| samples(&events(&speaker, text, &Settings { rate, ..english() })).len() as f32;
    let own = length(1.0);
    for (rate, tolerance) in [(0.5, 0.15), (2.0, 0.1), (3.0, 0.1), (4.0, 0.1), (6.0, 0.15)] {
        let ratio = own / length(rate) / rate;
        assert!((ratio - 1.0).abs() < tolerance, "{rate}: {ratio}");
    }
}

#[test]
fn the_same_text_produces_the_same_samples() {
    let speaker = speaker();
    let settings = Settings { rate: 3.0, pitch: 2.0, volume: 0.5, ..english() };
    assert_eq!(
        events(&speaker, "One, two, three.", &settings),
        events(&speaker, "One, two, three.", &settings)
    );
}

#[test]
fn the_volume_scales_the_samples() {
    let speaker = speaker();
    let loudest = |volume| {
        let events = events(&speaker, "Hello", &Settings { volume, ..english() });
        samples(&events).into_iter().map(|sample| i32::from(sample).abs()).max().unwrap()
    };
    assert_eq!(loudest(0.0), 0);
    assert!(loudest(0.5).abs_diff(loudest(1.0) / 2) <= 1);
}

#[test]
fn a_stop_ends_reading_before_the_next_event() {
    let speaker = speaker();
    let stopper = Stopper::default();
    let mut reading = speaker.read_until("Hello there, how are you?", &english(), stopper.clone()).unwrap();
    assert!(matches!(reading.next_event(), Some(Ok(_))));
    stopper.stop();
    assert_eq!(reading.next_event(), None);
    stopper.stop();
    let mut reading = speaker.read_until("Hello", &english(), stopper).unwrap();
    assert_eq!(reading.next_event(), None);
}

#[test]
fn a_stop_from_another_thread_ends_a_long_text() {
    let text = "word ".repeat(MAX_TEXT_BYTES / 5);
    let (begun, has_begun) = channel();
    let stopper = Stopper::default();
    std::thread::scope(|scope| {
        let reader = scope.spawn({
            let stopper = stopper.clone();
            move || {
                let speaker = speaker();
                let mut reading = speaker.read_until(&text, &english(), stopper).unwrap();
                let mut count = 0_u64;
                while let Some(event) = reading.next_event() {
                    event.unwrap();
                    count += 1;
                    // a failed send is ignored: the receiver is closed after its first message
                    let _ = begun.send(());
                }
                count
            }
        });
        has_begun.recv().unwrap();
        stopper.stop();
        assert!(reader.join().unwrap() > 0);
    });
}

#[test]
fn values_out_of_range_are_rejected() {
    let speaker = speaker();
    let error = |text: &str, settings: &Settings| speaker.read(text, settings).unwrap_err();
    assert_eq!(error(&"a".repeat(MAX_TEXT_BYTES + 1), &english()), ReadError::TooLong);
    for rate in [0.4, 6.1, f32::NAN] {
        assert_eq!(error("a", &Settings { rate, ..english() }), ReadError::OutOfRange("rate"));
    }
    assert!(matches!(
        error("a", &Settings { voice: Some("Nobody".into()), ..english() }),
        ReadError::Refused(_)
    ));
}

#[test]
fn texts_without_words_keep_their_marks() {
    let speaker = speaker();
    assert_eq!(events(&speaker, "", &english()), []);
    let events = events(&speaker, "<speak><mark name='only'/></speak>", &english());
    assert_eq!(places(&events, ""), ["only"]);
}
