//! DSSE envelopes, and sigstore bundles by key.
