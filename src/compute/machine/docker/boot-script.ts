// The scripts that run in containers. A machine's container only mounts its disks, makes the boot volume its root and
// executes the init of the distribution, which runs without the capability to mount.

import { servicesAddress } from '../../network/linux/unit.ts';

// The volume of a disk is mounted at /disk: `rootfs` has the content, `seed` the unused data of a first boot, and
// `complete` exists when the content is complete.
export const diskAt = '/disk';
// The mount points of data volumes, in the container and, below the root of the machine, for its users.
export const volumesAt = '/volumes';
export const dataVolumesAt = '/mnt';

// Scripts run in Linux containers, whatever the system of the region is.
export const shellCommand = (script: string): string[] => ['/bin/sh', '-c', script];

// The capabilities that only the boot script needs, and those that nothing in a machine may use.
export const droppedForInit = '-sys_admin,-sys_module,-mknod,-sys_rawio,-sys_ptrace';
export const droppedForUsers = `${droppedForInit},-sys_boot`;

export const bootScript = `
set -e
root=${diskAt}/rootfs
if [ ! -x "$root/sbin/init" ] && [ ! -L "$root/sbin/init" ]; then
  echo "firmware: no bootable device"
  trap 'exit 130' RTMIN+3 TERM INT
  sleep infinity & wait $!
fi
echo "firmware: booting from volume $CUMULET_BOOT_VOLUME"
mount --bind "$root" "$root"
for volume in ${volumesAt}/*; do
  [ -d "$volume/rootfs" ] || continue
  mkdir -p "$root${dataVolumesAt}/\${volume##*/}"
  mount --bind "$volume/rootfs" "$root${dataVolumesAt}/\${volume##*/}"
done
cd "$root"
mkdir -p proc sys dev run tmp .old
for kind in proc sys dev; do mount --rbind "/$kind" "$kind"; done
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs run
mkdir -p run/lock
mount -t tmpfs -o mode=1777,nosuid,nodev,size=5m tmpfs run/lock
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs tmp
groups=sys/fs/cgroup
if [ -e "$groups/cgroup.controllers" ]; then
  mount -t cgroup2 cgroup2 "$groups"
else
  mount -o remount,rw "$groups"
  mkdir -p "$groups/systemd"
  umount "$groups/systemd" 2>/dev/null || true
  mount -t cgroup -o rw,none,name=systemd systemd "$groups/systemd"
  mount -o remount,ro "$groups"
fi
if [ -n "$CUMULET_HOSTNAME" ]; then
  echo "$CUMULET_HOSTNAME" > etc/hostname
  printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n::1 localhost ip6-localhost\\n' "$CUMULET_HOSTNAME" > etc/hosts
fi
resolver=etc/resolv.conf
ours='# written at each boot, until this line is removed'
if { [ ! -e "$resolver" ] && [ ! -L "$resolver" ]; } || { [ ! -L "$resolver" ] && grep -qsxF "$ours" "$resolver"; }; then
  printf '%s\\nnameserver ${servicesAddress}\\noptions timeout:2\\n' "$ours" > "$resolver"
fi
trust() { # a folder of certificates and the file that has all trusted ones
  [ -d "$1" ] && [ -f "$2" ] || return 0
  printf %s "$CUMULET_CA" | base64 -d > "$1/cumulet-region.crt"
  # The second line has the serial number.
  grep -qxF "$(sed -n 2p "$1/cumulet-region.crt")" "$2" || cat "$1/cumulet-region.crt" >> "$2"
}
if [ -n "$CUMULET_CA" ]; then
  trust usr/local/share/ca-certificates etc/ssl/certs/ca-certificates.crt || true
  trust etc/pki/ca-trust/source/anchors etc/pki/tls/certs/ca-bundle.crt || true
fi
seed=${diskAt}/seed
if [ -d "$seed" ]; then
  if [ -s "$seed/keys" ]; then
    mkdir -p root/.ssh && chmod 700 root/.ssh
    cat "$seed/keys" >> root/.ssh/authorized_keys && chmod 600 root/.ssh/authorized_keys
    echo "first boot: SSH keys installed for root"
  fi
  if [ -s "$seed/password" ]; then
    chroot . usermod -p "$(cat "$seed/password")" root
    mkdir -p etc/ssh/sshd_config.d
    printf 'PermitRootLogin yes\\nPasswordAuthentication yes\\n' > etc/ssh/sshd_config.d/10-password.conf
    echo "first boot: password set for root"
  fi
  if [ -s "$seed/user-data" ] && [ -d etc/cloud ]; then
    mkdir -p var/lib/cloud/seed/nocloud
    cp "$seed/user-data" "$seed/meta-data" var/lib/cloud/seed/nocloud/
    chmod 600 var/lib/cloud/seed/nocloud/*
    rm -f etc/cloud/cloud-init.disabled
    echo "first boot: user data is handed to cloud-init"
  elif [ -s "$seed/user-data" ]; then
    echo "first boot: warning: the image has no cloud-init, so the user data is not used"
  fi
  sync
  rm -rf "$seed"
fi
chroot . ssh-keygen -A >/dev/null 2>&1 || true
pivot_root . .old
umount -l /.old 2>/dev/null || true
exec setpriv --bounding-set ${droppedForInit} --inh-caps ${droppedForInit} /sbin/init
`;

const finish = `sync; : > ${diskAt}/complete; sync`;
const isComplete = `[ -e ${diskAt}/complete ] && exit 0`;

// Standard input has a line for each file of the first boot: its name and its content in base64.
const readSeed = `
while read -r name data; do
  mkdir -p ${diskAt}/seed && chmod 700 ${diskAt}/seed
  printf %s "$data" | base64 -d > "${diskAt}/seed/$name"
done`;

// Runs in a container of the image.
export const fillFromImage = `
set -e
${isComplete}
rm -rf ${diskAt}/rootfs ${diskAt}/seed
mkdir ${diskAt}/rootfs
for entry in /* /.[!.]*; do
  case "$entry" in
    /proc|/sys|/dev|/run|/tmp|${diskAt}|/.dockerenv|'/.[!.]*') continue ;;
  esac
  cp -ax "$entry" ${diskAt}/rootfs/
done
cd ${diskAt}/rootfs && mkdir -p proc sys dev run tmp && chmod 1777 tmp
rm -f etc/hostname etc/resolv.conf
: > etc/machine-id
${readSeed}
${finish}`;

// The source disk is mounted at /source.
export const fillFromDisk = `
set -e
${isComplete}
rm -rf ${diskAt}/rootfs ${diskAt}/seed
if [ ! -e /source/complete ]; then echo "the source disk is not complete" >&2; exit 9; fi
cp -a --reflink=auto /source/rootfs ${diskAt}/
if [ -d /source/seed ]; then cp -a /source/seed ${diskAt}/; fi
${readSeed}
${finish}`;

export const fillBlank = `
set -e
${isComplete}
mkdir -p ${diskAt}/rootfs
${finish}`;

// Resolves when sshd listens. /proc/net/tcp has port 22 as 0016, and 0A is the state of a listening socket.
export const untilSshd = (seconds: number): string => `
count=0
while [ $count -lt ${seconds * 10} ]; do
  if [ -d /run/systemd ] || [ ! -d /run/systemd/system ]; then
    grep -qs ':0016 0*:0000 0A' /proc/net/tcp /proc/net/tcp6 && exit 0
  fi
  sleep 0.1
  count=$((count + 1))
done
exit 1`;

// Connects standard input and output with a port of the machine itself.
export const connectScript = `
import os, socket, sys, threading
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def send():
    while True:
        data = os.read(0, 65536)
        if not data: break
        s.sendall(data)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=send, daemon=True).start()
while True:
    data = s.recv(65536)
    if not data: break
    while data: data = data[os.write(1, data):]
`;
