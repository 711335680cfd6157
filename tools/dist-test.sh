#!/usr/bin/env bash
# Debian package and container file on a fresh Debian: tools/dist-test.sh PACKAGE, which lies in dist/ beside the rest. Makes a Debian 12,
# or what SUITE names, in a folder (debootstrap), boots its systemd in namespaces without a network, and goes through what a newsroom does: install,
# first report, restart, key as a credential, hang, two newsrooms, a second machine, upgrade, removal, purge. Then makes the image on the same
# Debian (buildah) and runs that. Needs root, as debootstrap and the namespaces do, Node, and in REPLICA_TOOLS the folder that `make replica-tools`
# fills. Installs debootstrap, buildah and lintian when they are missing, and says so; DEBIAN=FOLDER copies one that was made before. The last line
# is the sum; the exit code is 0 only when nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly package=$1 suite=${SUITE:-bookworm}
: "${REPLICA_TOOLS:?the folder that make replica-tools fills}"
((EUID == 0)) || { echo 'tools/dist-test.sh: only root can make and boot a Debian in a folder' >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
for tool in debootstrap buildah lintian; do
  if ! command -v $tool >/dev/null; then
    echo "   no $tool: installing it with apt-get"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends $tool
  fi
done

work=$(mktemp -d)
readonly work root=$work/root data=/var/lib/segnalazioni config=/etc/segnalazioni/config.toml
manager=
container=
depot=
finish() {
  local process
  for process in $manager $container $depot; do
    kill -KILL "$process" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap finish EXIT

. tools/checks.sh

# In the machine; with its network, but this machine's files and programs.
inside() { nsenter -t "$manager" -m -p -u -i -n -C env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
beside() { nsenter -t "$manager" -n "$@"; }
# What a shell line in the machine says must be this.
says() { [[ $(inside sh -c "$1") == "$2" ]] || { inside sh -c "$1" || true; echo "instead of: $2"; false; }; }

# The line of the set-up link, of this start.
setup_link() { inside journalctl -u segnalazioni -o cat --no-pager | grep -o 'http://.*/setup#.*' | tail -1; }
first_report() { beside node tools/first-report.mjs --setup "$(setup_link)" >"$work/report"; }
reads_report() { beside node tools/first-report.mjs --expect "$(<"$work/report")"; }
as_editor() { inside runuser -u segnalazioni -- segnalazioni "$@" --config $config; }
restart() { inside systemctl restart segnalazioni; }

# boot: systemd as process 1 of namespaces of its own; `manager` is its number out here.
boot() {
  cat >"$work/boot" <<'EOF'
set -euo pipefail
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
touch "$root/dev/console"
ip link set lo up
hostname redazione
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
# As systemd does where it is not in a container: credentials are mounted by a child, and must show up here.
mount --make-rshared /
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init --log-target=journal
EOF
  unshare --mount --pid --fork --uts --ipc --net --cgroup --kill-child bash "$work/boot" "$root" >"$work/boot.log" 2>&1 &
  local outer=$!
  for _ in $(seq 100); do
    manager=$(pgrep -P $outer || true)
    # Until process 1 is systemd, there is nothing to ask.
    [[ -n $manager && $(<"/proc/$manager/comm") == systemd ]] && break
    kill -0 $outer 2>/dev/null || { cat "$work/boot.log"; exit 1; }
    sleep 0.2
  done
  # A machine without a console is never more than degraded.
  for _ in $(seq 300); do
    [[ $(inside systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]] && return
    sleep 0.2
  done
  echo 'systemd does not come up'
  exit 1
}

# The same package under a later version.
later() {
  dpkg-deb -R "$package" "$work/later"
  sed -i -E 's/^(Version: .*)/\1+dopo/' "$work/later/DEBIAN/control"
  dpkg-deb -b "$work/later" "$root/later.deb" >/dev/null
}

# A Debian with its service manager and nothing else.
fresh() {
  if [[ -n ${DEBIAN:-} ]]; then
    cp -a "$DEBIAN" "$root"
  else
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$root" >"$work/debootstrap.log" ||
      { tail -20 "$work/debootstrap.log"; exit 1; }
  fi
}

echo "== a fresh ${DEBIAN:-$suite}"
fresh
cp -a "$root" "$work/base"
rm -f "$root/etc/systemd/system/getty.target.wants/"*
# The machine will have no network: what the package depends on is fetched beforehand.
cp "$package" "$root/segnalazioni.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" apt-get install -y -qq --download-only --no-install-recommends /segnalazioni.deb rclone openssh-server >"$work/output" 2>&1 || { cat "$work/output"; exit 1; }
later
boot
# Older ones look for no credentials in /etc/credstore, as Ubuntu 22.04's, and grade no sandbox.
systemd=$(inside systemctl --version | sed -nE '1s/systemd ([0-9]+).*/\1/p')
recent() { ((systemd >= 251)); }

check 'lintian finds nothing to say' test -z "$(lintian --allow-root "$package")"
echo '== install, first report'
begun=$SECONDS
check 'apt-get installs the package with what it depends on' inside apt-get install -y -q --no-install-recommends /segnalazioni.deb
cat "$work/output" >"$work/installed"
check 'it says what to do next' grep -q 'reset-password --config' "$work/installed"
check 'the service runs' inside systemctl is-active segnalazioni
check 'systemd heard where it listens' says 'systemctl show -p StatusText segnalazioni' 'StatusText=In ascolto: http://127.0.0.1:8080/paibeta'
check 'the set-up link leads to a report that an editor reads' first_report
took=$((SECONDS - begun))
check "$took s from the package to the first report, 60 at most" test $took -le 60
check 'it will start with the machine' inside systemctl is-enabled segnalazioni
check 'data and key file are the service'"'"'s alone' says "stat -c '%a %U:%G' $data $data/segnalazioni.key $data/segnalazioni.db" \
  $'700 segnalazioni:segnalazioni\n600 segnalazioni:segnalazioni\n600 segnalazioni:segnalazioni'
check 'the doctor finds nothing wrong' as_editor doctor
check 'a backup is made' as_editor backup
inside sh -c 'echo 127.0.0.1 posta.example.org >>/etc/hosts'
check 'in its sandbox it finds a mail server by name' beside node tools/first-report.mjs --expect "$(<"$work/report")" --mail posta.example.org
! recent || check 'the sandbox is rated 2.0 at most' inside systemd-analyze security --threshold=20 --no-pager segnalazioni.service
check 'process 1 lets it write to its data only' says "grep -c '^Seccomp:.2\|^NoNewPrivs:.1\|^CapBnd:.0000000000000000' /proc/\$(systemctl show -P MainPID segnalazioni)/status" 3
check 'its manual is there' inside test -s /usr/share/man/man1/segnalazioni-serve.1.gz
check 'its completion is there' inside bash -n /usr/share/bash-completion/completions/segnalazioni
check 'each document of the package is there' inside sh -c 'cd /usr/share/doc/segnalazioni && test -s AVVIO.md* -a -s GESTIONE.md* -a -s SICUREZZA.md* && ls examples/segnalazioni.rules.yml examples/segnalazioni.dashboard.json*'
check 'the cron example of the guide' inside sh -c 'mkdir -p /etc/cron.d && cp /usr/share/doc/segnalazioni/examples/backup.cron /etc/cron.d/segnalazioni && rm /etc/cron.d/segnalazioni'
check 'the licences are there' inside grep -q 'Apache License' /usr/share/doc/segnalazioni/copyright
check 'apt finds the package whole' says 'dpkg --verify segnalazioni' ''

echo '== restart, key as a credential, hang'
restart
check 'the report is there after a restart' reads_report
if recent; then
  inside sh -c "systemctl stop segnalazioni && install -d -m 700 /etc/credstore && install -m 600 $data/segnalazioni.key /etc/credstore/ && rm $data/segnalazioni.key"
  inside systemctl start segnalazioni
  check 'with the key file as a credential it reads the report' reads_report
  check 'and makes no other key file' inside test ! -e $data/segnalazioni.key
  with_credential() { inside systemd-run --quiet --pipe --wait -p User=segnalazioni -p LoadCredential=segnalazioni.key segnalazioni "$@" --config $config; }
  check 'a command with the credential finds nothing wrong' with_credential doctor
  check 'without it no link is made, nor another key file' not as_editor login-link
  check 'so there is still none' inside test ! -e $data/segnalazioni.key
  inside sh -c "install -m 600 -o segnalazioni -g segnalazioni /etc/credstore/segnalazioni.key $data/ && rm /etc/credstore/segnalazioni.key"
fi
inside sh -c 'mkdir -p /etc/systemd/system/segnalazioni.service.d && printf "[Service]\nWatchdogSec=2\n" >/etc/systemd/system/segnalazioni.service.d/prova.conf && systemctl daemon-reload'
restart
inside sh -c 'kill -STOP $(systemctl show -P MainPID segnalazioni)'
hung() { for _ in $(seq 120); do [[ $(inside systemctl show -P NRestarts segnalazioni) -gt 0 && $(inside systemctl is-active segnalazioni) == active ]] && return; sleep 0.5; done; inside systemctl status --no-pager segnalazioni; false; }
check 'a server that hangs is started anew' hung
check 'and has the report' reads_report
inside sh -c 'rm -r /etc/systemd/system/segnalazioni.service.d && systemctl daemon-reload'
inside sh -c "cp /usr/share/doc/segnalazioni/examples/porte-basse.conf /tmp/ && mkdir -p /etc/systemd/system/segnalazioni.service.d && cp /tmp/porte-basse.conf /etc/systemd/system/segnalazioni.service.d/ && sed -i 's|^#listen = .*|listen = \"127.0.0.1:80\"|' $config && systemctl daemon-reload"
restart
check 'with the example it listens on port 80' beside node tools/first-report.mjs --origin http://127.0.0.1 --expect "$(<"$work/report")"
inside sh -c "rm -r /etc/systemd/system/segnalazioni.service.d && sed -i 's|^listen = .*|listen = \"127.0.0.1:8080\"|' $config && systemctl daemon-reload"
restart

echo '== two newsrooms beside it'
# newsroom NAME PORT: as the guide says, cut out of it.
newsroom() {
  awk '/^## Più redazioni/ { here = 1 } here && /^```sh$/ { block = 1; next } block && /^```$/ { exit } block' docs/GESTIONE.md |
    sed -e "s/cronaca/$1/g; s/8081/$2/; s/ reset-password / reset-password --generate /" >"$root/newsroom.sh"
  inside sh -e /newsroom.sh
}
of_newsroom() { beside node tools/first-report.mjs --origin "http://127.0.0.1:$1" --public "https://$2.example.org" --password "$3" "${@:4}"; }
check 'the first is there as the guide says' newsroom cronaca 8081
first=$(sed -n 's/^Password: //p' "$work/output")
check 'the second' newsroom sport 8082
second=$(sed -n 's/^Password: //p' "$work/output")
check 'a report to the first' of_newsroom 8081 cronaca "$first" --report
id=$(tail -1 "$work/output")
check 'its editors read it' of_newsroom 8081 cronaca "$first" --expect "$id"
check 'the password of one does not open the other' not of_newsroom 8082 sport "$first" --expect "$id"
check 'the report of one is not in the other' not of_newsroom 8082 sport "$second" --expect "$id"
check 'the user of one cannot read the folder of the other' not inside runuser -u segnalazioni-sport -- ls $data-cronaca
check 'each folder is its own user'"'"'s alone' says "stat -c '%a %U' $data-cronaca $data-sport" $'700 segnalazioni-cronaca\n700 segnalazioni-sport'
if recent; then
  check 'the key file of one as a credential' inside sh -c "systemctl stop segnalazioni@sport && install -D -m 600 $data-sport/segnalazioni.key /etc/credstore/segnalazioni-sport.key && chmod 700 /etc/credstore && rm $data-sport/segnalazioni.key && systemctl start segnalazioni@sport && test ! -e $data-sport/segnalazioni.key"
  inside sh -c "systemctl stop segnalazioni@sport && install -m 600 -o segnalazioni-sport -g segnalazioni-sport /etc/credstore/segnalazioni-sport.key $data-sport/segnalazioni.key && rm /etc/credstore/segnalazioni-sport.key && systemctl start segnalazioni@sport"
fi
inside sh -c 'for one in cronaca sport; do install -d -m 700 -o segnalazioni-$one -g segnalazioni-$one /mnt/backup/$one; done'
check 'one command examines both' inside /usr/lib/segnalazioni/tutte doctor
cp "$work/output" "$work/examined"
check 'it names each' grep -q '^sport: ok' "$work/examined"
check 'one command saves both' inside /usr/lib/segnalazioni/tutte backup --output '/mnt/backup/{}' --keep 30
check 'each into its folder' inside sh -c 'ls /mnt/backup/cronaca/*.backup /mnt/backup/sport/*.backup'
inside sh -c 'echo "listen = 7" >>/etc/segnalazioni/sport.toml'
check 'where one fails, the command does' not inside /usr/lib/segnalazioni/tutte doctor
inside sh -c "systemctl disable -q --now segnalazioni@sport; rm -r /etc/segnalazioni/sport.toml $data-sport"

# As RISERVA.md says, on one machine: its data are put aside, and what is left is a standby with the same configuration and key file.
readonly settings=/etc/segnalazioni examples=/usr/share/doc/segnalazioni/examples aside=$data-prima
replica() { inside runuser -u segnalazioni -- /usr/lib/segnalazioni/replica "$1"; }
doctor_says() { as_editor doctor 2>/dev/null | grep "$1"; }
whole() { doctor_says '^ok *riserva'; }
soon() { for _ in $(seq 60); do "$@" && return; sleep 1; done; inside journalctl -u 'segnalazioni-replica*' -n 20 -o cat --no-pager; false; }
swap() { inside sh -c "mv $data $1 && mv $2 $data"; }
units() { inside systemctl "$@" segnalazioni segnalazioni-replica.service segnalazioni-replica-files.timer; }
# What rclone finds there, and Litestream's runs of this machine: at rest there is one.
in_depot() { inside sh -c "set -a; . $settings/replica.env; RCLONE_CONFIG=/dev/null rclone $1"; }
runs_there() { in_depot "lsf --dirs-only \"\$REMOTE/archivio/\$(cut -d ' ' -f 1 $data/replica/generazione)\""; }
renewed() { local now; now=$(runs_there) && [[ $now != "$1" && $now != *$'\n'* ]]; }
put_file() { inside runuser -u segnalazioni -- sh -c "umask 077; mkdir -p $data/allegati; echo $1 >$data/allegati/$1"; }
halt() { units "$@"; inside systemctl stop segnalazioni-replica-files.service; }
s3_depot() {
  inside sed -i 's|https://s3.example.it|http://127.0.0.1:9000|; s/KEY_ID=$/&prova/; s/ACCESS_KEY=$/&prova/' $settings/replica.env
  nsenter -t "$manager" -n "$REPLICA_TOOLS/bin/moto_server" -p 9000 >"$work/depot.log" 2>&1 &
  depot=$!
}
end_s3_depot() { kill -KILL "$depot" && depot=; }
sftp_depot() {
  inside sh -e <<EOF
useradd --create-home deposito
ssh-keygen -q -t ed25519 -N '' -f $settings/deposito.ssh
install -D -m 600 -o deposito $settings/deposito.ssh.pub /home/deposito/.ssh/authorized_keys
chown deposito /home/deposito/.ssh
chown root:segnalazioni $settings/deposito.ssh
chmod 640 $settings/deposito.ssh
sed -i "/^BUCKET/d; /^REMOTE/d; /^RCLONE/d; s/^#\\([A-Z_]*=\\)/\\1/; s/deposito.example.it/127.0.0.1/; s|'ecdsa-sha2-nistp256 AAAA'|'\$(cut -d ' ' -f 1,2 /etc/ssh/ssh_host_ecdsa_key.pub)'|" $settings/replica.env
sed -i '/type: s3/,/bucket:/d; s/^\\( *\\)#\\([a-z-]*: \\)/\\1\\2/' $settings/litestream.yml
systemctl start ssh
EOF
  check 'the host says its keys' soon inside sh -c "ssh-keyscan 127.0.0.1 >$settings/deposito.known_hosts && test -s $settings/deposito.known_hosts"
}
end_sftp_depot() { inside systemctl stop ssh; }

# second_machine DEPOT: the whole life of a replica.
second_machine() {
  local took begun before old
  echo "== a second machine, $1"
  inside sh -c "cp $examples/litestream.yml $examples/replica.env $settings/ && chgrp segnalazioni $settings/replica.env && chmod 640 $settings/replica.env"
  "$1_depot"
  check 'the depot is there' soon in_depot 'mkdir "$REMOTE"'
  restart
  put_file primo
  check 'the units of the replica start' inside systemctl enable --now segnalazioni-replica.service segnalazioni-replica-files.timer
  check 'all is there within two rounds of the timer' soon whole
  check 'the weekly rehearsal, with as little as cron gives' inside runuser -u segnalazioni -- env -i PATH=/usr/bin:/bin sh -c "${rehearsal:?}"
  cp "$work/output" "$work/mailed"
  check 'has nothing to mail' test ! -s "$work/mailed"
  if recent; then
    inside sh -c "install -D -m 600 $data/segnalazioni.key /etc/credstore/segnalazioni.key && rm $data/segnalazioni.key"
    check 'the rehearsal with the key file as a credential' inside env -i PATH=/usr/bin:/bin sh -c "${with_key:?}"
    cp "$work/output" "$work/mailed"
    check 'has nothing to mail either' test ! -s "$work/mailed"
    inside install -m 600 $data-cronaca/segnalazioni.key /etc/credstore/other.key
    check 'with the key file of another newsroom it fails' not inside env -i PATH=/usr/bin:/bin sh -c "${with_key/=segnalazioni.key/=segnalazioni.key:/etc/credstore/other.key}"
    inside rm /etc/credstore/other.key
    inside sh -c "install -m 600 -o segnalazioni -g segnalazioni /etc/credstore/segnalazioni.key $data/ && rm /etc/credstore/segnalazioni.key"
  fi
  check 'a report' beside node tools/first-report.mjs --report
  tail -1 "$work/output" >"$work/later-report"
  # What it promises.
  sleep 2
  inside systemctl kill --kill-who=main -s KILL segnalazioni-replica segnalazioni
  halt disable -q --now
  inside sh -c "mv $data $aside && install -d -m 700 -o segnalazioni -g segnalazioni $data"
  # As the package leaves it, which was there before.
  inside mv $settings/replica.env /root/
  inside systemctl start segnalazioni
  inside systemctl stop segnalazioni
  inside mv /root/replica.env $settings/
  check 'with other keys it does not take over' not replica promote
  cp "$work/output" "$work/refused"
  check 'and says why' grep -q 'il file delle chiavi è di un altro archivio' "$work/refused"
  inside cp -p $aside/segnalazioni.key $data/
  begun=$SECONDS
  check 'the standby takes over' replica promote
  check 'once' not replica promote
  check 'it has the files' inside test -s $data/allegati/primo
  check 'its units start' units enable --now
  check 'it has both reports' reads_both
  took=$((SECONDS - begun))
  check "$took s from the order to the reports, 300 at most" test $took -le 300
  put_file secondo
  check 'and is replicated in its turn' soon whole
  check 'its files' soon in_depot 'lsf "$REMOTE/allegati" | grep secondo'
  halt stop
  swap $data-riserva $aside
  check 'the first machine does not start' not inside systemctl start segnalazioni
  check 'and says why' soon inside sh -c "journalctl -u segnalazioni -n 30 -o cat --no-pager | grep 'ha preso il posto di questa'"
  inside systemctl stop segnalazioni
  check 'it is a standby now' replica round
  check 'and takes files' inside test -s $data/allegati/secondo
  swap $aside $data-riserva
  units start
  check 'the one that took over goes on' reads_both
  before=$(inside systemctl show -P MainPID segnalazioni)
  old=$(runs_there)
  check 'the replica starts anew, as each hour' inside systemctl restart segnalazioni-replica
  check 'the server did not' says 'systemctl show -P MainPID segnalazioni' "$before"
  check 'its new copy is in the place of the one before' soon renewed "$old"
  check 'the depot goes' "end_$1_depot"
  restart
  check 'without it the server starts' reads_both
  check 'and the doctor says so' doctor_says 'non si è potuto controllare'
  inside systemctl disable -q --now segnalazioni-replica.service segnalazioni-replica-files.timer
  inside systemctl stop segnalazioni-replica-files.service
  inside rm -r $settings/replica.env $settings/litestream.yml $data/replica $data/.segnalazioni.db-litestream $data/allegati $aside
  restart
  check 'given up, the doctor finds nothing wrong' as_editor doctor
  check 'and has nothing to say of it' not doctor_says '^[a-zA-Z]* *riserva:'
}
rehearsal=$(sed -n 's/^15 5 \* \* 1  segnalazioni  //p' packaging/examples/replica.cron)
with_key=$(sed -n 's/^#15 5 \* \* 1  root  //p' packaging/examples/replica.cron)
reads_both() { reads_report && beside node tools/first-report.mjs --expect "$(<"$work/later-report")"; }
check 'what both need is installed' inside apt-get install -y -q --no-install-recommends rclone openssh-server
install "$REPLICA_TOOLS/bin/litestream" "$root/usr/local/bin/"
second_machine s3
second_machine sftp
inside rm -r $settings/deposito.ssh $settings/deposito.ssh.pub $settings/deposito.known_hosts

echo '== upgrade, removal, purge'
before=$(inside systemctl show -P MainPID segnalazioni)
other=$(inside systemctl show -P MainPID segnalazioni@cronaca)
check 'a later package goes over it, and keeps the configuration' inside dpkg --force-confdef --force-confold -i /later.deb
check 'the configuration is still that of the operator' inside grep -q '^listen = "127.0.0.1:8080"' $config
check 'the service was started anew' not says 'systemctl show -P MainPID segnalazioni' "$before"
check 'and has the report' reads_report
check 'so was the other newsroom' not says 'systemctl show -P MainPID segnalazioni@cronaca' "$other"
check 'which has its report' of_newsroom 8081 cronaca "$first" --expect "$id"
check 'it can be removed' inside apt-get remove -y -q segnalazioni
check 'the service is gone' not inside systemctl is-active segnalazioni
check 'the other newsroom stopped too' not inside systemctl is-active segnalazioni@cronaca
inside sh -c "systemctl disable -q segnalazioni@cronaca; rm -r /etc/segnalazioni/cronaca.toml $data-cronaca"
check 'the program is gone' inside test ! -e /usr/bin/segnalazioni
check 'configuration and archive stay' inside test -f $config -a -f $data/segnalazioni.db
check 'installed again it has the report' inside apt-get install -y -q --no-install-recommends /segnalazioni.deb
check 'that of then' reads_report
check 'it can be purged' inside apt-get purge -y -q segnalazioni
cat "$work/output" >"$work/purged"
check 'the configuration is gone' inside test ! -e /etc/segnalazioni
check 'the archive is not' inside test -f $data/segnalazioni.db -a -f $data/segnalazioni.key
check 'and the purge says how to delete it' grep -q "rm -r $data" "$work/purged"
inside sh -c "rm -r $data && deluser --quiet --system segnalazioni 2>/dev/null"
check 'a purge without an archive leaves nothing' inside sh -c "dpkg -i /segnalazioni.deb && systemctl stop segnalazioni && rm -r $data && mkdir $data && dpkg --purge segnalazioni && test ! -e $data && ! getent passwd segnalazioni"

echo '== container'
# Namespaces and cgroups of an engine are not at hand everywhere: a chroot and a network of its own do for this.
export BUILDAH_ISOLATION=chroot
readonly image=segnalazioni
store=(--storage-driver vfs --root "$work/containers" --runroot "$work/containers-run")
build_image() {
  local from
  from=$(buildah "${store[@]}" from scratch)
  buildah "${store[@]}" copy --quiet "$from" "$work/base" /
  buildah "${store[@]}" commit --quiet "$from" localhost/debian:12-slim
  buildah "${store[@]}" bud --pull-never --format docker --from localhost/debian:12-slim -t $image "$(dirname "$package")"
}
of_image() { buildah "${store[@]}" inspect --type image $image | node -e "console.log(JSON.parse(require('fs').readFileSync(0)).Docker.config.$1)"; }
# run [OPTION...] -- COMMAND...: in the container, and in its network when it runs.
run() {
  local enter=()
  [[ -z $container ]] || enter=(nsenter -t "$container" -n)
  "${enter[@]}" buildah "${store[@]}" run "$@"
}
start_container() {
  local serve=("$(of_image 'Entrypoint[0]')" "$(of_image 'Cmd[0]')")
  unshare --net --pid --fork --mount-proc --kill-child bash -c 'ip link set lo up; exec buildah "$@"' - \
    "${store[@]}" run --env SEGNALAZIONI_TRUSTED_PROXIES=127.0.0.1 "$made" -- "${serve[@]}" >"$work/container.log" 2>&1 &
  container=$!
  for _ in $(seq 100); do
    grep -q '/setup#' "$work/container.log" && break
    sleep 0.2
  done
  # The first process inside has the network.
  container=$(pgrep -P "$container")
}
healthy() { run "$made" -- bash -c "$(of_image 'Healthcheck.Test[3]')"; }
first_report_of_container() {
  local link
  link=$(grep -o 'http://.*/setup#.*' "$work/container.log")
  nsenter -t "$container" -n node tools/first-report.mjs --setup "${link/0.0.0.0/127.0.0.1}"
}

check 'the container file makes an image' build_image
made=$(buildah "${store[@]}" from --pull-never $image)
check 'without a proxy declared it does not start in the clear' not run "$made" -- segnalazioni serve
check 'nothing listens: it is not healthy' not healthy
start_container
check 'with one it listens, and is healthy' healthy
check 'it is not root' run "$made" -- sh -c '[ "$(id -u):$(id -g)" = 10001:10001 ]'
check 'its set-up link leads to a report that an editor reads' first_report_of_container
check 'its data is in the volume, its own alone' run "$made" -- sh -c '[ "$(stat -c %a:%u /dati /dati/segnalazioni.key)" = "700:10001
600:10001" ]'

sum
