//! Tests of a voice whose audio comes from another server: synthesis, splitting at clauses, charging, and errors while
//! that server is unavailable.

use serde_json::json;
use shruti_engine::{Engine, SharedBackends};
use shruti_packs::RemoteManifest;
use shruti_protocol::ErrorCode;
use shruti_remote::RemoteBackend;
use shruti_testkit::{SomeVoices, TestServer};
use shruti_voice::ParametricBackend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

use crate::stream::ws_client::WsClient;

const TEXT: &str = "एक दो। तीन चार।";
/// Number of samples per clause: half a second.
const CLAUSE: usize = 12_000;

/// Binds the listener of the upstream server. Returns its base URL and the listener.
async fn upstream() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    (format!("http://{}/v1", listener.local_addr().unwrap()), listener)
}

async fn serve(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream));
    }
}

async fn answer(mut stream: TcpStream) {
    let mut request = vec![0; 8_192];
    let mut read = 0;
    // the body is JSON and ends with a brace
    while !request[..read].ends_with(b"}") {
        match stream.read(&mut request[read..]).await {
            Ok(more) if more > 0 => read += more,
            _ => return,
        }
    }
    let length = 2 * CLAUSE;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    let sound: Vec<u8> =
        (0..CLAUSE).flat_map(|n| i16::try_from(2_000 + n % 100).unwrap().to_le_bytes()).collect();
    // writing fails if the client has cancelled the request
    let _ = stream.write_all(&[head.into_bytes(), sound].concat()).await;
}

async fn server(url: &str) -> TestServer {
    let manifest = format!(
        "format = 1\nid = 'away'\n[[voice]]\nname = 'Meera'\nlanguages = ['hi']\nupstream = 'x'\n\
         [licence]\nspdx = 'MIT'\nattribution = 'a'\ncommercial = 'yes'\nsource = 'b'\n\
         [remote]\nprotocol = 'openai'\nurl = '{url}'\ninsecure = true\nmodel = 'm'\nrate = 24000\n"
    );
    let manifest = RemoteManifest::parse(&manifest).unwrap();
    let remote = RemoteBackend::new(&manifest, &Handle::current()).unwrap();
    let embedded = SomeVoices::only("Ananya", ParametricBackend::new());
    let server = TestServer::builder().start_with(Engine::builder().backend(embedded)).await;
    server.engine.share(SharedBackends::new().backend(remote)).unwrap();
    server
}

#[tokio::test]
async fn heard_text_without_word_times_is_counted_by_clause() {
    let (url, listener) = upstream().await;
    tokio::spawn(serve(listener));
    let server = server(&url).await;
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"type": "config", "voice": "Meera", "language": "hi", "max_lead_ms": 0})).await;
    assert_eq!(ws.message().await["voice"], "Meera");
    // cancels in the middle of the first clause, at its end, in the second clause, and at the end of the text
    for (played, heard) in [(499, ""), (500, "एक दो।"), (999, "एक दो।"), (1_000, TEXT)] {
        let turn = format!("turn {played}");
        ws.say(json!({"text": TEXT, "turn_id": turn, "final": true})).await;
        let clip = ws.clip(&turn).await;
        assert!(clip.words.is_empty(), "its word times are unknown");
        assert_eq!((clip.bytes.len(), &clip.done["chars"]), (4 * CLAUSE, &json!(TEXT.chars().count())));
        ws.say(json!({"type": "cancel", "turn_id": turn, "played_ms": played})).await;
        let answer = ws.message().await;
        assert_eq!(
            answer["heard"],
            json!({"ms": played, "text": heard, "char_end": heard.chars().count(), "basis": "played_ms",
                "cut_at": "clause"})
        );
        assert_eq!(answer["unheard_text"], TEXT.strip_prefix(heard).unwrap());
    }
    server.idle().await;
    assert_eq!(server.engine.stats().faults, 0);
}

#[tokio::test]
async fn an_unreachable_remote_server_is_overloaded_with_a_retry_time() {
    let (url, listener) = upstream().await;
    drop(listener);
    let server = server(&url).await;
    let reply = server.client().post(json!({"text": TEXT, "voice": "Meera"}).to_string()).await;
    let error = reply.json();
    assert_eq!(
        (reply.status.as_u16(), &error["error"]["code"]),
        (503, &json!(ErrorCode::Overloaded.as_str()))
    );
    assert_eq!(error["error"]["retry_after_ms"], 1_000);
    assert_eq!(reply.header("retry-after"), "1");
}

#[tokio::test]
async fn readiness_is_reported_by_pack_and_by_voice() {
    let (url, listener) = upstream().await;
    drop(listener);
    let server = server(&url).await;
    let client = server.client().with_key(None);
    let ready = async |query: &str| client.get(&format!("/readyz{query}")).await;
    for query in [
        "",
        "?pack=away",
        "?pack=parametric&pack=away",
        "?voice=Meera",
        "?voice=meera&language=hi",
        "?voice=Ananya&language=te",
        "?pack=away&voice=Ananya",
        "?language=ta",
    ] {
        assert_eq!(ready(query).await.status.as_u16(), 200, "{query}");
    }
    for (query, reason) in [
        ("?pack=te-padmavathi", "this pack is not loaded on this server"),
        ("?pack=te-padmavathi&pack=away", "this pack is not loaded on this server"),
        ("?pack=", "this pack is not loaded on this server"),
        ("?voice=Arjun", "this server does not have this voice"),
        ("?voice=Meera&language=te", "does not support this language on this server"),
        ("?pack=away&voice=Meera&language=te", "does not support this language on this server"),
    ] {
        let error = ready(query).await.assert_error(ErrorCode::Overloaded);
        assert!(error["message"].as_str().unwrap().contains(reason), "{query}: {error}");
    }
    for (query, param) in [("?packs=away", "query"), ("?voice=Meera&language=xx", "language")] {
        assert_eq!(ready(query).await.assert_error(ErrorCode::InvalidField)["param"], param, "{query}");
    }

    // after five failures, no requests are sent to the upstream server for a while
    for _ in 0..5 {
        server.client().post(json!({"text": TEXT, "voice": "Meera"}).to_string()).await;
    }
    for query in ["?pack=away", "?voice=Meera"] {
        let error = ready(query).await.assert_error(ErrorCode::Overloaded);
        assert!(error["message"].as_str().unwrap().contains("does not respond"), "{query}: {error}");
    }
    for query in ["", "?voice=Ananya", "?pack=parametric"] {
        assert_eq!(ready(query).await.status.as_u16(), 200, "{query}");
    }
    let metrics = String::from_utf8(client.get("/metrics").await.body.to_vec()).unwrap();
    for line in [
        r#"shruti_backend_usable{backend="away"} 0"#,
        r#"shruti_backend_usable{backend="parametric"} 1"#,
        r#"shruti_backend_max_speeches{backend="away"} 8"#,
        r#"shruti_backend_speeches{backend="away"} 0"#,
        r#"shruti_backend_full_total{backend="away"} 0"#,
        r#"shruti_backend_broken_total{backend="away"} 5"#,
    ] {
        assert!(metrics.lines().any(|given| given == line), "{line} in\n{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_rejected_by_a_full_remote_voice_are_counted() {
    let (url, listener) = upstream().await;
    // the upstream server does not respond, so the streams stay active
    let server = server(&url).await;
    let request = || json!({"text": TEXT, "voice": "Meera", "language": "hi"}).to_string();
    let held: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client();
            tokio::spawn(async move { client.post(request()).await })
        })
        .collect();
    while server.engine.backends()[1].stats.active < 8 {
        tokio::task::yield_now().await;
    }
    server.client().post(request()).await.assert_error(ErrorCode::Overloaded);
    let metrics =
        String::from_utf8(server.client().with_key(None).get("/metrics").await.body.to_vec()).unwrap();
    for line in [
        r#"shruti_backend_speeches{backend="away"} 8"#,
        r#"shruti_backend_full_total{backend="away"} 1"#,
        r#"shruti_backend_full_total{backend="parametric"} 0"#,
    ] {
        assert!(metrics.lines().any(|given| given == line), "{line} in\n{metrics}");
    }
    for speech in held {
        speech.abort();
    }
    drop(listener);
}
