#!/bin/sh
# Makes record-font.ttf again. Needs npm and the Python package fonttools 4.68.0 (pyftsubset); nothing else calls it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
npm pack --silent dejavu-fonts-ttf@2.37.3 >/dev/null
tar xzf dejavu-fonts-ttf-2.37.3.tgz
echo '7da195a74c55bef988d0d48f9508bd5d849425c1770dba5d7bfc6ce9ed848954  package/ttf/DejaVuSans.ttf' | sha256sum --check --quiet

# Latin with everything Europe and Vietnam put on it, Greek, Cyrillic, punctuation, currencies, and the sign for what is
# missing (U+25A1). Without hints: paper has no pixels. Without the text of the licence, which the distribution has.
pyftsubset package/ttf/DejaVuSans.ttf --output-file="$here/record-font.ttf" \
  --unicodes='U+0020-007E,U+00A0-024F,U+02BB-02BD,U+02C6,U+02C7,U+02D8-02DD,U+0300-0304,U+0306-030C,U+0323-0328,U+0370-03FF,U+0400-045F,U+0490-0493,U+1E00-1EFF,U+2010-2027,U+202F-203A,U+2044,U+2070-2089,U+20A0-20BF,U+2116,U+2122,U+2150-215E,U+2190-2195,U+2212,U+2248,U+2260,U+2264,U+2265,U+25A1,U+25CF,U+FB01,U+FB02' \
  --layout-features='' --no-hinting --notdef-outline --name-IDs=0,1,2,4,5,6,14 --no-recalc-timestamp \
  --drop-tables+=DSIG,FFTM,GDEF,GPOS,GSUB
sha256sum "$here/record-font.ttf"
