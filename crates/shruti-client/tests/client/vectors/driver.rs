//! Driver that runs conformance vectors: it acts as the server and the user, and controls the clock.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use shruti_client::{Client, Conversation, Error};
use shruti_protocol::SynthesisRequest;
use shruti_protocol::stream::{ClientMessage, ConfigPatch, Text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::matching::{self, Bound};
use super::read;

const KEY: &str = "sk_test";
/// Real-time timeout for each action or event that must happen.
const PATIENCE: Duration = Duration::from_secs(20);
/// Real time that the kernel may take to pass a byte between two sockets of this process.
const SETTLING: Duration = Duration::from_millis(10);

/// Pending call by the user. The call owns the conversation until it completes.
type Call = JoinHandle<(Option<Conversation>, Result<Value, Error>)>;

pub(super) struct Driver {
    listener: TcpListener,
    client: Client,
    socket: Option<WebSocketStream<TcpStream>>,
    /// Open sockets on which the driver no longer reads or writes.
    stalled: Vec<WebSocketStream<TcpStream>>,
    /// Whether the connection stays open after its close frame.
    lingers: bool,
    request: Option<TcpStream>,
    conversation: Option<Conversation>,
    calls: HashMap<String, Call>,
    bound: Bound,
}

/// Sleeps in real time, independently of the paused clock.
async fn real_sleep(time: Duration) {
    let (done, waiting) = oneshot::channel();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        let _ = done.send(());
    });
    let _ = waiting.await;
}

async fn patient<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::select! {
        biased;
        done = work => done,
        () = real_sleep(PATIENCE) => panic!("{what}: nothing came"),
    }
}

async fn settle() {
    for _ in 0..3 {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        real_sleep(SETTLING).await;
    }
}

fn sound(size: &Value) -> Vec<u8> {
    (0..size.as_u64().unwrap()).map(|place| (place % 251) as u8).collect()
}

fn milliseconds(step: &Value, name: &str) -> Option<Duration> {
    step.get(name).and_then(Value::as_u64).map(Duration::from_millis)
}

/// Returns the client message for the arguments of a call.
fn message(kind: &str, step: &Value) -> ClientMessage {
    let mut fields = step.clone();
    fields["type"] = json!(kind);
    ClientMessage::from_json(fields.to_string().as_bytes()).unwrap()
}

fn patch(config: Option<&Value>) -> ConfigPatch {
    let Some(config) = config else { return ConfigPatch::default() };
    match message("config", config) {
        ClientMessage::Config(patch) => patch,
        other => panic!("{other:?}"),
    }
}

impl Driver {
    pub(super) async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = Client::new(&format!("http://{}", listener.local_addr().unwrap()), KEY).unwrap();
        Self {
            listener,
            client,
            socket: None,
            stalled: Vec::new(),
            lingers: false,
            request: None,
            conversation: None,
            calls: HashMap::new(),
            bound: Bound::new(),
        }
    }

    pub(super) async fn play(mut self, vector: &Value) {
        let name = &vector["name"];
        if let Some(opened) = vector.get("opened") {
            let mut call = opened.clone();
            call["call"] = json!("open");
            self.step(&call, "opening").await;
            self.step(&json!({"accept": {}}), "opening").await;
            if let Some(config) = opened.get("config") {
                let mut config = config.clone();
                config["type"] = json!("config");
                self.step(&json!({"client": config}), "opening").await;
            }
            self.step(&json!({"returns": {}, "of": "open"}), "opening").await;
        }
        for step in vector["steps"].as_array().unwrap() {
            self.step(step, &format!("{name}: {step}")).await;
        }
        self.quiet(&format!("{name}: the end")).await;
        drop(self.conversation.take());
        if let Some(mut socket) = self.socket.take() {
            // the client closes the connections that it opened
            let ending = async { while let Some(Ok(_)) = socket.next().await {} };
            patient(&format!("{name}: the end of the connection"), ending).await;
        }
    }

    async fn step(&mut self, step: &Value, at: &str) {
        let kinds = [
            "call",
            "returns",
            "raises",
            "event",
            "ends",
            "accept",
            "refuse",
            "unreachable",
            "client",
            "server",
            "sound",
            "close",
            "cut",
            "stall",
            "lingers",
            "request",
            "answer",
            "advance_ms",
            "settle",
            "quiet",
        ];
        let kind = kinds.into_iter().find(|kind| step.get(kind).is_some()).expect(at);
        let value = &step[kind];
        match kind {
            "call" => self.call(value.as_str().unwrap(), step).await,
            "returns" | "raises" => {
                let outcome = self.answered(step["of"].as_str().unwrap(), at).await;
                let actual = match outcome {
                    Ok(actual) if kind == "returns" => actual,
                    Err(error) if kind == "raises" => matching::error(&error),
                    other => panic!("{at}: {other:?}"),
                };
                self.check(&actual, value, at);
            }
            "event" => {
                let conversation = self.conversation.as_mut().unwrap();
                let event = patient(at, conversation.next()).await.expect(at).expect(at);
                self.check(&matching::event(&event), value, at);
            }
            "ends" => {
                let conversation = self.conversation.as_mut().unwrap();
                match patient(at, conversation.next()).await {
                    None => assert_eq!(*value, json!({}), "{at}"),
                    Some(Err(error)) => {
                        assert!(patient(at, conversation.next()).await.is_none(), "{at}");
                        self.check(&matching::error(&error), value, at);
                    }
                    Some(Ok(event)) => panic!("{at}: {event:?}"),
                }
            }
            "accept" => self.accept(value, at).await,
            "refuse" => self.refuse(value, at).await,
            "unreachable" => {
                let (tcp, _) = patient(at, self.listener.accept()).await.unwrap();
                drop(tcp);
                settle().await;
            }
            "client" => {
                let actual = self.said(at).await;
                matching::check_whole(actual, value, &mut self.bound)
                    .unwrap_or_else(|wrong| panic!("{at}: {wrong}"));
            }
            "server" | "sound" | "close" | "cut" | "stall" => self.serve(kind, value).await,
            "lingers" => self.lingers = true,
            "request" => self.requested(value, at).await,
            "answer" => self.answer(value).await,
            "advance_ms" => {
                settle().await;
                // tokio's timers have a resolution of a millisecond and fire one tick after their time
                tokio::time::advance(Duration::from_millis(value.as_u64().unwrap() + 1)).await;
                settle().await;
                if step.get("accepts").is_some() {
                    self.accept(&json!({}), at).await;
                }
            }
            "settle" => settle().await,
            _ => self.quiet(at).await,
        }
    }

    fn check(&mut self, actual: &Value, wanted: &Value, at: &str) {
        matching::check(actual, wanted, &mut self.bound).unwrap_or_else(|wrong| panic!("{at}: {wrong}"));
    }

    // actions of the user

    async fn call(&mut self, call: &str, step: &Value) {
        let turn = step.get("turn_id").and_then(Value::as_str).unwrap_or_default();
        let played = milliseconds(step, "played_ms");
        match call {
            "open" => {
                let (client, config) = (self.client.clone(), patch(step.get("config")));
                let opening = async move {
                    match client.converse_with(config).await {
                        Ok(conversation) => {
                            let greeting = json!({"session_id": conversation.session_id});
                            (Some(conversation), Ok(greeting))
                        }
                        Err(error) => (None, Err(error)),
                    }
                };
                self.calls.insert(call.to_owned(), tokio::spawn(opening));
            }
            "interrupt" | "cancel" => {
                let mut conversation = self.conversation.take().unwrap();
                let is_for_all = call == "interrupt";
                let turn = (!turn.is_empty()).then(|| turn.to_owned());
                let cancelling = async move {
                    let answer = match (turn, played) {
                        (Some(turn), Some(played)) if is_for_all => {
                            conversation.barge_in_at(&turn, played).await
                        }
                        (Some(turn), _) => conversation.cancel(&turn, played).await,
                        (None, _) => conversation.barge_in(played).await,
                    };
                    (Some(conversation), answer.map(|answer| matching::cancelled(&answer)))
                };
                self.calls.insert(call.to_owned(), tokio::spawn(cancelling));
            }
            "clip" => {
                let client = self.client.clone();
                // not deserialised, because values out of range must reach the server
                let mut request = SynthesisRequest::new(step["text"].as_str().unwrap());
                request.voice = step["voice"].as_str().map(Into::into);
                request.language = step["language"].as_str().map(|code| code.parse().unwrap());
                request.speed = step["speed"].as_f64().unwrap_or(request.speed);
                request.engine = step["engine"].as_str().map(|engine| engine.parse().unwrap());
                self.calls.insert(
                    call.to_owned(),
                    tokio::spawn(async move { (None, clip(client, request).await) }),
                );
            }
            _ => {
                let conversation = self.conversation.as_mut().unwrap();
                let done = match call {
                    "begin" | "say" => {
                        let ClientMessage::Text(text) = message("text", step) else { panic!("{step}") };
                        conversation.begin_with(Text { last: call == "say", ..text }).await.map(drop)
                    }
                    "append" => conversation.append(turn, step["text"].as_str().unwrap()).await,
                    "end" => conversation.end(turn).await,
                    "flush" => conversation.flush(turn).await,
                    "played" => conversation.played(turn, played.unwrap()).await,
                    "configure" => conversation.configure(patch(step.get("config"))).await,
                    "finish" => conversation.finish().await,
                    other => panic!("no such call: {other}"),
                };
                done.unwrap();
            }
        }
    }

    async fn answered(&mut self, of: &str, at: &str) -> Result<Value, Error> {
        let call = self.calls.remove(of).expect(at);
        let (conversation, outcome) = patient(at, call).await.unwrap();
        self.conversation = conversation.or(self.conversation.take());
        outcome
    }

    // actions of the server

    async fn accept(&mut self, value: &Value, at: &str) {
        let (tcp, _) = patient(at, self.listener.accept()).await.unwrap();
        let wanted = format!("Bearer {}", value.get("credential").and_then(Value::as_str).unwrap_or(KEY));
        #[allow(clippy::result_large_err, reason = "the signature is the library's")]
        let judge = |request: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
            assert_eq!(request.uri().path(), "/v1/tts/stream");
            assert_eq!(request.headers()["authorization"], wanted.as_str());
            response.headers_mut().insert("sec-websocket-protocol", "tts.v1".parse().unwrap());
            Ok(response)
        };
        let mut socket = patient(at, accept_hdr_async(tcp, judge)).await.unwrap();
        if value.get("greet") != Some(&json!(false)) {
            socket.send(Message::text(read("ready").to_string())).await.unwrap();
        }
        self.socket = Some(socket);
    }

    async fn refuse(&mut self, value: &Value, at: &str) {
        let (mut tcp, _) = patient(at, self.listener.accept()).await.unwrap();
        patient(at, head(&mut tcp)).await;
        tcp.write_all(&answer(value)).await.unwrap();
        settle().await;
    }

    /// Returns the next text message from the client.
    async fn said(&mut self, at: &str) -> Value {
        let socket = self.socket.as_mut().expect(at);
        loop {
            match patient(at, socket.next()).await {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(text.as_str()).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("{at}: {other:?}"),
            }
        }
    }

    async fn serve(&mut self, kind: &str, value: &Value) {
        let socket = self.socket.as_mut().unwrap();
        match kind {
            "server" => {
                let message = matching::fill(value, &self.bound);
                socket.send(Message::text(message.to_string())).await.unwrap();
            }
            "sound" => socket.send(Message::binary(sound(value))).await.unwrap(),
            "close" => {
                let code = u16::try_from(value["code"].as_u64().unwrap()).unwrap();
                let reason = value["reason"].as_str().unwrap().to_owned();
                let frame = CloseFrame { code: code.into(), reason: reason.into() };
                socket.send(Message::Close(Some(frame))).await.unwrap();
                let mut socket = self.socket.take().unwrap();
                if std::mem::take(&mut self.lingers) {
                    self.stalled.push(socket);
                } else {
                    tokio::spawn(async move { while let Some(Ok(_)) = socket.next().await {} });
                }
                settle().await;
            }
            "cut" => {
                self.socket = None;
                settle().await;
            }
            _ => self.stalled.extend(self.socket.take()),
        }
    }

    async fn requested(&mut self, value: &Value, at: &str) {
        let (mut tcp, _) = patient(at, self.listener.accept()).await.unwrap();
        let (head, body) = patient(at, head(&mut tcp)).await;
        assert!(head.starts_with("POST /v1/tts HTTP/1.1\r\n"), "{at}: {head}");
        let wanted = format!("authorization: Bearer {KEY}");
        assert!(head.contains(&wanted) && head.contains("content-type: application/json"), "{at}: {head}");
        let actual: Value = serde_json::from_slice(&body).unwrap();
        let checked = matching::check_whole(actual, &value["body"], &mut self.bound);
        checked.unwrap_or_else(|wrong| panic!("{at}: {wrong}"));
        self.request = Some(tcp);
    }

    async fn answer(&mut self, value: &Value) {
        let mut tcp = self.request.take().unwrap();
        tcp.write_all(&answer(value)).await.unwrap();
        settle().await;
    }

    async fn quiet(&mut self, at: &str) {
        settle().await;
        assert!(self.listener.accept().now_or_never().is_none(), "{at}: a client connects");
        if let Some(conversation) = &mut self.conversation {
            let event = conversation.next().now_or_never().flatten();
            assert!(event.is_none(), "{at}: {event:?}");
        }
        if let Some(socket) = &mut self.socket {
            let message = socket.next().now_or_never().flatten();
            assert!(!matches!(message, Some(Ok(Message::Text(_)))), "{at}: {message:?}");
        }
    }
}

/// Requests a complete clip.
async fn clip(client: Client, request: SynthesisRequest) -> Result<Value, Error> {
    let clip = client.speak(&request).await?;
    let mut properties = json!({"voice": clip.voice, "language": clip.language, "engine": clip.engine, "chars": clip.chars,
        "ttfa_ms": clip.server_first_audio.map(|time| time.as_secs_f64() * 1_000.0), "request_id": clip.request_id});
    properties["bytes"] = json!(clip.collect().await?.len() * 2);
    Ok(properties)
}

/// Reads a request. Returns its head and its body.
async fn head(tcp: &mut TcpStream) -> (String, Vec<u8>) {
    let mut received = BytesMut::new();
    loop {
        if let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(received.split_to(end + 4).to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.parse().unwrap());
            while received.len() < length {
                assert!(tcp.read_buf(&mut received).await.unwrap() > 0);
            }
            return (head, received.to_vec());
        }
        assert!(tcp.read_buf(&mut received).await.unwrap() > 0);
    }
}

/// Formats an HTTP/1.1 response.
fn answer(value: &Value) -> Vec<u8> {
    let body = match (value.get("sound"), value.get("body")) {
        (Some(size), _) => sound(size),
        (None, Some(Value::String(text))) => text.clone().into_bytes(),
        (None, body) => body.unwrap().to_string().into_bytes(),
    };
    // a response that will be cut off announces a longer body
    let length = body.len() + if value.get("cut").is_some() { 100 } else { 0 };
    let mut head =
        format!("HTTP/1.1 {} x\r\ncontent-length: {length}\r\nconnection: close\r\n", value["status"]);
    for (name, text) in value.get("headers").and_then(Value::as_object).into_iter().flatten() {
        write!(head, "{name}: {}\r\n", text.as_str().unwrap()).unwrap();
    }
    [head.as_bytes(), b"\r\n", &body].concat()
}
