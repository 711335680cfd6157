//! Id of the request being answered, for a problem that a person may report and for the lines of the log about it.

use uuid::Uuid;

tokio::task_local! {
    pub(super) static CURRENT: Uuid;
}

/// `None` outside of a request.
pub fn request_id() -> Option<String> {
    CURRENT.try_with(|id| id.simple().to_string()).ok()
}
