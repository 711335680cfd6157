//! The program under test inside the test's own process: the real one, on a free port, in a temporary folder, at a time
//! of the test's choice.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use segnalazioni::testing::Mode;
use segnalazioni::testing::PasswordParams;
use segnalazioni::testing::app::{self, Options, Running};
use segnalazioni::testing::deliveries::{OutboundPolicy, Transport};
use segnalazioni::testing::{Clock, Manual};
use segnalazioni::testing::{CommonFlags, Config, Flags};
use tempfile::TempDir;

use super::chat::{Person, submit};
use super::disk::{count, database, holding};
use super::http::Client;
use super::panel::{Editor, PASSWORD};
use super::post::Post;

/// When a test begins unless it says otherwise: a Tuesday, 10 in the morning in Rome.
pub const START: &str = "2026-03-10T09:00:00Z";
/// A derivation that costs next to nothing.
const CHEAP: PasswordParams = PasswordParams {
    m_kib: 8,
    t: 1,
    p: 1,
};

pub struct Program {
    running: Option<Running>,
    config: Config,
    transport: Option<Arc<dyn Transport>>,
    outbound: OutboundPolicy,
    mode: Mode,
    password_params: PasswordParams,
    pub clock: Manual,
    /// Where a temporary folder is its own.
    _folder: Option<TempDir>,
}

pub fn at(moment: &str) -> i64 {
    let moment: Timestamp = moment.parse().expect("a moment");
    moment.as_millisecond()
}

/// A configuration on a free port unless a variable says otherwise, with the data in this folder.
pub fn config(folder: &Path, variables: &[(&str, &str)]) -> Config {
    let listens = variables
        .iter()
        .any(|(name, _)| *name == "SEGNALAZIONI_LISTEN");
    let flags = Flags {
        common: CommonFlags {
            data_dir: Some(folder.join("data")),
            ..CommonFlags::default()
        },
        listen: (!listens)
            .then(|| "127.0.0.1:0".to_owned())
            .into_iter()
            .collect(),
        ..Flags::default()
    };
    let variables = variables
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Config::load(&flags, variables, folder).expect("a configuration")
}

impl Program {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn with_editor() -> (Self, Editor) {
        let program = Self::start();
        let editor = program.set_up();
        (program, editor)
    }

    /// The same with so many reports; their ids, oldest first.
    pub fn with_reports(count: usize) -> (Self, Editor, Vec<String>) {
        let (program, editor) = Self::with_editor();
        editor.expects_a_flood();
        let ids = (0..count).map(|number| program.report(number)).collect();
        (program, editor, ids)
    }

    /// A fresh installation with some `SEGNALAZIONI_*` variables.
    pub fn start_with(variables: &[(&str, &str)]) -> Self {
        Self::prepared(variables).launched()
    }

    /// A fresh installation whose senders have other limits.
    pub fn start_within(variables: &[(&str, &str)], outbound: OutboundPolicy) -> Self {
        let prepared = Self::prepared(variables);
        Self {
            outbound,
            ..prepared
        }
        .launched()
    }

    pub fn demo(variables: &[(&str, &str)]) -> Self {
        let prepared = Self::prepared(variables);
        Self {
            mode: Mode::Demo,
            ..prepared
        }
        .launched()
    }

    /// A fresh installation in a folder that stays; mail and webhooks go to a post office of the test.
    pub fn start_at(folder: &Path) -> (Self, Arc<Post>) {
        Self::prepared_at(folder, &[]).with_post_office()
    }

    /// A fresh installation with some `SEGNALAZIONI_*` variables, whose mail and webhooks go to a post office of the test.
    pub fn with_post(variables: &[(&str, &str)]) -> (Self, Arc<Post>) {
        Self::prepared(variables).with_post_office()
    }

    fn with_post_office(self) -> (Self, Arc<Post>) {
        let post = Post::new(&self.clock);
        let transport: Option<Arc<dyn Transport>> = Some(post.clone());
        (Self { transport, ..self }.launched(), post)
    }

    fn prepared(variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let prepared = Self::prepared_at(folder.path(), variables);
        Self {
            _folder: Some(folder),
            ..prepared
        }
    }

    fn prepared_at(folder: &Path, variables: &[(&str, &str)]) -> Self {
        Self {
            running: None,
            config: config(folder, variables),
            transport: None,
            outbound: OutboundPolicy::default(),
            mode: Mode::Live,
            password_params: CHEAP,
            clock: Manual::new(at(START)),
            _folder: None,
        }
    }

    fn launched(mut self) -> Self {
        self.start_again();
        self
    }

    /// Behind a trusted proxy: whoever calls says in `X-Forwarded-For` where from.
    pub fn behind_a_proxy() -> Self {
        Self::behind_a_proxy_at_cost(CHEAP)
    }

    /// The same, where a derivation of a password takes this.
    pub fn behind_a_proxy_at_cost(password_params: PasswordParams) -> Self {
        let prepared = Self::prepared(&[("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1")]);
        Self {
            password_params,
            ..prepared
        }
        .launched()
    }

    /// None of these texts is in the clear in any file.
    #[track_caller]
    pub fn hides(&self, texts: &[&str]) {
        for text in texts {
            let found = holding(self.data(), text.as_bytes());
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    /// A client at this address, as a proxy tells it.
    pub fn from(&self, address: &str) -> Client {
        self.client().with("x-forwarded-for", address)
    }

    pub fn client(&self) -> Client {
        Client::new(self.running().address())
    }

    pub fn report(&self, number: usize) -> String {
        submit(&self.client(), &Person::numbered(number))
    }

    /// Sets the password; whoever did so is logged in.
    pub fn set_up(&self) -> Editor {
        self.set_up_with_code().0
    }

    pub fn set_up_with_code(&self) -> (Editor, String) {
        Editor::set_up(&self.client(), &self.setup_url(), PASSWORD)
    }

    /// One more editor.
    pub fn log_in(&self) -> Editor {
        Editor::log_in(&self.client(), PASSWORD)
    }

    /// The session of somebody who logged in before a restart.
    pub fn session(&self, editor: &Editor) -> Editor {
        Editor::with_cookie(&self.client(), editor.cookie().to_owned())
    }

    pub fn setup_url(&self) -> String {
        self.running().setup_url().expect("no password is set yet")
    }

    pub fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folder in which its commands run.
    pub fn home(&self) -> &Path {
        self.data().parent().expect("a folder")
    }

    pub fn data(&self) -> &Path {
        &self.config.data_dir
    }

    pub fn stop(&mut self) {
        self.running.take().expect("it runs").stop();
    }

    /// Starts it again on its folder; the port is another one.
    pub fn start_again(&mut self) {
        self.running = Some(self.try_start().expect("it starts"));
    }

    pub fn try_start(&self) -> anyhow::Result<Running> {
        let options = Options {
            mode: self.mode,
            clock: Clock::Manual(self.clock.clone()),
            password_params: self.password_params,
            outbound: self.outbound.clone(),
            transport: self.transport.clone(),
        };
        app::start(&self.config, &options)
    }

    /// One round of the timed work.
    pub fn round(&self) {
        self.running().tidy().expect("a round");
    }

    /// Statements on its database, of which the program knows nothing.
    pub fn plant(&self, statements: &str) {
        let planted = database(self.data()).execute_batch(statements);
        planted.expect(statements);
    }

    /// One number out of its database.
    pub fn count(&self, sql: &str) -> i64 {
        count(self.data(), sql)
    }

    pub fn restart(&mut self) {
        self.stop();
        self.start_again();
    }
}
