//! An SMTP server that accepts, delays, rejects and bounces mail as a test requires.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// Reaction to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpReaction {
    /// Accepts the mail.
    Accept,
    /// Rejects the mail temporarily: `451` for its recipient.
    RefuseForNow,
    /// Bounces the mail: `550` for its recipient, in a reply that contains the recipient's address.
    Bounce,
    /// Delays the greeting until [`SmtpServer::continue_waiting`].
    Wait,
    /// Closes the connection in the middle of the mail.
    HangUp,
    /// Rejects every login: `535`.
    RefuseLogin,
    /// Rejects the connection: `554` instead of a greeting.
    RejectConnection,
    /// Responds in HTTP instead of SMTP.
    SpeakHttp,
}

/// A received mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedMail {
    /// Recipient in the envelope.
    pub to: String,
    /// Headers and decoded body, with lines that end in `\n`.
    pub text: String,
}

/// A running server. It stops when this value is dropped.
#[derive(Debug)]
pub struct SmtpServer {
    /// Listen address.
    pub address: SocketAddr,
    reactions: Arc<Mutex<VecDeque<SmtpReaction>>>,
    released: Arc<Semaphore>,
    taken: tokio::sync::Mutex<mpsc::UnboundedReceiver<ReceivedMail>>,
    connected: tokio::sync::Mutex<mpsc::UnboundedReceiver<SmtpReaction>>,
    accepting: JoinHandle<()>,
}

impl SmtpServer {
    /// Starts a server that reacts to its first connections with `reactions`, one each, and accepts all mail on
    /// later connections.
    pub async fn start(reactions: impl IntoIterator<Item = SmtpReaction>) -> Self {
        Self::start_with(None, reactions).await
    }

    /// Starts a server like [`SmtpServer::start`], but with TLS from the first byte and with logins.
    pub async fn start_encrypted(
        tls: ServerConfig,
        reactions: impl IntoIterator<Item = SmtpReaction>,
    ) -> Self {
        Self::start_with(Some(TlsAcceptor::from(Arc::new(tls))), reactions).await
    }

    async fn start_with(tls: Option<TlsAcceptor>, reactions: impl IntoIterator<Item = SmtpReaction>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let reactions = Arc::new(Mutex::new(reactions.into_iter().collect::<VecDeque<_>>()));
        let released = Arc::new(Semaphore::new(0));
        let (take, received) = mpsc::unbounded_channel();
        let (connect, connected) = mpsc::unbounded_channel();
        let (of_task, of_task_released) = (Arc::clone(&reactions), Arc::clone(&released));
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let reaction = of_task.lock().unwrap().pop_front().unwrap_or(SmtpReaction::Accept);
                let (take, released, tls) = (take.clone(), Arc::clone(&of_task_released), tls.clone());
                let _ = connect.send(reaction);
                tokio::spawn(async move {
                    // an error means that the client closed the connection, for example because it does not trust the
                    // certificate
                    let _ = match tls {
                        None => converse(stream, reaction, &released, &take).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => converse(stream, reaction, &released, &take).await,
                            Err(error) => Err(error),
                        },
                    };
                });
            }
        });
        Self { address, reactions, released, taken: received.into(), connected: connected.into(), accepting }
    }

    /// Returns the URL of the server, as a value for `--smtp`.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Adds reactions to further connections, after the remaining reactions.
    pub fn then(&self, reactions: impl IntoIterator<Item = SmtpReaction>) {
        self.reactions.lock().unwrap().extend(reactions);
    }

    /// Lets one waiting connection continue.
    pub fn continue_waiting(&self) {
        self.released.add_permits(1);
    }

    /// Waits for the next mail and returns it.
    pub async fn next_mail(&self) -> ReceivedMail {
        let next = async { self.taken.lock().await.recv().await.unwrap() };
        tokio::time::timeout(crate::server::PATIENCE, next).await.expect("no mail arrived")
    }

    /// Returns `true` if a mail has been received and not yet returned.
    pub async fn has_mail(&self) -> bool {
        !self.taken.lock().await.is_empty()
    }

    /// Waits for the next connection and returns the reaction to it.
    pub async fn next_connection(&self) -> SmtpReaction {
        let next = async { self.connected.lock().await.recv().await.unwrap() };
        tokio::time::timeout(crate::server::PATIENCE, next).await.expect("nobody connected")
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite,
    reaction: SmtpReaction,
    released: &Semaphore,
    take: &mpsc::UnboundedSender<ReceivedMail>,
) -> std::io::Result<()> {
    let (reading, mut writing) = tokio::io::split(stream);
    let mut lines = BufReader::new(reading).lines();
    if reaction == SmtpReaction::Wait {
        // the semaphore is never closed
        released.acquire().await.unwrap().forget();
    }
    let greeting = match reaction {
        SmtpReaction::RejectConnection => "554 no mails here\r\n",
        SmtpReaction::SpeakHttp => "HTTP/1.1 400 Bad Request\r\n\r\n",
        _ => "220 test ESMTP\r\n",
    };
    writing.write_all(greeting.as_bytes()).await?;
    let mut to = String::new();
    while let Some(line) = lines.next_line().await? {
        let command = line.to_ascii_uppercase();
        let answer = if command.starts_with("EHLO") {
            "250-test\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n".to_owned()
        } else if command.starts_with("AUTH") {
            match reaction {
                SmtpReaction::RefuseLogin => "535 5.7.8 no such user, or not this password\r\n".to_owned(),
                _ => "235 come in\r\n".to_owned(),
            }
        } else if command.starts_with("RCPT TO:") {
            to = line["RCPT TO:".len()..].trim_matches(['<', '>', ' ']).to_owned();
            match reaction {
                SmtpReaction::RefuseForNow => "451 try again later\r\n".to_owned(),
                SmtpReaction::Bounce => format!("550 5.1.1 <{to}>: no such user\r\n"),
                _ => "250 ok\r\n".to_owned(),
            }
        } else if command == "DATA" {
            if reaction == SmtpReaction::HangUp {
                return Ok(());
            }
            writing.write_all(b"354 go on\r\n").await?;
            let mut text = String::new();
            while let Some(line) = lines.next_line().await? {
                if line == "." {
                    break;
                }
                text.push_str(line.strip_prefix('.').unwrap_or(&line));
                text.push('\n');
            }
            let _ = take.send(ReceivedMail { to: to.clone(), text: decoded(text) });
            "250 taken\r\n".to_owned()
        } else if command == "QUIT" {
            writing.write_all(b"221 bye\r\n").await?;
            return Ok(());
        } else {
            "250 ok\r\n".to_owned()
        };
        writing.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// Decodes the body of a mail (quoted-printable: RFC 2045, §6.7).
fn decoded(text: String) -> String {
    if !text.contains("Content-Transfer-Encoding: quoted-printable") {
        return text;
    }
    let (head, body) = text.split_once("\n\n").unwrap();
    let mut bytes = Vec::new();
    let mut rest = body.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'=', [b'\n', after @ ..]) => rest = after,
            (b'=', [high, low, after @ ..]) => {
                let pair = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
                rest = after;
            }
            _ => bytes.push(byte),
        }
    }
    format!("{head}\n\n{}", String::from_utf8(bytes).unwrap())
}
