//! The departments, in the order that decides between keywords. It must never be reordered: heads are trained by number.

use crate::domain::declare::names;

names! {
    /// Where a report goes (`PRODUCT.md §5`).
    #[derive(Default)]
    pub enum Department {
        /// Corruzione/Politica.
        Corruzione = "corruzione",
        /// Sanità/Ospedali.
        Sanita = "sanita",
        /// Lavoro/Sfruttamento.
        Lavoro = "lavoro",
        /// Scuola/Istruzione.
        Scuola = "scuola",
        /// Ambiente/Territorio.
        Ambiente = "ambiente",
        /// Criminalità/Sicurezza.
        Criminalita = "criminalita",
        /// Redazione Generale: what fits no other.
        #[default]
        Generale = "generale",
    }
}

impl Department {
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

    /// Its number as a class of a head.
    pub(super) const fn class(self) -> usize {
        self as usize
    }
}

/// Some departments: a bit each, and never none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Departments(u8);

impl Departments {
    pub const ALL: Self = Self((1 << Department::ALL.len()) - 1);

    /// These; all where none is named.
    pub fn of(named: &[Department]) -> Self {
        let bits = named.iter().fold(0, |bits, one| bits | 1 << *one as u8);
        if bits == 0 { Self::ALL } else { Self(bits) }
    }

    pub fn is_all(self) -> bool {
        self == Self::ALL
    }

    pub fn has(self, one: Department) -> bool {
        self.0 >> one as u8 & 1 == 1
    }

    pub fn iter(self) -> impl Iterator<Item = Department> {
        let all = Department::ALL.into_iter();
        all.filter(move |one| self.has(*one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_and_classes_count_up() {
        for (class, department) in Department::ALL.into_iter().enumerate() {
            assert_eq!(department.class(), class);
            assert_eq!(Department::parse(department.as_str()), Some(department));
            assert_eq!(
                serde_json::to_value(department).unwrap(),
                department.as_str()
            );
        }
        assert_eq!(Department::parse("Sanita"), None);
        assert_eq!(Department::Lavoro.short_name(), "Lavoro");
        assert_eq!(Department::Generale.short_name(), "Redazione Generale");
    }
}
