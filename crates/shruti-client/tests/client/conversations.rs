//! Tests of successful clips and conversations.

use std::time::Duration;

use bytes::Buf;
use shruti_client::{Conversation, Done, Error, Event};
use shruti_lang::Language;
use shruti_protocol::SynthesisRequest;
use shruti_protocol::stream::{CancelState, ConfigPatch, DoneReason, Text};
use shruti_testkit::TestServer;

use crate::client;

const TEXT: &str = "आपका order कल पहुँचेगा। और क्या मैं आपकी मदद कर सकता हूँ?";

/// Reads events until the end of a turn. Returns its samples and its [`Done`].
pub(crate) async fn listen(conversation: &mut Conversation, turn: &str) -> (Vec<i16>, Done) {
    let mut received = Vec::new();
    loop {
        match conversation.next().await.unwrap().unwrap() {
            Event::Audio { turn: of, mut samples } => {
                assert_eq!(of, turn);
                while samples.has_remaining() {
                    received.push(samples.get_i16_le());
                }
            }
            Event::Done(done) if done.turn == turn => return (received, done),
            Event::Started { turn: of, .. } => assert_eq!(of, turn),
            Event::Words(words) => assert_eq!(words.turn, turn),
            Event::Config(_) | Event::Reconnected => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_clip_and_a_turn_have_the_same_samples() {
    let server = TestServer::start().await;
    let client = client(&server);
    let clip = client.speak(&SynthesisRequest::new(TEXT)).await.unwrap();
    assert_eq!((clip.voice.clone(), clip.language), (Some("Ananya".into()), Some(Language::Hindi)));
    assert_eq!(clip.chars, Some(TEXT.chars().count() as u32));
    assert!(clip.server_first_audio.is_some_and(|time| !time.is_zero()));
    let clip = clip.collect().await.unwrap();

    let mut conversation = client.converse().await.unwrap();
    let turn = conversation.begin("").await.unwrap();
    for c in TEXT.chars() {
        conversation.append(&turn, &c.to_string()).await.unwrap();
    }
    conversation.end(&turn).await.unwrap();
    let (received, done) = listen(&mut conversation, &turn).await;
    assert!(received == clip, "{} samples of {}", received.len(), clip.len());
    assert_eq!((done.reason, done.chars), (DoneReason::Complete, TEXT.chars().count() as u32));
    conversation.finish().await.unwrap();
    assert!(conversation.next().await.is_none());
}

#[tokio::test]
async fn an_invalid_turn_name_begins_no_turn() {
    let server = TestServer::start().await;
    let mut conversation = client(&server).converse().await.unwrap();
    let named = |name: &str| Text {
        text: TEXT.to_owned(),
        turn_id: Some(name.to_owned()),
        last: true,
        ..Text::default()
    };
    for name in ["", &"x".repeat(65), "a\nb", "a\u{85}b"] {
        let refused = conversation.begin_with(named(name)).await;
        assert!(matches!(refused, Err(Error::TurnName)), "{name:?}: {refused:?}");
    }
    let longest = "न".repeat(64);
    let turn = conversation.begin_with(named(&longest)).await.unwrap();
    assert_eq!(turn, longest);
    assert_eq!(listen(&mut conversation, &turn).await.1.reason, DoneReason::Complete);
}

#[tokio::test]
async fn no_events_of_a_turn_follow_its_barge_in() {
    let server = TestServer::start().await;
    let config = ConfigPatch { max_lead_ms: Some(0), ..ConfigPatch::default() };
    let mut conversation = client(&server).converse_with(config).await.unwrap();
    for wait_for_sound in [true, false, true] {
        let turn = conversation.say(&TEXT.repeat(40)).await.unwrap();
        let waiting = conversation.say("This one waits.").await.unwrap();
        if wait_for_sound {
            while !matches!(conversation.next().await.unwrap().unwrap(), Event::Audio { .. }) {}
        }
        // unread events are queued before the response
        let cancelled = conversation.barge_in(Some(Duration::from_millis(300))).await.unwrap();
        assert_eq!((cancelled.turn.as_ref(), cancelled.state), (Some(&turn), CancelState::Cancelled));
        assert_eq!(cancelled.heard.text.clone() + &cancelled.unheard_text, TEXT.repeat(40));
        assert!(cancelled.heard.ms <= 300);

        let text = Text { text: "जी?".to_owned(), last: true, ..Text::default() };
        let next = conversation.begin_with(text).await.unwrap();
        loop {
            match conversation.next().await.unwrap().unwrap() {
                Event::Cancelled(cancelled) => assert_eq!(cancelled.turn.as_ref(), Some(&waiting)),
                Event::Started { turn, .. } => {
                    assert_eq!(turn, next);
                    break;
                }
                Event::Config(_) => {}
                other => panic!("{other:?}"),
            }
        }
        listen(&mut conversation, &next).await;
    }
}

#[tokio::test]
async fn a_dropped_conversation_stops_all_work() {
    let server = TestServer::start().await;
    let mut conversation = client(&server).converse().await.unwrap();
    conversation.say(&TEXT.repeat(40)).await.unwrap();
    while !matches!(conversation.next().await.unwrap().unwrap(), Event::Audio { .. }) {}
    drop(conversation);
    server.idle().await;
    assert_eq!(server.engine.stats().cancelled, 1);
}

#[tokio::test]
async fn a_dropped_clip_stops_all_work() {
    let server = TestServer::start().await;
    let mut clip = client(&server).speak(&SynthesisRequest::new(TEXT.repeat(80))).await.unwrap();
    assert!(clip.next().await.unwrap().unwrap().len().is_multiple_of(2));
    drop(clip);
    server.idle().await;
    assert_eq!(server.engine.stats().cancelled, 1);
}

#[tokio::test]
async fn conversations_leave_no_task_or_socket_open() {
    let server = TestServer::start().await;
    let client = client(&server);
    let talk = async |finishes: bool| {
        let mut conversation = client.converse().await.unwrap();
        conversation.say(&TEXT.repeat(40)).await.unwrap();
        while !matches!(conversation.next().await.unwrap().unwrap(), Event::Audio { .. }) {}
        if finishes {
            conversation.barge_in(None).await.unwrap();
            conversation.finish().await.unwrap();
            while conversation.next().await.is_some() {}
        }
    };
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    talk(true).await;
    server.idle().await;
    let before = tasks();
    for round in 0..20 {
        talk(round % 2 == 0).await;
    }
    server.idle().await;
    // no event reports that both close handshakes are complete, so the test waits until the tasks have ended
    let ended = async {
        while tasks() > before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let outcome = tokio::time::timeout(Duration::from_secs(20), ended).await;
    assert!(outcome.is_ok(), "{} tasks, {before} before", tasks());
}
