use super::*;
use crate::stream::MAX_MESSAGE_CHARS;

fn read(message: &str) -> Result<ClientMessage, ApiError> {
    ClientMessage::from_json(message.as_bytes())
}

#[test]
fn parses_messages_of_the_contract() {
    let text = |text: &str| Text { text: text.to_owned(), ..Text::default() };
    let cases = [
        (r#"{"text":"नम"}"#, ClientMessage::Text(text("नम"))),
        (
            r#"{"type":"text","text":"a","turn_id":"t1","final":true,"preempt":true,"voice":"arjun","later":1}"#,
            ClientMessage::Text(Text {
                turn_id: Some("t1".to_owned()),
                last: true,
                preempt: true,
                config: ConfigPatch { voice: Some("arjun".into()), ..ConfigPatch::default() },
                ..text("a")
            }),
        ),
        (
            r#"{"type":"config","language":null,"timestamps":"none","max_lead_ms":0}"#,
            ClientMessage::Config(ConfigPatch {
                language: Some(None),
                timestamps: Some(Timestamps::None),
                max_lead_ms: Some(0),
                ..ConfigPatch::default()
            }),
        ),
        (
            r#"{"type":"flush","id":"f"}"#,
            ClientMessage::Flush(Flush { turn_id: None, id: Some("f".to_owned()) }),
        ),
        (r#"{"type":"end"}"#, ClientMessage::End { turn_id: None }),
        (
            r#"{"type":"cancel","all":true,"played_ms":12.7,"id":null}"#,
            ClientMessage::Cancel(Cancel { all: true, played_ms: Some(12), ..Cancel::default() }),
        ),
        (
            r#"{"type":"played","turn_id":"t","played_ms":5}"#,
            ClientMessage::Played(Played { turn_id: "t".to_owned(), played_ms: 5 }),
        ),
        (r#"{"type":"ping","id":"1"}"#, ClientMessage::Ping { id: Some("1".to_owned()) }),
        (r#"{"type":"close"}"#, ClientMessage::Close),
    ];
    for (json, message) in cases {
        assert_eq!(read(json), Ok(message.clone()), "{json}");
        let written = serde_json::to_string(&message).unwrap();
        assert_eq!(read(&written), Ok(message), "what a client writes, the server reads: {written}");
    }
}

#[test]
fn errors_name_the_field() {
    use ErrorCode::{InvalidField, InvalidJson, MissingField, TextTooLong};
    let long_text = format!(r#"{{"text":"{}"}}"#, "अ".repeat(MAX_MESSAGE_CHARS + 1));
    let long_turn = format!(r#"{{"text":"a","turn_id":"{}"}}"#, "t".repeat(65));
    let cases: &[(&str, ErrorCode, Option<&str>)] = &[
        ("", InvalidJson, None),
        ("[]", InvalidJson, None),
        ("{}", MissingField, Some("type")),
        (r#"{"type":"speak"}"#, InvalidField, Some("type")),
        (r#"{"type":7}"#, InvalidField, Some("type")),
        (r#"{"type":"text"}"#, MissingField, Some("text")),
        (r#"{"text":5}"#, InvalidField, Some("text")),
        (r#"{"text":"a\u0000"}"#, InvalidField, Some("text")),
        (&long_text, TextTooLong, Some("text")),
        (&long_turn, InvalidField, Some("turn_id")),
        (r#"{"text":"a","turn_id":""}"#, InvalidField, Some("turn_id")),
        (r#"{"text":"a","final":1}"#, InvalidField, Some("final")),
        (r#"{"type":"config","timestamps":"char"}"#, InvalidField, Some("timestamps")),
        (r#"{"type":"config","max_lead_ms":-1}"#, InvalidField, Some("max_lead_ms")),
        (r#"{"type":"cancel","played_ms":"1"}"#, InvalidField, Some("played_ms")),
        (r#"{"type":"played","turn_id":"t"}"#, MissingField, Some("played_ms")),
    ];
    for (json, code, param) in cases {
        let error = read(json).unwrap_err();
        assert_eq!((error.code, error.param.as_deref()), (*code, *param), "{error}");
    }
}
