//! Tests of the Wyoming protocol over real sockets.

use std::sync::Arc;

use serde_json::{Value, json};
use shruti_clock::{Clock, SystemClock};
use shruti_engine::Engine;
use shruti_lang::Language;
use shruti_service::WyomingConfig;
use shruti_store::{Actor, KeyLimits, KeySpec, SqliteStore};
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{FaultyBackend, SimulatedFailure, TestClock, TestServer, TestServerBuilder};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::long_text;
use crate::metering::usage;

const TEXT: &str = "नमस्ते, आप कैसे हैं? आज 25 तारीख है।";

/// A server with the Wyoming protocol, and the key that is charged.
struct Wyoming {
    server: TestServer,
    address: std::net::SocketAddr,
    key: String,
    prefix: shruti_store::KeyPrefix,
    _store: tempfile::TempDir,
}

impl Wyoming {
    async fn start() -> Self {
        Self::start_with(KeySpec::named("home"), TestServer::builder()).await
    }

    async fn start_with(spec: KeySpec, builder: TestServerBuilder) -> Self {
        let engine = Engine::builder().backend(shruti_voice::ParametricBackend::new());
        Self::start_speaking(spec, builder, engine).await
    }

    async fn start_speaking(
        spec: KeySpec,
        builder: TestServerBuilder,
        engine: shruti_engine::EngineBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap().shared();
        let now_ms = SystemClock::new().now().wall_ms;
        let made = store.create_operator_key(spec, now_ms).await.unwrap();
        let prefix = made.record.prefix.clone();
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await.unwrap());
        let address = listener.local_addr().unwrap();
        let config = WyomingConfig { listener, key: prefix.clone() };
        let builder = builder.store(store).config(|all| all.wyoming = Some(config));
        let server = builder.start_with(engine).await;
        Self { server, address, key: made.secret.reveal().to_owned(), prefix, _store: folder }
    }

    async fn connect(&self) -> WyomingClient {
        WyomingClient { stream: BufReader::new(TcpStream::connect(self.address).await.unwrap()) }
    }

    async fn clip(&self, body: Value) -> Vec<u8> {
        self.server.client().post(body.to_string()).await.body.to_vec()
    }
}

struct WyomingClient {
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
struct Event {
    kind: String,
    data: Value,
    payload: Vec<u8>,
}

/// Events received for a text.
#[derive(Debug, Default)]
struct ReceivedSpeech {
    sound: Vec<u8>,
    kinds: Vec<String>,
}

impl WyomingClient {
    async fn send(&mut self, kind: &str, data: Value) {
        let event = json!({"type": kind, "data": data});
        self.send_bytes(format!("{event}\n").as_bytes()).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).await.unwrap();
    }

    /// Returns the next event, or `None` at the end of the connection.
    async fn next(&mut self) -> Option<Event> {
        timeout(PATIENCE, self.read()).await.expect("the server does not respond")
    }

    async fn read(&mut self) -> Option<Event> {
        let mut line = Vec::new();
        // a reset counts as the end of the connection
        if self.stream.read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
            return None;
        }
        let header: Value = serde_json::from_slice(&line).unwrap();
        assert!(header["data_length"].is_null());
        let mut payload = vec![0; header["payload_length"].as_u64().unwrap_or(0) as usize];
        self.stream.read_exact(&mut payload).await.ok()?;
        Some(Event {
            kind: header["type"].as_str().unwrap().to_owned(),
            data: header["data"].clone(),
            payload,
        })
    }

    /// Reads up to and including an event of the given type.
    async fn until(&mut self, last: &str) -> ReceivedSpeech {
        let mut received = ReceivedSpeech::default();
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no {last} after {:?}", received.kinds));
            if event.kind == "audio-chunk" {
                assert_eq!(event.data, json!({"rate": 24_000, "width": 2, "channels": 1}));
                assert!(!event.payload.is_empty() && event.payload.len().is_multiple_of(2));
                received.sound.extend(event.payload);
            }
            if received.kinds.last() != Some(&event.kind) {
                received.kinds.push(event.kind);
            }
            if received.kinds.last().is_some_and(|kind| kind == last) {
                return received;
            }
        }
    }

    /// Reads an error event and then the end of the connection. Returns the code of the error.
    async fn error(&mut self) -> String {
        let mut code = None;
        while let Some(event) = self.next().await {
            assert_eq!(code, None, "{event:?} after the error");
            if event.kind == "error" {
                assert!(event.data["text"].as_str().is_some_and(|text| text.len() > 10), "{event:?}");
                code = Some(event.data["code"].as_str().unwrap().to_owned());
            }
        }
        code.expect("an error")
    }
}

#[tokio::test]
async fn info_has_a_voice_for_each_language_of_each_voice() {
    let wyoming = Wyoming::start().await;
    let mut client = wyoming.connect().await;
    client.send("describe", json!({})).await;
    let info = client.next().await.unwrap();
    assert_eq!(info.kind, "info");
    let program = &info.data["tts"][0];
    assert_eq!((&program["name"], &program["installed"]), (&json!("shruti"), &json!(true)));
    assert_eq!(program["supports_synthesize_streaming"], true);
    let voices = program["voices"].as_array().unwrap();
    assert_eq!(voices.len(), 2 * Language::ALL.len());
    for (name, language) in [("hi-Ananya", "hi"), ("or-Arjun", "or"), ("en-Ananya", "en")] {
        let voice = voices.iter().find(|voice| voice["name"] == name).unwrap();
        assert_eq!(voice["languages"], json!([language]));
        assert!(voice["attribution"]["name"].is_string() && voice["attribution"]["url"].is_string());
    }
    client.send("ping", json!({"text": "a"})).await;
    let pong = client.next().await.unwrap();
    assert_eq!((pong.kind.as_str(), &pong.data), ("pong", &json!({"text": "a"})));
}

#[tokio::test]
async fn a_client_cannot_choose_the_error_that_is_counted() {
    let wyoming = Wyoming::start().await;
    let mut client = wyoming.connect().await;
    let error = json!({"code": "internal_error", "message": "as if the server had failed"});
    client.send("malformed", error.clone()).await;
    let event = json!({"type": "describe", "malformed": error});
    client.send_bytes(format!("{event}\n").as_bytes()).await;
    assert_eq!(client.next().await.unwrap().kind, "info");
}

#[tokio::test]
async fn a_text_matches_the_clip_of_its_voice_and_language() {
    let wyoming = Wyoming::start().await;
    let mut client = wyoming.connect().await;
    for (voice, voice_of_clip, language) in [
        (Value::Null, "Ananya", None),
        (json!({"name": "hi-Arjun"}), "Arjun", Some("hi")),
        (json!({"name": "arjun", "speaker": null}), "Arjun", None),
        (json!({"name": "mr-Ananya"}), "Ananya", Some("mr")),
        (json!({"language": "bn"}), "Ananya", Some("bn")),
    ] {
        client.send("synthesize", json!({"text": TEXT, "voice": voice, "text_format": "text"})).await;
        let received = client.until("audio-stop").await;
        assert_eq!(received.kinds, ["audio-start", "audio-chunk", "audio-stop"]);
        let mut body = json!({"text": TEXT, "voice": voice_of_clip});
        body["language"] = json!(language);
        assert_eq!(received.sound, wyoming.clip(body).await, "{voice}");
    }
    for silent in ["", " ", "🙂"] {
        client.send("synthesize", json!({"text": silent})).await;
        let received = client.until("audio-stop").await;
        assert_eq!(received.kinds, ["audio-start", "audio-stop"], "{silent:?}");
    }
}

#[tokio::test]
async fn a_chunked_text_matches_the_clip_and_its_copy_is_ignored() {
    let wyoming = Wyoming::start().await;
    let mut client = wyoming.connect().await;
    for _ in 0..2 {
        client.send("synthesize-start", json!({"voice": {"name": "hi-Arjun"}})).await;
        for piece in TEXT.split_inclusive(' ') {
            client.send("synthesize-chunk", json!({"text": piece})).await;
        }
        client.send("synthesize", json!({"text": TEXT})).await;
        client.send("synthesize-stop", json!({})).await;
        let received = client.until("synthesize-stopped").await;
        assert_eq!(received.kinds, ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"]);
        assert_eq!(
            received.sound,
            wyoming.clip(json!({"text": TEXT, "voice": "Arjun", "language": "hi"})).await
        );
    }
    // the first sentence is spoken before the text is complete
    client.send("synthesize-start", json!({})).await;
    client.send("synthesize-chunk", json!({"text": "नमस्ते। आप "})).await;
    client.until("audio-chunk").await;
    client.send("synthesize-stop", json!({})).await;
    client.until("synthesize-stopped").await;
    client.send("synthesize-start", json!({})).await;
    client.send("synthesize-stop", json!({})).await;
    let received = client.until("synthesize-stopped").await;
    assert_eq!(received.kinds, ["audio-start", "audio-stop", "synthesize-stopped"], "nothing to say");
}

#[tokio::test]
async fn speech_is_charged_to_the_key_and_ends_with_it() {
    let spec = KeySpec { monthly_cap: Some(40), ..KeySpec::named("home") };
    let wyoming = Wyoming::start_with(spec, TestServer::builder()).await;
    let mut client = wyoming.connect().await;
    client.send("synthesize", json!({"text": "hello there", "voice": {"name": "en-Ananya"}})).await;
    client.until("audio-stop").await;
    let of_key = wyoming.server.client().with_key(Some(&wyoming.key));
    let reported = usage(&of_key).await;
    assert_eq!(
        (reported.days.len(), reported.days[0].api.as_str(), reported.total.chars),
        (1, "wyoming", 11)
    );

    client.send("synthesize", json!({"text": long_text(500)})).await;
    assert_eq!(client.error().await, "quota_exhausted");
    wyoming.server.store.revoke_key(Actor::Operator, wyoming.prefix.clone(), 1).await.unwrap();
    while of_key.get("/v1/usage").await.status != http::StatusCode::UNAUTHORIZED {}
    assert_eq!(wyoming.connect().await.error().await, "revoked_api_key");
}

#[tokio::test]
async fn limits_of_the_key_apply() {
    let limits = KeyLimits { streams: Some(1), ..KeyLimits::default() };
    let spec = KeySpec { limits, ..KeySpec::named("home") };
    let wyoming = Wyoming::start_with(spec, TestServer::builder()).await;
    let mut first = wyoming.connect().await;
    first.send("ping", json!({})).await;
    first.next().await.unwrap();
    assert_eq!(wyoming.connect().await.error().await, "concurrency_limited");
}

#[tokio::test]
async fn a_disconnected_client_ends_the_work() {
    let wyoming = Wyoming::start().await;
    let mut client = wyoming.connect().await;
    client.send("synthesize", json!({"text": long_text(5_000)})).await;
    client.until("audio-chunk").await;
    drop(client);
    wyoming.server.idle().await;
    let stats = wyoming.server.engine.stats();
    assert_eq!((stats.cancelled, stats.completed), (1, 0));
    assert!(stats.samples < 2_000_000, "{} samples were rendered without a listener", stats.samples);
}

#[tokio::test]
async fn errors_are_sent_and_end_the_connection() {
    let wyoming = Wyoming::start().await;
    let long = format!("{{\"type\":\"synthesize\",\"data\":{{\"text\":\"{}\"}}}}\n", "a".repeat(5_001));
    let endless = "x".repeat(70_000);
    for (bytes, code) in [
        ("nonsense\n", "invalid_json"),
        ("\n", "invalid_json"),
        ("[]\n", "invalid_json"),
        ("{}\n", "invalid_field"),
        ("{\"type\":\"synthesize\"}\n", "missing_field"),
        ("{\"type\":\"synthesize\",\"data\":{\"text\":7}}\n", "invalid_field"),
        ("{\"type\":\"synthesize\",\"data\":{\"text\":\"a\",\"voice\":\"Ananya\"}}\n", "invalid_field"),
        (
            "{\"type\":\"synthesize\",\"data\":{\"text\":\"a\",\"voice\":{\"name\":\"Anita\"}}}\n",
            "unknown_voice",
        ),
        (
            "{\"type\":\"synthesize\",\"data\":{\"text\":\"a\",\"voice\":{\"name\":\"hi-Anita\"}}}\n",
            "unknown_voice",
        ),
        (
            "{\"type\":\"synthesize\",\"data\":{\"text\":\"a\",\"voice\":{\"language\":\"fr\"}}}\n",
            "unsupported_language",
        ),
        ("{\"type\":\"synthesize-chunk\",\"data\":{\"text\":\"a\"}}\n", "invalid_field"),
        ("{\"type\":\"synthesize-stop\"}\n", "invalid_field"),
        ("{\"type\":\"synthesize\",\"data_length\":9999999999}\n", "invalid_field"),
        ("{\"type\":\"audio-chunk\",\"payload_length\":-1}\n", "invalid_field"),
        (&long, "text_too_long"),
        (&endless, "invalid_field"),
    ] {
        let mut client = wyoming.connect().await;
        client.send_bytes(bytes.as_bytes()).await;
        assert_eq!(client.error().await, code, "{bytes:.60}");
    }
    let mut client = wyoming.connect().await;
    client.send("transcribe", json!({"a": 1})).await;
    client.send_bytes(b"{\"type\":\"audio-chunk\",\"payload_length\":5}\n\n\n\n\n\n").await;
    client.send("ping", json!({})).await;
    assert_eq!(client.next().await.unwrap().kind, "pong", "events of other services are ignored");
    assert_eq!(wyoming.server.client().get("/healthz").await.status, http::StatusCode::OK);
}

#[tokio::test]
async fn a_failed_voice_ends_the_connection_with_its_error() {
    let engine = Engine::builder().backend(FaultyBackend::new(SimulatedFailure::PanicAfter(20)));
    let wyoming = Wyoming::start_speaking(KeySpec::named("home"), TestServer::builder(), engine).await;
    let mut client = wyoming.connect().await;
    client.send("synthesize", json!({"text": "a"})).await;
    assert_eq!(client.error().await, "internal");
}

#[tokio::test]
async fn connections_are_bounded() {
    let wyoming = Wyoming::start().await;
    let mut open = Vec::new();
    for _ in 0..64 {
        let mut client = wyoming.connect().await;
        client.send("ping", json!({})).await;
        client.next().await.unwrap();
        open.push(client);
    }
    assert!(wyoming.connect().await.next().await.is_none(), "one more connection is closed");
    drop(open.pop());
    // the server frees the connection slot only after it detects that the client has disconnected
    loop {
        let mut client = wyoming.connect().await;
        client.send_bytes(b"{\"type\":\"ping\"}\n").await;
        if client.next().await.is_some() {
            break;
        }
    }
    assert_eq!(wyoming.server.client().get("/healthz").await.status, http::StatusCode::OK);
}

#[tokio::test]
async fn slow_and_idle_clients_are_disconnected() {
    let clock = Arc::new(TestClock::new());
    let builder = TestServer::builder().clock(Arc::clone(&clock) as _);
    let wyoming = Wyoming::start_with(KeySpec::named("home"), builder).await;
    let second = std::time::Duration::from_secs;
    let mut slow = wyoming.connect().await;
    slow.send_bytes(b"{\"type\":").await;
    clock.wait_for_waiter(|at| at == second(10)).await;
    clock.advance(second(10));
    assert!(slow.next().await.is_none(), "an event takes 10 s at most");

    let mut idle = wyoming.connect().await;
    for at in [20, 40] {
        idle.send("ping", json!({})).await;
        assert_eq!(idle.next().await.unwrap().kind, "pong");
        clock.advance_to(second(10 + at));
    }
    idle.send("ping", json!({})).await;
    assert_eq!(
        idle.next().await.unwrap().kind,
        "pong",
        "the pings of a conversation are not for these clients"
    );
    clock.advance_to(second(71));
    assert!(idle.next().await.is_none(), "a ping does not extend the timeout");
}
