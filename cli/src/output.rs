//! Writing results: a file appears under its name complete or not at all, nothing is overwritten
//! unless asked, and what the command reads is never overwritten.
//!
//! A file has no name while it is written, so that nothing is left of it however the program ends. A name of its own,
//! `.sigmill-XXXXXX`, it has where the file system knows no files without one, and for the moment in which it
//! replaces another; signals that end the program wait then, or the file is removed first.
//!
//! Secrets: a file for one is created with mode 0600, a terminal gets none unless forced, and neither does anything
//! else that exists.

use crate::signals;
use crate::status::{Failure, Result, plain, quoted};
use crate::streams;
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::unistd::{linkat, unlink};
use std::ffi::CString;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::mem;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// The files that have a name of their own, for an end that drops nothing: a command writes two at most.
static NAMED: Mutex<[Option<CString>; 2]> = Mutex::new([const { None }; 2]);

/// Held while such a name is given or goes.
static NAMING: Mutex<()> = Mutex::new(());

/// Removes what is being written, without allocating: the process ends at once.
pub(crate) fn abandon() {
    if let Ok(paths) = NAMED.try_lock() {
        for path in paths.iter().flatten() {
            let _ = unlink(path.as_c_str());
        }
    }
}

/// The same between two changes of a name, and no other follows.
fn abandon_for_good() {
    mem::forget(naming());
    abandon();
}

fn naming() -> MutexGuard<'static, ()> {
    NAMING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The permissions to write a result.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rights<'a> {
    /// Overwrite what exists.
    pub(crate) force: bool,
    pub(crate) is_secret: bool,
    /// The files that the command reads, which are never overwritten.
    pub(crate) inputs: &'a [&'a Path],
}

/// A result that is being written. Dropped without [`finish`], a file leaves no trace.
#[derive(Debug)]
pub(crate) struct Output {
    /// As it was called.
    path: PathBuf,
    /// The path of the finished file.
    target: PathBuf,
    place: Place,
    force: bool,
}

#[derive(Debug)]
enum Place {
    Stdout(io::Stdout),
    /// A device or a pipe: renaming over it would replace the device itself.
    Device(File),
    /// A file without a name, to be linked.
    Unnamed(File),
    /// A file beside the final one, to be renamed.
    Named(NamedTempFile),
}

impl Output {
    /// Opens a place for a result; `-` is standard output. Says no before any work is done if the
    /// name is taken or the result is secret and would be shown.
    pub(crate) fn create(path: &Path, rights: Rights<'_>) -> Result<Output> {
        // A link stays a link: the file it names is replaced.
        let target = place_of(path);
        let place = open(path, &target, rights)?;
        Ok(Output { path: path.to_owned(), target, place, force: rights.force })
    }

    /// Writes a part of the result.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| failed(&self.path, &error))
    }

    /// Sees to it that all bytes are where they will be.
    fn complete(&mut self) -> Result<()> {
        let done = self.flush().and_then(|()| match &self.place {
            Place::Stdout(_) | Place::Device(_) => Ok(()),
            Place::Unnamed(file) => file.sync_all(),
            Place::Named(file) => file.as_file().sync_all(),
        });
        done.map_err(|error| failed(&self.path, &error))
    }

    fn appear(self) -> Result<()> {
        let Output { path, target, place, force } = self;
        let done = match place {
            Place::Stdout(_) | Place::Device(_) => Ok(()),
            Place::Unnamed(file) => match link(&file, &target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && force => {
                    named_in(folder_of(&target), |name| link(&file, name))
                        .and_then(|named| rename(named, &target, true))
                }
                done => done,
            },
            Place::Named(file) => rename(file, &target, force),
        };
        done.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists_already(&path),
            _ => failed(&path, &error),
        })
    }
}

fn open(path: &Path, target: &Path, rights: Rights<'_>) -> Result<Place> {
    let Rights { force, is_secret, inputs } = rights;
    let failure = |error: io::Error| failed(path, &error);
    if inputs.iter().any(|input| is_same_file(path, input)) {
        let what = "is an input of this command, which is never overwritten; choose another name";
        return Err(said_of(path, what));
    }
    if path == Path::new("-") {
        streams::check_stdout()?;
        let stdout = io::stdout();
        refuse_terminal(stdout.is_terminal(), rights)?;
        return Ok(Place::Stdout(stdout));
    }
    if let Some(end) = folder_end(path) {
        let what = match fs::metadata(path) {
            Ok(found) if found.is_dir() => "is a directory".to_owned(),
            _ => format!("ends in `{end}`, as the name of a directory does"),
        };
        return Err(Failure::at(path, format!("{what}; {EXPECTED}")));
    }
    let taken = fs::symlink_metadata(path).ok();
    if let Some(kind) = taken.as_ref().and_then(|taken| other_kind(taken.file_type()))
        && is_secret
        && !force
    {
        let what = "a secret key goes to a new file or to standard output (`-`), and here only with --force";
        return Err(Failure::at(path, format!("is {kind}; {what}")));
    }
    if let Ok(found) = fs::metadata(target) {
        if found.is_dir() {
            return Err(Failure::at(path, format!("is a directory; {EXPECTED}")));
        }
        if !found.is_file() {
            let device = OpenOptions::new().write(true).open(target).map_err(failure)?;
            if device.metadata().map_err(failure)?.is_file() {
                return Err(Failure::at(path, "is another file than a moment ago"));
            }
            refuse_terminal(device.is_terminal(), rights)?;
            return Ok(Place::Device(device));
        }
    }
    if taken.is_some() && !force {
        return Err(exists_already(path));
    }
    let mode = if is_secret { 0o600 } else { 0o666 }; // less the umask
    let folder = folder_of(target);
    temporary(folder, mode).map_err(|error| match fs::metadata(folder) {
        Err(absent) if absent.kind() == io::ErrorKind::NotFound => {
            let name = quoted(&folder_of(path).to_string_lossy());
            Failure::at(path, format!("there is no directory `{name}`; make it first"))
        }
        Ok(found) if !found.is_dir() => {
            let name = quoted(&folder_of(path).to_string_lossy());
            Failure::at(path, format!("`{name}` is not a directory; {EXPECTED}"))
        }
        _ => failure(error),
    })
}

const EXPECTED: &str = "expected the name of a file";

/// The end of a path that only a directory can have. `Path` passes over it, and would name a file in front of it.
fn folder_end(path: &Path) -> Option<&'static str> {
    let last = path.as_os_str().as_bytes().rsplit(|byte| *byte == b'/').next()?;
    let has_slash = path.as_os_str().as_bytes().contains(&b'/');
    match last {
        b"" if has_slash => Some("/"),
        b"." => Some("."),
        b".." => Some(".."),
        _ => None,
    }
}

/// Makes results appear under their names. A signal leaves all of them or none.
pub(crate) fn finish(outputs: impl IntoIterator<Item = Output>) -> Result<()> {
    let mut outputs: Vec<Output> = outputs.into_iter().collect();
    outputs.iter_mut().try_for_each(Output::complete)?;
    let _naming = naming();
    let _held = signals::hold();
    outputs.into_iter().try_for_each(Output::appear)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Stdout(stdout) => stdout.write(bytes),
            Place::Device(file) | Place::Unnamed(file) => file.write(bytes),
            Place::Named(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Stdout(stdout) => stdout.flush(),
            Place::Device(file) | Place::Unnamed(file) => file.flush(),
            Place::Named(file) => file.flush(),
        }
    }
}

/// Writes a whole result; `-` is standard output.
pub(crate) fn write(path: &Path, bytes: &[u8], rights: Rights<'_>) -> Result<()> {
    let mut output = Output::create(path, rights)?;
    output.put(bytes)?;
    finish([output])
}

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    write(Path::new("-"), text.as_bytes(), Rights::default())
}

/// Whether an output would go to the regular file that an input comes from, through links and redirections too.
pub(crate) fn is_same_file(output: &Path, input: &Path) -> bool {
    let (Some(output), Some(input)) = (found(output, &io::stdout()), found(input, &io::stdin()))
    else {
        return false;
    };
    output.is_file() && (output.dev(), output.ino()) == (input.dev(), input.ino())
}

/// The kind of thing at a path; `-` is the stream.
fn found(path: &Path, stream: &impl AsFd) -> Option<Metadata> {
    if path == Path::new("-") {
        let stream = stream.as_fd().try_clone_to_owned().ok()?;
        return File::from(stream).metadata().ok();
    }
    fs::metadata(path).ok()
}

/// The name of a kind of thing that is neither a file nor a directory.
fn other_kind(kind: FileType) -> Option<&'static str> {
    match kind {
        _ if kind.is_dir() || kind.is_file() => None,
        _ if kind.is_symlink() => Some("a link"),
        _ if kind.is_fifo() => Some("a pipe"),
        _ if kind.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

/// The path of a file once links are followed.
pub(crate) fn place_of(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    match (fs::canonicalize(folder_of(path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is nobody else's.
fn temporary(folder: &Path, mode: u32) -> io::Result<Place> {
    if let Ok(file) = unnamed(folder, mode) {
        return Ok(Place::Unnamed(file));
    }
    signals::clean_up_before(abandon_for_good).map_err(|error| {
        let error = plain(&error);
        io::Error::other(format!("no thread that cleans up after a signal can be made: {error}"))
    })?;
    let _naming = naming();
    let create =
        |name: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(name);
    named_in(folder, create).map(Place::Named)
}

#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> io::Result<File> {
    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    let file = OpenOptions::new().write(true).mode(mode).custom_flags(flags).open(folder)?;
    // it is linked by this path
    fs::metadata(path_of(&file))?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn path_of(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a file a name that nothing has.
fn link(file: &File, name: &Path) -> io::Result<()> {
    Ok(linkat(AT_FDCWD, &path_of(file), AT_FDCWD, name, AtFlags::AT_SYMLINK_FOLLOW)?)
}

/// Makes a file with a name of its own.
fn named_in<T>(
    folder: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<NamedTempFile<T>> {
    tempfile::Builder::new().prefix(".sigmill-").make_in(folder, |name| {
        replace_named(Option::is_none, Some(CString::new(name.as_os_str().as_bytes())?));
        make(name).inspect_err(|_| forget(name))
    })
}

fn rename<T>(file: NamedTempFile<T>, path: &Path, force: bool) -> io::Result<()> {
    let name = file.path().to_owned();
    let done = if force { file.persist(path) } else { file.persist_noclobber(path) };
    forget(&name);
    done.map(drop).map_err(|error| error.error)
}

fn forget(name: &Path) {
    let name = name.as_os_str().as_bytes();
    replace_named(|place| place.as_ref().is_some_and(|place| place.as_bytes() == name), None);
}

/// Changes the first place that is such a one. Nothing is allocated or given back while the places are held: what ends
/// the process asks for them.
fn replace_named(is_such: impl Fn(&Option<CString>) -> bool, path: Option<CString>) {
    let before = NAMED.lock().map(|mut places| {
        places.iter_mut().find(|place| is_such(place)).map(|place| mem::replace(place, path))
    });
    drop(before);
}

fn exists_already(path: &Path) -> Failure {
    Failure::at(path, "exists already; --force overwrites it")
}

fn said_of(path: &Path, what: &str) -> Failure {
    match path == Path::new("-") {
        true => Failure::new(format!("standard output: {what}")),
        false => Failure::at(path, what),
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    if path == Path::new("-") { Failure::stdout(error) } else { Failure::at(path, plain(error)) }
}

fn refuse_terminal(is_terminal: bool, Rights { force, is_secret, .. }: Rights<'_>) -> Result<()> {
    if is_terminal && is_secret && !force {
        return Err(Failure::new("refusing to print a secret key to a terminal; use --force"));
    }
    Ok(())
}
