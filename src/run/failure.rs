//! The first error of a stream: behind it nobody knows which elements are in its accumulators.

use crate::error::{Error, Result};

/// Whether a stream has failed.
#[derive(Debug, Default)]
pub(super) struct Failure(Option<Error>);

impl Failure {
    /// # Errors
    /// The first of the stream.
    pub fn check(&self) -> Result<()> {
        self.0.clone().map_or(Ok(()), Err)
    }

    /// The result of a call, whose error is kept.
    pub fn keep<R>(&mut self, done: Result<R>) -> Result<R> {
        done.inspect_err(|error| self.0 = Some(error.clone()))
    }
}
