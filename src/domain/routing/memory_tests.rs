//! Tests of the memory of routing: what is recalled, with typos too, and that nothing else moves.

use serde::Deserialize;

use super::*;
use crate::domain::classify::TokenizedText;
use crate::domain::text::char_count;

const KENNEL: &str = "Nel canile convenzionato i cani dormono sul cemento bagnato. Ho contato quaranta gabbie per centosei \
     animali, e la domenica non c'è nessuno che porti l'acqua: me l'ha detto chi ci lavora da volontario.";
const WELL: &str = "Il pozzo comunale di Fontanile è chiuso da marzo e nessuno dice perché.";
const LAKE: &str = "Il lago di Fontanile è chiuso ai bagnanti da giugno, e nessuno lo dice.";

/// An invented report.
#[derive(Deserialize)]
struct Example {
    text: String,
    label: DepartmentKey,
}

fn examples() -> Vec<Example> {
    let lines = include_str!("../../../models/routing/examples.jsonl").lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Of these reports, the latest move first.
fn memory(moved: &[(&str, DepartmentKey)]) -> Memory {
    let pieces =
        |(text, department): &(&str, DepartmentKey)| Some((Pieces::of(text)?, *department));
    moved.iter().filter_map(pieces).collect()
}

fn recalled(memory: &Memory, text: &str) -> Option<DepartmentKey> {
    memory.recall(TokenizedText::new(text).all_letters())
}

/// As somebody types it in a hurry: letters lost, doubled and swapped, a word left out.
fn with_typos(text: &str) -> String {
    let hurried = |(at, word): (usize, &str)| -> String {
        let mut letters: Vec<char> = word.chars().collect();
        match at % 7 {
            2 if letters.len() > 4 => drop(letters.remove(2)),
            4 if letters.len() > 4 => letters.swap(1, 2),
            6 if letters.len() > 3 => letters.insert(1, letters[1]),
            _ => {}
        }
        letters.into_iter().collect()
    };
    let words = text.split(' ').enumerate().filter(|(at, _)| at % 19 != 18);
    words.map(hurried).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_is_recalled_and_the_like_is_not() {
    let memory = memory(&[
        (WELL, Matter::Ambiente.key()),
        ("corto", Matter::Scuola.key()),
    ]);
    for same in [
        WELL,
        "il pozo comunale di fontanile e chiuso da marzo, e nesuno dice perche",
    ] {
        assert_eq!(
            recalled(&memory, same),
            Some(Matter::Ambiente.key()),
            "{same}"
        );
    }
    for other in [LAKE, "corto", "", "?"] {
        assert_eq!(recalled(&memory, other), None, "{other}");
    }
}

#[test]
fn the_nearest_decides_and_of_the_same_text_the_latest_move() {
    let both = [(WELL, Matter::Scuola.key()), (LAKE, Matter::Lavoro.key())];
    for (text, department) in both {
        assert_eq!(recalled(&memory(&both), text), Some(department));
        assert_eq!(
            recalled(&memory(&[both[1], both[0]]), text),
            Some(department)
        );
    }
    let again = memory(&[(WELL, Matter::Sanita.key()), both[0], both[1]]);
    assert_eq!(recalled(&again, WELL), Some(Matter::Sanita.key()));
}

#[test]
fn pieces_come_back_from_their_bytes() {
    let pieces = Pieces::of(WELL).unwrap();
    assert_eq!(Pieces::from_bytes(&pieces.to_bytes()), pieces);
    assert_eq!(Pieces::from_bytes(&[1]), Pieces::from_bytes(&[]));
    assert_eq!(Pieces::of("corto"), None);
}

#[test]
fn of_all_invented_reports_only_those_that_were_moved_are_recalled() {
    let examples = examples();
    let moved = examples.iter().step_by(2);
    let moved: Vec<_> = moved.map(|one| (one.text.as_str(), one.label)).collect();
    let memory = memory(&moved);
    for (at, one) in examples.iter().enumerate() {
        let expected = (at % 2 == 0).then_some(one.label);
        let text = with_typos(&one.text);
        assert_eq!(recalled(&memory, &text), expected, "{text}");
    }
}

/// Two texts of at most so many characters, of different reports of the same departments.
fn dossiers(of: &[DepartmentKey], characters: usize) -> [String; 2] {
    [0, 1].map(|which| {
        let examples = examples();
        let texts = of.iter().flat_map(|department| {
            let theirs = examples.iter().filter(|one| one.label == *department);
            theirs.skip(which).step_by(2).map(|one| one.text.as_str())
        });
        let whole = texts.collect::<Vec<_>>().join(" ");
        whole.chars().take(characters).collect()
    })
}

#[test]
fn a_long_report_is_recalled_by_its_copies_and_not_by_another_of_the_same_desks() {
    let all: Vec<DepartmentKey> = Departments::default().keys().collect();
    // As many departments as have so much to tell.
    for (departments, characters) in [
        (1, 4_000),
        (2, 5_000),
        (3, 10_000),
        (5, 20_000),
        (7, 30_000),
    ] {
        for first in 0..all.len() {
            let of: Vec<DepartmentKey> = (0..departments)
                .map(|next| all[(first + next) % all.len()])
                .collect();
            let [one, other] = dossiers(&of, characters);
            let what = format!("{of:?}, {characters}");
            assert_eq!(char_count(&one), characters, "{what}");
            assert_eq!(char_count(&other), characters, "{what}");
            let memory = memory(&[(&one, Matter::Scuola.key())]);
            assert_eq!(
                recalled(&memory, &with_typos(&one)),
                Some(Matter::Scuola.key()),
                "{what}"
            );
            assert_eq!(recalled(&memory, &other), None, "{what}");
        }
    }
}

#[test]
fn what_speaks_loudly_for_another_desk_is_recalled_all_the_same_and_the_reason_says_so() {
    let router = Router::new(&Email::default());
    let sure = |text: &str| {
        let found = route(&Email::default(), text);
        let percent = found.scores.first().map(|score| score.percent);
        percent.filter(|_| found.department == Matter::Lavoro.key())
    };
    let loudest = examples().into_iter().max_by_key(|one| sure(&one.text));
    let text = loudest.unwrap().text;
    assert!(sure(&text) >= Some(95), "{text}");
    let moved = memory(&[(&text, Matter::Sanita.key())]);
    for same in [&text, &with_typos(&text), &text.to_uppercase()] {
        let found = router.route(&moved, same);
        assert_eq!(found.department, Matter::Sanita.key(), "{same}");
        assert_eq!(found.secondary, Some(Matter::Lavoro.key()));
        let reason =
            "Come una segnalazione quasi uguale che la redazione ha spostato in Sanità/Ospedali. ";
        assert!(found.reason.starts_with(reason), "{}", found.reason);
    }
    // Its second half with another story does not follow, nor does any other report.
    let half = text.char_indices().nth(char_count(&text) / 2).unwrap().0;
    let near = format!("{} {}", &text[half..], KENNEL);
    let others = examples().into_iter().map(|one| one.text);
    for other in others.filter(|other| *other != text).chain([near]) {
        let with_memory = router.route(&moved, &other);
        assert_eq!(with_memory, router.route(&Memory::default(), &other));
    }
}
