//! Every way of verifying, asked about one signature or a table of them and compared with the slow
//! reference.

use crate::reference::{self, Facts};
use sigmill::bulk::{Backend, Column, Engine, Scratch, Spec, Specs, Strategy, Table};
use sigmill::bulk::{scratch_len, verify_into};
use sigmill::ed25519::hazmat::{raw_verify, raw_verify_prehashed};
use sigmill::ed25519::rules::{COMMON, STRICT};
use sigmill::ed25519::{
    ContextString, Digest, DigestVerifier, Explanation, MultipartVerifier, PreparedKey, Rule,
    Sha512, Signature, SignatureError, StreamVerifier, Variant, Verifier, VerifyingKey, rules,
    verify_batch, verify_batch_with, verify_bytes,
};
use sigmill::{Reason, Verdict};
use std::error::Error;

/// A signature with its key and message.
pub struct Case {
    pub key: [u8; 32],
    pub message: Vec<u8>,
    pub signature: [u8; 64],
}

/// A case and what the reference says about it.
pub struct Judged<'a> {
    variant: Variant<'a>,
    kind: reference::Variant,
    context: &'a [u8],
    case: Case,
    facts: Result<Facts, &'static str>,
    key: Option<VerifyingKey>,
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "ok",
        Verdict::Invalid(reason) => reason.name(),
    }
}

/// The name of the reason inside the error of a function in the names of `ed25519-dalek`.
fn name_of(result: Result<(), SignatureError>) -> &'static str {
    match result {
        Ok(()) => "ok",
        Err(error) => {
            let source = error.source().expect("an error has a source");
            source.downcast_ref::<Reason>().expect("it is the reason").name()
        }
    }
}

impl<'a> Judged<'a> {
    pub fn new(kind: reference::Variant, context: &'a [u8], case: Case) -> Self {
        let string = ContextString::new(context).expect("at most 255 bytes");
        let variant = match kind {
            reference::Variant::Pure => Variant::Pure,
            reference::Variant::Ctx => Variant::Ctx(string),
            reference::Variant::Ph => Variant::Ph(string),
        };
        let facts = reference::facts(kind, context, &case.key, &case.message, &case.signature);
        let key = VerifyingKey::decode(&case.key).ok();
        let judged = Judged { variant, kind, context, case, facts, key };
        let decodes = judged.facts.as_ref().expect("the lengths are right").a.is_some();
        assert_eq!(judged.key.is_some(), decodes);
        judged
    }

    /// The verdict of the reference.
    fn wanted(&self, rule: &Rule) -> &'static str {
        reference::verdict(rule.name(), &self.facts)
    }

    fn signature(&self) -> Signature {
        Signature::from_bytes(&self.case.signature)
    }

    /// Every way of verifying one signature.
    pub fn one_by_one(&self) {
        let Case { key, message, signature } = &self.case;
        let explained = Explanation::new(self.variant, key, message, signature);
        for rule in rules::ALL {
            let wanted = self.wanted(rule);
            let got = verify_bytes(rule, self.variant, key, message, signature);
            assert_eq!(name(got), wanted, "verify_bytes {rule}");
            assert_eq!(name(explained.verdict(rule)), wanted, "Explanation {rule}");
        }
        let Some(key) = &self.key else { return };
        let (prepared, signature) = (PreparedKey::new(key), self.signature());
        for rule in rules::ALL {
            let wanted = self.wanted(rule);
            let got = key.verify_with(rule, self.variant, message, &signature);
            assert_eq!(name(got), wanted, "verify_with {rule}");
            let got = prepared.verify_with(rule, self.variant, message, &signature);
            assert_eq!(name(got), wanted, "PreparedKey {rule}");
        }
        match self.kind {
            reference::Variant::Pure => self.pure(key, &prepared, &signature),
            reference::Variant::Ctx => {}
            reference::Variant::Ph => self.prehashed(key, &signature),
        }
    }

    /// What takes pure Ed25519 only.
    fn pure(&self, key: &VerifyingKey, prepared: &PreparedKey, signature: &Signature) {
        let message = &self.case.message;
        let (common, strict) = (self.wanted(&COMMON), self.wanted(&STRICT));
        assert_eq!(name_of(Verifier::verify(key, message, signature)), common, "Verifier");
        assert_eq!(name_of(Verifier::verify(prepared, message, signature)), common, "prepared");
        assert_eq!(name_of(key.verify_strict(message, signature)), strict, "verify_strict");
        assert_eq!(name_of(raw_verify::<Sha512>(key, message, signature)), common, "raw_verify");
    }

    /// What takes Ed25519ph only.
    fn prehashed(&self, key: &VerifyingKey, signature: &Signature) {
        let hash = || Sha512::new_with_prefix(&self.case.message);
        let digest: [u8; 64] = hash().finalize().into();
        let context = ContextString::new(self.context).expect("at most 255 bytes");
        for rule in rules::ALL {
            let got = key.verify_prehashed_with(rule, context, &digest, signature);
            assert_eq!(name(got), self.wanted(rule), "verify_prehashed_with {rule}");
        }
        let (common, strict) = (self.wanted(&COMMON), self.wanted(&STRICT));
        let contexts = [Some(self.context), None];
        let contexts = &contexts[..1 + usize::from(self.context.is_empty())];
        for context in contexts.iter().copied() {
            let got = key.verify_prehashed(hash(), context, signature);
            assert_eq!(name_of(got), common, "verify_prehashed");
            let got = key.verify_prehashed_strict(hash(), context, signature);
            assert_eq!(name_of(got), strict, "verify_prehashed_strict");
            let got = raw_verify_prehashed::<Sha512, Sha512>(key, hash(), context, signature);
            assert_eq!(name_of(got), common, "raw_verify_prehashed");
        }
        let feed = |digest: &mut Sha512| {
            Digest::update(digest, &self.case.message);
            Ok(())
        };
        let with_context = key.with_context(self.context).expect("at most 255 bytes");
        assert_eq!(name_of(with_context.verify_digest(feed, signature)), common, "verify_digest");
        if self.context.is_empty() {
            assert_eq!(name_of(key.verify_digest(feed, signature)), common, "verify_digest");
        }
    }

    /// A message that comes in pieces.
    pub fn in_pieces(&self, cut: usize) {
        let Some(key) = &self.key else { return };
        let (message, signature) = (&self.case.message, self.signature());
        let (head, tail) = message.split_at(cut.min(message.len()));
        for rule in rules::ALL {
            let mut verifier = StreamVerifier::new(rule, self.variant, key, &signature);
            verifier.update(head);
            tail.chunks(cut.max(1)).for_each(|piece| verifier.update(piece));
            let again = verifier.clone();
            assert_eq!(name(verifier.finish()), self.wanted(rule), "StreamVerifier {rule}");
            assert_eq!(name_of(again.finalize_and_verify()), self.wanted(rule), "{rule}");
        }
        if self.kind == reference::Variant::Pure {
            let common = self.wanted(&COMMON);
            let got = key.multipart_verify(&[head, b"", tail], &signature);
            assert_eq!(name_of(got), common, "MultipartVerifier");
            match key.verify_stream(&signature) {
                Ok(mut verifier) => {
                    verifier.update(head);
                    verifier.update(tail);
                    assert_eq!(name_of(verifier.finalize_and_verify()), common, "verify_stream");
                }
                // it says so before it has seen the message, whatever else is wrong
                Err(error) => {
                    assert_eq!(name_of(Err(error)), "s_out_of_range");
                    assert!(self.facts.as_ref().is_ok_and(|f| f.s >= reference::order()));
                }
            }
        }
    }

    /// The same bytes cut or lengthened.
    pub fn with_lengths(&self, key_length: usize, signature_length: usize) {
        let resized = |bytes: &[u8], len| {
            let mut bytes = bytes.to_vec();
            bytes.resize(len, 0);
            bytes
        };
        let Case { key, message, signature } = &self.case;
        let key = resized(key, key_length);
        let signature = resized(signature, signature_length);
        let facts = reference::facts(self.kind, self.context, &key, message, &signature);
        for rule in rules::ALL {
            let got = verify_bytes(rule, self.variant, &key, message, &signature);
            assert_eq!(name(got), reference::verdict(rule.name(), &facts), "lengths {rule}");
        }
        assert!(key_length == 32 || VerifyingKey::decode(&key).is_err());
    }
}

/// Many signatures with keys that are decoded already.
pub fn batch(rows: &[&Judged]) {
    let keys: Option<Vec<VerifyingKey>> = rows.iter().map(|row| row.key).collect();
    let Some(keys) = keys else { return };
    let messages: Vec<&[u8]> = rows.iter().map(|row| &row.case.message[..]).collect();
    let signatures: Vec<Signature> = rows.iter().map(|row| row.signature()).collect();
    let variant = rows[0].variant;
    for rule in rules::ALL {
        let got = verify_batch_with(rule, variant, &messages, &signatures, &keys);
        let got: Vec<_> = got.expect("equal lengths").into_iter().map(name).collect();
        let wanted: Vec<_> = rows.iter().map(|row| row.wanted(rule)).collect();
        assert_eq!(got, wanted, "verify_batch_with {rule}");
    }
    if rows[0].kind == reference::Variant::Pure {
        let wanted = rows.iter().map(|row| row.wanted(&COMMON)).find(|name| *name != "ok");
        let got = name_of(verify_batch(&messages, &signatures, &keys));
        assert_eq!(got, wanted.unwrap_or("ok"), "verify_batch");
    }
}

/// A table of bytes, under one rule and with a rule per row.
pub fn table(rows: &[&Judged]) {
    let count = rows.len();
    let keys: Vec<u8> = rows.iter().flat_map(|row| row.case.key).collect();
    let signatures: Vec<u8> = rows.iter().flat_map(|row| row.case.signature).collect();
    let messages: Vec<u8> = rows.iter().flat_map(|row| row.case.message.clone()).collect();
    let mut offsets = vec![0];
    for row in rows {
        offsets.push(
            offsets[offsets.len() - 1] + i32::try_from(row.case.message.len()).expect("short"),
        );
    }
    let keys = Column::fixed(&keys, 32, count, None).expect("keys");
    let messages = Column::binary(&offsets, &messages, None).expect("messages");
    let signatures = Column::fixed(&signatures, 64, count, None).expect("signatures");
    let variant = rows[0].variant;
    let distinct = rules::ALL.map(|rule| Spec::ed25519(rule, variant));
    let index: Vec<u32> = (0..count as u32).collect();
    let specs = distinct
        .iter()
        .map(|spec| Specs::Same(*spec))
        .chain([Specs::PerRow { distinct: &distinct, index: &index }]);
    for specs in specs {
        let rule = |row: usize| match &specs {
            Specs::Same(Spec::Ed25519 { rule, .. }) => *rule,
            _ => *rules::ALL[row],
        };
        let wanted: Vec<_> =
            rows.iter().enumerate().map(|(i, row)| Some(row.wanted(&rule(i)))).collect();
        let table = Table::new(keys, messages, signatures, specs).expect("equal lengths");
        let names = |outcomes: &[Option<Verdict>]| -> Vec<_> {
            outcomes.iter().map(|outcome| outcome.map(name)).collect()
        };
        for backend in Backend::ALL {
            // a CPU that lacks the backend says so, and has nothing to compare
            let Ok(engine) = Engine::new().deterministic().with_backend(backend) else { continue };
            for strategy in Strategy::ALL {
                let engine = engine.with_strategy(strategy);
                let (outcomes, _) = engine.verify(&table).expect("no randomness is asked for");
                assert_eq!(names(&outcomes), wanted, "{backend} {strategy} {specs:?}");
            }
        }
        let mut outcomes = vec![None; count];
        let mut scratch = vec![Scratch::new(); scratch_len(count)];
        verify_into(&table, &mut outcomes, &mut scratch).expect("enough of both");
        assert_eq!(names(&outcomes), wanted, "bulk::verify_into {specs:?}");
    }
}
