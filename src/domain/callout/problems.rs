//! Faults of a callout: those that keep it from being saved, and those that keep it from being opened.

use std::collections::HashSet;

use super::answer::plain;
use super::{AnswerKind, Callout, CalloutOption, CalloutQuestion, Need, Route};
use crate::domain::invalid::Invalid;
use crate::domain::text::{char_count, is_blank};

/// Questions, and options of each.
const MOST: usize = 12;
const SLUG: std::ops::RangeInclusive<usize> = 2..=40;
const KEY: usize = 40;
/// Characters of a title, of an option, and of other texts.
const TITLE: usize = 120;
const OPTION: usize = 200;
const TEXT: usize = 2_000;

struct Found(Vec<Invalid>);

impl Found {
    fn when(&mut self, wrong: bool, field: impl Into<String>, message: impl Into<String>) {
        if wrong {
            self.0.push(Invalid::new(field, "callout", message));
        }
    }
}

/// Faults that keep even a draft from being saved.
pub fn refusals(callout: &Callout) -> Vec<Invalid> {
    let mut found = Found(Vec::new());
    let (slug, questions) = (&callout.slug, &callout.questions);
    let named = SLUG.contains(&slug.len()) && is_key(slug, "-");
    let message = "Da 2 a 40 lettere minuscole, cifre e trattini.";
    found.when(!named, "slug", message);
    for (field, text, most) in texts(callout) {
        let length = char_count(text);
        let message = format!("Al massimo {most} caratteri: ora sono {length}.");
        found.when(length > most, field, message);
    }
    let most = questions.len() > MOST;
    found.when(most, "questions", "Al massimo 12 domande.");
    let crowded = questions.iter().any(|one| one.options.len() > MOST);
    let message = "Al massimo 12 scelte per domanda.";
    found.when(crowded, "questions", message);
    found.0
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

/// Faults that keep it from being opened, by field.
pub fn problems(callout: &Callout) -> Vec<Invalid> {
    let mut found = Found(refusals(callout));
    found.when(is_blank(&callout.title), "title", "Serve un titolo.");
    let nothing = callout.questions.is_empty() && callout.account == Need::Off;
    let message = "Serve almeno una domanda, o il racconto.";
    found.when(nothing, "questions", message);
    let dates = callout.opens_at.zip(callout.closes_at);
    let turned = dates.is_some_and(|(opens, closes)| closes <= opens);
    found.when(turned, "closesAt", "Deve chiudere dopo che si è aperta.");
    let mut keys = HashSet::new();
    for (at, question) in callout.questions.iter().enumerate() {
        let own = is_key(&question.key, "_-") && keys.insert(&question.key);
        let message = "Serve un nome, diverso per ogni domanda.";
        found.when(!own, format!("questions.{at}.key"), message);
        look_at_question(question, at, &mut found);
        look_at_options(callout, at, &mut found);
    }
    found.0
}

fn is_key(key: &str, signs: &str) -> bool {
    let plain =
        |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || signs.contains(sign);
    !key.is_empty() && key.chars().all(plain)
}

fn look_at_question(question: &CalloutQuestion, at: usize, found: &mut Found) {
    let CalloutQuestion {
        kind,
        min,
        max,
        options,
        ..
    } = question;
    let field = |name: &str| format!("questions.{at}.{name}");
    found.when(
        is_blank(&question.text),
        field("text"),
        "Scrivi la domanda.",
    );
    let turned = min.zip(*max).is_some_and(|(min, max)| max < min);
    let message = "Il massimo è più piccolo del minimo.";
    found.when(turned, field("max"), message);
    for (name, bound, least) in [("max", max, 1), ("min", min, 0)] {
        let beyond = bound.is_some_and(|bound| !(least..=2_000).contains(&bound));
        let message = format!("Da {least} a {TEXT} caratteri.");
        found.when(*kind == AnswerKind::Text && beyond, field(name), message);
    }
    let listed = matches!(kind, AnswerKind::Choice | AnswerKind::Choices);
    let few = listed && options.len() < 2;
    found.when(few, field("options"), "Servono almeno due scelte.");
    let yes_no = options.is_empty() || options.iter().map(|one| &*one.key).eq(["si", "no"]);
    let other = *kind == AnswerKind::YesNo && !yes_no;
    found.when(other, field("options"), "Le scelte sono due: sì e no.");
}

fn look_at_options(callout: &Callout, at: usize, found: &mut Found) {
    let (mut keys, mut texts) = (HashSet::new(), HashSet::new());
    for (n, option) in callout.questions[at].options.iter().enumerate() {
        let field = |name: &str| format!("questions.{at}.options.{n}.{name}");
        let blank = is_blank(&option.text);
        found.when(blank, field("text"), "Scrivi la scelta.");
        let twice = !blank && !texts.insert(plain(&option.text));
        found.when(twice, field("text"), "C’è già una scelta uguale.");
        let own = is_key(&option.key, "_-") && keys.insert(&option.key);
        let message = "Serve un nome, diverso per ogni scelta.";
        found.when(!own, field("key"), message);
        let misled = misled(callout, at, option);
        found.when(misled.is_some(), field("next"), misled.unwrap_or_default());
    }
}

/// Why an option of the question at `at` may not lead where it does.
fn misled(callout: &Callout, at: usize, option: &CalloutOption) -> Option<String> {
    let leads = matches!(
        callout.questions[at].kind,
        AnswerKind::Choice | AnswerKind::YesNo
    );
    let to = match option.route() {
        Route::On => return None,
        Route::To(key) if leads => callout.question(key).map(|(to, _)| to),
        Route::End(words) if leads => {
            let silent = is_blank(words);
            return silent.then(|| "Scrivi che cosa dire a chi arriva qui.".to_owned());
        }
        _ => {
            let message = "Solo «Una scelta» e «Sì o no» possono portare altrove.";
            return Some(message.to_owned());
        }
    };
    let message = match to {
        None => "Porta a una domanda che non c’è.",
        Some(to) if to <= at => "Può portare solo a una domanda che viene dopo.",
        Some(to) => {
            let mut skipped = callout.questions[at + 1..to].iter();
            let required = skipped.find(|question| question.required)?;
            return Some(format!("Salta «{}», che è obbligatoria.", required.text));
        }
    };
    Some(message.to_owned())
}
