//! Low-level connection of a conversation, without turns and events.

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use shruti_protocol::stream::ClientMessage;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::socket::{self, Socket};
use crate::{Client, Error};

/// WebSocket that passes frames through unchanged after the server's greeting, for measurements. There is no
/// task, no queue and no parsing of messages between the caller and the socket. Turns are not tracked, and a
/// lost connection is not reopened.
#[derive(Debug)]
pub struct Wire(Socket);

/// Serialised message that can be sent many times. It is cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared(Utf8Bytes);

/// Received frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Message from the server, as JSON.
    Message(Bytes),
    /// Samples, signed 16-bit little-endian.
    Audio(Bytes),
}

impl Prepared {
    /// Serialises a message.
    pub fn new(message: &ClientMessage) -> Result<Self, Error> {
        let text = serde_json::to_string(message).map_err(|error| Error::Protocol(error.to_string()))?;
        Ok(Self(text.into()))
    }
}

impl Client {
    /// Opens the connection of a conversation and leaves everything else to the caller; see [`Wire`].
    pub async fn wire(&self) -> Result<Wire, Error> {
        let (socket, _) = socket::open(&self.server).await?;
        Ok(Wire(socket))
    }
}

impl Wire {
    /// Sends a message.
    pub async fn send(&mut self, message: &Prepared) -> Result<(), Error> {
        let sent = self.0.send(Message::Text(message.0.clone())).await;
        sent.map_err(|error| Error::broken(&error))
    }

    /// Returns the next frame, or `None` after an orderly close. This method is cancel safe.
    pub async fn next(&mut self) -> Option<Result<Frame, Error>> {
        loop {
            return match self.0.next().await? {
                Ok(Message::Text(text)) => Some(Ok(Frame::Message(text.into()))),
                Ok(Message::Binary(samples)) => Some(Ok(Frame::Audio(samples))),
                Ok(Message::Close(Some(frame))) if u16::from(frame.code) != 1000 => {
                    Some(Err(Error::Closed { code: frame.code.into(), reason: frame.reason.to_string() }))
                }
                // the library answers pings
                Ok(_) => continue,
                Err(error) => Some(Err(Error::broken(&error))),
            };
        }
    }
}
