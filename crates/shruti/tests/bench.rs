//! The measurements of `shruti bench`: that they count what happens. How long it takes is no matter of tests.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use shruti_testkit::TestServer;

/// Runs a measurement beside a server in this process. The report is there if the measurement went well.
async fn bench(server: &TestServer, folder: &Path, arguments: &[&str]) -> (Output, Option<Value>) {
    let report = folder.join("report.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_shruti"));
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
async fn latency_counts_every_call_beside_its_floor() {
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
    // five rounds that do not count and three that do, one turn and two clips each
    let stats = server.engine.stats();
    assert_eq!(stats.completed + stats.cancelled, 8 * 3, "{stats:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_measurement_that_cannot_be_made_says_why() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "sk_wrong\n").unwrap();
    let (output, report) =
        bench(&server, folder.path(), &["latency", "--key-file", key.to_str().unwrap()]).await;
    assert!(!output.status.success() && report.is_none());
    assert!(text(&output.stderr).contains("invalid_api_key"), "{output:?}");
}
