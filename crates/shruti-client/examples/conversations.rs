//! Load test with many concurrent conversations, each of which speaks one turn after another, as agents do.
//! It counts the outcomes of the turns while servers are restarted, killed, or lose their database, and
//! prints the counts at the end.
//!
//! ```text
//! SHRUTI_API_KEY=… cargo run --release -p shruti-client --example conversations -- http://127.0.0.1:8080 300 60
//! ```
//!
//! A turn counts as `done` when all of its audio was received, `lost` when its connection broke during the
//! turn, and `failed` when a server refused it. A complete turn also counts as `wrong` if the length of its audio
//! differs from that of the first turn, because audio was then repeated or lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement fails by panicking"
)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use shruti_client::{Client, Conversation, Error, Event};
use tokio::task::JoinSet;

const TEXT: &str = "आपका ऑर्डर भेज दिया गया है। यह कल शाम तक आ जाएगा, और आपको एक संदेश मिलेगा।";

#[derive(Debug, Default)]
struct Counts {
    done: u64,
    lost: u64,
    failed: u64,
    wrong: u64,
    reconnected: u64,
    /// Conversations that ended with an error.
    broken: u64,
    /// Times from `say` to the first audio of each turn, in milliseconds.
    first_ms: Vec<f64>,
    /// Reasons why turns were lost or failed, and why conversations ended, with their counts.
    causes: HashMap<String, u64>,
}

impl Counts {
    fn cause(&mut self, cause: &impl ToString) {
        *self.causes.entry(cause.to_string()).or_default() += 1;
    }

    fn add(&mut self, other: Self) {
        self.done += other.done;
        self.lost += other.lost;
        self.failed += other.failed;
        self.wrong += other.wrong;
        self.reconnected += other.reconnected;
        self.broken += other.broken;
        self.first_ms.extend(other.first_ms);
        for (cause, times) in other.causes {
            *self.causes.entry(cause).or_default() += times;
        }
    }
}

/// Speaks one turn. Returns the size of its audio in bytes, or `None` if the turn was not completed.
async fn turn(conversation: &mut Conversation, counts: &mut Counts) -> Result<Option<usize>, Error> {
    let begun = Instant::now();
    let turn = conversation.say(TEXT).await?;
    let mut bytes = 0;
    while let Some(event) = conversation.next().await {
        match event? {
            Event::Audio { samples, .. } => {
                if bytes == 0 {
                    counts.first_ms.push(begun.elapsed().as_secs_f64() * 1_000.0);
                }
                bytes += samples.len();
            }
            Event::Done(done) if done.turn == turn => {
                counts.done += 1;
                return Ok(Some(bytes));
            }
            Event::Lost(lost) => {
                counts.lost += 1;
                counts.cause(&format!("lost: {}", lost.cause));
                return Ok(None);
            }
            Event::Failed(failed) => {
                counts.failed += 1;
                counts.cause(&format!("failed: {}", failed.error.code));
                return Ok(None);
            }
            Event::Reconnected => counts.reconnected += 1,
            _ => {}
        }
    }
    Ok(None)
}

async fn converse(client: Client, until: Instant, pause: Duration) -> Counts {
    let mut counts = Counts::default();
    let mut duration = None;
    let spoken = async {
        let mut conversation = client.converse().await?;
        while Instant::now() < until {
            if let Some(bytes) = turn(&mut conversation, &mut counts).await? {
                counts.wrong += u64::from(*duration.get_or_insert(bytes) != bytes);
            }
            tokio::time::sleep(pause).await;
        }
        Ok::<_, Error>(())
    };
    if let Err(error) = spoken.await {
        counts.broken += 1;
        counts.cause(&format!("ended: {error}"));
    }
    counts
}

#[tokio::main]
async fn main() {
    let [url, conversations, seconds] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .expect("an address, a number of conversations, and seconds: http://127.0.0.1:8080 300 60");
    let key = std::env::var("SHRUTI_API_KEY").expect("SHRUTI_API_KEY");
    let client = Client::new(&url, &key).unwrap();
    let conversations: u32 = conversations.parse().unwrap();
    let until = Instant::now() + Duration::from_secs(seconds.parse().unwrap());
    let mut talking = JoinSet::new();
    for number in 0..conversations {
        // a different pause in each conversation staggers the turns
        let pause = Duration::from_millis(500 + u64::from(number * 37 % 1_000));
        talking.spawn(converse(client.clone(), until, pause));
    }
    let mut all = Counts::default();
    while let Some(counts) = talking.join_next().await {
        all.add(counts.unwrap());
    }
    all.first_ms.sort_by(f64::total_cmp);
    let at = |share: f64| {
        all.first_ms.get((all.first_ms.len() as f64 * share) as usize).copied().unwrap_or_default()
    };
    println!(
        "done {} lost {} failed {} wrong {} reconnected {} broken {} first_p50_ms {:.1} first_p99_ms {:.1}",
        all.done,
        all.lost,
        all.failed,
        all.wrong,
        all.reconnected,
        all.broken,
        at(0.5),
        at(0.99)
    );
    for (cause, times) in all.causes {
        println!("{times:6} {cause}");
    }
}
