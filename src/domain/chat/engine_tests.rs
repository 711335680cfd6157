//! Turn-by-turn tables and properties of the engine. They must never depend on the wording of a default: expected
//! sentences are taken from the phrases, whose own tests pin the words.

use super::super::DATA;
use super::*;
use crate::domain::phrases::Phrases;
use crate::domain::settings::{Security, System};
use jiff::civil::date;
use proptest::prelude::*;

#[path = "engine_callout_tests.rs"]
mod callout;
#[path = "engine_care_tests.rs"]
mod care;

const ACCOUNT: &str =
    "Nel cantiere di via Garibaldi si lavora di notte senza alcuna protezione e senza contratto.";

fn rules() -> Rules {
    Rules::new(
        &Phrases::default(),
        &Security::default(),
        &System::default(),
    )
}

fn missing(rules: &Rules, conversation: &Conversation) -> Option<ChatState> {
    first_missing(rules, conversation).map(|place| place.state)
}

/// The state after it in the ordered conversation.
fn next(state: ChatState) -> ChatState {
    rules()
        .script
        .after(state.into(), &super::super::Answers::new())
        .state
}

fn said(phrase: &str) -> String {
    rules().say(phrase)
}

/// A draft that holds every answer that comes before `state`.
fn draft_before(state: ChatState) -> Report {
    let mut draft = Report::example();
    draft.segnalazione = ACCOUNT.to_owned();
    if state <= ChatState::AgeCheck {
        draft.eta = 0;
    }
    for datum in DATA.iter().filter(|datum| state <= datum.state) {
        (datum.place)(&mut draft).clear();
    }
    if state <= ChatState::InvestigativeQuestions {
        draft.segnalazione.clear();
    }
    draft
}

fn at(state: ChatState) -> Conversation {
    Conversation {
        state,
        draft: draft_before(state),
        ..Conversation::default()
    }
}

/// Asserts that the conversation stays as it was, with one reply, and returns that reply.
fn stays(conversation: &Conversation, answer: &str) -> String {
    let Step {
        replies, outcome, ..
    } = step(&rules(), conversation.clone(), answer);
    let StepOutcome::Continue(after) = outcome else {
        unreachable!("{answer:?} must leave the question open");
    };
    let unchanged = Conversation {
        refused: after.refused,
        ..conversation.clone()
    };
    assert_eq!(after, unchanged, "{answer:?}");
    assert_eq!(replies.len(), 1, "{answer:?}");
    replies.into_iter().next().unwrap()
}

#[test]
fn it_starts_with_one_message_that_asks_the_age() {
    let today = date(2026, 3, 10);
    let begun = start(&rules(), today);
    let conversation = Conversation {
        begun: today,
        ..at(ChatState::AgeCheck)
    };
    assert_eq!(begun.outcome, StepOutcome::Continue(conversation));
    assert_eq!(begun.replies, [said(&Phrases::default().welcome)]);
}

#[test]
fn each_valid_answer_is_acknowledged_and_followed_by_the_next_question() {
    let phrases = Phrases::default();
    let turns = [
        (
            "ho 34 anni",
            &phrases.age_check.valid,
            &phrases.collect_name.prompt,
        ),
        (
            " Anna ",
            &phrases.collect_name.next,
            &phrases.collect_surname.prompt,
        ),
        (
            "Bianchi",
            &phrases.collect_surname.next,
            &phrases.collect_phone.prompt,
        ),
        (
            "+39 312 345 6789",
            &phrases.collect_phone.next,
            &phrases.collect_email.prompt,
        ),
        (
            "anna@example.it",
            &phrases.collect_email.next,
            &phrases.collect_address.prompt,
        ),
        (
            "Via Roma 1, Milano",
            &phrases.collect_address.next,
            &phrases.investigative_questions.prompt,
        ),
        (
            ACCOUNT,
            &phrases.investigative_questions.next,
            &phrases.collect_report.prompt,
        ),
    ];
    let rules = rules();
    let mut conversation = at(ChatState::AgeCheck);
    for ((answer, acknowledgement, question), next) in
        turns.into_iter().zip(ChatState::ALL.into_iter().skip(1))
    {
        let Step {
            replies, outcome, ..
        } = step(&rules, conversation, answer);
        assert_eq!(replies, [said(acknowledgement), said(question)]);
        assert_eq!(outcome, StepOutcome::Continue(at(next)));
        conversation = at(next);
    }
    let Step {
        replies, outcome, ..
    } = step(&rules, conversation.clone(), "No");
    assert_eq!(replies, [said(&phrases.collect_report.closing)]);
    assert_eq!(outcome, StepOutcome::Completed(conversation.draft));
}

#[test]
fn invalid_answers_get_the_words_of_their_section() {
    let phrases = Phrases::default();
    let account = &phrases.investigative_questions;
    for (state, answer, reply) in [
        (ChatState::AgeCheck, "molti", &phrases.age_check.invalid),
        (ChatState::AgeCheck, "", &phrases.age_check.invalid),
        (ChatState::AgeCheck, "-5", &phrases.age_check.invalid),
        (ChatState::AgeCheck, "121", &phrases.age_check.invalid),
        (ChatState::CollectName, "A", &phrases.collect_name.invalid),
        (
            ChatState::CollectSurname,
            " ",
            &phrases.collect_surname.invalid,
        ),
        (
            ChatState::CollectPhone,
            "123",
            &phrases.collect_phone.invalid,
        ),
        (
            ChatState::CollectEmail,
            "anna@example",
            &phrases.collect_email.invalid,
        ),
        (
            ChatState::CollectAddress,
            "Via Roma",
            &phrases.collect_address.invalid,
        ),
        (
            ChatState::InvestigativeQuestions,
            "Poco",
            &account.too_short,
        ),
        (ChatState::InvestigativeQuestions, "", &account.too_short),
        (
            ChatState::CollectReport,
            " \n ",
            &phrases.collect_report.prompt,
        ),
    ] {
        assert_eq!(
            stays(&at(state), answer),
            said(reply),
            "{state:?} {answer:?}"
        );
    }
}

#[test]
fn answers_beyond_the_bounds_say_how_much() {
    for (state, length, limit) in [
        (ChatState::CollectName, 101, "100"),
        (ChatState::CollectSurname, 101, "100"),
        (ChatState::CollectAddress, 301, "300"),
        (ChatState::InvestigativeQuestions, 20_001, "20.000"),
        (ChatState::CollectReport, 20_001, "20.000"),
    ] {
        let reply = stays(&at(state), &"è".repeat(length));
        assert!(
            reply.contains(&format!("al massimo {limit} caratteri")),
            "{reply}"
        );
    }
}

fn turn(conversation: &mut Conversation, rules: &Rules, answer: &str) -> Step {
    let step = step(rules, conversation.clone(), answer);
    if let StepOutcome::Continue(after) = &step.outcome {
        *conversation = after.clone();
    }
    step
}

#[test]
fn what_was_understood_is_taken_only_after_a_yes() {
    let rules = rules();
    let mut conversation = Conversation {
        begun: date(2026, 3, 10),
        ..Conversation::default()
    };
    for (answer, rule, reply, state) in [
        (
            "quarantadue",
            Rule::Asked,
            "Hai 42 anni?",
            ChatState::AgeCheck,
        ),
        ("no", Rule::Guided, "Quanti anni hai?", ChatState::AgeCheck),
        (
            "nata nel 1980",
            Rule::Asked,
            "Anno di nascita 1980: hai 45 o 46 anni?",
            ChatState::AgeCheck,
        ),
        ("46", Rule::Answered, "", ChatState::CollectName),
        (
            "Mi chiamo Teresa Rossi",
            Rule::Asked,
            "Nome: Teresa · Cognome: Rossi?",
            ChatState::CollectName,
        ),
        ("sì, esatto", Rule::Answered, "", ChatState::CollectPhone),
        (
            "il mio numero è 333 987 6543",
            Rule::Answered,
            "",
            ChatState::CollectEmail,
        ),
    ] {
        let step = turn(&mut conversation, &rules, answer);
        assert_eq!((step.rule, conversation.state), (rule, state), "{answer}");
        assert!(reply.is_empty() || step.replies == [reply], "{answer}");
        let asked = rule == Rule::Asked;
        assert_eq!(!conversation.question(&rules).options.is_empty(), asked);
    }
    let Report {
        eta,
        nome,
        cognome,
        telefono,
        ..
    } = conversation.draft;
    let taken = (eta, &*nome, &*cognome, &*telefono);
    assert_eq!(taken, (46, "Teresa", "Rossi", "3339876543"));
}

#[test]
fn a_doubt_that_is_answered_otherwise_is_put_again() {
    let rules = rules();
    let mut conversation = at(ChatState::AgeCheck);
    turn(&mut conversation, &rules, "quarantadue");
    for answer in ["mi chiamo Gennaro Esposito", "perché?", "boh"] {
        let step = turn(&mut conversation, &rules, answer);
        let question = step.replies.last().map(String::as_str);
        assert_eq!(question, Some("Hai 42 anni?"), "{answer}");
        assert_eq!(conversation.question(&rules).options.len(), 2, "{answer}");
    }
    turn(&mut conversation, &rules, "sì");
    assert_eq!(conversation.draft.eta, 42);
}

#[test]
fn a_datum_inside_the_beginning_of_an_account_is_asked_back() {
    let rules = rules();
    let told = |said: &str| {
        format!("Buongiorno, {said} e lavoro in un cantiere di Napoli dove si muore ogni mese.")
    };
    for (state, said, question) in [
        (ChatState::AgeCheck, "ne ho sessantasette", "Hai 67 anni?"),
        (
            ChatState::CollectName,
            "mi chiamo Gennaro De Luca",
            "Nome: Gennaro · Cognome: De Luca?",
        ),
        (
            ChatState::CollectSurname,
            "mi chiamo Esposito",
            "Vuoi che scriva «Esposito»?",
        ),
    ] {
        let mut conversation = at(state);
        let step = turn(&mut conversation, &rules, &told(said));
        let kept = rules.phrases.guide.kept.clone();
        assert_eq!(
            (step.rule, step.replies),
            (Rule::Kept, vec![kept, question.to_owned()])
        );
        assert_eq!(conversation.early, told(said));
        assert_eq!(conversation.question(&rules).options.len(), 2);
        turn(&mut conversation, &rules, "sì");
        assert!(conversation.state > state, "{said}");
    }
}

#[test]
fn a_contact_that_is_not_asked_for_is_kept_with_the_account() {
    let rules = rules();
    for (state, said, chosen, kept) in [
        (
            ChatState::CollectPhone,
            "333 1234567 oppure 347 7654321",
            "333 123 4567",
            "3331234567",
        ),
        (
            ChatState::CollectPhone,
            "3331234567 mario@libero.it",
            "sì",
            "3331234567",
        ),
        (
            ChatState::CollectEmail,
            "mario@libero.it oppure m.rossi@gmail.com",
            "m.rossi@gmail.com",
            "m.rossi@gmail.com",
        ),
        (
            ChatState::CollectEmail,
            "mario@libero.it, tel. 347 7654321",
            "sì",
            "mario@libero.it",
        ),
    ] {
        let mut before = at(state);
        let step = turn(&mut before, &rules, said);
        assert_eq!((step.rule, &*before.early), (Rule::Kept, said));
        turn(&mut before, &rules, chosen);
        assert_eq!(before.state, next(state), "{said}");
        // Corrected once the account is given.
        let review = at(ChatState::CollectReport);
        let Some(step) = back(&rules, review, state.into()) else {
            unreachable!("what was asked can be corrected");
        };
        let StepOutcome::Continue(mut after) = step.outcome else {
            unreachable!("a correction goes on");
        };
        turn(&mut after, &rules, said);
        assert_eq!(after.draft.segnalazione, format!("{ACCOUNT}\n\n{said}"));
        turn(&mut after, &rules, chosen);
        assert_eq!(after.state, ChatState::CollectReport, "{said}");
        let contacts = [&after.draft.telefono, &after.draft.email];
        assert!(contacts.contains(&&kept.to_owned()), "{contacts:?}");
    }
    let mut one = at(ChatState::CollectEmail);
    turn(&mut one, &rules, "Mario <mario@libero.it>");
    assert_eq!(one.early, "");
    assert_eq!(one.draft.email, "mario@libero.it");
}

/// Asks the question of `state` again.
fn asked_again(conversation: &Conversation, state: ChatState) -> Option<Conversation> {
    match back(&rules(), conversation.clone(), state.into())?.outcome {
        StepOutcome::Continue(again) => Some(again),
        _ => None,
    }
}

#[test]
fn a_question_asked_again_begins_anew() {
    let mut conversation = at(ChatState::CollectEmail);
    for answer in ["posta", "teresa@gmial.com"] {
        turn(&mut conversation, &rules(), answer);
    }
    assert!(conversation.refused > 0 && conversation.doubt.is_some());
    let email = Some(ChatState::CollectEmail);
    for (state, stood) in [
        (ChatState::CollectPhone, Some(email)),
        (ChatState::CollectEmail, Some(None)),
        (ChatState::CollectAddress, None),
        (ChatState::FinalQuestion, None),
    ] {
        let again = asked_again(&conversation, state);
        let stands = again
            .as_ref()
            .map(|one| one.resume.map(|place| place.state));
        assert_eq!(stands, stood, "{state:?}");
        let anew = again.is_none_or(|one| one.refused == 0 && one.doubt.is_none());
        assert!(anew, "{state:?}");
    }
    assert_eq!(
        asked_again(&at(ChatState::FinalQuestion), ChatState::FinalQuestion),
        None
    );
}

#[test]
fn a_correction_is_over_with_its_answer_or_with_a_no() {
    for (answer, rule, phone) in [
        ("lascia stare", Rule::Guided, "3123456789"),
        ("333 1234567", Rule::Corrected, "3331234567"),
    ] {
        let mut review = at(ChatState::CollectReport);
        review.draft.telefono = "3123456789".to_owned();
        let mut again = asked_again(&review, ChatState::CollectPhone).unwrap();
        assert_eq!(turn(&mut again, &rules(), answer).rule, rule);
        review.draft.telefono = phone.to_owned();
        assert_eq!(again, review, "{answer}");
    }
}

#[test]
fn a_slip_is_settled_by_yes_or_no() {
    for (answer, kept) in [("sì", "teresa@gmail.com"), ("no", "teresa@gmial.com")] {
        let mut conversation = at(ChatState::CollectEmail);
        let asked = turn(&mut conversation, &rules(), "teresa@gmial.com");
        let other = turn(&mut conversation, &rules(), "posta");
        assert_eq!((other.rule, other.replies), (Rule::Asked, asked.replies));
        let step = turn(&mut conversation, &rules(), answer);
        assert_eq!(conversation.draft.email, kept);
        let line = SummaryLine {
            state: "collect_email".to_owned(),
            text: kept.to_owned(),
            label: None,
        };
        assert_eq!(step.understood, [line]);
    }
}

#[test]
fn a_datum_that_is_declined_is_said_to_be_none() {
    let lenient = Security {
        email_required: false,
        ..Security::default()
    };
    let lenient = Rules::new(&Phrases::default(), &lenient, &System::default());
    let none = SummaryLine {
        state: "collect_email".to_owned(),
        text: String::new(),
        label: None,
    };
    for answer in ["non ho la mail", "salta"] {
        let declined = turn(&mut at(ChatState::CollectEmail), &lenient, answer);
        assert_eq!(declined.understood, std::slice::from_ref(&none), "{answer}");
    }
}

#[test]
fn a_long_name_is_no_account_where_a_name_is_asked() {
    let long =
        "Maria Teresa Addolorata Immacolata Concetta Filomena Guglielmina Bernardetta De Angelis";
    for (state, is_kept) in [
        (ChatState::AgeCheck, true),
        (ChatState::CollectName, false),
        (ChatState::CollectSurname, false),
    ] {
        let step = turn(&mut at(state), &rules(), long);
        assert_eq!(step.rule == Rule::Kept, is_kept, "{state:?}");
    }
}

#[test]
fn another_name_is_asked_back_unless_it_is_written_as_one() {
    for (answer, rule) in [("gennaro", Rule::Asked), ("Gennaro", Rule::Answered)] {
        let mut conversation = at(ChatState::CollectName);
        turn(&mut conversation, &rules(), "mi chiamo Teresa Rossi");
        assert!(conversation.doubt.is_some());
        assert_eq!(
            turn(&mut conversation, &rules(), answer).rule,
            rule,
            "{answer}"
        );
    }
}

#[test]
fn an_address_on_several_lines_is_no_sentence() {
    let mut conversation = at(ChatState::CollectAddress);
    let lines = "Ma Residence\nvia dei Mille, Napoli";
    assert_eq!(
        turn(&mut conversation, &rules(), lines).rule,
        Rule::Answered
    );
    assert_eq!(conversation.draft.indirizzo, lines);
}

#[test]
fn a_refusal_is_in_the_words_of_its_question_and_has_a_reason() {
    let mut phrases = Phrases::default();
    phrases.investigative_questions.forbidden = "Niente professioni qui.".to_owned();
    let rules = Rules::new(&phrases, &Security::default(), &System::default());
    for (state, answer, reply) in [
        (
            ChatState::InvestigativeQuestions,
            "un avvocato",
            &phrases.investigative_questions.forbidden,
        ),
        (
            ChatState::CollectReport,
            "un avvocato",
            &phrases.collect_report.forbidden,
        ),
        (
            ChatState::CollectPhone,
            "333 12345",
            &phrases.collect_phone.invalid,
        ),
    ] {
        let refused = turn(&mut at(state), &rules, answer);
        assert_eq!(refused.replies, [said(reply)], "{state:?}");
        assert!(refused.reason.is_some(), "{state:?}");
    }
}

#[test]
fn an_account_keeps_no_more_than_it_has_room_for() {
    let contacts = "333 1234567 oppure 347 7654321";
    for (answer, account_given) in [(ACCOUNT, false), (contacts, true)] {
        let room = fields::REPORT_MAX - 2 - text::char_count(answer);
        for (kept, has_room) in [(room, true), (room + 1, false)] {
            let (mut conversation, kept) = (at(ChatState::CollectPhone), "è".repeat(kept));
            if account_given {
                conversation.draft.segnalazione = kept;
            } else {
                conversation.early = kept;
            }
            let step = turn(&mut conversation, &rules(), answer);
            assert_eq!(step.rule == Rule::Kept, has_room, "{answer}");
        }
    }
}

#[test]
fn a_datum_is_looked_for_in_four_thousand_bytes() {
    let told = "Mi chiamo Gennaro De Luca. In cantiere si lavora di notte e senza contratto, ";
    for (length, is_asked) in [(4_000, true), (4_001, false)] {
        let mut conversation = at(ChatState::CollectName);
        let answer = format!("{told}{}", "x".repeat(length - told.len()));
        assert_eq!(turn(&mut conversation, &rules(), &answer).rule, Rule::Kept);
        assert_eq!(conversation.doubt.is_some(), is_asked, "{length}");
    }
}

#[test]
fn each_answer_that_is_no_datum_has_its_reply() {
    let (phrases, rules) = (Phrases::default(), rules());
    let (age, guide) = (&phrases.age_check, &phrases.guide);
    for (state, answers, reply) in [
        (ChatState::AgeCheck, &["boh"][..], &age.invalid),
        (ChatState::AgeCheck, &["boh", "boh"], &age.prompt),
        (ChatState::AgeCheck, &["boh", "boh", "boh"], &age.invalid),
        (ChatState::AgeCheck, &["perché?"], &guide.explain),
        (
            ChatState::CollectName,
            &["perché?", "perché?"],
            &guide.explain,
        ),
        (ChatState::CollectPhone, &["correggi"], &guide.correct),
        (ChatState::CollectReport, &["correggi"], &guide.unsent),
        (
            ChatState::CollectReport,
            &["sì"],
            &phrases.collect_report.more,
        ),
    ] {
        let mut conversation = at(state);
        let answer = |_, answer: &&str| turn(&mut conversation, &rules, answer).replies;
        let last = answers.iter().fold(Vec::new(), answer);
        assert_eq!(last.first(), Some(&said(reply)), "{state:?} {answers:?}");
    }
    let mut age = at(ChatState::AgeCheck);
    assert_eq!(
        turn(&mut age, &rules, "34 anni, perché?").rule,
        Rule::Answered
    );
}

#[test]
fn what_must_be_read_is_held() {
    assert_eq!(
        turn(&mut at(ChatState::AgeCheck), &rules(), "17").hold,
        0..2
    );
    let mut calling = at(ChatState::CollectPhone);
    for _ in 0..2 {
        turn(&mut calling, &rules(), "aiuto");
        let helped = turn(&mut calling, &rules(), "adesso");
        assert_eq!((helped.hold, helped.helped), (0..1, true));
    }
}

#[test]
fn a_word_of_ours_that_is_a_name_is_one_at_the_second_time() {
    for (state, said) in [
        (ChatState::CollectSurname, "Aiuto"),
        (ChatState::CollectSurname, "Anonimo"),
        (ChatState::CollectName, "AIUTO"),
        (ChatState::CollectSurname, "Niente"),
        (ChatState::CollectSurname, "No"),
        (ChatState::CollectSurname, "Ciao"),
    ] {
        let (mut conversation, rules) = (at(state), rules());
        let question = format!("Vuoi che scriva «{said}»?");
        let first = turn(&mut conversation, &rules, said);
        if first.replies != [question.clone()] {
            let again = turn(&mut conversation, &rules, said);
            assert_eq!(again.replies, [question], "{said}");
        }
        turn(&mut conversation, &rules, "sì");
        let kept = [&conversation.draft.nome, &conversation.draft.cognome];
        assert!(kept.contains(&&said.to_owned()), "{said}");
    }
}

#[test]
fn a_doubt_is_over_with_any_other_age() {
    let rules = rules();
    let mut conversation = at(ChatState::AgeCheck);
    turn(&mut conversation, &rules, "quarantadue");
    turn(&mut conversation, &rules, "43");
    assert_eq!(conversation.draft.eta, 43);
    assert!(conversation.doubt.is_none());
    let mut minor = at(ChatState::AgeCheck);
    turn(&mut minor, &rules, "diciassette");
    assert_eq!(turn(&mut minor, &rules, "sì").outcome, StepOutcome::Minor);
}

#[test]
fn an_account_told_too_early_waits_for_its_question() {
    let rules = rules();
    for state in [
        ChatState::AgeCheck,
        ChatState::CollectName,
        ChatState::CollectPhone,
        ChatState::CollectEmail,
    ] {
        let mut conversation = at(state);
        let step = turn(&mut conversation, &rules, ACCOUNT);
        let kept = said(&Phrases::default().guide.kept);
        assert_eq!(step.replies, [kept, said(&rules.prompt(state.into()))]);
        assert_eq!((step.rule, conversation.state), (Rule::Kept, state));
        assert_eq!(conversation.prefill(), None);
        conversation.state = ChatState::InvestigativeQuestions;
        assert_eq!(conversation.prefill(), Some(ACCOUNT));
    }
    let mut address = at(ChatState::CollectAddress);
    turn(&mut address, &rules, ACCOUNT);
    assert_eq!(address.draft.indirizzo, ACCOUNT);
}

#[test]
fn a_grave_account_told_too_early_is_answered_with_help() {
    let mut conversation = at(ChatState::AgeCheck);
    let step = turn(&mut conversation, &rules(), care::GRAVE);
    assert_eq!((step.rule, step.hold), (Rule::Kept, 0..1));
    assert_eq!(step.replies[0], care::help());
    assert!(conversation.helped);
}

#[test]
fn a_datum_is_left_out_only_where_it_is_optional() {
    let lenient = Security {
        email_required: false,
        ..Security::default()
    };
    let lenient = Rules::new(&Phrases::default(), &lenient, &System::default());
    let mut conversation = at(ChatState::CollectEmail);
    assert!(!conversation.question(&lenient).required);
    let step = turn(&mut conversation, &lenient, "non ho la mail");
    assert_eq!(step.rule, Rule::Answered);
    assert_eq!(conversation.state, ChatState::CollectAddress);

    let (rules, unable) = (rules(), said(&Phrases::default().guide.unable));
    let mut conversation = at(ChatState::CollectEmail);
    let first = turn(&mut conversation, &rules, "posta");
    assert_eq!((first.rule, first.unable), (Rule::Invalid, None));
    let second = turn(&mut conversation, &rules, "posta");
    assert_eq!(second.unable, Some(unable.clone()));
    assert_eq!(
        second.replies,
        [said(&Phrases::default().collect_email.invalid)]
    );
    let mut conversation = at(ChatState::CollectAddress);
    let declined = turn(&mut conversation, &rules, "non ho un indirizzo");
    assert_eq!(
        (declined.rule, declined.unable),
        (Rule::Invalid, Some(unable))
    );
}

#[test]
fn minors_end_the_conversation() {
    for answer in ["17", "1", "ho 12 anni"] {
        let Step {
            replies, outcome, ..
        } = step(&rules(), at(ChatState::AgeCheck), answer);
        assert_eq!(outcome, StepOutcome::Minor);
        let phrases = Phrases::default();
        assert_eq!(replies, [phrases.age_check.under_age, phrases.care.minor]);
    }
    let eighteen = step(&rules(), at(ChatState::AgeCheck), "18").outcome;
    assert!(matches!(eighteen, StepOutcome::Continue(_)));
}

#[test]
fn forbidden_words_come_first_in_both_report_states() {
    let phrases = Phrases::default();
    for word in [
        "avvocato",
        "AVVOCATI",
        "i Carabinieri",
        "carabiniere!",
        "avvo\u{200B}cato",
    ] {
        let long = format!("{ACCOUNT} Serve un {word}?");
        for answer in [word, long.as_str()] {
            assert_eq!(
                stays(&at(ChatState::InvestigativeQuestions), answer),
                phrases.investigative_questions.forbidden
            );
            assert_eq!(
                stays(&at(ChatState::CollectReport), answer),
                phrases.collect_report.forbidden
            );
        }
    }
    let personal = step(&rules(), at(ChatState::CollectSurname), "Avvocato").outcome;
    assert!(matches!(
        personal,
        StepOutcome::Continue(Conversation {
            state: ChatState::CollectPhone,
            ..
        })
    ));
}

#[test]
fn the_settings_are_what_is_enforced() {
    let security = Security {
        min_report_length: 5,
        min_word_count: 2,
        forbidden_words: "segreto".to_owned(),
        ..Security::default()
    };
    let rules = Rules::new(&Phrases::default(), &security, &System::default());
    let turn = |answer: &str| step(&rules, at(ChatState::InvestigativeQuestions), answer);
    assert!(matches!(
        turn("due avvocati").outcome,
        StepOutcome::Continue(Conversation {
            state: ChatState::CollectReport,
            ..
        })
    ));
    assert!(turn("unasola").replies[0].contains("almeno 5 caratteri e 2 parole"));
    assert_eq!(
        turn("un SEGRETO grande").replies[0],
        Phrases::default().investigative_questions.forbidden
    );
}

#[test]
fn nothing_to_add_closes_without_an_addition() {
    for answer in ["no", "No.", " NIENTE \n", "Basta", "NO", "n\u{200B}o"] {
        let Step {
            replies, outcome, ..
        } = step(&rules(), at(ChatState::CollectReport), answer);
        assert_eq!(replies, [said(&Phrases::default().collect_report.closing)]);
        let StepOutcome::Completed(report) = outcome else {
            unreachable!("{answer:?} must close");
        };
        assert_eq!(report.segnalazione, ACCOUNT);
    }
}

#[test]
fn an_addition_goes_under_its_heading_and_closes() {
    for answer in [
        "Ho anche le foto",
        "  Ho anche le foto\r\n",
        "niente foto, ma un video",
        "No, aspetta: il capo si chiama Bruno",
    ] {
        let StepOutcome::Completed(report) =
            step(&rules(), at(ChatState::CollectReport), answer).outcome
        else {
            unreachable!("{answer:?} must close");
        };
        assert_eq!(
            report.segnalazione,
            format!("{ACCOUNT}\n\nINFORMAZIONI AGGIUNTIVE\n{}", answer.trim())
        );
    }
}

#[test]
fn the_final_question_closes_whatever_is_said() {
    for answer in ["", "avvocato", "no", "ancora una cosa"] {
        let Step {
            replies, outcome, ..
        } = step(&rules(), at(ChatState::FinalQuestion), answer);
        assert_eq!(replies, [said(&Phrases::default().collect_report.closing)]);
        assert!(
            matches!(outcome, StepOutcome::Completed(report) if report.segnalazione == ACCOUNT)
        );
    }
}

#[test]
fn a_conversation_that_skipped_an_answer_is_taken_back_to_it() {
    let phrases = Phrases::default();
    let mut no_email = at(ChatState::FinalQuestion);
    no_email.draft.email.clear();
    let mut too_young = at(ChatState::CollectReport);
    too_young.draft.eta = 12;
    let mut empty = at(ChatState::InvestigativeQuestions);
    empty.draft = Report::default();
    let mut no_name = at(ChatState::InvestigativeQuestions);
    no_name.draft.nome = " ".to_owned();
    for (broken, state, reply) in [
        (
            no_name,
            ChatState::CollectName,
            &phrases.collect_name.prompt,
        ),
        (
            no_email,
            ChatState::CollectEmail,
            &phrases.collect_email.prompt,
        ),
        (too_young, ChatState::AgeCheck, &phrases.age_check.prompt),
        (empty, ChatState::AgeCheck, &phrases.age_check.prompt),
    ] {
        let draft = broken.draft.clone();
        let Step {
            replies, outcome, ..
        } = step(&rules(), broken, "no");
        assert_eq!(replies, [said(reply)]);
        assert_eq!(
            outcome,
            StepOutcome::Continue(Conversation { draft, ..at(state) })
        );
    }
}

#[test]
fn hostile_texts_of_any_size_are_answered() {
    let hostile = [
        "\0".repeat(20_000),
        "\u{202E}".repeat(20_000),
        "a\u{301}\u{323}".repeat(60_000),
        "👩\u{200D}👩\u{200D}👧 ".repeat(5_000),
        "\u{FDFA}".repeat(20_000),
        "9".repeat(200_000),
        "@.".repeat(100_000),
        "{name}{org}".repeat(20_000),
        " ".repeat(400_000),
        "\u{FEFF}\u{FFFE}\u{10FFFF}".to_owned(),
    ];
    for state in ChatState::ALL {
        for answer in &hostile {
            let Step { replies, .. } = step(&rules(), at(state), answer);
            assert!(replies.iter().all(|reply| !text::is_blank(reply)));
        }
    }
}

/// Answers of every kind: right ones, wrong ones, noise.
fn answers() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("34".to_owned()),
        Just("Anna".to_owned()),
        Just("3123456789".to_owned()),
        Just("anna@example.it".to_owned()),
        Just("Via Roma 1, Milano".to_owned()),
        Just(ACCOUNT.to_owned()),
        Just("no".to_owned()),
        Just("sì".to_owned()),
        Just("mi chiamo Anna Bianchi".to_owned()),
        Just("quarantadue".to_owned()),
        Just(care::GRAVE.to_owned()),
        Just("stasera mi ammazzo".to_owned()),
        Just(format!("{ACCOUNT} avvocato")),
        "[0-9]{1,3}",
        any::<String>(),
        "\\PC{0,200}",
    ]
}

fn text_or_hole() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), any::<String>()]
}

/// Conversations that nobody could have had.
fn any_conversation() -> impl Strategy<Value = Conversation> {
    (
        prop::sample::select(ChatState::ALL[..9].to_vec()),
        any::<u8>(),
        prop::collection::vec(text_or_hole(), DATA.len()),
        text_or_hole(),
        any::<bool>(),
    )
        .prop_map(|(state, eta, texts, segnalazione, helped)| {
            let mut draft = Report {
                eta,
                segnalazione,
                ..Report::default()
            };
            for (datum, text) in DATA.iter().zip(texts) {
                *(datum.place)(&mut draft) = text;
            }
            Conversation {
                state,
                draft,
                helped,
                ..Conversation::default()
            }
        })
}

proptest! {
    #[test]
    fn no_sequence_of_answers_skips_a_state(sequence in prop::collection::vec(answers(), 0..40)) {
        let rules = rules();
        let mut conversation = at(ChatState::AgeCheck);
        let mut helps = 0;
        for answer in sequence {
            let before = conversation.state;
            let Step { replies, outcome, .. } = step(&rules, conversation.clone(), &answer);
            prop_assert!(!replies.is_empty());
            prop_assert!(replies.iter().all(|reply| !text::is_blank(reply)));
            helps += replies.iter().filter(|reply| **reply == care::help()).count();
            prop_assert!(helps <= 1);
            match outcome {
                StepOutcome::Continue(after) if after.state == before => {
                    prop_assert_eq!(&after.draft, &conversation.draft);
                    conversation = after;
                }
                StepOutcome::Continue(after) => {
                    // A name may bring its surname along.
                    prop_assert!(after.state == next(before) || before == ChatState::CollectName);
                    let missing = missing(&rules, &after);
                    prop_assert!(missing.is_none_or(|missing| missing >= after.state));
                    conversation = after;
                }
                StepOutcome::Ended => prop_assert!(false, "the ordered conversation has no routes"),
                StepOutcome::Minor => {
                    prop_assert_eq!(before, ChatState::AgeCheck);
                    break;
                }
                StepOutcome::Completed(_) => {
                    prop_assert_eq!(before, ChatState::CollectReport);
                    break;
                }
            }
        }
    }

    #[test]
    fn corrections_come_back_to_where_the_conversation_stood(
        sequence in prop::collection::vec((prop::option::of(prop::sample::select(ChatState::ALL.to_vec())), answers()), 0..40)
    ) {
        let rules = rules();
        let mut conversation = at(ChatState::CollectReport);
        for (named, answer) in sequence {
            let stands = conversation.resume.map_or(conversation.state, |place| place.state);
            if let Some(state) = named {
                let asked = back(&rules, conversation.clone(), state.into()).map(|step| step.outcome);
                prop_assert_eq!(asked.is_some(), state <= stands);
                if let Some(StepOutcome::Continue(after)) = asked {
                    prop_assert_eq!(&after.draft, &conversation.draft);
                    prop_assert_eq!(after.state, state);
                    conversation = after;
                }
            }
            let step = step(&rules, conversation.clone(), &answer);
            let StepOutcome::Continue(after) = step.outcome else { break };
            // Corrected, or left as it was.
            if step.rule == Rule::Corrected || after.resume != conversation.resume {
                prop_assert_eq!((after.state, after.resume), (stands, None));
            } else {
                prop_assert_eq!(after.state, conversation.state);
            }
            if step.rule != Rule::Corrected {
                prop_assert_eq!(&after.draft, &conversation.draft);
            }
            prop_assert_eq!(missing(&rules, &after), None);
            conversation = after;
        }
    }

    #[test]
    fn no_conversation_finishes_incomplete(conversation in any_conversation(), answer in answers()) {
        let rules = rules();
        let first = step(&rules, conversation.clone(), &answer);
        prop_assert_eq!(&first, &step(&rules, conversation.clone(), &answer));
        prop_assert!(first.replies.iter().all(|reply| !text::is_blank(reply)));
        prop_assert!(!first.replies.is_empty());
        let missing = missing(&rules, &conversation);
        if let Some(missing) = missing.filter(|missing| *missing < conversation.state) {
            let back = Conversation { state: missing, ..conversation.clone() };
            prop_assert_eq!(&first.outcome, &StepOutcome::Continue(back));
        }
        match first.outcome {
            StepOutcome::Completed(report) => {
                prop_assert!(missing.is_none_or(|missing| missing >= ChatState::CollectReport));
                prop_assert!(conversation.state >= ChatState::CollectReport);
                prop_assert!((18..=120).contains(&report.eta));
            }
            StepOutcome::Ended => prop_assert!(false, "the ordered conversation has no routes"),
            StepOutcome::Minor => prop_assert_eq!(conversation.state, ChatState::AgeCheck),
            StepOutcome::Continue(after) => prop_assert!(after.state <= next(conversation.state)),
        }
    }

    #[test]
    fn a_conversation_survives_its_token(conversation in any_conversation()) {
        let json = serde_json::to_string(&conversation).unwrap();
        let kept = serde_json::from_str::<Conversation>(&json).unwrap();
        prop_assert_eq!(Conversation { state: conversation.state, ..kept }, conversation);
    }
}

#[test]
fn every_turn_names_the_rule_that_decided_it() {
    let long = "parola ".repeat(4_000);
    let mut gap = at(ChatState::CollectAddress);
    gap.draft.cognome.clear();
    for (conversation, answer, rule) in [
        (at(ChatState::AgeCheck), "boh", Rule::Invalid),
        (at(ChatState::AgeCheck), "17", Rule::Minor),
        (at(ChatState::AgeCheck), "18", Rule::Answered),
        (at(ChatState::CollectName), &long, Rule::TooLong),
        (at(ChatState::CollectPhone), "12", Rule::Invalid),
        (
            at(ChatState::InvestigativeQuestions),
            "troppo poco",
            Rule::TooShort,
        ),
        (
            at(ChatState::InvestigativeQuestions),
            "un avvocato",
            Rule::Forbidden,
        ),
        (at(ChatState::InvestigativeQuestions), &long, Rule::TooLong),
        (
            at(ChatState::InvestigativeQuestions),
            ACCOUNT,
            Rule::Answered,
        ),
        (at(ChatState::CollectReport), "", Rule::Invalid),
        (
            at(ChatState::CollectReport),
            "i carabinieri",
            Rule::Forbidden,
        ),
        (at(ChatState::CollectReport), "basta", Rule::Completed),
        (at(ChatState::FinalQuestion), "ciao", Rule::Completed),
        (gap, "Via Roma 1, Milano", Rule::Incomplete),
    ] {
        let state = conversation.state;
        assert_eq!(step(&rules(), conversation, answer).rule, rule, "{state:?}");
    }
}
