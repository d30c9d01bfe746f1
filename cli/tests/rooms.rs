//! The files that a plain call of the program passes through: few, and all there.

use std::path::Path;

/// Most files of the program that one reduction may pass.
const MOST: usize = 18;

/// Those with a line that runs for `treefold sum --fast x.npy`, in the order of the call.
const FAST_SUM: [&str; 18] = [
    "main.rs",          // the call, and what is printed
    "interrupt.rs",     // what Ctrl-C does
    "args.rs",          // the command line
    "files/names.rs",   // whether a name is a pattern
    "operators.rs",     // the operator behind the name
    "run.rs",           // the reduction
    "input.rs",         // the file
    "files/mod.rs",     // its format
    "files/packing.rs", // that it is not packed
    "files/npy.rs",     // its header
    "files/array.rs",   // where its numbers lie
    "files/missing.rs", // that none is missing
    "format.rs",        // its numbers
    "source.rs",        // its bytes
    "guard.rs",         // its bytes as memory
    "report.rs",        // the answer
    "error.rs",         // names without control characters
    "output.rs",        // its way to standard output
];

/// Those for `treefold sum x.npy`, which is exact: the same.
const EXACT_SUM: [&str; 18] = FAST_SUM;

#[test]
fn a_sum_passes_few_files() {
    for rooms in [&FAST_SUM, &EXACT_SUM] {
        assert!(rooms.len() <= MOST, "{} files", rooms.len());
        for room in rooms {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
            assert!(file.is_file(), "{room} is no file of the program");
        }
    }
}
