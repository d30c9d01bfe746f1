//! Whether a device's own conversion of f16 is right for all of them: it takes one operation where the bits take ten.

use super::context::Context;
use super::knowledge::Digest;
use super::prepared::Prepared;
use super::readback::{Readback, Waiting};
use super::record::bind_range;
use crate::error::{Error, Result};
use crate::op::DeviceOp;
use std::sync::Arc;

/// Bit patterns of an f16.
const PATTERNS: u32 = 1 << 16;

/// The text that tries all of them.
#[doc(hidden)]
pub fn halves_text() -> &'static str {
    concat!(include_str!("../../shaders/element/half.wgsl"), include_str!("../../shaders/element/f16_tried.wgsl"))
}

impl Context {
    /// Whether kernels of an operator unpack f16 so: it is of use to it, and known to be right.
    pub(super) fn unpacks(&self, op: &DeviceOp) -> bool {
        op.may_unpack() && self.unpacked.get() == Some(&true)
    }

    /// Tries it, once; or the device's cache knows.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Timeout`].
    pub(super) async fn know_halves(self: &Arc<Self>, waiting: Waiting) -> Result<()> {
        if self.unpacked.get().is_some() {
            return Ok(());
        }
        let digest = Digest::new().and(halves_text().as_bytes()).number();
        let right = match self.verdict(digest) {
            Some(kept) => kept,
            None => match self.try_halves(waiting).await {
                Ok(right) => {
                    self.keep_verdict(digest, right == PATTERNS);
                    right == PATTERNS
                }
                Err(error @ (Error::DeviceLost { .. } | Error::Timeout { .. })) => return Err(error),
                Err(error) => {
                    log::debug!("the device's conversion of f16 is not tried: {error}");
                    false
                }
            },
        };
        log::debug!("the device's conversion of f16 is right: {right}");
        self.unpacked.get_or_init(|| right);
        Ok(())
    }

    /// How many patterns it leaves right.
    async fn try_halves(self: &Arc<Self>, waiting: Waiting) -> Result<u32> {
        let pipeline = self.pipeline_of_text("treefold: f16", halves_text().into(), true)?;
        let readback = Readback::fresh(self, 1, vec![1])?;
        let (to, at) = readback.destination(0);
        let results = bind_range(to.buffer, to.offset, to.size);
        let dispatches = vec![self.pass(&pipeline, &[at, to.seal], [(5, results)], 1)?];
        let prepared = Prepared { context: self.clone(), dispatches: dispatches.into() };
        let found = self.sent(&prepared, readback)?.results(self, waiting).await?;
        Ok(found.first().and_then(|words| words.first().copied()).unwrap_or(0))
    }
}
