#!/usr/bin/env bash
# The Debian package of another processor on a Debian 12 of that processor: tools/dist-test-emulated.sh PACKAGE. Makes that Debian in a folder
# (debootstrap) whose programs qemu-user runs, without a network, and goes through the first day: install, set-up, report, doctor, backup,
# restore in another folder, removal. What is the same for every processor (units, sandbox, second machine, container) is in dist-test.sh.
# Needs root and Node. Installs debootstrap, lintian and qemu-user-static when they are missing, lets the kernel know of the latter, and says so.
# The last line is the sum; the exit code is 0 only when nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly package=$1 suite=${SUITE:-bookworm}
((EUID == 0)) || { echo 'tools/dist-test-emulated.sh: only root can make a Debian in a folder' >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
arch=$(dpkg-deb -f "$package" Architecture)
case $arch in
  amd64) processor=x86_64 ;;
  arm64) processor=aarch64 ;;
  *) echo "tools/dist-test-emulated.sh: $arch is neither amd64 nor arm64" >&2; exit 1 ;;
esac
readonly arch processor
for tool in debootstrap lintian "qemu-$processor-static"; do
  if ! command -v "$tool" >/dev/null; then
    echo "   no $tool: installing it with apt-get"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${tool/qemu-$processor-static/qemu-user-static}" >/dev/null
  fi
done
readonly formats=/proc/sys/fs/binfmt_misc
[[ -e $formats/register ]] || mount -t binfmt_misc binfmt_misc $formats
if [[ ! -e $formats/qemu-$processor ]]; then
  echo "   the kernel does not know programs of $arch yet: telling it"
  # As Debian's package describes it: the kernel opens the emulator now, so that it need not be in the folder.
  cat "/usr/lib/binfmt.d/qemu-$processor.conf" >$formats/register
fi

work=$(mktemp -d)
readonly work root=$work/root data=/var/lib/segnalazioni config=/etc/segnalazioni/config.toml
machine=
finish() {
  [[ -z $machine ]] || kill -KILL "$machine" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
. tools/checks.sh

# In the machine: its files, processes and network.
# Its working folder would be one of out here.
inside() { nsenter -t "$machine" -m -p -n -r env -i -C / PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
beside() { nsenter -t "$machine" -n "$@"; }
as_editor() { inside runuser -u segnalazioni -- segnalazioni "$@" --config $config; }

# boot: namespaces without a network, whose first process only keeps them; `machine` is its number out here.
boot() {
  cat >"$work/boot" <<'EOF'
set -euo pipefail
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
for device in null zero full random urandom; do
  touch "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
ip link set lo up
touch "$2"
exec chroot "$1" sleep infinity
EOF
  unshare --mount --pid --fork --net --kill-child bash "$work/boot" "$root" "$work/up" &
  local outer=$!
  for _ in $(seq 100); do
    machine=$(pgrep -P $outer || true)
    [[ -n $machine && -e $work/up && $(readlink "/proc/$machine/root") == "$root" ]] && return
    kill -0 $outer || exit 1
    sleep 0.1
  done
  echo 'the machine does not come up'
  exit 1
}

# Starts the server as its user, as the unit would; `log` is what it says.
serve() {
  log=$work/log
  as_editor serve >"$log" 2>&1 &
  for _ in $(seq 300); do
    beside node -e 'fetch("http://127.0.0.1:8080/paibeta/healthz?live").then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))' && return
    sleep 0.2
  done
  cat "$log"
  false
}
stop() {
  inside pkill -TERM -x segnalazioni
  for _ in $(seq 300); do
    inside pgrep -x segnalazioni >/dev/null || return 0
    sleep 0.2
  done
  false
}
first_report() { beside node tools/first-report.mjs --setup "$(grep -o 'http://.*/setup#.*' "$log" | tail -1)" >"$work/report"; }
reads_report() { beside node tools/first-report.mjs --expect "$(<"$work/report")"; }

echo "== a fresh $suite of $arch"
debootstrap --arch="$arch" --variant=minbase --include=procps "$suite" "$root" >"$work/debootstrap.log" || { tail -20 "$work/debootstrap.log"; exit 1; }
cp "$package" "$root/segnalazioni.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# The machine has no network: what the package depends on is fetched beforehand.
chroot "$root" apt-get install -y -qq --download-only --no-install-recommends /segnalazioni.deb >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
boot

check 'lintian finds nothing to say' test -z "$(lintian --allow-root "$package")"
check 'apt-get installs the package with what it depends on' inside apt-get install -y -q --no-install-recommends /segnalazioni.deb
check "its program is one of $arch" inside sh -c 'test "$(dpkg --print-architecture)" = '"$arch"' && segnalazioni --version'
echo '== set-up, report, backup, restore'
check 'the server starts' serve
check 'the set-up link leads to a report that an editor reads' first_report
check 'the doctor finds nothing wrong' as_editor doctor
check 'a backup is made while it serves' as_editor backup --output "$data/prova.backup"
check 'it is whole' as_editor verify "$data/prova.backup"
check 'the server stops' stop
check 'the report is there after a restart' serve
check 'and is read' reads_report
stop
inside sh -c "mv $data $data-prima && install -d -m 700 -o segnalazioni -g segnalazioni $data && cp -p $data-prima/segnalazioni.key $data/"
check 'an empty folder does not have it: a control' not inside test -e $data/segnalazioni.db
check 'the backup is restored there' as_editor restore "$data-prima/prova.backup"
check 'the server starts from it' serve
check 'and has the report' reads_report
stop
echo '== removal'
check 'the package is removed' inside apt-get remove -y -q segnalazioni
check 'configuration and archive stay' inside test -f $config -a -f $data/segnalazioni.db

sum
