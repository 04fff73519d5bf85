# make demo    sets up and runs the main job on real input
# make test    sets up and passes the tests
# The other targets are parts of these, or heavier work that CI runs in a short form.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
SECONDS ?= 60
ARGS ?=

.PHONY: help setup demo test test-long fmt lint unit fields features package deny generated ct flaws flaws-short crosscheck bench plots fuzz fuzz-short test-platforms clean

help:
	@grep -E '^# make|^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /  /; s/^# //'

setup: ## installs what the targets need and the machine lacks
	@tools/setup

demo: ## signatures of other programs and a million of our own, checked from files
	@tools/setup openssl
	$(CARGO) build --release --locked -p sigmill-cli --bins --examples
	demo/run

test: ## everything below, with the seconds of each step
	@tools/setup
	tools/steps fmt lint unit fields features package deny generated ct flaws-short fuzz-short

test-long: ## the long forms of tests, in release: hours
	SECP384R1_FUZZ_ITERATIONS=250000 \
	  $(CARGO) test --locked --release -p sigmill --all-features --test ecdsa -- differential --nocapture
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --all-features --test bulk --test x25519
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --lib divsteps -- --nocapture

fmt: ## sources are formatted
	$(CARGO) fmt --all --check

lint: ## clippy without warnings, documentation without warnings, fuzz targets that compile
	$(CARGO) clippy --locked --workspace --all-targets --all-features
	$(CARGO) check --locked --manifest-path fuzz/Cargo.toml --features tables --bins --target-dir target/fuzz-check
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --all-features

unit: ## unit, vector, incident, interface, guard and command-line tests
	$(CARGO) test --locked --workspace --all-features

# What depends on the fields: not containers. Of ECDSA not what takes long (comparison with other crates)
# and not what is the same in each of these builds (all backends by type).
FIELD_TESTS = --lib $(addprefix --test ,bulk bulk_signing ecdsa incidents outside_vectors torsion verdicts wiping x25519)
NOT_FIELD_TESTS = $(addprefix --skip ,arithmetic_modulo divsteps encoding differential roots_of_this)

fields: ## the tests of Ed25519, X25519 and ECDSA without CPU features and with each field backend that is not the default
	RUSTFLAGS='--cfg sigmill_cpu="portable"' $(CARGO) test --locked --quiet -p sigmill --all-features \
	  --test ecdsa --test incidents --test verdicts --test x25519 --target-dir target/portable -- $(NOT_FIELD_TESTS)
	rm -rf target/portable
	for field in u32x10 fiat64 fiat32; do \
	  RUSTFLAGS="--cfg sigmill_field=\"$$field\"" \
	    $(CARGO) test --locked --quiet -p sigmill --all-features $(FIELD_TESTS) --target-dir target/field-$$field \
	      -- $(NOT_FIELD_TESTS); \
	  rm -rf target/field-$$field; \
	done

features: ## the library without std, without an allocator, and with each feature alone
	$(CARGO) check --locked -p sigmill --lib --no-default-features
	for feature in alloc std rayon pkcs8 pem digest hazmat rand_core serde base64 batch fast asm zeroize; do \
	  $(CARGO) check --locked -p sigmill --lib --no-default-features --features $$feature; \
	done
	$(CARGO) check --locked -p sigmill --lib --all-features
	tools/crate-count 21

package: ## the library can be published
	$(CARGO) package --locked --allow-dirty -p sigmill

deny: ## licences, sources and banned crates
	$(CARGO) deny --workspace check bans licenses sources

generated: ## generated files are as their programs make them
	$(CARGO) run --locked --release -p sigmill-gen -- tables --check
	$(CARGO) run --locked --release -p sigmill-gen -- vectors --check

ct: ## signing and key handling under Valgrind, in object code and by the clock, release build
	tools/constant-time

flaws: ## each flaw of tests/flaws is put in and must be found
	tools/flaws all

flaws-short:
	tools/flaws rotation

crosscheck: ## the frozen verdicts against other programs, row by row; ECDSA and its DER against two
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml -- ecdsa

clean:
	$(CARGO) clean

bench: ## times of ours and other libraries: ARGS="--ops … --n … --engines … --seconds 20 --out FILE"
	@tools/setup bench
	bench/run $(ARGS)

plots: ## docs/plots from the newest record, or from ARGS=RECORD
	@tools/setup plots
	bench/plots $(ARGS)

fuzz: ## each fuzz target for SECONDS (nightly Rust)
	@tools/setup fuzz
	fuzz/run $(SECONDS)

fuzz-short: ## the light fuzz targets, five seconds each, where there is nightly Rust
	@if $(CARGO) +nightly --version >/dev/null 2>&1; then \
	  tools/setup fuzz && fuzz/run 5 columns entry_points keyfile points rules serde; \
	else \
	  echo "not run here: fuzz targets (no nightly Rust)"; \
	fi

test-platforms: ## the library's tests on other platforms: 32-bit, big-endian, Arm, WebAssembly, bare metal, older CPUs
	@tools/setup-platforms
	tools/platforms
