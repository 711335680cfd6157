//! Why an answer was refused, in words for this answer. The sentence of its section stands beside it, as ordered.

use super::{ChatState, Rules};
use crate::domain::fields::{self, Minimum};
use crate::domain::text::{self, counted};

const MOBILE_DIGITS: usize = 10;

/// The reason for this answer. `refused` counts this refusal and those before it. `None` if the section's sentence says it all.
pub(super) fn reason(rules: &Rules, state: ChatState, answer: &str, refused: u8) -> Option<String> {
    let said = text::clean(answer);
    match state {
        ChatState::AgeCheck if refused.is_multiple_of(2) => Some(
            "Scrivilo in cifre, per esempio 42; oppure scrivi la data di nascita, per esempio 12/03/1984.".to_owned(),
        ),
        ChatState::AgeCheck => {
            Some("Mi basta il numero degli anni compiuti, per esempio 42.".to_owned())
        }
        ChatState::CollectName => Some(about_a_name(&said, "nome", "Teresa")),
        ChatState::CollectSurname => Some(about_a_name(&said, "cognome", "Rossi")),
        ChatState::CollectPhone => Some(about_a_phone(&said, rules.other_phones)),
        ChatState::CollectEmail => Some(about_an_email(&said)),
        ChatState::CollectAddress => {
            Some("Scrivi via, numero e città: via Roma 12, Napoli.".to_owned())
        }
        ChatState::InvestigativeQuestions => about_an_account(&said, rules.minimum),
        ChatState::CollectReport | ChatState::FinalQuestion | ChatState::OwnQuestion => None,
    }
}

pub(super) fn about_a_word(word: &str) -> String {
    format!("Togli la parola «{word}», o scrivila in un altro modo: questa chat non la accetta.")
}

fn about_a_name(said: &str, what: &str, example: &str) -> String {
    if said.contains(char::is_numeric) {
        format!("Nel {what} non vanno cifre.")
    } else {
        format!("Scrivi solo il {what}, per esempio {example}.")
    }
}

/// Whether a foreign telephone number was refused, whose owner may have no other.
pub(super) fn is_foreign(rules: &Rules, state: ChatState, answer: &str) -> bool {
    let digits = fields::phone_digits(&text::clean(answer)).unwrap_or_default();
    state == ChatState::CollectPhone && !rules.other_phones && digits.starts_with('+')
}

fn about_a_phone(said: &str, other_phones: bool) -> String {
    let digits = fields::phone_digits(said).unwrap_or_default();
    let wrong = match digits.chars().next() {
        None => "Scrivi solo il numero".to_owned(),
        Some(_) if other_phones => {
            return "Controlla le cifre. Un numero estero comincia con il suo prefisso, per esempio +41.".to_owned();
        }
        Some('+') => "Questo è un numero estero: qui serve un cellulare italiano".to_owned(),
        Some('3') => {
            let wrong = digits.len().abs_diff(MOBILE_DIGITS);
            let figures = counted(wrong, "cifra", "cifre");
            let verb = match (digits.len() < MOBILE_DIGITS, wrong) {
                (true, 1) => "Manca",
                (true, _) => "Mancano",
                (false, _) => "Togli",
            };
            format!("{verb} {figures}: un cellulare ne ha dieci")
        }
        Some(_) => "Qui serve un cellulare, che comincia con 3".to_owned(),
    };
    format!("{wrong}, per esempio 333 123 4567.")
}

fn about_an_email(said: &str) -> String {
    let wrong = match said.split_once('@') {
        None => "Ci vuole la chiocciola",
        Some(_) if said.contains(char::is_whitespace) => "Nell'indirizzo non vanno spazi",
        Some((_, domain)) if !domain.contains('.') => "Dopo la chiocciola manca un pezzo",
        Some(_) => "Qualcosa nell'indirizzo non va",
    };
    format!("{wrong}, per esempio anna@posta.it.")
}

fn about_an_account(said: &str, minimum: Minimum) -> Option<String> {
    let lacking_chars = minimum.chars.saturating_sub(text::char_count(said));
    let lacking_words = minimum.words.saturating_sub(text::word_count(said));
    let (lacking, one, many) = if lacking_chars > 0 {
        (lacking_chars, "carattere", "caratteri")
    } else {
        (lacking_words, "parola", "parole")
    };
    let verb = if lacking == 1 { "Manca" } else { "Mancano" };
    (lacking > 0).then(|| format!("{verb} {}: chi, dove, quando?", counted(lacking, one, many)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::phrases::Phrases;
    use crate::domain::settings::{Security, System};

    #[test]
    fn each_refusal_says_what_is_wrong_with_this_answer() {
        let rules = Rules::new(
            &Phrases::default(),
            &Security::default(),
            &System::default(),
        );
        for (state, answer, expected) in [
            (
                ChatState::CollectName,
                "Mario Rossi 3",
                "Nel nome non vanno cifre.",
            ),
            (
                ChatState::CollectSurname,
                "R",
                "Scrivi solo il cognome, per esempio Rossi.",
            ),
            (
                ChatState::CollectPhone,
                "333 123 45",
                "Mancano 2 cifre: un cellulare ne ha dieci, per esempio 333 123 4567.",
            ),
            (
                ChatState::CollectPhone,
                "33312345678",
                "Togli 1 cifra: un cellulare ne ha dieci, per esempio 333 123 4567.",
            ),
            (
                ChatState::CollectPhone,
                "06 1234567",
                "Qui serve un cellulare, che comincia con 3, per esempio 333 123 4567.",
            ),
            (
                ChatState::CollectPhone,
                "+41 79 123 45 67",
                "Questo è un numero estero: qui serve un cellulare italiano, per esempio 333 123 4567.",
            ),
            (
                ChatState::CollectPhone,
                "non ora",
                "Scrivi solo il numero, per esempio 333 123 4567.",
            ),
            (
                ChatState::CollectEmail,
                "anna.posta.it",
                "Ci vuole la chiocciola, per esempio anna@posta.it.",
            ),
            (
                ChatState::CollectEmail,
                "anna bianchi@posta.it",
                "Nell'indirizzo non vanno spazi, per esempio anna@posta.it.",
            ),
            (
                ChatState::CollectEmail,
                "anna@posta",
                "Dopo la chiocciola manca un pezzo, per esempio anna@posta.it.",
            ),
            (
                ChatState::CollectAddress,
                "Napoli",
                "Scrivi via, numero e città: via Roma 12, Napoli.",
            ),
            (
                ChatState::InvestigativeQuestions,
                "Mi rubano lo stipendio",
                "Mancano 48 caratteri: chi, dove, quando?",
            ),
        ] {
            assert_eq!(
                reason(&rules, state, answer, 1).as_deref(),
                Some(expected),
                "{answer}"
            );
        }
        assert_eq!(reason(&rules, ChatState::CollectReport, "", 1), None);
    }
}
