//! Tests of conversations with a voice whose calls are long and cannot be interrupted, at the same time as the
//! parametric voice.
//!
//! A gate blocks the calls, so that a test can check during a call that other work does not wait for the call.

use serde_json::json;
use shruti_engine::Engine;
use shruti_protocol::ErrorCode;
use shruti_testkit::slow::{BLOCK, Gate, SlowBackend};
use shruti_testkit::{SomeVoices, TestServer};
use shruti_voice::ParametricBackend;
use tokio::task::block_in_place;

use super::admission::upgrade;
use super::ws_client::{Received, WsClient, sound_ms};

/// Text of six words. The slow voice renders it as two seconds of audio, in four calls.
const TEXT: &str = "एक दो तीन चार पाँच छह।";
/// Maximum number of concurrent streams of the slow voice.
const ROOM: usize = 10;

/// Starts a server whose voice Arjun is slow.
async fn start() -> (TestServer, Gate) {
    let (slow, gate) = SlowBackend::gated();
    let engine = Engine::builder()
        .backend(SomeVoices::only("Ananya", ParametricBackend::new()))
        .backend(slow.named("Arjun"));
    (TestServer::builder().start_with(engine).await, gate)
}

/// Opens a conversation with a turn of the slow voice.
async fn slow_turn(server: &TestServer) -> WsClient {
    let mut ws = WsClient::open_fast(server).await;
    ws.say(json!({"text": TEXT, "turn_id": "slow", "final": true, "voice": "Arjun", "pitch": 5})).await;
    ws
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_is_answered_during_a_render_call_and_its_block_is_discarded() {
    for calls in [0, 1, 3] {
        let (server, gate) = start().await;
        let mut ws = slow_turn(&server).await;
        gate.let_through(calls);
        let mut bytes = 0;
        while bytes < 2 * calls * BLOCK {
            bytes += ws.sound().await.len();
        }
        block_in_place(|| gate.wait_for_calls(calls + 1));
        ws.say(json!({"type": "cancel", "turn_id": "slow", "id": "c"})).await;
        match ws.receive().await {
            Received::Message(answer) => {
                assert_eq!((&answer["type"], &answer["id"]), (&json!("turn.cancelled"), &json!("c")));
                assert_eq!(
                    (&answer["state"], &answer["sent_ms"]),
                    (&json!("cancelled"), &json!(sound_ms(bytes)))
                );
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(server.engine.stats().active, 0);
        assert_eq!(gate.ended(), calls, "the call had not ended");
        // the next turn is spoken in the meantime
        let alone = server.client().post(json!({"text": TEXT}).to_string()).await.body;
        ws.say(json!({"text": TEXT, "turn_id": "next", "final": true})).await;
        assert!(ws.clip("next").await.bytes == alone);
        assert_eq!(gate.ended(), calls, "the call had not ended");

        gate.open();
        ws.say(json!({"text": TEXT, "turn_id": "again", "final": true, "voice": "Arjun"})).await;
        let again = ws.clip("again").await;
        let alone = server.client().post(json!({"text": TEXT, "voice": "Arjun"}).to_string()).await.body;
        assert!(again.bytes.len() == 8 * BLOCK && again.bytes == alone, "no samples of the call in progress");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_of_another_voice_continue_during_blocked_calls() {
    let (server, gate) = start().await;
    let mut held = Vec::new();
    for _ in 0..ROOM {
        held.push(slow_turn(&server).await);
    }
    block_in_place(|| gate.wait_for_calls(1));
    let alone = server.client().post(json!({"text": TEXT}).to_string()).await.body;
    for number in 0..5 {
        let mut ws = WsClient::open_fast(&server).await;
        for turn in ["a", "b"] {
            ws.say(json!({"text": TEXT, "turn_id": turn, "final": true, "preempt": true})).await;
            assert!(ws.clip(turn).await.bytes == alone, "{number}");
        }
    }
    assert_eq!((gate.ended(), gate.batches().len()), (0, 1), "the call had not ended");
    gate.open();
    for mut ws in held {
        assert_eq!(ws.clip("slow").await.bytes.len(), 8 * BLOCK);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_requests_above_the_capacity_of_the_slow_voice_are_rejected() {
    let (server, gate) = start().await;
    let mut held = Vec::new();
    for _ in 0..ROOM {
        held.push(slow_turn(&server).await);
    }
    block_in_place(|| gate.wait_for_calls(1));
    while server.engine.stats().active < ROOM {
        tokio::task::yield_now().await;
    }
    let mut refused = slow_turn(&server).await;
    let failed = refused.message().await;
    assert_eq!((&failed["type"], &failed["turn_id"]), (&json!("turn.failed"), &json!("slow")));
    assert_eq!((&failed["error"]["code"], &failed["sent_ms"]), (&json!("overloaded"), &json!(0)));
    assert!(failed["error"]["retry_after_ms"].as_u64().is_some_and(|ms| ms > 0), "{failed}");
    let post = server.client().post(json!({"text": TEXT, "voice": "Arjun"}).to_string()).await;
    post.assert_error(ErrorCode::Overloaded);
    refused.say(json!({"text": TEXT, "turn_id": "other", "final": true})).await;
    assert_eq!(refused.clip("other").await.done["reason"], "complete");
    assert_eq!(gate.ended(), 0);

    held[0].say(json!({"type": "cancel"})).await;
    held[0].message_of("turn.cancelled").await;
    refused.say(json!({"text": TEXT, "turn_id": "slow again", "final": true, "voice": "Arjun"})).await;
    gate.open();
    assert_eq!(refused.clip("slow again").await.bytes.len(), 8 * BLOCK, "a place is free immediately");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_client_does_not_wait_for_a_render_call() {
    let (server, gate) = start().await;
    let ws = slow_turn(&server).await;
    block_in_place(|| gate.wait_for_calls(1));
    assert_eq!(server.engine.stats().active, 1);
    drop(ws);
    server.idle().await;
    assert_eq!(gate.ended(), 0, "the call had not ended");
}

#[tokio::test]
async fn excess_streams_are_rejected_before_the_upgrade() {
    let server = TestServer::builder().config(|config| config.max_streams = 1).start().await;
    let open = WsClient::open(&server).await;
    upgrade(&server, "/v1/tts/stream", Some(&server.key)).await.assert_error(ErrorCode::Overloaded);
    drop(open);
}
