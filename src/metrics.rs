//! What an operator's monitoring learns of the running program: counts since the start, in the format of `OpenMetrics`.
//! Must never take a label from what somebody sent: labels come from fixed lists and from the patterns of our own routes, so
//! that nothing personal and no endless series can get in.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::text::{encode, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// What every name of ours begins with.
pub const PREFIX: &str = "segnalazioni";
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

/// Labels from fixed lists: name and value.
pub type Labels<const N: usize> = [(&'static str, &'static str); N];
/// Labels of which one is the pattern of a route.
type RouteLabels<const N: usize> = [(&'static str, String); N];

/// How a login ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    Success,
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
    Delivered,
    Failed,
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

/// The counts since the start. Clones count together.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RouteLabels<3>, Counter>,
    durations: Family<RouteLabels<1>, Histogram>,
    conversations: Counter,
    turns: Counter,
    reports: Counter,
    logins: Family<Labels<1>, Counter>,
    attempts: Family<Labels<2>, Counter>,
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
            drop(metrics.logins.get_or_create(&[("outcome", login.as_str())]));
        }
        let mut registry = metrics.registered();
        let build = Family::<Labels<2>, Gauge>::default();
        build
            .get_or_create(&[("version", version), ("commit", commit)])
            .set(1);
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
        for (name, help, counter) in [
            ("conversations", "Conversations begun", &self.conversations),
            ("turns", "Turns of conversations answered", &self.turns),
            ("reports", "Reports saved and acknowledged", &self.reports),
        ] {
            registry.register(name, help, counter.clone());
        }
        let help = "Attempts to log in, by outcome";
        registry.register("logins", help, self.logins.clone());
        let help = "Attempts to send a mail or to call the webhook, by outcome";
        registry.register("delivery_attempts", help, self.attempts.clone());
        registry
    }

    /// A request was answered. `route` is the pattern that matched, never what was asked for.
    pub fn answered(&self, route: Option<&str>, method: &str, status: u16, took: Duration) {
        let route = ("route", route.unwrap_or(NO_ROUTE).to_owned());
        let method = METHODS.into_iter().find(|known| *known == method);
        let class = match status {
            100..600 => format!("{}xx", status / 100),
            _ => OTHER.to_owned(),
        };
        let labels = [
            route.clone(),
            ("method", method.unwrap_or(OTHER).to_owned()),
            ("status", class),
        ];
        self.requests.get_or_create(&labels).inc();
        let duration = self.durations.get_or_create(&[route]);
        duration.observe(took.as_secs_f64());
    }

    pub fn conversation_begun(&self) {
        self.conversations.inc();
    }

    pub fn turn_answered(&self) {
        self.turns.inc();
    }

    /// A report is on disk.
    pub fn report_saved(&self) {
        self.reports.inc();
    }

    pub fn login(&self, login: Login) {
        let labels = [("outcome", login.as_str())];
        self.logins.get_or_create(&labels).inc();
    }

    pub fn attempted(&self, channel: &'static str, attempt: Attempt) {
        let labels = [("channel", channel), ("outcome", attempt.as_str())];
        self.attempts.get_or_create(&labels).inc();
    }

    /// The counts, and what was read at the moment of asking, as text.
    pub fn text(&self, read: &Registry) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode(&mut text, read)?;
        Ok(text)
    }
}

/// Milliseconds as seconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact for 280,000 years in milliseconds"
)]
pub fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_no_label() {
        let metrics = Metrics::new(1_800_000_000_500, "1.2.3", "abc");
        for method in ["GET", "get", "GET\"} 1\n#", "ÈVVIVA"] {
            metrics.answered(Some("/a/{id}"), method, 200, Duration::ZERO);
        }
        metrics.answered(None, "POST", 999, Duration::from_mins(1));
        let text = metrics.text(&Registry::default()).unwrap();
        let requests = text
            .lines()
            .filter(|line| line.starts_with("segnalazioni_requests_total"));
        assert_eq!(requests.count(), 3, "{text}");
        for line in [
            r#"segnalazioni_requests_total{route="/a/{id}",method="GET",status="2xx"} 1"#,
            r#"segnalazioni_requests_total{route="/a/{id}",method="other",status="2xx"} 3"#,
            r#"segnalazioni_requests_total{route="-",method="POST",status="other"} 1"#,
            r#"segnalazioni_request_duration_seconds_bucket{le="+Inf",route="-"} 1"#,
            r#"segnalazioni_build_info{version="1.2.3",commit="abc"} 1"#,
            "segnalazioni_start_time_seconds 1800000000.5",
            r#"segnalazioni_logins_total{outcome="wrong_password"} 0"#,
            "# EOF",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }
}
