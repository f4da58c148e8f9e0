// The life of a resource: created, listed, changed, replaced and deleted; its children live in between.
import { type Answer, accepted, filters, idOf, read, refused, report } from './client.ts';

interface Made {
  id?: string;
}

interface Life {
  name: string; // the name in lists
  create: () => Promise<Answer<Made>>;
  list: (found: { depth: number; filters: Map<string, string> }) => Promise<Answer>;
  change: (id: string) => Promise<Answer>;
  put?: (id: string) => Promise<Answer>; // absent if it can't be replaced
  get: (id: string) => Promise<Answer>;
  remove: (id: string) => Promise<Answer>;
  inside?: (id: string) => Promise<unknown>;
}

export async function life(check: string, { name, create, list, change, put, get, remove, inside }: Life) {
  const created = await accepted(create());
  const id = idOf(created);
  const listed = await read(list({ depth: 1, filters: filters({ name: name.toUpperCase() }) }));
  const changed = await accepted(change(id));
  const after = await read(get(id));
  const replacing = put && { put: await accepted(put(id)), replaced: await read(get(id)) };
  await inside?.(id);
  const ended = await accepted(remove(id));
  report(check, { created, listed, changed, after, ...replacing, ended, gone: await refused(get(id)) });
}
