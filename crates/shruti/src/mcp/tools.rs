//! Tools that an assistant can call.

use std::fs::OpenOptions;
use std::io::{BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use shruti_audio::Format;
use shruti_audio::wav::WavWriter;
use shruti_client::{Client, Clip};
use shruti_lang::{Language, SAMPLE_RATE, VoiceId};
use shruti_protocol::limits::{MAX_TEXT_CHARS, SPEED};
use shruti_protocol::{Normalization, SynthesisRequest, VoiceList};
use tokio::sync::OnceCell;

use super::Args;
use crate::embedded::Embedded;
use crate::remote::advise;

/// Maximum duration of speech that is returned as audio, in seconds: 2.9 MB of WAV, 3.8 MB in base64.
const MAX_INLINE_S: usize = 60;
/// Maximum number of file names to try.
const MAX_FILES: u32 = 100_000;

/// Names of the tools.
pub(super) const NAMES: [&str; 3] = ["speak", "list_voices", "explain_pronunciation"];

/// Returns the tool definitions for `tools/list`.
pub(super) fn list() -> Value {
    let text = |what: &str| json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT_CHARS, "description": what});
    let language = json!({
        "type": "string",
        "enum": Language::ALL.map(Language::code),
        "description": "The language of the text; detected from the text if absent.",
    });
    json!([
        {
            "name": "speak",
            "title": "Speak a text",
            "description": "Speaks a text, and saves the speech as a WAV file or returns it as audio. Numbers, \
                            amounts, dates and abbreviations are read out as a person would say them.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "text": text("The text, in the script of its language or in Latin letters."),
                    "voice": {"type": "string", "description": "A voice name from list_voices: Ananya (female), \
                                                                Arjun (male)."},
                    "language": language,
                    "speed": {"type": "number", "minimum": SPEED.start(), "maximum": SPEED.end(),
                        "description": "Speaking rate; 1 is the voice's normal rate."},
                },
                "required": ["text"],
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
        },
        {
            "name": "list_voices",
            "title": "List the voices",
            "description": "Lists the voices and the languages that each voice speaks.",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        },
        {
            "name": "explain_pronunciation",
            "title": "Explain how a text is read",
            "description": "Returns how a text would be read, token by token: the kind of each token, the words it \
                            is spoken as, and their phonemes in IPA. Nothing is spoken.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": text("The text."), "language": language},
                "required": ["text"],
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        },
    ])
}

/// State shared by all calls. It is cheap to clone.
#[derive(Clone)]
pub(super) struct Tools {
    args: Arc<Args>,
    server: Arc<OnceCell<Server>>,
}

/// Server that synthesises the speech: a running server or an embedded one.
enum Server {
    Running(Client),
    Own(Embedded),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speak {
    text: String,
    voice: Option<VoiceId>,
    language: Option<String>,
    speed: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListVoices {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explain {
    text: String,
    language: Option<String>,
}

impl Tools {
    pub(super) fn new(args: Args) -> anyhow::Result<Self> {
        let server = match args.remote.server() {
            Some(_) => OnceCell::new_with(Some(Server::Running(args.remote.client()?))),
            // the embedded server starts on first use, because starting takes a moment and clients do not wait long
            // for the first response
            None => OnceCell::new(),
        };
        Ok(Self { args: Arc::new(args), server: Arc::new(server) })
    }

    /// Calls a tool. An error is returned as a tool result, so that the assistant can correct the call.
    pub(super) async fn call(&self, name: &str, arguments: Map<String, Value>) -> Value {
        let called = match name {
            "speak" => self.speak(arguments).await,
            "list_voices" => self.list_voices(arguments).await,
            _ => self.explain(arguments).await,
        };
        called.unwrap_or_else(
            |error| json!({"content": [{"type": "text", "text": format!("{error:#}")}], "isError": true}),
        )
    }

    async fn client(&self) -> anyhow::Result<&Client> {
        let start = || async {
            let Args { voice, voice_engine, data, .. } = &*self.args;
            let started =
                Embedded::start(voice.clone(), voice_engine.unwrap_or_default(), data.path().to_owned());
            anyhow::Ok(Server::Own(started.await?))
        };
        Ok(match self.server.get_or_try_init(start).await? {
            Server::Running(client) => client,
            Server::Own(embedded) => &embedded.client,
        })
    }

    async fn speak(&self, arguments: Map<String, Value>) -> anyhow::Result<Value> {
        let Speak { text, voice, language, speed } = read(arguments)?;
        let request = SynthesisRequest {
            voice: Some(voice.unwrap_or_else(|| self.args.voice.clone())),
            language: language.as_deref().map(language_of).transpose()?,
            speed: speed.unwrap_or(1.0),
            engine: self.args.voice_engine,
            ..SynthesisRequest::new(text)
        };
        let clip = self.client().await?.speak(&request).await.map_err(advise)?;
        let (voice, language) = (clip.voice.clone(), clip.language);
        let description = |samples: usize| {
            let voice = voice.as_ref().map_or("a voice", VoiceId::as_str);
            let language = language.map_or("an unknown language", Language::name);
            format!("{:.1} s of speech by {voice} in {language}", samples as f64 / f64::from(SAMPLE_RATE))
        };
        if let Some(folder) = &self.args.folder {
            let (path, samples) = save(clip, folder).await?;
            let text = format!("Saved {} to {}", description(samples), path.display());
            return Ok(json!({"content": [{"type": "text", "text": text}]}));
        }
        let samples = inline(clip).await?;
        let mut encoder = Format::NATIVE_WAV.encoder();
        let mut wav = encoder.header(Some(samples.len() as u64));
        wav.extend(encoder.encode(&samples));
        wav.extend(encoder.finish());
        Ok(json!({"content": [
            {"type": "text", "text": description(samples.len())},
            {"type": "audio", "data": STANDARD.encode(&wav), "mimeType": "audio/wav"},
        ]}))
    }

    async fn list_voices(&self, arguments: Map<String, Value>) -> anyhow::Result<Value> {
        let ListVoices {} = read(arguments)?;
        let bytes = self.client().await?.get("/v1/voices").await.map_err(advise)?;
        let voices: VoiceList =
            serde_json::from_slice(&bytes).context("invalid voice list from the server")?;
        let lines = voices.voices.iter().map(|voice| {
            let codes: Vec<_> = voice.languages.iter().map(|language| language.code()).collect();
            let gender = voice.gender.as_deref().map(|gender| format!(" ({gender})")).unwrap_or_default();
            let default = if voice.default { ", the default voice" } else { "" };
            format!("{}{gender}{default}: {}", voice.name, codes.join(" "))
        });
        Ok(json!({"content": [{"type": "text", "text": lines.collect::<Vec<_>>().join("\n")}]}))
    }

    async fn explain(&self, arguments: Map<String, Value>) -> anyhow::Result<Value> {
        let Explain { text, language } = read(arguments)?;
        let language = language.as_deref().map(language_of).transpose()?;
        let request = SynthesisRequest { language, ..SynthesisRequest::new(text) };
        let read = self.client().await?.normalize(&request).await.map_err(advise)?;
        Ok(json!({"content": [{"type": "text", "text": explained(&read)}]}))
    }
}

/// Deserialises the arguments of a call.
fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> anyhow::Result<T> {
    serde_json::from_value(Value::Object(arguments)).map_err(|wrong| anyhow!("invalid arguments: {wrong}"))
}

fn language_of(name: &str) -> anyhow::Result<Language> {
    name.parse().map_err(|_| {
        let codes = Language::ALL.map(Language::code).join(", ");
        anyhow!("language '{}' is not supported; supported languages are {codes}", name.escape_debug())
    })
}

/// Describes a reading, one line per token: `₹5 (money) → पाँच [p ãː tʃ] रुपए [ɾ ʊ p ə j eː]`.
fn explained(read: &Normalization) -> String {
    let language = read.language.map_or("nothing that can be spoken", Language::name);
    let lines = read.tokens.iter().map(|token| {
        let words = token.words.iter().map(|word| format!("{} [{}]", word.text, word.phones));
        let words: Vec<_> = words.collect();
        let words = if words.is_empty() { "silent".to_owned() } else { words.join(" ") };
        format!("{} ({}) → {words}", token.written, token.class)
    });
    [format!("Language: {language}")].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// Reads the samples of a clip. Fails if the clip is longer than [`MAX_INLINE_S`].
async fn inline(mut clip: Clip) -> anyhow::Result<Vec<i16>> {
    let mut samples = Vec::new();
    while let Some(bytes) = clip.next().await {
        samples.extend(as_samples(&bytes.map_err(advise)?));
        if samples.len() > MAX_INLINE_S * SAMPLE_RATE as usize {
            bail!(
                "the speech is longer than {MAX_INLINE_S} s, the maximum that is returned as audio; speak the text \
                 in parts, or start the server with --folder DIR to save the speech"
            );
        }
    }
    Ok(samples)
}

/// Writes a clip to a new file in a folder as the clip arrives, and returns the path and the number of samples. If an
/// error occurs, the incomplete file is removed.
async fn save(mut clip: Clip, folder: &Path) -> anyhow::Result<(PathBuf, usize)> {
    let (path, file) = new_file(folder)?;
    let partial = Partial(Some(&path));
    let cannot_write = || format!("cannot write {}", path.display());
    let mut writer = WavWriter::new(BufWriter::new(file), SAMPLE_RATE).with_context(cannot_write)?;
    let mut count = 0;
    while let Some(bytes) = clip.next().await {
        let samples: Vec<i16> = as_samples(&bytes.map_err(advise)?).collect();
        count += samples.len();
        writer.write(&samples).with_context(cannot_write)?;
    }
    writer.finish().map(drop).with_context(cannot_write)?;
    partial.keep();
    Ok((path, count))
}

/// Guard that removes a file when it is dropped, unless `keep` is called.
struct Partial<'a>(Option<&'a Path>);

impl Partial<'_> {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Partial<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.0 {
            // if this fails, the file remains
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Creates a file with an unused name: `speech-1.wav`, `speech-2.wav`, …
fn new_file(folder: &Path) -> anyhow::Result<(PathBuf, std::fs::File)> {
    for number in 1..=MAX_FILES {
        let path = folder.join(format!("speech-{number}.wav"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
        }
    }
    bail!("{} already contains {MAX_FILES} speech files; move some of them elsewhere", folder.display())
}

fn as_samples(bytes: &[u8]) -> impl Iterator<Item = i16> {
    bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
}
