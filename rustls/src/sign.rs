//! Signing keys from the containers in which programs keep them. Signing is deterministic (RFC 8032, RFC 6979) and
//! constant time but for the length of what is signed. Keys are wiped when dropped, and so is the container they came
//! in.
//!
//! ```
//! use rustls::crypto::KeyProvider;
//! use rustls::pki_types::PrivateKeyDer;
//! use sigmill_rustls::sign::Keys;
//!
//! # let key = sigmill::ed25519::SigningKey::from_bytes(&[7; 32]);
//! # let mut bytes = vec![0; 48];
//! # key.write_private_key_der(&mut bytes).unwrap();
//! let der = PrivateKeyDer::try_from(bytes)?; // or: PrivateKeyDer::from_pem_file("key.pem")
//! let key = Keys.load_private_key(der)?;
//! assert_eq!(key.algorithm(), rustls::SignatureAlgorithm::ED25519);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use pkcs8::AlgorithmIdentifierRef;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::{Decode, Reader, SliceReader};
use rustls::crypto::{KeyProvider, ring};
use rustls::pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use sigmill::ecdsa::{p256, p384};
use sigmill::{KeyFormatError, ed25519};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroize;

/// Reads private keys: Ed25519 from PKCS#8, ECDSA on P-256 and P-384 from PKCS#8 and SEC1. RSA is left to rustls' *ring*
/// provider.
#[derive(Clone, Copy, Debug)]
pub struct Keys;

impl KeyProvider for Keys {
    /// # Errors
    /// [`Error::General`], which says what is wrong with the container or the key.
    fn load_private_key(
        &self,
        mut key_der: PrivateKeyDer<'static>,
    ) -> Result<Arc<dyn SigningKey>, Error> {
        let key = match &key_der {
            PrivateKeyDer::Pkcs8(key) if is_encrypted(key.secret_pkcs8_der()) => {
                Err(general("container is encrypted; it has to be decrypted before"))
            }
            PrivateKeyDer::Pkcs8(key) => match of_pkcs8(key.secret_pkcs8_der()) {
                Err(sigmill::Error::KeyFormat(KeyFormatError::Algorithm)) => of_rsa(&key_der),
                read => read.map_err(told),
            },
            PrivateKeyDer::Sec1(key) => of_sec1(key.secret_sec1_der()),
            _ => of_rsa(&key_der),
        };
        key_der.zeroize();
        key
    }
}

fn general(text: impl fmt::Display) -> Error {
    Error::General(format!("private key: {text}"))
}

/// The error for a faulty container.
fn told(error: sigmill::Error) -> Error {
    match error {
        sigmill::Error::KeyFormat(KeyFormatError::AnotherCurve) => {
            general("elliptic curve is neither P-256 nor P-384")
        }
        error => general(error),
    }
}

/// A key of RSA, or an error: it is no key of ours.
fn of_rsa(key_der: &PrivateKeyDer<'_>) -> Result<Arc<dyn SigningKey>, Error> {
    match ring::sign::RsaSigningKey::new(key_der) {
        Ok(key) => Ok(Arc::new(key)),
        Err(Error::General(rsa)) => {
            Err(general(format_args!("neither Ed25519 nor ECDSA on P-256 or P-384; {rsa}")))
        }
        Err(other) => Err(other),
    }
}

/// Whether this is an EncryptedPrivateKeyInfo (RFC 5958 section 3).
fn is_encrypted(der: &[u8]) -> bool {
    let reader = SliceReader::new(der);
    reader.is_ok_and(|mut reader| {
        let fields = reader.sequence(|fields| {
            AlgorithmIdentifierRef::decode(fields)?;
            <&OctetStringRef>::decode(fields)
        });
        fields.is_ok()
    })
}

/// A key in PKCS#8, which names its algorithm and its curve.
///
/// # Errors
/// [`KeyFormatError::Algorithm`] for another algorithm, [`KeyFormatError::AnotherCurve`] for another curve than both.
fn of_pkcs8(der: &[u8]) -> Result<Arc<dyn SigningKey>, sigmill::Error> {
    match ed25519::SigningKey::from_private_key_der(der) {
        Err(sigmill::Error::KeyFormat(KeyFormatError::NotEd25519)) => {}
        read => return read.map(shared),
    }
    match p256::SigningKey::from_private_key_der(der) {
        Err(sigmill::Error::KeyFormat(KeyFormatError::AnotherCurve)) => {}
        read => return read.map(shared),
    }
    p384::SigningKey::from_private_key_der(der).map(shared)
}

/// A key in an ECPrivateKey. If that does not name its curve, the length of its public key says which one it is, or
/// of the secret one.
fn of_sec1(der: &[u8]) -> Result<Arc<dyn SigningKey>, Error> {
    let p256 = match p256::SigningKey::from_sec1_der(der) {
        Ok(key) => return Ok(shared(key)),
        Err(error) => error,
    };
    let p384 = match p384::SigningKey::from_sec1_der(der) {
        Ok(key) => return Ok(shared(key)),
        Err(error) => error,
    };
    Err(match (seen(&p256), seen(&p384)) {
        (Seen::SecretLength, Seen::SecretLength) => general(
            "container names no curve, and its secret key has the length of neither P-256 (32 bytes) nor P-384 (48)",
        ),
        (one, other) if one < other => told(p384),
        _ => told(p256),
    })
}

/// The evidence that a key is of another curve, the surest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Name,
    PublicLength,
    SecretLength,
    /// It did not.
    Nothing,
}

fn seen(error: &sigmill::Error) -> Seen {
    match error {
        sigmill::Error::KeyFormat(KeyFormatError::AnotherCurve) => Seen::Name,
        sigmill::Error::KeyFormat(KeyFormatError::KeyLength) => Seen::SecretLength,
        sigmill::Error::Length { .. } => Seen::PublicLength,
        _ => Seen::Nothing,
    }
}

fn shared<K: Kind>(key: K) -> Arc<dyn SigningKey> {
    Arc::new(Key(Arc::new(key)))
}

/// A kind of secret keys: the one scheme of TLS that it signs with.
trait Kind: Send + Sync + 'static {
    const SCHEME: SignatureScheme;
    const ALGORITHM: SignatureAlgorithm;

    /// A signature as TLS has it: 64 bytes of Ed25519, DER of ECDSA.
    fn signature(&self, message: &[u8]) -> Vec<u8>;

    /// The public key in its container.
    fn spki(&self) -> Option<Vec<u8>>;
}

impl Kind for ed25519::SigningKey {
    const SCHEME: SignatureScheme = SignatureScheme::ED25519;
    const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::ED25519;

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        self.sign_with(ed25519::Variant::Pure, message).to_bytes().to_vec()
    }

    fn spki(&self) -> Option<Vec<u8>> {
        let mut der = vec![0; ed25519::VerifyingKey::SPKI_DER_LENGTH];
        let written = self.verifying_key().write_spki_der(&mut der).ok()?;
        der.truncate(written);
        Some(der)
    }
}

macro_rules! ecdsa_kinds {
    ($($curve:ident, $scheme:ident;)*) => {
        $(
        impl Kind for $curve::SigningKey {
            const SCHEME: SignatureScheme = SignatureScheme::$scheme;
            const ALGORITHM: SignatureAlgorithm = SignatureAlgorithm::ECDSA;

            /// With the hash of the curve, which is the scheme's.
            fn signature(&self, message: &[u8]) -> Vec<u8> {
                self.sign_message(message).to_der().as_bytes().to_vec()
            }

            fn spki(&self) -> Option<Vec<u8>> {
                let mut der = vec![0; $curve::VerifyingKey::SPKI_DER_LENGTH];
                let written = self.verifying_key().write_spki_der(&mut der).ok()?;
                der.truncate(written);
                Some(der)
            }
        }
        )*
    };
}

ecdsa_kinds! {
    p256, ECDSA_NISTP256_SHA256;
    p384, ECDSA_NISTP384_SHA384;
}

/// A key as rustls has it, and what signs with it in one handshake.
struct Key<K>(Arc<K>);

impl<K: Kind> fmt::Debug for Key<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?}, not shown)", K::SCHEME)
    }
}

impl<K: Kind> SigningKey for Key<K> {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&K::SCHEME).then(|| Box::new(Key(Arc::clone(&self.0))) as Box<dyn Signer>)
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.0.spki().map(SubjectPublicKeyInfoDer::from)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        K::ALGORITHM
    }
}

impl<K: Kind> Signer for Key<K> {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.0.signature(message))
    }

    fn scheme(&self) -> SignatureScheme {
        K::SCHEME
    }
}
