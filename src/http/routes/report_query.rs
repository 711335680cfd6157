//! Which reports a list or an export is asked for.
//! Must never answer another question than the one that was asked: what is too long is refused, not cut.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::refusal;
use crate::clock::{days_back, months_back, start_of_today};
use crate::domain::report::Stato;
use crate::domain::routing::Department;
use crate::domain::text::char_count;
use crate::http::problem::ApiResult;
use crate::http::state::App;
use crate::search::{CancelToken, Terms};
use crate::store::ListFilter;

/// "Last week", in days.
const WEEK_DAYS: u16 = 7;
/// Longest text to search for, in characters.
const SEARCH_CHARS: usize = 200;

/// Which reports.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// Only this status.
    #[param(inline)]
    stato: Option<Stato>,
    /// Only those received in this period.
    #[param(inline)]
    period: Option<Period>,
    /// Only this department.
    #[param(inline)]
    department: Option<Department>,
    /// Only those that count as urgent; with `false` only the others.
    urgente: Option<bool>,
    /// Only those with this text in name, surname, both, e-mail or phone; upper case and accents make no difference.
    #[param(max_length = 200)]
    search: Option<String>,
    /// Whether accounts are searched too.
    #[serde(rename = "inText")]
    #[param(rename = "inText")]
    in_text: Option<bool>,
}

/// A period that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Period {
    /// Since local midnight.
    Today,
    /// The last seven days.
    Week,
    /// The last month.
    Month,
}

/// Which reports, as the store and the search take it.
pub(super) struct Selection {
    /// By what is stored in the clear.
    pub(super) filter: ListFilter,
    /// By what lies sealed; `None` for nothing.
    pub(super) terms: Option<Terms>,
}

impl ReportQuery {
    /// The selection, its period counted from now.
    pub(super) fn selection(&self, app: &App) -> ApiResult<Selection> {
        let now = app.clock.now_ms();
        let since = self.period.map(|period| match period {
            Period::Today => start_of_today(now, &app.time_zone),
            Period::Week => days_back(now, WEEK_DAYS, &app.time_zone),
            Period::Month => months_back(now, 1, &app.time_zone),
        });
        let typed = self.search.as_deref().unwrap_or_default();
        if char_count(typed) > SEARCH_CHARS {
            let message = format!("Inserisci al massimo {SEARCH_CHARS} caratteri.");
            return Err(refusal("search", "tooLong", message));
        }
        Ok(Selection {
            filter: ListFilter {
                stato: self.stato,
                department: self.department,
                urgente: self.urgente,
                since,
            },
            terms: Terms::new(typed, self.in_text.unwrap_or(false)),
        })
    }
}

/// Stops a search when whoever asked for it goes away: a page asks anew with each letter that is typed.
#[derive(Default)]
pub(super) struct Waiting(CancelToken);

impl Waiting {
    /// For the search.
    pub(super) fn token(&self) -> CancelToken {
        self.0.clone()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
