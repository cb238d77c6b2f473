//! Tests of the choice of the engine for the built-in voices: by the server's configuration, by a request, and by
//! capacity.

use http::Method;
use serde_json::{Value, json};
use shruti_engine::{Engine, EngineBuilder};
use shruti_lang::VoiceEngine;
use shruti_protocol::ErrorCode;
use shruti_testkit::TestServer;
use shruti_testkit::slow::SlowBackend;
use shruti_voice::ParametricBackend;

use crate::compat::json_socket::{JsonSocket, Received};
use crate::stream::ws_client::WsClient;

const TEXT: &str = "एक दो तीन।";

/// Returns a builder with the built-in voices and a second back end for Ananya, which has capacity for one
/// conversation.
fn engine(voice_engine: VoiceEngine) -> EngineBuilder {
    let second = SlowBackend::new().named("Ananya").with_room(1);
    Engine::builder().backend(ParametricBackend::new()).overriding_backend(second).voice_engine(voice_engine)
}

async fn server(voice_engine: VoiceEngine) -> TestServer {
    TestServer::builder().start_with(engine(voice_engine)).await
}

fn body(engine: Option<&str>) -> String {
    json!({"text": TEXT, "engine": engine}).to_string()
}

#[tokio::test]
async fn a_clip_uses_the_requested_or_the_configured_engine() {
    for (set_up, asked, expected) in [
        (VoiceEngine::Rules, None, "parametric"),
        (VoiceEngine::Rules, Some("learned"), "neural"),
        (VoiceEngine::Learned, None, "neural"),
        (VoiceEngine::Learned, Some("rules"), "parametric"),
        (VoiceEngine::Auto, None, "neural"),
        (VoiceEngine::Rules, Some("auto"), "neural"),
    ] {
        let server = server(set_up).await;
        let reply = server.client().post(body(asked)).await;
        assert!(reply.audio().level_db() > -40.0, "there is sound");
        assert_eq!(reply.header("x-tts-engine"), expected, "{set_up}, {asked:?}");
    }
}

#[tokio::test]
async fn an_unknown_engine_is_rejected() {
    let server = TestServer::start().await;
    for asked in ["learned", "neural"] {
        let error = server.client().post(body(Some(asked))).await.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "engine", "{asked}");
    }
    server.client().post(body(Some("auto"))).await.audio();
}

/// Runs a turn and returns the engine that its `turn.started` reports.
async fn engine_of_turn(ws: &mut WsClient, turn: &str, voice: &str) -> Value {
    ws.say(json!({"text": TEXT, "turn_id": turn, "final": true, "voice": voice, "max_lead_ms": 0})).await;
    ws.clip(turn).await.started["engine"].clone()
}

#[tokio::test]
async fn a_conversation_keeps_its_engine_and_its_seat() {
    let server = server(VoiceEngine::Auto).await;
    let mut first = WsClient::open(&server).await;
    let mut second = WsClient::open(&server).await;
    assert_eq!(first.ready["config"]["engine"], "auto");
    assert_eq!(engine_of_turn(&mut first, "a", "Arjun").await, "parametric", "a voice with only the rules");
    assert_eq!(engine_of_turn(&mut second, "a", "Ananya").await, "neural", "which needs no capacity");
    assert_eq!(engine_of_turn(&mut first, "b", "Ananya").await, "parametric", "there is no capacity");
    assert_eq!(metric(&server, "learned_conversations").await, 1);
    server.client().post(body(Some("learned"))).await.assert_error(ErrorCode::Overloaded);

    drop(second);
    while metric(&server, "learned_conversations").await > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        engine_of_turn(&mut first, "c", "Ananya").await,
        "parametric",
        "although there is capacity again"
    );
    let mut third = WsClient::open(&server).await;
    third.say(json!({"type": "config", "engine": "learned"})).await;
    assert_eq!(third.message().await["engine"], "learned");
    assert_eq!(engine_of_turn(&mut third, "a", "Ananya").await, "neural");
    assert_eq!(metric(&server, "max_learned_conversations").await, 1);
}

#[tokio::test]
async fn clips_of_other_services_use_the_engine_of_their_query() {
    let server = server(VoiceEngine::Rules).await;
    let client = server.client();
    for (path, body) in [
        ("/v1/audio/speech?", json!({"input": TEXT})),
        ("/v1/speak?", json!({"text": TEXT})),
        ("/v1/text-to-speech/Ananya?", json!({"text": TEXT})),
        (
            "/tts/bytes?",
            json!({"transcript": TEXT, "voice": "Ananya", "output_format": {"container": "wav"}}),
        ),
        ("/text-to-speech/stream?", json!({"text": TEXT, "target_language_code": "hi-IN"})),
        ("/v1/vapi?", json!({"message": {"text": TEXT, "sampleRate": 8_000}})),
        ("/v1/jambonz?", json!({"text": TEXT, "type": "text"})),
    ] {
        for (query, expected) in [("", "parametric"), ("engine=learned", "neural"), ("engine=auto", "neural")]
        {
            let request = client.request(Method::POST, &format!("{path}{query}"), body.to_string());
            let reply = client.send(request).await;
            assert_eq!(reply.status, 200, "{path}{query}: {:?}", reply.body);
            assert_eq!(reply.header("x-tts-engine"), expected, "{path}{query}");
        }
        let request = client.request(Method::POST, &format!("{path}engine=neural"), body.to_string());
        assert_eq!(client.send(request).await.status, 400, "{path}");
    }
    // OpenAI's clients send extensions in the body
    let body = json!({"input": TEXT, "engine": "learned"}).to_string();
    let reply = client.send(client.request(Method::POST, "/v1/audio/speech", body)).await;
    assert_eq!(reply.header("x-tts-engine"), "neural");
}

#[tokio::test]
async fn sockets_of_other_services_use_the_engine_of_their_query() {
    let server = server(VoiceEngine::Rules).await;
    let cartesia = json!({
        "context_id": "a", "model_id": "sonic-3", "transcript": TEXT, "language": "hi", "continue": false,
        "voice": {"mode": "id", "id": "Ananya"},
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
    });
    let sarvam =
        json!({"target_language_code": "hi-IN", "speaker": "Ananya", "output_audio_codec": "linear16"});
    for (path, messages) in [
        ("/v1/speak?model=Ananya-hi", vec![json!({"type": "Speak", "text": TEXT}), json!({"type": "Flush"})]),
        (
            "/v1/text-to-speech/Ananya/stream-input?language_code=hi",
            vec![json!({"text": " "}), json!({"text": format!("{TEXT} "), "flush": true})],
        ),
        ("/tts/websocket?", vec![cartesia]),
        (
            "/text-to-speech/ws?",
            vec![
                json!({"type": "config", "data": sarvam}),
                json!({"type": "text", "data": {"text": TEXT}}),
                json!({"type": "flush"}),
            ],
        ),
        (
            "/v1/jambonz/stream?language=hi-IN",
            vec![json!({"type": "stream", "text": TEXT}), json!({"type": "flush"})],
        ),
    ] {
        for (engine, learned) in [("rules", 0), ("learned", 1)] {
            let key = format!("Bearer {}", server.key);
            let path = format!("{path}&engine={engine}");
            let mut socket = JsonSocket::open(&server, &path, &[("authorization", &key)]).await.unwrap();
            socket.say_all(messages.clone()).await;
            // audio is in binary messages, or in text messages that are longer than all others
            while match socket.hear_any().await.unwrap() {
                Received::Sound(_) => false,
                Received::Json(message) => message.to_string().len() < 1_000,
            } {}
            assert_eq!(metric(&server, "learned_conversations").await, learned, "{path}");
            drop(socket);
            while metric(&server, "learned_conversations").await > 0 {
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Returns the value of a gauge of the server.
async fn metric(server: &TestServer, name: &str) -> u64 {
    let reply = server.client().with_key(None).get("/metrics").await;
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("shruti_{name} ")));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}
