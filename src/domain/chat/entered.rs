//! A report that staff enter, by telephone or from a letter: the rules of the conversation, but only name and account are
//! required.

use super::{ChatState, DATA, FieldError, Rules};
use crate::domain::fields::{self, ADULT_AGE, AGE_MAX};
use crate::domain::invalid::Invalid;
use crate::domain::report::Report;

const MINOR: &str = "Non si possono raccogliere segnalazioni da minorenni.";

/// Empty phone, e-mail or address and an age of 0 mean that they were not given.
pub fn entered(rules: &Rules, given: &Report) -> Result<Report, Vec<Invalid>> {
    let (mut report, mut refused) = (Report::default(), Vec::new());
    for datum in &DATA {
        let said = (datum.read)(given);
        let needed = matches!(
            datum.state,
            ChatState::CollectName | ChatState::CollectSurname
        );
        if said.trim().is_empty() && !needed {
            continue;
        }
        match (datum.parse)(rules, said) {
            Ok(value) => *(datum.place)(&mut report) = value,
            Err(error) => {
                let sentence = &(datum.question)(&rules.phrases).invalid;
                refused.push(refusal(rules, datum.field, error, sentence));
            }
        }
    }
    match account(rules, &given.segnalazione) {
        Ok(account) => report.segnalazione = account,
        Err(refusal) => refused.push(refusal),
    }
    match given.eta {
        0 | ADULT_AGE..=AGE_MAX => report.eta = given.eta,
        1..ADULT_AGE => refused.push(Invalid::new("eta", "minor", MINOR)),
        _ => {
            let sentence = rules.say(&rules.phrases.age_check.invalid);
            refused.push(Invalid::new("eta", "range", sentence));
        }
    }
    if refused.is_empty() {
        Ok(report)
    } else {
        Err(refused)
    }
}

fn account(rules: &Rules, said: &str) -> Result<String, Invalid> {
    let (field, sentences) = ("segnalazione", &rules.phrases.investigative_questions);
    if fields::first_of(said, &rules.forbidden_words).is_some() {
        let sentence = rules.say(&sentences.forbidden);
        return Err(Invalid::new(field, "forbidden", sentence));
    }
    fields::parse_report(said, rules.minimum)
        .map_err(|error| refusal(rules, field, error, &sentences.too_short))
}

fn refusal(rules: &Rules, field: &str, error: FieldError, sentence: &str) -> Invalid {
    match error {
        FieldError::Malformed => Invalid::new(field, "invalid", rules.say(sentence)),
        FieldError::TooLong(message) => Invalid::new(field, "tooLong", message),
    }
}
