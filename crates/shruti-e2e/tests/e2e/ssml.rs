//! Tests of SSML over HTTP, in the stream and in the compatible APIs: pauses, rate and pitch in the audio.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use shruti_testkit::{Audio, TestServer};

use crate::compat::json_socket::{self, JsonSocket};
use crate::stream::ws_client::{Received, WsClient};

/// A break between two words that start and end with voiced sounds, so that only the break is silent.
const PAUSED: &str = "<speak>mama <break time='1500ms'/> mama</speak>";

/// Maximum additional length of a pause in the audio, in seconds, because the voice fades out and in.
const MORE: f64 = 0.06;

fn body(text: &str) -> Value {
    json!({"text": text, "voice": "Arjun", "language": "en"})
}

async fn clip(server: &TestServer, text: &str) -> Audio {
    server.client().speak(&body(text)).await
}

fn assert_pause(audio: &Audio, seconds: f64, what: &str) {
    let gap = audio.longest_gap().as_secs_f64();
    assert!((seconds - 0.001..seconds + MORE).contains(&gap), "{what}: {gap} s of silence");
}

#[tokio::test]
async fn a_break_has_the_specified_length() {
    let server = TestServer::start().await;
    for (text, seconds) in [
        (PAUSED, 1.5),
        ("<speak>mama. <break time='1.5s'/> mama", 1.5),
        ("<speak>mama <break time='700ms'/><break time='800ms'/> mama", 1.5),
        ("<speak>mama <break time='9999h'/><break time='5s'/> mama", 10.0),
        ("<speak>mama <break strength='x-strong'/> mama", 1.2),
    ] {
        assert_pause(&clip(&server, text).await, seconds, text);
    }
    let lead = clip(&server, "<speak><break time='2s'/>mama").await.lead();
    assert!((2.0..2.0 + MORE).contains(&lead.as_secs_f64()), "{lead:?} before the first word");
    let reported = json!({"text": "<speak><break time='1s'/>நன்றி</speak>", "voice": "Arjun"});
    let reply = server.client().post(reported.to_string()).await;
    assert_eq!(reply.header("x-tts-language"), "ta", "found after the break");
    assert!(reply.audio().lead() >= Duration::from_secs(1));
    let alone = clip(&server, "<speak><break time='1s'/></speak>").await;
    assert_eq!((alone.duration(), alone.level_db()), (Duration::from_secs(1), f64::NEG_INFINITY));
    assert!(
        clip(&server, "mama <break time='1500ms'/> mama").await.longest_gap() < Duration::from_millis(500)
    );
}

#[tokio::test]
async fn rate_and_volume_change_the_audio() {
    let server = TestServer::start().await;
    let spoken = async |attributes: &str| {
        clip(&server, &format!("<speak><prosody {attributes}>we are moving along now</prosody></speak>"))
            .await
    };
    let usual = spoken("").await;
    let slow = spoken("rate='50%'").await.duration().as_secs_f64() / usual.duration().as_secs_f64();
    let fast = spoken("rate='x-fast'").await.duration().as_secs_f64() / usual.duration().as_secs_f64();
    assert!((1.6..2.2).contains(&slow) && (0.45..0.75).contains(&fast), "{slow} {fast}");
    let softer = usual.level_db() - spoken("volume='-12dB'").await.level_db();
    assert!((11.0..13.0).contains(&softer), "{softer}");
    let high = spoken("pitch='+4st'").await;
    assert_eq!(high.samples.len(), usual.samples.len());
    let shifted = {
        let plain =
            json!({"text": "we are moving along now.", "voice": "Arjun", "language": "en", "pitch": 4});
        server.client().speak(&plain).await
    };
    assert_eq!(high, shifted, "equal to the same shift of the whole text");
}

#[tokio::test]
async fn a_turn_matches_the_clip_and_heard_text_includes_breaks() {
    let server = TestServer::start().await;
    let expected = clip(&server, PAUSED).await;
    let mut ws = WsClient::open(&server).await;
    for piece in ["<sp", "eak>mama <break ti", "me='1500ms'/> ma", "ma</speak>"] {
        ws.say(json!({"text": piece, "turn_id": "a", "voice": "Arjun", "language": "en", "words": true}))
            .await;
    }
    ws.say(json!({"type": "end", "turn_id": "a"})).await;
    let turn = ws.clip("a").await;
    assert_eq!(Audio::from_bytes(&turn.bytes), expected);
    let words: Vec<&Value> = turn.words.iter().map(|(word, _)| word).collect();
    let texts: Vec<&Value> = words.iter().map(|word| &word["text"]).collect();
    assert_eq!(texts, ["mama", "mama"]);
    assert_eq!((&words[0]["char_start"], &words[1]["char_start"]), (&json!(7), &json!(35)));
    let ms = |word: &Value, name: &str| word[name].as_f64().unwrap();
    let gap = ms(words[1], "start_ms") - ms(words[0], "end_ms");
    assert!((1_490.0..1_560.0).contains(&gap), "{gap} ms between the words");

    // a cancel during the break
    ws.say(json!({"text": PAUSED, "turn_id": "b", "voice": "Arjun", "language": "en", "words": true, "final": true}))
        .await;
    let mut bytes = 0;
    let inside = expected.samples.len() * 2 / 2;
    while bytes < inside {
        if let Received::Sound(sound) = ws.receive().await {
            bytes += sound.len();
        }
    }
    let played = (ms(words[0], "end_ms") + 700.0) as u64;
    ws.say(json!({"type": "cancel", "turn_id": "b", "played_ms": played})).await;
    let cancelled = ws.message_of("turn.cancelled").await;
    assert_eq!(cancelled["heard"]["ms"], json!(played), "{cancelled}");
    let heard = cancelled["heard"]["text"].as_str().unwrap();
    assert!(heard.starts_with("<speak>mama") && !heard.contains("/> m"), "{cancelled}");
}

#[tokio::test]
async fn every_route_accepts_ssml() {
    let server = TestServer::start().await;
    let expected = clip(&server, PAUSED).await;
    let client = server.client();
    let routes = [
        (
            "/v1/audio/speech",
            json!({"model": "tts-1", "input": PAUSED, "voice": "Arjun", "language": "en", "response_format": "pcm"}),
        ),
        (
            "/tts/bytes",
            json!({"model_id": "sonic-3", "transcript": PAUSED, "voice": {"mode": "id", "id": "Arjun"}, "language": "en",
                "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}}),
        ),
        (
            "/v1/text-to-speech/Arjun?output_format=pcm_24000&language_code=en&enable_ssml_parsing=true",
            json!({"text": PAUSED}),
        ),
        (
            "/v1/speak?encoding=linear16&container=none&sample_rate=24000&model=Arjun-en",
            json!({"text": PAUSED}),
        ),
        (
            "/text-to-speech/stream",
            json!({"text": PAUSED, "speaker": "arjun", "target_language_code": "en-IN", "output_audio_codec": "linear16",
                "speech_sample_rate": "24000", "model": "bulbul:v3"}),
        ),
    ];
    for (path, body) in routes {
        let reply = client.send(client.request(Method::POST, path, body.to_string())).await;
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        let audio = reply.audio();
        assert_pause(&audio, 1.5, path);
        assert!(audio == expected, "{path}");
    }
    for kind in ["ssml", "text"] {
        let body = json!({"text": PAUSED, "type": kind, "voice": "Arjun", "language": "en-IN"});
        let path = "/v1/jambonz";
        let reply = client.send(client.request(Method::POST, path, body.to_string())).await;
        assert_eq!(reply.status, 200, "{kind}");
        assert!(Audio::from_bytes(&reply.body[44..]) == expected, "{kind}");
    }
}

/// WebSocket endpoint of a compatible API, and messages that request the synthesis of a document in two parts.
struct Service {
    path: &'static str,
    key: (&'static str, String),
    messages: Vec<Value>,
}

/// Returns the audio in a message of any of the compatible APIs.
fn sound_in(heard: json_socket::Received) -> Vec<u8> {
    match heard {
        json_socket::Received::Sound(sound) => sound,
        json_socket::Received::Json(reported) => {
            [&reported["audio"], &reported["data"], &reported["data"]["audio"]]
                .into_iter()
                .find(|field| field.is_string())
                .map_or_else(Vec::new, json_socket::decoded)
        }
    }
}

#[tokio::test]
async fn sockets_of_other_services_accept_ssml_in_chunks() {
    let server = TestServer::start().await;
    let expected = clip(&server, PAUSED).await;
    let (first, second) = PAUSED.split_at("<speak>mama <bre".len());
    let cartesia = |text: &str, more: bool| {
        json!({"context_id": "a", "model_id": "sonic-3", "transcript": text, "voice": {"mode": "id", "id": "Arjun"},
            "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}, "language": "en",
            "continue": more})
    };
    let in_context = |text: &str| json!({"text": text, "context_id": "a"});
    let sarvam = json!({"target_language_code": "en-IN", "speaker": "arjun", "output_audio_codec": "linear16",
        "speech_sample_rate": "24000", "model": "bulbul:v3"});
    let sarvam_text = |text: &str| json!({"type": "text", "data": {"text": text}});
    let bearer = ("authorization", format!("Bearer {}", server.key));
    let services = [
        Service {
            path: "/v1/speak?encoding=linear16&sample_rate=24000&model=Arjun-en&max_lead_ms=0",
            key: ("authorization", format!("Token {}", server.key)),
            messages: vec![
                json!({"type": "Speak", "text": first}),
                json!({"type": "Speak", "text": second}),
                json!({"type": "Flush"}),
            ],
        },
        Service {
            path: "/tts/websocket?max_lead_ms=0",
            key: ("x-api-key", server.key.clone()),
            messages: vec![cartesia(first, true), cartesia(second, false)],
        },
        Service {
            path: "/v1/text-to-speech/Arjun/stream-input?output_format=pcm_24000&language_code=en&max_lead_ms=0",
            key: ("xi-api-key", server.key.clone()),
            messages: [" ", first, second, ""].map(|text| json!({"text": text})).to_vec(),
        },
        Service {
            path: "/v1/text-to-speech/Arjun/multi-stream-input?output_format=pcm_24000&language_code=en&max_lead_ms=0",
            key: ("xi-api-key", server.key.clone()),
            messages: vec![
                in_context(" "),
                in_context(first),
                in_context(second),
                json!({"context_id": "a", "close_context": true}),
            ],
        },
        Service {
            path: "/text-to-speech/ws?model=bulbul:v3&max_lead_ms=0",
            key: ("api-subscription-key", server.key.clone()),
            messages: vec![
                json!({"type": "config", "data": sarvam}),
                sarvam_text(first),
                sarvam_text(second),
                json!({"type": "flush"}),
            ],
        },
        Service {
            path: "/v1/jambonz/stream?voice=arjun&language=en-IN&sampleRate=24000&max_lead_ms=0",
            key: bearer,
            messages: vec![
                json!({"type": "stream", "text": first}),
                json!({"type": "stream", "text": second}),
                json!({"type": "flush"}),
            ],
        },
    ];
    for Service { path, key: (name, key), messages } in services {
        let mut socket = JsonSocket::open(&server, path, &[(name, &key)]).await.expect("refused");
        socket.say_all(messages).await;
        let mut sound = Vec::new();
        while sound.len() < expected.samples.len() * 2 {
            sound.extend(sound_in(socket.hear_any().await.expect("closed")));
        }
        assert!(Audio::from_bytes(&sound) == expected, "{path}");
    }
}

#[tokio::test]
async fn normalization_reports_the_spoken_text() {
    let server = TestServer::start().await;
    let client = server.client();
    let text = "<speak>am <say-as interpret-as='ordinal'>3</say-as> <sub alias='kilo'>k</sub></speak>";
    let body = json!({"text": text, "language": "en"}).to_string();
    let reply = client.send(client.request(Method::POST, "/v1/normalize", body)).await.json();
    let words: Vec<&str> = reply["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|token| token["words"].as_array().unwrap())
        .filter_map(|word| word["text"].as_str())
        .collect();
    assert_eq!(words, ["am", "third", "kilo"], "{reply}");
}
