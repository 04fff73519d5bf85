//! Traits that many types implement in the same way: by another conversion, by bytes, or by hiding what they hold. Brackets have
//! the generic parameters of a type, as in `[C: EcdsaCurve] SigningKey<C>`.

/// Conversion from a value, by that from a reference.
macro_rules! by_value {
    ([$($generics:tt)*] $from:ty => $to:ty) => {
        impl<$($generics)*> From<$from> for $to {
            fn from(value: $from) -> Self {
                Self::from(&value)
            }
        }
    };
    ([$($generics:tt)*] $from:ty => $to:ty, $error:ty, $result:ty) => {
        impl<$($generics)*> TryFrom<$from> for $to {
            type Error = $error;

            fn try_from(value: $from) -> $result {
                Self::try_from(&value)
            }
        }
    };
}

/// Conversion from a slice, by a function that takes one.
macro_rules! from_slice {
    ([$($generics:tt)*] $type:ty, $function:ident, $error:ty) => {
        impl<$($generics)*> TryFrom<&[u8]> for $type {
            type Error = $error;

            #[allow(clippy::needless_question_mark)] // some functions have another error
            fn try_from(bytes: &[u8]) -> Result<Self, $error> {
                Ok(Self::$function(bytes)?)
            }
        }
    };
}

/// Comparison and hashing of public values by the bytes that a function makes of them.
macro_rules! compared_by {
    ([$($generics:tt)*] $type:ty, $bytes:ident) => {
        impl<$($generics)*> PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.$bytes() == other.$bytes()
            }
        }

        impl<$($generics)*> Eq for $type {}

        impl<$($generics)*> PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<$($generics)*> Ord for $type {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.$bytes().cmp(&other.$bytes())
            }
        }

        impl<$($generics)*> core::hash::Hash for $type {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.$bytes().hash(state);
            }
        }
    };
}

/// Equality of secrets, by a mask that has been declassified.
macro_rules! equal_where {
    ([$($generics:tt)*] $type:ty, |$a:ident, $b:ident| $mask:expr) => {
        impl<$($generics)*> PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                let ($a, $b) = (self, other);
                $mask.is_true_vartime()
            }
        }

        impl<$($generics)*> Eq for $type {}
    };
}

/// `Debug` of a secret, which shows the name of its type.
macro_rules! not_shown {
    ([$($generics:tt)*] $type:ty, $name:expr) => {
        impl<$($generics)*> core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!($name, "(not shown)"))
            }
        }
    };
}

/// An enumeration of errors, each with its text, which may name the fields or have arguments of its own.
macro_rules! errors {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $(($inner:ident: $inner_type:ty))?
                $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })? = $text:literal $(($argument:expr))?;
            )*
        }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant $(($inner_type))? $({ $($(#[$field_doc])* $field: $type),* })?,)*
        }

        impl core::fmt::Display for $name {
            #[allow(unused_doc_comments)]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $($(#[$doc])* $name::$variant $(($inner))? $({ $($field),* })? => write!(f, $text $(, $argument)?),)*
                }
            }
        }
    };
}

pub(crate) use {by_value, compared_by, equal_where, errors, from_slice, not_shown};
