//! Packs of voices as the command has them: what the settings say of them, and the program that runs them.

use std::io;
use std::path::Path;
use std::process::Command;

use shruti_engine::Engine;
use shruti_lang::{VoiceEngine, VoiceId};
use shruti_voices::{Children, PacksConfig};
use tokio::runtime::Handle;

use crate::settings::Settings;

/// KiB of address space that the allocator reserves at a time.
const RESERVED_KIB: &str = "65536";

/// What the settings say of the packs of a data folder.
pub(crate) fn config(data_dir: &Path, settings: &Settings) -> PacksConfig {
    PacksConfig {
        threads: settings.packs_threads,
        memory_mib: settings.packs_memory,
        falls_back: settings.packs_fallback.unwrap_or(false),
        ..PacksConfig::in_data_folder(data_dir)
    }
}

/// An engine for a command that speaks by itself: with the built-in voices alone, which are there at once, and where
/// another is named, with its pack.
pub(crate) fn engine_for(
    voice: &VoiceId,
    voice_engine: VoiceEngine,
    data_dir: &Path,
    runtime: &Handle,
) -> anyhow::Result<Engine> {
    let config = PacksConfig::in_data_folder(data_dir);
    Ok(shruti_voices::engine_for(voice, voice_engine, config, children(), runtime)?)
}

/// The processes that run packs: this program again, with a hidden subcommand.
pub(crate) fn children() -> Children {
    Children::new(this_program)
}

/// This program, also where its file has been replaced meanwhile, with an environment of its own.
fn this_program() -> io::Result<Command> {
    let running = Path::new("/proc/self/exe");
    let mut command =
        if running.exists() { Command::new(running) } else { Command::new(std::env::current_exe()?) };
    // the inherited environment may hold secrets; the allocator's first reservation, 1 GiB, would take the address space
    command.env_clear().env("MIMALLOC_ARENA_RESERVE", RESERVED_KIB);
    command.args(["voices", "child"]);
    Ok(command)
}
