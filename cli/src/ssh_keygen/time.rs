//! `-Overify-time=`: the time at which keys must be valid.

use crate::status::{Failure, Result, quoted};
use chrono::{Local, NaiveDate, NaiveDateTime, TimeZone, Utc};
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of these options, in seconds since 1970; now if none has one. The last option counts.
pub(super) fn of(options: &[String]) -> Result<u64> {
    let mut time = None;
    for option in options {
        time = match option.split_once('=') {
            Some((name, text)) if name.eq_ignore_ascii_case("verify-time") => Some(read(text)?),
            _ => {
                let what = format!("-O {}: expected verify-time=TIME", quoted(option));
                return Err(Failure::new(what));
            }
        };
    }
    match (time, SystemTime::now().duration_since(UNIX_EPOCH)) {
        (Some(time), _) => Ok(time),
        (None, Ok(now)) => Ok(now.as_secs()),
        (None, Err(_)) => Err(Failure::new("the clock is before 1970; give -Overify-time=TIME")),
    }
}

/// Reads `YYYYMMDD[HHMM[SS]]`: in UTC if `Z` follows, otherwise in the zone of the system, in which Git writes it. An
/// hour that a clock shows twice is the later one.
fn read(text: &str) -> Result<u64> {
    let digits = text.strip_suffix(['Z', 'z']);
    let seconds = of_digits(digits.unwrap_or(text)).and_then(|time| match digits {
        Some(_) => Some(Utc.from_utc_datetime(&time).timestamp()),
        None => Local.from_local_datetime(&time).latest().map(|time| time.timestamp()),
    });
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).ok_or_else(|| {
        let text = quoted(text);
        Failure::new(format!(
            "-O verify-time={text}: expected YYYYMMDD[HHMM[SS]][Z], a time since 1970 that the clock shows"
        ))
    })
}

fn of_digits(digits: &str) -> Option<NaiveDateTime> {
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let pair = |at: usize| digits.get(at..at + 2).map_or(Some(0), |pair| pair.parse().ok());
    let year = digits.get(..4)?.parse().ok()?;
    NaiveDate::from_ymd_opt(year, pair(4)?, pair(6)?)?.and_hms_opt(pair(8)?, pair(10)?, pair(12)?)
}
