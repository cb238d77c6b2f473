//! A WebSocket client that checks what it receives, and random numbers for tests.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::StatusCode;
use serde_json::{Value, json};
use shruti_testkit::TestServer;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Timeout for each wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An open connection.
pub(crate) struct WsClient {
    pub(crate) socket: WebSocketStream<TcpStream>,
    pub(crate) ready: Value,
}

/// A message or a block of audio from the server.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Value),
    Sound(Bytes),
    Pong(Bytes),
    Closed { code: u16, reason: String },
}

/// A received turn.
#[derive(Debug, Default)]
pub(crate) struct Clip {
    pub(crate) bytes: Vec<u8>,
    /// Word timestamps, each with the duration of the audio received before it, in milliseconds.
    pub(crate) words: Vec<(Value, u64)>,
    pub(crate) started: Value,
    pub(crate) done: Value,
}

impl WsClient {
    /// Opens a conversation with the server's key.
    pub(crate) async fn open(server: &TestServer) -> Self {
        Self::open_with(server, &server.key).await
    }

    /// Opens a conversation with a key or a token in the `Authorization` header.
    pub(crate) async fn open_with(server: &TestServer, key: &str) -> Self {
        Self::open_by(server, "", &[("authorization", &format!("Bearer {key}"))]).await
    }

    /// Opens a conversation with a query and headers.
    pub(crate) async fn open_by(server: &TestServer, query: &str, headers: &[(&str, &str)]) -> Self {
        Self::try_open_by(server, query, headers).await.expect("it is refused")
    }

    /// Opens a conversation with a key. The error is the status of the rejection.
    pub(crate) async fn try_open(server: &TestServer, key: &str) -> Result<Self, StatusCode> {
        Self::try_open_by(server, "", &[("authorization", &format!("Bearer {key}"))]).await
    }

    async fn try_open_by(
        server: &TestServer,
        query: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, StatusCode> {
        let stream = TcpStream::connect(server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let url = format!("ws://{}/v1/tts/stream{query}", server.address);
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let (socket, _) = match timeout(PATIENCE, client_async(request, stream)).await.expect("no upgrade") {
            Ok(opened) => opened,
            Err(Error::Http(refusal)) => return Err(refusal.status()),
            Err(error) => panic!("{error}"),
        };
        let mut ws = Self { socket, ready: Value::Null };
        ws.ready = ws.message().await;
        assert_eq!(ws.ready["type"], "ready");
        Ok(ws)
    }

    /// Opens a conversation without a lead limit: audio arrives as fast as it is read.
    pub(crate) async fn open_fast(server: &TestServer) -> Self {
        let mut ws = Self::open(server).await;
        ws.say(json!({"type": "config", "max_lead_ms": 0})).await;
        assert_eq!(ws.message().await["max_lead_ms"], 0);
        ws
    }

    /// Sends messages in a single write.
    pub(crate) async fn say_all(&mut self, messages: impl IntoIterator<Item = Value>) {
        let all = async {
            for message in messages {
                self.socket.feed(Message::text(message.to_string())).await.unwrap();
            }
            self.socket.flush().await.unwrap();
        };
        timeout(PATIENCE, all).await.expect("the server does not read");
    }

    /// Sends a message.
    pub(crate) async fn say(&mut self, message: Value) {
        self.say_all([message]).await;
    }

    /// Sends a frame unchanged. It is not an error if the server closes the connection in the meantime.
    pub(crate) async fn send(&mut self, message: Message) {
        // a server that rejects a request may close the connection before it has read everything
        let _ = timeout(PATIENCE, self.socket.send(message)).await.expect("the server does not read");
    }

    /// Returns the next message or block of audio. Pings are answered and skipped.
    pub(crate) async fn receive(&mut self) -> Received {
        let next = loop {
            let next = timeout(PATIENCE, self.socket.next()).await.expect("the server does not respond");
            let next = next.expect("the connection ends without a close").expect("the connection failed");
            if !matches!(next, Message::Ping(_)) {
                break next;
            }
        };
        match next {
            Message::Text(text) => Received::Message(serde_json::from_str(&text).unwrap()),
            Message::Binary(sound) => Received::Sound(sound),
            Message::Pong(payload) => Received::Pong(payload),
            Message::Close(Some(frame)) => {
                Received::Closed { code: frame.code.into(), reason: frame.reason.to_string() }
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the next message. Audio before it is dropped.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            match self.receive().await {
                Received::Message(message) => return message,
                Received::Sound(_) => {}
                other => panic!("{other:?} instead of a message"),
            }
        }
    }

    /// Returns the next message of the given type. Other messages and audio before it are dropped.
    pub(crate) async fn message_of(&mut self, kind: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Reads until the next block of audio and returns it.
    pub(crate) async fn sound(&mut self) -> Bytes {
        loop {
            match self.receive().await {
                Received::Sound(sound) => return sound,
                Received::Message(_) => {}
                other => panic!("{other:?} instead of sound"),
            }
        }
    }

    /// Reads a turn to its `turn.done`. Panics if its messages are in the wrong order.
    pub(crate) async fn clip(&mut self, turn: &str) -> Clip {
        let mut clip = Clip::default();
        loop {
            match self.receive().await {
                Received::Sound(sound) => {
                    assert!(!clip.started.is_null(), "{turn}: sound before turn.started");
                    assert!(!sound.is_empty() && sound.len().is_multiple_of(2), "{turn}: incomplete samples");
                    clip.bytes.extend_from_slice(&sound);
                }
                Received::Message(message) => {
                    assert_eq!(message["turn_id"], turn, "{message}");
                    match message["type"].as_str().unwrap() {
                        "turn.started" => {
                            assert!(clip.started.is_null(), "{turn}: twice");
                            clip.started = message;
                        }
                        "words" => {
                            let words = message["words"].as_array().unwrap();
                            assert!(!words.is_empty(), "{turn}: empty words");
                            let ms = sound_ms(clip.bytes.len());
                            clip.words.extend(words.iter().map(|word| (word.clone(), ms)));
                        }
                        "turn.done" => {
                            assert_eq!(message["audio_ms"], sound_ms(clip.bytes.len()), "{message}");
                            clip.done = message;
                            return clip;
                        }
                        _ => panic!("{message}"),
                    }
                }
                other => panic!("{other:?} in the middle of {turn}"),
            }
        }
    }

    /// Starts turns until one is rejected, and returns the error. The first turns may be accepted, because the
    /// server caches keys for a moment.
    pub(crate) async fn refused_turn(&mut self) -> Value {
        let began = Instant::now();
        for number in 0_u64.. {
            assert!(began.elapsed() < PATIENCE, "the key still opens turns");
            self.say(json!({"text": "a", "turn_id": number.to_string(), "final": true})).await;
            loop {
                match self.receive().await {
                    Received::Message(message) if message["type"] == "turn.done" => break,
                    Received::Message(message) if message["type"] == "error" => return message,
                    Received::Message(_) | Received::Sound(_) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
        unreachable!("the timeout ends the loop first")
    }

    /// Reads until the Close frame. Returns its code and the messages before it.
    pub(crate) async fn closed(&mut self) -> (u16, Vec<Value>) {
        let mut messages = Vec::new();
        loop {
            match self.receive().await {
                Received::Message(message) => messages.push(message),
                Received::Sound(_) | Received::Pong(_) => {}
                Received::Closed { code, reason } => {
                    self.assert_reason(code, &reason);
                    return (code, messages);
                }
            }
        }
    }

    /// Panics if a close reason is not `<code name> <request id>`.
    pub(crate) fn assert_reason(&self, code: u16, reason: &str) {
        let name = shruti_protocol::stream::CloseCode::from_number(code).expect("a documented code");
        let id = self.ready["session_id"].as_str().unwrap();
        assert_eq!(reason, format!("{name} {id}"));
    }
}

/// Returns the duration of `bytes` bytes of audio, in whole milliseconds.
pub(crate) fn sound_ms(bytes: usize) -> u64 {
    (bytes / 2) as u64 * 1_000 / u64::from(shruti_lang::SAMPLE_RATE)
}

/// Returns the characters of a text between two positions.
pub(crate) fn part(text: &str, from: u64, to: u64) -> String {
    text.chars().skip(from as usize).take((to - from) as usize).collect()
}

/// Random number generator with the same numbers in every run (xorshift64*, Marsaglia 2003, Vigna 2016).
pub(crate) struct SeededRng(u64);

impl SeededRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// Returns `true` with a probability of 1 in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}
