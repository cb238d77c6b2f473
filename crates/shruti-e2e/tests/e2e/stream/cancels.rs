//! Tests of barge-in: the guarantees of a cancel, at random moments and with a known playback position.

use std::collections::HashMap;

use serde_json::{Value, json};
use shruti_testkit::TestServer;

use super::ws_client::{Received, SeededRng, WsClient, part, sound_ms};

const CONNECTIONS: u64 = 8;
const CANCELS: usize = 128;
/// Maximum number of live turns per connection. It is so low that the queue never fills up.
const ALIVE: usize = 6;

const TEXTS: [&str; 6] = [
    "हाँ।",
    "नमस्ते, आपका ₹1,250 का भुगतान मिल गया है। ",
    "Your order of 3 books has been sent, and it will come on Monday. ",
    "வணக்கம், உங்கள் ticket விலை ₹675. ",
    "নমস্কার। আমরা আজ 5 টায় আসব",
    " ",
];

/// Record of a turn on the client side.
#[derive(Default)]
struct Log {
    text: String,
    /// Whether all of its text, or its cancel, was sent.
    closed: bool,
    bytes: usize,
    started: bool,
    ends: usize,
    /// Whether a `turn.cancelled` was received. No audio of the turn is allowed after it.
    silenced: bool,
}

#[derive(Default)]
struct Judge {
    turns: HashMap<String, Log>,
    /// Number of responses to each cancel.
    answers: HashMap<String, usize>,
    audible: Option<String>,
    /// Number of cancels, grouped by the state of the turn when it was cancelled.
    met: HashMap<&'static str, usize>,
}

impl Judge {
    fn log(&mut self, turn: &str) -> &mut Log {
        self.turns.get_mut(turn).unwrap_or_else(|| panic!("{turn} was never started"))
    }

    fn alive(&self) -> usize {
        self.turns.values().filter(|log| log.ends == 0).count()
    }

    fn sound(&mut self, bytes: usize) {
        let turn = self.audible.clone().expect("sound of no turn");
        let log = self.log(&turn);
        assert!(!log.silenced && log.ends == 0, "{turn}: sound after its end");
        log.bytes += bytes;
    }

    fn end(&mut self, turn: &str) {
        self.log(turn).ends += 1;
        assert_eq!(self.log(turn).ends, 1, "{turn} ends twice");
        self.audible.take_if(|audible| audible == turn);
    }

    fn message(&mut self, message: &Value) {
        let turn = message["turn_id"].as_str().unwrap_or_default();
        match message["type"].as_str().unwrap() {
            "turn.started" => {
                assert_eq!(self.audible, None, "one turn is audible at a time: {message}");
                let log = self.log(turn);
                assert!(!log.silenced && log.ends == 0 && !log.started, "{message}");
                log.started = true;
                self.audible = Some(turn.to_owned());
            }
            "words" => {
                assert_eq!(self.audible.as_deref(), Some(turn), "{message}");
                assert!(!self.log(turn).silenced, "{message} after its cancel");
            }
            "turn.done" => {
                assert_eq!(message["audio_ms"], sound_ms(self.log(turn).bytes), "{message}");
                self.end(turn);
            }
            "turn.cancelled" => self.cancelled(turn, message),
            "warning" => assert_eq!(message["code"], "late_text", "{message}"),
            "pong" => {}
            _ => panic!("{message}"),
        }
    }

    fn cancelled(&mut self, turn: &str, message: &Value) {
        if let Some(id) = message["id"].as_str() {
            *self.answers.get_mut(id).expect("a response without a request") += 1;
        }
        let (sent, heard) = (message["sent_ms"].as_u64().unwrap(), &message["heard"]);
        assert!(heard["ms"].as_u64().unwrap() <= sent, "{message}");
        let (text, rest) = (heard["text"].as_str().unwrap(), message["unheard_text"].as_str().unwrap());
        assert_eq!(heard["char_end"], text.chars().count(), "{message}");
        let kind = match message["state"].as_str().unwrap() {
            "unknown" => {
                assert!(sent == 0 && text.is_empty() && rest.is_empty(), "{message}");
                assert!(!self.turns.contains_key(turn), "{message}");
                "unknown"
            }
            state => {
                if state == "cancelled" {
                    self.end(turn);
                } else {
                    assert_eq!((state, self.log(turn).ends), ("already_done", 1), "{message}");
                }
                let log = self.log(turn);
                log.silenced = true;
                assert_eq!(sent, sound_ms(log.bytes), "{message}");
                assert_eq!(format!("{text}{rest}"), log.text, "{message}");
                match (state, sent) {
                    ("already_done", _) => "done",
                    (_, 0) => "silent",
                    _ => "sounding",
                }
            }
        };
        *self.met.entry(kind).or_default() += 1;
    }
}

/// A client that starts, continues and cancels turns at random.
struct RandomClient {
    ws: WsClient,
    judge: Judge,
    rng: SeededRng,
    pings: usize,
}

impl RandomClient {
    /// Receives everything up to the response to a ping.
    async fn listen(&mut self) {
        self.pings += 1;
        let id = self.pings.to_string();
        self.ws.say(json!({"type": "ping", "id": id})).await;
        loop {
            match self.ws.receive().await {
                Received::Sound(sound) => self.judge.sound(sound.len()),
                Received::Message(message) => {
                    self.judge.message(&message);
                    if message["type"] == "pong" && message["id"] == id {
                        return;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Returns a random known turn that meets a condition.
    fn any(&mut self, condition: impl Fn(&Log) -> bool) -> Option<String> {
        let all = self.judge.turns.iter().filter(|(_, log)| condition(log));
        let mut names: Vec<_> = all.map(|(turn, _)| turn.clone()).collect();
        names.sort();
        (!names.is_empty()).then(|| names.swap_remove(self.rng.below(names.len())))
    }

    /// Returns text for a turn that is still open, or for a new one.
    fn text(&mut self) -> Option<Value> {
        let open = if self.rng.once_in(2) { self.any(|log| !log.closed && log.ends == 0) } else { None };
        if open.is_none() && self.judge.alive() >= ALIVE {
            return None;
        }
        let fresh = open.is_none();
        let turn = open.unwrap_or_else(|| format!("t{}", self.judge.turns.len()));
        let text = TEXTS[self.rng.below(TEXTS.len())].repeat(1 + usize::from(self.rng.once_in(4)));
        let last = !self.rng.once_in(3);
        let log = self.judge.turns.entry(turn.clone()).or_default();
        log.text.push_str(&text);
        log.closed = last;
        let preempt = fresh && self.rng.once_in(8);
        if preempt {
            // only the server knows which turn is cancelled and therefore accepts no more text
            self.judge
                .turns
                .iter_mut()
                .filter(|(name, _)| **name != turn)
                .for_each(|(_, log)| log.closed = true);
        }
        Some(json!({"type": "text", "turn_id": turn, "text": text, "final": last, "preempt": preempt}))
    }

    fn cancel(&mut self, number: usize) -> Value {
        let id = format!("c{number}");
        self.judge.answers.insert(id.clone(), 0);
        let mut message = json!({"type": "cancel", "id": id});
        let target = match self.rng.below(10) {
            0 => Some("nobody".to_owned()),
            1 | 2 => self.any(|log| log.ends > 0),
            3 => {
                message["all"] = true.into();
                None
            }
            4 => None,
            _ => self.any(|log| log.ends == 0),
        };
        match &target {
            Some(turn) => {
                if let Some(log) = self.judge.turns.get_mut(turn) {
                    log.closed = true;
                }
                message["turn_id"] = turn.as_str().into();
            }
            // the cancel may affect any turn
            None => self.judge.turns.values_mut().for_each(|log| log.closed = true),
        }
        if self.rng.once_in(3) {
            message["played_ms"] = self.rng.below(3_000).into();
        }
        message
    }

    async fn run(mut self) -> HashMap<&'static str, usize> {
        let mut cancels = 0;
        while cancels < CANCELS {
            // messages sent together arrive together, so that a turn can be cancelled before it starts
            let mut burst = Vec::new();
            for _ in 0..=self.rng.below(3) {
                burst.extend(self.text());
            }
            if self.rng.once_in(2) {
                burst.push(self.cancel(cancels));
                cancels += 1;
            }
            self.ws.say_all(burst).await;
            for _ in 0..self.rng.below(12) {
                self.listen().await;
            }
            if cancels < CANCELS && self.rng.once_in(2) {
                let cancel = self.cancel(cancels);
                cancels += 1;
                self.ws.say(cancel).await;
            }
        }
        self.ws.say_all([json!({"type": "cancel", "all": true}), json!({"type": "close"})]).await;
        loop {
            match self.ws.receive().await {
                Received::Message(message) => self.judge.message(&message),
                Received::Sound(sound) => self.judge.sound(sound.len()),
                Received::Closed { code, .. } => {
                    assert_eq!(code, 1000);
                    break;
                }
                Received::Pong(_) => {}
            }
        }
        for (turn, log) in &self.judge.turns {
            assert_eq!(log.ends, 1, "{turn}: ends of a turn");
        }
        assert_eq!(self.judge.answers.len(), CANCELS);
        for (id, answers) in &self.judge.answers {
            assert_eq!(*answers, 1, "{id}: answers to a cancel");
        }
        self.judge.met
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_random_cancels_are_answered_and_take_effect() {
    let server = TestServer::start().await;
    let all = (0..CONNECTIONS).map(|seed| {
        let server = &server;
        async move {
            let open =
                if seed % 2 == 0 { WsClient::open(server).await } else { WsClient::open_fast(server).await };
            let fickle =
                RandomClient { ws: open, judge: Judge::default(), rng: SeededRng::new(seed + 1), pings: 0 };
            fickle.run().await
        }
    });
    let mut met: HashMap<&str, usize> = HashMap::new();
    for one in futures_util::future::join_all(all).await {
        for (kind, count) in one {
            *met.entry(kind).or_default() += count;
        }
    }
    for kind in ["sounding", "silent", "done", "unknown"] {
        assert!(met.contains_key(kind), "no cancel met a turn that was {kind}: {met:?}");
    }
    server.idle().await;
    assert_eq!(server.engine.stats().faults, 0);
}

#[tokio::test]
async fn cancelling_a_completely_sent_reply_reports_the_heard_text() {
    let server = TestServer::start().await;
    let text = "आपका ₹1,250 का बिल जमा हो गया है। Thank you.";
    let mut ws = WsClient::open_fast(&server).await;
    let places = [0, 1, 3, 6];
    for place in places {
        let turn = format!("reply {place}");
        ws.say(json!({"text": text, "turn_id": turn, "final": true})).await;
        let clip = ws.clip(&turn).await;
        let (word, _) = &clip.words[place];
        let (ms, end) = (word["end_ms"].as_u64().unwrap(), word["char_end"].as_u64().unwrap());
        // a word counts as heard only at its end
        let before =
            place.checked_sub(1).map_or(0, |before| clip.words[before].0["char_end"].as_u64().unwrap());
        let (played, char_end) = if place == 3 { (ms - 1, before) } else { (ms, end) };
        ws.say(json!({"type": "cancel", "turn_id": turn, "played_ms": played, "id": "b"})).await;
        let answer = ws.message().await;
        let all = text.chars().count() as u64;
        assert_eq!(
            answer,
            json!({"type": "turn.cancelled", "turn_id": turn, "id": "b", "state": "already_done",
                "sent_ms": clip.done["audio_ms"],
                "heard": {"ms": played, "text": part(text, 0, char_end), "char_end": char_end, "basis": "played_ms"},
                "unheard_text": part(text, char_end, all)})
        );
        ws.say(json!({"type": "cancel", "turn_id": turn, "id": "b", "played_ms": 0})).await;
        assert_eq!(ws.message().await, answer, "a repeated cancel has no further effect");
    }
}

#[tokio::test]
async fn without_a_position_heard_text_is_computed_from_the_playhead() {
    let server = TestServer::start().await;
    let text = "This reply has some words in it, and it was sent whole.";
    let mut ws = WsClient::open_fast(&server).await;
    ws.say(json!({"text": text, "turn_id": "r", "final": true})).await;
    let clip = ws.clip("r").await;
    let third = clip.words[2].0["end_ms"].as_u64().unwrap();
    ws.say_all([
        json!({"type": "played", "turn_id": "r", "played_ms": third}),
        json!({"type": "cancel", "turn_id": "r"}),
    ])
    .await;
    let answer = ws.message().await;
    let heard = &answer["heard"];
    let ms = heard["ms"].as_u64().unwrap();
    assert_eq!((&answer["state"], &heard["basis"]), (&json!("already_done"), &json!("playhead")));
    assert!(ms >= third && ms <= answer["sent_ms"].as_u64().unwrap(), "{answer}");
    let last_word = clip.words.iter().rev().find(|(word, _)| word["end_ms"].as_u64().unwrap() <= ms);
    let last_word = if answer["sent_ms"] == ms {
        json!(text.chars().count())
    } else {
        last_word.unwrap().0["char_end"].clone()
    };
    assert_eq!(heard["char_end"], last_word, "{answer}");
}
