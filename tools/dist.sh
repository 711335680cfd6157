#!/usr/bin/env bash
# What is handed out, into dist/: tools/dist.sh PROGRAM, which `make dist` calls once that executable is built. Installs the
# two cargo tools that it needs, at the versions below and beside the build, when they are missing, and says so. The same
# commit with the same compiler gives the same files, as far as the tools allow.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly cargo_deb=3.8.0 cargo_cyclonedx=0.5.9
readonly program=$1 dist=dist
target=$(realpath "$(dirname "$1")/..")
export CARGO_TARGET_DIR=$target
# Where Cargo.toml looks for what is made here: cargo-deb puts the real folder in place of target/release.
readonly made=$target/dist/package

maintainer=$(sed -nE 's/^maintainer = "(.*)"/\1/p' Cargo.toml)
version=$(sed -nE '0,/^version = "(.*)"/s//\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022

# The package's configuration: that of the example, under a header of its own, with the package's folder of data.
configuration() {
  cat packaging/config-header.toml
  sed -e '1,/^$/{/^$/!d}' -e 's|^#data_dir = .*|data_dir = "/var/lib/segnalazioni"|' config.example.toml
}

changelog() {
  printf 'segnalazioni (%s) stable; urgency=medium\n\n  * Versione %s.\n\n -- %s  %s\n' \
    "$version" "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

[[ $("$program" -V) == "segnalazioni $version" ]] || { echo "dist: $program is not version $version" >&2; exit 1; }
tools/supply.sh
tools/cargo-tool.sh cargo-deb $cargo_deb
tools/cargo-tool.sh cargo-cyclonedx $cargo_cyclonedx
export PATH=$target/tools/bin:$PATH

rm -rf $dist "$made"
mkdir -p $dist "$made"
install -m 755 "$program" $dist/segnalazioni
cp -r packaging/man packaging/completions packaging/Containerfile packaging/compose.yaml packaging/examples $dist
cp docs/AVVIO.md docs/GESTIONE.md docs/RISERVA.md docs/SICUREZZA.md config.example.toml $dist

echo '   licences'
node tools/licences.mjs --write $dist/LICENZE.txt --debian "$made/copyright"
configuration >"$made/config.toml"
grep -q '^data_dir = "/var/lib/segnalazioni"$' "$made/config.toml"
changelog | gzip -9n >"$made/changelog.Debian.gz"

echo '   Debian package'
cargo deb --quiet --locked --profile dist --no-build --no-strip --output $dist/

echo '   bills of materials'
# Without what differs from one run or one folder to the next.
cargo cyclonedx --quiet --format json --spec-version 1.5 --override-filename segnalazioni.cdx
sed "s|$PWD|/segnalazioni|g" segnalazioni.cdx.json >$dist/segnalazioni.cdx.json
rm segnalazioni.cdx.json
npm --prefix ui --loglevel error sbom --sbom-format cyclonedx --omit dev --omit optional --package-lock-only |
  sed -E "/^  \"serialNumber\": /d; s|^( *\"timestamp\": \").*(\",)$|\1$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)\2|" >$dist/interfaccia.cdx.json

echo '   sums and signature'
tools/sign.sh $dist
echo "   needs glibc $(objdump -p $dist/segnalazioni | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1 | cut -d_ -f2) or newer"
ls -l $dist
! grep -nE 'segnalazioni\.example\.org|AAAA-the-key' Cargo.toml README.md SECURITY.md || echo '   PLACEHOLDERS: fill them in before publishing a release'
