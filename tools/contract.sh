#!/usr/bin/env bash
# Calls the running program as its own description (ui/openapi.json) allows and as it forbids, made by schemathesis (PyPI,
# into target/ when it is missing): the demonstration, and an installation in a folder of its own, each with a session and
# without one, until at least so many calls are made: tools/contract.sh PROGRAM CALLS. Fails at a 5xx, at an answer that the
# description does not name, and when program or session did not live to the end.
# It runs in a network of its own, which reaches nothing but itself, where the system gives one; else on loopback.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly schemathesis=4.32.5
readonly program=$(realpath "$1") calls=$2
readonly venv=$(realpath -m "${CARGO_TARGET_DIR:-target}")/schemathesis document=$PWD/ui/openapi.json
readonly checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance

if [[ -z ${CONTRACT_ALONE-} ]]; then
  if [[ $("$venv/bin/st" --version 2>/dev/null) != *"$schemathesis" ]]; then
    echo "   no schemathesis $schemathesis: installing it (PyPI) into $venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$schemathesis"
  fi
  export CONTRACT_ALONE=yes
  for network in 'unshare --net' 'unshare --net --map-root-user'; do
    if $network ip link set lo up 2>/dev/null; then
      exec $network bash -c 'ip link set lo up && exec "$@"' - "$0" "$@"
    fi
  done
  echo '   no network of its own to be had: on loopback'
fi

folder=$(mktemp -d)
server='' made=0 failed=0
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT

fault() {
  echo "   $1"
  failed=1
}

# serve ARGUMENTS...: starts the program; leaves its address in `origin`.
serve() {
  "$program" serve --data-dir "$folder/data" --listen 127.0.0.1:0 "$@" >"$folder/out" 2>"$folder/err" &
  server=$!
  until origin=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$folder/out"); do
    kill -0 $server || { cat "$folder/err"; exit 1; }
    sleep 0.1
  done
}

# run TITLE ARGUMENTS...: one run of schemathesis; adds what it made to `made`.
run() {
  echo "== $1"
  (cd "$folder" && "$venv/bin/st" run "$document" --url "$origin" --max-examples $((calls / 300 + 1)) --phases coverage,fuzzing,stateful \
    --continue-on-failure --generation-database none --checks $checks --no-color --warnings off "${@:2}") >"$folder/said" || failed=1
  sed -n '/ FAILURES \| ERRORS /,$p' "$folder/said"
  local number
  number=$(sed -nE 's/^ *([0-9]+) generated.*/\1/p' "$folder/said")
  [[ -n $number ]] || { cat "$folder/said"; exit 1; }
  made=$((made + number))
  echo "   $number calls"
}

# with_password PASSWORD: both runs against what serves now. What ends a session is left to the stranger.
with_password() {
  local cookie
  cookie=$(curl -sS -o "$folder/answer" -c - -H 'content-type: application/json' -d "{\"password\": \"$1\"}" "$origin/paibeta/api/session" |
    sed -nE 's/.*\t((__Host-)?segnalazioni)\t(.*)/\1=\3/p')
  run "$2, logged in" -H "cookie: $cookie" --exclude-operation-id log_in --exclude-operation-id log_out \
    --exclude-operation-id end_own_session
  curl -sSf -o "$folder/answer" -H "cookie: $cookie" "$origin/paibeta/api/session" || fault 'the session did not live to the end'
  run "$2, a stranger"
  kill $server && wait $server || { fault 'the program did not end well'; cat "$folder/err"; }
}

while ((made < calls)); do
  serve --demo
  with_password dimostrazione-aperta demonstration
  rm -rf "$folder/data"
  password=$("$program" reset-password --data-dir "$folder/data" --generate | sed -n 's/^Password: //p')
  serve
  with_password "$password" installation
done
echo "$made calls"
exit $failed
