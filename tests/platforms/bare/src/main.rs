//! The library where there is neither std nor an allocator: every row of the frozen vectors that
//! fits, single, prepared and streaming verification, bulk verification and signing. What the
//! library needs and a bare target lacks shows as an error of the compiler or the linker.
//!
//! The program has no operating system below it but two calls of Linux, to write a line and to end,
//! so that an emulator (or an x86-64 machine itself) can run it. It ends with 1 at a difference and
//! with 101 at a panic.

#![no_std]
#![no_main]

use core::arch::global_asm;
use core::fmt::{self, Write};
use sigmill::Verdict;
use sigmill::bulk::{Column, Scratch, Spec, Specs, Table, scratch_len, verify_into};
use sigmill::ed25519::{
    ContextString, PreparedKey, Rule, Signature, SigningKey, StreamSigner, StreamVerifier, Variant,
    VerifyingKey, rules, verify_bytes,
};

static VERIFY: &str = include_str!("../../../../vectors/ed25519/verify.csv");
static SIGN: &str = include_str!("../../../../vectors/ed25519/sign.csv");

/// Longer messages are left out, and counted.
const LONGEST: usize = 1024;

// The entry, and linux(number, a, b, c).
#[cfg(target_arch = "arm")]
global_asm!(
    ".syntax unified",
    ".global _start",
    ".thumb_func",
    "_start: bl main",
    ".global linux",
    ".thumb_func",
    "linux: push {{r7, lr}}",
    "mov r7, r0",
    "mov r0, r1",
    "mov r1, r2",
    "mov r2, r3",
    "svc 0",
    "pop {{r7, pc}}",
);
#[cfg(target_arch = "x86_64")]
global_asm!(
    ".global _start",
    "_start: and rsp, -16",
    "call main",
    ".global linux",
    "linux: mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "syscall",
    "ret",
);
#[cfg(target_arch = "arm")]
const CALLS: Calls = Calls { write: 4, exit: 1 };
#[cfg(target_arch = "x86_64")]
const CALLS: Calls = Calls { write: 1, exit: 60 };

struct Calls {
    write: usize,
    exit: usize,
}

unsafe extern "C" {
    fn linux(number: usize, a: usize, b: usize, c: usize) -> isize;
}

struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the call reads `text`, nothing else.
        let done = unsafe { linux(CALLS.write, 1, text.as_ptr() as usize, text.len()) };
        if done < 0 { Err(fmt::Error) } else { Ok(()) }
    }
}

fn exit(status: usize) -> ! {
    // SAFETY: the call ends the program.
    unsafe { linux(CALLS.exit, status, 0, 0) };
    unreachable!("the program has ended")
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let _ = writeln!(Output, "{info}");
    exit(101)
}

/// One row of a file without quoting.
struct Row<'a> {
    header: &'a str,
    line: &'a str,
}

impl<'a> Row<'a> {
    fn text(&self, column: &str) -> &'a str {
        let place = self.header.split(',').position(|name| name == column).expect("a column");
        self.line.split(',').nth(place).expect("a cell")
    }

    /// The bytes of a hexadecimal cell; none if they do not fit.
    fn bytes<'b>(&self, column: &str, place: &'b mut [u8]) -> Option<&'b [u8]> {
        let text = self.text(column);
        let bytes = place.get_mut(..text.len() / 2)?;
        for (byte, i) in bytes.iter_mut().zip((0..text.len()).step_by(2)) {
            *byte = u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal digits");
        }
        Some(bytes)
    }

    fn variant<'b>(&self, context: &'b [u8]) -> Variant<'b> {
        let context = ContextString::new(context).expect("at most 255 bytes");
        match self.text("variant") {
            "pure" => Variant::Pure,
            "ctx" => Variant::Ctx(context),
            "ph" => Variant::Ph(context),
            _ => panic!("no such variant"),
        }
    }
}

fn rows(file: &str) -> impl Iterator<Item = Row<'_>> {
    let mut lines = file.lines();
    let header = lines.next().expect("a header");
    lines.map(move |line| Row { header, line })
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "ok",
        Verdict::Invalid(reason) => reason.name(),
    }
}

/// The ways of verifying, by number.
const WAYS: [&str; 4] = ["verify_bytes", "bulk", "PreparedKey", "StreamVerifier"];

/// The verdict of one way; none where the bytes do not parse as that way wants them.
fn verdict(
    way: usize,
    rule: &Rule,
    variant: Variant<'_>,
    [key, message, signature]: [&[u8]; 3],
) -> Option<Verdict> {
    match way {
        0 => return Some(verify_bytes(rule, variant, key, message, signature)),
        1 => {
            let offsets = [key, message, signature].map(|bytes| [0, bytes.len() as i32]);
            let column = |i: usize, bytes| Column::binary(&offsets[i], bytes, None).expect("a row");
            let columns = (column(0, key), column(1, message), column(2, signature));
            let specs = Specs::Same(Spec::ed25519(rule, variant));
            let table = Table::new(columns.0, columns.1, columns.2, specs).expect("one length");
            let (mut outcome, mut scratch) = ([None], [Scratch::new(); scratch_len(1)]);
            verify_into(&table, &mut outcome, &mut scratch).expect("buffers of the right length");
            return outcome[0];
        }
        _ => {}
    }
    let key = VerifyingKey::try_from(key).ok()?;
    let signature = Signature::try_from(signature).ok()?;
    if way == 2 {
        return Some(PreparedKey::new(&key).verify_with(rule, variant, message, &signature));
    }
    let mut stream = StreamVerifier::new(rule, variant, &key, &signature);
    message.chunks(7).for_each(|piece| stream.update(piece));
    Some(stream.finish())
}

/// On x86-64 each row under every rule in every way; elsewhere, in an emulator, that would take an
/// hour, and each row has one rule and one way in turn.
fn verify_rows() -> (usize, usize, usize, usize) {
    let (mut seen, mut left_out, mut checks, mut differences) = (0, 0, 0, 0);
    for (n, row) in rows(VERIFY).enumerate() {
        let (mut a, mut b, mut c, mut d) = ([0; 255], [0; 256], [0; LONGEST], [0; 256]);
        let parts = (
            row.bytes("context", &mut a),
            row.bytes("key", &mut b),
            row.bytes("message", &mut c),
            row.bytes("signature", &mut d),
        );
        let (Some(context), Some(key), Some(message), Some(signature)) = parts else {
            left_out += 1;
            continue;
        };
        seen += 1;
        let turns = WAYS.len() * rules::ALL.len();
        let turn = if cfg!(target_arch = "x86_64") { 0..turns } else { n % turns..n % turns + 1 };
        for turn in turn {
            let (way, rule) = (turn % WAYS.len(), rules::ALL[turn / WAYS.len()]);
            let parts = [key, message, signature];
            let Some(verdict) = verdict(way, rule, row.variant(context), parts) else { continue };
            checks += 1;
            let (got, expected) = (word(verdict), row.text(rule.name()));
            if got != expected {
                differences += 1;
                let (way, id) = (WAYS[way], row.text("id"));
                let _ = writeln!(Output, "{way}, row {id}, {rule}: {got}, frozen is {expected}");
            }
        }
    }
    (seen, left_out, checks, differences)
}

fn sign_rows() -> (usize, usize) {
    let (mut seen, mut differences) = (0, 0);
    for row in rows(SIGN) {
        let (mut a, mut b, mut c) = ([0; 255], [0; 32], [0; LONGEST]);
        let (mut d, mut e) = ([0; 32], [0; 64]);
        let context = row.bytes("context", &mut a).expect("a short context");
        let seed = row.bytes("seed", &mut b).expect("32 bytes");
        let message = row.bytes("message", &mut c).expect("a short message");
        let public = row.bytes("key", &mut d).expect("32 bytes");
        let signature = row.bytes("signature", &mut e).expect("64 bytes");
        let key = SigningKey::try_from(seed).expect("32 bytes");
        let variant = row.variant(context);
        let mut first = StreamSigner::new(&key, variant);
        message.chunks(7).for_each(|piece| first.update(piece));
        let mut second = first.second_pass();
        message.chunks(11).for_each(|piece| second.update(piece));
        let streamed = second.finish().expect("the message did not change");
        seen += 1;
        let same = key.verifying_key().to_bytes() == public
            && key.sign_with(variant, message).to_bytes() == signature
            && streamed.to_bytes() == signature;
        if !same {
            differences += 1;
            let _ = writeln!(Output, "sign.csv, row {}: another signature", row.text("id"));
        }
    }
    (seen, differences)
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    let (verified, left_out, checks, wrong) = verify_rows();
    let (signed, wrong_signatures) = sign_rows();
    let _ = writeln!(
        Output,
        "{verified} rows of verify.csv in {checks} verifications ({left_out} rows with messages over \
         {LONGEST} bytes left out), {signed} rows of sign.csv: {} differences",
        wrong + wrong_signatures
    );
    exit(usize::from(wrong + wrong_signatures > 0 || verified == 0 || signed == 0))
}
