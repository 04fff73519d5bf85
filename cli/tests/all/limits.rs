//! Limits of processes and of memory: one thread is enough, and what cannot be done is a message.
#![cfg(target_os = "linux")]

use super::interrupted::{Disk, with_slow_disk, write_table};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A user whom nobody is: limits of processes do not hold for root.
const USER: &str = "61234";

/// A folder that everybody may write into, with the program and a table.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("sigmill");
    fs::copy(env!("CARGO_BIN_EXE_sigmill"), &program).expect("copied");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("ours");
    write_table(&folder.path().join("t.csv"), 1 << 18);
    (folder, program)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("readable").file_name();
    let mut names: Vec<_> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The exit code and what was said on standard error.
fn ended(output: &Output, what: &str) -> (i32, String) {
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    (code.unwrap_or_else(|| panic!("{what}: {}: {err}", output.status)), err)
}

#[test]
fn where_no_thread_can_be_made_one_works() {
    let (folder, program) = folder();
    let tools = with_slow_disk();
    fs::set_permissions(tools.path(), fs::Permissions::from_mode(0o755)).expect("ours");
    let is_root = fs::metadata("/proc/self").expect("there").uid() == 0;
    let run = |disk: Disk, args: &str| {
        let shell = if is_root { "setpriv" } else { "prlimit" };
        let mut command = disk.command(shell.as_ref(), tools.path());
        if is_root {
            command.args(["--reuid", USER, "--regid", USER, "--clear-groups", "prlimit"]);
        }
        command.args(["--nproc=1", "--"]).arg(&program).args(args.split(' '));
        ended(&command.current_dir(folder.path()).output().expect("runs"), args)
    };
    let outputs = "-o out.csv --report page.html --force";
    for disk in [Disk::Own, Disk::Slow] {
        for args in ["keygen -o k --public p --force", "sign t.csv --key k -o s --force"] {
            assert_eq!(run(disk, args), (0, String::new()), "{args}");
        }
        for args in ["verify t.csv --key p --sig s", "explain --key @p --sig @s --msg @t.csv"] {
            assert_eq!(run(disk, args), (0, String::new()), "{args}");
        }
        let check = format!("check t.csv {outputs}");
        assert_eq!(run(disk, &format!("{check} --threads 1")), (0, String::new()));
        for threads in ["", " --threads 4"] {
            let (code, err) = run(disk, &format!("{check}{threads}"));
            assert_eq!(code, 0, "{err}");
            assert!(err.starts_with("sigmill: 1 of ") && err.lines().count() == 1, "{err}");
            assert!(err.contains(" threads can be made (Resource temporarily"), "{err}");
            assert_eq!(run(disk, &format!("{check}{threads} -q")), (0, String::new()));
        }
    }
    // where files must have names, a thread removes them
    let before = names(folder.path());
    for args in ["keygen -o new", &format!("check t.csv --threads 1 {outputs}")] {
        let (code, err) = run(Disk::SlowAndAllNamed, args);
        assert!(code == 2 && err.contains("no thread that cleans up"), "{args}: {code} {err}");
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn memory_that_the_system_refuses_is_a_message() {
    let (folder, program) = folder();
    let before = names(folder.path());
    // MiB: more than the program needs to start, and as much as everything here needs
    for (limit, first, last) in [("as", 16, 800), ("data", 1, 160)] {
        let run = |kib: usize, args: &str| {
            let mut command = Command::new("prlimit");
            command.arg(format!("--{limit}={}", kib * 1024)).arg("--").arg(&program);
            command.args(args.split(' ')).current_dir(folder.path()).output().expect("runs")
        };
        // what the loader needs is not ours to say
        let starts = |kib: &usize| run(*kib, "--version").status.success();
        let mut kib = (first..last).map(|mib| mib * 1024).find(starts).expect("it starts");
        let (mut done, mut refused) = (0, 0);
        let mut threads = [16, 3, 1].into_iter().cycle();
        let growth = (last * 1024 - kib) / 153; // 18 steps
        for step in 0.. {
            kib += step * growth;
            if kib > last * 1024 {
                break;
            }
            let threads = threads.next().expect("a cycle");
            for args in [
                format!("check t.csv -q --threads {threads} -o out.csv --report page.html"),
                "keygen -o k --public p".to_owned(),
            ] {
                let what = format!("{limit} {kib} KiB: {args}");
                let (code, err) = ended(&run(kib, &args), &what);
                let left: Vec<String> = names(folder.path())
                    .into_iter()
                    .filter(|name| !before.contains(name))
                    .collect();
                left.iter()
                    .for_each(|name| fs::remove_file(folder.path().join(name)).expect("ours"));
                if code == 0 {
                    assert!(left.len() == 2 && err.is_empty(), "{what}: {left:?} {err}");
                    done += 1;
                } else {
                    assert!(code == 2 && left.is_empty(), "{what}: {code} {left:?} {err}");
                    assert!(
                        err.starts_with("sigmill: ") && err.lines().count() == 1,
                        "{what}: {err}"
                    );
                    assert!(!err.contains("internal error"), "{what}: {err}");
                    refused += 1;
                }
            }
        }
        println!("{limit}: {done} done, {refused} refused");
        assert!(done > 10 && refused > 0, "{limit}: {done} done, {refused} refused");
    }
}

#[test]
fn a_thread_without_a_stack_for_signals_is_a_message() {
    let (folder, program) = folder();
    let tools = with_slow_disk();
    let run = |threads: &str| {
        let mut command = Disk::Slow.command(&program, tools.path());
        command.env("TEST_NO_SIGNAL_STACK", "1").current_dir(folder.path());
        command.args(["check", "t.csv", "-q", "--threads", threads]);
        ended(&command.output().expect("runs"), threads)
    };
    assert_eq!(run("1"), (0, String::new()));
    let (code, err) = run("2");
    assert!(
        code == 2 && err.ends_with("needs more memory than the system gives\n"),
        "{code} {err}"
    );
    assert!(err.starts_with("sigmill: ") && err.lines().count() == 1, "{err}");
}
