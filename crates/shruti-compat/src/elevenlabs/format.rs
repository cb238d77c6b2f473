//! Output formats, with ElevenLabs' names.

use shruti_audio::Format;
use shruti_protocol::ApiError;
use shruti_protocol::fields::{invalid_field, quoted};

/// Default format.
const DEFAULT: &str = "mp3_44100_128";

/// Output format, with its content type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OutputFormat {
    pub(super) format: Format,
    pub(super) content_type: &'static str,
}

impl OutputFormat {
    /// Returns the format with this name, or the default format for `None`.
    pub(super) fn named(name: Option<&str>) -> Result<Self, ApiError> {
        let name = name.unwrap_or(DEFAULT);
        let (codec, numbers) = name.split_once('_').unwrap_or((name, ""));
        let content_type = match (codec, numbers) {
            (
                "mp3",
                "22050_32" | "24000_48" | "44100_32" | "44100_64" | "44100_96" | "44100_128" | "44100_192",
            ) => "audio/mpeg",
            ("pcm", "8000" | "16000" | "22050" | "24000" | "32000" | "44100" | "48000") => "audio/pcm",
            ("wav", "8000" | "16000" | "22050" | "24000" | "32000" | "44100" | "48000") => "audio/wav",
            ("ulaw", "8000") => "audio/basic",
            ("alaw", "8000") => "audio/x-alaw-basic",
            ("opus", "48000_32" | "48000_64" | "48000_96" | "48000_128" | "48000_192") => "audio/ogg",
            _ => return Err(unknown(name)),
        };
        let ours = if codec == "ulaw" { "mulaw_8000" } else { name };
        let format = ours.parse().map_err(|_| unknown(name))?;
        Ok(Self { format, content_type })
    }

    /// Returns the delay that the encoder adds, in milliseconds.
    pub(super) fn delay_ms(self) -> u32 {
        self.format.encoder_delay().as_millis() as u32
    }
}

fn unknown(name: &str) -> ApiError {
    let message = format!(
        "output_format '{}' is not supported; supported formats are mp3_22050_32, mp3_24000_48, mp3_44100_ with 32, \
         64, 96, 128 or 192, pcm_ and wav_ with 8000, 16000, 22050, 24000, 32000, 44100 or 48000, ulaw_8000, alaw_8000, \
         opus_48000_ with 32, 64, 96, 128 or 192",
        quoted(name)
    );
    invalid_field("output_format", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_match_the_list() {
        let mut names: Vec<String> =
            ["mp3_22050_32", "mp3_24000_48", "ulaw_8000", "alaw_8000"].map(String::from).into();
        for rate in [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] {
            names.extend([format!("pcm_{rate}"), format!("wav_{rate}")]);
        }
        for bit_rate in [32, 64, 96, 128, 192] {
            names.extend([format!("mp3_44100_{bit_rate}"), format!("opus_48000_{bit_rate}")]);
        }
        for name in &names {
            let known = OutputFormat::named(Some(name)).unwrap();
            assert_eq!(known.format.to_string().replace("mulaw", "ulaw"), *name);
        }
        let default = OutputFormat::named(None).unwrap();
        assert_eq!(
            (default.format.to_string().as_str(), default.content_type),
            ("mp3_44100_128", "audio/mpeg")
        );
        for wrong in [
            "",
            "mp3",
            "mp3_44100",
            "mp3_44100_320",
            "mulaw_8000",
            "pcm_11025",
            "pcm_024000",
            "opus_24000_32",
        ] {
            let error = OutputFormat::named(Some(wrong)).unwrap_err();
            assert_eq!(error.param.as_deref(), Some("output_format"), "{wrong}");
        }
    }
}
