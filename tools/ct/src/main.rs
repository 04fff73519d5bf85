//! Whether the time of what handles secrets depends on them. `tools/constant-time` builds this in release
//! mode with `--cfg sigmill_valgrind` and runs
//!
//! - `sigmill-ct memcheck` under Valgrind: see `memcheck`;
//! - `sigmill-ct memcheck leak`, which branches on a secret: Valgrind must find it;
//! - `sigmill-ct clock LEAST MOST` compares times, for so many seconds of each operation: see `clock`;
//! - `sigmill-ct clock-leak LEAST MOST`, where each operation branches on secrets: the clock must see it.

#[cfg(sigmill_valgrind)]
mod c_face;
#[cfg(sigmill_valgrind)]
mod clock;
#[cfg(any(test, sigmill_valgrind))]
mod decision;
#[cfg(sigmill_valgrind)]
mod memcheck;
#[cfg(any(test, sigmill_valgrind))]
mod random;
#[cfg(any(test, sigmill_valgrind))]
mod statistics;

#[cfg(sigmill_valgrind)]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let share = |least: &str, most: &str| {
        let [least, most] =
            [least, most].map(|text| text.parse().ok().filter(|seconds| *seconds > 0.0));
        Some(decision::Share { least: least?, most: most? })
    };
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["memcheck"] => memcheck::run(),
        ["memcheck", "leak"] => memcheck::leak(),
        [clock @ ("clock" | "clock-leak"), least, most] => match share(least, most) {
            Some(share) => return clock::run(clock == "clock-leak", share),
            None => return usage(),
        },
        _ => return usage(),
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(sigmill_valgrind)]
fn usage() -> std::process::ExitCode {
    eprintln!("usage: sigmill-ct memcheck [leak] | clock LEAST MOST | clock-leak LEAST MOST");
    std::process::ExitCode::from(2)
}

#[cfg(not(sigmill_valgrind))]
fn main() -> std::process::ExitCode {
    eprintln!("sigmill-ct: build it with RUSTFLAGS='--cfg sigmill_valgrind': make ct");
    std::process::ExitCode::from(2)
}
