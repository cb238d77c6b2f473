//! Seats of conversations. A seat reserves capacity of the learned voices for one conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use shruti_clock::Clock;

use crate::admission::{Admission, Permit};
use crate::error::SpeakError;

/// Duration of silence after which a conversation loses its seat if another conversation needs one.
const IDLE: Duration = Duration::from_mins(1);

/// Pool of the seats of all conversations.
pub(crate) struct SeatPool {
    admission: Arc<Admission>,
    clock: Arc<dyn Clock>,
    occupied: Mutex<Vec<Weak<Seat>>>,
}

/// Seat of one conversation, released on drop. A conversation that has lost its seat gets a free one with its next
/// stream. If no seat is free, the conversation continues without one, subject to the admission control of the back
/// end.
pub(crate) struct Seat {
    seat_pool: Arc<SeatPool>,
    state: Mutex<State>,
}

struct State {
    permit: Option<Permit>,
    /// Number of active streams.
    speaking: usize,
    silent_since: Duration,
}

/// Guard for an active stream of a conversation. While it exists, the conversation does not lose its seat.
pub(crate) struct SeatGuard(Arc<Seat>);

/// Number of conversations that are bound to the learned voices, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Number of bound conversations that have not lost their seats after a long silence.
    pub taken: usize,
    /// Maximum number of conversations.
    pub limit: usize,
}

impl SeatPool {
    pub(crate) fn new(limit: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        let admission = Arc::new(Admission::new(limit, Arc::clone(&clock)));
        Arc::new(Self { admission, clock, occupied: Mutex::default() })
    }

    /// Returns a seat for a new conversation.
    pub(crate) fn seat(self: &Arc<Self>) -> Result<Arc<Seat>, SpeakError> {
        let state =
            State { permit: Some(self.permit()?), speaking: 0, silent_since: self.clock.now().monotonic };
        let seat = Arc::new(Seat { seat_pool: Arc::clone(self), state: Mutex::new(state) });
        self.occupied().push(Arc::downgrade(&seat));
        Ok(seat)
    }

    pub(crate) fn seats(&self) -> Seats {
        Seats { taken: self.admission.active(), limit: self.admission.limit() }
    }

    /// Returns a permit for a seat; takes over the seat of a silent conversation if none is free.
    fn permit(&self) -> Result<Permit, SpeakError> {
        self.admission.admit(1).or_else(|refused| self.reclaim().ok_or(refused))
    }

    /// Takes the permit of the conversation that has been silent longest, if it has been silent for at least [`IDLE`].
    fn reclaim(&self) -> Option<Permit> {
        let mut occupied = self.occupied();
        occupied.retain(|seat| seat.strong_count() > 0);
        let seats: Vec<_> = occupied.iter().filter_map(Weak::upgrade).collect();
        drop(occupied);
        let silent = seats.iter().filter_map(|seat| Some((seat.state().silent_since()?, seat)));
        let (_, seat) = silent.min_by_key(|(since, _)| *since)?;
        let mut state = seat.state();
        // the conversation may have started a stream in the meantime
        let is_idle = self.clock.now().monotonic.saturating_sub(state.silent_since()?) >= IDLE;
        if is_idle { state.permit.take() } else { None }
    }

    fn occupied(&self) -> MutexGuard<'_, Vec<Weak<Seat>>> {
        self.occupied.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Starts a stream; the conversation keeps its seat until the stream ends.
    pub(crate) fn speak(self: &Arc<Self>) -> SeatGuard {
        let mut state = self.state();
        state.speaking += 1;
        let lacks_seat = state.permit.is_none();
        drop(state);
        // the lock must not be held here, because the search for a free seat locks every seat
        if lacks_seat && let Ok(permit) = self.seat_pool.permit() {
            self.state().permit.get_or_insert(permit);
        }
        SeatGuard(Arc::clone(self))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the start of the silence of a conversation; `None` if a stream is active or the conversation has no
    /// permit.
    fn silent_since(&self) -> Option<Duration> {
        (self.speaking == 0 && self.permit.is_some()).then_some(self.silent_since)
    }
}

impl Drop for SeatGuard {
    fn drop(&mut self) {
        let now = self.0.seat_pool.clock.now().monotonic;
        let mut state = self.0.state();
        state.speaking -= 1;
        state.silent_since = now;
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").finish_non_exhaustive()
    }
}
