// The machine of a server. Its handle is in the hidden part of the row. Links define which volumes are attached, and
// the machine gets them at its next boot.
import { changeOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Device, DiskHandle, MachineHandle } from '../machine/engine.ts';
import { diskOf } from '../storage/disks.ts';
import type { ComputeTools } from '../tools.ts';
import { attachedVolumes, type Boot } from './attachment.ts';

export const machineIn = ({ hidden }: Pick<Row, 'hidden'>): MachineHandle | undefined =>
  hidden ? (JSON.parse(hidden) as { machine?: MachineHandle }).machine : undefined;

// First boot of a new server, after all its parts are decided.
export async function bootFirst(draft: Draft, { tools }: DecisionContext<ComputeTools>): Promise<void> {
  const { values, hidden, id } = draft;
  const spec = { id, hostname: String(values.hostname ?? ''), cores: Number(values.cores), ram: Number(values.ram) };
  let machine = await tools.machines.create(spec);
  for (const part of draft.related) {
    if (part.resource.name !== 'volume') continue;
    const device = volumeDevice(part.id, part.hidden.disk as DiskHandle, hidden.boot as Boot);
    machine = await tools.machines.attach(machine, device);
    const disk = part.hidden.disk as DiskHandle | undefined;
    if (device.boot && disk && (await isFirstBoot(tools, disk))) part.hidden.disk = await tools.disks.booted(disk, id);
  }
  for (const { id: nic, values, resource } of draft.children)
    if (resource.name === 'nic')
      machine = await tools.machines.attach(machine, { id: nic, kind: 'nic', mac: String(values.mac) });
  hidden.machine = await tools.machines.start(machine);
}

export type Power = (machine: MachineHandle) => MachineHandle | Promise<MachineHandle>;

// Applies an operation to the machine of an existing server.
export async function operate(draft: Draft, work: Power): Promise<void> {
  const machine = machineIn(draft.before as Row);
  if (machine) draft.hidden.machine = await work(machine);
}

// Applies an operation that boots the machine, with the currently attached devices. The first boot of a disk consumes
// its prepared data.
export async function boot(draft: Draft, context: DecisionContext<ComputeTools>, work: Power): Promise<void> {
  const { tools, store } = context;
  const row = draft.before as Row;
  let machine = machineIn(row);
  if (!machine) return;
  const volumes = await attachedVolumes(row, store);
  const nics = await store.range({ contract: row.contract, place: `${pathOf(row)}/nics`, limit: 100 });
  const there = new Set([...volumes, ...nics].map(({ id }) => id));
  const { devices } = await tools.machines.describe(machine);
  for (const { id } of devices) if (!there.has(id)) machine = await tools.machines.detach(machine, id);
  for (const volume of volumes) {
    const disk = diskOf(volume);
    const device = volumeDevice(volume.id, disk, draft.hidden.boot as Boot);
    machine = await tools.machines.attach(machine, device);
    if (device.boot && disk && (await isFirstBoot(tools, disk))) await takeFirstBoot(draft, context, volume, disk);
  }
  for (const nic of nics) {
    const { mac } = JSON.parse(nic.body) as { mac: string };
    machine = await tools.machines.attach(machine, { id: nic.id, kind: 'nic', mac });
  }
  draft.hidden.machine = await work(machine);
}

const volumeDevice = (id: string, disk: DiskHandle | undefined, boots: Boot): Device => ({
  id,
  kind: 'volume',
  ...(disk && { disk }),
  boot: boots !== null && boots !== undefined && 'volume' in boots && boots.volume === id,
});

async function isFirstBoot(tools: ComputeTools, disk: DiskHandle): Promise<boolean> {
  const { prepared, bootedBy } = await tools.disks.describe(disk);
  return prepared !== null && bootedBy === null;
}

async function takeFirstBoot(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  volume: Row,
  disk: DiskHandle,
): Promise<void> {
  if (volume.state !== 'AVAILABLE') return;
  const change = changeOf(context.resource('volume'), draft.caller, draft.parents, volume);
  change.hidden.disk = await context.tools.disks.booted(disk, draft.id);
  draft.related.push(change);
}
