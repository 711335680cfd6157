//! Conversations of callouts: whatever is asked and whatever is answered, nothing that is required is left out.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::sample::select;

use super::super::super::CalloutVersion;
use super::*;
use crate::domain::callout::{
    AnswerKind, Callout, CalloutOption, CalloutQuestion, Need, Personal, problems,
};

fn rules_of(callout: Callout) -> Rules {
    rules().of_callout(&Arc::new(CalloutVersion {
        id: "c".to_owned(),
        version: 1,
        callout,
    }))
}

fn option(key: &str, text: &str, next: Option<&str>) -> CalloutOption {
    CalloutOption {
        key: key.to_owned(),
        text: text.to_owned(),
        next: next.map(str::to_owned),
    }
}

fn question(key: &str, kind: AnswerKind, required: bool) -> CalloutQuestion {
    CalloutQuestion {
        key: key.to_owned(),
        kind,
        text: format!("Domanda {key}"),
        required,
        ..CalloutQuestion::default()
    }
}

/// Asks whether somebody paid, and then how much and when; who did not pay goes to the last question, who will not say to the end.
fn paid() -> Callout {
    let choice = CalloutQuestion {
        options: vec![
            option("si", "Sì, ho pagato", None),
            option("no", "No", Some("altro")),
            option("boh", "Non riguarda me", Some("end:Grazie lo stesso.")),
        ],
        ..question("pagato", AnswerKind::Choice, true)
    };
    Callout {
        slug: "posti-letto".to_owned(),
        title: "Posti letto".to_owned(),
        intro: "Avete pagato per un posto letto?".to_owned(),
        thanks: "Grazie, ne faremo buon uso.".to_owned(),
        questions: vec![
            choice,
            question("quanto", AnswerKind::Number, false),
            question("quando", AnswerKind::Date, false),
            question("altro", AnswerKind::Text, true),
        ],
        ..Callout::default()
    }
}

/// Says these one after the other; answers the last step.
fn say(rules: &Rules, said: &[&str]) -> Step {
    let mut last = start(rules, date(2026, 3, 10));
    for answer in said {
        let StepOutcome::Continue(conversation) = last.outcome else {
            unreachable!("{answer}: it is over");
        };
        last = step(rules, conversation, answer);
    }
    last
}

/// Puts the first question of the callout again.
fn put_again(rules: &Rules, before: Conversation) -> Conversation {
    let place = rules.script.parse("question:pagato").unwrap();
    match back(rules, before, place).unwrap().outcome {
        StepOutcome::Continue(asked) => asked,
        _ => unreachable!("it was put again"),
    }
}

fn place_of(rules: &Rules, step: &Step) -> String {
    match &step.outcome {
        StepOutcome::Continue(conversation) => rules.script.name_of(conversation.place()),
        _ => step.rule.as_str().to_owned(),
    }
}

#[test]
fn a_callout_asks_along_its_routes() {
    let rules = rules_of(paid());
    for (said, stands) in [
        (&[][..], "age_check"),
        (&["17"], "minor"),
        (&["42"], "question:pagato"),
        (&["42", "forse"], "question:pagato"),
        (&["42", "si, ho pagato."], "question:quanto"),
        (&["42", "1"], "question:quanto"),
        (&["42", "NO"], "question:altro"),
        (&["42", "3"], "ended"),
        (&["42", "1", "salta"], "question:quando"),
        (&["42", "1", "molto"], "question:quanto"),
        (&["42", "1", "€ 1.250,50", "12/3/2024"], "question:altro"),
        (&["42", "1", "350", "31/02/2024"], "question:quando"),
        (&["42", "1", "350", "Salta", "salta"], "collect_report"),
        (&["42", "no", "Niente", "invia"], "completed"),
    ] {
        assert_eq!(place_of(&rules, &say(&rules, said)), stands, "{said:?}");
    }
}

#[test]
fn what_was_answered_on_the_way_is_kept_and_nothing_else() {
    let rules = rules_of(paid());
    let last = say(
        &rules,
        &["42", "1", "1.250,50", "2024-03-12", "In nero.", "invia"],
    );
    assert_eq!(last.replies, ["Grazie, ne faremo buon uso."]);
    let kept: Vec<_> = last
        .callout
        .risposte
        .iter()
        .map(|one| (&*one.key, &*one.text, one.value.to_string()))
        .collect();
    let expected = [
        ("pagato", "Sì, ho pagato", "\"si\""),
        ("quanto", "1250,5", "1250.5"),
        ("quando", "12/03/2024", "\"2024-03-12\""),
        ("altro", "In nero.", "\"In nero.\""),
    ];
    assert_eq!(
        kept,
        expected.map(|(key, text, value)| (key, text, value.to_owned()))
    );
    // Corrected to a no: what only who paid is asked is gone.
    let StepOutcome::Continue(before) =
        say(&rules, &["42", "1", "90", "salta", "In nero."]).outcome
    else {
        unreachable!("the last question is open");
    };
    let asked = put_again(&rules, before);
    let corrected = step(&rules, asked, "no");
    assert_eq!(place_of(&rules, &corrected), "collect_report");
    let StepOutcome::Continue(corrected) = corrected.outcome else {
        unreachable!("it goes on");
    };
    let keys: Vec<_> = step(&rules, corrected, "invia")
        .callout
        .risposte
        .into_iter()
        .map(|one| one.key)
        .collect();
    assert_eq!(keys, ["pagato", "altro"]);
}

#[test]
fn a_correction_that_opens_another_way_asks_what_lies_on_it() {
    let rules = rules_of(paid());
    let StepOutcome::Continue(before) = say(&rules, &["42", "no", "In nero."]).outcome else {
        unreachable!("the last question is open");
    };
    let asked = put_again(&rules, before);
    assert_eq!(
        place_of(&rules, &step(&rules, asked, "1")),
        "question:quanto"
    );
}

#[test]
fn after_what_a_correction_opens_the_conversation_goes_on_where_it_stood() {
    let mut callout = paid();
    callout.account = Need::Required;
    let rules = rules_of(callout);
    let StepOutcome::Continue(before) = say(&rules, &["42", "no", "In nero.", ACCOUNT]).outcome
    else {
        unreachable!("the last question is open");
    };
    let mut conversation = put_again(&rules, before);
    for (answer, stands) in [
        ("1", "question:quanto"),
        ("90", "question:quando"),
        ("salta", "collect_report"),
    ] {
        let last = step(&rules, conversation, answer);
        assert_eq!(place_of(&rules, &last), stands, "{answer}");
        let StepOutcome::Continue(after) = last.outcome else {
            unreachable!("{answer}: it goes on");
        };
        conversation = after;
    }
}

#[test]
fn an_answer_of_a_callout_that_is_uncertain_is_asked_back() {
    let mut callout = paid();
    callout.questions[1].required = true;
    let rules = rules_of(callout);
    for (said, stands) in [
        (&["circa 300"][..], "question:quanto"),
        (&["circa 300", "sì"], "question:quando"),
        (&["circa 300", "no"], "question:quanto"),
        (&["tra 300 e 400", "sì"], "question:quanto"),
        (&["tra 300 e 400", "400"], "question:quando"),
        (&["non lo so"], "question:quanto"),
        (&["350", "non lo so"], "question:altro"),
    ] {
        let before = say(&rules, &["42", "1"]);
        let last = said
            .iter()
            .fold(before, |before, answer| match before.outcome {
                StepOutcome::Continue(conversation) => step(&rules, conversation, answer),
                _ => before,
            });
        assert_eq!(place_of(&rules, &last), stands, "{said:?}");
    }
    let said = [
        "42",
        "1",
        "tra 300 e 400",
        "400",
        "salta",
        "In nero.",
        "invia",
    ];
    let kept = &say(&rules, &said).callout.risposte[1];
    assert_eq!(kept.text, "400 («tra 300 e 400»)");
}

#[test]
fn what_is_skipped_in_a_callout_is_empty_whatever_stood_there() {
    let mut callout = paid();
    callout.account = Need::Optional;
    callout.personal.telefono = Need::Optional;
    let rules = rules_of(callout);
    let StepOutcome::Continue(mut told) = say(&rules, &["42", "no", "In nero."]).outcome else {
        unreachable!("it goes on");
    };
    told.draft.telefono = "3331234567".to_owned();
    told.draft.segnalazione = ACCOUNT.to_owned();
    for (state, kept) in [
        (ChatState::CollectPhone, ("", ACCOUNT)),
        (ChatState::InvestigativeQuestions, ("3331234567", "")),
    ] {
        let StepOutcome::Continue(Conversation { draft, .. }) =
            step(&rules, told.clone().at(state.into()), "salta").outcome
        else {
            unreachable!("it goes on");
        };
        assert_eq!((&*draft.telefono, &*draft.segnalazione), kept, "{state:?}");
    }
}

#[test]
fn a_no_corrects_an_answer_of_a_callout_and_an_addition_stands_alone() {
    let rules = rules_of(paid());
    let StepOutcome::Continue(before) = say(&rules, &["42", "no", "In nero."]).outcome else {
        unreachable!("the last question is open");
    };
    let unpassed = rules.script.parse("question:quanto").unwrap();
    assert_eq!(back(&rules, before.clone(), unpassed), None);
    let place = rules.script.parse("question:altro").unwrap();
    let Some(StepOutcome::Continue(again)) = back(&rules, before, place).map(|one| one.outcome)
    else {
        unreachable!("it was asked");
    };
    let corrected = step(&rules, again, "No");
    assert_eq!(corrected.rule, Rule::Corrected);
    let StepOutcome::Continue(corrected) = corrected.outcome else {
        unreachable!("it goes on");
    };
    let last = step(&rules, corrected, "Ho le foto");
    assert_eq!(last.callout.risposte[1].text, "No");
    let StepOutcome::Completed(report) = last.outcome else {
        unreachable!("it is complete");
    };
    assert_eq!(report.segnalazione, "INFORMAZIONI AGGIUNTIVE\nHo le foto");
}

#[test]
fn an_option_counts_whatever_else_its_words_mean() {
    let mut callout = paid();
    callout.questions[0].required = false;
    callout.questions[0].options = ["Passo", "Aiuto", "I carabinieri", "Non lo so"]
        .map(|text| option(&text.to_lowercase().replace(' ', "-"), text, None))
        .to_vec();
    let mut rules = rules_of(callout);
    rules.forbidden_words = vec!["carabinieri".to_owned()];
    for said in ["Passo", "aiuto", "I carabinieri", "non lo so"] {
        assert_eq!(
            place_of(&rules, &say(&rules, &["42", said])),
            "question:quanto",
            "{said}"
        );
    }
}

#[test]
fn a_draft_whose_route_leads_back_is_tried_without_end_of_the_program() {
    let mut callout = paid();
    callout.questions[3].kind = AnswerKind::YesNo;
    callout.questions[3].options =
        vec![option("si", "Sì", Some("pagato")), option("no", "No", None)];
    let rules = rules_of(callout);
    assert_eq!(
        place_of(&rules, &say(&rules, &["42", "no", "sì", "invia"])),
        "completed"
    );
}

#[test]
fn numbers_are_read_as_italians_write_them() {
    let callout = paid();
    for (said, kept) in [
        ("350", Some("350")),
        ("1.250,50", Some("1250.5")),
        ("€ 12,5", Some("12.5")),
        ("350 Euro", Some("350")),
        ("0.125", Some("0.125")),
        (".500", Some("0.5")),
        ("007", Some("7")),
        ("-3", Some("-3")),
        ("1.000.000", Some("1000000")),
        ("tanti", None),
        ("1e9", None),
        ("NaN", None),
        ("", None),
        ("1-2", None),
    ] {
        let question = &callout.questions[1];
        let read = question.read(said).ok();
        let read = read.and_then(|answer| question.kept(&answer));
        assert_eq!(
            read.map(|read| read.value.to_string()).as_deref(),
            kept,
            "{said}"
        );
    }
}

#[test]
fn days_are_read_as_italians_write_them() {
    let question = &paid().questions[2];
    for (said, kept) in [
        ("12/03/2024", Some("12/03/2024")),
        ("1-3-2024", Some("01/03/2024")),
        ("01.03.1999", Some("01/03/1999")),
        (" 2024-03-12 ", Some("12/03/2024")),
        ("1 3 2024", Some("01/03/2024")),
        ("29/02/2023", None),
        ("31/4/2024", None),
        ("12/03/24", None),
        ("12/03", None),
        ("12/03/2024/1", None),
        ("ieri", None),
    ] {
        let read = question.read(said).ok();
        let read = read.and_then(|answer| question.kept(&answer));
        assert_eq!(read.map(|read| read.text).as_deref(), kept, "{said}");
    }
}

#[test]
fn what_keeps_a_callout_from_opening_is_said_at_its_field() {
    type Spoil = fn(&mut Callout);
    assert_eq!(problems(&paid()), []);
    let spoilt: [(&str, Spoil); 9] = [
        ("title", |callout| callout.title.clear()),
        ("slug", |callout| callout.slug = "Posti letto".to_owned()),
        ("questions", |callout| callout.questions.clear()),
        ("questions.0.options", |callout| {
            callout.questions[0].options.truncate(1);
        }),
        ("questions.0.options.1.next", |callout| {
            callout.questions[0].options[1].next = Some("pagato".to_owned());
        }),
        ("questions.0.options.1.next", |callout| {
            callout.questions[2].required = true;
        }),
        ("questions.0.options.1.next", |callout| {
            callout.questions[3].key = "altra".to_owned();
        }),
        ("questions.0.options.2.next", |callout| {
            callout.questions[0].options[2].next = Some("end: ".to_owned());
        }),
        ("questions.3.text", |callout| {
            callout.questions[3].text.clear();
        }),
    ];
    for (field, spoil) in spoilt {
        let mut callout = paid();
        spoil(&mut callout);
        let fields: Vec<_> = problems(&callout)
            .into_iter()
            .map(|one| one.field)
            .collect();
        assert_eq!(fields, [field]);
    }
}

fn any_question(number: usize) -> impl Strategy<Value = CalloutQuestion> {
    let kinds = select(AnswerKind::ALL.to_vec());
    let next = option::of(select(vec![
        "d0",
        "d1",
        "d2",
        "d3",
        "d4",
        "end:Basta così.",
    ]));
    (kinds, any::<bool>(), next.clone(), next).prop_map(move |(kind, required, one, other)| {
        let options = match kind {
            AnswerKind::Choice => vec![option("a", "Uno", one), option("b", "Altro", other)],
            AnswerKind::Choices => vec![option("a", "Uno", None), option("b", "Altro", None)],
            AnswerKind::YesNo => vec![option("si", "Sì", one), option("no", "No", other)],
            _ => Vec::new(),
        };
        CalloutQuestion {
            options,
            ..question(&format!("d{number}"), kind, required)
        }
    })
}

fn any_callout() -> impl Strategy<Value = Callout> {
    let need = || select(Need::ALL.to_vec());
    let questions = (
        any_question(0),
        any_question(1),
        any_question(2),
        any_question(3),
        any_question(4),
    );
    let personal = (need(), need(), need(), need(), need());
    (questions, need(), personal).prop_map(
        |((a, b, c, d, e), account, (nome, cognome, telefono, email, indirizzo))| Callout {
            questions: vec![a, b, c, d, e],
            account,
            personal: Personal {
                nome,
                cognome,
                telefono,
                email,
                indirizzo,
            },
            ..paid()
        },
    )
}

/// The same, with the routes that may not be straightened.
fn passable(mut callout: Callout) -> Callout {
    for problem in problems(&callout) {
        let mut numbers = problem
            .field
            .split('.')
            .filter_map(|part| part.parse::<usize>().ok());
        let (at, n) = (numbers.next(), numbers.next());
        let (Some(at), Some(n)) = (at, n) else {
            unreachable!("{problem:?}");
        };
        callout.questions[at].options[n].next = None;
    }
    assert_eq!(problems(&callout), []);
    callout
}

const SAID: [&str; 16] = [
    "42",
    "sì",
    "no",
    "Uno",
    "2",
    "Altro",
    "12/03/2024",
    "350",
    "salta",
    "Anna",
    "Bianchi",
    "333 1234567",
    "a@b.it",
    "via Roma 12, Napoli",
    "invia",
    ACCOUNT,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000)
    ))]

    /// With `CASES=100000` as often as the order asks.
    #[test]
    fn no_conversation_ends_without_what_its_callout_requires(
        callout in any_callout().prop_map(passable), said in vec(select(SAID.to_vec()), 0..40), backs in vec(any::<u8>(), 0..4),
    ) {
        let rules = rules_of(callout);
        let mut backs = backs.into_iter();
        let StepOutcome::Continue(mut conversation) = start(&rules, date(2026, 3, 10)).outcome else { unreachable!() };
        for answer in said.into_iter().chain(std::iter::once("invia")) {
            let passed: Vec<ScriptPlace> = rules.script.path(&conversation.answers).collect();
            let stands = conversation.resume.unwrap_or(conversation.place());
            let stood = passed.iter().position(|place| *place == stands);
            prop_assert!(stood.is_some(), "it stands on its own way");
            if answer == "Altro" && let Some(at) = backs.next() {
                let place = passed[usize::from(at) % (stood.unwrap_or_default() + 1)];
                let asked = back(&rules, conversation.clone(), place);
                let StepOutcome::Continue(again) = asked.unwrap().outcome else { unreachable!() };
                prop_assert_eq!(again.place(), place);
                conversation = again;
            }
            let step = step(&rules, conversation.clone(), answer);
            prop_assert!(!step.replies.is_empty() && step.replies.iter().all(|reply| !text::is_blank(reply)));
            match step.outcome {
                StepOutcome::Continue(after) => conversation = after,
                StepOutcome::Completed(report) => {
                    let whole = Conversation { draft: report, answers: conversation.answers.clone(), ..Conversation::default() };
                    prop_assert_eq!(first_missing(&rules, &whole), None);
                    let required = rules.script.path(&whole.answers).filter(|place| rules.requires(*place));
                    let asked: Vec<_> = required.filter_map(|place| rules.script.question(place)).collect();
                    for question in asked {
                        prop_assert!(step.callout.risposte.iter().any(|kept| kept.key == question.key));
                    }
                    return Ok(());
                }
                StepOutcome::Ended | StepOutcome::Minor => return Ok(()),
            }
        }
    }
}
