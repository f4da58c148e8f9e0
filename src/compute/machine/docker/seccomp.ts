// System calls that a machine may not make. Its mounts are done before its init starts, so the default profile, which
// allows no pivot_root, can't be used. Each call here affects the host's kernel as a whole and is useless inside.
const denied = [
  ...['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'open_by_handle_at'],
  ...[
    'perf_event_open',
    'userfaultfd',
    'bpf',
    'swapon',
    'swapoff',
    'iopl',
    'ioperm',
    'acct',
    'quotactl',
    'quotactl_fd',
  ],
  ...['settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex', 'stime', 'add_key', 'request_key', 'keyctl'],
  ...['lookup_dcookie', 'nfsservctl', 'vhangup', 'syslog', 'fanotify_init', 'kcmp', 'move_pages', 'vmsplice'],
  ...[
    'io_uring_setup',
    'io_uring_enter',
    'io_uring_register',
    '_sysctl',
    'uselib',
    'ustat',
    'sysfs',
    'vm86',
    'vm86old',
  ],
];

// The kernel permits a change of the host name only to those who may mount. Programs that set the name which the
// machine already has, such as docker-machine, would stop at a refusal, so these calls succeed without effect.
const ignored = ['sethostname', 'setdomainname'];

export const seccompProfile: string = JSON.stringify({
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [
    { names: denied, action: 'SCMP_ACT_ERRNO', errnoRet: 1 },
    { names: ignored, action: 'SCMP_ACT_ERRNO', errnoRet: 0 },
  ],
});
