//! The administrators' access log: one entry in it, when logging is on; and emptying it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::Ipv6Net;
use parking_lot::Mutex;

use crate::actions::access::log_chain;
use crate::actions::settings::sections::security;
use crate::actions::{Act, Result};
use crate::domain::person::{Person, Role};
use crate::domain::routing::Sight;
use crate::store::{AccessEntry, Action, LogKind, Store};
use crate::vault::Vault;

/// Clients named of those who were not let in between two batches.
const CLIENTS: usize = 20;
/// Stands in place of a name for the shared password.
const SHARED: &str = "password della redazione";
const USER_AGENT_CHARS: usize = 300;

/// Who does something: an administrator's browser, or a command on the server (both texts empty).
#[derive(Debug, Clone, Default)]
pub struct Actor {
    pub ip: String,
    pub user_agent: String,
    /// `None` for the shared password, and for a command on the server.
    pub person: Option<Arc<Person>>,
}

impl Actor {
    /// The departments whose reports there are for them.
    pub fn visible_departments(&self) -> Sight {
        let person = self.person.as_ref();
        person.map_or(Sight::ALL, |person| person.departments.clone())
    }

    /// Whether they may do what this role may.
    pub fn may(&self, role: Role) -> bool {
        let person = self.person.as_ref();
        person.is_none_or(|person| person.role <= role)
    }

    /// This browser together with the person who uses it.
    pub fn with(&self, person: Person) -> Self {
        Self {
            person: Some(Arc::new(person)),
            ..self.clone()
        }
    }

    /// Id of the person; `None` for the shared password, for a reporter and for the program itself.
    pub fn author(&self) -> Option<String> {
        self.person.as_ref().map(|person| person.id.clone())
    }

    /// The browser's own description, shortened to what is stored.
    pub fn browser(&self) -> String {
        self.user_agent.chars().take(USER_AGENT_CHARS).collect()
    }
}

fn entry(action: Action, actor: &Actor, at: i64) -> AccessEntry {
    let who = match actor.person.as_deref() {
        Some(person) => Some(person.name.as_str()),
        None if actor.ip.is_empty() => None,
        None => Some(SHARED),
    };
    AccessEntry {
        timestamp: at,
        action,
        ip: actor.ip.clone(),
        user_agent: actor.browser(),
        report_id: None,
        count: 1,
        person: actor.author(),
        who: who.map(str::to_owned),
        about: None,
    }
}

impl Act<'_> {
    /// Logs what is done now. Logins and reports are left out where logging is off; the rest never is.
    pub fn log(&self, action: Action, report: Option<&str>) -> Result<()> {
        let kind = action.kind();
        let always = matches!(kind, LogKind::Copie | LogKind::Impostazioni);
        if !always && !security(self)?.enable_logging {
            return Ok(());
        }
        let entry = AccessEntry {
            report_id: report.map(str::to_owned),
            ..entry(action, self.actor, self.now)
        };
        Ok(log_chain::append(self, &entry)?)
    }

    /// Logs a login, unless logging is off, and what it was made with where that is no password.
    pub(in crate::actions) fn log_login(&self, about: Option<String>) -> Result<()> {
        if !security(self)?.enable_logging {
            return Ok(());
        }
        let entry = AccessEntry {
            about,
            ..entry(Action::LoginSuccess, self.actor, self.now)
        };
        Ok(log_chain::append(self, &entry)?)
    }

    /// Logs what was done to a person.
    pub(in crate::actions) fn log_of(&self, person: &Person, what: &str) -> Result<()> {
        let (name, role) = (&person.name, person.role.as_str());
        self.log_about(Action::PeopleChanged, format!("{name} ({role}): {what}"))
    }

    /// Logs what is never left out, and what it was about; an empty text names nothing.
    pub(in crate::actions) fn log_about(
        &self,
        action: Action,
        about: impl Into<String>,
    ) -> Result<()> {
        let entry = AccessEntry {
            about: Some(about.into()).filter(|about| !about.is_empty()),
            ..entry(action, self.actor, self.now)
        };
        Ok(log_chain::append(self, &entry)?)
    }
}

/// Who was not let in since the last batch, by action and client: in memory, because a refused call must not cost a write, and
/// counted, so that a flood is a few entries.
#[derive(Default)]
pub struct Denials(Mutex<BTreeMap<(Action, String), AccessEntry>>);

impl Denials {
    pub fn note(&self, action: Action, actor: &Actor, now: i64) {
        let network = match actor.ip.parse() {
            Ok(IpAddr::V6(v6)) => Ipv6Net::new(v6, 64).ok(),
            _ => None,
        };
        let ip = network.map_or_else(|| actor.ip.clone(), |network| network.trunc().to_string());
        self.add(AccessEntry {
            who: None,
            ip,
            ..entry(action, actor, now)
        });
    }

    fn add(&self, mut entry: AccessEntry) {
        let denials = &mut *self.0.lock();
        let key = |entry: &AccessEntry| (entry.action, entry.ip.clone());
        if denials.len() >= CLIENTS && !denials.contains_key(&key(&entry)) {
            entry.ip.clear();
            entry.user_agent.clear();
        }
        let before = denials.remove(&key(&entry));
        entry.count += before.map_or(0, |before| before.count);
        denials.insert(key(&entry), entry);
    }

    /// Moves them into the log, unless logging is switched off. Those that could not be stored are kept for the next time.
    pub fn flush(&self, store: &Store, vault: &Arc<Vault>) -> Result<()> {
        let mut denials: Vec<_> = std::mem::take(&mut *self.0.lock()).into_values().collect();
        if denials.is_empty() {
            return Ok(());
        }
        denials.sort_by_key(|entry| entry.timestamp);
        let (batch, vault) = (denials.clone(), Arc::clone(vault));
        let stored = store.write(move |tx| {
            if !security(tx)?.enable_logging {
                return Ok(());
            }
            let act = |entry: &AccessEntry| Act::unattended(tx, &vault, entry.timestamp);
            let mut entries = batch.iter();
            Ok(entries.try_for_each(|entry| log_chain::append(&act(entry), entry))?)
        });
        if stored.is_err() {
            for entry in denials {
                self.add(entry);
            }
        }
        stored
    }
}

/// Empties the log, and says in the empty one who did. The login attempts stay: emptying the log gives no new guesses.
pub fn clear_logs(act: &Act<'_>) -> Result<()> {
    log_chain::clear(act)?;
    act.log(Action::LogsCleared, None)
}

#[cfg(test)]
mod tests {
    use crate::actions::access::log_access::*;

    #[test]
    fn names_are_those_of_the_product_and_parse_back() {
        // Source: PRODUCT.md §7.
        for name in [
            "LOGIN_SUCCESS",
            "LOGIN_FAILED",
            "ACCESS_DENIED",
            "LOGOUT",
            "REPORT_VIEWED",
            "REPORT_UPDATED",
            "REPORT_ERASED",
            "MESSAGE_SENT",
            "EXPORT_CSV",
            "EXPORT_PDF",
            "EXPORT_ZIP",
            "BACKUP",
            "DELIVERY_RETRIED",
            "DELIVERY_IGNORED",
            "SETTINGS_CHANGED",
            "PROMPTS_CHANGED",
            "PEOPLE_CHANGED",
            "LOGS_CLEARED",
        ] {
            let action: Action = serde_json::from_value(name.into()).unwrap();
            assert_eq!(action.as_str(), name);
        }
        assert!(serde_json::from_value::<Action>("LOGIN".into()).is_err());
    }
}
