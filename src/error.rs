//! Everything that can go wrong, each with its values and the next step.

use std::time::Duration;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with the values that show it and the repair.
///
/// The library never panics and never installs a handler of its own on an app's device; what a driver drops,
/// truncates or loses comes back as one of these.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter that wgpu can use is on this machine.
    #[error(
        "no GPU adapter found; install a Vulkan driver (on Debian or Ubuntu: apt install mesa-vulkan-drivers) or use the CPU engine (treefold::Cpu)"
    )]
    NoAdapter,
    /// Software adapters alone are on this machine, and nobody named one.
    #[error(
        "adapter {number}, \"{adapter}\", is software, which is used on request only, for the CPU engine is faster; ask for it (Gpu::new, Gpu::named, or WGPU_ADAPTER_NAME)"
    )]
    SoftwareOnly {
        /// The number of the best of them.
        number: usize,
        /// Its name.
        adapter: String,
    },
    /// No adapter answers to the name or number that was asked for.
    #[error("no adapter matches \"{wanted}\"; there are: {available}")]
    AdapterNotFound {
        /// The text that was asked for.
        wanted: String,
        /// The adapters that there are instead.
        available: String,
    },
    /// A list of adapters' numbers names one of them twice.
    #[error("adapters {wanted}: one of them is named twice; name each once")]
    AdapterTwice {
        /// The list.
        wanted: String,
    },
    /// A sharded reduction is to be made of no devices.
    #[error("no devices; give one at least (Gpu::new, Gpu::all)")]
    NoDevices,
    /// An input has more shards than there are devices.
    #[error(
        "{shards} shards on {devices} devices; give one shard a device, of several buffers where it must be (Input::concat)"
    )]
    TooManyShards {
        /// The shards.
        shards: usize,
        /// The devices.
        devices: usize,
    },
    /// Shards of one array have not as many answers each.
    #[error("shard {shard} has {answers} answers, the first one {first}; cut the array along an axis that is reduced")]
    ShardsDiffer {
        /// The number of the shard, from 0.
        shard: usize,
        /// Its answers.
        answers: u64,
        /// Those of the first.
        first: u64,
    },
    /// `WGPU_BACKEND` names a backend that there is not.
    #[error("WGPU_BACKEND names \"{wanted}\", which is no backend; there are: {known}")]
    UnknownBackend {
        /// The name.
        wanted: String,
        /// The names that may stand there, separated by commas.
        known: &'static str,
    },
    /// The driver would not open a device.
    #[error(
        "adapter \"{adapter}\" did not open a device: {message}; name another one (Gpu::named, or WGPU_ADAPTER_NAME)"
    )]
    DeviceRefused {
        /// The adapter's name.
        adapter: String,
        /// The driver's message.
        message: String,
    },
    /// A buffer or texture was created without a usage that the call needs.
    #[error("{what} lacks {missing} (it has {has}); create it with {}Usages::{missing}", if missing.starts_with("TEXTURE") { "Texture" } else { "Buffer" })]
    MissingUsage {
        /// The buffer or texture, in words.
        what: &'static str,
        /// The usage that is missing.
        missing: &'static str,
        /// The usages that it has.
        has: String,
    },
    /// A range does not begin and end at multiples of the element size.
    #[error("{what} begins or ends at byte {offset_bytes}, which is no multiple of {multiple}; move it to byte {}", offset_bytes.next_multiple_of(*multiple))]
    Misaligned {
        /// The range, in words.
        what: &'static str,
        /// The byte at which the range begins or ends.
        offset_bytes: u64,
        /// The number of bytes of which that place must be a multiple.
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
    /// A mask has fewer flags than there are elements.
    #[error("the mask has {flags} flags for {elements} elements; give a flag for each, or a range of the elements")]
    MaskTooShort {
        /// Elements.
        elements: u64,
        /// Flags of the mask.
        flags: u64,
    },
    /// A range reaches past the end of its buffer.
    #[error("{what} needs bytes {begin}..{end}, but its buffer has {size_bytes}; pass at most {} bytes from there or a larger buffer", size_bytes.saturating_sub(*begin))]
    OutOfRange {
        /// The range, in words.
        what: &'static str,
        /// Its first byte.
        begin: u64,
        /// The byte behind its last.
        end: u64,
        /// Bytes of the buffer.
        size_bytes: u64,
    },
    /// A range ends before it begins.
    #[error("{what} begins at byte {begin} but ends at byte {end}; give the range in order, the lower place first")]
    Backwards {
        /// The range, in words.
        what: &'static str,
        /// Its first byte.
        begin: u64,
        /// The byte behind its last.
        end: u64,
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
    /// Outputs of one call that overlap.
    #[error("outputs at bytes {one:?} and {other:?} of one buffer overlap; give each a place of its own")]
    OutputsOverlap {
        /// Bytes of one.
        one: std::ops::Range<u64>,
        /// Bytes of another.
        other: std::ops::Range<u64>,
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
    /// An operator's helper has a name that the kernels use.
    #[error(
        "operator {operator}: a helper declares `{name}`, which the kernels use themselves; choose another name (Wgsl::RESERVED lists those that are taken)"
    )]
    ReservedName {
        /// The operator's name.
        operator: String,
        /// The name.
        name: String,
    },
    /// The WGSL of an operator is not valid.
    #[error("{piece} of operator {operator}, line {line}: {message}; the line is `{quoted}`")]
    BadWgsl {
        /// The operator's name.
        operator: String,
        /// The name of the text: `combine`, say.
        piece: String,
        /// The line of that text, counted from 1.
        line: usize,
        /// The line.
        quoted: String,
        /// The compiler's message.
        message: String,
    },
    /// An expression is not one of numbers.
    #[error("{message}\n    {expression}\n    {marks}")]
    BadExpression {
        /// The expression.
        expression: String,
        /// Marks below what the message is about.
        marks: String,
        /// The mistake, and what would be right.
        message: String,
    },
    /// A function takes or makes numbers of one type, and those of another are wanted.
    #[error("{what} has {has}, and {wanted} is wanted; make it for that type")]
    OtherType {
        /// The function.
        what: String,
        /// The type that it has.
        has: &'static str,
        /// The type that is wanted.
        wanted: &'static str,
    },
    /// An operator's text has a loop that it does not declare.
    #[error(
        "{function} of operator {operator} has a loop, but declares none: drivers on CPUs end long loops silently, so state the most trips of one call (Wgsl::trips, DeviceAnswer::trips)"
    )]
    UndeclaredLoop {
        /// The operator's name.
        operator: String,
        /// The function.
        function: &'static str,
    },
    /// One call of an operator's function loops more often than an invocation may.
    #[error(
        "{function} loops up to {trips} times a call, but {most} trips are all that an invocation may take; bound the loop, or spread the work over more elements"
    )]
    TooManyTrips {
        /// The function.
        function: &'static str,
        /// Its declared trips.
        trips: u64,
        /// Those that there is room for.
        most: u64,
    },
    /// The input is so long that its partials are more than one workgroup combines.
    #[error(
        "{elements} elements leave {partials} partials on this device, of which one pass combines {most}; reduce the input in parts and merge their partials (Reducer::partial)"
    )]
    TooManyPartials {
        /// Elements of the input.
        elements: u64,
        /// Partials that they leave.
        partials: u64,
        /// Those that there is room for.
        most: u64,
    },
    /// The two halves of an operator do not agree.
    #[error(
        "the halves of operator {operator} disagree on {what} at {at}: the device gives {device}, the host {host}; make them equal line for line"
    )]
    Disagrees {
        /// The operator's name.
        operator: String,
        /// The subject of the comparison.
        what: &'static str,
        /// The case.
        at: String,
        /// The value that the device, or the first side, gave.
        device: String,
        /// The value that the host, or the second side, gave.
        host: String,
    },
    /// A histogram has no bins, or no range.
    #[error(
        "a histogram of {bins} bins over {low}..={high} is not possible; give 1 to 16777216 bins and finite edges, the lower one first, whose difference is finite"
    )]
    BadRange {
        /// The bins.
        bins: u32,
        /// The lower edge.
        low: f64,
        /// The upper edge.
        high: f64,
    },
    /// Whole numbers that are no bins of a histogram.
    #[error(
        "a bin for each whole number from {low} to {high} is not possible; give the lower one first, at most 16777216 numbers, within 2^51 of 0"
    )]
    BadIntegers {
        /// The lowest.
        low: i64,
        /// The highest.
        high: i64,
    },
    /// More bins in two dimensions than there may be.
    #[error("{x} by {y} bins are more than 16777216; ask for fewer along either axis")]
    TooManyBins {
        /// Bins of x.
        x: u64,
        /// Bins of y.
        y: u64,
    },
    /// Counts that are no histogram's.
    #[error(
        "{slots} counts are too few for a histogram, which counts beside its bins too; use an accumulator of its own"
    )]
    TooFewSlots {
        /// Number of counts.
        slots: usize,
    },
    /// Edges of a histogram's bins that are too few or too many.
    #[error("{edges} edges are no bins of a histogram; give 2 to 16777217, one more than there are to be bins")]
    EdgeCount {
        /// Number of edges that were given.
        edges: usize,
    },
    /// An edge of a histogram's bins that is not finite, or not above the one before it.
    #[error(
        "edge {place} of a histogram is {value}{}; give finite edges, each above the one before (what lies beyond them is counted apart)",
        before.map_or(String::new(), |before| format!(", after {before}"))
    )]
    BadEdge {
        /// Its place among the edges, from 0.
        place: usize,
        /// The edge.
        value: f64,
        /// The edge before it, where there is one.
        before: Option<f64>,
    },
    /// Data whose ends are not finite, so that they have no range.
    #[error(
        "the elements reach from {low} to {high}, over which no bins can lie; give a histogram a finite range, or edges"
    )]
    NoRange {
        /// The lowest element.
        low: f64,
        /// The highest.
        high: f64,
    },
    /// An operator has no such option, or the option no such value.
    #[error("{option} of {operator} is \"{value}\", but must be {rule}")]
    BadOption {
        /// The operator's name.
        operator: String,
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// The rule for the value.
        rule: String,
    },
    /// A texture whose texels are of another type than the elements.
    #[error(
        "texels of {format} are {texels}, but the elements of this reduction are {elements}; make a Reducer<{texels}, _>, or take a texture of {elements}"
    )]
    TextureKind {
        /// The format.
        format: String,
        /// The type that its texels are loaded as.
        texels: &'static str,
        /// The type of the elements.
        elements: &'static str,
    },
    /// A channel that a texture's format does not have.
    #[error(
        "channel {channel} is asked for, but {format} has {channels}, of R, G, B and A the first; name one of them"
    )]
    NoSuchChannel {
        /// The channel, of a weighted sum the last one.
        channel: &'static str,
        /// The format.
        format: String,
        /// Number of the format's channels.
        channels: u8,
    },
    /// A mip level or a layer that a texture does not have.
    #[error(
        "level {level} of layer {layer} is asked for, but the texture has {levels} levels and {layers} layers, counted from 0"
    )]
    NoSuchLevel {
        /// The mip level.
        level: u32,
        /// Number of the texture's levels.
        levels: u32,
        /// The layer.
        layer: u32,
        /// Number of the texture's layers.
        layers: u32,
    },
    /// A texture that no input is made of.
    #[error("{what} is no input; {repair}")]
    BadTexture {
        /// The texture, in words.
        what: String,
        /// The repair.
        repair: &'static str,
    },
    /// A texture where buffers alone do.
    #[error(
        "a texture is reduced whole, for one answer; for rows, axes, segments, offsets or pairs copy it to a buffer (CommandEncoder::copy_texture_to_buffer)"
    )]
    TextureInParts,
    /// An input does not divide into rows.
    #[error(
        "{elements} elements are no whole rows of {length}; give a multiple of the row's length, which is at least 1"
    )]
    RaggedRows {
        /// Elements of the input.
        elements: u64,
        /// Elements of a row.
        length: u64,
    },
    /// Segments without offsets.
    #[error("segments need one offset more than there are segments, at least one: 0 for no segments")]
    NoOffsets,
    /// An operator whose order shows, over groups whose elements lie anywhere.
    #[error("groups are read in no order, and this operator's order shows; sort by key, and reduce runs of equal keys")]
    OrderOfGroups,
    /// More elements, or more groups, than one plan takes.
    #[error(
        "{elements} elements in {groups} groups are more than one plan takes, which is {most} at most; group a part of them at a time, or sort by key and reduce runs"
    )]
    GroupsTooMany {
        /// Elements.
        elements: u64,
        /// Groups.
        groups: u64,
        /// The most of those that are too many.
        most: u64,
    },
    /// Keys of less than a word.
    #[error("keys of {dtype} are narrower than a word, which kernels write at once; widen them, or use the CPU engine")]
    NarrowKeys {
        /// Their type.
        dtype: &'static str,
    },
    /// Keys that lie in several ranges.
    #[error(
        "keys lie in {ranges} ranges of buffers, but runs of equal keys are found in one; copy them into one buffer"
    )]
    KeysApart {
        /// Number of ranges.
        ranges: u64,
    },
    /// A count of which not even the first word is there.
    #[error("a count is a u32 in a buffer, and this range has no room for one; give it 4 bytes at least")]
    NoCount,
    /// A count of answers along axes.
    #[error(
        "answers along axes are as many as their shape says, and no count on the device changes that; count contiguous rows or segments"
    )]
    AxesCounted,
    /// An offset of a segment that is lower than the one before it.
    #[error("offset {place} is {offset}, but the one before it is {before}; offsets of segments must not fall")]
    OffsetsFall {
        /// Place of the offset, counted from 0.
        place: usize,
        /// The one before.
        before: u64,
        /// The offset.
        offset: u64,
    },
    /// An offset of a segment past the end of the input.
    #[error("offset {place} is {offset}, but there are {elements} elements; the last offset is at most their number")]
    OffsetsOutside {
        /// Place of the offset, counted from 0.
        place: usize,
        /// The offset.
        offset: u64,
        /// Elements of the input.
        elements: u64,
    },
    /// Offsets of segments in several ranges of buffers.
    #[error("the offsets of segments lie in {ranges} ranges of buffers; give one")]
    OffsetsApart {
        /// Number of ranges.
        ranges: u64,
    },
    /// More elements and segments than one plan counts.
    #[error(
        "{elements} elements and {segments} segments are more than the {most} that one plan takes; give the offsets as a slice, which is cut into parts between segments, or reduce longer segments one by one"
    )]
    SegmentsTooMany {
        /// Elements of the input.
        elements: u64,
        /// Segments.
        segments: u64,
        /// The most that one plan takes.
        most: u64,
    },
    /// An operator that counts in bins, or adds up several long sums, which segments, runs, groups and inputs whose count a device holds have no
    /// room for.
    #[error(
        "{operator} counts in bins, or adds up several long sums, which cannot be had for every segment, run or group, or for a count on the device; reduce each alone, by lengths that the host knows"
    )]
    NotBySegments {
        /// The operator's name.
        operator: &'static str,
    },
    /// The best elements of groups of unsorted keys, or of as many rows, segments or elements as the device counts.
    #[error(
        "the best elements of groups, and of what the device counts, are not found on a device; take rows, axes or segments whose number the host knows, or the CPU engine"
    )]
    NotListed,
    /// The best elements of an answer that is too long for a workgroup.
    #[error(
        "answer {answer} has more elements than the {most} of which a workgroup finds the best; take rows, or segments whose offsets are a slice, which may be longer, or copy the elements of a column into a row"
    )]
    ListTooLong {
        /// The answer's number.
        answer: u64,
        /// Elements of an answer that are neighbours, at most; of others fewer.
        most: u64,
    },
    /// An operator of another kind for a reducer that is there.
    #[error(
        "the reducer is of {operator}, and {other} has other kernels, which were neither compiled nor tested here; make a reducer of it"
    )]
    OtherOperator {
        /// The reducer's operator.
        operator: &'static str,
        /// The other one.
        other: &'static str,
    },
    /// Partials of segments, or of answers that only the device counts.
    #[error(
        "partials of many answers are of rows, axes or groups; segments, and what only the device counts, have none; finish them here, or take a partial of each alone"
    )]
    NoPartialsOfSegments,
    /// Answers that would be written to a buffer that the same dispatch reads.
    #[error(
        "the answers of segments would go to a buffer that the elements, offsets or a count are read from, which no dispatch may do; give the output a buffer of its own"
    )]
    SegmentsInPlace,
    /// An axis that a view does not have.
    #[error("axis {axis} is none of a view of shape {shape:?}; {}", axes(shape.len()))]
    NoSuchAxis {
        /// The axis.
        axis: i64,
        /// Lengths of the axes that there are.
        shape: Vec<u64>,
    },
    /// An axis that is named twice.
    #[error("axis {axis} of a view of shape {shape:?} is named twice; name each axis once, counted from either end")]
    AxisTwice {
        /// The axis, as it is named the second time.
        axis: i64,
        /// Lengths of the axes.
        shape: Vec<u64>,
    },
    /// A view whose shape and strides do not go together.
    #[error("a view has {axes} axes but {strides} strides; give one stride for each axis")]
    UnequalView {
        /// Axes of its shape.
        axes: usize,
        /// Strides.
        strides: usize,
    },
    /// A view of more elements, or over a longer way, than 64 bits count.
    #[error("a view of shape {shape:?} has more than 2^63 elements, or reaches as far; reduce it in parts")]
    ViewTooLarge {
        /// Lengths of its axes.
        shape: Vec<u64>,
    },
    /// More elements for a stream than its arrays have.
    #[error(
        "{pushed} elements have been pushed, but the arrays that are reduced have {elements}; push no more than that"
    )]
    PushedTooMany {
        /// Elements, with those that were refused.
        pushed: u64,
        /// Elements of the arrays.
        elements: u64,
    },
    /// A view that reads elements which are not there.
    #[error(
        "the view reads elements {low} to {high}, but the input has {elements}; check its first element, shape and strides"
    )]
    ViewOutside {
        /// The lowest element that it reads.
        low: i128,
        /// The highest.
        high: i128,
        /// Elements of the input.
        elements: u64,
    },
    /// A view whose elements do not come one behind another.
    #[error(
        "a stream takes dense arrays in C or Fortran order; this view (its answers: {shape:?}) leaves gaps, repeats or goes backwards: copy it into a dense one"
    )]
    SparseView {
        /// The shape of its answers, axes that are reduced of length 1.
        shape: Vec<u64>,
    },
    /// An order that shows in the answer.
    #[error(
        "{operator} counts places in C order, in which the elements of this array do not lie; push them in C order, with Axes::of"
    )]
    OrderShows {
        /// The operator's name.
        operator: &'static str,
    },
    /// More answers than memory holds.
    #[error(
        "{answers} answers take {bytes} bytes of memory at least, which are not to be had; ask for fewer of them in a call: parts of a view, or more of its axes, fewer segments or groups"
    )]
    TooManyAnswers {
        /// Number of answers.
        answers: u64,
        /// Bytes of their accumulators.
        bytes: u128,
    },
    /// A view that lies in so many buffers or bindings that a plan would be too long.
    #[error(
        "the view takes more than {most} dispatches, since its elements lie far apart or in many buffers; copy it into one buffer, or reduce parts of it"
    )]
    ViewTooScattered {
        /// Dispatches of a plan, at most.
        most: usize,
    },
    /// Inputs of two buffers and of one were concatenated, or those with masks of bytes and of bits.
    #[error(
        "inputs that are zipped or masked, and those of a single buffer, do not concatenate, nor do masks of bytes and of bits; have all parts alike"
    )]
    MixedPairs,
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
        "no memory for {what} of {bytes} bytes; use less (StreamOptions::memory_bytes), free buffers, or choose another adapter ({message})"
    )]
    OutOfMemory {
        /// The buffer that was to be allocated, in words.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The driver's message.
        message: String,
    },
    /// The device was lost: removed, reset by its watchdog, or destroyed by the program.
    #[error(
        "the device was lost while {what}: {message}; open one again (Gpu::new, or request_device), make buffers and reducers anew, and repeat the call"
    )]
    DeviceLost {
        /// The work that was under way.
        what: &'static str,
        /// The message of wgpu.
        message: String,
    },
    /// The device did not answer in time.
    #[error(
        "no answer from the device after {waited:?} while {what}; it may hang, or other work keeps it busy: raise the timeout (set_timeout) or look at the driver's log"
    )]
    Timeout {
        /// The work that was under way.
        what: &'static str,
        /// The time that was waited.
        waited: Duration,
    },
    /// A call that waits, in a browser: its answers come between tasks only, so waiting would stop the page for good.
    #[error("{call} waits, and waiting stops a web page for good; use {instead}")]
    WouldBlock {
        /// The call.
        call: &'static str,
        /// The alternative, in words.
        instead: &'static str,
    },
    /// The device called its work done but left no result.
    #[error(
        "the device reported its work as done but left no result; its watchdog may have stopped a kernel: repeat the call, or lower Tuning::dispatch_bytes_max; of segments, offsets that fall leave answers out too"
    )]
    ResultMissing,
    /// Bins of which workgroup memory holds too few for others to stand beside them.
    #[error(
        "{operator} counts in {needs} bytes beside other folds, of which a filter is one, and a workgroup of this device has {value}; reduce the histogram by itself, or on the CPU engine (treefold::Cpu)"
    )]
    BinsBeside {
        /// The operator's name.
        operator: &'static str,
        /// Bytes of workgroup memory.
        value: u64,
        /// Bytes that are needed.
        needs: u64,
    },
    /// No kernel of an exact operator passed its self-test.
    #[error(
        "no kernel of {operator} sums right on this device: its driver computes integers or workgroup memory wrongly; use another adapter or the CPU engine (treefold::Cpu), and report the driver"
    )]
    NoExactKernel {
        /// The operator's name.
        operator: &'static str,
    },
    /// Elements that an engine was to read ([`ReadAt`](crate::ReadAt)) could not be had.
    #[error("elements from {at} on cannot be read: {message}; the stream has no answer, begin it anew")]
    Unreadable {
        /// The place of the first of them, in what they are read from.
        at: u64,
        /// The reader's own words.
        message: String,
    },
    /// An element is NaN, and the operator takes none.
    #[error("element {index} is NaN, and {operator} without NaN takes none; Filtered::not_nan leaves such out")]
    IsNan {
        /// The operator's name.
        operator: &'static str,
        /// The place of the first one, from 0: in the whole input, or in its row or segment.
        index: u64,
    },
    /// Bytes are not a partial result, or not of the operator and type that was asked for.
    #[error("not a usable partial result: {reason}")]
    BadPartial {
        /// The mistake, and the repair.
        reason: String,
    },
    /// An element type is of a size that kernels do not read, or says another than it has.
    #[error(
        "elements of {dtype} say that they have {bytes} bytes and have {size} in Rust; a device reads 4, 8, 12 or 16, and both must be the same: make \
         OwnType::new and the struct agree"
    )]
    BadElement {
        /// The name of the type.
        dtype: &'static str,
        /// Bytes of one, as its type says.
        bytes: u64,
        /// Bytes of one in Rust.
        size: u64,
    },
    /// The operator has no device half over such elements.
    #[error("{operator} over {dtype} is computed on the CPU alone: {why}; use the CPU engine (treefold::Cpu)")]
    HostOnly {
        /// The operator's name.
        operator: &'static str,
        /// The type of its elements.
        dtype: &'static str,
        /// Why no device computes it.
        why: &'static str,
    },
    /// The operator has no answer on the device.
    #[error("operator {operator} leaves no answer on the device; use reduce(), or record its parts")]
    NoDeviceAnswer {
        /// The operator's name.
        operator: &'static str,
    },
    /// The binding of the output is shorter than the answers.
    #[error(
        "the output has {bytes} bytes, but {operator} needs {needs}: {answers} answers of {words} words each, their count words included"
    )]
    OutputTooSmall {
        /// The operator's name.
        operator: &'static str,
        /// Bytes that were given.
        bytes: u64,
        /// Bytes that are needed.
        needs: u64,
        /// Words of an answer.
        words: usize,
        /// Number of answers.
        answers: u64,
    },
    /// An operator's answer on the device has no words.
    #[error("operator {operator} has a device answer of no words; give DeviceAnswer::new one at least, or no answer")]
    NoAnswerWords {
        /// The operator's name.
        operator: &'static str,
    },
    /// A buffer, queue or encoder of another device, or of another wgpu instance.
    #[error(
        "{what}: something belongs to another device or another wgpu instance ({message}); pass buffers, queue and encoder of the device that the reducer was made on"
    )]
    Foreign {
        /// The work that was under way.
        what: &'static str,
        /// The message of wgpu.
        message: String,
    },
    /// wgpu found an object or a shader invalid.
    #[error("wgpu refused {what}: {message}")]
    Refused {
        /// The object that was to be made, in words.
        what: &'static str,
        /// The message of wgpu.
        message: String,
    },
    /// A device that keeps no cache.
    #[error(
        "adapter \"{adapter}\" keeps no cache: {why}; do without, or open it with Features::PIPELINE_CACHE where it has that"
    )]
    NoCache {
        /// The adapter's name.
        adapter: String,
        /// The reason.
        why: String,
    },
    /// Bytes that are no cache of this device.
    #[error("the {bytes} bytes of a cache are not taken: {why}; write what Gpu::cache gives in their place")]
    CacheRefused {
        /// Their number.
        bytes: usize,
        /// The reason.
        why: String,
    },
    /// No elements, or more than one binding holds.
    #[cfg(feature = "ladder")]
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
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The rule for the value.
        rule: &'static str,
    },
}

/// The axes that a view of so many has.
fn axes(count: usize) -> String {
    match count {
        0 => "it has no axes, so reduce it as a whole".into(),
        _ => format!("its axes are 0 to {}, or -{count} to -1", count - 1),
    }
}
