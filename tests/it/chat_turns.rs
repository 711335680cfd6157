//! The turns as messages on a bad line: repeated, cut, forged, too large, malformed. One report comes of one
//! conversation, whatever happens on the way.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;

use crate::support::at_once;
use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::http::Answer;
use crate::support::program::Program;

/// Largest body of a turn, in bytes.
const LIMIT: usize = 512 * 1024;

fn rows(program: &mut Program) -> i64 {
    program.stop();
    program.count("SELECT count(*) FROM segnalazioni")
}

/// What an answer says, without the request id and the like.
fn said(answer: Answer) -> (u16, Vec<u8>) {
    (answer.status, answer.body)
}

#[test]
fn the_same_token_and_text_get_the_same_bytes_in_every_state() {
    let program = Program::start();
    let client = program.client();
    let mut chat = Chat::start(&client);
    for (state, answer) in Person::numbered(1).answers() {
        // A refused answer, then the valid one; at the end nearly everything is valid.
        for text in ["avvocato", answer] {
            let token = chat.token().to_owned();
            let first = said(turn(&client, &token, text));
            assert_eq!(said(turn(&client, &token, text)), first, "{state}: {text}");
        }
        chat.say(answer);
    }
}

#[test]
fn running_conversations_outlive_a_restart() {
    let mut program = Program::start();
    let person = Person::numbered(1);
    let mut tokens = Vec::new();
    for (state, answer) in person.answers() {
        let chat = Chat::until(&program.client(), &person, state);
        let expected = (state != "collect_report")
            .then(|| said(turn(&program.client(), chat.token(), answer)));
        tokens.push((chat.token().to_owned(), answer, expected));
    }
    program.restart();
    for (token, answer, expected) in tokens {
        let found = said(turn(&program.client(), &token, answer).expect(200));
        if let Some(expected) = expected {
            assert_eq!(found, expected);
        }
    }
    assert_eq!(rows(&mut program), 1);
}

#[test]
fn a_storm_of_repeats_makes_one_report() {
    let mut program = Program::start();
    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let answers = at_once(40, |_| turn(&client, chat.token(), "no").expect(200).body);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(rows(&mut program), 1);
}

#[test]
fn two_different_endings_cannot_both_be_the_report() {
    let mut program = Program::start();
    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(1));
    let endings = at_once(30, |number| {
        let ending = format!("Aggiungo il dettaglio {number}.");
        turn(&client, chat.token(), &ending)
    });
    let (saved, refused): (Vec<_>, Vec<_>) =
        endings.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(saved.len(), 1);
    for answer in &refused {
        let told = answer.conflict();
        assert_eq!(told["detail"], "Questa segnalazione è già stata inviata.");
    }
    assert_eq!(rows(&mut program), 1);
}

#[test]
fn tokens_that_this_server_did_not_seal_are_refused() {
    let (program, foreign) = (Program::start(), Program::start());
    let client = program.client();
    let person = Person::numbered(1);
    let chat = Chat::until(&client, &person, "collect_email");
    let token = chat.token();
    let elsewhere = Chat::until(&foreign.client(), &person, "collect_email");
    let mut bad = vec![
        String::new(),
        "non è un token".to_owned(),
        token.to_uppercase(),
        format!("{token}A"),
    ];
    bad.push(elsewhere.token().to_owned());
    for place in (0..token.len()).step_by(11) {
        bad.push(token[..place].to_owned());
        let other = if &token[place..=place] == "A" {
            "B"
        } else {
            "A"
        };
        bad.push(format!("{}{other}{}", &token[..place], &token[place + 1..]));
    }
    for forged in bad {
        turn(&client, &forged, "34").problem(400, "token-non-valido");
    }
    // The control: the token as it was given still works.
    let reply = Reply::of(&turn(&client, token, "anna@esempio.it"));
    assert_eq!(reply.state, "collect_address");
}

#[test]
fn the_answers_inside_a_token_cannot_be_read() {
    let program = Program::start();
    let person = Person::numbered(1);
    let chat = Chat::at_the_end(&program.client(), &person);
    let bytes = URL_SAFE_NO_PAD.decode(chat.token()).expect("base64url");
    for text in person.texts() {
        let found = bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(!found, "{text}");
    }
}

#[test]
fn a_body_of_the_limit_is_read_and_one_byte_more_is_not() {
    let program = Program::start();
    let client = program.client();
    let frame = json!({ "conversation": "x", "text": "" }).to_string().len();
    let body = |size: usize| json!({ "conversation": "x", "text": "a".repeat(size - frame) });
    client
        .post_json("/chat/turns", &body(LIMIT))
        .problem(400, "token-non-valido");
    // One byte more that is not announced: refused when the limit is passed. `contract` has the announced one.
    let chunk = format!("{:x}\r\n{}", LIMIT + 1, body(LIMIT + 1));
    let request = client
        .api("POST", "/chat/turns")
        .header("transfer-encoding", "chunked");
    request
        .body("application/json", chunk)
        .send()
        .problem(413, "troppo-grande");
}

#[test]
fn what_is_not_json_is_refused() {
    let program = Program::start();
    let client = program.client();
    let turns = |body: &[u8]| {
        client
            .api("POST", "/chat/turns")
            .body("application/json", body)
            .send()
    };
    for text in [
        "",
        "nulla",
        "{\"conversation\":\"x\",\"text\":\"a\"} {}",
        "\u{feff}{}",
    ] {
        turns(text.as_bytes()).problem(400, "richiesta-non-valida");
    }
    turns(b"{\"text\":\"\xe8\"}").problem(400, "richiesta-non-valida");
    // Nesting without end is given up early, and never fills the stack.
    let deep = format!("{{\"conversation\":{}", "[".repeat(200_000));
    assert!(matches!(turns(deep.as_bytes()).status, 400 | 422));
    let none = client.post("/chat/turns");
    none.problem(415, "tipo-non-supportato");
    // The control: a charset beside the type is no other type.
    let begun = client
        .api("POST", "/chat")
        .body("application/json; charset=utf-8", "{}");
    Reply::of(&begun.send());
}
