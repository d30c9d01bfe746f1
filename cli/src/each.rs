//! Many answers: which elements belong to which, and whether there is room for them.

use crate::args::Args;
use crate::error::usage;
use crate::input::Inputs;
use anyhow::{Context, Result, ensure};
use treefold::{Axes, Dtype, Element, Engine, Error, Fold, Op, StreamEach, StreamOptions};

/// The axes that a command line asks for, and the shape of the answers. `ordered`: elements will come in C order, else as they are
/// stored.
pub fn axes(args: &Args, inputs: &Inputs, ordered: bool) -> Result<(Axes, Vec<u64>)> {
    if let Some(length) = args.rows {
        let count = inputs.count().ok_or_else(|| {
            usage(format!(
                "{}: --rows wants to know how many rows there are, and a pipe does not tell; name a file",
                inputs.names()
            ))
        })?;
        if !count.is_multiple_of(length) {
            return Err(anyhow::Error::from(Error::RaggedRows { elements: count, length }).context(inputs.names()));
        }
        let axes = Axes::of(&[count / length, length], &[1])?;
        return Ok((axes, vec![count / length]));
    }
    let wanted = args.axis.as_deref().unwrap_or_default();
    let opened = inputs
        .only()
        .ok_or_else(|| usage("--axis is for one .npy file, whose header says its shape; there are several"))?;
    let Some(npy) = &opened.npy else {
        return Err(usage(format!(
            "{}: --axis is for .npy files, which say their shape; for rows of raw numbers pass --rows",
            opened.name
        )));
    };
    let shape = &npy.axes;
    let made = match npy.fortran_order && !ordered {
        true => {
            let strides: Vec<i64> = (0..shape.len()).map(|d| shape[..d].iter().product::<u64>() as i64).collect();
            Axes::strided(0, shape, &strides, wanted)
        }
        false => Axes::of(shape, wanted),
    };
    let axes = made.with_context(|| opened.name.clone())?;
    let shape = axes.shape(args.keepdims);
    Ok((axes, shape))
}

/// Begins the reduction, where its accumulators fit the memory.
pub fn begin<T: Element, O: Op<T>>(engine: &Engine, op: &O, axes: &Axes, args: &Args) -> Result<StreamEach<T, O>> {
    ensure!(
        T::DTYPE != Dtype::F32x2,
        usage(format!("{} takes pairs of two inputs as a whole; leave out --axis and --rows", O::NAME))
    );
    let each = (4 * op.fold().acc_words()).max(size_of::<treefold::Acc<T, O>>()) as u64 + 64;
    let needs = axes.answers().saturating_mul(each);
    ensure!(
        needs <= args.memory,
        "{} answers take about {needs} bytes while they are computed, more than --memory of {}; raise it, or reduce a part of the \
         array in each call",
        axes.answers(),
        args.memory
    );
    let mut options = StreamOptions::default();
    options.memory_bytes = args.memory;
    Ok(engine.stream_each(op.clone(), axes, &options)?)
}
