//! minisign: keys, signatures, trusted comments.
