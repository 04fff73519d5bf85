//! Pages of the repository, whose examples are run like those of the sources.

macro_rules! pages {
    ($($name:ident $file:literal;)*) => {
        $(#[doc = include_str!($file)] struct $name;)*
    };
}

pages! {
    FirstPage "../../../README.md";
    FromDalek "../../../docs/migrating-from-dalek.md";
    FromX25519Dalek "../../../docs/migrating-from-x25519-dalek.md";
    FromCurves "../../../docs/migrating-from-p256-p384.md";
    FromRing "../../../docs/migrating-from-ring.md";
    FromAwsLcRs "../../../docs/migrating-from-aws-lc-rs.md";
}
