use super::*;
use crate::limits::MAX_LEXICON_SPELLING_CHARS;

fn read(body: &str) -> Result<SynthesisRequest, ApiError> {
    SynthesisRequest::from_json(body.as_bytes())
}

fn lexicon_of(entries: usize) -> String {
    let entries: Vec<String> = (0..entries).map(|i| format!("\"w{i}\":\"s\"")).collect();
    format!("{{\"text\":\"a\",\"lexicon\":{{{}}}}}", entries.join(","))
}

#[test]
fn defaults_match_the_contract() {
    assert_eq!(read(r#"{"text":"नमस्ते"}"#).unwrap(), SynthesisRequest::new("नमस्ते"));
    let nulls = r#"{"text":"a","voice":null,"language":null,"speed":null,"pitch":null,"lexicon":null,
        "output_format":null}"#;
    assert_eq!(read(nulls).unwrap(), SynthesisRequest::new("a"));
}

#[test]
fn reads_every_field_and_ignores_unknown_ones() {
    let request = read(
        r#"{"text":" AIIMS ","voice":"arjun","language":"HI-in","speed":2,"pitch":-6.0,
            "lexicon":{"AIIMS":" एम्स "},"output_format":"mulaw_8000","later":{"a":[1]}}"#,
    )
    .unwrap();
    assert_eq!(request.text, " AIIMS ");
    assert_eq!(request.chars(), 5);
    assert_eq!(request.voice, Some("arjun".into()));
    assert_eq!(request.language, Some(Language::Hindi));
    assert_eq!((request.speed, request.pitch), (2.0, -6.0));
    assert_eq!(request.lexicon, BTreeMap::from([("AIIMS".to_owned(), "एम्स".to_owned())]));
    assert_eq!(request.output_format.as_deref(), Some("mulaw_8000"));
    let json = serde_json::to_string(&request).unwrap();
    assert_eq!(read(&json).unwrap(), request, "what a client writes, the server reads");
}

#[test]
fn errors_have_code_and_field() {
    use ErrorCode::{EmptyText, InvalidField, InvalidJson, MissingField, UnsupportedLanguage};
    let long_word = format!(r#"{{"text":"a","lexicon":{{"{}":"b"}}}}"#, "x".repeat(65));
    let spelled = |chars| format!(r#"{{"text":"a","lexicon":{{"b":"{}"}}}}"#, "अ".repeat(chars));
    let long_spelling = spelled(MAX_LEXICON_SPELLING_CHARS + 1);
    let spelling_chars = format!("{} characters", MAX_LEXICON_SPELLING_CHARS + 1);
    let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    let cases: &[(&str, ErrorCode, Option<&str>, &str)] = &[
        ("", InvalidJson, None, "empty"),
        ("{\"text\":", InvalidJson, None, "line 1 column 8"),
        ("[]", InvalidJson, None, "not an array"),
        ("null", InvalidJson, None, "not null"),
        ("{\"text\":\"a\"} x", InvalidJson, None, "trailing"),
        ("{\"text\":\"a\",\"speed\":NaN}", InvalidJson, None, "line 1"),
        ("{\"text\":\"a\u{1}\"}", InvalidJson, None, "must be escaped"),
        (r#"{"text":"\ud83d"}"#, InvalidJson, None, "half of a surrogate pair"),
        (r#"{"text":"\ud83d rest"}"#, InvalidJson, None, "half of a surrogate pair"),
        (r#"{"text":"\ude00"}"#, InvalidJson, None, "half of a surrogate pair"),
        (r#"{"text":"\ud83d\u0041"}"#, InvalidJson, None, "half of a surrogate pair"),
        (&deep, InvalidJson, None, "recursion"),
        ("{}", MissingField, Some("text"), "required"),
        (r#"{"text":null}"#, MissingField, Some("text"), "required"),
        (
            r#"{"text":"a","output_format":8000}"#,
            InvalidField,
            Some("output_format"),
            "a string, the name of a format",
        ),
        (r#"{"text":5}"#, InvalidField, Some("text"), "a string, not a number"),
        (r#"{"text":["a"]}"#, InvalidField, Some("text"), "not an array"),
        (r#"{"text":"a\u0000b"}"#, InvalidField, Some("text"), "U+0000) at character 2"),
        (r#"{"text":" \n\u2003 "}"#, EmptyText, Some("text"), "empty"),
        (r#"{"text":"a","voice":1}"#, InvalidField, Some("voice"), "not a number"),
        (r#"{"text":"a","language":"fr"}"#, UnsupportedLanguage, Some("language"), "hi, bn"),
        (r#"{"text":"a","language":true}"#, InvalidField, Some("language"), "not a boolean"),
        (r#"{"text":"a","speed":0.49}"#, InvalidField, Some("speed"), "0.5 to 2.0, not 0.49"),
        (r#"{"text":"a","speed":2.01}"#, InvalidField, Some("speed"), "0.5 to 2.0"),
        (r#"{"text":"a","speed":"1"}"#, InvalidField, Some("speed"), "not a string"),
        (r#"{"text":"a","pitch":6.5}"#, InvalidField, Some("pitch"), "-6.0 to 6.0"),
        (r#"{"text":"a","pitch":-7}"#, InvalidField, Some("pitch"), "-6.0 to 6.0, not -7"),
        (r#"{"text":"a","pitch":{}}"#, InvalidField, Some("pitch"), "not an object"),
        (
            r#"{"text":"a","clarity":"Phone"}"#,
            InvalidField,
            Some("clarity"),
            r#"must be "off", "phone" or "room", not "Phone""#,
        ),
        (r#"{"text":"a","clarity":true}"#, InvalidField, Some("clarity"), "not a boolean"),
        (r#"{"text":"a","lexicon":[]}"#, InvalidField, Some("lexicon"), "not an array"),
        (&lexicon_of(101), InvalidField, Some("lexicon"), "101 entries; the limit is 100"),
        (r#"{"text":"a","lexicon":{"b":1}}"#, InvalidField, Some("lexicon.b"), "not a number"),
        (r#"{"text":"a","lexicon":{"b":" "}}"#, InvalidField, Some("lexicon.b"), "0 characters"),
        (r#"{"text":"a","lexicon":{"":"b"}}"#, InvalidField, Some("lexicon."), "0 characters"),
        (r#"{"text":"a","lexicon":{"b":"c\u0000"}}"#, InvalidField, Some("lexicon.b"), "control"),
        (&long_spelling, InvalidField, Some("lexicon.b"), &spelling_chars),
    ];
    for (body, code, param, message) in cases {
        let error = read(body).unwrap_err();
        let start: String = body.chars().take(60).collect();
        assert_eq!(error.code, *code, "{start}: {error}");
        assert_eq!(error.param.as_deref(), *param, "{start}: {error}");
        assert!(error.message.contains(message), "{start}: {error}");
        assert!(error.message.len() < 300, "{start}: a message stays short");
    }
    assert_eq!(read(&long_word).unwrap_err().code, InvalidField);
    assert!(read(&lexicon_of(100)).is_ok());
    assert!(read(&spelled(MAX_LEXICON_SPELLING_CHARS)).is_ok());
}

#[test]
fn reports_invalid_utf_8() {
    let error = SynthesisRequest::from_json(b"{\"text\":\"\xff\xfe\"}").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidJson);
    assert!(error.message.contains("not UTF-8"), "{error}");
}

#[test]
fn length_is_counted_in_characters_after_trimming() {
    for filler in ["a", "अ", "🙂"] {
        let of = |chars: usize| read(&format!("{{\"text\":\"  {}\\n \"}}", filler.repeat(chars)));
        assert_eq!(of(5_000).unwrap().chars(), 5_000);
        let error = of(5_001).unwrap_err();
        assert_eq!(error.code, ErrorCode::TextTooLong);
        assert_eq!(error.message, "text has 5001 characters; the limit is 5000");
    }
}
