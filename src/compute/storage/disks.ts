// The disk of a volume or snapshot. Its handle is in the hidden part of the row.
import type { Values } from '../../base/json.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import { refused } from '../lan/address-claims.ts';
import type { DiskHandle, DiskSource, FirstBoot } from '../machine/engine.ts';
import { passwordHash } from '../machine/password-hash.ts';
import { userDataFormat } from '../machine/userdata.ts';
import type { ComputeTools } from '../tools.ts';

// Undefined: a blank disk in its initial state.
export const diskOf = ({ hidden }: Pick<Row, 'hidden'>): DiskHandle | undefined =>
  hidden ? (JSON.parse(hidden) as { disk?: DiskHandle }).disk : undefined;

// The data for the first boot is stored in the disk only.
export async function makeDisk(
  draft: Draft,
  { tools }: DecisionContext<ComputeTools>,
  source: DiskSource,
): Promise<void> {
  const { sealed, values, hidden } = draft;
  const given = firstBoot(sealed);
  if (given.userData !== undefined) {
    const found = userDataFormat(given.userData);
    if ('problem' in found) throw refused(draft, 'userData', found.problem, '100');
  }
  if (source.from === 'blank' && !tools.machines.abilities.realTime) return; // a simulated blank disk needs no handle
  const disk = await tools.disks.create(source, Number(values.size));
  const password = sealed.imagePassword;
  const data = typeof password === 'string' ? { ...given, passwordHash: await passwordHash(password) } : given;
  hidden.disk = Object.keys(data).length > 0 ? await tools.disks.prepare(disk, data) : disk;
}

const firstBoot = ({ userData, sshKeys }: Values): FirstBoot => ({
  ...(typeof userData === 'string' && userData !== '' && { userData }),
  ...(Array.isArray(sshKeys) && sshKeys.length > 0 && { sshKeys: sshKeys.map((key) => String(key).trim()) }),
});
