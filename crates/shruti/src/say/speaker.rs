//! Source of speech for a text: this process, or a server.

use shruti_client::{Client, LongText, Spoken};
use shruti_engine::Engine;
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::stream::{ConfigPatch, Timestamps};
use tokio::runtime::Handle;

use super::args::Args;
use super::local::LocalText;
use crate::packs;
use crate::remote::advise;

/// Source of speech for all texts of the command.
pub(super) enum Voice {
    Here(Box<Engine>),
    There(Client),
}

/// Source of speech for one text.
pub(super) enum Speaker<'a> {
    Here(Box<LocalText<'a>>),
    There(Box<LongText>),
}

impl Voice {
    pub(super) fn of(args: &Args, runtime: &Handle) -> anyhow::Result<Self> {
        if args.remote.server().is_some() {
            return Ok(Self::There(args.remote.client()?));
        }
        let engine =
            packs::engine_for(&args.voice, args.voice_engine.unwrap_or_default(), args.data.path(), runtime)?;
        Ok(Self::Here(Box::new(engine)))
    }

    /// Creates a speaker for a text of `chars` characters. If `chars` is `None`, the length is unknown.
    pub(super) async fn speaker(&self, args: &Args, chars: Option<usize>) -> anyhow::Result<Speaker<'_>> {
        Ok(match self {
            Self::Here(engine) => Speaker::Here(Box::new(LocalText::new(engine, args, is_short(chars))?)),
            Self::There(client) => {
                let long = LongText::connect(client.clone(), config(args)?).await.map_err(advise)?;
                Speaker::There(Box::new(if is_short(chars) { long.in_one_turn() } else { long }))
            }
        })
    }
}

impl Speaker<'_> {
    pub(super) fn takes_text(&self) -> bool {
        match self {
            Self::Here(text) => text.takes_text(),
            Self::There(text) => text.takes_text(),
        }
    }

    pub(super) fn push(&mut self, piece: &str) {
        match self {
            Self::Here(text) => text.push(piece),
            Self::There(text) => text.push(piece),
        }
    }

    pub(super) fn finish(&mut self) {
        match self {
            Self::Here(text) => text.finish(),
            Self::There(text) => text.finish(),
        }
    }

    pub(super) async fn next(&mut self) -> Option<anyhow::Result<Spoken>> {
        match self {
            Self::Here(text) => text.next().await,
            Self::There(text) => text.next().await.map(|spoken| spoken.map_err(advise)),
        }
    }

    pub(super) fn spoken_chars(&self) -> u64 {
        match self {
            Self::Here(text) => text.spoken_chars(),
            Self::There(text) => text.spoken_chars(),
        }
    }
}

/// Returns the settings of the conversation.
fn config(args: &Args) -> anyhow::Result<ConfigPatch> {
    Ok(ConfigPatch {
        voice: Some(args.voice.clone()),
        language: args.language.map(Some),
        speed: Some(f64::from(args.speed)),
        pitch: Some(f64::from(args.pitch)),
        clarity: Some(Some(args.clarity)),
        engine: args.voice_engine,
        lexicon: Some(args.readings.for_server(args.language)?),
        timestamps: Some(Timestamps::Word),
        // without pacing, because a player reads at its own speed
        max_lead_ms: Some(0),
        output_format: None,
    })
}

/// Returns whether a text of this length is spoken in one turn, like a single request.
fn is_short(chars: Option<usize>) -> bool {
    chars.is_some_and(|chars| chars <= MAX_TEXT_CHARS)
}
