//! What an operator can set.

mod clips;
mod hosts;
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

pub use clips::ClipsConfig;
pub use hosts::HostStanding;
pub use hosts::{HostNames, Hosts, NotHostNames};
pub use lexicon::ServerLexicon;
pub use mail::MailConfig;
pub use open_playground::{OpenPlayground, Visitors};
pub use traces::TracesConfig;
pub use voice_aliases::{NotVoiceAliases, VoiceAliases};
pub use wyoming::WyomingConfig;

/// Limits and times of a server. [`Config::default`] is what the documentation promises.
#[derive(Clone, Debug)]
pub struct Config {
    /// Streams at once, over all keys; one more gets `503 overloaded`.
    pub max_streams: usize,
    /// How many servers share the store, and requests among them: each allows its share of a key's limits.
    pub servers: NonZero<u32>,
    /// Open connections; one more is closed at once.
    pub max_connections: usize,
    /// Open connections of one IPv4 address or IPv6 /64; an IPv6 /48 may have twice as many. This machine and trusted
    /// proxies, who speak for many, may have all.
    pub max_connections_per_address: usize,
    /// Bytes of unread request heads and bodies and of responses that wait for their readers, over all connections; one
    /// more ends the connection whose bytes have not moved for the longest time.
    pub max_unfinished_bytes: usize,
    /// TLS handshakes at once; one more ends the oldest.
    pub max_handshakes: usize,
    /// HTTPS and WSS instead of plain HTTP.
    pub tls: Option<Tls>,
    /// Whether browsers that have seen the Studio shall come back over HTTPS alone, for half a year. It holds for the
    /// whole host, whatever else runs there on other ports.
    pub strict_transport: bool,
    /// Lets visitors who are not signed in speak in the Studio's playground. Closed by default.
    pub open_playground: Option<OpenPlayground>,
    /// Hosts that requests may name.
    pub hosts: Hosts,
    /// Whose word about the client's address and scheme is taken.
    pub trusted_proxies: Networks,
    /// Who may read `/metrics`; this machine alone by default.
    pub metrics_for: Networks,
    /// Readings of words for every request; what a request gives itself comes before them.
    pub lexicon: ServerLexicon,
    /// Names by which clients of other speech APIs may call the voices, beside the voices' own.
    pub voice_aliases: VoiceAliases,
    /// How mails are sent; none are by default.
    pub mail: Option<MailConfig>,
    /// Clips by URL, and the cache of rendered clips.
    pub clips: ClipsConfig,
    /// How requests and turns are traced; they are not by default.
    pub traces: Option<TracesConfig>,
    /// The Wyoming protocol; off by default.
    pub wyoming: Option<WyomingConfig>,
    /// How long things may take.
    pub timeouts: Timeouts,
}

/// How long things may take before they are given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the opening of a connection to the end of its TLS handshake.
    pub handshake: Duration,
    /// From the first byte of a request's head to its last; also from the opening of a connection, or the end of its
    /// handshake, to the end of its first head.
    pub head: Duration,
    /// From the head's last byte to the body's.
    pub body: Duration,
    /// Between two requests of one connection.
    pub idle: Duration,
    /// From the admission of a clip to its first audible sample.
    pub first_audio: Duration,
    /// For the rest of a short clip whose form has a length, before it is sent without that.
    pub whole_clip: Duration,
    /// Without a byte taken by a client that has audio to take.
    pub stalled_reader: Duration,
    /// For characters that the store lends to a key before its first sound; then they are spoken on credit.
    pub draw: Duration,
    /// From the shutdown signal to the end of the last running clip.
    pub drain: Duration,
    /// From the shutdown signal to the last try to send a mail that waits; what has not gone by then is dropped.
    pub mails: Duration,
}

impl Config {
    /// Whether connections from an address count against a share of its own.
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
    /// Those of connections.
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
