//! A TCP proxy that can delay, cut and discard data.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Behaviour of a [`Proxy`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Passage {
    /// Forwards all data.
    #[default]
    Open,
    /// Forwards all data with this delay in each direction.
    Slow(Duration),
    /// Closes all connections, and closes new ones immediately.
    Closed,
    /// Accepts data but forwards nothing.
    Silent,
    /// Forwards data to the server, but closes the connection instead of returning the response to the first message
    /// that contains this text. The server processes the message; only the response is lost.
    LoseAnswerTo(&'static str),
}

/// A proxy on port 0. Its connections end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    passage: watch::Sender<Passage>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy in front of a server.
    pub async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (passage, seen) = watch::channel(Passage::Open);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let mut passage = seen.clone();
                tokio::spawn(async move {
                    let mut closed = passage.clone();
                    tokio::select! {
                        _ = relay(client, server, &mut passage) => {}
                        // this fails if the proxy has been dropped; the connection then also ends
                        _ = closed.wait_for(|passage| *passage == Passage::Closed) => {}
                    }
                });
            }
        });
        Self { address, passage, accepting }
    }

    /// Returns the listen address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the behaviour of new and open connections.
    pub fn set(&self, passage: Passage) {
        self.passage.send_replace(passage);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.passage.send_replace(Passage::Closed);
    }
}

async fn relay(
    client: TcpStream,
    server: SocketAddr,
    passage: &mut watch::Receiver<Passage>,
) -> std::io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (lost, is_lost) = watch::channel(false);
    let up = pass(from_client, to_server, passage.clone(), Some(lost), None);
    let down = pass(from_server, to_client, passage.clone(), None, Some(is_lost));
    tokio::try_join!(up, down)?;
    Ok(())
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut passage: watch::Receiver<Passage>,
    lost: Option<watch::Sender<bool>>,
    is_lost: Option<watch::Receiver<bool>>,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 64 * 1_024];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 || is_lost.as_ref().is_some_and(|lost| *lost.borrow()) {
            // the error also ends the other direction
            return Err(std::io::ErrorKind::ConnectionReset.into());
        }
        let now = passage.borrow_and_update().clone();
        match now {
            Passage::Slow(delay) => tokio::time::sleep(delay).await,
            Passage::Silent => {
                let _ = passage.wait_for(|passage| *passage != Passage::Silent).await;
            }
            Passage::LoseAnswerTo(text) => {
                let holds = bytes[..read].windows(text.len()).any(|window| window == text.as_bytes());
                if let Some(lost) = lost.as_ref().filter(|_| holds) {
                    lost.send_replace(true);
                }
            }
            Passage::Open | Passage::Closed => {}
        }
        to.write_all(&bytes[..read]).await?;
    }
}
