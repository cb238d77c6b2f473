//! `sd_shruti`: an output module of Speech Dispatcher.
//!
//! Speech Dispatcher starts it with the path of its configuration file and speaks the protocol for output modules on standard input and
//! output ("Communication Protocol for Output Modules" in its manual). Sound goes to Speech Dispatcher as `705 AUDIO` events,
//! which it plays ("server-side audio", version 0.11 and later).
//!
//! The main thread reads commands, so that a stop is seen while a text is spoken; one [`speaking`] thread a message writes its events.

mod config;
mod key;
mod module;
mod output;
mod parameters;
mod protocol;
mod speaking;

use std::io::{BufReader, stdin, stdout};

use crate::config::Config;
use crate::module::Module;
use crate::output::Output;
use crate::protocol::Reader;

fn main() -> anyhow::Result<()> {
    let config = match std::env::args_os().nth(1) {
        Some(path) => Config::read(path.as_ref())?,
        None => Config::default(),
    };
    let module = Module::new(config, Output::new(stdout()));
    module.run(Reader::new(BufReader::new(stdin())))
}
