//! Settings of the server. Flags override environment variables, environment variables override a TOML file, and the
//! file overrides the defaults. The name of a setting is the same in each: `--max-streams`, `SHRUTI_MAX_STREAMS`,
//! `max-streams`.

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use serde::Deserialize;
use shruti_http::Networks;
use shruti_lang::VoiceEngine;
use shruti_service::{HostNames, VoiceAliases};
use shruti_store::PostgresAddress;
use shruti_voices::VoiceRoutes;

use crate::data_folder;
use crate::database::DatabaseUrl;
use crate::first_start::FirstKey;
use crate::listen_address::ListenAddress;
use crate::mail::SmtpUrl;
use crate::traces::{Collector, Sample};
use crate::values;

/// Sources of settings.
#[derive(clap::Args, Clone)]
pub(crate) struct Sources {
    #[command(flatten)]
    given: Settings,

    /// Settings file in TOML, with the names of the flags (`max-streams = 500`); flags and environment variables
    /// override it
    #[arg(long, env = "SHRUTI_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Sources {
    /// Combines the settings of all sources, and validates them.
    pub(crate) fn complete(self) -> anyhow::Result<Settings> {
        self.given.complete(self.config.as_deref())
    }
}

/// Returns the voice routes in `argument`, or those in the settings file if `argument` is `None`.
pub(crate) fn voice_routes(
    file: Option<&Path>,
    argument: Option<VoiceRoutes>,
) -> anyhow::Result<VoiceRoutes> {
    let of_file =
        || file.map(Settings::read).transpose().map(|settings| settings.and_then(|read| read.voices));
    Ok(argument.map_or_else(of_file, |argument| Ok(Some(argument)))?.unwrap_or_default())
}

/// Settings of `serve` from the command line, the environment or the file. Each is optional.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// Listen address [default: 127.0.0.1:8080]; with a port alone (8080), the server accepts connections only from
    /// this machine; with 0.0.0.0:8080, also from other machines
    #[arg(long, env = "SHRUTI_LISTEN", value_name = "ADDR:PORT")]
    pub(crate) listen: Option<ListenAddress>,

    /// Listen port; overrides the port of --listen
    #[arg(long, env = "SHRUTI_PORT", value_name = "PORT", value_parser = values::port)]
    pub(crate) port: Option<u16>,

    /// Data folder for keys, accounts and voice packs, created if it does not exist [default: ~/.local/share/shruti on
    /// Linux, ~/Library/Application Support/shruti on macOS; ./shruti-data if an earlier version created it]
    #[arg(long, env = "SHRUTI_DATA_DIR", value_name = "DIR")]
    #[serde(alias = "data_dir")]
    pub(crate) data_dir: Option<PathBuf>,

    /// PostgreSQL database, which several servers may share: postgres://user@host/name; the password is read from
    /// PGPASSWORD or a file (?passfile=FILE) [default: the SQLite file in the data folder]
    #[arg(long, env = "SHRUTI_DATABASE", value_name = "URL", hide_env_values = true)]
    pub(crate) database: Option<DatabaseUrl>,

    /// Direct URL of the database if --database names a pooler (?pooler=transaction); the server uses it to receive
    /// notifications of key changes [default: the server polls every half second]
    #[arg(long, env = "SHRUTI_DATABASE_DIRECT", value_name = "URL", hide_env_values = true)]
    #[serde(alias = "database_direct")]
    pub(crate) database_direct: Option<DatabaseUrl>,

    /// Number of servers that share the database and receive equal shares of the requests; each enforces its share of
    /// the rate and stream limits of a key [default: 1]
    #[arg(long, env = "SHRUTI_SERVERS", value_name = "N")]
    pub(crate) servers: Option<NonZero<u32>>,

    /// Destination of the API key and the sign-in link that are created on the first start if the store has no key:
    /// print for standard output, FILE (a path that contains a /) for a file that only its owner can read, none to
    /// create neither [default: print]
    #[arg(long, env = "SHRUTI_FIRST_KEY", value_name = "print|none|FILE")]
    #[serde(alias = "first_key")]
    pub(crate) first_key: Option<FirstKey>,

    /// Maximum number of concurrent streams across all keys [default: 1000]; further ones are refused with 503
    /// overloaded
    #[arg(long, env = "SHRUTI_MAX_STREAMS", value_name = "N")]
    #[serde(alias = "max_streams")]
    pub(crate) max_streams: Option<usize>,

    /// Maximum number of open connections from one IPv4 address or IPv6 /64 [default: 4096], twice as many from an IPv6
    /// /48; this machine and the proxies of --trust-proxy are not limited
    #[arg(long, env = "SHRUTI_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N")]
    #[serde(alias = "max_connections_per_address")]
    pub(crate) max_connections_per_address: Option<usize>,

    /// Maximum number of concurrent synthesis streams [default: depends on the number of cores]; further ones are
    /// refused with 503 overloaded
    #[arg(long, env = "SHRUTI_MAX_SPEECHES", value_name = "N")]
    #[serde(alias = "max_speeches")]
    pub(crate) max_speeches: Option<usize>,

    /// Serve HTTPS and WSS with the certificate in this file (PEM, full chain); it is reloaded when it changes
    #[arg(long, env = "SHRUTI_TLS_CERT", value_name = "FILE")]
    #[serde(alias = "tls_cert")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(long, env = "SHRUTI_TLS_KEY", value_name = "FILE")]
    #[serde(alias = "tls_key")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Serve HTTPS and WSS with a self-signed certificate, generated and kept in the data folder, for testing
    #[arg(long, env = "SHRUTI_TLS_SELF_SIGNED", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "tls_self_signed")]
    pub(crate) tls_self_signed: Option<bool>,

    /// Trust X-Forwarded-For and X-Forwarded-Proto from these proxies: comma-separated addresses and networks; without
    /// a value, those on this machine
    #[arg(long, env = "SHRUTI_TRUST_PROXY", value_name = "LIST", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "loopback")]
    #[serde(alias = "trust_proxy")]
    pub(crate) trust_proxy: Option<Networks>,

    /// Host names that requests may use, comma-separated, each including its subdomains; other names are refused,
    /// except for the host of public-url, IP addresses, localhost and names without a dot. Without this setting, a
    /// server that listens only on this machine accepts addresses and localhost, and any other server accepts all names
    #[arg(long, env = "SHRUTI_ALLOW_HOSTS", value_name = "LIST")]
    #[serde(alias = "allow_hosts")]
    pub(crate) allow_hosts: Option<HostNames>,

    /// Clients that may read /metrics: comma-separated addresses and networks [default: loopback, only this machine]
    #[arg(long, env = "SHRUTI_METRICS_FOR", value_name = "LIST")]
    #[serde(alias = "metrics_for")]
    pub(crate) metrics_for: Option<Networks>,

    /// Let visitors without an account use the Studio playground: true, false, or the total number of characters per
    /// month for all visitors; true means 1000000 [default: true if only this machine can reach the server]
    #[arg(long, env = "SHRUTI_OPEN_PLAYGROUND", value_name = "CHARS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "open_playground")]
    pub(crate) open_playground: Option<OpenPlayground>,

    /// SMTP server for emails (address verification, password reset, allowance warnings): smtps://user@host, or
    /// smtp://user@host with STARTTLS; the password is read from SHRUTI_SMTP_PASSWORD or a file [default: no email is
    /// sent]
    #[arg(long, env = "SHRUTI_SMTP", value_name = "URL")]
    pub(crate) smtp: Option<SmtpUrl>,

    /// File whose first line is the password of the SMTP user
    #[arg(long, env = "SHRUTI_SMTP_PASSWORD_FILE", value_name = "FILE")]
    #[serde(alias = "smtp_password_file")]
    pub(crate) smtp_password_file: Option<PathBuf>,

    /// Sender of emails: shruti@example.org, or Shruti <shruti@example.org>
    #[arg(long, env = "SHRUTI_SMTP_FROM", value_name = "ADDRESS")]
    #[serde(alias = "smtp_from")]
    pub(crate) smtp_from: Option<String>,

    /// Public URL of this server, https://tts.example.org; links in emails begin with it, and requests may use its host
    #[arg(long, env = "SHRUTI_PUBLIC_URL", value_name = "URL")]
    #[serde(alias = "public_url")]
    pub(crate) public_url: Option<String>,

    /// Require accounts to verify their email address, with a link that is sent to it, before they can create keys and
    /// redeem promo codes; needs smtp
    #[arg(long, env = "SHRUTI_REQUIRE_VERIFIED", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "require_verified")]
    pub(crate) require_verified: Option<bool>,

    /// Apply the pronunciation lexicon in this TOML file to every request [default: none]; docs/operating.md describes
    /// its format
    #[arg(long, env = "SHRUTI_LEXICON", value_name = "FILE")]
    pub(crate) lexicon: Option<PathBuf>,

    /// Serve clips at signed URLs (`shruti sign`): true or false [default: true]
    #[arg(long, env = "SHRUTI_CLIP_URLS", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "clip_urls")]
    pub(crate) clip_urls: Option<bool>,

    /// Charge a clip at a signed URL for each request instead of once per key and month [default: false]
    #[arg(long, env = "SHRUTI_CLIP_URLS_CHARGE_EACH", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "clip_urls_charge_each")]
    pub(crate) clip_urls_charge_each: Option<bool>,

    /// Maximum disk space of the clip cache, in MiB; rendered clips are kept in the data folder and reused when an
    /// account requests the same clip. 0 disables the cache [default: 128]
    #[arg(long, env = "SHRUTI_CLIP_CACHE", value_name = "MIB")]
    #[serde(alias = "clip_cache")]
    pub(crate) clip_cache: Option<u64>,

    /// Maximum number of clips in the cache [default: 10000]
    #[arg(long, env = "SHRUTI_CLIP_CACHE_CLIPS", value_name = "N")]
    #[serde(alias = "clip_cache_clips")]
    pub(crate) clip_cache_clips: Option<usize>,

    /// Share cached clips between accounts; an account can then infer from response times whether another account has
    /// requested a clip [default: false]
    #[arg(long, env = "SHRUTI_CLIP_CACHE_SHARED", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "clip_cache_shared")]
    pub(crate) clip_cache_shared: Option<bool>,

    /// Listen address of the Wyoming protocol, for Home Assistant [default: off]; with a port alone (10200), the server
    /// accepts connections only from this machine. The protocol has no keys: anyone who can reach the address can use
    /// the server
    #[arg(long, env = "SHRUTI_WYOMING", value_name = "ADDR:PORT")]
    pub(crate) wyoming: Option<ListenAddress>,

    /// Prefix, as shown by `shruti keys list`, of the API key that is charged for speech over the Wyoming protocol
    /// [default: the key named wyoming of the operator's account, created if it does not exist]
    #[arg(long, env = "SHRUTI_WYOMING_KEY", value_name = "PREFIX")]
    #[serde(alias = "wyoming_key")]
    pub(crate) wyoming_key: Option<String>,

    /// Aliases of voices, for clients of other speech APIs that send their own voice names: comma-separated NAME=VOICE;
    /// in the settings file also a table named voice-aliases
    #[arg(long, env = "SHRUTI_VOICE_ALIASES", value_name = "LIST")]
    #[serde(alias = "voice_aliases")]
    pub(crate) voice_aliases: Option<VoiceAliases>,

    /// Engine of the built-in voices: auto (learned while there is capacity for another conversation, otherwise rules),
    /// learned (natural, for about a hundred conversations), or rules (for thousands); requests can override it with
    /// `engine` [default: auto]
    #[arg(long, env = "SHRUTI_VOICE_ENGINE", value_name = "ENGINE", value_parser = values::voice_engine())]
    #[serde(alias = "voice_engine")]
    pub(crate) voice_engine: Option<VoiceEngine>,

    /// Routes from voices and languages to voices of packs: comma-separated Ananya.te=te-padmavathi/Padmavathi, `*` for
    /// all languages, `parametric` for the built-in voice; in the settings file also a table named voices
    #[arg(long, env = "SHRUTI_VOICES", value_name = "LIST")]
    pub(crate) voices: Option<VoiceRoutes>,

    /// Number of threads that all pack voices share [default: one per core]; the built-in voices have their own
    #[arg(long, env = "SHRUTI_PACKS_THREADS", value_name = "N")]
    #[serde(alias = "packs_threads")]
    pub(crate) packs_threads: Option<NonZero<usize>>,

    /// Maximum memory of all pack voices together, in MiB [default: half of the machine's memory]; the memory of a pack
    /// is measured when it is installed
    #[arg(long, env = "SHRUTI_PACKS_MEMORY", value_name = "MIB")]
    #[serde(alias = "packs_memory")]
    pub(crate) packs_memory: Option<NonZero<u64>>,

    /// Use the built-in voice if the pack of a voice has no capacity, instead of refusing with 503 overloaded [default:
    /// false]
    #[arg(long, env = "SHRUTI_PACKS_FALLBACK", value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    #[serde(alias = "packs_fallback")]
    pub(crate) packs_fallback: Option<bool>,

    /// Send traces of requests and turns to this OpenTelemetry collector, over OTLP/HTTP: http://collector:4318
    /// [default: OTEL_EXPORTER_OTLP_ENDPOINT, otherwise no traces]
    #[arg(long, env = "SHRUTI_TRACES_ENDPOINT", value_name = "URL")]
    #[serde(alias = "traces_endpoint")]
    pub(crate) traces_endpoint: Option<Collector>,

    /// Fraction of requests and turns to trace, 0 to 1 [default: 0.01]
    #[arg(long, env = "SHRUTI_TRACES_SAMPLE", value_name = "SHARE")]
    #[serde(alias = "traces_sample")]
    pub(crate) traces_sample: Option<Sample>,

    /// Log level on standard error: error, warn, info, debug, trace, or a filter such as shruti_server=debug [default:
    /// info]
    #[arg(long, env = "SHRUTI_LOG", value_name = "LEVEL")]
    pub(crate) log: Option<String>,

    /// Format of log lines [default: text]
    #[arg(long, env = "SHRUTI_LOG_FORMAT", value_enum)]
    #[serde(alias = "log_format")]
    pub(crate) log_format: Option<LogFormat>,
}

/// Maximum number of characters per month for all visitors of the open playground together; `None` if the playground is
/// closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "FlagOrChars")]
pub(crate) struct OpenPlayground(pub(crate) Option<u64>);

/// Value in the settings file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "open-playground must be true, false or a number of characters per month")]
enum FlagOrChars {
    Flag(bool),
    Chars(u64),
}

impl OpenPlayground {
    /// Default number of characters per month.
    pub(crate) const CHARS: u64 = 1_000_000;
}

impl TryFrom<FlagOrChars> for OpenPlayground {
    type Error = &'static str;

    fn try_from(written: FlagOrChars) -> Result<Self, Self::Error> {
        match written {
            FlagOrChars::Flag(is_open) => Ok(Self(is_open.then_some(Self::CHARS))),
            FlagOrChars::Chars(0) => Err("open-playground must be at least 1 character, or false"),
            FlagOrChars::Chars(chars) => Ok(Self(Some(chars))),
        }
    }
}

impl FromStr for OpenPlayground {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let flag = text.parse().map(FlagOrChars::Flag);
        let written = flag.or_else(|_| text.parse().map(FlagOrChars::Chars));
        written.map_err(|_| "must be true, false or a number of characters per month")?.try_into()
    }
}

/// Format of log lines.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogFormat {
    /// Human-readable
    #[default]
    Text,
    /// Machine-readable, one object per line
    Json,
}

impl Settings {
    /// Completes these settings from the file, and validates them.
    fn complete(self, file: Option<&Path>) -> anyhow::Result<Self> {
        let settings = match file {
            Some(path) => self.or(Self::read(path)?),
            None => self,
        };
        for (name, value) in [
            ("max-streams", settings.max_streams),
            ("max-connections-per-address", settings.max_connections_per_address),
            ("max-speeches", settings.max_speeches),
        ] {
            if value == Some(0) {
                bail!("{name} must be at least 1");
            }
        }
        settings.postgres()?;
        match (&settings.tls_cert, &settings.tls_key) {
            (Some(_), None) => {
                bail!("tls-cert needs tls-key, the file with the private key of the certificate")
            }
            (None, Some(_)) => bail!("tls-key needs tls-cert, the file with the certificate"),
            (Some(_), Some(_)) if settings.tls_self_signed == Some(true) => {
                bail!("tls-self-signed creates a certificate; use either it or tls-cert and tls-key");
            }
            _ => {}
        }
        Ok(settings)
    }

    /// Returns the listen address.
    pub(crate) fn address(&self) -> SocketAddr {
        let mut address = self.listen.unwrap_or_default().0;
        if let Some(port) = self.port {
            address.set_port(port);
        }
        address
    }

    /// Returns the data folder of a server with these settings.
    pub(crate) fn data_folder(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(data_folder::default_folder)
    }

    /// Returns the address of the database, or `None` if the store is in the data folder.
    pub(crate) fn postgres(&self) -> anyhow::Result<Option<PostgresAddress>> {
        let (database, direct) = match (&self.database, &self.database_direct) {
            (None, None) => return Ok(None),
            (None, Some(_)) => bail!("database-direct needs database, the address of the pooler"),
            (Some(database), direct) => (database.address()?, direct),
        };
        let Some(direct) = direct else { return Ok(Some(database)) };
        let direct = direct.address().context("database-direct")?;
        if !database.is_pooled() || direct.is_pooled() {
            bail!(
                "database-direct must be the address of the database itself, and database that of its pooler, with \
                 ?pooler=transaction"
            );
        }
        Ok(Some(database.with_direct(direct)))
    }

    fn or(self, other: Self) -> Self {
        Self {
            // the port in the file does not change an address from the command line or the environment
            port: self.port.or(other.port.filter(|_| self.listen.is_none())),
            listen: self.listen.or(other.listen),
            data_dir: self.data_dir.or(other.data_dir),
            database: self.database.or(other.database),
            database_direct: self.database_direct.or(other.database_direct),
            servers: self.servers.or(other.servers),
            first_key: self.first_key.or(other.first_key),
            max_streams: self.max_streams.or(other.max_streams),
            max_connections_per_address: self
                .max_connections_per_address
                .or(other.max_connections_per_address),
            max_speeches: self.max_speeches.or(other.max_speeches),
            tls_cert: self.tls_cert.or(other.tls_cert),
            tls_key: self.tls_key.or(other.tls_key),
            tls_self_signed: self.tls_self_signed.or(other.tls_self_signed),
            trust_proxy: self.trust_proxy.or(other.trust_proxy),
            allow_hosts: self.allow_hosts.or(other.allow_hosts),
            metrics_for: self.metrics_for.or(other.metrics_for),
            open_playground: self.open_playground.or(other.open_playground),
            smtp: self.smtp.or(other.smtp),
            smtp_password_file: self.smtp_password_file.or(other.smtp_password_file),
            smtp_from: self.smtp_from.or(other.smtp_from),
            public_url: self.public_url.or(other.public_url),
            require_verified: self.require_verified.or(other.require_verified),
            lexicon: self.lexicon.or(other.lexicon),
            clip_urls: self.clip_urls.or(other.clip_urls),
            clip_urls_charge_each: self.clip_urls_charge_each.or(other.clip_urls_charge_each),
            clip_cache: self.clip_cache.or(other.clip_cache),
            clip_cache_clips: self.clip_cache_clips.or(other.clip_cache_clips),
            clip_cache_shared: self.clip_cache_shared.or(other.clip_cache_shared),
            wyoming: self.wyoming.or(other.wyoming),
            wyoming_key: self.wyoming_key.or(other.wyoming_key),
            voice_aliases: self.voice_aliases.or(other.voice_aliases),
            voice_engine: self.voice_engine.or(other.voice_engine),
            voices: self.voices.or(other.voices),
            packs_threads: self.packs_threads.or(other.packs_threads),
            packs_memory: self.packs_memory.or(other.packs_memory),
            packs_fallback: self.packs_fallback.or(other.packs_fallback),
            traces_endpoint: self.traces_endpoint.or(other.traces_endpoint),
            traces_sample: self.traces_sample.or(other.traces_sample),
            log: self.log.or(other.log),
            log_format: self.log_format.or(other.log_format),
        }
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("settings file {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("settings file {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shruti.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn the_command_line_overrides_the_file() {
        let (_folder, path) = file("listen = '0.0.0.0:9000'\nmax-streams = 5\nlog_format = 'json'\n");
        let command_line = Settings { max_streams: Some(7), ..Settings::default() };
        let settings = command_line.complete(Some(&path)).unwrap();
        assert_eq!(settings.listen, "0.0.0.0:9000".parse().ok());
        assert_eq!(settings.address(), "0.0.0.0:9000".parse().unwrap());
        assert_eq!((settings.max_streams, settings.log_format), (Some(7), Some(LogFormat::Json)));
        assert_eq!(settings.data_dir, None);
    }

    #[test]
    fn a_port_replaces_the_port_of_an_address_from_the_same_source() {
        let (_folder, path) = file("port = 9000");
        for (listen, port, expected) in [
            (None, None, "127.0.0.1:9000"),
            (None, Some(7000), "127.0.0.1:7000"),
            (Some("0.0.0.0:80"), None, "0.0.0.0:80"),
            (Some("0.0.0.0:80"), Some(7000), "0.0.0.0:7000"),
        ] {
            let listen = listen.map(|listen| listen.parse().unwrap());
            let command_line = Settings { listen, port, ..Settings::default() };
            let settings = command_line.complete(Some(&path)).unwrap();
            assert_eq!(settings.address().to_string(), expected, "{listen:?} {port:?}");
        }
    }

    #[test]
    fn the_playground_is_opened_with_or_without_a_number() {
        for (text, chars) in [("true", Some(1_000_000)), ("false", None), ("5000", Some(5_000))] {
            let (_folder, path) = file(&format!("open-playground = {text}"));
            let settings = Settings::default().complete(Some(&path)).unwrap();
            assert_eq!(settings.open_playground, Some(OpenPlayground(chars)), "{text}");
            assert_eq!(text.parse(), Ok(OpenPlayground(chars)), "{text}");
        }
        for text in ["0", "-1", "yes", ""] {
            assert!(text.parse::<OpenPlayground>().is_err(), "{text}");
        }
    }

    #[test]
    fn voice_aliases_are_a_list_or_a_table() {
        for text in ["voice-aliases = 'Anushka=Ananya'", "[voice_aliases]\nanushka = 'Ananya'"] {
            let (_folder, path) = file(text);
            let settings = Settings::default().complete(Some(&path)).unwrap();
            assert_eq!(settings.voice_aliases.unwrap().voice("anushka"), Some("Ananya"), "{text}");
        }
    }

    #[test]
    fn voice_routes_are_a_list_or_a_table() {
        for text in ["voices = 'Ananya.te=te-maya/Maya'", "[voices]\n'Ananya.te' = 'te-maya/Maya'"] {
            let (_folder, path) = file(text);
            let settings = Settings::default().complete(Some(&path)).unwrap();
            assert_eq!(settings.voices, "Ananya.te=te-maya/Maya".parse().ok(), "{text}");
        }
    }

    #[test]
    fn errors_name_the_fault() {
        for (text, named) in [
            ("[voices]\n'Ananya' = 'te-maya/Maya'", "is not a route"),
            ("[voices]\n'Ananya.te' = 1", "voices must be a table"),
            ("packs-threads = 0", "packs-threads"),
            ("liston = '0.0.0.0:9000'", "liston"),
            ("listen = 'localhost'", "listen"),
            ("max-streams = -1", "max-streams"),
            ("max-speeches = 0", "max-speeches"),
            ("tls-cert = 'a.pem'", "tls-key"),
            ("tls-key = 'a.key'", "tls-cert"),
            ("tls-cert = 'a.pem'\ntls-key = 'a.key'\ntls-self-signed = true", "tls-self-signed"),
            ("trust-proxy = 'proxy.example'", "proxy.example"),
            ("open-playground = 0", "at least 1"),
            ("open-playground = 'yes'", "open-playground"),
            ("voice-aliases = 'anushka'", "anushka"),
            ("first-key = 'nine'", "first-key must be print, none or a file"),
            ("database = 'mysql://a@b/c'", "database: must begin with postgres://"),
            ("database-direct = 'postgres://a@b/c'", "database-direct needs database"),
            ("database = 'postgres://a@b/c'\ndatabase-direct = 'postgres://a@b/c'", "?pooler=transaction"),
            ("[voice-aliases]\nanushka = 1", "voice-aliases"),
        ] {
            let (_folder, path) = file(text);
            let error = format!("{:#}", Settings::default().complete(Some(&path)).unwrap_err());
            assert!(error.contains(named), "{text}: {error}");
        }
        let error = Settings::default().complete(Some(Path::new("/nowhere/shruti.toml"))).unwrap_err();
        assert!(error.to_string().contains("/nowhere/shruti.toml"), "{error}");
    }
}
