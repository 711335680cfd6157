//! Stops the work of a caller that has hung up.

use crate::search::CancelToken;

/// Stops a search when its caller hangs up: a page asks anew with each letter that is typed.
#[derive(Default)]
pub struct CancelOnDrop(CancelToken);

impl CancelOnDrop {
    pub fn token(&self) -> CancelToken {
        self.0.clone()
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
