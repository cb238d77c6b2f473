//! Tests of the engine with its built-in voices.

use std::sync::Arc;

use shruti_audio::is_audible;
use shruti_engine::{Chunk, Engine, Request, Speech};
use shruti_lang::Language;
use shruti_text::Lexicon;
use shruti_voice::ParametricBackend;
use shruti_voice::Voice;

/// One or two sentences in each language, in its own script.
const TEXTS: [(Language, &str); 15] = [
    (Language::Hindi, "नमस्ते, आप कैसे हैं? आज मौसम बहुत अच्छा है।"),
    (Language::Bengali, "নমস্কার, আপনি কেমন আছেন? আজ আবহাওয়া খুব ভালো।"),
    (Language::Tamil, "வணக்கம், நீங்கள் எப்படி இருக்கிறீர்கள்? இன்று நல்ல வானிலை."),
    (Language::Telugu, "నమస్కారం, మీరు ఎలా ఉన్నారు? ఈ రోజు వాతావరణం బాగుంది."),
    (Language::Gujarati, "નમસ્તે, તમે કેમ છો? આજે હવામાન ખૂબ સારું છે."),
    (Language::Kannada, "ನಮಸ್ಕಾರ, ನೀವು ಹೇಗಿದ್ದೀರಿ? ಇಂದು ಹವಾಮಾನ ಚೆನ್ನಾಗಿದೆ."),
    (Language::Malayalam, "നമസ്കാരം, സുഖമാണോ? ഇന്ന് നല്ല കാലാവസ്ഥയാണ്."),
    (Language::Marathi, "नमस्कार, तुम्ही कसे आहात? आज हवामान छान आहे."),
    (Language::Punjabi, "ਸਤ ਸ੍ਰੀ ਅਕਾਲ, ਤੁਸੀਂ ਕਿਵੇਂ ਹੋ? ਅੱਜ ਮੌਸਮ ਚੰਗਾ ਹੈ।"),
    (Language::Odia, "ନମସ୍କାର, ଆପଣ କେମିତି ଅଛନ୍ତି? ଆଜି ପାଗ ଭଲ ଅଛି।"),
    (Language::English, "Hello, how are you? The weather is fine today."),
    (Language::Nepali, "नमस्ते, तपाईंलाई कस्तो छ? आज मौसम धेरै राम्रो छ।"),
    (Language::Assamese, "নমস্কাৰ, আপুনি কেনে আছে? আজি বতৰ বৰ ভাল।"),
    (Language::Konkani, "नमस्कार, तुमी कशे आसात? आयज हवामान बरें आसा."),
    (Language::Urdu, "سلام، آپ کیسے ہیں؟ آج موسم بہت اچھا ہے۔"),
];

fn engine(threads: usize) -> Engine {
    let built =
        Engine::builder().backend(ParametricBackend::with_threads(threads)).max_speeches(1_000).build();
    built.expect("the built-in voices are valid")
}

fn request(language: Language, voice: Voice) -> Request {
    Request { language: Some(language), ..Request::new(voice.name()) }
}

fn listen(mut speech: Speech) -> Vec<Chunk> {
    std::iter::from_fn(|| speech.blocking_next()).map(|chunk| chunk.expect("nothing breaks")).collect()
}

fn samples(chunks: &[Chunk]) -> Vec<i16> {
    chunks.iter().flat_map(|chunk| chunk.samples.iter().copied()).collect()
}

#[test]
fn every_voice_speaks_every_language_with_marks_for_each_token() {
    let engine = engine(2);
    for (language, text) in TEXTS {
        for voice in Voice::ALL {
            let chunks =
                listen(engine.speak_text(request(language, voice), text).expect("the engine has capacity"));
            let all = samples(&chunks);
            let seconds = all.len() as f64 / 24_000.0;
            assert!((1.0..8.0).contains(&seconds), "{language} {voice}: {seconds} s");

            let first_audible =
                chunks.iter().find_map(|chunk| Some(chunk.start + chunk.first_audible? as u64));
            let audible = all.iter().position(|&sample| is_audible(sample));
            assert_eq!(first_audible, audible.map(|at| at as u64), "{language} {voice}");
            assert!(
                audible.is_some_and(|at| at <= 480),
                "{language} {voice}: {audible:?} samples of silence"
            );

            let (last, others) = chunks.split_last().expect("there is audio");
            for (number, chunk) in others.iter().enumerate() {
                assert_eq!(chunk.samples.len(), (480 * (number + 1)).min(2_400), "{language} {voice}");
            }
            assert!(last.samples.len() <= 2_400);

            let marks: Vec<_> = chunks.iter().flat_map(|chunk| &chunk.marks).collect();
            let tokens: Vec<&str> = text.split_whitespace().collect();
            let marked: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
            assert_eq!(marked, tokens, "{language} {voice}");
            for mark in &marks {
                let written: String =
                    text.chars().take(mark.char_end as usize).skip(mark.char_start as usize).collect();
                assert_eq!(written, mark.text);
                assert!(mark.start_ms < mark.end_ms, "{language} {voice}: {mark:?}");
            }
            assert!(marks.windows(2).all(|pair| pair[0].end_ms <= pair[1].start_ms), "{language} {voice}");
            assert!(f64::from(marks[marks.len() - 1].end_ms) <= seconds * 1_000.0 + 1.0);
        }
    }
}

#[test]
fn concurrent_streams_sound_the_same_as_single_ones() {
    let engine = Arc::new(engine(4));
    let requests = || {
        TEXTS
            .iter()
            .flat_map(|&(language, text)| Voice::ALL.map(|voice| (request(language, voice), text)))
            .cycle()
    };
    let alone: Vec<Vec<Chunk>> = requests()
        .take(TEXTS.len() * Voice::ALL.len())
        .map(|(request, text)| listen(engine.speak_text(request, text).expect("the engine has capacity")))
        .collect();
    let speeches: Vec<Speech> = requests()
        .take(200)
        .map(|(request, text)| engine.speak_text(request, text).expect("the engine has capacity"))
        .collect();
    let listeners: Vec<_> =
        speeches.into_iter().map(|speech| std::thread::spawn(move || listen(speech))).collect();
    for (listener, expected) in listeners.into_iter().zip(alone.iter().cycle()) {
        let chunks = listener.join().expect("no listener fails");
        assert!(
            chunks == *expected,
            "the audio of 200 concurrent streams differs from that of a single stream"
        );
    }
    let stats = engine.stats();
    assert_eq!((stats.completed as usize, stats.active, stats.waiting), (alone.len() + 200, 0, 0));
}

#[test]
fn chunked_text_sounds_the_same_as_whole_text() {
    let engine = engine(2);
    for (language, text) in TEXTS {
        let expected = listen(
            engine.speak_text(request(language, Voice::Ananya), text).expect("the engine has capacity"),
        );
        for size in [1, 3, 7] {
            let mut speech = engine.speak(request(language, Voice::Ananya)).expect("the engine has capacity");
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                speech.push(&piece.iter().collect::<String>()).expect("the text is short");
            }
            speech.finish();
            let pieces = listen(speech);
            assert!(samples(&pieces) == samples(&expected), "{language} in pieces of {size} characters");
        }
    }
}

#[test]
fn speed_pitch_and_lexicon_change_the_sound() {
    let engine = engine(1);
    let speak = |request| {
        samples(&listen(engine.speak_text(request, "AIIMS कहाँ है?").expect("the engine has capacity")))
    };
    let base = request(Language::Hindi, Voice::Ananya);
    let plain = speak(base.clone());
    let slower = speak(Request { speed: 0.5, ..base.clone() });
    assert!(slower.len() > plain.len() * 3 / 2, "{} against {}", slower.len(), plain.len());
    let higher = speak(Request { pitch: 4.0, ..base.clone() });
    assert!(higher != plain, "pitch had no effect");
    let lexicon = Lexicon::new([("AIIMS", "अखिल भारतीय आयुर्विज्ञान संस्थान")]).expect("it is a spelling");
    let spelled = speak(Request { lexicon: Arc::new(lexicon), ..base });
    assert!(spelled.len() > plain.len(), "the lexicon had no effect");
}

#[test]
fn detects_the_language_by_the_first_chunk() {
    let engine = engine(1);
    for (language, text) in TEXTS {
        let mut speech = engine.speak_text(Request::default(), text).expect("the engine has capacity");
        assert!(speech.blocking_next().is_some(), "{language}");
        // the greetings in these texts are also Hindi words
        let like_hindi = matches!(language, Language::Marathi | Language::Nepali | Language::Konkani);
        let found = if like_hindi { Language::Hindi } else { language };
        assert_eq!(speech.language(), Some(found));
    }
}

#[test]
fn first_chunk_precedes_most_rendering() {
    let engine = engine(1);
    let text: String = TEXTS[0].1.chars().cycle().take(5_000).collect();
    let mut speech =
        engine.speak_text(request(Language::Hindi, Voice::Arjun), &text).expect("the engine has capacity");
    let _ = speech.blocking_next();
    // the listener stops reading, so the stream is parked with a few chunks buffered, regardless of how long the
    // test waits
    let ahead = engine.stats().samples;
    let expected =
        samples(&std::iter::from_fn(|| speech.blocking_next()).map(Result::unwrap).collect::<Vec<_>>());
    assert!(ahead < expected.len() as u64 / 20, "{ahead} of {}", expected.len());
}
