//! Commands of Speech Dispatcher and their replies.

use std::fmt::Write;
use std::io::{self, BufRead};
use std::sync::Arc;

use shruti_lang::Language;
use shruti_screenreader::{Settings, Speaker};

use crate::config::Config;
use crate::key;
use crate::output::Output;
use crate::parameters::Parameters;
use crate::protocol::Reader;
use crate::speaking::Speaking;

/// Kind of a message, from the command that sends it.
#[derive(Clone, Copy, Debug)]
enum Message {
    Text,
    Character,
    Key,
    Spelled,
    SoundIcon,
}

/// State of the module between its start and the command `QUIT`.
pub(crate) struct Module {
    config: Config,
    output: Output,
    /// Speaker, created by the command `INIT`.
    speaker: Option<Arc<Speaker>>,
    parameters: Parameters,
    speaking: Option<Speaking>,
}

impl Module {
    pub(crate) fn new(config: Config, output: Output) -> Self {
        Self { config, output, speaker: None, parameters: Parameters::default(), speaking: None }
    }

    /// Runs commands until `QUIT` or the end of the input.
    pub(crate) fn run(mut self, mut input: Reader<impl BufRead>) -> anyhow::Result<()> {
        while let Some(line) = input.line()? {
            let command = line.trim_end();
            let (name, _) = command.split_once(' ').unwrap_or((command, ""));
            match (name, command) {
                ("INIT", _) => self.init()?,
                ("AUDIO", _) => self.audio(&mut input)?,
                ("LOGLEVEL", _) => {
                    self.output.line("207 OK RECEIVING LOGLEVEL SETTINGS")?;
                    input.settings()?;
                    self.output.line("203 OK LOGLEVEL SET")?;
                }
                ("DEBUG", "DEBUG OFF") => self.output.line("200 OK DEBUGGING OFF")?,
                // the module writes its errors to standard error, with or without debugging
                ("DEBUG", _) => self.output.line("200 OK DEBUGGING ON")?,
                ("LIST", "LIST VOICES") => self.list_voices()?,
                ("SET", _) => {
                    self.output.line("203 OK RECEIVING SETTINGS")?;
                    for (name, value) in input.settings()? {
                        self.parameters.set(&name, &value);
                    }
                    self.output.line("203 OK SETTINGS RECEIVED")?;
                }
                ("SPEAK", _) => self.speak(&mut input, Message::Text)?,
                ("CHAR", _) => self.speak(&mut input, Message::Character)?,
                ("KEY", _) => self.speak(&mut input, Message::Key)?,
                ("SPELL", _) => self.speak(&mut input, Message::Spelled)?,
                ("SOUND_ICON", _) => self.speak(&mut input, Message::SoundIcon)?,
                ("STOP", _) => {
                    if let Some(speaking) = &self.speaking {
                        speaking.stop();
                    }
                }
                ("PAUSE", _) => {
                    if let Some(speaking) = &self.speaking {
                        speaking.pause();
                    }
                }
                ("QUIT", _) => {
                    self.end_speaking()?;
                    self.output.line("210 OK QUIT")?;
                    return Ok(());
                }
                _ => self.output.line("300 ERR UNKNOWN COMMAND")?,
            }
        }
        self.end_speaking()?;
        Ok(())
    }

    fn init(&mut self) -> io::Result<()> {
        match Speaker::new(self.config.voice_engine) {
            Ok(speaker) => {
                let speaker = self.speaker.insert(Arc::new(speaker));
                // the language data loads in the background; a text that arrives earlier waits for it
                std::thread::spawn({
                    let speaker = Arc::clone(speaker);
                    move || speaker.warm_up()
                });
                self.output.line("299-Shruti is ready.\n299 OK LOADED SUCCESSFULLY")
            }
            Err(error) => self.output.line(&format!("399-{error}\n399 ERR CANT INIT MODULE")),
        }
    }

    fn audio(&mut self, input: &mut Reader<impl BufRead>) -> io::Result<()> {
        self.output.line("207 OK RECEIVING AUDIO SETTINGS")?;
        let settings = input.settings()?;
        let is_server =
            settings.iter().any(|(name, value)| name == "audio_output_method" && value == "server");
        self.output.line(if is_server {
            "203 OK AUDIO INITIALIZED"
        } else {
            "300-The module requires server-side audio (Speech Dispatcher 0.11 or later).\n300 MODULE ERROR"
        })
    }

    fn list_voices(&self) -> io::Result<()> {
        let Some(speaker) = &self.speaker else { return self.output.line("304 CANT LIST VOICES") };
        let mut list = String::new();
        for voice in speaker.voices().iter() {
            for language in voice.languages() {
                let _ = writeln!(list, "200-{}\t{}\tnone", voice.name(), language.code());
            }
        }
        self.output.line(&format!("{list}200 OK VOICE LIST SENT"))
    }

    fn speak(&mut self, input: &mut Reader<impl BufRead>, message: Message) -> io::Result<()> {
        self.output.line("202 OK RECEIVING MESSAGE")?;
        let text = input.text()?;
        if self.speaking.as_ref().is_some_and(Speaking::has_ended)
            && let Some(before) = self.speaking.take()
        {
            before.join()?;
        }
        let (Some(speaker), None) = (&self.speaker, &self.speaking) else {
            return self.output.line("301 ERROR CANT SPEAK");
        };
        let mut settings = self.parameters.settings(&self.config, speaker);
        let text = prepared(message, text, &mut settings);
        // the protocol requires this reply before the first event
        self.output.line("200 OK SPEAKING")?;
        self.speaking = Some(Speaking::begin(Arc::clone(speaker), text, settings, self.output.clone())?);
        Ok(())
    }

    fn end_speaking(&mut self) -> io::Result<()> {
        let Some(speaking) = self.speaking.take() else { return Ok(()) };
        speaking.stop();
        speaking.join()
    }
}

/// Returns the text to read for a message, and adjusts the settings for it.
fn prepared(message: Message, text: String, settings: &mut Settings) -> String {
    let line = || text.trim_matches(['\r', '\n']);
    match message {
        Message::Text => text,
        // Speech Dispatcher may send the name of a character instead of the character; a name is not spelled
        Message::Character => {
            settings.verbosity.spelling = line().chars().count() == 1;
            line().to_owned()
        }
        Message::Spelled => {
            settings.verbosity.spelling = true;
            text
        }
        Message::Key => {
            settings.verbosity.spelling = false;
            key::ssml(line(), settings.language.unwrap_or(Language::English))
        }
        Message::SoundIcon => {
            settings.verbosity.spelling = false;
            line().replace(['_', '-'], " ")
        }
    }
}
