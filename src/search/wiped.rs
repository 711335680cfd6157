//! Bytes that leave nothing behind: what they held is overwritten when they grow, and when they go.
//! Must never hand its memory back to the system with anything in it.

use std::ops::Deref;

use zeroize::Zeroize;

/// Room that the first byte brings with it: a contact's fields fit.
const SMALLEST: usize = 64;

/// A growing run of bytes, wiped when it moves and when it is dropped.
#[derive(Default)]
pub(super) struct Wiped(Vec<u8>);

impl Wiped {
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Appends what `each` makes of the bytes: one reservation for all of them, so that the loop is the processor's own.
    pub(super) fn extend_with(&mut self, bytes: &[u8], each: impl Fn(u8) -> u8) {
        self.make_room(bytes.len());
        self.0.extend(bytes.iter().map(|byte| each(*byte)));
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.make_room(1);
        self.0.push(byte);
    }

    /// Forgets what it holds, and keeps the room for more. It is wiped in the end all the same.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn make_room(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if needed > self.0.capacity() {
            // `Vec` would grow by itself, and leave what it held in the memory it gives back.
            let capacity = needed.max(2 * self.0.capacity()).max(SMALLEST);
            self.move_to(Vec::with_capacity(capacity));
        }
    }

    /// Gives back what is not used.
    pub(super) fn shrink(&mut self) {
        if self.0.capacity() > self.0.len() {
            self.move_to(Vec::with_capacity(self.0.len()));
        }
    }

    /// Bytes of memory it takes.
    pub(super) fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn move_to(&mut self, mut place: Vec<u8>) {
        place.extend_from_slice(&self.0);
        self.0.zeroize();
        self.0 = place;
    }
}

impl Clone for Wiped {
    /// Keeps the room to grow: a copy that is appended to would move at once otherwise.
    fn clone(&self) -> Self {
        let mut copy = Vec::with_capacity(self.0.capacity());
        copy.extend_from_slice(&self.0);
        Self(copy)
    }
}

impl Deref for Wiped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_it_was_given_however_it_grows_and_shrinks() {
        let mut bytes = Wiped::default();
        let mut plain = Vec::new();
        for piece in 0..200_u8 {
            bytes.extend(&vec![piece; usize::from(piece)]);
            plain.extend_from_slice(&vec![piece; usize::from(piece)]);
            if piece % 7 == 0 {
                bytes.shrink();
                assert_eq!(bytes.capacity(), plain.len());
            }
        }
        assert_eq!(*bytes, *plain);
        let copy = bytes.clone();
        assert_eq!((&*copy, copy.capacity()), (&*plain, bytes.capacity()));
    }

    #[test]
    fn cleared_it_begins_anew_in_the_same_room() {
        let mut bytes = Wiped::default();
        bytes.extend(&[1; 1000]);
        let room = bytes.capacity();
        bytes.clear();
        assert!(bytes.is_empty());
        bytes.push(7);
        assert_eq!((&*bytes, bytes.capacity()), (&[7][..], room));
    }
}
