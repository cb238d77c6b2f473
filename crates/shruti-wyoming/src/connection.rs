//! Adapter between the events of a TCP connection and the messages of a conversation.
//!
//! Each event from the client becomes a text message that contains the event as JSON. Messages from the dialect are
//! sent to the client unchanged.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::{Sink, Stream};
use serde_json::{Value, json};
use shruti_clock::{Alarm, Clock};
use shruti_protocol::ApiError;
use shruti_service::synthesis::conversation::{Transport, end_stream};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::decoder::{Decoder, Event};

/// Size of the read buffer, in bytes.
const READ_BYTES: usize = 4 * 1024;
/// Timeout for sending the last events and waiting until the client closes the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Connection of a client.
pub(crate) struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    /// `true` after an event could not be parsed; later input is discarded.
    is_malformed: bool,
    /// Monotonic time at which the incomplete event began.
    began: Option<Duration>,
    /// Maximum time from the first to the last byte of an event.
    patience: Duration,
    clock: Arc<dyn Clock>,
    alarm: Alarm,
    /// Bytes that have not been written to the socket yet.
    unsent: Bytes,
    /// `true` if a ping must be answered with a pong. The connection itself creates the pong, because the protocol has
    /// no ping from the server to the client.
    is_pinged: bool,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, clock: Arc<dyn Clock>, patience: Duration) -> Self {
        Self {
            stream,
            decoder: Decoder::default(),
            is_malformed: false,
            began: None,
            patience,
            alarm: Alarm::new(Arc::clone(&clock)),
            clock,
            unsent: Bytes::new(),
            is_pinged: false,
        }
    }

    /// Sends an error to the client and closes the connection.
    pub(crate) async fn refuse(mut self, error: &ApiError) {
        self.say_and_end([error_event(error)]).await;
    }

    /// Completes when the incomplete event has exceeded its maximum time.
    fn poll_patience(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.decoder.is_inside() {
            self.began = None;
            return Poll::Pending;
        }
        let began = *self.began.get_or_insert_with(|| self.clock.now().monotonic);
        self.alarm.poll(began + self.patience, context)
    }

    /// Reads more bytes. Returns `false` at the end of the stream.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut bytes = [0; READ_BYTES];
        let mut buffer = ReadBuf::new(&mut bytes);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
        if !self.is_malformed {
            self.decoder.push(buffer.filled());
        }
        Poll::Ready(Ok(!buffer.filled().is_empty()))
    }

    async fn say_and_end(&mut self, messages: impl IntoIterator<Item = Message>) {
        let closing = async {
            self.stream.write_all(&std::mem::take(&mut self.unsent)).await?;
            for message in messages {
                self.stream.write_all(&message.into_data()).await?;
            }
            end_stream(&mut self.stream).await;
            io::Result::Ok(())
        };
        // ignore errors and the timeout: the client has disconnected or does not read
        let _ = timeout(CLOSE_TIMEOUT, closing).await;
    }
}

impl Stream for Connection {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let connection = &mut *self;
        if std::mem::take(&mut connection.is_pinged) {
            return Poll::Ready(Some(Ok(Message::Pong(Bytes::new()))));
        }
        loop {
            if !connection.is_malformed {
                match connection.decoder.next() {
                    Ok(Some(event)) => {
                        connection.began = None;
                        return Poll::Ready(Some(Ok(incoming(&event))));
                    }
                    Ok(None) => {}
                    Err(error) => {
                        connection.is_malformed = true;
                        connection.decoder = Decoder::default();
                        return Poll::Ready(Some(Ok(malformed(&error))));
                    }
                }
            }
            if connection.poll_patience(context).is_ready() {
                return Poll::Ready(Some(Err(Error::Io(io::ErrorKind::TimedOut.into()))));
            }
            if !ready!(connection.poll_read(context)).map_err(Error::Io)? {
                return Poll::Ready(None);
            }
        }
    }
}

impl Sink<Message> for Connection {
    type Error = Error;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll_flush(context)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        match message {
            Message::Ping(_) => self.is_pinged = true,
            Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
            message @ (Message::Text(_) | Message::Binary(_)) => self.unsent = message.into_data(),
        }
        Ok(())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let connection = &mut *self;
        while connection.unsent.has_remaining() {
            let written = ready!(Pin::new(&mut connection.stream).poll_write(context, &connection.unsent));
            match written.map_err(Error::Io)? {
                0 => return Poll::Ready(Err(Error::Io(io::ErrorKind::WriteZero.into()))),
                written => connection.unsent.advance(written),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll_flush(context)
    }
}

impl Transport for Connection {
    async fn close(mut self, words: Vec<Message>, _frame: CloseFrame) {
        self.say_and_end(words).await;
    }

    async fn answer_close(mut self) {
        self.say_and_end([]).await;
    }
}

/// Converts an event from the client to a message for the dialect.
fn incoming(event: &Event) -> Message {
    Message::Text(json!({"type": event.kind, "data": event.data}).to_string().into())
}

/// Field that marks a message about an event that could not be parsed. No client can set this field, because
/// [`incoming`] passes on only the type and the data of an event.
pub(crate) const MALFORMED: &str = "malformed";

/// Creates the message for the dialect about an event that could not be parsed.
fn malformed(error: &ApiError) -> Message {
    let error = json!({"code": error.code, "message": error.message});
    Message::Text(json!({MALFORMED: error}).to_string().into())
}

/// Creates an event for the client.
pub(crate) fn outgoing(kind: &str, data: &Value, payload: &[u8]) -> Message {
    let mut header = json!({"type": kind, "data": data});
    if !payload.is_empty() {
        header["payload_length"] = payload.len().into();
    }
    let mut bytes = header.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    Message::Binary(bytes.into())
}

/// Creates the event that reports an error.
pub(crate) fn error_event(error: &ApiError) -> Message {
    outgoing("error", &json!({"text": error.message, "code": error.code}), &[])
}
