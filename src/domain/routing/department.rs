//! The departments, in the order that decides between keywords. Must never be reordered: models are trained by number.

use crate::domain::declare::names;

names! {
    /// A department.
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

    /// For sentences that name several.
    pub fn short_name(self) -> &'static str {
        let name = self.name();
        name.split_once('/').map_or(name, |(first, _)| first)
    }

    pub(super) const fn class(self) -> usize {
        self as usize
    }
}

/// A bit each, and never none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Departments(u8);

impl Departments {
    pub const ALL: Self = Self((1 << Department::ALL.len()) - 1);

    /// All departments if none is named.
    pub fn of(named: &[Department]) -> Self {
        let bits = named.iter().fold(0, |bits, one| bits | 1 << *one as u8);
        if bits == 0 { Self::ALL } else { Self(bits) }
    }

    pub fn bits(self) -> u8 {
        self.0
    }

    pub fn from_bits(bits: i64) -> Option<Self> {
        let bits = u8::try_from(bits).ok()?;
        (1..=Self::ALL.0).contains(&bits).then_some(Self(bits))
    }

    /// Empty for all departments.
    pub fn named(self) -> Vec<Department> {
        self.iter().filter(|_| !self.is_all()).collect()
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
    fn departments_are_bits_and_none_named_is_all() {
        assert!(Departments::of(&[]).is_all() && Departments::ALL.named().is_empty());
        let two = Departments::of(&[Department::Generale, Department::Lavoro]);
        assert_eq!(two.named(), [Department::Lavoro, Department::Generale]);
        assert_eq!(Departments::from_bits(two.bits().into()), Some(two));
        for bad in [-1, 0, 128] {
            assert_eq!(Departments::from_bits(bad), None, "{bad}");
        }
    }

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
