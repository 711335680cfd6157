//! When the engine says where help is at hand. They must never depend on how well wording is judged: the words are plain.

use super::*;

pub(super) const GRAVE: &str = "Mi hanno tolto la casa e il lavoro. Stanotte mi ammazzo, ho preparato tutto e ho scritto una lettera d'addio.";

pub(super) fn help() -> String {
    Phrases::default().care.help
}

#[test]
fn a_grave_account_is_answered_with_help_once() {
    let phrases = Phrases::default();
    let first = step(&rules(), at(ChatState::InvestigativeQuestions), GRAVE);
    assert_eq!(
        first.replies,
        [
            said(&phrases.investigative_questions.next),
            help(),
            said(&phrases.collect_report.prompt)
        ]
    );
    let StepOutcome::Continue(after) = first.outcome else {
        unreachable!("the report goes on");
    };
    assert!(after.helped);
    assert_eq!(after.state, ChatState::CollectReport);
    let last = step(&rules(), after, GRAVE);
    assert_eq!(last.replies, [said(&phrases.collect_report.closing)]);
    assert!(matches!(last.outcome, StepOutcome::Completed(_)));
}

#[test]
fn grave_additions_are_answered_behind_the_farewell() {
    let last = step(&rules(), at(ChatState::CollectReport), GRAVE);
    let farewell = said(&Phrases::default().collect_report.closing);
    assert_eq!(last.replies, [farewell, help()]);
}

#[test]
fn a_grave_answer_that_is_refused_is_not_only_refused() {
    let phrases = Phrases::default();
    let short = step(
        &rules(),
        at(ChatState::InvestigativeQuestions),
        "stasera mi ammazzo",
    );
    assert_eq!(short.rule, Rule::TooShort);
    let too_short = said(&phrases.investigative_questions.too_short);
    assert_eq!(short.replies, [help(), too_short.clone()]);
    let StepOutcome::Continue(after) = short.outcome else {
        unreachable!("the question stays open");
    };
    let again = step(&rules(), after, "stasera mi ammazzo");
    assert_eq!(again.replies, [too_short]);
}

#[test]
fn words_that_are_no_datum_are_read_for_concern() {
    for state in [ChatState::CollectName, ChatState::CollectAddress] {
        let Step { replies, .. } = step(&rules(), at(state), "stasera mi ammazzo, addio");
        assert!(replies.contains(&help()), "{state:?}");
    }
    for (state, datum) in [
        (ChatState::CollectName, "Maria Teresa Addolorata"),
        (ChatState::CollectAddress, "via dei Martiri 12, Morti"),
    ] {
        let Step { replies, .. } = step(&rules(), at(state), datum);
        assert!(!replies.contains(&help()), "{datum}");
    }
}
