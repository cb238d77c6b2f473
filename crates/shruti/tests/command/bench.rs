//! Tests that the measurements of `shruti bench` count correctly. They do not test durations.

use std::path::Path;
use std::process::{Command, Output};

use std::time::Duration;

use serde_json::Value;
use shruti_engine::Engine;
use shruti_testkit::TestServer;
use shruti_testkit::slow::SlowBackend;

use crate::process::SHRUTI;

/// Runs a measurement against a server in this process, and returns its output and its report. The report is `None` if
/// the measurement failed.
async fn bench(server: &TestServer, folder: &Path, arguments: &[&str]) -> (Output, Option<Value>) {
    let report = folder.join("report.json");
    let mut command = Command::new(SHRUTI);
    command
        .arg("bench")
        .args(arguments)
        .args(["--server", &format!("http://{}", server.address), "--json"])
        .arg(&report)
        .env("SHRUTI_API_KEY", &server.key);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let report = std::fs::read(report).ok().map(|json| serde_json::from_slice(&json).unwrap());
    (output, report)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn latency_counts_every_call_and_shows_the_floor() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (output, report) = bench(&server, folder.path(), &["latency", "--runs", "3"]).await;
    assert!(output.status.success(), "{output:?}");
    let report = report.unwrap();
    let rows = report["rows"].as_array().unwrap();
    let styles: Vec<&str> = rows.iter().map(|row| row["call_style"].as_str().unwrap()).collect();
    assert_eq!(styles, ["WebSocket, per turn", "HTTP, connection reused", "HTTP, new connection, no TLS"]);
    for row in rows {
        assert_eq!((&row["first_audio"]["count"], &row["floor"]["count"]), (&3.into(), &3.into()), "{row}");
        assert!(row["first_audio"]["p50_ms"].as_f64().unwrap() > 0.0, "{row}");
        assert!(text(&output.stdout).contains(row["call_style"].as_str().unwrap()));
    }
    assert_eq!(report["cancel"]["count"], 3);
    // five warm-up rounds and three measured rounds, each with one turn and two clips
    let stats = server.engine.stats();
    assert_eq!(stats.completed + stats.cancelled, 8 * 3, "{stats:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_measurement_reports_the_reason() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "sk_wrong\n").unwrap();
    let (output, report) =
        bench(&server, folder.path(), &["latency", "--key-file", key.to_str().unwrap()]).await;
    assert!(!output.status.success() && report.is_none());
    assert!(text(&output.stderr).contains("invalid_api_key"), "{output:?}");
}

/// Number of conversations of a run. In a short run, most conversations have no turn; this number ensures that some
/// have one.
const MANY: &str = "200";

fn sum(report: &Value, what: impl Fn(&Value) -> &Value) -> u64 {
    report["slices"].as_array().unwrap().iter().map(|slice| what(slice).as_u64().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn load_counts_and_plots_turns_and_cancels() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("run.svg");
    let svg = picture.to_str().unwrap();
    let run = ["load", "-n", MANY, "--seconds", "2", "--ramp", "0.5", "--barge-in-share", "1", "--svg", svg];
    let (output, report) = bench(&server, folder.path(), &run).await;
    assert!(output.status.success(), "{output:?}");
    let report = report.unwrap();
    let count = |name: &str| report[name].as_u64().unwrap_or_else(|| panic!("{name}: {report}"));
    assert!(count("turns") > 0 && count("barge_ins") > 0, "{report}");
    for fault in
        ["refused_conversations", "refused_turns", "failed_turns", "lost_conversations", "unanswered"]
    {
        assert_eq!(count(fault), 0, "{fault}: {report}");
    }
    assert_eq!(report["cancel"]["count"], count("barge_ins"), "every cancel is answered");
    assert!(report["first_audio"]["count"].as_u64().unwrap() > 0);
    assert_eq!(sum(&report, |slice| &slice["cancel"]["count"]), count("barge_ins"));
    assert_eq!(sum(&report, |slice| &slice["underruns"]), count("underruns"));
    assert!(report["throughput"].as_f64().unwrap() > 0.0 && report["complaint"].is_null(), "{report}");
    assert!(text(&output.stdout).contains("| first audio |"), "{output:?}");
    assert!(std::fs::read_to_string(picture).unwrap().contains("200 conversations"));
    if cfg!(target_os = "linux") {
        assert!(
            report["server"]["memory_mib"].as_f64().unwrap() > 0.0,
            "the process is found by its port: {report}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn load_detects_interrupted_audio() {
    let call = Duration::from_millis(900);
    let voices = ["Ananya", "Arjun"].map(|voice| SlowBackend::overtaxed(call).named(voice));
    let engine = voices.into_iter().fold(Engine::builder(), shruti_engine::EngineBuilder::backend);
    let server = TestServer::builder().start_with(engine).await;
    let folder = tempfile::tempdir().unwrap();
    let run = ["load", "-n", MANY, "--seconds", "4", "--ramp", "0.1", "--barge-in-share", "0"];
    let (output, report) = bench(&server, folder.path(), &run).await;
    let report = report.unwrap_or_else(|| panic!("{output:?}"));
    assert!(report["underruns"].as_u64().unwrap() > 0, "{report}");
    assert!(report["starved_ms"].as_f64().unwrap() > 0.0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn load_counts_rejected_requests() {
    let server = TestServer::builder().config(|config| config.max_streams = 10).start().await;
    let folder = tempfile::tempdir().unwrap();
    let run = ["load", "-n", MANY, "--seconds", "0.5", "--ramp", "0.2"];
    let (output, report) = bench(&server, folder.path(), &run).await;
    let report = report.unwrap_or_else(|| panic!("{output:?}"));
    assert_eq!(report["refused_conversations"], 190, "{report}");
    assert!(report["complaint"].as_str().unwrap().contains("overloaded"), "{report}");
    let find = ["load", "-n", MANY, "--find", "--seconds", "0.5", "--ramp", "0.1"];
    let (output, _) = bench(&server, folder.path(), &find).await;
    assert!(output.status.success() && text(&output.stdout).contains("largest number"), "{output:?}");
}
