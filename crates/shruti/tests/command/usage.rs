//! Tests of the usage that a killed server has recorded, and of `shruti usage`.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::process::{SHRUTI, Service, now_ms};
use shruti_client::{Client, Event};
use shruti_protocol::SynthesisRequest;
use shruti_store::{
    AccountStore, Actor, AllowanceStore, CreatedKey, Day, KeyCreation, KeySpec, KeyStore, SqliteStore, Usage,
    UsageOf, UsageStore,
};
use shruti_testkit::server::PATIENCE;

/// Maximum period for which a crash may lose usage, according to the documentation.
const PROMISED: Duration = Duration::from_secs(1);

/// Creates a key of an account with a monthly allowance of `chars` characters.
async fn key_for(store: &SqliteStore, chars: u64) -> CreatedKey {
    let email: shruti_store::EmailAddress = "asha@example.org".parse().unwrap();
    store.invite_account(Actor::Operator, email.clone(), now_ms()).await.unwrap();
    store.unlock_account(Actor::Operator, email.clone(), Some(chars), now_ms()).await.unwrap();
    let account = store.find_account(email).await.unwrap().unwrap();
    match store.create_key(Actor::Account(account.id), KeySpec::named("a"), now_ms()).await.unwrap() {
        KeyCreation::Created(key) => *key,
        other => panic!("{other:?}"),
    }
}

/// Usage that corresponds to the audio received by the clients, in pieces, each with its time of arrival.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<(Instant, Usage)>>>);

impl Received {
    fn add(&self, chars: u64, bytes: usize) {
        let piece = Usage { chars, requests: 0, audio_ms: bytes as u64 / 48 };
        self.0.lock().unwrap().push((Instant::now(), piece));
    }

    /// Returns the number of characters and the milliseconds of audio received up to a time.
    fn until(&self, end: Instant) -> (u64, u64) {
        let pieces = self.0.lock().unwrap();
        let early = pieces.iter().filter(|(at, _)| *at <= end);
        early.fold((0, 0), |(chars, ms), (_, piece)| (chars + piece.chars, ms + piece.audio_ms))
    }
}

/// Requests clips, one after another, until the server is gone.
async fn speak_clips(client: Client, received: Received) {
    let request = SynthesisRequest::new("नमस्ते, आप कैसे हैं? आज 25 तारीख है।");
    while let Ok(mut clip) = client.speak(&request).await {
        while let Some(samples) = clip.next().await {
            let Ok(samples) = samples else { return };
            received.add(0, samples.len());
        }
        received.add(request.chars() as u64, 0);
    }
}

/// Runs a conversation in real time until the server is gone. Its only turn has a hundred sentences and is never ended.
async fn converse(client: Client, received: Received) {
    let mut conversation = client.converse().await.unwrap();
    let turn = conversation.begin("").await.unwrap();
    for _ in 0..100 {
        conversation.append(&turn, "यह एक लंबा वाक्य है, और वह चलता रहता है। ").await.unwrap();
    }
    let (mut announced, mut counted) = (0, 0);
    while let Some(Ok(event)) = conversation.next().await {
        match event {
            Event::Words(words) => {
                announced = words.words.iter().map(|word| u64::from(word.char_end)).max().unwrap();
            }
            Event::Audio { samples, .. } => {
                received.add(announced - counted, samples.len());
                counted = announced;
            }
            Event::Lost(_) | Event::Failed(_) => return,
            _ => {}
        }
    }
}

async fn counted(store: &SqliteStore, key: &CreatedKey) -> Usage {
    let day = Day::of(now_ms());
    // the test may run over midnight
    let rows = store.usage_by_day(UsageOf::Key(key.record.prefix.clone()), day.plus(-1), day).await.unwrap();
    rows.iter().fold(Usage::default(), |sum, row| Usage {
        chars: sum.chars + row.amount.chars,
        requests: sum.requests + row.amount.requests,
        audio_ms: sum.audio_ms + row.amount.audio_ms,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_at_most_a_second_of_usage() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path());
    let store = SqliteStore::open(folder.path()).unwrap();
    let key = key_for(&store, 100_000_000).await;
    let client = Client::new(&format!("http://{}", service.address), key.secret.reveal()).unwrap();
    let received = Received::default();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..3 {
        clients.spawn(speak_clips(client.clone(), received.clone()));
        clients.spawn(converse(client.clone(), received.clone()));
    }

    // wait until usage has been stored three times, and half the average amount has been received since the last time
    let began = Instant::now();
    let mut look = tokio::time::interval(Duration::from_millis(5));
    let (mut reports, mut last, mut then) = (0, 0, (0, 0));
    loop {
        look.tick().await;
        assert!(began.elapsed() < PATIENCE, "nothing is counted");
        let now = counted(&store, &key).await.chars;
        if now > last {
            (reports, last, then) = (reports + 1, now, received.until(Instant::now()));
        }
        let since = received.until(Instant::now()).0 - then.0;
        if reports >= 3 && since * 2 * reports > last {
            break;
        }
    }
    let killed = Instant::now();
    // this sends SIGKILL
    service.process.kill().unwrap();
    service.process.wait().unwrap();
    clients.join_all().await;

    let stored = counted(&store, &key).await;
    let (chars, ms) = received.until(killed.checked_sub(PROMISED).unwrap());
    let (all_chars, all_ms) = received.until(Instant::now());
    println!(
        "received {all_chars} characters, {all_ms} ms, {chars} and {ms} of them a second before the end; {stored:?}"
    );
    assert!(stored.chars >= chars && stored.audio_ms >= ms, "{stored:?} of {chars} and {ms} ms");
    // the limit includes the data that was in transit to each client when the server ended
    assert!(stored.chars <= all_chars + 3 * 36 + 3 * 4_100, "{stored:?} of {all_chars}");

    let account = key.record.account.clone().unwrap();
    let used = store.allowance(account, now_ms()).await.unwrap().unwrap().used;
    assert_eq!(used, stored.chars, "the counted usage is charged");
    let again = Service::start(folder.path());
    let client = Client::new(&format!("http://{}", again.address), key.secret.reveal()).unwrap();
    client.speak(&SynthesisRequest::new("hello")).await.unwrap().collect().await.unwrap();
    let since = Day::of(now_ms()).plus(-1).to_string();
    assert_eq!(client.usage(Some(&since), None).await.unwrap().total.chars, stored.chars + 5);
}

#[tokio::test]
async fn the_command_shows_the_usage_of_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path());
    let store = SqliteStore::open(folder.path()).unwrap();
    let key = key_for(&store, 100).await;
    let url = format!("http://{}", service.address);
    let client = Client::new(&url, key.secret.reveal()).unwrap();
    client.speak(&SynthesisRequest::new("hello")).await.unwrap().collect().await.unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(SHRUTI);
        command.args(["usage", "--server", &url]).args(arguments).env("SHRUTI_API_KEY", key.secret.reveal());
        command.output().unwrap()
    };
    let today = Day::of(now_ms());
    let shown = run(&[]);
    let table = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.status.success(), "{table}");
    let line = table.lines().find(|line| line.starts_with(&today.to_string())).expect(&table);
    let expected = [&*today.to_string(), "Ananya", "en", "clip", "5", "1"];
    assert!(line.split_whitespace().take(6).eq(expected), "{line}");
    assert!(table.contains("5 of 100 characters used by the account, 95 left"), "{table}");

    let yesterday = today.plus(-1).to_string();
    let shown = String::from_utf8(run(&["--from", &yesterday, "--to", &yesterday]).stdout).unwrap();
    assert_eq!(shown.lines().count(), 4, "no day, the total: {shown}");
    for (arguments, named) in [
        (vec!["--from", "soon"], "2026-01-31"),
        (vec!["--from", &today.to_string(), "--to", &yesterday], "from must not be later"),
    ] {
        let refused = run(&arguments);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && error.contains(named), "{error}");
    }
}
