//! People of the newsroom: their roles, and the departments that they see.

use super::declare::names;
use super::invalid::Invalid;
use super::routing::Sight;
use super::text::{char_count, clean_line};

const NAME_CHARS: usize = 60;
const USER_CHARS: usize = 60;

names! {
    /// The role of a person. Each role includes the rights of the roles after it.
    pub enum Role {
        /// Everything.
        Amministratore = "amministratore",
        /// Works on the reports that they see.
        Redattore = "redattore",
        /// Reads the reports that they see.
        Lettore = "lettore",
    }
}

names! {
    /// The state of a person's second factor.
    #[schema(as = SecondFactor)]
    pub enum SecondFactorState {
        /// There is none.
        Off = "off",
        /// It is asked for.
        On = "on",
        /// There is none, and it must be set up before anything else.
        Required = "required",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: String,
    pub name: String,
    pub user: String,
    pub role: Role,
    pub departments: Sight,
}

/// The name of a person, or one that a person gives a passkey: cleaned and checked.
pub fn name(typed: &str) -> Result<String, Invalid> {
    let name = clean_line(typed);
    match char_count(&name) {
        0 => Err(Invalid::new("name", "empty", "Scrivi il nome.")),
        1..=NAME_CHARS => Ok(name),
        _ => {
            let message = format!("Inserisci al massimo {NAME_CHARS} caratteri.");
            Err(Invalid::new("name", "long", message))
        }
    }
}

/// Upper and lower case make no difference.
pub fn user(typed: &str) -> String {
    typed.trim().to_ascii_lowercase()
}

pub fn check_user(user: &str) -> Result<(), Invalid> {
    let fits = |one: char| one.is_ascii_alphanumeric() || ".-_@".contains(one);
    if (2..=USER_CHARS).contains(&char_count(user)) && user.chars().all(fits) {
        return Ok(());
    }
    let message = format!(
        "Da 2 a {USER_CHARS} caratteri: lettere non accentate, cifre, punto, trattino, «_» e «@»."
    );
    Err(Invalid::new("user", "format", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_and_bounded() {
        assert_eq!(name("  Anna   Bianchi ").unwrap(), "Anna Bianchi");
        assert!(name(" ").is_err() && name(&"a".repeat(61)).is_err());
        assert_eq!(user(" Anna.B "), "anna.b");
        assert!(check_user("anna.b").is_ok() && check_user("a@b.it").is_ok());
        for bad in ["", "a", "anna b", "andrè", &"a".repeat(61)] {
            assert!(check_user(bad).is_err(), "{bad}");
        }
    }
}
