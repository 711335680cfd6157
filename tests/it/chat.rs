//! The conversation as a reporter lives it: nine states, the words for each mistake, both ways of closing, and what
//! becomes of the answers (PRODUCT.md §2).

use crate::support::chat::{Chat, Person, submit};
use crate::support::disk;
use crate::support::program::Program;

#[test]
fn the_welcome_introduces_itself_and_asks_the_age_in_one_bubble() {
    let program = Program::start();
    let reply = Chat::start(&program.client()).reply;
    assert_eq!(
        (reply.state.as_str(), reply.said.len(), reply.finished),
        ("age_check", 1, false)
    );
    assert!(reply.report_id.is_none() && !reply.conversation.is_empty());
    for part in "PelazzAI|Le Iene|ti contatterà|forze dell'ordine|quanti anni hai?".split('|') {
        assert!(reply.said[0].contains(part), "{part}: {}", reply.said[0]);
    }
}

#[test]
fn a_whole_conversation_passes_through_every_state_though_each_answer_is_first_refused() {
    let program = Program::start();
    let person = Person::numbered(7);
    let mut chat = Chat::start(&program.client());
    for (number, (state, answer)) in person.answers().into_iter().enumerate() {
        assert_eq!(chat.reply.state, state);
        // The rules and words of each refusal are those of the engine; here, that nothing is lost by one.
        let refused = chat.say(if number < 6 { "" } else { "i Carabinieri" });
        assert_eq!(
            (refused.state.as_str(), refused.said.len(), refused.finished),
            (state, 1, false)
        );
        let reply = chat.say(answer);
        // An acknowledgement and the next question; at the end only the farewell.
        let bubbles = if number == 7 { 1 } else { 2 };
        assert_eq!(reply.said.len(), bubbles, "{state}: {:?}", reply.said);
    }
    let reply = chat.reply;
    assert_eq!((reply.conversation.as_str(), reply.finished), ("", true));
    assert!(reply.said[0].starts_with("Grazie: la tua segnalazione è arrivata"));
    let id = reply.report_id.expect("a report");
    assert_eq!((id.len(), id.matches('-').count()), (36, 4));
    assert_eq!(
        program.set_up().report(&id)["segnalazione"],
        person.segnalazione
    );
}

#[test]
fn the_longest_report_there_can_be_goes_through() {
    let program = Program::start();
    // Twenty thousand characters of four bytes: the largest token and the largest body.
    let account = "😀 ".repeat(9_999) + "fi";
    let person = Person {
        nome: "è".repeat(100),
        indirizzo: "😀".repeat(300),
        segnalazione: account.clone(),
        chiusura: account.clone(),
        ..Person::numbered(5)
    };
    let id = submit(&program.client(), &person);
    let report = program.set_up().report(&id);
    let expected = format!("{account}\n\nINFORMAZIONI AGGIUNTIVE\n{account}");
    assert_eq!(report["segnalazione"], expected);
    assert_eq!(report["nome"], person.nome);
}

#[test]
fn a_minor_is_sent_away_and_nothing_is_kept_of_what_is_not_finished() {
    let program = Program::start();
    let before = disk::rows(program.data());
    Chat::at_the_end(&program.client(), &Person::numbered(2));
    let mut chat = Chat::start(&program.client());
    let token = chat.token().to_owned();
    let reply = chat.say("ho 17 anni e mi chiamo Zefirino Spaventapasseri");
    let farewell =
        "Mi dispiace, non posso raccogliere segnalazioni da minorenni. La chat termina qui.";
    assert_eq!((reply.said.len(), reply.said[0].as_str()), (2, farewell));
    assert!(reply.finished && reply.conversation.is_empty() && reply.report_id.is_none());
    assert_eq!(disk::rows(program.data()), before);
    program.hides(&["ho 17 anni", "Zefirino", "Spaventapasseri", &token]);
    // The control: a report does leave rows.
    program.report(1);
    assert_ne!(disk::rows(program.data()), before);
}
