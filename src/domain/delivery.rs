//! Deliveries because of a report: kinds, states, failures and the retry policy (PRODUCT.md §9).

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;

/// By failures in a row; the last delay repeats. In ms.
const DELAYS_MS: [i64; 5] = [30_000, 2 * 60_000, 10 * 60_000, 30 * 60_000, 60 * 60_000];
/// Chance adds up to this part of a delay: deliveries that failed together do not return together.
const JITTER: f64 = 0.2;
/// Shortest time between two attempts at a failing destination, in ms, however many reports arrive.
pub const FAILING_EVERY_MS: i64 = DELAYS_MS[0];
pub const GIVE_UP_AFTER_MS: i64 = 72 * 60 * 60_000;
pub const MAIL_EVERY_MS: i64 = 60_000;
/// A later next attempt was written by a clock that ran ahead, and does not count; ms.
pub const LONGEST_WAIT_MS: i64 = 2 * 60 * 60_000;
/// One failure is normal for a network; the second comes within 36 s, so that the panel tells of it within two minutes.
pub const ALARM_AFTER_FAILURES: u32 = 2;
/// A longer wait is an alarm, whatever the reason; in ms.
pub const ALARM_AFTER_MS: i64 = 15 * 60_000;
/// Digests are divided after so many refusals in a row; many servers refuse every mail once.
pub const DIVIDE_AFTER_REFUSALS: u32 = 2;

pub const NO_SERVER: &str =
    "Il server di posta non è configurato. Indicalo nelle impostazioni e premi «Riprova».";
pub const NO_RECIPIENT: &str =
    "Manca l'indirizzo di chi riceve le email. Indicalo nelle impostazioni e premi «Riprova».";

pub const DEMO: &str = "In modalità demo non parte nulla: né email né webhook.";

names! {
    /// How something is delivered.
        pub enum DeliveryKind {
        /// A mail to the newsroom.
        Email = "email",
        /// A call of the webhook.
        Webhook = "webhook",
        /// A mail to the newsroom: the reporter has written. It says no more.
        Message = "messaggio",
        /// A mail to the reporter: the newsroom has written. It says no more.
        Reply = "risposta",
        /// A mail to the reporter: the report has arrived. It says no more.
        Confirmation = "conferma",
    }
}

names! {
    /// A password or a key of the settings; its name is also in what it is sealed for.
    pub enum SecretName {
        SmtpPassword = "smtp_password",
        WebhookApiKey = "webhook_api_key",
        WebhookSecret = "webhook_secret",
        /// The previous key, which goes on signing for a while.
        WebhookSecretBefore = "webhook_secret_before",
    }
}

impl DeliveryKind {
    /// The address stands in the body; the destination is the report's id.
    pub const fn to_reporter(self) -> bool {
        matches!(self, Self::Reply | Self::Confirmation)
    }

    /// Whether it is made for each new report, and says what the report says.
    pub const fn tells_of_arrival(self) -> bool {
        !matches!(self, Self::Message | Self::Reply | Self::Confirmation)
    }

    /// A mail to an address of the settings.
    pub const fn to_newsroom(self) -> bool {
        matches!(self, Self::Email | Self::Message)
    }
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum DeliveryState {
    /// It waits for its first attempt or another one.
    // One that is being sent counts as waiting.
    #[serde(rename = "in attesa")]
    Pending,
    /// It arrived.
    #[serde(rename = "consegnata")]
    Delivered,
    /// It was given up; staff may ask for another try.
    #[serde(rename = "fallita")]
    Failed,
    /// It did not arrive, and staff decided that it need not.
    #[serde(rename = "ignorata")]
    Ignored,
}

impl DeliveryState {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Delivered, Self::Failed, Self::Ignored];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Ignored => "ignored",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Deliveries by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct DeliveryCounters {
    /// In attesa.
    pub pending: i64,
    /// Those of them whose last attempt failed.
    pub retrying: i64,
    /// Fallita.
    pub failed: i64,
    /// Consegnata, and not dropped for its age.
    pub delivered: i64,
    /// Ignorata, and not dropped for its age.
    pub ignored: i64,
}

/// The settings that are missing for mail to be sent, if mail is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailLack {
    /// The name of the mail server.
    Server,
    /// The address of the sender.
    Sender,
    /// The address of whom it goes to, for one department at least.
    Recipient,
}

pub type Outcome = Result<(), Failure>;

/// A sending that failed. The panel shows it: must never hold what a report says, a password or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Trying again is useless until a setting or the other side changes.
    pub permanent: bool,
    /// The message itself was refused; another may be accepted.
    pub content: bool,
    /// In Italian, without personal data.
    pub message: String,
}

impl Failure {
    pub fn passing(message: impl Into<String>) -> Self {
        Self {
            permanent: false,
            content: false,
            message: message.into(),
        }
    }

    pub fn permanent(message: impl Into<String>) -> Self {
        Self {
            permanent: true,
            ..Self::passing(message)
        }
    }

    /// The message was refused for its content.
    pub fn of_content(self) -> Self {
        Self {
            content: true,
            ..self
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// In ms, after so many failures (from 1); `chance` is from 0 to 1.
pub fn delay_ms(failures: u32, chance: f64) -> i64 {
    let step = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let delay = DELAYS_MS[step.min(DELAYS_MS.len() - 1)];
    let extra = Duration::from_millis(delay.unsigned_abs());
    let extra = extra.mul_f64(JITTER * chance.clamp(0.0, 1.0)).as_millis();
    delay + i64::try_from(extra).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_those_of_the_product() {
        // Source: PRODUCT.md §9.
        let seconds = (1..=7).map(|failures| delay_ms(failures, 0.0) / 1_000);
        assert!(seconds.eq([30, 120, 600, 1_800, 3_600, 3_600, 3_600]));
        for failures in 1..=9 {
            let (least, most) = (delay_ms(failures, 0.0), delay_ms(failures, 1.0));
            assert_eq!(most, least + least / 5);
            assert!((least..=most).contains(&delay_ms(failures, 0.5)));
        }
        assert_eq!(delay_ms(1, 7.0), delay_ms(1, 1.0));
    }

    #[test]
    fn names_parse_back() {
        for kind in DeliveryKind::ALL {
            assert_eq!(DeliveryKind::parse(kind.as_str()), Some(kind));
        }
        for state in DeliveryState::ALL {
            assert_eq!(DeliveryState::parse(state.as_str()), Some(state));
        }
        assert_eq!(
            (DeliveryKind::parse("fax"), DeliveryState::parse("fallita")),
            (None, None)
        );
    }
}
