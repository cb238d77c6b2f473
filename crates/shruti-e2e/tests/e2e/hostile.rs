//! Tests of arbitrary bodies: the response is always audio or a documented error.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shruti_testkit::{Client, TestServer};
use tokio::runtime::Runtime;

/// Returns a strategy for JSON of any shape.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\\PC]{0,200}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{0,8}", inner, 0..5)
                .prop_map(|fields| Value::from_iter(fields.into_iter().collect::<Vec<_>>())),
        ]
    })
}

/// Returns a strategy for requests in which any field may have any value.
fn any_request() -> impl Strategy<Value = Value> {
    let text =
        prop_oneof![any::<String>().prop_map(Value::from), "\\PC{0,300}".prop_map(Value::from), any_json()];
    let voice = prop_oneof![Just(json!("Arjun")), any_json()];
    let language =
        prop_oneof![prop::sample::select(vec!["hi", "ta", "en", "od-IN"]).prop_map(Value::from), any_json()];
    let number = prop_oneof![(-10.0..10.0_f64).prop_map(Value::from), any_json()];
    let lexicon = prop_oneof![
        prop::collection::hash_map("\\PC{0,20}", "\\PC{0,20}", 0..5).prop_map(|entries| json!(entries)),
        any_json()
    ];
    let optional = |strategy: BoxedStrategy<Value>| prop::option::weighted(0.3, strategy);
    (
        optional(text.clone().boxed()).prop_flat_map(move |_| text.clone()),
        optional(voice.boxed()),
        optional(language.boxed()),
        optional(number.clone().boxed()),
        optional(number.boxed()),
        optional(lexicon.boxed()),
    )
        .prop_map(|(text, voice, language, speed, pitch, lexicon)| {
            let mut request = json!({ "text": text });
            let fields = [
                ("voice", voice),
                ("language", language),
                ("speed", speed),
                ("pitch", pitch),
                ("lexicon", lexicon),
            ];
            for (name, value) in fields {
                if let Some(value) = value {
                    request[name] = value;
                }
            }
            request
        })
}

/// Sends a body and checks the response: audio with complete samples, or a client error.
fn check(runtime: &Runtime, client: &Client, body: Vec<u8>) -> Result<(), TestCaseError> {
    let reply = runtime
        .block_on(async { tokio::time::timeout(shruti_testkit::server::PATIENCE, client.post(body)).await })
        .map_err(|_| TestCaseError::fail("no response"))?;
    let status = reply.status.as_u16();
    if status == 200 {
        prop_assert!(!reply.body.is_empty());
        prop_assert_eq!(reply.body.len() % 2, 0);
        return Ok(());
    }
    prop_assert!(matches!(status, 400 | 413), "{}: {:?}", status, reply.body);
    let body = reply.json();
    prop_assert_eq!(body["error"]["request_id"].as_str(), Some(reply.header("x-request-id")));
    Ok(())
}

fn run<S: Strategy>(cases: u32, strategy: &S, bytes: impl Fn(S::Value) -> Vec<u8>) {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(TestServer::start());
    let client = server.client();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(strategy, |value| check(&runtime, &client, bytes(value)));
    if let Err(error) = result {
        panic!("{error}");
    }
    runtime.block_on(server.idle());
}

/// Regression test for a stack overflow caused by a sign before two scripts.
#[tokio::test]
async fn spells_signs_and_two_scripts() {
    let server = TestServer::start().await;
    let body = json!({"text": "j", "language": "en", "lexicon": {"j": "+ழB"}});
    assert!(!server.client().speak(&body).await.samples.is_empty());
}

#[test]
fn any_bytes_are_handled() {
    run(300, &prop::collection::vec(any::<u8>(), 0..300), |bytes| bytes);
}

#[test]
fn any_json_value_is_handled() {
    run(300, &any_json(), |value| value.to_string().into_bytes());
}

#[test]
fn any_fields_are_handled() {
    run(500, &any_request(), |value| value.to_string().into_bytes());
}
