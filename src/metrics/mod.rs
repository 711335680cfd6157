//! What an operator's monitoring learns of the running program: counts since the start, kept here, and what is read at the
//! moment of asking, handed in. Written in the text format of Prometheus.
//! Must never take a label from what somebody sent: labels come from fixed lists and from the patterns of our own routes, so
//! that nothing personal and no endless series can get in.

mod readings;

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

pub use readings::{Backups, Deliveries, Disk, Readings, Writer};

/// What every name of ours begins with.
const PREFIX: &str = "segnalazioni";
/// The route of a request that none of ours matched.
const NO_ROUTE: &str = "-";
/// Methods that are told apart; any other is [`OTHER`].
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// What stands for everything that is not on a list.
const OTHER: &str = "other";
/// Upper bounds of the times that answers take, in seconds: from a status question to a derived password.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// How a login ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// A session was begun.
    Success,
    /// The password was wrong.
    WrongPassword,
    /// Too many had failed before: it was not tried.
    Limited,
    /// The address is not on the allow-list.
    NotAllowed,
    /// Anything else: no password is set, too many wait, the disk is full.
    Error,
}

impl Login {
    const ALL: [Self; 5] = [
        Self::Success,
        Self::WrongPassword,
        Self::Limited,
        Self::NotAllowed,
        Self::Error,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::WrongPassword => "wrong_password",
            Self::Limited => "limited",
            Self::NotAllowed => "not_allowed",
            Self::Error => "error",
        }
    }
}

/// How an attempt at a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The other side took it.
    Delivered,
    /// It did not arrive, and is tried again.
    Failed,
    /// It was refused for good.
    Refused,
}

impl Attempt {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
    commit: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    channel: &'static str,
    outcome: &'static str,
}

/// The counts since the start. Clones count together.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram>,
    conversations: Counter,
    turns: Counter,
    reports: Counter,
    logins: Family<OutcomeLabels, Counter>,
    attempts: Family<AttemptLabels, Counter>,
}

impl Metrics {
    /// Counts of a program of this version and commit that starts now, at `started` (ms since 1970-01-01 UTC).
    pub fn new(started: i64, version: &'static str, commit: &'static str) -> Self {
        let mut metrics = Self {
            registry: Arc::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            conversations: Counter::default(),
            turns: Counter::default(),
            reports: Counter::default(),
            logins: Family::default(),
            attempts: Family::default(),
        };
        // So that the first failure is seen as a rise, not as a new series.
        for login in Login::ALL {
            metrics
                .logins
                .get_or_create(&outcome(login.as_str()))
                .inc_by(0);
        }
        let mut registry = metrics.registered();
        let build = Family::<BuildLabels, Gauge>::default();
        build.get_or_create(&BuildLabels { version, commit }).set(1);
        registry.register("build_info", "The program that runs", build);
        registry.register_with_unit(
            "start_time",
            "When the program was started, since 1970-01-01 UTC",
            Unit::Seconds,
            ConstGauge::new(seconds(started)),
        );
        metrics.registry = Arc::new(registry);
        metrics
    }

    fn registered(&self) -> Registry {
        let mut registry = Registry::with_prefix(PREFIX);
        registry.register(
            "requests",
            "Requests answered, by pattern of the route ('-' for none of ours), method and class of the status",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "request_duration",
            "Time from a whole header to the first byte of the answer",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register(
            "conversations",
            "Conversations begun",
            self.conversations.clone(),
        );
        registry.register(
            "turns",
            "Turns of conversations answered",
            self.turns.clone(),
        );
        registry.register(
            "reports",
            "Reports saved and acknowledged",
            self.reports.clone(),
        );
        registry.register(
            "logins",
            "Attempts to log in, by outcome",
            self.logins.clone(),
        );
        registry.register(
            "delivery_attempts",
            "Attempts to send a mail or to call the webhook, by outcome",
            self.attempts.clone(),
        );
        registry
    }

    /// A request was answered. `route` is the pattern that matched, never what was asked for.
    pub fn answered(&self, route: Option<&str>, method: &str, status: u16, took: Duration) {
        let route = route.unwrap_or(NO_ROUTE).to_owned();
        let labels = RequestLabels {
            route: route.clone(),
            method: METHODS
                .into_iter()
                .find(|known| *known == method)
                .unwrap_or(OTHER),
            status: class(status),
        };
        self.requests.get_or_create(&labels).inc();
        let duration = self.durations.get_or_create(&RouteLabels { route });
        duration.observe(took.as_secs_f64());
    }

    /// A conversation was begun.
    pub fn conversation_begun(&self) {
        self.conversations.inc();
    }

    /// A turn was answered.
    pub fn turn_answered(&self) {
        self.turns.inc();
    }

    /// A report is on disk.
    pub fn report_saved(&self) {
        self.reports.inc();
    }

    /// Somebody tried to log in.
    pub fn login(&self, login: Login) {
        self.logins.get_or_create(&outcome(login.as_str())).inc();
    }

    /// A message was tried on this channel.
    pub fn attempted(&self, channel: &'static str, attempt: Attempt) {
        let labels = AttemptLabels {
            channel,
            outcome: attempt.as_str(),
        };
        self.attempts.get_or_create(&labels).inc();
    }

    /// Everything in the text format of Prometheus, version 0.0.4.
    pub fn text(&self, readings: &Readings) -> Result<String, fmt::Error> {
        let mut read = Registry::with_prefix(PREFIX);
        readings.register(&mut read);
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, &read)?;
        classic(&text)
    }
}

/// What the library writes is `OpenMetrics`. In the older format, which everything reads, a counter is announced by its whole
/// name, and a unit is not.
fn classic(text: &str) -> Result<String, fmt::Error> {
    let mut classic = String::with_capacity(text.len());
    let mut help = None;
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("HELP"), Some(_), Some(told)) => help = Some(told),
            (Some("#"), Some("TYPE"), Some(name), Some(kind)) => {
                let end = if kind == "counter" { "_total" } else { "" };
                let told = help.take().unwrap_or_default();
                writeln!(classic, "# HELP {name}{end} {told}")?;
                writeln!(classic, "# TYPE {name}{end} {kind}")?;
            }
            (Some("#"), ..) => {}
            _ => writeln!(classic, "{line}")?,
        }
    }
    Ok(classic)
}

fn outcome(outcome: &'static str) -> OutcomeLabels {
    OutcomeLabels { outcome }
}

/// The class of a status.
fn class(status: u16) -> &'static str {
    match status {
        100..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        500..600 => "5xx",
        _ => OTHER,
    }
}

/// Milliseconds as seconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact for 280,000 years in milliseconds"
)]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(metrics: &Metrics) -> String {
        metrics.text(&Readings::default()).unwrap()
    }

    #[test]
    fn what_was_sent_is_no_label() {
        let metrics = Metrics::new(1_800_000_000_500, "1.2.3", "abc");
        for method in ["GET", "get", "GET\"} 1\n#", "ÈVVIVA"] {
            metrics.answered(Some("/a/{id}"), method, 200, Duration::ZERO);
        }
        metrics.answered(None, "POST", 999, Duration::from_mins(1));
        let text = counted(&metrics);
        let requests: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("segnalazioni_requests_total"))
            .collect();
        assert_eq!(requests.len(), 3, "{requests:?}");
        for line in [
            r#"segnalazioni_requests_total{route="/a/{id}",method="GET",status="2xx"} 1"#,
            r#"segnalazioni_requests_total{route="/a/{id}",method="other",status="2xx"} 3"#,
            r#"segnalazioni_requests_total{route="-",method="POST",status="other"} 1"#,
            r#"segnalazioni_request_duration_seconds_bucket{le="10.0",route="-"} 0"#,
            r#"segnalazioni_request_duration_seconds_bucket{le="+Inf",route="-"} 1"#,
            r#"segnalazioni_build_info{version="1.2.3",commit="abc"} 1"#,
            "segnalazioni_start_time_seconds 1800000000.5",
            "# HELP segnalazioni_turns_total Turns of conversations answered.",
            "# TYPE segnalazioni_turns_total counter",
            "# TYPE segnalazioni_connections gauge",
            r#"segnalazioni_logins_total{outcome="wrong_password"} 0"#,
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }

    #[test]
    fn clones_count_together() {
        let metrics = Metrics::new(0, "", "");
        metrics.clone().attempted("email", Attempt::Refused);
        metrics.attempted("email", Attempt::Refused);
        let line = r#"segnalazioni_delivery_attempts_total{channel="email",outcome="refused"} 2"#;
        assert!(counted(&metrics).contains(line));
    }
}
