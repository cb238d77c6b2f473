//! Playback through an installed audio player that reads raw samples from its standard input.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail, ensure};
use shruti_lang::SAMPLE_RATE;

/// Returns the supported players in order of preference, with the arguments for the sample format.
fn players() -> Vec<(&'static str, Vec<String>)> {
    let rate = SAMPLE_RATE.to_string();
    let args = |list: &[&str]| list.iter().map(|&arg| arg.replace("RATE", &rate)).collect();
    vec![
        ("pw-play", args(&["--raw", "--format=s16", "--rate=RATE", "--channels=1", "-"])),
        ("paplay", args(&["--raw", "--format=s16le", "--rate=RATE", "--channels=1"])),
        ("aplay", args(&["-q", "-t", "raw", "-f", "S16_LE", "-r", "RATE", "-c", "1", "-"])),
        ("play", args(&["-q", "-t", "raw", "-e", "signed", "-b", "16", "-L", "-r", "RATE", "-c", "1", "-"])),
        (
            "ffplay",
            args(&[
                "-loglevel",
                "error",
                "-nodisp",
                "-autoexit",
                "-f",
                "s16le",
                "-ar",
                "RATE",
                "-ch_layout",
                "mono",
                "-",
            ]),
        ),
    ]
}

/// Running player.
pub(crate) struct Player {
    name: &'static str,
    process: Child,
}

/// Starts the first player that is installed, with its standard input open for samples.
pub(crate) fn start() -> anyhow::Result<Player> {
    let (name, process) = start_with(Stdio::inherit)?;
    Ok(Player { name, process })
}

impl Player {
    /// Writes samples to the player. Blocks until the player has accepted them.
    pub(crate) fn play(&mut self, samples: &[u8]) -> anyhow::Result<()> {
        let Some(input) = &mut self.process.stdin else { return Ok(()) };
        let Err(error) = input.write_all(samples) else { return Ok(()) };
        // a player that stopped reading has exited or is about to exit
        self.process.stdin = None;
        let name = self.name;
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            return Err(error).with_context(|| format!("cannot play with {name}"));
        }
        let status = self.process.wait()?;
        bail!("the player {name} exited before everything was played, with {status}")
    }

    /// Waits until everything has been played.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        drop(self.process.stdin.take());
        let status = self.process.wait()?;
        ensure!(status.success(), "the player {} failed with {status}", self.name);
        Ok(())
    }
}

/// Starts a player like [`start`], but discards the player's error messages, because they would disturb a full-screen
/// display.
pub(crate) fn start_quietly() -> anyhow::Result<Child> {
    start_with(Stdio::null).map(|(_, process)| process)
}

fn start_with(errors: impl Fn() -> Stdio) -> anyhow::Result<(&'static str, Child)> {
    for (program, arguments) in players() {
        let mut command = Command::new(program);
        command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors());
        match command.spawn() {
            Ok(child) => return Ok((program, child)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("cannot start {program}")),
        }
    }
    let names = players().iter().map(|(program, _)| *program).collect::<Vec<_>>().join(", ");
    bail!(
        "no player found (looked for {names}); write a file with -o FILE.wav, or pipe the raw samples: \
         shruti say … | ffmpeg -f s16le -ar {SAMPLE_RATE} -ac 1 -i - out.mp3"
    )
}
