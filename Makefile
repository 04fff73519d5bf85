# make demo    sets up and runs the main job on real input
# make test    sets up and passes the tests
# The other targets are parts of these, or heavier work that CI runs in a short form.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
SECONDS ?= 60
ARGS ?=

.PHONY: help setup demo test nightly check test-long fmt lint unit portable fields features msrv package deny generated ct ct-long flaws crosscheck bench plots fuzz fuzz-short test-platforms c c-long dist-c go go-long go-generated generated-short python python-long python-spark spark-short clean rustls rustls-upstream downstream downstream-go downstream-c downstream-rustls downstream-python downstream-short public-api unoptimised report-page scale

help:
	@grep -E '^# make|^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /  /; s/^# //'

setup: ## installs what the targets need and the machine lacks
	@tools/setup

demo: ## signatures of other programs and a million of our own, checked from files
	@tools/setup openssl python
	$(CARGO) build --release --locked -p sigmill-cli -p sigmill-capi -p sigmill-python --bins --lib --example demo_table
	demo/run
	demo/c $${CARGO_TARGET_DIR:-target}/release/libsigmill_capi.a
	demo/go
	tools/python demo

# Each commit has one of these, the next commit the next one (tools/rotation); make nightly has them all.
FLAW_PARTS = 16
FUZZ_PARTS = columns-entry_points keyfile-points rules-serde
IN_TURNS = $(addprefix flaws-,$(shell seq $(FLAW_PARTS))) $(addprefix fields-,$(FIELD_FORMS)) $(addprefix fuzz-short-,$(FUZZ_PARTS)) \
  spark-short generated-short report-page

test: ## everything below, with the seconds of each step; of what has many forms others at each commit
	@tools/setup
	tools/steps fmt lint unit c+go+python portable features msrv package deny generated ct '$(subst $() ,|,$(strip $(IN_TURNS)))'

nightly: ## the same with all forms of everything, and the long tests: hours
	@tools/setup
	ALL=1 tools/steps fmt lint unit c c-long go-long python-long python-spark portable unoptimised fields features msrv package deny generated ct-long flaws fuzz-short public-api rustls test-long dist-c downstream-python

check: ## format, clippy, layers and the library's own tests: while working
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets --all-features
	$(CARGO) test --locked --quiet --workspace --all-features --lib --test house

test-long: ## the long forms of tests, in release: hours
	SECP384R1_FUZZ_ITERATIONS=250000 \
	  $(CARGO) test --locked --release -p sigmill --all-features --test ecdsa -- differential --nocapture
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --all-features --test ed25519 -- bulk:: x25519::
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --lib divsteps -- --nocapture
	SIGMILL_LONG=1 $(CARGO) test --locked -p sigmill-cli --test all memory_does -- --nocapture

fmt: ## sources are formatted
	$(CARGO) fmt --all --check

lint: ## clippy without warnings, documentation without warnings, flaws that fit the code, turns that come round
	tools/flaws apply
	tools/check-rotation
	$(CARGO) clippy --locked --workspace --all-targets --all-features
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --all-features

unit: ## unit, vector, incident, interface, guard and command-line tests
	$(CARGO) test --locked --workspace --all-features

LIBRARY = $${CARGO_TARGET_DIR:-target}/debug/libsigmill_capi.a

c: ## the C face: its tests and those of the drop-in for ed25519-donna, in C
	$(CARGO) build --locked --workspace --all-features --lib
	capi/tests/run $(LIBRARY)
	SIGMILL_TEST_SHORT=5 capi/tests/donna $(LIBRARY)

c-long: ## the same under Valgrind and the sanitizers, and with the library as it is shipped, examples, programs of others
	$(CARGO) build --locked --workspace --all-features --lib
	capi/tests/sanitize $(LIBRARY)
	capi/tests/valgrind $(LIBRARY)
	$(MAKE) -C capi
	LIMITS=1 capi/tests/run target/capi/libsigmill.a
	LIMITS=1 capi/tests/donna target/capi/libsigmill.a
	examples/c/run
	examples/c/real-program

# What depends on the fields: not containers. Of ECDSA not what takes long (comparison with other crates)
# and not what is the same with each of them (all backends by type). Bulk operations choose their backends
# themselves.
FIELD_TESTS-inside = --lib --test wiping
FIELD_TESTS-outside = $(addprefix --test ,ed25519 ecdsa)
CPU_TESTS = $(addprefix --test ,ed25519 ecdsa)
NOT_FIELD_TESTS = $(addprefix --skip ,arithmetic_modulo divsteps encoding differential:: roots_of_this)
NOT_CPU_TESTS = $(NOT_FIELD_TESTS) $(addprefix --skip ,bulk torsion:: outside_vectors::)
FIELD_FORMS = $(foreach tests,inside outside,$(addsuffix -$(tests),u32x10 fiat64 fiat32))

portable: ## tests of Ed25519, X25519 and ECDSA as on a CPU without any features
	SIGMILL_TEST_CPU=none $(CARGO) test --locked --quiet --workspace --all-features $(CPU_TESTS) -- $(NOT_CPU_TESTS)

unoptimised: ## tests of Ed25519, X25519 and ECDSA as a program that is not optimised has them, without lanes
	$(CARGO) test --locked --quiet -p sigmill --all-features $(CPU_TESTS) \
	  --config profile.dev.package.sigmill.opt-level=0 --target-dir target/unoptimised -- --skip differential::

fields: $(addprefix fields-,$(FIELD_FORMS)) ## the tests that depend on it with each field backend that is not the default

fields-%:
	RUSTC_WORKSPACE_WRAPPER=$$PWD/tools/rustc/$(firstword $(subst -, ,$*)) \
	  $(CARGO) test --locked --quiet --workspace --all-features $(FIELD_TESTS-$(lastword $(subst -, ,$*))) -- $(NOT_FIELD_TESTS)

FEATURES = alloc std ecdsa x25519 bulk getrandom rayon containers pkcs8 pem digest hazmat rand_core serde base64 curve25519-dalek \
  elliptic-curve batch fast asm zeroize

DALEK2_FEATURES = std alloc batch curve25519-dalek digest getrandom hazmat pem pkcs8 rand_core serde x25519 asm fast zeroize

features: ## the libraries without std, without an allocator, and with each feature alone
	$(CARGO) check --locked -p sigmill --lib --no-default-features
	$(CARGO) check --locked -p sigmill-dalek2 --lib --no-default-features
	features=$$(tools/rotation 3 feature $(FEATURES)); for feature in $$features; do \
	  $(CARGO) check --locked -p sigmill --lib --no-default-features --features $$feature; \
	done
	features=$$(tools/rotation 1 'feature of sigmill-dalek2' $(DALEK2_FEATURES)); for feature in $$features; do \
	  $(CARGO) check --locked -p sigmill-dalek2 --lib --no-default-features --features $$feature; \
	done
	tools/crate-count 21

MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml).0

msrv: ## the library with the oldest Rust that is promised, where it can be had; by night the command line too
	@if $(CARGO) +$(MSRV) --version >/dev/null 2>&1 || rustup toolchain install $(MSRV) --profile minimal >/dev/null 2>&1; then \
	  $(CARGO) +$(MSRV) check --locked -p sigmill --lib --all-features --target-dir target/msrv; \
	  if [ -n "$${ALL:-}" ]; then $(CARGO) +$(MSRV) check --locked -p sigmill-cli --target-dir target/msrv; \
	  else echo "not run at this commit: the command line with Rust $(MSRV) (make nightly)"; fi; \
	else \
	  echo "not run here: the build with Rust $(MSRV) (rustup cannot install it)"; \
	fi

UNPACKED = target/package/unpacked

package: ## the libraries can be published, and what is published builds, of sigmill-dalek2 on what is of sigmill
	rm -rf target/package/*.crate $(UNPACKED)
	$(CARGO) package --locked --allow-dirty --no-verify -p sigmill
	$(CARGO) package --locked --allow-dirty --no-verify --exclude-lockfile -p sigmill-dalek2
	for package in sigmill sigmill-dalek2; do \
	  mkdir -p $(UNPACKED)/$$package; \
	  tar -xmf target/package/$$package-[0-9]*.crate -C $(UNPACKED)/$$package --strip-components 1; \
	done
	$(CARGO) check --locked --manifest-path $(UNPACKED)/sigmill/Cargo.toml --target-dir target/package/built
	cp Cargo.lock $(UNPACKED)/sigmill-dalek2
	$(CARGO) check --manifest-path $(UNPACKED)/sigmill-dalek2/Cargo.toml --target-dir target/package/built \
	  --config 'patch.crates-io.sigmill.path="$(UNPACKED)/sigmill"'

public-api: ## what the Rust packages have in public is what docs/public-api says; ARGS=record writes that (nightly Rust)
	@tools/setup public-api
	tools/public-api $(ARGS)

deny: ## licences, sources, banned crates, and advisories where their database can be had
	$(CARGO) deny --workspace check bans licenses sources
	$(CARGO) deny --manifest-path rustls/Cargo.toml check bans licenses sources
	tools/advisories

generated: ## generated files are as their programs make them
	$(CARGO) build --locked --workspace --all-features --bin sigmill-gen
	target/debug/sigmill-gen tables --check
	target/debug/sigmill-gen vectors --check

ct: ## signing and key handling under Valgrind, in object code and by the clock, release build
	tools/constant-time

ct-long: ## the same with every field and more measurements
	tools/constant-time long

flaws: ## each flaw of tests/flaws is put in and must be found
	tools/flaws all

flaws-%:
	tools/flaws part $* $(FLAW_PARTS)

crosscheck: ## the frozen verdicts against other programs, row by row; ECDSA and its DER against two
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml -- ecdsa
	node gen/crosscheck/node.js

go: ## the Go module: its tests with assembly and in pure Go, and its matrix of verdicts
	go/check

go-long: ## the same with all rows, the race detector, ways of linking, releases of Go, staticcheck, Arrow, a module proxy, and fuzzing
	go/check long

go-generated: ## the Go module's assembly texts and its copy of sigmill.h are as they are made now: minutes
	@tools/setup-platforms assembly
	go/generate --check

# what changes seldom and takes long
generated-short: ## those for amd64 are as they are made now, and all fuzz targets compile
	go/generate --check amd64
	$(CARGO) check --locked --manifest-path fuzz/Cargo.toml --features tables --bins --target-dir target

python: ## the Python package: its tests, types, and the frozen vectors by every way in
	@tools/setup python
	tools/python test

python-long: ## the same with the library as it is shipped, what takes minutes, and the oldest libraries; the wheel, installed by pip alone
	@tools/setup python spark
	tools/python long
	tools/python lowest
	tools/python wheel

spark-short: ## the frozen vectors through a Spark on this machine, and its tests
	@tools/setup python spark
	tools/python spark tests/test_matrix_frames.py tests/test_spark.py

python-spark: ## a Spark on this machine, and other engines beyond one
	@tools/setup python spark
	tools/python spark

RUSTLS_PACKAGE = rustls/target/package/unpacked

rustls: ## the provider for rustls: its tests, in memory and with OpenSSL's command line; its package builds
	@tools/setup openssl
	$(CARGO) fmt --all --check --manifest-path rustls/Cargo.toml
	$(CARGO) clippy --locked --manifest-path rustls/Cargo.toml --workspace --all-targets
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --manifest-path rustls/Cargo.toml --no-deps
	$(CARGO) test --locked --quiet --manifest-path rustls/Cargo.toml
	rm -rf rustls/target/package/*.crate $(RUSTLS_PACKAGE) && mkdir -p $(RUSTLS_PACKAGE)
	$(CARGO) package --quiet --allow-dirty --no-verify --exclude-lockfile --manifest-path rustls/Cargo.toml --target-dir rustls/target
	tar -xmf rustls/target/package/sigmill-rustls-*.crate -C $(RUSTLS_PACKAGE) --strip-components 1
	cp rustls/Cargo.lock $(RUSTLS_PACKAGE)
	$(CARGO) check --manifest-path $(RUSTLS_PACKAGE)/Cargo.toml --target-dir rustls/target/package/built \
	  --config 'patch.crates-io.sigmill.path="sigmill"'

rustls-upstream: ## webpki's own tests on the provider; ARGS="rustls --source FOLDER": rustls' own, from a checkout
	rustls/tests/upstream $(ARGS)

dist-c: ## the source package for C, which needs no Rust: PLATFORMS="x86_64-linux …", checked; AGAIN=1 makes it twice
	@[ "$${PLATFORMS:-}" = x86_64-linux ] || tools/setup-platforms assembly
	capi/dist/make
	capi/dist/check target/dist/sigmill-c-*.tar.gz

clean:
	$(CARGO) clean

bench: ## times of ours and other libraries: ARGS="--ops … --n … --engines … --seconds 20 --out FILE"
	@tools/setup bench
	bench/run $(ARGS)

plots: ## docs/plots from the newest record, or from ARGS=RECORD
	@tools/setup plots
	bench/plots $(ARGS)

scale: ## what very many signatures take, measured with Arrow and Spark (docs/scale.md): ARGS="--price 'MACHINE=USD@DATE'"; minutes
	@tools/setup python spark
	tools/python scale --record --write docs/scale.md $(ARGS)

fuzz: ## each fuzz target for SECONDS (nightly Rust)
	@tools/setup fuzz
	fuzz/run $(SECONDS)

fuzz-short: $(addprefix fuzz-short-,$(FUZZ_PARTS)) ## the light fuzz targets, five seconds each and built in a hurry, where there is nightly Rust

fuzz-short-%:
	@if ! $(CARGO) +nightly --version >/dev/null 2>&1; then \
	  echo "not run here: fuzz targets $(subst -, ,$*) (no nightly Rust)"; \
	else \
	  tools/setup fuzz; \
	  FUZZ_SANITIZER=none CARGO_PROFILE_RELEASE_OPT_LEVEL=0 fuzz/run 5 $(subst -, ,$*); \
	fi

test-platforms: ## the library's tests on other platforms: 32-bit, big-endian, Arm, WebAssembly, bare metal, older CPUs
	@tools/setup-platforms
	tools/platforms

report-page: ## pages of `check --report` in Chromium: light, dark, print and as wide as a phone, nothing from the network
	@tools/setup report-page
	$(CARGO) build --locked -p sigmill-cli
	tools/report-page $${CARGO_TARGET_DIR:-target}/debug/sigmill

downstream: $(if $(ARGS),,downstream-go downstream-c downstream-rustls downstream-python) ## programs of others, from their registries, built and tested on sigmill: ARGS="--limit SECONDS CRATE …" for some in Rust; an hour
	tests/downstream/run $(ARGS)

downstream-go: ## those in Go, with changed imports: ARGS="--limit SECONDS PROGRAM …"
	tests/downstream/go $(ARGS)

downstream-c: ## those in C, by NaCl's names: ARGS="PROGRAM …"
	tests/downstream/c $(ARGS)

downstream-rustls: ## hyper-rustls, reqwest and quinn with the provider for rustls as the default of the process
	CARGO_PROFILE_DEV_DEBUG=false $(CARGO) test --manifest-path tests/downstream/rustls/Cargo.toml --target-dir $${CARGO_TARGET_DIR:-target}/downstream/rustls

downstream-python: ## those in Python, with changed imports: PROGRAMS="--before PyJWT …"
	@tools/setup python
	tests/downstream/python $(PROGRAMS)

downstream-short: ## a few of them, for each day
	tests/downstream/run ed25519-dalek-bip32
	tests/downstream/go nkeys sumdb-note
	tests/downstream/c signify
