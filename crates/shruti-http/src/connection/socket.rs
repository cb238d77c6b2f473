//! Socket of a connection: a tuned TCP stream, with or without TLS, that reports its reads and writes.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::activity::Activity;

/// Size of the kernel's send buffer, in bytes; the kernel doubles this number. The buffer stores data until the client
/// has acknowledged it.
///
/// The buffer size does not determine how much audio a cancel can still drop; [`NOT_SENT_BYTES`] does. The buffer must
/// be large enough for the first burst of a turn: at a quarter of this size, the many small TLS records filled the
/// buffer, and the response to a cancel waited 40 ms for the client's delayed acknowledgement.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// Number of unsent bytes at which the kernel accepts no more data. A cancel cannot drop these bytes.
#[cfg(target_os = "linux")]
const NOT_SENT_BYTES: u32 = 16 * 1024;

/// Timeout for sending a final response and waiting for the client to close the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of received bytes after which the connection is closed without waiting for the client.
const UNWANTED_BYTES: usize = 1024 * 1024;

/// Configures a TCP stream: small writes are sent immediately, and the kernel buffers only a few unsent bytes.
pub fn tune(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(NOT_SENT_BYTES)?;
    Ok(stream)
}

/// TCP stream that reports encrypted bytes and blocked writes to an [`Activity`].
pub(crate) struct Socket {
    stream: TcpStream,
    activity: Arc<Activity>,
    /// Whether TLS runs over this socket.
    is_sealed: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>, is_sealed: bool) -> Self {
        Self { stream, activity, is_sealed }
    }

    fn poll_try_write(
        &self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            if self.stream.poll_write_ready(context)?.is_pending() {
                self.activity.wrote(false);
                return Poll::Pending;
            }
            match write(&self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => {
                    self.activity.wrote(true);
                    return Poll::Ready(result);
                }
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            // reads into uninitialised memory, because pages that are never written use no physical memory
            match self.stream.try_read_buf(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(read) => {
                    if self.is_sealed {
                        self.activity.received(read);
                    }
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_try_write(context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_try_write(context, |stream| stream.try_write_vectored(slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match SockRef::from(&self.stream).shutdown(std::net::Shutdown::Write) {
            // the peer closed the connection first
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            result => Poll::Ready(result),
        }
    }
}

/// A [`Socket`] with or without TLS.
enum Layers {
    Plain(Socket),
    // boxed because the TLS state is large
    Secure(Box<TlsStream<Socket>>),
}

/// Byte stream that HTTP reads from and writes to. It reports every read to an [`Activity`]. Clones share the
/// connection, so that a final response can be sent after HTTP has ended.
#[derive(Clone)]
pub(super) struct Wire {
    layers: Arc<Mutex<Layers>>,
    activity: Arc<Activity>,
}

impl Wire {
    pub(super) fn plain(socket: Socket) -> Self {
        let activity = Arc::clone(&socket.activity);
        Self { layers: Arc::new(Mutex::new(Layers::Plain(socket))), activity }
    }

    pub(super) fn secure(stream: TlsStream<Socket>) -> Self {
        let activity = Arc::clone(&stream.get_ref().0.activity);
        Self { layers: Arc::new(Mutex::new(Layers::Secure(Box::new(stream)))), activity }
    }

    /// Sends a final response after HTTP has ended, and closes the connection. The write side is closed first, so that
    /// bytes that the client still sends do not destroy the response.
    pub(super) async fn send_final_response(&self, word: &[u8]) {
        let _ = timeout(CLOSE_TIMEOUT, async {
            let mut rest = word;
            while !rest.is_empty() {
                let written = poll_fn(|context| self.layers().stream().poll_write(context, rest)).await?;
                rest = &rest[written..];
            }
            poll_fn(|context| self.layers().stream().poll_flush(context)).await?;
            poll_fn(|context| self.layers().stream().poll_shutdown(context)).await?;
            let (mut unwanted, mut total) = ([0; 4096], 0);
            while total < UNWANTED_BYTES {
                let mut buffer = ReadBuf::new(&mut unwanted);
                poll_fn(|context| self.layers().stream().poll_read(context, &mut buffer)).await?;
                match buffer.filled().len() {
                    0 => break,
                    read => total += read,
                }
            }
            Ok::<_, io::Error>(())
        })
        .await;
    }

    fn layers(&self) -> MutexGuard<'_, Layers> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

trait ByteStream: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> ByteStream for S {}

impl Layers {
    fn stream(&mut self) -> Pin<&mut dyn ByteStream> {
        match self {
            Self::Plain(socket) => Pin::new(socket),
            Self::Secure(stream) => Pin::new(&mut **stream),
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.activity.reads();
        let before = buffer.filled().len();
        ready!(self.layers().stream().poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        if !read.is_empty() {
            self.activity.read(read);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.activity.withholds() {
            return Poll::Ready(Ok(bytes.len()));
        }
        self.layers().stream().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.activity.withholds() {
            return Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()));
        }
        self.layers().stream().poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.layers().stream().poll_flush(context))?;
        self.activity.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.activity.has_withheld() {
            // not shut down yet, because a final response follows
            return Poll::Ready(Ok(()));
        }
        self.layers().stream().poll_shutdown(context)
    }
}
