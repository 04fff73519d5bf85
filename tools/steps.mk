# The steps of `make test` and `make nightly`, and what runs seldom: targets that `make help` does not list. The Makefile
# includes this file, and tools/steps runs them one after the other.

# Fields that secrets are computed with in other builds.
OTHER_FIELDS = u32x10 fiat64 fiat32

.PHONY: test-long fmt lint unit c c-long portable unoptimised fields features msrv package public-api deny generated panics \
  ct ct-code ct-clock ct-long $(addprefix ct-,$(OTHER_FIELDS)) \
  flaws crosscheck go go-long go-shipped fuzz-check python python-long spark-short python-spark plugs rustls shipped proofs proofs-short proofs-changed proofs-tests proofs-batch js js-long js-lint js-bench page rustls-upstream \
  clean install scale bench-jws fuzz-short report-page around downstream-go downstream-c downstream-rustls downstream-python downstream-short

# The long forms of tests, in release: hours.
test-long:
	SECP384R1_FUZZ_ITERATIONS=250000 \
	  $(CARGO) test --locked --release -p sigmill --all-features --test ecdsa -- differential --nocapture
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --all-features --test ed25519 -- bulk:: x25519::
	SIGMILL_LONG=1 $(CARGO) test --locked --release -p sigmill --lib divsteps -- --nocapture
	SIGMILL_LONG=1 $(CARGO) test --locked -p sigmill-cli --test all memory_does -- --nocapture

# Sources are formatted.
fmt:
	$(CARGO) fmt --all --check

# Flaws fit the code; turns come round; programs for other platforms, which are built there alone, have the library's dependencies; the
# library's documentation has no warnings. Clippy looks on where tests are compiled.
lint:
	tools/flaws apply
	tools/check-rotation
	$(CARGO) metadata --locked --format-version 1 --manifest-path tests/platforms/Cargo.toml >/dev/null
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked -p sigmill --no-deps --all-features

# Around the library: pages of reports in a browser, the documentation of the other packages, plugs into programs of others.
around: report-page plugs js js-lint
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --exclude sigmill --no-deps --all-features

# Tests are compiled and linted in one run of the compiler.
LINTED = RUSTC_WORKSPACE_WRAPPER=$$PWD/tools/rustc/linted

# Unit, vector, incident, interface, guard and command-line tests.
unit:
	$(LINTED) $(CARGO) test --locked --workspace --all-features

LIBRARY = $${CARGO_TARGET_DIR:-target}/debug/libsigmill_capi.a
# Examples have the features that tests ask of the packages: without them all are built once more.
BUILD = $(LINTED) $(CARGO) build --locked --workspace --all-features --examples

# The C face: its tests and those of the drop-in for ed25519-donna, in C.
c:
	$(BUILD) --lib
	capi/tests/run $(LIBRARY)
	SIGMILL_TEST_SHORT=15 capi/tests/donna $(LIBRARY)

# The C face under Valgrind and the sanitizers, and as it is shipped; examples; programs of others.
c-long:
	$(BUILD) --lib
	capi/tests/sanitize $(LIBRARY)
	capi/tests/valgrind $(LIBRARY)
	$(MAKE) -C capi
	LIMITS=1 capi/tests/run target/capi/libsigmill.a
	LIMITS=1 capi/tests/donna target/capi/libsigmill.a
	examples/c/run
	examples/c/real-program

# Tests that depend on the fields: not those of containers. Of ECDSA's, comparison with other crates takes too long, and
# tests of all backends by type are the same with each field. Bulk operations choose their backends themselves.
FIELD_TESTS-inside = --lib --test wiping
FIELD_TESTS-outside = $(addprefix --test ,ed25519 ecdsa)
CPU_TESTS = $(addprefix --test ,ed25519 ecdsa)
NOT_FIELD_TESTS = $(addprefix --skip ,arithmetic_modulo encoding differential:: roots_of_this)
NOT_CPU_TESTS = $(NOT_FIELD_TESTS) $(addprefix --skip ,bulk torsion:: outside_vectors::)
FIELD_FORMS = $(foreach tests,inside outside,$(addsuffix -$(tests),u32x10 fiat64 fiat32))

# Tests of Ed25519, X25519 and ECDSA as on a CPU without any features.
portable:
	SIGMILL_TEST_CPU=none $(CARGO) test --locked --quiet --workspace --all-features $(CPU_TESTS) -- $(NOT_CPU_TESTS)

# Tests of Ed25519, X25519 and ECDSA as a program that is not optimised has them, without lanes.
unoptimised:
	$(CARGO) test --locked --quiet -p sigmill --all-features $(CPU_TESTS) \
	  --config profile.dev.package.sigmill.opt-level=0 --target-dir target/unoptimised -- --skip differential::

# Tests that depend on the field, with each backend that is not the default.
fields: $(addprefix fields-,$(FIELD_FORMS))

fields-%:
	RUSTC_WORKSPACE_WRAPPER=$$PWD/tools/rustc/$(firstword $(subst -, ,$*)) \
	  $(CARGO) test --locked --quiet --workspace --all-features $(FIELD_TESTS-$(lastword $(subst -, ,$*))) -- $(NOT_FIELD_TESTS)

FEATURES = alloc std ecdsa x25519 bulk getrandom rayon containers pkcs8 pem digest hazmat rand_core serde base64 curve25519-dalek \
  elliptic-curve batch fast asm zeroize

DALEK2_FEATURES = std alloc batch curve25519-dalek digest getrandom hazmat pem pkcs8 rand_core serde x25519 asm fast zeroize

# The libraries without std, without an allocator, and with each feature alone.
features:
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

# The library with the oldest Rust that is promised, where it can be had; by night the command line too.
msrv:
	@if $(CARGO) +$(MSRV) --version >/dev/null 2>&1 || rustup toolchain install $(MSRV) --profile minimal >/dev/null 2>&1; then \
	  $(CARGO) +$(MSRV) check --locked -p sigmill --lib --all-features --target-dir target/msrv; \
	  if [ -n "$${ALL:-}" ]; then $(CARGO) +$(MSRV) check --locked -p sigmill-cli --target-dir target/msrv; \
	  else echo "not run at this commit: the command line with Rust $(MSRV) (make nightly)"; fi; \
	else \
	  echo "not run here: the build with Rust $(MSRV) (rustup cannot install it)"; \
	fi

UNPACKED = target/package/unpacked

# The libraries can be published, and the packages build: sigmill-dalek2 on the package of sigmill.
package:
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

# The public surface of the Rust packages is that of docs/public-api; ARGS=record writes it (nightly Rust).
public-api:
	@tools/setup public-api
	tools/public-api $(ARGS)

# Licences, sources, banned crates, and advisories where their database can be had.
deny:
	$(CARGO) deny --workspace check bans licenses sources
	$(CARGO) deny --manifest-path rustls/Cargo.toml check bans licenses sources
	$(CARGO) deny --manifest-path plugs/Cargo.toml check bans licenses sources
	tools/advisories

# Places of the library that could panic are those of proofs/panics/list.csv; ARGS=record writes the list, ARGS=sites prints it.
panics:
	tools/panics $(ARGS)

# Tables and vectors are as their programs make them.
generated:
	$(BUILD) --bin sigmill-gen
	target/debug/sigmill-gen tables --check
	target/debug/sigmill-gen vectors --check

# Signing and key handling under Valgrind, in object code and by the clock, release build; and with overflow checks.
ct: objects-x86_64-1-checked
	tools/constant-time

# The same in two steps: the first needs no clock, and other work may go on beside it.
ct-code ct-clock:
	tools/constant-time $(@:ct-%=%)

# The first step with another field.
$(addprefix ct-,$(OTHER_FIELDS)):
	FIELDS=$(@:ct-%=%) tools/constant-time code

# Object code of secrets as other builds make it; ct-code has that of x86-64 as it is shipped, objects-x86_64-3-unchecked.
OBJECTS = $(filter-out objects-x86_64-3-unchecked,$(foreach to,x86_64 aarch64,$(foreach level,1 2 3 s,$(foreach checks,checked unchecked,objects-$(to)-$(level)-$(checks)))))

# 77: something is missing here, and is named.
objects-%:
	tools/object-matrix $(subst -,:,$*):default || [ $$? = 77 ]

# Constant time with every field and more measurements.
ct-long:
	tools/constant-time long

# Each flaw of tests/flaws is put in and must be found.
flaws:
	tools/flaws all

flaws-%:
	tools/flaws part $* $(FLAW_PARTS)

# The frozen verdicts against other programs, row by row; ECDSA and its DER against two.
crosscheck:
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml
	$(CARGO) run --locked --release --manifest-path gen/crosscheck/Cargo.toml -- ecdsa
	node gen/crosscheck/node.js

# The Go module with texts of the library as it is now: tests with assembly and in pure Go, and its matrix of verdicts.
go:
	go/check

# The Go module with all rows, the race detector, ways of linking, releases of Go, staticcheck, Arrow, a module proxy, and
# fuzzing.
go-long:
	@tools/setup-platforms assembly
	go/check long

# The Go module's tests with the text for cgo as it is shipped: step go has one compilation for both ways into the library.
go-shipped:
	go/check shipped

# All fuzz targets compile.
fuzz-check:
	$(CARGO) check --locked --manifest-path fuzz/Cargo.toml --features tables --bins --target-dir target

# The Python package: its tests, types, and the frozen vectors by every way in.
python:
	@tools/setup python
	tools/python test

# The Python package as it is shipped, its tests that take minutes, and the oldest libraries; the wheel, installed by pip
# alone.
python-long:
	@tools/setup python spark
	tools/python long
	tools/python lowest
	tools/python wheel

# The frozen vectors through a Spark on this machine, and its tests.
spark-short:
	@tools/setup python spark
	tools/python spark tests/test_matrix_frames.py tests/test_spark.py

# A Spark on this machine, and other engines beyond one.
python-spark:
	@tools/setup python spark
	tools/python spark

RUSTLS_PACKAGE = rustls/target/package/unpacked

# The provider for rustls: its tests, in memory and with OpenSSL's command line; its package builds.
rustls:
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

# The plugs into programs of others: those in Rust with what a host's own provider adds and without, and those in Go with
# the committed texts and in pure Go. PyJWT's is tested by step python.
plugs:
	$(CARGO) fmt --all --check --manifest-path plugs/Cargo.toml
	$(CARGO) clippy --locked --manifest-path plugs/Cargo.toml --workspace --all-targets
	$(CARGO) clippy --locked --manifest-path plugs/Cargo.toml --workspace --all-targets --all-features
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --manifest-path plugs/Cargo.toml --workspace --no-deps
	$(CARGO) test --locked --quiet --manifest-path plugs/Cargo.toml --workspace
	$(CARGO) test --locked --quiet --manifest-path plugs/Cargo.toml -p sigmill-jsonwebtoken --all-features
	@if ! command -v go >/dev/null; then \
	  echo "not run here: plugs in Go (no go)"; \
	elif ! (cd go/plugs && go mod download) >/dev/null 2>&1; then \
	  echo "not run here: plugs in Go (no module proxy)"; \
	else \
	  set -e; cd go/plugs; unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "$$unformatted"; exit 1; }; \
	  go vet ./...; go test ./...; CGO_ENABLED=0 go test -tags purego ./...; \
	fi

# The npm package: its modules, every frozen vector, its interface and types, other libraries; js-long: all ways have all rows.
js:
	tools/js test
	tools/js sizes

js-long:
	tools/js long

# The modules beside other libraries in Node, two minutes; ARGS="--rounds 40 --note TEXT --out FILE".
js-bench:
	tools/js bench $(ARGS)

# The page that explains a signature, js/dist/explain.html, run from its file in Chromium and Firefox.
page:
	@command -v node >/dev/null || tools/setup-platforms wasm32
	@tools/setup page
	tools/js page
	node js/page/test-programs.mjs
	tools/page $(ARGS)

# The module's sources.
js-lint:
	$(CARGO) fmt --all --check --manifest-path js/wasm/Cargo.toml
	$(CARGO) clippy --locked --manifest-path js/wasm/Cargo.toml --target-dir $${CARGO_TARGET_DIR:-target}/js/lint
	$(CARGO) clippy --locked --manifest-path js/wasm/Cargo.toml --target-dir $${CARGO_TARGET_DIR:-target}/js/lint --no-default-features

# webpki's own tests on the provider; ARGS="rustls --source FOLDER": rustls' own, from a checkout.
rustls-upstream:
	rustls/tests/upstream $(ARGS)

# The command line in PREFIX, with its completions and manual pages.
PREFIX ?= /usr/local
DESTDIR ?=
install:
	$(CARGO) build --locked --release -p sigmill-cli
	install -D $${CARGO_TARGET_DIR:-target}/release/sigmill "$(DESTDIR)$(PREFIX)/bin/sigmill"
	program="$(DESTDIR)$(PREFIX)/bin/sigmill" share="$(DESTDIR)$(PREFIX)/share"; \
	mkdir -p "$$share/bash-completion/completions" "$$share/zsh/site-functions" "$$share/fish/vendor_completions.d"; \
	"$$program" completions bash >"$$share/bash-completion/completions/sigmill"; \
	"$$program" completions zsh >"$$share/zsh/site-functions/_sigmill"; \
	"$$program" completions fish >"$$share/fish/vendor_completions.d/sigmill.fish"; \
	"$$program" man "$$share/man/man1"

# Removes everything that was built.
clean:
	$(CARGO) clean

# The cost of very many signatures, measured with Arrow and Spark (docs/scale.md): ARGS="--price 'MACHINE=USD@DATE'"; minutes.
scale:
	@tools/setup python spark
	tools/python scale --record --write docs/scale.md $(ARGS)

# A column of JSON Web Signatures beside jsonwebtoken with aws-lc-rs: ARGS="--rows N --json FILE"; minutes.
bench-jws:
	@tools/setup bench
	bench/jws/run $(ARGS)

# All fuzz targets compile; the light ones run five seconds each, built without optimisation, where there is nightly Rust.
fuzz-short: fuzz-check
	@if ! $(CARGO) +nightly --version >/dev/null 2>&1; then \
	  echo "not run here: fuzz targets (no nightly Rust)"; \
	else \
	  tools/setup fuzz; \
	  FUZZ_SANITIZER=none CARGO_PROFILE_RELEASE_OPT_LEVEL=0 fuzz/run 5 columns entry_points envelope keyfile points rules serde; \
	fi

# Pages of `check --report` in Chromium: light, dark, print and as wide as a phone, nothing from the network.
report-page:
	@tools/setup report-page
	$(BUILD) --bin sigmill
	tools/report-page $${CARGO_TARGET_DIR:-target}/debug/sigmill

# Programs of others in Go, with changed imports: ARGS="--limit SECONDS PROGRAM …".
downstream-go:
	tests/downstream/go $(ARGS)

# Programs of others in C, by NaCl's names: ARGS="PROGRAM …".
downstream-c:
	tests/downstream/c $(ARGS)

# hyper-rustls, reqwest and quinn with the provider for rustls as the default of the process.
downstream-rustls:
	CARGO_PROFILE_DEV_DEBUG=false $(CARGO) test --manifest-path tests/downstream/rustls/Cargo.toml --target-dir $${CARGO_TARGET_DIR:-target}/downstream/rustls

# Programs of others in Python, with changed imports: PROGRAMS="--before PyJWT …".
downstream-python:
	@tools/setup python
	tests/downstream/python $(PROGRAMS)

# A few programs of others, in minutes.
downstream-short:
	tests/downstream/run ed25519-dalek-bip32
	tests/downstream/go nkeys sumdb-note
	tests/downstream/c signify

# The text as the Go module ships it: the module's tests with it, and the proofs of its arithmetic.
shipped: go-shipped proofs-short

# The prover and the checker of certificates, and the proofs of the committed text.
proofs-short:
	for package in kernels checker; do \
	  export CARGO_TARGET_DIR=$(abspath $(or $(CARGO_TARGET_DIR),target))/proofs/$$package; \
	  in="--locked --manifest-path proofs/$$package/Cargo.toml"; \
	  $(CARGO) fmt --check --manifest-path proofs/$$package/Cargo.toml; \
	  $(CARGO) clippy --release --all-targets $$in; \
	  RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps $$in; \
	done
	cd proofs/kernels && CARGO_TARGET_DIR=$(abspath $(or $(CARGO_TARGET_DIR),target))/proofs/kernels $(CARGO) test --locked --release --quiet --lib --test cosimulation --test cosimulation_aarch64 --test files
	cd proofs/checker && CARGO_TARGET_DIR=$(abspath $(or $(CARGO_TARGET_DIR),target))/proofs/checker $(CARGO) test --locked --release --quiet
	proofs/run short

# All tests of the prover: changed copies of the text, mutants of operations, and formulas.
proofs-tests:
	cd proofs/kernels && CARGO_TARGET_DIR=$(abspath $(or $(CARGO_TARGET_DIR),target))/proofs/kernels $(CARGO) test --locked --release

# The committed texts are proven, unless they and the programs have the hashes of proofs/proven.txt.
proofs-changed:
	proofs/run changed

# The proofs of docs/proofs.md, of the text that this checkout makes, and the theorems of docs/exact-batch.md in Coq.
proofs:
	@tools/setup proofs
	proofs/run

# The theorems of docs/exact-batch.md, checked by Coq.
proofs-batch:
	@tools/setup proofs
	proofs/batch/check
