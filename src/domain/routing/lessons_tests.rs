//! Tests of learning from staff: what is remembered, what does not move, what the guard refuses, and that nothing but
//! the corrections decides.

use super::lessons::{Correction, Guard, Learned, learn};
use super::*;
use crate::domain::learn::ngrams::letters;
use crate::domain::text::char_count;

/// None is like a bundled report.
const FERRY: &str = "Il traghetto delle sei salta una corsa su tre da quando la compagnia ha cambiato capitano: i \
     pendolari dell'isola restano sul molo, e in biglietteria dicono che è colpa del vento anche quando il mare è piatto.";
const KENNEL: &str = "Nel canile convenzionato i cani dormono sul cemento bagnato. Ho contato quaranta gabbie per centosei \
     animali, e la domenica non c'è nessuno che porti l'acqua: me l'ha detto chi ci lavora da volontario.";

const PORT: &str = "Al porto turistico i posti barca comunali vanno sempre agli stessi tre nomi. Il bando esce la vigilia di \
     ferragosto e resta affisso mezza giornata, e chi telefona in capitaneria si sente dire di aspettare il prossimo anno.";

fn correction(text: &str, department: Department) -> Correction {
    Correction {
        text: text.to_owned(),
        department,
    }
}

fn taught(corrections: &[Correction]) -> Learned {
    learn(&Config::default(), corrections, &|| true).unwrap()
}

fn department(model: &Model, text: &str) -> Department {
    route_with(&Config::default(), model, text).department
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
fn a_correction_is_remembered_with_typos_too_and_hardly_anything_else_moves() {
    let before = department(seed::bundled(), KENNEL);
    let moved = [(FERRY, Department::Lavoro), (PORT, Department::Corruzione)];
    let corrections = moved.map(|(text, to)| correction(text, to));
    for (text, to) in moved {
        assert_ne!(department(seed::bundled(), text), to);
        assert_ne!(with_typos(text), text);
    }
    let (one, two) = (taught(&corrections[..1]), taught(&corrections));
    for learned in [&one, &two] {
        assert!(learned.guard.holds(), "{:?}", learned.guard);
        assert_eq!(department(&learned.model, FERRY), Department::Lavoro);
        assert_eq!(department(&learned.model, KENNEL), before);
        let examples = seed::examples();
        let moved = examples.iter().filter(|example| {
            department(&learned.model, &example.text) != department(seed::bundled(), &example.text)
        });
        let moved = moved.count();
        assert!(moved * 100 <= examples.len() * 2, "{moved} moved");
    }
    for (text, to) in moved {
        assert_eq!(department(&two.model, text), to);
        assert_eq!(department(&two.model, &with_typos(text)), to);
    }
    // Neither their order nor what was learnt before changes a bit.
    let turned: Vec<Correction> = corrections.iter().rev().cloned().collect();
    assert!(taught(&turned).model.to_bytes() == two.model.to_bytes());
    assert!(two.model.to_bytes() != one.model.to_bytes());
}

fn recalled(memory: &Memory, text: &str) -> Option<Department> {
    memory.recall(&letters(text))
}

#[test]
fn of_all_bundled_reports_only_those_that_were_moved_are_recalled() {
    let examples = seed::examples();
    let moved: Vec<Correction> = examples
        .iter()
        .step_by(2)
        .map(|one| correction(&one.text, one.label))
        .collect();
    let memory = Memory::new(&moved);
    for (at, one) in examples.iter().enumerate() {
        let expected = (at % 2 == 0).then_some(one.label);
        let text = with_typos(&one.text);
        assert_eq!(recalled(&memory, &text), expected, "{text}");
    }
}

/// Two texts of at most so many characters, of different reports of the same departments.
fn dossiers(of: &[Department], characters: usize) -> [String; 2] {
    [0, 1].map(|which| {
        let examples = seed::examples();
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
    let all = Department::ALL;
    // As many departments as have so much to tell.
    for (departments, characters) in [
        (1, 4_000),
        (2, 5_000),
        (3, 10_000),
        (5, 20_000),
        (7, 30_000),
    ] {
        for first in 0..all.len() {
            let of: Vec<Department> = (0..departments)
                .map(|next| all[(first + next) % all.len()])
                .collect();
            let [one, other] = dossiers(&of, characters);
            let what = format!("{of:?}, {characters}");
            assert_eq!(char_count(&one), characters, "{what}");
            assert_eq!(char_count(&other), characters, "{what}");
            let memory = Memory::new(&[correction(&one, Department::Scuola)]);
            assert_eq!(
                recalled(&memory, &with_typos(&one)),
                Some(Department::Scuola),
                "{what}"
            );
            assert_eq!(recalled(&memory, &other), None, "{what}");
        }
    }
}

/// How many of the bundled reports go elsewhere than before.
fn moved_by(model: &Model) -> usize {
    let examples = seed::examples();
    let moves = |text: &str| department(model, text) != department(seed::bundled(), text);
    examples.iter().filter(|one| moves(&one.text)).count()
}

/// A bundled report of that department, of which the bundled head is as sure as it is of any.
fn loud(of: Department) -> String {
    let sure = |text: &str| {
        let routed = route(&Config::default(), text);
        (routed.department == of).then(|| routed.scores.first().map_or(0, |score| score.percent))
    };
    let loudest = seed::examples()
        .into_iter()
        .max_by_key(|one| sure(&one.text));
    let text = loudest.unwrap().text;
    assert!(sure(&text) >= Some(95), "{text}");
    text
}

#[test]
fn what_speaks_loudly_for_another_desk_is_remembered_all_the_same() {
    let text = loud(Department::Lavoro);
    let learned = taught(&[correction(&text, Department::Sanita)]);
    assert!(learned.guard.holds(), "{:?}", learned.guard);
    for same in [&text, &with_typos(&text), &text.to_uppercase()] {
        let routed = route_with(&Config::default(), &learned.model, same);
        assert_eq!(routed.department, Department::Sanita, "{same}");
        assert_eq!(routed.secondary, Some(Department::Lavoro));
        let reason =
            "Come una segnalazione quasi uguale che la redazione ha spostato in Sanità/Ospedali. ";
        assert!(routed.reason.starts_with(reason), "{}", routed.reason);
    }
    // What is like it without being it does not follow: its second half with another story, or a report of the same desk.
    let half = text.char_indices().nth(char_count(&text) / 2).unwrap().0;
    let near = format!("{} {}", &text[half..], KENNEL);
    let before = department(seed::bundled(), &near);
    assert_eq!(department(&learned.model, &near), before);
    let moved = moved_by(&learned.model);
    assert!(moved * 100 <= seed::examples().len() * 2, "{moved} moved");
    assert!(Model::from_bytes(&learned.model.to_bytes()) == Some(learned.model));
}

#[test]
fn one_that_the_guard_refuses_keeps_no_other_from_being_learnt() {
    let wrong = loud(Department::Ambiente);
    let bad = correction(&wrong, Department::Scuola);
    let good = correction(FERRY, Department::Lavoro);
    let learned = taught(&[bad, good]);
    assert!(learned.guard.holds(), "{:?}", learned.guard);
    for (text, to) in [
        (&*wrong, Department::Scuola),
        (FERRY, Department::Lavoro),
        (&*with_typos(FERRY), Department::Lavoro),
    ] {
        assert_eq!(department(&learned.model, text), to, "{text}");
    }
    let moved = moved_by(&learned.model);
    assert!(moved * 100 <= seed::examples().len() * 2, "{moved} moved");
}

#[test]
fn without_corrections_the_head_is_the_bundled_one() {
    let learned = taught(&[]);
    assert!(learned.model == *seed::bundled());
    assert_eq!(learned.guard.right, learned.guard.bundled);
    assert!(learned.guard.holds());
    assert!(
        learn(
            &Config::default(),
            &[correction(FERRY, Department::Lavoro)],
            &|| false
        )
        .is_none()
    );
}

#[test]
fn everything_to_one_desk_is_refused_and_the_same_where_it_belongs_is_not() {
    let some = || seed::examples().into_iter().step_by(5);
    let poisoned: Vec<Correction> = some()
        .map(|example| correction(&example.text, Department::Ambiente))
        .collect();
    let honest: Vec<Correction> = some()
        .map(|example| correction(&example.text, example.label))
        .collect();
    assert!(poisoned.len() >= 40);
    let (poisoned, honest) = (taught(&poisoned).guard, taught(&honest).guard);
    assert!(!poisoned.holds(), "{poisoned:?}");
    assert!(honest.holds(), "{honest:?}");
}

#[test]
fn one_point_is_the_most_that_may_be_lost() {
    let guard = |tested, right, bundled| Guard {
        tested,
        right,
        bundled,
    };
    for (held, holds) in [
        (guard(210, 157, 157), true),
        (guard(210, 200, 157), true),
        (guard(210, 155, 157), true),
        (guard(210, 154, 157), false),
        (guard(200, 148, 150), true),
        (guard(200, 147, 150), false),
        (guard(0, 0, 0), true),
    ] {
        assert_eq!(held.holds(), holds, "{held:?}");
    }
}

#[test]
fn a_text_with_nothing_to_read_teaches_nothing() {
    let learned = taught(&[correction(" ?! ", Department::Lavoro)]);
    assert!(learned.model == *seed::bundled());
}
