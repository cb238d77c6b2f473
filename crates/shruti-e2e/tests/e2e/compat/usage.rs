//! Tests that usage is reported separately for each API.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::json_socket::{JsonSocket, Received};
use crate::metering::usage;

const TEXT: &str = "नमस्ते।";
const CHARS: u64 = 7;

#[tokio::test]
async fn usage_names_the_api_of_each_clip_and_conversation() {
    let server = TestServer::start().await;
    let client = server.client();
    let output = json!({"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000});
    let cartesia = json!({"transcript": TEXT, "voice": "Ananya", "output_format": output});
    let clips = [
        ("/v1/tts", json!({"text": TEXT}), "clip"),
        ("/v1/audio/speech", json!({"input": TEXT}), "openai"),
        ("/tts/bytes", cartesia, "cartesia"),
        ("/v1/speak", json!({"text": TEXT}), "deepgram"),
        ("/v1/text-to-speech/Ananya", json!({"text": TEXT}), "elevenlabs"),
        ("/text-to-speech", json!({"text": TEXT}), "sarvam"),
        ("/v1/jambonz", json!({"text": TEXT}), "jambonz"),
        ("/v1/vapi", json!({"message": {"text": TEXT}}), "vapi"),
    ];
    for (path, body, api) in &clips {
        let mut request = client.request(Method::POST, path, body.to_string());
        request.headers_mut().insert("content-type", "application/json".parse().unwrap());
        assert_eq!(client.send(request).await.status, StatusCode::OK, "{api}");
    }
    // a conversation is counted together with the clips of the same API; each API is counted separately
    let text = |text: &str| json!({"type": "text", "data": {"text": text}});
    let sockets: [(&str, Vec<Value>); 3] = [
        ("/v1/tts/stream", vec![json!({"type": "text", "text": TEXT, "final": true})]),
        ("/text-to-speech/ws", vec![text(TEXT), json!({"type": "flush"})]),
        ("/v1/jambonz/stream", vec![json!({"type": "stream", "text": TEXT}), json!({"type": "flush"})]),
    ];
    let key = format!("Bearer {}", server.key);
    for (path, messages) in sockets {
        let mut socket = JsonSocket::open(&server, path, &[("authorization", &key)]).await.expect("refused");
        socket.say_all(messages).await;
        let is_sound = |heard: &Received| match heard {
            Received::Sound(_) => true,
            Received::Json(reported) => reported["type"] == "audio",
        };
        while !is_sound(&socket.hear_any().await.expect("closed")) {}
        // the only word of the text is charged with the first audio
        drop(socket);
    }
    server.idle().await;

    let reported = usage(&client).await;
    let by_api: Vec<(&str, u64, u64)> =
        reported.days.iter().map(|row| (row.api.as_str(), row.amount.chars, row.amount.requests)).collect();
    let expected = [
        ("cartesia", CHARS, 1),
        ("clip", CHARS, 1),
        ("deepgram", CHARS, 1),
        ("elevenlabs", CHARS, 1),
        ("jambonz", 2 * CHARS, 2),
        ("openai", CHARS, 1),
        ("sarvam", 2 * CHARS, 2),
        ("turn", CHARS, 1),
        ("vapi", CHARS, 1),
    ];
    assert_eq!(by_api, expected);
    assert_eq!((reported.total.chars, reported.total.requests), (11 * CHARS, 11));
}
