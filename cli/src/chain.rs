//! `chain`: a chain of certificates, from the first in a file to a root that the caller trusts.

use crate::form::read_small;
use crate::output;
use crate::status::{Failure, Result, Status, printable, shown};
use crate::variant::parse_rule;
use sigmill::ed25519::{Rule, rules};
use sigmill_envelope::{Refusal, ssh, x509};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest name of a subject in a line.
const LONGEST_NAME: usize = 200;

/// Verify a chain of certificates
///
/// The first certificate of FILE is the leaf, the others are intermediates in any order. Checked are signatures (ECDSA on
/// P-256 and P-384, Ed25519), validity, CAs, path lengths, name constraints and critical extensions (RFC 5280 section 6).
/// Revocation, names and the use of the leaf are yours.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The certificates, in PEM, or one in DER. `-`: standard input
    file: PathBuf,
    /// The roots that are trusted, in PEM, or one in DER
    #[arg(long, value_name = "FILE")]
    roots: PathBuf,
    /// The time at which certificates must be valid, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Ed25519: the verification rule [default: common]
    #[arg(long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Print nothing; the exit code answers
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> Result<Status> {
    let chain = read_small(&args.file, "certificates")?;
    let roots = read_small(&args.roots, "certificates of roots")?;
    // a file of roots that is none is no verdict on the chain
    x509::Certificate::read(&roots).map_err(|error| Failure::at(&args.roots, error))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = args.time.unwrap_or(now);
    let rule = args.rule.unwrap_or(rules::COMMON);
    let (line, status) = match x509::verify_chain(&[&chain[..]], &[&roots[..]], time, &rule) {
        Ok(chain) => {
            let fingerprint = ssh::fingerprint(chain.key()).unwrap_or_default();
            let subject = printable(&chain.leaf().subject(), LONGEST_NAME);
            let (alg, between) = (chain.key().algorithm().name(), chain.intermediates().len());
            let root = chain.root();
            let line = format!(
                "valid ({subject}, key {alg} {fingerprint}, {between} intermediates, root {root}, rule {rule})"
            );
            (line, Status::AllValid)
        }
        Err(error) if error.refusal() == Refusal::NotX509 => {
            return Err(Failure::at(&args.file, error));
        }
        Err(error) => (format!("invalid: {error}"), Status::SomeInvalid),
    };
    if !args.quiet {
        output::print(&format!("{}: {line}\n", shown(&args.file)))?;
    }
    Ok(status)
}
