//! Writing results: a file appears under its name complete or not at all, nothing is overwritten
//! unless asked, and a secret is never readable by others, not even for a moment.
//!
//! Secrets: a file for one is created with mode 0600, and a terminal gets none unless forced.

use crate::status::{Failure, Result, plain};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// The temporary files of results that are being written, for an end that drops nothing: `check` writes two at most.
static TEMPORARY: Mutex<[Option<PathBuf>; 2]> = Mutex::new([const { None }; 2]);

/// Removes what is being written: the process ends at once.
pub(crate) fn abandon() {
    if let Ok(paths) = TEMPORARY.try_lock() {
        for path in paths.iter().flatten() {
            let _ = fs::remove_file(path);
        }
    }
}

/// A result that is being written. Dropped without [`Output::finish`], a file leaves no trace.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    place: Place,
    force: bool,
}

#[derive(Debug)]
enum Place {
    Stdout(io::Stdout),
    /// A device or a pipe: renaming over it would replace the device itself.
    Device(File),
    /// A file beside the final one, to be renamed.
    Temporary(NamedTempFile),
}

impl Output {
    /// Opens a place for a result; `-` is standard output. Says no before any work is done if the
    /// name is taken or the result is secret and would be shown.
    pub(crate) fn create(path: &Path, force: bool, secret: bool) -> Result<Output> {
        let failure = |error: io::Error| Failure::at(path, plain(&error));
        if path == Path::new("-") {
            let stdout = io::stdout();
            refuse_terminal(stdout.is_terminal(), force, secret)?;
            return Ok(Output { path: path.into(), place: Place::Stdout(stdout), force });
        }
        // A link stays a link: the file it names is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if let Ok(found) = fs::metadata(&target) {
            if found.is_dir() {
                return Err(Failure::at(path, "is a directory"));
            }
            if !found.is_file() {
                let device = OpenOptions::new().write(true).open(&target).map_err(failure)?;
                refuse_terminal(device.is_terminal(), force, secret)?;
                return Ok(Output { path: target, place: Place::Device(device), force });
            }
        }
        if !force && fs::symlink_metadata(path).is_ok() {
            return Err(Failure::at(path, "exists already; --force overwrites it"));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mode = if secret { 0o600 } else { 0o666 }; // less the umask
        let temporary = tempfile::Builder::new()
            .prefix(".sigmill-")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)
            .map_err(failure)?;
        let path = temporary.path().to_path_buf();
        replace_temporary(|place| place.is_none(), Some(path));
        Ok(Output { path: target, place: Place::Temporary(temporary), force })
    }

    /// Makes the result appear under its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let flushed = self.flush();
        let path = self.path;
        let done = flushed.and_then(|()| match self.place {
            Place::Stdout(_) | Place::Device(_) => Ok(()),
            Place::Temporary(file) => {
                file.as_file().sync_all()?;
                let temporary = file.path().to_path_buf();
                let done =
                    if self.force { file.persist(&path) } else { file.persist_noclobber(&path) };
                replace_temporary(|place| place.as_ref() == Some(&temporary), None);
                done.map(drop).map_err(|error| error.error)
            }
        });
        done.map_err(|error| failed(&path, &error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Stdout(stdout) => stdout.write(bytes),
            Place::Device(device) => device.write(bytes),
            Place::Temporary(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Stdout(stdout) => stdout.flush(),
            Place::Device(device) => device.flush(),
            Place::Temporary(file) => file.flush(),
        }
    }
}

/// Writes a whole result; `-` is standard output.
pub(crate) fn write(path: &Path, bytes: &[u8], force: bool, secret: bool) -> Result<()> {
    let mut output = Output::create(path, force, secret)?;
    output.write_all(bytes).map_err(|error| failed(path, &error))?;
    output.finish()
}

/// Changes the first place that is such a one. Nothing is allocated or given back while the places are held: what ends
/// the process asks for them.
fn replace_temporary(is_such: impl Fn(&Option<PathBuf>) -> bool, path: Option<PathBuf>) {
    let before = TEMPORARY.lock().map(|mut places| {
        places.iter_mut().find(|place| is_such(place)).map(|place| std::mem::replace(place, path))
    });
    drop(before);
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    if path == Path::new("-") { Failure::stdout(error) } else { Failure::at(path, plain(error)) }
}

fn refuse_terminal(is_terminal: bool, force: bool, secret: bool) -> Result<()> {
    if is_terminal && secret && !force {
        return Err(Failure::new("refusing to print a secret key to a terminal; use --force"));
    }
    Ok(())
}
