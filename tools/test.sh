#!/usr/bin/env bash
# All tests of the project, in stages. Every stage runs even after one has failed; the output of a failed one is shown
# whole. The last line is the sum over all runners, where a lint counts as one test; the exit code is 0 only when
# nothing failed. Installs what is missing (npm packages, packages of Debian, cargo-nextest, cargo-deny), and says so.
#
# No test is run twice: one that fails now and then is a fault of the product or of the test. Until it is mended, its name may
# stand in tools/quarantine.txt: it is then left out, and named above the sum.
set -uo pipefail
cd "$(dirname "$0")/.."

readonly target=${CARGO_TARGET_DIR:-target}
readonly logs=$target/test-logs
mkdir -p "$logs"
# Runners must write the plain lines that are counted below, and never wait for an answer.
# Where Debian has nginx.
export PATH=$PATH:/usr/sbin NO_COLOR=1 CARGO_TERM_COLOR=never DEBIAN_FRONTEND=noninteractive INSTA_UPDATE=no
# Which executable the browser tests start: the one the Rust tests were built with. Optimising it would take a fifth of
# the time that all tests may take, and a browser does not notice.
export PROGRAM="$PWD/$target/debug/segnalazioni"
[[ $target == /* ]] && PROGRAM=$target/debug/segnalazioni

passed=0
failed=0
failures=()
# As patterns for the names of Rust tests and of browser tests.
mapfile -t quarantine < <(sed 's/ *#.*//; /^$/d' tools/quarantine.txt)
left_out=$(IFS='|'; echo "${quarantine[*]}")

# Sums the numbers that stand before a word: `number WORD < log`.
number() {
  grep -oE "[0-9]+ $1\b" | awk '{ sum += $1 } END { print sum + 0 }'
}

# What a runner's output says: "PASSED FAILED". A lint says nothing: its exit code is the one test.
count() {
  local runner=$1 log=$2 summary
  case $runner in
    nextest)
      summary=$(grep -E '^ *Summary \[' "$log")
      echo "$(number passed <<<"$summary") $(number '(failed|timed out|exec failed)' <<<"$summary")"
      ;;
    vitest)
      summary=$(grep -E '^ *Tests ' "$log")
      echo "$(number passed <<<"$summary") $(number failed <<<"$summary")"
      ;;
    playwright)
      summary=$(grep -E '^ +[0-9]+ (passed|failed|interrupted|did not run)\b' "$log")
      echo "$(number passed <<<"$summary") $(number '(failed|interrupted|did not run)' <<<"$summary")"
      ;;
  esac
}

# stage TITLE RUNNER COMMAND...
stage() {
  local title=$1 runner=$2 log start code=0 good bad
  shift 2
  log=$logs/${title//[^[:alnum:]]/-}.log
  start=$SECONDS
  printf '== %s\n' "$title"
  "$@" >"$log" 2>&1 </dev/null || code=$?
  if [[ $runner == lint ]]; then
    good=$((code == 0))
    bad=$((code != 0))
  else
    read -r good bad < <(count "$runner" "$log")
    # A runner that fails without naming a test, or finds none, has failed all the same.
    if ((bad == 0 && (code != 0 || good == 0))); then
      bad=1
    fi
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  if ((bad > 0)); then
    failures+=("$title")
    cat "$log"
    printf '== %s: FAILED (%d passed, %d failed, %d s)\n\n' "$title" "$good" "$bad" $((SECONDS - start))
  else
    printf '   %d passed, %d s\n' "$good" $((SECONDS - start))
  fi
}

# A step that is no test: silent when it succeeds, one failure when it does not.
prepare() {
  local title=$1
  stage "$title" lint "${@:2}"
  # Only its failure is worth counting.
  [[ ${failures[*]: -1} == "$title" ]] || passed=$((passed - 1))
}

has_chromium() {
  command -v chromium-headless-shell || command -v chromium
}

# install_package NAME: of Debian.
install_package() {
  local root=()
  ((EUID == 0)) || root=(sudo -n)
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends "$1"
}

# Not insisted on: a whole Chromium does it too, at twice the work.
if ! command -v chromium-headless-shell >/dev/null; then
  echo '   no chromium-headless-shell: installing it with apt-get'
  install_package chromium-headless-shell >"$logs/headless-shell.log" 2>&1 || echo '   it cannot be had: the tests take a whole Chromium'
fi
# Pebble is the authority that automatic certificates are tested with; strace ends a program at a system call; tor reads the
# lines of its configuration that the guide gives, nginx and caddy run with theirs; w3m reads the pages without a script.
for needed in caddy chromium curl jq nginx openssl pebble ssh-keygen strace tor w3m; do
  if ! command -v "$needed" >/dev/null && ! { [[ $needed == chromium ]] && has_chromium >/dev/null; }; then
    echo "   no $needed: installing it with apt-get"
    prepare "install $needed" install_package "${needed/ssh-keygen/openssh-client}"
  fi
done
if ! cargo nextest --version >/dev/null 2>&1; then
  echo '   no cargo-nextest: installing it with cargo install'
  prepare 'install cargo-nextest' cargo install --locked --quiet cargo-nextest
fi
[[ -e ui/node_modules/.package-lock.json ]] || echo '   no npm packages: installing them with npm ci'
prepare 'build the interface' make ui

stage 'licences' lint node tools/licences.mjs
stage 'crates' lint tools/crates.sh
stage 'tools' lint node --test tools/spdx.test.mjs tools/release.test.mjs
if command -v systemd-analyze >/dev/null; then
  stage 'sandbox of the service' lint systemd-analyze security --offline=true --threshold=20 --no-pager packaging/debian/segnalazioni.service
else
  echo '   no systemd-analyze: the sandbox of the service is not looked at'
fi
stage 'rustfmt' lint cargo fmt --check
stage 'clippy' lint cargo clippy --locked --all-targets -- -D warnings
stage 'rust tests' nextest cargo nextest run --locked ${left_out:+-E "not test(/^($left_out)\$/)"}
stage 'interface: lint' lint npm --prefix ui run lint
stage 'interface: types' lint npm --prefix ui run types
stage 'interface: unit tests' vitest npm --prefix ui test
stage 'browser tests' playwright npm --prefix ui run e2e ${left_out:+-- --grep-invert "$left_out"}

if [[ $left_out ]]; then
  printf '\n%d left out as unsteady:\n' ${#quarantine[@]}
  printf '  %s\n' "${quarantine[@]}"
fi
if ((failed > 0)); then
  printf '\nfailed: %s\n' "$(IFS=,; echo "${failures[*]}" | sed 's/,/, /g')"
fi
printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
