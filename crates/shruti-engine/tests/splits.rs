//! Tests that audio and marks do not depend on how a text is split into messages, and match `POST /v1/tts`.

#![allow(clippy::unwrap_used)] // a test may panic if its files are missing

mod support;

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use shruti_engine::Engine;
use shruti_lang::Language;
use shruti_voice::Voice;
use support::{Spoken, TEXTS, cut, engine, letters, pieces, request, turn, whole};

static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(|| engine(2));

/// Speaks a text in messages, as a stream and as a conversation, and compares both results with the text spoken in one
/// piece. Returns the first difference as an error.
fn same(language: Option<Language>, voice: Voice, text: &str, messages: &[&str]) -> Result<(), String> {
    assert_eq!(messages.concat(), text);
    let request = request(language, voice, 1.0);
    let at_once = whole(&ENGINE, request.clone(), text);
    let compare = |how: &str, other: &Spoken| match at_once.difference(other) {
        Some(difference) => Err(format!("{how}, {messages:?}: {difference}")),
        None => Ok(()),
    };
    compare("in pieces", &pieces(&ENGINE, request.clone(), messages.iter().copied()))?;
    compare("as a turn", &turn(&ENGINE, &request, messages.iter().copied()))
}

#[test]
fn output_is_independent_of_message_size() {
    for (language, texts) in TEXTS {
        for text in texts {
            let voice = Voice::Ananya;
            same(Some(language), voice, text, &[text]).unwrap();
            same(Some(language), voice, text, &letters(text).collect::<Vec<_>>()).unwrap();
            same(None, voice, text, &letters(text).collect::<Vec<_>>()).unwrap();
        }
    }
}

#[test]
fn closing_punctuation_is_in_the_word_mark() {
    let words = "“आप कौन हैं?” ";
    // a long text is read in parts; the number of letters at the beginning determines the boundaries of the parts
    for letters in 1..=words.len() {
        let text = format!("{} {}", "a".repeat(letters), words.repeat(40));
        let spoken = whole(&ENGINE, request(Some(Language::Hindi), Voice::Ananya, 1.0), &text);
        let marks: Vec<&str> = spoken.marks.iter().skip(1).map(|mark| mark.text.as_str()).collect();
        assert_eq!(marks.join(" "), words.repeat(40).trim_end(), "behind {letters} letters");
    }
}

/// SSML documents with all kinds of markup that may be split between messages: tags, `say-as`, aliases, breaks,
/// comments and languages.
const DOCUMENTS: [(Language, &str); 4] = [
    (
        Language::Hindi,
        "\u{feff}<speak version='1.0'><p><s>नमस्ते <break time='350ms'/><break/>दुनिया</s><s>आपका OTP <say-as \
         interpret-as=\"digits\">4582</say-as> है, <prosody rate='slow' pitch='+2st' volume='-6dB'>₹1,25,000 \
         मिले</prosody>।</s></p><!-- - -- > --><lang xml:lang='en-IN'>Thank you, 5 times</lang></speak>",
    ),
    (
        Language::English,
        "<speak><break time='120ms'/>The <sub alias=\"World Wide Web, &amp; 5\">W3C</sub> met on <say-as \
         interpret-as='date' format='mdy'>10. 9. 1960</say-as>. <emphasis level='strong'>Never</emphasis> eat a <phoneme \
         alphabet='ipa' ph='pɪˈkaːn'>pecan</phoneme>'s <![CDATA[<shell> & all]]>!</speak> <speak>Bye",
    ),
    (
        Language::Tamil,
        "<speak xml:lang='ta-IN'>வணக்கம்<break strength='x-strong'/>விலை <say-as interpret-as='currency'>₹675</say-as> <unclosed \
         <prosody rate='150%'>10:30 <desc>no</desc></x>மணிக்கு. <say-as interpret-as='digits'>12 <p>ஆம்</p>",
    ),
    (
        Language::Hindi,
        "<speak>हाँ। <break time='9999h'/> <sub alias='नई दिल्ली'>ND</sub> <metadata>x</metadata><amazon:effect \
         name='whispered'>जी</amazon:effect> 5 < 6 &lt;b&gt; <break time='1s",
    ),
];

#[test]
fn documents_can_be_split_into_two_messages() {
    for (language, text) in DOCUMENTS {
        same(Some(language), Voice::Ananya, text, &letters(text).collect::<Vec<_>>()).unwrap();
        same(None, Voice::Ananya, text, &letters(text).collect::<Vec<_>>()).unwrap();
        for (at, _) in text.char_indices() {
            same(Some(language), Voice::Arjun, text, &[&text[..at], &text[at..]]).unwrap();
        }
    }
}

/// Generates concatenated texts with typical separators between them.
fn text() -> impl Strategy<Value = (Language, String)> {
    let own = (0..TEXTS.len(), 0..3_usize, 0..3_usize);
    let joint = proptest::sample::select(vec![" ", "\n", "\r\n", "", "\n\n- ", " <br> ", " — "]);
    let other = proptest::option::weighted(0.3, (0..TEXTS.len(), 0..3_usize));
    (own, joint, other).prop_map(|((language, first, second), joint, other)| {
        let (language, texts) = TEXTS[language];
        let mut text = [texts[first], joint, texts[second]].concat();
        if let Some((other, third)) = other {
            text.push_str(joint);
            text.push_str(TEXTS[other].1[third]);
        }
        (language, text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn splits_do_not_change_documents(
        document in 0..DOCUMENTS.len(),
        emitted in any::<bool>(),
        cuts in proptest::collection::vec(any::<usize>(), 1..24),
    ) {
        let (language, text) = DOCUMENTS[document];
        let outcome = same(emitted.then_some(language), Voice::Ananya, text, &cut(text, &cuts));
        prop_assert!(outcome.is_ok(), "{language}: {}", outcome.unwrap_err());
    }

    #[test]
    fn splits_do_not_change_samples_or_marks(
        (language, text) in text(),
        emitted in any::<bool>(),
        cuts in proptest::collection::vec(any::<usize>(), 1..24),
        man in any::<bool>(),
    ) {
        let voice = if man { Voice::Arjun } else { Voice::Ananya };
        let outcome = same(emitted.then_some(language), voice, &text, &cut(&text, &cuts));
        prop_assert!(outcome.is_ok(), "{language}: {}", outcome.unwrap_err());
    }
}
