//! The departments of the newsroom: each a key, a name, an address, keywords, and perhaps one of the matters that the model
//! knows. Must never reorder the matters: models are trained by number.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::declare::names;
use crate::domain::text::fold;

names! {
    /// A matter that the model knows.
    pub enum Matter {
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
    }
}

impl Matter {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Corruzione => "Corruzione/Politica",
            Self::Sanita => "Sanità/Ospedali",
            Self::Lavoro => "Lavoro/Sfruttamento",
            Self::Scuola => "Scuola/Istruzione",
            Self::Ambiente => "Ambiente/Territorio",
            Self::Criminalita => "Criminalità/Sicurezza",
        }
    }

    /// The key of the department that a new installation has for it.
    pub const fn key(self) -> DepartmentKey {
        DepartmentKey::packed(self.as_str())
    }

    /// The keywords that its department begins with.
    pub const fn keywords(self) -> &'static str {
        match self {
            Self::Corruzione => {
                "corruzione, politica, sindaco, assessore, appalto, tangente, mazzetta, politico, voto di scambio"
            }
            Self::Sanita => {
                "ospedale, medico, sanità, dottore, infermiere, pronto soccorso, asl, clinica, malasanità, paziente"
            }
            Self::Lavoro => {
                "lavoro, sfruttamento, stipendio, contratto, caporalato, lavoro nero, licenziamento, sindacato, \
                 mobbing, operai"
            }
            Self::Scuola => {
                "scuola, insegnante, professore, studente, istruzione, università, maestra, preside, bullismo, asilo"
            }
            Self::Ambiente => {
                "ambiente, inquinamento, rifiuti, discarica, territorio, amianto, roghi, abusivismo, veleni"
            }
            Self::Criminalita => {
                "droga, spaccio, furto, rapina, truffa, mafia, criminalità, sicurezza, violenza, usura"
            }
        }
    }

    pub(super) const fn class(self) -> usize {
        self as usize
    }
}

/// The lasting key of a department: 2 to 30 of a–z, 0–9 and `-` (`PRODUCT.md §11`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DepartmentKey {
    /// Filled up with zeros.
    letters: [u8; Self::LONGEST],
    length: u8,
}

impl DepartmentKey {
    /// 'Redazione Generale': what fits no other.
    pub const GENERALE: Self = Self::packed("generale");

    const LONGEST: usize = 30;
    /// The address at which the API takes the order of departments.
    const ORDER: Self = Self::packed("order");

    pub fn parse(key: &str) -> Option<Self> {
        let fits = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit() || one == b'-';
        ((2..=Self::LONGEST).contains(&key.len()) && key.bytes().all(fits))
            .then(|| Self::packed(key))
    }

    /// For a department of this name; another one than those taken.
    pub fn made_from(name: &str, taken: impl Fn(Self) -> bool) -> Self {
        let folded = fold(name);
        let words = folded.split(|one: char| !one.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let stem = match words.join("-") {
            short if short.len() < 2 => format!("reparto-{short}"),
            stem => stem,
        };
        let numbered = (1_u32..).map(|number| match number {
            1 => String::new(),
            again => format!("-{again}"),
        });
        let keys = numbered.map(|end| {
            let room = stem.len().min(Self::LONGEST - end.len());
            Self::packed(&format!("{}{end}", stem[..room].trim_end_matches('-')))
        });
        let mut free = keys.filter(|key| *key != Self::ORDER && !taken(*key));
        free.next().unwrap_or(Self::GENERALE)
    }

    pub fn as_str(&self) -> &str {
        let letters = &self.letters[..usize::from(self.length)];
        std::str::from_utf8(letters).unwrap_or_default()
    }

    const fn packed(key: &str) -> Self {
        let (mut letters, mut length) = ([0; Self::LONGEST], 0_u8);
        while (length as usize) < key.len() && (length as usize) < Self::LONGEST {
            letters[length as usize] = key.as_bytes()[length as usize];
            length += 1;
        }
        Self { letters, length }
    }
}

impl Default for DepartmentKey {
    fn default() -> Self {
        Self::GENERALE
    }
}

impl fmt::Display for DepartmentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for DepartmentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for DepartmentKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for DepartmentKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let key = String::deserialize(from)?;
        Self::parse(&key).ok_or_else(|| serde::de::Error::custom("no key of a department"))
    }
}

impl PartialSchema for DepartmentKey {
    fn schema() -> RefOr<Schema> {
        let key = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Key of a department."))
            .pattern(Some("^[a-z0-9-]{2,30}$"));
        key.into()
    }
}

impl ToSchema for DepartmentKey {}

/// A department.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Department {
    pub key: DepartmentKey,
    pub name: String,
    /// Who gets its mail, as a list; empty for those of [`crate::domain::settings::Email::email_recipient`].
    pub email: String,
    /// Separated by commas.
    pub keywords: String,
    /// The matter that it works on, of those that the model knows.
    pub matter: Option<Matter>,
}

impl Department {
    /// For sentences that name several.
    pub fn short_name(&self) -> &str {
        self.name
            .split_once('/')
            .map_or(&*self.name, |(first, _)| first)
    }

    fn of(matter: Matter) -> Self {
        Self {
            key: matter.key(),
            name: matter.name().to_owned(),
            email: String::new(),
            keywords: matter.keywords().to_owned(),
            matter: Some(matter),
        }
    }
}

/// The newsroom's departments, in its order; `generale` stands last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Departments {
    desks: Vec<Department>,
    general: Department,
    /// Those that were removed: they keep their names in what was.
    gone: Vec<(DepartmentKey, String)>,
}

/// The departments of a new installation.
impl Default for Departments {
    fn default() -> Self {
        let general = Department {
            key: DepartmentKey::GENERALE,
            name: "Redazione Generale".to_owned(),
            email: String::new(),
            keywords: String::new(),
            matter: None,
        };
        Self {
            desks: Matter::ALL.map(Department::of).into(),
            general,
            gone: Vec::new(),
        }
    }
}

impl Departments {
    /// Beside `generale`.
    pub const MOST: usize = 24;

    /// In their order; `None` without `generale`.
    pub fn of(
        listed: impl IntoIterator<Item = Department>,
        gone: Vec<(DepartmentKey, String)>,
    ) -> Option<Self> {
        let is_general = |one: &Department| one.key == DepartmentKey::GENERALE;
        let (mut general, desks): (Vec<_>, _) = listed.into_iter().partition(is_general);
        Some(Self {
            general: general.pop()?,
            desks,
            gone,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Department> {
        self.desks.iter().chain([&self.general])
    }

    pub fn keys(&self) -> impl Iterator<Item = DepartmentKey> {
        self.iter().map(|one| one.key)
    }

    /// All but `generale`.
    pub fn desks(&self) -> &[Department] {
        &self.desks
    }

    pub fn desks_mut(&mut self) -> &mut [Department] {
        &mut self.desks
    }

    pub fn general(&self) -> &Department {
        &self.general
    }

    pub fn get(&self, key: DepartmentKey) -> Option<&Department> {
        self.iter().find(|one| one.key == key)
    }

    pub fn has(&self, key: DepartmentKey) -> bool {
        self.get(key).is_some()
    }

    /// Those that were removed, with their names.
    pub fn gone(&self) -> &[(DepartmentKey, String)] {
        &self.gone
    }

    /// Whether a key was given, also to one that was removed.
    pub fn was_given(&self, key: DepartmentKey) -> bool {
        self.has(key) || self.gone.iter().any(|(gone, _)| *gone == key)
    }

    /// Also of one that was removed; its key, if it was never there.
    pub fn name<'a>(&'a self, key: &'a DepartmentKey) -> &'a str {
        let present = self.get(*key).map(|one| &*one.name);
        let removed = || self.gone.iter().find(|(gone, _)| gone == key);
        present
            .or_else(|| removed().map(|(_, name)| &**name))
            .unwrap_or(key.as_str())
    }

    /// Those in sight, in order.
    pub fn seen<'a>(&'a self, sight: &'a Sight) -> impl Iterator<Item = &'a Department> {
        self.iter().filter(|one| sight.has(one.key))
    }
}

/// The departments whose reports a person may see. Never none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Sight(
    /// In order of keys; `None` for all that there are and will be.
    Option<Arc<[DepartmentKey]>>,
);

impl Sight {
    pub const ALL: Self = Self(None);

    /// All departments if none is named.
    pub fn of(named: &[DepartmentKey]) -> Self {
        let mut keys = named.to_vec();
        keys.sort_unstable();
        keys.dedup();
        Self((!keys.is_empty()).then(|| keys.into()))
    }

    /// Empty for all departments.
    pub fn keys(&self) -> &[DepartmentKey] {
        self.0.as_deref().unwrap_or_default()
    }

    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    pub fn has(&self, one: DepartmentKey) -> bool {
        self.is_all() || self.keys().binary_search(&one).is_ok()
    }

    /// The named ones in the newsroom's order, behind them those that are not there any more; empty for all departments.
    pub fn named(&self, departments: &Departments) -> Vec<DepartmentKey> {
        let listed = departments.keys().filter(|one| self.keys().contains(one));
        let others = self.keys().iter().filter(|one| !departments.has(**one));
        listed.chain(others.copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sight_is_in_order_and_none_named_is_all() {
        assert!(Sight::of(&[]).is_all() && Sight::ALL.keys().is_empty());
        assert!(Sight::ALL.has(DepartmentKey::GENERALE));
        let two = Sight::of(&[Matter::Lavoro.key(), DepartmentKey::GENERALE]);
        assert_eq!(two.keys(), [DepartmentKey::GENERALE, Matter::Lavoro.key()]);
        let named = two.named(&Departments::default());
        assert_eq!(named, [Matter::Lavoro.key(), DepartmentKey::GENERALE]);
        assert!(two.has(Matter::Lavoro.key()) && !two.has(Matter::Scuola.key()));
        // It must not be taken for all.
        let gone = DepartmentKey::packed("sport");
        let named = Sight::of(&[gone]).named(&Departments::default());
        assert_eq!(named, [gone]);
    }

    #[test]
    fn keys_read_back_and_classes_count_up() {
        for (class, matter) in Matter::ALL.into_iter().enumerate() {
            assert_eq!(matter.class(), class);
            let key = matter.key();
            assert_eq!(DepartmentKey::parse(matter.as_str()), Some(key));
            assert_eq!(serde_json::to_value(key).unwrap(), matter.as_str());
        }
        for bad in ["Sanita", "a", "sanità", "a_b", "", &"a".repeat(31)] {
            assert_eq!(DepartmentKey::parse(bad), None, "{bad}");
        }
        let six = Departments::default();
        assert_eq!(six.desks()[2].short_name(), "Lavoro");
        assert_eq!(six.general().short_name(), "Redazione Generale");
    }

    #[test]
    fn keys_are_made_from_names_and_never_given_twice() {
        let six = Departments::default();
        let made = |name: &str| DepartmentKey::made_from(name, |key| six.was_given(key));
        for (name, key) in [
            ("Cronaca", "cronaca"),
            ("Order", "order-2"),
            ("Sanità", "sanita-2"),
            ("Esteri & Difesa", "esteri-difesa"),
            ("  Salento/Brindisi!", "salento-brindisi"),
            ("日本", "reparto-"),
            ("X", "reparto-x"),
            (
                "Redazione delle inchieste lunghissime",
                "redazione-delle-inchieste-lung",
            ),
        ] {
            let made = made(name);
            assert_eq!(made.as_str(), key.trim_end_matches('-'), "{name}");
            assert_eq!(DepartmentKey::parse(made.as_str()), Some(made), "{name}");
        }
        let long = "a".repeat(40);
        let taken = DepartmentKey::made_from(&long, |_| false);
        let next = DepartmentKey::made_from(&long, |key| key == taken);
        assert_eq!(next.as_str(), format!("{}-2", "a".repeat(28)));
    }

    #[test]
    fn removed_departments_keep_their_names() {
        let listed = Departments::default()
            .iter()
            .skip(1)
            .cloned()
            .collect::<Vec<_>>();
        let gone = vec![(Matter::Corruzione.key(), "Palazzo".to_owned())];
        let left = Departments::of(listed, gone).unwrap();
        assert!(!left.has(Matter::Corruzione.key()) && left.was_given(Matter::Corruzione.key()));
        assert_eq!(left.name(&Matter::Corruzione.key()), "Palazzo");
        assert_eq!(left.name(&DepartmentKey::packed("mai")), "mai");
        assert_eq!(Departments::of([], Vec::new()), None);
    }
}
