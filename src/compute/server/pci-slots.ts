// PCI slots of a server. Volumes and NICs share 24 of them; a Cube has 24 for volumes, its own NVMe among them, and 24
// for NICs. A device holds a claim on its slot below the server, so no two devices have the same slot.
import { Fault } from '../../base/fault.ts';
import type { Draft } from '../../core/resource.ts';
import type { Store } from '../../core/store.ts';

const first = 5; // lower ones are the machine's own
const count = 24;

export type Device = 'volume' | 'nic';

export interface Machine {
  path: string;
  isCube: boolean;
  isNew: boolean; // created by the same request
}

// `taken` collects the slots that the same request has claimed.
export async function claimSlot(
  draft: Draft,
  store: Store,
  machine: Machine,
  device: Device,
  taken: Set<number> = new Set(),
): Promise<number> {
  if (!machine.isNew) for (const slot of await takenOf(store, machine.path)) taken.add(slot);
  const from = machine.isCube && device === 'nic' ? first + count : first;
  const copied = Number(draft.values.pciSlot ?? 0); // of a copy; all others have none yet
  const slots = Array.from({ length: count }, (_, index) => from + index);
  for (const slot of slots.includes(copied) ? [copied, ...slots] : slots) {
    if (taken.has(slot)) continue;
    taken.add(slot);
    draft.reservations.claims.push(claimOf(machine.path, slot));
    return slot;
  }
  const what = machine.isCube ? `${count} ${device}s` : `${count} volumes and NICs together`;
  throw new Fault('refused', `[${draft.at.replace(/\.properties$/, '')}] A server has at most ${what}`, {
    code: '200',
  });
}

export const holdsSlot = ({ reservations }: Draft, serverPath: string): boolean =>
  reservations.claims.some((claim) => claim.startsWith(claimsOf(serverPath)));

export function releaseSlot({ reservations }: Draft, serverPath: string): void {
  const kept = reservations.claims.filter((claim) => !claim.startsWith(claimsOf(serverPath)));
  reservations.claims.splice(0, reservations.claims.length, ...kept);
}

export const deviceNumber = (slot: number): number => slot - first + 1;

const claimsOf = (serverPath: string): string => `${serverPath} slot `;
const claimOf = (serverPath: string, slot: number): string => claimsOf(serverPath) + String(slot).padStart(2, '0');

async function takenOf(store: Store, serverPath: string): Promise<number[]> {
  const rows = await store.range({ contract: 0, place: serverPath, from: 'slot ', to: 'slot~', limit: 100 }, 'claim');
  return rows.map(({ id }) => Number(id.slice(-2)));
}
