//! Tests of `/v1/text-to-speech/{voice}` and its variants, and of the lists that ElevenLabs' clients read.

use http::{HeaderValue, Method, StatusCode};
use serde_json::{Value, json};
use shruti_testkit::{Reply, TestServer};

use super::json_socket::decoded;

const TEXT: &str = " नमस्ते, आपका Rs. 1,25,000 का भुगतान मिल गया है। Thank you! ";
const PCM: &str = "output_format=pcm_24000";

async fn post(server: &TestServer, path: &str, body: &Value) -> Reply {
    let client = server.client().with_key(None);
    let mut request = client.request(Method::POST, &format!("/v1/text-to-speech/{path}"), body.to_string());
    request.headers_mut().insert("xi-api-key", HeaderValue::from_str(&server.key).unwrap());
    client.send(request).await
}

fn request(text: &str) -> Value {
    json!({"text": text, "model_id": "eleven_flash_v2_5", "language_code": "hi",
        "voice_settings": {"stability": 0.5, "similarity_boost": 0.75, "speed": 1.0}})
}

async fn clip(server: &TestServer, text: &str) -> Vec<u8> {
    let body = json!({"text": text, "voice": "Arjun", "language": "hi"});
    server.client().post(body.to_string()).await.body.to_vec()
}

#[tokio::test]
async fn bytes_match_the_clip_in_the_format_of_the_query() {
    let server = TestServer::start().await;
    let expected = clip(&server, TEXT).await;
    for path in ["arjun", "Arjun/stream"] {
        let reply = post(&server, &format!("{path}?{PCM}"), &request(TEXT)).await;
        assert_eq!((reply.header("content-type"), reply.body == expected), ("audio/pcm", true), "{path}");
    }
    let wav = post(&server, "Arjun?output_format=wav_24000", &request(TEXT)).await;
    assert_eq!((&wav.body[..4], &wav.body[44..]), (&b"RIFF"[..], &expected[..]));
    assert_eq!(wav.header("content-type"), "audio/wav");
    for (name, content_type, bytes) in [
        ("ulaw_8000", "audio/basic", expected.len() / 6),
        ("alaw_8000", "audio/x-alaw-basic", expected.len() / 6),
        ("pcm_48000", "audio/pcm", expected.len() * 2),
        ("pcm_32000", "audio/pcm", expected.len() * 4 / 3),
    ] {
        let reply = post(&server, &format!("Arjun?output_format={name}"), &request(TEXT)).await;
        assert_eq!(reply.header("content-type"), content_type);
        assert!(reply.body.len().abs_diff(bytes) <= 2, "{name}: {} of {bytes}", reply.body.len());
    }
    let reply = post(&server, "Arjun", &request(TEXT)).await;
    assert_eq!((reply.header("content-type"), reply.body[0]), ("audio/mpeg", 0xff), "MP3 is the default");
    let reply = post(&server, "Arjun?output_format=opus_48000_32", &request(TEXT)).await;
    assert_eq!((reply.header("content-type"), &reply.body[..4]), ("audio/ogg", &b"OggS"[..]));
}

/// Returns the characters of an alignment as text, and its end in seconds. Panics if its times are invalid.
fn aligned(alignment: &Value, from_s: f64) -> (String, f64) {
    let list = |name: &str| alignment[name].as_array().unwrap().clone();
    let characters = list("characters");
    let (starts, ends) = (list("character_start_times_seconds"), list("character_end_times_seconds"));
    assert_eq!((starts.len(), ends.len()), (characters.len(), characters.len()));
    let mut before = from_s;
    for (start, end) in starts.iter().zip(&ends) {
        let (start, end) = (start.as_f64().unwrap(), end.as_f64().unwrap());
        assert!(before <= start && start <= end, "{before} {start} {end}");
        before = end;
    }
    (characters.iter().map(|character| character.as_str().unwrap()).collect(), before)
}

#[tokio::test]
async fn one_object_contains_the_clip_and_character_times() {
    let server = TestServer::start().await;
    let expected = clip(&server, TEXT).await;
    let reply = post(&server, &format!("Arjun/with-timestamps?{PCM}"), &request(TEXT)).await;
    assert_eq!(reply.header("content-type"), "application/json");
    let object = reply.json();
    assert_eq!(decoded(&object["audio_base64"]), expected);
    let (text, end) = aligned(&object["alignment"], 0.0);
    assert_eq!(text, TEXT);
    let length = expected.len() as f64 / 48_000.0;
    assert!(length - 0.5 < end && end <= length, "{end} s of {length} s");
    assert_eq!(object["normalized_alignment"], object["alignment"]);
}

#[tokio::test]
async fn lines_contain_the_clip_with_characters_before_their_audio() {
    let server = TestServer::start().await;
    let reply = post(&server, &format!("Arjun/stream/with-timestamps?{PCM}"), &request(TEXT)).await;
    let lines = std::str::from_utf8(&reply.body).unwrap().lines();
    let (mut sound, mut text, mut until_s) = (Vec::new(), String::new(), 0.0);
    for line in lines {
        let line: Value = serde_json::from_str(line).unwrap();
        if !line["alignment"].is_null() {
            let first = line["alignment"]["character_start_times_seconds"][0].as_f64().unwrap();
            // white space and unspoken characters begin at the end of the preceding word
            let (reported, until) = aligned(&line["alignment"], until_s);
            assert!(
                reported.trim().is_empty() || sound.len() as f64 / 48_000.0 <= until,
                "{reported} is late: {first}"
            );
            text += &reported;
            until_s = until;
        }
        sound.extend(decoded(&line["audio_base64"]));
    }
    assert_eq!((text.as_str(), sound == clip(&server, TEXT).await), (TEXT, true));
}

#[tokio::test]
async fn speed_and_language_are_read_from_all_positions_that_clients_use() {
    let server = TestServer::start().await;
    let mut fast = request("नमस्ते, आप कैसे हैं?");
    let normal = post(&server, &format!("Arjun?{PCM}"), &fast).await.body.len();
    fast["voice_settings"]["speed"] = json!(1.2);
    let faster = post(&server, &format!("Arjun?{PCM}"), &fast).await.body.len();
    assert!(faster < normal * 9 / 10, "{faster} of {normal}");
    let body = json!({"text": "25", "voice": "Arjun", "language": "ta"});
    let expected = server.client().post(body.to_string()).await.body;
    for (query, body) in [
        ("&language_code=ta", json!({"text": "25"})),
        ("", json!({"text": "25", "language_code": "ta"})),
        ("&language_code=hi", json!({"text": "25", "language_code": "ta-IN"})),
    ] {
        let reply = post(&server, &format!("Arjun?{PCM}{query}"), &body).await;
        assert_eq!(reply.body, expected, "{query} {body}");
    }
}

#[tokio::test]
async fn text_without_words_yields_100_ms_and_white_space_no_audio() {
    let server = TestServer::start().await;
    for (text, bytes) in [("🙂", 4_800), (" ", 0), ("", 0)] {
        let reply = post(&server, &format!("Arjun/stream?{PCM}"), &request(text)).await;
        assert_eq!((reply.status, reply.body.len()), (StatusCode::OK, bytes), "{text:?}");
        let object = post(&server, &format!("Arjun/with-timestamps?{PCM}"), &request(text)).await.json();
        assert_eq!(decoded(&object["audio_base64"]).len(), bytes, "{text:?}");
        assert_eq!(aligned(&object["alignment"], 0.0).0, text);
    }
}

#[tokio::test]
async fn errors_use_the_elevenlabs_format_and_terms() {
    let server = TestServer::start().await;
    let spent = server.create_account("asha@example.org", 1).await;
    let spent = server.create_key_of(&spent, shruti_store::KeySpec::named("a")).await;
    let spent = spent.secret.reveal().to_owned();
    let client = server.client();
    let long = request(&"क".repeat(5_001)).to_string();
    let fine = request("हाँ।").to_string();
    for (path, key, body, status, word) in [
        ("Rachel", &server.key, &fine, 404, "voice_not_found"),
        ("21m00Tcm4TlvDq8ikWAM", &server.key, &fine, 404, "voice_not_found"),
        ("Arjun", &server.key, &long, 400, "max_character_limit_exceeded"),
        ("Arjun", &server.key, &"{".to_owned(), 400, "invalid_json"),
        ("Arjun?output_format=flac", &server.key, &fine, 400, "invalid_field"),
        ("Arjun?language_code=fr", &server.key, &fine, 400, "unsupported_language"),
        ("Arjun", &"sk_wrong".to_owned(), &fine, 401, "invalid_api_key"),
        ("Arjun", &spent, &fine, 402, "quota_exceeded"),
    ] {
        for (name, query) in ["", "/stream", "/with-timestamps", "/stream/with-timestamps"].map(|end| {
            path.split_once('?').map_or((format!("{path}{end}"), ""), |(p, q)| (format!("{p}{end}"), q))
        }) {
            let client = client.with_key(Some(key));
            let path = format!("/v1/text-to-speech/{name}?{query}");
            let reply = client.send(client.request(Method::POST, &path, body.clone())).await;
            let body = reply.json();
            assert_eq!((reply.status.as_u16(), &body["detail"]["status"]), (status, &json!(word)), "{path}");
            assert!(body["detail"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
            assert!(reply.header("x-request-id").starts_with("req_"));
        }
    }
    let (parts, body) = client
        .open(client.request(Method::GET, "/v1/text-to-speech/Arjun", String::new()))
        .await
        .into_parts();
    let body = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((parts.status.as_u16(), &body["detail"]["status"]), (405, &json!("method_not_allowed")));
}

#[tokio::test]
async fn lists_use_the_elevenlabs_format_with_its_key_header() {
    let server = TestServer::start().await;
    let anonymous = server.client().with_key(None);
    let voices = anonymous.get("/v1/voices").await.json();
    for voice in voices["voices"].as_array().unwrap() {
        assert_eq!((&voice["voice_id"], &voice["category"]), (&voice["name"], &json!("premade")));
    }
    let mut request = anonymous.request(Method::GET, "/v1/models", String::new());
    request.headers_mut().insert("xi-api-key", HeaderValue::from_str(&server.key).unwrap());
    let models = anonymous.send(request).await.json();
    assert_eq!(
        (&models[0]["model_id"], &models[0]["can_do_text_to_speech"]),
        (&json!("eleven_multilingual_v2"), &json!(true))
    );
    assert_eq!(models[0]["languages"].as_array().unwrap().len(), 15);
    assert_eq!(server.client().get("/v1/models").await.json()["object"], "list");
}
