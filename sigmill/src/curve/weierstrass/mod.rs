//! Curves y² = x³ − 3x + b of prime order: those of NIST.
//!
//! | module | what it computes |
//! |---|---|
//! | `formulas` | what a curve is; points, their formulas, and multiples by secrets, in words |
//! | `double_base` | \[u1\]G + \[u2\]Q for one public row, and the comparison of its x |
//! | `lanes` | \[u1\]G + \[u2\]Q for many public rows, one a lane |
//! | `packed` | the same for one row, with the coordinates of a point side by side |
//! | `fixed_base` | multiples of the base point by secrets, many or one |
//! | `curves` | the curves |

mod curves;
mod double_base;
pub(crate) mod fixed_base;
mod formulas;
pub(crate) mod lanes;
mod packed;

pub use curves::*;
pub(crate) use double_base::sum_has_x_vartime;
pub(crate) use formulas::*;
