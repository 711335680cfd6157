//! The departments, in the order that decides between keywords. It must never be reordered: heads are trained by number.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a report goes (`PRODUCT.md §5`).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Department {
    /// Corruzione/Politica.
    Corruzione,
    /// Sanità/Ospedali.
    Sanita,
    /// Lavoro/Sfruttamento.
    Lavoro,
    /// Scuola/Istruzione.
    Scuola,
    /// Ambiente/Territorio.
    Ambiente,
    /// Criminalità/Sicurezza.
    Criminalita,
    /// Redazione Generale: what fits no other.
    #[default]
    Generale,
}

impl Department {
    /// All of them; the fallback last.
    pub const ALL: [Self; 7] = [
        Self::Corruzione,
        Self::Sanita,
        Self::Lavoro,
        Self::Scuola,
        Self::Ambiente,
        Self::Criminalita,
        Self::Generale,
    ];

    /// Its key, as stored and in settings.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Corruzione => "corruzione",
            Self::Sanita => "sanita",
            Self::Lavoro => "lavoro",
            Self::Scuola => "scuola",
            Self::Ambiente => "ambiente",
            Self::Criminalita => "criminalita",
            Self::Generale => "generale",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Corruzione => "Corruzione/Politica",
            Self::Sanita => "Sanità/Ospedali",
            Self::Lavoro => "Lavoro/Sfruttamento",
            Self::Scuola => "Scuola/Istruzione",
            Self::Ambiente => "Ambiente/Territorio",
            Self::Criminalita => "Criminalità/Sicurezza",
            Self::Generale => "Redazione Generale",
        }
    }

    /// The first half of its name, for sentences that name several.
    pub fn short_name(self) -> &'static str {
        let name = self.name();
        name.split_once('/').map_or(name, |(first, _)| first)
    }

    /// The department of that key, exactly as [`Department::key`] writes it.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.key() == key)
    }

    /// Its number as a class of a head.
    pub(super) const fn class(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_and_classes_count_up() {
        for (class, department) in Department::ALL.into_iter().enumerate() {
            assert_eq!(department.class(), class);
            assert_eq!(Department::parse(department.key()), Some(department));
            assert_eq!(serde_json::to_value(department).unwrap(), department.key());
        }
        assert_eq!(Department::parse("Sanita"), None);
        assert_eq!(Department::Lavoro.short_name(), "Lavoro");
        assert_eq!(Department::Generale.short_name(), "Redazione Generale");
    }
}
