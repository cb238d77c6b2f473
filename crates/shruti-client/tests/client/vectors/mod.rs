//! Conformance vectors that all clients run; `sdk/conformance/README.md` describes their steps.

mod driver;
mod matching;

use driver::Driver;
use serde_json::Value;

fn read(file: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/conformance");
    serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{file}.json")).unwrap()).unwrap()
}

/// Runs each vector of a file from the start. Vectors that need a feature that this client lacks are skipped: it
/// fetches no tokens, does not retry clips, and its conversation is unavailable until a cancel is answered.
async fn play(file: &str, at_least: usize) {
    // the blocking task stops the paused clock from advancing by itself; vectors advance it explicitly
    let (alive, watched) = std::sync::mpsc::channel::<()>();
    let blocking = tokio::task::spawn_blocking(move || watched.recv());
    tokio::time::pause();
    let vectors = read(file);
    let mut played = 0;
    for vector in vectors.as_array().unwrap() {
        if vector.get("needs").is_none() {
            Driver::new().await.play(vector).await;
            played += 1;
        }
    }
    drop(alive);
    assert!(blocking.await.unwrap().is_err());
    assert!(played >= at_least, "{played} vectors of {file} were played");
}

#[tokio::test]
async fn turns() {
    play("turns", 12).await;
}

#[tokio::test]
async fn cancels() {
    play("cancels", 11).await;
}

#[tokio::test]
async fn losses() {
    play("losses", 21).await;
}

#[tokio::test]
async fn moves() {
    play("moves", 11).await;
}

#[tokio::test]
async fn connects() {
    play("connects", 8).await;
}

#[tokio::test]
async fn clips() {
    play("clips", 4).await;
}
