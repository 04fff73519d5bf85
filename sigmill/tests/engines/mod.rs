//! Engines for tests of bulk operations, and columns of messages.

use sigmill::bulk::{Backend, Column, Engine};

/// An engine for each backend that can run here; the others are named on standard error.
pub fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for backend in Backend::ALL {
        match Engine::new().with_backend(backend) {
            Ok(engine) => engines.push(engine),
            Err(error) => eprintln!("not run here: {error}"),
        }
    }
    engines
}

/// Values one after the other, and where they end.
#[derive(Default)]
pub struct Messages {
    pub bytes: Vec<u8>,
    pub offsets: Vec<i64>,
}

impl Messages {
    pub fn new(messages: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut all = Messages { bytes: Vec::new(), offsets: vec![0] };
        for message in messages {
            all.bytes.extend_from_slice(&message);
            all.offsets.push(all.bytes.len() as i64);
        }
        all
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn column(&self, rows: usize) -> Column<'_> {
        Column::large_binary(&self.offsets[..=rows], &self.bytes, None).unwrap()
    }
}
