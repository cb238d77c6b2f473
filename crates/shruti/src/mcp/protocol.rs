//! MCP messages: JSON-RPC 2.0, one object per line (<https://modelcontextprotocol.io/specification>, transport
//! `stdio`).

use serde_json::{Map, Value, json};

use super::tools;

/// Supported protocol versions, newest first. In each of them, a session starts with `initialize`. A client of a later
/// version falls back to one of these versions.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
/// Error code for too many running calls, from the range that JSON-RPC reserves for servers.
pub(super) const BUSY: i32 = -32_000;

/// Parsed message from the client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// The message is answered immediately, with this response.
    Answered(Value),
    /// The message calls a tool.
    Call(Call),
    /// The message cancels the call with this ID.
    Cancelled(Value),
    /// The message requires no response.
    Ignored,
}

/// Tool call.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: Value,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

impl Message {
    pub(super) fn read(line: &[u8]) -> Self {
        let none = &Value::Null;
        let message: Map<String, Value> = match serde_json::from_slice(line) {
            Ok(Value::Object(message)) => message,
            Ok(_) => {
                return Self::Answered(error(none, INVALID_REQUEST, "a message must be one JSON object"));
            }
            Err(wrong) => return Self::Answered(error(none, PARSE_ERROR, &format!("not JSON: {wrong}"))),
        };
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // a response is ignored, because this server sends no requests
            let is_answer = message.contains_key("result") || message.contains_key("error");
            let wrong = || Self::Answered(error(none, INVALID_REQUEST, "the message has no method"));
            return if is_answer { Self::Ignored } else { wrong() };
        };
        let params = message.get("params").and_then(Value::as_object);
        let Some(id) = message.get("id") else {
            let cancelled = params.filter(|_| method == "notifications/cancelled");
            let id = cancelled.and_then(|params| params.get("requestId"));
            return id.map_or(Self::Ignored, |id| Self::Cancelled(id.clone()));
        };
        if !(id.is_string() || id.is_number()) {
            return Self::Answered(error(none, INVALID_REQUEST, "id must be a string or a number"));
        }
        Self::Answered(match method {
            "initialize" => result(id, &initialized(params)),
            "ping" => result(id, &json!({})),
            "tools/list" => result(id, &json!({"tools": tools::list()})),
            "tools/call" => return Self::call(id, params),
            other => error(id, METHOD_NOT_FOUND, &format!("unknown method {}", quoted(other))),
        })
    }

    fn call(id: &Value, params: Option<&Map<String, Value>>) -> Self {
        let name = params.and_then(|params| params.get("name")).and_then(Value::as_str).unwrap_or_default();
        if !tools::NAMES.contains(&name) {
            let message = format!("unknown tool {}; the tools are {}", quoted(name), tools::NAMES.join(", "));
            return Self::Answered(error(id, INVALID_PARAMS, &message));
        }
        let arguments = match params.and_then(|params| params.get("arguments")) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Self::Answered(error(id, INVALID_PARAMS, "arguments must be an object")),
        };
        Self::Call(Call { id: id.clone(), name: name.to_owned(), arguments })
    }
}

/// Returns the result of `initialize`, with the requested protocol version if it is supported, otherwise with the
/// newest supported version.
fn initialized(params: Option<&Map<String, Value>>) -> Value {
    let requested = params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_str);
    let version = VERSIONS.into_iter().find(|version| Some(*version) == requested).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "shruti", "title": "Shruti", "version": env!("CARGO_PKG_VERSION")},
        "instructions": "Speaks texts in Hindi, Bengali, Tamil, Telugu, Gujarati, Kannada, Malayalam, Marathi, \
                         Punjabi, Odia and Indian English, in their own scripts or romanised. Languages and scripts \
                         may be mixed in a text.",
    })
}

/// Creates a success response.
pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Creates an error response.
pub(super) fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Creates the response to a line that exceeds the maximum length.
pub(super) fn too_long() -> Value {
    error(&Value::Null, PARSE_ERROR, "the line is too long")
}

/// Quotes a name given by the client, truncated to 64 characters.
fn quoted(name: &str) -> String {
    format!("'{}'", name.chars().take(64).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(line: &str) -> Value {
        match Message::read(line.as_bytes()) {
            Message::Answered(answer) => answer,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_supported_version_is_negotiated() {
        for (asked, agreed) in
            [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", VERSIONS[0])]
        {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{asked}"}}}}"#
            );
            assert_eq!(answered(&line)["result"]["protocolVersion"], agreed);
        }
        assert_eq!(
            answered(r#"{"id":"a","method":"ping"}"#),
            json!({"jsonrpc": "2.0", "id": "a", "result": {}})
        );
    }

    #[test]
    fn errors_are_answered_with_their_code() {
        for (line, id, code) in [
            ("nonsense", Value::Null, PARSE_ERROR),
            ("[]", Value::Null, INVALID_REQUEST),
            ("7", Value::Null, INVALID_REQUEST),
            (r#"{"id":1}"#, Value::Null, INVALID_REQUEST),
            (r#"{"id":null,"method":"ping"}"#, Value::Null, INVALID_REQUEST),
            (r#"{"id":{},"method":"ping"}"#, Value::Null, INVALID_REQUEST),
            (r#"{"id":1,"method":"server/discover"}"#, json!(1), METHOD_NOT_FOUND),
            (r#"{"id":1,"method":"tools/call","params":{"name":"rm"}}"#, json!(1), INVALID_PARAMS),
            (r#"{"id":1,"method":"tools/call"}"#, json!(1), INVALID_PARAMS),
            (
                r#"{"id":1,"method":"tools/call","params":{"name":"speak","arguments":[]}}"#,
                json!(1),
                INVALID_PARAMS,
            ),
        ] {
            let answer = answered(line);
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}");
        }
        for line in
            [r#"{"method":"notifications/initialized"}"#, r#"{"id":1,"result":{}}"#, r#"{"method":"ping"}"#]
        {
            assert_eq!(Message::read(line.as_bytes()), Message::Ignored, "{line}");
        }
        let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(Message::read(cancel.as_bytes()), Message::Cancelled(json!(7)));
    }
}
