//! `ssh-keygen` in a folder of its own.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub(crate) struct Tool {
    folder: tempfile::TempDir,
}

impl Tool {
    /// `None`, with a line that says so, if `ssh-keygen` is not installed.
    pub(crate) fn find(test: &str) -> Option<Self> {
        if Command::new("ssh-keygen").arg("-?").output().is_err() {
            println!("not run here: {test} (no ssh-keygen)");
            return None;
        }
        Some(Tool { folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that only the owner reads, as `ssh-keygen` demands of private keys.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let _ = std::fs::remove_file(self.path(name));
        let mut options = std::fs::OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .write(true)
            .create_new(true)
            .open(self.path(name))
            .unwrap()
            .write_all(bytes)
            .unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs in the folder, in UTC, with this input.
    pub(crate) fn run(&self, args: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new("ssh-keygen")
            .args(args)
            .current_dir(self.folder.path())
            .env("TZ", "UTC")
            .env_remove("SSH_AUTH_SOCK")
            .env("SSH_ASKPASS_REQUIRE", "never")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A run that fails early closes its input.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    /// Runs and must succeed; returns its output.
    pub(crate) fn succeed(&self, args: &[&str], input: &[u8]) -> String {
        let output = self.run(args, input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "ssh-keygen {args:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }
}
