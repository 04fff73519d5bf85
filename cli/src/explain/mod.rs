//! `explain`: every fact about one signature, and what each rule makes of it.

mod ecdsa;

use crate::alg::{Alg, EcdsaArgs, KeyArgs, SigFormat};
use crate::engine::{EngineArgs, of_one_row};
use crate::envelope::{self, EnvelopeArgs, Request};
use crate::keys::{self, PublicKey};
use crate::message::{feed, open};
use crate::output;
use crate::status::{Failure, Result, Status, shown};
use crate::text::Encoding;
use crate::variant::{VariantArgs, parse_rule};
use serde_json::{Value, json};
use sigmill::bulk::{Backend, Column, Spec, Specs, Strategy, Table};
use sigmill::ed25519::{Explanation, PointReport, ResidualReport, Rule, Variant, rules};
use sigmill_envelope::Scheme;
use std::path::{Path, PathBuf};

/// Say everything about one signature: its facts, and the verdict of each rule
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The public key in hexadecimal, of ECDSA in the form of SEC1; or @FILE in any form
    #[arg(long)]
    key: String,
    /// The signature in hexadecimal, or @FILE (raw, hex or base64)
    #[arg(long, required_unless_present = "envelope")]
    sig: Option<String>,
    /// The message, or @FILE
    #[arg(long, required_unless_present = "envelope")]
    msg: Option<String>,
    /// An envelope with the signature: JWS, COSE, DSSE, or one of OpenSSH, minisign or signify, whose message is --msg.
    /// --key is @FILE then
    #[arg(long, value_name = "FILE", conflicts_with = "sig")]
    envelope: Option<PathBuf>,
    #[command(flatten)]
    of_envelope: EnvelopeArgs,
    /// How --msg is written; a @FILE is always its bytes
    #[arg(long, value_enum, default_value = "hex")]
    msg_encoding: Encoding,
    /// The algorithm, which must be that of a container; other forms name none [default: that of the
    /// container, else ed25519]
    #[arg(long, value_enum)]
    alg: Option<Alg>,
    #[command(flatten)]
    ecdsa: EcdsaArgs,
    #[command(flatten)]
    variant: VariantArgs,
    /// Ed25519: the rule that decides the exit code [default: common]
    #[arg(long = "rule", value_name = "RULE", value_parser = parse_rule)]
    given_rule: Option<Rule>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Libraries whose verdicts are those of a rule, measured with 1,273 vectors.
fn followers(rule: &Rule) -> &'static str {
    match rule.name() {
        "common" => {
            "ed25519-dalek verify, ring, BoringSSL, OpenSSL, Go crypto/ed25519, Node up to 24.18"
        }
        "rfc8032_exact" => "aws-lc-rs, graviola, circl, JDK",
        "rfc8032" => "curve25519-voi FIPS preset, pycryptodome (and FIPS 186-5)",
        "zip215" => "ed25519-zebra, ed25519-consensus, noble-curves, curve25519-voi ZIP-215",
        "strict" => {
            "ed25519-dalek verify_strict, libsodium, PyNaCl, Firedancer, Node from 24.19 and from 26.5 on"
        }
        "no_small_key" => "curve25519-voi default, BouncyCastle, noble with zip215: false",
        "no_small" => "oasisprotocol/ed25519 default, ed25519-compact",
        "legacy" => "ed25519-donna, ed25519-dalek with legacy_compatibility",
        _ => "",
    }
}

impl Args {
    /// The rule that decides the exit code.
    fn rule(&self) -> Rule {
        self.given_rule.unwrap_or(rules::COMMON)
    }
}

pub(crate) fn run(args: &Args) -> Result<Status> {
    if let Some(path) = &args.envelope {
        return explain_envelope(args, path);
    }
    if let Some(option) = args.of_envelope.given() {
        return Err(Failure::new(format!("{option} says nothing without --envelope")));
    }
    let (sig, msg) = (args.sig.as_deref().unwrap_or(""), message(args)?.unwrap_or_default());
    let (key, said_by) = match args.key.strip_prefix('@') {
        Some(path) => {
            let path = Path::new(path);
            let said_by = format!("{} is read as a key of", shown(path));
            (keys::verifying_key(path, None, args.alg)?, said_by)
        }
        None => {
            let alg = args.alg.unwrap_or_default();
            let lens = keys::public_key_lens(alg.curve());
            let bytes = hex("--key", &args.key, &lens)?;
            (PublicKey { alg, bytes }, "--key is read as a key of".to_owned())
        }
    };
    let ed25519 = args.given_rule.map(|_| "--rule").or(args.variant.given());
    key.alg.refuse_others(&said_by, ed25519, args.ecdsa.given())?;
    let scheme = key.alg.curve().map(|curve| args.ecdsa.scheme(curve));
    let format = scheme.map_or(SigFormat::Raw, |scheme| scheme.format);
    let signature = match sig.strip_prefix('@') {
        Some(path) => keys::signature(Path::new(path), key.alg, format)?,
        None => match format {
            SigFormat::Raw => hex("--sig", sig, &[keys::signature_len(key.alg)])?,
            SigFormat::Der => hex("--sig", sig, &[])?,
        },
    };
    match scheme {
        Some(scheme) => ecdsa::explain(&scheme, args.json, &key.bytes, &msg, &signature),
        None => explain_ed25519(args, &key.bytes, &msg, &signature),
    }
}

/// The message of the options.
fn message(args: &Args) -> Result<Option<Vec<u8>>> {
    let Some(msg) = &args.msg else { return Ok(None) };
    let Some(path) = msg.strip_prefix('@') else {
        let decoded = args.msg_encoding.decode(msg.as_bytes());
        return decoded.map(Some).map_err(|what| Failure::new(format!("--msg: {what}")));
    };
    let (path, mut message) = (PathBuf::from(path), Vec::new());
    feed(&path, &mut open(&path)?, |piece| message.extend_from_slice(piece))?;
    Ok(Some(message))
}

/// The signature of an envelope.
fn explain_envelope(args: &Args, path: &Path) -> Result<Status> {
    let Some(key) = args.key.strip_prefix('@') else {
        return Err(Failure::new("--envelope needs a key in a file: --key @FILE"));
    };
    let foreign = args.variant.given().or(args.ecdsa.given());
    if let Some(option) = foreign {
        return Err(Failure::new(format!("{option} says nothing of an envelope")));
    }
    let key_args = KeyArgs { key_format: None, alg: args.alg, ecdsa: EcdsaArgs::default() };
    let request = Request {
        message: path,
        sig: None,
        key: Path::new(key),
        key_args: &key_args,
        envelope: &args.of_envelope,
        foreign: None,
        rule: args.rule(),
        quiet: false,
    };
    let message = message(args)?;
    let (key, signed) = envelope::signed(&request, message.as_deref())?;
    match signed.scheme {
        Scheme::Ecdsa(scheme) => {
            let scheme = crate::alg::Scheme::of(&scheme);
            ecdsa::explain(&scheme, args.json, key.bytes(), &signed.message, &signed.signature)
        }
        _ => explain_ed25519(args, key.bytes(), &signed.message, &signed.signature),
    }
}

fn explain_ed25519(args: &Args, key: &[u8], message: &[u8], signature: &[u8]) -> Result<Status> {
    let context = args.variant.context()?;
    let variant = args.variant.around(&context)?;
    let failure = |error: sigmill::Error| Failure::new(error.to_string());
    let key = keys::exactly("public key", key).map_err(failure)?;
    let signature = keys::exactly("signature", signature).map_err(failure)?;
    let explanation = Explanation::new(variant, key, message, signature);
    let computed = compute(args, variant, &explanation, [key, message, signature])?;
    let text = if args.json {
        as_json(args, &explanation, computed)
    } else {
        as_text(args, &explanation, computed)
    };
    output::print(&text)?;
    let valid = explanation.verdict(&args.rule()).is_valid();
    Ok(if valid { Status::AllValid } else { Status::SomeInvalid })
}

/// Verifies the signature as bulk verification would, by the backend and strategy that were asked for,
/// and says which these were. The verdict must be the explained one.
fn compute(
    args: &Args,
    variant: Variant<'_>,
    explanation: &Explanation,
    row: [&[u8]; 3],
) -> Result<(Backend, Strategy)> {
    let engine = args.engine.engine()?;
    let row = row.each_ref().map(std::slice::from_ref);
    let [keys, messages, signatures] = row.map(Column::slices);
    let specs = Specs::Same(Spec::ed25519(&args.rule(), variant));
    let (outcomes, report) = Table::new(keys, messages, signatures, specs)
        .and_then(|table| engine.verify(&table))
        .map_err(|error| Failure::new(error.to_string()))?;
    let computed = of_one_row(&engine, &report);
    if outcomes != [Some(explanation.verdict(&args.rule()))] {
        let (backend, strategy) = computed;
        return Err(Failure::new(format!(
            "{backend} by {strategy} gives another verdict than the explanation; this is a bug"
        )));
    }
    Ok(computed)
}

/// The bytes of an option, which must have one of these lengths; with none, any.
fn hex(option: &str, text: &str, lens: &[usize]) -> Result<Vec<u8>> {
    let bytes = Encoding::Hex.decode(text.as_bytes());
    let bytes = bytes.map_err(|what| Failure::new(format!("{option}: {what}")))?;
    if lens.is_empty() || lens.contains(&bytes.len()) {
        return Ok(bytes);
    }
    let lens: Vec<String> = lens.iter().map(usize::to_string).collect();
    Err(Failure::new(format!("{option} has {} bytes, not {}", bytes.len(), lens.join(" or "))))
}

fn s_range(explanation: &Explanation) -> &'static str {
    let facts = &explanation.facts;
    match (facts.s_below_order, facts.s_top_bits_clear) {
        (true, _) => "below the group order",
        (false, true) => "from the group order up, below 2^253 (malleable)",
        (false, false) => "2^253 or more",
    }
}

fn as_text(args: &Args, explanation: &Explanation, computed: (Backend, Strategy)) -> String {
    let point = |report: &PointReport| {
        if !report.decodes {
            return "not a point on the curve".to_owned();
        }
        let canonical = if report.canonical { "canonical" } else { "not canonical" };
        let order = match (report.small, report.torsion_order) {
            (true, order) => format!("small order {order}"),
            (false, 1) => "prime order".to_owned(),
            (false, order) => format!("mixed order, torsion part of order {order}"),
        };
        format!("{canonical}, {order}")
    };
    let residual = match &explanation.residual {
        None => "undefined: a point does not decode".to_owned(),
        Some(ResidualReport { identity: true, .. }) => "the identity".to_owned(),
        Some(ResidualReport { small: true, torsion_order, .. }) => {
            format!("small order {torsion_order}")
        }
        Some(ResidualReport { torsion_order, .. }) => {
            format!("not of small order, torsion part of order {torsion_order}")
        }
    };
    let holds = |fact: bool| if fact { "holds" } else { "does not hold" };
    let mut text = format!(
        "variant    {}\nkey A      {}\nR          {}\nS          {}\nresidual   [S]B - [k]A - R is {residual}\n\
         exact      enc([S]B - [k]A) = R {}\ncofactored [8]([S]B - [k]A - R) = 0 {}\n\
         computed   by {} in {}\n\n",
        args.variant.variant.name(),
        point(&explanation.a),
        point(&explanation.r),
        s_range(explanation),
        holds(explanation.facts.exact),
        holds(explanation.facts.cofactored),
        computed.1,
        computed.0,
    );
    for rule in rules::ALL {
        let verdict = match explanation.verdict(rule).ok() {
            Ok(()) => "valid".to_owned(),
            Err(reason) => format!("invalid: {}", reason.name()),
        };
        text += &format!("{:13} {verdict:26} {}\n", rule.name(), followers(rule));
    }
    text
}

fn as_json(args: &Args, explanation: &Explanation, computed: (Backend, Strategy)) -> String {
    let point = |report: &PointReport| match report.decodes {
        false => json!({ "decodes": false }),
        true => json!({
            "decodes": true,
            "canonical": report.canonical,
            "small_order": report.small,
            "torsion_order": report.torsion_order,
        }),
    };
    let residual = explanation.residual.map_or(Value::Null, |residual| {
        json!({
            "identity": residual.identity,
            "small_order": residual.small,
            "torsion_order": residual.torsion_order,
        })
    });
    let verdicts: serde_json::Map<String, Value> = rules::ALL
        .into_iter()
        .map(|rule| {
            let verdict = explanation.verdict(rule).ok();
            let value = json!({
                "valid": verdict.is_ok(),
                "reason": verdict.err().map(|reason| reason.name()),
                "libraries": followers(rule),
            });
            (rule.name().to_owned(), value)
        })
        .collect();
    let object = json!({
        "variant": args.variant.variant.name(),
        "a": point(&explanation.a),
        "r": point(&explanation.r),
        "s": { "below_order": explanation.facts.s_below_order, "below_2_253": explanation.facts.s_top_bits_clear },
        "residual": residual,
        "exact": explanation.facts.exact,
        "cofactored": explanation.facts.cofactored,
        "backend": computed.0.name(),
        "strategy": computed.1.name(),
        "rules": verdicts,
    });
    format!("{object}\n")
}
