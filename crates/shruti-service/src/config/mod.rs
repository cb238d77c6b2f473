//! Settings of the operator.

mod clips;
mod lexicon;
mod mail;
mod open_playground;
mod traces;
mod voice_aliases;
mod wyoming;

use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use shruti_http::{ConnectionTimeouts, Networks, Tls};

use crate::http::Hosts;

pub use clips::ClipsConfig;
pub use lexicon::ServerLexicon;
pub use mail::MailConfig;
pub use open_playground::{OpenPlayground, Visitors};
pub use traces::TracesConfig;
pub use voice_aliases::{InvalidVoiceAliases, VoiceAliases};
pub use wyoming::WyomingConfig;

/// Settings of a server. [`Config::default`] returns the documented defaults.
#[derive(Clone, Debug)]
pub struct Config {
    /// Maximum number of concurrent streams of all keys together. Further requests get `503 overloaded`.
    pub max_streams: usize,
    /// Number of servers that share the store and the load. Each server applies its share of a key's limits.
    pub servers: NonZero<u32>,
    /// Maximum number of open connections. Further connections are closed immediately.
    pub max_connections: usize,
    /// Maximum number of open connections per IPv4 address or IPv6 /64; an IPv6 /48 may have twice as many. The local
    /// machine and trusted proxies, which represent many clients, are exempt.
    pub max_connections_per_address: usize,
    /// Maximum memory, in bytes, that all connections together use for unread request heads and bodies and for response
    /// data that clients have not read yet. When this limit is exceeded, the connection whose bytes have been idle
    /// longest is closed.
    pub max_unfinished_bytes: usize,
    /// Maximum number of concurrent TLS handshakes. A further handshake aborts the oldest one.
    pub max_handshakes: usize,
    /// TLS settings for HTTPS and WSS; `None` for plain HTTP.
    pub tls: Option<Tls>,
    /// Whether browsers that have visited the Studio must use HTTPS for half a year (HSTS). This applies to the whole
    /// host, including other services on other ports.
    pub strict_transport: bool,
    /// Playground for visitors who are not signed in; disabled by default.
    pub open_playground: Option<OpenPlayground>,
    /// Hosts for which the server accepts requests.
    pub hosts: Hosts,
    /// Proxies whose headers about the client's address and scheme are trusted.
    pub trusted_proxies: Networks,
    /// Networks that may read `/metrics`; only the local machine by default.
    pub metrics_for: Networks,
    /// Pronunciation dictionary for every request. Entries of the request take precedence.
    pub lexicon: ServerLexicon,
    /// Additional names of the voices, for clients of other speech APIs.
    pub voice_aliases: VoiceAliases,
    /// Settings for outgoing email; disabled by default.
    pub mail: Option<MailConfig>,
    /// Signed-URL clips, and the cache of rendered clips.
    pub clips: ClipsConfig,
    /// Tracing of requests and turns; disabled by default.
    pub traces: Option<TracesConfig>,
    /// Wyoming protocol; disabled by default.
    pub wyoming: Option<WyomingConfig>,
    /// Timeouts.
    pub timeouts: Timeouts,
}

/// Timeouts of a server. Each duration is a maximum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Time from accepting a connection to the end of its TLS handshake.
    pub handshake: Duration,
    /// Time from the first to the last byte of a request head. For the first head of a connection, the time starts when
    /// the connection is accepted or its TLS handshake ends.
    pub head: Duration,
    /// Time from the last byte of a request head to the last byte of its body.
    pub body: Duration,
    /// Time between two requests of a connection.
    pub idle: Duration,
    /// Time from the admission of a clip to its first audible sample.
    pub first_audio: Duration,
    /// Time that a response waits for the rest of a signed-URL clip, or of a short clip whose format can state its
    /// length. After that time, the clip is sent without a length.
    pub whole_clip: Duration,
    /// Time for which a client may leave available data unread.
    pub stalled_reader: Duration,
    /// Time that the first audio of a clip or turn waits for the store to grant its characters. After that time, the
    /// characters are granted on credit.
    pub draw: Duration,
    /// Time from the shutdown signal to the end of the last running clip.
    pub drain: Duration,
    /// Time from the shutdown signal to the last attempt to send a pending email. Emails that have not been sent by
    /// then are dropped.
    pub mails: Duration,
}

impl Config {
    /// Returns whether [`max_connections_per_address`](Self::max_connections_per_address) applies to an address.
    pub fn limits_connections_of(&self, address: IpAddr) -> bool {
        !address.is_loopback() && !self.trusted_proxies.include(address)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_streams: 1_000,
            servers: NonZero::<u32>::MIN,
            max_connections: 16_384,
            max_connections_per_address: 4_096,
            max_unfinished_bytes: 48 * 1024 * 1024,
            max_handshakes: 4_096,
            tls: None,
            strict_transport: false,
            open_playground: None,
            hosts: Hosts::default(),
            trusted_proxies: Networks::default(),
            metrics_for: Networks::loopback(),
            lexicon: ServerLexicon::default(),
            voice_aliases: VoiceAliases::default(),
            mail: None,
            clips: ClipsConfig::default(),
            traces: None,
            wyoming: None,
            timeouts: Timeouts::default(),
        }
    }
}

impl Timeouts {
    /// Returns the timeouts of connections.
    pub fn of_connections(&self) -> ConnectionTimeouts {
        let Self { handshake, head, idle, stalled_reader, .. } = *self;
        ConnectionTimeouts { handshake, head, idle, stalled_reader }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        let ConnectionTimeouts { handshake, head, idle, stalled_reader } = ConnectionTimeouts::default();
        Self {
            handshake,
            head,
            body: Duration::from_secs(30),
            idle,
            first_audio: Duration::from_secs(30),
            whole_clip: Duration::from_millis(20),
            stalled_reader,
            draw: Duration::from_millis(100),
            drain: Duration::from_secs(30),
            mails: Duration::from_secs(10),
        }
    }
}
