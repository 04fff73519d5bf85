//! Whether the time of what handles secrets depends on them. `tools/constant-time` builds this in release
//! mode with `--cfg sigmill_valgrind` and runs
//!
//! - `sigmill-ct memcheck` under Valgrind: see `memcheck`;
//! - `sigmill-ct memcheck leak`, which branches on a secret: Valgrind must find it;
//! - `sigmill-ct clock SINGLE BULK` compares times, of so many measurements of each operation alone and in
//!   bulk, at least 1000: see `clock`;
//! - `sigmill-ct clock-leak SINGLE BULK`, which branches on secrets: the clock must see it in each operation.

#[cfg(sigmill_valgrind)]
mod c_face;
#[cfg(sigmill_valgrind)]
mod clock;
#[cfg(sigmill_valgrind)]
mod memcheck;
#[cfg(any(test, sigmill_valgrind))]
mod random;
#[cfg(any(test, sigmill_valgrind))]
mod statistics;

#[cfg(sigmill_valgrind)]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = |text: &str| text.parse().ok().filter(|count| *count >= 1000);
    let counts = |single: &str, bulk: &str| Some((count(single)?, count(bulk)?));
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["memcheck"] => memcheck::run(),
        ["memcheck", "leak"] => memcheck::leak(),
        [clock @ ("clock" | "clock-leak"), single, bulk] => match counts(single, bulk) {
            Some((single, bulk)) => return clock::run(clock == "clock-leak", single, bulk),
            None => return usage(),
        },
        _ => return usage(),
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(sigmill_valgrind)]
fn usage() -> std::process::ExitCode {
    eprintln!("usage: sigmill-ct memcheck [leak] | clock SINGLE BULK | clock-leak SINGLE BULK");
    std::process::ExitCode::from(2)
}

#[cfg(not(sigmill_valgrind))]
fn main() -> std::process::ExitCode {
    eprintln!("sigmill-ct: build it with RUSTFLAGS='--cfg sigmill_valgrind': make ct");
    std::process::ExitCode::from(2)
}
