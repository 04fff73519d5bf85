//! The command line of sigmill.

fn main() {}
