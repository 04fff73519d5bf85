//! The group of edwards25519: points and their multiplications.
//!
//! | module | what it computes |
//! |---|---|
//! | `formulas` | points: addition, doubling, encoding; once for all backends |
//! | `decode` | points of encodings |
//! | `straus` | \[a\]P + \[b\]B for one public pair of scalars, in words |
//! | `lanes` | the same for many rows, one a lane |
//! | `pippenger` | Σ \[xᵢ\]Pᵢ over many points, by buckets |
//! | `packed` | a point with its four coordinates side by side |
//! | `half_size`, `half_size_packed` | one signature with scalars of half the length: in words, and packed |
//! | `fixed_base` | multiples of the base point by secrets |
//! | `torsion` | which points lie in the subgroup of prime order |

mod decode;
pub(crate) mod fixed_base;
mod formulas;
pub(crate) mod half_size;
pub(crate) mod half_size_packed;
pub(crate) mod lanes;
mod packed;
pub(crate) mod pippenger;
pub(crate) mod straus;
#[cfg(feature = "bulk")]
pub(crate) mod torsion;

pub(crate) use decode::*;
pub(crate) use formulas::*;
