//! Timeouts of a connection: pings, idle time, maximum duration, and stalled readers.

use std::time::Duration;

use shruti_protocol::stream::CloseCode;

/// Interval between pings.
pub const PING_EVERY: Duration = Duration::from_secs(20);
/// Number of unanswered pings after which the connection counts as lost.
pub const MISSED_PINGS: u32 = 2;
/// Maximum time without messages or audio.
pub const IDLE_TIMEOUT: Duration = Duration::from_mins(5);
/// Maximum duration of a connection.
pub const LONGEST_SESSION: Duration = Duration::from_hours(4);
/// Time between the announcement and the end of a connection.
const NOTICE: Duration = Duration::from_secs(10);
/// Maximum time for which a client may leave available data unread.
pub const STALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between the closing of all connections and the moment at which a server that is shutting down stops waiting for
/// its streams.
const CLOSE_BEFORE_DRAIN_ENDS: Duration = Duration::from_secs(1);

/// Action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeepaliveAction {
    /// Send a ping.
    Ping,
    /// Announce the end of the connection.
    Announce { code: CloseCode, left: Duration },
    /// Close the connection with a code.
    Close(CloseCode),
    /// Close a connection whose client does not respond to pings.
    CloseUnresponsive,
    /// Drop a connection whose client reads nothing, not even a close frame.
    DropStalled,
}

/// Timeouts of one connection. All times are from the server's clock.
#[derive(Debug)]
pub(super) struct Keepalive {
    opened: Duration,
    active: Duration,
    pinged: Duration,
    missed: u32,
    blocked: Option<Duration>,
    draining: Option<Duration>,
    /// Time for which turns may continue after the server starts to shut down.
    drain: Duration,
    /// Maximum idle time.
    idle_timeout: Duration,
    announced: bool,
}

impl Keepalive {
    /// Creates the timeouts of a connection that is opened at the time `now`. A server that is shutting down waits at
    /// most `drain` for the connection.
    pub(super) fn new(now: Duration, drain: Duration) -> Self {
        Self {
            drain: drain.saturating_sub(CLOSE_BEFORE_DRAIN_ENDS),
            idle_timeout: IDLE_TIMEOUT,
            opened: now,
            active: now,
            pinged: now,
            missed: 0,
            blocked: None,
            draining: None,
            announced: false,
        }
    }

    /// Sets the maximum idle time.
    pub(super) fn with_idle_timeout(self, idle_timeout: Duration) -> Self {
        Self { idle_timeout, ..self }
    }

    /// Records activity: a message arrived, or audio is being played.
    pub(super) fn active(&mut self, now: Duration) {
        self.active = now;
    }

    /// Records the response to a ping.
    pub(super) fn pong(&mut self) {
        self.missed = 0;
    }

    /// Records whether the client reads what is sent.
    pub(super) fn writable(&mut self, writable: bool, now: Duration) {
        if writable {
            self.blocked = None;
        } else {
            self.blocked.get_or_insert(now);
        }
    }

    /// Returns whether sending is blocked until the client reads more data.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Records that the server is shutting down.
    pub(super) fn drain(&mut self, now: Duration) {
        self.draining.get_or_insert(now);
    }

    /// Returns the next time at which an action may be due.
    pub(super) fn next(&self) -> Duration {
        let (end, _) = self.end();
        let announce = match self.draining {
            _ if self.announced => end,
            Some(since) => since,
            None => end.saturating_sub(NOTICE),
        };
        let stalled = self.blocked.map(|since| since + STALL_TIMEOUT);
        [Some(self.pinged + PING_EVERY), Some(announce), stalled].into_iter().flatten().min().unwrap_or(end)
    }

    /// Returns the action that is due, if any. Each ping and each announcement is returned only once.
    pub(super) fn due_action(&mut self, now: Duration) -> Option<KeepaliveAction> {
        if self.blocked.is_some_and(|since| since + STALL_TIMEOUT <= now) {
            return Some(KeepaliveAction::DropStalled);
        }
        let (end, code) = self.end();
        if end <= now {
            return Some(KeepaliveAction::Close(code));
        }
        let soon = end.saturating_sub(NOTICE) <= now || self.draining.is_some();
        if self.announced != soon {
            self.announced = soon;
            if soon {
                return Some(KeepaliveAction::Announce { code, left: end.saturating_sub(now) });
            }
        }
        if self.pinged + PING_EVERY <= now {
            if self.missed >= MISSED_PINGS {
                return Some(KeepaliveAction::CloseUnresponsive);
            }
            self.pinged = now;
            self.missed += 1;
            return Some(KeepaliveAction::Ping);
        }
        None
    }

    /// Returns the time at which the connection ends if no further events occur, and the reason.
    fn end(&self) -> (Duration, CloseCode) {
        let ends = [
            Some((self.opened + LONGEST_SESSION, CloseCode::SessionTooLong)),
            Some((self.active + self.idle_timeout, CloseCode::Idle)),
            self.draining.map(|since| (since + self.drain, CloseCode::GoingAway)),
        ];
        let longest = (self.opened + LONGEST_SESSION, CloseCode::SessionTooLong);
        ends.into_iter().flatten().min_by_key(|(end, _)| *end).unwrap_or(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn closes_clients_that_answer_no_ping() {
        let mut keepalive = Keepalive::new(s(0), s(30));
        assert_eq!((keepalive.next(), keepalive.due_action(s(19))), (s(20), None));
        assert_eq!(keepalive.due_action(s(20)), Some(KeepaliveAction::Ping));
        assert_eq!(keepalive.due_action(s(40)), Some(KeepaliveAction::Ping));
        keepalive.pong();
        for at in [60, 80] {
            assert_eq!(keepalive.due_action(s(at)), Some(KeepaliveAction::Ping));
        }
        assert_eq!(keepalive.due_action(s(100)), Some(KeepaliveAction::CloseUnresponsive));
    }

    #[test]
    fn announces_the_idle_close() {
        let mut keepalive = Keepalive::new(s(0), s(30));
        let mut events = Vec::new();
        for at in 0..=300 {
            keepalive.pong();
            let due = std::iter::from_fn(|| keepalive.due_action(s(at))).take(2);
            events.extend(due.filter(|due| *due != KeepaliveAction::Ping).map(|due| (at, due)).take(1));
        }
        let announced = KeepaliveAction::Announce { code: CloseCode::Idle, left: s(10) };
        assert_eq!(events, [(290, announced), (300, KeepaliveAction::Close(CloseCode::Idle))]);
    }

    #[test]
    fn message_cancels_the_announced_close() {
        let mut keepalive = Keepalive::new(s(0), s(30));
        keepalive.pinged = s(295);
        assert!(matches!(keepalive.due_action(s(295)), Some(KeepaliveAction::Announce { .. })));
        keepalive.active(s(296));
        assert_eq!(keepalive.due_action(s(305)), None);
        keepalive.pinged = s(590);
        assert!(
            matches!(keepalive.due_action(s(590)), Some(KeepaliveAction::Announce { .. })),
            "and it is given again"
        );
    }

    #[test]
    fn drops_stalled_readers() {
        let mut keepalive = Keepalive::new(s(0), s(30));
        keepalive.writable(false, s(1));
        keepalive.writable(false, s(5));
        assert_eq!((keepalive.next(), keepalive.due_action(s(10))), (s(11), None));
        keepalive.writable(true, s(10));
        keepalive.writable(false, s(11));
        assert_eq!(keepalive.due_action(s(20)), Some(KeepaliveAction::Ping));
        assert_eq!(keepalive.due_action(s(21)), Some(KeepaliveAction::DropStalled));
    }

    #[test]
    fn closes_on_shutdown_and_maximum_age() {
        let mut keepalive = Keepalive::new(s(0), s(30));
        keepalive.drain(s(5));
        let announced = KeepaliveAction::Announce { code: CloseCode::GoingAway, left: s(29) };
        assert_eq!(
            (keepalive.next(), keepalive.due_action(s(5))),
            (s(5), Some(announced)),
            "a shutdown is announced immediately"
        );
        keepalive.pinged = s(33);
        assert_eq!(keepalive.due_action(s(34)), Some(KeepaliveAction::Close(CloseCode::GoingAway)));
        let mut keepalive = Keepalive::new(s(0), s(30));
        keepalive.active(LONGEST_SESSION);
        assert_eq!(
            keepalive.due_action(LONGEST_SESSION),
            Some(KeepaliveAction::Close(CloseCode::SessionTooLong))
        );
    }
}
