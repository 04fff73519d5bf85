//! The page: HTML and SVG with nothing from elsewhere, and no script.

use super::text::{Count, Hex, Seconds, Share, Text, Utc};
use super::{
    FIRST_TRIED, Key, Kind, LISTED, Listed, MOST_TRIED, Report, Said, TRIED_EVERY, Tried,
    VALID_CODE,
};
use sigmill::bulk::{self, Algorithm};
use sigmill::ecdsa::{Encoding, LowS, Prehash};
use sigmill::ed25519::Rule;
use sigmill::ed25519::rules::{self, Equation};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};

const STYLE: &str = include_str!("page.css");
/// Nothing may be loaded and no script run, whatever the page holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/// So many keys are listed.
const TOP_KEYS: usize = 20;
/// The height of the strip, in units of its own.
const HEIGHT: f64 = 100.0;

pub(crate) fn html(report: &Report) -> String {
    let mut page = String::new();
    // a `String` takes all that is written
    let _ = write(report, &mut page);
    page
}

fn write(report: &Report, page: &mut String) -> fmt::Result {
    let table = Text(&report.settings.table);
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>Signatures of {table}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )?;
    sums(report, page)?;
    reasons(report, page)?;
    strip(report, page)?;
    keys(report, page)?;
    other_rules(report, page)?;
    let [invalid, nothing] = &report.listed;
    list(report, page, "Invalid rows", (invalid, report.invalid(), LISTED[0]))?;
    let without = report.rows() - report.valid() - report.invalid();
    list(report, page, "Rows without a verdict", (nothing, without, LISTED[1]))?;
    circumstances(report, page)?;
    limits(report, page)?;
    page.write_str("</main>\n</body>\n</html>\n")
}

fn section(page: &mut String, title: &str) -> fmt::Result {
    writeln!(page, "<section>\n<h2>{title}</h2>")
}

fn sums(report: &Report, page: &mut String) -> fmt::Result {
    let (rows, valid, invalid) = (report.rows(), report.valid(), report.invalid());
    let nothing = rows - valid - invalid;
    writeln!(
        page,
        "<header>\n<p class=\"soft\">Signatures of</p>\n<h1>{}</h1>\n<div class=\"sums\">",
        Text(&report.settings.table)
    )?;
    let parts =
        [(valid, "valid", "v"), (invalid, "invalid", "i"), (nothing, "without a verdict", "n")];
    writeln!(page, "<div><b>{}</b><span>rows</span></div>", Count(rows))?;
    for (count, name, class) in parts {
        writeln!(
            page,
            "<div><b>{}</b><span><i class=\"dot {class}\"></i>{name}, {}</span></div>",
            Count(count),
            Share(count, rows)
        )?;
    }
    page.write_str("</div>\n<div class=\"bar\" aria-hidden=\"true\">")?;
    for (count, _, class) in parts.into_iter().filter(|(count, ..)| *count > 0) {
        let percent = count as f64 * 100.0 / rows as f64;
        write!(page, "<i class=\"{class}\" style=\"width:{percent:.4}%\"></i>")?;
    }
    page.write_str("</div>\n</header>\n")
}

/// The mark of what was said, its name, and what it means.
fn named(said: Said) -> (&'static str, &'static str, &'static str) {
    match said {
        Said::Valid => ("v", "valid", "the signature is one of this message by this key"),
        Said::Invalid(reason) => ("i", reason.name(), reason.text()),
        Said::Refused(name, text) => ("i", name, text),
        Said::Nothing(name, text) => ("n", name, text),
    }
}

fn reasons(report: &Report, page: &mut String) -> fmt::Result {
    section(page, "Verdicts and reasons")?;
    if report.rows() == 0 {
        return page.write_str("<p>The table has no rows.</p>\n</section>\n");
    }
    page.write_str(
        "<table>\n<thead><tr><th>Verdict</th><th>Reason</th><th class=\"num\">Rows</th></tr></thead>\n\
         <tbody>\n",
    )?;
    for (said, count) in report.counted() {
        let (class, name, text) = named(said);
        let verdict = match said {
            Said::Valid => "valid",
            Said::Invalid(_) | Said::Refused(..) => "invalid",
            Said::Nothing(..) => "none",
        };
        write!(page, "<tr><td class=\"verdict\"><i class=\"dot {class}\"></i>{verdict}</td><td>")?;
        match said {
            Said::Valid => page.write_str("–")?,
            _ => write!(page, "<code>{name}</code><br><span class=\"soft\">{text}</span>")?,
        }
        writeln!(
            page,
            "</td><td class=\"num\">{}<span class=\"soft\">{}</span></td></tr>",
            Count(count),
            Share(count, report.rows())
        )?;
    }
    page.write_str("</tbody>\n</table>\n</section>\n")
}

fn strip(report: &Report, page: &mut String) -> fmt::Result {
    section(page, "Where they lie")?;
    let rows = report.rows();
    let mut bins = report.bins.clone();
    bins.reach(rows.saturating_sub(1));
    let (width, bins) = (bins.width(), bins.of_table(rows));
    let highest = bins.iter().map(|[invalid, nothing]| invalid + nothing).max().unwrap_or(0);
    if highest == 0 {
        let what = if rows == 0 { "There are no rows." } else { "Every row is valid." };
        return writeln!(page, "<p>{what}</p>\n</section>");
    }
    writeln!(
        page,
        "<figure>\n<svg viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Rows that are not valid, by position\">",
        bins.len()
    )?;
    for (x, [invalid, nothing]) in bins.iter().enumerate() {
        if invalid + nothing == 0 {
            continue;
        }
        let first = x as u64 * width;
        let last = (first + (width - 1)).min(rows - 1);
        write!(page, "<g><title>{}: ", Range(first, last))?;
        write!(page, "{} invalid, {} without a verdict</title>", Count(*invalid), Count(*nothing))?;
        let mut top = HEIGHT;
        for (count, class) in [(*invalid, "i"), (*nothing, "n")] {
            if count > 0 {
                // one row among millions is seen, too
                let height = (count as f64 / highest as f64 * HEIGHT).max(2.0).min(top);
                top -= height;
                write!(
                    page,
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{top:.1}\" width=\"1\" height=\"{height:.1}\"/>"
                )?;
            }
        }
        page.write_str("</g>\n")?;
    }
    writeln!(
        page,
        "</svg>\n<div class=\"axis\"><span>row 0</span><span>row {}</span></div>\n<figcaption>\
         <i class=\"dot i\"></i>invalid <i class=\"dot n\"></i>without a verdict. A bar is {}; the highest \
         has {} that {} not valid.</figcaption>\n</figure>\n</section>",
        Count(rows - 1),
        Rows(width),
        Rows(highest),
        if highest == 1 { "is" } else { "are" }
    )
}

/// Rows from one to another.
struct Range(u64, u64);

impl Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range(first, last) if first == last => write!(f, "row {}", Count(*first)),
            Range(first, last) => write!(f, "rows {} to {}", Count(*first), Count(*last)),
        }
    }
}

/// A number of rows.
struct Rows(u64);

impl Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} row{}", Count(self.0), if self.0 == 1 { "" } else { "s" })
    }
}

impl Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.len {
            0 => f.write_str("no bytes"),
            len if len > self.head().len() => {
                write!(f, "<code>{}…</code> ({} bytes)", Hex(self.head()), Count(len as u64))
            }
            _ => write!(f, "<code>{}</code>", Hex(self.head())),
        }
    }
}

/// A key with its names.
struct Named<'a>(&'a Key, &'a Report);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(key, report) = self;
        key.fmt(f)?;
        let is_whole = key.len == key.head().len();
        let names = report.settings.key_names.iter();
        for (_, name) in names.filter(|(bytes, _)| is_whole && bytes == key.head()) {
            write!(f, "<span class=\"soft\">{}</span>", Text(name))?;
        }
        Ok(())
    }
}

fn keys(report: &Report, page: &mut String) -> fmt::Result {
    let top = report.keys.top(TOP_KEYS);
    if top.is_empty() {
        return Ok(());
    }
    section(page, "Keys with the most invalid rows")?;
    let error = report.keys.error();
    page.write_str("<table class=\"rows\">\n")?;
    if error > 0 {
        writeln!(
            page,
            "<caption>There are so many keys that a count may be up to {} too low, and a key with no \
             more rows than that may be missing.</caption>",
            Count(error)
        )?;
    }
    page.write_str(
        "<thead><tr><th>Key</th><th class=\"num\">Invalid rows</th></tr></thead>\n<tbody>\n",
    )?;
    for (key, count) in top {
        write!(
            page,
            "<tr><td class=\"key\">{}</td><td class=\"num\" data-name=\"invalid rows\">",
            Named(key, report)
        )?;
        match error {
            0 => write!(page, "{}", Count(count))?,
            error => write!(page, "{} to {}", Count(count), Count(count + error))?,
        }
        page.write_str("</td></tr>\n")?;
    }
    page.write_str("</tbody>\n</table>\n</section>\n")
}

/// How many of how many were tried.
fn of_how_many(tried: &Tried) -> String {
    match (tried.tried, tried.met) {
        (_, 0) => "no".to_owned(),
        (tried, met) if tried == met => format!("all {}", Count(met)),
        (tried, met) => format!("{} of {}", Count(tried), Count(met)),
    }
}

fn other_rules(report: &Report, page: &mut String) -> fmt::Result {
    let used = rules_of(report);
    if used.is_empty() {
        return Ok(());
    }
    let (invalid, edges) = (&report.invalid, &report.edges);
    section(page, "Under other rules")?;
    writeln!(
        page,
        "<p class=\"soft\">Verified under every rule: {} invalid and {} edge rows of Ed25519. An edge row is valid, \
         but its key or R is not canonical or of small order, or its S is not below the order of the group.</p>",
        of_how_many(invalid),
        of_how_many(edges)
    )?;
    page.write_str(
        "<table>\n<thead><tr><th>Rule</th><th class=\"num\">Invalid rows valid here</th>\
         <th class=\"num\">Edge rows invalid here</th></tr></thead>\n<tbody>\n",
    )?;
    for (rule, (invalid, edges)) in
        rules::ALL.into_iter().zip(invalid.codes.iter().zip(&edges.codes))
    {
        let tag = if used.contains(rule) { " <span class=\"tag\">used</span>" } else { "" };
        let valid = invalid.get(&VALID_CODE).copied().unwrap_or(0);
        let refused: u64 =
            edges.iter().filter(|(code, _)| **code != VALID_CODE).map(|(_, count)| count).sum();
        write!(
            page,
            "<tr><th scope=\"row\"><code>{rule}</code>{tag}</th><td class=\"num\">{}</td><td class=\"num\">{}",
            Count(valid),
            Count(refused)
        )?;
        for (code, count) in edges.iter().filter(|(code, _)| **code != VALID_CODE) {
            let (_, name, _) = named(report.said(*code));
            write!(page, "<span class=\"soft\">{name} {}</span>", Count(*count))?;
        }
        page.write_str("</td></tr>\n")?;
    }
    page.write_str("</tbody>\n</table>\n</section>\n")
}

/// The rules that rows were verified under.
fn rules_of(report: &Report) -> BTreeSet<Rule> {
    let of_kind = |kind: &Kind| match kind {
        Kind::Ed25519(rule, _) => Some(*rule),
        Kind::Ecdsa(_) | Kind::Other => None,
    };
    report.kinds.keys().filter_map(of_kind).collect()
}

fn list(
    report: &Report,
    page: &mut String,
    title: &str,
    (rows, all, most): (&[Listed], u64, usize),
) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    match all > most as u64 {
        true => section(page, &format!("{title}: the first {most} of {}", Count(all)))?,
        false => section(page, &format!("{title}: all {}", Count(all)))?,
    }
    let is_tried = rows.iter().any(|row| row.valid_under.is_some());
    page.write_str(
        "<table class=\"rows\">\n<thead><tr><th class=\"num\">Row</th><th>Reason</th><th>Key</th>",
    )?;
    page.write_str(if is_tried { "<th>Valid under</th>" } else { "" })?;
    page.write_str("</tr></thead>\n<tbody>\n")?;
    for row in rows {
        let (_, name, _) = named(report.said(row.code));
        write!(
            page,
            "<tr><td class=\"num\" data-name=\"row\">{}</td><td><code>{name}</code></td>\
             <td class=\"key\">",
            Count(row.row)
        )?;
        match &row.key {
            Some(key) => write!(page, "{}</td>", Named(key, report))?,
            None => page.write_str("–</td>")?,
        }
        if is_tried {
            page.write_str("<td data-name=\"valid under\">")?;
            match &row.valid_under {
                None => page.write_str("not tried")?,
                Some(rules) if rules.is_empty() => page.write_str("no rule")?,
                Some(rules) => {
                    for (i, rule) in rules.iter().enumerate() {
                        write!(page, "{}<code>{rule}</code>", if i > 0 { ", " } else { "" })?;
                    }
                }
            }
            page.write_str("</td>")?;
        }
        page.write_str("</tr>\n")?;
    }
    page.write_str("</tbody>\n</table>\n</section>\n")
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Ed25519(rule, variant) => write!(f, "ed25519, rule {rule}, variant {variant}"),
            Kind::Ecdsa(scheme) => {
                let hash = match scheme.prehash {
                    Prehash::Sha256 => "sha256",
                    Prehash::Sha384 => "sha384",
                    Prehash::Sha512 => "sha512",
                    Prehash::None => "none",
                    _ => "another",
                };
                let encoding = match scheme.encoding {
                    Encoding::Fixed => "raw",
                    Encoding::Der => "DER",
                    _ => "other",
                };
                let low = if scheme.low_s == LowS::Required { ", low s only" } else { "" };
                write!(
                    f,
                    "{}, hash {hash}, {encoding} signatures{low}",
                    Algorithm::of_curve(scheme.curve).name()
                )
            }
            Kind::Other => f.write_str("something else"),
        }
    }
}

fn circumstances(report: &Report, page: &mut String) -> fmt::Result {
    section(page, "How it was checked")?;
    let settings = &report.settings;
    let mut entries = vec![("Program".to_owned(), settings.program.clone())];
    entries.push(("Date".to_owned(), Utc(settings.date).to_string()));
    for (kind, rows) in &report.kinds {
        entries.push(("Verified as".to_owned(), format!("{kind}: {}", Rows(*rows))));
    }
    let bulk::Report { combined, lanes, single } = report.strategies;
    let backend = settings.engine.backend().name().to_owned();
    match report.time {
        None => entries.push(("Backend".to_owned(), backend)),
        Some(time) => {
            let [combined, lanes, single] = [combined, lanes, single].map(|n| Count(n as u64));
            let how = format!("{backend}: {combined} combined, {lanes} in lanes, {single} single");
            entries.push(("Backend".to_owned(), how));
            let rate = report.rows() as f64 / time.as_secs_f64().max(1e-9);
            let throughput = format!("{}, {} rows/s", Seconds(time), Count(rate as u64));
            entries.push(("Time".to_owned(), throughput));
        }
    }
    entries.extend(settings.details.iter().cloned());
    page.write_str("<dl>\n")?;
    for (name, value) in entries {
        writeln!(page, "<dt>{}</dt><dd>{}</dd>", Text(&name), Text(&value))?;
    }
    page.write_str("</dl>\n</section>\n")
}

fn limits(report: &Report, page: &mut String) -> fmt::Result {
    section(page, "What this page does not say")?;
    page.write_str("<ul>\n")?;
    let used = rules_of(report);
    if !used.is_empty() {
        writeln!(
            page,
            "<li>Of rows that are valid, edge rows alone are tried under the other rules. No more than {} invalid and as \
             many edge rows are tried: the first {}, then one for every {} rows of the table.</li>",
            Count(MOST_TRIED),
            Count(FIRST_TRIED),
            Count(TRIED_EVERY)
        )?;
    }
    if used.iter().any(|rule| rule.equation() == Equation::Cofactored) {
        page.write_str(
            "<li>A row that is valid under a cofactored rule is not tried under the exact equation unless it is an edge \
             row: whether its points have a part of small order is not seen from its bytes.</li>\n",
        )?;
    }
    if report.kinds.keys().any(|kind| matches!(kind, Kind::Ecdsa(_))) {
        page.write_str("<li>Rows of ECDSA have no other rule.</li>\n")?;
    }
    page.write_str(
        "<li>Rows without a verdict are tried under no rule.</li>\n<li>Rows are counted from 0. The signatures and \
         messages themselves are not on this page.</li>\n</ul>\n</section>\n",
    )
}
