//! The kinds, their names and what converts them.

use core::fmt;

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
    CoseKey = "a COSE key", Some("its public key is the value of -2, on curves of NIST with that of -3");
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
