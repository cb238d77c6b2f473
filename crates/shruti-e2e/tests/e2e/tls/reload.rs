//! Tests of certificates that change while the server runs.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::StatusCode;
use rustls::HandshakeKind;
use serde_json::json;
use shruti_http::self_signed;
use shruti_testkit::raw::End;
use shruti_testkit::{RawConnection, TestClock, TestServer, raw};

use super::{trusting, trusting_server};

async fn healthz(connection: &mut RawConnection) {
    connection.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(connection.read_reply().await.status, StatusCode::OK);
}

/// Makes the server check its certificate files once.
async fn check_files(clock: &TestClock) {
    const EVERY: Duration = Duration::from_secs(2);
    // the server's other timers expire earlier
    let look = clock.wait_for_waiter(|at| at >= clock.elapsed() + EVERY).await;
    clock.advance_to(look);
    clock.wait_for_waiter(|at| at == look + EVERY).await;
}

#[tokio::test]
async fn new_connections_get_the_new_certificate_and_open_ones_continue() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as Arc<_>).tls().start().await;
    let old = trusting_server(&server);
    let mut open = RawConnection::open_secure(server.address, Arc::clone(&old)).await;
    healthz(&mut open).await;
    let body = json!({"text": crate::long_text(3_000)}).to_string();
    open.send(raw::post_tts(&server.key, &body)).await;
    let (_, headers) = open.read_head().await;

    let files = server.tls.clone().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let made = self_signed(folder.path(), &["localhost".to_owned()], SystemTime::now()).unwrap();
    // if only one of the two files changes, the server keeps its certificate
    std::fs::rename(&made.files.certificate, &files.certificate).unwrap();
    check_files(&clock).await;
    let mut other = RawConnection::open_secure(server.address, Arc::new((*old).clone())).await;
    healthz(&mut other).await;
    std::fs::rename(&made.files.key, &files.key).unwrap();
    check_files(&clock).await;

    let new = trusting(&server.certificate(), b"http/1.1");
    healthz(&mut RawConnection::open_secure(server.address, Arc::new(new)).await).await;
    let (bytes, end) = open.read_body(&headers).await;
    assert!(end == End::Whole && bytes.len() > 1_000_000, "{} bytes", bytes.len());
    healthz(&mut open).await;
    let resumed = RawConnection::open_secure(server.address, old).await;
    assert_eq!(resumed.tls().handshake_kind(), Some(HandshakeKind::Resumed), "tickets outlive it");
}
