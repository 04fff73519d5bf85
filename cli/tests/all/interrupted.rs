//! A signal at any moment: results are there whole, or as they were before, and nothing else is left.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sigmill::ed25519::{Signer, SigningKey};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
const SIGNALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
const ROWS: usize = 500;

/// Stands before the C library: a file system that is slow, and one without files that have no name.
const SLOW: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define OPEN(name)                                                            \
  int name(const char *path, int flags, ...) {                                \
    va_list rest;                                                             \
    va_start(rest, flags);                                                    \
    mode_t mode = va_arg(rest, mode_t);                                       \
    va_end(rest);                                                             \
    if ((flags & O_TMPFILE) == O_TMPFILE && getenv("TEST_NO_TMPFILE")) {      \
      errno = EOPNOTSUPP;                                                     \
      return -1;                                                              \
    }                                                                         \
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);            \
    return next(path, flags, mode);                                           \
  }
OPEN(open)
OPEN(open64)

int fsync(int file) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  usleep(5000);
  return next(file);
}

void *mmap64(void *at, size_t len, int access, int flags, int file, off64_t offset) {
  void *(*next)(void *, size_t, int, int, int, off64_t) = dlsym(RTLD_NEXT, "mmap64");
  if ((flags & MAP_STACK) && gettid() != getpid() && getenv("TEST_NO_SIGNAL_STACK")) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next(at, len, access, flags, file, offset);
}

int unlink(const char *path) {
  int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
  int result = next(path);
  usleep(5000);
  return result;
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  int (*next)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");
  int result = next(from, old, to, new, flags);
  if (result == 0) usleep(20000);
  return result;
}
"#;

/// A file that a command makes.
struct Made {
    name: &'static str,
    is_whole: fn(&str) -> bool,
}

struct Case {
    args: Vec<&'static str>,
    results: [Made; 2],
}

/// File systems for the command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Disk {
    Own,
    Slow,
    SlowAndAllNamed,
}

impl Disk {
    const ALL: [Disk; 3] = [Disk::Own, Disk::Slow, Disk::SlowAndAllNamed];

    /// A program there, by the library in `folder`.
    pub(super) fn command(self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        if self != Disk::Own {
            command.env("LD_PRELOAD", folder.join("slow.so"));
        }
        if self == Disk::SlowAndAllNamed {
            command.env("TEST_NO_TMPFILE", "1");
        }
        command
    }
}

pub(super) fn with_slow_disk() -> TempDir {
    let tools = tempfile::tempdir().expect("a folder");
    let (source, library) = (tools.path().join("slow.c"), tools.path().join("slow.so"));
    fs::write(&source, SLOW).expect("written");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
    assert!(cc.status().expect("a C compiler").success());
    tools
}

fn cases() -> [Case; 2] {
    [
        Case {
            args: "keygen -o k --public p".split(' ').collect(),
            results: [
                Made { name: "k", is_whole: |text| text.ends_with("-----END PRIVATE KEY-----\n") },
                Made { name: "p", is_whole: |text| text.ends_with("-----END PUBLIC KEY-----\n") },
            ],
        },
        Case {
            args: "check t.csv -q -o out.csv --report page.html".split(' ').collect(),
            results: [
                Made {
                    name: "out.csv",
                    is_whole: |text| text.lines().count() == ROWS + 1 && text.ends_with('\n'),
                },
                Made { name: "page.html", is_whole: |text| text.trim_end().ends_with("</html>") },
            ],
        },
    ]
}

/// Rows with a message of one byte, and then one with a message of so many.
pub(super) fn write_table(path: &Path, last: usize) {
    let key = SigningKey::from_bytes(&[1; 32]);
    let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
    let public = hex(key.verifying_key().as_bytes());
    let row = |message: &[u8]| {
        format!("{public},{},{}\n", hex(message), hex(&key.sign(message).to_bytes()))
    };
    let rows = row(b"m").repeat(ROWS - 1) + &row(&vec![0; last]);
    fs::write(path, "key,msg,sig\n".to_owned() + &rows).expect("written");
}

fn random() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("randomness");
    u64::from_le_bytes(bytes)
}

/// With `SIGMILL_LONG` at a thousand moments.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "LD_PRELOAD")]
fn a_signal_at_any_moment_leaves_nothing() {
    let moments = if std::env::var_os("SIGMILL_LONG").is_some() { 1_000 } else { 60 };
    let tools = with_slow_disk();
    let (mut faults, mut ended_by_signal) = (Vec::new(), 0);
    let mut longest = [Duration::ZERO; 12];
    for moment in 0..moments + longest.len() {
        let way = moment % longest.len();
        let case = &cases()[way % 2];
        let (is_forced, disk) = (way / 2 % 2 == 1, Disk::ALL[way / 4]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        write_table(&path("t.csv"), 1);
        let mut command = disk.command(BIN.as_ref(), tools.path());
        command.args(&case.args).current_dir(folder.path()).stderr(Stdio::null());
        if is_forced {
            command.arg("--force");
            case.results
                .iter()
                .for_each(|made| fs::write(path(made.name), "old").expect("written"));
        }
        let start = Instant::now();
        let mut child = command.spawn().expect("runs");
        let signal = SIGNALS[random() as usize % 3];
        // the first round says how long it takes
        let is_measured = moment < longest.len();
        if !is_measured {
            let delay = longest[way].mul_f64(random() as f64 / u64::MAX as f64 * 1.1);
            thread::sleep(delay.saturating_sub(start.elapsed()));
            kill(Pid::from_raw(child.id() as i32), signal).expect("a child of ours");
        }
        let status = child.wait().expect("a child");
        longest[way] = longest[way].max(if is_measured { start.elapsed() } else { Duration::ZERO });
        let what = format!("{} (forced: {is_forced}, disk {disk:?}), {signal}", case.args[0]);
        match (status.code(), status.signal()) {
            (Some(0), None) => {}
            (None, Some(got)) if got == signal as i32 && !is_measured => ended_by_signal += 1,
            _ => faults.push(format!("{what}: ended with {status}")),
        }
        for entry in fs::read_dir(folder.path()).expect("readable") {
            let name = entry.expect("readable").file_name().into_string().expect("text");
            let text = fs::read_to_string(path(&name)).expect("text");
            match case.results.iter().find(|made| made.name == name) {
                Some(made) if (made.is_whole)(&text) || (is_forced && text == "old") => {}
                None if name == "t.csv" => {}
                _ => faults.push(format!("{what}: {name} with {} bytes", text.len())),
            }
        }
        let [one, other] = case.results.each_ref().map(|made| path(made.name).exists());
        if one != other {
            faults.push(format!("{what}: one result without the other"));
        }
    }
    println!("{moments} moments, {ended_by_signal} ended by the signal, {} faults", faults.len());
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
    // how many signals come in time depends on the load of the machine; a few show that they do
    assert!(ended_by_signal > moments / 20, "{ended_by_signal} of {moments} were interrupted");
}

/// `check` that has answered a row and waits for another.
fn idle(mut command: Command, folder: &Path, threads: &str) -> Child {
    let args = "check - --format jsonl --jsonl -o out.jsonl --report page.html";
    command.args(args.split(' ')).args(["--threads", threads]).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("runs");
    let stdin = child.stdin.as_mut().expect("piped");
    writeln!(stdin, "{ROW}").expect("it reads");
    let mut answer = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut answer).expect("it answers");
    assert!(answer.starts_with("{\"row\":0"), "{answer}");
    child
}

const ROW: &str = r#"{"key":"00","msg":"","sig":"00"}"#;

fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(30) {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child");
    panic!("it does not end");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "LD_PRELOAD")]
fn who_waits_for_input_ends_by_a_signal_that_is_not_ignored() {
    let tools = with_slow_disk();
    for disk in Disk::ALL {
        for threads in ["1", "2"] {
            let folder = tempfile::tempdir().expect("a folder");
            let names = || fs::read_dir(folder.path()).expect("readable").count();
            let mut child = idle(disk.command(BIN.as_ref(), tools.path()), folder.path(), threads);
            kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("a child of ours");
            let status = wait(&mut child);
            assert_eq!(status.signal(), Some(Signal::SIGTERM as i32), "{disk:?}: {status}");
            assert_eq!(names(), 0, "{disk:?}, {threads} threads");
            // as `nohup` starts it
            let mut command = disk.command("sh".as_ref(), tools.path());
            command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", BIN]);
            let mut child = idle(command, folder.path(), threads);
            kill(Pid::from_raw(child.id() as i32), Signal::SIGHUP).expect("a child of ours");
            thread::sleep(Duration::from_millis(50));
            let mut stdin = child.stdin.take().expect("piped");
            writeln!(stdin, "{ROW}").expect("it reads");
            drop(stdin);
            let status = wait(&mut child);
            assert_eq!(status.code(), Some(1), "{disk:?}: {status}");
            assert_eq!(names(), 2, "{disk:?}, {threads} threads");
            let out = fs::read_to_string(folder.path().join("out.jsonl")).expect("there");
            assert_eq!(out.lines().count(), 2, "{disk:?}");
        }
    }
}
