//! Configuration file, in the syntax of Speech Dispatcher: a name, white space and a value, optionally in quotation
//! marks.

use std::path::Path;

use anyhow::{Context, bail};
use shruti_lang::VoiceEngine;
use shruti_screenreader::RATE;

/// Options of the configuration file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) voice_engine: VoiceEngine,
    pub(crate) default_voice: Option<String>,
    pub(crate) max_rate: f32,
}

impl Default for Config {
    fn default() -> Self {
        Self { voice_engine: VoiceEngine::Rules, default_voice: None, max_rate: *RATE.end() }
    }
}

impl Config {
    /// Reads a configuration file. Returns the defaults if the file does not exist.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).with_context(|| path.display().to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut config = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let value = value.trim().trim_matches('"');
            let place = || format!("line {number}");
            match name {
                "ShrutiVoiceEngine" => config.voice_engine = value.parse().with_context(place)?,
                "ShrutiDefaultVoice" => config.default_voice = Some(value.to_owned()),
                "ShrutiMaxRate" => {
                    config.max_rate = value.parse().with_context(place)?;
                    if !(1.0..=*RATE.end()).contains(&config.max_rate) {
                        bail!("line {number}: ShrutiMaxRate is outside the range from 1.0 to 6.0");
                    }
                }
                // Speech Dispatcher defines this option for all modules; it has no effect here
                "Debug" => {}
                _ => bail!("line {number}: unknown option '{name}'"),
            }
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_file_contains_the_defaults() {
        let text = include_str!("../shruti.conf");
        assert_eq!(Config::parse(text).unwrap(), Config::default());
        let shown: String = text
            .lines()
            .map(|line| line.strip_prefix("#Shruti").map_or(String::new(), |rest| format!("Shruti{rest}\n")))
            .collect();
        let shown = Config::parse(&shown).unwrap();
        assert_eq!(shown, Config { default_voice: Some("Ananya".to_owned()), ..Config::default() });
    }

    #[test]
    fn invalid_lines_are_named() {
        for (text, wanted) in [
            ("# a\nShrutiMaxRate 9", "line 2: ShrutiMaxRate"),
            ("ShrutiVoiceEngine \"loud\"", "line 1"),
            ("Volume 3", "line 1: unknown option 'Volume'"),
        ] {
            let error = format!("{:#}", Config::parse(text).unwrap_err());
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}
