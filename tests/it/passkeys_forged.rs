//! Ten thousand answers that no authenticator gave: none of them begins a session.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::authenticator::{
    Answered, Authenticator, add, answer, ask, at_localhost, encoded, log_in_by,
};
use crate::support::http::Client;
use crate::support::people::join;
use crate::support::program::Program;

/// A number that is another each time, and the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % limit
    }
}

const PARTS: [&str; 4] = [
    "authenticatorData",
    "clientDataJSON",
    "signature",
    "userHandle",
];

fn part(answer: &Value, name: &str) -> Vec<u8> {
    let text = answer["response"][name].as_str().expect("a part");
    URL_SAFE_NO_PAD.decode(text).expect("base64url")
}

/// One bit of one part is another, or the part ends early.
fn damaged(mut answered: Answered, numbers: &mut Numbers, cut: bool) -> Answered {
    let name = PARTS[numbers.below(PARTS.len())];
    let mut bytes = part(&answered.answer, name);
    let at = numbers.below(bytes.len());
    if cut {
        bytes.truncate(at);
    } else {
        bytes[at] ^= 1 << numbers.below(8);
    }
    answered.answer["response"][name] = json!(encoded(bytes));
    answered
}

/// A right signature by a key that is not the one of this name.
fn renamed(mut answered: Answered, handle: &[u8]) -> Answered {
    for name in ["id", "rawId"] {
        answered.answer[name] = json!(encoded(handle));
    }
    answered
}

struct Forger {
    client: Client,
    key: Authenticator,
    stranger: Authenticator,
    /// A right answer to a question that was spent.
    spent: Answered,
    numbers: Numbers,
}

impl Forger {
    fn forge(&mut self, n: usize, options: &Value) -> Answered {
        match n % 6 {
            0 | 1 => damaged(self.key.get(options), &mut self.numbers, false),
            2 => damaged(self.key.get(options), &mut self.numbers, true),
            3 => renamed(self.stranger.get(options), &self.key.handle()),
            4 => {
                let mut other = options.clone();
                let mut challenge = [0; 32];
                challenge[self.numbers.below(32)] =
                    u8::try_from(self.numbers.below(256)).expect("a byte");
                other["challenge"] = json!(encoded(challenge));
                self.key.get(&other)
            }
            _ => self.spent.clone(),
        }
    }

    fn try_all(&mut self, count: usize) {
        for n in 0..count {
            let question = ask(&self.client);
            let forged = self.forge(n, &question["options"]);
            let answered = answer(&self.client, &question, &forged);
            assert_eq!(answered.status, 401, "{n}: {}", forged.answer);
        }
    }
}

fn forged(count: usize) {
    let (program, shared) = Program::with_editor();
    shared.save_security(&json!({ "enableRateLimiting": false }));
    let (client, mut key) = at_localhost(&program.client());
    let anna = join(&shared, &client, "anna", "redattore", &[]);
    add(&anna, &mut key, "Telefono");
    let question = ask(&client);
    let spent = key.get(&question["options"]);
    answer(&client, &question, &spent).expect(204);
    // As the stranger's own key is known to nobody, it answers under the name of hers.
    let mut stranger = Authenticator::at(&key.origin);
    let theirs = ask_for_a_key(&anna);
    stranger.create(&theirs);
    let before = program.count("SELECT count(*) FROM sessions");
    let mut forger = Forger {
        client: client.clone(),
        key,
        stranger,
        spent,
        numbers: Numbers(0x2545_f491_4f6c_dd1d),
    };
    forger.try_all(count);
    assert_eq!(program.count("SELECT count(*) FROM sessions"), before);
    log_in_by(&client, &mut forger.key);
}

/// The options of a new key, which is never handed in.
fn ask_for_a_key(anna: &crate::support::panel::Editor) -> Value {
    crate::support::authenticator::ask_for_new(anna)["options"].clone()
}

#[test]
fn two_hundred_forged_answers_let_nobody_in() {
    forged(200);
}

#[test]
#[ignore = "soak"]
fn ten_thousand_forged_answers_let_nobody_in() {
    forged(10_000);
}
