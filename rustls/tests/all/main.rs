//! Handshakes, keys and signatures of the provider, against rustls' *ring* provider and OpenSSL's command line.

#![allow(missing_docs)]

mod groups;
mod keys;
mod memory;
mod openssl;
mod party;
mod signatures;
