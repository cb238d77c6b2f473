//! What a client may say.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{MAX_ID_CHARS, MAX_LEAD_MS, MAX_MESSAGE_CHARS, MAX_TURN_ID_CHARS};
use crate::{ApiError, ErrorCode, Language, Voice, fields};

/// One message of a client.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    /// Settings of turns that start later.
    Config(ConfigPatch),
    /// More text of a turn. An object with `text` and no `type` is this too.
    Text(Text),
    /// Speak what is held back.
    Flush(Flush),
    /// No more text follows.
    End {
        /// The turn; the open one when absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<String>,
    },
    /// Barge-in.
    Cancel(Cancel),
    /// The listener's position.
    Played(Played),
    /// Answered by `pong`.
    Ping {
        /// Echoed in the answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// Let all turns end, then close.
    Close,
}

/// Settings, each of which may be absent and then stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConfigPatch {
    /// The voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<Voice>,
    /// The language; `Some(None)`, null on the wire, has it found from the text again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Option<Language>>,
    /// Speaking rate, 0.5 to 2.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Shift of the pitch in semitones, -6 to 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Words and the spellings to speak them by; replaces the lexicon before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<BTreeMap<String, String>>,
    /// Whether word marks are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamps>,
    /// How far sound is sent ahead of the playhead, in milliseconds; 0 for as fast as it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lead_ms: Option<u32>,
}

/// Which marks are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timestamps {
    /// One for each word.
    #[default]
    Word,
    /// None.
    None,
}

/// More text of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Text {
    /// The text, appended verbatim.
    pub text: String,
    /// The turn; the open one, or a new one, when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Whether no more text follows for the turn.
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// Whether a turn that this starts cancels what is live.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preempt: bool,
    /// Settings of the turn alone; read on its first message only.
    #[serde(flatten)]
    pub config: ConfigPatch,
}

/// Speak what is held back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Flush {
    /// The turn; the open one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Echoed in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Barge-in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cancel {
    /// The turn; what the listener hears when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// Every turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// How much of the turn has been played, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_ms: Option<u32>,
    /// Echoed in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The listener's position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// The turn.
    pub turn_id: String,
    /// How much of it has been played, in milliseconds.
    pub played_ms: u32,
}

type Fields = Map<String, Value>;

impl ClientMessage {
    /// Reads and checks a message. Fields that are not known are ignored, null counts as absent.
    pub fn from_json(message: &[u8]) -> Result<Self, ApiError> {
        let fields = fields::object(message, "the message")?;
        let kind = match fields::given(&fields, "type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(other) => return Err(fields::wrong_type("type", "a string", other)),
            None if fields.contains_key("text") => "text",
            None => {
                let what = "type is required: config, text, flush, end, cancel, played, ping or close";
                return Err(ApiError::new(ErrorCode::MissingField, what).with_param("type"));
            }
        };
        let turn_id = || text_field(&fields, "turn_id", MAX_TURN_ID_CHARS);
        let id = || text_field(&fields, "id", MAX_ID_CHARS);
        match kind {
            "config" => Ok(Self::Config(config(&fields)?)),
            "text" => text(&fields).map(Self::Text),
            "flush" => Ok(Self::Flush(Flush { turn_id: turn_id()?, id: id()? })),
            "end" => Ok(Self::End { turn_id: turn_id()? }),
            "cancel" => cancel(&fields).map(Self::Cancel),
            "played" => played(&fields).map(Self::Played),
            "ping" => Ok(Self::Ping { id: id()? }),
            "close" => Ok(Self::Close),
            unknown => {
                let kinds = "config, text, flush, end, cancel, played, ping and close";
                let message = format!("type '{}' is not known; known are {kinds}", fields::quoted(unknown));
                Err(fields::invalid_field("type", message))
            }
        }
    }
}

fn config(fields: &Fields) -> Result<ConfigPatch, ApiError> {
    let automatic = matches!(fields.get("language"), Some(Value::Null));
    let language = fields::language(fields)?;
    Ok(ConfigPatch {
        voice: fields::voice(fields)?,
        language: if automatic { Some(None) } else { language.map(Some) },
        speed: fields::speed(fields)?,
        pitch: fields::pitch(fields)?,
        lexicon: fields::lexicon(fields)?,
        timestamps: timestamps(fields)?,
        max_lead_ms: milliseconds(fields, "max_lead_ms", MAX_LEAD_MS)?,
    })
}

fn text(fields: &Fields) -> Result<Text, ApiError> {
    let text = match fields::given(fields, "text") {
        Some(Value::String(text)) => text,
        Some(other) => return Err(fields::wrong_type("text", "a string", other)),
        None => {
            let what = "text is required: the text to append, as a string";
            return Err(ApiError::new(ErrorCode::MissingField, what).with_param("text"));
        }
    };
    if text.contains('\0') {
        return Err(fields::invalid_field("text", "text has a NUL (U+0000); leave it out".to_owned()));
    }
    let chars = text.chars().count();
    if chars > MAX_MESSAGE_CHARS {
        let message = format!("text has {chars} characters; the limit of a message is {MAX_MESSAGE_CHARS}");
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
    }
    Ok(Text {
        text: text.clone(),
        turn_id: text_field(fields, "turn_id", MAX_TURN_ID_CHARS)?,
        last: flag(fields, "final")?,
        preempt: flag(fields, "preempt")?,
        config: config(fields)?,
    })
}

fn cancel(fields: &Fields) -> Result<Cancel, ApiError> {
    Ok(Cancel {
        turn_id: text_field(fields, "turn_id", MAX_TURN_ID_CHARS)?,
        all: flag(fields, "all")?,
        played_ms: milliseconds(fields, "played_ms", u32::MAX)?,
        id: text_field(fields, "id", MAX_ID_CHARS)?,
    })
}

fn played(fields: &Fields) -> Result<Played, ApiError> {
    let missing =
        |name: &str| ApiError::new(ErrorCode::MissingField, format!("{name} is required")).with_param(name);
    let turn_id = text_field(fields, "turn_id", MAX_TURN_ID_CHARS)?.ok_or_else(|| missing("turn_id"))?;
    let played_ms = milliseconds(fields, "played_ms", u32::MAX)?.ok_or_else(|| missing("played_ms"))?;
    Ok(Played { turn_id, played_ms })
}

fn timestamps(fields: &Fields) -> Result<Option<Timestamps>, ApiError> {
    match fields::given(fields, "timestamps") {
        None => Ok(None),
        Some(Value::String(kind)) if kind == "word" => Ok(Some(Timestamps::Word)),
        Some(Value::String(kind)) if kind == "none" => Ok(Some(Timestamps::None)),
        Some(_) => {
            Err(fields::invalid_field("timestamps", "timestamps must be \"word\" or \"none\"".to_owned()))
        }
    }
}

fn flag(fields: &Fields, name: &str) -> Result<bool, ApiError> {
    match fields::given(fields, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(fields::wrong_type(name, "true or false", other)),
    }
}

fn milliseconds(fields: &Fields, name: &str, most: u32) -> Result<Option<u32>, ApiError> {
    let Some(value) = fields::given(fields, name) else { return Ok(None) };
    // players count in fractions of milliseconds; the fraction is of no use
    let number = value.as_f64().filter(|number| *number >= 0.0 && *number <= f64::from(most));
    match number {
        Some(number) => Ok(Some(number as u32)),
        None => Err(fields::wrong_type(name, &format!("a number of milliseconds from 0 to {most}"), value)),
    }
}

fn text_field(fields: &Fields, name: &str, most: usize) -> Result<Option<String>, ApiError> {
    match fields::given(fields, name) {
        None => Ok(None),
        Some(Value::String(value)) => {
            let chars = value.chars().count();
            let sound = (1..=most).contains(&chars) && !value.chars().any(char::is_control);
            if !sound {
                let message = format!("{name} must have 1 to {most} characters and no control characters");
                return Err(fields::invalid_field(name, message));
            }
            Ok(Some(value.clone()))
        }
        Some(other) => Err(fields::wrong_type(name, "a string", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Result<ClientMessage, ApiError> {
        ClientMessage::from_json(message.as_bytes())
    }

    #[test]
    fn messages_are_read_as_the_contract_writes_them() {
        let text = |text: &str| Text { text: text.to_owned(), ..Text::default() };
        let cases = [
            (r#"{"text":"नम"}"#, ClientMessage::Text(text("नम"))),
            (
                r#"{"type":"text","text":"a","turn_id":"t1","final":true,"preempt":true,"voice":"arjun","later":1}"#,
                ClientMessage::Text(Text {
                    turn_id: Some("t1".to_owned()),
                    last: true,
                    preempt: true,
                    config: ConfigPatch { voice: Some(Voice::Arjun), ..ConfigPatch::default() },
                    ..text("a")
                }),
            ),
            (
                r#"{"type":"config","language":null,"timestamps":"none","max_lead_ms":0}"#,
                ClientMessage::Config(ConfigPatch {
                    language: Some(None),
                    timestamps: Some(Timestamps::None),
                    max_lead_ms: Some(0),
                    ..ConfigPatch::default()
                }),
            ),
            (
                r#"{"type":"flush","id":"f"}"#,
                ClientMessage::Flush(Flush { turn_id: None, id: Some("f".to_owned()) }),
            ),
            (r#"{"type":"end"}"#, ClientMessage::End { turn_id: None }),
            (
                r#"{"type":"cancel","all":true,"played_ms":12.7,"id":null}"#,
                ClientMessage::Cancel(Cancel { all: true, played_ms: Some(12), ..Cancel::default() }),
            ),
            (
                r#"{"type":"played","turn_id":"t","played_ms":5}"#,
                ClientMessage::Played(Played { turn_id: "t".to_owned(), played_ms: 5 }),
            ),
            (r#"{"type":"ping","id":"1"}"#, ClientMessage::Ping { id: Some("1".to_owned()) }),
            (r#"{"type":"close"}"#, ClientMessage::Close),
        ];
        for (json, message) in cases {
            assert_eq!(read(json), Ok(message.clone()), "{json}");
            let written = serde_json::to_string(&message).unwrap();
            assert_eq!(read(&written), Ok(message), "what a client writes, the server reads: {written}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_field() {
        use ErrorCode::{InvalidField, InvalidJson, MissingField, TextTooLong, UnknownVoice};
        let long_text = format!(r#"{{"text":"{}"}}"#, "अ".repeat(MAX_MESSAGE_CHARS + 1));
        let long_turn = format!(r#"{{"text":"a","turn_id":"{}"}}"#, "t".repeat(65));
        let cases: &[(&str, ErrorCode, Option<&str>)] = &[
            ("", InvalidJson, None),
            ("[]", InvalidJson, None),
            ("{}", MissingField, Some("type")),
            (r#"{"type":"speak"}"#, InvalidField, Some("type")),
            (r#"{"type":7}"#, InvalidField, Some("type")),
            (r#"{"type":"text"}"#, MissingField, Some("text")),
            (r#"{"text":5}"#, InvalidField, Some("text")),
            (r#"{"text":"a\u0000"}"#, InvalidField, Some("text")),
            (&long_text, TextTooLong, Some("text")),
            (&long_turn, InvalidField, Some("turn_id")),
            (r#"{"text":"a","turn_id":""}"#, InvalidField, Some("turn_id")),
            (r#"{"text":"a","final":1}"#, InvalidField, Some("final")),
            (r#"{"text":"a","voice":"x"}"#, UnknownVoice, Some("voice")),
            (r#"{"type":"config","timestamps":"char"}"#, InvalidField, Some("timestamps")),
            (r#"{"type":"config","max_lead_ms":-1}"#, InvalidField, Some("max_lead_ms")),
            (r#"{"type":"cancel","played_ms":"1"}"#, InvalidField, Some("played_ms")),
            (r#"{"type":"played","turn_id":"t"}"#, MissingField, Some("played_ms")),
        ];
        for (json, code, param) in cases {
            let error = read(json).unwrap_err();
            assert_eq!((error.code, error.param.as_deref()), (*code, *param), "{error}");
        }
    }
}
