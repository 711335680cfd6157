# Sourced by tools that install what they need.

# need COMMAND PACKAGE...: installs the packages of Debian where the command is missing, and says so.
need() {
  command -v "$1" >/dev/null && return
  echo "   no $1: installing ${*:2} with apt-get"
  local root=()
  ((EUID == 0)) || root=(sudo -n)
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null
}
