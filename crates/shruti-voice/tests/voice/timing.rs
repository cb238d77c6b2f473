//! Tests of durations, pauses and word times.

use crate::support::{RATE, level, low_passed, median, pitches, render, say, style, utterance, word};
use shruti_lang::Language;
use shruti_text::phone::parse_ipa;
use shruti_text::utterance::{Break, Contour, Delivery, Utterance};
use shruti_voice::{Style, UtterancePlan, Voice};

const SENTENCE: &str = "mɛ̃ː aːd͡ʒ baːzaːɾ dʒaː ɾəɦaː ɦuː̃ ɔːɾ ʃaːm koː ɡʱəɾ laːʊ̃ːɡaː";

fn milliseconds(samples: usize) -> f32 {
    samples as f32 / RATE * 1000.0
}

/// Returns the total duration of the words in ms, without pauses.
fn length(ipa: &str, language: Language, speed: f32) -> f32 {
    let plan = UtterancePlan::new(&utterance(ipa, language), &Style { speed, ..Style::default() });
    milliseconds(plan.word_times().iter().map(|times| times.end - times.start).sum())
}

#[test]
fn every_language_has_four_to_seven_syllables_per_second() {
    for language in Language::ALL {
        let vowels = parse_ipa(&SENTENCE.replace(' ', "")).unwrap().iter().filter(|p| p.is_vowel()).count();
        let rate = vowels as f32 / length(SENTENCE, language, 1.0) * 1000.0;
        assert!((4.0..7.0).contains(&rate), "{language}: {rate} syllables a second");
    }
}

#[test]
fn speed_stretches_speech_and_vowels_more_than_stops() {
    let usual = length(SENTENCE, Language::Hindi, 1.0);
    let fast = length(SENTENCE, Language::Hindi, 2.0) / usual;
    let slow = length(SENTENCE, Language::Hindi, 0.5) / usual;
    assert!((0.45..0.6).contains(&fast) && (1.7..2.1).contains(&slow), "{fast} {slow}");
    let ratio = |ipa| length(ipa, Language::Hindi, 0.5) / length(ipa, Language::Hindi, 1.0);
    assert!(ratio("aː") > ratio("kʰ") + 0.2, "{} {}", ratio("aː"), ratio("kʰ"));
}

#[test]
fn long_vowels_and_geminates_are_long() {
    for language in [Language::Hindi, Language::Tamil, Language::Malayalam, Language::Punjabi] {
        let ratio = |long, short| length(long, language, 1.0) / length(short, language, 1.0);
        let vowel = (length("paːpaː", language, 1.0) - length("papaː", language, 1.0))
            / (length("papaː", language, 1.0) - length("ppaː", language, 1.0)).max(1.0);
        assert!(vowel > 0.4, "{language}: a long vowel exceeds a short one by {vowel} of its duration");
        assert!(ratio("aːpːaː", "aːpaː") > 1.12, "{language}: {}", ratio("aːpːaː", "aːpaː"));
    }
}

#[test]
fn the_last_syllable_before_a_pause_is_longer() {
    let alone = |breaks: Break| {
        let mut spoken = utterance("ləɽkaː aːjaː", Language::Hindi);
        spoken.words[0].break_after = breaks;
        let plan = UtterancePlan::new(&spoken, &Style::default());
        milliseconds(plan.word_times()[0].len())
    };
    let breaks = [Break::None, Break::Phrase, Break::Breath, Break::Comma];
    assert!(breaks.windows(2).all(|pair| alone(pair[1]) > alone(pair[0])), "{:?}", breaks.map(alone));
    assert!((alone(Break::Phrase)..alone(Break::Breath)).contains(&alone(Break::Group)));
}

#[test]
fn breaks_are_pauses_of_their_size() {
    let pause = |breaks: Break, speed: f32| {
        let mut spoken = utterance("maː naː", Language::Hindi);
        spoken.words[0].break_after = breaks;
        let plan = UtterancePlan::new(&spoken, &Style { speed, ..Style::default() });
        let silence = milliseconds(plan.word_times()[1].start - plan.word_times()[0].end);
        // the first 4 ms of the pause count towards the word, which decays in the pause
        if breaks >= Break::Group { silence + 4.0 } else { silence }
    };
    let expected = [
        (Break::None, 0.0),
        (Break::Phrase, 0.0),
        (Break::Group, 190.0),
        (Break::Breath, 210.0),
        (Break::Comma, 180.0),
        (Break::Clause, 260.0),
        (Break::Sentence, 380.0),
        (Break::Paragraph, 550.0),
    ];
    for (breaks, ms) in expected {
        assert!((pause(breaks, 1.0) - ms).abs() <= 4.0, "{breaks:?}: {}", pause(breaks, 1.0));
        assert!((pause(breaks, 2.0) - ms / 2.0).abs() <= 4.0, "{breaks:?}: {}", pause(breaks, 2.0));
        assert!(pause(breaks, 0.5) <= 900.0, "{breaks:?}: {}", pause(breaks, 0.5));
    }
}

#[test]
fn the_score_contains_the_number_of_samples() {
    for voice in Voice::ALL {
        for speed in [0.5, 1.0, 1.37, 2.0] {
            let style = Style { voice, speed, pitch: 0.0 };
            let spoken = utterance(SENTENCE, Language::Hindi);
            assert_eq!(render(&spoken, &style).len(), UtterancePlan::new(&spoken, &style).samples());
        }
    }
}

#[test]
fn word_times_match_the_audio() {
    // Vowels between pauses can be located reliably in the signal.
    let mut spoken = utterance("aː iː uː oː", Language::Hindi);
    for word in &mut spoken.words {
        word.break_after = Break::Comma;
    }
    let plan = UtterancePlan::new(&spoken, &Style::default());
    let samples = render(&spoken, &Style::default());
    assert_eq!(plan.word_times().len(), 4);
    for times in plan.word_times() {
        let loud = |at: usize| level(&samples[at.saturating_sub(60)..(at + 60).min(samples.len())]) > 60.0;
        let onset = (times.start.saturating_sub(1200)..times.end).find(|&at| loud(at)).unwrap();
        let end = (times.start..(times.end + 1200).min(samples.len())).rev().find(|&at| loud(at)).unwrap();
        assert!(milliseconds(onset.abs_diff(times.start)) <= 10.0, "{times:?} begins at {onset}");
        assert!(milliseconds(end.abs_diff(times.end)) <= 10.0, "{times:?} ends at {end}");
    }
}

#[test]
fn aspirated_stops_have_a_longer_voice_onset_time() {
    // The voice onset time is measured from the burst to the first loud low-frequency period in the signal.
    let onset = |ipa: &str, voice| {
        let samples = say(ipa, voice);
        let smooth = low_passed(&samples);
        let loudest = smooth.iter().fold(0.0_f32, |most, s| most.max(s.abs()));
        // The vowel before the stop is skipped. The closure starts at the first 15 ms without voice.
        let gap = (0.12 * RATE) as usize;
        let silent = (gap..smooth.len())
            .find(|&at| smooth[at..at + 360].iter().all(|s| s.abs() < 0.04 * loudest))
            .unwrap();
        let voice = (silent..smooth.len()).find(|&at| smooth[at].abs() > 0.2 * loudest).unwrap();
        // The burst directly follows the last 8 ms of silence before the voice.
        let burst = (silent..voice)
            .rev()
            .find(|&at| samples[at.saturating_sub(192)..at].iter().all(|s| s.abs() < 160))
            .unwrap();
        milliseconds(voice - burst)
    };
    for voice in Voice::ALL {
        for (plain, aspirated) in [("aːt̪aː", "aːt̪ʰaː"), ("aːʈaː", "aːʈʰaː"), ("aːkaː", "aːkʰaː")]
        {
            let (plain, aspirated) = (onset(plain, voice), onset(aspirated, voice));
            assert!(plain < 45.0, "{voice}: {plain} ms");
            assert!((50.0..125.0).contains(&aspirated), "{voice}: {aspirated} ms");
            assert!(aspirated > plain + 30.0, "{voice}: {plain} and {aspirated} ms");
        }
    }
}

#[test]
fn unusual_utterances_are_spoken_without_a_fault() {
    let words = [
        word(vec![], Language::Hindi),
        word(parse_ipa("ktpst").unwrap(), Language::English),
        word(vec![], Language::Tamil),
        word(parse_ipa(&"aːk".repeat(1700)).unwrap(), Language::Hindi),
    ];
    for contour in [Contour::Statement, Contour::WhQuestion, Contour::YesNoQuestion, Contour::Continuation] {
        let spoken = Utterance {
            index: u32::MAX,
            language: Language::Odia,
            words: words.to_vec(),
            contour,
            begins_sentence: false,
            sentence: 0,
            source: 0..0,
        };
        let plan = UtterancePlan::new(&spoken, &style(Voice::Arjun));
        assert_eq!(plan.word_times().len(), 4);
        assert_eq!(render(&spoken, &style(Voice::Arjun)).len(), plan.samples());
    }
    let empty = Utterance { words: Vec::new(), ..utterance("a", Language::Hindi) };
    assert!(render(&empty, &Style::default()).iter().all(|&s| s == 0));
}

#[test]
fn phones_follow_each_other_through_the_whole_utterance() {
    let spoken = utterance("nəməsteː dost", Language::Hindi);
    let plan = UtterancePlan::new(&spoken, &Style::default());
    let times: Vec<_> = plan.phone_times().collect();
    let phones: Vec<_> = times.iter().filter_map(|(phone, _)| *phone).collect();
    let expected: Vec<_> = spoken.words.iter().flat_map(|word| word.phones.clone()).collect();
    assert_eq!(phones, expected);
    assert_eq!(times[0].1.start, 0);
    assert!(times.windows(2).all(|pair| pair[0].1.end == pair[1].1.start && !pair[0].1.is_empty()));
    assert_eq!(times.last().unwrap().1.end, plan.samples());
    // the second word starts with its first phone
    let first = spoken.words[0].phones.len();
    assert_eq!(plan.word_times()[1].start, times[first].1.start);
}

/// Renders an utterance of three words, the second with a given delivery; returns the samples and the word times.
fn with_delivery(delivery: Delivery) -> (Vec<i16>, Vec<std::ops::Range<usize>>) {
    let mut utterance = utterance("maːna naːma laːla", Language::Hindi);
    utterance.words[1].delivery = delivery;
    let style = style(Voice::Ananya);
    let times = UtterancePlan::new(&utterance, &style).word_times().to_vec();
    (render(&utterance, &style), times)
}

#[test]
fn a_word_can_have_its_own_rate() {
    let lengths = |rate| {
        let (_, times) = with_delivery(Delivery { rate, ..Delivery::default() });
        times.iter().map(|times| milliseconds(times.len())).collect::<Vec<_>>()
    };
    let (usual, slow, fast) = (lengths(1.0), lengths(0.5), lengths(2.0));
    assert_eq!([slow[0], slow[2]], [usual[0], usual[2]]);
    assert!((1.6..2.2).contains(&(slow[1] / usual[1])), "{slow:?} {usual:?}");
    assert!((0.4..0.65).contains(&(fast[1] / usual[1])), "{fast:?} {usual:?}");
    assert_eq!(lengths(f32::NAN), usual);
}

#[test]
fn a_word_can_have_its_own_pitch() {
    let middle = |pitch, word: usize| {
        let (samples, times) = with_delivery(Delivery { pitch, ..Delivery::default() });
        median(pitches(&samples[times[word].clone()]))
    };
    let semitones = |word| 12.0 * (middle(4.0, word) / middle(0.0, word)).log2();
    assert!((3.0..5.0).contains(&semitones(1)), "{}", semitones(1));
    assert!(semitones(2).abs() < 0.7, "{}", semitones(2));
}

#[test]
fn a_word_can_have_its_own_level() {
    let decibels = |word: usize| {
        let loud = |volume| {
            let (samples, times) = with_delivery(Delivery { volume, ..Delivery::default() });
            level(&samples[times[word].clone()])
        };
        20.0 * (loud(-12.0) / loud(0.0)).log10()
    };
    assert!((-12.5..-10.0).contains(&decibels(1)), "{}", decibels(1));
    assert!(decibels(0).abs() < 1.5 && decibels(2).abs() < 1.5, "{} {}", decibels(0), decibels(2));
}
