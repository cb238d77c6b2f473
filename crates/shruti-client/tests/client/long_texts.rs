//! Tests of texts that consist of many turns, with lost connections and with servers that restart or refuse requests.

use std::time::Duration;

use shruti_client::{Client, Error, LongText, Spoken};
use shruti_protocol::ErrorCode;
use shruti_protocol::stream::{ConfigPatch, WordTime};
use shruti_store::{KeyLimits, KeySpec};
use shruti_testkit::TestServer;

use crate::client;
use crate::relay::Relay;

/// Returns a text of about six turns.
fn book() -> String {
    let line = |n| format!("अध्याय {n}: वह कल शाम {n} बजे आया, और सबने उसे देखा। फिर वह चला गया।\n");
    (1..=70).map(line).collect::<Vec<_>>().concat()
}

/// Returns settings for double speed and no pacing.
fn config() -> ConfigPatch {
    ConfigPatch { max_lead_ms: Some(0), speed: Some(2.0), ..ConfigPatch::default() }
}

/// Audio and events that a text produced.
#[derive(Debug, Default, PartialEq)]
struct Told {
    samples: Vec<i16>,
    words: Vec<WordTime>,
    turns: usize,
    interruptions: usize,
}

/// Speaks a text in pieces. `meddle` is called after each event with the number of samples so far.
async fn speak(long: &mut LongText, text: &str, mut meddle: impl AsyncFnMut(usize)) -> (Told, Option<Error>) {
    let mut result = Told::default();
    let characters: Vec<char> = text.chars().collect();
    let mut pieces = characters.chunks(777).map(|piece| piece.iter().collect::<String>());
    loop {
        while long.takes_text() {
            match pieces.next() {
                Some(piece) => long.push(&piece),
                None => long.finish(),
            }
        }
        match long.next().await {
            Some(Ok(Spoken::Audio(samples))) => result.samples.extend(samples),
            Some(Ok(Spoken::Words(words))) => result.words.extend(words),
            Some(Ok(Spoken::Turn(_))) => result.turns += 1,
            Some(Ok(Spoken::Interrupted { .. })) => result.interruptions += 1,
            Some(Ok(Spoken::WantsText)) => {}
            Some(Ok(Spoken::Warning(message))) => panic!("{message}"),
            Some(Err(error)) => return (result, Some(error)),
            None => return (result, None),
        }
        meddle(result.samples.len()).await;
    }
}

/// Speaks a text without interruptions.
async fn undisturbed(server: &TestServer, text: &str) -> Told {
    let mut long = LongText::connect(client(server), config()).await.unwrap();
    let (result, error) = speak(&mut long, text, async |_| {}).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(long.spoken_chars(), text.chars().count() as u64);
    result
}

#[tokio::test]
async fn words_of_a_long_text_have_times_and_positions_in_the_whole_text() {
    let server = TestServer::start().await;
    let text = format!(" \n{}", book());
    let result = undisturbed(&server, &text).await;
    assert!(result.turns > 3, "{}", result.turns);
    let characters: Vec<char> = text.chars().collect();
    let mut before = 0;
    for word in &result.words {
        let there: String = characters[word.char_start as usize..word.char_end as usize].iter().collect();
        assert_eq!(word.text, there);
        assert!(before <= word.start_ms && word.start_ms < word.end_ms, "{word:?} after {before}");
        before = word.start_ms;
    }
    let spoken: Vec<&str> = result.words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(spoken, text.split_whitespace().collect::<Vec<_>>());
    let length_ms = result.samples.len() as u32 / 24;
    assert!(result.words.last().unwrap().end_ms <= length_ms && length_ms < before + 3_000, "{length_ms}");
}

#[tokio::test]
async fn a_lost_connection_skips_and_repeats_no_text() {
    let server = TestServer::start().await;
    let expected = undisturbed(&server, &book()).await;
    let relay = Relay::to(server.address).await;
    let through = Client::new(&format!("http://{}", relay.address), &server.key).unwrap();
    let mut long = LongText::connect(through, config()).await.unwrap();
    // cut the connection at the first audio, then twice within one turn, then after every three seconds of audio
    let mut cuts = [1, 100_000, 100_001].into_iter().chain((2..).map(|n| n * 72_000)).peekable();
    let (result, error) = speak(&mut long, &book(), async |samples| {
        if cuts.next_if(|&cut| cut <= samples).is_some() {
            relay.cut();
        }
    })
    .await;
    assert!(error.is_none(), "{error:?}");
    assert!(result.interruptions >= 5, "{}", result.interruptions);
    assert!(
        result.samples == expected.samples,
        "{} samples, not {}",
        result.samples.len(),
        expected.samples.len()
    );
    assert_eq!((result.words, result.turns), (expected.words, expected.turns));
}

#[tokio::test]
async fn the_client_waits_for_a_restarting_server() {
    let drain = Duration::from_millis(100);
    let mut server = TestServer::builder().config(|config| config.timeouts.drain = drain).start().await;
    let expected = undisturbed(&server, &book()).await;
    let mut long = LongText::connect(client(&server), config()).await.unwrap();
    let mut restarts = 0;
    let (result, error) = speak(&mut long, &book(), async |samples| {
        if samples > (1 + 2 * restarts) * 400_000 {
            restarts += 1;
            server.restart().await;
        }
    })
    .await;
    assert!(error.is_none(), "{error:?}");
    assert!(restarts > 1 && result.interruptions > 1, "{restarts}, {}", result.interruptions);
    assert!(
        result.samples == expected.samples,
        "{} samples, not {}",
        result.samples.len(),
        expected.samples.len()
    );
    assert_eq!(result.words, expected.words);
}

#[tokio::test]
async fn an_ssml_document_of_any_length_is_one_turn() {
    let server = TestServer::start().await;
    let sentence = "<s>वह <emphasis>कल</emphasis> आया।</s> <!-- a remark -->\n";
    // the document is longer than the server's buffer
    let document = format!("<speak>{}</speak>\n", sentence.repeat(500));
    let result = undisturbed(&server, &format!("{document}<speak>कल फिर।</speak>")).await;
    assert_eq!(result.turns, 2);
    assert_eq!(result.words.len(), 3 * 500 + 2);
}

#[tokio::test]
async fn an_exhausted_allowance_ends_the_text_and_reports_the_position() {
    let server = TestServer::start().await;
    let account = server.create_account("reader@example.com", 2_000).await;
    let key = server.create_key_of(&account, KeySpec::named("reader")).await;
    let client = Client::new(&format!("http://{}", server.address), key.secret.reveal()).unwrap();
    let mut long = LongText::connect(client, config()).await.unwrap();
    let (result, error) = speak(&mut long, &book(), async |_| {}).await;
    let Some(Error::Refused { detail, .. }) = error else { panic!("{error:?}") };
    assert_eq!((detail.code, result.interruptions), (ErrorCode::QuotaExhausted, 0));
    let spoken = long.spoken_chars();
    assert!((1_000..=2_000).contains(&spoken), "{spoken}");
    // a complete turn includes the line end that follows it
    let last = u64::from(result.words.last().unwrap().char_end);
    assert!((last..=last + 1).contains(&spoken), "{spoken}, the last word ends at {last}");
}

#[tokio::test]
async fn the_client_waits_for_the_rate_limit() {
    let server = TestServer::start().await;
    let limits = KeyLimits { rate: Some(4.0), burst: Some(1), streams: None };
    let key = server.create_key(KeySpec { limits, ..KeySpec::named("reader") }).await;
    let client = Client::new(&format!("http://{}", server.address), key.secret.reveal()).unwrap();
    let spent = client.converse().await.unwrap();
    let mut long = LongText::connect(client, config()).await.unwrap();
    let (result, error) = speak(&mut long, "नमस्ते।", async |_| {}).await;
    assert!(error.is_none() && result.interruptions == 1 && !result.samples.is_empty(), "{error:?}");
    drop(spent);
}

#[tokio::test]
async fn an_unreachable_server_is_reported_immediately() {
    let server = TestServer::start().await;
    let nobody = Client::new(&format!("http://{}", server.address), "sk_wrong").unwrap();
    let gone = client(&server);
    assert!(matches!(LongText::connect(nobody, config()).await, Err(Error::Refused { .. })));
    server.stop().await;
    assert!(matches!(LongText::connect(gone, config()).await, Err(Error::Connect { .. })));
}
