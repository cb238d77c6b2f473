//! Handshakes: bounded in number and time, and words for those who speak plain HTTP.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_protocol::{ApiError, ErrorCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::Tls;
use crate::connection::{Socket, answer_by_hand};

/// How much encrypted sound may wait in this process for a slow reader, beside what the kernel holds: 85 ms. It is
/// also the size of the largest record, and a client can use none of a record before it has the whole.
const BUFFER_BYTES: usize = 4 * 1024;

/// How much of a plain request is read and thrown away, so that its sender gets to read the answer.
const MOST_DISCARDED: u64 = 64 * 1024;

/// Why there is no TLS.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The client spoke plain HTTP and was told.
    PlainHttp,
    /// It broke.
    Broken(io::Error),
}

/// Waits for a client's first byte and receives it.
pub(crate) async fn shake_hands(
    tls: &Tls,
    mut stream: TcpStream,
    wrap: impl FnOnce(TcpStream) -> Socket,
) -> Result<TlsStream<Socket>, Failed> {
    let mut first = [0];
    let peeked = stream.peek(&mut first).await.map_err(Failed::Broken)?;
    // a handshake begins with 0x16, each method of HTTP with a letter
    if peeked > 0 && first[0].is_ascii_uppercase() {
        refuse(&mut stream).await.map_err(Failed::Broken)?;
        return Err(Failed::PlainHttp);
    }
    TlsAcceptor::from(Arc::clone(tls.config()))
        .accept_with(wrap(stream), |connection| connection.set_buffer_limit(Some(BUFFER_BYTES)))
        .await
        .map_err(Failed::Broken)
}

/// Answers plain HTTP.
async fn refuse(stream: &mut TcpStream) -> io::Result<()> {
    let error = ApiError::new(ErrorCode::HttpsRequired, "this port speaks HTTPS; use https:// or wss://");
    stream.write_all(&answer_by_hand(error)).await?;
    stream.shutdown().await?;
    // a socket that is closed with bytes unread takes the answer back
    let mut rest = stream.take(MOST_DISCARDED);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.map(drop)
}

/// The handshakes that are going on. One more than may ends the oldest: clients that take their time make room
/// for those that do not.
#[derive(Debug)]
pub(crate) struct Handshakes {
    most: usize,
    going_on: Mutex<GoingOn>,
}

#[derive(Debug, Default)]
struct GoingOn {
    begun: u64,
    by_age: BTreeMap<u64, CancellationToken>,
}

/// A place among the handshakes, until dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    handshakes: &'a Handshakes,
    number: u64,
    lost: CancellationToken,
}

impl Handshakes {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, going_on: Mutex::default() }
    }

    pub(crate) fn begin(&self) -> Place<'_> {
        let lost = CancellationToken::new();
        let mut going_on = self.going_on();
        if going_on.by_age.len() >= self.most
            && let Some((_, oldest)) = going_on.by_age.pop_first()
        {
            oldest.cancel();
        }
        let number = going_on.begun;
        going_on.begun += 1;
        going_on.by_age.insert(number, lost.clone());
        Place { handshakes: self, number, lost }
    }

    fn going_on(&self) -> MutexGuard<'_, GoingOn> {
        self.going_on.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Waits until the place is someone else's.
    pub(crate) async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.handshakes.going_on().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let handshakes = Handshakes::new(2);
        let places = [handshakes.begin(), handshakes.begin()];
        drop(handshakes.begin());
        assert_eq!(places.each_ref().map(|place| place.lost.is_cancelled()), [true, false]);
        let third = handshakes.begin();
        assert!(!places[1].lost.is_cancelled(), "the one before has ended");
        drop(places);
        let _fourth = handshakes.begin();
        assert!(!third.lost.is_cancelled());
        assert_eq!(handshakes.going_on().by_age.len(), 2);
    }
}
