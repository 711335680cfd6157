#!/usr/bin/env bash
# Builds the executable twice, from this commit in two folders that have nothing in common, and compares the two: says where
# they differ and fails, or says their sum. The interface is built in each; the packages of npm are shared.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
commit=$(git rev-parse HEAD)
for build in one another/of/another-length; do
  git clone --quiet --no-hardlinks "$root" "$folder/$build"
  git -C "$folder/$build" checkout --quiet --detach "$commit"
  ln -s "$root/ui/node_modules" "$folder/$build/ui/node_modules"
  (cd "$folder/$build" && npm --prefix ui --silent run build >/dev/null && cargo build --quiet --profile dist --locked --target-dir target)
done
readonly one=$folder/one/target/dist/segnalazioni other=$folder/another/of/another-length/target/dist/segnalazioni
sha256sum "$one" "$other" | sed "s|$folder|   |"
if ! cmp -s "$one" "$other"; then
  diff -rq "$folder/one/ui/dist" "$folder/another/of/another-length/ui/dist" || true
  echo "they differ in $(cmp -l "$one" "$other" | wc -l) bytes of $(stat -c %s "$one")"
  exit 1
fi
