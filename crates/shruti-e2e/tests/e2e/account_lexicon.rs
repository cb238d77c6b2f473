//! Tests of an account's pronunciation dictionary. It is managed with an API key and applies to every request with
//! one of the account's keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};
use shruti_audio::wav;
use shruti_protocol::ErrorCode;
use shruti_service::ServerLexicon;
use shruti_store::{KeySpec, Scope};
use shruti_testkit::{Client, Reply, TestServer};
use shruti_text::Lexicon;

use crate::compat::json_socket::{JsonSocket, Received};
use crate::metering::usage;
use crate::stream::ws_client::WsClient;

const PATH: &str = "/v1/lexicon";
const TEXT: &str = "यह AIIMS और New Delhi है।";
const OURS: &str =
    "# ours\n[words]\nAIIMS = \"एम्स\"\n\"New Delhi\" = \"नई दिल्ली\"\n\n[ta]\nAIIMS = \"எய்ம்ஸ்\"\n";

/// Returns a client for a new account with an allowance of `chars` characters.
async fn client_of(server: &TestServer, name: &str, chars: u64) -> Client {
    let account = server.create_account(&format!("{name}@example.org"), chars).await;
    let key = server.create_key_of(&account, KeySpec::named(name)).await.secret;
    server.client().with_key(Some(key.reveal()))
}

async fn put(client: &Client, toml: impl Into<String>, version: Option<&str>) -> Reply {
    let mut request = client.request(Method::PUT, PATH, toml.into());
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, "application/toml".parse().unwrap());
    if let Some(version) = version {
        headers.insert(header::IF_MATCH, version.parse().unwrap());
    }
    client.send(request).await
}

/// Replaces the dictionary and returns the `ETag` of its new version.
async fn replace(client: &Client, toml: &str) -> String {
    let reply = put(client, toml, None).await;
    assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.body);
    reply.header("etag").to_owned()
}

fn hindi(lexicon: &Value) -> Value {
    json!({"text": TEXT, "language": "hi", "lexicon": lexicon})
}

#[tokio::test]
async fn the_lexicon_is_read_and_replaced_by_version() {
    let server = TestServer::start().await;
    let client = client_of(&server, "asha", 1_000).await;
    let read = async || client.get(PATH).await;
    let empty = read().await;
    assert_eq!((empty.status, &empty.body[..], empty.header("etag")), (StatusCode::OK, &b""[..], "\"0\""));

    let stored = put(&client, OURS, Some("\"0\"")).await;
    assert_eq!((stored.header("etag"), stored.header("content-type")), ("\"1\"", "application/toml"));
    assert_eq!(
        (&stored.body[..], &read().await.body[..]),
        (OURS.as_bytes(), OURS.as_bytes()),
        "comments and all"
    );
    assert_eq!(replace(&client, OURS).await, "\"1\"", "an identical replacement changes nothing");

    let late = put(&client, "[words]\na = 'b'", Some("\"0\"")).await;
    let error = late.assert_error(ErrorCode::LexiconChanged);
    assert!(error["message"].as_str().unwrap().contains("version \"1\""), "{error}");
    assert_eq!(&read().await.body[..], OURS.as_bytes());
    put(&client, "a", Some("1")).await.assert_error(ErrorCode::InvalidField);
    assert_eq!(put(&client, "# nothing left", Some("\"1\"")).await.header("etag"), "\"2\"");
    assert_eq!(read().await.body.len(), 0);
}

#[tokio::test]
async fn of_concurrent_editors_one_succeeds_and_the_others_get_a_conflict() {
    let server = TestServer::start().await;
    let client = client_of(&server, "asha", 1_000).await;
    let mut editors = tokio::task::JoinSet::new();
    for editor in 0..12 {
        let client = client.clone();
        editors.spawn(async move { put(&client, format!("[words]\na = 'b{editor}'"), Some("\"0\"")).await });
    }
    let replies = editors.join_all().await;
    let won: Vec<&Reply> = replies.iter().filter(|reply| reply.status == StatusCode::OK).collect();
    assert_eq!((won.len(), &won[0].body), (1, &client.get(PATH).await.body));
    assert!(replies.iter().all(|reply| [200, 412].contains(&reply.status.as_u16())));
}

#[tokio::test]
async fn clips_use_account_readings_and_request_readings_take_precedence() {
    let servers = Lexicon::from_toml("[words]\nAIIMS = 'पुस्तकालय'\nhai = 'x'\n").unwrap();
    let server =
        TestServer::builder().config(|config| config.lexicon = ServerLexicon::new(servers)).start().await;
    let plain = TestServer::start().await;
    let plain = plain.client();
    let client = client_of(&server, "asha", 100_000).await;
    let ravi = client_of(&server, "ravi", 100_000).await;
    let before = client.speak(&hindi(&json!({}))).await;
    assert_eq!(before, plain.speak(&hindi(&json!({"AIIMS": "पुस्तकालय"}))).await, "only the server's entries");

    // the dictionary takes effect with the next request, without a delay
    replace(&client, OURS).await;
    let expected = client.speak(&hindi(&json!({}))).await;
    assert_eq!(expected, plain.speak(&hindi(&json!({"AIIMS": "एम्स", "New Delhi": "नई दिल्ली"}))).await);
    assert_eq!(expected, client.speak(&hindi(&json!({}))).await, "the same request, the same samples");
    let own = client.speak(&hindi(&json!({"aiims": "ऐम्स"}))).await;
    assert_eq!(own, plain.speak(&hindi(&json!({"AIIMS": "ऐम्स", "New Delhi": "नई दिल्ली"}))).await);
    // an entry in the request that maps a word to itself overrides the account's entry, so that the word is pronounced
    // as it is spelled
    let as_written = hindi(&json!({"AIIMS": "AIIMS", "New Delhi": "New Delhi"}));
    assert_eq!(client.speak(&as_written).await, plain.speak(&as_written).await);

    let tamil = |lexicon: Value| json!({"text": "இது AIIMS.", "language": "ta", "lexicon": lexicon});
    let in_tamil = client.speak(&tamil(json!({}))).await;
    assert_eq!(in_tamil, plain.speak(&tamil(json!({"AIIMS": "எய்ம்ஸ்"}))).await, "the language's own table");
    assert_eq!(ravi.speak(&hindi(&json!({}))).await, before, "other accounts are not affected");

    replace(&client, "").await;
    assert_eq!(client.speak(&hindi(&json!({}))).await, before);
}

#[tokio::test]
async fn conversations_and_compatible_apis_use_account_readings() {
    let server = TestServer::start().await;
    let account = server.create_account("asha@example.org", 1_000_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await.secret.reveal().to_owned();
    let client = server.client().with_key(Some(&key));
    let output = json!({"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000});
    let clips = [
        ("/v1/tts", json!({"text": TEXT})),
        ("/v1/audio/speech", json!({"input": TEXT, "response_format": "pcm"})),
        ("/tts/bytes", json!({"transcript": TEXT, "voice": "Ananya", "output_format": output})),
        ("/v1/speak", json!({"text": TEXT})),
        ("/v1/text-to-speech/Ananya", json!({"text": TEXT})),
        ("/text-to-speech", json!({"text": TEXT})),
        ("/v1/jambonz", json!({"text": TEXT})),
        ("/v1/vapi", json!({"message": {"text": TEXT}})),
    ];
    let text = |text: &str| json!({"type": "text", "data": {"text": text}});
    let sockets: [(&str, Vec<Value>); 3] = [
        ("/v1/tts/stream", vec![json!({"type": "text", "text": TEXT, "final": true, "max_lead_ms": 0})]),
        ("/text-to-speech/ws", vec![text(TEXT), json!({"type": "flush"})]),
        ("/v1/jambonz/stream", vec![json!({"type": "stream", "text": TEXT}), json!({"type": "flush"})]),
    ];
    let bearer = format!("Bearer {key}");
    // collects all audio of each clip, and at most 20,000 bytes of audio from the first 20 messages of each
    // conversation
    let hear = async || {
        let mut all = Vec::new();
        for (path, body) in &clips {
            let reply = client.send(client.request(Method::POST, path, body.to_string())).await;
            assert_eq!(reply.status, StatusCode::OK, "{path}");
            // responses in JSON also contain the request ID
            let is_json = reply.header("content-type").starts_with("application/json");
            let body = if is_json {
                STANDARD.decode(reply.json()["audios"][0].as_str().unwrap()).unwrap()
            } else {
                reply.body.to_vec()
            };
            // the header of a WAV file contains the length only if the clip was synthesised fast enough
            let header = if body.starts_with(b"RIFF") { wav::HEADER_BYTES } else { 0 };
            all.push(((*path).to_owned(), body[header..].to_vec()));
        }
        for (path, messages) in &sockets {
            let headers = [("authorization", bearer.as_str())];
            let mut socket = JsonSocket::open(&server, path, &headers).await.expect("refused");
            socket.say_all(messages.clone()).await;
            let mut sound = Vec::new();
            for _ in 0..20 {
                match socket.hear_any().await.expect("closed") {
                    Received::Sound(bytes) => sound.extend_from_slice(&bytes),
                    Received::Json(reported) if reported["type"] == "audio" => {
                        sound.extend_from_slice(reported["data"]["audio"].as_str().unwrap().as_bytes());
                    }
                    Received::Json(_) => {}
                }
                if sound.len() > 40_000 {
                    break;
                }
            }
            assert!(!sound.is_empty(), "{path}");
            all.push(((*path).to_owned(), sound[..sound.len().min(20_000)].to_vec()));
        }
        all
    };
    let without = hear().await;
    replace(&client, "[words]\n\"यह\" = 'पुस्तकालय'\n").await;
    let with = hear().await;
    // compares only as many bytes as both results have, because the amount of audio in 20 messages varies
    let alike = |one: &[u8], other: &[u8]| one.iter().zip(other).all(|(one, other)| one == other);
    for ((path, without), (_, with)) in without.iter().zip(&with) {
        assert!(!alike(without, with), "{path}");
    }
    replace(&client, "").await;
    for ((path, without), (_, again)) in without.iter().zip(&hear().await) {
        assert!(alike(without, again), "{path}");
    }

    // the word timestamps of a turn show the spoken form, and an open conversation keeps the dictionary that it started
    // with
    replace(&client, OURS).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    replace(&client, "").await;
    for (id, lexicon, wanted) in [("a", json!({}), "एम्स"), ("b", json!({"AIIMS": "ऐम्स"}), "ऐम्स")]
    {
        let message =
            json!({"text": "AIIMS है।", "turn_id": id, "final": true, "language": "hi", "lexicon": lexicon});
        ws.say(message).await;
        assert_eq!(ws.clip(id).await.words[0].0["spoken"], wanted);
    }
}

#[tokio::test]
async fn longer_account_readings_are_charged_like_request_readings() {
    let server = TestServer::start().await;
    let client = client_of(&server, "asha", 24).await;
    replace(&client, "[words]\nk = 'अबकखग अबकखग'\n").await;
    let request = json!({"text": "k, k."}).to_string();
    let refused = client.post(request.clone()).await;
    let error = refused.assert_error(ErrorCode::QuotaExhausted);
    assert!(error["message"].as_str().unwrap().contains("25 characters are needed"), "{error}");

    let client = client_of(&server, "ravi", 1_000).await;
    replace(&client, "[words]\nk = 'अबकखग अबकखग'\n").await;
    let reply = client.post(request).await;
    assert_eq!((reply.header("x-tts-chars"), usage(&client).await.total.chars), ("25", 25));
    // an entry in the request for the same word also determines the charge
    let own = client.post(json!({"text": "k, k.", "lexicon": {"k": "क"}}).to_string()).await;
    assert_eq!((own.header("x-tts-chars"), usage(&client).await.total.chars), ("5", 30));
}

#[tokio::test]
async fn access_needs_permission_and_is_limited_to_the_own_account() {
    let server = TestServer::start().await;
    let asha = client_of(&server, "asha", 1_000).await;
    let ravi = client_of(&server, "ravi", 1_000).await;
    replace(&asha, OURS).await;
    assert_eq!(ravi.get(PATH).await.body.len(), 0);
    put(&ravi, "", Some("\"1\"")).await.assert_error(ErrorCode::LexiconChanged);
    assert_eq!(&asha.get(PATH).await.body[..], OURS.as_bytes());

    let token = asha.token().await;
    let nobody = server.client().with_key(None);
    let with_token = server.client().with_key(Some(&token));
    for (client, code) in [(&nobody, ErrorCode::MissingApiKey), (&with_token, ErrorCode::InvalidApiKey)] {
        client.get(PATH).await.assert_error(code);
        put(client, OURS, None).await.assert_error(code);
    }
    // a key that the operator created without an account has no dictionary
    let loose = server.create_key(KeySpec::named("a")).await.secret;
    let loose = server.client().with_key(Some(loose.reveal()));
    loose.get(PATH).await.assert_error(ErrorCode::NotFound);
    put(&loose, OURS, None).await.assert_error(ErrorCode::NotFound);

    let account = server.create_account("c@example.org", 10).await;
    let reader = KeySpec { scopes: vec![Scope::UsageRead], ..KeySpec::named("a") };
    let reader = server.create_key_of(&account, reader).await.secret;
    let reader = server.client().with_key(Some(reader.reveal()));
    put(&reader, OURS, None).await.assert_error(ErrorCode::InsufficientScope);
}

#[tokio::test]
async fn invalid_lexicons_get_specific_errors_and_change_nothing() {
    let server = TestServer::start().await;
    let client = client_of(&server, "asha", 1_000).await;
    replace(&client, OURS).await;
    let million: Vec<String> = (0..1_000_000).map(|at| format!("w{at}='x'")).collect();
    let million = million.join("\n");
    put(&client, format!("[words]\n{million}"), None).await.assert_error(ErrorCode::BodyTooLarge);
    for (toml, says) in [
        ("[words]\n\nAIIMS = '/e!/'", "line 3: 'AIIMS': the reading between slashes is not IPA"),
        ("[words]\n\"a\\u0007\" = 'x'", "line 2: 'a': there is a control character in the word"),
        ("[words]\na = \"x\\u0000\"", "line 2: 'a': there is a control character in the reading"),
        ("AIIMS = 'x'", "'AIIMS' is not in a table"),
        ("[xx]\na = 'b'", "[xx] is not a table of a lexicon"),
        ("[words", "not TOML"),
    ] {
        let reply = put(&client, toml, None).await;
        let error = reply.assert_error(ErrorCode::InvalidField);
        assert_eq!(error["param"], "lexicon");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
    let mut request = client.request(Method::PUT, PATH, vec![0xff, 0xfe]);
    request.headers_mut().insert(header::CONTENT_TYPE, "application/toml".parse().unwrap());
    client.send(request).await.assert_error(ErrorCode::InvalidField);
    let as_json = client.request(Method::PUT, PATH, OURS);
    client.send(as_json).await.assert_error(ErrorCode::UnsupportedMediaType);
    assert_eq!(&client.get(PATH).await.body[..], OURS.as_bytes());
}

async fn normalize(client: &Client, request: Value) -> Reply {
    client.send(client.request(Method::POST, "/v1/normalize", request.to_string())).await
}

#[tokio::test]
async fn the_explanation_uses_the_effective_readings() {
    let server = TestServer::start().await;
    let client = client_of(&server, "asha", 1).await;
    replace(&client, OURS).await;
    let request = json!({"text": "AIIMS ₹1,500 Dr. 🙏 राम", "language": "hi", "lexicon": {"राम": "/raːm/"}});
    let reported = normalize(&client, request).await.json();
    let spoken: Vec<(&str, &str, String)> = reported["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|token| {
            let words: Vec<&str> = token["words"]
                .as_array()
                .unwrap()
                .iter()
                .map(|word| word["text"].as_str().unwrap())
                .collect();
            (token["written"].as_str().unwrap(), token["class"].as_str().unwrap(), words.join(" "))
        })
        .collect();
    let spoken: Vec<(&str, &str, &str)> =
        spoken.iter().map(|(written, class, words)| (*written, *class, words.as_str())).collect();
    assert_eq!(spoken[0], ("AIIMS", "lexicon", "एम्स"));
    assert_eq!(spoken[1], ("₹1,500", "money", "एक हज़ार पाँच सौ रुपए"));
    assert_eq!((spoken[4].0, spoken[4].1), ("राम", "lexicon"));
    assert_eq!(
        (&reported["language"], &reported["tokens"][4]["words"][0]["phones"]),
        (&json!("hi"), &json!("r aː m"))
    );
    assert_eq!(reported["tokens"][1]["rule"], "hi/normalize.toml [money]");
    assert_eq!(usage(&client).await.total.chars, 0, "nothing is charged");

    for (request, code) in [
        (json!({}), ErrorCode::MissingField),
        (json!({"text": " "}), ErrorCode::EmptyText),
        (json!({"text": "a\u{0}"}), ErrorCode::InvalidField),
        (json!({"text": "a".repeat(5_001)}), ErrorCode::TextTooLong),
        (json!({"text": "a", "language": "fr"}), ErrorCode::UnsupportedLanguage),
        (json!({"text": "a", "lexicon": {"a": "//"}}), ErrorCode::InvalidField),
    ] {
        normalize(&client, request).await.assert_error(code);
    }
    normalize(&server.client().with_key(None), json!({"text": "a"}))
        .await
        .assert_error(ErrorCode::MissingApiKey);
    // a text that consists only of emoji contains nothing to speak; this is not an error
    assert_eq!(normalize(&client, json!({"text": "🙏"})).await.json()["language"], Value::Null);
}
