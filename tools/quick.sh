#!/usr/bin/env bash
# The inner loop, within a minute when warm: format, lints and unit tests of the library, types and lint of the interface,
# and the interface's tests that a change since the last commit concerns. Stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --check
cargo clippy --quiet --locked --lib -- -D warnings
cargo nextest run --locked --lib
cd ui
npm run --silent types
npm run --silent lint
npx vitest run --changed HEAD --passWithNoTests
