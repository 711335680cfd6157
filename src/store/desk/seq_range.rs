//! A range of arrival numbers.

/// Reports that arrived one after the other, by arrival number, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqRange {
    pub oldest: i64,
    pub newest: i64,
}

impl SeqRange {
    /// All reports.
    pub const ALL: Self = Self::of(i64::MIN, i64::MAX);

    pub const fn of(oldest: i64, newest: i64) -> Self {
        Self { oldest, newest }
    }

    /// The reports that arrived after this one, or before it.
    pub const fn beyond(seq: i64, newer: bool) -> Self {
        if newer {
            Self::of(seq.saturating_add(1), i64::MAX)
        } else {
            Self::of(i64::MIN, seq.saturating_sub(1))
        }
    }

    /// The part that lies in the other range too.
    pub fn within(self, other: Self) -> Self {
        Self::of(self.oldest.max(other.oldest), self.newest.min(other.newest))
    }

    pub const fn is_empty(self) -> bool {
        self.oldest > self.newest
    }

    pub const fn contains(self, seq: i64) -> bool {
        self.oldest <= seq && seq <= self.newest
    }
}
