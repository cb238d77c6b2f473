//! The process that runs a pack: it loads the pack and processes requests until its standard input ends.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use shruti_packs::Pack;

use super::wire::{self, Answer, CallResult, Hello, Request, Work};
use crate::load_error::LoadError;
use crate::session::GraphError;
use crate::synthesiser::{Passage, PreparedPassage, Synthesiser};
use crate::threads;

/// Error in the process that runs a pack.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The pack could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The server process cannot be reached, or a thread could not be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Loads a pack and processes the requests of a [`PackProcess`](crate::PackProcess) on `workers` threads. Returns at
/// the end of `input` without waiting for the workers; the process must then exit.
pub fn serve_pack(
    pack: Pack,
    workers: usize,
    mut input: impl Read,
    output: impl Write + Send + 'static,
) -> Result<(), ServeError> {
    let synthesiser = threads::on_a_worker(move || Synthesiser::load(&pack, 1))??;
    let hello = Hello { has_pitch: synthesiser.has_pitch(), has_word_times: synthesiser.has_word_times() };
    let (requests, queue) = mpsc::channel();
    let served = Arc::new(Served {
        synthesiser: RwLock::new(synthesiser),
        passages: Mutex::default(),
        queue: Mutex::new(queue),
        output: Mutex::new(output),
    });
    wire::write(&mut *lock(&served.output), &hello, &[])?;
    for _ in 0..workers.max(1) {
        let served = Arc::clone(&served);
        threads::spawn_worker(move || served.work())?;
    }
    loop {
        match wire::read::<Request>(&mut input) {
            // this cannot fail, because the receiver exists until the process exits
            Ok((request, _)) => requests.send(request).map_err(io::Error::other)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

struct Served<O> {
    synthesiser: RwLock<Synthesiser>,
    /// Utterances for which no chunk is being computed, by the number of the call that prepared them.
    passages: Mutex<HashMap<u64, Passage>>,
    queue: Mutex<Receiver<Request>>,
    output: Mutex<O>,
}

impl<O: Write> Served<O> {
    fn work(&self) {
        loop {
            let next = lock(&self.queue).recv();
            let Ok(Request { call, work }) = next else { return };
            let done = catch_unwind(AssertUnwindSafe(|| self.execute(call, work)));
            let panicked = || {
                Some(Err(GraphError::Run {
                    graph: "pack".to_owned(),
                    reason: "the worker panicked".to_owned(),
                }))
            };
            let Some(result) = done.unwrap_or_else(|_| panicked()) else { continue };
            let (result, samples) = match result {
                Ok((done, samples)) => (Ok(done), samples),
                Err(error) => (Err(error), Vec::new()),
            };
            // ignore write errors: if the server process has ended, the input ends as well
            let _ = wire::write(&mut *lock(&self.output), &Answer { call, result }, &samples);
        }
    }

    /// Executes a request. Returns `None` if the request has no response.
    fn execute(&self, call: u64, work: Work) -> Option<Result<(CallResult, Vec<i16>), GraphError>> {
        match work {
            Work::Threads(threads) => {
                self.synthesiser.write().unwrap_or_else(PoisonError::into_inner).set_threads(threads);
                None
            }
            Work::Drop { passage } => {
                lock(&self.passages).remove(&passage);
                None
            }
            Work::Prepare { sequence, settings } => {
                let synthesiser = self.synthesiser.read().unwrap_or_else(PoisonError::into_inner);
                Some(synthesiser.prepare(&sequence, &settings).map(|prepared| {
                    let PreparedPassage { passage, samples, words, durations } = prepared;
                    lock(&self.passages).insert(call, passage);
                    (
                        CallResult::Prepared(PreparedPassage { passage: (), samples, words, durations }),
                        Vec::new(),
                    )
                }))
            }
            Work::Next { passage: number } => {
                let removed = lock(&self.passages).remove(&number);
                let Some(mut passage) = removed else { return Some(Ok((CallResult::End, Vec::new()))) };
                let synthesiser = self.synthesiser.read().unwrap_or_else(PoisonError::into_inner);
                Some(synthesiser.next(&mut passage).map(|chunk| match chunk {
                    Some(samples) => {
                        lock(&self.passages).insert(number, passage);
                        (CallResult::Chunk, samples)
                    }
                    None => (CallResult::End, Vec::new()),
                }))
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
