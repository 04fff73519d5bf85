//! Allowed signers (ssh-keygen(1), ALLOWED SIGNERS).

use super::public::{BLANKS, read_words};
use super::wire::{is_key_type, not_ssh, uncompressed};
use crate::error::{Error, Refusal, Result, quoted};
use crate::key::Key;
use x509_cert::der::DateTime;

/// The longest file, in bytes.
const LONGEST_FILE: usize = 1 << 24;

/// The longest pattern, in bytes: OpenSSH matches no longer ones.
const LONGEST_PATTERN: usize = 1022;

/// The signers that a verifier allows, as a file of allowed signers of `ssh-keygen` lists them.
///
/// Each line has patterns of principals, options and a key: `a@example.com,*@example.org namespaces="git" ssh-ed25519
/// AAAA…`. A pattern has `*` for any bytes, `?` for one, and `!` in front to exclude; a list matches if a pattern in
/// it does and no excluding one does. Principals with blanks are quoted.
///
/// The options are `namespaces="…"` (patterns), `valid-after="…"` and `valid-before="…"`, both inclusive, and
/// `cert-authority`. A time is `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with or without `Z`. It is always read
/// in UTC, so that a file means the same everywhere; `ssh-keygen` reads it in the zone of the system if `Z` is missing.
///
/// Lines of certificate authorities and of keys that are not supported (RSA, security keys, certificates) are kept, and
/// match no key.
#[derive(Clone, Debug)]
pub struct AllowedSigners {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    number: usize,
    principals: String,
    options: Options,
    /// An error of a key whose type is not supported.
    key: Result<Key>,
}

#[derive(Clone, Debug, Default)]
struct Options {
    authority: bool,
    namespaces: Option<String>,
    after: Option<Time>,
    before: Option<Time>,
}

/// A time as it is written, and in seconds since 1970.
#[derive(Clone, Debug)]
struct Time {
    text: String,
    seconds: u64,
}

impl AllowedSigners {
    /// Reads a file. Blank lines, and lines that begin with `#`, are passed over.
    ///
    /// # Errors
    /// Each names the line. [`Refusal::CritUnknown`]: an unknown option. [`Refusal::DuplicateMember`]: an option that
    /// occurs twice. [`Refusal::AlgMismatch`]: a key that does not fit its type. [`Refusal::TooLarge`]: more than 16 MiB,
    /// or a pattern of more than 1022 bytes. [`Refusal::NotSsh`]: anything else.
    pub fn read(text: &[u8]) -> Result<Self> {
        if text.len() > LONGEST_FILE {
            let len = text.len();
            let detail = format!("the file is {len} bytes; at most {LONGEST_FILE} are allowed");
            return Err(Error::new(Refusal::TooLarge, detail));
        }
        let mut lines = Vec::new();
        for (line, number) in text.split(|b| *b == b'\n').zip(1..) {
            match Line::read(number, line) {
                Ok(line) => lines.extend(line),
                Err(error) => return Err(at_line(number, &error)),
            }
        }
        Ok(AllowedSigners { lines })
    }

    /// Refuses unless a line allows this principal to sign for this namespace with this key at this time, in seconds
    /// since 1970.
    ///
    /// # Errors
    /// [`Refusal::NamespaceMismatch`] and [`Refusal::OutsideValidity`]: a line has the principal and the key, and limits
    /// them. [`Refusal::Unsupported`] and [`Refusal::AlgUnknown`]: all lines with this principal are certificate
    /// authorities or have keys that are not supported. [`Refusal::PrincipalUnknown`]: no line has this principal with
    /// this key. [`Refusal::NotSsh`]: the key is compressed and no point.
    pub fn check(&self, principal: &str, namespace: &str, key: &Key, time: u64) -> Result<()> {
        let key = uncompressed(key)?;
        let (mut limited, mut unsupported, mut other_key) = (None, None, false);
        let with_principal =
            |line: &&Line| !principal.is_empty() && list_matches(&line.principals, principal);
        for line in self.lines.iter().filter(with_principal) {
            match line.plain_key() {
                Ok(found) if *found == *key => match line.options.allow(namespace, time) {
                    Ok(()) => return Ok(()),
                    Err(error) => limited = limited.or(Some(at_line(line.number, &error))),
                },
                Ok(_) => other_key = true,
                Err(error) => unsupported = unsupported.or(Some(at_line(line.number, &error))),
            }
        }
        Err(limited.or(unsupported.filter(|_| !other_key)).unwrap_or_else(|| {
            let detail = format!("no line has {} with this key", quoted(principal));
            Error::new(Refusal::PrincipalUnknown, detail)
        }))
    }

    /// The patterns of principals, as they are written, of all lines that allow this key to sign for this namespace at
    /// this time, in seconds since 1970.
    pub fn principals(&self, key: &Key, namespace: &str, time: u64) -> Vec<&str> {
        let Ok(key) = uncompressed(key) else {
            return Vec::new();
        };
        let fits = |line: &&Line| {
            line.plain_key().is_ok_and(|found| *found == *key)
                && line.options.allow(namespace, time).is_ok()
        };
        let lines = self.lines.iter().filter(fits);
        lines.flat_map(|line| patterns(&line.principals)).collect()
    }

    /// The patterns of principals, as they are written, of the first line that has this key at this time, in seconds
    /// since 1970, for whatever namespace: the answer of `ssh-keygen -Y find-principals`. They are candidates for
    /// [`AllowedSigners::check`], which decides.
    ///
    /// # Errors
    /// [`Refusal::OutsideValidity`]: lines have the key, and none at this time. [`Refusal::PrincipalUnknown`]: no line
    /// has the key. [`Refusal::NotSsh`]: the key is compressed and no point.
    pub fn find_principals(&self, key: &Key, time: u64) -> Result<Vec<&str>> {
        let key = uncompressed(key)?;
        let mut limited = None;
        for line in &self.lines {
            if line.plain_key().is_ok_and(|found| *found == *key) {
                match line.options.allow_time(time) {
                    Ok(()) => return Ok(patterns(&line.principals).collect()),
                    Err(error) => limited = limited.or(Some(at_line(line.number, &error))),
                }
            }
        }
        Err(limited
            .unwrap_or_else(|| Error::new(Refusal::PrincipalUnknown, "no line has this key")))
    }
}

fn at_line(number: usize, error: &Error) -> Error {
    Error::new(error.refusal(), format!("line {number}: {}", error.detail()))
}

impl Line {
    /// Reads a line; `None` if it is blank or a comment.
    fn read(number: usize, line: &[u8]) -> Result<Option<Self>> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = std::str::from_utf8(line).map_err(|_| not_ssh("not UTF-8"))?;
        let line = line.trim_start_matches(BLANKS);
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return Err(not_ssh(format!("a control character in {}", quoted(line))));
        }
        let (principals, rest) = split_principals(line)?;
        let rest = rest.trim_start_matches(BLANKS);
        let (options, rest) = match rest.split(BLANKS).next() {
            Some(word) if is_key_type(word.as_bytes()) => (Options::default(), rest),
            _ => Options::read(rest)?,
        };
        let key = match read_words(rest.trim_start_matches(BLANKS)) {
            Ok((key, _)) => Ok(key),
            Err(error) if matches!(error.refusal(), Refusal::AlgUnknown | Refusal::Unsupported) => {
                Err(error)
            }
            Err(error) => return Err(error),
        };
        Ok(Some(Line { number, principals: principals.to_owned(), options, key }))
    }

    /// The key, unless it is one of a certificate authority or not supported.
    fn plain_key(&self) -> Result<&Key> {
        if self.options.authority {
            let detail = "the line names a certificate authority (`cert-authority`)";
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        self.key.as_ref().map_err(Clone::clone)
    }
}

/// The list of principals, quoted or not, and the rest.
fn split_principals(line: &str) -> Result<(&str, &str)> {
    let (principals, rest) = match line.strip_prefix('"') {
        Some(line) => line
            .split_once('"')
            .ok_or_else(|| not_ssh("the quote of the principals does not end"))?,
        None => line.split_at(line.find(BLANKS).unwrap_or(line.len())),
    };
    if principals.contains('"') || !rest.starts_with(BLANKS) {
        return Err(not_ssh(
            "expected principals, a blank, and a key; a quote encloses all principals",
        ));
    }
    if patterns(principals).next().is_none() {
        return Err(not_ssh("the list of principals is empty"));
    }
    check_patterns(principals)?;
    Ok((principals, rest))
}

impl Options {
    /// Reads options up to a blank outside quotes; returns the rest.
    fn read(mut rest: &str) -> Result<(Self, &str)> {
        let mut options = Options::default();
        loop {
            let end = rest.find(['=', ',', '"', ' ', '\t']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let twice = match name.to_ascii_lowercase().as_str() {
                "cert-authority" => {
                    rest = after;
                    std::mem::replace(&mut options.authority, true)
                }
                "namespaces" => {
                    let value;
                    (value, rest) = read_value(name, after)?;
                    check_patterns(&value)?;
                    options.namespaces.replace(value).is_some()
                }
                "valid-after" => {
                    let value;
                    (value, rest) = read_value(name, after)?;
                    options.after.replace(Time::read(name, value)?).is_some()
                }
                "valid-before" => {
                    let value;
                    (value, rest) = read_value(name, after)?;
                    options.before.replace(Time::read(name, value)?).is_some()
                }
                _ => {
                    let detail = format!("{} is no option and no type of key", quoted(name));
                    return Err(Error::new(Refusal::CritUnknown, detail));
                }
            };
            if twice {
                let detail = format!("the option `{name}` occurs twice");
                return Err(Error::new(Refusal::DuplicateMember, detail));
            }
            match rest.strip_prefix(',') {
                Some(next) => rest = next,
                None if rest.starts_with(BLANKS) => break,
                None => {
                    return Err(not_ssh(format!("expected a comma or a blank after `{name}`")));
                }
            }
        }
        if let (Some(after), Some(before)) = (&options.after, &options.before)
            && after.seconds >= before.seconds
        {
            let (after, before) = (quoted(&after.text), quoted(&before.text));
            return Err(not_ssh(format!(
                "valid-after {after} is not before valid-before {before}"
            )));
        }
        Ok((options, rest))
    }

    fn allow(&self, namespace: &str, time: u64) -> Result<()> {
        if let Some(list) = &self.namespaces
            && !list_matches(list, namespace)
        {
            let (list, namespace) = (quoted(list), quoted(namespace));
            let detail = format!("the key signs for {list}, not for {namespace}");
            return Err(Error::new(Refusal::NamespaceMismatch, detail));
        }
        self.allow_time(time)
    }

    fn allow_time(&self, time: u64) -> Result<()> {
        let outside = match (&self.after, &self.before) {
            (Some(after), _) if time < after.seconds => ("after", after),
            (_, Some(before)) if time > before.seconds => ("before", before),
            _ => return Ok(()),
        };
        let (side, limit) = (outside.0, quoted(&outside.1.text));
        let detail = format!("the key is valid-{side} {limit}, read in UTC; the time is {time}");
        Err(Error::new(Refusal::OutsideValidity, detail))
    }
}

/// Reads `="…"`, in which `\"` stands for a quote; returns the text and the rest.
fn read_value<'a>(name: &str, after: &'a str) -> Result<(String, &'a str)> {
    let quote = after
        .strip_prefix("=\"")
        .ok_or_else(|| not_ssh(format!("expected `=\"…\"` after `{name}`")))?;
    let mut value = String::new();
    let mut chars = quote.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok((value, chars.as_str())),
            '\\' if chars.as_str().starts_with('"') => value.extend(chars.next()),
            _ => value.push(c),
        }
    }
    Err(not_ssh(format!("the quote of `{name}` does not end")))
}

impl Time {
    fn read(name: &str, text: String) -> Result<Self> {
        let digits = text.strip_suffix('Z').unwrap_or(&text);
        let seconds = seconds(digits).ok_or_else(|| {
            let text = quoted(&text);
            not_ssh(format!(
                "`{name}` is {text}; expected YYYYMMDD[HHMM[SS]][Z] of a day since 1970"
            ))
        })?;
        Ok(Time { text, seconds })
    }
}

/// The seconds since 1970 of 8, 12 or 14 digits in UTC.
fn seconds(digits: &str) -> Option<u64> {
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year = digits.get(..4)?.parse().ok()?;
    let pair = |at: usize| digits.get(at..at + 2).map_or(Some(0), |pair| pair.parse().ok());
    let time = DateTime::new(year, pair(4)?, pair(6)?, pair(8)?, pair(10)?, pair(12)?).ok()?;
    Some(time.unix_duration().as_secs())
}

/// The patterns of a list. A comma at the end begins no other one.
fn patterns(list: &str) -> impl Iterator<Item = &str> {
    list.split_terminator(',')
}

fn check_patterns(list: &str) -> Result<()> {
    match patterns(list).map(str::len).find(|len| *len > LONGEST_PATTERN) {
        None => Ok(()),
        Some(len) => {
            let detail = format!("a pattern is {len} bytes; at most {LONGEST_PATTERN} are allowed");
            Err(Error::new(Refusal::TooLarge, detail))
        }
    }
}

/// True if a pattern of the list matches, and none with `!` in front does.
fn list_matches(list: &str, text: &str) -> bool {
    let mut found = false;
    for pattern in patterns(list) {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern.as_bytes(), text.as_bytes()) => return false,
            Some(_) => {}
            None => found |= matches(pattern.as_bytes(), text.as_bytes()),
        }
    }
    found
}

/// True if the pattern matches the whole text. A mismatch goes back to the last `*` alone, whose match grows by a byte:
/// time is at most the product of the lengths.
fn matches(mut pattern: &[u8], mut text: &[u8]) -> bool {
    let mut last_star: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern, text) {
            ([b'*', after @ ..], _) => {
                pattern = after;
                last_star = Some((after, text));
            }
            ([p, after @ ..], [t, rest @ ..]) if *p == b'?' || p == t => {
                (pattern, text) = (after, rest);
            }
            ([], []) => return true,
            _ => match last_star {
                Some((after, [_, rest @ ..])) => {
                    (pattern, text) = (after, rest);
                    last_star = Some((after, rest));
                }
                _ => return false,
            },
        }
    }
}
