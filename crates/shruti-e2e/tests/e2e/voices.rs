//! Tests that voices come only from the engine: a voice of an additional back end is listed, spoken, metered and
//! displayed under its name.

use serde_json::{Value, json};
use shruti_engine::Engine;
use shruti_lang::Language;
use shruti_protocol::ErrorCode;
use shruti_store::KeySpec;
use shruti_testkit::slow::{BLOCK, Gate, SlowBackend};
use shruti_testkit::{SomeVoices, TestServer};
use shruti_voice::ParametricBackend;
use tokio::task::block_in_place;

use crate::metering::usage;
use crate::stream::ws_client::WsClient;

const TEXT: &str = "एक दो तीन।";
const NAME: &str = "Padmavathi";

/// Starts a server with a third voice from another back end.
async fn server_with_a_third_voice() -> TestServer {
    let third = SlowBackend::new().named(NAME);
    TestServer::builder().start_with(Engine::builder().backend(ParametricBackend::new()).backend(third)).await
}

#[tokio::test]
async fn a_third_voice_is_listed() {
    let server = server_with_a_third_voice().await;
    let listed = server.client().with_key(None).get("/v1/voices").await.json();
    let voices = listed["voices"].as_array().unwrap();
    let names: Vec<&Value> = voices.iter().map(|voice| &voice["name"]).collect();
    assert_eq!(names, ["Ananya", "Arjun", NAME]);
    let third = &voices[2];
    assert_eq!(
        (&third["gender"], &third["default"], &third["engine"]),
        (&Value::Null, &json!(false), &json!("neural"))
    );
    assert_eq!(third["languages"], json!(Language::ALL.map(Language::code)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_third_voice_is_spoken_metered_and_charged_under_its_own_name() {
    let server = server_with_a_third_voice().await;
    let account = server.create_account("asha@example.org", 1_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let key = key.secret.reveal();
    let client = server.client().with_key(Some(key));
    let reply = client.post(json!({"text": TEXT, "voice": "padmaVATHI"}).to_string()).await;
    assert!(reply.audio().level_db() > -40.0, "there is sound");
    assert_eq!(reply.header("x-tts-voice"), NAME);

    let mut ws = WsClient::open_with(&server, key).await;
    ws.say(json!({"type": "config", "voice": "PADMAVATHI", "max_lead_ms": 0})).await;
    assert_eq!(ws.message().await["voice"], NAME);
    ws.say(json!({"text": TEXT, "turn_id": "a", "final": true})).await;
    let clip = ws.clip("a").await;
    assert_eq!(clip.started["voice"], NAME);
    assert_eq!(clip.bytes, reply.body, "the same samples both times");

    let reported = usage(&client).await;
    let chars = TEXT.chars().count() as u64;
    let rows: Vec<_> =
        reported.days.iter().map(|row| (row.voice.as_str(), &*row.api, row.amount.chars)).collect();
    assert_eq!(rows, [(NAME, "clip", chars), (NAME, "turn", chars)]);
    assert_eq!(reported.total.chars, 2 * chars);
    assert_eq!(reported.allowance.unwrap().used, 2 * chars);
}

#[tokio::test]
async fn another_pitch_is_rejected_for_a_voice_without_pitch() {
    let third = SomeVoices::new(SlowBackend::new().named(NAME), |_, _| true).without_pitch();
    let engine = Engine::builder().backend(ParametricBackend::new()).backend(third);
    let server = TestServer::builder().start_with(engine).await;
    let client = server.client();
    for language in [None, Some("hi")] {
        let request = |voice: &str, pitch: f32| {
            json!({"text": TEXT, "voice": voice, "language": language, "pitch": pitch}).to_string()
        };
        let error = client.post(request(NAME, 1.0)).await.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "pitch");
        client.post(request(NAME, 0.0)).await.audio();
        client.post(request("Arjun", 1.0)).await.audio();
    }
}

/// Starts a server whose voice Ananya uses the slow back end for Telugu.
async fn server_with_telugu_apart() -> (TestServer, Gate) {
    let (slow, gate) = SlowBackend::gated();
    let engine = Engine::builder()
        .backend(SomeVoices::new(ParametricBackend::new(), |voice, language| {
            voice != "Ananya" || language != Language::Telugu
        }))
        .backend(SomeVoices::new(slow.named("Ananya"), |_, language| language == Language::Telugu));
    (TestServer::builder().start_with(engine).await, gate)
}

/// Text of three Telugu words. The slow back end renders it as one second of audio, in two calls.
const TELUGU: &str = "నేను చాలా బాగున్నాను.";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_without_a_language_uses_the_back_end_of_the_detected_language() {
    let (server, gate) = server_with_telugu_apart().await;
    gate.open();
    let account = server.create_account("asha@example.org", 1_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let reply = client.post(json!({"text": TELUGU}).to_string()).await;
    assert_eq!((reply.header("x-tts-voice"), reply.header("x-tts-language")), ("Ananya", "te"));
    let expected = client.post(json!({"text": TELUGU, "language": "te"}).to_string()).await;
    assert!(gate.ended() >= 4 && reply.body.len() == 4 * BLOCK, "two seconds of bytes, by the slow back end");
    assert_eq!(reply.body, expected.body);
    let reported = usage(&client).await;
    let chars = TELUGU.chars().count() as u64;
    let day = &reported.days[0];
    let (voice, language) = (day.voice.as_str(), day.language);
    assert_eq!((reported.days.len(), voice, language), (1, "Ananya", Language::Telugu));
    assert_eq!((day.amount.chars, reported.allowance.unwrap().used), (2 * chars, 2 * chars));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_of_two_back_ends_is_one_turn_for_the_client() {
    let (server, gate) = server_with_telugu_apart().await;
    let mut ws = WsClient::open_fast(&server).await;
    let text = format!("एक दो। {TELUGU} तीन।");
    ws.say(json!({"text": text, "turn_id": "t", "final": true})).await;
    block_in_place(|| gate.wait_for_calls(1));
    gate.open();
    let clip = ws.clip("t").await;
    assert_eq!((&clip.started["voice"], &clip.started["language"]), (&json!("Ananya"), &json!("hi")));
    let words: Vec<&Value> = clip.words.iter().map(|(word, _)| &word["text"]).collect();
    assert_eq!(words, text.split(' ').collect::<Vec<_>>());
    let time = |(word, _): &(Value, u64), name: &str| word[name].as_u64();
    assert!(clip.words.windows(2).all(|pair| time(&pair[0], "end_ms") <= time(&pair[1], "start_ms")));
    assert_eq!(clip.done["chars"], text.chars().count());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_detected_language_without_capacity_is_overloaded() {
    /// Maximum number of concurrent streams of the slow back end.
    const ROOM: usize = 10;
    let (server, gate) = server_with_telugu_apart().await;
    let mut held = Vec::new();
    for _ in 0..ROOM {
        let mut ws = WsClient::open_fast(&server).await;
        ws.say(json!({"text": TELUGU, "turn_id": "held", "final": true})).await;
        held.push(ws);
    }
    while server.engine.backends()[1].stats.active < ROOM {
        tokio::task::yield_now().await;
    }
    let reply = server.client().post(json!({"text": TELUGU}).to_string()).await;
    let error = reply.assert_error(ErrorCode::Overloaded);
    assert!(error["retry_after_ms"].as_u64().is_some_and(|ms| ms > 0), "{error}");
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"text": TELUGU, "turn_id": "refused", "final": true})).await;
    let failed = ws.message().await;
    assert_eq!((&failed["type"], &failed["turn_id"]), (&json!("turn.failed"), &json!("refused")));
    assert_eq!((&failed["error"]["code"], &failed["sent_ms"]), (&json!("overloaded"), &json!(0)));
    ws.say(json!({"text": TEXT, "turn_id": "hindi", "final": true})).await;
    assert_eq!(ws.clip("hindi").await.done["reason"], "complete", "the other back end has capacity");
    gate.open();
    for mut ws in held {
        assert_eq!(ws.clip("held").await.bytes.len(), 4 * BLOCK);
    }
}

#[tokio::test]
async fn the_error_for_an_unknown_voice_lists_the_names() {
    let server = server_with_a_third_voice().await;
    let mut ws = WsClient::open(&server).await;
    // the third name begins with two Cyrillic letters
    let refused =
        [("Anita", ""), ("", ""), ("Анanya", "; did you mean 'Ananya'?"), (&"x".repeat(10_000), "")];
    for (given, suggestion) in refused {
        let reply = server.client().post(json!({"text": TEXT, "voice": given}).to_string()).await;
        let error = reply.assert_error(ErrorCode::UnknownVoice);
        let message = error["message"].as_str().unwrap();
        let expected = format!("does not exist; voices are Ananya, Arjun and Padmavathi{suggestion}");
        assert!(message.ends_with(&expected), "{message}");
        assert!(message.len() < 200, "the given name is truncated: {message}");
        assert_eq!(error["param"], "voice");
        for message in [json!({"type": "config", "voice": given}), json!({"text": "a", "voice": given})] {
            ws.say(message).await;
            let answer = ws.message().await;
            assert_eq!(
                (&answer["scope"], &answer["error"]["code"]),
                (&json!("message"), &json!("unknown_voice"))
            );
        }
    }
}
