//! Keys and signatures through sigstore-crypto, and the bundles that sigstore-verify's package has for its own tests.

#![allow(missing_docs)]

mod bundles;
mod keys;

use sigmill_sigstore::PROVIDER;
use sigstore_crypto::{install_default_provider, try_default_provider};

/// Makes the provider that of the process; all tests share one.
fn install() {
    let _ = install_default_provider(&PROVIDER); // an error says that another test was first
    assert_eq!(format!("{:?}", try_default_provider().unwrap()), "Provider");
}
