//! Tests of repeated turns. A learned voice speaks them from the cache of rendered clips.

use std::sync::Arc;

use serde_json::json;
use shruti_engine::Engine;
use shruti_lang::VoiceEngine;
use shruti_learned::LearnedBackend;
use shruti_service::clips::{CacheLimits, CacheStats, ClipCache};
use shruti_store::KeySpec;
use shruti_testkit::TestServer;
use shruti_voice::ParametricBackend;

use super::ws_client::{Clip, Received, WsClient, sound_ms};
use crate::clips::{open_cache, until_kept};

const TEXT: &str = " नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! ";

/// Starts a server with the learned voices and a cache.
async fn start() -> (TestServer, Arc<ClipCache>, tempfile::TempDir) {
    let (cache, folder) = open_cache();
    (start_with(Arc::clone(&cache)).await, cache, folder)
}

async fn start_with(cache: Arc<ClipCache>) -> TestServer {
    let engine = Engine::builder()
        .backend(ParametricBackend::new())
        .overriding_backend(LearnedBackend::new(2).unwrap())
        .voice_engine(VoiceEngine::Learned);
    TestServer::builder().config(|config| config.clips.cache = Some(cache)).start_with(engine).await
}

/// Speaks a turn with its whole text in one message.
async fn turn(ws: &mut WsClient, id: &str, text: &str) -> Clip {
    ws.say(json!({"text": text, "turn_id": id, "final": true})).await;
    ws.clip(id).await
}

fn counts(cache: &ClipCache) -> (usize, u64) {
    let CacheStats { clips, hits, .. } = cache.stats();
    (clips, hits)
}

/// Panics unless two clips have the same samples, words and charge.
fn assert_equal(clip: &Clip, expected: &Clip) {
    assert!(clip.bytes == expected.bytes, "the samples differ");
    assert_eq!(clip.words, expected.words);
    for field in ["voice", "language", "engine"] {
        assert_eq!(clip.started[field], expected.started[field], "{field}");
    }
    for field in ["audio_ms", "chars"] {
        assert_eq!(clip.done[field], expected.done[field], "{field}");
    }
}

#[tokio::test]
async fn third_turn_with_a_text_is_replayed_bit_for_bit() {
    let (server, cache, _folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let first = turn(&mut ws, "1", TEXT).await;
    assert_eq!(first.started["engine"], "learned");
    let second = turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 1).await;
    let third = turn(&mut ws, "3", TEXT).await;
    assert_eq!(counts(&cache), (1, 1));
    assert_equal(&second, &first);
    assert_equal(&third, &first);

    // another connection of the same key also uses the cache
    let mut ws = WsClient::open_fast(&server).await;
    assert_equal(&turn(&mut ws, "1", TEXT).await, &first);
    assert_eq!(counts(&cache), (1, 2));
    // with a small lead, the cached turn is sent as slowly as it is played
    ws.say(json!({"type": "config", "max_lead_ms": 100})).await;
    ws.message().await;
    ws.say_all([
        json!({"text": TEXT, "turn_id": "2", "final": true}),
        json!({"type": "flush", "turn_id": "2"}),
    ])
    .await;
    let mut bytes = Vec::new();
    loop {
        match ws.receive().await {
            Received::Sound(sound) => bytes.extend_from_slice(&sound),
            Received::Message(message) if message["type"] == "turn.done" => break,
            Received::Message(message) if message["type"] == "flushed" => {
                assert_eq!(message["audio_ms"], first.done["audio_ms"]);
            }
            _ => {}
        }
    }
    assert!(bytes == first.bytes, "the samples differ");
    assert_eq!(counts(&cache), (1, 3));
}

#[tokio::test]
async fn other_texts_settings_and_lexicons_are_other_turns() {
    let (server, cache, _folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let first = turn(&mut ws, "1", TEXT).await;
    turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 1).await;
    turn(&mut ws, "3", TEXT.trim()).await;
    for (number, change) in [
        json!({"speed": 1.25}),
        json!({"pitch": 2}),
        json!({"voice": "Arjun"}),
        json!({"language": "mr"}),
        json!({"clarity": "phone"}),
        json!({"lexicon": {"आपका": "तुम्हारा"}}),
    ]
    .into_iter()
    .enumerate()
    {
        let mut message = json!({"text": TEXT, "turn_id": format!("changed {number}"), "final": true});
        message.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        ws.say(message).await;
        let changed = ws.clip(&format!("changed {number}")).await;
        assert!(changed.bytes != first.bytes, "{change}");
    }
    assert_eq!(counts(&cache), (1, 0));
}

#[tokio::test]
async fn turns_outlive_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let limits = CacheLimits { bytes: 10_000_000, clips: 100 };
    // the cache is shared between keys, because each server has a different key
    let open = || Arc::new(ClipCache::open(folder.path(), limits).unwrap().shared(true));
    let cache = open();
    let server = start_with(Arc::clone(&cache)).await;
    let mut ws = WsClient::open_fast(&server).await;
    let first = turn(&mut ws, "1", TEXT).await;
    turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 1).await;
    drop(ws);
    server.stop().await;
    let cache = open();
    let server = start_with(Arc::clone(&cache)).await;
    let mut ws = WsClient::open_fast(&server).await;
    assert_equal(&turn(&mut ws, "1", TEXT).await, &first);
    assert_eq!(counts(&cache), (1, 1));
}

#[tokio::test]
async fn turns_that_are_not_repeated_or_arrive_in_parts_are_not_stored() {
    let (server, cache, folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    for (id, text) in [("1", "एक।"), ("2", "दो।"), ("3", "तीन।")] {
        turn(&mut ws, id, text).await;
    }
    for id in ["4", "5", "6"] {
        ws.say(json!({"text": "एक। ", "turn_id": id})).await;
        ws.say(json!({"text": "दो।", "turn_id": id, "final": true})).await;
        ws.clip(id).await;
    }
    // the rule-based voices are not cached
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"type": "config", "engine": "rules"})).await;
    ws.message().await;
    for id in ["7", "8", "9"] {
        let clip = turn(&mut ws, id, "एक।").await;
        assert_eq!(clip.started["engine"], "parametric");
    }
    drop(ws);
    server.stop().await;
    assert_eq!(counts(&cache), (0, 0));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn another_account_does_not_hear_a_cached_turn() {
    let (server, cache, _folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    turn(&mut ws, "1", TEXT).await;
    turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 1).await;
    let other = server.create_account("other@example.com", 10_000).await;
    let key = server.create_key_of(&other, KeySpec::named("key")).await;
    let mut ws = WsClient::open_with(&server, key.secret.reveal()).await;
    turn(&mut ws, "1", TEXT).await;
    turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 2).await;
    assert_eq!(counts(&cache), (2, 0));
}

#[tokio::test]
async fn cancelled_replay_ends_at_the_same_word() {
    let (server, cache, _folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let mut answers = Vec::new();
    for id in ["1", "2", "3"] {
        turn(&mut ws, &format!("whole {id}"), TEXT).await;
        if id != "1" {
            until_kept(&cache, 1).await;
        }
        ws.say(json!({"text": TEXT, "turn_id": id, "final": true})).await;
        let mut bytes = 0;
        while sound_ms(bytes) < 1_200 {
            bytes += ws.sound().await.len();
        }
        ws.say(json!({"type": "cancel", "turn_id": id, "played_ms": 1_200})).await;
        let answer = ws.message_of("turn.cancelled").await;
        answers.push((answer["heard"].clone(), answer["unheard_text"].clone()));
    }
    assert_eq!(answers[1], answers[0]);
    assert_eq!(answers[2], answers[0]);
    assert!(answers[0].0["text"].as_str().unwrap().starts_with(" नमस्ते"), "{answers:?}");
}

#[tokio::test]
async fn damaged_or_missing_file_is_synthesized_again() {
    let (server, cache, folder) = start().await;
    let mut ws = WsClient::open_fast(&server).await;
    let first = turn(&mut ws, "1", TEXT).await;
    turn(&mut ws, "2", TEXT).await;
    until_kept(&cache, 1).await;
    let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_equal(&turn(&mut ws, "3", TEXT).await, &first);
    assert_eq!((counts(&cache).1, cache.stats().corrupt), (0, 1));
    // the next turn is stored again
    turn(&mut ws, "4", TEXT).await;
    until_kept(&cache, 1).await;
    std::fs::remove_file(&path).unwrap();
    assert_equal(&turn(&mut ws, "5", TEXT).await, &first);
}
