//! Server for one connection: HTTP/1.1 or HTTP/2 over plain TCP or TLS, with timeouts.

mod activity;
mod counted_body;
mod frames;
mod handshake;
mod raw_answer;
mod socket;
mod streams;
mod upload;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use axum::Router;
use axum::body::Body;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use shruti_protocol::{ApiError, ErrorCode};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::limits::customer;
use crate::peer::Peer;
use crate::plumbing::{ConnectionTimeouts, Plumbing};
use crate::request_body::RequestBody;
use activity::{Activity, Deadline, MissedDeadline, RequestGuard};
use counted_body::CountedBody;
use handshake::{HandshakeError, handshake};
use raw_answer::raw_answer;
pub use socket::tune;
use socket::{Socket, Wire};
use streams::StreamExecutor;
use upload::Upload;

/// Maximum number of response bytes that are buffered in this process for a slow reader, in addition to the kernel's
/// buffer. It is also the maximum size of a request head.
const BUFFER_BYTES: usize = 16 * 1024;
/// Maximum number of concurrent streams of an HTTP/2 connection. RFC 9113, §6.5.2, recommends at least this number.
const STREAMS_PER_CONNECTION: u32 = 100;
/// Maximum number of request body bytes that are buffered for a handler, per stream and per HTTP/2 connection.
const WINDOW_BYTES: u32 = 64 * 1024;

/// Signals that end connections early.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Signal to finish the requests in progress and accept no new ones.
    pub gracefully: CancellationToken,
    /// Signal to close immediately.
    pub now: CancellationToken,
}

/// Serves a connection until it ends.
///
/// `client` is the address whose shares of connections and memory this connection uses, or `None` for a peer without a
/// share.
pub async fn serve(
    plumbing: Arc<Plumbing>,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
    client: Option<IpAddr>,
    stop: Stop,
) {
    let stream = match socket::tune(stream) {
        Ok(stream) => stream,
        Err(error) => {
            tracing::debug!(%peer, %error, "a connection was closed immediately");
            return;
        }
    };
    let charge = plumbing.memory.charge(client.map(customer));
    let evicted = charge.evicted();
    let activity = Arc::new(Activity::new(&plumbing.timeouts, charge));
    let _charged = activity.charged();
    let wire = tokio::select! {
        wire = secure(&plumbing, stream, peer, &activity, &stop) => wire,
        () = evicted.cancelled() => {
            tracing::debug!(%peer, "a handshake was aborted to free memory");
            return;
        }
    };
    let Some(wire) = wire else { return };
    activity.begin();
    let other_end = Peer { address: peer.ip().to_canonical(), has_tls: plumbing.tls.is_some() };
    let service = service_fn({
        let activity = Arc::clone(&activity);
        move |request| {
            let in_progress = activity.begin_request(head_bytes(&request));
            let answer = answer(router.clone(), Arc::clone(&activity), in_progress, other_end, request);
            // boxed, so that a stream that waits for its reader does not retain the memory of its handler
            Box::pin(async { Ok::<_, Infallible>(answer.await) })
        }
    });
    let builder = builder(&plumbing.timeouts);
    let mut connection = pin!(builder.serve_connection_with_upgrades(TokioIo::new(wire.clone()), service));
    let mut timer = pin!(sleep_until(Instant::now() + plumbing.timeouts.head));
    let mut stop_gracefully = pin!(stop.gracefully.cancelled());
    let mut stop_now = pin!(stop.now.cancelled());
    let mut must_end = pin!(evicted.cancelled());
    let mut stopping = false;

    let ended = poll_fn(|context| {
        if stop_now.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ended::Stopped);
        }
        if must_end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ended::Evicted);
        }
        if plumbing.memory.awaits_evictions() {
            // yield, because the connections that are being evicted are ready to run and must free their memory first
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !stopping && stop_gracefully.as_mut().poll(context).is_ready() {
            stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        if let Poll::Ready(result) = connection.as_mut().poll(context) {
            return Poll::Ready(Ended::ByItself(result));
        }
        // the last read or write may have changed the deadline
        loop {
            match activity.deadline() {
                Deadline::Over(overdue) => return Poll::Ready(Ended::MissedDeadline(overdue)),
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
    let final_response = async |word: &[u8]| {
        tokio::select! {
            () = wire.send_final_response(word) => {}
            () = evicted.cancelled() => {}
        }
    };
    match ended {
        Ended::ByItself(Ok(())) | Ended::Stopped => {}
        Ended::ByItself(Err(error)) => {
            tracing::debug!(%peer, %error, "a connection failed");
            if activity.has_withheld() {
                let refusal = refusal(error.downcast_ref());
                final_response(&raw_answer(refusal, &*plumbing.on_refused)).await;
            }
        }
        Ended::MissedDeadline(MissedDeadline::Head) => {
            tracing::debug!(%peer, "a request head did not arrive in time");
            let message = "the head of the request did not arrive in time";
            let late = ApiError::new(ErrorCode::RequestTimeout, message);
            final_response(&raw_answer(late, &*plumbing.on_refused)).await;
        }
        Ended::Evicted => tracing::debug!(%peer, "a connection was closed to free memory"),
        Ended::MissedDeadline(overdue) => tracing::debug!(%peer, ?overdue, "a connection was closed"),
    }
}

/// Passes one request to the router and returns its response.
async fn answer(
    router: Router,
    activity: Arc<Activity>,
    mut in_progress: RequestGuard,
    peer: Peer,
    request: Request<Incoming>,
) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    let upload = Upload::new(body, in_progress.hold());
    parts.extensions.insert(Arc::new(RequestBody::new(upload)));
    parts.extensions.insert(peer);
    let response = match router.oneshot(Request::from_parts(parts, Body::empty())).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    in_progress.answered();
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        activity.upgrade();
    }
    response.map(|body| Body::new(CountedBody::new(body, in_progress)))
}

/// Performs the TLS handshake if the server has a certificate. Returns `None` if the handshake fails or is aborted.
async fn secure(
    plumbing: &Plumbing,
    stream: TcpStream,
    peer: SocketAddr,
    activity: &Arc<Activity>,
    stop: &Stop,
) -> Option<Wire> {
    let wrap = |stream| Socket::new(stream, Arc::clone(activity), plumbing.tls.is_some());
    let Some(tls) = &plumbing.tls else { return Some(Wire::plain(wrap(stream))) };
    let slot = plumbing.handshakes.begin();
    let shaken = timeout(plumbing.timeouts.handshake, handshake(tls, stream, wrap, &*plumbing.on_refused));
    let shaken = tokio::select! {
        shaken = shaken => shaken,
        () = slot.lost() => {
            tracing::debug!(%peer, "a handshake was aborted because too many others are waiting");
            return None;
        }
        () = stop.gracefully.cancelled() => return None,
    };
    match shaken {
        Ok(Ok(stream)) => return Some(Wire::secure(stream)),
        Ok(Err(HandshakeError::PlainHttp)) => tracing::debug!(%peer, "plain HTTP on the HTTPS port"),
        Ok(Err(HandshakeError::Broken(error))) => tracing::debug!(%peer, %error, "a handshake failed"),
        Err(_elapsed) => tracing::debug!(%peer, "a handshake timed out"),
    }
    None
}

enum Ended {
    ByItself(Result<(), Box<dyn std::error::Error + Send + Sync>>),
    MissedDeadline(MissedDeadline),
    /// The connection was evicted to free memory for others.
    Evicted,
    Stopped,
}

fn builder(timeouts: &ConnectionTimeouts) -> auto::Builder<StreamExecutor> {
    let mut builder = auto::Builder::new(StreamExecutor { stalled_reader: timeouts.stalled_reader });
    // `Activity` enforces the deadlines, for both HTTP versions and before the version is known
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .max_send_buf_size(BUFFER_BYTES)
        .max_header_list_size(BUFFER_BYTES as u32)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES);
    builder
}

/// Returns a lower bound for the size of a request head in HTTP/1.1, in bytes.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    let lines =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ":\r\n".len());
    request.method().as_str().len() + path + "  HTTP/1.1\r\n\r\n".len() + lines.sum::<usize>()
}

/// Returns the API error for bytes that hyper could not parse as HTTP/1.1.
fn refusal(error: Option<&hyper::Error>) -> ApiError {
    if error.is_some_and(hyper::Error::is_parse_too_large) {
        let message =
            format!("the head of the request is larger than {BUFFER_BYTES} bytes, or has too many headers");
        return ApiError::new(ErrorCode::HeadTooLarge, message);
    }
    ApiError::new(ErrorCode::MalformedRequest, "the request is not valid HTTP/1.1; see RFC 9112")
}
