//! The passphrase of a private key: from the program that SSH_ASKPASS names, or from the terminal.
//!
//! SSH_ASKPASS_REQUIRE, DISPLAY and WAYLAND_DISPLAY decide between the two as ssh(1) describes it. No other source is
//! read, not even standard input. The passphrase lives in memory that is wiped.

use crate::status::{Failure, Result, plain, shown};
use nix::sys::signal::{Signal, raise};
use nix::sys::termios::SpecialCharacterIndices::{VEOL2, VINTR};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use zeroize::Zeroizing;

/// The longest passphrase, in bytes: that of OpenSSH.
const LONGEST: usize = 1023;

type Passphrase = Zeroizing<Vec<u8>>;

/// Asks for the passphrase of a key.
pub(super) fn ask(key: &Path) -> Result<Passphrase> {
    let prompt = format!("Enter passphrase for \"{}\": ", shown(key));
    if let Some(program) = program() {
        return ask_program(&program, &prompt);
    }
    let terminal = Terminal::open().map_err(|error| {
        let what = format!(
            "is encrypted, and no terminal can be asked for its passphrase ({}); \
             SSH_ASKPASS=PROGRAM with SSH_ASKPASS_REQUIRE=force has a program asked",
            plain(&error)
        );
        Failure::at(key, what)
    })?;
    let asked = terminal.ask(&prompt);
    asked.map_err(|error| Failure::at(key, format!("passphrase: {}", plain(&error))))
}

/// The program to ask, if one is to be asked.
fn program() -> Option<OsString> {
    let value = |name| env::var_os(name).filter(|value| !value.is_empty());
    let has_display = value("DISPLAY").or_else(|| value("WAYLAND_DISPLAY")).is_some();
    let require = value("SSH_ASKPASS_REQUIRE").unwrap_or_default().to_ascii_lowercase();
    let is_asked = match require.to_str() {
        Some("force") => true,
        Some("prefer") => has_display,
        Some("never") => false,
        _ => has_display && !io::stdin().is_terminal(),
    };
    value("SSH_ASKPASS").filter(|_| is_asked)
}

/// The first line that the program prints.
fn ask_program(program: &OsStr, prompt: &str) -> Result<Passphrase> {
    let path = Path::new(program);
    let failure = |error: io::Error| Failure::at(path, format!("SSH_ASKPASS: {}", plain(&error)));
    let mut child =
        Command::new(program).arg(prompt).stdout(Stdio::piped()).spawn().map_err(failure)?;
    let line = match child.stdout.take() {
        Some(mut stdout) => read_line(&mut stdout, |_| false),
        None => Ok(Zeroizing::default()),
    };
    let status = child.wait().map_err(failure)?;
    let line = line.map_err(failure)?;
    if !status.success() {
        return Err(Failure::at(path, format!("SSH_ASKPASS: no passphrase ({status})")));
    }
    Ok(line)
}

/// Reads up to such an end or that of the source; returns the first line.
fn read_line(source: &mut impl Read, is_end: impl Fn(u8) -> bool) -> io::Result<Passphrase> {
    // never grows, which would leave copies behind
    let mut line = Zeroizing::new(vec![0; LONGEST + 1]);
    let mut len = 0;
    while let Some(rest @ [_, ..]) = line.get_mut(len..) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if line.get(..len).and_then(<[u8]>::last).is_some_and(|last| is_end(*last)) {
            break;
        }
    }
    if len > LONGEST {
        return Err(io::Error::other(format!("longer than {LONGEST} bytes")));
    }
    line.truncate(len);
    let end = line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(len);
    line.truncate(end);
    Ok(line)
}

/// The terminal of the process, which shows nothing of what is typed until this is dropped.
struct Terminal {
    file: File,
    before: Termios,
}

impl Terminal {
    fn open() -> io::Result<Self> {
        let file = File::options().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&file)?;
        let mut hidden = before.clone();
        hidden.local_flags -= LocalFlags::ECHO | LocalFlags::ECHONL | LocalFlags::ISIG;
        // Ctrl-C ends the line: the program ends after the terminal is restored
        hidden.control_chars[VEOL2 as usize] = before.control_chars[VINTR as usize];
        // before the prompt, since a program may type as soon as it sees one
        tcsetattr(&file, SetArg::TCSAFLUSH, &hidden)?;
        Ok(Terminal { file, before })
    }

    fn ask(mut self, prompt: &str) -> io::Result<Passphrase> {
        self.file.write_all(prompt.as_bytes())?;
        let interrupt = self.before.control_chars[VINTR as usize];
        let line = read_line(&mut self.file, |last| last == b'\n' || last == interrupt);
        self.file.write_all(b"\n")?;
        drop(self);
        let line = line?;
        if line.last() == Some(&interrupt) {
            raise(Signal::SIGINT)?;
            return Err(io::Error::other("interrupted"));
        }
        Ok(line)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // whatever is left of a long line goes to nobody
        let _ = tcsetattr(&self.file, SetArg::TCSAFLUSH, &self.before);
    }
}
