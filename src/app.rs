//! The composition root: puts store, vault, clock and routes together and runs them. The only file that sees everything.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sd_notify::NotifyState;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::actions::desk::routing_memory::OpenedMemory;
use crate::actions::intake::ended::Ended;
use crate::actions::intake::siege::Siege;
use crate::actions::settings::in_force::Settings;
use crate::backup::open;
use crate::backup::{self, replica};
use crate::clock::Clock;
use crate::config::{Config, Encryption};
use crate::deliveries::{Dispatcher, Network, OutboundPolicy, Silent, Tokens, Transport};
use crate::doctor::Installation;
use crate::http::BASE;
use crate::http::client_address::TrustedProxies;
use crate::http::form_pages::FormPages;
use crate::http::gate::Gate;
use crate::http::limits::Quotas;
use crate::http::metrics;
use crate::http::passkeys::Passkeys;
use crate::http::setup_link::SetupLink;
use crate::http::shell::RenderedPages;
use crate::http::state::{App, Jobs, Mode, Shared, Turns, Visitors};
use crate::http::uploads::Uploads;
use crate::http::waiting_files::WaitingFiles;
use crate::metrics::Metrics;
use crate::newsroom::Core;
use crate::readings::desk::callouts::AnswerCounts;
use crate::search::Search;
use crate::store::{FolderLock, lock_folder, prepare_folder};
use crate::tls::acme::Renewal;
use crate::tls::{Certificate, CertificateStatus, ShownCertificate};
use crate::vault::{KeyFile, PasswordParams, Secret32};
use crate::{demo, rounds};

mod listeners;

use listeners::{Addresses, Listeners};

/// How long work off the event loop may go on at the end, so that the database is closed while nothing uses it.
const LAST_WORK: Duration = Duration::from_secs(10);
/// Signs of life within the timeout of the service manager's watchdog; `sd_watchdog_enabled(3)` recommends two.
const BEATS_PER_TIMEOUT: u32 = 2;

pub struct Options {
    pub mode: Mode,
    pub clock: Clock,
    pub password_params: PasswordParams,
    /// Limits of the senders; what they may reach comes from the configuration.
    pub outbound: OutboundPolicy,
    /// The transport for mail and webhooks; the network when absent.
    pub transport: Option<Arc<dyn Transport>>,
}

impl Options {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            clock: Clock::System,
            password_params: PasswordParams::default(),
            outbound: OutboundPolicy::default(),
            transport: None,
        }
    }
}

/// The running program; dropping it stops it.
pub struct Running {
    addresses: Addresses,
    setup_token: Option<String>,
    public_origin: String,
    stop: watch::Sender<bool>,
    fatal: watch::Receiver<bool>,
    serving: Option<JoinHandle<()>>,
    app: Shared,
    runtime: Option<Runtime>,
    _lock: Option<FolderLock>,
}

/// SIGTERM and SIGINT, which end the program politely, and SIGHUP, at which it looks at its certificate again, and
/// empties the log of writes of what was erased: Litestream pauses for that.
pub type Signals = [Signal; 3];

/// Starts the program and returns once it listens.
pub fn start(config: &Config, options: &Options) -> Result<Running> {
    let (raise, fatal) = watch::channel(false);
    let lock = hold_folder(config, options.mode)?;
    let fatal_sync = Box::new(move || {
        raise.send_replace(true);
    });
    let core = open_core(config, options, fatal_sync)?;
    let (certificate, renewal) = open_certificate(config, options)?;
    let tls = certificate.as_ref().map(Certificate::server_config);
    let tls = tls.transpose()?.map(TlsAcceptor::from);
    let app = compose(config, options, core, certificate)?;
    app.store
        .keep_reserve()
        .context("riserva di spazio su disco")?;
    app.core.settings()?;
    let setup_token = offer_setup(&app)?;
    let runtime = Runtime::new().context("runtime")?;
    let listeners = runtime.block_on(Listeners::open(config))?;
    let addresses = listeners.addresses()?;
    let (stop, stopping) = watch::channel(false);
    let origin = config.origin(addresses.main);
    app.passkeys
        .are_valid_at(config.passkey_origin(addresses.main).as_deref());
    if let Some(lock) = &lock
        && let Err(error) = lock.note(&origin, addresses.main)
    {
        tracing::warn!(%error, "commands cannot be told where the server is");
    }
    let serving = listeners.serve(Arc::clone(&app), tls, origin.clone(), stopping);
    let serving = runtime.spawn(run(serving, Arc::clone(&app), renewal));
    // Their work would take a processor from the rest of the start.
    app.follow_vault();
    app.dispatcher.wake();
    Ok(Running {
        addresses,
        setup_token,
        public_origin: origin,
        stop,
        fatal,
        serving: Some(serving),
        app,
        runtime: Some(runtime),
        _lock: lock,
    })
}

impl Running {
    pub fn address(&self) -> SocketAddr {
        self.addresses.main
    }

    pub fn plain_address(&self) -> Option<SocketAddr> {
        self.addresses.plain
    }

    /// How the certificate stands; `None` without TLS of our own.
    pub fn certificate(&self) -> Option<CertificateStatus> {
        let now = self.app.clock.now_ms();
        self.app.tls.as_ref().map(|shown| shown.status(now))
    }

    pub fn look_at_certificate(&self) {
        rounds::look_at_certificate(&self.app);
    }

    pub fn url(&self) -> String {
        format!("{}{BASE}", self.public_origin)
    }

    pub fn metrics_url(&self) -> Option<String> {
        let address = self.addresses.metrics?;
        Some(format!("http://{address}{}", metrics::PATH))
    }

    /// The link by which the first password is set. The token stands in the fragment, which browsers do not send.
    pub fn setup_url(&self) -> Option<String> {
        self.setup_token
            .as_ref()
            .map(|token| format!("{}/setup#{token}", self.url()))
    }

    pub fn tidy(&self) -> Result<()> {
        rounds::tidy(&self.app)
    }

    pub fn back_up(&self) -> Result<()> {
        rounds::back_up(&self.app)
    }

    /// Catches its signals from here on. To be done before the program says that it runs.
    pub fn catch_signals(&self) -> Result<Signals> {
        let _inside = self.runtime.as_ref().context("runtime")?.enter();
        Ok([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ])
    }

    /// Tells the service manager that the program is up, waits for one of the signals, then stops.
    pub fn wait(mut self, signals: Signals) -> Result<()> {
        let fatal = self.fatal.clone();
        let runtime = self.runtime.as_ref().context("runtime")?;
        let status = format!("In ascolto: {}", self.url());
        notify_manager(&[NotifyState::Ready, NotifyState::Status(&status)]);
        if let Some(timeout) = sd_notify::watchdog_enabled().filter(|timeout| !timeout.is_zero()) {
            runtime.spawn(beat(timeout / BEATS_PER_TIMEOUT));
        }
        let look = || rounds::look_again(&self.app);
        let cause = runtime.block_on(ended(signals, fatal, look));
        notify_manager(&[
            NotifyState::Stopping,
            NotifyState::Status("Si sta fermando"),
        ]);
        self.shut_down();
        cause
    }

    /// Stops: requests in flight finish, the database is closed.
    pub fn stop(mut self) {
        self.shut_down();
    }

    fn shut_down(&mut self) {
        self.stop.send_replace(true);
        self.app.dispatcher.hang_up();
        let (Some(runtime), Some(serving)) = (self.runtime.take(), self.serving.take()) else {
            return;
        };
        if runtime.block_on(serving).is_err() {
            tracing::error!("the server ended abnormally");
        }
        self.app.dispatcher.stop();
        if let Err(error) = self.app.visitors.stops.flush(&self.app.store) {
            tracing::warn!(%error, "the counts of the last conversations are lost");
        }
        if let Err(error) = self
            .app
            .visitors
            .denials
            .flush(&self.app.store, &self.app.vault)
        {
            tracing::warn!(%error, "who was not let in last is not in the access log");
        }
        // Work that the search began by itself continues after the next start and is not waited for.
        self.app.search.stop();
        runtime.shutdown_timeout(LAST_WORK);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shut_down();
    }
}

fn hold_folder(config: &Config, mode: Mode) -> Result<Option<FolderLock>> {
    match mode {
        Mode::Demo => Ok(None),
        Mode::Live => {
            prepare_folder(&config.data_dir)?;
            let lock = lock_folder(&config.data_dir)?;
            replica::claim_turn(&config.data_dir)?;
            sweep_left_behind(config);
            Ok(Some(lock))
        }
    }
}

/// A leftover that cannot be removed is no reason to refuse reports.
fn sweep_left_behind(config: &Config) {
    let swept = [
        backup::sweep_left_behind(&config.data_dir).map_err(anyhow::Error::from),
        KeyFile::sweep(&config.key_file).map_err(anyhow::Error::from),
    ];
    for error in swept.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "what a killed program left stays behind: tried again");
    }
}

fn open_core(
    config: &Config,
    options: &Options,
    fatal: Box<dyn FnOnce() + Send>,
) -> Result<Arc<Core>> {
    let now = options.clock.now_ms();
    let newsroom = match options.mode {
        Mode::Live => open::open(config, now, fatal)?,
        Mode::Demo => demo::newsroom(now, options.password_params)?,
    };
    Ok(Arc::new(Core {
        store: Arc::new(newsroom.store),
        vault: newsroom.vault,
        settings: Settings::since(now),
        clock: options.clock.clone(),
        time_zone: config.time_zone.clone(),
    }))
}

fn open_certificate(
    config: &Config,
    options: &Options,
) -> Result<(ShownCertificate, Option<Renewal>)> {
    match &config.encryption {
        Encryption::None => Ok((None, None)),
        Encryption::Files { certificate, key } => {
            let found = Certificate::from_files(certificate, key, options.clock.now_ms())?;
            Ok((Some(found), None))
        }
        Encryption::Automatic(_) if options.mode == Mode::Demo => bail!(
            "--demo non scrive nulla, e un certificato ottenuto va conservato: usare tls_cert e tls_key"
        ),
        Encryption::Automatic(wanted) => {
            let renewal = Renewal::open(wanted, &config.data_dir)?;
            Ok((Some(Arc::clone(renewal.certificate())), Some(renewal)))
        }
    }
}

fn compose(
    config: &Config,
    options: &Options,
    core: Arc<Core>,
    tls: ShownCertificate,
) -> Result<Shared> {
    let live = options.mode == Mode::Live;
    let shared = listeners::shared_addresses(&config.trusted_proxies);
    let (outbound, dispatcher, metrics) = start_dispatcher(config, options, &core)?;
    Ok(Arc::new(App {
        installation: live.then(|| Installation::of(config, &outbound).beside(tls.clone())),
        waiting: WaitingFiles::resume(options.clock.clone(), &core.store)?,
        siege: Siege::resume(&core.store, core.clock.now_ms(), &core.time_zone)?,
        answer_counts: AnswerCounts::default(),
        ended: Ended::resume(&core.store, core.clock.now_ms())?,
        search: Search::new(Arc::clone(&core.store), Arc::clone(&core.vault)),
        core,
        memory: OpenedMemory::default(),
        mode: options.mode,
        setup: SetupLink::default(),
        password_params: options.password_params,
        trusted_proxies: TrustedProxies(config.trusted_proxies.as_slice().into()),
        public_origin: config.public_origin(),
        panel: format!("{}{BASE}/admin", config.origin(config.listen)),
        tls,
        data: live.then(|| config.data_dir.clone()),
        key_file: live.then(|| config.key_file.clone()),
        visitors: Visitors::default(),
        outbound,
        turns: Turns::default(),
        quotas: Quotas::new(&options.clock, &shared),
        uploads: Uploads::new(options.clock.clone(), &shared),
        gate: Gate::new(Arc::clone(&shared)),
        pages: RenderedPages::default(),
        form_pages: FormPages::default(),
        passkeys: Passkeys::default(),
        jobs: Jobs::default(),
        dispatcher,
        metrics,
    }))
}

fn start_dispatcher(
    config: &Config,
    options: &Options,
    core: &Arc<Core>,
) -> Result<(OutboundPolicy, Dispatcher, Metrics)> {
    let outbound = OutboundPolicy {
        tokens: Tokens::by(&options.clock),
        ..options.outbound.clone().configured(config)
    };
    let metrics = Metrics::new(options.clock.now_ms());
    let transport = transport(config, options, core, &outbound);
    let dispatcher = Dispatcher::start(core, transport, metrics.clone()).context("deliveries")?;
    Ok((outbound, dispatcher, metrics))
}

/// The transport for mail and webhooks. In a demonstration nothing leaves, whatever the settings say.
fn transport(
    config: &Config,
    options: &Options,
    core: &Arc<Core>,
    policy: &OutboundPolicy,
) -> Arc<dyn Transport> {
    let origin = config.origin(config.listen);
    match (options.mode, &options.transport) {
        (Mode::Demo, _) => Arc::new(Silent),
        (Mode::Live, Some(transport)) => Arc::clone(transport),
        (Mode::Live, None) => Arc::new(Network {
            core: Arc::downgrade(core),
            policy: policy.clone(),
            // For the links in messages.
            panel: format!("{origin}{BASE}/admin/reports"),
            follow: format!("{origin}{BASE}/seguito"),
        }),
    }
}

fn offer_setup(app: &App) -> Result<Option<String>> {
    if app.store.read(|snapshot| snapshot.credential())?.is_some() {
        return Ok(None);
    }
    let token = URL_SAFE_NO_PAD.encode(&Secret32::random()?.expose()[..16]);
    app.setup.issue(token.clone(), app.clock.now_ms());
    Ok(Some(token))
}

async fn run(serving: impl Future<Output = ()>, app: Shared, renewal: Option<Renewal>) {
    let rounds = rounds::begin(&app);
    let renewal = renewal.map(|renewal| tokio::spawn(renewal.run()));
    serving.await;
    for task in rounds.into_iter().chain(renewal) {
        task.abort();
    }
}

/// Tells the service manager that started the program, if one did (`sd_notify(3)`). Every user of the machine may read it.
fn notify_manager(states: &[NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}

/// Signs of life, from the event loop: one that is stuck sends none, and the service manager starts the program anew.
async fn beat(every: Duration) {
    let mut beats = tokio::time::interval(every);
    loop {
        beats.tick().await;
        notify_manager(&[NotifyState::Watchdog]);
    }
}

async fn ended(
    [mut terminate, mut interrupt, mut hang_up]: Signals,
    mut fatal: watch::Receiver<bool>,
    look_again: impl Fn(),
) -> Result<()> {
    loop {
        tokio::select! {
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hang_up.recv() => look_again(),
            Ok(_) = fatal.wait_for(|fatal| *fatal) => {
                anyhow::bail!("il disco non ha confermato una scrittura: il programma si ferma, va riavviato")
            }
        }
    }
}
