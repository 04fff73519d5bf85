//! A certificate as a key, and chains of certificates.
