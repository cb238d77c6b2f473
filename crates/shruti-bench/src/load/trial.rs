//! Run with a fixed number of conversations.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use shruti_client::Client;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep_until};

use super::listener::{Listener, Shared};
use super::plan::Plan;
use super::process::{own_pid, sample};
use super::progress::Progress;
use super::report::Report;
use super::script::Cast;
use super::tally::Tally;

/// Parameters of a run.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) client: Client,
    pub(super) cast: Cast,
    pub(super) conversations: usize,
    /// Duration of the measurement, after the ramp-up.
    pub(super) measured: Duration,
    /// Duration of the ramp-up, in which the conversations open.
    pub(super) ramp: Duration,
    pub(super) barge_in_share: f64,
    /// Process ID of the server, if it is on this machine.
    pub(super) server: Option<i32>,
    /// Form of the progress output.
    pub(super) progress: Progress,
}

/// Performs a run. All conversations run on one thread, so that the generator uses few resources of a machine that it
/// may share with the server.
pub(super) fn run(trial: &Trial) -> anyhow::Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, converse(trial))
}

async fn converse(trial: &Trial) -> anyhow::Result<Report> {
    let scripts = trial.cast.scripts()?;
    let lengths: Vec<Duration> = scripts.iter().map(|script| script.lasts).collect();
    let begins = trial.ramp;
    let ends = begins + trial.measured;
    let shared = Rc::new(Shared {
        client: trial.client.clone(),
        scripts,
        tally: RefCell::new(Tally::new(begins..ends)),
        begun: Instant::now(),
    });
    let mut listeners = JoinSet::new();
    for number in 0..trial.conversations {
        let opens = trial.ramp.mul_f64(number as f64 / trial.conversations as f64);
        let plan = Plan::new(number, opens, trial.barge_in_share, lengths.clone());
        listeners.spawn_local(Listener::new(Rc::clone(&shared), plan).run(opens));
    }
    let progress = tokio::task::spawn_local(trial.progress.tell(Rc::clone(&shared), ends));
    let watch = |pid: Option<i32>| pid.and_then(sample);
    sleep_until(shared.begun + begins).await;
    let before = (watch(trial.server), watch(Some(own_pid())), shared.begun.elapsed());
    sleep_until(shared.begun + ends).await;
    let after = (watch(trial.server), watch(Some(own_pid())), shared.begun.elapsed());
    while let Some(ended) = listeners.join_next().await {
        ended?;
    }
    progress.abort();
    trial.progress.end();
    let passed = after.2.saturating_sub(before.2);
    let server = after.0.zip(before.0).map(|(after, before)| after.since(before, passed));
    let generator = after.1.zip(before.1).map(|(after, before)| after.since(before, passed));
    let tally = shared.tally.borrow();
    Ok(Report::new(trial, &tally, server, generator))
}
