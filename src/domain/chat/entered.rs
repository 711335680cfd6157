//! A report that staff enter, by telephone or from a letter: a name and a text, however short, are enough. Refusals address
//! an editor.

use crate::domain::fields::{
    ADDRESS_MAX, ADULT_AGE, AGE_MAX, FieldError, NAME_MAX, REPORT_MAX, parse_any_phone, parse_email,
};
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::report::Report;
use crate::domain::text::{char_count, clean, clean_line, is_blank};

const NO_NAME: &str = "Scrivi almeno il nome, o come chiamare questa persona.";
const NO_ACCOUNT: &str = "Scrivi che cosa racconta.";
const PHONE: &str = "Non è un numero completo: un cellulare ha dieci cifre e comincia con 3, un fisso con 0; uno straniero vuole il prefisso.";
const EMAIL: &str = "Non è un indirizzo email completo, come anna@esempio.it.";
const MINOR: &str = "Non si possono raccogliere segnalazioni da minorenni.";
const AGE: &str = "L’età va da 18 a 120 anni.";

/// An empty field or an age of 0 means that it was not given.
pub fn entered(given: &Report) -> Result<Report, Vec<Invalid>> {
    let mut refused = Vec::new();
    let mut taken = |read: Result<String, Invalid>| {
        read.unwrap_or_else(|refusal| {
            refused.push(refusal);
            String::new()
        })
    };
    let (name, account) = (clean_line(&given.nome), clean(&given.segnalazione));
    let report = Report {
        nome: taken(needed("nome", NO_NAME, name, NAME_MAX)),
        cognome: taken(bounded("cognome", clean_line(&given.cognome), NAME_MAX)),
        telefono: taken(told("telefono", PHONE, &given.telefono, parse_any_phone)),
        email: taken(told("email", EMAIL, &given.email, parse_email)),
        indirizzo: taken(bounded("indirizzo", clean(&given.indirizzo), ADDRESS_MAX)),
        segnalazione: taken(needed("segnalazione", NO_ACCOUNT, account, REPORT_MAX)),
        eta: given.eta,
    };
    match given.eta {
        0 | ADULT_AGE..=AGE_MAX => {}
        1..ADULT_AGE => refused.push(Invalid::new("eta", "minor", MINOR)),
        _ => refused.push(Invalid::new("eta", "range", AGE)),
    }
    verdict(refused.into_iter()).map(|()| report)
}

fn needed(field: &str, empty: &str, said: String, max: usize) -> Result<String, Invalid> {
    if is_blank(&said) {
        return Err(Invalid::new(field, "empty", empty));
    }
    bounded(field, said, max)
}

fn bounded(field: &str, said: String, max: usize) -> Result<String, Invalid> {
    let length = char_count(&said);
    if length <= max {
        return Ok(said);
    }
    let message = format!("Al massimo {max} caratteri: ora sono {length}.");
    Err(Invalid::new(field, "tooLong", message))
}

fn told(
    field: &str,
    wrong: &str,
    said: &str,
    parse: fn(&str) -> Result<String, FieldError>,
) -> Result<String, Invalid> {
    if is_blank(said) {
        return Ok(String::new());
    }
    parse(said).map_err(|_| Invalid::new(field, "invalid", wrong))
}
