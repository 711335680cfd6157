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
