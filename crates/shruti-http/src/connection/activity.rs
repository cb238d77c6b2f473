//! Deadlines and memory use of a connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::frames::Frames;
use crate::limits::MemoryCharge;
use crate::plumbing::ConnectionTimeouts;

/// First bytes that an HTTP/2 client sends (RFC 9113, §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Estimated memory of a request in progress, excluding its bodies: its task, stream state and headers.
const REQUEST_BYTES: usize = 4 * 1024;
/// Estimated additional memory of a request's handler until it returns a response. A request and its handler together
/// were measured at 10 KiB.
const HANDLER_BYTES: usize = 8 * 1024;
/// Maximum memory that is allocated per byte in a buffer, because buffers double as they grow.
const BUFFER_FACTOR: usize = 2;
/// Granularity of memory charges, in bytes. A connection that uses at most this number of bytes is not charged, so a
/// typical request takes no global lock.
const CHARGE_STEP_BYTES: usize = 4 * 1024;

/// State of one connection. The socket of the connection reports bytes; the requests report their start and end.
#[derive(Debug)]
pub(crate) struct Activity {
    head: Duration,
    idle: Duration,
    stalled_reader: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    requests: usize,
    /// Number of requests without a response.
    unanswered: usize,
    waiting: IdleState,
    /// Time at which a write began to wait for the reader; `None` if no write is waiting.
    blocked: Option<Instant>,
    /// Number of bytes of the HTTP/2 preface read so far; `usize::MAX` if the connection began with other bytes.
    seen: usize,
    /// Whether HTTP/1.1 has nothing to write: no request is in progress, and the last response has been written
    /// completely.
    is_quiet: bool,
    /// Whether the connection has been upgraded to another protocol.
    is_upgraded: bool,
    /// Whether a response was withheld.
    has_withheld: bool,
    memory: Memory,
}

/// Memory, in bytes, that the connection uses for its client.
#[derive(Debug)]
struct Memory {
    /// Encrypted bytes that have not been decrypted yet.
    encrypted: usize,
    /// Bytes received in HTTP/1.1 that do not belong to a parsed request yet.
    unread: usize,
    frames: Frames,
    /// Bytes of request bodies while they are read, and of response bodies until flow control admits them.
    bodies: usize,
    /// Bytes of response bodies that flow control has admitted but the socket has not written yet.
    unsent: usize,
    /// Charge against the memory budget; `None` after the connection ends or is upgraded to another protocol.
    charge: Option<MemoryCharge>,
}

impl Memory {
    fn settle(&mut self, requests: usize, unanswered: usize) {
        let Some(charge) = &mut self.charge else { return };
        let of_requests =
            requests.saturating_sub(1) * REQUEST_BYTES + unanswered.saturating_sub(1) * HANDLER_BYTES;
        let buffers = BUFFER_FACTOR * (self.encrypted + self.unread + self.frames.unfinished());
        let bytes = buffers + self.bodies + self.unsent + of_requests;
        let charged = if bytes <= CHARGE_STEP_BYTES { 0 } else { bytes.next_multiple_of(CHARGE_STEP_BYTES) };
        if charged != charge.bytes() {
            charge.set(charged);
        }
    }
}

impl State {
    /// Returns whether the connection uses HTTP/2. HTTP/2 frames can arrive at any time, so received bytes do not mean
    /// that a request head has begun.
    fn is_http2(&self) -> bool {
        self.seen == PREFACE.len()
    }

    fn settle(&mut self) {
        self.memory.settle(self.requests, self.unanswered);
    }
}

/// Event that a connection without a request in progress waits for.
#[derive(Clone, Copy, Debug)]
enum IdleState {
    /// The rest of a request head, since this time.
    Head(Instant),
    /// The next request, since this time.
    Next(Instant),
}

/// Result of a check of a connection's deadlines: the time of the next check, or the deadline that was missed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deadline {
    At(Instant),
    Over(MissedDeadline),
}

/// Kind of a missed deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissedDeadline {
    /// A request head was not complete in time.
    Head,
    /// No further request arrived in time.
    Next,
    /// The reader did not read any data in time.
    Reader,
}

impl Activity {
    /// Polling interval while requests are in progress and no write is blocked.
    const POLL_INTERVAL: Duration = Duration::from_secs(30);

    pub(crate) fn new(timeouts: &ConnectionTimeouts, charge: MemoryCharge) -> Self {
        let memory = Memory {
            encrypted: 0,
            unread: 0,
            frames: Frames::default(),
            bodies: 0,
            unsent: 0,
            charge: Some(charge),
        };
        let waiting = IdleState::Head(Instant::now());
        let state = State {
            requests: 0,
            unanswered: 0,
            waiting,
            blocked: None,
            seen: 0,
            is_quiet: true,
            is_upgraded: false,
            has_withheld: false,
            memory,
        };
        Self {
            head: timeouts.head,
            idle: timeouts.idle,
            stalled_reader: timeouts.stalled_reader,
            state: Mutex::new(state),
        }
    }

    /// Restarts the timeout of the first request head. Called when the connection is ready for HTTP.
    pub(super) fn begin(&self) {
        self.state().waiting = IdleState::Head(Instant::now());
    }

    /// Returns a guard that releases the memory charge of the connection when it is dropped.
    pub(super) fn charged(self: &Arc<Self>) -> Charged {
        Charged(Arc::clone(self))
    }

    /// Registers a request whose head of at least `head_bytes` bytes has arrived. The request is in progress until the
    /// guard is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>, head_bytes: usize) -> RequestGuard {
        let mut state = self.state();
        state.requests += 1;
        state.unanswered += 1;
        state.is_quiet = false;
        state.memory.unread = state.memory.unread.saturating_sub(head_bytes);
        state.settle();
        drop(state);
        RequestGuard { activity: Arc::clone(self), is_answered: false }
    }

    /// Registers that `bytes` encrypted bytes were read from the socket.
    pub(super) fn received(&self, bytes: usize) {
        let mut state = self.state();
        state.memory.encrypted += bytes;
        state.settle();
    }

    /// Registers that hyper starts a read. During an HTTP/1.1 request, hyper reads only after it has consumed all
    /// previous bytes, so no bytes are unread.
    pub(super) fn reads(&self) {
        let mut state = self.state();
        if state.requests > 0 && state.memory.unread > 0 {
            state.memory.unread = 0;
            state.settle();
        }
    }

    /// Registers the bytes that hyper has read, after decryption.
    pub(super) fn read(&self, bytes: &[u8]) {
        let mut state = self.state();
        if state.seen < PREFACE.len() {
            let expected = &PREFACE[state.seen..];
            let compared = expected.len().min(bytes.len());
            let matches = expected[..compared] == bytes[..compared];
            state.seen = if matches { state.seen + compared } else { usize::MAX };
            if state.is_http2() {
                state.memory.frames.read(&bytes[compared..]);
                state.memory.unread = 0;
            }
        } else if state.is_http2() {
            state.memory.frames.read(bytes);
        }
        state.memory.encrypted = 0;
        if !state.is_http2() {
            state.memory.unread += bytes.len();
        }
        state.settle();
        match (state.waiting, state.is_http2()) {
            // HTTP/2 connections get the idle timeout: browsers connect before they have a request, and the HTTP/1.1
            // error for a late head would not be valid in HTTP/2
            (IdleState::Head(_), true) => state.waiting = IdleState::Next(Instant::now()),
            (IdleState::Next(_), false) => state.waiting = IdleState::Head(Instant::now()),
            _ => {}
        }
    }

    /// Registers the upgrade of the connection to another protocol.
    pub(crate) fn upgrade(&self) {
        let mut state = self.state();
        state.is_upgraded = true;
        state.memory.charge = None;
    }

    /// Registers that everything written so far has been flushed.
    pub(super) fn flushed(&self) {
        let mut state = self.state();
        state.is_quiet = state.requests == 0;
        if state.memory.unsent > 0 {
            state.memory.unsent = 0;
            state.settle();
        }
    }

    /// Returns whether the next write must be withheld. When no request is in progress, hyper writes only its own
    /// HTTP/1.1 response to malformed bytes. That response has neither a request ID nor an error body of this API.
    pub(super) fn withholds(&self) -> bool {
        let mut state = self.state();
        let withholds = state.is_quiet && !state.is_http2() && !state.is_upgraded;
        state.has_withheld |= withholds;
        withholds
    }

    /// Returns whether a response was withheld. If so, another one must be sent instead.
    pub(super) fn has_withheld(&self) -> bool {
        self.state().has_withheld
    }

    /// Registers a write attempt. `through` is `true` if it succeeded and `false` if it must wait for the reader.
    pub(super) fn wrote(&self, through: bool) {
        let mut state = self.state();
        if through {
            state.blocked = None;
        } else if state.blocked.is_none() {
            state.blocked = Some(Instant::now());
        }
    }

    pub(super) fn deadline(&self) -> Deadline {
        let state = self.state();
        let waits = match state.waiting {
            _ if state.requests > 0 => None,
            IdleState::Head(since) => Some((since + self.head, MissedDeadline::Head)),
            IdleState::Next(since) => Some((since + self.idle, MissedDeadline::Next)),
        };
        let blocked = state.blocked.map(|since| (since + self.stalled_reader, MissedDeadline::Reader));
        let now = Instant::now();
        match waits.into_iter().chain(blocked).min_by_key(|(at, _)| *at) {
            Some((at, overdue)) if at <= now => Deadline::Over(overdue),
            Some((at, _)) => Deadline::At(at),
            None => Deadline::At(now + Self::POLL_INTERVAL),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard for a request in progress.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    activity: Arc<Activity>,
    is_answered: bool,
}

impl RequestGuard {
    /// Returns a charge for the bytes of a body, initially zero.
    pub(super) fn hold(&self) -> Hold {
        Hold { activity: Arc::clone(&self.activity), bytes: 0 }
    }

    /// Registers that the handler has returned a response.
    pub(super) fn answered(&mut self) {
        let mut state = self.activity.state();
        if !std::mem::replace(&mut self.is_answered, true) {
            state.unanswered -= 1;
            state.settle();
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.requests -= 1;
        state.unanswered -= usize::from(!self.is_answered);
        if state.requests == 0 {
            state.waiting = IdleState::Next(Instant::now());
        }
        state.settle();
    }
}

/// Guard that releases the memory charge of a connection when it is dropped. The [`Activity`] may outlive this guard,
/// because an upgraded connection and the tasks of streams also hold it.
pub(super) struct Charged(Arc<Activity>);

impl Drop for Charged {
    fn drop(&mut self) {
        self.0.state().memory.charge = None;
    }
}

/// Charge for the bytes of a body, part of the charge of its connection and released on drop.
#[derive(Debug)]
pub(super) struct Hold {
    activity: Arc<Activity>,
    bytes: usize,
}

impl Hold {
    pub(super) fn set(&mut self, bytes: usize) {
        if bytes == self.bytes {
            return;
        }
        let mut state = self.activity.state();
        state.memory.bodies = state.memory.bodies - self.bytes + bytes;
        state.settle();
        self.bytes = bytes;
    }

    /// Transfers the charge from the body to the connection, which releases it after the socket has written the bytes.
    pub(super) fn release_when_flushed(&mut self) {
        let mut state = self.activity.state();
        state.memory.unsent += self.bytes;
        state.memory.bodies -= self.bytes;
        self.bytes = 0;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::limits::MemoryBudget;

    fn is_overdue(activity: &Activity) -> Option<MissedDeadline> {
        match activity.deadline() {
            Deadline::At(_) => None,
            Deadline::Over(overdue) => Some(overdue),
        }
    }

    fn activity() -> Arc<Activity> {
        activity_of(&MemoryBudget::new(usize::MAX))
    }

    fn activity_of(budget: &Arc<MemoryBudget>) -> Arc<Activity> {
        Arc::new(Activity::new(&ConnectionTimeouts::default(), budget.charge(None)))
    }

    fn charged(activity: &Activity) -> usize {
        activity.state().memory.charge.as_ref().map_or(0, MemoryCharge::bytes)
    }

    async fn pass(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_head_has_its_time_from_the_start() {
        let activity = activity();
        pass(9).await;
        activity.read(b"GET ");
        assert_eq!(is_overdue(&activity), None);
        pass(1).await;
        assert_eq!(is_overdue(&activity), Some(MissedDeadline::Head));
    }

    #[tokio::test(start_paused = true)]
    async fn keep_alive_is_longer_than_the_head_timeout() {
        let activity = activity();
        activity.read(b"GET /healthz HTTP/1.1\r\n\r\n");
        let request = activity.begin_request(0);
        pass(1_000).await;
        assert_eq!(is_overdue(&activity), None, "a request in progress");
        drop(request);
        pass(89).await;
        assert_eq!(is_overdue(&activity), None);
        activity.read(b"G");
        pass(9).await;
        assert_eq!(is_overdue(&activity), None);
        activity.read(b"E");
        pass(1).await;
        assert_eq!(is_overdue(&activity), Some(MissedDeadline::Head), "a byte now and then buys no time");
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connection_ends_despite_http_2_frames() {
        let activity = activity();
        activity.read(b"PRI * ");
        activity.read(b"HTTP/2.0\r\n\r\nSM\r\n\r\n");
        drop(activity.begin_request(0));
        pass(80).await;
        activity.read(b"a ping");
        pass(9).await;
        assert_eq!(is_overdue(&activity), None);
        pass(1).await;
        assert_eq!(is_overdue(&activity), Some(MissedDeadline::Next));
    }

    #[tokio::test(start_paused = true)]
    async fn http_2_connection_may_idle_before_its_first_request() {
        let activity = activity();
        activity.read(PREFACE);
        pass(89).await;
        activity.read(b"a ping");
        assert_eq!(is_overdue(&activity), None);
        pass(1).await;
        assert_eq!(is_overdue(&activity), Some(MissedDeadline::Next));
    }

    #[tokio::test(start_paused = true)]
    async fn drops_stalled_readers() {
        let activity = activity();
        let _request = activity.begin_request(0);
        activity.wrote(false);
        pass(59).await;
        activity.wrote(false);
        assert_eq!(is_overdue(&activity), None);
        activity.wrote(true);
        activity.wrote(false);
        pass(59).await;
        assert_eq!(is_overdue(&activity), None, "it took something");
        pass(1).await;
        assert_eq!(is_overdue(&activity), Some(MissedDeadline::Reader));
    }

    #[test]
    fn an_unfinished_head_is_charged_until_its_request_begins() {
        let activity = activity();
        activity.read(&[b'a'; 2_048]);
        assert_eq!(charged(&activity), 0, "a common head costs nothing");
        activity.read(&[b'a'; 10_000]);
        assert_eq!(charged(&activity), 24 * 1_024);
        // the bytes are two requests in one packet, the second of them incomplete
        let request = activity.begin_request(6_000);
        assert_eq!(charged(&activity), 12 * 1_024);
        drop(request);
        let request = activity.begin_request(6_000);
        activity.reads();
        assert_eq!(charged(&activity), 0);
        activity.upgrade();
        activity.read(&[b'a'; 8_000]);
        assert_eq!(charged(&activity), 0, "messages of another protocol have limits of their own");
        drop(request);
    }

    #[test]
    fn an_unfinished_frame_is_charged() {
        let activity = activity();
        activity.read(PREFACE);
        let frame = [&[0, 0x40, 0, 1, 4, 0, 0, 0, 1][..], &[0; 16_384]].concat();
        activity.read(&frame[..16_000]);
        assert_eq!(charged(&activity), 32 * 1_024);
        activity.reads();
        assert_eq!(charged(&activity), 32 * 1_024);
        activity.read(&frame[16_000..]);
        assert_eq!(charged(&activity), 0);
    }

    #[test]
    fn encrypted_bytes_are_charged_until_they_are_decrypted() {
        let activity = activity();
        activity.received(10_000);
        assert_eq!(charged(&activity), 20 * 1_024);
        activity.read(b"G");
        assert_eq!(charged(&activity), 0);
    }

    #[test]
    fn bodies_and_streams_are_charged_until_dropped() {
        let activity = activity();
        let mut requests = [activity.begin_request(0), activity.begin_request(0), activity.begin_request(0)];
        assert_eq!(charged(&activity), 24 * 1_024, "one request costs nothing");
        requests[1].answered();
        assert_eq!(charged(&activity), 16 * 1_024, "its handler has ended");
        requests[0].answered();
        requests[0].answered();
        assert_eq!(charged(&activity), 8 * 1_024, "so have two");
        let mut hold = requests[0].hold();
        hold.set(20_000);
        assert_eq!(charged(&activity), 28 * 1_024);
        drop(requests);
        hold.release_when_flushed();
        drop(hold);
        assert_eq!(charged(&activity), 20 * 1_024);
        activity.flushed();
        assert_eq!(charged(&activity), 0);
    }

    #[test]
    fn evicts_the_longest_holder_of_bytes() {
        let budget = MemoryBudget::new(40 * 1_024);
        let [slow, other] = [activity_of(&budget), activity_of(&budget)];
        let evicted = [&slow, &other].map(|of| of.state().memory.charge.as_ref().unwrap().evicted());
        let now = || evicted.each_ref().map(CancellationToken::is_cancelled);
        slow.read(&[b'a'; 10_000]);
        other.read(&[b'a'; 5_000]);
        assert_eq!(now(), [false, false]);
        activity_of(&budget).read(&[b'a'; 5_000]);
        assert_eq!(now(), [true, false]);
        let charged = slow.charged();
        slow.read(&vec![b'a'; 100_000]);
        assert!(budget.awaits_evictions(), "it has not ended");
        drop(charged);
        assert!(!budget.awaits_evictions(), "although it is still referenced");
    }
}
