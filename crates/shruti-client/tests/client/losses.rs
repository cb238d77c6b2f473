//! Tests of lost connections.

use std::time::Duration;

use shruti_client::{Client, Conversation, Error, Event};
use shruti_protocol::stream::ConfigPatch;
use shruti_store::{Actor, Revocation};
use shruti_testkit::TestServer;

use crate::client;
use crate::conversations::listen;
use crate::relay::Relay;

/// Starts a server and a conversation with Arjun over a relay that can be cut.
async fn start() -> (TestServer, Relay, Conversation) {
    let server = TestServer::start().await;
    let relay = Relay::to(server.address).await;
    let client = Client::new(&format!("http://{}", relay.address), &server.key).unwrap();
    let config = ConfigPatch { voice: Some("Arjun".into()), ..ConfigPatch::default() };
    let conversation = client.converse_with(config).await.unwrap();
    (server, relay, conversation)
}

#[tokio::test]
async fn a_loss_between_turns_is_recovered_and_settings_are_kept() {
    let (_server, relay, mut conversation) = start().await;
    let turn = conversation.say("नमस्ते!").await.unwrap();
    let (before, _) = listen(&mut conversation, &turn).await;
    relay.cut();
    loop {
        match conversation.next().await.unwrap().unwrap() {
            Event::Reconnected => break,
            Event::Config(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let turn = conversation.say("नमस्ते!").await.unwrap();
    let (after, _) = listen(&mut conversation, &turn).await;
    assert!(before == after, "another voice, or another turn");
}

#[tokio::test]
async fn a_loss_inside_a_turn_ends_only_that_turn() {
    let (_server, relay, mut conversation) = start().await;
    let lost = conversation.say(&"एक और वाक्य। ".repeat(100)).await.unwrap();
    let mut received = 0;
    while received == 0 {
        if let Event::Audio { samples, .. } = conversation.next().await.unwrap().unwrap() {
            received = samples.len();
        }
    }
    relay.cut();
    let loss = loop {
        match conversation.next().await.unwrap().unwrap() {
            Event::Lost(loss) => break loss,
            Event::Audio { samples, .. } => received += samples.len(),
            Event::Words(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(loss.turn, lost);
    assert_eq!(loss.received_ms, (received / 48) as u32);
    assert!(loss.cause.is_retryable(), "{:?}", loss.cause);
    let turn = conversation.say("फिर से।").await.unwrap();
    listen(&mut conversation, &turn).await;
}

#[tokio::test]
async fn a_barge_in_on_a_lost_connection_does_not_hang() {
    let (_server, relay, mut conversation) = start().await;
    conversation.say(&"एक और वाक्य। ".repeat(100)).await.unwrap();
    while !matches!(conversation.next().await.unwrap().unwrap(), Event::Audio { .. }) {}
    relay.cut();
    // the cancel is lost with the old connection, or reaches a new one without turns
    if let Ok(cancelled) = conversation.barge_in(None).await {
        assert_eq!((cancelled.turn, cancelled.heard.ms), (None, 0));
    }
    while !matches!(conversation.next().await.unwrap().unwrap(), Event::Lost(_)) {}
    let turn = conversation.say("फिर से।").await.unwrap();
    listen(&mut conversation, &turn).await;
}

#[tokio::test]
async fn a_conversation_whose_key_is_revoked_ends() {
    let (server, _relay, mut conversation) = start().await;
    let prefix = server.store.list_keys(Actor::Operator).await.unwrap()[0].prefix.clone();
    assert!(matches!(
        server.store.revoke_key(Actor::Operator, prefix, 0).await.unwrap(),
        Revocation::Revoked(_)
    ));
    // a revocation affects the first turn that begins after the server has detected the revocation
    let error = loop {
        conversation.say("a").await.unwrap();
        let ended = loop {
            match conversation.next().await.expect("the conversation ended without a reason") {
                Ok(Event::Done(_)) => break None,
                Ok(_) => {}
                Err(error) => break Some(error),
            }
        };
        if let Some(error) = ended {
            break error;
        }
    };
    assert!(!error.is_retryable() && error.to_string().contains("revoked"), "{error}");
    assert!(conversation.next().await.is_none());
}

#[tokio::test]
async fn a_server_restart_is_recovered_between_turns_and_reported_inside_one() {
    let drain = Duration::from_millis(1_500);
    let mut server = TestServer::builder().config(|config| config.timeouts.drain = drain).start().await;
    let client = client(&server);
    let mut idle = client.converse().await.unwrap();
    let turn = idle.say("नमस्ते!").await.unwrap();
    let (before, _) = listen(&mut idle, &turn).await;
    let mut busy = client.converse().await.unwrap();
    let open = busy.begin("यह turn खुला है। ").await.unwrap();
    while !matches!(busy.next().await.unwrap().unwrap(), Event::Audio { .. }) {}

    server.restart().await;
    let turn = idle.say("नमस्ते!").await.unwrap();
    assert!(matches!(idle.next().await, Some(Ok(Event::Reconnected))));
    let (after, _) = listen(&mut idle, &turn).await;
    assert!(before == after);
    let loss = loop {
        match busy.next().await.unwrap().unwrap() {
            Event::Lost(loss) => break loss,
            Event::Audio { .. } | Event::Words(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(loss.turn, open);
    assert!(matches!(loss.cause, Error::Closed { code: 1001, .. }), "{:?}", loss.cause);
    let turn = busy.say("नमस्ते!").await.unwrap();
    listen(&mut busy, &turn).await;
}
