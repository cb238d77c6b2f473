//! Turns to speak: the built-in dialogues, or the lines of a text.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::Deserialize;
use shruti_lang::Language;

/// Turn of the conversation.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Turn {
    /// Language; auto-detected if `None`.
    pub(crate) language: Option<Language>,
    /// Words of the caller before this turn, if known.
    pub(crate) caller: Option<String>,
    /// Text to speak.
    pub(crate) reply: String,
}

#[derive(Deserialize)]
struct Dialogues {
    turn: Vec<Turn>,
}

/// Returns the turns of the built-in dialogues in a language, or in all languages if `language` is `None`.
pub(crate) fn dialogues(language: Option<Language>) -> anyhow::Result<Vec<Turn>> {
    let dialogues: Dialogues =
        toml::from_str(include_str!("../../data/dialogues.toml")).context("built-in dialogues")?;
    let is_wanted = |turn: &Turn| language.is_none() || turn.language == language;
    Ok(dialogues.turn.into_iter().filter(is_wanted).collect())
}

/// Returns a turn for each line of a file, or of standard input if the path is `-`.
pub(crate) fn lines(path: &Path, language: Option<Language>) -> anyhow::Result<Vec<Turn>> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("standard input is not UTF-8 text")?;
    } else {
        text = std::fs::read_to_string(path).with_context(|| format!("--text {}", path.display()))?;
    }
    let turns: Vec<Turn> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| Turn { language, caller: None, reply: line.replace(char::is_control, " ") })
        .collect();
    ensure!(!turns.is_empty(), "--text {} contains no text to speak", path.display());
    Ok(turns)
}

/// Cuts a text into pieces about as long as a model's tokens: four characters each, regardless of word boundaries.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    const CHARACTERS: usize = 4;
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(CHARACTERS).map(|token| token.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_dialogue_in_its_script() {
        assert!(dialogues(None).unwrap().len() >= Language::ALL.len());
        for language in Language::ALL {
            let turns = dialogues(Some(language)).unwrap();
            assert!(!turns.is_empty(), "{language}");
            for turn in turns {
                assert!(turn.caller.is_some() && tokens(&turn.reply).concat() == turn.reply);
            }
        }
    }

    #[test]
    fn each_line_of_a_file_is_a_turn() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "one\n\n two\x1b[2J \r\n").unwrap();
        let turns = lines(file.path(), None).unwrap();
        let replies: Vec<&str> = turns.iter().map(|turn| turn.reply.as_str()).collect();
        assert_eq!(replies, ["one", "two [2J"], "terminal control characters are removed");
        std::fs::write(file.path(), "\n").unwrap();
        assert!(lines(file.path(), None).unwrap_err().to_string().contains("no text to speak"));
    }
}
