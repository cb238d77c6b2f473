//! `sd_shruti`: an output module of Speech Dispatcher.
//!
//! Speech Dispatcher starts the module with the path of its configuration file. It uses the protocol for output modules
//! on standard input and output ("Communication Protocol for Output Modules" in its manual). The module sends audio to
//! Speech Dispatcher as `705 AUDIO` events, and Speech Dispatcher plays it ("server-side audio", version 0.11 and
//! later).
//!
//! The main thread reads commands, so that it can handle a stop while a text is spoken. One [`speaking`] thread per
//! message writes the events of that message.

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
