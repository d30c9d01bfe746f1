//! Waiting in browsers: the event loop brings results and the verdicts of error scopes; a timer ends what does not come.

use super::context::{Context, lock};
use super::readback::{Arrival, WHAT};
use crate::error::{Error, Result};
use gloo_timers::future::TimeoutFuture;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// Verdicts of error scopes that nobody has heard yet: promises.
#[derive(Default)]
pub(super) struct Verdicts(Mutex<Vec<Pin<Box<dyn Future<Output = Result<()>>>>>>);

impl Verdicts {
    /// Keeps a verdict for the next await.
    pub fn hear(&self, verdict: impl Future<Output = Result<()>> + 'static) -> Result<()> {
        lock(&self.0).push(Box::pin(verdict));
        Ok(())
    }
}

impl Context {
    /// The verdict of error scopes since the last call, or [`Error::Timeout`]. Behind an error all is made anew, since any of it
    /// may be invalid.
    pub async fn heard(&self) -> Result<()> {
        let verdicts = std::mem::take(&mut *lock(&self.verdicts.0));
        let all = async move {
            let mut first = Ok(());
            for verdict in verdicts {
                first = first.and(verdict.await);
            }
            first
        };
        let heard = within(self, "hearing what the browser says", all).await;
        if heard.is_err() {
            self.forget();
        }
        heard
    }
}

/// Ends when the result is in host memory.
pub(super) async fn landed(context: Arc<Context>, arrival: Arc<Arrival>) -> Result<()> {
    within(&context, WHAT, poll_fn(|polled| arrival.poll(polled.waker()))).await
}

/// The work, or [`Error::Timeout`].
async fn within<R>(context: &Context, what: &'static str, work: impl Future<Output = Result<R>>) -> Result<R> {
    let waited = context.timeout();
    // The longest that a browser's timer takes: 24 days.
    let milliseconds = waited.as_millis().min(i32::MAX as u128) as u32;
    let (mut work, mut late) = (pin!(work), TimeoutFuture::new(milliseconds));
    poll_fn(|polled| match work.as_mut().poll(polled) {
        Poll::Pending => Pin::new(&mut late).poll(polled).map(|()| Err(Error::Timeout { what, waited })),
        ready => ready,
    })
    .await
}
