//! What a conversation travels on.

use std::future::Future;

use futures_util::{Sink, Stream};
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

/// A connection that carries messages in both directions: a WebSocket, or what does as one would.
pub trait Transport:
    Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin + 'static
{
    /// Sends last messages, says why the connection ends, and ends it. A client that does not end it in time is left.
    fn close(self, words: Vec<Message>, frame: CloseFrame) -> impl Future<Output = ()> + Send;

    /// Ends a connection that the client has closed.
    fn answer_close(self) -> impl Future<Output = ()> + Send;
}
