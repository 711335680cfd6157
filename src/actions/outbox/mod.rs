//! The transactional outbox: sending, retrying, the standing of deliveries.

pub mod delivery_standing;
pub mod retry_delivery;
pub mod send_delivery;
