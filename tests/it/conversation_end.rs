//! A conversation does not last for ever, and after its end its tokens tell nothing (PRODUCT.md §2).

use serde_json::json;

use crate::support::chat::{Chat, Person, Reply, turn};
use crate::support::http::{Answer, Client};
use crate::support::program::Program;
use crate::support::{HOUR, MINUTE};

fn back(client: &Client, token: &str, state: &str) -> Answer {
    let asked = json!({ "conversation": token, "state": state });
    client.post_json("/chat/back", &asked)
}

#[test]
fn it_goes_on_for_72_hours_after_its_last_turn() {
    let mut program = Program::start();
    let client = program.client();
    let mut chat = Chat::start(&client);
    let begun = chat.token().to_owned();
    for answer in ["34", "Anna"] {
        program.clock.advance(72 * HOUR);
        chat.say(answer);
    }
    let last = chat.token().to_owned();
    program.clock.advance(72 * HOUR);
    turn(&client, &last, "Rossi").expect(200);
    program.clock.advance(MINUTE);
    program.restart();
    let client = program.client();
    for token in [&begun, &last] {
        for refused in [
            turn(&client, token, "Rossi"),
            back(&client, token, "age_check"),
        ] {
            let told = refused.problem(400, "token-non-valido");
            let detail = told["detail"].as_str().expect("words");
            assert!(detail.contains("tre giorni") && detail.contains("«Ricomincia»"));
        }
    }
}

/// All tokens of a conversation whose report was stored, the last one last.
fn sent(client: &Client, person: &Person) -> (Vec<String>, Reply) {
    let mut chat = Chat::start(client);
    let mut tokens = Vec::new();
    for (_, answer) in person.answers() {
        tokens.push(chat.token().to_owned());
        chat.say(answer);
    }
    (tokens, chat.reply)
}

#[test]
fn after_its_end_no_token_tells_what_was_said() {
    let mut program = Program::start();
    let client = program.client();
    program.set_up();
    let person = Person::numbered(7);
    let (tokens, end) = sent(&client, &person);
    let id = end.report_id.clone().expect("a report");
    let tells_nothing = |client: &Client| {
        for (token, (state, answer)) in tokens.iter().zip(person.answers()) {
            let mut refused = vec![back(client, token, "age_check"), back(client, token, state)];
            if state != "collect_report" {
                refused.push(turn(client, token, answer));
                refused.push(turn(client, token, "non valida?"));
            }
            for answer in refused {
                let told = answer.problem(409, "conflitto").to_string();
                for text in person.texts() {
                    assert!(!told.contains(&text), "{told}");
                }
            }
        }
    };
    let last = &tokens[7];
    tells_nothing(&program.client());
    // The answer got lost: the same last turn hands out the code again, for an hour.
    for _ in 0..2 {
        assert_eq!(Reply::of(&turn(&client, last, "no")), end);
        program.clock.advance(30 * MINUTE);
    }
    assert_eq!(Reply::of(&turn(&client, last, "no")), end);
    turn(&client, last, "Altro.").problem(409, "conflitto");
    program.clock.advance(MINUTE);
    turn(&client, last, "no").problem(409, "conflitto");
    tells_nothing(&program.client());
    program.restart();
    tells_nothing(&program.client());
    program.log_in().erase(&id).expect(200);
    tells_nothing(&program.client());
    program.restart();
    tells_nothing(&program.client());
    turn(&program.client(), last, "no").problem(409, "conflitto");
    // Others are not disturbed.
    let mut other = Chat::at_the_end(&program.client(), &Person::numbered(8));
    assert!(other.say("no").finished);
}
