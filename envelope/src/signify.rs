//! signify of OpenBSD: keys and signatures.
