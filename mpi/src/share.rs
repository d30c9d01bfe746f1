//! The share of a rank: the files, or the parts of files, that it reads.

use crate::AllRanks;
use anyhow::Result;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use std::path::PathBuf;
use treefold::Dtype;
use treefold_cli::args::Args;
use treefold_cli::error::usage;
use treefold_cli::files::is_read_once;
use treefold_cli::input::{Cut, Inputs, dealt, in_short};

/// What one rank reads.
pub struct Share {
    pub inputs: Inputs,
    /// The names of all inputs, in short.
    pub names: String,
    /// Whether ranks have answers of their own rather than parts of the same ones.
    pub stacked: bool,
}

impl Share {
    /// Opens what this rank reads: files in order where each rank gets some whole, else parts of all.
    pub fn open(args: &Args, world: &SimpleCommunicator) -> Result<Share> {
        let beside = args.beside();
        let mut all = args.files.iter().chain(beside.iter().map(|(path, _)| path));
        let pipe = all.find(|path| is_read_once(path));
        if let Some(pipe) = pipe {
            return Err(usage(format!(
                "{}: is read once, and ranks share no pipe; write it to a file first",
                pipe.display()
            )));
        }
        let place @ (_, ranks) = (world.rank() as u64, world.size() as u64);
        let division = args.division.as_ref();
        let rows = division.and_then(|division| division.rows);
        let axes = division.and_then(|division| division.axis.as_ref());
        let cut = match (rows, axes, args.pairs()) {
            (Some(row), ..) => Cut::Rows(row),
            (_, Some(_), _) => Cut::FirstAxis,
            (_, _, Some(_)) => Cut::Pairs,
            _ if !beside.is_empty() => Cut::Beside,
            _ => Cut::Rows(1),
        };
        let files = args.files.len() as u64;
        if cut == Cut::Rows(1) && files >= ranks {
            let mine = dealt(files, place);
            let inputs = Inputs::open(&args.files[mine.start as usize..mine.end as usize], args.ask())?;
            let names: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
            return Ok(Share { inputs, names: in_short(&names), stacked: false });
        }
        let inputs = Inputs::open(&args.files, args.ask())?;
        let all_axes = inputs.only().and_then(|only| only.array.as_ref()).map_or(0, |array| array.axes.len() as i64);
        let keeps_first = axes.is_some_and(|axes| !axes.iter().any(|&axis| axis == 0 || axis == -all_axes));
        let (names, stacked) = (inputs.names(), rows.is_some() || keeps_first);
        let open = |(path, option): &(PathBuf, &'static str)| Inputs::open_beside(path, option);
        let beside = beside.iter().map(open).collect::<Result<Vec<Inputs>>>()?;
        Ok(Share { inputs: inputs.share(place, cut, &beside)?, names, stacked })
    }

    /// What all ranks must see alike before they read.
    pub fn description(&self, args: &Args) -> String {
        let Args { operators, files, told, fast, column, missing, sifting, making, division, .. } = args;
        let names: Vec<String> = files.iter().map(|path: &PathBuf| path.display().to_string()).collect();
        let options = format!("{told:?} {fast} {column:?} {missing:?} {sifting:?} {making:?} {division:?}");
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "{} of {} files ({}), told {options}, treefold {version}",
            operators.join(","),
            names.len(),
            names.join(" ")
        )
    }

    /// Reads f16 as f32 where another rank has f32, compares f16 and bf16 as f32 where one has other numbers, and tells the type of the elements where
    /// ranks have several types of numbers, as one process does.
    pub fn widen(&mut self, ranks: &AllRanks) {
        let Inputs { dtype, compared, .. } = &self.inputs;
        let own = [Dtype::F16, Dtype::BF16].map(|narrow| u64::from(*compared == narrow));
        let [any, halves, brains] = ranks.lowest([u64::from(*dtype != Dtype::F32), own[0], own[1]]);
        let of_one_type = ranks.same_text(self.inputs.stored_as(*dtype).name());
        if any == 0 && self.inputs.dtype == Dtype::F16 {
            self.inputs.dtype = Dtype::F32;
        }
        if halves == 0 && brains == 0 {
            self.inputs.compared = self.inputs.dtype;
        }
        if !of_one_type {
            self.inputs.tell_elements();
        }
    }

    /// The type of its numbers.
    pub fn kind(&self) -> String {
        format!("numbers of type {}", self.inputs.dtype)
    }
}
