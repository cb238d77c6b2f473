//! Tests of the back end of the learned voices.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::task::Waker;

use shruti_backend::{Backend, Job, Length, Rendered, Style};
use shruti_lang::Language;
use shruti_learned::LearnedBackend;
use shruti_text::Reader;
use shruti_text::utterance::Utterance;

const HINDI: &str = "आपका ऑर्डर कल शाम तक पहुँच जाएगा।";

fn style(voice: &str) -> Style {
    Style { voice: voice.into(), speed: 1.0, pitch: 0.0 }
}

fn utterance(text: &str, language: Language) -> Utterance {
    let mut reader = Reader::new(shruti_text::Settings { language: Some(language), ..Default::default() });
    reader.push(text);
    reader.finish();
    reader.next_utterance().unwrap()
}

/// Returns the samples of an utterance, rendered in blocks of `block` samples.
fn speak(backend: &LearnedBackend, utterance: &Utterance, style: &Style, block: usize) -> Vec<i16> {
    let mut prepared = backend.prepare(utterance, style).unwrap();
    let mut samples = Vec::new();
    loop {
        let mut buffer = vec![0; block];
        let mut job = [Job {
            render_state: &mut prepared.render_state,
            block: &mut buffer,
            outcome: Ok(Rendered::Samples(0)),
            waker: Waker::noop().clone(),
        }];
        backend.render(&mut job);
        let [Job { outcome, .. }] = job;
        let Ok(Rendered::Samples(count)) = outcome else { panic!("{outcome:?}") };
        samples.extend_from_slice(&buffer[..count]);
        if count < block {
            assert_eq!(prepared.length, Length::Exact(samples.len()));
            return samples;
        }
    }
}

/// Returns the typical F0 in Hz: the inverse of the lag with the highest autocorrelation.
fn usual_f0(samples: &[i16]) -> f32 {
    let likeness = |lag: &usize| {
        let pairs = samples.iter().zip(&samples[*lag..]);
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    let lags = 24_000 / 350..24_000 / 60;
    let lag = lags.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).unwrap();
    24_000.0 / lag as f32
}

#[test]
fn every_language_is_audible_with_ordered_word_times() {
    let backend = LearnedBackend::new(1).unwrap();
    let lines = [
        (Language::Hindi, "नमस्ते दुनिया।"),
        (Language::Bengali, "নমস্কার বন্ধু।"),
        (Language::Tamil, "வணக்கம் நண்பரே."),
        (Language::Telugu, "నమస్కారం మిత్రమా."),
        (Language::Gujarati, "નમસ્તે મિત્ર."),
        (Language::Kannada, "ನಮಸ್ಕಾರ ಗೆಳೆಯ."),
        (Language::Malayalam, "നമസ്കാരം സുഹൃത്തേ."),
        (Language::Marathi, "नमस्कार मित्रा."),
        (Language::Punjabi, "ਸਤ ਸ੍ਰੀ ਅਕਾਲ।"),
        (Language::Odia, "ନମସ୍କାର ବନ୍ଧୁ।"),
        (Language::English, "Hello my friend."),
        (Language::Nepali, "नमस्ते साथी।"),
        (Language::Assamese, "নমস্কাৰ বন্ধু।"),
        (Language::Konkani, "नमस्कार मित्रा."),
        (Language::Urdu, "سلام دوست۔"),
    ];
    assert_eq!(lines.len(), Language::ALL.len());
    for (language, text) in lines {
        let utterance = utterance(text, language);
        for voice in ["Ananya", "Arjun"] {
            let prepared = backend.prepare(&utterance, &style(voice)).unwrap();
            assert_eq!(prepared.word_times.len(), utterance.words.len(), "{language}");
            assert!(
                prepared.word_times.is_sorted_by(|a, b| a.start < a.end && a.end <= b.start),
                "{language}"
            );
            assert!(prepared.word_times.last().unwrap().end <= prepared.length.samples(), "{language}");
            let samples = speak(&backend, &utterance, &style(voice), 2_400);
            for time in prepared.word_times {
                let loudest = samples[time].iter().map(|sample| sample.unsigned_abs()).max().unwrap();
                assert!(loudest > 1_000, "{voice} in {language}: a word is silent");
            }
        }
    }
}

#[test]
fn samples_are_independent_of_the_block_size() {
    let backend = LearnedBackend::new(1).unwrap();
    let utterance = utterance(HINDI, Language::Hindi);
    let expected = speak(&backend, &utterance, &style("Ananya"), 2_400);
    for block in [1, 480, 997] {
        assert!(speak(&backend, &utterance, &style("Ananya"), block) == expected, "blocks of {block}");
    }
    assert!(speak(&backend, &utterance, &style("Arjun"), 2_400) != expected);
}

#[test]
fn speed_and_pitch_match_the_request() {
    let backend = LearnedBackend::new(1).unwrap();
    let utterance = utterance(HINDI, Language::Hindi);
    let length = |speed| {
        let prepared = backend.prepare(&utterance, &Style { speed, ..style("Ananya") }).unwrap();
        prepared.word_times.last().unwrap().end as f32
    };
    for speed in [0.5, 1.5, 2.0] {
        let ratio = length(1.0) / length(speed);
        assert!((ratio / speed - 1.0).abs() < 0.1, "{ratio} times as fast at speed {speed}");
    }
    let f0 = |pitch| usual_f0(&speak(&backend, &utterance, &Style { pitch, ..style("Arjun") }, 2_400));
    let ratio = f0(6.0) / f0(-3.0);
    assert!((1.55..1.8).contains(&ratio), "9 semitones are a factor of {ratio}");
}

#[test]
fn an_unknown_voice_name_is_rejected() {
    let backend = LearnedBackend::new(1).unwrap();
    let utterance = utterance("एक।", Language::Hindi);
    assert!(backend.prepare(&utterance, &style("Anita")).is_err());
}
