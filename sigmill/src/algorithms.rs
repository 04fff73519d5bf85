//! The signature algorithms, by the names that others have for them: one row each.

/// An algorithm.
// containers and columns, which ask for names, are features
#[cfg_attr(not(all(feature = "bulk", feature = "pkcs8")), allow(dead_code))]
pub(crate) struct Algorithm {
    /// In columns and options.
    pub(crate) name: &'static str,
    /// In its standard: of ECDSA, of the curve.
    pub(crate) title: &'static str,
    /// Of a key in X.509 (RFC 8410 section 3), of ECDSA of the curve (RFC 5480 section 2.1.1.1).
    pub(crate) key_oid: &'static str,
    /// Of a signature in X.509 (RFC 8410 section 3), of ECDSA with the curve's own hash function (RFC 5758 section
    /// 3.2).
    pub(crate) signature_oid: &'static str,
}

pub(crate) const ED25519: Algorithm = Algorithm {
    name: "ed25519",
    title: "Ed25519",
    key_oid: "1.3.101.112",
    signature_oid: "1.3.101.112",
};

/// id-X25519 (RFC 8410 section 3), which signs nothing.
#[cfg(feature = "containers")]
pub(crate) const X25519_KEY_OID: &str = "1.3.101.110";

pub(crate) const P256: Algorithm = Algorithm {
    name: "p256",
    title: "P-256",
    key_oid: "1.2.840.10045.3.1.7",
    signature_oid: "1.2.840.10045.4.3.2",
};

pub(crate) const P384: Algorithm = Algorithm {
    name: "p384",
    title: "P-384",
    key_oid: "1.3.132.0.34",
    signature_oid: "1.2.840.10045.4.3.3",
};
