//! `include/sigmill.h` against this library: every structure with its fields, every number, every function. Both sides
//! are listed, the header's by a program that `cc` compiles, and the lists must be the same; so that what is added,
//! moved or changed on one side alone is seen.

use crate::bulk::arrow;
use crate::bulk::column::ColumnArg;
use crate::bulk::plan::Bulk;
use crate::bulk::report::Report;
use crate::bulk::verify::{SpecArg, TableArg};
use crate::ecdsa::Key;
use crate::ed25519::explain::{Facts, PointFacts};
use crate::ed25519::own_hash::Sha512;
use crate::ed25519::stream::{Prehash, Signer, Verifier};
use crate::fault::Fault;
use crate::pointer::{Content, Laid};
use crate::scheme::How;
use crate::variant::VariantArg;
use crate::version::sigmill_version;
use sigmill::Reason;
use sigmill::bulk::Progress;
use sigmill::ed25519::{PreparedKey, SigningKey, rules};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The lines of a structure, as the program in C prints them. A field that has another name in C is in `renamed`.
fn structure<T: Laid>(name: &str, renamed: &[(&str, &str)]) -> Vec<String> {
    let mut lines = vec![format!("{name} {} {}", size_of::<T>(), align_of::<T>())];
    lines.extend(T::FIELDS.iter().map(|(field, offset, size)| {
        let in_c = renamed.iter().find(|(in_rust, _)| in_rust == field);
        format!("{name}.{} {offset} {size}", in_c.map_or(*field, |(_, in_c)| *in_c))
    }));
    lines
}

/// The lines of all structures that C fills or reads.
fn structures() -> Vec<String> {
    [
        structure::<VariantArg>("sigmill_variant", &[]),
        structure::<PointFacts>("sigmill_point_facts", &[]),
        structure::<Facts>("sigmill_ed25519_facts", &[]),
        structure::<Sha512>("sigmill_sha512", &[("finish", "final")]),
        structure::<How>("sigmill_ecdsa", &[]),
        structure::<ColumnArg>("sigmill_column", &[]),
        structure::<SpecArg>("sigmill_spec", &[]),
        structure::<TableArg>("sigmill_table", &[]),
        structure::<Bulk>("sigmill_bulk", &[("context", "run_context")]),
        structure::<Report>("sigmill_report", &[]),
        structure::<arrow::Schema>("ArrowSchema", &[]),
        structure::<arrow::Array>("ArrowArray", &[]),
    ]
    .concat()
}

/// An object: the structure, the tag of its content, and its words.
struct Object(&'static str, u32, usize);

fn object<T: Content>(structure: &'static str) -> Object {
    Object(structure, T::TAG, T::WORDS)
}

fn objects() -> [Object; 7] {
    [
        object::<SigningKey>("sigmill_ed25519_key"),
        object::<PreparedKey>("sigmill_ed25519_prepared"),
        object::<Prehash>("sigmill_ed25519_prehash"),
        object::<Verifier>("sigmill_ed25519_verifier"),
        object::<Signer>("sigmill_ed25519_signer"),
        object::<Key>("sigmill_ecdsa_key"),
        object::<Progress>("sigmill_progress"),
    ]
}

impl Object {
    fn lines(&self) -> [String; 2] {
        let (structure, size, align) = (self.0, 8 * self.2, align_of::<u64>());
        [format!("{structure} {size} {align}"), format!("{structure}.opaque 0 {size}")]
    }
}

/// An object of one type is none of another.
#[test]
fn each_object_has_a_tag_of_its_own() {
    let tags: BTreeSet<u32> = objects().iter().map(|object| object.1).collect();
    assert_eq!(tags.len(), objects().len());
}

/// Numbers that are written as such in this library, too.
const NUMBERS: &str = "
    SIGMILL_ED25519_SEED_SIZE 32        SIGMILL_ED25519_PUBLIC_KEY_SIZE 32  SIGMILL_ED25519_PAIR_SIZE 64
    SIGMILL_ED25519_EXPANDED_SIZE 64
    SIGMILL_ED25519_SIGNATURE_SIZE 64   SIGMILL_ED25519_CONTEXT_MAX 255     SIGMILL_NOISE_SIZE 32
    SIGMILL_SHA512_SIZE 64              SIGMILL_X25519_SIZE 32
    SIGMILL_P256_SECRET_SIZE 32         SIGMILL_P256_PUBLIC_KEY_SIZE 65     SIGMILL_P256_COMPRESSED_SIZE 33
    SIGMILL_P256_SIGNATURE_SIZE 64      SIGMILL_P256_SIGNATURE_DER_MAX 72
    SIGMILL_P384_SECRET_SIZE 48         SIGMILL_P384_PUBLIC_KEY_SIZE 97     SIGMILL_P384_COMPRESSED_SIZE 49
    SIGMILL_P384_SIGNATURE_SIZE 96      SIGMILL_P384_SIGNATURE_DER_MAX 104
    SIGMILL_CONTAINER_MAX 512           SIGMILL_PEM_READ_MAX 4096
    SIGMILL_STACK_SINGLE 49152          SIGMILL_STACK_BULK 122880           SIGMILL_NULL_SPEC 4294967295
    SIGMILL_VALID 0                     SIGMILL_NOT_ALL_VALID 100           SIGMILL_NULL_ROW 255
    SIGMILL_UNFINISHED 101
    SIGMILL_PURE 0                      SIGMILL_CTX 1                       SIGMILL_PH 2
    SIGMILL_PH_DIGEST 3                 SIGMILL_ED25519 1                   SIGMILL_P256 2
    SIGMILL_P384 3                      SIGMILL_HASH_OWN 0                  SIGMILL_HASH_NONE -1
    SIGMILL_X25519 4
    SIGMILL_DIGEST_OF_SHA256 -256       SIGMILL_DIGEST_OF_SHA384 -384       SIGMILL_DIGEST_OF_SHA512 -512
    SIGMILL_SHA256 256                  SIGMILL_SHA384 384                  SIGMILL_SHA512 512
    SIGMILL_FIXED 0                     SIGMILL_DER 1                       SIGMILL_FORM_DER 0
    SIGMILL_FORM_PEM 1                  SIGMILL_PKCS8 0                     SIGMILL_SEC1 1
    SIGMILL_SPKI 2                      SIGMILL_COLUMN_FIXED 0              SIGMILL_COLUMN_BINARY 1
    SIGMILL_COLUMN_LARGE_BINARY 2       SIGMILL_COLUMN_VIEWS 3              SIGMILL_COLUMN_DICTIONARY 4
    SIGMILL_COLUMN_POINTERS 5           SIGMILL_COLUMN_PREPARED 6
    SIGMILL_INT8 1   SIGMILL_INT16 2    SIGMILL_INT32 3  SIGMILL_INT64 4
    SIGMILL_UINT8 5  SIGMILL_UINT16 6   SIGMILL_UINT32 7 SIGMILL_UINT64 8
    SIGMILL_BACKEND_BEST 0              SIGMILL_BACKEND_PORTABLE 1          SIGMILL_BACKEND_AVX2 2
    SIGMILL_BACKEND_IFMA 3              SIGMILL_BACKEND_SIMD128 4           SIGMILL_STRATEGY_BEST 0
    SIGMILL_STRATEGY_SINGLE 1           SIGMILL_STRATEGY_LANES 2            SIGMILL_STRATEGY_COMBINED 3
    SIGMILL_CPU_ADX 1                   SIGMILL_CPU_AVX2 2                  SIGMILL_CPU_IFMA 4
    ARROW_FLAG_DICTIONARY_ORDERED 1     ARROW_FLAG_NULLABLE 2               ARROW_FLAG_MAP_KEYS_SORTED 4
    ARROW_C_DATA_INTERFACE -            SIGMILL_H -                         SIGMILL_API -
    SIGMILL_CHECKED -
";

fn shouted(name: &str) -> String {
    let mut made = String::new();
    for (i, c) in name.char_indices() {
        if i > 0 && c.is_ascii_uppercase() {
            made.push('_');
        }
        made.push(c.to_ascii_uppercase());
    }
    made
}

fn numbers_of_the_library() -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let words: Vec<&str> = NUMBERS.split_whitespace().collect();
    lines.extend(words.chunks(2).map(|pair| pair.join(" ")));
    for fault in Fault::ALL {
        let name = if *fault == Fault::Made { "Fault".into() } else { format!("{fault:?}") };
        lines.push(format!("SIGMILL_ERROR_{} {}", shouted(&name), *fault as i32));
    }
    for reason in Reason::ALL {
        lines.push(format!("SIGMILL_REASON_{} {}", reason.name().to_uppercase(), reason.code()));
    }
    for rule in rules::ALL {
        lines.push(format!("SIGMILL_RULE_{} {}", rule.name().to_uppercase(), rule.id()));
    }
    let version = ["MAJOR", "MINOR", "PATCH"]
        .iter()
        .zip(env!("CARGO_PKG_VERSION").split('.'))
        .map(|(part, number)| format!("SIGMILL_VERSION_{part} {number}"));
    lines.extend(version);
    lines.push(format!("SIGMILL_VERSION {}", sigmill_version()));
    for Object(structure, _, words) in objects() {
        lines.push(format!("{}_WORDS {words}", structure.to_uppercase()));
    }
    lines
}

/// The header without its comments and without what the preprocessor does but define.
fn header() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/sigmill.h");
    let text = fs::read_to_string(path).expect("the header");
    let mut bare = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("/*") {
        bare.push_str(before);
        rest = after.split_once("*/").expect("comments end").1;
    }
    bare + rest
}

/// The declarations of functions without what is in front of the type, and whether the result has to be used.
fn declarations(header: &str) -> impl Iterator<Item = (bool, &str)> {
    let of = |word, is_checked| between(header, word, ";").map(move |text| (is_checked, text));
    let all = of("\nSIGMILL_API ", false).chain(of("\nSIGMILL_CHECKED ", true));
    all.filter(|(_, declaration)| declaration.contains('('))
}

/// Every text between `open` and the `close` after it.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |part| part.split_once(close).map(|(inner, _)| inner))
}

/// The name that a declaration declares.
fn declared(declaration: &str) -> &str {
    if let Some(name) = between(declaration, "(*", ")").next() {
        return name;
    }
    let name = declaration.split('[').next().unwrap().trim();
    name.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap()
}

/// A program that prints the header's side.
fn program(header: &str) -> String {
    let mut body = String::new();
    let mut statement = |format: &str, values: &[String]| {
        let values: Vec<String> =
            values.iter().map(|value| format!(", (long long)({value})")).collect();
        body += &format!("  printf(\"{format}\\n\"{});\n", values.concat());
    };
    for part in header.split("\nstruct ").skip(1) {
        let Some((name, fields)) = part.split_once(" {") else { continue };
        let fields = fields.split_once("\n};").expect("structures end").0;
        let whole = format!("struct {name}");
        let align = format!("offsetof(struct {{ char c; {whole} of; }}, of)");
        statement(&format!("{name} %lld %lld"), &[format!("sizeof({whole})"), align]);
        for field in fields.split(';').filter(|field| !field.trim().is_empty()) {
            let field = declared(field);
            let size = format!("sizeof(((struct {name} *)0)->{field})");
            let offset = format!("offsetof({whole}, {field})");
            statement(&format!("{name}.{field} %lld %lld"), &[offset, size]);
        }
    }
    for list in between(header, "\nenum ", "\n};") {
        for entry in list.split_once('{').expect("a list").1.split(',') {
            let name = entry.split('=').next().unwrap().trim();
            if !name.is_empty() {
                statement(&format!("{name} %lld"), &[name.to_owned()]);
            }
        }
    }
    for line in header.lines() {
        let Some(definition) = line.trim().strip_prefix("#define ") else { continue };
        let (name, value) = definition.split_once(' ').unwrap_or((definition, ""));
        if value.is_empty() || value.contains("__") || value == "SIGMILL_API" {
            statement(&format!("{name} -"), &[]);
        } else {
            statement(&format!("{name} %lld"), &[name.to_owned()]);
        }
    }
    let head = "#include \"sigmill.h\"\n#include <stddef.h>\n#include <stdio.h>\n";
    format!("{head}int main(void) {{\n{body}  return 0;\n}}\n")
}

/// Compiles and runs; what was printed.
fn printed(source: &str) -> String {
    // nobody else can have made it, nor write there what is then run
    let folder = tempfile::tempdir().expect("a folder");
    let (file, made) = (folder.path().join("abi.c"), folder.path().join("abi"));
    fs::write(&file, source).expect("written");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled =
        Command::new(compiler).arg("-I").arg(include).arg(&file).arg("-o").arg(&made).output();
    let compiled = compiled.expect("a compiler of C");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(made).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

fn assert_same(ours: &BTreeSet<String>, theirs: &BTreeSet<String>) {
    let list = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.difference(b).cloned().collect::<Vec<_>>().join("\n  ")
    };
    assert!(
        ours == theirs,
        "only the library:\n  {}\nonly the header:\n  {}",
        list(ours, theirs),
        list(theirs, ours)
    );
}

#[test]
fn structures_and_numbers_are_those_of_the_header() {
    let mut ours: BTreeSet<String> = numbers_of_the_library().into_iter().collect();
    ours.extend(structures());
    ours.extend(objects().iter().flat_map(Object::lines));
    let theirs = printed(&program(&header())).lines().map(str::to_owned).collect();
    assert_same(&ours, &theirs);
}

/// A function: its name, and for what it gives and takes a letter each: `i`nt, `s`ize, `u`int32_t, uint64_t as `l`, `p`ointer, `v`oid.
fn signature(name: &str, gives: &str, takes: &str) -> String {
    let letter = |kind: &str| match kind.trim() {
        kind if kind.contains('*') || kind.contains('[') => "p",
        kind if kind.starts_with("In<") || kind.starts_with("Out<") => "p",
        kind if kind.starts_with("Handle<") || kind == "Text" => "p",
        kind if kind.starts_with("int ") || kind == "int" || kind == "c_int" => "i",
        kind if kind.starts_with("size_t") || kind == "usize" => "s",
        kind if kind.starts_with("uint32_t") || kind == "u32" => "u",
        kind if kind.starts_with("uint64_t") || kind == "u64" => "l",
        "" | "void" => "",
        kind => panic!("{name}: what is {kind}?"),
    };
    let takes: Vec<&str> = takes.split(',').map(letter).collect();
    format!("{name} {} {}", letter(gives), takes.concat())
}

#[test]
fn functions_are_those_of_the_header() {
    let bare = header();
    let mut theirs = BTreeSet::new();
    for (_, declaration) in declarations(&bare) {
        let (head, takes) = declaration.split_once('(').unwrap();
        let name = declared(head);
        let gives = head.strip_suffix(name).unwrap();
        // parameters that are functions are pointers
        let takes = takes.trim_end().strip_suffix(')').unwrap();
        let takes = takes.replace("sigmill_task *", "void *");
        theirs.insert(signature(name, gives, &takes.replace('\n', " ")));
    }
    assert!(theirs.remove("sigmill_threads i ppps"), "the one that is written in C");
    let mut ours = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(folder).expect("sources") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.ends_with("abi.rs") {
                continue;
            }
            let text = fs::read_to_string(path).expect("text");
            for declaration in between(&text, "pub extern \"C\" fn ", "{") {
                let (name, rest) = declaration.split_once('(').unwrap();
                let (takes, gives) = rest.rsplit_once(')').unwrap();
                let gives =
                    gives.trim().strip_prefix("->").unwrap_or("").replace("*const c_char", "*");
                let kinds: Vec<&str> = takes
                    .split(',')
                    .filter_map(|one| one.split_once(": ").map(|(_, kind)| kind))
                    .collect();
                ours.insert(signature(name, &gives, &kinds.join(",")));
            }
        }
    }
    assert!(ours.remove("sigmill_cpu_detect u "), "the one that only Go's image has");
    assert!(ours.len() > 60, "{} functions", ours.len());
    assert_same(&ours, &theirs);
}

#[test]
fn results_that_say_something_have_to_be_used() {
    let bare = header();
    let mut checked = 0;
    for (is_checked, declaration) in declarations(&bare) {
        let name = declared(declaration.split('(').next().unwrap());
        let says_something = declaration.starts_with("int ") && !name.ends_with("_wipe");
        assert_eq!(is_checked, says_something, "{name}");
        checked += usize::from(is_checked);
    }
    assert!(checked > 50, "{checked} functions");
}
