//! The time of a reduction over very many ranks, simulated: each rank reads its share, then a tree of merges. Deterministic by its seed.
//!
//! `cargo run --release -p treefold-mpi --example simulate -- ranks=10:1000000 latency_us=2 plot=scaling.svg`; `help` lists all
//! parameters. With `measured=FILE` it is set beside what was measured.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use treefold_cli::plot::{Curve, Scaling, scaling_svg};

/// Each parameter, its value unless told, and what it is.
const PARAMETERS: [(&str, &str, &str); 16] = [
    ("ranks", "10:1000000", "least and most ranks; powers of ten between them, of two beside what was measured"),
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
    (
        "measured",
        "",
        "a file of lines `what,gigabytes,ranks,ms`, as docs/scaling.csv, whose rates take the place of rate_gb",
    ),
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

    /// The least number of ranks times powers of `factor`, in the range of them.
    fn ranks(&self, factor: usize) -> Result<Vec<usize>, String> {
        let text = self.text("ranks");
        let ends = text.split_once(':').unwrap_or((text, text));
        let ends = ends.0.parse::<usize>().ok().zip(ends.1.parse::<usize>().ok());
        let (least, most) =
            ends.filter(|ends| ends.0 > 0 && ends.0 <= ends.1).ok_or(format!("ranks={text}: write LEAST:MOST"))?;
        Ok(std::iter::successors(Some(least), |ranks| ranks.checked_mul(factor))
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
    /// Of so many gigabytes in all, of which a rank reads so many in a second.
    fn of(told: &Told, ranks: usize, gigabytes: f64, rate: f64) -> Result<Model, String> {
        let bytes = told.number("partial_bytes")?;
        let transfer = bytes / (told.number("bandwidth_gb")? * 1e9);
        let (latency, levels) = (told.number("latency_us")? * 1e-6, f64::from(ranks.next_power_of_two().ilog2()));
        Ok(Model {
            share: gigabytes / rate / ranks as f64,
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
    let seed: u64 = told.text("seed").parse().map_err(|_| "seed: is no whole number")?;
    let (title, time, notes, curves) = match told.text("measured") {
        "" => ("Merges behind the slowest rank, simulated", "ms (log scale)", vec![], merges(&told, seed)?),
        path => {
            let note = "Lines: simulated. Markers: measured, where each rank has a core.";
            let lines = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
            let measured = measured(&lines).map_err(|error| format!("{path}: {error}"))?;
            ("Scaling, simulated and measured", "ms (log scale)", vec![note.into()], beside(&told, seed, &measured)?)
        }
    };
    match told.text("plot") {
        "" => Ok(()),
        path => Ok(std::fs::write(path, scaling_svg(&Scaling { title, notes: &notes, time, curves: &curves })?)?),
    }
}

/// Tells the times of jobs of powers of ten of ranks; the milliseconds of their merges, by a tree and by one rank.
fn merges(told: &Told, seed: u64) -> Result<Vec<Curve>, Box<dyn Error>> {
    println!("   ranks   mean s  slowest s   tree µs  gather µs  failures   whole s  by files s  efficiency");
    let (mut by_tree, mut by_one) = (vec![], vec![]);
    for ranks in told.ranks(10)? {
        let model = Model::of(told, ranks, told.number("gigabytes")?, told.number("rate_gb")?)?;
        let seconds = model.run(ranks, &mut Random(seed));
        let Seconds { slowest, mean, tree, gather, whole, by_files, failures } = seconds;
        let efficiency = 100.0 * model.share / whole;
        let (tree, gather) = (tree * 1e6, gather * 1e6);
        println!(
            "{ranks:>8} {mean:>8.3} {slowest:>10.3} {tree:>9.1} {gather:>10.1} {failures:>9} {whole:>9.3} {by_files:>11.3} {efficiency:>9.1} %"
        );
        by_tree.push((ranks as f64, tree * 1e-3));
        by_one.push((ranks as f64, gather * 1e-3));
    }
    let curve = |name, simulated| Curve { name, simulated, measured: vec![] };
    Ok(vec![curve("a tree", by_tree), curve("one rank takes all", by_one)])
}

/// What is measured: a job of one file however many ranks there are, one of as much for each rank, or the merge of partials alone.
const KINDS: [(&str, &str); 3] =
    [("strong", "strong: one file"), ("weak", "weak: a file a rank"), ("merge", "merge of a sum")];

/// A measured time.
struct Measured {
    /// The number of its kind.
    kind: usize,
    gigabytes: f64,
    ranks: usize,
    ms: f64,
}

/// The times of a file, behind its line of names.
fn measured(lines: &str) -> Result<Vec<Measured>, String> {
    let line = |line: &str| {
        let [what, gigabytes, ranks, ms] = <[&str; 4]>::try_from(line.split(',').collect::<Vec<_>>()).ok()?;
        let kind = KINDS.iter().position(|(name, _)| *name == what)?;
        let positive = |text: &str| text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
        let ranks = ranks.parse().ok().filter(|&ranks| ranks > 0)?;
        Some(Measured { kind, gigabytes: positive(gigabytes)?, ranks, ms: positive(ms)? })
    };
    let kinds = KINDS.map(|(name, _)| name).join(", ");
    let wrong = |text: &str| format!("{text:?} is none of {kinds} and three numbers: gigabytes,ranks,ms");
    lines.lines().skip(1).map(|text| line(text).ok_or_else(|| wrong(text))).collect()
}

/// Tells each measured time beside the simulated one; lines of the latter. The rate of a kind is that of its job of one rank.
fn beside(told: &Told, seed: u64, measured: &[Measured]) -> Result<Vec<Curve>, Box<dyn Error>> {
    if measured.is_empty() {
        return Err("measured: the file has no times behind its line of names".into());
    }
    println!("   what   ranks  gigabytes  simulated ms  measured ms");
    let mut curves = vec![];
    for (kind, (what, name)) in KINDS.into_iter().enumerate() {
        let own: Vec<&Measured> = measured.iter().filter(|time| time.kind == kind).collect();
        if own.is_empty() {
            continue;
        }
        let alone = own.iter().find(|time| time.ranks == 1 && time.gigabytes > 0.0 && time.ms > 0.0);
        let (gigabytes, rate) = match (what, alone) {
            ("merge", _) => (0.0, 1.0),
            (_, Some(alone)) => (alone.gigabytes, alone.gigabytes / alone.ms * 1e3),
            (_, None) => return Err(format!("{what}: no line of 1 rank, whose rate the others have").into()),
        };
        let ms = |ranks: usize, gigabytes: f64| -> Result<f64, String> {
            let seconds = Model::of(told, ranks, gigabytes, rate)?.run(ranks, &mut Random(seed));
            Ok(1e3 * if what == "merge" { seconds.tree } else { seconds.whole })
        };
        for time in &own {
            let Measured { gigabytes, ranks, ms: measured, .. } = time;
            println!("{what:>7} {ranks:>7} {gigabytes:>10.3} {:>13.4} {measured:>12.4}", ms(*ranks, *gigabytes)?);
        }
        let all = |ranks: usize| if what == "weak" { gigabytes * ranks as f64 } else { gigabytes };
        let at = |ranks: usize| Ok((ranks as f64, ms(ranks, all(ranks))?));
        let simulated = told.ranks(2)?.into_iter().map(at).collect::<Result<Vec<_>, String>>()?;
        curves.push(Curve { name, simulated, measured: own.iter().map(|time| (time.ranks as f64, time.ms)).collect() });
    }
    Ok(curves)
}
