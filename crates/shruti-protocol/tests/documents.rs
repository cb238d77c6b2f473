//! Tests that the documentation of the stream (`docs/websocket.md` and `docs/asyncapi.json`) matches the types.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use shruti_lang::{Clarity, Language, VoiceEngine};
use shruti_protocol::stream::{
    AudioFormat, Basis, Cancel, CancelState, ClientMessage, CloseCode, Config, ConfigPatch, CutAt,
    DoneReason, ErrorScope, Flush, Heard, Limits, MAX_ID_CHARS, MAX_LEAD_MS, MAX_MESSAGE_CHARS,
    MAX_TURN_ID_CHARS, Played, ServerMessage, Text, Timestamps, WarningCode, WordTime,
};
use shruti_protocol::{ApiError, ErrorCode, ErrorDetail, limits};

const PAGE: &str = include_str!("../../../docs/websocket.md");
const ASYNCAPI: &str = include_str!("../../../docs/asyncapi.json");

const CLIENT: [&str; 8] = ["config", "text", "flush", "end", "cancel", "played", "ping", "close"];
const SERVER: [&str; 12] = [
    "ready",
    "config",
    "turn.started",
    "words",
    "flushed",
    "turn.done",
    "turn.cancelled",
    "turn.failed",
    "warning",
    "error",
    "closing",
    "pong",
];

/// Returns the wire name of a message. The test does not compile until each new variant is added here, and it fails
/// until the name of the variant is in the lists above and in the documents.
fn client_name(message: &ClientMessage) -> &'static str {
    match message {
        ClientMessage::Config(_) => "config",
        ClientMessage::Text(_) => "text",
        ClientMessage::Flush(_) => "flush",
        ClientMessage::End { .. } => "end",
        ClientMessage::Cancel(_) => "cancel",
        ClientMessage::Played(_) => "played",
        ClientMessage::Ping { .. } => "ping",
        ClientMessage::Close => "close",
    }
}

fn server_name(message: &ServerMessage) -> &'static str {
    match message {
        ServerMessage::Ready { .. } => "ready",
        ServerMessage::Config(_) => "config",
        ServerMessage::TurnStarted { .. } => "turn.started",
        ServerMessage::Words { .. } => "words",
        ServerMessage::Flushed { .. } => "flushed",
        ServerMessage::TurnDone { .. } => "turn.done",
        ServerMessage::TurnCancelled { .. } => "turn.cancelled",
        ServerMessage::TurnFailed { .. } => "turn.failed",
        ServerMessage::Warning { .. } => "warning",
        ServerMessage::Error { .. } => "error",
        ServerMessage::Closing { .. } => "closing",
        ServerMessage::Pong { .. } => "pong",
    }
}

/// Returns every message of a client, with every field set.
fn client_messages() -> Vec<ClientMessage> {
    let (turn_id, id) = (Some("t".to_owned()), Some("i".to_owned()));
    let config = ConfigPatch {
        voice: Some("Arjun".into()),
        language: Some(Some(Language::Tamil)),
        speed: Some(1.5),
        pitch: Some(-2.0),
        clarity: Some(Some(Clarity::Room)),
        lexicon: Some(lexicon()),
        engine: Some(VoiceEngine::Learned),
        timestamps: Some(Timestamps::None),
        max_lead_ms: Some(MAX_LEAD_MS),
        output_format: Some("mulaw_8000".to_owned()),
    };
    let text = Text {
        text: "a".into(),
        turn_id: turn_id.clone(),
        last: true,
        preempt: true,
        // `output_format` is a setting of the connection, not of a turn
        config: ConfigPatch { output_format: None, ..config.clone() },
    };
    vec![
        ClientMessage::Config(config),
        ClientMessage::Text(text),
        ClientMessage::Flush(Flush { turn_id: turn_id.clone(), id: id.clone() }),
        ClientMessage::End { turn_id: turn_id.clone() },
        ClientMessage::Cancel(Cancel { turn_id, all: true, played_ms: Some(1), id: id.clone() }),
        ClientMessage::Played(Played { turn_id: "t".into(), played_ms: 1 }),
        ClientMessage::Ping { id },
        ClientMessage::Close,
    ]
}

/// Returns every message of the server, with every field present in its JSON form.
fn server_messages() -> Vec<ServerMessage> {
    let turn = || "t".to_owned();
    let error = || -> ErrorDetail {
        ApiError::new(ErrorCode::InvalidField, "no").with_param("text").into_body("req_1".to_owned()).error
    };
    let config = Config {
        voice: "Arjun".into(),
        language: Some(Language::Tamil),
        speed: 1.5,
        pitch: -2.0,
        clarity: Some(Clarity::Room),
        lexicon: lexicon(),
        engine: VoiceEngine::Auto,
        timestamps: Timestamps::Word,
        max_lead_ms: 0,
        output_format: "mulaw_8000".to_owned(),
    };
    let limits = Limits {
        max_message_chars: 1,
        max_message_bytes: 1,
        max_held_back_chars: 1,
        max_turn_chars: 1,
        max_queued_turns: 1,
        max_flushes: 1,
        max_finished_turns: 1,
        max_turn_id_chars: 1,
        max_id_chars: 1,
        max_lexicon_entries: 1,
        max_lead_ms: 1,
        hold_back_ms: 1,
        open_turn_timeout_s: 1,
        open_turn_timeout_waiting_s: 1,
        max_malformed_per_minute: 1,
        max_overloaded_turns: 1,
        max_unread_answers: 1,
        ping_interval_s: 1,
        max_missed_pings: 1,
        stalled_reader_s: 1,
        idle_timeout_s: 1,
        max_session_s: 1,
        max_streams: Some(1),
    };
    let word = WordTime {
        text: "५".into(),
        start_ms: 0,
        end_ms: 1,
        char_start: 0,
        char_end: 1,
        spoken: Some("पाँच".into()),
    };
    vec![
        ServerMessage::Ready {
            session_id: "req_1".into(),
            protocol: shruti_protocol::stream::PROTOCOL.into(),
            audio: AudioFormat::default(),
            config: config.clone(),
            limits,
        },
        ServerMessage::Config(config),
        ServerMessage::TurnStarted {
            turn_id: turn(),
            voice: "Ananya".into(),
            language: Language::Odia,
            engine: "parametric".to_owned(),
            output_format: "pcm_24000".to_owned(),
        },
        ServerMessage::Words { turn_id: turn(), words: vec![word] },
        ServerMessage::Flushed { turn_id: Some(turn()), id: Some("i".into()), audio_ms: 1 },
        ServerMessage::TurnDone {
            turn_id: turn(),
            audio_ms: 1,
            chars: 1,
            ttfa_ms: Some(0.5),
            reason: DoneReason::NothingToSay,
        },
        ServerMessage::TurnCancelled {
            turn_id: None,
            id: None,
            state: CancelState::AlreadyDone,
            sent_ms: 1,
            heard: Heard {
                ms: 1,
                text: "a".into(),
                char_end: 1,
                basis: Basis::PlayedMs,
                cut_at: CutAt::Clause,
            },
            unheard_text: " b".into(),
        },
        ServerMessage::TurnFailed { turn_id: turn(), error: error(), sent_ms: 0 },
        ServerMessage::Warning {
            code: WarningCode::TurnAbandoned,
            message: "so".into(),
            turn_id: Some(turn()),
        },
        ServerMessage::Error { scope: ErrorScope::Message, turn_id: Some(turn()), error: error() },
        ServerMessage::Closing { reason: "idle".into(), code: 4408, in_ms: 1 },
        ServerMessage::Pong { id: None },
    ]
}

fn lexicon() -> BTreeMap<String, String> {
    BTreeMap::from([("AIIMS".to_owned(), "एम्स".to_owned())])
}

/// Returns a section of the page: the text from a heading to the next heading of the same level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let level = heading.split(' ').next().unwrap_or_default();
    let start = text.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading {heading}"));
    let rest = &text[start + heading.len() + 2..];
    rest.find(&format!("\n{level} ")).map_or(rest, |end| &rest[..end])
}

/// Returns the JSON values in the fenced blocks of a section.
fn examples(section: &str) -> Vec<Value> {
    let blocks = section.split("\n```json\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest));
    let values = blocks.flat_map(|block| serde_json::Deserializer::from_str(block).into_iter::<Value>());
    values.map(|value| value.unwrap_or_else(|error| panic!("not JSON: {error} in {section}"))).collect()
}

fn read_client(example: &Value) -> ClientMessage {
    ClientMessage::from_json(example.to_string().as_bytes())
        .unwrap_or_else(|error| panic!("{error}: {example}"))
}

fn read_server(example: &Value) -> ServerMessage {
    serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{error}: {example}"))
}

#[test]
fn lists_contain_every_message() {
    assert_eq!(client_messages().iter().map(client_name).collect::<Vec<_>>(), CLIENT);
    assert_eq!(server_messages().iter().map(server_name).collect::<Vec<_>>(), SERVER);
}

#[test]
fn documentation_has_valid_examples_of_every_message() {
    let (client, server) = (section(PAGE, "## Client messages"), section(PAGE, "## Server messages"));
    for message in client_messages() {
        let name = client_name(&message);
        let part = section(client, &format!("### `{name}`"));
        let examples = examples(part);
        assert!(!examples.is_empty(), "{name} has no example");
        for example in &examples {
            assert_eq!(client_name(&read_client(example)), name, "{example}");
        }
        for field in fields(&serde_json::to_value(&message).unwrap()) {
            let explained = part.contains(&format!("`{field}`"))
                || name == "text" && section(client, "### `config`").contains(&format!("`{field}`"));
            assert!(explained, "{name}.{field} is not explained");
        }
    }
    for message in server_messages() {
        let name = server_name(&message);
        let examples = examples(section(server, &format!("### `{name}`")));
        assert!(!examples.is_empty(), "{name} has no example");
        for example in &examples {
            let read = read_server(example);
            assert_eq!(server_name(&read), name, "{example}");
            // the example has exactly the fields that the server sends
            assert_eq!(serde_json::to_value(&read).unwrap(), *example);
        }
    }
}

fn fields(message: &Value) -> Vec<String> {
    let fields = message.as_object().into_iter().flat_map(Map::keys);
    fields.filter(|name| *name != "type").cloned().collect()
}

#[test]
fn documentation_lists_every_close_code() {
    let table = section(PAGE, "## Close codes");
    for &code in CloseCode::ALL {
        let row = format!("| {} | `{}` | {}", code.number(), code.name(), code.meaning());
        assert!(table.contains(&row), "no row {row}");
    }
    assert_eq!(table.matches("\n| 1").count() + table.matches("\n| 4").count(), CloseCode::ALL.len());
}

#[test]
fn asyncapi_matches_the_serialized_messages() {
    let document: Value = serde_json::from_str(ASYNCAPI).unwrap();
    let messages = document["components"]["messages"].as_object().unwrap();
    assert_eq!(messages.len(), CLIENT.len() + SERVER.len() + 1, "all messages and the sound");
    let clients = client_messages().into_iter().map(|message| {
        (format!("client.{}", client_name(&message)), serde_json::to_value(&message).unwrap())
    });
    let servers = server_messages().into_iter().map(|message| {
        (format!("server.{}", server_name(&message)), serde_json::to_value(&message).unwrap())
    });
    for (name, full) in clients.chain(servers) {
        let message = messages.get(&name).unwrap_or_else(|| panic!("{name} is missing"));
        let (side, kind) = name.split_once('.').unwrap();
        assert_eq!(message["name"], kind);
        let in_channel = &document["channels"]["stream"]["messages"][&name]["$ref"];
        assert_eq!(*in_channel, format!("#/components/messages/{name}"));
        let operation = &document["operations"][if side == "client" { "hear" } else { "say" }]["messages"];
        let reference = format!("#/channels/stream/messages/{name}");
        assert!(operation.as_array().unwrap().iter().any(|message| message["$ref"] == reference), "{name}");

        check(&document, &message["payload"], &full, true, &name);
        let examples = message["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "{name} has no example");
        for example in examples.iter().map(|example| &example["payload"]) {
            check(&document, &message["payload"], example, false, &name);
            let read = if side == "client" {
                client_name(&read_client(example))
            } else {
                server_name(&read_server(example))
            };
            assert_eq!(read, kind);
        }
    }
}

#[test]
fn asyncapi_limits_match_the_code() {
    let document: Value = serde_json::from_str(ASYNCAPI).unwrap();
    let text = &document["components"]["messages"]["client.text"]["payload"]["properties"];
    let schemas = &document["components"]["schemas"];
    assert_eq!(text["text"]["maxLength"], MAX_MESSAGE_CHARS);
    assert_eq!(text["turn_id"]["maxLength"], MAX_TURN_ID_CHARS);
    let ping = &document["components"]["messages"]["client.ping"]["payload"]["properties"];
    assert_eq!(ping["id"]["maxLength"], MAX_ID_CHARS);
    assert_eq!(text["max_lead_ms"]["maximum"], MAX_LEAD_MS);
    assert_eq!(text["lexicon"]["maxProperties"], limits::MAX_LEXICON_ENTRIES);
    for (field, range) in [("speed", limits::SPEED), ("pitch", limits::PITCH)] {
        assert_eq!(text[field]["minimum"], *range.start(), "{field}");
        assert_eq!(text[field]["maximum"], *range.end(), "{field}");
    }
    assert_eq!((&schemas["Voice"]["type"], schemas["Voice"].get("enum")), (&"string".into(), None));
    assert_eq!(schemas["Clarity"]["enum"], serde_json::to_value(Clarity::ALL).unwrap());
    assert_eq!(schemas["VoiceEngine"]["enum"], serde_json::to_value(VoiceEngine::ALL).unwrap());
    assert_eq!(schemas["Language"]["enum"], serde_json::to_value(Language::ALL).unwrap());
}

/// Validates a value against a JSON schema. Supports the keywords that the document uses and rejects properties that
/// the schema does not name. If `full` is true, every described property must be present.
fn check(document: &Value, schema: &Value, value: &Value, full: bool, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return check(document, target.unwrap_or_else(|| panic!("{at}: {reference}")), value, full, at);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let choice = &choices[usize::from(value.is_null())];
        return check(document, choice, value, full, at);
    }
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant, "{at}");
    }
    if let Some(known) = schema["enum"].as_array() {
        assert!(known.contains(value), "{at}: {value}");
    }
    let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |name: &Value| name == kind || name == "number" && kind == "integer";
    assert!(kinds.iter().any(fits), "{at}: {value} is not {}", schema["type"]);
    if let Value::Array(items) = value {
        for item in items {
            check(document, &schema["items"], item, full, at);
        }
    }
    let Value::Object(fields) = value else { return };
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for (name, field) in fields {
        let described = properties.get(name).or_else(|| schema.get("additionalProperties"));
        let described = described.unwrap_or_else(|| panic!("{at}.{name} is not described"));
        check(document, described, field, full, &format!("{at}.{name}"));
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required.chain(properties.keys().map(String::as_str).filter(|_| full)) {
        assert!(fields.contains_key(name), "{at}.{name} does not exist");
    }
}
