//! Interactive display of one turn: its text is typed, its audio is played, words are highlighted, and the user may
//! interrupt.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::bail;
use shruti_client::{Cancelled, Conversation, Event};
use shruti_protocol::stream::{CancelState, ConfigPatch, Text, WordTime};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::keys::{Key, Keys};
use super::playback::Playback;
use super::progress::Progress;
use super::script::{self, Turn};
use super::view::{Ending, Frame, View};
use super::{Args, config_of};
use crate::remote::advise;

/// Time between two redraws.
const FRAME: Duration = Duration::from_millis(33);

/// Action that follows a turn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Quit,
}

/// Turn that is being spoken.
struct Live<'a> {
    conversation: &'a mut Conversation,
    name: Option<String>,
    /// Whole text of the turn: the text `typed` so far, followed by the remaining `tokens`.
    text: &'a str,
    tokens: VecDeque<String>,
    typed: String,
    marks: Vec<WordTime>,
    playback: Playback,
    began: Instant,
    first_sound: Option<Duration>,
    /// Whether all audio has been received.
    is_done: bool,
}

/// Speaks and displays a turn until the turn ends, the turn is interrupted, or the user quits.
pub(crate) async fn speak(
    conversation: &mut Conversation,
    turn: &Turn,
    args: &Args,
    view: &mut View,
    keys: &mut Keys,
) -> anyhow::Result<Next> {
    view.begin(turn, &args.voice)?;
    let mut live = Live {
        conversation,
        name: None,
        text: &turn.reply,
        tokens: script::tokens(&turn.reply).into(),
        typed: String::new(),
        marks: Vec::new(),
        playback: Playback::new(args.mute),
        began: Instant::now(),
        first_sound: None,
        is_done: false,
    };
    let barge_in_after = args.barge_in_after.map(Duration::from_millis);
    let between_tokens = Duration::from_secs_f64(1.0 / args.tokens_per_second);
    let mut typed = 0;
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        // the due time is computed from the beginning of the turn, so that delays do not accumulate
        let due = live.began + between_tokens * typed;
        tokio::select! {
            key = keys.next() => match key? {
                Key::BargeIn => return live.barge_in(view).await,
                Key::Quit => {
                    live.playback.stop();
                    view.end(&live.frame(), &Ending::Left)?;
                    return Ok(Next::Quit);
                }
            },
            () = sleep_until(due), if !live.tokens.is_empty() => {
                typed += 1;
                live.type_token(turn, args).await?;
            }
            event = live.conversation.next() => match event {
                Some(event) => live.hear(event.map_err(advise)?, view)?,
                None => bail!("the server ended the conversation"),
            },
            _ = frames.tick() => {
                live.playback.advance(live.began.elapsed());
                if barge_in_after.is_some_and(|after| live.playback.position() >= after) {
                    return live.barge_in(view).await;
                }
                view.draw(&live.frame())?;
                if live.is_done && live.playback.is_finished() {
                    live.playback.finish();
                    view.end(&live.frame(), &Ending::Complete)?;
                    return Ok(Next::GoOn);
                }
            }
        }
    }
}

impl Live<'_> {
    async fn type_token(&mut self, turn: &Turn, args: &Args) -> anyhow::Result<()> {
        let Some(token) = self.tokens.pop_front() else { return Ok(()) };
        self.typed += &token;
        let last = self.tokens.is_empty();
        // only the first message of a turn can carry its settings
        let config = if self.name.is_none() { config_of(turn, args)? } else { ConfigPatch::default() };
        let text = Text { text: token, turn_id: self.name.clone(), last, config, ..Text::default() };
        self.name = Some(self.conversation.begin_with(text).await.map_err(advise)?);
        Ok(())
    }

    fn hear(&mut self, event: Event, view: &mut View) -> anyhow::Result<()> {
        match event {
            Event::Audio { samples, .. } => {
                self.first_sound.get_or_insert_with(|| self.began.elapsed());
                self.playback.push(&samples);
            }
            Event::Words(words) => self.marks.extend(words.words),
            Event::Done(done) => self.is_done = self.name.as_ref() == Some(&done.turn),
            Event::Lost(lost) => {
                view.line("")?;
                view.line(&format!("the connection was lost during the turn: {}", lost.cause))?;
                self.tokens.clear();
                self.is_done = true;
            }
            Event::Failed(failed) => bail!("{} ({})", failed.error.message, failed.error.code),
            Event::Rejected { error, .. } => bail!("{} ({})", error.message, error.code),
            Event::Warning { message, .. } => view.line(&message)?,
            Event::Started { .. }
            | Event::Flushed { .. }
            | Event::Cancelled(_)
            | Event::Reconnected
            | Event::Config(_) => {}
        }
        Ok(())
    }

    fn frame(&self) -> Frame<'_> {
        let position = self.playback.position();
        Frame {
            typed: &self.typed,
            progress: Progress::at(&self.marks, position.as_millis()),
            position,
            level: self.playback.level(),
            is_played: self.playback.is_played(),
            first_sound: self.first_sound,
        }
    }

    /// Handles a barge-in: stops playback immediately and asks the server which part of the text was heard.
    async fn barge_in(&mut self, view: &mut View) -> anyhow::Result<Next> {
        self.playback.stop();
        let played = self.playback.position();
        let heard = match self.name {
            Some(_) => {
                let cancelled = self.conversation.barge_in(Some(played)).await.map_err(advise)?;
                self.heard_by(&cancelled)
            }
            None => 0,
        };
        let place = self.text.char_indices().nth(heard).map_or(self.text.len(), |(place, _)| place);
        let (heard, unheard) = self.text.split_at(place);
        let ending = Ending::Cut { played, heard: heard.to_owned(), unheard: unheard.to_owned() };
        view.end(&self.frame(), &ending)?;
        Ok(Next::GoOn)
    }

    /// Returns the number of characters that were heard, according to the server's response or, if the server no longer
    /// knows the turn, to the word timestamps.
    fn heard_by(&self, cancelled: &Cancelled) -> usize {
        if cancelled.state == CancelState::Unknown || cancelled.turn != self.name {
            return Progress::at(&self.marks, self.playback.position().as_millis()).heard;
        }
        cancelled.heard.char_end as usize
    }
}
