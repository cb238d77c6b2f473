//! A small server for `POST /v1/audio/speech` that speaks with the built-in voices, for testing remote voices:
//!
//! ```sh
//! cargo run --release -p shruti-remote --example upstream [ADDRESS]
//! ```
//!
//! The default address is 127.0.0.1:8880.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::{Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use shruti_engine::{Engine, Speech};
use shruti_voice::ParametricBackend;
use tokio::net::TcpListener;

/// Maximum size of a request, in bytes.
const MAX_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
struct Ask {
    input: String,
    voice: String,
    #[serde(default = "one")]
    speed: f32,
}

fn one() -> f32 {
    1.0
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8880".to_owned());
    let engine = Engine::builder().backend(ParametricBackend::new()).build()?;
    let engine: &'static Engine = Box::leak(Box::new(engine));
    let listener = TcpListener::bind(&address).await?;
    eprintln!("http://{}/v1/audio/speech", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let service =
                service_fn(move |request| async move { Ok::<_, Infallible>(answer(engine, request).await) });
            let served =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = served.await {
                eprintln!("a connection ended: {error}");
            }
        });
    }
}

async fn answer(engine: &Engine, request: Request<Incoming>) -> Response<Body> {
    if request.method() != Method::POST || request.uri().path() != "/v1/audio/speech" {
        return refusal(StatusCode::NOT_FOUND, "the only endpoint is POST /v1/audio/speech");
    }
    let Ok(body) = Limited::new(request.into_body(), MAX_BYTES).collect().await else {
        return refusal(StatusCode::BAD_REQUEST, "the body is incomplete or too long");
    };
    let ask: Ask = match serde_json::from_slice(&body.to_bytes()) {
        Ok(ask) => ask,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let request = shruti_engine::Request { speed: ask.speed, ..shruti_engine::Request::new(ask.voice) };
    match engine.speak_text(request, &ask.input) {
        Ok(speech) => {
            let mut response = Response::new(StreamBody::new(sound(speech)).boxed_unsync());
            response.headers_mut().insert("content-type", http::HeaderValue::from_static("audio/pcm"));
            response
        }
        Err(refused) => refusal(StatusCode::BAD_REQUEST, &refused.to_string()),
    }
}

/// Returns the audio chunks of a [`Speech`] as a body stream. If synthesis fails, the stream ends early.
fn sound(speech: Speech) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, Infallible>> + Send {
    stream::unfold(speech, |mut speech| async move {
        let chunk = speech.next().await?.ok()?;
        let bytes: Vec<u8> = chunk.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        Some((Ok(Frame::data(Bytes::from(bytes))), speech))
    })
}

fn refusal(status: StatusCode, why: &str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(why.to_owned())).boxed_unsync());
    *response.status_mut() = status;
    response
}
