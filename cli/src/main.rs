//! `sigmill`: checks tables of signatures under a named rule; signs, verifies and explains.
//!
//! Exit codes: 0 valid or done; 1 something is invalid; 2 something could not be checked and
//! nothing is invalid. Results go to standard output, messages and progress to standard error. With `-Y` as the first
//! argument the program answers as `ssh-keygen`, with its exit codes.

mod alg;
mod chain;
mod check;
mod curve;
mod engine;
mod envelope;
mod explain;
mod form;
mod key_forms;
mod keys;
mod manual;
mod memory;
mod message;
mod output;
mod pair;
mod sign;
mod signals;
mod ssh_keygen;
mod status;
mod streams;
mod text;
mod variant;
mod verify;
mod wrap;

use clap::{CommandFactory, Parser, Subcommand};
use status::{Failure, Result, Status, tell};
use std::io::{self, Write};
use std::process::ExitCode;

/// Signatures of Ed25519, under a named verification rule: one rule, one answer; and of ECDSA on P-256 and
/// P-384.
///
/// Exit codes: 0 everything is valid; 1 something is invalid; 2 something could not be checked
/// (usage, input, format) and nothing is invalid.
#[derive(Parser)]
#[command(name = "sigmill", version)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Args>),
    Verify(verify::Args),
    Sign(sign::Args),
    Keygen(pair::KeygenArgs),
    Pubkey(pair::PubkeyArgs),
    Explain(explain::Args),
    Chain(chain::Args),
    #[command(hide = true)]
    Completions(manual::CompletionsArgs),
    #[command(hide = true)]
    Man(manual::ManArgs),
}

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    // Decoders of hostile files may panic; `check::read` turns that into a message of its own.
    std::panic::set_hook(Box::new(|info| {
        // a thread that the system gives no stack for signals panics before anything catches it
        if info.location().is_some_and(|place| place.file().contains("stack_overflow")) {
            memory::end(true);
        }
    }));
    let ended = std::panic::catch_unwind(|| match ssh_keygen::is_called() {
        true => ssh_keygen::run(),
        false => end(match Program::try_parse() {
            Ok(program) => run(&program.command),
            Err(message) => explain(&message),
        }),
    });
    ended.unwrap_or_else(|_| {
        tell(format_args!("sigmill: internal error; please report the command and its input"));
        ExitCode::from(2)
    })
}

fn end(result: Result<Status>) -> ExitCode {
    match result {
        Ok(status) => status.into(),
        Err(failure) => {
            if !failure.is_quiet() {
                tell(format_args!("sigmill: {failure}"));
            }
            ExitCode::from(2)
        }
    }
}

/// Prints the message about arguments, or what `--help` and `--version` ask for.
fn explain(message: &clap::Error) -> Result<Status> {
    if message.use_stderr() {
        // nobody may be there to read it
        let _ = message.print();
        return Ok(Status::NotChecked);
    }
    streams::check_stdout()?;
    let printed = message.print().and_then(|()| io::stdout().flush());
    printed.map(|()| Status::AllValid).map_err(|error| Failure::stdout(&error))
}

fn run(command: &Command) -> Result<Status> {
    match command {
        Command::Check(args) => check::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Sign(args) => sign::run(args),
        Command::Keygen(args) => pair::keygen(args),
        Command::Pubkey(args) => pair::pubkey(args),
        Command::Explain(args) => explain::run(args),
        Command::Chain(args) => chain::run(args),
        Command::Completions(args) => manual::completions(args, Program::command()),
        Command::Man(args) => manual::man(args, Program::command()),
    }
}
