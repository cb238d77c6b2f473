//! Tests of the audio: determinism, level, onsets, pitch, and the two speakers.

use crate::support::{
    RATE, formants, level, loudness, median, pitches, render, render_in, say, style, utterance, word,
};
use proptest::prelude::*;
use shruti_lang::Language;
use shruti_text::phone::{Phone, Symbol};
use shruti_text::utterance::{Break, Contour, Tone, Utterance};
use shruti_voice::{Renderer, Style, UtterancePlan, Voice};

const SENTENCE: &str = "mɛ̃ː aːd͡ʒ baːzaːɾ dʒaː ɾəɦaː ɦuː̃ ɔːɾ ʃaːm koː ɡʱəɾ laːʊ̃ːɡaː";

#[test]
fn samples_are_independent_of_block_size() {
    for voice in Voice::ALL {
        let spoken = utterance(SENTENCE, Language::Hindi);
        let expected = render_in(&spoken, &style(voice), 1 << 20);
        for block in [1, 7, 48, 480, 481, 4096] {
            assert!(render_in(&spoken, &style(voice), block) == expected, "{voice}, blocks of {block}");
        }
    }
}

#[test]
fn an_utterance_is_reproducible_and_noise_depends_on_its_position() {
    let spoken = utterance(SENTENCE, Language::Hindi);
    let first = render(&spoken, &Style::default());
    assert!(render(&spoken, &Style::default()) == first);
    let later = Utterance { index: 1, ..spoken };
    assert!(render(&later, &Style::default()) != first);
}

#[test]
fn each_voice_has_its_pitch() {
    for (voice, low, high) in [(Voice::Ananya, 180.0, 235.0), (Voice::Arjun, 98.0, 132.0)] {
        let pitch = median(pitches(&say(SENTENCE, voice)));
        assert!((low..high).contains(&pitch), "{voice}: {pitch} Hz");
    }
}

#[test]
fn pitch_changes_f0_and_not_the_formants() {
    let spoken = utterance("iː", Language::Hindi);
    let at = |pitch| render(&spoken, &Style { voice: Voice::Arjun, speed: 0.5, pitch });
    let (usual, raised) = (at(0.0), at(6.0));
    let ratio = median(pitches(&raised)) / median(pitches(&usual));
    assert!((1.3..1.55).contains(&ratio), "six semitones are a factor of 1.41, not {ratio}");
    let second =
        |samples: &[i16]| formants(&samples[2400..7200], 14).into_iter().find(|f| *f > 1500.0).unwrap();
    let (usual, raised) = (second(&usual), second(&raised));
    assert!((usual - raised).abs() < 150.0, "F2 moved from {usual} to {raised}");
}

#[test]
fn the_speakers_have_different_tracts() {
    let second = |voice| {
        let spoken = utterance("iː", Language::Hindi);
        let samples = render(&spoken, &Style { voice, speed: 0.5, pitch: 0.0 });
        formants(&samples[2400..7200], 14).into_iter().find(|f| *f > 1500.0).unwrap()
    };
    let (ananya, arjun) = (second(Voice::Ananya), second(Voice::Arjun));
    assert!(ananya > 1.08 * arjun, "F2 of i: {ananya} and {arjun}");
}

#[test]
fn vowels_have_their_formants() {
    let expected =
        [("iː", 300.0, 2250.0), ("uː", 320.0, 800.0), ("aː", 720.0, 1230.0), ("eː", 410.0, 2050.0)];
    for (ipa, first, second) in expected {
        let spoken = utterance(ipa, Language::Hindi);
        let samples = render(&spoken, &Style { voice: Voice::Arjun, speed: 0.5, pitch: 0.0 });
        let found = formants(&samples[2400..7200], 14);
        let near = |wanted: f32| found.iter().map(|f| (f / wanted - 1.0).abs()).fold(f32::MAX, f32::min);
        assert!(near(first) < 0.2 && near(second) < 0.2, "{ipa}: {found:?}");
    }
}

#[test]
fn questions_rise_and_statements_fall() {
    let end = |contour| {
        let spoken = Utterance { contour, ..utterance("aːpkaː naːm mamaː", Language::Hindi) };
        let pitches = pitches(&render(&spoken, &style(Voice::Arjun)));
        let last = &pitches[pitches.len() - 6..];
        median(last.to_vec()) / median(pitches.clone())
    };
    assert!(end(Contour::Statement) < 0.95, "{}", end(Contour::Statement));
    assert!(end(Contour::YesNoQuestion) > 1.1, "{}", end(Contour::YesNoQuestion));
    assert!(end(Contour::Continuation) > end(Contour::Statement) + 0.1);
}

#[test]
fn punjabi_tones_change_the_pitch() {
    let range = |tone| {
        let mut spoken = utterance("maː naː maː", Language::Punjabi);
        spoken.words[1].syllables[0].tone = tone;
        let times = shruti_voice::UtterancePlan::new(&spoken, &style(Voice::Arjun)).word_times()[1].clone();
        let pitches = pitches(&render(&spoken, &style(Voice::Arjun))[times.start..times.end + 1200]);
        let lowest = pitches.iter().copied().fold(f32::MAX, f32::min);
        (lowest, pitches.iter().copied().fold(0.0, f32::max))
    };
    let (low, level, high) = (range(Some(Tone::Low)), range(None), range(Some(Tone::High)));
    assert!(low.0 < 0.9 * level.0, "{low:?} beside {level:?}");
    assert!(high.1 > 1.05 * level.1, "{high:?} beside {level:?}");
}

#[test]
fn loudness_is_equal_across_voices_and_languages() {
    for voice in Voice::ALL {
        for language in Language::ALL {
            // Both sentences together contain close and open vowels in about the same proportion as running speech.
            let close = "ʊs d̪ɪn ʊnɦõː neː bʱiː kʊtʃʰ nəɦĩː kəɦaː t̪ʰaː pɪtaː dʒiː sʊbəɦ ʃəɦəɾ ɡəeː";
            let spoken = utterance(&format!("{SENTENCE} {close}"), language);
            let lufs = loudness(&render(&spoken, &style(voice)));
            assert!((-21.5..-18.5).contains(&lufs), "{voice} {language}: {lufs} LUFS");
        }
    }
}

#[test]
fn utterances_start_soon_and_start_and_end_in_silence() {
    let starts =
        ["aː", "paː", "kaːm", "t̪aː", "saː", "maː", "ɦaː", "bʱaː", "ʈʰiːk", "ʃaː", "tʃaː", "ɾaː", "faː"];
    for voice in Voice::ALL {
        for ipa in starts {
            let samples = say(ipa, voice);
            let audible = samples.iter().position(|s| s.abs() > 100).unwrap();
            assert!((audible as f32) < 0.02 * RATE, "{voice} {ipa}: first sound at sample {audible}");
            assert!(samples[0].abs() < 200, "{voice} {ipa}: begins at {}", samples[0]);
            assert!(
                samples[samples.len() - 240..].iter().all(|&s| s == 0),
                "{voice} {ipa}: does not end in silence"
            );
        }
        // An utterance ends in silence even without a pause after it.
        let mut spoken = utterance("aːpkoː", Language::Hindi);
        spoken.words[0].break_after = Break::None;
        let samples = render(&spoken, &style(voice));
        assert!(samples.last().unwrap().abs() < 40);
    }
}

/// Checks that the level of the high frequencies is not far above its median in any block of 2 ms. A louder block would
/// be a click, because the words contain no frication.
#[test]
fn voiced_speech_has_no_clicks() {
    for voice in Voice::ALL {
        let samples = say("mamaː jaːlaː uːnoː əwaɾaː mɛ̃ːnaː aːnːiːjɛː maːɭaɳi", voice);
        // the fourth difference is a high-pass filter with 24 dB per octave
        let high: Vec<f32> = samples
            .windows(5)
            .map(|w| {
                let w: Vec<f32> = w.iter().map(|&s| f32::from(s)).collect();
                w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4]
            })
            .collect();
        let blocks: Vec<f32> =
            high.chunks(48).map(|block| block.iter().fold(0.0_f32, |most, x| most.max(x.abs()))).collect();
        let sounding: Vec<f32> = blocks.iter().copied().filter(|&peak| peak > 1.0).collect();
        let usual = median(sounding.clone());
        let worst = sounding.iter().copied().fold(0.0, f32::max);
        assert!(worst < 25.0 * usual.max(40.0), "{voice}: {worst} beside {usual}");
    }
}

#[test]
fn frication_extends_above_eight_kilohertz() {
    for voice in Voice::ALL {
        let samples = say("saː", voice);
        let hiss = &samples[720..1680];
        let high: Vec<i16> = hiss
            .windows(3)
            .map(|w| (i32::from(w[0]) - 2 * i32::from(w[1]) + i32::from(w[2])).clamp(-30000, 30000) as i16)
            .collect();
        assert!(level(&high) > level(hiss), "{voice}: {} beside {}", level(&high), level(hiss));
    }
}

fn any_phone() -> impl Strategy<Value = Phone> {
    (0..Symbol::ALL.len(), any::<bool>(), any::<bool>()).prop_map(|(at, long, nasal)| Phone {
        symbol: Symbol::ALL[at],
        long,
        nasal: nasal && Symbol::ALL[at].is_vowel(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Any sequence of phones is rendered without a panic and without clipping, is audible and ends in silence.
    #[test]
    fn audio_of_any_phones_is_bounded(
        phones in prop::collection::vec(any_phone(), 1..40),
        arjun in any::<bool>(),
        speed in 0.5_f32..2.0,
        pitch in -6.0_f32..6.0,
    ) {
        let voice = if arjun { Voice::Arjun } else { Voice::Ananya };
        let mut spoken = utterance("a", Language::Telugu);
        spoken.words = vec![word(phones, Language::Telugu)];
        let samples = render(&spoken, &Style { voice, speed, pitch });
        let highest = samples.iter().map(|s| s.unsigned_abs()).max().unwrap_or(0);
        prop_assert!(highest > 100, "hardly a sound: {highest}");
        prop_assert!(highest < 32_400, "clipped: {highest}");
        prop_assert!(samples.last().is_some_and(|s| s.abs() < 40));
    }
}

#[test]
fn every_phone_alone_is_spoken() {
    for voice in Voice::ALL {
        for &symbol in Symbol::ALL {
            for phone in [Phone::new(symbol), Phone::new(symbol).long()] {
                let mut spoken = utterance("a", Language::Hindi);
                spoken.words = vec![word(vec![phone], Language::Hindi)];
                let samples = render(&spoken, &style(voice));
                let highest = samples.iter().map(|s| s.unsigned_abs()).max().unwrap_or(0);
                assert!((60..32_000).contains(&highest), "{voice} {phone}: {highest}");
            }
        }
    }
}

#[test]
fn the_renderer_reports_the_pitch_of_its_audio() {
    let reported = |ipa: &str| {
        let mut renderer =
            Renderer::new(UtterancePlan::new(&utterance(ipa, Language::Hindi), &style(Voice::Arjun)));
        assert_eq!(renderer.f0(), None);
        let (mut block, mut reported) = ([0; 48], Vec::new());
        while renderer.render(&mut block) > 0 {
            reported.push(renderer.f0());
        }
        reported
    };
    assert_eq!(reported("saː")[0], None, "s is voiceless");
    let reported = median(reported(SENTENCE).into_iter().flatten().collect());
    let measured = median(pitches(&say(SENTENCE, Voice::Arjun)));
    assert!((reported / measured - 1.0).abs() < 0.05, "{reported} Hz reported, {measured} Hz measured");
}
