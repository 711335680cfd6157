//! The editor's side: setting the password, logging in, and the calls of the panel.

use std::ops::Deref;

use serde_json::{Value, json};

use super::http::{Answer, Client};
use super::wait_for;

/// Name of the session's cookie, in the clear on this machine; elsewhere it has a prefix.
pub const COOKIE: &str = "segnalazioni";
/// Name of the cookie by which a browser is known that logged in before.
pub const BROWSER: &str = "segnalazioni-browser";
/// A password that every rule accepts.
pub const PASSWORD: &str = "gatto-lampada-nuvola-treno";
/// Another one.
pub const OTHER_PASSWORD: &str = "pesca-violino-ghiaccio-monte";

/// An editor who is logged in.
#[derive(Debug, Clone)]
pub struct Editor {
    /// Carries the cookie.
    client: Client,
    cookie: String,
}

/// Tries to log in.
pub fn try_log_in(client: &Client, password: &str) -> Answer {
    client.post_json("/session", &json!({ "password": password }))
}

/// The value of the session cookie that an answer sets.
pub fn cookie_of(answer: &Answer) -> String {
    pair_of(COOKIE, answer).1
}

/// The value of the cookie by which a browser is known, that an answer sets.
pub fn browser_of(answer: &Answer) -> String {
    pair_of(BROWSER, answer).1
}

/// Name, as it was set, and value.
fn pair_of(name: &str, answer: &Answer) -> (String, String) {
    let mut set = cookies_of(answer).into_iter();
    let pair = set.find_map(|set| {
        let pair = set.split(';').next()?.split_once('=')?;
        (pair.0.trim_start_matches("__Host-") == name).then_some(pair)
    });
    let (name, value) = pair.expect("our cookie");
    (name.to_owned(), value.to_owned())
}

/// The cookies that an answer sets, as it says them.
pub fn cookies_of(answer: &Answer) -> Vec<&str> {
    let headers = answer.headers.iter();
    let set = headers.filter(|(name, _)| name == "set-cookie");
    set.map(|(_, value)| value.as_str()).collect()
}

impl Deref for Editor {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Editor {
    /// Logs in with the right password.
    pub fn log_in(client: &Client, password: &str) -> Self {
        Self::of(client, &try_log_in(client, password).expect(204))
    }

    /// Goes on in a session that exists.
    pub fn with_cookie(client: &Client, cookie: String) -> Self {
        Self {
            client: client.with("cookie", &format!("{COOKIE}={cookie}")),
            cookie,
        }
    }

    /// Goes on in the session that an answer has begun.
    pub fn of(client: &Client, answer: &Answer) -> Self {
        let (name, cookie) = pair_of(COOKIE, answer);
        Self {
            client: client.with("cookie", &format!("{name}={cookie}")),
            cookie,
        }
    }

    /// Changes the password from this one to that; answers the session as it goes on.
    pub fn change_password(&self, client: &Client, from: &str, to: &str) -> Self {
        let change = json!({ "current": from, "new": to });
        Self::of(client, &self.put("/password", &change).expect(204))
    }

    /// Sets the first password over the set-up link, and stays logged in. Also answers the recovery code.
    pub fn set_up(client: &Client, setup_url: &str, password: &str) -> (Self, String) {
        let token = setup_url.split_once('#').expect("a token").1;
        let asked = json!({ "token": token, "password": password });
        let shown = client.post_json("/setup/recovery-code", &asked);
        let code = shown.expect(200).json()["recoveryCode"].clone();
        let body = json!({ "token": token, "password": password, "recoveryCode": code });
        let answer = client.post_json("/setup", &body).expect(204);
        let code = code.as_str().expect("a code").to_owned();
        (Self::of(client, &answer), code)
    }

    /// The session's cookie.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// The same session, seen with one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
        Self {
            client: self.client.with(name, value),
            cookie: self.cookie.clone(),
        }
    }

    /// The same session, as a page that refreshes itself uses it.
    pub fn quiet(&self) -> Self {
        self.with("x-background", "1")
    }

    /// Saves settings that must be taken; answers them.
    pub fn save(&self, path: &str, body: &Value) -> Value {
        self.put(path, body).expect(200).json()
    }

    pub fn save_security(&self, change: &Value) -> Value {
        self.save("/settings/security", change)
    }

    pub fn save_system(&self, change: &Value) -> Value {
        self.save("/settings/system", change)
    }

    pub fn save_email(&self, change: &Value) -> Value {
        self.save("/settings/email", change)
    }

    /// Nothing that arrives is too much.
    pub fn expects_a_flood(&self) {
        self.save_security(&json!({ "maxReportsPerDay": 1_000_000 }));
    }

    /// Has mail go out, unencrypted, to a server on this port of this machine.
    pub fn mail_to(&self, port: u16) {
        let settings = json!({
            "emailRecipient": "redazione@esempio.it", "emailFrom": "chat@esempio.it", "smtpHost": "127.0.0.1",
            "smtpPort": port, "smtpSecure": false, "emailAutoSend": true, "enableDepartmentRouting": false,
        });
        self.save_email(&settings);
    }

    /// Has the webhook call this address.
    pub fn call(&self, url: &str) {
        let settings = json!({ "enableWebhook": true, "webhookUrl": url });
        self.save_system(&settings);
    }

    /// Changes a report as it stands; answers what it is then.
    pub fn change(&self, id: &str, change: &Value) -> Value {
        let patch = self.api("PATCH", &format!("/reports/{id}"));
        let changed = patch.header("if-match", "*").json(change).send();
        changed.expect(200).json()
    }

    /// Tries settings out: whether it worked, and what the panel is told.
    pub fn try_out(&self, path: &str, body: &Value) -> (bool, String) {
        let result = self.post_json(path, body).expect(200).json();
        let message = result["message"].as_str().expect("a message").to_owned();
        (result["success"].as_bool().expect("a verdict"), message)
    }

    /// Status of the session call: 200 while the session lives.
    pub fn session(&self) -> u16 {
        self.get("/session").status
    }

    /// Waits until the search knows every report.
    pub fn wait_for_search(&self) {
        wait_for("the search index", || {
            (self.quiet().list("")["search"]["ready"] == true).then_some(())
        });
    }

    pub fn list(&self, query: &str) -> Value {
        self.get(&format!("/reports{query}")).expect(200).json()
    }

    /// Opens a report.
    pub fn report(&self, id: &str) -> Value {
        self.get(&format!("/reports/{id}")).expect(200).json()
    }

    /// Saves a change made on this version.
    pub fn patch(&self, id: &str, version: &Value, change: &Value) -> Answer {
        self.api("PATCH", &format!("/reports/{id}"))
            .header("if-match", &format!("\"{version}\""))
            .json(change)
            .send()
    }

    /// Erases a report.
    pub fn erase(&self, id: &str) -> Answer {
        self.delete(&format!("/reports/{id}"))
    }

    /// Erases reports together.
    pub fn erase_all(&self, ids: &[&str]) -> Answer {
        let body = json!({ "ids": ids });
        self.post_json("/reports/erasures", &body)
    }

    /// Every report of the archive, newest first, page by page.
    pub fn all_ids(&self) -> Vec<String> {
        let mut page = self.list("?limit=200");
        let mut ids = ids(&page);
        while let Some(cursor) = page["nextCursor"].as_str() {
            page = self.list(&format!("?limit=200&cursor={cursor}"));
            ids.extend(self::ids(&page));
        }
        ids
    }
}

/// The ids of a page, in its order.
pub fn ids(page: &Value) -> Vec<String> {
    let rows = page["data"].as_array().expect("rows").iter();
    rows.map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect()
}
