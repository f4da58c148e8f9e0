// How the container of a machine is created: its disks, its limits and its isolation.
import type { Values } from '../../../base/json.ts';
import { bootScript, diskAt, shellCommand, volumesAt } from './boot-script.ts';
import { bootDevice } from './desired.ts';
import { type DockerMachine, stateOf } from './handles.ts';
import { bootLabel, machineLabel, regionLabel, volumeName } from './names.ts';
import { seccompProfile } from './seccomp.ts';

// SYS_ADMIN is for the mounts before init, which runs without it. SYS_BOOT lets the system end with different codes for
// a shutdown and a reboot; the seccomp profile denies what else it permits.
const capabilities = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP', 'SETFCAP'],
  ...['NET_BIND_SERVICE', 'SYS_CHROOT', 'AUDIT_WRITE', 'SYS_BOOT', 'SYS_ADMIN'],
];

export const mostProcesses = 4096;
const mostFiles = 16_384; // of one process

const stopSignal = 'SIGRTMIN+3'; // systemd: halt

export interface ContainerInput {
  region: string;
  machine: DockerMachine;
  image: string;
  isBoundToCores: boolean; // the engine can limit processor time
  authority: string | undefined; // the region's CA as PEM, which the machine trusts
}

export function containerSpec({ region, machine, image, isBoundToCores, authority = '' }: ContainerInput): Values {
  const { id, hostname, boots } = machine;
  const boot = bootDevice(machine);
  const data = machine.devices.filter((one) => one !== boot && one.volume !== null);
  return {
    Image: image,
    Hostname: hostname.slice(0, 63),
    Tty: true, // its console
    Entrypoint: shellCommand(bootScript),
    Cmd: [],
    WorkingDir: '/',
    User: 'root',
    Env: [
      ...['container=docker', `CUMULET_HOSTNAME=${hostname}`, `CUMULET_BOOT_VOLUME=${boot?.id ?? ''}`],
      `CUMULET_CA=${Buffer.from(authority).toString('base64')}`,
    ],
    StopSignal: stopSignal,
    Labels: { [regionLabel]: region, [machineLabel]: id, [bootLabel]: String(boots) },
    HostConfig: {
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      SecurityOpt: [`seccomp=${seccompProfile}`, 'apparmor=unconfined'],
      CgroupnsMode: 'private',
      IpcMode: 'private',
      Privileged: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      PidsLimit: mostProcesses,
      Ulimits: [{ Name: 'nofile', Soft: mostFiles, Hard: mostFiles }],
      ...sizeLimits(machine, isBoundToCores),
      Mounts: [
        ...(boot ? [mountOf(region, String(boot.volume), diskAt)] : []),
        ...data.map((one) => mountOf(region, String(one.volume), `${volumesAt}/${one.id}`)),
      ],
    },
  };
}

export const mountOf = (region: string, volume: string, target: string, isReadOnly = false): Values => ({
  Type: 'volume',
  Source: volumeName(region, volume),
  Target: target,
  ReadOnly: isReadOnly,
  VolumeOptions: { NoCopy: true },
});

const mib = 1024 * 1024;

export const sizeLimits = ({ cores, ram }: Pick<DockerMachine, 'cores' | 'ram'>, isBoundToCores: boolean): Values => ({
  Memory: ram * mib,
  MemorySwap: ram * mib, // no swap
  ...(isBoundToCores && { CpuPeriod: 100_000, CpuQuota: Math.round(cores * 100_000) }),
});

export const shouldRun = (machine: DockerMachine): boolean => ['RUNNING', 'SUSPENDED'].includes(stateOf(machine));
