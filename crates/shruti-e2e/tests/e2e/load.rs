//! Tests with many concurrent requests.

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use crate::SENTENCES;

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_concurrent_clips_match_single_ones() {
    let server = TestServer::builder().max_speeches(200).start().await;
    let client = server.client();
    let request = |i: usize| -> Value {
        let (language, text) = SENTENCES[i % SENTENCES.len()];
        let voice = if i.is_multiple_of(2) { "Ananya" } else { "Arjun" };
        let speed = [0.8, 1.0, 1.3][i % 3];
        json!({"text": text, "language": language, "voice": voice, "speed": speed})
    };
    // number of requests after which the combinations of sentence, voice and speed repeat
    let kinds = 6 * SENTENCES.len();
    let mut alone = Vec::new();
    for i in 0..kinds {
        alone.push(client.speak(&request(i)).await);
    }
    let all = (0..200).map(|i| {
        let client = client.clone();
        tokio::spawn(async move { client.speak(&request(i)).await })
    });
    for (i, audio) in futures_util::future::join_all(all).await.into_iter().enumerate() {
        assert!(audio.unwrap() == alone[i % kinds], "{}", request(i));
    }
    server.idle().await;
}
