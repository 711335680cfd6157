//! Hashes of the phone and the e-mail of a report, 12 bytes a report in memory. Must never hold a text.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::domain::report::BorrowedReport;

/// A report with the hashes of its phone number and e-mail address, 0 for none.
#[derive(Clone)]
pub(super) struct Contacts {
    seq: u32,
    hashes: [u32; 2],
}

impl Contacts {
    pub(super) fn seq(&self) -> i64 {
        self.seq.into()
    }

    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> {
        self.hashes.into_iter().filter(|hash| *hash != 0)
    }

    pub(super) fn shares_contact_with(&self, other: &Self) -> bool {
        self.seq != other.seq && self.hashes().any(|hash| other.hashes.contains(&hash))
    }
}

/// The hashes are keyed anew at each start of the program, so that no reporter can prepare a collision.
#[derive(Default)]
pub(super) struct ContactHasher(RandomState);

impl ContactHasher {
    /// `None` for an arrival number beyond 32 bits.
    pub(super) fn of(&self, seq: i64, report: &BorrowedReport<'_>) -> Option<Contacts> {
        let phone = self.hash(&report.telefono);
        let mail = self.hash(&report.email.to_lowercase());
        let seq = u32::try_from(seq).ok()?;
        Some(Contacts {
            seq,
            hashes: [phone, mail],
        })
    }

    fn hash(&self, text: &str) -> u32 {
        match u32::try_from(self.0.hash_one(text) >> 32) {
            Ok(hash) if !text.is_empty() => hash.max(1),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Contacts {
        /// An entry for a report about which nothing is known.
        pub(in crate::search) fn numbered(seq: i64) -> Self {
            ContactHasher::default()
                .of(seq, &BorrowedReport::default())
                .unwrap()
        }

        pub(in crate::search) fn hashed(seq: u32, hashes: [u32; 2]) -> Self {
            Self { seq, hashes }
        }
    }

    #[test]
    fn a_report_is_twelve_bytes() {
        assert_eq!(size_of::<Contacts>(), 12);
    }

    #[test]
    fn upper_case_makes_no_other_address_and_nothing_given_is_nobody() {
        let hasher = ContactHasher::default();
        let of = |seq, email: &str| {
            let report = BorrowedReport {
                email: email.into(),
                ..BorrowedReport::default()
            };
            hasher.of(seq, &report).unwrap()
        };
        assert!(of(1, "a@b.it").shares_contact_with(&of(2, "A@B.it")));
        assert!(!of(1, "a@b.it").shares_contact_with(&of(1, "a@b.it")));
        assert!(!of(1, "").shares_contact_with(&of(2, "")));
    }
}
