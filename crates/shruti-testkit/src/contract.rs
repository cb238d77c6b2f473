//! Contract checks of requests and responses against `docs/openapi.json`. Every request that is sent with
//! [`Client::send`](crate::Client::send) is checked, so that each end-to-end test also tests the document.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::{HeaderMap, Method};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::Reply;

/// The committed OpenAPI document. A test of the server compares it with the code.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap());

/// Documented headers that a response may lack.
const CONDITIONAL: [&str; 6] = [
    "x-client-request-id",
    "x-shruti-warning",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
];

/// Panics if the document does not describe the response, or does not describe the request although it was accepted.
pub fn check(method: &Method, path: &str, body: &[u8], reply: &Reply) {
    let failed = reply.status.is_client_error() || reply.status.is_server_error();
    let Some(operation) = operation(method, path) else {
        // the path or method is not documented: a failure must have an error body, except that a response to HEAD
        // has no body
        if failed && *method != Method::HEAD {
            error_body(&reply.json());
        }
        return;
    };
    let at = format!("{method} {path}: {}", reply.status);
    let answer = &operation["responses"][reply.status.as_str()];
    assert!(answer.is_object(), "{at} is not documented: {:?}", reply.body);
    headers(&at, answer, &reply.headers);

    let content_type = reply.header("content-type");
    // a content type that is listed without parameters matches any parameters
    let bare = content_type.split(';').next().unwrap_or_default();
    match answer["content"].get(content_type).or_else(|| answer["content"].get(bare)) {
        None => assert!(answer["content"].is_null() && content_type.is_empty(), "{at}: {content_type}"),
        Some(content) if content["schema"].is_object() => {
            let values = objects(bare, &reply.body);
            for value in &values {
                validate(&at, &content["schema"], value);
            }
            let code = values.first().map_or(&Value::Null, error_code);
            let examples = content["examples"].as_object().into_iter().flat_map(Map::values);
            let listed = !failed || examples.into_iter().any(|example| error_code(&example["value"]) == code);
            assert!(listed, "{at}: {code} is not documented");
        }
        Some(_) => {}
    }
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    if schema.is_object() && !failed {
        let mut asked_for = serde_json::from_slice(body).unwrap();
        spell_canonically(&mut asked_for, resolve(schema["$ref"].as_str().unwrap()));
        validate(&at, schema, &asked_for);
    }
}

/// Returns the JSON objects of a body: one per line, one per event, or a single one.
fn objects(content_type: &str, body: &[u8]) -> Vec<Value> {
    let read = |json: &str| serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let text = || std::str::from_utf8(body).unwrap();
    match content_type {
        "application/x-ndjson" => text().lines().map(read).collect(),
        "text/event-stream" => {
            text().lines().filter_map(|line| line.strip_prefix("data: ")).map(read).collect()
        }
        _ => vec![serde_json::from_slice(body).unwrap_or_else(|error| panic!("{error}: {body:?}"))],
    }
}

/// Returns the code of an error in the format of any supported API.
fn error_code(body: &Value) -> &Value {
    let forms = ["/error/code", "/error_code", "/err_code", "/detail/status"];
    forms.into_iter().find_map(|form| body.pointer(form)).unwrap_or(&Value::Null)
}

/// Converts names to the case of the schema. The server accepts names in upper and lower case, but a schema that
/// allows both could not list the names.
fn spell_canonically(request: &mut Value, schema: &Value) {
    for (name, value) in request.as_object_mut().into_iter().flatten() {
        let known =
            schema["properties"][name]["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let Some(spelling) = value.as_str() else { continue };
        let canonical =
            known.into_iter().find(|known| known.eq_ignore_ascii_case(spelling)).map(|known| json!(known));
        *value = canonical.unwrap_or_else(|| value.clone());
    }
}

/// Panics if a value is not the body of an error.
pub fn error_body(value: &Value) {
    validate("an error", &json!({"$ref": "#/components/schemas/ErrorBody"}), value);
}

fn operation(method: &Method, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next()?;
    let parts = || path.split('/');
    let fits = |documented: &str| {
        let mut known = documented.split('/').zip(parts());
        documented.split('/').count() == parts().count()
            && known.all(|(known, part)| known == part || known.starts_with('{'))
    };
    let paths = DOCUMENT["paths"].as_object()?;
    let exact = paths.get(path).or_else(|| paths.iter().find(|(name, _)| fits(name)).map(|(_, item)| item));
    exact?.get(method.as_str().to_lowercase())
}

fn headers(at: &str, answer: &Value, actual: &HeaderMap) {
    let none = Map::new();
    let documented = answer["headers"].as_object().unwrap_or(&none);
    for (name, header) in documented {
        let header = header["$ref"].as_str().map_or(header, |reference| resolve(reference));
        let Some(value) = actual.get(name) else {
            let is_silent = actual.get("x-tts-chars").is_some_and(|chars| chars == "0");
            let may_be_missing = CONDITIONAL.contains(&name.as_str()) || name == "x-tts-engine" && is_silent;
            assert!(may_be_missing, "{at} lacks {name}");
            continue;
        };
        let text = value.to_str().unwrap();
        let value = match header["schema"]["type"].as_str() {
            Some("integer") => text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number)),
            _ => json!(text),
        };
        validate(&format!("{at}: {name}"), &header["schema"], &value);
    }
    let ours = |name: &str| {
        name.starts_with("x-") && name != "x-content-type-options"
            || name.starts_with("ratelimit-")
            || ["server-timing", "retry-after", "www-authenticate", "upgrade", "etag"].contains(&name)
    };
    for name in actual.keys().map(http::HeaderName::as_str).filter(|name| ours(name)) {
        let known = documented.keys().any(|documented| documented.eq_ignore_ascii_case(name));
        assert!(known, "{at}: the header {name} is not documented");
    }
}

fn resolve(reference: &str) -> &'static Value {
    DOCUMENT
        .pointer(reference.trim_start_matches('#'))
        .unwrap_or_else(|| panic!("{reference} cannot be resolved"))
}

/// Panics if a value does not match a schema of the document.
fn validate(at: &str, schema: &Value, value: &Value) {
    static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let validator = {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = compiled.entry(schema.to_string()).or_insert_with(|| {
            let expected_schema = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "components": DOCUMENT["components"],
                "allOf": [schema],
            });
            Arc::new(
                jsonschema::validator_for(&expected_schema)
                    .unwrap_or_else(|error| panic!("{schema}: {error}")),
            )
        });
        Arc::clone(known)
    };
    let wrong: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{at}: {wrong:?} in {value}");
}
