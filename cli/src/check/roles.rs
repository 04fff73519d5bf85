//! Which columns of a table mean what.
//!
//! Reach: nothing.

/// What a column is for. The number indexes the arrays of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Key = 0,
    Msg = 1,
    Sig = 2,
    Alg = 3,
    Rule = 4,
    Variant = 5,
    Context = 6,
}

/// The number of roles.
pub(crate) const ROLES: usize = 7;

impl Role {
    pub(crate) const ALL: [Role; ROLES] = [
        Role::Key,
        Role::Msg,
        Role::Sig,
        Role::Alg,
        Role::Rule,
        Role::Variant,
        Role::Context,
    ];

    /// Whether a table cannot be checked without it.
    pub(crate) fn is_needed(self) -> bool {
        matches!(self, Role::Key | Role::Msg | Role::Sig)
    }

    /// Whether an empty CSV cell is an empty string; in other columns it is a null.
    pub(crate) fn may_be_empty(self) -> bool {
        matches!(self, Role::Msg | Role::Context)
    }

    /// The reason of a row whose cell is null.
    pub(crate) fn null_reason(self) -> &'static str {
        match self {
            Role::Key => "null_key",
            Role::Msg => "null_msg",
            Role::Sig => "null_sig",
            Role::Alg => "null_alg",
            Role::Rule => "null_rule",
            Role::Variant => "null_variant",
            Role::Context => "null_context",
        }
    }

    /// The reason of a row whose cell is not in its encoding, or a name that nothing has.
    pub(crate) fn bad_reason(self) -> &'static str {
        match self {
            Role::Key => "undecodable_key",
            Role::Msg => "undecodable_msg",
            Role::Sig => "undecodable_sig",
            Role::Alg => "unknown_alg",
            Role::Rule => "unknown_rule",
            Role::Variant => "unknown_variant",
            Role::Context => "bad_context",
        }
    }
}

/// Who decides where an option and a column both say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Prefer {
    /// The option decides; the column is ignored
    Options,
    /// The column decides; the option is for lines that lack the field
    Columns,
}

/// The columns that are looked for, and what stands in for those that a table may lack.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) names: [String; ROLES],
    /// What the options say, for a role without a column.
    pub(crate) defaults: [String; ROLES],
    /// Whether an option was given for the role.
    pub(crate) given: [bool; ROLES],
    pub(crate) prefer: Option<Prefer>,
    /// Whether the output needs the other columns, too.
    pub(crate) all_columns: bool,
}

impl Wanted {
    pub(crate) fn name(&self, role: Role) -> &str {
        &self.names[role as usize]
    }

    /// Whether a column that is there is read; an error if an option contradicts it.
    pub(crate) fn takes(&self, role: Role) -> Result<bool, String> {
        match (self.given[role as usize], self.prefer) {
            (false, _) | (true, Some(Prefer::Columns)) => Ok(true),
            (true, Some(Prefer::Options)) => Ok(false),
            (true, None) => Err(format!(
                "column {} and an option both say it; use --prefer options or --prefer columns",
                self.name(role)
            )),
        }
    }

    /// The place of each role among the columns.
    pub(crate) fn locate<S: AsRef<str>>(&self, columns: &[S]) -> Result<[Option<usize>; ROLES], String> {
        let mut places = [None; ROLES];
        for role in Role::ALL {
            let name = self.name(role);
            let mut found = columns.iter().enumerate().filter(|(_, column)| column.as_ref() == name);
            let first = found.next().map(|(place, _)| place);
            if found.next().is_some() {
                return Err(format!("column {name} is there more than once"));
            }
            if first.is_none() && role.is_needed() {
                return Err(self.missing(role, columns));
            }
            places[role as usize] = if first.is_some() && self.takes(role)? { first } else { None };
        }
        Ok(places)
    }

    /// The message about a column that is not there.
    pub(crate) fn missing<S: AsRef<str>>(&self, role: Role, columns: &[S]) -> String {
        let columns: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
        let option = ["--key", "--msg", "--sig"].get(role as usize).copied().unwrap_or_default();
        let there = if columns.is_empty() { "none".to_owned() } else { columns.join(", ") };
        format!("no column {} (name it with {option}); columns are: {there}", self.name(role))
    }
}
