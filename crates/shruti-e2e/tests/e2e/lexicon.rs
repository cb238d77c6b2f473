//! Readings of words: the server's for everyone, a request's for itself, and what their word marks say.

use serde_json::{Value, json};
use shruti_server::ServerLexicon;
use shruti_testkit::TestServer;
use shruti_text::Lexicon;

use crate::stream::talker::{Clip, Talker};

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
async fn the_servers_words_hold_for_every_clip_and_a_requests_own_come_first() {
    let server = server().await;
    let client = server.client();
    let plain = TestServer::start().await;
    let plain = plain.client();
    let text = "यह AIIMS और New Delhi है।";
    let say = |lexicon: Value| json!({"text": text, "language": "hi", "lexicon": lexicon});

    let servers = client.speak(&say(json!({}))).await;
    let both = json!({"AIIMS": "एम्स", "New Delhi": "नई दिल्ली"});
    assert_eq!(servers, plain.speak(&say(both)).await, "as if the request had given them");
    assert_ne!(servers, plain.speak(&say(json!({}))).await);

    let own = client.speak(&say(json!({"aiims": "पुस्तकालय"}))).await;
    let merged = json!({"AIIMS": "पुस्तकालय", "New Delhi": "नई दिल्ली"});
    assert_eq!(own, plain.speak(&say(merged)).await, "its own, and the server's for the rest");

    let tamil = |lexicon: Value| json!({"text": "இது AIIMS.", "language": "ta", "lexicon": lexicon});
    let in_tamil = client.speak(&tamil(json!({}))).await;
    assert_eq!(in_tamil, plain.speak(&tamil(json!({"AIIMS": "எய்ம்ஸ்"}))).await, "the language's own table");
}

/// What the marks of a turn are for, and what they say is spoken.
fn marks(clip: &Clip) -> Vec<(&str, Option<&str>)> {
    clip.words.iter().map(|(word, _)| (word["text"].as_str().unwrap(), word["spoken"].as_str())).collect()
}

#[tokio::test]
async fn conversations_have_the_same_words_and_marks_that_say_so() {
    let server = server().await;
    let mut talker = Talker::open_fast(&server).await;
    let text = "AIIMS, New Delhi में Shruti है।";
    let wanted = [
        ("AIIMS,", Some("एम्स")),
        ("New Delhi", Some("नई दिल्ली")),
        ("में", None),
        // phones are no other words
        ("Shruti", None),
        ("है।", None),
    ];
    let message = json!({"text": text, "turn_id": "whole", "final": true, "language": "hi"});
    talker.say(message).await;
    let whole = talker.clip("whole").await;
    assert_eq!(marks(&whole), wanted);

    let letters = text.chars().map(|c| json!({"text": c, "turn_id": "pieces", "language": "hi"}));
    talker.say_all(letters.chain([json!({"type": "end", "turn_id": "pieces"})])).await;
    let pieces = talker.clip("pieces").await;
    assert_eq!(marks(&pieces), wanted, "a character at a time");
    assert_eq!(pieces.bytes, whole.bytes);

    talker.say(json!({"type": "config", "language": "hi", "lexicon": {"new delhi": "दिल्ली शहर"}})).await;
    talker.message_of("config").await;
    talker.say(json!({"text": text, "turn_id": "own", "final": true})).await;
    let own = talker.clip("own").await;
    assert_eq!(marks(&own)[..2], [("AIIMS,", Some("एम्स")), ("New Delhi", Some("दिल्ली शहर"))]);
}

#[tokio::test]
async fn what_is_wrong_with_an_entry_is_said() {
    let server = server().await;
    let client = server.client();
    for (word, reading, message) in [
        (
            "AIIMS",
            "/eːms!/",
            "the reading between slashes is not IPA: '!', at character 5, is no phone that the voices know",
        ),
        ("AIIMS", "//", "the reading between slashes has no phone"),
        (
            "🙏",
            "नमस्ते",
            "the word is never looked up: it is markup or emoji, which are left out before words are read",
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
