#!/usr/bin/env bash
# What the program is made of: crates by deny.toml (licences, sources, what must not be among them, weaknesses that are known),
# npm packages by the signatures of their registry. A list that cannot be reached is named and passed over.
# ADVISORIES=FOLDER takes a git copy of the RustSec list that lies there.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly deny=${CARGO_TARGET_DIR:-target}/tools/bin/cargo-deny
readonly list=https://github.com/RustSec/advisory-db

tools/crates.sh

if [[ -n ${ADVISORIES-} ]]; then
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$(realpath "$ADVISORIES").insteadOf GIT_CONFIG_VALUE_0=$list
fi
if GIT_TERMINAL_PROMPT=0 timeout 60 git ls-remote --quiet --exit-code $list HEAD >/dev/null 2>&1; then
  "$deny" --locked check --hide-inclusion-graph advisories
else
  echo '   the list of known weaknesses cannot be reached: crates are not compared with it'
fi

for folder in ui ui/tools/codegen; do
  said=$(cd $folder && npm audit signatures --fetch-retries=0 2>&1) && code=0 || code=$?
  if grep -qE 'ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|E404|ENOAUDIT' <<<"$said" && ((code != 0)); then
    echo "   $folder: the keys of the signatures cannot be reached: packages are held to the sums of the lock alone"
  else
    echo "$said"
    ((code == 0))
  fi
done
