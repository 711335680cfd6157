//! The reporter's side: a conversation through the API, and people with something to tell.

use ring::digest::{Context, SHA256};
use serde_json::{Value, json};

use super::http::{Answer, Client};

/// Somebody who reports, with the answer for each question.
#[derive(Debug, Clone)]
pub struct Person {
    pub eta: String,
    pub nome: String,
    pub cognome: String,
    pub telefono: String,
    pub email: String,
    pub indirizzo: String,
    pub segnalazione: String,
    pub chiusura: String,
}

/// An account that is urgent.
pub const GRAVE: &str = "La banca mi ha portato via tutto. Stanotte mi ammazzo, ho già preparato tutto e ho scritto una \
                         lettera d'addio ai miei figli.";

/// The number as it may stand in a name: each digit as a letter, from a.
pub fn letters(number: usize) -> String {
    let digits = number.to_string();
    digits
        .chars()
        .map(|digit| char::from(digit as u8 + (b'a' - b'0')))
        .collect()
}

/// The states, in order, each with the answer a person gives in it.
pub type Answers<'a> = [(&'static str, &'a str); 8];

impl Person {
    /// One of many: every field differs with the number.
    pub fn numbered(number: usize) -> Self {
        Self {
            eta: (18 + number % 80).to_string(),
            nome: format!("Nome{}", letters(number)),
            cognome: format!("Cognome{}", letters(number)),
            telefono: format!("3{:09}", number % 1_000_000_000),
            email: format!("persona{number}@esempio.it"),
            indirizzo: format!("Via della Prova {number}, Roma"),
            segnalazione: format!(
                "Racconto numero {number}: nel cantiere del porto scaricano di notte fusti arrugginiti \
                 nel canale, li ho visti tre volte e ho le fotografie."
            ),
            chiusura: "no".to_owned(),
        }
    }

    /// The same, with another account.
    pub fn telling(number: usize, account: &str) -> Self {
        Self {
            segnalazione: account.to_owned(),
            ..Self::numbered(number)
        }
    }

    pub fn answers(&self) -> Answers<'_> {
        [
            ("age_check", &self.eta),
            ("collect_name", &self.nome),
            ("collect_surname", &self.cognome),
            ("collect_phone", &self.telefono),
            ("collect_email", &self.email),
            ("collect_address", &self.indirizzo),
            ("investigative_questions", &self.segnalazione),
            ("collect_report", &self.chiusura),
        ]
    }

    /// The texts that must never be found where nobody may read them.
    pub fn texts(&self) -> Vec<String> {
        [
            &self.nome,
            &self.cognome,
            &self.telefono,
            &self.email,
            &self.indirizzo,
            &self.segnalazione,
        ]
        .map(Clone::clone)
        .to_vec()
    }
}

/// A client behind a proxy with an address, a program and an origin that nothing may tell of.
pub fn recognisable(client: &Client) -> Client {
    client
        .with("x-forwarded-for", "203.0.113.77")
        .with("user-agent", "TelefonoDelCittadino/9")
        .with("referer", "https://forum.segreto.example/")
}

/// A text tells neither of a [`recognisable`] client and its person nor of these secrets.
#[track_caller]
pub fn tells_nothing(text: &str, person: &Person, secrets: &[&str]) {
    let client = ["203.0.113.77", "TelefonoDelCittadino", "segreto.example"];
    let texts = person.texts();
    let texts = texts.iter().map(String::as_str);
    for word in texts.chain(client).chain(secrets.iter().copied()) {
        assert!(!text.contains(word), "it tells «{word}»");
    }
}

/// An answer of the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub conversation: String,
    pub state: String,
    pub said: Vec<String>,
    pub finished: bool,
    pub report_id: Option<String>,
    pub receipt: Option<String>,
}

impl Reply {
    /// Reads an answer, and checks that it has the published shape and nothing more.
    pub fn of(answer: &Answer) -> Self {
        let body = answer.clone().expect(200).json();
        let members = body.as_object().expect("an object");
        let known = [
            "conversation",
            "state",
            "messages",
            "finished",
            "reportId",
            "receipt",
            "rule",
            "reason",
            "unable",
            "understood",
            "question",
            "prefill",
            "summary",
            "helped",
        ];
        assert!(
            members.keys().all(|key| known.contains(&key.as_str())),
            "{body}"
        );
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let said = body["messages"].as_array().expect("messages").iter();
        Self {
            conversation: text(&body["conversation"]),
            state: text(&body["state"]),
            said: said
                .map(|message| {
                    assert_eq!(message["type"], "bot");
                    text(&message["text"])
                })
                .collect(),
            finished: body["finished"].as_bool().expect("finished"),
            report_id: body.get("reportId").map(text),
            receipt: body.get("receipt").map(text),
        }
    }
}

/// A conversation that goes on.
#[derive(Debug, Clone)]
pub struct Chat {
    client: Client,
    pub reply: Reply,
}

impl Chat {
    pub fn start(client: &Client) -> Self {
        Self {
            client: client.clone(),
            reply: Reply::of(&client.post_json("/chat", &json!({}))),
        }
    }

    /// A conversation in which this person has answered everything before `state`.
    pub fn until(client: &Client, person: &Person, state: &str) -> Self {
        let mut chat = Self::start(client);
        for (asked, answer) in person.answers() {
            assert_eq!(chat.reply.state, asked);
            if asked == state {
                return chat;
            }
            chat.say(answer);
        }
        panic!("no state is called {state}")
    }

    /// The last question, before it is answered.
    pub fn at_the_end(client: &Client, person: &Person) -> Self {
        Self::until(client, person, "collect_report")
    }

    pub fn say(&mut self, text: &str) -> &Reply {
        self.reply = Reply::of(&turn(&self.client, &self.reply.conversation, text));
        &self.reply
    }

    /// The token to send with the next turn.
    pub fn token(&self) -> &str {
        &self.reply.conversation
    }
}

/// Sends one turn, whatever comes of it.
pub fn turn(client: &Client, conversation: &str, text: &str) -> Answer {
    let said = json!({ "conversation": conversation, "text": text });
    client.post_json("/chat/turns", &said)
}

/// The number that a challenge asks for.
pub fn solve(challenge: &Value) -> u64 {
    let salt = challenge["salt"].as_str().expect("a salt");
    let bits = challenge["bits"].as_u64().expect("bits");
    let mut begun = Context::new(&SHA256);
    begun.update(format!("{salt}:").as_bytes());
    let solves = |n: &u64| {
        let mut hash = begun.clone();
        hash.update(n.to_string().as_bytes());
        let head = hash.finish().as_ref()[..8].try_into().expect("eight bytes");
        u64::from(u64::from_be_bytes(head).leading_zeros()) >= bits
    };
    (0..1 << 40).find(solves).expect("a proof")
}

/// The last turn, with a proof where one is asked for.
pub fn last_turn(client: &Client, conversation: &str, text: &str) -> Answer {
    let answer = turn(client, conversation, text);
    if answer.status != 428 {
        return answer;
    }
    let challenge = &answer.problem(428, "prova")["challenge"];
    let proof = json!({ "salt": challenge["salt"], "n": solve(challenge) });
    let said = json!({ "conversation": conversation, "text": text, "proof": proof });
    client.post_json("/chat/turns", &said)
}

/// A whole conversation; answers the id of its report.
pub fn submit(client: &Client, person: &Person) -> String {
    let chat = Chat::at_the_end(client, person);
    let reply = Reply::of(&last_turn(client, chat.token(), &person.chiusura));
    assert!(reply.finished, "{reply:?}");
    reply.report_id.expect("a report")
}
