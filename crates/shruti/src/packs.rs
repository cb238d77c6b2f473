//! Configuration of the voice packs, and the launcher of the processes that run them.

use std::io;
use std::path::Path;
use std::process::Command;

use shruti_engine::Engine;
use shruti_lang::{VoiceEngine, VoiceId};
use shruti_voices::{Children, PacksConfig};
use tokio::runtime::Handle;

use crate::settings::Settings;

/// Address space that the allocator of a pack process reserves at a time, in KiB.
const RESERVED_KIB: &str = "65536";

/// Returns the configuration of the packs in a data folder.
pub(crate) fn config(data_dir: &Path, settings: &Settings) -> PacksConfig {
    PacksConfig {
        threads: settings.packs_threads,
        memory_mib: settings.packs_memory,
        falls_back: settings.packs_fallback.unwrap_or(false),
        ..PacksConfig::in_data_folder(data_dir)
    }
}

/// Creates the engine for a command that speaks without a server. The engine contains the built-in voices, which load
/// instantly. If `voice` is not one of them, the pack of that voice is loaded too.
pub(crate) fn engine_for(
    voice: &VoiceId,
    voice_engine: VoiceEngine,
    data_dir: &Path,
    runtime: &Handle,
) -> anyhow::Result<Engine> {
    let config = PacksConfig::in_data_folder(data_dir);
    Ok(shruti_voices::engine_for(voice, voice_engine, config, children(), runtime)?)
}

/// Returns the launcher of the processes that run packs: this program, with a hidden subcommand.
pub(crate) fn children() -> Children {
    Children::new(this_program)
}

/// Returns a command that starts this program as a pack process, with a clean environment. On Linux, the command works
/// even if the file of this program has been replaced.
fn this_program() -> io::Result<Command> {
    let running = Path::new("/proc/self/exe");
    let mut command =
        if running.exists() { Command::new(running) } else { Command::new(std::env::current_exe()?) };
    // the inherited environment may contain secrets; the allocator's default reservation of 1 GiB would exceed the
    // address space limit of the process
    command.env_clear().env("MIMALLOC_ARENA_RESERVE", RESERVED_KIB);
    command.args(["voices", "child"]);
    Ok(command)
}
