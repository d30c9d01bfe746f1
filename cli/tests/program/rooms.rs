//! The files that a plain call of the program passes through: those with a line that runs on the CPU engine, which such a call
//! is answered by, as `scripts/rooms sum x.npy` counts them. The test sees that all are there; that none is
//! added only that script sees, so whoever needs one more counts again and says so here. What is not asked for (an axis, a mask, a partial, a pattern of names) is not looked at.
//!
//! Two of them are files of one idea each that were one of two: options.rs was in args.rs, report/computed.rs in report.rs.

use std::path::Path;

/// Those for `treefold sum --fast x.npy`, in the order of the call: of the program, then of the library.
const FAST_SUM: [&str; 27] = [
    "cli/src/main.rs",            // the call, and what is printed
    "cli/src/args.rs",            // the command line
    "cli/src/options.rs",         // options that go together, none of which is given
    "cli/src/operators.rs",       // the operator behind the name
    "cli/src/run.rs",             // the reduction
    "cli/src/input.rs",           // the file
    "cli/src/files/mod.rs",       // its format
    "cli/src/files/npy.rs",       // its header
    "cli/src/format.rs",          // its numbers
    "cli/src/parts.rs",           // what the answer is made of
    "cli/src/source.rs",          // its bytes
    "cli/src/reading.rs",         // how far it is
    "cli/src/report.rs",          // the answer
    "cli/src/streams.rs",         // its way to standard output
    "cli/src/report/computed.rs", // what it was computed on
    "src/device/environment.rs",  // that no other engine is asked for
    "src/run/engine.rs",          // which engine
    "src/run/team.rs",            // that it is the CPU alone
    "src/ops/mod.rs",             // the table
    "src/op/mod.rs",              // the contract
    "src/op/dynamic.rs",          // the operator as a value
    "src/element.rs",             // the type
    "src/run/stream.rs",          // parts of the input
    "src/input/read_at.rs",       // what threads read themselves
    "src/run/cpu.rs",             // its threads
    "src/ops/fast_sum.rs",        // the additions
    "src/op/answer.rs",           // the answer as a value
];

/// Those that `treefold sum x.npy`, which is exact, passes besides, in place of fast_sum.rs.
const EXACT_SUM: [&str; 8] = [
    "src/ops/sum.rs",
    "src/ops/exact.rs",
    "src/exact/host.rs",
    "src/exact/unpack.rs",
    "src/exact/accumulator.rs",
    "src/exact/round.rs",
    "src/exact/levels.rs", // of thousands of elements, several at a time
    "src/exact/four.rs",   // by instructions for four
];

#[test]
fn a_sum_passes_these_files() {
    for room in FAST_SUM.iter().chain(&EXACT_SUM) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(room);
        assert!(file.is_file(), "{room} is not there");
    }
    let mut all: Vec<_> = FAST_SUM.iter().chain(&EXACT_SUM).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), FAST_SUM.len() + EXACT_SUM.len(), "a file stands twice");
}
