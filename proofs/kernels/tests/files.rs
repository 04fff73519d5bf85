//! Files that are no text: an error, and never a panic, or time or memory without bound.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use kernels::image::Image;
use kernels::samples::Samples;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

/// An object file with two functions, a constant and relocations.
fn object() -> Vec<u8> {
    let text = "
        .globl first, second
        .type first, @function
        first: mov table(%rip), %rax
        call other
        vmovdqu table(%rip), %ymm1
        ret
        .size first, . - first
        .type second, @function
        second: jmp first
        .size second, . - second
        .section .rodata
        table: .quad 1, 2, 3, 4
        .data
        pointer: .quad first\n";
    let path = folder().join(format!("small-{:?}.o", std::thread::current().id()));
    let mut gcc = Command::new("gcc")
        .args(["-c", "-x", "assembler", "-o"])
        .arg(&path)
        .arg("-")
        .stdin(Stdio::piped())
        .spawn()
        .expect("gcc");
    gcc.stdin.take().expect("its input").write_all(text.as_bytes()).expect("a pipe");
    assert!(gcc.wait().expect("gcc").success());
    fs::read(path).expect("an object file")
}

/// All that a command does with an object file before it proves anything.
fn read(bytes: &[u8]) -> Result<usize, String> {
    let image = Image::parse(bytes).map_err(|e| e.to_string())?;
    let mut n = 0;
    for f in image.functions() {
        n += image.code(f.start, f.size).map_err(|e| e.to_string())?.len();
        image.hash(f.start, f.size).map_err(|e| e.to_string())?;
    }
    Ok(n)
}

fn run(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kernels"))
        .args(arguments)
        .current_dir(folder())
        .output()
        .expect("the program")
}

#[test]
fn files_that_are_no_objects() {
    let good = object();
    let mut other = good.clone();
    other[18] = 243;
    let mut narrow = good.clone();
    narrow[4] = 1;
    for (name, bytes, expected) in [
        ("empty.o", &b""[..], "object file"),
        ("text.o", b"Dear reader,\n", "object file"),
        ("riscv.o", &other, "expected x86-64 or aarch64, found Riscv64"),
        ("narrow.o", &narrow, "object file"),
        ("short.o", &good[..good.len() / 2], "object file"),
        ("zeros.o", &[0; 4096], "object file"),
    ] {
        let path = file(name, bytes);
        for command in ["prove", "flow", "mutate", "coverage"] {
            let output = run(&[Path::new(command), &path]);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {name}: {message}");
            let expected = message.contains(expected) && message.contains(name);
            assert!(expected && !message.contains("panicked"), "{command} {name}: {message}");
        }
    }
    let folder = folder();
    for path in [Path::new("/nonexistent.o"), Path::new("/dev/zero"), folder.as_path()] {
        let output = run(&[Path::new("flow"), path]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(path.to_str().expect("a path")), "{message}");
    }
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    let good = file("good.o", &object());
    for arguments in [vec![odd], vec![Path::new("flow"), odd], vec![Path::new("flow"), &good, odd]]
    {
        let output = run(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(!message.contains("panicked"), "{message}");
    }
}

/// Nobody reads the output.
#[test]
fn closed_output() {
    let good = file("closed.o", &object());
    let mut child = Command::new(env!("CARGO_BIN_EXE_kernels"))
        .arg("prove")
        .arg(good)
        .current_dir(folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("standard output") && !message.contains("panicked"), "{message}");
}

#[test]
fn objects_with_wrong_bytes() {
    let good = object();
    assert_eq!(read(&good), Ok(5));
    for size in 0..good.len() {
        let _ = read(&good[..size]);
    }
    let mut samples = Samples::new(4);
    let mut accepted = 0;
    for run in 0..40_000 {
        let mut bytes = good.clone();
        for _ in 0..=run % 3 {
            // headers and symbols stand at the ends
            let at = (samples.bits() as usize) % bytes.len();
            let n = [1, 4, 8][run / 3 % 3].min(bytes.len() - at);
            let value = Samples::new(run % 9).word() ^ samples.bits() & (run as u64 % 2);
            bytes[at..at + n].copy_from_slice(&value.to_le_bytes()[..n]);
        }
        accepted += usize::from(read(&bytes).is_ok());
    }
    assert!(accepted > 100, "{accepted} objects are read");
}

/// Sections and functions that overlap would multiply the work.
#[test]
fn objects_that_overlap() {
    let good = object();
    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().expect("8 bytes"));
    let (table, count) = (word(40) as usize, usize::from(good[60]));
    for n in 0..count {
        for (field, value) in
            [(32, u64::MAX), (32, 1 << 40), (48, u64::MAX), (48, 1 << 63), (24, 1 << 40)]
        {
            let mut bytes = good.clone();
            let at = table + 64 * n + field;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let _ = read(&bytes);
        }
    }
    // every section holds the whole file
    let mut bytes = good.clone();
    for n in 1..count {
        let at = table + 64 * n;
        if [1, 6].contains(&bytes[at + 8]) {
            bytes[at + 24..at + 32].fill(0);
            bytes[at + 32..at + 40].copy_from_slice(&(good.len() as u64).to_le_bytes());
        }
    }
    let e = read(&bytes).expect_err("sections overlap");
    assert!(e.contains("sections overlap"), "{e}");
}
