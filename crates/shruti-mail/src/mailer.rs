//! Handing mails in, again where that may help.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::SmtpAddress;
use crate::trouble::{Trouble, TroubleKind};

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Mails that wait or are being handed in; one more is dropped.
const PLACES: usize = 500;
/// Connections to the server at once.
const CONNECTIONS: usize = 4;

/// A mail of plain text.
#[derive(Clone)]
pub struct Mail {
    /// The address of who gets it.
    pub to: String,
    /// One line.
    pub subject: String,
    /// Lines that end with `\n`.
    pub text: String,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mail(…)")
    }
}

/// From whom mails come, and by way of which server.
#[derive(Clone)]
pub struct Sender {
    /// The server.
    pub server: SmtpAddress,
    /// The password of the server's user.
    pub password: Option<String>,
    /// Who stands as the sender: `shruti@example.org`, or `Shruti <shruti@example.org>`.
    pub from: String,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Why no mails can be sent in this way.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The sender's address is none.
    #[error(
        "the sender must be an e-mail address, such as shruti@example.org or Shruti <shruti@example.org>"
    )]
    From,
    /// A user without a password, or a password without a user.
    #[error("a user and a password belong together: both, or neither")]
    Credentials,
    /// Encryption cannot be set up, such as without any certificate that the system trusts.
    #[error("TLS: {0}")]
    Tls(String),
}

/// How often and how long is tried.
#[derive(Clone, Debug)]
pub struct RetryPlan {
    /// How long one try may take.
    pub attempt: Duration,
    /// The pauses before the second try and those after it; then the mail is given up.
    pub pauses: Vec<Duration>,
}

impl Default for RetryPlan {
    /// Five tries within 22 minutes: a link that is sent lives for an hour.
    fn default() -> Self {
        let seconds = [10, 60, 5 * 60, 15 * 60];
        Self { attempt: Duration::from_secs(30), pauses: seconds.map(Duration::from_secs).to_vec() }
    }
}

/// What became of mails since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Taken by the server.
    pub sent: u64,
    /// Refused by the server for good, such as for an address that does not exist.
    pub refused: u64,
    /// Tried once more, after a refusal for now, a broken connection or no answer.
    pub retried: u64,
    /// Given up after the last try.
    pub given_up: u64,
    /// Dropped, because too many waited, or because the end came before.
    pub dropped: u64,
}

/// Sends mails. Clones are one.
#[derive(Clone)]
pub struct Mailer(Arc<Shared>);

struct Shared {
    transport: Transport,
    /// Whether the server is encrypted from the first byte.
    is_wrapped: bool,
    from: Mailbox,
    plan: RetryPlan,
    places: Arc<Semaphore>,
    connections: Semaphore,
    /// Mails that wait or are being handed in.
    deliveries: TaskTracker,
    /// Cancelled when no mail may wait any longer.
    hurried: CancellationToken,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    sent: AtomicU64,
    refused: AtomicU64,
    retried: AtomicU64,
    given_up: AtomicU64,
    dropped: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl fmt::Debug for Mailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Mailer {
    /// A mailer; nothing is connected before the first mail.
    pub fn new(sender: &Sender, plan: RetryPlan) -> Result<Self, MailError> {
        let Sender { server, password, from } = sender;
        let from = from.parse().map_err(|_| MailError::From)?;
        let tls = |error: lettre::transport::smtp::Error| MailError::Tls(error.to_string());
        let builder = if server.is_wrapped {
            Transport::relay(&server.host).map_err(tls)?
        } else if server.is_here() && server.user.is_none() {
            Transport::builder_dangerous(&server.host)
        } else {
            Transport::starttls_relay(&server.host).map_err(tls)?
        };
        let builder = builder.port(server.port).timeout(Some(plan.attempt));
        let builder = match (&server.user, password) {
            (Some(user), Some(password)) => {
                builder.credentials(Credentials::new(user.clone(), password.clone()))
            }
            (None, None) => builder,
            _ => return Err(MailError::Credentials),
        };
        Ok(Self(Arc::new(Shared {
            transport: builder.build(),
            is_wrapped: server.is_wrapped,
            from,
            plan,
            places: Arc::new(Semaphore::new(PLACES)),
            connections: Semaphore::new(CONNECTIONS),
            deliveries: TaskTracker::new(),
            hurried: CancellationToken::new(),
            counters: Counters::default(),
        })))
    }

    /// Sends a mail by and by. Must be called where tokio runs; what waits when that ends is lost, but for what
    /// [`finish`](Self::finish) still sees handed in.
    pub fn send(&self, mail: Mail) {
        let Ok(place) = Arc::clone(&self.0.places).try_acquire_owned() else {
            count(&self.0.counters.dropped);
            tracing::warn!("a mail was dropped: too many wait");
            return;
        };
        let shared = Arc::clone(&self.0);
        self.0.deliveries.spawn(async move {
            shared.deliver(&mail).await;
            drop(place);
        });
    }

    /// Tries the server without sending anything: the connection, encryption, its greeting, the login.
    pub async fn check(&self, within: Duration) -> Result<(), Trouble> {
        match timeout(within, self.0.transport.test_connection()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(Trouble::of(&error, self.0.is_wrapped)),
            Err(_) => Err(Trouble::silent()),
        }
    }

    /// Ends all pauses: a mail that waits to be tried again is tried now, and after that no more.
    pub fn hurry(&self) {
        self.0.hurried.cancel();
    }

    /// [Hurries](Self::hurry), waits until no mail is left, or until a time, and says how many were dropped then. No mail
    /// may be sent afterwards.
    pub async fn finish(&self, until: Instant) -> u64 {
        self.hurry();
        let deliveries = &self.0.deliveries;
        deliveries.close();
        if timeout_at(until, deliveries.wait()).await.is_ok() {
            return 0;
        }
        let left = deliveries.len() as u64;
        self.0.counters.dropped.fetch_add(left, Ordering::Relaxed);
        tracing::error!(mails = left, "mails were dropped: the mail server did not take them before the end");
        left
    }

    /// What became of mails so far.
    pub fn counts(&self) -> Counts {
        let counters = &self.0.counters;
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            sent: get(&counters.sent),
            refused: get(&counters.refused),
            retried: get(&counters.retried),
            given_up: get(&counters.given_up),
            dropped: get(&counters.dropped),
        }
    }
}

/// What came of one try.
enum Tried {
    Sent,
    /// It would come to the same again.
    Refused(String),
    /// Perhaps later.
    NotNow(String),
}

impl Shared {
    async fn deliver(&self, mail: &Mail) {
        let Some(message) = self.message(mail) else {
            count(&self.counters.refused);
            tracing::error!("a mail could not be written: its address is none for mails");
            return;
        };
        let mut pauses = self.plan.pauses.iter();
        loop {
            // looked at before the try: one whose pause was cut short has one more
            let is_last = self.hurried.is_cancelled();
            match self.attempt(message.clone()).await {
                Tried::Sent => return count(&self.counters.sent),
                Tried::Refused(why) => {
                    count(&self.counters.refused);
                    tracing::warn!(why, "the mail server refused a mail");
                    return;
                }
                Tried::NotNow(why) => {
                    let Some(pause) = pauses.next().filter(|_| !is_last) else {
                        count(&self.counters.given_up);
                        tracing::error!(why, "a mail was given up: the mail server did not take it");
                        return;
                    };
                    count(&self.counters.retried);
                    tracing::warn!(why, again_in = ?pause, "the mail server did not take a mail");
                    tokio::select! {
                        () = sleep(*pause) => {}
                        () = self.hurried.cancelled() => {}
                    }
                }
            }
        }
    }

    async fn attempt(&self, message: Message) -> Tried {
        // never closed
        let _connection = self.connections.acquire().await;
        match timeout(self.plan.attempt, self.transport.send(message)).await {
            Ok(Ok(_)) => Tried::Sent,
            Ok(Err(error)) => {
                // what the server says may name the address, and so the code stands alone
                let why = match error.status() {
                    Some(code) => format!("it answered {code}"),
                    None => TroubleKind::of(&error, self.is_wrapped).to_string(),
                };
                if error.is_permanent() { Tried::Refused(why) } else { Tried::NotNow(why) }
            }
            Err(_) => Tried::NotNow("it took too long".to_owned()),
        }
    }

    fn message(&self, mail: &Mail) -> Option<Message> {
        let message = Message::builder()
            .from(self.from.clone())
            .to(mail.to.parse().ok()?)
            .subject(&mail.subject)
            .header(AutoSubmitted)
            .message_id(None)
            .header(ContentType::TEXT_PLAIN);
        message.body(mail.text.clone()).ok()
    }
}

/// `Auto-Submitted: auto-generated` (RFC 3834): programs that answer mails leave these alone.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}
