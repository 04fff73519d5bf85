//! The facts about one ECDSA signature.

use crate::alg::{Alg, Scheme};
use crate::curve::{self, Scalars};
use crate::output;
use crate::status::{Result, Status};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sigmill::ecdsa::LowS;
use sigmill::{Reason, Verdict};

/// The form of SEC1 that the first byte of a key names.
const fn key_form(key: &[u8]) -> &'static str {
    match key {
        [2 | 3, ..] => "compressed",
        [4, ..] => "uncompressed",
        _ => "of no known form",
    }
}

/// Whether the equation holds; `None`: something that it needs is not there.
const fn equation(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Valid => Some(true),
        Verdict::Invalid(Reason::Equation) => Some(false),
        Verdict::Invalid(_) => None,
    }
}

/// Prints the facts, and the verdict with any s and with a low one only; the scheme's decides the exit
/// code.
pub(super) fn explain(
    scheme: &Scheme,
    json: bool,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<Status> {
    let digest = scheme.hash.digest(message);
    let reader = curve::on(scheme.curve);
    let scalars = reader.scalars(scheme.format, signature);
    let verdict_with = |low_s| Scheme { low_s, ..*scheme }.verify(key, &digest, signature);
    let verdicts = [("any s", LowS::Any), ("low s only", LowS::Required)]
        .map(|(name, low_s)| (name, verdict_with(low_s)));
    let equation = equation(verdicts[0].1);
    let is_point = reader.is_point(key);
    let text = if json {
        let verdict = |verdict: Verdict| {
            json!({
                "valid": verdict.is_valid(),
                "reason": verdict.ok().err().map(|reason| reason.name()),
            })
        };
        let scalars = scalars.as_ref().ok();
        let object = json!({
            "algorithm": Alg::of_curve(scheme.curve).name(),
            "hash": scheme.hash.name(),
            "sig_format": scheme.format.name(),
            "key": { "form": key_form(key), "decodes": is_point },
            "digest": HEXLOWER.encode(&digest),
            "r": scalars.map_or(Value::Null, |s| json!({ "in_range": s.r_in_range })),
            "s": scalars.map_or(
                Value::Null,
                |s| json!({ "in_range": s.s_in_range, "low": s.s_in_range.then_some(s.s_low) }),
            ),
            "equation": equation,
            "any_s": verdict(verdicts[0].1),
            "low_s": verdict(verdicts[1].1),
        });
        format!("{object}\n")
    } else {
        let range = |in_range| if in_range { "from 1 to n - 1" } else { "0, or n or more" };
        let (r, s) = match &scalars {
            Err(error) => (format!("unknown: {error}"), "unknown".to_owned()),
            Ok(scalars) => {
                let half = match scalars {
                    Scalars { s_in_range: false, .. } => "",
                    Scalars { s_low: true, .. } => ", low: (n - 1)/2 or less",
                    Scalars { s_low: false, .. } => ", high: above (n - 1)/2",
                };
                let s = format!("{}{half}", range(scalars.s_in_range));
                (range(scalars.r_in_range).to_owned(), s)
            }
        };
        let mut text = format!(
            "algorithm  {} with hash {}, {} signatures\nkey Q      {}, {}\n\
             digest     {} bytes: {}\nr          {r}\ns          {s}\n\
             equation   x of [e/s]G + [r/s]Q = r mod n {}\n\n",
            Alg::of_curve(scheme.curve),
            scheme.hash.name(),
            scheme.format.name(),
            key_form(key),
            if is_point { "a point on the curve" } else { "not a point on the curve" },
            digest.len(),
            HEXLOWER.encode(&digest),
            match equation {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "is undefined",
            },
        );
        for (name, verdict) in verdicts {
            let verdict = match verdict.ok() {
                Ok(()) => "valid".to_owned(),
                Err(reason) => format!("invalid: {}", reason.name()),
            };
            text += &format!("{name:10} {verdict}\n");
        }
        text
    };
    output::print(&text)?;
    let valid = verdict_with(scheme.low_s).is_valid();
    Ok(if valid { Status::AllValid } else { Status::SomeInvalid })
}
