//! Security settings: who may reach the panel, how long, what a report must have. The administrator's password is not
//! among them, and must never be.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, entries, verdict};
use crate::domain::invalid::Invalid;
use crate::domain::text;

/// Reports a day above which siege mode begins.
const REPORTS_PER_DAY: RangeInclusive<u32> = 1..=100_000;
/// Minutes of inactivity before the panel closes; above 12 hours a session has ended anyway (`PRODUCT.md §6`).
const SESSION_MINUTES: RangeInclusive<u32> = 5..=720;
/// Smallest account, in characters; more than this would turn people away.
const REPORT_CHARS: RangeInclusive<u32> = 1..=2_000;
/// Smallest account, in words.
const REPORT_WORDS: RangeInclusive<u32> = 1..=300;
/// Days before something is archived or deleted: up to ten years.
const DAYS: RangeInclusive<u32> = 1..=3_650;
/// Days for which reports are kept, unless 0: for good. Less than a month would leave no time to work on them.
const REPORT_DAYS: RangeInclusive<u32> = 30..=3_650;
const LIST_MAX: usize = 200;
/// A forbidden word is a substring: shorter ones would stop every report.
const WORD_CHARS: RangeInclusive<usize> = 3..=60;

/// The security section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Security {
    /// Reports a day above which siege mode begins; never a refusal.
    pub max_reports_per_day: u32,
    /// Whether failed logins are counted and limited.
    pub enable_rate_limiting: bool,
    /// Minutes of inactivity after which a session ends.
    pub session_timeout: u32,
    /// Addresses and CIDR ranges that may reach the panel, separated by commas; empty means everyone.
    #[serde(rename = "allowedIPs")]
    pub allowed_ips: String,
    /// Whether accesses to the panel are logged.
    pub enable_logging: bool,
    /// Smallest account, in characters.
    pub min_report_length: u32,
    /// Smallest account, in words.
    pub min_word_count: u32,
    /// Words that no account may hold, separated by commas.
    pub forbidden_words: String,
    /// Whether the panel announces new reports.
    pub enable_notifications: bool,
    /// Days after which a resolved report is archived.
    pub auto_archive_days: u32,
    /// Days for which the access log is kept.
    pub log_retention_days: u32,
    /// Days after which a report that was opened, and is resolved or archived, is erased; 0: never.
    pub report_retention_days: u32,
}

impl Default for Security {
    fn default() -> Self {
        Self {
            max_reports_per_day: 100,
            enable_rate_limiting: true,
            session_timeout: 60,
            allowed_ips: String::new(),
            enable_logging: true,
            min_report_length: 70,
            min_word_count: 10,
            forbidden_words: "avvocato, avvocati, carabinieri, carabiniere".to_owned(),
            enable_notifications: true,
            auto_archive_days: 30,
            log_retention_days: 30,
            report_retention_days: 0,
        }
    }
}

impl Security {
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let numbers = [
            (
                "maxReportsPerDay",
                self.max_reports_per_day,
                REPORTS_PER_DAY,
                "segnalazioni",
            ),
            (
                "sessionTimeout",
                self.session_timeout,
                SESSION_MINUTES,
                "minuti",
            ),
            (
                "minReportLength",
                self.min_report_length,
                REPORT_CHARS,
                "caratteri",
            ),
            ("minWordCount", self.min_word_count, REPORT_WORDS, "parole"),
            ("autoArchiveDays", self.auto_archive_days, DAYS, "giorni"),
            ("logRetentionDays", self.log_retention_days, DAYS, "giorni"),
        ];
        let refusals = numbers
            .iter()
            .filter_map(|(field, value, range, unit)| check_range(field, *value, range, unit))
            .chain(self.check_report_retention())
            .chain(self.check_allowed_ips())
            .chain(self.check_forbidden_words())
            .collect();
        verdict(refusals)
    }

    fn check_report_retention(&self) -> Option<Invalid> {
        let days = self.report_retention_days;
        let (low, high) = (REPORT_DAYS.start(), REPORT_DAYS.end());
        (days != 0 && !REPORT_DAYS.contains(&days)).then(|| {
            let message = format!(
                "Inserisci un numero di giorni tra {low} e {high}, oppure 0 per conservarle senza limite."
            );
            Invalid::new("reportRetentionDays", "range", message)
        })
    }

    /// The networks of the allow-list, host bits cleared; IPv4-mapped IPv6 entries as IPv4. Entries that cannot be
    /// read are left out, which [`Security::validate`] prevents and [`Security::allows`] answers for.
    pub fn allowed_networks(&self) -> Vec<IpNet> {
        entries(&self.allowed_ips)
            .filter_map(parse_network)
            .collect()
    }

    /// Whether the address may reach the panel. An empty list admits everyone; a list that cannot be read, nobody.
    pub fn allows(&self, address: IpAddr) -> bool {
        if entries(&self.allowed_ips).next().is_none() {
            return true;
        }
        let address = address.to_canonical();
        self.allowed_networks()
            .iter()
            .any(|network| network.contains(&address))
    }

    /// The forbidden words, in the form that [`crate::domain::fields::contains_any`] expects.
    pub fn forbidden_words(&self) -> Vec<String> {
        entries(&self.forbidden_words)
            .map(|word| text::lower(&text::clean_line(word)))
            .filter(|word| !word.is_empty())
            .collect()
    }

    fn check_allowed_ips(&self) -> Option<Invalid> {
        let field = "allowedIPs";
        if entries(&self.allowed_ips).count() > LIST_MAX {
            return Some(too_many(field));
        }
        let bad = named(entries(&self.allowed_ips).filter(|entry| parse_network(entry).is_none()))?;
        let message = format!(
            "Non è un indirizzo IP né un intervallo CIDR: {bad}. Esempi: 203.0.113.7, 192.0.2.0/24, 2001:db8::/32."
        );
        Some(Invalid::new(field, "format", message))
    }

    fn check_forbidden_words(&self) -> Option<Invalid> {
        let field = "forbiddenWords";
        if entries(&self.forbidden_words).count() > LIST_MAX {
            return Some(too_many(field));
        }
        let (low, high) = (WORD_CHARS.start(), WORD_CHARS.end());
        let bad = named(
            entries(&self.forbidden_words)
                .filter(|word| !WORD_CHARS.contains(&text::char_count(&text::clean_line(word)))),
        )?;
        let message =
            format!("Ogni parola deve avere da {low} a {high} caratteri. Da correggere: {bad}.");
        Some(Invalid::new(field, "range", message))
    }
}

/// An address or a CIDR range, without host bits, IPv4-mapped IPv6 as IPv4 (RFC 4291 §2.5.5.2).
fn parse_network(entry: &str) -> Option<IpNet> {
    let network = match entry.parse::<IpNet>() {
        Ok(network) => network,
        Err(_) => IpNet::from(entry.parse::<IpAddr>().ok()?),
    };
    let unmapped = match network {
        IpNet::V6(v6) if v6.prefix_len() >= 96 => v6
            .addr()
            .to_ipv4_mapped()
            .and_then(|v4| IpNet::new(IpAddr::V4(v4), v6.prefix_len() - 96).ok()),
        _ => None,
    };
    Some(unmapped.unwrap_or(network).trunc())
}

/// Wrong entries, quoted, at most five and each cut short; nothing when there is none.
fn named<'a>(entries: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut quoted: Vec<String> = entries
        .take(6)
        .map(|entry| format!("«{}»", entry.chars().take(60).collect::<String>()))
        .collect();
    if quoted.len() > 5 {
        quoted.truncate(5);
        quoted.push("…".to_owned());
    }
    (!quoted.is_empty()).then(|| quoted.join(", "))
}

fn too_many(field: &str) -> Invalid {
    let message = format!("Troppe voci: al massimo {LIST_MAX}.");
    Invalid::new(field, "long", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_ips(list: &str) -> Security {
        Security {
            allowed_ips: list.to_owned(),
            ..Security::default()
        }
    }

    fn with_words(list: &str) -> Security {
        Security {
            forbidden_words: list.to_owned(),
            ..Security::default()
        }
    }

    #[test]
    fn defaults_are_valid_and_named_as_published() {
        let security = Security::default();
        assert_eq!(security.validate(), Ok(()));
        assert_eq!(
            serde_json::to_value(&security).unwrap(),
            serde_json::json!({
                "maxReportsPerDay": 100,
                "enableRateLimiting": true,
                "sessionTimeout": 60,
                "allowedIPs": "",
                "enableLogging": true,
                "minReportLength": 70,
                "minWordCount": 10,
                "forbiddenWords": "avvocato, avvocati, carabinieri, carabiniere",
                "enableNotifications": true,
                "autoArchiveDays": 30,
                "logRetentionDays": 30,
                "reportRetentionDays": 0,
            })
        );
        assert_eq!(serde_json::from_str::<Security>("{}").unwrap(), security);
        assert_eq!(
            security.forbidden_words(),
            ["avvocato", "avvocati", "carabinieri", "carabiniere"]
        );
    }

    #[test]
    fn numbers_have_ranges() {
        type Set = fn(&mut Security, u32);
        let setters: [(&str, Set, RangeInclusive<u32>); 6] = [
            (
                "maxReportsPerDay",
                |s, v| s.max_reports_per_day = v,
                1..=100_000,
            ),
            ("sessionTimeout", |s, v| s.session_timeout = v, 5..=720),
            ("minReportLength", |s, v| s.min_report_length = v, 1..=2_000),
            ("minWordCount", |s, v| s.min_word_count = v, 1..=300),
            ("autoArchiveDays", |s, v| s.auto_archive_days = v, 1..=3_650),
            (
                "logRetentionDays",
                |s, v| s.log_retention_days = v,
                1..=3_650,
            ),
        ];
        for (field, set, range) in setters {
            for (value, fits) in [
                (*range.start(), true),
                (*range.end(), true),
                (range.start() - 1, false),
                (range.end() + 1, false),
            ] {
                let mut security = Security::default();
                set(&mut security, value);
                match security.validate() {
                    Ok(()) => assert!(fits, "{field} {value}"),
                    Err(refusals) => {
                        assert!(!fits, "{field} {value}");
                        assert_eq!((refusals.len(), refusals[0].field.as_str()), (1, field));
                    }
                }
            }
        }
    }

    #[test]
    fn reports_are_kept_for_good_or_for_a_month_at_least() {
        for (days, fits) in [
            (0, true),
            (1, false),
            (29, false),
            (30, true),
            (3_650, true),
            (3_651, false),
        ] {
            let security = Security {
                report_retention_days: days,
                ..Security::default()
            };
            let refused = security.validate().err().map(|all| all[0].message.clone());
            let expected = "Inserisci un numero di giorni tra 30 e 3650, oppure 0 per conservarle senza limite.";
            assert_eq!(refused.as_deref(), (!fits).then_some(expected), "{days}");
        }
    }

    #[test]
    fn allow_lists_are_networks_in_canonical_form() {
        let security = with_ips(
            "203.0.113.7, 192.0.2.9/24;\n2001:db8::1/32, ::ffff:198.51.100.4, ::ffff:10.0.0.0/104, ::ffff:0:0/96, ::/0",
        );
        assert_eq!(security.validate(), Ok(()));
        let shown: Vec<String> = security
            .allowed_networks()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            shown,
            [
                "203.0.113.7/32",
                "192.0.2.0/24",
                "2001:db8::/32",
                "198.51.100.4/32",
                "10.0.0.0/8",
                "0.0.0.0/0",
                "::/0"
            ]
        );
    }

    #[test]
    fn allow_lists_decide() {
        let security = with_ips("192.0.2.0/24, 2001:db8::/32");
        for (address, admitted) in [
            ("192.0.2.200", true),
            ("::ffff:192.0.2.200", true),
            ("192.0.3.1", false),
            ("2001:db8:ffff::1", true),
            ("2001:db9::1", false),
        ] {
            assert_eq!(
                security.allows(address.parse().unwrap()),
                admitted,
                "{address}"
            );
        }
        assert!(with_ips(" , \n").allows("198.51.100.1".parse().unwrap()));
        assert!(!with_ips("nonsense").allows("198.51.100.1".parse().unwrap()));
    }

    #[test]
    fn bad_addresses_are_named() {
        let refusals = with_ips("192.0.2.1, 192.0.2.256, casa, 10.0.0.0/33, fe80::1%eth0")
            .validate()
            .unwrap_err();
        assert_eq!(refusals.len(), 1);
        assert_eq!(
            (refusals[0].field.as_str(), refusals[0].code),
            ("allowedIPs", "format")
        );
        for bad in ["«192.0.2.256»", "«casa»", "«10.0.0.0/33»", "«fe80::1%eth0»"] {
            assert!(refusals[0].message.contains(bad), "{}", refusals[0].message);
        }
        assert!(!refusals[0].message.contains("«192.0.2.1»"));
        let many = with_ips(&"x,".repeat(7)).validate().unwrap_err();
        assert_eq!(many[0].message.matches("«x»").count(), 5);
        assert!(many[0].message.contains('…'));
        let too_many = with_ips(&"192.0.2.1,".repeat(201)).validate().unwrap_err();
        assert_eq!(too_many[0].code, "long");
    }

    #[test]
    fn forbidden_words_are_checked_and_normalised() {
        let security = with_words(" AVVOCATO ,perche\u{301};\ncodice  penale,,");
        assert_eq!(security.validate(), Ok(()));
        assert_eq!(
            security.forbidden_words(),
            ["avvocato", "perché", "codice penale"]
        );
        assert_eq!(with_words("").validate(), Ok(()));
        assert!(with_words("").forbidden_words().is_empty());
        let refusals = with_words("avvocato, no").validate().unwrap_err();
        assert_eq!(
            refusals[0].message,
            "Ogni parola deve avere da 3 a 60 caratteri. Da correggere: «no»."
        );
        assert!(with_words(&"a".repeat(61)).validate().is_err());
        assert_eq!(
            with_words(&"abc,".repeat(201)).validate().unwrap_err()[0].code,
            "long"
        );
    }
}
