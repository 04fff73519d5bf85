//! `kernels prove TEXT.o [NAME…]` and `kernels coverage TEXT.o [NAME…]`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use kernels::coverage::coverage;
use kernels::error::{Error, Result};
use kernels::image::Image;
use kernels::kernel::Proof;

const USAGE: &str = "usage: kernels prove|coverage TEXT.o [NAME…]
  prove     proves kernels whose names hold one of NAME, or all; writes certificates/KERNEL.cert
  coverage  proves them, and counts multiply instructions inside proven operations
TEXT.o is go/internal/core/sigmill_linux_amd64.S, assembled: gcc -c";

/// Proves kernels, a line each; addresses that ran, and whether all are proven.
fn prove(
    image: &Image,
    names: &[String],
    mut each: impl FnMut(&str, &Proof) -> Result<()>,
) -> Result<bool> {
    let mut all = true;
    for kernel in kernels::kernels::all() {
        let wanted = |n: &String| kernel.name.contains(n.as_str());
        if !names.is_empty() && !names.iter().any(wanted) {
            continue;
        }
        let started = Instant::now();
        match kernel.prove(image) {
            Ok(proof) => {
                println!(
                    "{:30} proven  {:5} instructions {:5} variables {:3} cases {:4} places {:7.2} s",
                    kernel.name,
                    proof.ran.len() / proof.places.max(1),
                    proof.effort.variables,
                    proof.effort.cases,
                    proof.places,
                    started.elapsed().as_secs_f64(),
                );
                each(kernel.name, &proof)?;
            }
            Err(e) => {
                all = false;
                let seconds = started.elapsed().as_secs_f64();
                let why: String = e.to_string().chars().take(400).collect();
                println!("{:30} NOT PROVEN, {seconds:.2} s: {why}", kernel.name);
            }
        }
    }
    Ok(all)
}

fn run(command: &str, path: &str, names: &[String]) -> Result<bool> {
    let file = |path: &Path, e| Error::File(path.display().to_string(), e);
    let bytes = fs::read(path).map_err(|e| file(Path::new(path), e))?;
    let image = Image::parse(&bytes)?;
    if command == "prove" {
        let folder = Path::new("certificates");
        fs::create_dir_all(folder).map_err(|e| file(folder, e))?;
        return prove(&image, names, |name, proof| {
            let path = folder.join(format!("{}.cert", name.replace(' ', "-")));
            fs::write(&path, &proof.certificate).map_err(|e| file(&path, e))
        });
    }
    let mut ran = BTreeSet::new();
    let all = prove(&image, names, |_, proof| {
        ran.extend(&proof.ran);
        Ok(())
    })?;
    let c = coverage(&image, &ran)?;
    let share = 100.0 * c.proven as f64 / c.total.max(1) as f64;
    println!(
        "{} of {} multiply instructions are in proven operations: {share:.1} %",
        c.proven, c.total
    );
    for (name, n) in c.rest.iter().take(60) {
        println!("{n:6} {name}");
    }
    Ok(all)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [command, path, names @ ..] if command == "prove" || command == "coverage" => {
            match run(command, path, names) {
                Ok(true) => ExitCode::SUCCESS,
                Ok(false) => ExitCode::FAILURE,
                Err(e) => {
                    eprintln!("kernels: {e}");
                    ExitCode::from(2)
                }
            }
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
