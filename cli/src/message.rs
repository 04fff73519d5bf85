//! Messages of any size, piece by piece.

use crate::status::{Failure, Result, plain};
use crate::streams;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a message.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        streams::check_stdin()?;
        return Ok(Box::new(io::stdin().lock()));
    }
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    let file = File::open(path).map_err(failure)?;
    if file.metadata().map_err(failure)?.is_dir() {
        return Err(Failure::at(path, "is a directory"));
    }
    Ok(Box::new(file))
}

/// Reads a message to its end, piece by piece.
pub(crate) fn feed(path: &Path, source: &mut dyn Read, mut take: impl FnMut(&[u8])) -> Result<u64> {
    let mut buffer = vec![0; 256 * 1024];
    let mut total = 0;
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(total),
            Ok(len) => {
                total += len as u64;
                take(&buffer[..len]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::at(path, plain(&error))),
        }
    }
}
