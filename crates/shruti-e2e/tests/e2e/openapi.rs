//! Tests of the OpenAPI document. In addition, the client of the test kit checks in every test that each response is as
//! documented.

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::Value;
use shruti_testkit::contract::DOCUMENT;
use shruti_testkit::{Client, TestServer};

/// Schema of OpenAPI 3.1 documents by the OpenAPI Initiative (Apache-2.0), as distributed with
/// `openapi-spec-validator`.
const OPENAPI_3_1: &str = include_str!("../data/openapi-3.1-schema-2022-10-07.json");

#[test]
fn the_document_is_openapi_3_1() {
    let schema: Value = serde_json::from_str(OPENAPI_3_1).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(&DOCUMENT).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        !validator.is_valid(&serde_json::json!({"openapi": "3.1.0", "info": {}})),
        "the schema also rejects it"
    );

    // the schema does not cover schema objects; the meta-schema of JSON Schema checks them
    for (name, schema) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_reference_resolves_and_names_are_unique() {
    let mut references = Vec::new();
    collect(&DOCUMENT, &mut |key, value| {
        if key == "$ref" {
            references.push(value.as_str().unwrap().to_owned());
        }
    });
    assert!(references.len() > 20);
    for reference in references {
        assert!(DOCUMENT.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    let operations =
        DOCUMENT["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let mut ids: Vec<&str> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

fn collect(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, visit)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            visit(key, value);
            collect(value, visit);
        }),
        _ => {}
    }
}

#[tokio::test]
async fn the_server_serves_the_committed_documents() {
    let server = TestServer::start().await;
    let client = server.client().with_key(None);
    let served = client.get("/openapi.json").await;
    assert_eq!(served.header("content-type"), "application/json");
    assert_eq!(served.body, include_str!("../../../../docs/openapi.json"));
    let served = client.get("/asyncapi.json").await;
    assert_eq!(served.body, include_str!("../../../../docs/asyncapi.json"));
}

#[tokio::test]
async fn each_documented_path_responds() {
    let server = TestServer::start().await;
    let client = server.client();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let body = match &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"] {
                Value::String(reference) => {
                    let schema = DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap();
                    schema["examples"][0].to_string()
                }
                _ => String::new(),
            };
            let parameters =
                operation["requestBody"]["content"].as_object().and_then(|content| content.keys().next());
            let content_type = parameters.map_or("application/json", String::as_str);
            for path in instances(path, operation) {
                let reply = client.send(request(&client, &method, &path, &body, content_type)).await;
                // a request without an upgrade to a WebSocket path gets `426 Upgrade Required`; other tests open the
                // WebSockets
                let is_socket = operation["responses"]["101"].is_object();
                let expected = match path.as_str() {
                    _ if is_socket => StatusCode::UPGRADE_REQUIRED,
                    // the request lacks the signed parameters
                    path if path.starts_with("/v1/clips/") => StatusCode::BAD_REQUEST,
                    _ => StatusCode::OK,
                };
                assert_eq!(reply.status, expected, "{method} {path}");
                let anonymous = client.with_key(None);
                let is_checked = operation["security"].is_array() && expected == StatusCode::OK;
                let reply = anonymous.send(request(&anonymous, &method, &path, &body, content_type)).await;
                let refused = match path.as_str() {
                    // the status that Sarvam's clients expect
                    path if path.starts_with("/text-to-speech") => StatusCode::FORBIDDEN,
                    _ => StatusCode::UNAUTHORIZED,
                };
                assert_eq!(reply.status == refused, is_checked, "{method} {path} without a key");
            }
        }
    }
}

fn request(
    client: &Client,
    method: &Method,
    path: &str,
    body: &str,
    content_type: &str,
) -> Request<Full<Bytes>> {
    let mut request = client.request(method.clone(), path, body.to_owned());
    request.headers_mut().insert(header::CONTENT_TYPE, content_type.parse().unwrap());
    request
}

/// Returns the paths for a template, one for each allowed value of its parameter, or one for the example value.
fn instances(path: &str, operation: &Value) -> Vec<String> {
    let Some((start, end)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (_, end) = end.split_once('}').unwrap();
    let parameter = &operation["parameters"][0];
    let example = vec![parameter["example"].clone()];
    let values = parameter["schema"]["enum"].as_array().unwrap_or(&example);
    values.iter().map(|value| format!("{start}{}{end}", value.as_str().unwrap())).collect()
}

#[tokio::test]
async fn every_example_of_a_request_is_spoken() {
    let server = TestServer::start().await;
    for example in DOCUMENT["components"]["schemas"]["SynthesisRequest"]["examples"].as_array().unwrap() {
        server.client().speak(example).await.assert_speech("an example");
    }
}
