//! The time of a reduction over very many ranks, simulated: each rank reads its share, then a tree of merges. Deterministic by its seed.
//!
//! `cargo run --release -p treefold-mpi --example simulate -- ranks=10:1000000 latency_us=2 plot=scaling.svg`; `help` lists all
//! parameters.

use plotters::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

/// Each parameter, its value unless told, and what it is.
const PARAMETERS: [(&str, &str, &str); 15] = [
    ("ranks", "10:1000000", "least and most ranks; powers of ten between them"),
    ("gigabytes", "1000000", "data in all"),
    ("rate_gb", "5", "gigabytes that a rank reads and reduces in a second"),
    ("noise", "0.03", "standard deviation of that time, as a share of it"),
    ("stragglers", "0.001", "share of ranks that are slow"),
    ("slowness", "2", "how many times as long those take"),
    ("latency_us", "2", "microseconds of a message, its first byte"),
    ("bandwidth_gb", "10", "gigabytes of messages in a second"),
    ("partial_bytes", "1024", "bytes of a partial"),
    ("merge_us", "2", "microseconds of a merge of two partials"),
    ("agreements", "2", "exchanges of a few words by which all ranks agree; each goes up a tree and down"),
    ("mtbf_hours", "500000", "mean hours until a given rank fails; 0: none fails"),
    ("restart_s", "60", "seconds until a job that has lost a rank begins again"),
    ("seed", "1", "seed of all that is random"),
    ("plot", "", "a file for a picture (SVG)"),
];

/// Attempts of a job after which it counts as one that never ends.
const ATTEMPTS: u64 = 1000;

/// Parameters as they were told.
struct Told(BTreeMap<&'static str, String>);

impl Told {
    fn read() -> Result<Told, String> {
        let mut told: BTreeMap<_, _> = PARAMETERS.iter().map(|&(name, value, _)| (name, value.to_string())).collect();
        for word in std::env::args().skip(1) {
            let known = word.split_once('=').and_then(|(name, value)| Some((told.get_mut(name)?, value)));
            let lines = PARAMETERS.map(|(name, value, what)| format!("  {name}={value}    {what}")).join("\n");
            let (old, value) = known.ok_or_else(|| format!("{word}: is no parameter; there are\n{lines}"))?;
            *old = value.into();
        }
        Ok(Told(told))
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        let text = self.text(name);
        let number = text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
        number.ok_or_else(|| format!("{name}={text}: is no number from 0 on"))
    }

    /// The powers of ten in the range of ranks.
    fn ranks(&self) -> Result<Vec<usize>, String> {
        let text = self.text("ranks");
        let ends = text.split_once(':').unwrap_or((text, text));
        let ends = ends.0.parse::<usize>().ok().zip(ends.1.parse::<usize>().ok());
        let (least, most) =
            ends.filter(|ends| ends.0 > 0 && ends.0 <= ends.1).ok_or(format!("ranks={text}: write LEAST:MOST"))?;
        Ok(std::iter::successors(Some(least), |ranks| ranks.checked_mul(10))
            .take_while(|&ranks| ranks <= most)
            .collect())
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From above 0 to 1.
    fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Seconds of a simulated job.
struct Seconds {
    /// Until the slowest rank has its partial, and the mean of all.
    slowest: f64,
    mean: f64,
    /// From there until rank 0 has the answer, by a tree of merges, and where rank 0 takes all partials itself.
    tree: f64,
    gather: f64,
    /// In all, with what failures cost: where a failure ends the job, and where only the rank's share is done again.
    whole: f64,
    by_files: f64,
    failures: u64,
}

struct Model {
    share: f64,
    noise: f64,
    stragglers: f64,
    slowness: f64,
    message: f64,
    transfer: f64,
    merge: f64,
    /// Seconds of all agreements.
    agreed: f64,
    mtbf: f64,
    restart: f64,
}

impl Model {
    fn of(told: &Told, ranks: usize) -> Result<Model, String> {
        let bytes = told.number("partial_bytes")?;
        let transfer = bytes / (told.number("bandwidth_gb")? * 1e9);
        let (latency, levels) = (told.number("latency_us")? * 1e-6, f64::from(ranks.next_power_of_two().ilog2()));
        Ok(Model {
            share: told.number("gigabytes")? / told.number("rate_gb")? / ranks as f64,
            noise: told.number("noise")?,
            stragglers: told.number("stragglers")?,
            slowness: told.number("slowness")?,
            message: latency + transfer,
            transfer,
            merge: told.number("merge_us")? * 1e-6,
            agreed: told.number("agreements")? * 2.0 * levels * latency,
            mtbf: told.number("mtbf_hours")? * 3600.0,
            restart: told.number("restart_s")?,
        })
    }

    fn work(&self, random: &mut Random) -> f64 {
        let slow = if random.uniform() <= self.stragglers { self.slowness } else { 1.0 };
        self.share * slow * (1.0 + self.noise * random.normal()).max(0.0)
    }

    /// Time until rank 0 has the answer, of the times at which ranks are ready: rank r takes the partials of r + 1, r + 2, r + 4 …
    fn tree(&self, mut ready: Vec<f64>) -> f64 {
        let mut step = 1;
        while step < ready.len() {
            for left in (0..ready.len() - step).step_by(2 * step) {
                ready[left] = ready[left].max(ready[left + step] + self.message) + self.merge;
            }
            step *= 2;
        }
        ready[0]
    }

    /// The same where rank 0 takes and merges one partial after another.
    fn gather(&self, mut ready: Vec<f64>) -> f64 {
        ready[1..].sort_by(f64::total_cmp);
        let first = ready[0];
        ready[1..].iter().fold(first, |now, other| now.max(other + self.message) + self.transfer + self.merge)
    }

    /// Time in all where parts lie in files: a share whose rank fails is done again alone, while the others go on.
    fn by_files(&self, ranks: usize, tree: f64, slowest: f64, random: &mut Random) -> f64 {
        let (mut end, mut failure) = (tree, 0.0);
        for _ in 0..if self.mtbf > 0.0 { ATTEMPTS } else { 0 } {
            failure -= self.mtbf / ranks as f64 * random.uniform().ln();
            if failure >= slowest {
                break;
            }
            end = end.max(failure + self.restart + self.share);
        }
        end
    }

    fn run(&self, ranks: usize, random: &mut Random) -> Seconds {
        let ready: Vec<f64> = (0..ranks).map(|_| self.work(random)).collect();
        let slowest = ready.iter().copied().fold(0.0, f64::max);
        let mean = ready.iter().sum::<f64>() / ranks as f64;
        let tree = self.tree(ready.clone()) + self.agreed;
        let (mut whole, mut failures) = (tree, 0);
        // The first failure of any of n ranks comes after an n-th of the mean time of one.
        if self.mtbf > 0.0 {
            let any = self.mtbf / ranks as f64;
            loop {
                let failure = -any * random.uniform().ln();
                if failure >= tree || failures == ATTEMPTS {
                    break;
                }
                (whole, failures) = (whole + failure + self.restart, failures + 1);
            }
            if failures == ATTEMPTS {
                whole = f64::INFINITY;
            }
        }
        let by_files = self.by_files(ranks, tree, slowest, random);
        Seconds {
            slowest,
            mean,
            tree: tree - slowest,
            gather: self.gather(ready) + self.agreed - slowest,
            whole,
            by_files,
            failures,
        }
    }
}

fn main() -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("simulate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn work() -> Result<(), Box<dyn Error>> {
    let told = Told::read()?;
    let seed = told.text("seed").parse().map_err(|_| "seed: is no whole number")?;
    println!("   ranks   mean s  slowest s   tree µs  gather µs  failures   whole s  by files s  efficiency");
    let mut found = vec![];
    for ranks in told.ranks()? {
        let model = Model::of(&told, ranks)?;
        let seconds = model.run(ranks, &mut Random(seed));
        let Seconds { slowest, mean, tree, gather, whole, by_files, failures } = seconds;
        let efficiency = 100.0 * model.share / whole;
        let (tree, gather) = (tree * 1e6, gather * 1e6);
        println!(
            "{ranks:>8} {mean:>8.3} {slowest:>10.3} {tree:>9.1} {gather:>10.1} {failures:>9} {whole:>9.3} {by_files:>11.3} {efficiency:>9.1} %"
        );
        found.push([ranks as f64, tree.max(0.1), gather.max(0.1)]);
    }
    match told.text("plot") {
        "" => Ok(()),
        path => draw(path, &found),
    }
}

/// Draws the microseconds of the merges behind the slowest rank, by a tree and by one rank, over the number of ranks.
fn draw(path: &str, found: &[[f64; 3]]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (800, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let times = || found.iter().flat_map(|&[_, tree, gather]| [tree, gather]);
    let (least, most) = (times().fold(f64::MAX, f64::min), times().fold(0.0, f64::max));
    let (first, last) = (found.first().ok_or("no ranks")?[0], found.last().ok_or("no ranks")?[0]);
    let mut chart = ChartBuilder::on(&root)
        .caption("Merges behind the slowest rank, simulated", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d((first..last * 1.01).log_scale(), (least * 0.5..most * 2.0).log_scale())?;
    chart.configure_mesh().x_desc("ranks").y_desc("µs").draw()?;
    for (at, name, color) in [(1, "a tree", RGBColor(0, 90, 181)), (2, "one rank takes all", RGBColor(220, 50, 32))] {
        let points = || found.iter().map(|times| (times[0], times[at]));
        let line = chart.draw_series(LineSeries::new(points(), color.stroke_width(2)))?;
        line.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        chart.draw_series(points().map(|at| Circle::new(at, 4, color.filled())))?;
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
