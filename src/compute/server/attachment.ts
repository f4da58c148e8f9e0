// Volumes attached to a server: a link from the volume, which holds its slot. The server stores its boot device; a boot
// volume that is no longer attached is ignored.
import { type Draft, pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Reader } from '../../core/tree.ts';
import { claimSlot, deviceNumber, type Machine, releaseSlot } from './pci-slots.ts';

export const attached = 'attached'; // the role of the link

// The boot device. Null: none, by the user's choice; undefined: none so far.
export type Boot = { volume: string } | { cdrom: string } | null | undefined;

// Extracted without parsing, because lists need it for every server and the hidden part is long. Users' texts are
// escaped in it, and no other field of that name is an object or null.
export function bootOf({ hidden }: Pick<Row, 'hidden'>): Boot {
  const [, text] = /"boot":(\{[^{}]*\}|null)/.exec(hidden) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as Boot);
}

const attachedLink = `["${attached}","`;

export function attachedTo({ hidden }: Pick<Row, 'hidden'>): string | undefined {
  const at = hidden.indexOf(attachedLink);
  if (at < 0) return undefined;
  const from = at + attachedLink.length;
  return hidden.slice(from, hidden.indexOf('"', from));
}

export const attachedVolumes = (server: Row, store: Reader): Promise<Row[]> =>
  store.linkedRows(server.contract, pathOf(server), '<', attached);

export async function attach(draft: Draft, store: Store, machine: Machine, taken?: Set<number>): Promise<void> {
  const slot = await claimSlot(draft, store, machine, 'volume', taken);
  draft.reservations.links.push([attached, machine.path]);
  Object.assign(draft.values, { deviceNumber: deviceNumber(slot), pciSlot: slot });
}

export function detach(draft: Draft, serverPath: string): void {
  const kept = draft.reservations.links.filter(([role]) => role !== attached);
  draft.reservations.links.splice(0, draft.reservations.links.length, ...kept);
  releaseSlot(draft, serverPath);
  Object.assign(draft.values, { deviceNumber: null, pciSlot: null });
}

export async function isAttached(store: Reader, server: Row, volumeId: string): Promise<boolean> {
  const path = pathOf(server);
  const volumePath = `${path.split('/').slice(0, 2).join('/')}/volumes/${volumeId}`;
  return (await store.get(server.contract, `${path} < ${attached}`, volumePath, 'link')) !== undefined;
}
