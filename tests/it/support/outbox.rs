//! A newsroom whose mail and webhooks go to a post office of the test, and the panel's view of them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::Answer;
use super::panel::Editor;
use super::post::Post;
use super::program::{Program, at};
use super::{MINUTE, wait_for};

pub const ADDRESS: &str = "redazione@esempio.it";
pub const HOOK: &str = "https://gancio.esempio.it/nuova";

/// A newsroom with mail and webhook switched on or off, its editor and its post office.
pub struct Newsroom {
    pub program: Program,
    pub editor: Editor,
    pub post: Arc<Post>,
}

impl Newsroom {
    pub fn with(mail: bool, webhook: bool) -> Self {
        Self::with_and(mail, webhook, &[])
    }

    pub fn with_and(mail: bool, webhook: bool, variables: &[(&str, &str)]) -> Self {
        let (program, post) = Program::with_post(variables);
        let editor = program.set_up();
        let newsroom = Self {
            program,
            editor,
            post,
        };
        if mail {
            let settings = json!({
                "emailRecipient": ADDRESS, "emailFrom": "chat@esempio.it", "smtpHost": "posta.esempio.it",
                "emailAutoSend": true, "enableDepartmentRouting": false,
            });
            newsroom.editor.save("/settings/email", &settings);
        }
        if webhook {
            newsroom.editor.call(HOOK);
        }
        newsroom
    }

    pub fn report(&self, number: usize) -> String {
        self.program.report(number)
    }

    /// Sends a report and waits until its only delivery has this state after one attempt; answers report and delivery.
    pub fn reported(&mut self, number: usize, stato: &str) -> (String, Value) {
        let id = self.report(number);
        let delivery = self.wait(&id, stato, 1);
        (id, delivery)
    }

    /// Lets so many minutes pass, and the dispatcher come to rest in each.
    pub fn minutes(&mut self, count: usize) {
        for _ in 0..count {
            self.advance(MINUTE);
            self.wait_quiet();
        }
    }

    /// Asks for another try of a delivery, or for it to be put away.
    pub fn ask(&mut self, delivery: &Value, what: &str) -> Answer {
        let path = format!("/deliveries/{}/{what}", delivery["id"]);
        self.editor().post(&path)
    }

    /// Has all that failed tried again; answers how many.
    pub fn retry_all(&mut self) -> Value {
        let retried = self.editor().post("/deliveries/retry");
        retried.expect(200).json()["changed"].clone()
    }

    pub fn mail() -> Self {
        Self::with(true, false)
    }

    /// With mail that really goes out, to a server on this port.
    pub fn posting_to(port: u16) -> Self {
        let newsroom = Self::sending(&[]);
        newsroom.editor.mail_to(port);
        newsroom
    }

    /// Whose messages really go out, with some `SEGNALAZIONI_*` variables.
    pub fn sending(variables: &[(&str, &str)]) -> Self {
        let program = Program::start_with(variables);
        let (post, editor) = (Post::new(&program.clock), program.set_up());
        Self {
            program,
            editor,
            post,
        }
    }

    pub fn webhook() -> Self {
        Self::with(false, true)
    }

    /// Waits until the dispatcher has nothing to do at this moment: everything that waits does so for a later one.
    pub fn wait_quiet(&mut self) {
        wait_for("a pause of the dispatcher", || {
            let now = self.program.clock.now_ms();
            let waiting = self.deliveries("?stato=in%20attesa&limit=200");
            let later = |row: &Value| row["prossimoTentativo"].as_str().map(at) > Some(now);
            let rows = waiting["data"].as_array().expect("deliveries");
            rows.iter().all(later).then_some(())
        });
    }

    /// Waits until the only delivery of a report is in this state, and not being tried.
    pub fn wait_state(&mut self, report: &str, stato: &str) -> Value {
        wait_for(stato, || {
            let delivery = self.delivery(report);
            let over = self.is_over(&delivery);
            (over && delivery["stato"] == stato).then_some(delivery)
        })
    }

    /// Whether it is not being tried: while it is, its next attempt is not in the future.
    fn is_over(&self, delivery: &Value) -> bool {
        let next = delivery["prossimoTentativo"].as_str().map(at);
        next.is_none_or(|next| next > self.program.clock.now_ms())
    }

    pub fn advance(&self, by: Duration) {
        self.program.clock.advance(by);
        self.nudge();
    }

    /// Lets the dispatcher look at the clock at once.
    pub fn nudge(&self) {
        self.program.running().tidy().expect("a round");
    }

    /// An editor who is logged in now.
    pub fn editor(&mut self) -> &Editor {
        self.editor = self.program.session(&self.editor);
        if self.editor.session() != 200 {
            self.editor = self.program.log_in();
        }
        &self.editor
    }

    pub fn deliveries(&mut self, query: &str) -> Value {
        let answer = self.editor().get(&format!("/deliveries{query}"));
        answer.expect(200).json()
    }

    pub fn summary(&mut self) -> Value {
        self.editor().get("/deliveries/summary").expect(200).json()
    }

    /// The deliveries of a report, as its page shows them.
    pub fn of(&mut self, report: &str) -> Vec<Value> {
        let report = self.editor().report(report);
        report["consegne"].as_array().expect("deliveries").clone()
    }

    pub fn delivery(&mut self, report: &str) -> Value {
        let mut all = self.of(report);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Waits until the only delivery of a report is in this state, after so many attempts.
    pub fn wait(&mut self, report: &str, stato: &str, attempts: u32) -> Value {
        wait_for(&format!("{stato}, {attempts}"), || {
            let delivery = self.settled(report, attempts)?;
            (delivery["stato"] == stato).then_some(delivery)
        })
    }

    /// Waits until so many attempts at the only delivery of a report are over, whatever came of the last one.
    pub fn wait_settled(&mut self, report: &str, attempts: u32) -> Value {
        wait_for(&format!("the end of attempt {attempts}"), || {
            self.settled(report, attempts)
        })
    }

    /// The only delivery of a report, unless it is being tried.
    fn settled(&mut self, report: &str, attempts: u32) -> Option<Value> {
        let delivery = self.delivery(report);
        (self.is_over(&delivery) && delivery["tentativi"] == attempts).then_some(delivery)
    }

    /// Waits until so many deliveries are waiting, given up and arrived.
    pub fn wait_counters(&mut self, pending: i64, failed: i64, delivered: i64) {
        let wanted = json!({ "pending": pending, "failed": failed, "delivered": delivered });
        wait_for(&format!("{wanted}"), || {
            let mut counters = self.summary()["counters"].clone();
            let known = counters.as_object_mut().expect("counters");
            known.retain(|state, _| state != "ignored" && state != "retrying");
            (counters == wanted).then_some(())
        });
    }
}
