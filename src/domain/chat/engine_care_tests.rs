//! When the engine says where help is at hand. They must never depend on how well wording is judged: the words are plain.

use super::*;
use std::sync::LazyLock;

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
    let question = said(&phrases.investigative_questions.prompt);
    assert_eq!(short.replies, [help(), question.clone()]);
    let StepOutcome::Continue(after) = short.outcome else {
        unreachable!("the question stays open");
    };
    let again = step(&rules(), after, "stasera mi ammazzo");
    assert_eq!(again.replies, [question]);
}

#[test]
fn every_answer_is_read_at_every_question() {
    for state in ChatState::ALL {
        let mut conversation = at(state);
        if state == ChatState::OwnQuestion {
            continue;
        }
        let step = turn(&mut conversation, &rules(), "mi voglio ammazzare");
        assert!(step.replies.contains(&help()), "{state:?}");
        assert_eq!(step.reason, None, "{state:?}");
        assert!(step.helped);
        assert_eq!(step.concern, Some(Concern::SelfHarm));
    }
    for (state, datum) in [
        (ChatState::CollectName, "Maria Teresa Addolorata"),
        (ChatState::CollectAddress, "via dei Martiri 12, Morti"),
    ] {
        let Step { replies, .. } = step(&rules(), at(state), datum);
        assert!(!replies.contains(&help()), "{datum}");
    }
}

#[test]
fn a_cry_is_no_name_and_no_address_and_is_not_lost() {
    for state in [ChatState::CollectName, ChatState::CollectAddress] {
        let mut conversation = at(state);
        let step = turn(&mut conversation, &rules(), "mi voglio ammazzare");
        assert_eq!((step.rule, step.hold), (Rule::Kept, 0..1));
        assert_eq!(conversation.state, state);
        assert_eq!(conversation.early, "mi voglio ammazzare");
    }
}

#[test]
fn a_cry_in_a_correction_leaves_the_account_as_it_is() {
    let review = at(ChatState::CollectReport);
    let mut again = asked_again(&review, ChatState::CollectName).unwrap();
    let first = turn(&mut again, &rules(), "mi voglio ammazzare");
    assert_eq!((first.rule, first.hold), (Rule::Guided, 0..1));
    assert_eq!(again.draft, review.draft);
    let second = turn(&mut again, &rules(), "mi voglio ammazzare");
    assert_ne!(second.rule, Rule::Guided);
    assert_eq!(again.draft.segnalazione, ACCOUNT);
}

#[test]
fn a_cry_is_heard_after_help_was_spoken_of_and_another_kind_brings_help_again() {
    let mut conversation = at(ChatState::CollectName);
    turn(&mut conversation, &rules(), "mi voglio ammazzare");
    let heard = turn(
        &mut conversation,
        &rules(),
        "ho preso 40 compresse di xanax",
    );
    assert_eq!(heard.rule, Rule::Kept);
    assert!(!heard.replies.contains(&help()), "{:?}", heard.replies);
    let other = turn(
        &mut conversation,
        &rules(),
        "aiuto, sta sfondando la porta con un coltello",
    );
    assert!(other.replies.contains(&help()), "{:?}", other.replies);
    assert_eq!(conversation.state, ChatState::CollectName);
    // Said again, the words may be a name.
    let again = turn(
        &mut conversation,
        &rules(),
        "aiuto, sta sfondando la porta con un coltello",
    );
    assert_ne!(again.rule, Rule::Kept);
}

#[test]
fn what_worried_once_stays_whatever_comes_after() {
    let mut conversation = at(ChatState::InvestigativeQuestions);
    turn(&mut conversation, &rules(), "stasera mi ammazzo");
    let calm = "Il Comune ha affidato la manutenzione del verde senza gara alla ditta del cognato dell'assessore, da tre anni.";
    turn(&mut conversation, &rules(), calm);
    let last = step(
        &rules(),
        conversation,
        "Preferirei essere contattata di sera",
    );
    assert!(matches!(last.outcome, StepOutcome::Completed(_)));
    assert_eq!((last.concern, last.helped), (Some(Concern::SelfHarm), true));
}

#[test]
fn help_alone_asks_which() {
    let phrases = Phrases::default();
    for (state, choice, words) in [
        (ChatState::AgeCheck, "Aiuto adesso", help()),
        (ChatState::CollectPhone, "adesso!", help()),
        (
            ChatState::InvestigativeQuestions,
            "Aiuto con la chat",
            said(&phrases.guide.explain),
        ),
        (
            ChatState::CollectSurname,
            "con la chat",
            said(&phrases.guide.explain),
        ),
    ] {
        let mut conversation = at(state);
        let asked = turn(&mut conversation, &rules(), "Aiutoooo!");
        assert_eq!(
            asked.replies,
            std::slice::from_ref(&phrases.guide.which_help)
        );
        let options = conversation.question(&rules()).options;
        let options: Vec<&str> = options.iter().map(|one| &*one.text).collect();
        assert_eq!(options, ["Aiuto adesso", "Aiuto con la chat"]);
        let answered = turn(&mut conversation, &rules(), choice);
        assert_eq!(answered.replies[0], words, "{state:?}");
        assert_eq!(conversation.helped, words == help());
        assert!(conversation.state == state && conversation.doubt.is_none());
    }
}

#[test]
fn whether_it_is_anonymous_is_answered_first_with_no() {
    let (phrases, mut conversation) = (Phrases::default(), at(ChatState::CollectPhone));
    let first = turn(&mut conversation, &rules(), "È anonimo?");
    assert_eq!(first.replies[0], phrases.guide.anonymous);
    let again = turn(&mut conversation, &rules(), "posso restare anonimo?");
    assert_eq!(again.replies[0], said(&phrases.guide.explain));
}

/// The texts that care is measured by, as `(text, is grave)`.
static TEXTS: LazyLock<Vec<(String, bool)>> = LazyLock::new(|| {
    let files = [
        include_str!("../../../models/care/held_out.jsonl"),
        include_str!("../../../models/care/fresh.jsonl"),
        include_str!("../../../models/care/short.jsonl"),
    ];
    let lines = files.into_iter().flat_map(str::lines);
    let read = |line| {
        let text: serde_json::Value = serde_json::from_str(line).unwrap();
        let words = text["text"].as_str().unwrap().to_owned();
        (words, text["label"] != "none")
    };
    lines.map(read).collect()
});

fn a_text(grave: Option<bool>) -> impl Strategy<Value = &'static str> {
    let fits = |one: &&'static (String, bool)| grave.is_none_or(|grave| one.1 == grave);
    let texts: Vec<&str> = TEXTS.iter().filter(fits).map(|one| &*one.0).collect();
    prop::sample::select(texts)
}

proptest! {
    /// Whatever is answered afterwards, at any question and as an addition, an urgent report stays as urgent as it was.
    #[test]
    fn no_answer_lowers_the_mark(
        state in prop::sample::select(ChatState::ALL.to_vec()).prop_filter("is asked", |one| *one != ChatState::OwnQuestion),
        grave in a_text(Some(true)),
        later in prop::collection::vec(a_text(None), 1..4),
    ) {
        // Lower values are graver.
        let level = |step: &Step| step.concern.map_or(u8::MAX, |one| one as u8);
        let mut last = step(&rules(), at(state), grave);
        prop_assert_eq!(last.concern, concern_of(grave));
        for text in later {
            let mark = level(&last);
            let StepOutcome::Continue(conversation) = last.outcome else {
                return Ok(());
            };
            last = step(&rules(), conversation, text);
            prop_assert!(level(&last) <= mark, "{text}");
        }
    }
}
