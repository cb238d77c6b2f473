//! Room for conversations with the learned voices.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use shruti_clock::Clock;

use crate::admission::{Admission, Permit};
use crate::speech::Refused;

/// A conversation that has been silent for so long gives its seat up when another needs one.
const IDLE: Duration = Duration::from_mins(1);

/// The seats of all conversations.
pub(crate) struct Room {
    admission: Arc<Admission>,
    clock: Arc<dyn Clock>,
    held: Mutex<Vec<Weak<Seat>>>,
}

/// The seat of one conversation, given back when dropped. A conversation that lost its seat to another takes one again with
/// its next speech where one is free; else it speaks without, as far as the back end admits speeches.
pub(crate) struct Seat {
    room: Arc<Room>,
    state: Mutex<State>,
}

struct State {
    permit: Option<Permit>,
    /// Speeches in progress.
    speaking: usize,
    silent_since: Duration,
}

/// A speech in progress in a seat.
pub(crate) struct Speaking(Arc<Seat>);

/// How many conversations are bound to the learned voices, and how many may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Those that are, and have not lost their seats in a long silence.
    pub taken: usize,
    /// Those that may be.
    pub limit: usize,
}

impl Room {
    pub(crate) fn new(limit: u64, clock: Arc<dyn Clock>) -> Arc<Self> {
        let admission = Arc::new(Admission::new(limit, Arc::clone(&clock)));
        Arc::new(Self { admission, clock, held: Mutex::default() })
    }

    /// A seat for a new conversation.
    pub(crate) fn seat(self: &Arc<Self>) -> Result<Arc<Seat>, Refused> {
        let state =
            State { permit: Some(self.permit()?), speaking: 0, silent_since: self.clock.now().monotonic };
        let seat = Arc::new(Seat { room: Arc::clone(self), state: Mutex::new(state) });
        self.held().push(Arc::downgrade(&seat));
        Ok(seat)
    }

    pub(crate) fn seats(&self) -> Seats {
        Seats { taken: self.admission.active(), limit: self.admission.limit() }
    }

    /// Leave to hold a seat, that of a silent conversation if no seat is free.
    fn permit(&self) -> Result<Permit, Refused> {
        self.admission.admit(1).or_else(|refused| self.reclaimed().ok_or(refused))
    }

    /// The permit of the conversation that has been silent longest, if that is long enough.
    fn reclaimed(&self) -> Option<Permit> {
        let mut held = self.held();
        held.retain(|seat| seat.strong_count() > 0);
        let seats: Vec<_> = held.iter().filter_map(Weak::upgrade).collect();
        drop(held);
        let silent = seats.iter().filter_map(|seat| Some((seat.state().silent_since()?, seat)));
        let (_, seat) = silent.min_by_key(|(since, _)| *since)?;
        let mut state = seat.state();
        // it may have begun to speak since
        let is_idle = self.clock.now().monotonic.saturating_sub(state.silent_since()?) >= IDLE;
        if is_idle { state.permit.take() } else { None }
    }

    fn held(&self) -> MutexGuard<'_, Vec<Weak<Seat>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Begins a speech: while it lasts, the conversation keeps its seat.
    pub(crate) fn speak(self: &Arc<Self>) -> Speaking {
        let mut state = self.state();
        state.speaking += 1;
        let is_without = state.permit.is_none();
        drop(state);
        // not under the lock: the search for a free seat looks into all of them
        if is_without && let Ok(permit) = self.room.permit() {
            self.state().permit.get_or_insert(permit);
        }
        Speaking(Arc::clone(self))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Since when the conversation has been silent, if it is and holds a permit.
    fn silent_since(&self) -> Option<Duration> {
        (self.speaking == 0 && self.permit.is_some()).then_some(self.silent_since)
    }
}

impl Drop for Speaking {
    fn drop(&mut self) {
        let now = self.0.room.clock.now().monotonic;
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
