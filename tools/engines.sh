#!/usr/bin/env bash
# engines.sh PROGRAM: the main story in Firefox and in WebKit, Safari's engine. Installs what is missing, and says so: Debian's
# firefox-esr, webkit2gtk-driver and xvfb, and geckodriver (crates.io) into the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/need.sh

program=$(realpath "$1")
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
readonly program tools geckodriver=0.37.1

need firefox-esr firefox-esr
need WebKitWebDriver webkit2gtk-driver
need xvfb-run xvfb
need xauth xauth
tools/cargo-tool.sh geckodriver $geckodriver
PATH=$tools/bin:$PATH PROGRAM=$program npm --prefix ui run e2e -- --config e2e/engines.config.ts
