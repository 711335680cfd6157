//! Bytes that leave nothing behind: what they held is overwritten when they grow, and when they go.
//! Must never hand its memory back to the system with anything in it.

use std::ops::Deref;

use zeroize::Zeroize;

/// A growing run of bytes, wiped when it moves and when it is dropped.
#[derive(Default)]
pub(super) struct Wiped(Vec<u8>);

impl Wiped {
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let needed = self.0.len() + bytes.len();
        if needed > self.0.capacity() {
            // `Vec` would grow by itself, and leave what it held in the memory it gives back.
            self.move_to(Vec::with_capacity(needed.max(2 * self.0.capacity())));
        }
        self.0.extend_from_slice(bytes);
    }

    /// Gives back what is not used.
    pub(super) fn shrink(&mut self) {
        if self.0.capacity() > self.0.len() {
            self.move_to(Vec::with_capacity(self.0.len()));
        }
    }

    /// Makes letters from `start` on lower case, ASCII ones only.
    pub(super) fn lower_ascii(&mut self, start: usize) {
        if let Some(added) = self.0.get_mut(start..) {
            added.make_ascii_lowercase();
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
    fn only_what_was_added_is_made_lower_case() {
        let mut bytes = Wiped::default();
        bytes.extend(b"ABC");
        bytes.extend("DÈ1".as_bytes());
        bytes.lower_ascii(3);
        assert_eq!(*bytes, *"ABCdÈ1".as_bytes());
        bytes.lower_ascii(100);
    }
}
