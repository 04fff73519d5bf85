//! Times, and what they are of.

use crate::ops::Lengths;

/// The operation that was timed, and its circumstances.
pub(crate) struct Subject {
    pub(crate) engine: &'static str,
    pub(crate) backend: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) op: &'static str,
    /// The pattern of the scalars of the signatures, if they were chosen.
    pub(crate) pattern: Option<&'static str>,
    pub(crate) n: usize,
    pub(crate) lengths: Lengths,
    pub(crate) threads: usize,
}

impl Subject {
    /// The operation, the size, and the pattern where there is one.
    pub(crate) fn title(&self) -> String {
        let pattern = self.pattern.map_or(String::new(), |pattern| format!(", {pattern}"));
        format!("{}, n = {}{pattern}", self.op, self.n)
    }

    /// The rule, or what stands for none.
    pub(crate) fn shown_rule(&self) -> &'static str {
        if self.rule.is_empty() { "-" } else { self.rule }
    }
}

/// Times of one engine, per signature.
pub(crate) struct Measured {
    pub(crate) subject: Subject,
    /// Slots of the try whose times these are.
    pub(crate) slots: usize,
    /// The number of times that all engines were measured.
    pub(crate) tries: usize,
    /// Whether the median is far above what was seen in any try.
    pub(crate) is_disturbed: bool,
    /// The least time of all tries.
    pub(crate) ns_min: f64,
    pub(crate) ns_median: f64,
    pub(crate) tsc_min: f64,
    /// Times at evenly spaced quantiles, where the record keeps them.
    pub(crate) ns_samples: Option<Vec<f64>>,
}

/// Instructions of one engine, per signature.
pub(crate) struct Counted {
    pub(crate) subject: Subject,
    pub(crate) slots: usize,
    /// The mean of the slots.
    pub(crate) instructions: f64,
}
