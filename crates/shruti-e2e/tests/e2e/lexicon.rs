//! Tests of the pronunciation dictionaries of the server and of requests, and of the resulting word timestamps.

use serde_json::{Value, json};
use shruti_protocol::ErrorCode;
use shruti_service::ServerLexicon;
use shruti_store::KeySpec;
use shruti_testkit::{Client, TestServer};
use shruti_text::Lexicon;

use crate::metering::usage;
use crate::stream::ws_client::{Clip, WsClient};

const SERVERS: &str = r#"
[words]
AIIMS = "एम्स"
"New Delhi" = "नई दिल्ली"
Shruti = "/ʃɾʊt̪iː/"

[ta]
AIIMS = "எய்ம்ஸ்"
"#;

async fn server() -> TestServer {
    let lexicon = ServerLexicon::new(Lexicon::from_toml(SERVERS).unwrap());
    TestServer::builder().config(|config| config.lexicon = lexicon).start().await
}

#[tokio::test]
async fn the_server_lexicon_applies_to_every_clip_and_request_readings_take_precedence() {
    let server = server().await;
    let client = server.client();
    let plain = TestServer::start().await;
    let plain = plain.client();
    let text = "यह AIIMS और New Delhi है।";
    let say = |lexicon: Value| json!({"text": text, "language": "hi", "lexicon": lexicon});

    let servers = client.speak(&say(json!({}))).await;
    let both = json!({"AIIMS": "एम्स", "New Delhi": "नई दिल्ली"});
    assert_eq!(servers, plain.speak(&say(both)).await, "as if the request contained them");
    assert_ne!(servers, plain.speak(&say(json!({}))).await);

    let own = client.speak(&say(json!({"aiims": "पुस्तकालय"}))).await;
    let merged = json!({"AIIMS": "पुस्तकालय", "New Delhi": "नई दिल्ली"});
    assert_eq!(
        own,
        plain.speak(&say(merged)).await,
        "the request's own entries, and the server's for the rest"
    );

    let tamil = |lexicon: Value| json!({"text": "இது AIIMS.", "language": "ta", "lexicon": lexicon});
    let in_tamil = client.speak(&tamil(json!({}))).await;
    assert_eq!(in_tamil, plain.speak(&tamil(json!({"AIIMS": "எய்ம்ஸ்"}))).await, "the language's own table");
}

/// Returns the text and the spoken form of each word of a turn.
fn marks(clip: &Clip) -> Vec<(&str, Option<&str>)> {
    clip.words.iter().map(|(word, _)| (word["text"].as_str().unwrap(), word["spoken"].as_str())).collect()
}

#[tokio::test]
async fn conversations_use_the_same_lexicon_and_report_it_in_marks() {
    let server = server().await;
    let mut ws = WsClient::open_fast(&server).await;
    let text = "AIIMS, New Delhi में Shruti है।";
    let wanted = [
        ("AIIMS,", Some("एम्स")),
        ("New Delhi", Some("नई दिल्ली")),
        ("में", None),
        // an entry in phones does not replace the word by another word, so there is no spoken form
        ("Shruti", None),
        ("है।", None),
    ];
    let message = json!({"text": text, "turn_id": "whole", "final": true, "language": "hi"});
    ws.say(message).await;
    let expected = ws.clip("whole").await;
    assert_eq!(marks(&expected), wanted);

    let letters = text.chars().map(|c| json!({"text": c, "turn_id": "pieces", "language": "hi"}));
    ws.say_all(letters.chain([json!({"type": "end", "turn_id": "pieces"})])).await;
    let pieces = ws.clip("pieces").await;
    assert_eq!(marks(&pieces), wanted, "a character at a time");
    assert_eq!(pieces.bytes, expected.bytes);

    ws.say(json!({"type": "config", "language": "hi", "lexicon": {"new delhi": "दिल्ली शहर"}})).await;
    ws.message_of("config").await;
    ws.say(json!({"text": text, "turn_id": "own", "final": true})).await;
    let own = ws.clip("own").await;
    assert_eq!(marks(&own)[..2], [("AIIMS,", Some("एम्स")), ("New Delhi", Some("दिल्ली शहर"))]);
}

#[tokio::test]
async fn invalid_entries_get_specific_errors() {
    let server = server().await;
    let client = server.client();
    for (word, reading, message) in [
        (
            "AIIMS",
            "/eːms!/",
            "the reading between slashes is not IPA: '!', at character 5, is not a supported phone",
        ),
        ("AIIMS", "//", "the reading between slashes has no phone"),
        (
            "🙏",
            "नमस्ते",
            "the word is never looked up: it is markup or emoji, which are removed before words are read",
        ),
    ] {
        let reply = client.post(json!({"text": "a", "lexicon": {word: reading}}).to_string()).await;
        let error = &reply.json()["error"];
        assert_eq!(reply.status, 400);
        assert_eq!(
            (&error["code"], &error["param"]),
            (&json!("invalid_field"), &json!(format!("lexicon.{word}")))
        );
        assert_eq!(error["message"], message);
    }
}

/// Returns a client with a key of a new account with an allowance of `chars` characters, and the key.
async fn client_for(server: &TestServer, name: &str, chars: u64) -> (Client, String) {
    let account = server.create_account(&format!("{name}@example.org"), chars).await;
    let key = server.create_key_of(&account, KeySpec::named(name)).await.secret.reveal().to_owned();
    (server.client().with_key(Some(&key)), key)
}

#[tokio::test]
async fn a_replaced_word_is_charged_by_its_longer_form() {
    let server = server().await;
    let cases = [
        // an entry that replaces one character with eleven characters; it applies twice
        (json!({"text": "k, k.", "lexicon": {"k": "अबकखग अबकखग"}}), 5 + 2 * 10),
        // if the replacement is shorter, the written word is charged
        (json!({"text": "NASSCOM.", "lexicon": {"NASSCOM": "नैसकॉम"}}), 8),
        (
            json!({"text": "At AIIMS's.", "lexicon": {"AIIMS": "All India Institute of Medical Sciences"}}),
            11 + 32,
        ),
        // IPA is counted in phones
        (json!({"text": "k.", "lexicon": {"k": "/uːʈiːuːʈiː/"}}), 2 + 5),
        // a word that a symbol expands to is not part of the text, so its replacement is charged in addition
        (json!({"text": "₹5", "language": "hi", "lexicon": {"रुपए": "रुपए रुपए"}}), 2 + 9),
        // in an alias, the words of the alias are replaced, regardless of the text that it stands for
        (
            json!({"text": "<speak><sub alias='k k. k.'>a text that is not spoken</sub></speak>",
                   "lexicon": {"k": "अबकखग अबकखग"}}),
            67 + 3 * 10,
        ),
        // entries of the operator are not charged
        (json!({"text": "Shruti AIIMS.", "language": "hi"}), 13),
    ];
    for (number, (request, chars)) in cases.into_iter().enumerate() {
        let (short, _) = client_for(&server, &format!("short{number}"), chars - 1).await;
        let refused = short.post(request.to_string()).await;
        let error = refused.assert_error(ErrorCode::QuotaExhausted);
        let needed = format!("{chars} characters are needed and {} are left", chars - 1);
        assert!(error["message"].as_str().unwrap().contains(&needed), "{request}: {error}");

        let (client, _) = client_for(&server, &format!("enough{number}"), 2 * chars).await;
        let reply = client.post(request.to_string()).await;
        assert_eq!(reply.headers["x-tts-chars"], chars.to_string(), "{request}");
        assert_eq!(usage(&client).await.total.chars, chars, "{request}");

        let (_, key) = client_for(&server, &format!("turn{number}"), 2 * chars).await;
        let mut ws = WsClient::open_with(&server, &key).await;
        ws.say(json!({"type": "config", "max_lead_ms": 0})).await;
        ws.message_of("config").await;
        let mut message = request.clone();
        message["turn_id"] = json!("a");
        message["final"] = json!(true);
        ws.say(message).await;
        assert_eq!(ws.clip("a").await.done["chars"], chars, "{request}");
        let client = server.client().with_key(Some(&key));
        assert_eq!(usage(&client).await.total.chars, chars, "{request}");
    }
}

#[tokio::test]
async fn a_key_without_enough_allowance_is_rejected_before_its_readings_are_parsed() {
    let server = server().await;
    let (client, _) = client_for(&server, "asha", 5).await;
    let request = |text: &str| json!({"text": text, "lexicon": {"a": "/§/"}}).to_string();
    client.post(request("hello a")).await.assert_error(ErrorCode::QuotaExhausted);
    client.post(request("a")).await.assert_error(ErrorCode::InvalidField);
    client.speak(&json!({"text": "hello"})).await;
    assert_eq!(usage(&client).await.total.chars, 5, "characters of rejected requests were returned");
}

#[tokio::test]
async fn readings_without_allowance_are_not_spoken() {
    let server = server().await;
    let (client, key) = client_for(&server, "asha", 40).await;
    let mut ws = WsClient::open_with(&server, &key).await;
    let lexicon = json!({"k": "अबकखग अबकखग अबकखग"});
    ws.say(json!({"text": "This. k. And. k. Yes. k.", "turn_id": "a", "final": true, "lexicon": lexicon}))
        .await;
    let failed = ws.message_of("turn.failed").await;
    assert_eq!(failed["error"]["code"], "quota_exhausted");
    // the allowance covered only the first of the replaced words
    let sent = failed["sent_ms"].as_u64().unwrap();
    let reported = usage(&client).await;
    assert_eq!((reported.total.chars, reported.total.audio_ms), (13 + 16, sent), "{reported:?}");
}

#[tokio::test]
async fn readings_at_most_double_the_maximum_text_length() {
    let server = server().await;
    let client = server.client();
    let reading = "अबकखग ".repeat(21);
    let request = |times: usize| json!({"text": "k ".repeat(times), "lexicon": {"k": reading}}).to_string();
    client.post(request(80)).await.assert_error(ErrorCode::TextTooLong);
    let reply = client.post(request(79)).await;
    assert_eq!((reply.status.as_u16(), &reply.headers["x-tts-chars"]), (200, &"9953".parse().unwrap()));
    let long = json!({"text": "k", "lexicon": {"k": "अ".repeat(129)}}).to_string();
    let refused = client.post(long).await;
    assert!(refused.assert_error(ErrorCode::InvalidField)["message"].as_str().unwrap().contains("1 to 128"));
}
