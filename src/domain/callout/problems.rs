//! What is wrong with a callout: what cannot be kept at all, and what keeps it from being opened.

use std::collections::HashSet;

use super::answer::plain;
use super::{AnswerKind, Callout, CalloutOption, CalloutQuestion, Route};
use crate::domain::invalid::Invalid;
use crate::domain::text::{char_count, is_blank};

const QUESTIONS: usize = 12;
const OPTIONS: usize = 12;
const SLUG: std::ops::RangeInclusive<usize> = 2..=40;
const KEY: usize = 40;
/// Characters of a title, of an option, and of other texts.
const TITLE: usize = 120;
const OPTION: usize = 200;
const TEXT: usize = 2_000;

/// What cannot be kept, also of a draft.
pub fn refusals(callout: &Callout) -> Vec<Invalid> {
    let mut found = Vec::new();
    let slug = &callout.slug;
    if !SLUG.contains(&slug.len()) || !is_key(slug, "-") {
        let message = "Da 2 a 40 lettere minuscole, cifre e trattini.";
        found.push(Invalid::new("slug", "format", message));
    }
    for (field, text, most) in texts(callout) {
        let length = char_count(text);
        if length > most {
            let message = format!("Al massimo {most} caratteri: ora sono {length}.");
            found.push(Invalid::new(field, "long", message));
        }
    }
    if callout.questions.len() > QUESTIONS {
        found.push(Invalid::new("questions", "range", "Al massimo 12 domande."));
    }
    let crowded = |question: &&CalloutQuestion| question.options.len() > OPTIONS;
    if callout.questions.iter().any(|one| crowded(&one)) {
        found.push(Invalid::new(
            "questions",
            "range",
            "Al massimo 12 risposte a una domanda.",
        ));
    }
    found
}

/// Its texts by field, and how many characters each may have.
fn texts(callout: &Callout) -> Vec<(String, &str, usize)> {
    let mut texts = vec![
        ("title".to_owned(), &*callout.title, TITLE),
        ("intro".to_owned(), &*callout.intro, TEXT),
        ("thanks".to_owned(), &*callout.thanks, TEXT),
        ("closedText".to_owned(), &*callout.closed_text, TEXT),
    ];
    for (at, question) in callout.questions.iter().enumerate() {
        let place = format!("questions.{at}");
        texts.push((format!("{place}.text"), &question.text, TEXT));
        texts.push((format!("{place}.help"), &question.help, TEXT));
        texts.push((format!("{place}.key"), &question.key, KEY));
        for (n, option) in question.options.iter().enumerate() {
            let place = format!("{place}.options.{n}");
            let next = option.next.as_deref().unwrap_or_default();
            texts.push((format!("{place}.text"), &option.text, OPTION));
            texts.push((format!("{place}.key"), &option.key, KEY));
            texts.push((format!("{place}.next"), next, TEXT));
        }
    }
    texts
}

/// What keeps it from being opened, at each field where it is.
pub fn problems(callout: &Callout) -> Vec<Invalid> {
    let mut found = refusals(callout);
    let mut say =
        |field: String, message: String| found.push(Invalid::new(field, "callout", message));
    if is_blank(&callout.title) {
        say("title".to_owned(), "Serve un titolo.".to_owned());
    }
    if callout.questions.is_empty() && callout.account == super::Need::Off {
        say(
            "questions".to_owned(),
            "Serve almeno una domanda, o il racconto.".to_owned(),
        );
    }
    if let (Some(opens), Some(closes)) = (callout.opens_at, callout.closes_at)
        && closes <= opens
    {
        say(
            "closesAt".to_owned(),
            "Deve chiudere dopo che si è aperta.".to_owned(),
        );
    }
    let mut keys = HashSet::new();
    for (at, question) in callout.questions.iter().enumerate() {
        let mut of_question =
            |field: &str, message: String| say(format!("questions.{at}.{field}"), message);
        if !is_key(&question.key, "_-") || !keys.insert(&question.key) {
            of_question("key", "Serve un nome, diverso per ogni domanda.".to_owned());
        }
        look_at_question(question, &mut of_question);
        for (n, option) in question.options.iter().enumerate() {
            if let Some(message) = misled(callout, at, option) {
                of_question(&format!("options.{n}.next"), message);
            }
        }
    }
    found
}

fn is_key(key: &str, signs: &str) -> bool {
    let plain =
        |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || signs.contains(sign);
    !key.is_empty() && key.chars().all(plain)
}

fn look_at_question(question: &CalloutQuestion, say: &mut impl FnMut(&str, String)) {
    if is_blank(&question.text) {
        say("text", "Scrivi la domanda.".to_owned());
    }
    if question
        .min
        .zip(question.max)
        .is_some_and(|(min, max)| max < min)
    {
        say("max", "Il massimo è più piccolo del minimo.".to_owned());
    }
    let texts = question.kind == AnswerKind::Text;
    let most = i64::try_from(TEXT).unwrap_or(i64::MAX);
    if texts && question.max.is_some_and(|max| !(1..=most).contains(&max)) {
        say("max", format!("Da 1 a {TEXT} caratteri."));
    }
    if texts && question.min.is_some_and(|min| !(0..=most).contains(&min)) {
        say("min", format!("Da 0 a {TEXT} caratteri."));
    }
    match question.kind {
        AnswerKind::Choice | AnswerKind::Choices if question.options.len() < 2 => {
            say("options", "Servono almeno due risposte.".to_owned());
        }
        AnswerKind::YesNo if !question.options.is_empty() => {
            let keys: Vec<&str> = question.options.iter().map(|one| &*one.key).collect();
            if keys != ["si", "no"] {
                say("options", "Le risposte sono due: sì e no.".to_owned());
            }
        }
        _ => {}
    }
    look_at_options(question, say);
}

fn look_at_options(question: &CalloutQuestion, say: &mut impl FnMut(&str, String)) {
    let (mut keys, mut texts) = (HashSet::new(), HashSet::new());
    for (n, option) in question.options.iter().enumerate() {
        if is_blank(&option.text) {
            say(
                &format!("options.{n}.text"),
                "Scrivi la risposta.".to_owned(),
            );
        } else if !texts.insert(plain(&option.text)) {
            say(
                &format!("options.{n}.text"),
                "C’è già una risposta uguale.".to_owned(),
            );
        }
        if !is_key(&option.key, "_-") || !keys.insert(&option.key) {
            say(
                &format!("options.{n}.key"),
                "Serve un nome, diverso per ogni risposta.".to_owned(),
            );
        }
    }
}

/// Why an option of the question at `at` may not lead where it does.
fn misled(callout: &Callout, at: usize, option: &CalloutOption) -> Option<String> {
    let question = &callout.questions[at];
    let key = match option.route() {
        Route::On => return None,
        _ if !matches!(question.kind, AnswerKind::Choice | AnswerKind::YesNo) => {
            return Some(
                "Solo una scelta fra risposte, o un sì o no, può portare altrove.".to_owned(),
            );
        }
        Route::End(words) => {
            let silent = is_blank(words);
            return silent.then(|| "Scrivi che cosa dire a chi arriva qui.".to_owned());
        }
        Route::To(key) => key,
    };
    let Some((to, _)) = callout.question(key) else {
        return Some("Porta a una domanda che non c’è.".to_owned());
    };
    if to <= at {
        return Some("Può portare solo a una domanda che viene dopo.".to_owned());
    }
    let mut skipped = callout.questions[at + 1..to].iter();
    let required = skipped.find(|question| question.required)?;
    Some(format!("Salta «{}», che è obbligatoria.", required.text))
}
