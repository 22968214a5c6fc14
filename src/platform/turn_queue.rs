//! A queue that serves its clients in turn.

use std::collections::VecDeque;

/// Waiting items of clients, which are identified by `K`.
///
/// The items of a client are served in FIFO order. After an item of a client, each other client that has
/// some is served once, so that one with many items does not delay the others.
pub struct TurnQueue<K, T> {
    /// The client that is served next comes first. No client is without items.
    clients: VecDeque<(K, VecDeque<T>)>,
}

impl<K: Eq, T> TurnQueue<K, T> {
    /// Creates a queue without items.
    pub const fn new() -> Self {
        Self { clients: VecDeque::new() }
    }

    /// Adds an item, the last one of its client.
    pub fn push(&mut self, client: K, item: T) {
        match self.clients.iter_mut().find(|(other, _)| *other == client) {
            Some((_, items)) => items.push_back(item),
            None => self.clients.push_back((client, VecDeque::from([item]))),
        }
    }

    /// Returns the item that is served next. None if there is none.
    pub fn front(&self) -> Option<&T> {
        self.clients.front().and_then(|(_, items)| items.front())
    }

    /// Removes and returns the item that is served next. Its client is then served last.
    pub fn pop(&mut self) -> Option<T> {
        let (client, mut items) = self.clients.pop_front()?;
        let next = items.pop_front();
        if !items.is_empty() {
            self.clients.push_back((client, items));
        }
        next
    }

    /// Moves the item that is served next behind all other clients and the other items of its client.
    pub fn postpone(&mut self) {
        let Some((client, mut items)) = self.clients.pop_front() else { return };
        items.rotate_left(1);
        self.clients.push_back((client, items));
    }

    /// Removes an item wherever it is. Does nothing if it does not wait.
    pub fn remove(&mut self, item: &T)
    where
        T: PartialEq,
    {
        for (_, items) in &mut self.clients {
            items.retain(|other| other != item);
        }
        self.clients.retain(|(_, items)| !items.is_empty());
    }

    /// Returns the number of items of all clients.
    pub fn len(&self) -> usize {
        self.clients.iter().map(|(_, items)| items.len()).sum()
    }

    /// Returns whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}

impl<K: Eq, T> Default for TurnQueue<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a queue in which a client has three items before two others have one each.
    fn busy_queue() -> TurnQueue<&'static str, u8> {
        let mut queue = TurnQueue::new();
        for (client, item) in [("busy", 1), ("busy", 2), ("busy", 3), ("other", 4), ("third", 5)] {
            queue.push(client, item);
        }
        queue
    }

    /// Removes all items and returns them in their order.
    fn drain(mut queue: TurnQueue<&'static str, u8>) -> Vec<u8> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn clients_are_served_in_turn() {
        assert_eq!(drain(busy_queue()), [1, 4, 5, 2, 3]);
    }

    #[test]
    fn a_postponed_item_comes_after_the_others() {
        let mut queue = busy_queue();
        queue.postpone();
        assert_eq!(queue.front(), Some(&4));
        assert_eq!(drain(queue), [4, 5, 2, 3, 1]);
    }

    #[test]
    fn removed_items_are_not_served() {
        let mut queue = busy_queue();
        [1, 4, 9].iter().for_each(|item| queue.remove(item));
        assert_eq!(queue.len(), 3);
        assert_eq!(drain(queue), [2, 5, 3]);
    }
}
