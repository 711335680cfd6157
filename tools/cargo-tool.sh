#!/usr/bin/env bash
# Makes sure of one version of a cargo subcommand, in tools/bin beside the build: tools/cargo-tool.sh NAME VERSION.
# Says so where it has to be installed.
set -euo pipefail
target=$(realpath -m "${CARGO_TARGET_DIR:-$(dirname "$0")/../target}")
readonly target tool=$1 version=$2
said=$({ "$target/tools/bin/$tool" --version || "$target/tools/bin/$tool" "${tool#cargo-}" --version; } 2>/dev/null || true)
if [[ $said != *"$version"* ]]; then
  echo "   no $tool $version: installing it with cargo install into $target/tools"
  cargo install --quiet --locked --root "$target/tools" --target-dir "$target/tools-build" "$tool@$version"
fi
