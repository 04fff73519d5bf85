//! A name for the kind of a file by its first bytes, for messages about files of an unexpected kind.
//!
//! It looks at beginnings: magic numbers, labels of PEM, tags, lengths and object identifiers of DER. Nothing is
//! checked, and nothing decides by it. DER is walked here and not by `der`, which reads whole containers alone: of PEM
//! only the beginning is decoded.
//!
//! Secrets: what is decoded of PEM is wiped, and a name says nothing of a key. Time depends on the shape of a
//! container, not on the key in it; of text that is neither PEM nor DER it depends on the characters.

use crate::algorithms;
use crate::encoding::{ObjectIdentifier, pem};
use core::fmt;
use zeroize::Zeroizing;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $advice:expr;)*) => {
        /// A kind of file, as far as its beginning tells: keys in their containers, and what is often given in their
        /// place or in that of a table. For messages; a file of a kind may still be damaged.
        ///
        /// ```
        /// use sigmill::FileKind;
        ///
        /// let text = b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGjMF8GCSqG...";
        /// let kind = FileKind::of(text).ok_or("nothing known")?;
        /// assert_eq!(kind, FileKind::EncryptedPrivateKey);
        /// assert_eq!(kind.to_string(), "an encrypted PKCS#8 private key");
        /// assert_eq!(kind.advice(), Some("decrypt it with `openssl pkey -in FILE -out KEY`"));
        /// assert_eq!(FileKind::of(b"message,signature\n"), None);
        /// # Ok::<(), &str>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FileKind {
            /// A PKCS#8 private key, of the algorithm or curve with this name.
            PrivateKey(&'static str),
            /// An ECPrivateKey, on the curve with this name.
            EcPrivateKey(&'static str),
            /// A SubjectPublicKeyInfo, of the algorithm or curve with this name.
            PublicKey(&'static str),
            $($(#[$doc])* $kind,)*
        }

        impl FileKind {
            /// The command that converts such a file, if another program can. `FILE` stands for its name.
            pub const fn advice(self) -> Option<&'static str> {
                match self {
                    FileKind::PrivateKey(_) | FileKind::EcPrivateKey(_) | FileKind::PublicKey(_) => None,
                    $(FileKind::$kind => $advice,)*
                }
            }
        }

        /// Its name with an article, such as `a certificate`.
        impl fmt::Display for FileKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    FileKind::PrivateKey(of) => write!(f, "a private key ({of})"),
                    FileKind::EcPrivateKey(of) => write!(f, "a private key ({of}, ECPrivateKey)"),
                    FileKind::PublicKey(of) => write!(f, "a public key ({of})"),
                    $(FileKind::$kind => f.write_str($name),)*
                }
            }
        }
    };
}

kinds! {
    /// PKCS#8 under a password (RFC 5958 section 3).
    EncryptedPrivateKey = "an encrypted PKCS#8 private key",
        Some("decrypt it with `openssl pkey -in FILE -out KEY`");
    /// A private key in PEM with the header `Proc-Type: 4,ENCRYPTED`.
    EncryptedPem = "an encrypted private key",
        Some("decrypt it with `openssl pkey -in FILE -out KEY`");
    /// An RSA private key (PKCS#1).
    RsaPrivateKey = "an RSA private key", None;
    /// An RSA public key (PKCS#1).
    RsaPublicKey = "an RSA public key", None;
    /// A DSA private key.
    DsaPrivateKey = "a DSA private key", None;
    /// The parameters of a curve without a key.
    EcParameters = "parameters of a curve, without a key", None;
    /// An Ed25519 private key as OpenSSH stores it.
    OpenSshEd25519 = "an OpenSSH private key (Ed25519)",
        Some("convert it with pyca/cryptography (`load_ssh_private_key`): `ssh-keygen` leaves Ed25519 in its own form");
    /// Another private key as OpenSSH stores it.
    OpenSsh = "an OpenSSH private key",
        Some("convert it with `ssh-keygen -p -m PKCS8 -f FILE`");
    /// An Ed25519 public key of SSH, in one line.
    SshEd25519PublicKey = "an SSH public key (Ed25519)",
        Some("convert it with pyca/cryptography (`load_ssh_public_key`): `ssh-keygen` does not convert Ed25519");
    /// Another public key of SSH.
    SshPublicKey = "an SSH public key",
        Some("convert it with `ssh-keygen -e -m PKCS8 -f FILE`");
    /// A public key of SSH in the form of RFC 4716.
    Ssh2PublicKey = "an SSH public key in the form of RFC 4716",
        Some("write it in the form of OpenSSH first, with `ssh-keygen -i -f FILE`");
    /// A public key of SSH whose private key is in a security key.
    SshSecurityKey = "an SSH public key of a security key", None;
    /// A public key of SSH that an authority has signed.
    SshCertificate = "an SSH certificate", None;
    /// A signature by `ssh-keygen -Y sign`.
    SshSignature = "an SSH signature", None;
    /// A private key of PuTTY.
    PuttyPrivateKey = "a PuTTY private key",
        Some("convert it with `puttygen FILE -O private-openssh -o KEY`");
    /// A certificate (RFC 5280).
    Certificate = "a certificate", Some("its key: `openssl x509 -in FILE -pubkey -noout`");
    /// A certificate request (RFC 2986).
    CertificateRequest = "a certificate request",
        Some("its key: `openssl req -in FILE -pubkey -noout`");
    /// Keys and certificates under a password (RFC 7292).
    Pkcs12 = "a PKCS#12 file", Some("its key: `openssl pkcs12 -in FILE -nocerts -nodes`");
    /// Signed data or certificates (RFC 5652).
    Pkcs7 = "a PKCS#7 or CMS file", None;
    /// r and s of a signature in DER (RFC 3279).
    EcdsaSignature = "an ECDSA signature in DER", None;
    /// A key, signature or message of OpenPGP.
    Pgp = "an OpenPGP file", None;
    /// A key of age.
    AgeKey = "a key of age", None;
    /// A file that age encrypted.
    AgeFile = "a file encrypted by age", Some("decrypt it with `age -d`");
    /// A key or signature of minisign or signify.
    Minisign = "a key or signature of minisign or signify", None;
    /// A key as JSON (RFC 7517).
    JsonWebKey = "a JSON Web Key", None;
    /// A key of COSE (RFC 9052).
    CoseKey = "a COSE key", Some("its public key is the value of -2, on P-256 and P-384 with that of -3");
    /// A seed of Ed25519 and its public key in 64 bytes. [`FileKind::of`] does not look for them; [`KeyCell::of`] does.
    ///
    /// [`KeyCell::of`]: crate::KeyCell::of
    KeyPair = "an Ed25519 seed and its public key, as NaCl and Go write a secret key",
        Some("the last 32 of its 64 bytes are the public key");
    /// A keystore of Java in one of its own forms.
    JavaKeyStore = "a Java keystore",
        Some("convert it with `keytool -importkeystore -srckeystore FILE -destkeystore KEY -deststoretype PKCS12`");
    /// DER in base64, as PEM has it between its labels.
    Base64Der = "base64 of DER, without the labels of PEM",
        Some("decode it with `base64 -d FILE`, or write the lines of PEM around it");
    /// PEM in base64.
    Base64Pem = "base64 of PEM", Some("decode it with `base64 -d FILE`");
    /// DER in hexadecimal.
    HexDer = "hexadecimal of DER", Some("decode it with `xxd -r -p FILE`");
    /// PEM in one line, or with other text in the lines of its labels.
    PemOutOfLine = "PEM whose labels do not have lines of their own",
        Some("write each label in a line of its own");
    /// PEM whose line ends are written as a backslash and a letter, as in JSON and in variables of an environment.
    EscapedPem = "PEM whose line ends are written as `\\n`",
        Some("write line ends for them, with `sed 's/\\\\n/\\n/g' FILE`");
    /// Settings in sections, each below its name in brackets, as WireGuard and systemd have them.
    Ini = "an INI file", None;
    /// An array of numbers as JSON, as the tools of Solana write a secret key.
    JsonNumbers = "a JSON array of numbers, as Solana's tools write a key",
        Some("its first 32 numbers are the bytes of the seed, the other 32 those of the public key");
    /// An object as JSON over several lines.
    JsonInLines = "a JSON object over several lines", Some("`jq -c . FILE` makes a line of it");
    /// JSON that begins with a bracket.
    JsonArray = "a JSON array", Some("`jq -c '.[]' FILE` makes lines of it");
    /// JSON that begins with a brace, as JSON lines do.
    JsonObject = "JSON", None;
    /// A file compressed by gzip.
    Gzip = "gzip", Some("decompress it with `gzip -dc FILE`");
    /// A file compressed by zstd.
    Zstd = "zstd", Some("decompress it with `zstd -dc FILE`");
    /// A file compressed by bzip2.
    Bzip2 = "bzip2", Some("decompress it with `bzip2 -dc FILE`");
    /// A file compressed by xz.
    Xz = "xz", Some("decompress it with `xz -dc FILE`");
    /// A file compressed by lz4.
    Lz4 = "lz4", Some("decompress it with `lz4 -dc FILE`");
    /// A file compressed by Snappy, with frames.
    Snappy = "framed Snappy", Some("decompress it");
    /// A ZIP archive, which workbooks of spreadsheets are, too.
    Zip = "a ZIP archive", Some("unpack it, or save the workbook as CSV");
    /// An archive of 7-Zip.
    SevenZip = "a 7z archive", Some("unpack it with `7z x FILE`");
    /// An archive of tar.
    Tar = "a tar archive", Some("unpack it with `tar -xf FILE`");
    /// A workbook of Excel before 2007.
    OldWorkbook = "a workbook of old Excel", Some("save it as CSV");
    /// Text in UTF-16.
    Utf16 = "text in UTF-16", Some("convert it with `iconv -f UTF-16 -t UTF-8 FILE`");
    /// Text in UTF-32.
    Utf32 = "text in UTF-32", Some("convert it with `iconv -f UTF-32 -t UTF-8 FILE`");
    /// A Parquet file.
    Parquet = "a Parquet file", None;
    /// A Parquet file whose footer is encrypted.
    EncryptedParquet = "an encrypted Parquet file", Some("decrypt it with the program that has its keys");
    /// An Arrow file, as IPC or Feather 2 call it.
    ArrowFile = "an Arrow file", None;
    /// An Arrow stream.
    ArrowStream = "an Arrow stream", None;
    /// A Feather file of version 1.
    Feather1 = "a Feather file of version 1", Some("write it as version 2, which is an Arrow file");
    /// An ORC file.
    Orc = "an ORC file", Some("write it as Parquet");
    /// An Avro file.
    Avro = "an Avro file", Some("write it as Parquet");
    /// An HDF5 file.
    Hdf5 = "an HDF5 file", Some("write it as Parquet");
    /// A DuckDB database.
    DuckDb = "a DuckDB database", Some("export the table as Parquet");
    /// An array of NumPy.
    Npy = "an array of NumPy", Some("write a table of it as Parquet");
    /// Objects of Python.
    Pickle = "a pickle of Python", Some("write a table of it as Parquet");
    /// A SQLite database.
    Sqlite = "a SQLite database", Some("export the table as CSV");
    /// A page of HTML, which servers send in the place of a file.
    Html = "a page of HTML", None;
    /// XML.
    Xml = "XML", None;
    /// Base64 of either alphabet whose length shows that padding is missing.
    Base64WithoutPadding = "base64 without padding", None;
}

/// Beginnings of binary files. Some are words in capitals, with which text may begin, too.
const BINARY: &[(&[u8], FileKind)] = &[
    (b"\x1f\x8b", FileKind::Gzip),
    (b"\x28\xb5\x2f\xfd", FileKind::Zstd),
    (b"BZh", FileKind::Bzip2),
    (b"\xfd7zXZ\0", FileKind::Xz),
    (b"\x04\x22\x4d\x18", FileKind::Lz4),
    (b"\xff\x06\0\0sNaPpY", FileKind::Snappy),
    (b"PK\x03\x04", FileKind::Zip),
    (b"PK\x05\x06", FileKind::Zip),
    (b"7z\xbc\xaf\x27\x1c", FileKind::SevenZip),
    (b"\xd0\xcf\x11\xe0", FileKind::OldWorkbook),
    (b"PAR1", FileKind::Parquet),
    (b"PARE", FileKind::EncryptedParquet),
    (b"ARROW1", FileKind::ArrowFile),
    // a continuation marker and the length of the schema, which is no gigabyte
    (b"\xff\xff\xff\xff", FileKind::ArrowStream),
    (b"FEA1", FileKind::Feather1),
    (b"ORC", FileKind::Orc),
    (b"Obj\x01", FileKind::Avro),
    (b"\x89HDF\r\n\x1a\n", FileKind::Hdf5),
    (b"SQLite format 3\0", FileKind::Sqlite),
    (b"\x93NUMPY", FileKind::Npy),
    (b"\xfe\xed\xfe\xed", FileKind::JavaKeyStore),
    (b"\xce\xce\xce\xce", FileKind::JavaKeyStore),
    // the number of a protocol, and a frame or the first of what is in it
    (b"\x80\x04\x95", FileKind::Pickle),
    (b"\x80\x05\x95", FileKind::Pickle),
    (b"\x80\x03c", FileKind::Pickle),
    (b"\x80\x03}q\0", FileKind::Pickle),
    (b"\x80\x03]q\0", FileKind::Pickle),
    (b"\x80\x02c", FileKind::Pickle),
    (b"\x80\x02}q\0", FileKind::Pickle),
    (b"\x80\x02]q\0", FileKind::Pickle),
];

/// Names that stand behind a checksum, or behind the name of the first file.
const LATER: &[(usize, &[u8], FileKind)] =
    &[(257, b"ustar", FileKind::Tar), (8, b"DUCK", FileKind::DuckDb)];

/// Beginnings of text. The mark of UTF-16 is the beginning of that of UTF-32.
const TEXT: &[(&[u8], FileKind)] = &[
    (b"\xff\xfe\0\0", FileKind::Utf32),
    (b"\0\0\xfe\xff", FileKind::Utf32),
    (b"\xff\xfe", FileKind::Utf16),
    (b"\xfe\xff", FileKind::Utf16),
    (b"untrusted comment:", FileKind::Minisign),
    (b"PuTTY-User-Key-File-", FileKind::PuttyPrivateKey),
    (b"---- BEGIN SSH2 PUBLIC KEY ----", FileKind::Ssh2PublicKey),
    (b"age-encryption.org/v1", FileKind::AgeFile),
    (b"AGE-SECRET-KEY-1", FileKind::AgeKey),
    (b"<!DOCTYPE html", FileKind::Html),
    (b"<!doctype html", FileKind::Html),
    (b"<html", FileKind::Html),
    (b"<?xml", FileKind::Xml),
];

/// Beginnings of the first word of a public key of SSH, which a blank follows.
const SSH: &[(&[u8], FileKind)] = &[
    (b"ssh-ed25519", FileKind::SshEd25519PublicKey),
    (b"ssh-rsa", FileKind::SshPublicKey),
    (b"ssh-dss", FileKind::SshPublicKey),
    (b"ecdsa-sha2-", FileKind::SshPublicKey),
    (b"sk-ssh-", FileKind::SshSecurityKey),
    (b"sk-ecdsa-", FileKind::SshSecurityKey),
];

/// Labels of PEM that say all.
const LABELS: &[(&str, FileKind)] = &[
    ("ENCRYPTED PRIVATE KEY", FileKind::EncryptedPrivateKey),
    ("RSA PRIVATE KEY", FileKind::RsaPrivateKey),
    ("RSA PUBLIC KEY", FileKind::RsaPublicKey),
    ("DSA PRIVATE KEY", FileKind::DsaPrivateKey),
    ("CERTIFICATE", FileKind::Certificate),
    ("X509 CERTIFICATE", FileKind::Certificate),
    ("TRUSTED CERTIFICATE", FileKind::Certificate),
    ("CERTIFICATE REQUEST", FileKind::CertificateRequest),
    ("NEW CERTIFICATE REQUEST", FileKind::CertificateRequest),
    ("PKCS7", FileKind::Pkcs7),
    ("CMS", FileKind::Pkcs7),
    ("SSH SIGNATURE", FileKind::SshSignature),
    ("AGE ENCRYPTED FILE", FileKind::AgeFile),
];

/// Algorithms of keys that need no parameters to be told.
const ALGORITHMS: &[(&str, &str)] = &[
    (algorithms::ED25519.key_oid, algorithms::ED25519.title),
    (algorithms::X25519_KEY_OID, "X25519"),
    ("1.3.101.111", "X448"),
    ("1.3.101.113", "Ed448"),
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.10", "RSA-PSS"),
    ("1.2.840.10040.4.1", "DSA"),
    ("1.2.840.113549.1.3.1", "DH"),
    ("2.16.840.1.101.3.4.3.17", "ML-DSA-44"),
    ("2.16.840.1.101.3.4.3.18", "ML-DSA-65"),
    ("2.16.840.1.101.3.4.3.19", "ML-DSA-87"),
];

/// id-ecPublicKey, whose parameters name the curve.
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";

const CURVES: &[(&str, &str)] = &[
    (algorithms::P256.key_oid, algorithms::P256.title),
    (algorithms::P384.key_oid, algorithms::P384.title),
    ("1.3.132.0.35", "P-521"),
    ("1.3.132.0.33", "P-224"),
    ("1.2.840.10045.3.1.1", "P-192"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.36.3.3.2.8.1.1.7", "brainpoolP256r1"),
    ("1.3.36.3.3.2.8.1.1.11", "brainpoolP384r1"),
    ("1.3.36.3.3.2.8.1.1.13", "brainpoolP512r1"),
    ("1.2.156.10197.1.301", "SM2"),
];

const UNKNOWN: &str = "unknown algorithm";

impl FileKind {
    /// The kind of the file that begins with these bytes; the more of it, the better, and its first kilobyte is
    /// mostly enough. `None` where nothing is recognised, as of CSV.
    ///
    /// Time depends on the shape of a container, not on the private key in it; of other text on the characters.
    pub fn of(bytes: &[u8]) -> Option<FileKind> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        beginning(TEXT, text)
            .or_else(|| of_binary(bytes))
            .or_else(|| of_ssh(text))
            .or_else(|| of_pem(text))
            .or_else(|| of_broken_pem(text))
            .or_else(|| of_der(bytes))
            .or_else(|| of_text(text))
    }
}

fn beginning(list: &[(&[u8], FileKind)], bytes: &[u8]) -> Option<FileKind> {
    list.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, kind)| *kind)
}

/// Bytes that are examined to tell text from binary files.
const TOLD_BY: usize = 512;
/// A shorter beginning may lack the bytes that are no text.
const TOO_SHORT: usize = 16;

fn of_binary(bytes: &[u8]) -> Option<FileKind> {
    let start = &bytes[..bytes.len().min(TOLD_BY)];
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r');
    if start.len() >= TOO_SHORT && start[0] != 0xff && !start.iter().any(is_control) {
        return None;
    }
    let later = LATER
        .iter()
        .find(|(at, name, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(name)));
    // a name may begin like any other file
    later
        .map(|(.., kind)| *kind)
        .or_else(|| beginning(BINARY, bytes))
        .or_else(|| of_cose(bytes))
        .or_else(|| of_pgp(bytes))
}

/// A map of CBOR whose first entry is the type of a key: OKP, EC2 or RSA.
fn of_cose(bytes: &[u8]) -> Option<FileKind> {
    matches!(bytes, [0xa3..=0xaf, 1, 1..=3, ..]).then_some(FileKind::CoseKey)
}

/// A packet of OpenPGP (RFC 9580 section 4.2) with a key or a signature: tag, length and version.
fn of_pgp(bytes: &[u8]) -> Option<FileKind> {
    let (&[head, first], _) = bytes.split_first_chunk()?;
    let (tag, len) = match (head, first) {
        (0xc0.., 0..192) => (head & 0x3f, 1),
        (0xc0.., 192..224) => (head & 0x3f, 2),
        (0xc0.., 255) => (head & 0x3f, 5),
        (0x80..0xc0, _) if head & 3 < 3 => (head >> 2 & 0xf, 1 << (head & 3)),
        _ => return None,
    };
    let algorithm = match (tag, bytes.get(1 + len..)?) {
        (2, [3..=6, _, algorithm, 1..=14, ..]) => algorithm,
        // behind four bytes of a time
        (5..=7 | 14, [4..=6, _, _, _, _, algorithm, ..]) => algorithm,
        _ => return None,
    };
    matches!(algorithm, 1..=3 | 16..=28).then_some(FileKind::Pgp)
}

fn of_ssh(text: &[u8]) -> Option<FileKind> {
    let word = &text[..text.iter().position(|byte| *byte == b' ')?];
    let is_name = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-@.".contains(byte));
    let kind = beginning(SSH, word).filter(|_| is_name)?;
    Some(if contains(word, b"-cert-v0") { FileKind::SshCertificate } else { kind })
}

/// How much of a block is decoded: to behind explicit parameters of a curve.
const PEM_BEGINNING: usize = 528;
/// How much of a private key: to behind the name of the curve in any ECPrivateKey, and to before what is secret in
/// any key of OpenSSH.
const PRIVATE_BEGINNING: usize = 132;

pub(crate) fn of_pem(text: &[u8]) -> Option<FileKind> {
    let mut found = None;
    let mut rest = text;
    while let Some((label, body)) = pem::next_label(rest) {
        let kind = of_block(label, body);
        match kind {
            // keys follow parameters and certificates
            Some(FileKind::EcParameters | FileKind::Certificate) | None => found = found.or(kind),
            Some(_) if found == Some(FileKind::Certificate) => return found,
            Some(_) => return kind,
        }
        rest = body;
    }
    found
}

const BEGIN: &[u8] = b"-----BEGIN ";

/// PEM that begins in the first line that is not empty, and whose label does not have that line for itself.
fn of_broken_pem(text: &[u8]) -> Option<FileKind> {
    let text = text.trim_ascii_start();
    let line = text.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    // a table of JSON has its keys in strings
    if matches!(line.first(), Some(b'{' | b'[')) || !contains(line, BEGIN) {
        return None;
    }
    let label =
        line.trim_ascii_end().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(b"-----"));
    if label.is_some_and(|label| !contains(label, b"-----")) {
        return None;
    }
    let is_escaped = contains(line, b"-----\\n") || contains(line, b"-----\\r");
    Some(if is_escaped { FileKind::EscapedPem } else { FileKind::PemOutOfLine })
}

pub(crate) fn of_block(label: &[u8], body: &[u8]) -> Option<FileKind> {
    let mut place = Zeroizing::new([0; PEM_BEGINNING]);
    let label = core::str::from_utf8(label).ok()?;
    let is_private = label.ends_with("PRIVATE KEY");
    let len = if is_private { PRIVATE_BEGINNING } else { PEM_BEGINNING };
    let decoded = pem::decode_beginning(body, &mut place[..len]);
    let is_encrypted = body.trim_ascii_start().starts_with(b"Proc-Type:");
    match label {
        "OPENSSH PRIVATE KEY" => Some(match contains(decoded, b"ssh-ed25519") {
            true => FileKind::OpenSshEd25519,
            false => FileKind::OpenSsh,
        }),
        "EC PARAMETERS" => Some(FileKind::EcParameters),
        _ if is_private && is_encrypted => Some(FileKind::EncryptedPem),
        "PRIVATE KEY" => of_der(decoded).or(Some(FileKind::PrivateKey(UNKNOWN))),
        "EC PRIVATE KEY" => of_der(decoded).or(Some(FileKind::EcPrivateKey(UNKNOWN))),
        "PUBLIC KEY" => of_der(decoded).or(Some(FileKind::PublicKey(UNKNOWN))),
        _ if label.starts_with("PGP ") => Some(FileKind::Pgp),
        _ => LABELS.iter().find(|(known, _)| *known == label).map(|(_, kind)| *kind),
    }
}

/// Names stand before all that is secret, or are not found.
pub(crate) fn contains(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|window| window == name)
}

/// An element of DER or BER.
struct Element<'a> {
    tag: u8,
    /// As much of its content as there is.
    content: &'a [u8],
}

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const CONTEXT_0: u8 = 0xa0;

/// Takes the next element, of which the end may be missing.
fn element<'a>(bytes: &mut &'a [u8]) -> Option<Element<'a>> {
    let (&[tag, first], mut rest) = bytes.split_first_chunk()?;
    let len = match first {
        0..0x80 => usize::from(first),
        // to an end that is marked
        0x80 => usize::MAX,
        0x81..=0x84 => {
            let len = rest.split_off(..usize::from(first & 0x7f))?;
            len.iter().fold(0, |len, byte| len << 8 | usize::from(*byte))
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at(len.min(rest.len()));
    *bytes = rest;
    Some(Element { tag, content })
}

pub(crate) fn of_der(bytes: &[u8]) -> Option<FileKind> {
    let mut outer = element(&mut { bytes }).filter(|outer| outer.tag == SEQUENCE)?.content;
    let first = element(&mut outer)?;
    match first.tag {
        INTEGER => of_version(first.content, outer),
        SEQUENCE => of_nested(first.content, element(&mut outer)),
        // signedData and its kin
        OBJECT_IDENTIFIER if is_oid(first.content, "1.2.840.113549.1.7.2") => Some(FileKind::Pkcs7),
        _ => None,
    }
}

/// A structure that begins with a number, the version mostly.
fn of_version(version: &[u8], mut rest: &[u8]) -> Option<FileKind> {
    let second = element(&mut rest)?;
    match (second.tag, version) {
        (SEQUENCE, [0 | 1]) => Some(FileKind::PrivateKey(algorithm(second.content))),
        (SEQUENCE, [3]) => Some(FileKind::Pkcs12),
        (OCTET_STRING, [1]) => {
            let parameters = element(&mut rest).filter(|next| next.tag == CONTEXT_0);
            let curve = parameters.map_or("unnamed curve", |found| curve(found.content));
            Some(FileKind::EcPrivateKey(curve))
        }
        (INTEGER, [0]) => {
            // the third number is an exponent, and in DSA the order of a group
            let third = element(&mut rest).filter(|third| third.tag == INTEGER)?;
            Some(if third.content.len() > 8 {
                FileKind::DsaPrivateKey
            } else {
                FileKind::RsaPrivateKey
            })
        }
        (INTEGER, modulus) if modulus.len() > 100 => Some(FileKind::RsaPublicKey),
        (INTEGER, _) if rest.is_empty() => Some(FileKind::EcdsaSignature),
        _ => None,
    }
}

/// A structure that begins with another.
fn of_nested(mut inner: &[u8], second: Option<Element<'_>>) -> Option<FileKind> {
    let whole = inner;
    let first = element(&mut inner)?;
    match (first.tag, second.map(|second| second.tag)) {
        (OBJECT_IDENTIFIER, Some(BIT_STRING)) => Some(FileKind::PublicKey(algorithm(whole))),
        (OBJECT_IDENTIFIER, Some(OCTET_STRING)) => Some(FileKind::EncryptedPrivateKey),
        (CONTEXT_0, _) => Some(FileKind::Certificate),
        (INTEGER, _) if first.content == [0] => Some(FileKind::CertificateRequest),
        _ => None,
    }
}

fn is_oid(content: &[u8], oid: &str) -> bool {
    ObjectIdentifier::new(oid).is_ok_and(|oid| oid.as_bytes() == content)
}

fn named(table: &[(&str, &'static str)], content: &[u8]) -> Option<&'static str> {
    table.iter().find(|(oid, _)| is_oid(content, oid)).map(|(_, name)| *name)
}

/// The name of an AlgorithmIdentifier.
fn algorithm(mut identifier: &[u8]) -> &'static str {
    let Some(oid) = element(&mut identifier) else { return UNKNOWN };
    match is_oid(oid.content, EC_PUBLIC_KEY) {
        true => curve(identifier),
        false => named(ALGORITHMS, oid.content).unwrap_or(UNKNOWN),
    }
}

/// The name of a curve in ECParameters.
fn curve(mut parameters: &[u8]) -> &'static str {
    match element(&mut parameters) {
        Some(Element { tag: OBJECT_IDENTIFIER, content }) => {
            named(CURVES, content).unwrap_or("unknown curve")
        }
        Some(Element { tag: SEQUENCE, .. }) => "explicit curve parameters",
        _ => "unnamed curve",
    }
}

/// Bech32 with age's prefix: a word of 62 characters.
fn is_age_recipient(text: &[u8]) -> bool {
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    word.starts_with(b"age1") && word.len() > 40 && word.iter().all(u8::is_ascii_alphanumeric)
}

/// A text that begins with a bracket: an array as JSON, or a section of settings.
fn of_bracket(text: &[u8]) -> Option<FileKind> {
    let inside = &text[1..];
    let is_number = |byte: &u8| byte.is_ascii_digit() || b", \t\r\n]".contains(byte);
    // as many as a key has bytes
    let commas = inside.iter().filter(|byte| **byte == b',').count();
    if commas >= 31 && inside.iter().all(is_number) {
        return Some(FileKind::JsonNumbers);
    }
    let line = text.split(|byte| matches!(byte, b'\r' | b'\n')).next()?.trim_ascii_end();
    let name = line.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" ._:-".contains(byte);
    let is_value = |name: &[u8]| {
        !name.iter().any(u8::is_ascii_alphabetic) || matches!(name, b"true" | b"false" | b"null")
    };
    let is_section = |name: &[u8]| name.iter().all(is_word) && !is_value(name.trim_ascii());
    Some(if name.is_some_and(is_section) { FileKind::Ini } else { FileKind::JsonArray })
}

/// Whether the object that begins here goes on in the next line, rather than that a line of a table is cut off.
fn is_in_lines(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let (first, mut others) =
        (lines.next().unwrap_or_default(), lines.filter(|line| !line.is_empty()));
    let next = others.next().and_then(|line| line.first());
    match (first.last(), next) {
        (Some(b'{' | b','), Some(b'"')) | (Some(b'['), Some(_)) => true,
        (Some(b':'), Some(byte)) => *byte != b'}',
        _ => false,
    }
}

/// The base64 of the first characters of PEM.
const BASE64_OF_BEGIN: &[u8] = b"LS0tLS1CRUdJTi";

/// Whether DER begins like a key or a certificate. A signature in DER has text forms of its own.
fn is_container(der: &[u8]) -> bool {
    of_der(der).is_some_and(|kind| kind != FileKind::EcdsaSignature)
}

/// The bytes at the beginning of hexadecimal digits, as many as there is memory for. Without a table or a branch on a
/// digit.
fn hex_beginning<'a>(text: &[u8], place: &'a mut [u8]) -> &'a [u8] {
    let mut digits = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    let value = |digit: u8| {
        let letter = digit >> 6 & 1;
        (digit & 0xf).wrapping_add(letter.wrapping_mul(9))
    };
    let mut len = 0_usize;
    for byte in place.iter_mut() {
        let (Some(high), Some(low)) = (digits.next(), digits.next()) else { break };
        *byte = value(*high) << 4 | value(*low);
        len = len.wrapping_add(1);
    }
    &place[..len]
}

fn of_text(text: &[u8]) -> Option<FileKind> {
    // a character and a zero in turns, without a mark of their order
    if let Some([a, b, c, d]) = text.first_chunk()
        && [[a, c, b, d], [b, d, a, c]].iter().any(|[first, second, zeros @ ..]| {
            first.is_ascii_graphic() && second.is_ascii_graphic() && *zeros == [&0, &0]
        })
    {
        return Some(FileKind::Utf16);
    }
    if text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"AGE-SECRET-KEY-1")) {
        return Some(FileKind::AgeKey);
    }
    let text = text.trim_ascii();
    match text.first()? {
        b'[' => return of_bracket(text),
        b'{' if contains(text, b"\"kty\"") => return Some(FileKind::JsonWebKey),
        b'{' if is_in_lines(text) => return Some(FileKind::JsonInLines),
        b'{' => return Some(FileKind::JsonObject),
        b'a' if is_age_recipient(text) => return Some(FileKind::AgeKey),
        b'L' if text.starts_with(BASE64_OF_BEGIN) => return Some(FileKind::Base64Pem),
        _ => {}
    }
    // no word, and no number in decimal or hexadecimal digits
    let mut len = 0_usize;
    let (mut strangers, mut digits) = (0_usize, true);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        len = len.wrapping_add(1);
        let is_known = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        strangers = strangers.wrapping_add(usize::from(!is_known));
        digits &= byte.is_ascii_hexdigit();
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let mut place = Zeroizing::new([0; PRIVATE_BEGINNING]);
    if len >= 40 && digits && is_container(hex_beginning(text, &mut *place)) {
        return Some(FileKind::HexDer);
    }
    if len >= 40 && padding <= 2 && strangers == padding {
        let is_der = is_container(pem::decode_beginning(text, &mut *place));
        if is_der {
            return Some(FileKind::Base64Der);
        }
    }
    let is_base64 = len >= 40 && strangers == 0 && !digits;
    (is_base64 && matches!(len % 4, 2 | 3)).then_some(FileKind::Base64WithoutPadding)
}
