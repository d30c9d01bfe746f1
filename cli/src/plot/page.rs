//! The data of the pictures and of the HTML page.

/// One measured run of a stage.
#[derive(Clone, Debug)]
pub struct Point {
    /// The stage's id.
    pub stage: String,
    /// The length in elements.
    pub count: u64,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// The input's gigabytes (1e9 bytes) per second.
    pub gb_per_s: f64,
    /// The input's elements per second.
    pub elements_per_s: f64,
}

/// One line of the ladder's table.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The stage's id.
    pub stage: String,
    /// The tutorial that it is from.
    pub source: String,
    /// Its one new idea.
    pub idea: String,
    /// The number of dispatches.
    pub passes: usize,
    /// Milliseconds in kernels by the device's clock.
    pub kernel_ms: Option<f64>,
    /// Milliseconds of all passes, the copies of the partials and the host's finish.
    pub gpu_ms: f64,
    /// The input's gigabytes (1e9 bytes) per second.
    pub gb_per_s: Option<f64>,
    /// Percent of the adapter's own read bandwidth.
    pub percent_of_read: Option<f64>,
    /// Speedup over the tutorials' loop on one core.
    pub speedup_one_core: Option<f64>,
    /// Speedup over a good program on all cores.
    pub speedup_all_cores: Option<f64>,
    /// The relative error against the exact sum.
    pub relative_error: Option<f64>,
    /// PASSED, FAILED or why it did not run.
    pub status: String,
    /// File names and WGSL texts.
    pub shaders: Vec<(String, String)>,
}

/// All that the pictures and the HTML page show.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// The adapter's name.
    pub adapter: String,
    /// The table's length in elements.
    pub count: u64,
    /// Sentences above the table.
    pub notes: Vec<String>,
    /// The table, in the ladder's order.
    pub rungs: Vec<Rung>,
    /// Runs of all stages over the length.
    pub by_length: Vec<Point>,
    /// Runs over length and workgroup size.
    pub by_workgroup: Vec<Point>,
}
