//! The rows of ECDSA in a batch: each verified by itself, on all threads.
//!
//! Reach: own `columns`, `alg`.

use super::columns::Curves;
use crate::alg::EcdsaArgs;
use rayon::prelude::*;
use sigmill::bulk::{Column, Outcome};

/// Gives the rows of ECDSA their verdicts, and leaves the other rows as they are. A row with a null keeps
/// none. Returns how many have been verified.
///
/// The only place where `check` verifies ECDSA.
pub(super) fn verify(
    pool: &rayon::ThreadPool,
    args: &EcdsaArgs,
    curves: &Curves,
    [keys, messages, signatures]: &[Column<'_>; 3],
    outcomes: &mut [Outcome],
) -> usize {
    if matches!(curves, Curves::Same(None)) {
        return 0;
    }
    let verify = |(row, outcome): (usize, &mut Outcome)| {
        let Some(curve) = curves.of(row) else { return 0 };
        let cells = (keys.get(row), messages.get(row), signatures.get(row));
        let (Some(key), Some(message), Some(signature)) = cells else { return 0 };
        let scheme = args.scheme(curve);
        *outcome = Some(scheme.verify(key, &scheme.hash.digest(message), signature));
        1
    };
    pool.install(|| outcomes.par_iter_mut().enumerate().map(verify).sum())
}
