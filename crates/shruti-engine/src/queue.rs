//! Queue of steps that wait for a worker, ordered by deadline.

use std::collections::BTreeMap;
use std::time::Duration;

/// Kind of work that a stream needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Prepare the next utterance; never batched.
    Prepare,
    /// Render the next block; several streams may share a call.
    Render,
}

/// Work that a worker does next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Work<T> {
    /// Prepare an utterance of this item.
    Prepare(T),
    /// Render a block of each item, the most urgent first.
    Render(Vec<T>),
}

/// Deadline and arrival number. Items with equal deadlines are served in the order of their arrival.
type Key = (Duration, u64);

/// Handle for removing an item from the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    step: Step,
    key: Key,
}

/// A queue ordered by deadline. Adding or removing an item takes logarithmic time.
///
/// It contains at most one item per stream, so admission control limits its length.
#[derive(Debug)]
pub(crate) struct DeadlineQueue<T> {
    prepare: BTreeMap<Key, T>,
    render: BTreeMap<Key, T>,
    arrivals: u64,
}

impl<T> DeadlineQueue<T> {
    pub(crate) fn new() -> Self {
        Self { prepare: BTreeMap::new(), render: BTreeMap::new(), arrivals: 0 }
    }

    /// Adds an item whose listener would run out of audio at `deadline`.
    pub(crate) fn push(&mut self, step: Step, deadline: Duration, item: T) -> Ticket {
        let key = (deadline, self.arrivals);
        self.arrivals += 1;
        self.waiting(step).insert(key, item);
        Ticket { step, key }
    }

    /// Removes and returns an item; returns `None` if a worker has taken it.
    pub(crate) fn remove(&mut self, ticket: Ticket) -> Option<T> {
        self.waiting(ticket.step).remove(&ticket.key)
    }

    /// Removes and returns the most urgent step. A render step is combined with up to `batch - 1` other render steps,
    /// the most urgent first.
    pub(crate) fn pop(&mut self, batch: usize) -> Option<Work<T>> {
        let prepare_first = match (self.prepare.first_key_value(), self.render.first_key_value()) {
            (Some((prepare, _)), Some((render, _))) => prepare < render,
            (prepare, _) => prepare.is_some(),
        };
        if prepare_first {
            let (_, item) = self.prepare.pop_first()?;
            return Some(Work::Prepare(item));
        }
        let (_, first) = self.render.pop_first()?;
        let others = batch.saturating_sub(1).min(self.render.len());
        let mut items = Vec::with_capacity(1 + others);
        items.push(first);
        items.extend((0..others).filter_map(|_| self.render.pop_first().map(|(_, item)| item)));
        Some(Work::Render(items))
    }

    /// Returns the deadline of the most urgent step.
    pub(crate) fn first_deadline(&self) -> Option<Duration> {
        let first = [&self.prepare, &self.render].map(|waiting| waiting.first_key_value());
        first.into_iter().flatten().map(|(&(deadline, _), _)| deadline).min()
    }

    /// Returns the number of queued items.
    pub(crate) fn len(&self) -> usize {
        self.prepare.len() + self.render.len()
    }

    fn waiting(&mut self, step: Step) -> &mut BTreeMap<Key, T> {
        match step {
            Step::Prepare => &mut self.prepare,
            Step::Render => &mut self.render,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn earliest_deadline_first_and_ties_rotate() {
        let mut queue = DeadlineQueue::new();
        queue.push(Step::Render, at(20), "late");
        queue.push(Step::Prepare, at(10), "first");
        queue.push(Step::Render, at(10), "second");
        assert_eq!(queue.pop(1), Some(Work::Prepare("first")));
        assert_eq!(queue.pop(1), Some(Work::Render(vec!["second"])));
        assert_eq!(queue.pop(1), Some(Work::Render(vec!["late"])));
        assert_eq!(queue.pop(1), None);
    }

    #[test]
    fn batches_contain_the_most_urgent_render_steps() {
        let mut queue = DeadlineQueue::new();
        for (deadline, item) in [(30, 'c'), (10, 'a'), (40, 'd'), (20, 'b')] {
            queue.push(Step::Render, at(deadline), item);
        }
        queue.push(Step::Prepare, at(15), 'p');
        assert_eq!(queue.pop(3), Some(Work::Render(vec!['a', 'b', 'c'])));
        assert_eq!(queue.pop(3), Some(Work::Prepare('p')));
        assert_eq!(queue.pop(3), Some(Work::Render(vec!['d'])));
    }

    #[derive(Clone, Debug)]
    enum Operation {
        Push(Step, u8),
        Remove(usize),
        Pop(usize),
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let step = prop_oneof![Just(Step::Prepare), Just(Step::Render)];
        let operation = prop_oneof![
            3 => (step, 0..8_u8).prop_map(|(step, deadline)| Operation::Push(step, deadline)),
            1 => (0..64_usize).prop_map(Operation::Remove),
            2 => (1..5_usize).prop_map(Operation::Pop),
        ];
        prop::collection::vec(operation, 0..200)
    }

    proptest! {
        /// Compares the queue with a linear search over a list.
        #[test]
        fn matches_a_reference_list(operations in operations()) {
            let mut queue = DeadlineQueue::new();
            let mut tickets = Vec::new();
            let mut list: Vec<(Duration, usize, Step)> = Vec::new();
            for operation in operations {
                match operation {
                    Operation::Push(step, deadline) => {
                        let deadline = at(deadline.into());
                        list.push((deadline, tickets.len(), step));
                        tickets.push(queue.push(step, deadline, tickets.len()));
                    }
                    Operation::Remove(item) => {
                        let Some(&ticket) = tickets.get(item) else { continue };
                        let place = list.iter().position(|&(_, listed, _)| listed == item);
                        prop_assert_eq!(queue.remove(ticket), place.map(|place| list.remove(place).1));
                    }
                    Operation::Pop(batch) => {
                        list.sort_by_key(|&(deadline, item, _)| (deadline, item));
                        let expected = match list.first() {
                            None => None,
                            Some(&(_, item, Step::Prepare)) => Some(Work::Prepare(item)),
                            Some(_) => {
                                let renders = list.iter().filter(|(_, _, step)| *step == Step::Render);
                                Some(Work::Render(renders.map(|&(_, item, _)| item).take(batch).collect()))
                            }
                        };
                        match &expected {
                            Some(Work::Prepare(item)) => list.retain(|(_, listed, _)| listed != item),
                            Some(Work::Render(items)) => list.retain(|(_, listed, _)| !items.contains(listed)),
                            None => {}
                        }
                        prop_assert_eq!(queue.pop(batch), expected);
                    }
                }
                prop_assert_eq!(queue.len(), list.len());
            }
        }
    }
}
