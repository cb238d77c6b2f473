//! Transport for a conversation.

use std::future::Future;

use futures_util::{Sink, Stream};
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A bidirectional message connection: a WebSocket, or a transport that behaves like one.
pub trait Transport:
    Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin + 'static
{
    /// Sends the last messages and the reason for the close, and ends the connection. Implementations wait only a
    /// limited time for the client to close.
    fn close(self, words: Vec<Message>, frame: CloseFrame) -> impl Future<Output = ()> + Send;

    /// Ends a connection that the client has closed.
    fn answer_close(self) -> impl Future<Output = ()> + Send;
}
