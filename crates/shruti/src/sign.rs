//! The `shruti sign` command, which prints the signed URL of a clip.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use shruti_audio::Format;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_service::clips::url::{ClipUrl, MAX_CHARS, MAX_LIFE_S, SigningSecret};
use shruti_store::SecretKey;

use crate::calendar;
use crate::remote::Remote;
use crate::say::{format_name, in_range};
use crate::values;

/// Granularity of the expiry, in seconds. URLs of one clip that are signed in the same hour with the same lifetime are
/// identical, so that caches recognise them.
const WHOLE_HOURS_S: i64 = 3_600;

/// Maximum lifetime, in seconds: a day less than a server allows, since the server's clock may differ.
const MAX_S: i64 = MAX_LIFE_S - 24 * 3_600;

/// Print a signed URL of a clip
///
/// For clients that play a URL: telephone platforms, `<audio src>`. The URL is signed locally, without contacting a
/// server; the API key comes from SHRUTI_API_KEY or --key-file and is not part of the URL. The URL works until it
/// expires or the key is revoked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Text of the clip, at most 1,000 characters
    text: String,

    /// Language of the text, by code or name: hi, ta-IN, bangla, मराठी [default: detected from the script]
    #[arg(short, long, value_name = "LANG")]
    language: Option<Language>,

    /// Voice: Ananya, Arjun, or a voice of a pack
    #[arg(long, default_value = crate::voices::DEFAULT)]
    voice: VoiceId,

    /// Output format, from docs/http.md: mp3, opus, wav_8000, ulaw, mp3_44100_128, … [default: mp3]
    #[arg(long, value_name = "NAME", value_parser = format_name)]
    format: Option<Format>,

    /// Speaking rate, from 0.5 to 2.0
    #[arg(long, value_parser = in_range("speed", 0.5, 2.0))]
    speed: Option<f32>,

    /// Pitch shift, from -6 to 6 semitones
    #[arg(long, allow_negative_numbers = true, value_parser = in_range("pitch", -6.0, 6.0))]
    pitch: Option<f32>,

    /// Optimise the audio for the listening conditions: off, phone, or room (where other people talk)
    #[arg(long, value_name = "MODE", value_parser = values::clarity())]
    clarity: Option<Clarity>,

    /// Engine of the built-in voices: auto, learned or rules [default: the server's setting]
    #[arg(long, value_name = "ENGINE", value_parser = values::voice_engine())]
    voice_engine: Option<VoiceEngine>,

    /// Lifetime, rounded up to a whole hour: minutes, hours or days (90m, 24h, 30d), at most 365d
    #[arg(long, default_value = "24h", value_name = "TIME", value_parser = lifetime)]
    expires: i64,

    #[command(flatten)]
    remote: Remote,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let key = args.remote.key()?;
    let key = SecretKey::parse(&key).context(
        "invalid API key; a key is `sk_` followed by 40 letters and digits, as printed by `shruti keys create`",
    )?;
    let chars = args.text.trim().chars().count();
    if chars == 0 || chars > MAX_CHARS {
        bail!("the text has {chars} characters; a signed URL allows 1 to {MAX_CHARS}");
    }
    let end_s = calendar::now_ms() / 1_000 + args.expires;
    let expires = to_whole_hours(end_s);
    let mut parameters = BTreeMap::new();
    let mut add = |name: &str, value: Option<String>| {
        parameters.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("text", Some(args.text.trim().to_owned()));
    add("expires", Some(expires.to_string()));
    add("key", Some(key.prefix().to_string()));
    add("format", args.format.map(|format| format.to_string()));
    add("speed", args.speed.map(|speed| speed.to_string()));
    add("pitch", args.pitch.map(|pitch| pitch.to_string()));
    add("clarity", args.clarity.map(|clarity| clarity.as_str().to_owned()));
    add("engine", args.voice_engine.map(|engine| engine.as_str().to_owned()));
    let language = args.language.map_or("auto", Language::code).to_owned();
    let url = ClipUrl { voice: args.voice.to_string(), language, parameters };
    let server = args.remote.server().unwrap_or("http://127.0.0.1:8080").trim_end_matches('/');
    println!("{server}{}", url.sign(&SigningSecret::of(&key.hash())));
    Ok(())
}

/// Rounds a time in seconds up to a whole hour.
fn to_whole_hours(seconds: i64) -> i64 {
    (seconds + WHOLE_HOURS_S - 1).div_euclid(WHOLE_HOURS_S) * WHOLE_HOURS_S
}

/// Parses a lifetime such as `90m`, and returns it in seconds.
fn lifetime(text: &str) -> Result<i64, String> {
    let unit = [('m', 60), ('h', 3_600), ('d', 24 * 3_600)];
    let read = unit.iter().find_map(|(letter, seconds)| {
        let number: i64 = text.strip_suffix(*letter)?.parse().ok()?;
        number.checked_mul(*seconds)
    });
    read.filter(|seconds| (60..=MAX_S).contains(seconds))
        .ok_or_else(|| "must be in minutes, hours or days, such as 90m, 24h or 30d, at most 365d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_in_minutes_hours_or_days() {
        for (text, seconds) in [("1m", 60), ("90m", 5_400), ("24h", 86_400), ("365d", MAX_S)] {
            assert_eq!(lifetime(text), Ok(seconds), "{text}");
        }
        for wrong in ["", "1", "0m", "-1h", "1.5h", "366d", "99999999999999999d", "1w", "d", "é"] {
            lifetime(wrong).unwrap_err();
        }
    }

    #[test]
    fn times_are_rounded_up_to_an_hour() {
        for (time, whole) in [(0, 0), (1, 3_600), (3_600, 3_600), (3_601, 7_200)] {
            assert_eq!(to_whole_hours(time), whole, "{time}");
        }
    }
}
