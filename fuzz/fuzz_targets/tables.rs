//! Any bytes as a table given to `sigmill check`: no panic but the ones that a guarded decoder may
//! have, and an output that is complete or not there. The sources of the command line are included
//! here, so that the fuzzer sees into them.

#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../cli/src/alg.rs"]
mod alg;
#[path = "../../cli/src/check/mod.rs"]
mod check;
#[path = "../../cli/src/engine.rs"]
mod engine;
#[path = "../../cli/src/form.rs"]
mod form;
#[allow(unsafe_code)]
#[path = "../../cli/src/memory.rs"]
mod memory;
#[path = "../../cli/src/output.rs"]
mod output;
#[path = "../shared/seeds.rs"]
mod seeds;
#[path = "../../cli/src/signals.rs"]
mod signals;
#[path = "../../cli/src/status.rs"]
mod status;
#[path = "../../cli/src/streams.rs"]
mod streams;
#[path = "../shared/tables.rs"]
mod tables;
#[path = "../../cli/src/text.rs"]
mod text;
#[path = "../../cli/src/variant.rs"]
mod variant;

use clap::Parser;
use libfuzzer_sys::fuzz_target;
use status::{Result, Status};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

/// `check` as `sigmill` has it.
#[derive(Parser)]
struct Check {
    #[command(flatten)]
    args: check::Args,
}

/// A folder of this process alone, below one that `fuzz/run` makes in memory and removes.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let parent = std::env::var_os("FUZZ_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new().prefix("tables-").tempdir_in(parent);
    folder.expect("a folder for the tables").keep()
});

/// Where the last panic was. Decoders may panic inside `check::read`, which makes an error of it.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn start() {
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(|lock| lock.into_inner()) = info.to_string();
    }));
    seeds::write_if_asked(tables::seeds);
}

/// A panic that the command line would call an internal error.
fn run(args: &check::Args) -> Result<Status> {
    match catch_unwind(AssertUnwindSafe(|| check::run(args))) {
        Ok(result) => result,
        Err(_) => fail(&PANIC.lock().unwrap_or_else(|lock| lock.into_inner())),
    }
}

/// The hook swallows panics, so a finding ends the process.
fn fail(what: &str) -> ! {
    eprintln!("finding: {what}");
    std::process::abort()
}

fn parsed(words: &[&str]) -> Check {
    let common = ["check", "--quiet", "--threads", "1"];
    Check::try_parse_from(common.iter().chain(words)).unwrap_or_else(|e| fail(&e.to_string()))
}

/// Text is decoded to the same bytes, or to none, whether it is public or may be secret.
fn decoders_agree(text: &[u8]) {
    for encoding in [text::Encoding::Hex, text::Encoding::Base64] {
        let public = encoding.decode(text);
        let secret = text::decode_secret(encoding, text).map(|bytes| bytes.to_vec());
        if public != secret {
            fail(&format!("{encoding:?} of {text:?}: {public:?}, {secret:?}"));
        }
    }
}

/// The names in the folder.
fn files() -> Vec<String> {
    let entries = fs::read_dir(&*FOLDER).expect("the folder is there");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
}

fuzz_target!(init: start(), |bytes: &[u8]| {
    let [first, options, table @ ..] = bytes else { return };
    decoders_agree(&table[..table.len().min(256)]);
    let format = tables::FORMATS[usize::from(first & 7) % tables::FORMATS.len()];
    let output_format = tables::FORMATS[usize::from(options & 7) % tables::FORMATS.len()];
    let input_path = &FOLDER.join("input");
    let output = FOLDER.join(format!("output.{}", tables::extension(output_format)));
    fs::write(input_path, table).expect("the table can be written");
    let (input, out) = (input_path.to_string_lossy(), output.to_string_lossy());
    let mut words = vec!["--format", format, &*input];
    let with_output = options & 8 != 0;
    if with_output {
        words.extend(["--output", &*out]);
    }
    for (bit, option) in [(16, "--allow-null"), (32, "--ignore-row-options")] {
        if options & bit != 0 {
            words.push(option);
        }
    }
    // the two options are errors where no table is CSV
    let is_csv = |format: &str| matches!(format, "csv" | "tsv");
    let has_csv = is_csv(format) || with_output && is_csv(output_format);
    if has_csv && first & tables::SEMICOLON != 0 {
        words.extend(["--delimiter", ";"]);
    }
    for (bit, option) in [
        (tables::SPKI, ["--key-form", "spki"]),
        (tables::KEY_BASE64, ["--key-encoding", "base64"]),
        (tables::SIG_HEX, ["--sig-encoding", "hex"]),
    ] {
        if first & bit != 0 {
            words.extend(option);
        }
    }
    words.extend(match options >> 6 {
        0 => &[][..],
        1 if has_csv => &["--encoding", "base64", "--null", ""],
        1 => &["--encoding", "base64"],
        // the last contradicts --ignore-row-options
        2 if options & 32 == 0 => {
            &["--msg-encoding", "raw", "--rule", "zip215", "--prefer-row-options"]
        }
        2 => &["--msg-encoding", "raw", "--rule", "zip215"],
        _ => &["--variant", "ph", "--context", "6162", "--context-encoding", "hex"],
    });
    let result = run(&parsed(&words).args);
    if with_output && output.exists() {
        // what is there is complete: it has a row for each row of an input that can be read
        let delimiter = |format: &str| match (first & tables::SEMICOLON, format) {
            (0, "tsv") => b'\t',
            (0, _) => b',',
            _ => b';',
        };
        // fields that nobody reads go from lines to lines as they came
        let are_loose = format == "jsonl";
        let wanted = catch_unwind(AssertUnwindSafe(|| {
            tables::rows_of(format, input_path, delimiter(format), are_loose)
        }));
        match (wanted, tables::rows_of(output_format, &output, delimiter(output_format), are_loose)) {
            (Ok(Ok(wanted)), Ok(got)) if wanted == got && result.is_ok() => {}
            (Ok(Err(what)), Ok(_)) if what.contains(tables::OTHER_VERSION) && result.is_ok() => {}
            (wanted, got) => fail(&format!("rows: {wanted:?} in, {got:?} out")),
        }
        fs::remove_file(&output).expect("the output can be removed");
    } else if with_output && matches!(result, Ok(Status::AllValid)) {
        // with an invalid row and a failure after it there is none, and the code says invalid
        fail("no output in spite of success");
    }
    if files() != ["input"] {
        fail(&format!("left behind: {:?}", files()));
    }
});
