//! Outputs of a call lie apart from all that it reads, or are not written.
//!
//! All inputs are told before anything is written. A pointer or size that no input can have is left out here, and is
//! an error in the function that uses it.

use super::report::{Problem, Report};
use crate::fault::Fault;
use crate::pointer::{Extent, In, Out};
use core::ffi::{CStr, c_int};

/// The outputs of a call, and which of them lie in its inputs, or in an output before them. These are not written.
pub(super) struct Outputs {
    extents: [Extent; 4],
    met: [bool; 4],
    what: Option<&'static CStr>,
}

/// The object of a computation in steps, which is an input, too.
const PROGRESS: usize = 0;
/// Codes, keys, signatures or secrets.
const RESULTS: usize = 1;
/// Scratch, or codes beside secrets.
const OTHER: usize = 2;
const REPORT: usize = 3;

impl Outputs {
    /// Those of a call: results, something else, a report.
    pub(super) fn new(results: Extent, other: Extent, report: Out<Report>) -> Self {
        Self::in_steps(Extent::NOWHERE, results, other, report)
    }

    /// The same of a computation in steps.
    pub(super) fn in_steps(
        progress: Extent,
        results: Extent,
        other: Extent,
        report: Out<Report>,
    ) -> Self {
        let extents = [progress, results, other, report.extent(1)];
        let mut met = [false; 4];
        for (i, place) in extents.iter().enumerate() {
            met[i] = extents[..i].iter().any(|before| before.meets(*place));
        }
        Outputs { extents, met, what: None }
    }

    /// Tells of an input.
    pub(super) fn input(&mut self, extent: Extent) {
        self.input_of(None, extent);
    }

    /// The same of a column or buffer that has a name.
    pub(super) fn input_of(&mut self, what: Option<&'static CStr>, extent: Extent) {
        for (met, output) in self.met.iter_mut().zip(self.extents) {
            if output.meets(extent) {
                *met = true;
                self.what = self.what.or(what);
            }
        }
    }

    /// An error, and in what, if some output lies in something else.
    pub(super) fn apart(&self) -> Result<(), Problem> {
        match self.met {
            [false, false, false, false] => Ok(()),
            _ => Err(Problem { what: self.what, ..Fault::Overlap.into() }),
        }
    }

    /// Whether results may be written.
    pub(super) fn results_are_apart(&self) -> bool {
        !self.met[RESULTS]
    }

    /// Whether a report may be written.
    pub(super) fn report_is_apart(&self) -> bool {
        !self.met[REPORT]
    }
}

const _: () = assert!(PROGRESS < RESULTS && RESULTS < OTHER && OTHER < REPORT);

/// The number of a result, with a report for whoever wants one. Nothing is done if the report has no place, or an output
/// lies in something else.
pub(super) fn reported(
    place: Out<Report>,
    outputs: &Outputs,
    compute: impl FnOnce() -> Result<(c_int, Report), Problem>,
) -> c_int {
    if !place.is_null()
        && let Err(fault) = place.place()
    {
        return fault as c_int;
    }
    let (number, report) = match outputs.apart().and_then(|()| compute()) {
        Ok(both) => both,
        Err(problem) => {
            let what = problem.what.map_or(In::NULL, In::of_text);
            (problem.fault as c_int, Report { row: problem.row, what, ..Report::NOTHING })
        }
    };
    if let Ok(place) = place.place()
        && outputs.report_is_apart()
    {
        place.put(report);
    }
    number
}
