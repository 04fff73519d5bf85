//! COSE_Sign1 and COSE_Key (RFC 9052).
