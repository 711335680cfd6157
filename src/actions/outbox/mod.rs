//! The transactional outbox: sending, retrying, the standing of deliveries.

pub mod channel;
pub mod queue;
pub mod retry_delivery;
pub mod send_delivery;
