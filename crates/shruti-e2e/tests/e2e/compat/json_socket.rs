//! WebSocket client for JSON messages in both directions, with audio optionally in binary messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use http::StatusCode;
use serde_json::Value;
use shruti_testkit::TestServer;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::stream::ws_client::PATIENCE;

/// An open connection.
pub(crate) struct JsonSocket {
    socket: WebSocketStream<TcpStream>,
    /// Subprotocol that the server selected.
    pub(crate) protocol: Option<String>,
}

/// A message from the server.
#[derive(Debug)]
pub(crate) enum Received {
    /// JSON message.
    Json(Value),
    /// Audio in a binary message.
    Sound(Vec<u8>),
}

/// A rejected upgrade.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl JsonSocket {
    /// Opens a path with additional headers.
    pub(crate) async fn open(
        server: &TestServer,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, Refusal> {
        let stream = TcpStream::connect(server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut request = format!("ws://{}{path}", server.address).into_client_request().unwrap();
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match timeout(PATIENCE, client_async(request, stream)).await.expect("no upgrade") {
            Ok((socket, answer)) => {
                let protocol = answer.headers().get("sec-websocket-protocol");
                let protocol = protocol.map(|value| value.to_str().unwrap().to_owned());
                Ok(Self { socket, protocol })
            }
            Err(Error::Http(refusal)) => {
                let body = refusal.body().as_deref().unwrap_or_default();
                let body = serde_json::from_slice(body).unwrap_or(Value::Null);
                Err(Refusal { status: refusal.status(), body })
            }
            Err(error) => panic!("{error}"),
        }
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

    pub(crate) async fn say(&mut self, message: Value) {
        self.say_all([message]).await;
    }

    /// Sends unmodified text. It is not an error if the server closes the connection in the meantime.
    pub(crate) async fn say_raw(&mut self, text: &str) {
        let _ =
            timeout(PATIENCE, self.socket.send(Message::text(text))).await.expect("the server does not read");
    }

    /// Returns the next message. Panics if it is audio. The error is the close code of the server.
    pub(crate) async fn receive(&mut self) -> Result<Value, u16> {
        match self.hear_any().await? {
            Received::Json(message) => Ok(message),
            Received::Sound(sound) => panic!("{} bytes of sound", sound.len()),
        }
    }

    /// Returns the next message. The error is the close code of the server.
    pub(crate) async fn hear_any(&mut self) -> Result<Received, u16> {
        loop {
            let next = timeout(PATIENCE, self.socket.next()).await.expect("the server does not respond");
            match next.expect("the connection ends without a close").expect("the connection failed") {
                Message::Text(text) => return Ok(Received::Json(serde_json::from_str(&text).unwrap())),
                Message::Binary(sound) => return Ok(Received::Sound(sound.to_vec())),
                Message::Ping(_) => {}
                Message::Close(Some(frame)) => return Err(frame.code.into()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Reads messages up to and including the first one for which `is_last` returns `true`.
    pub(crate) async fn receive_until(&mut self, mut is_last: impl FnMut(&Value) -> bool) -> Vec<Value> {
        let mut received = Vec::new();
        loop {
            let message = self.receive().await.expect("closed");
            let last = is_last(&message);
            received.push(message);
            if last {
                return received;
            }
        }
    }

    /// Reads until the Close frame. Returns its code and the messages before it.
    pub(crate) async fn closed(&mut self) -> (u16, Vec<Value>) {
        let mut received = Vec::new();
        loop {
            match self.receive().await {
                Ok(message) => received.push(message),
                Err(code) => return (code, received),
            }
        }
    }
}

/// Decodes a field in base64.
pub(crate) fn decoded(field: &Value) -> Vec<u8> {
    STANDARD.decode(field.as_str().expect("no text")).expect("no base64")
}
