//! Making keys from random bytes: of a source that the caller brings, or of the system.

/// The names under which a type is made, by its `try_generate_from_rng`, or by the first of the names in parentheses.
macro_rules! generate {
    ($type:ident $(<$curve:ident: $bound:path>)?, $what:literal) => {
        $crate::random::generate!(
            $type $(<$curve: $bound>)?, $what,
            (try_generate_from_rng, generate_from_rng, try_generate, generate)
        );

        #[cfg(feature = "digest")]
        impl $(<$curve: $bound>)? digest::common::Generate for $type $(<$curve>)? {
            fn try_generate_from_rng<R: rand_core::TryCryptoRng + ?Sized>(
                rng: &mut R,
            ) -> Result<Self, R::Error> {
                Self::try_generate_from_rng(rng)
            }
        }
    };
    (
        $type:ident $(<$curve:ident: $bound:path>)?, $what:literal,
        ($try_from_rng:ident, $from_rng:ident, $try_system:ident, $system:ident)
    ) => {
        impl $(<$curve: $bound>)? $type $(<$curve>)? {
            #[doc = concat!($what, " from a random source that cannot fail.")]
            pub fn $from_rng<R: rand_core::CryptoRng + ?Sized>(rng: &mut R) -> Self {
                match Self::$try_from_rng(rng) {
                    Ok(made) => made,
                    Err(never) => match never {},
                }
            }

            #[doc = concat!($what, " from the system's random bytes.")]
            ///
            /// # Errors
            /// [`Error::Randomness`](crate::Error::Randomness) if the system has none; nothing is made.
            #[cfg(all(
                feature = "getrandom",
                not(all(target_family = "wasm", target_os = "unknown"))
            ))]
            pub fn $try_system() -> Result<Self, crate::error::Error> {
                Self::$try_from_rng(&mut getrandom::SysRng)
                    .map_err(|_| crate::error::Error::Randomness)
            }

            #[doc = concat!($what, " from the system's random bytes.")]
            ///
            /// # Panics
            #[doc = concat!(
                "If the system has none: a program that wants to go on calls [`Self::", stringify!($try_system), "`]."
            )]
            #[cfg(all(
                feature = "getrandom",
                not(all(target_family = "wasm", target_os = "unknown"))
            ))]
            pub fn $system() -> Self {
                match Self::$try_system() {
                    Ok(made) => made,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    };
}

pub(crate) use generate;
