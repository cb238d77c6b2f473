//! Texts to speak, in pieces like the tokens of a language model.

use std::time::Duration;

use anyhow::Context;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::stream::{ClientMessage, ConfigPatch, Text};
use shruti_text::{Reader, Settings};
use shruti_voice::Voice;

/// Texts, one per line, each preceded by its language code and a tab.
const TEXTS: &str = include_str!("texts.tsv");
/// Length of a piece, in characters: about one token in these scripts.
const PIECE_CHARS: usize = 4;
/// Interval between pieces, for a model that generates 40 tokens per second.
pub(super) const PIECE_EVERY: Duration = Duration::from_millis(25);
/// Approximate duration of the speech for one character. Only the schedule depends on this value.
const PER_CHAR: Duration = Duration::from_millis(70);

/// Text of a turn, shared by all conversations.
#[derive(Debug)]
pub(super) struct Script {
    language: Language,
    voice: VoiceId,
    /// Pieces of the text. They are sent at intervals of [`PIECE_EVERY`].
    pub(super) pieces: Vec<String>,
    /// Index of the piece that completes the first words that can be spoken. A server waits for the end of a clause.
    pub(super) speakable: usize,
    /// Approximate duration of the speech.
    pub(super) lasts: Duration,
}

impl Script {
    fn new(language: Language, voice: VoiceId, text: &str) -> Self {
        let pieces = pieces(text);
        let speakable = speakable(language, &pieces);
        Self { language, voice, pieces, speakable, lasts: PER_CHAR * text.chars().count() as u32 }
    }

    /// Returns the message that sends a piece. The message of the last piece also ends the turn.
    pub(super) fn message(&self, turn: &str, piece: usize) -> ClientMessage {
        let config = if piece == 0 {
            ConfigPatch {
                voice: Some(self.voice.clone()),
                language: Some(Some(self.language)),
                ..ConfigPatch::default()
            }
        } else {
            ConfigPatch::default()
        };
        let text = self.pieces[piece].clone();
        let last = piece + 1 == self.pieces.len();
        ClientMessage::Text(Text { text, turn_id: Some(turn.to_owned()), last, config, ..Text::default() })
    }
}

/// Voices and languages of a run. If no voices are given, both built-in voices are used; if no languages are given, all
/// languages that have texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Cast {
    pub(super) voices: Vec<VoiceId>,
    pub(super) languages: Vec<Language>,
}

impl Cast {
    /// Returns one script for each combination of a voice and a text in the chosen languages.
    pub(super) fn scripts(&self) -> anyhow::Result<Vec<Script>> {
        let built_in = || Voice::ALL.iter().map(|voice| voice.name().into()).collect();
        let voices: Vec<VoiceId> = if self.voices.is_empty() { built_in() } else { self.voices.clone() };
        let is_spoken = |language: Language| self.languages.is_empty() || self.languages.contains(&language);
        let mut scripts = Vec::new();
        for (language, text) in texts()?.into_iter().filter(|(language, _)| is_spoken(*language)) {
            scripts.extend(voices.iter().map(|voice| Script::new(language, voice.clone(), text)));
        }
        Ok(scripts)
    }
}

fn texts() -> anyhow::Result<Vec<(Language, &'static str)>> {
    let lines = TEXTS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (language, text) = line.split_once('\t').context("a line without a language")?;
            Ok((language.parse().ok().context("an unknown language")?, text))
        })
        .collect()
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

/// Returns the index of the piece that completes the first words that the text reader can speak.
fn speakable(language: Language, pieces: &[String]) -> usize {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    let found = pieces.iter().position(|piece| {
        reader.push(piece);
        reader.next_utterance().is_some()
    });
    found.unwrap_or(pieces.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_spoken() {
        let texts = texts().unwrap();
        for language in Language::FINISHED {
            assert_eq!(texts.iter().filter(|(found, _)| *found == language).count(), 2, "{language:?}");
        }
        assert_eq!(Cast::default().scripts().unwrap().len(), 2 * texts.len());
        let cast = Cast { voices: vec!["Padmavathi".into()], languages: vec![Language::Telugu] };
        let scripts = cast.scripts().unwrap();
        assert_eq!(scripts.len(), 2);
        assert!(
            scripts.iter().all(|script| script.voice == "Padmavathi" && script.language == Language::Telugu)
        );
    }

    /// Checks that the player never waits for text. Otherwise, the wait would count as a fault of the server.
    #[test]
    fn text_arrives_before_it_is_spoken() {
        const FASTEST: Duration = Duration::from_millis(40);
        for (language, text) in texts().unwrap() {
            let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
            let mut spoken_until = None;
            let (mut sent, mut spoken) = (0, 0);
            let pieces = pieces(text);
            for (place, piece) in pieces.iter().enumerate() {
                sent += piece.chars().count();
                reader.push(piece);
                if place + 1 == pieces.len() {
                    reader.finish();
                }
                let now = PIECE_EVERY * place as u32;
                while reader.next_utterance().is_some() {
                    assert!(spoken_until.is_none_or(|until| now < until), "{text}: an underrun at {now:?}");
                    // the reader completes an utterance when the piece after its end arrives, so all text sent so
                    // far counts as spoken
                    let length = FASTEST * (sent - spoken) as u32;
                    spoken = sent;
                    spoken_until = Some(spoken_until.unwrap_or(now) + length);
                }
            }
            assert!(sent > 0 && spoken == sent, "{text}");
        }
    }

    #[test]
    fn the_first_words_can_be_spoken_before_the_text_is_complete() {
        for script in Cast::default().scripts().unwrap() {
            assert!(
                script.speakable > 0 && script.speakable < script.pieces.len() / 2,
                "{}",
                script.speakable
            );
        }
    }
}
