//! Tests of the module as a process: commands on its standard input, replies and events on its standard output.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Module {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Line of output, or the samples of an audio event.
#[derive(Debug, PartialEq)]
enum Line {
    Text(String),
    Audio(Vec<i16>),
}

impl Module {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sd_shruti"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut module = Self { child, input, output: BufReader::new(output) };
        module.send("INIT\n");
        assert_eq!(module.reply(), ["299-Shruti is ready.", "299 OK LOADED SUCCESSFULLY"]);
        module.send("AUDIO\naudio_output_method=server\n.\n");
        assert_eq!(module.reply(), ["207 OK RECEIVING AUDIO SETTINGS"]);
        assert_eq!(module.reply(), ["203 OK AUDIO INITIALIZED"]);
        module
    }

    fn send(&mut self, commands: &str) {
        self.input.write_all(commands.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).unwrap();
        assert_eq!(line.pop(), Some(b'\n'), "the module has ended");
        line
    }

    /// Returns the next line, or the next audio event with all its lines.
    fn next(&mut self) -> Line {
        let line = String::from_utf8(self.bytes()).unwrap();
        if !line.starts_with("705-") {
            return Line::Text(line);
        }
        assert_eq!(line, "705-bits=16");
        assert_eq!(self.bytes(), b"705-num_channels=1");
        assert_eq!(self.bytes(), b"705-sample_rate=24000");
        let count = String::from_utf8(self.bytes()).unwrap();
        let count: usize = count.strip_prefix("705-num_samples=").unwrap().parse().unwrap();
        assert_eq!(self.bytes(), b"705-big_endian=0");
        let data = self.bytes();
        let mut data = data.strip_prefix(b"705-AUDIO\0").unwrap().iter();
        let mut sound = Vec::new();
        while let Some(&byte) = data.next() {
            sound.push(if byte == 0x7d { data.next().unwrap() ^ 0x20 } else { byte });
        }
        assert_eq!(sound.len(), 2 * count);
        assert_eq!(self.bytes(), b"705 AUDIO");
        Line::Audio(sound.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    /// Returns the lines of the next reply or event.
    fn reply(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Line::Text(line) = self.next() else { continue };
            let ends = line.as_bytes().get(3) == Some(&b' ');
            lines.push(line);
            if ends {
                return lines;
            }
        }
    }

    /// Speaks a message. Returns the events from `BEGIN` to the last event, and the samples.
    fn speak(&mut self, command: &str, text: &str) -> (Vec<String>, Vec<i16>) {
        self.begin(command, text);
        self.rest()
    }

    fn begin(&mut self, command: &str, text: &str) {
        self.send(&format!("{command}\n{text}\n.\n"));
        assert_eq!(self.reply(), ["202 OK RECEIVING MESSAGE"]);
        assert_eq!(self.reply(), ["200 OK SPEAKING"]);
    }

    fn rest(&mut self) -> (Vec<String>, Vec<i16>) {
        let (mut events, mut sound) = (Vec::new(), Vec::new());
        loop {
            match self.next() {
                Line::Audio(samples) => sound.extend(samples),
                Line::Text(line) => {
                    let ends = ["702", "703", "704"].iter().any(|code| line.starts_with(code));
                    events.push(line);
                    if ends {
                        return (events, sound);
                    }
                }
            }
        }
    }

    fn set(&mut self, settings: &str) {
        self.send(&format!("SET\n{settings}\n.\n"));
        assert_eq!(self.reply(), ["203 OK RECEIVING SETTINGS"]);
        assert_eq!(self.reply(), ["203 OK SETTINGS RECEIVED"]);
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // if a test fails, the process is still running
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const MARKED: &str = "<speak><mark name=\"0:4\"/>One two, <mark name=\"__spd_0\"/>three four, \
                      <mark name=\"__spd_1\"/>five six.</speak>";

#[test]
fn texts_are_spoken_with_their_marks() {
    let mut module = Module::start();
    module.set("language=en\nrate=0");
    let (events, sound) = module.speak("SPEAK", MARKED);
    let expected = [
        "701 BEGIN",
        "700-0:4",
        "700 INDEX MARK",
        "700-__spd_0",
        "700 INDEX MARK",
        "700-__spd_1",
        "700 INDEX MARK",
        "702 END",
    ];
    assert_eq!(events, expected);
    assert!(sound.iter().any(|sample| sample.unsigned_abs() > 1_000));
    module.set("rate=100");
    let (_, fast) = module.speak("SPEAK", MARKED);
    assert!(fast.len() * 4 < sound.len(), "{} and {} samples", fast.len(), sound.len());
    module.send("QUIT\n");
    assert_eq!(module.reply(), ["210 OK QUIT"]);
    assert!(module.child.wait().unwrap().success());
}

#[test]
fn a_stop_ends_a_text() {
    let mut module = Module::start();
    module.set("language=en");
    let long = "Some words that go on. ".repeat(3_000);
    module.begin("SPEAK", &long);
    while !matches!(module.next(), Line::Audio(_)) {}
    module.send("STOP\n");
    let (events, _) = module.rest();
    assert_eq!(events, ["703 STOP"]);
    // these commands have no reply, and here there is no message that they could stop
    module.send("STOP\nPAUSE\n");
    let (events, sound) = module.speak("SPEAK", "Hello");
    assert_eq!((events.first().unwrap().as_str(), events.last().unwrap().as_str()), ("701 BEGIN", "702 END"));
    assert!(!sound.is_empty());
}

#[test]
fn a_pause_ends_a_text_at_a_mark() {
    let mut module = Module::start();
    module.set("language=en");
    let sentence = |number| format!("<mark name=\"__spd_{number}\"/>Some words that go on for a while. ");
    let long: String = (0..1_000).map(sentence).collect();
    module.begin("SPEAK", &format!("<speak>{long}</speak>"));
    while !matches!(module.next(), Line::Audio(_)) {}
    module.send("PAUSE\n");
    let (events, _) = module.rest();
    let [.., mark, _, last] = events.as_slice() else { panic!("{events:?}") };
    assert!(mark.starts_with("700-__spd_"), "{mark}");
    assert_eq!(last, "704 PAUSE");
}

#[test]
fn characters_keys_and_icons_are_spoken() {
    let mut module = Module::start();
    module.set("language=en");
    let mut lengths = Vec::new();
    for (command, text) in [
        ("CHAR", ","),
        ("CHAR", "a"),
        ("CHAR", "क"),
        ("KEY", "control_a"),
        ("KEY", "_"),
        ("SOUND_ICON", "new-mail"),
        ("SPELL", "abc"),
    ] {
        let (events, sound) = module.speak(command, text);
        assert_eq!(events, ["701 BEGIN", "702 END"], "{command} {text}");
        assert!(sound.iter().any(|sample| sample.unsigned_abs() > 500), "{command} {text}");
        lengths.push(sound.len());
    }
    assert!(lengths[3] > lengths[1], "the modifier is spoken");
    // only the character was spelled; later texts are not spelled
    let (_, word) = module.speak("SPEAK", "abc");
    module.set("spelling_mode=on");
    let (_, spelled) = module.speak("SPEAK", "abc");
    assert!(spelled.len() > word.len());
}

#[test]
fn parameters_change_the_sound() {
    let mut module = Module::start();
    module.set("language=en\nvoice=female1");
    let (_, female) = module.speak("SPEAK", "Hello");
    module.set("voice=male1");
    let (_, male) = module.speak("SPEAK", "Hello");
    assert_ne!(female, male);
    module.set("synthesis_voice=Ananya\nvolume=-100");
    let (_, silent) = module.speak("SPEAK", "Hello");
    assert!(silent.iter().all(|&sample| sample == 0));
    module.set("volume=100\npunctuation_mode=all");
    let (_, named) = module.speak("SPEAK", "Hello, you");
    module.set("punctuation_mode=none");
    let (_, plain) = module.speak("SPEAK", "Hello, you");
    assert!(named.len() > plain.len());
}

#[test]
fn other_commands_have_replies() {
    let mut module = Module::start();
    module.send("LIST VOICES\n");
    let list = module.reply();
    assert!(
        list.contains(&"200-Ananya\thi\tnone".to_owned()) && list.contains(&"200-Arjun\tor\tnone".to_owned()),
        "{list:?}"
    );
    assert_eq!(list.last().unwrap(), "200 OK VOICE LIST SENT");
    module.send("LOGLEVEL\nlog_level=3\n.\n");
    assert_eq!(module.reply(), ["207 OK RECEIVING LOGLEVEL SETTINGS"]);
    assert_eq!(module.reply(), ["203 OK LOGLEVEL SET"]);
    module.send("DEBUG OFF \nNONSENSE\n");
    assert_eq!(module.reply(), ["200 OK DEBUGGING OFF"]);
    assert_eq!(module.reply(), ["300 ERR UNKNOWN COMMAND"]);
    module.send("AUDIO\naudio_output_method=pulse\n.\n");
    assert_eq!(module.reply(), ["207 OK RECEIVING AUDIO SETTINGS"]);
    assert_eq!(module.reply().last().unwrap(), "300 MODULE ERROR");
}

#[test]
fn a_second_message_waits_for_the_end_of_the_first() {
    let mut module = Module::start();
    module.begin("SPEAK", &"Some words that go on. ".repeat(3_000));
    while !matches!(module.next(), Line::Audio(_)) {}
    module.send("SPEAK\nHello\n.\n");
    assert_eq!(module.reply(), ["202 OK RECEIVING MESSAGE"]);
    assert_eq!(module.reply(), ["301 ERROR CANT SPEAK"]);
    module.send("STOP\n");
    assert_eq!(module.rest().0, ["703 STOP"]);
    // messages in quick succession: each is sent as soon as the last event of the previous message has been read
    for _ in 0..50 {
        assert_eq!(module.speak("SPEAK", "a").0, ["701 BEGIN", "702 END"]);
    }
}
