//! JSON Web Keys (RFC 7517) and JSON Web Signatures (RFC 7515).
