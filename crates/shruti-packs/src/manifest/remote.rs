//! Manifest of remote voices, which are synthesised by another server.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::{
    Licence, MAX_FILES, ManifestError, PackFile, PackVoice, check, is_line, quoted, validate_files,
    validate_head, validate_voices,
};

/// Manifest of a pack with remote voices: `pack.toml` with a table `[remote]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteManifest {
    /// Version of the format: [`FORMAT`](super::FORMAT).
    pub format: u32,
    /// ID of the pack: `[a-z0-9-]{1,64}`. Its folder has the same name.
    pub id: String,
    /// Voices, at least one, each with its name on the server.
    #[serde(rename = "voice")]
    pub voices: Vec<PackVoice>,
    /// Licence of the voices.
    pub licence: Licence,
    /// Server that synthesises the audio.
    pub remote: Remote,
    /// Files of the pack: the licence text, or none.
    #[serde(rename = "file", default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PackFile>,
}

/// Server that synthesises the audio for remote voices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remote {
    /// Protocol of the server.
    pub protocol: RemoteProtocol,
    /// Base URL of the API, including `/v1` if the server uses it. `/audio/speech` is appended.
    pub url: String,
    /// Name of the requested model.
    pub model: String,
    /// Sample rate of the server's `pcm` format in Hz, 8,000 to 48,000. The format must have signed 16-bit
    /// little-endian samples and one channel.
    pub rate: u32,
    /// Name of the environment variable with the key for `Authorization: Bearer`. By default, no key is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// Form in which text is sent.
    #[serde(default)]
    pub text: RemoteText,
    /// Whether requests contain `stream: true`, which is not a field of `OpenAI`'s API.
    #[serde(default = "yes")]
    pub stream: bool,
    /// Whether the URL may use `http`. `http` is allowed only for this machine, a private network, or a host without a
    /// dot.
    #[serde(default)]
    pub insecure: bool,
    /// Maximum number of concurrent requests, 1 to 1,000.
    #[serde(default = "default_max_requests")]
    pub max_requests: usize,
    /// Time limit for the first audio, in milliseconds, 100 to 60,000.
    #[serde(default = "default_first_byte_ms")]
    pub first_byte_ms: u64,
    /// Time limit for each further piece of audio, in milliseconds, 100 to 60,000.
    #[serde(default = "default_next_byte_ms")]
    pub next_byte_ms: u64,
}

/// Protocol of a remote server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemoteProtocol {
    /// `POST /v1/audio/speech` of `OpenAI`, with `response_format: pcm`.
    Openai,
}

/// Form in which text is sent to a remote server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemoteText {
    /// The original text. Pronunciations from dictionaries have no effect.
    #[default]
    Raw,
    /// The spoken words, with numbers and other non-standard words written out.
    Spoken,
}

fn yes() -> bool {
    true
}

fn default_max_requests() -> usize {
    8
}

fn default_first_byte_ms() -> u64 {
    1_500
}

fn default_next_byte_ms() -> u64 {
    3_000
}

impl RemoteManifest {
    /// Returns whether a text is a manifest of remote voices, valid or not.
    pub fn is_remote(text: &str) -> bool {
        text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("remote"))
    }

    /// Parses and checks a manifest.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text)
            .map_err(|error| ManifestError::Syntax(error.to_string().trim_end().to_owned()))?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// Returns the manifest as TOML text. [`RemoteManifest::parse`] returns the same manifest for this text.
    pub fn to_toml(&self) -> Result<String, ManifestError> {
        self.validate()?;
        toml::to_string(self).map_err(|error| ManifestError::Syntax(error.to_string()))
    }

    /// Checks every field.
    pub fn validate(&self) -> Result<(), ManifestError> {
        validate_head(self.format, &self.id)?;
        let count = self.files.len();
        check(count <= MAX_FILES, "file", format!("{count} tables"), "at most 64 tables")?;
        validate_files(&self.files)?;
        validate_voices(&self.voices)?;
        for (at, voice) in self.voices.iter().enumerate() {
            let field = |name: &str| format!("voice[{at}].{name}");
            let speaker = voice.speaker;
            check(speaker.is_none(), &field("speaker"), "given", "omitted, because there is no graph")?;
            let upstream = voice.upstream.as_deref().unwrap_or_default();
            let expected = "the name of the voice on the server, 1 to 200 characters";
            check(is_line(upstream, 200), &field("upstream"), quoted(upstream), expected)?;
        }
        self.licence.validate()?;
        let text = &self.licence.text;
        let is_file = text.is_empty() || self.files.iter().any(|file| file.path == *text);
        check(is_file, "licence.text", quoted(text), "the `path` of a [[file]], or omitted")?;
        self.remote.validate()
    }
}

impl Remote {
    fn validate(&self) -> Result<(), ManifestError> {
        self.validate_url()?;
        check(is_line(&self.model, 200), "remote.model", quoted(&self.model), "1 to 200 characters")?;
        check((8_000..=48_000).contains(&self.rate), "remote.rate", self.rate, "8,000 to 48,000")?;
        if let Some(name) = &self.secret_env {
            let is_name = (1..=100).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && !name.starts_with(|c: char| c.is_ascii_digit());
            // the value is not shown, because it may be the key itself
            let found = format!("{} characters", name.chars().count());
            let expected =
                "the name of an environment variable that contains the key, of A-Z, a-z, 0-9 and _";
            check(is_name, "remote.secret_env", found, expected)?;
        }
        let most = self.max_requests;
        check((1..=1_000).contains(&most), "remote.max_requests", most, "1 to 1,000")?;
        for (field, ms) in
            [("remote.first_byte_ms", self.first_byte_ms), ("remote.next_byte_ms", self.next_byte_ms)]
        {
            check((100..=60_000).contains(&ms), field, ms, "100 to 60,000")?;
        }
        Ok(())
    }

    /// Checks that the URL uses https or, with `insecure`, http to this machine, a private address or a host without a
    /// dot.
    fn validate_url(&self) -> Result<(), ManifestError> {
        let (field, url) = ("remote.url", &self.url);
        // the URL is not shown where it may contain a password
        let (secure, rest) = match url.split_once("://") {
            Some(("https", rest)) => (true, rest),
            Some(("http", rest)) => (false, rest),
            _ => {
                return check(
                    false,
                    field,
                    "a URL with another scheme",
                    "https://HOST/v1, or http with `insecure = true`",
                );
            }
        };
        let is_plain = |c: char| c.is_ascii_graphic() && !"?#@\\\"<>".contains(c);
        let host = host(rest.split('/').next().unwrap_or_default());
        let fits = url.len() <= 500 && !host.is_empty() && rest.chars().all(is_plain);
        check(fits, field, "not a valid URL", "https://HOST/v1 without a user, a query or a fragment")?;
        if secure {
            return Ok(());
        }
        check(self.insecure, field, quoted(url), "https, or http together with `insecure = true`")?;
        let expected = "https, or http to this machine, a private address or a host without a dot, because other connections can be intercepted";
        check(is_private(host), field, quoted(url), expected)
    }
}

/// Returns the host of an authority, without its port and brackets.
fn host(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn is_private(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            !host.contains('.')
                && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
                && host.bytes().any(|b| b.is_ascii_alphabetic())
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"
format = 1
id = "away"
[[voice]]
name = "Meera"
languages = ["hi", "te"]
upstream = "af_heart"
[licence]
spdx = "Apache-2.0"
attribution = "somebody"
commercial = "yes"
source = "nowhere"
[remote]
protocol = "openai"
url = "https://tts.example/v1"
model = "kokoro"
rate = 24000
"#;

    #[test]
    fn a_minimal_manifest_is_complete_and_round_trips() {
        let manifest = RemoteManifest::parse(MANIFEST).unwrap();
        assert!(RemoteManifest::is_remote(MANIFEST));
        let remote = &manifest.remote;
        assert_eq!((remote.text, remote.stream, remote.insecure), (RemoteText::Raw, true, false));
        assert_eq!((remote.max_requests, remote.first_byte_ms, remote.next_byte_ms), (8, 1_500, 3_000));
        assert_eq!(RemoteManifest::parse(&manifest.to_toml().unwrap()).unwrap(), manifest);
        let local = super::super::Manifest::parse(MANIFEST);
        assert!(local.unwrap_err().to_string().contains("remote"), "it is not a pack with a graph");
    }

    #[test]
    fn each_invalid_field_is_named() {
        for (from, to, named) in [
            ("format = 1", "format = 2", "`format`"),
            ("upstream = \"af_heart\"", "", "`voice[0].upstream`"),
            ("upstream =", "speaker = 1\nupstream =", "`voice[0].speaker`"),
            ("source = \"nowhere\"", "source = \"nowhere\"\ntext = \"CARD\"", "`licence.text`"),
            ("rate = 24000", "rate = 7999", "`remote.rate`"),
            ("rate = 24000", "rate = 24000\nmax_requests = 0", "`remote.max_requests`"),
            ("rate = 24000", "rate = 24000\nfirst_byte_ms = 5", "`remote.first_byte_ms`"),
            ("rate = 24000", "rate = 24000\nnext_byte_ms = 60001", "`remote.next_byte_ms`"),
            ("rate = 24000", "rate = 24000\nsecret_env = \"sk-1\"", "`remote.secret_env`"),
            ("rate = 24000", "rate = 24000\nproxy = 1", "proxy"),
            ("model = \"kokoro\"", "model = \"\"", "`remote.model`"),
            ("\"openai\"", "\"kserve\"", "kserve"),
        ] {
            let text = MANIFEST.replacen(from, to, 1);
            assert_ne!(text, MANIFEST);
            let error = RemoteManifest::parse(&text).unwrap_err().to_string();
            assert!(error.contains(named), "{to}: {error}");
        }
        let key = MANIFEST.replace("rate = 24000", "rate = 24000\nsecret_env = \"sk-1\"");
        assert!(!RemoteManifest::parse(&key).unwrap_err().to_string().contains("sk-1"), "no key is shown");
    }

    #[test]
    fn plain_http_needs_a_local_address_and_the_insecure_setting() {
        let with = |url: &str, insecure: bool| {
            let text = MANIFEST.replace("https://tts.example/v1", url);
            RemoteManifest::parse(&text.replace("rate =", &format!("insecure = {insecure}\nrate =")))
        };
        for url in [
            "http://localhost:8880/v1",
            "http://127.0.0.1/v1",
            "http://[::1]:1/v1",
            "http://10.1.2.3:8000",
            "http://192.168.0.7/v1",
            "http://kokoro:8880/v1",
            "http://[fd00::1]/v1",
        ] {
            with(url, true).unwrap();
            assert!(with(url, false).unwrap_err().to_string().contains("insecure = true"), "{url}");
        }
        for url in
            ["http://tts.example/v1", "http://8.8.8.8/v1", "http://[2001:db8::1]/v1", "http://127.1.example"]
        {
            assert!(
                with(url, true).unwrap_err().to_string().contains("other connections can be intercepted"),
                "{url}"
            );
        }
        for url in
            ["ftp://a/v1", "https://u:p@a/v1", "https://a/v1?k=1", "https://", "https:///v1", "http://8/v1"]
        {
            let error = with(url, true).unwrap_err().to_string();
            assert!(error.contains("`remote.url`") && !error.contains("u:p"), "{url}: {error}");
        }
    }
}
