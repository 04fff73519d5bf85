//! `--backend` and `--strategy`: what computes, and how. No verdict depends on either.

use crate::status::{Failure, Result};
use sigmill::bulk::{Backend, Engine, Report, Strategy};

#[derive(clap::Args)]
pub(crate) struct EngineArgs {
    /// The backend: portable, simd128, avx2 or ifma; the fastest of this CPU by default. No verdict depends on
    /// it
    #[arg(long, value_name = "BACKEND", value_parser = parse_backend)]
    backend: Option<Backend>,
    /// How: single, lanes or combined; by the number of rows by default. No verdict depends on it
    #[arg(long, value_name = "STRATEGY", value_parser = parse_strategy)]
    strategy: Option<Strategy>,
}

fn parse_backend(name: &str) -> std::result::Result<Backend, String> {
    Backend::from_name(name).ok_or_else(|| {
        format!("unknown backend; known are {}", Backend::ALL.map(Backend::name).join(", "))
    })
}

fn parse_strategy(name: &str) -> std::result::Result<Strategy, String> {
    Strategy::from_name(name).ok_or_else(|| {
        format!("unknown strategy; known are {}", Strategy::ALL.map(Strategy::name).join(", "))
    })
}

impl EngineArgs {
    /// The engine that was asked for.
    pub(crate) fn engine(&self) -> Result<Engine> {
        let mut engine = Engine::new();
        if let Some(backend) = self.backend {
            engine =
                engine.with_backend(backend).map_err(|error| Failure::new(error.to_string()))?;
        }
        if let Some(strategy) = self.strategy {
            engine = engine.with_strategy(strategy);
        }
        Ok(engine)
    }
}

/// The backend and strategy that verified one row.
pub(crate) fn of_one_row(engine: &Engine, report: &Report) -> (Backend, Strategy) {
    match report {
        Report { lanes: 1, .. } => (engine.backend(), Strategy::Lanes),
        Report { combined: 1, .. } => (engine.backend(), Strategy::Combined),
        // one signature alone does not use lanes
        _ => (Backend::Portable, Strategy::Single),
    }
}
