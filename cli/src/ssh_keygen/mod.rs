//! `-Y` as the first argument: the calls of `ssh-keygen` by which Git signs and verifies where `gpg.ssh.program` names
//! this program.
//!
//! Options, lines on standard output and exit codes are those of `ssh-keygen`: 0 done, 1 wrong options, 255 anything
//! else. Git reads the first line of standard output. Messages on standard error are our own: none begins with `Good`,
//! and none contains `usage:`, from which Git concludes that `ssh-keygen` is too old.

mod check;
mod passphrase;
mod sign;
mod time;

use crate::status::{Result, tell};
use clap::{Parser, Subcommand};
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// The calls of `ssh-keygen -Y` that Git makes
#[derive(Parser)]
#[command(
    name = "sigmill",
    bin_name = "sigmill -Y",
    override_usage = "sigmill -Y sign|verify|find-principals|check-novalidate [OPTIONS]",
    disable_help_flag = true,
    disable_help_subcommand = true,
    subcommand_required = true,
    subcommand_value_name = "OPERATION",
    subcommand_help_heading = "Operations"
)]
struct Call {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Subcommand)]
enum Operation {
    Sign(sign::Args),
    Verify(check::VerifyArgs),
    FindPrincipals(check::FindArgs),
    CheckNovalidate(check::NovalidateArgs),
}

/// Whether the program is called as `ssh-keygen -Y`.
pub(crate) fn is_called() -> bool {
    env::args_os().nth(1).is_some_and(|argument| argument == "-Y")
}

/// Answers the call.
pub(crate) fn run() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().take(1).chain(env::args_os().skip(2)).collect();
    let call = match Call::try_parse_from(arguments) {
        Ok(call) => call,
        Err(message) => {
            // nobody may be there to read it
            let _ = message.print();
            return ExitCode::from(1);
        }
    };
    match answer(&call.operation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_quiet() {
                tell(format_args!("sigmill: {failure}"));
            }
            ExitCode::from(255)
        }
    }
}

fn answer(operation: &Operation) -> Result<()> {
    match operation {
        Operation::Sign(args) => sign::run(args),
        Operation::Verify(args) => check::verify(args),
        Operation::FindPrincipals(args) => check::find_principals(args),
        Operation::CheckNovalidate(args) => check::check_novalidate(args),
    }
}
