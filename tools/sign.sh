#!/usr/bin/env bash
# Sums of everything in a folder, signed: tools/sign.sh FOLDER. The key, in SIGNING_KEY or ~/.config/segnalazioni-release/key, is made
# at the first run: whoever releases keeps it, and puts its public half into README.
set -euo pipefail
readonly folder=$1 key=${SIGNING_KEY:-$HOME/.config/segnalazioni-release/key}
if [[ ! -e $key ]]; then
  install -d -m 700 "$(dirname "$key")"
  ssh-keygen -q -t ed25519 -N '' -C segnalazioni -f "$key"
  echo "   no key to sign with: made $key"
fi
cd "$folder"
rm -f SHA256SUMS.sig
find . -type f ! -name 'SHA256SUMS*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS
ssh-keygen -q -Y sign -f "$key" -n segnalazioni SHA256SUMS
echo "   signed by: segnalazioni $(cut -d' ' -f1,2 "$key.pub")"
