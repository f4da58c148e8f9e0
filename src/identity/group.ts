// Groups give their members privileges, and shares of resources that others made.

import { privileges } from '../core/access.ts';
import { linkWrites } from '../core/operation/reservations.ts';
import { pathOf, type Resource, resource } from '../core/resource.ts';
import { flag, type Properties, text } from '../core/schema.ts';
import type { Row } from '../core/state/engine.ts';
import type { Reader } from '../core/tree.ts';
import { asOwned, findShareable, owned } from './owned.ts';
import { user } from './user.ts';

const flags: Properties = Object.fromEntries(privileges.map((name) => [name, flag({ default: false })]));

export const group: Resource = resource({
  name: 'group',
  plural: 'groups',
  root: 'um/',
  verbs: ['list', 'get', 'create', 'replace', 'remove'],
  adminOnly: true,
  metadata: 'none',
  actions: 'sec.group',
  pace: 0,
  paged: false,
  properties: { name: text({ required: true, min: 1, max: 255, example: 'operators' }), ...flags },
  entities: [
    { name: 'users', of: () => user, members: (row, store) => membersOf(row, store) },
    { name: 'resources', of: () => owned, members: (row, store) => sharedRows(row, store) },
  ],
  async decide(draft, context) {
    if (draft.way !== 'remove' || !draft.before) return;
    const path = pathOf(draft.before);
    for (const member of await context.store.linked(draft.contract, path, '>', 'member'))
      draft.extraWrites.push(...linkWrites(draft.contract, path, ['member', member], 'remove'));
  },
});

export const membersOf = (row: Row, store: Reader): Promise<Row[]> =>
  store.linkedRows(row.contract, pathOf(row), '>', 'member');

export async function sharesOf(row: Row, store: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const one of store.each({ contract: row.contract, place: `${pathOf(row)}/shares` })) rows.push(one);
  return rows;
}

export async function sharedRows(row: Row, store: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of await sharesOf(row, store)) {
    const found = await findShareable(store, row.contract, one.id);
    if (found) rows.push(asOwned(found));
  }
  return rows;
}
