//! The reporter who comes back: reports whose codes are known, visits by them, and the newsroom's side of the thread.

use serde_json::{Value, json};

use super::attachments::{Files, photo};
use super::chat::{Chat, Person, Reply, turn};
use super::http::{Answer, Client};
use super::panel::{Editor, cookies_of};

/// A report: its id and its code.
pub fn report(client: &Client, number: usize) -> (String, String) {
    report_with_photos(client, number, &[])
}

/// The same with photos of these names and sizes.
pub fn report_with_photos(
    client: &Client,
    number: usize,
    photos: &[(&str, usize)],
) -> (String, String) {
    let chat = Chat::at_the_end(client, &Person::numbered(number));
    for (name, length) in photos {
        Files::of(client, chat.token()).attach(name, &photo(*length));
    }
    let last = Reply::of(&turn(client, chat.token(), "no"));
    let [id, code] = [last.report_id, last.receipt].map(|text| text.expect("a report"));
    (id, code)
}

pub fn try_code(client: &Client, code: &str) -> Answer {
    client.post_json("/receipts", &json!({ "code": code }))
}

/// The cookie of a visit that an answer sets, and nothing else.
pub fn cookie(answer: &Answer) -> String {
    let set = cookies_of(answer);
    assert_eq!(set.len(), 1, "{set:?}");
    let (pair, rest) = set[0].split_once("; ").expect("a cookie");
    let kept = "Path=/paibeta/api/receipts; HttpOnly; SameSite=Strict";
    // Behind a proxy it is Secure.
    assert!(rest.replace(" Secure;", "").starts_with(kept), "{rest}");
    pair.to_owned()
}

/// A visit, for as long as its cookie opens one.
pub struct Visit {
    client: Client,
    pub cookie: String,
}

impl Visit {
    /// Begins one with a code.
    pub fn by(client: &Client, code: &str) -> Self {
        Self::of(client, &try_code(client, code).expect(200))
    }

    /// The one that an answer has begun or prolonged.
    pub fn of(client: &Client, answer: &Answer) -> Self {
        Self::holding(client, &cookie(answer))
    }

    pub fn holding(client: &Client, cookie: &str) -> Self {
        Self {
            client: client.with("cookie", cookie),
            cookie: cookie.to_owned(),
        }
    }

    pub fn look(&self) -> Answer {
        self.client.get("/receipts")
    }

    /// The thread as it is told.
    pub fn read(&self) -> Value {
        self.look().expect(200).json()
    }

    pub fn tell(&self, text: &str) -> Answer {
        self.send(&json!({ "text": text }))
    }

    /// Writes a message that the page may send again.
    pub fn tell_as(&self, text: &str, key: &str) -> Answer {
        self.send(&json!({ "text": text, "key": key }))
    }

    pub fn send(&self, message: &Value) -> Answer {
        self.client.post_json("/receipts/messages", message)
    }

    /// Those that go with its next message.
    pub fn files(&self) -> Files {
        let thread = self.read();
        let token = thread["conversation"].as_str().expect("a token");
        Files::of(&self.client, token)
    }

    pub fn file(&self, n: &str) -> Answer {
        self.client.get(&format!("/receipts/attachments/{n}"))
    }

    pub fn take_back(&self, n: &str) -> Answer {
        self.client.delete(&format!("/receipts/attachments/{n}"))
    }

    pub fn data(&self) -> Answer {
        self.client.get("/receipts/data")
    }

    /// Asks that all be withdrawn.
    pub fn withdraw(&self, reason: impl Into<Value>) -> Answer {
        let body = json!({ "reason": reason.into() });
        self.client.post_json("/receipts/withdrawal", &body)
    }

    pub fn leave(&self) -> Answer {
        self.client.delete("/receipts")
    }
}

/// The newsroom writes to a reporter.
pub fn ask(editor: &Editor, id: &str, text: &str) -> Answer {
    editor.post_json(&format!("/reports/{id}/messages"), &json!({ "text": text }))
}

/// The thread as the newsroom reads it.
pub fn messages(editor: &Editor, id: &str) -> Value {
    editor.read(&format!("/reports/{id}/messages"))
}

/// Who said what in a thread, as either side reads it.
pub fn said(thread: &Value) -> Vec<(&str, &str)> {
    let messages = thread["messages"].as_array().or(thread["data"].as_array());
    let each = messages.expect("messages").iter();
    each.map(|one| {
        let [from, text] = ["from", "text"].map(|key| one[key].as_str().expect("a text"));
        (from, text)
    })
    .collect()
}
