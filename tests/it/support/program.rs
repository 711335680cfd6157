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
use segnalazioni::testing::{Config, Flags};
use tempfile::TempDir;

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

/// A running program; it stops when it goes out of scope.
pub struct Program {
    running: Option<Running>,
    config: Config,
    transport: Option<Arc<dyn Transport>>,
    outbound: OutboundPolicy,
    pub clock: Manual,
    _folder: TempDir,
}

/// Milliseconds of a moment in RFC 3339.
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
        data_dir: Some(folder.join("data")),
        listen: (!listens).then(|| "127.0.0.1:0".to_owned()),
        ..Flags::default()
    };
    let variables = variables
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Config::load(&flags, variables, folder).expect("a configuration")
}

/// How a test starts the program.
pub fn options(mode: Mode, clock: &Manual) -> Options {
    Options {
        mode,
        clock: Clock::Manual(clock.clone()),
        password_params: CHEAP,
        outbound: OutboundPolicy::default(),
        transport: None,
    }
}

impl Program {
    /// A fresh installation.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// A fresh installation with some `SEGNALAZIONI_*` variables.
    pub fn start_with(variables: &[(&str, &str)]) -> Self {
        Self::start_within(variables, OutboundPolicy::default())
    }

    /// A fresh installation whose senders have other limits.
    pub fn start_within(variables: &[(&str, &str)], outbound: OutboundPolicy) -> Self {
        Self::launch(variables, &Manual::new(at(START)), None, outbound)
    }

    /// A fresh installation with some `SEGNALAZIONI_*` variables, whose mail and webhooks go to a post office of the test.
    pub fn with_post(variables: &[(&str, &str)]) -> (Self, Arc<Post>) {
        let clock = Manual::new(at(START));
        let post = Post::new(&clock);
        let transport: Arc<dyn Transport> = post.clone();
        let program = Self::launch(
            variables,
            &clock,
            Some(transport),
            OutboundPolicy::default(),
        );
        (program, post)
    }

    fn launch(
        variables: &[(&str, &str)],
        clock: &Manual,
        transport: Option<Arc<dyn Transport>>,
        outbound: OutboundPolicy,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = config(folder.path(), variables);
        let mut program = Self {
            running: None,
            config,
            transport,
            outbound,
            clock: clock.clone(),
            _folder: folder,
        };
        program.start_again();
        program
    }

    /// Behind a trusted proxy: whoever calls says in `X-Forwarded-For` where from.
    pub fn behind_a_proxy() -> Self {
        Self::start_with(&[("SEGNALAZIONI_TRUSTED_PROXIES", "127.0.0.1")])
    }

    pub fn client(&self) -> Client {
        Client::new(self.running().address())
    }

    /// Sets the password; whoever did so is logged in.
    pub fn set_up(&self) -> Editor {
        self.set_up_with_code().0
    }

    /// Also answers the recovery code.
    pub fn set_up_with_code(&self) -> (Editor, String) {
        Editor::set_up(&self.client(), &self.setup_url(), PASSWORD)
    }

    /// One more editor.
    pub fn log_in(&self) -> Editor {
        Editor::log_in(&self.client(), PASSWORD)
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

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.config.data_dir
    }

    /// Stops it, and leaves its folder.
    pub fn stop(&mut self) {
        self.running.take().expect("it runs").stop();
    }

    /// Starts it again on its folder; the port is another one.
    pub fn start_again(&mut self) {
        let options = Options {
            transport: self.transport.clone(),
            outbound: self.outbound.clone(),
            ..options(Mode::Live, &self.clock)
        };
        let running = app::start(&self.config, &options);
        self.running = Some(running.expect("it starts"));
    }

    pub fn restart(&mut self) {
        self.stop();
        self.start_again();
    }
}
