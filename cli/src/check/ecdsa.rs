//! The rows of ECDSA in a batch, through the engine in a table of their own: the other rows have no spec
//! there.

use super::columns::Curves;
use crate::alg::EcdsaArgs;
use sigmill::bulk::{BulkError, Column, Engine, NULL_SPEC, Outcome, Report, Spec, Specs, Table};
use sigmill::ecdsa::Curve;

/// Gives the rows of ECDSA their verdicts, and leaves the other rows as they are. A row with a null keeps
/// none.
pub(super) fn verify(
    pool: &rayon::ThreadPool,
    engine: &Engine,
    args: &EcdsaArgs,
    curves: &Curves,
    [keys, messages, signatures]: &[Column<'_>; 3],
    outcomes: &mut [Outcome],
) -> Result<Report, BulkError> {
    if matches!(curves, Curves::Same(None)) {
        return Ok(Report::default());
    }
    let distinct = Curve::ALL.map(|curve| Spec::Ecdsa(args.scheme(curve).of_library()));
    let number = |curve| Curve::ALL.iter().zip(0..).find(|(it, _)| **it == curve);
    let index: Vec<u32> = (0..outcomes.len())
        .map(|row| curves.of(row).and_then(number).map_or(NULL_SPEC, |(_, number)| number))
        .collect();
    let specs = Specs::PerRow { distinct: &distinct, index: &index };
    let table = Table::new(*keys, *messages, *signatures, specs)?;
    let (found, report) = pool.install(|| engine.verify_parallel(&table))?;
    for (outcome, found) in outcomes.iter_mut().zip(found) {
        if found.is_some() {
            *outcome = found;
        }
    }
    Ok(report)
}
