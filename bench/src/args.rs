//! The command line. Names that are not known are refused with the list of those that are.

use crate::positions::Positions;
use crate::{engines, ops};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use sigmill::cpu::Feature;
use std::path::PathBuf;

/// Times of sigmill and of other libraries, interleaved in one process.
#[derive(Parser)]
#[command(name = "bench/run")]
pub(crate) struct Args {
    /// Operations, with commas between them; all if not given.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(ops::names()))]
    ops: Vec<String>,
    /// Signatures in a batch, for operations on batches; all the usual sizes if not given.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) n: Vec<u32>,
    /// Engines; all if not given.
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(engines::names()))]
    pub(crate) engines: Vec<String>,
    /// The operations and sizes that the tables of the README and the plots show.
    #[arg(long, conflicts_with_all = ["ops", "n"])]
    readme: bool,
    /// Seconds for each operation and size, all engines together.
    #[arg(long, default_value_t = 20.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// How often an operation is measured at most, where times were disturbed.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) tries: u32,
    /// Minutes that all tries may take: what has had its share of them is not measured again, disturbed or not.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1440))]
    pub(crate) minutes: Option<u64>,
    /// Positions of the stack modulo 4096, evenly spread: 1, 2, 4, 8, 16, 32 or 64. Everything is measured at each of
    /// them, and the best and the worst are printed. Only with --out is there a record.
    #[arg(long, value_parser = Positions::parse, conflicts_with_all = ["tries", "minutes"])]
    pub(crate) positions: Option<Positions>,
    /// A file in which the plugin of an emulator counts executed instructions: these are measured, and no times.
    #[arg(long, requires_all = ["emulator", "out"], conflicts_with_all = ["positions", "seconds", "tries", "minutes"])]
    pub(crate) counter: Option<PathBuf>,
    /// The emulator, its version and its CPU, for the record.
    #[arg(long, requires = "counter")]
    pub(crate) emulator: Option<String>,
    /// The record; bench/record/DATE-COMMIT.jsonl if not given.
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// CPU features that may be used beside those of the target; all that there are if not given. `none`: no
    /// other. Engines from which the others cannot be hidden do not take part.
    #[arg(long, value_delimiter = ',', value_parser = ["none", "adx", "avx2", "avx512ifma"])]
    pub(crate) cpu: Vec<String>,
    /// Seed of the random inputs.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Args {
    /// The operations that were asked for, in the order of the table, and their sizes.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&'static ops::Op, usize)> {
        let asked =
            |op: &&ops::Op| self.ops.is_empty() || self.ops.iter().any(|name| name == op.name);
        let sizes = |op: &ops::Op| if self.readme { op.readme_sizes() } else { op.sizes(&self.n) };
        ops::all().filter(asked).flat_map(move |op| sizes(op).into_iter().map(move |n| (op, n)))
    }

    /// The features of `--cpu`.
    pub(crate) fn features(&self) -> Option<Vec<Feature>> {
        let named = |feature: &Feature| self.cpu.iter().any(|name| name == feature.name());
        (!self.cpu.is_empty()).then(|| Feature::ALL.into_iter().filter(named).collect())
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=86400.0).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds from 0.01 to 86400 is needed".into()),
    }
}
