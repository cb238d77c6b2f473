//! Tests of the timeouts of a connection, with a clock that the tests advance.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use shruti_clock::{Clock, Moment, Sleep};
use shruti_testkit::{RawConnection, TestClock, TestServer, raw};

use super::ws_client::WsClient;
use crate::long_text;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// First bytes of WebSocket frames.
const TEXT: u8 = 0x81;
const PING: u8 = 0x89;
const CLOSE: u8 = 0x88;

async fn start() -> (TestServer, Arc<TestClock>) {
    let clock = Arc::new(TestClock::new());
    (TestServer::builder().clock(Arc::clone(&clock) as _).start().await, clock)
}

/// Opens a conversation over a raw socket with a small receive buffer. Pings are not answered.
async fn open_raw(server: &TestServer) -> RawConnection {
    let mut connection = RawConnection::open_small(server.address).await;
    connection.send(raw::upgrade("/v1/tts/stream", Some(&server.key))).await;
    assert_eq!(connection.read_head().await.0, StatusCode::SWITCHING_PROTOCOLS);
    connection
}

/// Waits until the server renders no more audio. Rendering has stopped if the number of samples does not change while
/// another conversation exchanges pings.
async fn settled(server: &TestServer) {
    let mut bystander = WsClient::open(server).await;
    let mut before = None;
    while before.replace(server.engine.stats().samples) != Some(server.engine.stats().samples) {
        for _ in 0..100 {
            bystander.say(json!({"type": "ping"})).await;
            bystander.message_of("pong").await;
        }
    }
}

#[tokio::test]
async fn a_client_that_reads_nothing_for_ten_seconds_is_disconnected() {
    let (server, clock) = start().await;
    let mut reader = open_raw(&server).await;
    let message = json!({"text": long_text(5_000), "turn_id": "t", "final": true, "max_lead_ms": 0});
    reader.send(raw::text_frame(&message.to_string())).await;
    // the check of the key is due earlier, and the first ping later, so this wait is the timeout for a slow reader
    let mut due = clock.wait_for_waiter(|at| s(1) < at && at < s(20)).await;
    assert_eq!(due, s(10));
    settled(&server).await;
    loop {
        clock.advance_to(due);
        tokio::select! {
            () = server.idle() => break,
            // the socket buffers of the system may have accepted the last piece only now
            next = clock.wait_for_waiter(|at| due < at && at <= due + s(10)) => due = next,
        }
    }
    assert!(clock.elapsed() < s(60), "{:?}: the ping timeout ended the connection", clock.elapsed());
    let stats = server.engine.stats();
    assert_eq!((stats.active, stats.cancelled), (0, 1));
    assert!(stats.samples < 500_000, "{} samples were rendered for a reader that reads none", stats.samples);
    let heads = raw::frame_heads(&reader.read_to_end().await);
    assert!(heads.len() > 3 && !heads.contains(&CLOSE), "{heads:x?}");
}

#[tokio::test]
async fn a_client_is_closed_after_two_unanswered_pings() {
    let (server, clock) = start().await;
    let mut silent = open_raw(&server).await;
    for at in [20, 40] {
        clock.wait_for_waiter(|next| next == s(at)).await;
        clock.advance(s(20));
        let seen = loop {
            let [head, length] = silent.read_bytes(2).await[..] else { panic!("the connection has ended") };
            if head == PING {
                break length;
            }
            // skip the frame of `ready`
            let [high, low] = silent.read_bytes(2).await[..] else { panic!("the connection has ended") };
            silent.read_bytes(u16::from_be_bytes([high, low]).into()).await;
        };
        assert_eq!(seen, 0);
    }
    let mut ws = WsClient::open(&server).await;
    clock.advance(s(20));
    let end = silent.read_bytes(2).await;
    assert_eq!(end[0], TEXT, "a message instead of a third ping");
    let reported: Value = serde_json::from_slice(&silent.read_bytes(end[1].into()).await).unwrap();
    assert_eq!(reported, json!({"type": "closing", "reason": "idle", "code": 4408, "in_ms": 0}));
    assert_eq!(silent.read_bytes(1).await[..], [CLOSE]);
    ws.say(json!({"type": "ping"})).await;
    assert_eq!(ws.message().await["type"], "pong");
}

#[tokio::test]
async fn an_idle_connection_is_warned_and_then_closed() {
    let (server, clock) = start().await;
    let mut idle = WsClient::open(&server).await;
    let mut active = WsClient::open(&server).await;
    clock.advance(s(290));
    let notice = json!({"type": "closing", "reason": "idle", "code": 4408, "in_ms": 10_000});
    assert_eq!(idle.message().await, notice);
    assert_eq!(active.message().await, notice);
    idle.say(json!({"type": "ping"})).await;
    assert_eq!(idle.message().await["type"], "pong");
    active.say(json!({"type": "flush"})).await;
    assert_eq!(active.message().await["type"], "flushed");
    clock.advance(s(10));
    assert_eq!(idle.closed().await, (4408, Vec::new()), "a ping does not extend the timeout");
    active.say(json!({"type": "ping"})).await;
    assert_eq!(active.message().await["type"], "pong");
}

#[tokio::test]
async fn audible_audio_keeps_a_connection_open() {
    let (server, clock) = start().await;
    let mut ws = WsClient::open(&server).await;
    ws.say(json!({"text": long_text(4_000), "turn_id": "t", "final": true, "max_lead_ms": 60_000})).await;
    ws.sound().await;
    // advance by more than 300 s while audio is playing, in steps so short that a slow reader does not count as stalled
    for at in (5..=310).step_by(5) {
        clock.advance_to(s(at));
        ws.say(json!({"type": "ping", "id": at.to_string()})).await;
        while ws.message_of("pong").await["id"] != json!(at.to_string()) {}
    }
    assert_eq!(server.engine.stats().active, 1, "the turn continues");
}

#[tokio::test]
async fn the_maximum_connection_age_is_announced() {
    let (server, clock) = start().await;
    let mut ws = WsClient::open(&server).await;
    for at in (250..4 * 3_600 - 10).step_by(250) {
        clock.advance_to(s(at));
        ws.say(json!({"type": "flush"})).await;
        assert_eq!(ws.message().await["type"], "flushed");
    }
    clock.advance_to(s(4 * 3_600 - 10));
    assert_eq!(
        ws.message().await,
        json!({"type": "closing", "reason": "session_too_long", "code": 4440, "in_ms": 10_000})
    );
    ws.say(json!({"type": "flush"})).await;
    assert_eq!(ws.message().await["type"], "flushed", "the close is not revoked");
    clock.advance(s(10));
    assert_eq!(ws.closed().await.0, 4440);
}

/// Clock whose next wait panics if `breaks` is set.
struct Fragile {
    clock: TestClock,
    breaks: AtomicBool,
}

impl Clock for Fragile {
    fn now(&self) -> Moment {
        self.clock.now()
    }

    fn wait_until(&self, at: Duration) -> Sleep {
        assert!(!self.breaks.swap(false, Ordering::SeqCst), "broken on purpose");
        self.clock.wait_until(at)
    }
}

#[tokio::test]
async fn a_failed_conversation_reports_it_and_affects_no_other() {
    let clock = Arc::new(Fragile { clock: TestClock::new(), breaks: AtomicBool::new(false) });
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let (mut ws, mut bystander) = (WsClient::open(&server).await, WsClient::open(&server).await);
    clock.clock.wait_for_waiter(|_| true).await;
    clock.breaks.store(true, Ordering::SeqCst);
    // half a sentence makes the connection wait for the hold-back timeout
    ws.say(json!({"text": "half a"})).await;
    let (code, before) = ws.closed().await;
    let [error] = &before[..] else { panic!("{before:?}") };
    assert_eq!(
        (code, &error["scope"], &error["error"]["code"]),
        (1011, &json!("session"), &json!("internal"))
    );
    server.idle().await;
    bystander.say(json!({"text": "All is well.", "turn_id": "t", "final": true})).await;
    assert_eq!(bystander.clip("t").await.done["reason"], "complete");
}
