#!/bin/sh
# Makes the two woff2 files of this folder again. Needs npm and the Python packages fonttools 4.68.0 and brotli 1.2.1; nothing
# else calls it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
npm pack --silent @fontsource-variable/atkinson-hyperlegible-next@5.3.0 >/dev/null
tar xzf fontsource-variable-atkinson-hyperlegible-next-5.3.0.tgz
cat <<'SUMS' | sha256sum --check --quiet
18b2a1a39a2fa298b0ba5390aca68462669826c90925656f1c1f6796e0e1bbaf  package/files/atkinson-hyperlegible-next-latin-wght-normal.woff2
7dae0c6c66af1aec82e096186aeb1f0e6fa36ab8061ed65422f2b7daf4dd93f3  package/files/atkinson-hyperlegible-next-latin-ext-wght-normal.woff2
SUMS

# cut NAME PART RANGES: the weights 400 to 700 of these characters, with kerning, accents and figures of one width; where
# figures are among them, with a plain zero.
cut() {
  pyftsubset "package/files/atkinson-hyperlegible-next-$2-wght-normal.woff2" --output-file=part.ttf --unicodes="$3" \
    --layout-features='kern,mark,tnum' --no-hinting --no-recalc-timestamp ${4:+--glyph-names}
  ${4:+python3 "$here/$4" part.ttf}
  fonttools varLib.instancer --quiet --no-recalc-timestamp part.ttf wght=400:700 --output cut.ttf
  fonttools ttLib.woff2 compress --output-file "$here/$1.woff2" cut.ttf 2>/dev/null
}

# Italian, the languages of western Europe and the marks of running text; and what central Europe puts on Latin letters.
cut text latin 'U+0020-007E,U+00A0-00FF,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2022,U+2026,U+20AC' plain-zero.py
cut letters latin-ext 'U+0100-017F,U+0218-021B'
sha256sum "$here"/*.woff2
