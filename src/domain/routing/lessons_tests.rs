//! Tests of learning from staff: what is remembered, what does not move, what the guard refuses, and that nothing but
//! the corrections decides.

use super::lessons::{Correction, Guard, Learned, learn};
use super::*;

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

fn department(head: &Head, text: &str) -> Department {
    route_with(&Config::default(), head, text).department
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
    let before = department(seed::bundled_head(), KENNEL);
    let moved = [(FERRY, Department::Lavoro), (PORT, Department::Corruzione)];
    let corrections = moved.map(|(text, to)| correction(text, to));
    for (text, to) in moved {
        assert_ne!(department(seed::bundled_head(), text), to);
        assert_ne!(with_typos(text), text);
    }
    let (one, two) = (taught(&corrections[..1]), taught(&corrections));
    for learned in [&one, &two] {
        assert!(learned.guard.holds(), "{:?}", learned.guard);
        assert_eq!(department(&learned.head, FERRY), Department::Lavoro);
        assert_eq!(department(&learned.head, KENNEL), before);
        let examples = seed::examples();
        let moved = examples.iter().filter(|example| {
            department(&learned.head, &example.text)
                != department(seed::bundled_head(), &example.text)
        });
        let moved = moved.count();
        assert!(moved * 100 <= examples.len() * 2, "{moved} moved");
    }
    for (text, to) in moved {
        assert_eq!(department(&two.head, text), to);
        assert_eq!(department(&two.head, &with_typos(text)), to);
    }
    // Neither their order nor what was learnt before changes a bit.
    let turned: Vec<Correction> = corrections.iter().rev().cloned().collect();
    assert!(taught(&turned).head.to_bytes() == two.head.to_bytes());
    assert!(two.head.to_bytes() != one.head.to_bytes());
}

#[test]
fn without_corrections_the_head_is_the_bundled_one() {
    let learned = taught(&[]);
    assert!(learned.head == *seed::bundled_head());
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
    assert!(learned.head == *seed::bundled_head());
}
