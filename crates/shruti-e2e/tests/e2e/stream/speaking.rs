//! Tests of a turn from its text to its end: the same samples as `POST /v1/tts` regardless of how the text is split,
//! and its word timestamps.

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::ws_client::{Clip, SeededRng, WsClient, part, sound_ms};

/// A sentence in each language, with digits, an amount of money and a word in Latin letters.
const MIXED: [(&str, &str); 15] = [
    ("hi", "आपका office का बिल ₹1,250 है, और 3 दिन बाकी हैं।"),
    ("bn", "আপনার order এর দাম ₹480, আর 2 দিন লাগবে।"),
    ("ta", "உங்கள் ticket விலை ₹675, நேரம் 5 மணி."),
    ("te", "మీ account లో ₹3,400 ఉంది, 7 రోజులు ఉన్నాయి."),
    ("gu", "તમારું booking ₹920 નું છે, અને 4 લોકો આવશે."),
    ("kn", "ನಿಮ್ಮ payment ₹150 ಬಂದಿದೆ, ಇನ್ನೂ 6 ದಿನ ಇದೆ."),
    ("ml", "നിങ്ങളുടെ card ൽ ₹2,100 ഉണ്ട്, 8 ദിവസം കഴിയും."),
    ("mr", "तुमचे parcel ₹310 चे आहे, ते 9 वाजता येईल."),
    ("pa", "ਤੁਹਾਡਾ recharge ₹199 ਦਾ ਹੈ, ਅਤੇ 28 ਦਿਨ ਚੱਲੇਗਾ।"),
    ("or", "ଆପଣଙ୍କ train ଟିକେଟ ₹540, ସମୟ 6 ଟା।"),
    ("en", "Your bill is ₹1,80,000, and namaste to all 12 of you."),
    ("ne", "तपाईंको order ₹310 को हो, र 9 बजे आउँछ।"),
    ("as", "আপোনাৰ order ₹480, আৰু 2 দিন লাগিব।"),
    ("kok", "तुमचें parcel ₹310 चें आसा, तें 9 वरांचेर येतलें."),
    ("ur", "آپ کا bill ₹1,250 ہے، اور 3 دن باقی ہیں۔"),
];

#[tokio::test]
async fn the_greeting_reports_the_settings() {
    let server = TestServer::start().await;
    let ws = WsClient::open(&server).await;
    let ready = &ws.ready;
    assert!(ready["session_id"].as_str().is_some_and(|id| id.starts_with("req_")), "{ready}");
    assert_eq!(ready["protocol"], "tts.v1");
    assert_eq!(ready["audio"], json!({"encoding": "pcm_s16le", "sample_rate": 24_000, "channels": 1}));
    assert_eq!(
        ready["config"],
        json!({"voice": "Ananya", "language": null, "speed": 1.0, "pitch": 0.0, "clarity": null, "lexicon": {}, "engine": "rules",
            "timestamps": "word", "max_lead_ms": 3_000, "output_format": "pcm_24000"})
    );
    let limits = &ready["limits"];
    for (limit, value) in [
        ("max_message_chars", 5_000),
        ("max_message_bytes", 65_536),
        ("max_held_back_chars", 20_000),
        ("max_turn_chars", 500_000),
        ("max_queued_turns", 8),
        ("max_turn_id_chars", 64),
        ("max_lexicon_entries", 100),
        ("idle_timeout_s", 300),
        ("max_session_s", 14_400),
    ] {
        assert_eq!(limits[limit], value, "{limit}");
    }
}

#[tokio::test]
async fn any_split_of_a_text_sounds_like_the_whole_text() {
    let server = TestServer::start().await;
    let client = server.client();
    let mut ws = WsClient::open_fast(&server).await;
    let mut rng = SeededRng::new(1);
    for (language, text) in MIXED {
        let alone = client.post(json!({"text": text}).to_string()).await;
        alone.audio().assert_speech(language);
        let single = vec![text.to_owned()];
        let chars = text.chars().map(String::from).collect();
        let mut ways = vec![("whole", single), ("characters", chars)];
        ways.extend((0..3).map(|_| ("cuts", cut(text, &mut rng))));
        for (number, (way, pieces)) in ways.into_iter().enumerate() {
            let turn = format!("{language} {way} {number}");
            let mut messages: Vec<Value> =
                pieces.iter().map(|piece| json!({"text": piece, "turn_id": turn})).collect();
            if rng.once_in(2) {
                messages.push(json!({"type": "end", "turn_id": turn}));
            } else {
                messages.last_mut().unwrap()["final"] = true.into();
            }
            ws.say_all(messages).await;
            let clip = ws.clip(&turn).await;
            assert!(clip.bytes == alone.body, "{turn}: the samples differ from POST /v1/tts, {pieces:?}");
            assert_eq!(clip.done["reason"], "complete");
            assert_eq!(clip.done["chars"], text.chars().count());
            assert!(clip.done["ttfa_ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{}", clip.done);
            assert_marks(&clip, text, &turn);
        }
    }
}

/// Splits a text at random positions.
fn cut(text: &str, rng: &mut SeededRng) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for char in text.chars() {
        if rng.once_in(5) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(char);
    }
    pieces
}

/// Panics if the word timestamps do not precede their audio, are not in order, are outside the clip, or do not cover
/// every word of the text.
fn assert_marks(clip: &Clip, text: &str, turn: &str) {
    let number = |word: &Value, field: &str| word[field].as_u64().unwrap();
    let mut covered = vec![false; text.chars().count()];
    let (mut last_start, mut last_char) = (0, 0);
    for (word, sent_ms) in &clip.words {
        let (start, end) = (number(word, "start_ms"), number(word, "end_ms"));
        let (from, to) = (number(word, "char_start"), number(word, "char_end"));
        assert!(*sent_ms <= start, "{turn}: {word} is reported after {sent_ms} ms of audio");
        assert!(last_start <= start && start <= end && last_char <= from && from < to, "{turn}: {word}");
        assert!(end <= sound_ms(clip.bytes.len()) + 1, "{turn}: {word} ends after the clip");
        assert_eq!(word["text"], part(text, from, to), "{turn}");
        covered[from as usize..to as usize].fill(true);
        (last_start, last_char) = (start, from);
    }
    let missed: String = text
        .chars()
        .zip(covered)
        .filter_map(|(c, covered)| (c.is_alphanumeric() && !covered).then_some(c))
        .collect();
    assert_eq!(missed, "", "{turn}: words without timestamps");
    let money = clip.words.iter().find(|(word, _)| word["text"].as_str().unwrap().contains('₹'));
    assert!(money.is_some_and(|(word, _)| word["spoken"].is_string()), "{turn}: {money:?} is expanded");
}

#[tokio::test]
async fn turns_need_no_names_or_types() {
    let server = TestServer::start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let alone = server.client().post(json!({"text": "Hello there."}).to_string()).await.body;
    ws.say_all([json!({"text": "Hello "}), json!({"text": "there.", "final": true})]).await;
    assert!(ws.clip("turn_1").await.bytes == alone);
    ws.say(json!({"text": "Hello there.", "final": true})).await;
    assert!(ws.clip("turn_2").await.bytes == alone);
    for (name, text) in [("blank", " \n"), ("nothing", ""), ("faces", "😀 🎉")] {
        ws.say(json!({"text": text, "turn_id": name, "final": true})).await;
        let clip = ws.clip(name).await;
        assert_eq!((clip.bytes.len(), &clip.done["reason"]), (0, &json!("nothing_to_say")), "{name}");
        assert_eq!(clip.done["chars"], 0, "{name}");
    }
}

#[tokio::test]
async fn settings_persist_and_a_turn_can_override_them() {
    let server = TestServer::start().await;
    let client = server.client();
    let mut ws = WsClient::open_fast(&server).await;
    let text = "नमस्ते जी।";
    let settings = json!({"voice": "Arjun", "language": "mr", "speed": 1.5, "pitch": 2.0});
    let with = |settings: &Value, more: Value| {
        let mut all = settings.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let sticky = client.post(with(&settings, json!({"text": text})).to_string()).await.body;
    let own = json!({"voice": "Ananya", "speed": 0.8});
    let own_clip =
        client.post(with(&with(&settings, own.clone()), json!({"text": text})).to_string()).await.body;
    assert!(sticky != own_clip);

    ws.say(with(&settings, json!({"type": "config", "timestamps": "none"}))).await;
    let answer = ws.message().await;
    assert_eq!(
        answer,
        with(
            &settings,
            json!({"type": "config", "timestamps": "none", "clarity": null, "lexicon": {}, "engine": "rules", "max_lead_ms": 0,
                "output_format": "pcm_24000"})
        )
    );
    for (turn, more, expected) in
        [("a", json!({}), &sticky), ("b", own, &own_clip), ("c", json!({}), &sticky)]
    {
        ws.say(with(&more, json!({"text": text, "turn_id": turn, "final": true}))).await;
        let clip = ws.clip(turn).await;
        assert!(clip.bytes == *expected, "{turn}");
        assert!(clip.words.is_empty(), "{turn}: word timestamps were not requested");
    }
}
