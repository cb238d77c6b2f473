//! The `shruti mcp` command: a Model Context Protocol (MCP) server with speech tools, over standard input and output.

mod input;
mod protocol;
mod tools;

use std::collections::HashMap;
use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::ensure;
use shruti_lang::{VoiceEngine, VoiceId};
use tokio::task::{AbortHandle, JoinSet};

use crate::data_dir::DataDir;
use crate::remote::Remote;
use crate::runtime::block_on;
use crate::values;
use input::Line;
use protocol::{Call, Message};
use tools::Tools;

/// Maximum number of concurrent tool calls; further calls are refused.
const MAX_CALLS: usize = 4;

/// Run a Model Context Protocol (MCP) server on standard input and output
///
/// Its tools are speak, list_voices and explain_pronunciation. Assistants start this command themselves; docs/mcp.md
/// describes their configuration. The command starts its own speech server; --server uses another one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Save speech to this folder as WAV files; without a folder, speech of up to 60 s is returned as audio
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Default voice of a call: Ananya, Arjun, or a voice of a pack
    #[arg(long, default_value = crate::voices::DEFAULT)]
    voice: VoiceId,

    /// Engine of the built-in voices: auto, learned or rules [default: learned, or the server's setting]
    #[arg(long, env = "SHRUTI_VOICE_ENGINE", value_name = "ENGINE", value_parser = values::voice_engine())]
    voice_engine: Option<VoiceEngine>,

    #[command(flatten)]
    data: DataDir,

    #[command(flatten)]
    remote: Remote,
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(folder) = &args.folder {
        ensure!(folder.is_dir(), "--folder {} is not a folder", folder.display());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = block_on(&runtime, serve(Tools::new(args)?));
    // a blocked read of standard input cannot be cancelled, so shutdown does not wait for it
    runtime.shutdown_background();
    outcome
}

/// Handles messages until the input ends, then waits for the running calls.
async fn serve(tools: Tools) -> anyhow::Result<()> {
    let mut lines = input::lines();
    let mut calls = JoinSet::new();
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    let mut is_open = true;
    while is_open || !calls.is_empty() {
        tokio::select! {
            line = lines.recv(), if is_open => match line {
                None => is_open = false,
                Some(Line::TooLong) => write(&protocol::too_long())?,
                Some(Line::Whole(line)) => match Message::read(&line) {
                    Message::Answered(answer) => write(&answer)?,
                    Message::Ignored => {}
                    Message::Cancelled(id) => {
                        if let Some(call) = running.remove(&id.to_string()) {
                            call.abort();
                        }
                    }
                    Message::Call(Call { id, .. }) if calls.len() >= MAX_CALLS => {
                        write(&protocol::error(&id, protocol::BUSY, "too many calls are running; try again"))?;
                    }
                    Message::Call(Call { id, name, arguments }) => {
                        let (tools, key) = (tools.clone(), id.to_string());
                        let call = async move { (id, tools.call(&name, arguments).await) };
                        running.insert(key, calls.spawn(call));
                    }
                },
            },
            Some(ended) = calls.join_next() => {
                // a cancelled call is not answered
                if let Ok((id, result)) = ended {
                    running.remove(&id.to_string());
                    write(&protocol::result(&id, &result))?;
                }
            }
        }
    }
    Ok(())
}

/// Writes a message. Blocks while the client does not read.
fn write(message: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{message}")?;
    Ok(out.flush()?)
}
