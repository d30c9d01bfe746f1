//! Everything that can go wrong, each with its values and the next step.

use std::time::Duration;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with the values that show it and the repair.
///
/// The library never panics and never installs a handler of its own on a device; what a driver drops,
/// truncates or loses comes back as one of these.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter that wgpu can use is on this machine.
    #[error(
        "no GPU adapter found; install a Vulkan driver (on Debian or Ubuntu: apt install mesa-vulkan-drivers) or use the CPU engine (--adapter cpu, treefold::Cpu)"
    )]
    NoAdapter,
    /// No adapter answers to the name or number that was asked for.
    #[error("no adapter matches \"{wanted}\"; there are: {available}")]
    AdapterNotFound {
        /// The text that was asked for.
        wanted: String,
        /// What there is instead.
        available: String,
    },
    /// The driver would not open a device.
    #[error("adapter \"{adapter}\" did not open a device: {message}; try another with --adapter or WGPU_ADAPTER_NAME")]
    DeviceRefused {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        message: String,
    },
    /// A buffer was created without a usage that the call needs.
    #[error("{what} lacks {missing} (it has {has}); create it with BufferUsages::{missing}")]
    MissingUsage {
        /// Which buffer.
        what: &'static str,
        /// The usage that is missing.
        missing: &'static str,
        /// The usages that it has.
        has: String,
    },
    /// A range does not begin and end at multiples of the element size.
    #[error("{what} begins or ends at byte {offset_bytes}, which is no multiple of {multiple}; move it to byte {}", offset_bytes.next_multiple_of(*multiple))]
    Misaligned {
        /// Which range.
        what: &'static str,
        /// Where it begins or ends.
        offset_bytes: u64,
        /// What that must be a multiple of.
        multiple: u64,
    },
    /// Two inputs that belong together have different lengths.
    #[error("the first input has {left} elements, the second {right}; give both the same length")]
    Unequal {
        /// Elements of the first.
        left: u64,
        /// Elements of the second.
        right: u64,
    },
    /// A range reaches past the end of its buffer.
    #[error("{what} needs bytes {begin}..{end}, but its buffer has {size_bytes}; pass at most {} bytes from there or a larger buffer", size_bytes.saturating_sub(*begin))]
    OutOfRange {
        /// Which range.
        what: &'static str,
        /// Its first byte.
        begin: u64,
        /// The byte behind its last.
        end: u64,
        /// What the buffer has.
        size_bytes: u64,
    },
    /// The output lies inside the input.
    #[error(
        "the output (bytes {output_begin}..{output_end}) overlaps the input (bytes {input_begin}..{input_end}) in one buffer; give the output a place of its own"
    )]
    Overlap {
        /// First byte of the output.
        output_begin: u64,
        /// The byte behind the output's last.
        output_end: u64,
        /// First byte of the input.
        input_begin: u64,
        /// The byte behind the input's last.
        input_end: u64,
    },
    /// More elements than the accumulator on the device holds exactly.
    #[error(
        "{operator} of {elements} elements could overflow its accumulator on the device, which holds {most} safely; use reduce(), which merges on the host, or record parts"
    )]
    TooLongToRecord {
        /// The operator's name.
        operator: &'static str,
        /// Elements in the input.
        elements: u64,
        /// Elements that are safe.
        most: u64,
    },
    /// The exact result does not fit the result type.
    #[error("the {operator} does not fit {bits} bits; reduce fewer elements, or floats")]
    Overflow {
        /// The operator's name.
        operator: &'static str,
        /// Width of the result type.
        bits: u32,
    },
    /// A limit of the device is too small for any plan.
    #[error(
        "this device's {limit} of {value} is too small: treefold needs {needs}; open the device with the adapter's own limits (adapter.limits())"
    )]
    LimitTooSmall {
        /// The limit's name in `wgpu::Limits`.
        limit: &'static str,
        /// Its value.
        value: u64,
        /// The least that is needed.
        needs: u64,
    },
    /// The device has no memory left for a buffer.
    #[error(
        "no memory for {what} of {bytes} bytes; use less (--memory), free buffers, or choose another adapter ({message})"
    )]
    OutOfMemory {
        /// What was to be allocated.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// What the driver said.
        message: String,
    },
    /// The device was lost: removed, reset by its watchdog, or destroyed by the program.
    #[error("the device was lost while {what}: {message}; open it again and repeat the call")]
    DeviceLost {
        /// What was under way.
        what: &'static str,
        /// What wgpu said.
        message: String,
    },
    /// The device did not answer in time.
    #[error(
        "no answer from the device after {waited:?} while {what}; it may hang, or other work keeps it busy: raise the timeout (set_timeout) or look at the driver's log"
    )]
    Timeout {
        /// What was under way.
        what: &'static str,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The device called its work done but left no result.
    #[error(
        "the device reported its work as done but left no result; its watchdog may have stopped a kernel: repeat the call, or lower Tuning::dispatch_bytes_max"
    )]
    ResultMissing,
    /// No kernel of an exact operator passed its self-test.
    #[error(
        "no kernel of {operator} sums right on this device: its driver computes integers or workgroup memory wrongly; use another adapter or the CPU engine (--adapter cpu), and report the driver"
    )]
    NoExactKernel {
        /// The operator's name.
        operator: &'static str,
    },
    /// Bytes are not a partial result, or not of the operator and type that was asked for.
    #[error("not a usable partial result: {reason}")]
    BadPartial {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The operator has no answer on the device.
    #[error("operator {operator} leaves no answer on the device; use reduce(), or record its parts")]
    NoDeviceAnswer {
        /// The operator's name.
        operator: &'static str,
    },
    /// The binding of the output is shorter than the answer and its count word.
    #[error("the output has {bytes} bytes, but {operator} needs {needs}: {words} words of answer and a count word")]
    OutputTooSmall {
        /// The operator's name.
        operator: &'static str,
        /// Bytes that were given.
        bytes: u64,
        /// Bytes that are needed.
        needs: u64,
        /// Words of the answer.
        words: usize,
    },
    /// wgpu found an object or a shader invalid.
    #[error("wgpu refused {what}: {message}")]
    Refused {
        /// What was to be made.
        what: &'static str,
        /// What wgpu said.
        message: String,
    },
    /// No elements, or more than one binding holds.
    #[error("a ladder of {elements} elements is not possible on this adapter; ask for 1 to {most}")]
    BadLength {
        /// The elements that were asked for.
        elements: u64,
        /// The most that one binding holds.
        most: u64,
    },
    /// The tuning asks for something that no plan can keep.
    #[error("tuning: {what} is {value}, but must be {rule}")]
    BadTuning {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: u64,
        /// What it must be.
        rule: &'static str,
    },
}
