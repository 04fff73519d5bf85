//! The verdict of a row in words.

use crate::{CONTEXT_CODE, Refusal, UNKNOWN_CODE, UNREADABLE_CODE, VALID_CODE};
use sigmill::Reason;
use sigmill::bulk::NULL_CODE;

/// The verdict of a row, without its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Valid,
    Invalid(Reason),
    /// Invalid for a reason of the caller's.
    Refused(&'static str, &'static str),
    /// No verdict: why.
    Nothing(&'static str, &'static str),
}

impl Said {
    pub(crate) fn of(code: u8, refusals: &[Refusal]) -> Self {
        match code {
            VALID_CODE => Said::Valid,
            NULL_CODE => Said::Nothing("null", "something in the row is null"),
            UNKNOWN_CODE => {
                Said::Nothing("unknown", "no algorithm, rule or variant has the row's name")
            }
            CONTEXT_CODE => Said::Nothing("context", "the row has a context that cannot be"),
            UNREADABLE_CODE => Said::Nothing("unreadable", "a cell of the row cannot be read"),
            code => match Reason::ALL.iter().find(|reason| reason.code() == code) {
                Some(reason) => Said::Invalid(*reason),
                None => match refusals.iter().find(|refusal| refusal.code == code) {
                    Some(Refusal { name, text, .. }) => Said::Refused(name, text),
                    None => Said::Nothing("other", "nobody knows the code of the row"),
                },
            },
        }
    }

    pub(crate) const fn is_invalid(self) -> bool {
        matches!(self, Said::Invalid(_) | Said::Refused(..))
    }
}
