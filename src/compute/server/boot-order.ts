// The boot volume of a server by the bootOrder of its volumes: the PRIMARY one, with all others NONE; without a
// PRIMARY, the first AUTO one that was attached. NONE together with AUTO is allowed: clients remove a boot device with
// it, and it is their only way from AUTO to PRIMARY.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import type { Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { refused } from '../lan/address-claims.ts';
import { attachedTo, attachedVolumes, type Boot, bootOf, isAttached } from './attachment.ts';

type Order = Values[string] | undefined;

const orderOf = (row: Row): Order => (JSON.parse(row.body) as Values).bootOrder;

function problemOf(order: Order, others: readonly Order[]): string | undefined {
  if (order === 'PRIMARY' && others.some((one) => one !== 'NONE'))
    return 'A server boots from its PRIMARY volume. Set all its other volumes to NONE first';
  if (order === 'AUTO' && others.includes('PRIMARY'))
    return 'Another volume of the server is PRIMARY. Expected bootOrder NONE';
  return undefined;
}

// Reports all problems of the volumes of a new server.
export function checkBootOrders(volumes: readonly Draft[]): void {
  const problems: Problem[] = [];
  for (const one of volumes) {
    const others = volumes.filter((other) => other !== one).map(({ values }) => values.bootOrder);
    const message = problemOf(one.values.bootOrder, others);
    if (message !== undefined) problems.push(...refused(one, placeOf(one), message).problems);
  }
  if (problems.length > 0) throw new Fault('refused', problems[0]?.message ?? '', { problems });
}

// A body names an existing volume by its id alone.
const placeOf = ({ act }: Draft): string => (act === 'attach' ? 'id' : 'bootOrder');

// A volume is attached or gets another bootOrder. The result of a pending change to another volume is not visible yet.
async function checkBootOrder(draft: Draft, store: Store, server: Row): Promise<void> {
  const all = await attachedVolumes(server, store);
  const others = all.filter(({ id }) => id !== draft.id);
  const { bootOrder } = draft.values;
  const isReordered = draft.before !== undefined && draft.act === undefined;
  const changing = others.find(({ state }) => state === 'CHANGING');
  if (changing && (bootOrder === 'PRIMARY' || (isReordered && bootOrder !== 'NONE'))) throw busy(changing);
  const message = problemOf(bootOrder, others.map(orderOf));
  if (message !== undefined) throw refused(draft, placeOf(draft), message);
}

// A volume is attached. The first bootable one becomes the boot volume. The server's row is written in any case, so
// that a concurrent removal that was decided without the volume is decided again.
export async function holdServer(draft: Draft, store: Store, server: Row): Promise<void> {
  await checkBootOrder(draft, store, server);
  const { bootOrder } = draft.values;
  const isChosen = bootOrder === 'PRIMARY' || (bootOrder !== 'NONE' && (await isOpen(store, server, bootOf(server))));
  write(draft, isChosen ? withBoot(server, { volume: draft.id }) : server);
}

// The bootOrder of a volume changes, attached or not.
export async function reorder(draft: Draft, store: Store): Promise<void> {
  const row = draft.before as Row;
  const server = await store.at(row.contract, attachedTo(row) ?? '');
  if (!server) return;
  await checkBootOrder(draft, store, server);
  const boot = bootOf(server);
  const isOwn = Boolean(boot && 'volume' in boot && boot.volume === row.id);
  const { bootOrder } = draft.values;
  if (bootOrder === 'NONE') return write(draft, isOwn ? withBoot(server, null) : server);
  const isChosen = bootOrder === 'PRIMARY' || boot === null || (await isOpen(store, server, boot));
  write(draft, isChosen ? withBoot(server, { volume: row.id }) : server);
}

// The client sets this volume as the boot volume.
export async function refuseOtherPrimary(draft: Draft, store: Store, volumeId: string): Promise<void> {
  const all = await attachedVolumes(draft.before as Row, store);
  const other = all.find((one) => one.id !== volumeId && orderOf(one) === 'PRIMARY');
  if (other) throw refused(draft, 'bootVolume', `Volume ${other.id} is PRIMARY. Change its bootOrder first`);
}

// The boot volume of a new server: the one that the client names, or by bootOrder.
export function chooseBootVolume(volumes: readonly Draft[], chosen: Draft | undefined): Draft | undefined {
  return (
    chosen ??
    volumes.find(({ values }) => values.bootOrder === 'PRIMARY') ??
    volumes.find(({ values }) => values.bootOrder !== 'NONE')
  );
}

// No boot device so far, or one that is no longer attached.
const isOpen = async (store: Store, server: Row, boot: Boot): Promise<boolean> =>
  boot === undefined || (boot !== null && 'volume' in boot && !(await isAttached(store, server, boot.volume)));

function withBoot(server: Row, boot: Boot): Row {
  const hidden = server.hidden ? (JSON.parse(server.hidden) as Values) : {};
  return { ...server, hidden: JSON.stringify({ ...hidden, boot: boot as Values | null }) };
}

const write = (draft: Draft, row: Row): void => void draft.extraWrites.push({ op: 'update', table: 'resource', row });
