# `make help` lists the targets that most people need. Their steps are in tools/steps.mk; each is a target, too.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
SECONDS ?= 60
ARGS ?=

.PHONY: help setup demo test check nightly bench plots fuzz test-platforms downstream dist-c release-go

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install the tools that this machine lacks
	@tools/setup

demo: ## check signatures of other programs and a million of our own, from files
	@tools/setup openssl python
	tools/python prepare & \
	$(CARGO) build --release --locked -p sigmill-cli -p sigmill-capi -p sigmill-python --bins --lib --example demo_table && wait $$!
	demo/run
	demo/c $${CARGO_TARGET_DIR:-target}/release/libsigmill_capi.a
	demo/go
	tools/python demo

# Each commit has one of each list, the next commit the next one (tools/rotation); make nightly has them all.
FLAW_PARTS = 30
# What takes long stands beside the ninth to seventeenth parts: their flaws are found by programs of tests, which are built fast.
IN_TURNS = $(wordlist 1,8,$(OBJECTS)) $(addprefix fields-,$(FIELD_FORMS)) $(addprefix ct-,$(OTHER_FIELDS)) \
  $(wordlist 9,15,$(OBJECTS)) downstream-short portable fuzz-short spark-short shipped around
turns = $(subst $() ,|,$(strip $(1)))

test: ## run the gate, in minutes; large test matrices take turns by commit
	@tools/setup
	tools/steps fmt lint unit c+go+python features+msrv+package+deny+generated+proofs-changed \
	  'ct-code+$(call turns,$(addprefix flaws-,$(shell seq $(FLAW_PARTS))))+$(call turns,$(IN_TURNS))' ct-clock

check: ## run format, clippy, layers and the library's own tests, while working
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets --all-features
	$(CARGO) test --locked --quiet --workspace --all-features --lib --test house

nightly: ## run the whole of every matrix, and the long tests, in hours
	@tools/setup
	ALL=1 tools/steps fmt lint unit c c-long go-long python-long python-spark portable unoptimised fields features msrv package deny generated panics ct-long flaws fuzz-short public-api rustls plugs proofs-short proofs-tests proofs js-long js-lint page test-long dist-c downstream-python

bench: ## time ours and other libraries: ARGS="--ops … --n … --engines … --seconds 20 --out FILE"
	@tools/setup bench
	bench/run $(ARGS)

plots: ## draw docs/plots from the newest record, or from ARGS=RECORD
	@tools/setup plots
	bench/plots $(ARGS)

fuzz: ## run each fuzz target for SECONDS (nightly Rust)
	@tools/setup fuzz
	fuzz/run $(SECONDS)

test-platforms: ## test on other platforms: 32-bit, big-endian, Arm, WebAssembly, bare metal, older CPUs
	@tools/setup-platforms
	tools/platforms

downstream: $(if $(ARGS),,downstream-go downstream-c downstream-rustls downstream-python) ## build and test programs of others on sigmill, an hour: ARGS="--limit SECONDS CRATE …" for some in Rust
	tests/downstream/run $(ARGS)

dist-c: ## make the source package for C, which needs no Rust: PLATFORMS="x86_64-linux …"; AGAIN=1 makes it twice
	@[ "$${PLATFORMS:-}" = x86_64-linux ] || tools/setup-platforms assembly
	capi/dist/make
	capi/dist/check target/dist/sigmill-c-*.tar.gz

release-go: ## make the Go module's committed texts again, of the commit that is checked out
	@tools/setup-platforms assembly
	go/generate
	MODULE=go go/check

include tools/steps.mk
