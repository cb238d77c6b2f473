//! Mail delivery with retries.

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
use crate::server_error::{MailServerError, MailServerErrorKind};

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Maximum number of emails that are queued or being delivered; further emails are dropped.
const QUEUE_CAPACITY: usize = 500;
/// Maximum number of concurrent connections to the server.
const CONNECTIONS: usize = 4;

/// A plain-text email.
#[derive(Clone)]
pub struct Mail {
    /// Address of the recipient.
    pub to: String,
    /// Subject, a single line.
    pub subject: String,
    /// Text; lines end with `\n`.
    pub text: String,
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mail(…)")
    }
}

/// Settings of the sender: its address, and the server that delivers the emails.
#[derive(Clone)]
pub struct Sender {
    /// SMTP server.
    pub server: SmtpAddress,
    /// Password for the user in the server's address; `None` if the address contains no user.
    pub password: Option<String>,
    /// Address of the sender: `shruti@example.org`, or `Shruti <shruti@example.org>`.
    pub from: String,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Error in the configuration of a sender.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The sender's address is not valid.
    #[error(
        "the sender must be an e-mail address, such as shruti@example.org or Shruti <shruti@example.org>"
    )]
    From,
    /// There is a user without a password, or a password without a user.
    #[error("a user requires a password, and a password requires a user")]
    Credentials,
    /// TLS cannot be initialised, for example because the system trusts no certificate.
    #[error("TLS: {0}")]
    Tls(String),
}

/// Retry schedule.
#[derive(Clone, Debug)]
pub struct RetryPlan {
    /// Timeout for one attempt.
    pub attempt: Duration,
    /// Delays before the second and later attempts. The email is given up if the attempt after the last delay fails.
    pub pauses: Vec<Duration>,
}

impl Default for RetryPlan {
    /// Returns a schedule of five attempts with delays of 21 minutes in total, because the links in the emails are
    /// valid for one hour.
    fn default() -> Self {
        let seconds = [10, 60, 5 * 60, 15 * 60];
        Self { attempt: Duration::from_secs(30), pauses: seconds.map(Duration::from_secs).to_vec() }
    }
}

/// Delivery counters since the creation of the mailer: emails by outcome, and retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Emails that the server accepted.
    pub sent: u64,
    /// Emails that the server rejected permanently, for example because an address does not exist, and emails with an
    /// invalid address.
    pub refused: u64,
    /// Retries after a temporary rejection, a broken connection or a timeout.
    pub retried: u64,
    /// Emails that were given up after the last attempt.
    pub given_up: u64,
    /// Emails that were dropped because the queue was full or this process shut down.
    pub dropped: u64,
}

/// Background sender of emails. Clones share the queue and the connections.
#[derive(Clone)]
pub struct Mailer(Arc<Shared>);

struct Shared {
    transport: Transport,
    /// `true` if the connection uses implicit TLS.
    has_implicit_tls: bool,
    from: Mailbox,
    plan: RetryPlan,
    slots: Arc<Semaphore>,
    connections: Semaphore,
    /// One task for each email that is queued or being delivered.
    deliveries: TaskTracker,
    /// Cancelled at shutdown, so that emails no longer wait for a retry.
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
    /// Creates a mailer. It connects to the server when the first email is sent, or in [`check`](Self::check).
    pub fn new(sender: &Sender, plan: RetryPlan) -> Result<Self, MailError> {
        let Sender { server, password, from } = sender;
        let from = from.parse().map_err(|_| MailError::From)?;
        let tls = |error: lettre::transport::smtp::Error| MailError::Tls(error.to_string());
        let builder = if server.has_implicit_tls {
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
            has_implicit_tls: server.has_implicit_tls,
            from,
            plan,
            slots: Arc::new(Semaphore::new(QUEUE_CAPACITY)),
            connections: Semaphore::new(CONNECTIONS),
            deliveries: TaskTracker::new(),
            hurried: CancellationToken::new(),
            counters: Counters::default(),
        })))
    }

    /// Queues an email for delivery, or drops it if the queue is full. Must be called within a tokio runtime.
    /// Undelivered emails are lost when the runtime ends, so call [`finish`](Self::finish) first.
    pub fn send(&self, mail: Mail) {
        let Ok(place) = Arc::clone(&self.0.slots).try_acquire_owned() else {
            count(&self.0.counters.dropped);
            tracing::warn!("a mail was dropped because the queue is full");
            return;
        };
        let shared = Arc::clone(&self.0);
        self.0.deliveries.spawn(async move {
            shared.deliver(&mail).await;
            drop(place);
        });
    }

    /// Tests the connection, TLS, the greeting and the login, without sending an email. Fails if the test takes longer
    /// than `within`.
    pub async fn check(&self, within: Duration) -> Result<(), MailServerError> {
        match timeout(within, self.0.transport.test_connection()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(MailServerError::of(&error, self.0.has_implicit_tls)),
            Err(_) => Err(MailServerError::silent()),
        }
    }

    /// Ends all retry delays: each email that is waiting for a retry gets one more attempt and is given up if that
    /// attempt fails.
    pub fn stop_waiting(&self) {
        self.0.hurried.cancel();
    }

    /// [Ends all retry delays](Self::stop_waiting) and waits until all emails are processed, but at most until `until`.
    /// Returns the number of emails that were dropped. Do not call [`send`](Self::send) afterwards.
    pub async fn finish(&self, until: Instant) -> u64 {
        self.stop_waiting();
        let deliveries = &self.0.deliveries;
        deliveries.close();
        if timeout_at(until, deliveries.wait()).await.is_ok() {
            return 0;
        }
        let left = deliveries.len() as u64;
        self.0.counters.dropped.fetch_add(left, Ordering::Relaxed);
        tracing::error!(
            mails = left,
            "mails were dropped at shutdown because the mail server had not accepted them in time"
        );
        left
    }

    /// Returns the current counters.
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

/// Result of one attempt.
enum AttemptResult {
    Sent,
    /// Permanent failure.
    Permanent(String),
    /// Temporary failure.
    Temporary(String),
}

impl Shared {
    async fn deliver(&self, mail: &Mail) {
        let Some(message) = self.message(mail) else {
            count(&self.counters.refused);
            tracing::error!("a mail could not be created because its address is not valid");
            return;
        };
        let mut pauses = self.plan.pauses.iter();
        loop {
            // read before the attempt, so that an email whose delay was cut short gets one more attempt
            let is_last = self.hurried.is_cancelled();
            match self.attempt(message.clone()).await {
                AttemptResult::Sent => return count(&self.counters.sent),
                AttemptResult::Permanent(why) => {
                    count(&self.counters.refused);
                    tracing::warn!(why, "the mail server rejected a mail");
                    return;
                }
                AttemptResult::Temporary(why) => {
                    let Some(pause) = pauses.next().filter(|_| !is_last) else {
                        count(&self.counters.given_up);
                        tracing::error!(why, "a mail was given up because the mail server did not accept it");
                        return;
                    };
                    count(&self.counters.retried);
                    tracing::warn!(why, again_in = ?pause, "the mail server did not accept a mail; it will be retried");
                    tokio::select! {
                        () = sleep(*pause) => {}
                        () = self.hurried.cancelled() => {}
                    }
                }
            }
        }
    }

    async fn attempt(&self, message: Message) -> AttemptResult {
        // the semaphore is never closed
        let _connection = self.connections.acquire().await;
        match timeout(self.plan.attempt, self.transport.send(message)).await {
            Ok(Ok(_)) => AttemptResult::Sent,
            Ok(Err(error)) => {
                // the server's text may contain the email address, so only the status code is used
                let why = match error.status() {
                    Some(code) => format!("it responded with {code}"),
                    None => MailServerErrorKind::of(&error, self.has_implicit_tls).to_string(),
                };
                if error.is_permanent() {
                    AttemptResult::Permanent(why)
                } else {
                    AttemptResult::Temporary(why)
                }
            }
            Err(_) => AttemptResult::Temporary("it timed out".to_owned()),
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

/// The header `Auto-Submitted: auto-generated` (RFC 3834), which prevents automatic replies.
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
