// How an image of a distribution becomes bootable for machines: an init, sshd, cloud-init, and settings for a machine
// that shares the kernel of its host.

const finish = `
for unit in systemd-binfmt.service proc-sys-fs-binfmt_misc.automount getty@tty1.service console-getty.service \\
  systemd-networkd-wait-online.service NetworkManager-wait-online.service systemd-udevd.service \\
  systemd-udev-trigger.service systemd-modules-load.service systemd-logind-varlink.socket sys-kernel-debug.mount \\
  sys-kernel-tracing.mount dev-hugepages.mount dev-mqueue.mount sys-fs-fuse-connections.mount sys-kernel-config.mount \\
  nftables.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dnf-makecache.timer; do
  mkdir -p etc/systemd/system && ln -sf /dev/null "etc/systemd/system/$unit"
done
mkdir -p etc/cloud/cloud.cfg.d etc/ssh/sshd_config.d etc/systemd/journald.conf.d etc/systemd/system/multi-user.target.wants
cat > etc/cloud/cloud.cfg.d/90-cumulet.cfg <<'END'
datasource_list: [NoCloud]
network: {config: disabled}
preserve_hostname: true
manage_etc_hosts: false
disable_root: false
ssh_deletekeys: false
users: []
locale: false
output: {all: '| tee -a /var/log/cloud-init-output.log'}
END
echo 'policy: search,found=first,maybe=none,notfound=disabled' > etc/cloud/ds-identify.cfg
touch etc/cloud/cloud-init.disabled
printf '[Journal]\\nSystemMaxUse=16M\\n' > etc/systemd/journald.conf.d/10-cumulet.conf
cat > etc/systemd/system/cumulet-console.service <<'END'
[Unit]
Description=Login prompt on the console
After=ssh.service sshd.service systemd-user-sessions.service
[Service]
Type=idle
RemainAfterExit=yes
StandardOutput=tty
TTYPath=/dev/console
ExecStart=/bin/sh -c '. /etc/os-release; printf "\\\\n%%s %%s console\\\\n\\\\n%%s login: \\\\n" "$PRETTY_NAME" "$(cat /etc/hostname)" "$(cat /etc/hostname)"'
[Install]
WantedBy=multi-user.target
END
ln -sf /etc/systemd/system/cumulet-console.service etc/systemd/system/multi-user.target.wants/cumulet-console.service
rm -f etc/systemd/system/multi-user.target.wants/haproxy.service # the region starts it in its own container
ln -sf /lib/systemd/system/multi-user.target etc/systemd/system/default.target
[ -e sbin/init ] || ln -s ../lib/systemd/systemd sbin/init
rm -f etc/ssh/ssh_host_* var/lib/dbus/machine-id
rm -f etc/hostname 2>/dev/null || true
: > etc/machine-id
rm -rf usr/share/doc/* usr/share/man/* usr/share/locale/[a-df-z]* var/cache/apt/* var/lib/apt/lists/* var/cache/dnf tmp/* run/* 2>/dev/null || true
`;

// Runs at the root of a distribution's file tree that has all packages.
export const finishScript = `set -e\n${finish}`;

// The packages of a machine by their names in Debian and Ubuntu.
export const debianPackages = [
  ...['systemd', 'systemd-sysv', 'dbus', 'openssh-server', 'openssh-sftp-server', 'cloud-init', 'python3', 'iproute2'],
  ...['sudo', 'curl', 'ca-certificates', 'iputils-ping', 'procps', 'nftables', 'conntrack', 'dnsmasq-base', 'haproxy'],
];

const redHatPackages = [
  'systemd',
  'openssh-server',
  'cloud-init',
  'python3',
  'iproute',
  'sudo',
  'ca-certificates',
  'procps-ng',
  'nftables',
  'conntrack-tools',
  'dnsmasq',
  'haproxy',
];

// Runs in a container of the distribution's own image, with a network. Netplan is omitted: it restarts networks at
// boot.
export const prepareScript = `
set -e
cd /
if command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  printf '#!/bin/sh\\nexit 101\\n' > usr/sbin/policy-rc.d && chmod 755 usr/sbin/policy-rc.d
  apt-get -q update
  apt-get -q -y --no-install-recommends install ${debianPackages.join(' ')}
  rm -f usr/sbin/policy-rc.d
  apt-get -q -y purge netplan.io 2>/dev/null || true
elif command -v dnf >/dev/null; then
  dnf -y -q --setopt=install_weak_deps=False install ${redHatPackages.join(' ')}
  systemctl enable sshd || true
  dnf -q clean all
else
  echo "the image has neither apt-get nor dnf" >&2
  exit 9
fi
${finish}
`;
