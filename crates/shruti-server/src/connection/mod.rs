//! One connection: HTTP/1.1 or HTTP/2 on plain TCP, and the times it may take.

mod activity;
mod socket;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use axum::Router;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use shruti_protocol::{ApiError, ErrorCode};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::request_id::RequestId;
use crate::service;
pub(crate) use activity::{Activity, RequestGuard};
use activity::{Deadline, Overdue};
use socket::Socket;

/// How much of a response waits in this process for a slow reader, beside what the kernel holds; also the largest
/// request head.
const BUFFER_BYTES: usize = 16 * 1024;
/// Streams of one HTTP/2 connection.
const STREAMS_PER_CONNECTION: u32 = 256;

/// How connections end before their time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    /// Finish what runs, take nothing new.
    pub(crate) gracefully: CancellationToken,
    /// Break off.
    pub(crate) now: CancellationToken,
}

/// Serves a connection until it ends.
pub(crate) async fn serve(app: Arc<App>, router: Router, stream: TcpStream, peer: SocketAddr, stop: Stop) {
    let stream = match socket::tune(stream) {
        Ok(stream) => Arc::new(stream),
        Err(error) => {
            tracing::debug!(%peer, %error, "a connection went away at once");
            return;
        }
    };
    let activity = Arc::new(Activity::new(&app.config.timeouts));
    let socket = Socket::new(Arc::clone(&stream), Arc::clone(&activity));
    let service = service_fn({
        let (app, activity) = (Arc::clone(&app), Arc::clone(&activity));
        move |request| {
            let answer = service::serve(Arc::clone(&app), router.clone(), Arc::clone(&activity), request);
            async { Ok::<_, Infallible>(answer.await) }
        }
    });
    let builder = builder();
    let mut connection = pin!(builder.serve_connection_with_upgrades(TokioIo::new(socket), service));
    let mut timer = pin!(sleep_until(Instant::now() + app.config.timeouts.head));
    let mut stop_gracefully = pin!(stop.gracefully.cancelled());
    let mut stop_now = pin!(stop.now.cancelled());
    let mut stopping = false;

    let ended = poll_fn(|context| {
        if stop_now.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ended::Stopped);
        }
        if !stopping && stop_gracefully.as_mut().poll(context).is_ready() {
            stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(result) = connection.as_mut().poll(context) {
            return Poll::Ready(Ended::ByItself(result));
        }
        // what was read or written just now may have moved the deadline
        loop {
            match activity.deadline() {
                Deadline::Over(overdue) => return Poll::Ready(Ended::Overdue(overdue)),
                Deadline::At(deadline) => {
                    if timer.deadline() != deadline {
                        timer.as_mut().reset(deadline);
                    }
                    if timer.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                }
            }
        }
    })
    .await;
    match ended {
        Ended::ByItself(Ok(())) | Ended::Stopped => {}
        Ended::ByItself(Err(error)) => tracing::debug!(%peer, %error, "a connection broke"),
        Ended::Overdue(Overdue::Head) => {
            tracing::debug!(%peer, "a request head did not arrive in time");
            socket::send_at_once(&stream, &timeout_answer());
        }
        Ended::Overdue(overdue) => tracing::debug!(%peer, ?overdue, "a connection was closed"),
    }
}

enum Ended {
    ByItself(Result<(), Box<dyn std::error::Error + Send + Sync>>),
    Overdue(Overdue),
    Stopped,
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // deadlines are kept in `Activity`, for both versions and for the time before the version is known
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .max_send_buf_size(BUFFER_BYTES)
        .max_header_list_size(BUFFER_BYTES as u32)
        .initial_stream_window_size(64 * 1024)
        .initial_connection_window_size(256 * 1024);
    builder
}

/// The answer to a head that did not arrive, where no HTTP machinery is left to write it.
fn timeout_answer() -> Vec<u8> {
    let id = RequestId::new().to_string();
    let error = ApiError::new(ErrorCode::RequestTimeout, "the head of the request did not arrive in time");
    let body = serde_json::to_string(&error.into_body(id.clone())).unwrap_or_default();
    let length = body.len();
    format!(
        "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         x-request-id: {id}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}
