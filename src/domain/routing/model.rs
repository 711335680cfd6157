//! What mode `smart` asks: a head that weighs the words, and what it remembers of reports that staff moved. It must never
//! be taken apart: both were learnt together, and are taken back together.

use super::memory::Memory;
use super::seed;
use crate::domain::learn::softmax::Head;

/// A head and its memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Weighs the words.
    pub head: Head,
    /// Reports that staff moved.
    pub memory: Memory,
}

impl Model {
    /// The model as bytes: those of the head, then those of the memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.to_bytes();
        bytes.extend(self.memory.to_bytes());
        bytes
    }

    /// Reads what [`Model::to_bytes`] wrote, or a head alone; `None` when it is something else, or measured texts otherwise.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (head, memory) = bytes.split_at_checked(seed::HEAD_BYTES)?;
        Some(Self {
            head: seed::read_head(head)?,
            memory: Memory::from_bytes(memory)?,
        })
    }
}
