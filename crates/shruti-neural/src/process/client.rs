//! Server side of a pack process: each step of the pack is a call to the process.

use std::fmt;
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::{io, thread};

use shruti_packs::{Manifest, Pack};

use super::supervisor::Supervisor;
use super::wire::{CallResult, Hello, Work};
use super::{ProcessError, ProcessLimits};
use crate::symbols::{SymbolSequence, SymbolTable};
use crate::synthesis::{Synthesis, SynthesisError};
use crate::synthesiser::{PreparedPassage, Settings};

/// A pack that runs in its own process. If the process ends, it is restarted. Dropping this value ends the process.
#[derive(Debug)]
pub struct PackProcess {
    manifest: Manifest,
    symbols: SymbolTable,
    hello: Hello,
    supervisor: Arc<Supervisor>,
}

impl PackProcess {
    /// Starts the process of a pack and waits until the pack is loaded. `command` is called for each start. It returns
    /// a command that calls [`serve_pack`](crate::serve_pack) on its standard input and output and limits its own
    /// memory. If the first start fails, there is no retry.
    pub fn start(
        pack: &Pack,
        limits: ProcessLimits,
        command: impl Fn() -> io::Result<Command> + Send + 'static,
    ) -> Result<Self, ProcessError> {
        let manifest = pack.manifest().clone();
        let symbols = SymbolTable::parse(&pack.symbols()?, &manifest.input)?;
        let supervisor = Arc::new(Supervisor::new(manifest.id.clone(), limits));
        let (supervised, (first, loaded)) = (Arc::clone(&supervisor), mpsc::channel());
        let name = format!("pack-{}", manifest.id);
        thread::Builder::new().name(name).spawn(move || supervised.run(&command, first))?;
        let ended = || Err(ProcessError::Ended("the thread that supervises the process ended".to_owned()));
        let hello = loaded.recv().unwrap_or_else(|_| ended())?;
        Ok(Self { manifest, symbols, hello, supervisor })
    }

    #[cfg(test)]
    pub(super) fn supervisor(&self) -> &Arc<Supervisor> {
        &self.supervisor
    }
}

impl Drop for PackProcess {
    fn drop(&mut self) {
        self.supervisor.close();
    }
}

impl Synthesis for PackProcess {
    type Passage = ProcessPassage;

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn has_pitch(&self) -> bool {
        self.hello.has_pitch
    }

    fn has_word_times(&self) -> bool {
        self.hello.has_word_times
    }

    fn threads(&self) -> usize {
        self.supervisor.threads()
    }

    fn set_threads(&mut self, threads: usize) {
        self.supervisor.set_threads(threads);
    }

    fn prepare(
        &self,
        sequence: &SymbolSequence,
        settings: &Settings,
    ) -> Result<PreparedPassage<ProcessPassage>, SynthesisError> {
        let start = self.supervisor.starts();
        let work = Work::Prepare { sequence: sequence.clone(), settings: *settings };
        let (call, done, _) = self.supervisor.call(work)?;
        let passage = ProcessPassage { number: call, start, supervisor: Arc::clone(&self.supervisor) };
        match done {
            CallResult::Prepared(PreparedPassage { passage: (), samples, words, durations })
                if words.len() == sequence.words.len() || words.is_empty() =>
            {
                Ok(PreparedPassage { passage, samples, words, durations })
            }
            _ => Err(self.supervisor.unexpected_answer()),
        }
    }

    fn next(&self, passage: &mut ProcessPassage) -> Result<Option<Vec<i16>>, SynthesisError> {
        if passage.start != self.supervisor.starts() {
            return Err(self.supervisor.process_lost());
        }
        match self.supervisor.call(Work::Next { passage: passage.number })? {
            (_, CallResult::Chunk, samples) => Ok(Some(samples)),
            (_, CallResult::End, _) => Ok(None),
            (_, CallResult::Prepared(_), _) => Err(self.supervisor.unexpected_answer()),
        }
    }

    fn is_usable(&self) -> bool {
        self.supervisor.is_serving()
    }
}

/// An utterance in the process of its pack. Dropping this value cancels the utterance in the process.
pub struct ProcessPassage {
    number: u64,
    /// Start count of the process that prepared the utterance. It differs from the current count after a restart.
    start: u64,
    supervisor: Arc<Supervisor>,
}

impl fmt::Debug for ProcessPassage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessPassage").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for ProcessPassage {
    fn drop(&mut self) {
        self.supervisor.forget(self.number);
    }
}
