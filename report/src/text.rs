//! Numbers, bytes, times and foreign text as a page has them.

use std::fmt::{self, Display, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So many characters of one foreign text are shown.
const LONGEST: usize = 1000;

/// Text from outside: nothing in it is markup, and what is not printed is escaped.
pub(crate) struct Text<'t>(pub(crate) &'t str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, character) in self.0.chars().enumerate() {
            if number == LONGEST {
                return f.write_char('…');
            }
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\\' => f.write_char(character)?,
                // control characters, directions of writing and the like; what is left holds no markup
                character => write!(f, "{}", character.escape_debug())?,
            }
        }
        Ok(())
    }
}

/// A number with commas.
pub(crate) struct Count(pub(crate) u64);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

/// One number as a part of another, in percent.
pub(crate) struct Share(pub(crate) u64, pub(crate) u64);

impl Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 as f64 * 100.0 / self.1.max(1) as f64;
        match percent {
            _ if self.0 == 0 => f.write_str("0 %"),
            percent if percent < 0.01 => f.write_str("&lt; 0.01 %"),
            percent if self.0 < self.1 && percent > 99.99 => f.write_str("&gt; 99.99 %"),
            percent if self.0 == self.1 => write!(f, "{percent:.0} %"),
            percent => write!(f, "{percent:.2} %"),
        }
    }
}

/// Bytes in hexadecimal.
pub(crate) struct Hex<'b>(pub(crate) &'b [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A time of the Gregorian calendar, in UTC.
pub(crate) struct Utc(pub(crate) SystemTime);

impl Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (mut days, second) = (seconds / 86_400, seconds % 86_400);
        let is_leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        // 400 years have 146,097 days
        let mut year = 1970 + days / 146_097 * 400;
        days %= 146_097;
        while days >= 365 + u64::from(is_leap(year)) {
            days -= 365 + u64::from(is_leap(year));
            year += 1;
        }
        let mut month = 1;
        for len in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < len {
                break;
            }
            days -= len;
            month += 1;
        }
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(f, "{year}-{month:02}-{:02} {hour:02}:{minute:02} UTC", days + 1)
    }
}

/// How long something took.
pub(crate) struct Seconds(pub(crate) Duration);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        let digits = if seconds < 10.0 { 3 } else { 1 };
        write!(f, "{seconds:.digits$} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        let text = "<script>alert(\"1\" & '2')</script>\u{202e}\u{7}\n\\ ä 日本";
        assert_eq!(
            Text(text).to_string(),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;\\u{202e}\\u{7}\\n\\ ä 日本"
        );
        assert_eq!(Text(&"a".repeat(5000)).to_string(), "a".repeat(LONGEST) + "…");
    }

    #[test]
    fn numbers_read_well() {
        let counts = [0, 12, 123, 1234, 12_345_678].map(|n| Count(n).to_string());
        assert_eq!(counts, ["0", "12", "123", "1,234", "12,345,678"]);
        let shares = [(0, 0), (0, 5), (1, 3), (1, 10_000_000), (9_999_999, 10_000_000), (5, 5)];
        assert_eq!(
            shares.map(|(a, b)| Share(a, b).to_string()),
            ["0 %", "0 %", "33.33 %", "&lt; 0.01 %", "&gt; 99.99 %", "100 %"]
        );
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
            (13_574_563_200, "2400-02-29 00:00 UTC"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(Utc(time).to_string(), expected);
        }
    }
}
