//! The options that say which columns are looked at, how they hold bytes, and what rows are verified as.

use super::containers::KeyForm;
use super::format::{Format, Quote};
use crate::alg::{Alg, EcdsaArgs};
use crate::status::{Result, quoted, shown};
use crate::text::Encoding;
use crate::variant::{Kind, parse_rule};
use clap::ValueEnum;
use sigmill::ed25519::{Rule, rules};
use sigmill_envelope::Form as EnvelopeForm;
use std::path::{Path, PathBuf};

/// So many of a table's columns are named where one is missing.
const MOST_NAMES: usize = 20;

/// The scheme of rows for which no column says it.
#[derive(clap::Args)]
pub(super) struct RowOptions {
    /// The algorithm of rows for which no column says it [default: ed25519]
    #[arg(long = "alg", value_name = "ALG", value_enum)]
    pub(super) given_alg: Option<Alg>,
    #[command(flatten)]
    pub(super) ecdsa: EcdsaArgs,

    /// Ed25519: the verification rule. It says nothing of ECDSA [default: common]
    #[arg(long = "rule", value_name = "RULE", value_parser = parse_rule)]
    pub(super) given_rule: Option<Rule>,
    /// Ed25519: which variant [default: pure]
    #[arg(long = "variant", value_name = "VARIANT", value_enum)]
    pub(super) given_variant: Option<Kind>,
    /// Ed25519: the context, for ctx and ph
    #[arg(long = "context", value_name = "CONTEXT")]
    pub(super) given_context: Option<String>,
}

/// The columns that are looked at.
#[derive(clap::Args)]
pub(super) struct ColumnNames {
    /// Name of the key column
    #[arg(long, value_name = "COLUMN", default_value = "key")]
    pub(super) key: String,
    /// Name of the message column
    #[arg(long, value_name = "COLUMN", default_value = "msg")]
    pub(super) msg: String,
    /// Name of the signature column
    #[arg(long, value_name = "COLUMN", default_value = "sig")]
    pub(super) sig: String,
    /// Name of the column that holds the algorithm of each row [default: alg, if there is one]
    #[arg(long = "alg-column", value_name = "COLUMN")]
    given_alg_column: Option<String>,
    /// Name of the column that holds the rule of each row [default: rule, if there is one]
    #[arg(long = "rule-column", value_name = "COLUMN")]
    given_rule_column: Option<String>,
    /// Name of the column that holds the variant of each row [default: variant, if there is one]
    #[arg(long = "variant-column", value_name = "COLUMN")]
    given_variant_column: Option<String>,
    /// Name of the column that holds the context of each row [default: context, if there is one]
    #[arg(long = "context-column", value_name = "COLUMN")]
    given_context_column: Option<String>,
    /// Do not look for columns with algorithm, rule, variant and context
    #[arg(long)]
    pub(super) ignore_row_options: bool,
    /// Let such columns win where they contradict --alg, --rule, --variant or --context; else an error
    #[arg(long, conflicts_with = "ignore_row_options")]
    pub(super) prefer_row_options: bool,
    #[command(flatten)]
    pub(super) envelopes: EnvelopeArgs,
}

/// Envelopes in place of keys, messages and signatures.
#[derive(clap::Args)]
pub(super) struct EnvelopeArgs {
    /// A column holds envelopes, each with its signature, its message and the name of its key
    #[arg(long, value_enum, value_name = "FORM", requires = "keys", conflicts_with_all = [
        "key", "sig", "given_alg", "given_alg_column", "hash", "sig_format", "low_s", "given_variant", "given_variant_column",
        "given_context", "given_context_column", "given_rule_column", "ignore_row_options", "prefer_row_options", "key_form",
        "key_encoding", "sig_encoding", "context_encoding",
    ])]
    pub(super) envelope: Option<Envelope>,
    /// Name of the column with envelopes [default: token of jws, else envelope]
    #[arg(long = "column", value_name = "COLUMN", requires = "envelope")]
    given_column: Option<String>,
    /// The keys that verify envelopes: JSON Web Keys, PEM, a certificate, lines of OpenSSH, minisign; of cose also COSE
    /// keys
    #[arg(long, value_name = "FILE", requires = "envelope")]
    pub(super) keys: Option<PathBuf>,
    /// Envelopes of ssh: the namespace that signatures must have been made for
    #[arg(long, value_name = "NAMESPACE", requires = "envelope")]
    pub(super) namespace: Option<String>,
    /// Envelopes of cose: the externally supplied data that is signed with each row (RFC 9052 section 4.4)
    #[arg(long, value_name = "FILE", requires = "envelope")]
    pub(super) external_data: Option<PathBuf>,
    /// Envelopes of jws: write these members of the payloads of valid rows as columns of the output, of which they take
    /// the names. Text is itself, anything else is JSON
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires_all = ["envelope", "output"])]
    pub(super) claims: Vec<String>,
}

/// The form of envelopes in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Envelope {
    /// JSON Web Signatures, compact (RFC 7515)
    Jws,
    /// COSE_Sign1 (RFC 9052)
    Cose,
    /// DSSE envelopes, of which one valid signature is enough, and sigstore bundles with such
    Dsse,
    /// Signatures by `ssh-keygen -Y sign`, with the messages in the column --msg
    Ssh,
}

impl Envelope {
    pub(super) const fn form(self) -> EnvelopeForm {
        match self {
            Envelope::Jws => EnvelopeForm::Jws,
            Envelope::Cose => EnvelopeForm::Cose,
            Envelope::Dsse => EnvelopeForm::Dsse,
            Envelope::Ssh => EnvelopeForm::Ssh,
        }
    }

    /// Whether its text stands for itself, in any column.
    const fn is_text(self) -> bool {
        !matches!(self, Envelope::Cose)
    }
}

impl EnvelopeArgs {
    /// The column with envelopes.
    pub(super) fn column(&self) -> &str {
        let own = if self.envelope == Some(Envelope::Jws) { "token" } else { "envelope" };
        self.given_column.as_deref().unwrap_or(own)
    }

    /// The parts of the envelopes that a report needs; `None`: rows are no envelopes.
    pub(super) fn described(&self, msg: &str) -> Option<Vec<(&'static str, String)>> {
        let form = self.envelope?;
        let mut said = vec![
            ("Envelopes", format!("{}, column {}", form.form().name(), quoted(self.column()))),
            ("Keys", self.keys.as_deref().map(shown).unwrap_or_default()),
        ];
        if form == Envelope::Ssh {
            said.push(("Messages", format!("column {}", quoted(msg))));
            said.extend(self.namespace.as_ref().map(|name| ("Namespace", name.clone())));
        }
        Some(said)
    }

    /// How the column holds envelopes, where the option of all columns says this.
    pub(super) fn encoding(&self, of_columns: Option<Encoding>) -> Option<Encoding> {
        if self.envelope.is_some_and(Envelope::is_text) { Some(Encoding::Raw) } else { of_columns }
    }
}

/// How the columns hold bytes.
#[derive(clap::Args)]
pub(super) struct Encodings {
    /// How columns hold keys, messages and signatures; without it, binary ones as bytes, text ones in hex
    #[arg(long, value_enum)]
    pub(super) encoding: Option<Encoding>,
    /// How the column holds keys, if not as --encoding says
    #[arg(long, value_enum)]
    pub(super) key_encoding: Option<Encoding>,
    /// How the column holds messages, if not as --encoding says
    #[arg(long, value_enum)]
    pub(super) msg_encoding: Option<Encoding>,
    /// How the column holds signatures, if not as --encoding says
    #[arg(long, value_enum)]
    pub(super) sig_encoding: Option<Encoding>,
    /// How --context and the column hold contexts [default: raw]
    #[arg(long, value_enum)]
    pub(super) context_encoding: Option<Encoding>,
    /// The form of the keys: by themselves, or in containers
    #[arg(long, value_enum, default_value = "raw")]
    pub(super) key_form: KeyForm,
}

impl Encodings {
    /// The columns whose text stands for itself.
    pub(super) fn raw_columns<'a>(&self, names: &'a ColumnNames) -> Vec<&'a str> {
        let envelopes = &names.envelopes;
        let own = [
            (envelopes.column(), envelopes.envelope.and(envelopes.encoding(self.encoding))),
            (&*names.key, self.key_encoding.or(self.encoding)),
            (&names.msg, self.msg_encoding.or(self.encoding)),
            (&names.sig, self.sig_encoding.or(self.encoding)),
            (names.context_column(), Some(self.context_encoding.unwrap_or(Encoding::Raw))),
        ];
        let is_raw = |encoding: Option<Encoding>| encoding == Some(Encoding::Raw);
        own.into_iter().filter(|(_, encoding)| is_raw(*encoding)).map(|(name, _)| name).collect()
    }
}

/// The options of a reader.
pub(super) struct Reading<'a> {
    /// The format, if the name of the file does not say it.
    pub(super) format: Option<Format>,
    pub(super) names: &'a ColumnNames,
    pub(super) rows: &'a RowOptions,
    pub(super) encodings: &'a Encodings,
    /// The output, to which rows go on with all their columns.
    pub(super) output: Option<&'a Path>,
    /// Of CSV: the characters between and around cells, if others than the usual ones, and the text that stands for a null.
    pub(super) delimiter: Option<u8>,
    pub(super) quote: Option<Quote>,
    pub(super) null: Option<&'a str>,
    /// Of text: the bytes of the longest record.
    pub(super) max_record: u64,
}

impl RowOptions {
    /// The algorithm of rows that name none.
    pub(super) fn alg(&self) -> Alg {
        self.given_alg.unwrap_or_default()
    }

    /// The algorithm of all rows, where the options alone say it.
    pub(super) fn only_alg(&self, names: &ColumnNames) -> Option<Alg> {
        match (self.given_alg, names.ignore_row_options) {
            (given, true) => Some(given.unwrap_or_default()),
            // a row may not contradict it
            (given, false) => given.filter(|_| !names.prefer_row_options),
        }
    }

    /// Refuses options that say nothing of any row, all of which are of one algorithm.
    pub(super) fn refuse_foreign(&self, alg: Alg, said_by: &str) -> Result<()> {
        let ed25519 = [
            (self.given_rule.is_some(), "--rule"),
            (self.given_variant.is_some(), "--variant"),
            (self.given_context.is_some(), "--context"),
        ];
        let ed25519 = ed25519.into_iter().find(|(given, _)| *given).map(|(_, option)| option);
        alg.refuse_others(said_by, ed25519, self.ecdsa.given())
    }

    /// The rule of rows that name none.
    pub(super) fn rule(&self) -> Rule {
        self.given_rule.unwrap_or(rules::COMMON)
    }

    /// The variant of rows that name none.
    pub(super) fn variant(&self) -> Kind {
        self.given_variant.unwrap_or(Kind::Pure)
    }

    /// The context of rows that have none, as it was typed.
    pub(super) fn context(&self) -> &str {
        self.given_context.as_deref().unwrap_or_default()
    }
}

impl ColumnNames {
    /// The column with the algorithm of each row.
    pub(super) fn alg_column(&self) -> &str {
        self.given_alg_column.as_deref().unwrap_or("alg")
    }

    /// The column with the rule of each row.
    pub(super) fn rule_column(&self) -> &str {
        self.given_rule_column.as_deref().unwrap_or("rule")
    }

    /// The column with the variant of each row.
    pub(super) fn variant_column(&self) -> &str {
        self.given_variant_column.as_deref().unwrap_or("variant")
    }

    /// The column with the context of each row.
    pub(super) fn context_column(&self) -> &str {
        self.given_context_column.as_deref().unwrap_or("context")
    }

    /// The columns that a table must have, each with its option: keys, messages and signatures, and those that an option
    /// names.
    pub(super) fn required(&self) -> Vec<(&'static str, &str)> {
        if let Some(envelope) = self.envelopes.envelope {
            let mut required = vec![("--column", self.envelopes.column())];
            if envelope == Envelope::Ssh {
                required.push(("--msg", &*self.msg));
            }
            return required;
        }
        let mut required = vec![("--key", &*self.key), ("--msg", &self.msg), ("--sig", &self.sig)];
        if !self.ignore_row_options {
            let given = [
                ("--alg-column", &self.given_alg_column),
                ("--rule-column", &self.given_rule_column),
                ("--variant-column", &self.given_variant_column),
                ("--context-column", &self.given_context_column),
            ];
            let given = given.into_iter();
            required.extend(given.filter_map(|(option, name)| Some((option, name.as_deref()?))));
        }
        required
    }

    /// All of them.
    pub(super) fn wanted(&self) -> Vec<&str> {
        if self.envelopes.envelope.is_some() {
            return self.required().into_iter().map(|(_, name)| name).collect();
        }
        let mut wanted = vec![self.key.as_str(), &self.msg, &self.sig];
        if !self.ignore_row_options {
            wanted.extend([self.alg_column(), self.rule_column()]);
            wanted.extend([self.variant_column(), self.context_column()]);
        }
        wanted
    }

    /// The message about a column that a table with these columns lacks.
    pub(super) fn missing(option: &str, name: &str, columns: &[String]) -> String {
        let there: Vec<String> = columns.iter().take(MOST_NAMES).map(|name| quoted(name)).collect();
        let more = if columns.len() > MOST_NAMES { ", …" } else { "" };
        let there = format!("{}{more}", there.join(", "));
        format!("no column `{}` (columns: {there}); name it with {option}", quoted(name))
    }

    /// Looks for the columns that the table needs.
    pub(super) fn check(&self, columns: &[String]) -> std::result::Result<(), String> {
        for (option, name) in self.required() {
            match columns.iter().filter(|column| *column == name).count() {
                0 => return Err(Self::missing(option, name, columns)),
                1 => {}
                _ => return Err(format!("more than one column `{name}`")),
            }
        }
        Ok(())
    }
}
