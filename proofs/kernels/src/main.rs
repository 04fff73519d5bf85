//! `kernels prove|flow|words|mutate|coverage TEXT.o [NAME…]`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use kernels::arch::{Arch, X86};
use kernels::arm::Arm;
use kernels::coverage::{coverage, in_vectors, in_words};
use kernels::divsteps;
use kernels::error::{Error, Result};
use kernels::flow::function;
use kernels::flow::slices::Slices;
use kernels::formulas::table::Table;
use kernels::image::{Function, Image, Target};
use kernels::kernel::Proof;
use kernels::mutate::{Report, mutate};
use kernels::words;

const USAGE: &str = "usage: kernels prove|flow|words|mutate|coverage TEXT.o [N] [NAME…]
  prove     proves kernels whose names hold one of NAME, or all; writes certificates/KERNEL.cert
  flow      proves slices of compiled functions of these names, or of all; writes certificates/slices and certificates/functions
  words     proves products and reductions in general registers of such functions; writes certificates/words and certificates/functions
  mutate    proves changed copies of their code, all or every N-th; a proven one that equivalent.txt does not list fails
  coverage  proves all of them, and counts multiply instructions inside proven operations
TEXT.o is go/internal/core/sigmill_linux_amd64.S or sigmill_linux_arm64.S, assembled: gcc -c; flow and words take the first alone";

/// Writes a line to standard output; an error if nobody reads it.
macro_rules! say {
    ($($part:tt)*) => {
        writeln!(io::stdout(), $($part)*).map_err(|e| Error::File("standard output".into(), e))?
    };
}

/// Writes a line to standard error, if somebody reads it.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Most bytes of an object file.
const OBJECT: u64 = 1 << 28;

/// The bytes of an object file.
fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |e| Error::File(path.display().to_string(), e);
    let mut bytes = Vec::new();
    fs::File::open(path)
        .map_err(failed)?
        .take(OBJECT + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > OBJECT {
        let path = path.display();
        return Err(Error::Object(format!("{path}: more than {OBJECT} bytes, which is no text")));
    }
    Ok(bytes)
}

/// Proves kernels, a line each; addresses that ran, and whether all are proven.
fn prove<A: Arch>(
    image: &Image,
    names: &[String],
    mut each: impl FnMut(&str, &Proof<A>) -> Result<()>,
) -> Result<bool> {
    let mut all = true;
    for kernel in A::kernels() {
        let wanted = |n: &String| kernel.name.contains(n.as_str());
        if !names.is_empty() && !names.iter().any(wanted) {
            continue;
        }
        let started = Instant::now();
        match kernel.prove(image) {
            Ok(proof) => {
                say!(
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
                say!("{:30} NOT PROVEN, {seconds:.2} s: {why}", kernel.name);
            }
        }
    }
    Ok(all)
}

/// Proves functions of division steps, a line each; whether all are proven.
fn divide(
    image: &Image,
    names: &[String],
    mut each: impl FnMut(&divsteps::Proof) -> Result<()>,
) -> Result<bool> {
    let mut all = true;
    for f in divsteps::functions(image) {
        if !names.is_empty() && !names.iter().any(|n| f.name == *n || f.stem() == n) {
            continue;
        }
        let started = Instant::now();
        match divsteps::prove(image, f) {
            Ok(proofs) => {
                let seconds = started.elapsed().as_secs_f64();
                let ran: BTreeSet<u64> = proofs.iter().flat_map(|p| p.ran.clone()).collect();
                let (pieces, n) =
                    (proofs.iter().map(|p| p.certificates.len()).sum::<usize>(), ran.len());
                say!("{:30} proven  {n:5} instructions {pieces:5} pieces {seconds:31.2} s", f.name);
                proofs.iter().try_for_each(&mut each)?;
            }
            Err(e) => {
                all = false;
                say!("{:30} NOT PROVEN: {e}", f.name);
            }
        }
    }
    Ok(all)
}

/// Proves slices of functions that multiply in vectors. Returns the multiplications of functions that cannot be read.
fn slices_of(
    image: &Image,
    names: &[String],
    slices: &mut Slices,
    mut each: impl FnMut(&Function, function::Proof) -> Result<()>,
) -> Result<usize> {
    let mut unread = 0;
    for f in image.functions() {
        if !names.is_empty() && !names.iter().any(|n| f.name == *n || f.stem() == n) {
            continue;
        }
        let started = Instant::now();
        let proof = match function::prove(image, f, slices) {
            Ok(proof) => proof,
            Err(e) if names.is_empty() => {
                let n = in_vectors(image, f)?;
                if n > 0 {
                    say!("{:36} not read, {n} multiplications: {e}", f.name);
                }
                unread += n;
                continue;
            }
            Err(e) => return Err(e),
        };
        let (n, proven) = (proof.multiplications.len(), proof.proven.len());
        if n > 0 {
            let seconds = started.elapsed().as_secs_f64();
            say!("{:36} {proven:5} of {n:5} multiplications {seconds:7.2} s", f.name);
            each(f, proof)?;
        }
    }
    Ok(unread)
}

/// Proves them, and writes certificates; whether all multiplications are in proven slices.
fn flow(image: &Image, names: &[String]) -> Result<bool> {
    let write = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|e| Error::File(path.display().to_string(), e))
    };
    let folder = |name: &str| {
        let path = Path::new("certificates").join(name);
        fs::create_dir_all(&path).map_err(|e| Error::File(path.display().to_string(), e))?;
        Ok::<_, Error>(path)
    };
    let (certificates, programs) = (folder("slices")?, folder("functions")?);
    let mut slices = Slices::default();
    let (mut total, mut proven) = (0, 0);
    let mut formulas = Table::new()?;
    let unread = slices_of(image, names, &mut slices, |f, proof| {
        total += proof.multiplications.len();
        proven += proof.proven.len();
        let mut text = proof.text;
        formulas.add(image, f, &proof.programs, &mut text)?;
        text.push_str(&format!(
            "{} bounds where blocks start are shown from the blocks before\n",
            proof.shown
        ));
        text.push_str(&format!("{} bounds of words in another order are shown\n", proof.moved));
        for (what, n) in &proof.assumptions {
            text.push_str(&format!("assumed {n} times: {what}\n"));
        }
        for a in proof.multiplications.difference(&proof.proven) {
            text.push_str(&format!("left {:x}\n", a - f.start));
        }
        write(&programs.join(format!("{}.txt", f.name)), &text)
    })?;
    for (hash, text) in &slices.certificates {
        write(&certificates.join(format!("{hash}.cert")), text)?;
    }
    write(Path::new("certificates/formulas.txt"), &formulas.text)?;
    say!("{}", formulas.count());
    total += unread;
    let (tried, kept) = (slices.tried(), slices.certificates.len());
    say!(
        "{proven} of {total} vector multiplications; {kept} of {tried} different slices are proven"
    );
    Ok(total > 0 && proven == total)
}

/// Proves slices of functions that multiply in general registers.
fn words_of(
    image: &Image,
    names: &[String],
    slices: &mut words::function::Slices,
    mut each: impl FnMut(&Function, words::function::Proof) -> Result<()>,
) -> Result<()> {
    for f in image.functions() {
        if !names.is_empty() && !names.iter().any(|n| f.name == *n || f.stem() == n) {
            continue;
        }
        if in_words(image, f)? == 0 {
            continue;
        }
        let started = Instant::now();
        match words::function::prove(image, f, slices) {
            Ok(proof) => {
                let (n, proven) = (proof.multiplications.len(), proof.proven.len());
                let seconds = started.elapsed().as_secs_f64();
                say!("{:36} {proven:5} of {n:5} multiplications of words {seconds:7.2} s", f.name);
                each(f, proof)?;
            }
            Err(e) if names.is_empty() => say!("{:36} not read: {e}", f.name),
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Proves them, and writes certificates; whether all multiplications are in proven slices.
fn in_registers(image: &Image, names: &[String]) -> Result<bool> {
    let write = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|e| Error::File(path.display().to_string(), e))
    };
    let folder = |name: &str| {
        let path = Path::new("certificates").join(name);
        fs::create_dir_all(&path).map_err(|e| Error::File(path.display().to_string(), e))?;
        Ok::<_, Error>(path)
    };
    let (certificates, programs) = (folder("words")?, folder("functions")?);
    let mut slices = words::function::Slices::default();
    let (mut total, mut proven) = (0, 0);
    words_of(image, names, &mut slices, |f, proof| {
        total += proof.multiplications.len();
        proven += proof.proven.len();
        let mut text = proof.text;
        for (what, n) in &proof.assumptions {
            text.push_str(&format!("assumed {n} times: {what}\n"));
        }
        let code = image.code(f.start, f.size)?;
        for a in proof.multiplications.difference(&proof.proven) {
            let i = code.get(a).map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("left {:x} {i}\n", a - f.start));
        }
        write(&programs.join(format!("{}.words.txt", f.name)), &text)
    })?;
    for (hash, text) in &slices.certificates {
        write(&certificates.join(format!("{hash}.cert")), text)?;
    }
    let (tried, kept) = (slices.tried(), slices.certificates.len());
    say!(
        "{proven} of {total} multiplications of words; {kept} of {tried} different slices are proven"
    );
    Ok(total > 0 && proven == total)
}

/// Fates of the mutants of kernels, a line each.
fn mutants<A: Arch>(image: &Image, names: &[String]) -> Result<bool> {
    let (stride, names) = match names {
        [first, names @ ..] if first.parse::<usize>().is_ok() => {
            (first.parse().unwrap_or(1), names)
        }
        names => (1, names),
    };
    let mut all = true;
    let verbose = std::env::var_os("VERBOSE").is_some();
    say!("{:30} mutants  killed refused    same  listed", "kernel");
    for kernel in A::kernels() {
        let wanted = |n: &String| kernel.name.contains(n.as_str());
        if !names.is_empty() && !names.iter().any(wanted) {
            continue;
        }
        let started = Instant::now();
        let r = mutate(&kernel, image, A::EQUIVALENT, (stride, 25))?;
        let (seconds, listed) = (started.elapsed().as_secs_f64(), r.proven.len());
        let Report { mutants, killed, refused, same, .. } = r;
        say!(
            "{:30} {mutants:7} {killed:7} {refused:7} {same:7} {listed:7} {seconds:8.1} s",
            kernel.name
        );
        all &= r.passes();
        if verbose {
            for (change, reason) in &r.proven {
                say!("  {change} | {reason}");
            }
        }
        for (change, _) in r.proven.iter().filter(|(_, reason)| reason.is_empty()) {
            say!("proven, not listed: {} | {change} | ", kernel.name);
        }
        for change in &r.wrong {
            say!("WRONG: {} | {change}", kernel.name);
        }
    }
    Ok(all)
}

/// Refuses names that choose nothing. The first of `mutate` may be a number.
fn check_names<A: Arch>(command: &str, image: &Image, names: &[String]) -> Result<()> {
    let of_kernels = !["flow", "words"].contains(&command);
    let of_functions = command != "mutate";
    let is_number = |n: &&String| command == "mutate" && n.parse::<usize>().is_ok();
    for name in names.iter().skip(usize::from(names.first().filter(is_number).is_some())) {
        let kernel = || A::kernels().iter().any(|k| k.name.contains(name.as_str()));
        let function = || image.functions().iter().any(|f| f.name == *name || f.stem() == name);
        if !(of_kernels && kernel() || of_functions && function()) {
            return Err(Error::Name(name.clone()));
        }
    }
    Ok(())
}

fn run(command: &str, path: &Path, names: &[String]) -> Result<bool> {
    let bytes = read(path)?;
    let image = Image::parse(&bytes).map_err(|e| match e {
        Error::Object(why) => Error::Object(format!("{}: {why}", path.display())),
        other => other,
    })?;
    match image.target() {
        Target::X86 => run_on::<X86>(command, &image, names),
        Target::Arm if ["flow", "words"].contains(&command) => {
            let path = path.display();
            Err(Error::Object(format!("{path}: {command} takes x86-64 alone; found aarch64")))
        }
        Target::Arm => run_on::<Arm>(command, &image, names),
    }
}

fn run_on<A: Arch>(command: &str, image: &Image, names: &[String]) -> Result<bool> {
    let file = |path: &Path, e| Error::File(path.display().to_string(), e);
    check_names::<A>(command, image, names)?;
    if command == "flow" {
        return flow(image, names);
    }
    if command == "prove" {
        let folder = Path::new("certificates");
        fs::create_dir_all(folder).map_err(|e| file(folder, e))?;
        let write = |name: &str, text: &str| {
            let path = folder.join(format!("{}.cert", name.replace(' ', "-")));
            fs::write(&path, text).map_err(|e| file(&path, e))
        };
        let kernels = prove::<A>(image, names, |name, proof| write(name, &proof.certificate))?;
        if image.target() != Target::X86 {
            return Ok(kernels);
        }
        let divided = divide(image, names, |proof| {
            proof.certificates.iter().try_for_each(|(name, text)| write(name, text))
        })?;
        return Ok(kernels && divided);
    }
    if command == "words" {
        return in_registers(image, names);
    }
    if command == "mutate" {
        return mutants::<A>(image, names);
    }
    let mut ran = BTreeSet::new();
    let kernels = prove::<A>(image, names, |_, proof| {
        ran.extend(&proof.ran);
        Ok(())
    })?;
    let mut divided = true;
    if image.target() == Target::X86 {
        divided = divide(image, names, |proof| {
            ran.extend(&proof.ran);
            Ok(())
        })?;
        slices_of(image, names, &mut Slices::default(), |_, proof| {
            ran.extend(&proof.proven);
            Ok(())
        })?;
        words_of(image, names, &mut words::function::Slices::default(), |_, proof| {
            ran.extend(&proof.proven);
            Ok(())
        })?;
    }
    let c = coverage::<A>(image, &ran)?;
    let share = |total: usize| 100.0 * c.proven as f64 / total.max(1) as f64;
    let (proven, total, others) = (c.proven, c.total, c.others.values().sum::<usize>());
    let all = share(total);
    say!("{proven} of {total} multiply instructions are in proven operations: {all:.1} %");
    let (some, of) = c.without_imul;
    let percent = 100.0 * some as f64 / of.max(1) as f64;
    say!("{some} of {of} without IMUL: {percent:.1} %");
    say!(
        "{others} of them are no arithmetic of scalars or fields; without these {:.1} %",
        share(total - others)
    );
    for ((name, reason), n) in &c.others {
        say!("{n:6} {name}: {reason}");
    }
    say!("others, by function:");
    for (name, n) in c.rest.iter().take(60) {
        say!("{n:6} {name}");
    }
    Ok(kernels && divided)
}

/// Bytes of stack: a function's data flow may be as deep as it has instructions.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let commands = ["prove", "flow", "words", "mutate", "coverage"];
    let known = |c: &OsString| commands.iter().find(|x| c.to_str() == Some(x)).copied();
    let (Some(command), Some(path)) = (args.first().and_then(known), args.get(1)) else {
        complain(USAGE);
        return ExitCode::from(2);
    };
    let path = PathBuf::from(path);
    let names: Vec<String> = args[2..].iter().map(|n| n.to_string_lossy().into_owned()).collect();
    let worker =
        thread::Builder::new().stack_size(STACK).spawn(move || run(command, &path, &names));
    let result = match worker.map(|w| w.join()) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => return ExitCode::from(2),
        Err(e) => Err(Error::File("a thread".into(), e)),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            complain(&format!("kernels: {e}"));
            ExitCode::from(2)
        }
    }
}
