//! Names and sentences of numbers, and rules by their names and numbers.

use crate::fault::{Fault, NOT_ALL_VALID, NULL_ROW, UNFINISHED, answer, sentence_of_fault};
use crate::pointer::Text;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use sigmill::Reason;
use sigmill::ed25519::{Rule, rules};

/// A text of the library as a string of C.
macro_rules! string {
    ($text:expr) => {{
        const BYTES: [u8; $text.len() + 1] = {
            let mut bytes = [0; $text.len() + 1];
            let mut i = 0;
            while i < $text.len() {
                bytes[i] = $text.as_bytes()[i];
                i += 1;
            }
            bytes
        };
        const TEXT: &CStr = match CStr::from_bytes_with_nul(&BYTES) {
            Ok(text) => text,
            Err(_) => c"",
        };
        TEXT
    }};
}

macro_rules! reasons {
    ($($reason:ident)*) => {
        fn strings_of_reason(number: c_int) -> Option<[&'static CStr; 2]> {
            $(
                if number == Reason::$reason.code() as c_int {
                    return Some([string!(Reason::$reason.name()), string!(Reason::$reason.text())]);
                }
            )*
            None
        }
    };
}

reasons! {
    KeyLength SignatureLength KeyNotAPoint KeyNotCanonical KeySmallOrder RNotAPoint RNotCanonical RSmallOrder SOutOfRange
    Equation ROutOfRange SHigh DigestEmpty SignatureDer DigestLength
}

/// The name of a reason.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_reason_name(reason: c_int) -> *const c_char {
    strings_of_reason(reason).map_or(ptr::null(), |[name, _]| name.as_ptr())
}

/// A sentence for a result.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_message(result: c_int) -> *const c_char {
    let text = match result {
        0 => Some(c"valid, or done"),
        NOT_ALL_VALID => Some(c"not every row is valid"),
        UNFINISHED => Some(c"there is more to do"),
        NULL_ROW => Some(c"something in the row is null"),
        1.. => strings_of_reason(result).map(|[_, text]| text),
        _ => sentence_of_fault(result),
    };
    text.unwrap_or(c"a number that no function returns").as_ptr()
}

macro_rules! rule_names {
    ($($number:literal $rule:ident)*) => {
        fn name_of_rule(number: c_int) -> Option<&'static CStr> {
            match number {
                $($number => Some(string!(rules::$rule.name())),)*
                _ => None,
            }
        }
    };
}

rule_names! {
    1 COMMON 2 RFC8032_EXACT 3 RFC8032 4 ZIP215 5 STRICT 6 NO_SMALL_KEY 7 NO_SMALL 8 LEGACY
}

/// The name of a rule.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_rule_name(rule: c_int) -> *const c_char {
    name_of_rule(rule).map_or(ptr::null(), CStr::as_ptr)
}

/// The rule of a name.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_rule_from_name(name: Text) -> c_int {
    answer(|| {
        let name = name.get(64)?;
        let name = core::str::from_utf8(name).map_err(|_| Fault::Rule)?;
        Rule::from_name(name).map(|rule| c_int::from(rule.id())).ok_or(Fault::Rule)
    })
}

/// The rule of a number.
pub fn rule(number: c_int) -> Result<&'static Rule, Fault> {
    u8::try_from(number).ok().and_then(Rule::from_id).ok_or(Fault::Rule)
}

#[cfg(test)]
mod tests {
    use super::{name_of_rule, strings_of_reason};
    use crate::fault::{Fault, NOT_ALL_VALID, NULL_ROW, sentence_of_fault};
    use sigmill::Reason;
    use sigmill::ed25519::rules;

    #[test]
    fn numbers_have_the_names_of_the_library() {
        for number in -300..=300 {
            let reason = Reason::ALL.iter().find(|reason| i32::from(reason.code()) == number);
            let strings =
                strings_of_reason(number).map(|strings| strings.map(|s| s.to_str().unwrap()));
            assert_eq!(strings, reason.map(|reason| [reason.name(), reason.text()]), "{number}");
            let rule = rules::ALL.iter().find(|rule| i32::from(rule.id()) == number);
            let name = name_of_rule(number).map(|name| name.to_str().unwrap());
            assert_eq!(name, rule.map(|rule| rule.name()), "{number}");
            let fault = Fault::ALL.iter().any(|fault| *fault as i32 == number);
            assert_eq!(sentence_of_fault(number).is_some(), fault, "{number}");
        }
        assert!(
            strings_of_reason(NOT_ALL_VALID).is_none() && strings_of_reason(NULL_ROW).is_none()
        );
    }
}
