//! The `shruti chat` command, a demonstration of a conversation in the terminal.

mod keys;
mod playback;
mod progress;
mod screen;
mod script;
mod talk;
mod view;

use std::path::PathBuf;

use anyhow::bail;
use shruti_client::Client;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_protocol::stream::ConfigPatch;
use tokio::signal::unix::{SignalKind, signal};

use crate::data_dir::DataDir;
use crate::embedded::Embedded;
use crate::lexicon::Readings;
use crate::remote::{Remote, advise};
use crate::runtime::block_on;
use crate::values;
use keys::Keys;
use script::Turn;
use talk::Next;
use view::View;

/// Watch and hear a conversation: text is typed at the pace of a language model and spoken as it arrives
///
/// Highlighting shows which words have been heard, which word is being spoken, and which are still to come. Space or
/// Enter interrupts, like a caller who starts to speak (barge-in). The heard and unheard parts are then shown, and the
/// next turn follows. Press q to quit.
///
/// The command starts its own server; --server uses another one. Without an audio player, or with --mute, only the
/// audio level is drawn. Without a terminal, plain lines are printed, and --barge-in-after interrupts instead of a key.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Speak each line of this file as a turn, `-` for standard input [default: built-in dialogues]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    /// Language of the text or dialogues, by code or name: hi, ta-IN, bangla, मराठी
    #[arg(short, long, value_name = "LANG")]
    language: Option<Language>,

    /// Voice: Ananya, Arjun, or a voice of a pack
    #[arg(long, default_value = crate::voices::DEFAULT)]
    voice: VoiceId,

    /// Optimise the audio for the listening conditions: off, phone, or room (where other people talk)
    #[arg(long, default_value_t, value_name = "MODE", value_parser = values::clarity())]
    clarity: Clarity,

    /// Engine of the built-in voices: auto, learned or rules [default: learned, or the server's setting]
    #[arg(long, env = "SHRUTI_VOICE_ENGINE", value_name = "ENGINE", value_parser = values::voice_engine())]
    voice_engine: Option<VoiceEngine>,

    /// Typing speed, in tokens per second; a token is four characters
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = pace)]
    tokens_per_second: f64,

    /// Interrupt each turn after this many milliseconds of playback
    #[arg(long, value_name = "MS")]
    barge_in_after: Option<u64>,

    /// Play no audio; only draw the audio level
    #[arg(long)]
    mute: bool,

    #[command(flatten)]
    readings: Readings,

    #[command(flatten)]
    data: DataDir,

    #[command(flatten)]
    remote: Remote,
}

fn pace(argument: &str) -> Result<f64, String> {
    let pace = argument.parse().ok().filter(|pace: &f64| (0.1..=10_000.0).contains(pace));
    pace.ok_or_else(|| "must be from 0.1 to 10000".to_owned())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let turns = match &args.text {
        Some(path) => script::lines(path, args.language)?,
        None => script::dialogues(args.language)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = block_on(&runtime, chat(args, &turns));
    // the blocking read of key presses cannot be cancelled, so shutdown does not wait for it
    runtime.shutdown_background();
    outcome
}

async fn chat(args: &Args, turns: &[Turn]) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let (client, _embedded) = client(args).await?;
    // dropping `converse` drops the keys, so the terminal mode is restored on every exit
    tokio::select! {
        outcome = converse(client, args, turns) => outcome,
        _ = terminate.recv() => bail!("stopped by a signal"),
        _ = interrupt.recv() => bail!("stopped by a signal"),
        _ = hang_up.recv() => bail!("the terminal was closed"),
    }
}

/// Returns a client for the given server, or starts an embedded server and returns a client for it.
async fn client(args: &Args) -> anyhow::Result<(Client, Option<Embedded>)> {
    if args.remote.server().is_some() {
        return Ok((args.remote.client()?, None));
    }
    let embedded = Embedded::start(
        args.voice.clone(),
        args.voice_engine.unwrap_or_default(),
        args.data.path().to_owned(),
    )
    .await?;
    Ok((embedded.client.clone(), Some(embedded)))
}

async fn converse(client: Client, args: &Args, turns: &[Turn]) -> anyhow::Result<()> {
    let (voice, clarity) = (Some(args.voice.clone()), Some(Some(args.clarity)));
    let config = ConfigPatch { voice, clarity, engine: args.voice_engine, ..ConfigPatch::default() };
    let mut conversation = client.converse_with(config).await.map_err(advise)?;
    let mut keys = Keys::new()?;
    let mut view = View::new(keys.are_there());
    if keys.are_there() {
        view.line("space or Enter interrupts, q quits")?;
        view.line("")?;
    }
    for turn in turns {
        if talk::speak(&mut conversation, turn, args, &mut view, &mut keys).await? == Next::Quit {
            break;
        }
    }
    Ok(())
}

/// Returns the settings of a turn: its language, and the lexicon entries that apply to the turn.
fn config_of(turn: &Turn, args: &Args) -> anyhow::Result<ConfigPatch> {
    let lexicon = args.readings.for_server(turn.language)?;
    Ok(ConfigPatch { language: turn.language.map(Some), lexicon: Some(lexicon), ..ConfigPatch::default() })
}
