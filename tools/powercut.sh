#!/usr/bin/env bash
# Power cuts, replayed: tools/powercut.sh [REPORTS [PROGRAM]]. 60 reports (under a minute) of the debug executable unless
# said otherwise. Installs Debian's strace when it is missing, and says so. The last two lines are the outcome and that
# of the control; the exit code is 0 only when nothing was lost, and the control lost something.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v strace >/dev/null; then
  echo 'no strace: installing it with apt-get'
  root=()
  ((EUID == 0)) || root=(sudo -n)
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends strace
fi
exec cargo test --quiet --locked --test soak -- powercut --reports "${1:-60}" ${2:+--program "$2"}
