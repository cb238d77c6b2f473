//! Tests of the traces of the real binary.

use serde_json::json;
use shruti_testkit::{Client, Collector, CollectorMode};

use crate::process::Service;

#[tokio::test(flavor = "multi_thread")]
async fn the_last_spans_are_sent_before_exit_and_logs_contain_trace_ids() {
    let collector = Collector::start().await;
    let log = "info,shruti_server=debug";
    let flags = ["--traces-endpoint", &collector.url(), "--traces-sample", "1", "--log", log];
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start_in(folder.path(), &flags, [("OTEL_SERVICE_NAME", "speech")]);
    let client = Client::new(service.address, &service.printed());
    client.speak(&json!({"text": "नमस्ते, आप कैसे हैं?"})).await.assert_speech("a clip");
    service.signal("-TERM");
    assert!(service.process.wait().unwrap().success());
    let log = service.log.join().unwrap();
    let spans = collector.spans();
    let span = spans.iter().find(|span| span.name == "POST /v1/tts").unwrap();
    assert_eq!(span.resource["service.name"], "speech");
    assert!(
        ["prepare", "render"].iter().all(|name| spans.iter().any(|span| span.name == *name)),
        "{spans:#?}"
    );
    let line = log.lines().find(|line| line.contains("speaking")).unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["span"]["trace_id"], span.trace_id);
    assert_eq!(line["span"]["id"], span.attributes["shruti.request_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unresponsive_collector_does_not_block_shutdown() {
    let collector = Collector::start().await;
    collector.set_mode(CollectorMode::Hang);
    let folder = tempfile::tempdir().unwrap();
    // a Kubernetes operator sets these variables for all programs
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url()), ("OTEL_TRACES_SAMPLER_ARG", "1")];
    let mut service = Service::start_in(folder.path(), &[], environment);
    let client = Client::new(service.address, &service.printed());
    client.speak(&json!({"text": "नमस्ते, आप कैसे हैं?"})).await.assert_speech("a clip");
    collector.requests(1).await;
    service.signal("-TERM");
    assert!(service.process.wait().unwrap().success());
    assert!(service.log.join().unwrap().contains("did not accept the last spans"));
}
