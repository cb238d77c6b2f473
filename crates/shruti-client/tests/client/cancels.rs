//! Tests of cancels at random times: the heard and unheard parts add up to the text, and a cancelled turn produces
//! no more audio.

use std::time::Duration;

use shruti_client::{Conversation, Event};
use shruti_protocol::stream::Text;
use shruti_testkit::TestServer;

use crate::client;

const TEXTS: [&str; 4] = [
    "आपका order ₹1,25,000 का है। यह कल पहुँचेगा 😀। और क्या मैं आपकी मदद कर सकता हूँ?",
    "ठीक है।",
    "**bold** and <b>tags</b> 😀 are silent, the rest is not.",
    "வணக்கம், நன்றி!",
];

/// Sends a text in pieces of random length. The rest of the text and the end of the turn may be omitted. Returns the ID
/// of the turn and the text that was sent.
async fn say(conversation: &mut Conversation, chance: &mut fastrand::Rng) -> (String, String) {
    let long = TEXTS[0].repeat(40);
    let text = *chance.choice(TEXTS.iter().chain([&long.as_str()]).collect::<Vec<_>>()).unwrap();
    let chars: Vec<char> = text.chars().collect();
    let first = Text { preempt: chance.f32() < 0.1, ..Text::default() };
    let turn = conversation.begin_with(first).await.unwrap();
    let (mut at, mut sent) = (0, String::new());
    while at < chars.len() && (at == 0 || chance.f32() < 0.9) {
        let end = (at + chance.usize(1..=chars.len())).min(chars.len());
        let piece: String = chars[at..end].iter().collect();
        conversation.append(&turn, &piece).await.unwrap();
        sent.push_str(&piece);
        at = end;
    }
    if at == chars.len() {
        conversation.end(&turn).await.unwrap();
    }
    (turn, sent)
}

/// Returns whether an event reports that the audio of the wanted turn has begun or that the turn is complete.
fn is_sign_of(event: &Event, wanted: &str) -> bool {
    match event {
        Event::Started { turn, .. } => turn == wanted,
        Event::Done(done) => done.turn == wanted,
        _ => false,
    }
}

#[tokio::test]
async fn a_thousand_random_cancels_keep_the_contract() {
    let server = TestServer::start().await;
    let mut conversation = client(&server).converse().await.unwrap();
    let mut chance = fastrand::Rng::with_seed(1);
    let mut answered = 0;
    for _ in 0..1_000 {
        let (turn, sent) = say(&mut conversation, &mut chance).await;
        if chance.f32() < 0.3 {
            conversation.flush(&turn).await.unwrap();
            while !is_sign_of(&conversation.next().await.unwrap().unwrap(), &turn) {}
        }
        let played = chance.bool().then(|| Duration::from_millis(chance.u64(0..3_000)));
        let cut = match chance.u8(0..3) {
            0 => conversation.cancel(&turn, played).await,
            1 => conversation.barge_in_at(&turn, played.unwrap_or_default()).await,
            _ => conversation.barge_in(played).await,
        };
        let cut = cut.unwrap();
        if cut.turn.as_ref() == Some(&turn) {
            assert_eq!(cut.heard.text.clone() + &cut.unheard_text, sent);
            answered += 1;
        }
        assert!(cut.heard.ms <= cut.sent_ms, "{cut:?}");
        assert_eq!(cut.heard.text.chars().count(), cut.heard.char_end as usize);
    }
    assert!(answered > 800, "{answered} of the answers were about the turn");

    conversation.finish().await.unwrap();
    while let Some(event) = conversation.next().await {
        let event = event.unwrap();
        let sound = matches!(event, Event::Started { .. } | Event::Words(_) | Event::Audio { .. });
        assert!(!sound, "after every cancel: {event:?}");
    }
    drop(conversation);
    server.idle().await;
}
