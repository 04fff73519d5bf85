//! Measures from how many rows on each strategy of bulk verification is the fastest on this CPU; see `run`.
//!
//! A case is a class of CPU (the features that are not hidden), a rule, and a kind of keys. In a case all sizes and
//! all strategies take turns, slot after slot; a slot is half a millisecond of calls, or one call that takes longer,
//! and before them a call that is not timed brings the code into the caches. Every verdict of every call is looked
//! at. The figure of a size and strategy is the lower quartile of its slots.

use serde_json::{Map, Value, json};
use sigmill::bulk::{
    Backend, Column, Engine, Outcome, Report, Scratch, Spec, Specs, Strategy, Table,
};
use sigmill::cpu::{Feature, force, has};
use sigmill::ed25519::{PreparedKey, Rule, SigningKey, Variant, rules};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[allow(dead_code)] // there are no other libraries here to be told
#[path = "../src/cpu.rs"]
mod cpu;

const SIZES: [usize; 23] =
    [1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
/// Those whose times are printed.
const SHOWN: [usize; 14] = [1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64, 128, 256, 1024];
/// Rows of the longest table.
const ROWS: usize = 1024;
/// Short tables are parts of so many rows, in turns.
const ROWS_IN_TURNS: usize = 128;
/// The call that is not timed has at most so many rows.
const WARMING_ROWS: usize = 32;
/// A slot calls for about this long.
const SLOT_NS: f64 = 500_000.0;
/// A round has several slots if a call takes less than that.
const SHORT_NS: f64 = 3_000_000.0;
const SLOTS_OF_SHORT: usize = 4;
/// How many rounds a case has at least; each has all sizes and strategies.
const ROUNDS: usize = 4;
/// The time of all cases together, by default.
const SECONDS: f64 = 180.0;

/// The rules, one for each equation.
const RULES: [(&Rule, &str); 2] = [(&rules::COMMON, "exact"), (&rules::ZIP215, "cofactored")];

/// The contents of the key column.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Bytes,
    Prepared,
    /// The bytes of one key in every row.
    One,
}

impl Keys {
    const ALL: [Keys; 3] = [Keys::Bytes, Keys::Prepared, Keys::One];

    fn name(self) -> &'static str {
        match self {
            Keys::Bytes => "bytes",
            Keys::Prepared => "prepared",
            Keys::One => "onekey",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Keys::Bytes => "keys as bytes",
            Keys::Prepared => "prepared keys",
            Keys::One => "one key for all rows, as bytes",
        }
    }
}

/// Columns of `ROWS` rows.
struct Inputs {
    messages: Vec<u8>,
    keys: Vec<u8>,
    prepared: Vec<PreparedKey>,
    signatures: Vec<u8>,
    one_key: Vec<u8>,
    one_signatures: Vec<u8>,
}

impl Inputs {
    fn new() -> Inputs {
        let keys: Vec<_> = (0..ROWS).map(|i| SigningKey::from_bytes(&bytes_of(i, 1))).collect();
        let messages: Vec<_> = (0..ROWS).map(|i| bytes_of(i, 2)).collect();
        let sign =
            |key: &SigningKey, i: usize| key.sign_with(Variant::Pure, &messages[i]).to_bytes();
        Inputs {
            keys: keys.iter().flat_map(|key| key.verifying_key().to_bytes()).collect(),
            prepared: keys.iter().map(|key| PreparedKey::new(&key.verifying_key())).collect(),
            signatures: (0..ROWS).flat_map(|i| sign(&keys[i], i)).collect(),
            one_key: keys[0].verifying_key().to_bytes().repeat(ROWS),
            one_signatures: (0..ROWS).flat_map(|i| sign(&keys[0], i)).collect(),
            messages: messages.concat(),
        }
    }

    /// A table of so many rows, from row `first` on.
    fn table<'a>(&'a self, rule: &'a Rule, keys: Keys, first: usize, rows: usize) -> Table<'a> {
        let part = |bytes: &'a [u8]| {
            let width = bytes.len() / ROWS;
            let bytes = &bytes[first * width..(first + rows) * width];
            Column::fixed(bytes, width, rows, None).expect("the bytes of all rows")
        };
        let (keys, signatures) = match keys {
            Keys::Bytes => (part(&self.keys), &self.signatures),
            Keys::One => (part(&self.one_key), &self.one_signatures),
            Keys::Prepared => {
                let keys = &self.prepared[first..first + rows];
                (Column::prepared(keys, None, None).expect("a key for each row"), &self.signatures)
            }
        };
        let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
        Table::new(keys, part(&self.messages), part(signatures), spec).expect("columns of a length")
    }
}

/// 32 bytes that no other row has.
fn bytes_of(row: usize, what: u64) -> [u8; 32] {
    let mut bytes = [7; 32];
    let number = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ what;
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

/// An engine that asks the system for nothing.
fn new_engine() -> Engine {
    Engine::new().with_entropy([7; 32])
}

/// How many rows the backend of the class has side by side.
fn lanes() -> usize {
    match Backend::best() {
        Backend::Simd128 | Backend::Avx2 => 4,
        Backend::Ifma => 8,
        _ => 0,
    }
}

/// The outputs of engines.
struct Memory {
    outcomes: Vec<Outcome>,
    scratch: Vec<Scratch>,
}

impl Memory {
    fn new() -> Memory {
        let forced = Strategy::ALL.map(|strategy| new_engine().with_strategy(strategy));
        let engines = forced.iter().copied().chain([new_engine()]);
        let len = engines.flat_map(|engine| SIZES.map(|rows| engine.scratch_len(rows))).max();
        Memory {
            outcomes: vec![None; ROWS],
            scratch: vec![Scratch::new(); len.unwrap_or_default()],
        }
    }

    /// Verifies a table; how many nanoseconds it took, and which strategy had how many rows.
    fn verify(&mut self, engine: &Engine, table: &Table<'_>) -> Result<(f64, Report), String> {
        let outcomes = &mut self.outcomes[..table.len()];
        outcomes.fill(None);
        let scratch = &mut self.scratch[..engine.scratch_len(table.len())];
        let start = Instant::now();
        let report = engine.verify_into(table, outcomes, scratch);
        let taken = start.elapsed().as_nanos() as f64;
        let report = report.map_err(|error| error.to_string())?;
        if !outcomes.iter().all(|outcome| outcome.is_some_and(|verdict| verdict.is_valid())) {
            return Err(format!("a valid row in a table of {} was refused", table.len()));
        }
        Ok((taken, report))
    }
}

/// How a table is verified.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Forced(Strategy),
    /// By what the engine chooses, where that is several strategies: full lanes, and what is left one by one.
    Chosen,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Forced(strategy) => strategy.name(),
            Way::Chosen => "chosen",
        }
    }
}

/// A size and a way, and its slots.
struct Candidate<'a> {
    way: Way,
    engine: Engine,
    tables: Vec<Table<'a>>,
    /// The table whose turn it is.
    next: usize,
    warming: Table<'a>,
    /// How long a call takes, and how many make a slot.
    call_ns: f64,
    calls: usize,
    /// Nanoseconds a row.
    slots: Vec<f64>,
}

impl Candidate<'_> {
    fn slot(&mut self, memory: &mut Memory) -> Result<(), String> {
        memory.verify(&self.engine, &self.warming)?;
        let (mut taken, mut rows) = (0.0, 0);
        for _ in 0..self.calls {
            let table = &self.tables[self.next];
            self.next = (self.next + 1) % self.tables.len();
            taken += memory.verify(&self.engine, table)?.0;
            rows += table.len();
        }
        self.slots.push(taken / rows as f64);
        Ok(())
    }
}

/// Nanoseconds a row of a size by a way.
struct Times {
    way: Way,
    least: f64,
    quartile: f64,
    median: f64,
    slots: usize,
}

impl Times {
    fn of(candidate: Candidate<'_>) -> Times {
        let Candidate { way, mut slots, .. } = candidate;
        slots.sort_by(f64::total_cmp);
        let at = |part: usize| slots[slots.len() / part];
        Times { way, least: slots[0], quartile: at(4), median: at(2), slots: slots.len() }
    }
}

/// The measurement for a number of rows.
struct Size {
    rows: usize,
    /// The engine's choice.
    chosen: Strategy,
    times: Vec<Times>,
}

impl Size {
    fn figure(&self, way: Way) -> Option<f64> {
        self.times.iter().find(|times| times.way == way).map(|times| times.quartile)
    }

    fn by(&self, strategy: Strategy) -> Option<f64> {
        self.figure(Way::Forced(strategy))
    }

    /// How much longer than the fastest way that takes which the engine chooses, as a part of it.
    fn loss(&self) -> f64 {
        let fastest = self.times.iter().map(|times| times.quartile).fold(f64::INFINITY, f64::min);
        let chosen = self.figure(Way::Chosen).or(self.by(self.chosen)).unwrap_or(fastest);
        chosen / fastest - 1.0
    }
}

/// A class of CPU, a rule and a kind of keys.
struct Case<'a> {
    class: &'a str,
    rule: &'a Rule,
    equation: &'a str,
    keys: Keys,
    inputs: &'a Inputs,
}

impl<'a> Case<'a> {
    fn table(&self, first: usize, rows: usize) -> Table<'a> {
        self.inputs.table(self.rule, self.keys, first, rows)
    }

    fn candidate(
        &self,
        memory: &mut Memory,
        way: Way,
        rows: usize,
    ) -> Result<Candidate<'a>, String> {
        let engine = match way {
            Way::Forced(strategy) => new_engine().with_strategy(strategy),
            Way::Chosen => new_engine(),
        };
        let tables: Vec<_> =
            (0..(ROWS_IN_TURNS / rows).max(1)).map(|i| self.table(i * rows, rows)).collect();
        let warming = self.table(0, rows.min(WARMING_ROWS));
        memory.verify(&engine, &warming)?;
        let (call_ns, report) = memory.verify(&engine, &tables[0])?;
        let by_it = match way {
            Way::Forced(Strategy::Single) => report.single,
            Way::Forced(Strategy::Lanes) => report.lanes,
            Way::Forced(Strategy::Combined) => report.combined,
            _ => rows,
        };
        if by_it != rows {
            let name = way.name();
            return Err(format!("the strategy {name} has verified {by_it} of {rows} rows"));
        }
        let calls = (SLOT_NS / call_ns).round().max(1.0) as usize;
        let slots = Vec::new();
        Ok(Candidate { way, engine, tables, next: 0, warming, call_ns, calls, slots })
    }

    /// The strategy that the engine states for so many rows. For prepared keys it states none.
    fn said(&self, rows: usize) -> Option<Strategy> {
        let keys = match self.keys {
            Keys::Bytes => rows,
            Keys::One => 1,
            Keys::Prepared => return None,
        };
        Some(new_engine().strategy_with_keys(self.rule, rows, keys))
    }

    /// The engine's choice for so many rows, and whether it has all of them.
    fn chosen(&self, memory: &mut Memory, rows: usize) -> Result<(Strategy, bool), String> {
        let engine = new_engine();
        let (_, report) = memory.verify(&engine, &self.table(0, rows))?;
        let strategy = match report {
            Report { combined: 1.., .. } => Strategy::Combined,
            Report { lanes: 1.., .. } => Strategy::Lanes,
            _ => Strategy::Single,
        };
        if let Some(said) = self.said(rows)
            && strategy != said
        {
            return Err(format!("{rows} rows were verified by {strategy}, and not by {said}"));
        }
        Ok((strategy, [report.single, report.lanes, report.combined].contains(&rows)))
    }

    /// The least number of rows for which the engine chooses this strategy, or one for more rows.
    fn chosen_from(&self, memory: &mut Memory, wanted: Strategy) -> Result<Option<usize>, String> {
        let place = |strategy| Strategy::ALL.iter().position(|it| *it == strategy);
        if self.said(1).is_some() {
            let so = |rows: &usize| self.said(*rows).is_some_and(|it| place(it) >= place(wanted));
            return Ok((1..=ROWS).find(so));
        }
        // all below `low` are verified otherwise, all from `high` on so
        let (mut low, mut high) = (1, ROWS + 1);
        while low < high {
            let middle = low.midpoint(high);
            if place(self.chosen(memory, middle)?.0) >= place(wanted) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok((low <= ROWS).then_some(low))
    }

    /// Measures all sizes, for about so many seconds from the first call on.
    fn measure(&self, memory: &mut Memory, seconds: f64) -> Result<Vec<Size>, String> {
        let start = Instant::now();
        let mut sizes = Vec::new();
        for rows in SIZES {
            let (strategy, alone) = self.chosen(memory, rows)?;
            let forced =
                Strategy::ALL.into_iter().filter(|it| *it != Strategy::Lanes || lanes() > 0);
            let ways = forced.map(Way::Forced).chain((!alone).then_some(Way::Chosen));
            let candidates = ways.map(|way| self.candidate(memory, way, rows));
            sizes.push((rows, strategy, candidates.collect::<Result<Vec<_>, _>>()?));
        }
        let (begun, mut rounds) = (Instant::now(), 0);
        loop {
            for turn in 0..SLOTS_OF_SHORT {
                for (_, _, candidates) in &mut sizes {
                    let count = candidates.len();
                    // none is always the one that comes first
                    for i in 0..count {
                        let candidate = &mut candidates[(i + turn + rounds) % count];
                        if turn == 0 || candidate.call_ns < SHORT_NS {
                            candidate.slot(memory)?;
                        }
                    }
                }
            }
            rounds += 1;
            let round = begun.elapsed().as_secs_f64() / rounds as f64;
            // half of a round more would be too much
            if rounds >= ROUNDS && start.elapsed().as_secs_f64() + round / 2.0 > seconds {
                break;
            }
        }
        let sizes = sizes.into_iter().map(|(rows, chosen, candidates)| Size {
            rows,
            chosen,
            times: candidates.into_iter().map(Times::of).collect(),
        });
        Ok(sizes.collect())
    }
}

/// From how many rows on a ratio of times is below 1, there and at all larger sizes. Between the last size where it is
/// not and the next one that is where a line crosses 1, both scales logarithmic.
fn below_one_from(ratios: &[(usize, f64)]) -> Option<usize> {
    let Some(last) = ratios.iter().rposition(|(_, ratio)| *ratio >= 1.0) else {
        return ratios.first().map(|(rows, _)| *rows);
    };
    let ((low, above), (high, below)) = (ratios[last], *ratios.get(last + 1)?);
    let part = above.ln() / (above.ln() - below.ln());
    let crossing = low as f64 * (high as f64 / low as f64).powf(part);
    Some((crossing.ceil() as usize).clamp(low + 1, high))
}

/// The result of a case.
struct Found<'a> {
    case: &'a Case<'a>,
    sizes: &'a [Size],
    /// From here on a combination is faster than everything else, measured and by the engine's choice.
    combined: Option<usize>,
    combined_today: Option<usize>,
    /// From here on lanes are faster than single operations, in one group of lanes.
    lanes: Option<usize>,
    lanes_today: Option<usize>,
    /// The same for more rows too, whose last group may be almost empty.
    lanes_at_all: Option<usize>,
    /// The largest loss by the engine's choice, and at which size.
    loss: f64,
    loss_at: usize,
    /// How far the median of a size is above its lower quartile, at most.
    spread: f64,
    /// The slots of the size that has fewest.
    slots: usize,
}

impl<'a> Found<'a> {
    fn of(case: &'a Case<'a>, sizes: &'a [Size], memory: &mut Memory) -> Result<Self, String> {
        let combined = sizes.iter().filter_map(|size| {
            let others = [size.by(Strategy::Single), size.by(Strategy::Lanes)];
            let fastest = others.into_iter().flatten().reduce(f64::min)?;
            Some((size.rows, size.by(Strategy::Combined)? / fastest))
        });
        let combined: Vec<_> = combined.collect();
        let in_lanes = sizes.iter().filter_map(|size| {
            Some((size.rows, size.by(Strategy::Lanes)? / size.by(Strategy::Single)?))
        });
        let in_lanes: Vec<_> = in_lanes.collect();
        let of_group = in_lanes.iter().take_while(|(rows, _)| *rows <= lanes()).count();
        let worst = sizes.iter().max_by(|one, other| one.loss().total_cmp(&other.loss()));
        let worst = worst.ok_or("nothing was measured")?;
        let times = || sizes.iter().flat_map(|size| &size.times);
        Ok(Found {
            case,
            sizes,
            combined: below_one_from(&combined),
            combined_today: case.chosen_from(memory, Strategy::Combined)?,
            lanes: below_one_from(&in_lanes[..of_group]),
            lanes_today: case.chosen_from(memory, Strategy::Lanes)?,
            lanes_at_all: below_one_from(&in_lanes),
            loss: worst.loss(),
            loss_at: worst.rows,
            spread: times().map(|it| it.median / it.quartile - 1.0).fold(0.0, f64::max),
            slots: times().map(|it| it.slots).min().unwrap_or_default(),
        })
    }

    fn print(&self) {
        let Case { class, rule, equation, keys, .. } = self.case;
        println!("{class}: {rule} ({equation}), {}", keys.words());
        if lanes() > 0 {
            println!(
                "  lanes from {} rows in one group, from {} at all sizes; today from {}",
                number(self.lanes),
                number(self.lanes_at_all),
                number(self.lanes_today)
            );
        }
        println!(
            "  combined from {} rows; today from {}",
            number(self.combined),
            number(self.combined_today)
        );
        self.print_line("rows", |size| size.rows.to_string());
        for strategy in Strategy::ALL {
            if self.sizes.iter().any(|size| size.by(strategy).is_some()) {
                self.print_line(strategy.name(), |size| {
                    size.by(strategy).map_or("-".into(), |ns| format!("{:.1}", ns / 1000.0))
                });
            }
        }
        self.print_line("today", |size| size.chosen.to_string());
        self.print_line("loss, %", |size| format!("{:.1}", 100.0 * size.loss()));
        println!(
            "  loss at most {:.1} % ({} rows); {} slots or more, medians at most {:.1} % above lower quartiles\n",
            100.0 * self.loss,
            self.loss_at,
            self.slots,
            100.0 * self.spread
        );
    }

    fn print_line(&self, name: &str, value: impl Fn(&Size) -> String) {
        let shown = self.sizes.iter().filter(|size| SHOWN.contains(&size.rows));
        let values: String = shown.map(|size| format!("{:>9}", value(size))).collect();
        println!("  {name:8}{values}");
    }

    /// The line of the summary, as `SUMMARY` names it.
    fn summary(&self) -> [String; 10] {
        let in_lanes = |rows| if lanes() > 0 { number(rows) } else { "-".into() };
        [
            self.case.class.into(),
            self.case.equation.into(),
            self.case.keys.name().into(),
            number(self.combined),
            number(self.combined_today),
            in_lanes(self.lanes),
            in_lanes(self.lanes_at_all),
            in_lanes(self.lanes_today),
            format!("{:.1}", 100.0 * self.loss),
            self.loss_at.to_string(),
        ]
    }

    /// The entry of the record.
    fn lines(&self) -> Vec<Value> {
        let tenths = |value: f64| (value * 10.0).round() / 10.0;
        let Case { class, rule, equation, keys, .. } = self.case;
        let line = |rest: Value| {
            let mut line = json!({
                "class": class,
                "backend": Backend::best().name(),
                "rule": rule.to_string(),
                "equation": equation,
                "keys": keys.name(),
            });
            if let (Value::Object(line), Value::Object(rest)) = (&mut line, rest) {
                line.extend(rest);
            }
            line
        };
        let times = self.sizes.iter().flat_map(|size| size.times.iter().map(|it| (size.rows, it)));
        let times = times.map(|(rows, times)| {
            line(json!({
                "n": rows,
                "strategy": times.way.name(),
                "ns": tenths(times.quartile),
                "ns_min": tenths(times.least),
                "ns_median": tenths(times.median),
                "slots": times.slots,
            }))
        });
        let today =
            self.sizes.iter().map(|size| (size.rows.to_string(), size.chosen.name().into()));
        let losses = self
            .sizes
            .iter()
            .map(|size| (size.rows.to_string(), json!(tenths(100.0 * size.loss()))));
        let found = line(json!({
            "combined_from": self.combined,
            "combined_from_today": self.combined_today,
            "lanes_from": self.lanes,
            "lanes_from_at_all_sizes": self.lanes_at_all,
            "lanes_from_today": self.lanes_today.filter(|_| lanes() > 0),
            "today": today.collect::<Map<_, _>>(),
            "loss_percent": losses.collect::<Map<_, _>>(),
            "largest_loss_percent": tenths(100.0 * self.loss),
            "largest_loss_n": self.loss_at,
        }));
        times.chain([found]).collect()
    }
}

const SUMMARY: [&str; 10] = [
    "class", "equation", "keys", "combined", "today", "lanes", "at all", "today", "loss, %", "at n",
];

fn print_summary(lines: &[[String; 10]]) {
    let print = |[class, equation, keys, rest @ ..]: &[String; 10]| {
        let rest: String = rest.iter().map(|value| format!("{value:>9}")).collect();
        println!("{class:20}{equation:12}{keys:9}{rest}");
    };
    print(&SUMMARY.map(String::from));
    lines.iter().for_each(print);
}

fn number(rows: Option<usize>) -> String {
    rows.map_or("never".into(), |rows| rows.to_string())
}

/// The classes that this CPU can stand for: with everything that it has, and with less.
fn classes() -> Vec<(String, Vec<Feature>)> {
    let all: Vec<_> = Feature::ALL.into_iter().filter(|&feature| has(feature)).collect();
    let less: [&[Feature]; 4] =
        [&[Feature::Adx, Feature::Avx2], &[Feature::Avx2], &[Feature::Adx], &[]];
    let less = less.into_iter().map(<[_]>::to_vec);
    let less =
        less.filter(|class| *class != all && class.iter().all(|feature| all.contains(feature)));
    let less: Vec<_> = less.collect();
    let classes = [all].into_iter().chain(less);
    let named = classes.map(|class| match &class[..] {
        [] => ("none".into(), class),
        features => {
            let names: Vec<_> = features.iter().map(|feature| feature.name()).collect();
            (names.join("+"), class)
        }
    });
    named.collect()
}

/// A file of JSON lines. It is written under a temporary name and renamed last.
struct Record {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl Record {
    /// Makes sure that it can be written, before anything is measured.
    fn create(path: &str) -> Result<Record, String> {
        let temporary = PathBuf::from(format!("{path}.tmp"));
        let file =
            File::create(&temporary).map_err(|error| format!("cannot write {path}: {error}"))?;
        Ok(Record { file, temporary, path: path.into() })
    }

    fn finish(mut self, lines: &[Value]) -> Result<(), String> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| fs::rename(&self.temporary, &self.path))
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // after a success it has another name; after a failure nobody needs it
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Measures these classes, prints what comes of it and returns the lines of the record.
fn measured(classes: &[(String, Vec<Feature>)], seconds: f64) -> Result<Vec<Value>, String> {
    let inputs = Inputs::new();
    let (mut summary, mut lines) = (Vec::new(), Vec::new());
    for (class, features) in classes {
        force(features);
        let mut memory = Memory::new();
        for (rule, equation) in RULES {
            for keys in Keys::ALL {
                let case = Case { class, rule, equation, keys, inputs: &inputs };
                let sizes = case.measure(&mut memory, seconds)?;
                let found = Found::of(&case, &sizes, &mut memory)?;
                found.print();
                summary.push(found.summary());
                lines.extend(found.lines());
            }
        }
    }
    print_summary(&summary);
    Ok(lines)
}

fn run(
    classes: &[(String, Vec<Feature>)],
    seconds: f64,
    json: &str,
    [commit, date]: [&str; 2],
) -> Result<(), String> {
    let record = (!json.is_empty()).then(|| Record::create(json)).transpose()?;
    let cpu = cpu::Cpu::this();
    println!("{}\ncommit {commit}, {date}, {seconds:.1} s each", cpu.name());
    println!("times in µs a row, lower quartiles\n");
    let mut lines = vec![json!({
        "cpu": cpu.name(),
        "cpu_id": cpu.about(),
        "commit": commit,
        "date": date,
        "seconds": seconds,
        "ns": "lower quartile of slots, a row",
    })];
    lines.extend(measured(classes, seconds)?);
    record.map_or(Ok(()), |record| record.finish(&lines))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, only, json, commit, date] = &arguments[..] else {
        eprintln!("thresholds: bench/thresholds/run starts this program");
        return ExitCode::from(2);
    };
    let all = classes();
    let seconds = match &**seconds {
        "" => SECONDS / (all.len() * RULES.len() * Keys::ALL.len()) as f64,
        seconds => seconds.parse().expect("a number"),
    };
    let names: Vec<_> = all.iter().map(|(name, _)| name.clone()).collect();
    let wanted: Vec<_> =
        all.into_iter().filter(|(name, _)| only.is_empty() || name == only).collect();
    if wanted.is_empty() {
        eprintln!("thresholds: this CPU is not of the class {only}, but of: {}", names.join(" "));
        return ExitCode::from(2);
    }
    match run(&wanted, seconds, json, [commit, date].map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("thresholds: {error}");
            ExitCode::FAILURE
        }
    }
}
