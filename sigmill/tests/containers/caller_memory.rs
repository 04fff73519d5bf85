//! Containers in the caller's memory: the bytes, the lengths and the accepted set of the functions that return
//! memory of their own.

use sigmill::ecdsa::{p256, p384};
use sigmill::{Error, KeyFormatError, ed25519};
use std::fmt::Debug;

/// What memory holds that nothing was written to.
const UNTOUCHED: u8 = 0x55;
/// The longest container that is read from PEM without an allocator.
const MAX: usize = 4096;

type Write<'a> = &'a dyn Fn(&mut [u8]) -> Result<usize, Error>;

/// Writes the expected bytes where there is room for them, and nothing where there is not.
fn check_write(what: &'static str, len: usize, expected: &[u8], write: Write<'_>) {
    assert_eq!(expected.len(), len, "{what}: the constant");
    for room in 0..len {
        let mut out = vec![UNTOUCHED; room];
        let error = Error::Length { what, expected: len, got: room };
        assert_eq!(write(&mut out), Err(error), "{what}");
        assert!(out.iter().all(|byte| *byte == UNTOUCHED), "{what}: written to {room} bytes");
    }
    for more in [0, 1, 1000] {
        let mut out = vec![UNTOUCHED; len + more];
        assert_eq!(write(&mut out), Ok(len), "{what}");
        assert_eq!(&out[..len], expected, "{what}");
        assert!(out[len..].iter().all(|byte| *byte == UNTOUCHED), "{what}: written behind the end");
    }
}

#[test]
fn the_same_is_written_as_with_an_allocator() {
    macro_rules! check {
        ($name:literal, $public:literal, $key:ident, $type:ty, $len:ident, $write:ident, $to:ident) => {
            check_write(
                concat!("memory for ", $name, " in ", $public),
                <$type>::$len,
                $key.$to().unwrap().as_ref(),
                &|out| $key.$write(out),
            );
        };
    }
    macro_rules! both {
        ($name:literal, $key:ident, $type:ty, $der:ident $write_der:ident $to_der:ident,
            $pem:ident $write_pem:ident $to_pem:ident) => {
            check!($name, "DER", $key, $type, $der, $write_der, $to_der);
            let text = $key.$to_pem().unwrap();
            check_write(
                concat!("memory for ", $name, " in PEM"),
                <$type>::$pem,
                text.as_bytes(),
                &|out| $key.$write_pem(out),
            );
        };
    }
    macro_rules! keys {
        ($module:path, $seed:expr) => {{
            use $module::{SigningKey, VerifyingKey};
            let key = SigningKey::try_from(&$seed[..]).unwrap();
            let public = VerifyingKey::clone(&key.verifying_key());
            both!("a private key", key, SigningKey,
                PRIVATE_KEY_DER_LENGTH write_private_key_der to_private_key_der,
                PRIVATE_KEY_PEM_LENGTH write_private_key_pem to_private_key_pem);
            both!("a public key", public, VerifyingKey,
                SPKI_DER_LENGTH write_spki_der to_spki_der,
                SPKI_PEM_LENGTH write_spki_pem to_spki_pem);
            key
        }};
    }
    keys!(sigmill::ed25519, [7; 32]);
    // a leading zero is a byte of the key like any other
    for first in [0, 7] {
        let mut seed = [7; 48];
        seed[0] = first;
        let key = keys!(sigmill::ecdsa::p256, seed[..32]);
        both!("an ECPrivateKey", key, p256::SigningKey,
            SEC1_DER_LENGTH write_sec1_der to_sec1_der,
            SEC1_PEM_LENGTH write_sec1_pem to_sec1_pem);
        let key = keys!(sigmill::ecdsa::p384, seed);
        both!("an ECPrivateKey", key, p384::SigningKey,
            SEC1_DER_LENGTH write_sec1_der to_sec1_der,
            SEC1_PEM_LENGTH write_sec1_pem to_sec1_pem);
    }
}

/// One reader of PEM in both forms.
struct Reader<T> {
    label: &'static str,
    read: fn(&[u8]) -> Result<T, Error>,
    from: fn(&str) -> Result<T, Error>,
}

impl<T: PartialEq + Debug> Reader<T> {
    /// Whether the text is read, by both.
    fn check(&self, text: &str) -> bool {
        let read = (self.read)(text.as_bytes());
        assert_eq!(read, (self.from)(text), "{text:?}");
        read.is_ok()
    }

    /// The text itself, in every way in which PEM may and may not be written, and with bytes changed.
    fn check_all(&self, text: &str, other: &str) {
        assert!(self.check(text) && !self.check(other) && !self.check(""));
        let lines: Vec<&str> = text.lines().collect();
        let body = lines[1..lines.len() - 1].concat();
        let wrapped = |width: usize, end: &str| {
            let parts =
                body.as_bytes().chunks(width).map(|part| std::str::from_utf8(part).unwrap());
            let lines: Vec<&str> =
                [lines[0]].into_iter().chain(parts).chain([lines[lines.len() - 1]]).collect();
            lines.join(end) + end
        };
        let crlf = text.replace('\n', "\r\n");
        for (text, is_read) in [
            (wrapped(64, "\n"), true),
            (crlf.clone(), true),
            (text.replace('\n', "\r"), true),
            (text.trim_end().to_owned(), true),
            (crlf.trim_end().to_owned(), true),
            (text.replacen('\n', "\r\n", 1), true),
            (format!("\n{text}"), true),
            (format!("Bag Attributes\r\n: {{é}}\n{text}"), true),
            (format!("-----END {}-----\n{text}", self.label), true),
            (format!("words {text}"), false),
            (format!("words\r{text}"), true),
            (format!("\0\n{text}"), true),
            (format!("\u{feff}{text}"), true),
            (format!("{other}\u{feff}{text}"), true),
            (format!("{text}\n"), true),
            (format!("{text} "), true),
            (format!("{text}words\n"), true),
            (format!("{}words\n", text.trim_end()), false),
            (format!("{text}{text}"), true),
            (format!("{other}{text}"), true),
            (format!("{text}{other}"), true),
            // the first one counts
            (format!("-----BEGIN {0}-----\nAAAA\n-----END {0}-----\n{text}", self.label), false),
            (format!("-----BEGIN {0}-----\n{text}", self.label), false),
            (wrapped(63, "\n"), true),
            (wrapped(76, "\n"), true),
            (wrapped(60, "\n"), true),
            (wrapped(4, "\n"), true),
            (wrapped(1, "\r\n"), true),
            (wrapped(1000, "\r"), true),
            (text.replacen('\n', " \n", 1), true),
            (text.replace('\n', "\t \n \t"), true),
            (text.replacen('\n', "\n\n", 1), true),
            (text.replace('\n', "\n\r\n\x0b\x0c\n"), true),
            (text.replacen("M", "M\n", 1), true),
            (text.replacen("M", "M\0", 1), false),
            (text.replacen("M", "M\u{a0}", 1), false),
            (text.replacen("M", "M.", 1), false),
            (text.replacen("BEGIN ", "BEGIN  ", 1), false),
            (text.replacen("END ", "END  ", 1), false),
            (text.replacen("-----END", "----- END", 1), false),
            (text.replacen("\n-----END", "-----END", 1), false),
            (text.replace("-----\n", "------\n"), false),
            (format!("{}\n\n{}\n", lines[0], lines[lines.len() - 1]), false),
            (text.replace(&body[..4], &format!("={}", &body[..3])), false),
            (text.replacen("\n-----END", "=\n-----END", 1), false),
            (text.replacen("\n-----END", "====\n-----END", 1), false),
            (text.replacen("\n-----END", "A\n-----END", 1), false),
            (text.replacen("\n-----END", "AAAA\n-----END", 1), false),
            (text.replace(&body[..1], ":"), false),
            (text.replacen(&body[..1], "-", 1), false),
            (text.replacen(&body[..1], "_", 1), false),
            (text.replacen("-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n", 1), false),
            (text.replacen(self.label, "CERTIFICATE", 2), false),
            (text.replacen(self.label, "CERTIFICATE", 1), false),
            (text.replacen(self.label, &self.label.to_lowercase(), 2), false),
        ] {
            assert_eq!(self.check(&text), is_read, "{text:?}");
        }
        for len in 0..text.len() {
            self.check(&text[..len]);
        }
        self.mutate(text);
    }

    fn mutate(&self, text: &str) {
        let mut state = 1_u64;
        let mut next = move |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let mut accepted = 0;
        for _ in 0..2000 {
            let mut bytes = text.as_bytes().to_vec();
            let characters = b"\n\r-= :+/AQgw\t\0";
            for _ in 0..=next(2) {
                let (at, to) = (next(bytes.len()), next(bytes.len()));
                match next(5) {
                    0 => bytes[at] = next(128) as u8,
                    1 => bytes[at] = characters[next(characters.len())],
                    2 => bytes.insert(at, characters[next(characters.len())]),
                    3 => drop(bytes.remove(at)),
                    _ => bytes.swap(at, to),
                }
            }
            let text = String::from_utf8(bytes).expect("ASCII");
            accepted += usize::from(self.check(&text));
        }
        assert!(accepted > 0, "the mutations are too rough to test anything");
    }
}

#[test]
fn the_same_pem_is_read_as_with_an_allocator() {
    macro_rules! readers {
        ($seed:expr, $module:path) => {{
            use $module::{SigningKey, VerifyingKey};
            let key = SigningKey::try_from(&$seed[..]).unwrap();
            let private = key.to_private_key_pem().unwrap();
            let public = key.verifying_key().to_spki_pem().unwrap();
            let (read, from) = (SigningKey::read_private_key_pem, SigningKey::from_private_key_pem);
            Reader { label: "PRIVATE KEY", read, from }.check_all(&private, &public);
            let (read, from) = (VerifyingKey::read_spki_pem, VerifyingKey::from_spki_pem);
            Reader { label: "PUBLIC KEY", read, from }.check_all(&public, &private);
            key
        }};
    }
    macro_rules! sec1 {
        ($key:expr, $module:ident) => {
            let (key, label) = ($key, "EC PRIVATE KEY");
            let (read, from) =
                ($module::SigningKey::read_sec1_pem, $module::SigningKey::from_sec1_pem);
            let text = key.to_sec1_pem().unwrap();
            let other = key.verifying_key().to_spki_pem().unwrap();
            Reader { label, read, from }.check_all(&text, &other);
        };
    }
    readers!([7; 32], sigmill::ed25519);
    let key = readers!([7; 32], sigmill::ecdsa::p256);
    sec1!(key, p256);
    let key = readers!([7; 48], sigmill::ecdsa::p384);
    sec1!(key, p384);
}

#[test]
fn text_before_the_first_line_has_any_encoding() {
    let key = ed25519::SigningKey::from_bytes(&[7; 32]);
    let text = key.to_private_key_pem().unwrap();
    let latin1 = [b"friendlyName: caf\xe9\n", text.as_bytes()].concat();
    assert_eq!(ed25519::SigningKey::read_private_key_pem(&latin1).as_ref(), Ok(&key));
    let behind = [text.as_bytes(), b"\xe9\xff\0"].concat();
    assert_eq!(ed25519::SigningKey::read_private_key_pem(&behind).as_ref(), Ok(&key));
    let inside = [b"-----BEGIN PRIVATE KEY-----\n\xe9", &text.as_bytes()[28..]].concat();
    let not_pem = Err(Error::KeyFormat(KeyFormatError::Pem));
    assert_eq!(ed25519::SigningKey::read_private_key_pem(&inside), not_pem);
}

/// A private key in PKCS#8 with attributes that make it `len` bytes long, in PEM.
fn private_key_of(der: &[u8], len: usize) -> String {
    let long = |tag: u8, len: usize| [tag, 0x82, (len >> 8) as u8, len as u8];
    let mut fields = der[usize::from(der[1] == 0x81) + 2..].to_vec();
    fields.extend(long(0xa0, len - 4 - fields.len() - 4));
    fields.extend(long(0x04, len - 4 - fields.len() - 4));
    fields.resize(len - 4, 0);
    in_pem("PRIVATE KEY", &[&long(0x30, len - 4), &fields[..]].concat(), len)
}

fn in_pem(label: &str, der: &[u8], len: usize) -> String {
    use base64::Engine;
    assert_eq!(der.len(), len);
    let base64 = base64::engine::general_purpose::STANDARD.encode(der);
    let lines = base64.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap());
    let lines: Vec<&str> = lines.collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

#[test]
fn longer_containers_are_refused_by_their_length() {
    macro_rules! check {
        ($seed:expr, $module:path) => {{
            use $module::{SigningKey, VerifyingKey};
            let key = SigningKey::try_from(&$seed[..]).unwrap();
            let der = key.to_private_key_der().unwrap();
            for len in [800, MAX - 2, MAX - 1, MAX] {
                let text = private_key_of(&der, len);
                let read = SigningKey::read_private_key_pem(text.as_bytes());
                assert_eq!(read.as_ref(), Ok(&key), "{len} bytes");
            }
            for got in [MAX + 1, MAX + 2, MAX + 3, 60_000] {
                let too_long = Error::KeyFormat(KeyFormatError::TooLong { got, max: MAX });
                let text = private_key_of(&der, got);
                let read = SigningKey::read_private_key_pem(text.as_bytes());
                assert_eq!(read, Err(too_long), "{got} bytes");
                assert_eq!(SigningKey::from_private_key_pem(&text).as_ref(), Ok(&key));
                let text = in_pem("PUBLIC KEY", &vec![0; got], got);
                let read = VerifyingKey::read_spki_pem(text.as_bytes());
                assert_eq!(read, Err(too_long), "{got} bytes");
                // another label is another label, however long
                let not_pem = Err(Error::KeyFormat(KeyFormatError::Pem));
                assert_eq!(SigningKey::read_private_key_pem(text.as_bytes()), not_pem);
            }
            assert_eq!(
                Error::KeyFormat(KeyFormatError::TooLong { got: 5000, max: MAX }).to_string(),
                "container has 5000 bytes; at most 4096 are read"
            );
        }};
    }
    check!([7; 32], sigmill::ed25519);
    check!([7; 32], sigmill::ecdsa::p256);
    check!([7; 48], sigmill::ecdsa::p384);
    let text = in_pem("EC PRIVATE KEY", &[0; MAX + 1], MAX + 1);
    let too_long = Error::KeyFormat(KeyFormatError::TooLong { got: MAX + 1, max: MAX });
    assert_eq!(p256::SigningKey::read_sec1_pem(text.as_bytes()), Err(too_long));
    assert_eq!(p384::SigningKey::read_sec1_pem(text.as_bytes()), Err(too_long));
}

#[test]
fn a_public_key_is_found_where_it_is() {
    macro_rules! check {
        ($key:expr, $module:ident, $other:ident) => {
            let public = *$key.verifying_key();
            let der = public.to_spki_der().unwrap();
            let found = $module::VerifyingKey::bytes_in_spki_der(&der).unwrap();
            assert_eq!(found, public.to_sec1_bytes());
            assert!(std::ptr::eq(found, &der[der.len() - found.len()..]));
            let another = Error::KeyFormat(KeyFormatError::AnotherCurve);
            assert_eq!($other::VerifyingKey::bytes_in_spki_der(&der), Err(another));
            for len in 0..der.len() {
                let found = $module::VerifyingKey::bytes_in_spki_der(&der[..len]);
                assert_eq!(found, Err(Error::KeyFormat(KeyFormatError::Der)));
            }
            // not a point, which is left to the verdict
            let mut der = der;
            let last = der.len() - 1;
            der[last] ^= 1;
            let copy = $module::VerifyingKey::bytes_from_spki_der(&der);
            assert_eq!($module::VerifyingKey::bytes_in_spki_der(&der), Ok(&copy.unwrap()[..]));
            assert_eq!($module::VerifyingKey::from_spki_der(&der), Err(Error::NotAPoint));
        };
    }
    check!(p256::SigningKey::from_bytes(&[7; 32]).unwrap(), p256, p384);
    check!(p384::SigningKey::from_bytes(&[7; 48]).unwrap(), p384, p256);
}
