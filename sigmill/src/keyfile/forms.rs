//! The functions that the keys of every scheme have for their containers, by two functions of their own each: one reads DER,
//! one writes it. Each macro stands in an `impl` of a type of keys.
//!
//! Secrets: containers of private keys, in DER and in PEM, are wiped where this file keeps them.

/// Reading a private key in PEM.
macro_rules! read_private_key_pem {
    ($what:literal, $der:path, $(#[$example:meta])*) => {
        #[doc = concat!("Reads ", $what, " in PEM, between lines that say `PRIVATE KEY` or `EC PRIVATE KEY`, of up to")]
        /// 4,096 bytes in DER: the first such block. As in OpenSSL, other blocks, text in whatever encoding, a
        /// byte-order mark and white space mean nothing; base64 and DER are strict.
        ///
        /// Time depends on the shape of the text and the container, not on the key. The container is decoded on the
        /// stack, and wiped.
        ///
        /// # Errors
        /// [`KeyFormatError::Pem`](crate::KeyFormatError::Pem) if the text is not such PEM,
        /// [`KeyFormatError::TooLong`](crate::KeyFormatError::TooLong) if there are more bytes; else those of
        /// [`Self::from_private_key_der`].
        pub fn read_private_key_pem(text: &[u8]) -> Result<Self, Error> {
            wiping_stack(|| pem::parse(pem::PRIVATE_KEYS, text, $der))
        }

        #[doc = concat!("Reads ", $what, " in PEM, as [`Self::read_private_key_pem`] does, of any length.")]
        ///
        /// Time depends on the shape of the text and the container, not on the key.
        ///
        /// # Errors
        /// [`KeyFormatError::Pem`](crate::KeyFormatError::Pem) if the text is not such PEM; else those of
        /// [`Self::from_private_key_der`].
        ///
        $(#[$example])*
        #[cfg(feature = "pem")]
        pub fn from_private_key_pem(text: &str) -> Result<Self, Error> {
            wiping_stack(|| pem::parse_any(pem::PRIVATE_KEYS, text, $der))
        }
    };
}

/// Writing a private key in one container, by `$write_der`, which writes at most `$der_length` bytes: into allocated memory, and
/// in PEM with this label.
macro_rules! write_private_key {
    (pkcs8) => {
        write_private_key!(
            "PKCS#8 version 1", pem::PRIVATE_KEY, "a private key",
            (write_private_key_der, to_private_key_der, PRIVATE_KEY_DER_LENGTH),
            (write_private_key_pem, to_private_key_pem, PRIVATE_KEY_PEM_LENGTH)
        );
    };
    (sec1) => {
        write_private_key!(
            "ECPrivateKey", pem::EC_PRIVATE_KEY, "an ECPrivateKey",
            (write_sec1_der, to_sec1_der, SEC1_DER_LENGTH),
            (write_sec1_pem, to_sec1_pem, SEC1_PEM_LENGTH)
        );
    };
    (
        $container:literal, $label:path, $what:literal,
        ($write_der:ident, $to_der:ident, $der_length:ident),
        ($write_pem:ident, $to_pem:ident, $pem_length:ident)
    ) => {
        #[doc = concat!("Bytes of the key as [`Self::", stringify!($write_pem), "`] writes it.")]
        pub const $pem_length: usize = pem::text_len($label, Self::$der_length);

        #[doc = concat!("The key as [`Self::", stringify!($write_der), "`] writes it. The memory is wiped when dropped.")]
        ///
        /// Constant time.
        ///
        /// # Errors
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        #[cfg(feature = "pkcs8")]
        pub fn $to_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
            allocated(Self::$der_length, |out| self.$write_der(out))
        }

        #[doc = concat!("Writes the key to the beginning of `out`, as ", $container, " in PEM, as OpenSSL writes it.")]
        /// Returns how many bytes there are. The caller has to wipe them.
        ///
        /// Constant time.
        ///
        /// # Errors
        /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        pub fn $write_pem(&self, out: &mut [u8]) -> Result<usize, Error> {
            wiping_stack(|| {
                let mut der = Zeroizing::new([0; LONGEST_DER]);
                let len = self.$write_der(&mut *der)?;
                let der = der.get(..len).ok_or(crate::error::KeyFormatError::Der)?;
                pem::write(concat!("memory for ", $what, " in PEM"), $label, der, out)
            })
        }

        #[doc = concat!("The key as [`Self::", stringify!($write_pem), "`] writes it. The memory is wiped when dropped.")]
        ///
        /// Constant time.
        ///
        /// # Errors
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        #[cfg(feature = "pem")]
        pub fn $to_pem(&self) -> Result<Zeroizing<String>, Error> {
            allocated_text(Self::$pem_length, |out| self.$write_pem(out))
        }
    };
}

/// Reading a public key in PEM, and writing it into allocated memory and in PEM, by `from_spki_der` and `write_spki_der`, which
/// writes at most `SPKI_DER_LENGTH` bytes.
macro_rules! public_key_forms {
    ($(#[$example:meta])*) => {
        /// Bytes of the key as [`Self::write_spki_pem`] writes it.
        pub const SPKI_PEM_LENGTH: usize = pem::text_len(pem::PUBLIC_KEY, Self::SPKI_DER_LENGTH);

        /// The key as [`Self::write_spki_der`] writes it.
        ///
        /// # Errors
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        #[cfg(feature = "pkcs8")]
        pub fn to_spki_der(&self) -> Result<Vec<u8>, Error> {
            let mut der = allocated(Self::SPKI_DER_LENGTH, |out| self.write_spki_der(out))?;
            Ok(mem::take(&mut *der))
        }

        /// Reads a SubjectPublicKeyInfo in PEM, between lines that say `PUBLIC KEY`, of up to 4,096 bytes in DER: the first
        /// such block, as [`SigningKey::read_private_key_pem`](crate::ed25519::SigningKey::read_private_key_pem) finds it.
        /// Time depends on the text.
        ///
        /// # Errors
        /// [`KeyFormatError::Pem`](crate::KeyFormatError::Pem) if the text is not such PEM,
        /// [`KeyFormatError::TooLong`](crate::KeyFormatError::TooLong) if there are more bytes; else those of
        /// [`Self::from_spki_der`].
        pub fn read_spki_pem(text: &[u8]) -> Result<Self, Error> {
            pem::parse(&[pem::PUBLIC_KEY], text, Self::from_spki_der)
        }

        /// Reads a SubjectPublicKeyInfo in PEM, as [`Self::read_spki_pem`] does, of any length. Time depends on the text.
        ///
        /// # Errors
        /// [`KeyFormatError::Pem`](crate::KeyFormatError::Pem) if the text is not such PEM; else those of
        /// [`Self::from_spki_der`].
        ///
        $(#[$example])*
        #[cfg(feature = "pem")]
        pub fn from_spki_pem(text: &str) -> Result<Self, Error> {
            pem::parse_any(&[pem::PUBLIC_KEY], text, Self::from_spki_der)
        }

        /// Writes the key to the beginning of `out`, as SubjectPublicKeyInfo in PEM. Returns how many bytes there are.
        ///
        /// # Errors
        /// [`Error::Length`] if `out` has fewer bytes; it stays as it was.
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        pub fn write_spki_pem(&self, out: &mut [u8]) -> Result<usize, Error> {
            let mut der = [0; LONGEST_DER];
            let len = self.write_spki_der(&mut der)?;
            let der = der.get(..len).ok_or(crate::error::KeyFormatError::Der)?;
            pem::write("memory for a public key in PEM", pem::PUBLIC_KEY, der, out)
        }

        /// The key as SubjectPublicKeyInfo in PEM.
        ///
        /// # Errors
        /// The encoder's type allows [`Error::KeyFormat`]; it does not occur.
        #[cfg(feature = "pem")]
        pub fn to_spki_pem(&self) -> Result<String, Error> {
            let mut text = allocated_text(Self::SPKI_PEM_LENGTH, |out| self.write_spki_pem(out))?;
            Ok(mem::take(&mut *text))
        }
    };
}

pub(super) use {public_key_forms, read_private_key_pem, write_private_key};
