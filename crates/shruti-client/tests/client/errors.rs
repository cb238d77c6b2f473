//! Tests of error messages.

use shruti_client::{Client, Error};
use shruti_protocol::{ErrorCode, SynthesisRequest};
use shruti_testkit::TestServer;
use tokio::net::TcpListener;

use crate::client;

#[tokio::test]
async fn an_invalid_key_is_rejected_for_clips_and_conversations() {
    let server = TestServer::start().await;
    let client = Client::new(&format!("http://{}", server.address), "sk_wrong").unwrap();
    let clip = client.speak(&SynthesisRequest::new("a")).await.unwrap_err();
    let conversation = client.converse().await.unwrap_err();
    for error in [clip, conversation] {
        let Error::Refused { status, detail } = &error else { panic!("{error:?}") };
        assert_eq!(status.unwrap(), 401);
        assert_eq!(detail.code, ErrorCode::InvalidApiKey);
        assert!(!error.is_retryable());
    }
}

#[test]
fn a_key_with_a_line_break_is_rejected_before_a_connection() {
    let error = Client::new("http://127.0.0.1:1", "sk_two\nlines").unwrap_err();
    assert!(matches!(error, Error::Key) && !error.is_retryable(), "{error:?}");
}

#[tokio::test]
async fn a_response_over_the_limit_is_not_retryable() {
    let server = TestServer::start().await;
    let error = client(&server).get("/openapi.json").await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)) && !error.is_retryable(), "{error:?}");
    assert!(error.to_string().contains("longer than 65536 bytes"), "{error}");
}

#[tokio::test]
async fn an_invalid_request_error_names_valid_values() {
    let server = TestServer::start().await;
    let request = SynthesisRequest { speed: 9.0, ..SynthesisRequest::new("a") };
    let error = client(&server).speak(&request).await.unwrap_err();
    let Error::Refused { detail, .. } = &error else { panic!("{error:?}") };
    assert_eq!((detail.code, detail.param.as_deref()), (ErrorCode::InvalidField, Some("speed")));
    assert!(error.to_string().contains("0.5"), "{error}");
}

#[tokio::test]
async fn the_error_names_an_unreachable_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = Client::new(&format!("http://{address}"), "sk_any").unwrap();
    let clip = client.speak(&SynthesisRequest::new("a")).await.unwrap_err();
    let conversation = client.converse().await.unwrap_err();
    for error in [clip, conversation] {
        assert!(matches!(error, Error::Connect { .. }) && error.is_retryable(), "{error:?}");
        assert!(error.to_string().contains(&address.to_string()), "{error}");
    }
}

#[tokio::test]
async fn the_error_reports_a_port_without_tls() {
    let server = TestServer::start().await;
    let client = Client::new(&format!("https://{}", server.address), &server.key).unwrap();
    let clip = client.speak(&SynthesisRequest::new("a")).await.unwrap_err();
    let conversation = client.converse().await.unwrap_err();
    for error in [clip, conversation] {
        assert!(error.to_string().contains("does not speak TLS"), "{error}");
    }
}
