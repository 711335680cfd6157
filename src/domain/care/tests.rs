//! Tests of the wording that worries: figures on texts that nothing was learnt from, and hostile texts.

use serde::Deserialize;

use super::*;
use proptest::prelude::*;

#[test]
fn names_round_trip() {
    for one in Concern::ALL {
        assert_eq!(Concern::parse(one.as_str()), Some(one));
        assert_eq!(serde_json::to_value(one).unwrap(), one.as_str());
    }
    assert_eq!(Concern::parse("none"), None);
}

#[test]
fn grave_words_are_seen_and_figures_of_speech_are_not() {
    for (text, expected) in [
        (
            "Non ce la faccio più, stasera la faccio finita. Ho già scritto la lettera a mia moglie.",
            Some(Concern::SelfHarm),
        ),
        (
            "Domani vado sotto casa sua con la tanica di benzina e lo ammazzo, so dove abita.",
            Some(Concern::Threat),
        ),
        (
            "È sul pianerottolo e sta sfondando la porta, mi ammazza. Ho chiuso i bambini in bagno, aiuto.",
            Some(Concern::Danger),
        ),
        (
            "Questo lavoro mi ammazza: turni di dodici ore e straordinari mai pagati.",
            None,
        ),
        (
            "Il film sul suicidio di quel ragazzo è stato pagato con fondi della Regione, ho le carte.",
            None,
        ),
        ("", None),
    ] {
        assert_eq!(concern(text), expected, "{text}");
    }
}

/// The words that are underlined in an account.
fn underlined(text: &str) -> Vec<&str> {
    let places = grave_words(text).into_iter();
    places.map(|place| &text[place]).collect()
}

#[test]
fn the_words_that_worry_are_those_of_the_sentence_and_no_others() {
    let ordinary = "Il Comune ha affidato la manutenzione del verde senza gara, alla ditta del cognato dell'assessore. ";
    for (text, expected) in [
        (
            "Mi hanno licenziato. Stanotte mi ammazzo, ho preparato tutto.",
            vec!["mi ammazzo"],
        ),
        ("Questo lavoro mi ammazza: turni di dodici ore.", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(underlined(text), expected, "{text}");
        let long = [ordinary, text, " ", ordinary].concat();
        assert_eq!(underlined(&long), expected, "{long}");
    }
}

#[test]
fn one_grave_sentence_in_a_long_account_is_seen() {
    let ordinary = "Il Comune ha affidato la manutenzione del verde senza gara, alla ditta del cognato dell'assessore. \
                    Le fatture sono tutte sotto soglia e portano la stessa data. ";
    let grave =
        "Adesso basta: stanotte mi ammazzo, ho preparato tutto e ho scritto una lettera d'addio. ";
    let long = |middle: &str| format!("{}{middle}{}", ordinary.repeat(12), ordinary.repeat(12));
    assert_eq!(concern(&long("")), None);
    assert_eq!(concern(&long(grave)), Some(Concern::SelfHarm));
}

#[test]
fn hostile_texts_of_any_size_are_answered() {
    for hostile in [
        "\0".repeat(20_000),
        ". ".repeat(10_000),
        "a.".repeat(10_000),
        "aiuto ".repeat(3_300),
        "è".repeat(20_000),
        "\u{202E}".repeat(20_000),
        "a\u{301}\u{323}".repeat(20_000),
        "👩\u{200D}👩\u{200D}👧 ".repeat(5_000),
        "\u{FDFA}".repeat(20_000),
    ] {
        assert_eq!(concern(&hostile), concern(&hostile));
        assert_eq!(
            grave_words(&hostile).is_empty(),
            concern(&hostile).is_none()
        );
    }
}

#[derive(Deserialize)]
struct Example {
    text: String,
    label: String,
}

fn read(jsonl: &str) -> Vec<Example> {
    let lines = jsonl.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Ordinary reports of every department, without those that may well be urgent.
fn ordinary() -> Vec<Example> {
    let left_out = include_str!("../../../models/care/left_out.json");
    let left_out: Vec<String> = serde_json::from_str(left_out).unwrap();
    let mut examples = read(include_str!("../../../models/routing/examples.jsonl"));
    let all = examples.len();
    examples.retain(|one| !left_out.iter().any(|start| one.text.starts_with(start)));
    assert_eq!(
        examples.len() + left_out.len(),
        all,
        "each beginning is one report's"
    );
    examples
}

/// Share of those texts that raise a concern.
fn flagged<'a>(texts: impl IntoIterator<Item = &'a Example>) -> f64 {
    let answers: Vec<bool> = texts
        .into_iter()
        .map(|one| concern(&one.text).is_some())
        .collect();
    let count = |of: usize| f64::from(u32::try_from(of).unwrap());
    count(answers.iter().filter(|flagged| **flagged).count()) / count(answers.len())
}

/// Shares of the urgent ones and of the others that raise a concern.
fn hits_and_alarms(jsonl: &str) -> (f64, f64) {
    let texts = read(jsonl);
    let (urgent, others): (Vec<_>, Vec<_>) = texts.iter().partition(|one| one.label != "none");
    (flagged(urgent), flagged(others))
}

#[test]
fn held_out_texts_are_told_apart() {
    let (hits, alarms) = hits_and_alarms(include_str!("../../../models/care/held_out.jsonl"));
    assert!(hits >= 0.85, "{hits}");
    assert!(alarms <= 0.15, "{alarms}");
}

/// Another account around a text, of some 800 characters in all.
const AROUND: [&str; 2] = [
    "Il Comune ha affidato la manutenzione del verde senza gara alla ditta del cognato dell'assessore. Le fatture sono tutte sotto \
     soglia e portano la stessa data. Io lavoro lì da dodici anni come operaio e ho visto passare i camion vuoti, ma le ore erano \
     segnate lo stesso. A marzo ho chiesto al capo cantiere e mi ha detto di farmi gli affari miei",
    "Ho le fotografie dei fogli firmati e i messaggi del geometra che chiede di cambiare le date. Altri due colleghi sono disposti a \
     parlare, però vogliono restare anonimi finché non parte il controllo. La spesa totale secondo noi supera i trecentomila euro in \
     quattro anni e nessuno ha mai controllato. Il revisore dei conti è amico del sindaco.",
];

/// Short texts are judged alike by themselves, behind another sentence and in the middle of an account.
#[test]
fn short_texts_are_told_apart_wherever_they_stand() {
    let [before, behind] = AROUND;
    let places: [&dyn Fn(&str) -> String; 4] = [
        &|text| text.to_owned(),
        &|text| format!("Non capisco questa domanda. {text}"),
        &|text| format!("{before}. {text}. {behind}"),
        &|text| format!("{before} {text} {behind}"),
    ];
    let short = read(include_str!("../../../models/care/short.jsonl"));
    let (grave, others): (Vec<_>, Vec<_>) = short.iter().partition(|one| one.label != "none");
    for place in places {
        let put = |texts: &[&Example]| -> Vec<Example> {
            let there = texts.iter().map(|one| Example {
                text: place(&one.text),
                label: one.label.clone(),
            });
            there.collect()
        };
        let (hits, alarms) = (flagged(&put(&grave)), flagged(&put(&others)));
        assert!(hits >= 0.97, "{hits}");
        assert!(alarms <= 0.01, "{alarms}");
    }
}

/// Grammar files fit, and no line is ignored.
#[test]
fn the_rules_can_be_read() {
    assert!(Grammar::bundled().is_some());
}

/// A flag that is up on every tenth report is one that nobody looks at.
#[test]
fn ordinary_reports_are_left_alone() {
    let rate = flagged(&ordinary());
    assert!(rate <= 0.03, "{rate}");
    let (hits, alarms) = hits_and_alarms(include_str!("../../../models/care/fresh.jsonl"));
    assert!(hits >= 0.85, "{hits}");
    assert!(alarms <= 0.03, "{alarms}");
}

proptest! {
    #[test]
    fn any_text_has_one_answer(text in any::<String>()) {
        prop_assert_eq!(concern(&text), concern(&text));
    }
}
