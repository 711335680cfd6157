//! Security settings: access to the panel, sessions, requirements of a report. Passwords are kept elsewhere.

use std::net::IpAddr;

use ipnet::IpNet;

use super::{check_list, check_range, entries};
use crate::domain::declare::section;
use crate::domain::invalid::{Invalid, verdict};
use crate::domain::text;

section! {
    /// The security section.
    pub struct Security {
        /// Siege mode begins above this number of reports a day, or above half of it within ten minutes. No report is
        /// refused.
        pub max_reports_per_day: u32 = 100,
        /// Whether failed logins are counted and limited.
        pub enable_rate_limiting: bool = true,
        /// Minutes of inactivity after which a session ends.
        pub session_timeout: u32 = 60,
        /// Addresses and CIDR ranges that may reach the panel, separated by commas; empty means everyone.
        #[serde(rename = "allowedIPs")]
        pub allowed_ips: String = String::new(),
        /// Whether logins, openings and changes of reports are logged; the rest always is.
        pub enable_logging: bool = true,
        /// Smallest account, in characters.
        pub min_report_length: u32 = 70,
        /// Smallest account, in words.
        pub min_word_count: u32 = 10,
        /// Words that an account must not contain, separated by commas.
        pub forbidden_words: String = "avvocato, avvocati, carabinieri, carabiniere".to_owned(),
        /// Whether the chat takes landlines and foreign numbers too.
        pub accept_other_phones: bool = false,
        /// Whether a report needs a telephone number.
        pub phone_required: bool = true,
        /// Whether a report needs an e-mail address.
        pub email_required: bool = true,
        /// Whether a report needs a postal address.
        pub address_required: bool = true,
        /// Whether the panel announces new reports.
        pub enable_notifications: bool = true,
        /// Whether the file of a printed report is named without its reporter, for computers that several people use.
        pub pdf_without_name: bool = false,
        /// Days after which a resolved report is archived.
        pub auto_archive_days: u32 = 30,
        /// Days for which the access log is kept.
        pub log_retention_days: u32 = 30,
        /// Days after which a report that was opened, and is resolved or archived, is erased; 0: never.
        pub report_retention_days: u32 = 0,
        /// Whether the shared password can be used to log in. It can be switched off only while an administrator can
        /// log in by name.
        pub shared_password: bool = true,
        /// Whether each person who logs in by name needs a second factor.
        pub require_second_factor: bool = false,
    }
}

impl Security {
    /// Ranges as in `PRODUCT.md §8`.
    pub fn validate(&self) -> Result<(), Vec<Invalid>> {
        let days = self.report_retention_days;
        let refusals = [
            check_range("maxReportsPerDay", self.max_reports_per_day, 1..=1_000_000, "segnalazioni"),
            check_range("sessionTimeout", self.session_timeout, 5..=720, "minuti"),
            check_range("minReportLength", self.min_report_length, 1..=2_000, "caratteri"),
            check_range("minWordCount", self.min_word_count, 1..=300, "parole"),
            check_range("autoArchiveDays", self.auto_archive_days, 1..=3_650, "giorni"),
            check_range("logRetentionDays", self.log_retention_days, 1..=3_650, "giorni"),
            (days != 0 && !(30..=3_650).contains(&days)).then(|| {
                let message = "Inserisci un numero di giorni tra 30 e 3650, oppure 0 per conservarle senza limite.";
                Invalid::new("reportRetentionDays", "range", message)
            }),
            check_list("allowedIPs", &self.allowed_ips, "format", |entry| parse_network(entry).is_some(), |bad| {
                format!(
                    "Non è un indirizzo IP né un intervallo CIDR: {bad}. Esempi: 203.0.113.7, 192.0.2.0/24, 2001:db8::/32."
                )
            }),
            check_forbidden_words(&self.forbidden_words),
        ];
        verdict(refusals.into_iter().flatten())
    }

    /// A reset must neither admit more visitors nor lengthen sessions.
    pub fn reset(self) -> Self {
        let defaults = Self::default();
        Self {
            allowed_ips: self.allowed_ips,
            shared_password: self.shared_password,
            require_second_factor: self.require_second_factor,
            session_timeout: self.session_timeout.min(defaults.session_timeout),
            ..defaults
        }
    }

    /// An empty list admits every address; an entry that cannot be read, which [`Security::validate`] prevents, admits none.
    pub fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let mut allowed = entries(&self.allowed_ips).map(parse_network).peekable();
        allowed.peek().is_none()
            || allowed.any(|network| network.is_some_and(|network| network.contains(&address)))
    }

    /// In the form that [`crate::domain::fields::first_of`] expects.
    pub fn forbidden_words(&self) -> Vec<String> {
        entries(&self.forbidden_words)
            .map(|word| text::lower(&text::clean_line(word)))
            .filter(|word| !word.is_empty())
            .collect()
    }
}

/// Forbidden words match inside words: shorter ones would stop every report.
fn check_forbidden_words(list: &str) -> Option<Invalid> {
    let fits = |word: &str| (3..=60).contains(&text::char_count(&text::clean_line(word)));
    check_list("forbiddenWords", list, "range", fits, |bad| {
        format!("Ogni parola deve avere da 3 a 60 caratteri. Da correggere: {bad}.")
    })
}

/// Without host bits; IPv4-mapped IPv6 as IPv4 (RFC 4291 §2.5.5.2).
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

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

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
                "acceptOtherPhones": false,
                "phoneRequired": true,
                "emailRequired": true,
                "addressRequired": true,
                "enableNotifications": true,
                "pdfWithoutName": false,
                "autoArchiveDays": 30,
                "logRetentionDays": 30,
                "reportRetentionDays": 0,
                "sharedPassword": true,
                "requireSecondFactor": false,
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
                1..=1_000_000,
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
        let shown: Vec<String> = entries(&security.allowed_ips)
            .filter_map(parse_network)
            .map(|network| network.to_string())
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
