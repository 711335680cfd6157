//! Moments in ms as they travel: RFC 3339, UTC. A moment beyond the calendar is shown as its end.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn timestamp(ms: i64) -> Timestamp {
    let end = if ms < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_millisecond(ms).unwrap_or(end)
}

pub fn rfc3339(ms: i64) -> String {
    timestamp(ms).to_string()
}

/// For a moment, or an optional one.
pub fn serialize<S: Serializer>(
    ms: &(impl Copy + Into<Option<i64>>),
    to: S,
) -> Result<S::Ok, S::Error> {
    (*ms).into().map(timestamp).serialize(to)
}

pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<i64, D::Error> {
    Timestamp::deserialize(from).map(Timestamp::as_millisecond)
}
