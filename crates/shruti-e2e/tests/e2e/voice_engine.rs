//! Which synthesis speaks for the built-in voices: as the server is set up, as a request asks, and while there is room.

use serde_json::{Value, json};
use shruti_engine::{Engine, EngineBuilder};
use shruti_lang::VoiceEngine;
use shruti_protocol::ErrorCode;
use shruti_testkit::TestServer;
use shruti_testkit::slow::SlowBackend;
use shruti_voice::ParametricBackend;

use crate::stream::ws_client::WsClient;

const TEXT: &str = "एक दो तीन।";

/// The built-in voices, and a second synthesis of Ananya with room for one conversation.
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
async fn a_clip_is_spoken_as_it_asks_or_as_the_server_is_set_up() {
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
        assert!(reply.audio().level_db() > -40.0, "it sounds");
        assert_eq!(reply.header("x-tts-engine"), expected, "{set_up}, {asked:?}");
    }
}

#[tokio::test]
async fn an_engine_that_does_not_exist_is_refused() {
    let server = TestServer::start().await;
    for asked in ["learned", "neural"] {
        let error = server.client().post(body(Some(asked))).await.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "engine", "{asked}");
    }
    server.client().post(body(Some("auto"))).await.audio();
}

/// Has a turn spoken; gives the synthesis that its start tells.
async fn engine_of_turn(ws: &mut WsClient, turn: &str, voice: &str) -> Value {
    ws.say(json!({"text": TEXT, "turn_id": turn, "final": true, "voice": voice, "max_lead_ms": 0})).await;
    ws.clip(turn).await.started["engine"].clone()
}

#[tokio::test]
async fn a_conversation_keeps_its_synthesis_and_its_room() {
    let server = server(VoiceEngine::Auto).await;
    let mut first = WsClient::open(&server).await;
    let mut second = WsClient::open(&server).await;
    assert_eq!(first.ready["config"]["engine"], "auto");
    assert_eq!(engine_of_turn(&mut first, "a", "Arjun").await, "parametric", "a voice of the rules alone");
    assert_eq!(engine_of_turn(&mut second, "a", "Ananya").await, "neural", "which takes no room");
    assert_eq!(engine_of_turn(&mut first, "b", "Ananya").await, "parametric", "there is no room");
    assert_eq!(metric(&server, "learned_conversations").await, 1);
    server.client().post(body(Some("learned"))).await.assert_error(ErrorCode::Overloaded);

    drop(second);
    while metric(&server, "learned_conversations").await > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(engine_of_turn(&mut first, "c", "Ananya").await, "parametric", "though there is room again");
    let mut third = WsClient::open(&server).await;
    third.say(json!({"type": "config", "engine": "learned"})).await;
    assert_eq!(third.message().await["engine"], "learned");
    assert_eq!(engine_of_turn(&mut third, "a", "Ananya").await, "neural");
    assert_eq!(metric(&server, "max_learned_conversations").await, 1);
}

/// A gauge of the server.
async fn metric(server: &TestServer, name: &str) -> u64 {
    let reply = server.client().with_key(None).get("/metrics").await;
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("shruti_{name} ")));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}
