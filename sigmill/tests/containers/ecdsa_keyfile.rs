//! ECDSA keys and signatures in files, both ways with the program openssl.

use sigmill::ecdsa::{Digest, LowS, p256, p384};
use sigmill::{Error, KeyFormatError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of this test's own, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for files");
        Folder(path)
    }

    pub(crate) fn openssl(&self, args: &str) -> Vec<u8> {
        let output = Command::new("openssl")
            .args(args.split_whitespace())
            .current_dir(&self.0)
            .output()
            .expect("these tests need the program openssl");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {args}: {message}");
        output.stdout
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).expect("a file is written");
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("a file is read")
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("PEM is text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

macro_rules! with_openssl {
    ($test:ident, $module:ident, $curve:literal, $other:ident, $sha:literal, $digest:ty) => {
        #[test]
        fn $test() {
            let folder = Folder::new(stringify!($test));
            // theirs to us
            folder.openssl(&format!(
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{} -out key.pem",
                $curve
            ));
            folder.openssl("ec -in key.pem -out sec1.pem");
            folder.openssl("pkey -in key.pem -pubout -out public.pem");
            folder.openssl("ec -in key.pem -pubout -conv_form compressed -out compressed.pem");
            folder.write("message", b"attack at dawn");
            folder.openssl(&format!("dgst -{} -sign key.pem -out signature message", $sha));
            let key = $module::SigningKey::from_private_key_pem(&folder.text("key.pem")).unwrap();
            assert_eq!($module::SigningKey::from_sec1_pem(&folder.text("sec1.pem")).unwrap(), key);
            let read = $module::SigningKey::read_private_key_pem(&folder.read("key.pem"));
            assert_eq!(read.as_ref(), Ok(&key));
            let read = $module::SigningKey::read_sec1_pem(&folder.read("sec1.pem"));
            assert_eq!(read.as_ref(), Ok(&key));
            let public = *key.verifying_key();
            for name in ["public.pem", "compressed.pem"] {
                let read = $module::VerifyingKey::from_spki_pem(&folder.text(name)).unwrap();
                assert_eq!(read, public);
                assert_eq!($module::VerifyingKey::read_spki_pem(&folder.read(name)), Ok(public));
            }
            let theirs = $module::Signature::from_der(&folder.read("signature")).unwrap();
            assert!(public.verify_with(LowS::Any, b"attack at dawn", &theirs).is_valid());
            assert!(!public.verify_with(LowS::Any, b"attack at dusk", &theirs).is_valid());
            // the same bytes back
            assert_eq!(key.to_private_key_pem().unwrap().as_bytes(), folder.read("key.pem"));
            assert_eq!(key.to_sec1_pem().unwrap().as_bytes(), folder.read("sec1.pem"));
            assert_eq!(public.to_spki_pem().unwrap().as_bytes(), folder.read("public.pem"));
            // ours to them
            let ours = key.sign_message(b"attack at dawn");
            folder.write("ours", ours.to_der().as_bytes());
            folder.openssl(&format!("dgst -{} -verify public.pem -signature ours message", $sha));
            let digest = <$digest>::digest(b"attack at dawn");
            assert_eq!(key.sign_digest_bytes(&digest).unwrap(), ours);
            // the other curve's reader says what it is
            let wrong = Err(Error::KeyFormat(KeyFormatError::AnotherCurve));
            let pem = folder.text("key.pem");
            assert_eq!($other::SigningKey::from_private_key_pem(&pem).map(|_| ()), wrong);
            let pem = folder.text("public.pem");
            assert_eq!($other::VerifyingKey::from_spki_pem(&pem).map(|_| ()), wrong);
            // explicit parameters, of this very curve
            folder.openssl("ec -in key.pem -param_enc explicit -out explicit.pem");
            folder.openssl("ec -in key.pem -pubout -param_enc explicit -out explicit_public.pem");
            let explicit = Err(Error::KeyFormat(KeyFormatError::ExplicitCurve));
            let pem = folder.text("explicit.pem");
            assert_eq!($module::SigningKey::from_sec1_pem(&pem).map(|_| ()), explicit);
            let read = $module::SigningKey::read_sec1_pem(pem.as_bytes());
            assert_eq!(read.map(|_| ()), explicit);
            let pem = folder.text("explicit_public.pem");
            assert_eq!($module::VerifyingKey::from_spki_pem(&pem).map(|_| ()), explicit);
            assert_eq!($module::VerifyingKey::read_spki_pem(pem.as_bytes()).map(|_| ()), explicit);
        }
    };
}

with_openssl!(p256_with_openssl, p256, "P-256", p384, "sha256", sha2::Sha256);
with_openssl!(p384_with_openssl, p384, "P-384", p256, "sha384", sha2::Sha384);

#[test]
fn a_public_key_of_another_secret_is_refused() {
    let key = p384::SigningKey::from_bytes(&[7; 48]).unwrap();
    let other = p384::SigningKey::from_bytes(&[8; 48]).unwrap();
    let point = other.verifying_key().to_sec1_bytes();
    let (pkcs8, sec1) = (key.to_private_key_der().unwrap(), key.to_sec1_der().unwrap());
    let replaced = |der: &[u8]| {
        let mut der = der.to_vec();
        let start = der.len() - point.len();
        der[start..].copy_from_slice(&point);
        der
    };
    let mismatch = Err(Error::KeyPairMismatch);
    assert_eq!(p384::SigningKey::from_private_key_der(&replaced(&pkcs8)), mismatch);
    assert_eq!(p384::SigningKey::from_sec1_der(&replaced(&sec1)), mismatch);
    assert_eq!(p384::SigningKey::from_private_key_der(&pkcs8).as_ref(), Ok(&key));
    assert_eq!(p384::SigningKey::from_sec1_der(&sec1).as_ref(), Ok(&key));
}

#[test]
fn either_container_is_read_under_either_label() {
    macro_rules! check {
        ($module:ident, $seed:expr) => {
            use $module::SigningKey;
            let key = SigningKey::from_slice(&$seed).unwrap();
            let texts = [key.to_private_key_pem().unwrap(), key.to_sec1_pem().unwrap()];
            for text in &texts {
                let plain = text.replace("EC PRIVATE", "PRIVATE");
                let ec = plain.replace("PRIVATE", "EC PRIVATE");
                for text in [plain, ec] {
                    for read in [
                        SigningKey::from_private_key_pem(&text),
                        SigningKey::from_sec1_pem(&text),
                        SigningKey::read_private_key_pem(text.as_bytes()),
                        SigningKey::read_sec1_pem(text.as_bytes()),
                        $module::SecretKey::from_pem(&text).map(|secret| (&secret).into()),
                    ] {
                        assert_eq!(read.as_ref(), Ok(&key), "{text}");
                    }
                }
            }
            // DER is read as what the call says
            let (pkcs8, sec1) = (key.to_private_key_der().unwrap(), key.to_sec1_der().unwrap());
            let not_der = Err(Error::KeyFormat(KeyFormatError::Der));
            assert_eq!(SigningKey::from_sec1_der(&pkcs8), not_der);
            assert_eq!(SigningKey::from_private_key_der(&sec1), not_der);
        };
    }
    {
        check!(p256, [7; 32]);
    }
    check!(p384, [7; 48]);
}

#[test]
fn one_zero_too_many_in_front_of_a_private_key_is_read() {
    let with = |der: &[u8], zeros: usize, key_len: usize, named: bool| {
        // SEQUENCE, version, OCTET STRING
        let at = if der[1] == 0x81 { 8 } else { 7 };
        assert_eq!(usize::from(der[at - 1]), key_len);
        let mut longer = der.to_vec();
        longer.splice(at..at, vec![0; zeros]);
        longer[at - 1] += zeros as u8;
        if !named {
            // neither parameters nor a public key
            longer.truncate(at + key_len + zeros);
            longer.splice(..at - 5, [0x30, (longer.len() - (at - 5)) as u8]);
            return longer;
        }
        longer[at - 6] += zeros as u8;
        longer
    };
    macro_rules! check {
        ($module:ident, $len:literal) => {{
            let key = $module::SigningKey::from_slice(&[0x87; $len]).unwrap();
            let der = key.to_sec1_der().unwrap();
            let wrong_length = Err(Error::KeyFormat(KeyFormatError::KeyLength));
            for named in [true, false] {
                for (zeros, expected) in [(0, Ok(&key)), (1, Ok(&key)), (2, wrong_length.as_ref())]
                {
                    let der = with(&der, zeros, $len, named);
                    let read = $module::SigningKey::from_sec1_der(&der);
                    assert_eq!(read.as_ref(), expected, "{zeros} zeros, {der:02x?}");
                }
                let mut other = with(&der, 1, $len, named);
                let at = other.windows(2).position(|pair| pair == [0, 0x87]).unwrap();
                other[at] = 1;
                assert_eq!($module::SigningKey::from_sec1_der(&other), wrong_length);
            }
        }};
    }
    check!(p256, 32);
    check!(p384, 48);
}
