//! Property tests: the guarantees of a conversation hold for all commands, in any order and at any time.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;

use super::script::{Script, sound};
use super::tests::{events, settings};
use super::*;

#[derive(Clone, Debug)]
enum Act {
    Text { turn: u8, text: &'static str, last: bool, preempt: bool },
    Flush(u8),
    End(u8),
    Cancel { target: Option<u8>, all: bool, played: Option<u64> },
    Played { turn: u8, played: u64 },
    Wait(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let turn = 0_u8..6;
    let text = prop::sample::select(vec![
        "one two. ",
        "three",
        " ",
        "a longer sentence of seven words. ",
        "",
        "no end ",
    ]);
    prop_oneof![
        4 => (turn.clone(), text, prop::bool::weighted(0.3), prop::bool::weighted(0.1))
            .prop_map(|(turn, text, last, preempt)| Act::Text { turn, text, last, preempt }),
        1 => turn.clone().prop_map(Act::Flush),
        1 => turn.clone().prop_map(Act::End),
        3 => (prop::option::of(turn.clone()), prop::bool::weighted(0.1), prop::option::of(0_u64..500))
            .prop_map(|(target, all, played)| Act::Cancel { target, all, played }),
        1 => (turn, 0_u64..2_000).prop_map(|(turn, played)| Act::Played { turn, played }),
        3 => (0_u64..700).prop_map(Act::Wait),
    ]
}

/// Data that the test client records about one turn, to verify the conversation independently.
#[derive(Default)]
struct Log {
    text: String,
    audio: Vec<i16>,
    started: bool,
    ended: bool,
    complete: bool,
}

#[derive(Default)]
struct Client {
    turns: HashMap<TurnId, Log>,
    answers: Vec<String>,
    audible: Option<TurnId>,
    flushed: usize,
}

impl Client {
    fn learn(&mut self, event: Event) {
        match event {
            Event::Started { turn, .. } => {
                assert_eq!(self.audible, None, "one turn is audible at a time");
                let log = self.turns.get_mut(&turn).expect("unknown turn");
                assert!(!log.started && !log.ended, "{turn} starts once");
                log.started = true;
                self.audible = Some(turn);
            }
            Event::Words { turn, words } => {
                assert!(!words.is_empty());
                assert_eq!(self.audible.as_ref(), Some(&turn), "words of a turn that is not playing");
            }
            Event::Audio { turn, samples, .. } => {
                assert_eq!(self.audible.as_ref(), Some(&turn), "audio of a turn that is not playing");
                self.turns.get_mut(&turn).expect("unknown turn").audio.extend(samples);
            }
            Event::Flushed { .. } => self.flushed += 1,
            Event::Done { turn, audio, .. } => {
                self.end(&turn);
                let log = self.turns.get_mut(&turn).expect("unknown turn");
                log.complete = true;
                assert_eq!(audio, chunk::length(log.audio.len()));
            }
            Event::Failed { turn, .. } => self.end(&turn),
            Event::Cancelled { turn, id, state, sent, heard, unheard_text, .. } => {
                self.answers.extend(id);
                assert!(heard.time <= sent, "more was heard than sent");
                if state == CancelState::Cancelled {
                    self.end(turn.as_ref().expect("a cancelled turn has a name"));
                }
                if state != CancelState::Unknown {
                    let log = &self.turns[&turn.expect("a turn has a name")];
                    assert_eq!(heard.text.clone() + &unheard_text, log.text, "no text is lost");
                    assert_eq!(heard.text.chars().count(), heard.char_end as usize);
                    assert_eq!(sent, chunk::length(log.audio.len()));
                }
            }
            Event::ChargeIncreased { .. } | Event::Warning { .. } | Event::Rejected { .. } => {}
        }
    }

    fn end(&mut self, turn: &TurnId) {
        let log = self.turns.get_mut(turn).expect("unknown turn");
        assert!(!std::mem::replace(&mut log.ended, true), "{turn} ends once");
        if self.audible.as_ref() == Some(turn) {
            self.audible = None;
        }
    }
}

fn run(acts: &[Act]) {
    let mut conversation = Conversation::new(Script::default(), settings());
    let mut client = Client::default();
    let mut now = Duration::ZERO;
    let (mut cancels, mut flushes) = (Vec::new(), 0);
    // like a real client, the test does not reuse the name of a turn that has ended
    let mut generation = [0_u32; 6];
    for (number, act) in acts.iter().enumerate() {
        let name = |turn: u8, generation: &[u32; 6]| -> TurnId {
            format!("{turn}.{}", generation[usize::from(turn)]).into()
        };
        match *act {
            Act::Text { turn, text, last, preempt } => {
                if client.turns.get(&name(turn, &generation)).is_some_and(|log| log.ended) {
                    generation[usize::from(turn)] += 1;
                }
                let name = name(turn, &generation);
                let waiting = conversation.queue.iter().find(|waiting| waiting.turn == name);
                let live = conversation.live.as_ref().filter(|live| live.turn == name);
                let closed = waiting.is_some_and(|turn| !turn.text_input.is_open())
                    || live.is_some_and(|turn| !turn.text_input.is_open());
                let log = client.turns.entry(name.clone()).or_default();
                if !closed {
                    log.text.push_str(text);
                }
                let text = text.to_owned();
                let command = Command::Text { turn: Some(name), text, last, preempt, settings: None };
                conversation.handle(command, now);
            }
            Act::Flush(turn) => {
                flushes += 1;
                conversation.handle(Command::Flush { turn: Some(name(turn, &generation)), id: None }, now);
            }
            Act::End(turn) => conversation.handle(Command::End { turn: Some(name(turn, &generation)) }, now),
            Act::Cancel { target, all, played } => {
                let id = format!("c{number}");
                cancels.push(id.clone());
                let target = match target {
                    _ if all => Target::All,
                    Some(turn) => Target::Turn(name(turn, &generation)),
                    None => Target::Current,
                };
                let played = played.map(Duration::from_millis);
                conversation.handle(Command::Cancel { target, played, id: Some(id) }, now);
            }
            Act::Played { turn, played } => {
                let played = Played { turn: name(turn, &generation), played: Duration::from_millis(played) };
                conversation.handle(Command::Played(played), now);
            }
            Act::Wait(time) => now += Duration::from_millis(time),
        }
        for event in events(&mut conversation, now) {
            client.learn(event);
        }
        assert!(conversation.playhead.lead(now) <= Duration::from_millis(3_200 + 350), "too far ahead");
    }
    // without further commands, all turns end
    for _ in 0..2_000 {
        let Some(wake) = conversation.wake_at(now) else { break };
        now = now.max(wake);
        for event in events(&mut conversation, now) {
            client.learn(event);
        }
    }
    assert!(conversation.is_idle(), "something hangs: {:?}", conversation.wake_at(now));
    assert_eq!(client.answers, cancels, "every cancel is answered once, in order");
    assert_eq!(client.flushed, flushes, "every flush is acknowledged once");
    for (turn, log) in &client.turns {
        assert!(log.ended, "{turn} never ended");
        let all = sound(&log.text);
        assert!(all.starts_with(&log.audio), "{turn}: different audio");
        assert!(!log.complete || all == log.audio, "{turn}: incomplete audio");
    }
    assert_eq!(conversation.synthesizer.active.load(std::sync::atomic::Ordering::SeqCst), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn conversation_invariants_hold(acts in prop::collection::vec(act(), 1..60)) {
        run(&acts);
    }
}
