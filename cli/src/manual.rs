//! `completions` and `man`: what a package installs beside the program.

use crate::output;
use crate::status::{Failure, Result, Status};
use clap::Command;
use clap_complete::Shell;
use std::fs;
use std::path::{Path, PathBuf};

/// Print the completions of a shell
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Write the manual pages
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder, which is made if need be
    folder: PathBuf,
}

pub(crate) fn completions(args: &CompletionsArgs, mut program: Command) -> Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "sigmill", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Status::AllValid)
}

pub(crate) fn man(args: &ManArgs, program: Command) -> Result<Status> {
    let failure = |path: &Path, error: std::io::Error| Failure::at(path, error);
    fs::create_dir_all(&args.folder).map_err(|error| failure(&args.folder, error))?;
    clap_mangen::generate_to(program, &args.folder)
        .map_err(|error| failure(&args.folder, error))?;
    Ok(Status::AllValid)
}
