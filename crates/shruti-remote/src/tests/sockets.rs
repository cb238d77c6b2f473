//! Tests over real connections that check when each side closes them.

use std::sync::Arc;
use std::time::Duration;

use shruti_engine::{Engine, Fault, Request, SharedBackends};
use shruti_packs::RemoteManifest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{MANIFEST, TEXT, bytes, tone};
use crate::RemoteBackend;

/// Timeout for expected events. A passing test never waits this long.
const PATIENCE: Duration = Duration::from_mins(1);

/// Event of a connection on the scripted server.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Asked,
    /// The peer closed the connection.
    Closed,
}

/// Starts a server that responds to each request with response headers and `sent` samples, and then waits until the
/// peer closes the connection.
async fn stalling_server(sent: usize) -> (String, mpsc::UnboundedReceiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (seen, events) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, sent, seen.clone()));
        }
    });
    (url, events)
}

async fn answer(mut stream: TcpStream, sent: usize, seen: mpsc::UnboundedSender<Seen>) {
    let mut request = vec![0; 4_096];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    seen.send(Seen::Asked).unwrap();
    if sent > 0 {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\ntransfer-encoding: chunked\r\n\r\n";
        let sound = bytes(&tone(sent));
        let chunk = [format!("{head}{:x}\r\n", sound.len()).into_bytes(), sound, b"\r\n".to_vec()].concat();
        stream.write_all(&chunk).await.unwrap();
    }
    // the peer ends or resets the connection when it no longer needs it
    while stream.read(&mut request).await.is_ok_and(|read| read > 0) {}
    let _ = seen.send(Seen::Closed);
}

fn engine(url: &str) -> Arc<Engine> {
    let manifest = MANIFEST
        .replace("http://127.0.0.1:1/v1", url)
        .replace("rate =", "first_byte_ms = 60000\nnext_byte_ms = 60000\nmax_requests = 200\nrate =");
    let manifest = RemoteManifest::parse(&manifest).unwrap();
    let remote = RemoteBackend::new(&manifest, &Handle::current()).unwrap();
    let engine = Engine::builder().backend(shruti_voice::ParametricBackend::new()).build().unwrap();
    engine.share(SharedBackends::new().backend(remote)).unwrap();
    Arc::new(engine)
}

async fn next(events: &mut mpsc::UnboundedReceiver<Seen>) -> Seen {
    timeout(PATIENCE, events.recv()).await.expect("no request arrived").unwrap()
}

#[tokio::test]
async fn a_cancel_closes_the_request_before_and_after_first_audio() {
    for sent in [0, 24_000] {
        let (url, mut events) = stalling_server(sent).await;
        let engine = engine(&url);
        let mut speech = engine.speak_text(Request::new("Meera"), TEXT).unwrap();
        if sent > 0 {
            let chunk = timeout(PATIENCE, speech.next()).await.expect("no sound").unwrap().unwrap();
            assert!(chunk.marks.is_empty() && chunk.first_audible.is_some());
        }
        assert_eq!(next(&mut events).await, Seen::Asked);
        drop(speech);
        assert_eq!(next(&mut events).await, Seen::Closed, "{sent} samples");
        assert_eq!(engine.stats().active, 0);
    }
}

#[tokio::test]
async fn a_hundred_cancels_leave_no_connection_open() {
    let (url, mut events) = stalling_server(24_000).await;
    let engine = engine(&url);
    let mut random = fastrand::Rng::with_seed(3);
    let mut speeches = Vec::new();
    for _ in 0..100 {
        let mut speech = engine.speak_text(Request::new("Meera"), TEXT).unwrap();
        for _ in 0..random.usize(0..4) {
            timeout(PATIENCE, speech.next()).await.expect("no sound").unwrap().unwrap();
        }
        speeches.push(speech);
        while speeches.len() > random.usize(0..20) {
            speeches.swap_remove(random.usize(0..speeches.len()));
        }
    }
    speeches.clear();
    let (mut requests, mut closed) = (0, 0);
    // a request that was cancelled before it was sent never arrives; this last request arrives after all others
    let last = engine.speak_text(Request::new("Meera"), TEXT).unwrap();
    let mut last = Some(last);
    loop {
        match next(&mut events).await {
            Seen::Asked => requests += 1,
            Seen::Closed => closed += 1,
        }
        if let Some(speech) = &mut last {
            timeout(PATIENCE, speech.next()).await.expect("no sound").unwrap().unwrap();
            last = None;
        }
        if requests == closed && requests > 1 && events.is_empty() {
            break;
        }
    }
    timeout(PATIENCE, engine.idle()).await.expect("speeches did not end");
    assert_eq!(requests, closed);
}

#[tokio::test]
async fn an_unreachable_server_fails_the_speech_as_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let engine = engine(&url);
    let mut speech = engine.speak_text(Request::new("Meera"), TEXT).unwrap();
    let end = timeout(PATIENCE, speech.next()).await.expect("no end").unwrap();
    let Err(Fault::Backend(error)) = end else { panic!("{end:?}") };
    assert!(matches!(error, shruti_backend::BackendError::Unavailable { .. }), "{error}");
}
