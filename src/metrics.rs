//! Metrics for the operator's monitoring: counts since the start, in the usual text format. Must never take a label
//! from a request: labels come from fixed lists and from the patterns of our own routes, so that nothing personal and
//! no endless series can get in.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

pub const PREFIX: &str = "segnalazioni";
/// The route of a request that none of ours matched.
const NO_ROUTE: &str = "-";
/// Methods that are told apart; any other is [`OTHER`].
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// The label for everything that is not on a list.
const OTHER: &str = "other";
/// Upper bounds of the times that answers take, in seconds: from a status question to a derived password.
const SECONDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// How a login ends: the server's own words for the status of its answer.
const LOGINS: [&str; 5] = [
    "success",
    "wrong_password",
    "limited",
    "not_allowed",
    "error",
];

/// Why files that wait are dropped.
const DROPS: [&str; 3] = ["room", "abandoned", "damaged"];

/// Labels from fixed lists: name and value.
pub type Labels<const N: usize> = [(&'static str, &'static str); N];
/// Labels of which one is the pattern of a route.
type RouteLabels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// The counts since the start. Clones count together.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RouteLabels<3>, Counter>,
    durations: Durations,
    pub connections: Gauge,
    pub conversations: Counter,
    pub turns: Counter,
    /// Those that are on disk.
    pub reports: Counter,
    logins: Family<Labels<1>, Counter>,
    attempts: Family<Labels<2>, Counter>,
    dropped: Family<Labels<1>, Counter>,
}

type Durations = Family<RouteLabels<1>, Histogram, fn() -> Histogram>;

impl Metrics {
    /// Counts of a program that starts now, at `started` (ms since 1970-01-01 UTC).
    pub fn new(started: i64) -> Self {
        let mut metrics = Self {
            registry: Arc::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            connections: Gauge::default(),
            conversations: Counter::default(),
            turns: Counter::default(),
            reports: Counter::default(),
            logins: Family::default(),
            attempts: Family::default(),
            dropped: Family::default(),
        };
        // So that the first failure is seen as a rise, not as a new series.
        for outcome in LOGINS {
            drop(metrics.logins.get_or_create(&[("outcome", outcome)]));
        }
        for reason in DROPS {
            drop(metrics.dropped.get_or_create(&[("reason", reason)]));
        }
        metrics.registry = Arc::new(metrics.registered(started));
        metrics
    }

    fn registered(&self, started: i64) -> Registry {
        let mut registry = Registry::with_prefix(PREFIX);
        let to = &mut registry;
        let build = Family::<Labels<2>, Gauge>::default();
        let program = [
            ("version", crate::VERSION),
            ("commit", env!("BUILD_COMMIT")),
        ];
        build.get_or_create(&program).set(1);
        to.register("build_info", "The program that runs", build);
        let help = "When the program was started, since 1970-01-01 UTC";
        let started = ConstGauge::new(seconds(started));
        to.register("start_time_seconds", help, started);
        let help = "Requests answered, by pattern of the route ('-' for none of ours), method and class of the status";
        to.register("requests", help, self.requests.clone());
        let help = "Time from a whole header to the first byte of the answer";
        to.register("request_duration_seconds", help, self.durations.clone());
        to.register("connections", "Open sockets", self.connections.clone());
        for (name, help, counter) in [
            ("conversations", "Conversations begun", &self.conversations),
            ("turns", "Turns of conversations answered", &self.turns),
            ("reports", "Reports saved and acknowledged", &self.reports),
        ] {
            to.register(name, help, counter.clone());
        }
        let help = "Attempts to log in, by outcome";
        to.register("logins", help, self.logins.clone());
        let help = "Attempts to send a mail or to call the webhook, by outcome";
        to.register("delivery_attempts", help, self.attempts.clone());
        let help = "Attached files dropped before their reports came: no room, nothing followed, not whole on the disk";
        to.register("attachments_dropped", help, self.dropped.clone());
        registry
    }

    /// A request was answered. `route` is the pattern that matched, never what was asked for.
    pub fn answered(&self, route: Option<&str>, method: &str, status: u16, took: Duration) {
        let route = route.map_or(NO_ROUTE.into(), |route| route.to_owned().into());
        let route = ("route", route);
        let method = METHODS.into_iter().find(|known| *known == method);
        let class = match status {
            100..200 => "1xx",
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            500..600 => "5xx",
            _ => OTHER,
        };
        let labels = [
            route.clone(),
            ("method", method.unwrap_or(OTHER).into()),
            ("status", class.into()),
        ];
        self.requests.get_or_create(&labels).inc();
        let duration = self.durations.get_or_create(&[route]);
        duration.observe(took.as_secs_f64());
    }

    pub fn login(&self, status: u16) {
        let [success, wrong, limited, not_allowed, error] = LOGINS;
        let outcome = match status {
            200..300 => success,
            401 => wrong,
            403 => not_allowed,
            429 => limited,
            _ => error,
        };
        self.logins.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A message was tried; `outcome` is one of a fixed list.
    pub fn attempted(&self, channel: &'static str, outcome: &'static str) {
        let labels = [("channel", channel), ("outcome", outcome)];
        self.attempts.get_or_create(&labels).inc();
    }

    /// Files that waited for their reports were dropped, for a reason of [`DROPS`].
    pub fn dropped(&self, reason: &'static str, files: usize) {
        let dropped = self.dropped.get_or_create(&[("reason", reason)]);
        dropped.inc_by(files as u64);
    }

    /// The counts, and what was read at the moment of asking, in Prometheus' text format 0.0.4: what encodes them writes `OpenMetrics`,
    /// where `_total` does not belong to a counter's name.
    pub fn text(&self, read: &Registry) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, read)?;
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let counters = types.filter_map(|line| line.strip_suffix(" counter"));
        Ok(counters.fold(text.clone(), |text, name| {
            text.replace(&format!(" {name} "), &format!(" {name}_total "))
        }))
    }
}

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
        let metrics = Metrics::new(1_800_000_000_500);
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
            "segnalazioni_start_time_seconds 1800000000.5",
            r#"segnalazioni_logins_total{outcome="wrong_password"} 0"#,
            "# TYPE segnalazioni_logins_total counter",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }
}
