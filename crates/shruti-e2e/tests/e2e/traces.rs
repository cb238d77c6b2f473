//! Tests of traces: a collector receives the expected spans, and no request waits for the collector.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request};
use http_body_util::Full;
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_service::TracesConfig;
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{Collector, CollectorMode, ReceivedSpan, Reply, TestClock, TestServer};

use crate::stream::ws_client::WsClient;

const TEXT: &str = "यह बात किसी को मत बताना। दूसरा वाक्य भी गुप्त है।";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// Starts a server that sends its spans to a collector. Returns the server and its trace configuration.
async fn traced(collector: &Collector, sample: f64) -> (TestServer, TracesConfig) {
    let traces = collector.config(sample);
    let trace_config = traces.clone();
    (TestServer::builder().config(|config| config.traces = Some(trace_config)).start().await, traces)
}

fn with_parent(mut request: Request<Full<bytes::Bytes>>, flags: &str) -> Request<Full<bytes::Bytes>> {
    let parent = format!("00-{TRACE}-{SPAN}-{flags}");
    request.headers_mut().insert("traceparent", parent.parse().unwrap());
    request
}

/// Requests a small document as a client whose own trace has these flags.
async fn voices(server: &TestServer, flags: &str) -> Reply {
    let request = with_parent(server.client().request(Method::GET, "/v1/voices", ""), flags);
    let reply = server.client().send(request).await;
    assert_eq!(reply.status, 200);
    reply
}

/// Returns the child spans of a span, ordered by start time.
fn beneath(spans: &[ReceivedSpan], parent: &ReceivedSpan) -> Vec<ReceivedSpan> {
    let mut beneath: Vec<_> = spans.iter().filter(|span| span.parent_id == parent.span_id).cloned().collect();
    beneath.sort_by_key(|span| span.begins);
    beneath
}

/// Waits for the span of a clip request. The span ends when the response has been sent.
async fn clip(collector: &Collector) -> ReceivedSpan {
    let is_clip = |span: &&ReceivedSpan| span.attributes.get("shruti.api").is_some_and(|api| api == "clip");
    collector.find(|spans| spans.iter().find(is_clip).cloned()).await
}

/// Asserts that a request or a turn was spoken: its child spans, their order, and its attributes.
#[track_caller]
fn assert_spoken(spans: &[ReceivedSpan], span: &ReceivedSpan) {
    let beneath = beneath(spans, span);
    let names: Vec<&str> = beneath.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["prepare", "render", "prepare", "render"], "two sentences");
    let mut before = span.begins;
    for part in &beneath {
        assert_eq!(part.trace_id, span.trace_id);
        assert!(
            before <= part.begins && part.begins <= part.ends && part.ends <= span.ends,
            "{part:#?} in {span:#?}"
        );
        before = part.ends;
        let busy: f64 = part.attributes["shruti.busy_seconds"].parse().unwrap();
        assert!(busy > 0.0 && busy <= (part.ends - part.begins) as f64 * 1e-9 + 1e-6, "{part:#?}");
    }
    let [(event, first_sound)] = &span.events[..] else { panic!("{span:#?}") };
    assert_eq!(event, "first sound");
    assert!((beneath[1].begins..=span.ends).contains(first_sound), "{span:#?}");
    for (name, value) in [
        ("shruti.voice", "Ananya"),
        ("shruti.language", "hi"),
        ("shruti.outcome", "done"),
        ("shruti.characters", "49"),
    ] {
        assert_eq!(span.attributes[name], value, "{name}");
    }
    let number = |name: &str| span.attributes[name].parse::<f64>().unwrap();
    assert!(number("shruti.samples") > 24_000.0 && number("shruti.render_seconds") > 0.0);
    assert!(number("shruti.prepare_seconds") > 0.0 && number("shruti.first_audio_seconds") > 0.0);
}

/// Asserts that none of these words occurs in the data that the collector received.
fn assert_untold(collector: &Collector, secrets: &[&str]) {
    let bytes = collector.bytes();
    assert!(bytes.windows(4).any(|window| window == b"http"), "the collector received data");
    for secret in secrets.iter().flat_map(|secret| secret.split(' ')).filter(|word| word.len() > 3) {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} was sent");
    }
}

#[tokio::test]
async fn a_clip_trace_has_spans_for_its_stages() {
    let collector = Collector::start().await;
    let (server, traces) = traced(&collector, 1.0).await;
    let body = json!({"text": TEXT, "voice": "Ananya", "language": "hi"}).to_string();
    let mut request = server.client().request(Method::POST, "/v1/tts?secret=query", body);
    request.headers_mut().insert("tracestate", "vendor=secretstate".parse().unwrap());
    request.headers_mut().insert("user-agent", "secretagent".parse().unwrap());
    let reply = server.client().send(with_parent(request, "01")).await;
    assert_eq!(reply.status, 200);
    let wrong = server.client().post(r#"{"text":"a","speed":9}"#).await;
    wrong.assert_error(ErrorCode::InvalidField);
    assert_eq!(server.client().get("/healthz").await.status, 200);
    server.client().get("/secretpath").await.assert_error(ErrorCode::NotFound);
    let span = clip(&collector).await;
    traces.exporter.finish(PATIENCE).await;

    let spans = collector.spans();
    assert_eq!(
        (span.trace_id.as_str(), span.parent_id.as_str()),
        (TRACE, SPAN),
        "the caller's trace continues"
    );
    assert_spoken(&spans, &span);
    for (name, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/v1/tts"),
        ("http.response.status_code", "200"),
        ("network.protocol.version", "1.1"),
        ("shruti.api", "clip"),
        ("shruti.request_id", reply.header("x-request-id")),
    ] {
        assert_eq!(span.attributes[name], value, "{name}");
    }
    assert_eq!(span.resource["service.name"], "shruti");
    let refused = spans
        .iter()
        .find(|span| span.attributes.get("error.type").is_some_and(|code| code == "invalid_field"));
    let refused = refused.unwrap();
    assert_eq!((refused.attributes["http.response.status_code"].as_str(), refused.is_error), ("400", false));
    assert!(refused.events.is_empty() && beneath(&spans, refused).is_empty());
    let roots: HashSet<&str> =
        spans.iter().filter(|span| span.parent_id.is_empty()).map(|span| span.name.as_str()).collect();
    assert_eq!(roots, HashSet::from(["POST /v1/tts", "GET other"]), "health checks are not traced");
    assert_untold(&collector, &[TEXT, &server.key, "secret", "127.0.0.1"]);
}

#[tokio::test]
async fn each_turn_has_its_own_trace_linked_to_its_connection() {
    let collector = Collector::start().await;
    let (server, traces) = traced(&collector, 1.0).await;
    let mut ws = WsClient::open(&server).await;
    for turn in ["secret-one", "secret-two"] {
        ws.say(json!({"text": TEXT, "turn_id": turn, "language": "hi", "final": true})).await;
        ws.message_of("turn.done").await;
    }
    ws.say(json!({"text": "Another, that stays open. ", "turn_id": "secret-three"})).await;
    ws.sound().await;
    ws.say(json!({"type": "cancel", "turn_id": "secret-three"})).await;
    ws.message_of("turn.cancelled").await;
    ws.say(json!({"text": "One more. ", "turn_id": "secret-four"})).await;
    ws.sound().await;
    drop(ws);
    server.idle().await;
    let turns = |spans: &[ReceivedSpan]| {
        let turns: Vec<_> = spans.iter().filter(|span| span.name == "turn").cloned().collect();
        (turns.len() == 4).then_some(turns)
    };
    let turns = collector.find(turns).await;
    traces.exporter.finish(PATIENCE).await;
    let spans = collector.spans();
    let upgrade = collector.span("GET /v1/tts/stream").await;
    assert_eq!(upgrade.attributes["http.response.status_code"], "101");
    assert_eq!(turns.iter().map(|turn| &turn.trace_id).collect::<HashSet<_>>().len(), 4);
    for turn in &turns {
        assert!(turn.parent_id.is_empty());
        assert_eq!(turn.links, [(upgrade.trace_id.clone(), upgrade.span_id.clone())]);
        assert_eq!(turn.attributes["shruti.request_id"], upgrade.attributes["shruti.request_id"]);
        assert_eq!(turn.attributes["shruti.api"], "turn");
    }
    let outcomes: Vec<&str> = turns.iter().map(|turn| turn.attributes["shruti.outcome"].as_str()).collect();
    assert_eq!(outcomes, ["done", "done", "cancelled", "abandoned"]);
    assert_spoken(&spans, &turns[0]);
    assert_spoken(&spans, &turns[1]);
    assert!(turns[1].begins >= turns[0].ends);
    assert_untold(&collector, &[TEXT, &server.key, "secret", "Another"]);
}

#[tokio::test]
async fn sampling_requests_of_callers_are_limited() {
    let collector = Collector::start().await;
    let traces = collector.config(0.0);
    let trace_config = traces.clone();
    let builder = TestServer::builder().config(|config| config.traces = Some(trace_config));
    // the clock does not advance, so the number of traces that callers may request is not replenished
    let server = builder.clock(Arc::new(TestClock::new())).start().await;
    for _ in 0..5 {
        assert_eq!(server.client().get("/v1/voices").await.status, 200);
        voices(&server, "00").await;
    }
    for _ in 0..130 {
        voices(&server, "01").await;
    }
    traces.exporter.finish(PATIENCE).await;
    let spans = collector.spans();
    assert_eq!(spans.len(), 100, "the burst of traces that callers may request");
    assert!(spans.iter().all(|span| span.trace_id == TRACE && span.parent_id == SPAN));

    let collector = Collector::start().await;
    let (server, traces) = traced(&collector, 1.0).await;
    voices(&server, "00").await;
    traces.exporter.finish(PATIENCE).await;
    assert!(collector.spans().is_empty(), "a caller that does not sample is not sampled");
}

/// Returns the numbers of spans that the server reports as sent, failed and dropped.
async fn counts(server: &TestServer) -> [u64; 3] {
    let metrics = server.client().get("/metrics").await;
    let text = String::from_utf8(metrics.body.to_vec()).unwrap();
    ["sent", "failed", "dropped"].map(|what| {
        let name = format!("shruti_trace_spans_{what}_total ");
        text.lines().find_map(|line| line.strip_prefix(&name)).expect(&text).parse().unwrap()
    })
}

#[tokio::test]
async fn an_unresponsive_collector_only_loses_spans() {
    const REQUESTS: u64 = 1_300;
    let collector = Collector::start().await;
    let (server, traces) = traced(&collector, 1.0).await;
    collector.set_mode(CollectorMode::Hang);
    for _ in 0..REQUESTS {
        assert_eq!(server.client().get("/v1/voices").await.status, 200);
    }
    collector.requests(1).await;
    server.client().speak(&json!({"text": TEXT})).await.assert_speech("while the collector hangs");
    let [sent, _, dropped] = counts(&server).await;
    assert!(sent == 0 && dropped >= REQUESTS - 1_100, "{dropped} were dropped");
    traces.exporter.finish(Duration::from_millis(1)).await;
    let [sent, failed, dropped] = counts(&server).await;
    // the counts include the spans of the clip
    assert!(sent == 0 && (REQUESTS..REQUESTS + 20).contains(&(failed + dropped)), "{failed} {dropped}");
}

#[tokio::test]
async fn a_failing_collector_only_loses_spans() {
    for (treatment, outcome) in [(CollectorMode::Refuse, [0, 1, 0]), (CollectorMode::Garble, [1, 0, 0])] {
        let collector = Collector::start().await;
        let (server, traces) = traced(&collector, 1.0).await;
        collector.set_mode(treatment);
        assert_eq!(server.client().get("/v1/voices").await.status, 200);
        collector.requests(1).await;
        traces.exporter.finish(PATIENCE).await;
        assert_eq!(counts(&server).await, outcome, "{treatment:?}");
    }
    let away = Collector::start().await;
    let (server, traces) = traced(&away, 1.0).await;
    drop(away);
    server.client().speak(&json!({"text": TEXT})).await.assert_speech("without a collector");
    assert_eq!(server.client().get("/v1/voices").await.status, 200);
    traces.exporter.finish(PATIENCE).await;
    let [sent, failed, _] = counts(&server).await;
    assert!(sent == 0 && failed > 0);
}

#[tokio::test]
async fn histograms_have_exemplars_of_sampled_traces() {
    let collector = Collector::start().await;
    for (sample, is_traced) in [(1.0, true), (0.0, false)] {
        let (server, traces) = traced(&collector, sample).await;
        server.client().speak(&json!({"text": TEXT})).await.assert_speech("a clip");
        let mut ws = WsClient::open(&server).await;
        ws.say(json!({"text": TEXT, "final": true})).await;
        ws.message_of("turn.done").await;
        if is_traced {
            clip(&collector).await;
            collector.span("turn").await;
        }
        traces.exporter.finish(PATIENCE).await;
        let metrics = server.client().get("/metrics").await;
        let text = String::from_utf8(metrics.body.to_vec()).unwrap();
        assert!(text.contains("shruti_first_audio_seconds_count{api=\"turn\"} 1"), "{text}");
        for (histogram, api, span) in [
            ("shruti_first_audio_seconds_bucket", r#"api="clip""#, "POST /v1/tts"),
            ("shruti_first_audio_seconds_bucket", r#"api="turn""#, "turn"),
            ("shruti_lead_seconds_bucket", "", "turn"),
        ] {
            let mut lines = text.lines().filter(|line| line.starts_with(histogram) && line.contains(api));
            let exemplar = lines.find_map(|line| line.split_once(" # {trace_id=\""));
            assert_eq!(exemplar.is_some(), is_traced, "{histogram} {text}");
            if let Some((_, exemplar)) = exemplar {
                let (trace, rest) = exemplar.split_once("\"} ").unwrap();
                assert_eq!(collector.span(span).await.trace_id, trace);
                let numbers: Vec<f64> = rest.split(' ').map(|number| number.parse().unwrap()).collect();
                assert!(numbers.len() == 2 && numbers[1] > 1.7e9, "a value and a time: {rest}");
            }
        }
    }
}
