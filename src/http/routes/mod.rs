//! The routes, one file a noun; handlers are thin: they read through the store and change through the actions.
//! Must never hold a rule: rules live in the domain.

pub mod analytics;
pub mod backup;
pub mod backups;
pub mod branding;
pub mod chat;
pub mod deliveries;
pub mod doctor;
pub mod erasures;
pub mod export;
pub mod health;
pub mod integrations;
pub mod logo;
pub mod logs;
pub mod pages;
pub mod prompts;
pub mod report_detail;
pub mod report_query;
pub mod reports;
pub mod retention;
pub mod routing;
pub mod routing_memory;
pub mod seal;
pub mod session;
pub mod settings;
pub mod setup;
pub mod status;
pub mod system_info;

use jiff::Timestamp;

use super::problem::{ApiError, ApiResult};

/// A moment in RFC 3339, UTC, from milliseconds.
fn rfc3339(ms: i64) -> ApiResult<String> {
    Timestamp::from_millisecond(ms)
        .map(|time| time.to_string())
        .map_err(|error| ApiError::internal(&error))
}
