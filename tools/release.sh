#!/usr/bin/env bash
# The release of this commit: tools/release.sh, which `make release` calls. Refuses a commit that is not what its tag says, then makes what
# is handed out and says what remains to be done. tools/release.sh --check only looks.
set -euo pipefail
cd "$(dirname "$0")/.."

refused=0
# refuse WORDS...: goes on, so that all that is wrong is named at once.
refuse() {
  echo "not a release: $*" >&2
  refused=1
}

version=$(sed -nE '0,/^version = "(.*)"/s//\1/p' Cargo.toml)
[[ -z $(git status --porcelain) ]] || refuse "the tree is not clean:"$'\n'"$(git status --short)"
tags=$(git tag --points-at HEAD --list 'v*')
[[ $tags == "v$version" ]] || refuse "Cargo.toml says $version, and this commit is tagged ${tags:-nothing} instead of v$version"

# bears FILE EXPRESSION: the first version that sed finds in a file by it is that of Cargo.toml.
bears() {
  local found
  mapfile -t -n 1 found < <(sed -nE "$2" "$1")
  [[ $found == "$version" ]] || refuse "$1 says ${found:-no version} instead of $version"
}
bears Cargo.lock '/^name = "segnalazioni"$/{n;s/^version = "(.*)"$/\1/p}'
for file in ui/package.json ui/package-lock.json ui/openapi.json; do
  bears $file 's/^ *"version": "(.*)",?$/\1/p'
done
bears docs/CHANGELOG.md 's/^## (.*)$/\1/p'
for file in README.md docs/AVVIO.md; do
  bears $file 's/^apt-get install .*segnalazioni_(.*)-1_\$\(dpkg --print-architecture\)\.deb$/\1/p'
done

measured=$(sed -nE 's/.*Of commit ([0-9a-f]{7,40})\b.*/\1/p' docs/BENCH.md)
git merge-base --is-ancestor "${measured:-none}" HEAD 2>/dev/null ||
  refuse "docs/BENCH.md has figures of ${measured:-no commit}, which is none that led to this one: make bench"

((refused == 0)) || exit 1
[[ ${1-} != --check ]] || exit 0

make dist ARCH='amd64 arm64'
cat <<SAID

$version is in dist/. What remains:
  1. PLACEHOLDERS above, if any were named: put the real addresses in their place, commit, tag anew, run this again.
  2. make dist-test ARCH='amd64 arm64'; SUITE=trixie make dist-test; DEBIAN=(a folder with Ubuntu 22.04) make dist-test
  3. Verify dist/ as README says, with the public half of the key that signed it (above).
  4. Upload dist/ as it is to the download address of README, in a folder named $version, and publish the tag v$version.
SAID
