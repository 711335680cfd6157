#!/usr/bin/env bash
# What is handed out, into dist/: tools/dist.sh ARCH..., with Debian's names of processors (amd64, arm64), which `make dist` calls once the
# interface is built. Builds the executable of each, with Debian's cross-linker where it is not this machine's. Installs what it needs, the
# two cargo tools at the versions below and beside the build, when it is missing, and says so. The same commit with the same compiler
# gives the same files, as far as the tools allow.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/need.sh

readonly cargo_deb=3.8.0 cargo_cyclonedx=0.5.9
readonly dist=dist
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target
native=$(rustc -vV | sed -n 's/^host: //p')
readonly target native

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

# triple ARCH: what compilers call it.
triple() {
  case $1 in
    amd64) echo x86_64-unknown-linux-gnu ;;
    arm64) echo aarch64-unknown-linux-gnu ;;
    *) echo "dist: $1 is neither amd64 nor arm64" >&2; return 1 ;;
  esac
}

# cross TRIPLE: linker and C compiler for a processor that is not this machine's, and what runs its programs.
cross() {
  local processor=${1%%-*}
  local gcc=$processor-linux-gnu-gcc variable=${1//-/_}
  need "$gcc" "gcc-${processor//_/-}-linux-gnu" "libc6-dev-$arch-cross"
  need "qemu-$processor-static" qemu-user-static
  rustup target list --installed | grep -qx "$1" || { echo "   no library of Rust for $1: installing it with rustup"; rustup target add "$1"; }
  export "CARGO_TARGET_${variable^^}_LINKER=$gcc" "CC_$variable=$gcc" "AR_$variable=$processor-linux-gnu-ar"
}

# build ARCH: the executable; `program` is where it is, `build` what cargo and cargo-deb are told.
build() {
  local triple run=()
  triple=$(triple "$1")
  build=(--locked --profile dist)
  program=$target/dist/segnalazioni
  if [[ $triple != "$native" ]]; then
    cross "$triple"
    build+=(--target "$triple")
    program=$target/$triple/dist/segnalazioni
    run=("qemu-${triple%%-*}-static" -L "/usr/${triple%%-*}-linux-gnu")
  fi
  cargo build "${build[@]}"
  [[ $("${run[@]}" "$program" -V) == "segnalazioni $version" ]] || { echo "dist: $program is not version $version" >&2; exit 1; }
}

(($# > 0)) || { echo 'tools/dist.sh: which processors? amd64, arm64, or both' >&2; exit 1; }
for arch; do
  triple "$arch" >/dev/null
done
tools/supply.sh
tools/cargo-tool.sh cargo-deb $cargo_deb
tools/cargo-tool.sh cargo-cyclonedx $cargo_cyclonedx
export PATH=$target/tools/bin:$PATH

rm -rf $dist
mkdir -p $dist
cp -r packaging/man packaging/completions packaging/Containerfile packaging/compose.yaml packaging/examples $dist
cp docs/AVVIO.md docs/GESTIONE.md docs/RISERVA.md docs/SICUREZZA.md config.example.toml $dist

for arch; do
  echo "   $arch: executable and Debian package"
  build "$arch"
  install -m 755 "$program" "$dist/segnalazioni-$arch"
  # Where Cargo.toml looks for what is made here: cargo-deb puts the real folder in place of target/release.
  made=$(dirname "$program")/package
  rm -rf "$made"
  mkdir "$made"
  node tools/licences.mjs --write $dist/LICENZE.txt --debian "$made/copyright"
  configuration >"$made/config.toml"
  grep -q '^data_dir = "/var/lib/segnalazioni"$' "$made/config.toml"
  changelog | gzip -9n >"$made/changelog.Debian.gz"
  cargo deb --quiet "${build[@]}" --no-build --no-strip --output $dist/
  echo "   needs glibc $(objdump -p "$program" 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1 | cut -d_ -f2) or newer"
done

echo '   bills of materials'
# Without what differs from one run or one folder to the next.
cargo cyclonedx --quiet --format json --spec-version 1.5 --override-filename segnalazioni.cdx
sed "s|$PWD|/segnalazioni|g" segnalazioni.cdx.json >$dist/segnalazioni.cdx.json
rm segnalazioni.cdx.json
npm --prefix ui --loglevel error sbom --sbom-format cyclonedx --omit dev --omit optional --package-lock-only |
  sed -E "/^  \"serialNumber\": /d; s|^( *\"timestamp\": \").*(\",)$|\1$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)\2|" >$dist/interfaccia.cdx.json

echo '   sums and signature'
tools/sign.sh $dist
ls -l $dist
! grep -nE 'segnalazioni\.example\.org|AAAA-the-key' Cargo.toml README.md SECURITY.md || echo '   PLACEHOLDERS: fill them in before publishing a release'
