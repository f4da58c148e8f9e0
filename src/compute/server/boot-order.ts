// Which of its volumes a server boots from, as far as they tell by their bootOrder: the PRIMARY one, beside which all
// others are NONE. Of those that are AUTO it is the one that the server has known first. NONE beside AUTO is allowed,
// since clients take a boot device away by it, and come from AUTO to PRIMARY only that way.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import type { Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { refused } from '../lan/addressing.ts';
import { attachedTo, attachedVolumes, type Boot, bootOf, isAttached } from './attachment.ts';

type Order = Values[string] | undefined;

const orderOf = (row: Row): Order => (JSON.parse(row.body) as Values).bootOrder;

function problemOf(order: Order, others: readonly Order[]): string | undefined {
  if (order === 'PRIMARY' && others.some((one) => one !== 'NONE'))
    return 'PRIMARY is the one to boot from: all other volumes of the server must be NONE';
  if (order === 'AUTO' && others.includes('PRIMARY'))
    return 'Another volume of the server is PRIMARY: bootOrder NONE is expected beside it';
  return undefined;
}

// Of volumes that come to a new server together, all that is wrong.
export function demandOrders(volumes: readonly Draft[]): void {
  const problems: Problem[] = [];
  for (const one of volumes) {
    const others = volumes.filter((other) => other !== one).map(({ values }) => values.bootOrder);
    const message = problemOf(one.values.bootOrder, others);
    if (message !== undefined) problems.push(...refused(one, placeOf(one), message).problems);
  }
  if (problems.length > 0) throw new Fault('refused', problems[0]?.message ?? '', { problems });
}

// One that stands is named by its id alone.
const placeOf = ({ act }: Draft): string => (act === 'attach' ? 'id' : 'bootOrder');

// The volume comes to this server, or has another order there. What another one is about to become can't be seen yet.
async function demandOrder(draft: Draft, store: Store, server: Row): Promise<void> {
  const all = await attachedVolumes(server, store);
  const others = all.filter(({ id }) => id !== draft.id);
  const { bootOrder } = draft.values;
  const isReordered = draft.before !== undefined && draft.act === undefined;
  const changing = others.find(({ state }) => state === 'CHANGING');
  if (changing && (bootOrder === 'PRIMARY' || (isReordered && bootOrder !== 'NONE'))) throw busy(changing);
  const message = problemOf(bootOrder, others.map(orderOf));
  if (message !== undefined) throw refused(draft, placeOf(draft), message);
}

// A volume is attached. The first one that can be booted from is what the server boots. The server is written anew in
// any case: a removal that was decided upon before the volume came has to be decided again.
export async function holdServer(draft: Draft, store: Store, server: Row): Promise<void> {
  await demandOrder(draft, store, server);
  const { bootOrder } = draft.values;
  const isChosen = bootOrder === 'PRIMARY' || (bootOrder !== 'NONE' && (await isOpen(store, server, bootOf(server))));
  write(draft, isChosen ? withBoot(server, { volume: draft.id }) : server);
}

// The order of a volume changes, which may be attached.
export async function reorder(draft: Draft, store: Store): Promise<void> {
  const row = draft.before as Row;
  const server = await store.at(row.contract, attachedTo(row) ?? '');
  if (!server) return;
  await demandOrder(draft, store, server);
  const boot = bootOf(server);
  const isOwn = Boolean(boot && 'volume' in boot && boot.volume === row.id);
  const { bootOrder } = draft.values;
  if (bootOrder === 'NONE') return write(draft, isOwn ? withBoot(server, null) : server);
  const isChosen = bootOrder === 'PRIMARY' || boot === null || (await isOpen(store, server, boot));
  write(draft, isChosen ? withBoot(server, { volume: row.id }) : server);
}

// The server is told to boot from this one.
export async function demandNoOtherPrimary(draft: Draft, store: Store, volumeId: string): Promise<void> {
  const all = await attachedVolumes(draft.before as Row, store);
  const other = all.find((one) => one.id !== volumeId && orderOf(one) === 'PRIMARY');
  if (other) throw refused(draft, 'bootVolume', `The volume ${other.id} is PRIMARY: change its bootOrder first`);
}

// Of a new server: what it is told to boot from, or what its volumes say.
export function firstToBoot(volumes: readonly Draft[], chosen: Draft | undefined): Draft | undefined {
  return (
    chosen ??
    volumes.find(({ values }) => values.bootOrder === 'PRIMARY') ??
    volumes.find(({ values }) => values.bootOrder !== 'NONE')
  );
}

// Nothing has been chosen so far, or what was chosen is no longer there.
const isOpen = async (store: Store, server: Row, boot: Boot): Promise<boolean> =>
  boot === undefined || (boot !== null && 'volume' in boot && !(await isAttached(store, server, boot.volume)));

function withBoot(server: Row, boot: Boot): Row {
  const hidden = server.hidden ? (JSON.parse(server.hidden) as Values) : {};
  return { ...server, hidden: JSON.stringify({ ...hidden, boot: boot as Values | null }) };
}

const write = (draft: Draft, row: Row): void => void draft.extraWrites.push({ op: 'update', table: 'resource', row });
