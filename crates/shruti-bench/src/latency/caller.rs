//! Single timed calls, over HTTP and in a conversation.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Deserialize;
use shruti_audio::has_audible;
use shruti_client::{Client, Frame, Prepared, Wire};
use shruti_lang::{Language, VoiceId};
use shruti_protocol::SynthesisRequest;
use shruti_protocol::stream::{Cancel, ClientMessage, ConfigPatch, Text};

/// Requests a clip and reads it to its end. Returns the time from the request to the first audible sample.
pub(super) async fn clip(client: &Client, request: &SynthesisRequest) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut clip = client.speak(request).await?;
    let mut first_audio = None;
    while let Some(samples) = clip.next().await {
        if first_audio.is_none() && has_audible(&samples?) {
            first_audio = Some(begun.elapsed());
        }
    }
    first_audio.context("the clip contains no audible sample")
}

/// Sends `GET /healthz`, the smallest request, and returns the time until its response.
pub(super) async fn healthz(client: &Client) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    client.get("/healthz").await?;
    Ok(begun.elapsed())
}

/// Open conversation, with the messages of a measurement already serialised.
pub(super) struct Turns {
    wire: Wire,
    turn: Prepared,
    cancel: Prepared,
    ping: Prepared,
}

/// Times of a turn that is cancelled as soon as its speech is audible.
pub(super) struct Spoken {
    /// Time from the text to the first audible sample.
    pub(super) first_audio: Duration,
    /// Time from the cancel to the response.
    pub(super) cancel: Duration,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
}

impl Turns {
    pub(super) async fn open(
        client: &Client,
        text: &str,
        language: Language,
        voice: &VoiceId,
    ) -> anyhow::Result<Self> {
        let config = ConfigPatch {
            voice: Some(voice.clone()),
            language: Some(Some(language)),
            ..ConfigPatch::default()
        };
        let turn = Text { text: text.to_owned(), last: true, config, ..Text::default() };
        let cancel = Cancel { all: true, ..Cancel::default() };
        Ok(Self {
            wire: client.wire().await?,
            turn: Prepared::new(&ClientMessage::Text(turn))?,
            cancel: Prepared::new(&ClientMessage::Cancel(cancel))?,
            ping: Prepared::new(&ClientMessage::Ping { id: None })?,
        })
    }

    /// Sends a `ping`, the smallest message, and returns the time until the response.
    pub(super) async fn ping(&mut self) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        self.wire.send(&self.ping).await?;
        self.answered("pong").await?;
        Ok(begun.elapsed())
    }

    pub(super) async fn speak(&mut self) -> anyhow::Result<Spoken> {
        let begun = Instant::now();
        self.wire.send(&self.turn).await?;
        let first_audio = loop {
            match self.frame().await? {
                Frame::Audio(samples) if has_audible(&samples) => break begun.elapsed(),
                Frame::Message(message) if kind(&message)? == "turn.failed" => bail!("a turn failed"),
                _ => {}
            }
        };
        let cancelled = Instant::now();
        self.wire.send(&self.cancel).await?;
        self.answered("turn.cancelled").await?;
        Ok(Spoken { first_audio, cancel: cancelled.elapsed() })
    }

    /// Waits for a message of the given type. Fails if an `error` or `turn.failed` message arrives first.
    async fn answered(&mut self, wanted: &str) -> anyhow::Result<()> {
        loop {
            if let Frame::Message(message) = self.frame().await? {
                match kind(&message)? {
                    found if found == wanted => return Ok(()),
                    "error" | "turn.failed" => bail!("the server rejected a basic request"),
                    _ => {}
                }
            }
        }
    }

    async fn frame(&mut self) -> anyhow::Result<Frame> {
        Ok(self.wire.next().await.context("the conversation ended")??)
    }
}

fn kind(message: &[u8]) -> anyhow::Result<&str> {
    Ok(serde_json::from_slice::<Kind<'_>>(message)?.kind)
}
