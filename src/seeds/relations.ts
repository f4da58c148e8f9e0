// Adds the existing resources that belong to a seeded one: the members of a group, the CD-ROMs of a server.
import type { Json, Values } from '../base/json.ts';
import type { Relation } from '../core/resource.ts';
import { messagesOf, type SeedAnswer, type SeedClient } from './seed-client.ts';
import type { Undo } from './undo.ts';

export interface Relating {
  client: SeedClient;
  undo: Undo | undefined;
  own: string; // path of the resource
  fail(message: string): Error;
}

// Those that belong to it already stay.
export async function relate(relation: Relation, wanted: readonly Json[], tools: Relating): Promise<void> {
  const collection = `${tools.own}/${relation.name}`;
  const before = (await tools.client.list(collection)).map(({ id }) => String(id));
  const missing = wanted.filter((one) => !before.includes(idOf(one)));
  if (missing.length === 0) return;
  if (relation.by === 'set') {
    const set = (ids: readonly string[]) => tools.client.call('PUT', collection, { ids: [...ids] });
    await done(tools, await set([...before, ...missing.map(idOf)]));
    tools.undo?.add(collection, async () => reasonOf(tools, await set(before)));
    return;
  }
  for (const one of missing) {
    const member = `${collection}/${encodeURIComponent(idOf(one))}`;
    await done(tools, await added(relation, one, collection, tools.client));
    tools.undo?.add(member, () => tools.client.remove(member));
  }
}

const idOf = (one: Json): string => String(typeof one === 'object' ? (one as Values).resource : one);

function added({ by }: Relation, one: Json, collection: string, client: SeedClient): Promise<SeedAnswer> {
  if (by === 'add') return client.call('POST', collection, { id: idOf(one) });
  const { resource: _, ...properties } = one as Values;
  return client.call('POST', `${collection}/${encodeURIComponent(idOf(one))}`, { properties });
}

async function done(tools: Relating, answer: SeedAnswer): Promise<void> {
  const reason = await reasonOf(tools, answer);
  if (reason !== undefined) throw tools.fail(reason);
}

async function reasonOf({ client }: Relating, answer: SeedAnswer): Promise<string | undefined> {
  return answer.status < 300 ? client.untilDone(answer) : messagesOf(answer.body).join(' ');
}
