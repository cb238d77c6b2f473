//! Tests of a trained voice, for properties that random weights cannot show.

use std::sync::LazyLock;

use crate::testvoice::{self, VOICES};
use shruti_neural::{Chunks, PreparedPassage, Settings, SymbolSequence, Synthesiser};
use shruti_packs::{InputKind, Pack};
use shruti_text::{Reader, Settings as ReaderSettings};
use tempfile::TempDir;

/// The pack, imported once for all tests of a process.
static PACK: LazyLock<(TempDir, Pack)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let pack = testvoice::import(folder.path()).unwrap();
    (folder, pack)
});

const TEXTS: [&str; 3] = [
    "कल सुबह हम नदी के किनारे टहलने जाएँगे और वहीं नाश्ता करेंगे",
    "यह किताब मेरे छोटे भाई की है",
    "రేపు ఉదయం మనం నది ఒడ్డున నడుద్దాం",
];

fn synthesiser(threads: usize) -> Synthesiser {
    Synthesiser::load(&PACK.1, threads).unwrap()
}

/// Returns the symbols that a voice reads for a text of one clause.
fn sequence(synthesiser: &Synthesiser, voice: usize, text: &str) -> SymbolSequence {
    let mut reader =
        Reader::new(ReaderSettings { language: Some(VOICES[voice].2), ..ReaderSettings::default() });
    reader.push(text);
    reader.finish();
    let utterance = reader.next_utterance().unwrap();
    assert!(reader.next_utterance().is_none(), "{text} is more than a clause");
    let words = utterance.words.iter().map(|word| word.phones.iter().map(ToString::to_string));
    let sequence = synthesiser.symbols().sequence(words).unwrap();
    assert_eq!(sequence.skipped, 0, "{text} has phones that the voice does not have");
    sequence
}

fn spoken(synthesiser: &Synthesiser, voice: usize, settings: &Settings) -> (Vec<i16>, PreparedPassage) {
    let sequence = sequence(synthesiser, voice, TEXTS[voice]);
    let settings = Settings { speaker: Some(voice as u32), ..*settings };
    let mut prepared = synthesiser.prepare(&sequence, &settings).unwrap();
    let mut samples = Vec::new();
    while let Some(block) = synthesiser.next(&mut prepared.passage).unwrap() {
        samples.extend(block);
    }
    assert_eq!(samples.len(), prepared.samples);
    (samples, prepared)
}

#[test]
fn import_reads_all_settings_from_the_file() {
    let manifest = PACK.1.manifest();
    assert_eq!(manifest.input.kind, InputKind::Phones);
    assert_eq!(manifest.graph.rate(), 22_050);
    // a sample depends on its frame and the adjacent ones, and the import adds a margin of one frame
    assert_eq!(manifest.graph.chunks(), Some((256, 2)));
    assert_eq!(manifest.voices.len(), VOICES.len());
}

#[test]
fn samples_are_independent_of_chunks_and_threads() {
    let one = synthesiser(1);
    for (voice, (name, ..)) in VOICES.iter().enumerate() {
        let with = |chunks| Settings { chunks, ..Settings::default() };
        let (expected, _) = spoken(&one, voice, &with(Chunks::whole()));
        for chunks in [Chunks::default(), Chunks::of(25), Chunks::of(40), Chunks::of(100)] {
            assert!(spoken(&one, voice, &with(chunks)).0 == expected, "{name}: {chunks:?}");
        }
    }
    let (first, _) = spoken(&one, 0, &Settings::default());
    for threads in 2..=4 {
        assert!(spoken(&synthesiser(threads), 0, &Settings::default()).0 == first, "{threads} threads");
    }
}

#[test]
fn samples_are_reproducible_per_seed_and_differ_between_seeds() {
    let synthesiser = synthesiser(1);
    let seeded = |seed| spoken(&synthesiser, 1, &Settings { seed, ..Settings::default() }).0;
    let first = seeded(1);
    assert!(seeded(1) == first);
    assert!(seeded(2) != first);
}

#[test]
fn every_voice_has_the_loudness_of_speech() {
    let synthesiser = synthesiser(1);
    for (voice, (name, ..)) in VOICES.iter().enumerate() {
        let (samples, _) = spoken(&synthesiser, voice, &Settings::default());
        let power = samples.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>();
        let level = 10.0 * (power / samples.len() as f64 / 32_768_f64.powi(2)).log10();
        assert!((-30.0..-12.0).contains(&level), "{name}: {level:.1} dB");
        // the ceiling of the limiter is -1 dBFS
        let peak = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
        assert!(peak <= 29_205, "{name}: a sample of {peak}");
    }
}

#[test]
fn speakers_have_their_own_pitch() {
    let synthesiser = synthesiser(1);
    let sequence = sequence(&synthesiser, 0, TEXTS[0]);
    let pitch = |speaker| {
        let settings = Settings { speaker: Some(speaker), ..Settings::default() };
        let mut prepared = synthesiser.prepare(&sequence, &settings).unwrap();
        let mut samples = Vec::new();
        while let Some(block) = synthesiser.next(&mut prepared.passage).unwrap() {
            samples.extend(block);
        }
        median_pitch(&samples)
    };
    let (arjun, ananya) = (pitch(0), pitch(1));
    assert!((90.0..140.0).contains(&arjun), "Arjun speaks at {arjun} Hz");
    assert!((160.0..250.0).contains(&ananya), "Ananya speaks at {ananya} Hz");
}

/// Returns the median pitch in Hz of the voiced frames.
fn median_pitch(samples: &[i16]) -> f32 {
    let mut found = Vec::new();
    for frame in samples.chunks_exact(1_200) {
        let sound: Vec<f32> = frame.iter().map(|&sample| f32::from(sample)).collect();
        let product = |lag: usize| {
            sound.iter().zip(&sound[lag..]).map(|(a, b)| a * b).sum::<f32>() / (1_200 - lag) as f32
        };
        let power = product(0);
        // these lags correspond to pitches from 400 to 70 Hz
        let best = (60..343).max_by(|&a, &b| product(a).total_cmp(&product(b))).unwrap();
        if power > 1e5 && product(best) > 0.6 * power {
            found.push(24_000.0 / best as f32);
        }
    }
    found.sort_by(f32::total_cmp);
    found[found.len() / 2]
}

#[test]
fn word_marks_match_the_durations_of_the_graph() {
    let synthesiser = synthesiser(1);
    for (voice, text) in TEXTS.iter().enumerate() {
        let (_, prepared) = spoken(&synthesiser, voice, &Settings::default());
        let sequence = sequence(&synthesiser, voice, text);
        assert_eq!(prepared.words.len(), sequence.words.len());
        let mut ends = vec![0];
        for frames in &prepared.durations {
            ends.push(ends[ends.len() - 1] + frames);
        }
        let seconds = |frames: usize| (frames * 256) as f64 / 22_050.0;
        for (word, symbols) in prepared.words.iter().zip(&sequence.words) {
            for (mark, frame) in [(word.start, ends[symbols.start]), (word.end, ends[symbols.end])] {
                let off = (mark as f64 / 24_000.0 - seconds(frame)).abs();
                assert!(off < 0.03, "{text}: a mark is {:.0} ms off", 1_000.0 * off);
            }
        }
    }
}

#[test]
fn word_marks_match_the_audio() {
    let synthesiser = synthesiser(1);
    let (samples, prepared) = spoken(&synthesiser, 0, &Settings::default());
    let level = |at: std::ops::Range<usize>| {
        let count = at.len().max(1) as f64;
        samples[at].iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>() / count
    };
    let (first, last) = (&prepared.words[0], &prepared.words[prepared.words.len() - 1]);
    let spoken = level(first.start..last.end);
    // there is silence before the first word and after the last
    assert!(level(0..first.start) < 1e-2 * spoken, "{} before it", level(0..first.start) / spoken);
    assert!(level(last.end + 480..samples.len()) < 1e-2 * spoken);
    for word in &prepared.words {
        assert!(level(word.clone()) > 0.05 * spoken, "{word:?} is silent");
    }
}
